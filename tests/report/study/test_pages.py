"""Pages of studies as text: ids, links, what stands first, and how large they are."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from ranksieve import make_ranking
from ranksieve.report import inspect, inspection_page, study_page
from ranksieve.report.study.charts.registry import figures
from ranksieve.report.study.charts.rows import importance_rows, outcome_rows
from ranksieve.report.study.names import short_names
from ranksieve.report.study.still_page import static_page
from ranksieve.report.study.summary import finding, study_summary
from ranksieve.report.study.tables.registry import study_tables
from ranksieve.report.study.view import StudyView
from tests.report.studies import HOSTILE, study


class Ids(HTMLParser):
    """The ids of a page, and where its links go."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = [], []
        self.feed(text)

    def handle_starttag(self, name, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        if name == "a":
            self.links.append(found["href"])


def inspected():
    data, _ = make_ranking(20, n_relevant=2, n_redundant=2, n_irrelevant=3, random_state=0)
    return inspection_page(inspect(data))


@cache
def still():
    return static_page(study(measures=("map", "ndcg@10")))


PAGES = {
    "study": lambda: study_page(study(measures=("map",))),
    "hostile": lambda: study_page(study(data=HOSTILE[:2], methods=HOSTILE, measures=("map",))),
    "still": still,
    "inspection": inspected,
}


@pytest.mark.parametrize("page", PAGES)
def test_ids_are_unique_and_every_link_has_its_target(page):
    found = Ids(PAGES[page]())
    assert len(found.ids) == len(set(found.ids))
    assert all(link.startswith("#") for link in found.links)
    assert {link[1:] for link in found.links} <= set(found.ids)


def test_the_box_has_verdict_names_and_command_in_three_lines():
    results = replace(
        study(data=("A",), measures=("map",)), command="ranksieve compare A --store 'my runs.db'"
    )
    view = StudyView.of(results, margin=0.05)
    (answer,) = view.smallest.values()
    assert answer.fewest is not None
    box = str(study_summary(view))
    lines = re.search(r'<div class="answer".*?</div>', box, re.DOTALL)[0]
    assert lines.count("<p>") == 3
    interval = f"{answer.fewest.difference_low:+.4f} to {answer.fewest.difference_high:+.4f}"
    assert interval in lines
    assert f"{int(answer.fewest.n_features)} of 20 features" in lines
    assert (
        "ranksieve report &#x27;my runs.db&#x27; --margin 0.05 --features-out features.json"
        in lines
    )
    (table,) = (table for table in study_tables(view) if table.key == "set")
    names = view.results.data[0].feature_names
    for row, chosen in zip(table.rows, answer.fewest.outcome.folds, strict=True):
        assert row.values[2] == ", ".join(names[feature] for feature in chosen.features)
        assert row.values[3] == chosen.selector


def test_the_command_names_the_data_set_where_there_are_several():
    box = str(study_summary(StudyView.of(study(data=("A", "B c"), measures=("map",)), margin=0.05)))
    assert "--data A --margin" in box
    assert "--data &#x27;B c&#x27; --margin" in box


def test_where_no_set_loses_little_the_command_has_the_margin_that_would_do():
    few = study(data=("A",), measures=("map",), numbers=(1,), embedded=())
    view = StudyView.of(few, margin=1e-6)
    (answer,) = view.smallest.values()
    assert answer.fewest is None
    box = str(study_summary(view))
    (margin,) = re.findall(r"--margin ([\d.]+) --features-out", box)
    assert 0 < float(margin) + answer.nearest.difference_low <= 0.001
    again = StudyView.of(view.results, margin=float(margin)).smallest["A", "map"]
    assert again.fewest is not None


@pytest.mark.parametrize("seed", range(3))
def test_differences_of_the_chart_are_those_of_the_queries(seed):
    results = study(data=("A",), measures=("map",), random_state=seed)
    view = StudyView.of(results)
    (answer,) = view.smallest.values()
    reference = answer.reference.outcome
    rows = [row for row in outcome_rows(view) if row["kind"] == "curve"]
    for row, outcome in zip(rows, results.curves, strict=True):
        expected = outcome.mean("map") - reference.mean("map")
        assert row["difference"] == pytest.approx(expected, rel=1e-3)
        assert row["worst"] < row["difference"] < row["best"]
    marked = [row for row in rows if row["fewest"]]
    assert len(marked) == (answer.fewest is not None)
    for row in marked:
        assert row["worst"] > -view.margin


def test_all_features_among_the_numbers_are_a_reference_without_a_p_value():
    results = study(data=("A",), measures=("map",), rankers=("R",), embedded=())
    (everything,) = (one for one in results.chosen if one.method == "all features")
    results = replace(results, curves=(replace(everything, number=-1), *results.curves))
    (table,) = (t for t in study_tables(StudyView.of(results)) if t.key == "numbers")
    row = table.rows[0]
    columns = [column.name for column in table.columns]
    shown = dict(zip(columns, row.values, strict=True))
    assert shown["verdict"] == "reference"
    assert np.isnan(shown["p"])
    assert np.isnan(shown["p adjusted"])


def test_the_finding_is_counted_from_the_marks():
    results = study(measures=("map",), n_queries=40)
    headline, _ = finding(StudyView.of(results))
    marks = [one.mark for one in StudyView.of(results).standings]
    better = [int(n) for n in re.findall(r"(\d+) significantly better", headline)]
    worse = [int(n) for n in re.findall(r"(\d+) significantly worse", headline)]
    assert sum(better) == marks.count("better")
    assert sum(worse) == marks.count("worse")
    assert marks.count("worse") > 0
    few = study(measures=("map",), n_queries=2, n_folds=1, methods=("GAS",), embedded=())
    assert finding(StudyView.of(few))[0] == (
        "No method is significantly better or worse than all features on OHSUMED or MQ2008, by map."
    )


def test_the_still_page_is_small_and_keeps_the_numbers_of_its_axes():
    text = still()
    assert len(text.encode()) < 500_000
    assert "vegaEmbed" not in text
    assert re.search(r"<text[^>]*>-?\u2212?0\.0\d</text>", text)
    assert "var(--line-0)" in text
    assert "#010101" not in text


def test_bars_of_importance_start_at_a_random_order():
    results = study(data=("A",))
    view = StudyView.of(results)
    rows = importance_rows(view)
    for component, scores in results.importance["A"].items():
        here = [row for row in rows if row["text"] == component]
        # The last feature is 0 everywhere, so it orders nothing.
        (random,) = {row["random"] for row in here}
        assert random == pytest.approx(scores[:, -1].mean(), rel=1e-5)
    facts = replace(results.data[0], used=np.ones(20, dtype=bool))
    rows = importance_rows(StudyView.of(replace(results, data=(facts,), similarity={})))
    assert {(row["random"], row["note"]) for row in rows} == {(0.0, "")}


def test_a_random_order_is_taken_from_the_store_where_every_feature_orders_documents():
    results = study(data=("A",))
    facts = replace(results.data[0], used=np.ones(20, dtype=bool))
    without = replace(results, data=(facts,), similarity={})
    scores = dict.fromkeys(results.importance["A"], 0.25)
    stored = replace(without, random_orders={"A": scores})
    rows = importance_rows(StudyView.of(stored))
    assert {(row["random"], row["note"]) for row in rows} == {(0.25, "random order")}
    reason = "made by a version that did not record it"
    for each, says_why in ((without, True), (stored, False)):
        (figure,) = (one for one in figures(StudyView.of(each)) if one.key == "importance")
        assert (reason in figure.note) == says_why


def test_a_radar_needs_three_branches():
    keys = {figure.key for figure in figures(StudyView.of(study(data=("A",), n_folds=2)))}
    assert "removed" not in keys
    keys = {figure.key for figure in figures(StudyView.of(study(data=("A",), n_folds=3)))}
    assert "removed" in keys


@pytest.mark.parametrize("width", [8, 14, 24])
def test_short_names_differ_and_break_no_word(width):
    names = [
        "FSMRank, importance only, refit",
        "FSMRank, importance only",
        "FSMRank, paper's stop, refit",
        "TopK(importance=NDCG(10))",
        "SparseRankSVM",
    ]
    found = short_names(names, width)
    assert len(set(found.values())) == len(names)
    words = {word for name in names for word in re.findall(r"[\w']+", name)}
    for short in found.values():
        assert set(re.findall(r"[\w']+", short)) <= words

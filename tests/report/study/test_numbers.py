"""Curves beside their references, the fewest features that lose little, and names of features."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ranksieve.errors import ParameterError
from ranksieve.evaluate import bootstrap_difference
from ranksieve.experiment import ALL
from ranksieve.report import study_csv, study_latex, study_markdown
from ranksieve.report.shared.table import seconds
from ranksieve.report.study.names import short_components
from ranksieve.report.study.standings import FEW_RESAMPLES
from ranksieve.report.study.summary import summary_sentences
from ranksieve.report.study.tables.chosen import chosen_names
from ranksieve.report.study.tables.registry import study_tables
from ranksieve.report.study.view import StudyView
from tests.report.studies import study


def tables(results, key, **options):
    return [t for t in study_tables(StudyView.of(results, **options)) if t.key == key]


def small(**options):
    """A study with little of everything."""
    return study(**{"data": ("A",), "measures": ("map",), "numbers": (1, 3), **options})


def without_validation(results):
    """The same study on data that has no validation queries: curves, and all features alone."""
    data = tuple(
        replace(one, n_queries=tuple((train, 0, test) for train, _, test in one.n_queries))
        for one in results.data
    )
    chosen = tuple(one for one in results.chosen if one.method == "all features")
    return replace(results, data=data, chosen=chosen)


def shifted(outcome, reference, differences, n_features):
    """The outcome with values that differ from the reference's by these, and so many features."""
    values = {name: of + differences for name, of in reference.values.items()}
    folds = tuple(replace(one, features=one.features[:n_features]) for one in outcome.folds)
    return replace(outcome, values=values, folds=folds)


def planted(*cases, n_queries=40):
    """Return a study of all features and one curve, whose points are (features, differences)."""
    results = study(
        data=("A",),
        methods=("GAS",),
        embedded=(),
        rankers=("R",),
        n_queries=n_queries,
        numbers=tuple(range(1, len(cases) + 1)),
    )
    reference = next(one for one in results.chosen if one.method == "all features")
    whole = replace(results.curves[0], folds=reference.folds)
    curves = [
        replace(shifted(whole, reference, np.asarray(difference), number), number=number)
        for number, difference in cases
    ]
    return replace(results, curves=tuple(curves))


@pytest.mark.parametrize("seed", range(3))
def test_each_number_is_compared_query_by_query_with_all_features_and_its_ranker(seed):
    results = study(random_state=seed, measures=("map",))
    view = StudyView.of(results)
    references = {(one.data, one.name): one for one in results.chosen}
    assert len(view.numbers) == len(results.curves)
    for one in view.numbers[:: 7 + seed]:
        ranker = one.outcome.ranker or "RankSVM"
        theirs = references[one.outcome.data, f"all features + {ranker}"]
        ours = one.outcome.values["map"]
        counts = ~np.isnan(ours)
        expected = bootstrap_difference(ours, theirs.values["map"], n_resamples=FEW_RESAMPLES)
        assert one.reference == theirs.name
        assert one.difference == pytest.approx(one.outcome.mean("map") - theirs.mean("map"))
        shift = one.difference - expected.mean
        assert one.difference_low == pytest.approx(expected.low + shift)
        assert one.difference_high == pytest.approx(expected.high + shift)
        p = stats.ttest_rel(ours[counts], theirs.values["map"][counts]).pvalue
        assert one.p_value == pytest.approx(p)


def test_holm_adjusts_over_all_numbers_of_a_data_set_and_measure():
    view = StudyView.of(study())
    here = sorted(view.numbers_for("OHSUMED", "map"), key=lambda one: one.p_value)
    running = 0.0
    for place, one in enumerate(here):
        running = max(running, min(1.0, (len(here) - place) * one.p_value))
        assert one.adjusted == pytest.approx(running)


def test_a_chosen_reference_is_that_of_the_numbers_too():
    view = StudyView.of(study(), reference="GAS + RankSVM", measures=["map"])
    assert {one.reference for one in view.numbers} == {"GAS + RankSVM"}


def test_the_table_by_number_has_a_row_for_each_point_of_a_curve():
    results = study(numbers=(1, 5), measures=("map",))
    for table in tables(results, "numbers"):
        curves = [one for one in results.curves if one.data == table.data]
        assert [row.values[3] for row in table.rows] == [one.n_features.mean() for one in curves]
        asked = [row.values[2] for row in table.rows]
        assert asked == ["all it keeps" if c.number == ALL else c.number for c in curves]
        assert "optimistic" in " ".join(table.notes)


def test_the_table_by_number_is_in_every_text_unrounded_in_csv():
    results = study(numbers=(1, 5), measures=("map",))
    lines = [
        line
        for line in csv.DictReader(io.StringIO(study_csv(results)))
        if line["table"] == "numbers" and line["quantity"] == "difference low"
    ]
    view = StudyView.of(results)
    assert [float(line["value"]) for line in lines] == [one.difference_low for one in view.numbers]
    assert "### By number of features: OHSUMED, map" in study_markdown(results)
    assert "By number of features: OHSUMED, map" in study_latex(results)


def test_long_tables_go_over_several_pages_in_latex():
    text = study_latex(small(numbers=range(1, 9)))
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") > 0
    assert "longtable" in text.splitlines()[0]
    assert r"\begin{longtable}" not in study_latex(small(n_folds=1, methods=()))


def test_the_smallest_set_is_the_one_whose_whole_interval_stays_within_the_margin():
    noise = np.tile([0.3, -0.3], 60)  # its interval is about 0.054 to either side
    results = planted((1, noise), (3, np.full(120, -0.02)), (6, np.full(120, -0.005)), (8, 0.001))
    found = StudyView.of(results).smallest["A", "ndcg@10"]
    assert found.fewest.n_features == 6
    assert found.fewest.difference == pytest.approx(-0.005)
    assert found.nearest.n_features == 8
    assert found.n_candidates == 4
    # Not significant, but not shown to lose little either.
    assert StudyView.of(results).numbers[0].mark == ""
    assert StudyView.of(results, margin=0.03).smallest["A", "ndcg@10"].fewest.n_features == 3
    assert StudyView.of(results, margin=0.2).smallest["A", "ndcg@10"].fewest.n_features == 1


def test_where_no_set_is_within_the_margin_the_nearest_is_told_with_what_it_allows():
    results = planted((1, np.full(120, -0.3)), (4, np.full(120, -0.0625)))
    view = StudyView.of(results)
    found = view.smallest["A", "map"]
    assert found.fewest is None
    words = "".join(summary_sentences(view, results.data[0], "map"))
    assert "None of 2 results with fewer features has a 95 % interval" in words
    assert "above -0.01. The nearest is GAS + R" in words
    assert "with 4 features, difference -0.0625" in words
    assert "allow a loss of 0.0625" in words


def test_every_ranker_is_held_against_the_best_one_with_all_features():
    view = StudyView.of(study())
    for (data, measure), found in view.smallest.items():
        everything = [
            one for one in view.standings_for(data, measure) if one.outcome.method == "all features"
        ]
        best = max(everything, key=lambda one: one.mean)
        assert found.reference.outcome is best.outcome
        told = found.fewest or found.nearest
        expected = told.outcome.mean(measure) - best.mean
        assert told.difference == pytest.approx(expected)


def test_the_summary_states_best_reference_margin_and_interval():
    results = small()
    view = StudyView.of(results)
    words = "".join(summary_sentences(view, results.data[0], "map"))
    best = view.standings_for("A", "map")[0]
    assert f"Best: {best.outcome.name}, {best.mean:.4f}" in words
    assert "Reference: all features + " in words
    assert "above -0.01" in words
    told = view.smallest["A", "map"]
    one = told.fewest or told.nearest
    assert f"({one.difference_low:+.4f} to {one.difference_high:+.4f})" in words
    assert "optimistic" in study_markdown(results)


def test_without_curves_what_validation_chose_stands_in():
    results = replace(study(), curves=())
    view = StudyView.of(results)
    assert view.numbers == ()
    assert view.smallest["OHSUMED", "map"].n_candidates > 0


def test_without_validation_curves_carry_the_report():
    results = without_validation(study(measures=("map",)))
    view = StudyView.of(results)
    words = "".join(summary_sentences(view, results.data[0], "map"))
    best = max(view.numbers_for("OHSUMED", "map"), key=lambda one: one.mean)
    assert "no validation queries" in words
    assert f"Highest mean: {best.outcome.name}, {best.mean:.4f}" in words
    boards = tables(results, "leaderboard")
    assert all("nothing chose a number of features" in " ".join(t.notes) for t in boards)
    (first, _) = tables(results, "numbers")
    assert len(first.rows) == sum(one.data == "OHSUMED" for one in results.curves)


def test_curves_alone_are_compared_with_the_best_of_them():
    results = replace(without_validation(study(measures=("map",))), chosen=())
    view = StudyView.of(results)
    here = view.numbers_for("MQ2008", "map")
    best = max(here, key=lambda one: one.mean)
    assert best.mark == "reference"
    assert math.isnan(best.difference_low)
    assert {one.reference for one in here if one is not best} == {best.outcome.name}
    assert "### By number of features: MQ2008, map" in study_markdown(results)


def test_a_margin_must_be_positive():
    with pytest.raises(ParameterError, match=r"margin must be above 0, but is -0\.01"):
        StudyView.of(study(), margin=-0.01)


def test_features_are_named_with_the_number_of_folds_that_chose_them():
    results = study(data=("A",), n_folds=3, n_features=5, numbers=(2,))
    outcome = next(one for one in results.chosen if one.method == "GAS")
    chosen = ([3, 0], [3, 1], [0, 3])
    folds = tuple(
        replace(fold, features=np.array(of)) for fold, of in zip(outcome.folds, chosen, strict=True)
    )
    always, sometimes = chosen_names(replace(outcome, folds=folds), results.data[0])
    assert always == ["feature_3"]
    assert sometimes == ["feature_0 2/3", "feature_1 1/3"]


def test_features_chosen_stand_in_markdown_and_csv_and_not_in_latex():
    results = small()
    (table,) = tables(results, "chosen")
    assert len(table.rows) == sum(one.method != "all features" for one in results.chosen)
    names = [row.values[5] for row in table.rows if row.values[5] != "-"]
    assert names[0] in study_csv(results)
    assert "### Features chosen" in study_markdown(results)
    assert "Features chosen" not in study_latex(results)


def test_tables_of_another_measure_say_which_one_validation_chose_by():
    for table in tables(small(measures=("ndcg@10", "map")), "leaderboard"):
        said = "Validation chose by ndcg@10" in " ".join(table.notes)
        assert said == (table.measure != "ndcg@10")


def test_an_only_ranker_is_in_the_title_and_no_column():
    results = small(rankers=("RankSVM",), embedded=(), measures=("map", "ndcg@10"))
    for key in ("leaderboard", "numbers", "unified"):
        for table in tables(results, key):
            assert table.title.endswith(", RankSVM")
            assert "ranker" not in [column.name for column in table.columns]
    assert "ranker" in [column.name for column in tables(small(), "leaderboard")[0].columns]


def test_one_data_set_needs_no_unified_rank():
    assert tables(small(), "unified") == []
    assert tables(small(measures=("map", "ndcg@10")), "unified") == []
    assert len(tables(small(data=("A", "B")), "unified")) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.0999, "0.0999"), (0.99999, "1.00"), (99.96, "100"), (123456, "123,000")],
)
def test_seconds_have_three_digits(value, text):
    assert seconds(value) == text


def test_components_that_would_look_alike_keep_their_texts():
    alike = ["Gain(n=1)", "Gain(n=1) "]
    assert (
        short_components(alike) == {text: text for text in alike}
        or len(set(short_components(alike).values())) == 2
    )
    assert short_components(["PearsonImportance()"]) == {"PearsonImportance()": "Pearson"}

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from ranksieve.errors import DataError, MissingDependencyError, ParameterError
from ranksieve.report import study_figures, study_page, write_figures
from ranksieve.report.shared.colours import COLOURS
from ranksieve.report.shared.packing import packed
from ranksieve.report.study.charts.export import panel_svgs, panels
from ranksieve.report.study.charts.figure import coloured, panel_height
from ranksieve.report.study.charts.registry import figures
from ranksieve.report.study.charts.rows import (
    importance_rows,
    outcome_rows,
    removal_rows,
    selection_rows,
    similarity_rows,
    trace_rows,
)
from ranksieve.report.study.view import StudyView
from tests.report.studies import study


def view(**options):
    return StudyView.of(study(**options))


def test_every_outcome_is_a_row_with_its_mean():
    results = study()
    rows = outcome_rows(StudyView.of(results))
    assert len(rows) == len(results.measures) * (len(results.chosen) + len(results.curves))
    expected = sorted(
        outcome.mean(measure)
        for outcome in (*results.chosen, *results.curves)
        for measure in results.measures
    )
    assert sorted(row["mean"] for row in rows) == expected


def test_removed_features_are_by_fold_until_there_are_three_data_sets():
    two = removal_rows(view())
    assert {row["level"] for row in two} == {"folds"}
    assert len({row["branch"] for row in two}) == 2 * 3
    three = removal_rows(view(data=("A", "B", "C")))
    assert {row["level"] for row in three} == {"data sets", "folds"}
    folds = [
        row["removed"]
        for row in three
        if row["branch"].startswith("A ") and row["method"] == "GAS" and row["ranker"] == "RankSVM"
    ]
    (whole,) = (
        row["removed"]
        for row in three
        if row["branch"] == "A" and row["method"] == "GAS" and row["ranker"] == "RankSVM"
    )
    assert whole == pytest.approx(sum(folds) / 3)


def test_importance_is_sorted_and_similar_features_are_adjacent():
    shown = view(n_features=12)
    scores = [row["score"] for row in importance_rows(shown) if row["data"] == "OHSUMED"]
    assert scores[:12] == sorted(scores[:12], reverse=True)
    rows = [row for row in similarity_rows(shown) if row["data"] == "OHSUMED"]
    assert len(rows) == 11 * 11  # the last feature orders nothing
    beside = [row["similarity"] for row in rows if row["j"] == row["i"] + 1]
    others = [row["similarity"] for row in rows if row["j"] > row["i"] + 1]
    assert np.mean(beside) > np.mean(others)


def test_many_features_become_few_cells():
    rows = [row for row in similarity_rows(view(n_features=200)) if row["data"] == "OHSUMED"]
    assert len(rows) == 150 * 150
    assert any(" to " in row["a"] for row in rows)


def test_features_that_are_all_copies_have_a_heat_map_too():
    results = study(data=("A",), n_features=4)
    results = replace(results, similarity={"A": {"K": np.ones((4, 4))}})
    assert {row["similarity"] for row in similarity_rows(StudyView.of(results))} == {1.0}


def test_selections_have_the_place_of_each_feature_in_each_fold():
    results = study(data=("A",))
    rows = selection_rows(StudyView.of(results))
    expected = sum(
        len(chosen.features)
        for outcome in results.chosen
        if outcome.method != "all features"
        for chosen in outcome.folds
    )
    assert len(rows) == expected
    first = next(outcome for outcome in results.chosen if outcome.method == "GAS").folds[0]
    assert rows[0]["feature"] == f"feature_{first.features[0]}"
    assert rows[0]["place"] == 1


def test_traces_keep_their_ends_and_leave_out_what_has_no_logarithm():
    results = study(data=("A",), n_folds=1)
    rows = [row for row in trace_rows(StudyView.of(results)) if "FSMRank" in row["component"]]
    (trace,) = (one for one in results.traces if "FSMRank" in one.component)
    assert rows[0]["step"] == 1
    assert rows[-1]["step"] == len(trace.objectives)
    assert rows[-1]["excess"] is None  # the best one itself
    assert rows[0]["excess"] == pytest.approx(
        trace.objectives[0] - trace.objectives.min(), rel=1e-3
    )


def test_methods_with_weights_of_their_own_are_beside_every_ranker():
    rows = [
        {"ranker": "A", "method": "x"},
        {"ranker": "B", "method": "y"},
        {"ranker": "own weights", "method": "z"},
    ]
    found = {panel: [row["method"] for row in kept] for panel, kept in panels(rows, ["ranker"])}
    assert found == {("A",): ["x", "z"], ("B",): ["y", "z"]}
    assert list(panels(rows[2:], ["ranker"])) == [(("own weights",), rows[2:])]


@pytest.mark.parametrize("n", [5, 300, 3])
def test_packed_columns_can_be_read_back(n):
    import base64

    rng = np.random.default_rng(n)
    names = [f"name {value}" for value in rng.integers(0, n, 1000)]
    rows = [{"name": name, "value": float(rng.random())} for name in names]
    columns = json.loads(json.dumps(packed(rows)))["columns"]
    assert columns["value"]["plain"] == [row["value"] for row in rows]
    coded = columns["name"]
    codes = np.frombuffer(base64.b64decode(coded["codes"]), dtype=f"<u{coded['bytes']}")
    assert [coded["values"][code] for code in codes] == names


def test_among_many_methods_the_best_have_a_colour():
    many = view(methods=[f"M{place}" for place in range(12)], measures=("map",), numbers=(1, 5))
    assert len(many.methods) == 15
    assert many.coloured[0] == "all features"
    fewest = {
        answer.fewest.outcome.method
        for answer in many.smallest.values()
        if answer.fewest is not None
    }
    assert fewest <= set(many.coloured)
    assert 6 <= len(many.coloured) <= 6 + len(fewest)
    assert view().coloured == view().methods


@pytest.mark.slow
@pytest.mark.parametrize("n_methods", [2, 14, 26])
def test_no_line_is_drawn_without_its_name(n_methods):
    methods = [f"M{number}" for number in range(n_methods)]
    options = {"measures": ("map",), "numbers": (1, 5, 8), "rankers": ("R",)}
    shown = view(data=("A",), methods=methods, **options)
    n_lines = Counter()
    for figure in figures(shown):
        for svg in panel_svgs(figure, shown, {}):
            lines, names, headings = lines_and_names(svg)
            n_lines[figure.key] += lines.total()
            if figure.axes:  # folds of a component share its colour, and its name
                assert set(lines) == set(names)
            elif figure.least:  # a heading for each, and that of the panel
                assert lines.total() == len(headings) - 1
            elif lines:
                assert not lines - names
    assert {key for key, n in n_lines.items() if n} == {
        "difference",
        "features",
        "sparsity",
        "removed",
        "objective",
        "gap",
    }


def lines_and_names(svg):
    """Return the colours of lines with two points or more, of texts, and the headings of parts."""
    lines, names, headings = Counter(), Counter(), set()
    for group in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        kind = group.get("class", "").split()
        if "mark-line" in kind and "role-mark" in kind:
            paths = [path for path in group if "L" in path.get("d", "")]
            # Rings of a radar are no lines of methods.
            lines.update(path.get("stroke") for path in paths if path.get("stroke") != "#8a949d")
        elif "mark-text" in kind and "role-mark" in kind:
            names.update(text.get("fill") for text in group)
        elif "mark-text" in kind and {"role-title-text", "role-column-title"} & set(kind):
            headings.update(text.text for text in group)
    return lines, names, headings


def test_a_higher_panel_has_room_for_every_name():
    shown = view(data=("A",), methods=[f"M{number}" for number in range(40)], measures=("map",))
    figure = next(figure for figure in figures(shown) if figure.key == "features")
    rows = coloured(figure.drawn, shown.methods, COLOURS["light"], "grey")
    assert panel_height(figure, rows, 280) == 13 * 43
    assert panel_height(figure, rows[:1], 280) == 280


@pytest.mark.slow
def test_there_is_a_chart_for_each_part_of_the_results():
    found = study_figures(study(measures=("map",), data=("A",)))
    assert {name.split("-")[0] for name in found} == {
        "difference",
        "features",
        "sparsity",
        "removed",
        "time",
        "selections",
        "importance",
        "similarity",
        "objective",
        "gap",
    }
    assert all(chart.to_dict()["title"] for chart in found.values())
    assert "features-a-ranksvm" in found
    assert "objective-a-second" in found
    ranges = [
        {param["name"]: param["value"] for param in found[name].to_dict()["params"][-3:]}
        for name in ("features-a-ranksvm", "features-a-lightgbm")
    ]
    assert ranges[0]["lowest"] == ranges[1]["lowest"] < ranges[0]["highest"]


def test_parts_without_rows_have_no_chart():
    results = replace(study(traces=False), importance={}, similarity={}, curves=())
    keys = {figure.key for figure in figures(StudyView.of(results))}
    assert keys == {"difference", "features", "sparsity", "removed", "time", "selections"}


def test_names_that_differ_in_signs_alone_have_a_file_each():
    results = study(
        data=("A+", "A-"),
        measures=("map",),
        rankers=("R",),
        embedded=(),
        methods=("GAS",),
        n_folds=1,
    )
    results = replace(results, importance={}, similarity={}, curves=(), traces=())
    found = study_figures(results)
    assert {"time-a", "time-a-2"} <= set(found)
    assert found["time-a"].to_dict()["title"] == "A+"
    assert found["time-a-2"].to_dict()["title"] == "A-"


@pytest.mark.slow
def test_figures_are_written_in_each_format_and_replaced_only_when_told(tmp_path):
    results = study(
        data=("A",), measures=("map",), rankers=("R",), embedded=(), methods=("GAS",), traces=False
    )
    results = replace(results, importance={}, similarity={}, curves=())
    written = write_figures(results, tmp_path / "new", ["svg", "png", "pdf"])
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert len(written) == 3 * 6
    for path in written:
        assert path.read_bytes().startswith(starts[path.suffix])
    with pytest.raises(DataError, match="exists"):
        write_figures(results, tmp_path / "new", ["svg"])
    assert write_figures(results, tmp_path / "new", ["svg"], overwrite=True) == written[::3]
    with pytest.raises(ParameterError, match="format must be one of"):
        write_figures(results, tmp_path, ["gif"])
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot create the folder"):
        write_figures(results, tmp_path / "file" / "folder")


@pytest.mark.parametrize("name", ["altair", "vl_convert"])
def test_a_missing_package_shows_its_install_line(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    study_page.__globals__["_bundle"].cache_clear()
    with pytest.raises(MissingDependencyError, match=r"pip install 'ranksieve\[report\]'"):
        study_page(study(data=("A",), measures=("map",)))

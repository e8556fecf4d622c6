"""The page of times: what is measured, and that its tables hold the numbers that are stored."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import times, times_embedded, times_solvers
from benchmarks.convergence import Run
from benchmarks.times_embedded import PENALTIES, embedded_times, generated, methods
from benchmarks.times_filters import filter_times, growth
from benchmarks.times_solvers import _row, compared
from ranksieve.penalties import as_penalty
from tests.experiment.test_results_page import rows_under


@pytest.fixture(scope="module")
def rows():
    smaller = {"FIXED_DOCUMENTS": 300, "FIXED_FEATURES": 12, "CALLS": 2}
    with pytest.MonkeyPatch.context() as patch:
        for name, number in smaller.items():
            patch.setattr(times_embedded, name, number)
        patch.setattr(times_solvers, "CALLS", 1)
        return {
            "filters": filter_times(features=(10, 20), points=(10, 20)),
            "solvers": [_row("OHSUMED", run) for run in compared(generated(300, 10))],
            "embedded": embedded_times((200, 400), (6, 10), report=lambda text: None),
        }


def test_every_penalty_and_method_is_fitted_at_every_size(rows):
    names = set(methods(generated(200, 6)))
    assert {"l1", "elastic-net", "MCP", "SCAD", "log", "lp"} <= names
    assert {"FSMRank", "FSMSVM", "FenchelRank"} <= names
    for axis in ("documents", "features"):
        own = [row for row in rows["embedded"] if row["axis"] == axis]
        sizes = {row[axis] for row in own}
        assert len(sizes) == 2
        assert {(row["method"], row[axis]) for row in own} == {
            (name, size) for name in names for size in sizes
        }
    assert all(row["seconds"] > 0 and row["calls"] >= 1 for row in rows["embedded"])


def test_what_this_version_cannot_spell_is_left_out(monkeypatch):
    monkeypatch.setitem(PENALTIES, "unheard of", 'mcp(units="furlongs")')
    assert "unheard of" not in methods(generated(200, 6))
    for name, text in PENALTIES.items():
        if name in methods(generated(200, 6)):
            as_penalty(text)


def test_models_of_l1_and_fenchelrank_are_of_one_size(rows):
    selected = {
        (row["axis"], row["documents"], row["features"], row["method"]): row["selected"]
        for row in rows["embedded"]
    }
    for (*size, method), number in selected.items():
        if method == "FenchelRank":
            assert abs(number - selected[(*size, "l1")]) <= 1


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_growth_is_the_power_of_the_size(power):
    made_up = [
        {"axis": "features", "method": "GAS", "features": n, "seconds": 1e-6 * n**power}
        for n in (10, 100, 400)
    ]
    assert growth(made_up, "features", "GAS") == pytest.approx(power)


def test_seconds_to_a_level_are_those_of_the_best_objective_so_far():
    # Steps may go up: the objective was within 0.001 at second 2, whatever came after.
    distances = np.array([0.5, 0.0005, 0.02, 0.0002])
    run = Run("Subgradient", np.array([1.0, 2.0, 3.0, 4.0]), distances, distances)
    row = _row("OHSUMED", run)
    assert row["seconds"] == {"0.01": 2.0, "0.001": 2.0, "0.0001": None, "1e-06": None}
    assert row["last distance"] == 0.0002


def test_solvers_are_ordered_as_the_paper_found(rows):
    # Iterations, not seconds: the accelerated gradient ends nearer after as many steps or fewer.
    by_name = {row["solver"]: row for row in rows["solvers"]}
    paper, slow = by_name["AcceleratedGradient"], by_name["Subgradient"]
    assert paper["iterations"] <= slow["iterations"]
    assert paper["last distance"] <= slow["last distance"]
    assert by_name["ProximalNewton"]["last distance"] <= 1e-6


def test_the_page_shows_what_is_stored(rows, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    times.write(rows, "<svg/>", tmp_path)
    content = json.loads((tmp_path / "times.json").read_text())
    assert content["embedded"] == rows["embedded"]
    assert content["filters"] == rows["filters"]
    lines = (tmp_path / "times.md").read_text().split("\n")
    shown = {row[0]: row[1:] for row in rows_under(lines, "## Penalties and embedded methods")}
    for method, cells in shown.items():
        own = [r for r in rows["embedded"] if (r["method"], r["axis"]) == (method, "documents")]
        stored = [r["seconds"] for r in sorted(own, key=lambda r: r["documents"])]
        np.testing.assert_allclose([float(cell) for cell in cells], stored, rtol=6e-3)
    solvers = rows_under(lines, "## Solvers")
    assert [row[1] for row in solvers] == [row["solver"] for row in rows["solvers"]]
    for name in ("times-filters.svg", "times-embedded.svg", "times-solvers.svg"):
        assert (tmp_path / name).read_text().startswith("<svg")


def test_without_the_data_the_page_says_so(rows, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    times.write(rows | {"solvers": []}, "", tmp_path)
    assert "were not there when this page was written" in (tmp_path / "times.md").read_text()
    assert not (tmp_path / "times-solvers.svg").exists()

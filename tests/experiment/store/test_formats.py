"""Stores of released formats: read and resumed with the same results, or refused by name.

`format_1` is a store that ranksieve 0.2.0 made, as SQL, with the data and what was read from it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import ranksieve
from ranksieve.errors import DataError
from ranksieve.experiment import Store, Study, compare, read_results
from tests.experiment.cases import assert_still_there, contents
from tests.experiment.child import note_computations
from tests.experiment.processes import by_kind, noted

FORMAT_1 = Path(__file__).parent / "format_1"
MADE_BY = "0.2.0"


@pytest.fixture
def released(tmp_path):
    """A copy of the store of format 1."""
    path = tmp_path / "runs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FORMAT_1 / "runs.sql").read_text(encoding="utf-8"))
    return path


def study_of(path):
    with Store(path, only_read=True) as store:
        return Study.from_json(store.studies()[-1]["spec"])


def summary(outcomes):
    """Outcomes as `results.json` has them."""
    return [
        {
            "name": outcome.name,
            "number": outcome.number,
            "means": {measure: outcome.mean(measure) for measure in outcome.values},
            "trials": [fold.trial for fold in outcome.folds],
            "selectors": [fold.selector for fold in outcome.folds],
            "rankers": [fold.ranker for fold in outcome.folds],
            "features": [fold.features.tolist() for fold in outcome.folds],
        }
        for outcome in outcomes
    ]


def assert_as_released(results):
    expected = json.loads((FORMAT_1 / "results.json").read_text(encoding="utf-8"))
    assert results.n_trials == expected["n_trials"]
    for name in ("chosen", "curves"):
        for row, stored in zip(summary(getattr(results, name)), expected[name], strict=True):
            assert row.pop("means") == pytest.approx(stored.pop("means"), abs=1e-15)
            assert row == stored


@pytest.mark.parametrize("version", [MADE_BY, "9.0.0"])
def test_a_released_store_is_read_by_its_own_version_and_by_later_ones(
    version, released, monkeypatch
):
    monkeypatch.setattr(ranksieve, "__version__", version)
    assert_as_released(read_results(released))


def test_a_released_store_is_resumed_and_nothing_is_computed_again(released, tmp_path, monkeypatch):
    monkeypatch.setattr(ranksieve, "__version__", MADE_BY)
    monkeypatch.chdir(FORMAT_1)
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    before = contents(released)
    assert_as_released(compare(study_of(released), released))
    assert contents(released) == before
    assert noted(tmp_path / "log") == Counter()


def test_a_method_that_is_added_to_a_released_store_is_all_that_is_computed(
    released, tmp_path, monkeypatch
):
    monkeypatch.setattr(ranksieve, "__version__", MADE_BY)
    monkeypatch.chdir(FORMAT_1)
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    study, before = study_of(released), contents(released)
    added = replace(study, selectors=[*study.selectors, ("one", 'TopK("ndcg@10")')], numbers=[2])
    compare(added, released)
    assert_still_there(before, contents(released))
    counts = by_kind(noted(tmp_path / "log"))
    assert counts["selection"] == counts["importance"] == 1
    assert set(counts) <= {"selection", "importance", "trained"}


def renumbered(path, number):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")


@pytest.mark.parametrize("number", [0, 2, 99])
def test_another_format_is_refused_with_the_version_that_reads_it(number, released):
    renumbered(released, number)
    before = released.read_bytes()
    message = (
        f"has format {number}, and ranksieve {ranksieve.__version__} reads format 1. "
        f"ranksieve {MADE_BY}, which made it, reads it: install that version"
    )
    for opening in (read_results, Store):
        with pytest.raises(DataError, match=re.escape(message)):
            opening(released)
    assert released.read_bytes() == before


@pytest.mark.parametrize(("number", "age"), [(0, "an earlier"), (2, "a later")])
@pytest.mark.parametrize("change", ["DELETE FROM study", "DROP TABLE study"])
def test_a_format_of_an_unknown_version_is_called_earlier_or_later(number, age, change, released):
    renumbered(released, number)
    with closing(sqlite3.connect(released)) as connection:
        connection.execute(change)
        connection.commit()
    with pytest.raises(DataError, match=f"made by {age} version, which reads it: install that"):
        Store(released)

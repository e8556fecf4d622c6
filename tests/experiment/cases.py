"""Small studies on generated folds, and what a store holds apart from times and row numbers."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing

import numpy as np

from ranksieve import make_ranking
from ranksieve.data import write_text
from ranksieve.experiment import Study
from ranksieve.experiment.store.schema import unpacked

PARTS = {"train": range(12), "vali": range(12, 18), "test": range(18, 26)}


def write_folds(folder, n_folds, *, seed=0, parts=PARTS, **options):
    """Write Fold1, Fold2, ... of different generated data, and return the folder."""
    shape = {"n_relevant": 3, "n_redundant": 2, "n_irrelevant": 3} | options
    for number in range(1, n_folds + 1):
        data, _ = make_ranking(26, (4, 9), random_state=10 * seed + number, **shape)
        fold = folder / f"Fold{number}"
        fold.mkdir(parents=True)
        for part, queries in parts.items():
            write_text(data.queries(list(queries)), fold / f"{part}.txt")
    return folder


def small_study(folder, **changes):
    """A filter with a grid, one without, and two embedded methods, in front of one ranker."""
    asked = {
        "selectors": [
            "GAS(balance=[0.1, 1])",
            'TopK("ndcg@10")',
            "SparseRankSVM(strength=[0.001, 0.01])",
            "FSMRank(similarity_strength=0.01, importance_strength=0.01)",
        ],
        "rankers": ["RankSVM(C=[0.01, 1])"],
        "numbers": [2, "all"],
    }
    return Study([str(folder)], **(asked | changes))


def contents(store):
    """What a store holds: trials, models and parts by their keys, without times and memory."""
    with closing(sqlite3.connect(store)) as connection:
        connection.row_factory = sqlite3.Row
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        trials = connection.execute(
            "SELECT trial.*, model.key AS of_model FROM trial "
            "LEFT JOIN model ON model.id = trial.model"
        )
        return {
            "trial": {
                row["key"]: _without(row, "id", "model", "selection_seconds") for row in trials
            },
            "model": {
                row["key"]: _without(row, "id", "seconds", "peak_memory")
                for row in connection.execute("SELECT * FROM model")
            },
            "part": {
                row["key"]: _without(row, "seconds", "peak_memory", "content", "arrays")
                | _part(row)
                for row in connection.execute("SELECT * FROM part")
            },
        }


def _without(row, *names):
    return {name: row[name] for name in row.keys() if name not in names}  # noqa: SIM118


def _part(row):
    described, arrays, start = json.loads(row["content"]), {}, 0
    for name, size in described["arrays"]:
        array = unpacked(row["arrays"][start : start + size])
        start += size
        if name != "seconds":
            arrays[name] = (array.shape, array.tobytes())
    return {"content": described["content"], "arrays": arrays}


def computed(held):
    """How often each kind of computation must have run for what a store holds."""
    counts = Counter(part["kind"] for part in held["part"].values())
    counts["trained"] = sum(model["ranker"] != "" for model in held["model"].values())
    return counts


def assert_still_there(before, after):
    """Every row that was there is there, and equal."""
    for table, rows in before.items():
        for key, row in rows.items():
            assert after[table][key] == row


def assert_same_results(one, other):
    """Two results are equal, bit for bit, apart from times, memory and row numbers."""
    assert [o.name for o in one.chosen] == [o.name for o in other.chosen]
    assert [(o.name, o.number) for o in one.curves] == [(o.name, o.number) for o in other.curves]
    pairs = zip((*one.chosen, *one.curves), (*other.chosen, *other.curves), strict=True)
    for left, right in pairs:
        for measure in left.values:
            assert left.values[measure].tobytes() == right.values[measure].tobytes()
        assert left.query_ids.tolist() == right.query_ids.tolist()
        for a, b in zip(left.folds, right.folds, strict=True):
            assert (a.selector, a.ranker, a.wanted) == (b.selector, b.ranker, b.wanted)
            assert a.features.tolist() == b.features.tolist()
            assert np.array_equal(a.weights, b.weights) if a.weights is not None else True
            assert a.validation == b.validation
            assert a.ending == b.ending

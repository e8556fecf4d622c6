"""The sieve beside its peers: every method runs, cells are kept, and the page shows them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks import sieve_peer_data, sieve_peer_methods, sieve_peers
from benchmarks.sieve_peer_data import GENERATED, NAMES, generated, planted
from benchmarks.sieve_peer_methods import METHODS, WITH_COSTS, _pairs, missing_package
from benchmarks.sieve_peers_figures import Figures
from benchmarks.sieve_peers_page import page
from tests.experiment.test_results_page import rows_under

SMALL = {"n_relevant": 2, "n_redundant": 2, "n_irrelevant": 4}


@pytest.fixture(scope="module")
def fold():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieve_peer_data, "GENERATED_DOCUMENTS", 15)
        return generated({"train": 40, "validation": 15, "test": 20}, **SMALL)


@pytest.fixture(scope="module")
def selected(fold):
    """What a method selects, asked for once, with short trainings."""
    shorter = {"ROUNDS": 5, "BORUTA_ROUNDS": 10, "CATBOOST_FEATURES": 5}
    with pytest.MonkeyPatch.context() as patch:
        for name, number in shorter.items():
            patch.setattr(sieve_peer_methods, name, number)
        patch.setitem(sieve_peer_methods.FINAL, "n_estimators", 6)
        yield cache(lambda method: METHODS[method](fold, 0))


def cell(method, name, features, values, *, fold=1, seed=0, seconds=1.0):
    return {
        "data": GENERATED,
        "fold": fold,
        "method": method,
        "seed": seed,
        "seconds": seconds,
        "n_features": 60,
        "sets": {name: features},
        "ndcg": {name: values},
    }


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name in METHODS if name not in WITH_COSTS])
def test_every_method_returns_features_that_exist(fold, selected, method):
    for package in ("lightgbm", missing_package(method)):
        if package is not None:
            pytest.importorskip(package)
    sets = selected(method)
    assert sets
    for name, features in sets.items():
        assert len(features) > 0, name
        assert np.array_equal(features, np.unique(features)), name
        assert set(features) <= set(range(fold.train.n_features)), name


@pytest.mark.slow
def test_sets_of_a_given_number_have_that_number(fold, selected):
    pytest.importorskip("lightgbm")
    for method in ("gain", "sieve"):
        for name, features in selected(method).items():
            if "first" in name:
                assert len(features) == min(int(name.split()[-1]), fold.train.n_features)


@pytest.mark.slow
@pytest.mark.usefixtures("selected")
@pytest.mark.parametrize("name", WITH_COSTS)
def test_only_data_with_costs_is_selected_by_costs(fold, name):
    pytest.importorskip("lightgbm")
    method = METHODS[name]
    assert method(fold, 0) == {}
    costs = dict.fromkeys(fold.train.feature_names, 1.0)
    (features,) = method(replace(fold, costs=costs), 0).values()
    assert len(features) > 0


def test_pairs_are_of_one_query_and_the_better_document_comes_first(fold):
    data = fold.train
    better, worse = _pairs(data, 0)
    query = np.searchsorted(data.query_ptr, np.arange(data.n_documents), side="right")
    assert np.array_equal(query[better], query[worse])
    assert (data.y[better] > data.y[worse]).all()


def test_the_truth_of_the_generated_data_does_not_depend_on_its_size():
    truth = planted()
    assert len(truth.relevant) + len(truth.redundant) + len(truth.irrelevant) == 60
    data = generated({"train": 60, "validation": 2, "test": 2}).train
    correlation = np.abs([np.corrcoef(data.column(f), data.y)[0, 1] for f in range(60)])
    assert correlation[truth.relevant].mean() > 3 * correlation[truth.irrelevant].mean()


def test_a_cell_is_stored_in_the_place_of_the_same_one(fold, tmp_path):
    content = {"made with": {}, "large": None, "cells": []}
    sieve_peers.put(content, cell("gain", "gain, first 5", [1], [0.5]))
    sieve_peers.put(content, cell("all", "all", [1], [0.5]))
    sieve_peers.put(content, cell("gain", "gain, first 5", [2], [None]))
    assert [each["method"] for each in content["cells"]] == ["all", "gain"]
    path = tmp_path / "figures.json"
    sieve_peers.write(content, path)
    assert sieve_peers.read(path) == content


def test_only_what_is_missing_or_named_is_run():
    keys = list(sieve_peers.planned("MQ2008"))
    assert len(keys) == len(set(keys))
    assert {(fold, seed) for _, fold, method, seed in keys if method == "sieve"} == {
        *((1, seed) for seed in (0, 1, 2)),
        *((fold, 0) for fold in (2, 3, 4, 5)),
    }
    key = ("MQ2008", 1, "fsmrank", 0)
    assert not sieve_peers._is_due(key, {key}, None)
    assert sieve_peers._is_due(key, set(), None)
    assert sieve_peers._is_due(key, {key}, ["fsmrank"])
    assert not sieve_peers._is_due(key, set(), ["sieve"])


def test_the_measure_of_no_features_is_that_of_ties(fold):
    values = sieve_peers.judged(fold, np.arange(0))
    assert len(values) == fold.test.n_queries
    assert np.nanmean(values) < 0.9


def test_a_comparison_is_paired_and_leaves_out_queries_that_do_not_count():
    cells = [
        cell("all", "all", [0, 1], [0.5, None, 0.5, 1.0]),
        cell("sieve", "sieve", [1], [0.7, None, 0.6, 1.0]),
    ]
    change = Figures(cells).comparison([GENERATED], "sieve")
    assert change.n_queries == 3
    assert change.amount == pytest.approx(0.1)  # (0.2 + 0.1 + 0) / 3
    assert change.share == pytest.approx(0.1 / (2 / 3))
    assert change.p_value == 0.5  # of four arrangements of two signs, ++ and --


def test_the_page_shows_aims_that_are_met_and_not_met():
    cells = [
        *(cell("all", "all", list(range(60)), [0.5, 0.5, 0.5]),),
        *(cell("rfecv", "RFECV", [0], [0.5, 0.4, 0.5], seconds=4.0),),
        *(cell("sieve", "sieve", [seed], [0.5, 0.5, 0.6], seed=seed) for seed in (0, 1, 2)),
    ]
    large = {"documents": 9, "queries": 3, "features": 2, "training": 2.0, "sieve": 30.0}
    content = {
        "made with": {"ranksieve": "0"},
        "cells": cells,
        "large": {**large, "selected": 1, "claim": "none"},
    }
    lines = page(content)
    aims = {row[0].split(",")[0]: row[1:] for row in rows_under(lines, "## Aims")}
    assert aims["fewer CPU seconds than RFECV on every data set"] == ["generated 1 : 4", "yes"]
    assert aims["on the large data at most 10 trainings with all features"] == [
        "15.0 trainings",
        "**no**",
    ]
    seeds = next(row for aim, row in aims.items() if aim.startswith("stability"))
    assert seeds[1] == "**no**"
    shown = {row[0]: row[1:] for row in rows_under(lines, "## generated")}
    assert shown["RFECV"][:2] == ["1", "-6.7 %"]  # -0.1 / 1.5


def test_a_page_without_figures_says_that_nothing_was_measured():
    text = "\n".join(page({"made with": {}, "cells": [], "large": None}))
    assert "not measured" in text
    assert all(f"## {name}" not in text for name in NAMES)

"""The selectors of the published comparison on one fold of real data, with fixed parameters."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from benchmarks.published_filters import BALANCES, READINGS, subsets
from ranksieve import FSSCPR, GAS, MAP, RankSVM, catalog
from ranksieve.data import letor_folds
from ranksieve.selectors.base import constant_features


@pytest.fixture(scope="module", params=["OHSUMED", "MQ2008"])
def fold(request, real_data):
    return letor_folds(real_data / request.param)[0]


@pytest.fixture(scope="module", params=[GAS, FSSCPR], ids=lambda selector: selector.__name__)
def selector(request, fold):
    return request.param(10).fit(fold.train)


def letor_map(fold, features):
    features = np.sort(features)
    model = RankSVM(C=1e-3).fit(fold.train.features(features))
    test = fold.test.features(features)
    return MAP(convention="letor")(test.y, model.predict(test), qid=test.qid)


def test_ten_features_rank_nearly_as_all_do_and_better_than_the_ten_put_last(fold, selector):
    varying = selector.order_[: int((~constant_features(fold.train)).sum())]
    chosen = letor_map(fold, varying[:10])
    assert chosen > letor_map(fold, np.arange(fold.train.n_features)) - 0.02
    assert chosen > letor_map(fold, varying[-10:]) + 0.01


def test_near_copies_among_real_features_share_a_cluster(fold):
    chosen = FSSCPR(10).fit(fold.train)
    first, second = np.nonzero(np.triu(chosen.similarity_ > 0.93, 1))
    assert len(first) >= 5
    assert (chosen.labels_[first] == chosen.labels_[second]).all()
    assert len(set(chosen.labels_[chosen.order_[:10]])) == 10


def test_what_the_benchmark_computes_once_a_fold_is_what_the_selectors_compute(fold):
    for k, (_, features) in enumerate(islice(subsets("FS-SCPR", fold.train), 5), start=1):
        selector = catalog.parse(READINGS["FS-SCPR"], "selectors").set_params(
            n_features_to_select=k
        )
        np.testing.assert_array_equal(features, selector.fit(fold.train).order_[:k])
    gas = catalog.parse(READINGS["GAS-E"], "selectors")
    orders = [gas.set_params(balance=balance).fit(fold.train).order_ for balance in BALANCES]
    found = islice(subsets("GAS-E", fold.train), 12 * len(BALANCES))
    for place, (setting, features) in enumerate(found):
        k, balance = place // len(BALANCES) + 1, BALANCES[place % len(BALANCES)]
        assert setting == f"balance {balance:g}"
        np.testing.assert_array_equal(features, orders[place % len(BALANCES)][:k])

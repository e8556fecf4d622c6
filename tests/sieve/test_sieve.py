"""Sieve: what it finds, what it says, and what decides nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import NDCG, RankSVM, make_ranking
from ranksieve.errors import DataError, ParameterError
from ranksieve.sieve import Sieve
from ranksieve.sieve.certify import Frozen, certify
from ranksieve.sieve.margin import Margin
from tests.sieve.test_contract import Blind
from tests.sieve.test_search import permuted

RANKER = "RankSVM(C=0.01)"

# For laws that a search of few trainings shows as well.
FEW_TRAININGS = {"cv": 3, "repeats": 1}


def planted(n_queries=80, seed=0):
    return make_ranking(
        n_queries, 8, n_relevant=3, n_redundant=0, n_irrelevant=5, random_state=seed
    )


@pytest.mark.parametrize("seed", range(2))
def test_planted_features_are_found_and_the_others_go(seed):
    data, truth = planted(seed=seed)
    sieve = Sieve(RANKER, margin=0.03).fit(data)
    assert set(sieve.get_support(indices=True)) == set(truth.relevant)
    assert set(sieve.order_[:3]) == set(truth.relevant)
    assert sieve.transform(data).n_features == 3


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_columns_rows_and_queries_decides_nothing(seed):
    data, _ = planted(40, seed)
    other, columns = permuted(data, np.random.default_rng(seed))
    first, second = (Sieve(RANKER, cv=3, repeats=2).fit(each) for each in (data, other))
    np.testing.assert_array_equal(first.order_, columns[second.order_])
    assert first.result_.chosen.change == second.result_.chosen.change
    assert [step.mean for step in first.result_.ladder] == [
        step.mean for step in second.result_.ladder
    ]


def test_the_result_is_plain_values():
    data, _ = planted(40)
    result = Sieve(RANKER, **FEW_TRAININGS).fit(data).result_
    again = json.loads(json.dumps(result.as_dict()))
    assert again["ladder"][0]["change"]["mean"] == 0.0
    assert len(again["features"]) == 8
    assert {feature["name"] for feature in again["features"] if feature["kept"]} == set(
        result.chosen.features
    )


def test_a_claim_says_what_it_rests_on():
    data, _ = planted(120)
    result = Sieve(RANKER, margin=0.2, **FEW_TRAININGS).fit(data).result_
    assert result.claim == "supported"
    assert "a loss of more than 20 % is ruled out" in result.sentences()[1]


def test_without_a_claim_the_margin_that_could_be_proven_is_said():
    data, _ = planted(40)
    result = (
        Sieve(RANKER, margin="0.0001 ndcg", measure="ndcg@3", budget=2.0, **FEW_TRAININGS)
        .fit(data)
        .result_
    )
    assert result.claim == "none"
    assert result.blocking.change.provable > 0.0001
    assert result.queries_needed > 40
    assert f"needs about {result.queries_needed:,} queries" in result.sentences()[1]


def test_queries_that_certify_take_no_part_in_the_search():
    data, _ = planted(150)
    ids = set(data.query_ids.tolist())
    sieve = Sieve(RANKER, margin=0.1, certify=0.4, **FEW_TRAININGS).fit(data)
    certificate = sieve.result_.certificate
    assert certificate.n_queries <= 60
    searched = sieve.result_.chosen.change.n_queries
    assert searched + certificate.n_queries <= len(ids)
    assert sieve.result_.claim == "certified"
    assert certificate.test_of(sieve.result_.choice).wealth >= 1 / sieve.level


class Scores:
    """A model that is as good as it is told to be."""

    def __init__(self, noise, seed):
        self._noise, self._seed = noise, seed

    def predict(self, data):
        return data.y + self._noise * np.random.default_rng(self._seed).normal(size=len(data))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("noise", "proven"), [(0.3, True), (3.0, False)])
def test_only_a_set_that_is_good_enough_is_certified(noise, proven, seed):
    data, _ = planted(400, seed)
    (test,) = certify(
        [Frozen(3, 4, Scores(noise, seed), deviation=0.1)],
        Scores(0.3, seed + 100),
        data,
        NDCG(10, ties="average"),
        margin=Margin(0.05),
        level=0.05,
        random_state=0,
    )
    assert test.proven == proven
    assert (test.change.mean < -0.05) != proven


def test_a_budget_takes_the_best_set_within_it():
    data, truth = planted()
    prices = np.ones(8)
    prices[truth.relevant[0]] = 100.0
    sieve = Sieve(RANKER, costs=prices, budget=50.0, **FEW_TRAININGS).fit(data)
    assert not sieve.get_support()[truth.relevant[0]]
    assert sieve.result_.chosen.price <= 50.0
    within = [step for step in sieve.result_.ladder if step.price <= 50.0]
    assert sieve.result_.chosen.mean == max(step.mean for step in within)


def test_a_budget_below_the_cheapest_feature_is_refused():
    data, _ = planted()
    with pytest.raises(
        ParameterError, match="below the cheapest set: no feature costs less than 7"
    ):
        # Blind would be refused by the search.
        Sieve(Blind(), costs=[10.0] * 7 + [7.0], budget=5.0).fit(data)


def test_too_few_queries_are_counted():
    data, _ = planted(15)
    with pytest.raises(DataError, match=r"15 of 15 queries .* at least 20"):
        Sieve(RANKER).fit(data)


def test_one_grade_and_constant_features_are_named():
    data, _ = planted(30)
    with pytest.raises(DataError, match="0 of 30 queries"):
        Sieve(RANKER).fit(np.asarray(data.X), np.ones(data.n_documents), qid=data.qid)
    with pytest.raises(DataError, match="all 2 features are constant"):
        Sieve(RANKER).fit(np.ones((data.n_documents, 2)), data.y, qid=data.qid)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"level": 0.7}, "level must be between"),
        ({"cv": 1}, "cv"),
        ({"ranker": "GAS"}, "GAS selects features and does not rank"),
        ({"ranker": 3}, "ranker must be a ranker"),
        ({"certify": 2}, "certify must be a share"),
        ({"margin": "much"}, "margin must be between"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    data, _ = planted(30)
    with pytest.raises(ParameterError, match=message):
        Sieve(**{"ranker": RANKER, **parameters}).fit(data)


def test_constant_features_come_last():
    data, _ = planted(30)
    X = np.column_stack([np.full(data.n_documents, 2.0), data.X])
    sieve = Sieve(RANKER, **FEW_TRAININGS).fit(X, data.y, qid=data.qid)
    assert sieve.order_[-1] == 0
    assert sorted(sieve.order_) == list(range(9))


def test_it_is_cloned_and_spelled_as_the_others():
    sieve = Sieve(RankSVM(C=0.1), margin="0.005 ndcg", cv=4)
    assert repr(clone(sieve)) == "Sieve(cv=4, margin='0.005 ndcg', ranker=RankSVM(C=0.1))"


def test_lightgbm_is_the_default_where_it_is_installed():
    pytest.importorskip("lightgbm")
    data, truth = planted(60)
    sieve = Sieve(margin=0.05, **FEW_TRAININGS).fit(data)
    assert sieve.result_.ranker.startswith("LightGBMRanker(")
    assert set(truth.relevant) <= set(sieve.order_[:4])

"""Evidence for features and queries: retraining, resamples, twins, and what queries lose."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ranksieve import NDCG, RankSVM, load, make_ranking
from ranksieve.data.canonical import in_own_order
from ranksieve.measures import counting_queries
from ranksieve.sieve import Sieve
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.evidence.queries import query_changes
from ranksieve.sieve.evidence.resamples import resample_shares
from ranksieve.sieve.evidence.retraining import without_each
from ranksieve.sieve.evidence.twins import twins
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.search.search import Question, search

MEASURE = NDCG(10, ties="average")


@cache
def searched(seed=0, n_queries=60, n_searched=None, n_folds=4):
    data, truth = make_ranking(
        n_queries, 8, n_relevant=3, n_redundant=0, n_irrelevant=4, random_state=seed
    )
    own, columns = in_own_order(data)
    question = Question(
        own,
        counting_queries(own, MEASURE),
        RankSVM(C=0.01),
        MEASURE,
        Margin(0.02),
        0.05,
        Costs.alike(own.n_features),
        n_folds,
        2,
        seed,
        n_searched,
    )
    relevant = {int(np.flatnonzero(columns == feature)[0]) for feature in truth.relevant}
    return search(question, lambda judge: judge), relevant


@pytest.mark.parametrize("seed", range(2))
def test_retraining_without_a_feature_is_what_a_slow_loop_measures(seed):
    found, _ = searched(seed)
    choice = next(at for at, rung in enumerate(found.rungs) if rung.n_features == 3)
    without = without_each(found, choice)
    rung, data = found.rungs[choice], found.question.data
    for feature, change in without.items():
        differences = []
        for fold in range(4):
            columns = np.flatnonzero(rung.fold_selected[fold])
            if feature not in columns:
                continue
            inside = ~found.folds.members(fold)
            aside = data.queries(~inside)
            counting = found.counting[~inside]
            values = []
            for kept in (columns[columns != feature], columns):
                model = RankSVM(C=0.01).fit(data.queries(inside).features(kept))
                scores = model.predict(aside.features(kept))
                values.append(MEASURE.values(aside.y, scores, aside.query_ptr)[counting])
            differences.append(values[0] - values[1])
        joined = np.concatenate(differences)
        assert change.mean == pytest.approx(joined.mean(), abs=1e-9)
        assert change.n_queries == len(joined)


def test_what_is_planted_is_missed_and_chosen_by_every_resample():
    found, relevant = searched(n_queries=120)
    choice = next(at for at, rung in enumerate(found.rungs) if rung.n_features == 3)
    without = without_each(found, choice)
    shares = resample_shares(found, choice)
    assert set(np.flatnonzero(found.rungs[choice].selected)) == relevant
    assert all(without[feature].high < 0 for feature in relevant)
    assert shares.sum() == pytest.approx(3.0)
    assert min(shares[list(relevant)]) > 0.9


def test_a_set_of_one_feature_without_it_ranks_at_random():
    found, _ = searched(0)
    last = len(found.rungs) - 1
    (change,) = without_each(found, last).values()
    data, rung = found.question.data, found.rungs[last]
    flat = MEASURE.values(data.y, np.zeros(data.n_documents), data.query_ptr)
    (feature,) = np.flatnonzero(rung.selected)
    folds = np.flatnonzero(rung.fold_selected[: found.folds.per_repeat, feature])
    judged = np.isin(found.folds.of_query[0], folds) & found.counting
    lost = (flat - rung.repeat_values[0])[judged].mean()
    assert change.mean == pytest.approx(lost, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_resampling_nothing_gives_the_ladder_itself(seed, monkeypatch):
    """With every query drawn once, each rung is what the search found."""
    found, _ = searched(seed)
    monkeypatch.setattr(
        np.random,
        "default_rng",
        lambda _: type("Once", (), {"multinomial": lambda self, n, p, size: np.ones((size, n))})(),
    )
    for choice, rung in enumerate(found.rungs):
        np.testing.assert_array_equal(resample_shares(found, choice), rung.selected)


def test_copies_and_mirror_images_are_twins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    X = np.column_stack([x, x[:, 0] ** 3, -x[:, 1], np.ones(80)])
    data = load((X, rng.integers(0, 2, 80), np.repeat(np.arange(8), 10)))
    assert twins(data, 0) == [
        [(3, pytest.approx(1.0))],
        [(4, pytest.approx(-1.0))],
        [],
        [(0, pytest.approx(1.0))],
        [(1, pytest.approx(-1.0))],
        [],
    ]


def test_twins_of_large_data_are_those_of_a_sample():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30_000, 2))
    X = np.column_stack([x, x[:, 0]])
    data = load((X, rng.integers(0, 2, 30_000), np.repeat(np.arange(300), 100)))
    assert [[other for other, _ in near] for near in twins(data, 0)] == [[2], [], [0]]


def test_queries_come_with_what_they_lose_worst_first():
    found, _ = searched(0)
    choice = len(found.rungs) - 2
    changes = query_changes(found, choice)
    data = found.question.data
    assert len(changes) == found.counting.sum()
    assert [change.change for change in changes] == sorted(change.change for change in changes)
    by_id = {str(name): at for at, name in enumerate(data.query_ids)}
    for change in changes:
        position = by_id[change.query]
        assert change.chosen == found.rungs[choice].values[position]
        assert change.everything == found.rungs[0].values[position]
        assert change.n_documents == np.diff(data.query_ptr)[position]


def test_a_result_has_all_of_it():
    data, _ = make_ranking(60, 8, n_relevant=3, n_redundant=2, n_irrelevant=3)
    result = Sieve("RankSVM(C=0.01)", margin=0.03).fit(data).result_
    for feature in result.features:
        assert (feature.without is not None) == feature.kept
        assert 0.0 <= feature.resample_share <= 1.0
        assert all(twin.name != feature.name for twin in feature.twins)
    change = np.mean([query.change for query in result.queries])
    assert change == pytest.approx(result.chosen.change.mean)
    assert result.making.n_trainings >= 5 * len(result.ladder)


def test_the_frontier_has_no_set_that_a_cheaper_one_beats():
    data, _ = make_ranking(60, 8, n_relevant=3, n_redundant=2, n_irrelevant=5)
    prices = np.random.default_rng(0).uniform(1, 20, size=10)
    result = Sieve("RankSVM(C=0.01)", costs=prices).fit(data).result_
    steps = [result.ladder[position] for position in result.frontier]
    assert [step.price for step in steps] == sorted((s.price for s in steps), reverse=True)
    for other in result.ladder:
        if other not in steps:
            assert any(s.price <= other.price and s.mean >= other.mean for s in steps)

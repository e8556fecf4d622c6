"""Best-first search: against plain scans, all subsets, and laws of what it makes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ranksieve import BestFirst, CoordinateAscent, RankSVM, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import counting_queries, parse_measure
from ranksieve.selectors.wrappers._bestfirst_nodes import Nodes, best_subset
from tests.reference.bestfirst import search


class Table(Nodes):
    """Nodes whose values are drawn once."""

    def __init__(self, seed, n_features):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.columns = np.arange(n_features)
        sets = [s for k in range(n_features) for s in combinations(range(n_features), k + 1)]
        # Few different values, so that ties are common; larger sets tend to be better.
        self.table = {s: round(rng.random() + 0.1 * len(s), 1) for s in sets}
        for feature in range(n_features):
            self.values[feature,] = self.table[feature,]

    def visit(self, steps):
        for node, _ in steps:
            self.values[node] = self.table[node]

    def leave(self, node):
        pass

    def model(self, node):
        return None, self.table[node]


def some(seed, n_irrelevant=4, n_queries=40):
    return make_ranking(
        n_queries, 12, n_relevant=2, n_redundant=1, n_irrelevant=n_irrelevant, random_state=seed
    )


@pytest.mark.parametrize("patience", [1, 2, 5])
@pytest.mark.parametrize("max_size", [None, 2])
@pytest.mark.parametrize("seed", range(8))
def test_the_search_is_that_of_plain_scans(seed, patience, max_size):
    nodes = Table(seed, 6)
    left = {0, 1, 2, 4, 5} if seed % 2 else set(range(6))
    expected = search(nodes.table.__getitem__, left, patience, 0.05, max_size)
    assert best_subset(nodes, left, patience, 0.05, max_size) == expected


@pytest.mark.parametrize("seed", range(6))
def test_with_endless_patience_it_finds_the_best_of_all_subsets(seed):
    nodes = Table(seed, 5)
    best = best_subset(nodes, set(range(5)), 10_000, 0.0, None)
    assert len(nodes.values) == 2**5 - 1
    assert nodes.table[best] == max(nodes.table.values())


@pytest.mark.parametrize("ranker", [None, "RankSVM(C=0.1)"])
@pytest.mark.parametrize("seed", range(3))
def test_subsets_part_the_features_and_the_first_is_no_worse_than_any_feature(seed, ranker):
    data, truth = some(seed)
    best = BestFirst(ranker=ranker).fit(data)
    parted = np.concatenate(best.subsets_)
    assert sorted(parted.tolist()) == list(range(data.n_features))
    assert best.values_[0] >= best.alone_.max()
    first = best.order_[: len(best.subsets_[0])]
    assert set(first) == set(best.subsets_[0].tolist())
    assert best.n_features_ == len(first)
    for subset, value in zip(best.subsets_, best.values_, strict=True):
        assert (best.scores_[subset] == value).all()
        assert value >= best.alone_[subset].max() - 1e-3
    sources = {truth.copies_of.get(f, f) for f in best.subsets_[0].tolist()}
    assert set(truth.relevant.tolist()) <= sources


@pytest.mark.parametrize("ranker", [None, "RankSVM(C=0.1)"])
def test_values_are_the_measure_of_the_models(ranker):
    data, _ = some(1)
    best = BestFirst(ranker=ranker, measure="map").fit(data)
    measure = parse_measure("map").with_ties("average")
    counting = counting_queries(data, measure)
    columns = best.combine(data)
    assert columns.feature_names == tuple(f"subset_{k + 1}" for k in range(len(best.models_)))
    for index, value in enumerate(best.values_):
        values = measure.values(data.y, columns.column(index), data.query_ptr)[counting]
        assert values.mean() == pytest.approx(value, abs=1e-6)


def test_new_features_are_the_scores_of_the_subsets_rankers():
    data, _ = some(2)
    best = BestFirst().fit(data)
    combined = best.combine(data)
    for index, (model, subset) in enumerate(zip(best.models_, best.subsets_, strict=True)):
        expected = data.X[:, subset].astype(np.float64) @ model.coef_
        np.testing.assert_allclose(combined.X[:, index], expected, rtol=1e-9)
    np.testing.assert_allclose(best.combine(data.X), combined.X, rtol=1e-12)
    np.testing.assert_array_equal(combined.y, data.y)
    # A ranker of the few new features ranks as well as one of all features.
    few, every = (RankSVM(C=0.1).fit(part).score(part) for part in (combined, data))
    assert few > every - 0.05


def test_a_value_in_parts_is_close_to_that_of_whole_trainings():
    data, _ = some(3)
    in_parts = BestFirst(n_subsets=1).fit(data)
    wholly = BestFirst(ranker=CoordinateAscent(n_restarts=1), n_subsets=1).fit(data)
    assert in_parts.values_[0] == pytest.approx(wholly.values_[0], abs=0.02)


def test_limits_of_size_and_number_are_kept():
    data, _ = some(4)
    best = BestFirst(max_size=1, n_subsets=3).fit(data)
    assert [len(subset) for subset in best.subsets_] == [1, 1, 1]
    np.testing.assert_array_equal(best.order_, np.argsort(-best.alone_, kind="stable"))
    assert best.n_features_ == 1
    assert best.combine(data).n_features == 3


def test_a_higher_bar_gives_smaller_subsets():
    data, _ = some(5)
    easy, hard = (BestFirst(tol=tol, n_subsets=1).fit(data) for tol in (1e-3, 0.3))
    assert len(hard.subsets_[0]) == 1 <= len(easy.subsets_[0])


@pytest.mark.parametrize("seed", range(2))
def test_units_and_directions_of_features_do_not_matter(seed):
    data, _ = some(seed)
    factors = np.array([4.0, -1.0, 0.5, -8.0, 1.0, 2.0, -0.25])
    straight = BestFirst().fit(data)
    moved = BestFirst().fit(data.X * factors, data.y, qid=data.qid)
    assert [set(s.tolist()) for s in moved.subsets_] == [set(s.tolist()) for s in straight.subsets_]
    np.testing.assert_allclose(moved.alone_, straight.alone_, rtol=1e-9)


def test_features_of_the_query_and_constant_ones_are_in_no_subset():
    data, _ = some(0)
    X = np.column_stack([np.ones(data.n_documents), data.qid, data.X])
    best = BestFirst().fit(X, data.y, qid=data.qid)
    assert set(best.order_[-2:].tolist()) == {0, 1}
    assert not {0, 1} & set(np.concatenate(best.subsets_).tolist())
    assert best.alone_[:2].tolist() == [0.0, 0.0]


def test_without_a_query_to_rank_there_is_no_subset():
    data, _ = some(0)
    best = BestFirst().fit(data.X, np.ones(data.n_documents), qid=data.qid)
    assert best.subsets_ == []
    assert best.order_.tolist() == list(range(data.n_features))
    with pytest.raises(DataError, match="no subset"):
        best.combine(data)


def test_names_may_be_other_ones_where_the_fit_had_none():
    data, _ = some(1)
    best = BestFirst(n_subsets=2).fit(data.X, data.y, qid=data.qid)
    named = from_arrays(data.X, data.y, data.qid, feature_names=[*"abcdefg"])
    np.testing.assert_array_equal(best.combine(named).X, best.combine(data.X))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"patience": 0}, "patience"),
        ({"tol": -1.0}, "tol"),
        ({"max_size": 0}, "max_size"),
        ({"n_subsets": 1.5}, "n_subsets"),
        ({"ranker": "GAS"}, "GAS is a selector"),
        ({"measure": "ndgc"}, "did you mean"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        BestFirst(**wrong).fit(some(0)[0])

"""GAS with redundancy of sets: what two or three features explain of another together."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ranksieve import GAS, make_ranking
from ranksieve.catalog import parse
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.experiment.run.shared import with_computed
from ranksieve.kernels.similarity.ranks import write_unit_ranks
from ranksieve.selectors.filters._gas.search import greedy_order
from ranksieve.selectors.filters._gas.sets import (
    SetProblem,
    State,
    beyond_three,
    beyond_two,
    correlations,
    greedy_sets,
)
from ranksieve.similarity import SpearmanSimilarity


def explained(columns, i, remaining):
    """R^2 of column i on remaining, by least squares through the origin."""
    A, target = columns[:, list(remaining)], columns[:, i]
    weights = np.linalg.lstsq(A, target, rcond=None)[0]
    return 1 - ((target - A @ weights) ** 2).sum() / (target**2).sum()


def slow_value(chosen, columns, importance, balance, n_explaining):
    """The objective of a set, with each R^2 from least squares on the columns themselves."""
    charge = 0.0
    for i in chosen:
        remaining = [j for j in chosen if j != i]
        alone = {j: explained(columns, i, [j]) for j in remaining}
        charge += sum(alone.values())
        sets = [A for size in range(2, n_explaining + 1) for A in combinations(remaining, size)]
        beyond = [explained(columns, i, A) - sum(alone[a] for a in A) for A in sets]
        charge += max([0.0, *beyond])
    return sum(importance[i] for i in chosen) - balance * charge


def columns_of(seed, n_features=7):
    """Columns of which some are weighted sums of remaining, with and without noise."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(40, n_features))
    columns[:, 3] = columns[:, 0] - columns[:, 1] + 0.2 * columns[:, 3]
    columns[:, 4] = columns[:, 0] + 0.3 * columns[:, 4]
    columns[:, 5] = columns[:, 0] + columns[:, 1] + columns[:, 2] + 0.1 * columns[:, 5]
    return columns, rng.random(n_features)


def problem_of(columns, importance, balance, n_explaining):
    return SetProblem(importance, correlations(columns.T @ columns), balance, n_explaining)


@pytest.mark.parametrize("n_explaining", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_is_that_of_least_squares_for_every_order_of_adding(seed, n_explaining):
    columns, importance = columns_of(seed)
    problem = problem_of(columns, importance, 0.3, n_explaining)
    rng = np.random.default_rng(seed)
    for size in range(1, 7):
        chosen = rng.permutation(7)[:size]
        expected = slow_value(chosen.tolist(), columns, importance, 0.3, n_explaining)
        assert problem.value(chosen) == pytest.approx(expected, abs=1e-9)
        assert problem.value(chosen[::-1]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_explaining", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_gains_are_what_each_feature_would_add(seed, n_explaining):
    columns, importance = columns_of(seed)
    problem = problem_of(columns, importance, 0.3, n_explaining)
    chosen = np.array([5, 0, 3])
    state = State.of(problem, chosen)
    for feature in (1, 2, 4, 6):
        value = slow_value([*chosen, feature], columns, importance, 0.3, n_explaining)
        assert state.value + state.gains()[feature] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_with_one_explaining_feature_it_is_the_greedy_order_of_squared_correlations(seed):
    columns, importance = columns_of(seed)
    problem = problem_of(columns, importance, 0.4, 1)
    order, gains = greedy_sets(problem, np.zeros(7, dtype=int))
    expected, weights = greedy_order(importance, problem.correlation**2, balance=0.4)
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_allclose(gains, weights, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_more_explaining_features_never_charge_less(seed):
    columns, importance = columns_of(seed)
    values = [
        [problem_of(columns, importance, 0.3, n).value(np.array(chosen)) for n in (1, 2, 3)]
        for chosen in combinations(range(7), 4)
    ]
    assert (np.diff(values, axis=1) <= 1e-12).all()


def test_shares_of_a_whole_explain_each_other_together_and_one_by_one_hardly():
    # a + b + c = 0 with equal lengths: correlations -1/2, R^2 = (1/4 + 1/4 + 1/4) / (3/4) = 1.
    half = np.array(-0.5)
    assert beyond_two(half, half, half) == pytest.approx(1 - 2 * 0.25)
    # Four of them: -1/3. By two: (1/9 + 1/9 + 2/27) / (8/9) = 1/3, by three all.
    third = np.array(-1 / 3)
    assert beyond_two(third, third, third) == pytest.approx(1 / 3 - 2 / 9)
    assert beyond_three(*[third] * 6) == pytest.approx(1 - 3 / 9)


def test_pairs_see_nothing_of_a_difference_and_triples_all_of_it():
    # body, and document = body + title / 10: the title is ten times their difference.
    rng = np.random.default_rng(0)
    body, title = np.linalg.qr(rng.normal(size=(50, 2)))[0].T
    columns = np.column_stack([body, body + 0.1 * title, title])
    r = correlations(columns.T @ columns)
    np.testing.assert_allclose(r[2] ** 2, [0.0, 0.01 / 1.01, 1.0], atol=1e-12)
    assert beyond_two(r[2, 0], r[2, 1], r[0, 1]) == pytest.approx(1 - 0.01 / 1.01)


def test_copies_explain_no_more_together_than_alone():
    one = np.array(1.0)
    assert beyond_two(np.array(0.6), np.array(0.6), one) == 0.0
    assert beyond_three(*[np.array(0.6)] * 3, one, one, one) == 0.0


def shares(seed, n_parts, n_queries=150, n_documents=20):
    """Shares of a whole, the first of which is good; and a weaker feature that is new."""
    rng = np.random.default_rng(seed)
    n = n_queries * n_documents
    parts = rng.exponential(size=(n, n_parts))
    parts /= parts.sum(axis=1, keepdims=True)
    new = rng.random(n)
    raw = 4.5 * parts[:, 0] + 0.9 * new + 0.3 * rng.normal(size=n)
    y = np.digitize(raw, np.quantile(raw, [0.5, 0.75, 0.9]))
    return from_arrays(
        np.column_stack([parts, new]), y, np.repeat(np.arange(n_queries), n_documents)
    )


@pytest.mark.parametrize("solver", ["greedy", "swap"])
@pytest.mark.parametrize("seed", range(3))
def test_triples_leave_out_the_third_share_that_pairs_keep(seed, solver):
    data = shares(seed, 3)

    def chosen(**options):
        gas = GAS(3, importance="ndcg@10", similarity="spearman", solver=solver, **options)
        return set(gas.fit(data).order_[:3].tolist())

    assert chosen() == chosen(explained_by=1) == {0, 1, 2}
    assert 3 in chosen(explained_by=2)
    assert 0 in chosen(explained_by=2)


def test_quadruples_leave_out_the_fourth_share_that_triples_keep():
    data = shares(0, 4)
    options = {"importance": "ndcg@10", "similarity": "spearman", "balance": 0.03}
    for n_explaining in (1, 2):
        gas = GAS(4, explained_by=n_explaining, **options).fit(data)
        assert set(gas.order_[:4].tolist()) == {0, 1, 2, 3}
    assert 4 in GAS(4, explained_by=3, **options).fit(data).order_[:4]


@pytest.mark.parametrize("n_explaining", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_on_data_the_objective_is_that_of_the_ranks_within_queries(seed, n_explaining):
    data, _ = make_ranking(12, 8, n_relevant=3, n_redundant=3, n_irrelevant=2, random_state=seed)
    ranks = np.empty((data.n_documents, data.n_features), order="F")
    write_unit_ranks(np.asfortranarray(data.X), data.query_ptr, ranks)
    gas = GAS(4, similarity="spearman", explained_by=n_explaining, balance=0.2).fit(data)
    chosen = gas.order_[:4].tolist()
    expected = slow_value(chosen, ranks, gas.importance_, 0.2, n_explaining)
    assert gas.objective_ == pytest.approx(expected, abs=1e-9)
    assert gas.scores_[chosen].sum() == pytest.approx(gas.objective_)


@pytest.mark.parametrize("n_explaining", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_swap_is_at_least_greedy_and_here_the_best_of_all_sets(seed, n_explaining):
    data, _ = make_ranking(30, 8, n_relevant=4, n_redundant=4, n_irrelevant=0, random_state=seed)
    options = {"similarity": "spearman", "explained_by": n_explaining, "balance": 0.3}
    swap = GAS(4, solver="swap", unproven="published", **options).fit(data)
    greedy = GAS(4, unproven="published", **options).fit(data)
    problem = SetProblem(
        swap.importance_, correlations(SpearmanSimilarity().matrix(data)), 0.3, n_explaining
    )
    best = max(problem.value(np.array(chosen)) for chosen in combinations(range(8), 4))
    assert swap.objective_ == pytest.approx(best)
    assert swap.greedy_objective_ == pytest.approx(greedy.objective_)
    assert swap.greedy_shortfall_ >= 0.0
    assert swap.scores_[swap.order_[:4]].sum() == pytest.approx(swap.objective_)
    assert swap.converged_
    assert np.isnan(swap.bound_)


@pytest.mark.parametrize("solver", ["greedy", "swap"])
def test_unproven_and_constant_features_come_last_here_too(solver):
    data, truth = make_ranking(
        60, n_relevant=3, n_redundant=2, n_irrelevant=4, n_constant=2, random_state=0
    )
    for number in (2, 5, 8, 11):
        gas = GAS(number, similarity="spearman", explained_by=2, solver=solver).fit(data)
        n_better = int(gas.better_than_random_.sum())
        assert gas.better_than_random_[gas.order_[:n_better]].all()
        assert sorted(gas.order_[-2:].tolist()) == truth.constant.tolist()
        assert (gas.scores_[truth.constant] == -np.inf).all()


@pytest.mark.parametrize("similarity", ["spearman", "tau-b"])
def test_mirror_images_explain_as_much(similarity):
    data, _ = make_ranking(40, random_state=3)
    signs = np.where(np.arange(data.n_features) % 2, -1.0, 1.0)
    turned = from_arrays(data.X * signs, data.y, data.qid)
    options = {"similarity": similarity, "explained_by": 2, "balance": 0.3}
    np.testing.assert_array_equal(
        GAS(5, **options).fit(turned).order_, GAS(5, **options).fit(data).order_
    )


@pytest.mark.parametrize("n_explaining", [1, 2, 3])
def test_columns_may_stand_in_any_order_and_sets_are_nested(n_explaining):
    data, _ = make_ranking(40, random_state=4)
    columns = np.random.default_rng(0).permutation(data.n_features)
    options = {"similarity": "spearman", "explained_by": n_explaining, "balance": 0.3}
    straight = GAS(3, **options).fit(data)
    moved = GAS(3, **options).fit(from_arrays(data.X[:, columns], data.y, data.qid))
    np.testing.assert_array_equal(columns[moved.order_], straight.order_)
    np.testing.assert_array_equal(GAS(7, **options).fit(data).order_, straight.order_)


@pytest.mark.parametrize("solver", ["greedy", "swap", "exact"])
def test_one_explaining_feature_serves_every_solver(solver):
    data, _ = make_ranking(40, random_state=5)
    gas = GAS(4, similarity="spearman", explained_by=1, solver=solver, balance=0.3).fit(data)
    squares = correlations(gas.similarity_)[np.ix_(gas.order_[:4], gas.order_[:4])] ** 2
    charge = squares.sum() - np.trace(squares)
    value = gas.importance_[gas.order_[:4]].sum() - 0.3 * charge
    assert gas.objective_ == pytest.approx(value)
    front = GAS(4, similarity="spearman", explained_by=1, trade_off="pareto", solver="swap")
    assert front.fit(data).front_.similarity.min() >= 0.0


def test_numbers_that_a_study_has_computed_serve_as_well():
    data, _ = make_ranking(40, random_state=6)
    text = 'GAS(4, similarity="spearman", explained_by=2, balance=0.3)'
    alone = parse(text, "selectors").fit(data)
    shared = with_computed(parse(text, "selectors"), lambda part: part.numbers(data), data)
    np.testing.assert_array_equal(shared.fit(data).order_, alone.order_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"explained_by": 4}, "explained_by must be None, 1, 2 or 3, but is 4"),
        ({"explained_by": True}, "explained_by must be None"),
        ({"explained_by": 1.5}, "explained_by must be None"),
        ({"explained_by": 2, "similarity": "kendall"}, "needs correlations with a sign"),
        ({"explained_by": 1, "similarity": "pooled-spearman"}, "but the similarity is Pooled"),
        ({"explained_by": 2, "solver": "exact"}, "solver='exact' and trade_off='pareto' have no"),
        ({"explained_by": 3, "trade_off": "pareto"}, "charges sets of 4 features"),
    ],
)
def test_what_is_not_available_is_named(options, message):
    with pytest.raises(ParameterError, match=message):
        GAS(**{"similarity": "spearman", **options}).fit(make_ranking(5)[0])

"""The kernels of the measures, on plain arrays; also run interpreted, where coverage sees them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from ranksieve.kernels.measures.average_precision import average_precision_per_query
from ranksieve.kernels.measures.err import err_per_query
from ranksieve.kernels.measures.kendall_tau import kendall_tau_per_query
from ranksieve.kernels.measures.ndcg import ndcg_per_query
from ranksieve.kernels.measures.ndcg_few import ndcg_of_few
from ranksieve.kernels.measures.ordering import (
    AVERAGE,
    INPUT,
    LIST_LIMIT,
    WORST,
    best_rows,
    longest_query,
    sort_rows,
)
from ranksieve.kernels.measures.precision import precision_per_query
from ranksieve.kernels.measures.reciprocal_rank import reciprocal_rank_per_query
from tests.kernels.entries import with_entry

best_rows = with_entry(best_rows)
longest_query = with_entry(longest_query)
sort_rows = with_entry(sort_rows)

ALL = np.iinfo(np.int64).max
DISCOUNTS = 1.0 / np.log2(np.arange(2.0, 300.0))


def tied_scores(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, n).astype(float), rng.integers(0, n // 3 + 1, n).astype(float)


def expected_order(y, scores, tie_sign: int) -> list[int]:
    return sorted(range(len(y)), key=lambda row: (-scores[row], tie_sign * y[row]))


def on_one_query(kernel, y, scores, *parameters) -> float:
    out = np.empty(1)
    kernel(np.array(y, float), np.array(scores, float), np.array([0, len(y)]), out, *parameters)
    return float(out[0])


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 31, 33, 64, 100, 129])
@pytest.mark.parametrize("tie_sign", [-1, 0, 1])
def test_sorting_is_stable_and_counts_the_pairs_that_change_places(n, tie_sign):
    y, scores = tied_scores(n)
    rows = np.arange(n)
    moved = sort_rows(rows, n, scores, y, tie_sign, np.empty(n, np.int64))
    assert rows.tolist() == expected_order(y, scores, tie_sign)
    place = np.argsort(rows)
    assert moved == sum(place[a] > place[b] for a, b in combinations(range(n), 2))


def test_infinite_scores_stand_at_the_ends():
    scores = np.array([0.0, np.inf, -np.inf, np.inf, -0.0])
    rows = np.arange(5)
    sort_rows(rows, 5, scores, np.zeros(5), 0, np.empty(5, np.int64))
    assert rows.tolist() == [1, 3, 0, 4, 2]


@pytest.mark.parametrize("depth", [1, 3, 20, LIST_LIMIT, LIST_LIMIT + 1, 90])
@pytest.mark.parametrize("ties", [INPUT, AVERAGE, WORST])
def test_the_best_rows_begin_the_whole_order(depth, ties):
    y, scores = tied_scores(90, seed=depth)
    rows, start = np.empty(90, np.int64), 7
    count = best_rows(
        np.append(np.full(start, 9.0), y),
        np.append(np.full(start, 99.0), scores),
        start,
        start + 90,
        depth,
        ties,
        rows,
        np.empty(90, np.int64),
    )
    order = expected_order(y, scores, 1 if ties == WORST else 0)
    assert (rows[:depth] - start).tolist() == order[:depth]
    if ties == AVERAGE:
        assert (rows[:count] - start).tolist() == order[:count]
        assert count >= np.count_nonzero(scores >= scores[order[depth - 1]])


def test_the_longest_query_may_lie_after_the_first():
    assert longest_query(np.array([5, 7, 12, 13])) == 5
    assert longest_query(np.array([5])) == 0


def test_ndcg_in_three_rules_for_ties():
    parameters = (0.0, True, DISCOUNTS, False)
    y, scores = [0, 3, 1], [5, 5, 1]
    ideal = 7 + 1 / math.log2(3)
    average = 3.5 + 3.5 / math.log2(3) + 0.5
    assert on_one_query(ndcg_per_query, y, scores, ALL, INPUT, *parameters) == pytest.approx(
        (7 / math.log2(3) + 0.5) / ideal, rel=1e-15
    )
    assert on_one_query(ndcg_per_query, y, scores, ALL, AVERAGE, *parameters) == pytest.approx(
        average / ideal, rel=1e-15
    )
    assert on_one_query(ndcg_per_query, y[::-1], scores[::-1], 1, WORST, *parameters) == 0.0
    assert on_one_query(ndcg_per_query, y, scores, 1, AVERAGE, *parameters) == 0.5


def test_ndcg_of_linear_gain_of_short_lists_and_of_no_gain():
    assert on_one_query(
        ndcg_per_query, [1, 2], [2, 1], ALL, INPUT, 0.0, False, DISCOUNTS, False
    ) == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), rel=1e-15)
    assert on_one_query(ndcg_per_query, [1, 2], [1, 2], 3, INPUT, 0.0, True, DISCOUNTS, True) == 0
    assert on_one_query(ndcg_per_query, [1, 2], [1, 2], 2, INPUT, 0.0, True, DISCOUNTS, True) == 1
    assert on_one_query(ndcg_per_query, [0, 0], [1, 2], 2, INPUT, 0.5, True, DISCOUNTS, True) == 0.5


@pytest.mark.parametrize("ties", [INPUT, AVERAGE])
@pytest.mark.parametrize("high", [2.0, 20.0, 70.0])
def test_ndcg_of_the_ideal_order_is_one_however_high_the_grades(ties, high):
    y = np.array([high, 1.0, 1.0, 0.0])
    discounts = 1 / np.log2(np.arange(2.0, 6.0))
    assert on_one_query(ndcg_per_query, y, y, ALL, ties, 0.0, True, discounts, False) == 1.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ties", [INPUT, WORST])
@pytest.mark.parametrize("k", [1, 10, ALL])
def test_ndcg_of_few_documents_is_the_same_to_the_last_bit(seed, ties, k):
    rng = np.random.default_rng(seed)
    query_ptr = 3 + np.concatenate([[0], np.cumsum(rng.integers(0, 30, size=12))])
    y = rng.choice([0.0, 0.0, 1.0, 2.0, 4.0, 20.0, 70.0][: 3 + 2 * seed], query_ptr[-1] + 2)
    y[query_ptr[5] : query_ptr[6]] = 0.0
    scores = rng.choice([*rng.normal(size=20), 0.0, -0.0, np.inf, -np.inf], len(y))
    discounts = DISCOUNTS[: min(k, np.diff(query_ptr).max())]
    for exponential, short_scores_zero in ((True, False), (False, True)):
        few, kernel = np.empty((2, 12))
        parameters = (k, ties, 0.5, exponential, discounts, short_scores_zero)
        ndcg_of_few(y, scores, query_ptr, few, *parameters)
        ndcg_per_query(y, scores, query_ptr, kernel, *parameters)
        assert few.tolist() == kernel.tolist()


def test_ndcg_of_few_documents_may_have_none():
    out, nothing = np.empty(2), np.empty(0)
    ndcg_of_few(nothing, nothing, np.zeros(3, np.int64), out, ALL, INPUT, 0.5, True, nothing, True)
    assert out.tolist() == [0.5, 0.5]


def test_average_precision_in_three_rules_for_ties():
    y, scores = [0, 1, 1], [5, 5, 1]
    parameters = (0.0, 1.0)
    kernel = average_precision_per_query
    assert on_one_query(kernel, y, scores, ALL, INPUT, *parameters) == (1 / 2 + 2 / 3) / 2
    assert on_one_query(kernel, y, scores, ALL, AVERAGE, *parameters) == pytest.approx(
        ((1 / 2 + 2 / 3) + (1 + 2 / 3)) / 4, rel=1e-15
    )
    assert on_one_query(kernel, [1, 0, 1], scores, ALL, WORST, *parameters) == (1 / 2 + 2 / 3) / 2
    assert on_one_query(kernel, y, scores, 2, INPUT, *parameters) == (1 / 2) / 2
    assert on_one_query(kernel, [0, 0, 0], scores, 2, INPUT, 0.25, 1.0) == 0.25


def test_precision_in_three_rules_for_ties():
    y, scores = [0, 1, 1], [5, 5, 1]
    kernel = precision_per_query
    assert on_one_query(kernel, y, scores, 1, INPUT, 0.0, 1.0) == 0.0
    assert on_one_query(kernel, y, scores, 1, AVERAGE, 0.0, 1.0) == 0.5
    assert on_one_query(kernel, [1, 0, 1], scores, 1, WORST, 0.0, 1.0) == 0.0
    assert on_one_query(kernel, y, scores, 5, AVERAGE, 0.0, 1.0) == 2 / 5
    assert on_one_query(kernel, y, scores, 5, INPUT, 0.75, 2.0) == 0.75


def test_reciprocal_rank_in_three_rules_for_ties():
    y, scores = [0, 1, 0, 1], [5, 5, 5, 9]
    kernel = reciprocal_rank_per_query
    assert on_one_query(kernel, y, scores, ALL, INPUT, 0.0, 1.0) == 1.0
    y = [0, 1, 0, 0]
    assert on_one_query(kernel, y, scores, ALL, INPUT, 0.0, 1.0) == 1 / 3
    assert on_one_query(kernel, y, scores, ALL, WORST, 0.0, 1.0) == 1 / 4
    assert on_one_query(kernel, y, scores, ALL, AVERAGE, 0.0, 1.0) == pytest.approx(
        (1 / 2 + 1 / 3 + 1 / 4) / 3, rel=1e-15
    )
    assert on_one_query(kernel, y, scores, 2, INPUT, 0.0, 1.0) == 0.0
    assert on_one_query(kernel, y, scores, 2, AVERAGE, 0.0, 1.0) == pytest.approx(1 / 6, rel=1e-15)
    assert on_one_query(kernel, y, scores, 1, AVERAGE, 0.0, 1.0) == 0.0
    assert on_one_query(kernel, y, scores, 2, INPUT, 0.5, 2.0) == 0.5


def test_err_in_three_rules_for_ties():
    y, scores = [0, 2, 1], [5, 5, 1]
    input_order = (3 / 4) / 2 + (1 / 4) * (1 / 4) / 3
    other_order = 3 / 4 + (1 / 4) * (1 / 4) / 3
    assert on_one_query(err_per_query, y, scores, ALL, INPUT, 0.0, 2) == pytest.approx(input_order)
    assert on_one_query(err_per_query, y, scores, ALL, AVERAGE, 0.0, 2) == pytest.approx(
        (input_order + other_order) / 2, rel=1e-15
    )
    assert on_one_query(err_per_query, [2, 0, 1], scores, 1, WORST, 0.0, 2) == 0.0
    assert on_one_query(err_per_query, y, scores, 1, AVERAGE, 0.0, 2) == 3 / 8
    assert on_one_query(err_per_query, [0, 0, 0], scores, 1, AVERAGE, 0.5, 2) == 0.5


def test_err_of_a_long_tie_is_the_hypergeometric_mean():
    n, relevant, onward = 150, 60, 1 / 4
    y = np.where(np.arange(n) < relevant, 2.0, 0.0)
    past = [
        sum(
            math.comb(relevant, r) * math.comb(n - relevant, i - r) * onward**r
            for r in range(min(i, relevant) + 1)
        )
        / math.comb(n, i)
        for i in range(n + 1)
    ]
    expected = math.fsum((past[i - 1] - past[i]) / i for i in range(1, n + 1))
    value = on_one_query(err_per_query, y, np.zeros(n), ALL, AVERAGE, 0.0, 2)
    assert value == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("n", [2, 5, 17, 40])
def test_kendall_equals_the_count_over_pairs(n):
    y, scores = tied_scores(n, seed=n)
    y[0] = 9.5
    pairs = [(a, b) for a, b in combinations(range(n), 2) if y[a] != y[b]]
    product = [(y[a] - y[b]) * (scores[a] - scores[b]) for a, b in pairs]
    alike = sum(value > 0 for value in product)
    ties = sum(value == 0 for value in product)
    first_wins = sum(
        value == 0 and y[a] > y[b] for value, (a, b) in zip(product, pairs, strict=True)
    )
    expected = {
        INPUT: (alike + first_wins) / len(pairs),
        AVERAGE: (alike + ties / 2) / len(pairs),
        WORST: alike / len(pairs),
    }
    for rule, share in expected.items():
        value = on_one_query(kendall_tau_per_query, y, scores, rule, 0.0, False)
        assert value == pytest.approx(share, rel=1e-15)


def test_kendall_tau_b_corrects_for_ties():
    kernel = kendall_tau_per_query
    y, scores = [2, 1, 1], [3, 3, 1]
    assert on_one_query(kernel, y, scores, AVERAGE, 0.0, True) == pytest.approx(1 / 2)
    assert on_one_query(kernel, y, scores, INPUT, 0.0, True) == pytest.approx(2 / math.sqrt(6))
    assert on_one_query(kernel, y, scores, WORST, 0.0, True) == 0.0
    assert on_one_query(kernel, y, [1, 1, 1], AVERAGE, 0.5, True) == 0.0
    assert on_one_query(kernel, [1, 1, 1], scores, AVERAGE, 0.5, True) == 0.5


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [
        (ndcg_per_query, (3, AVERAGE, -1.0, True, DISCOUNTS, False)),
        (average_precision_per_query, (ALL, INPUT, -1.0, 1.0)),
        (precision_per_query, (3, WORST, -1.0, 1.0)),
        (reciprocal_rank_per_query, (ALL, AVERAGE, -1.0, 1.0)),
        (err_per_query, (ALL, AVERAGE, -1.0, 4)),
        (kendall_tau_per_query, (AVERAGE, -1.0, False)),
    ],
)
def test_rows_outside_the_offsets_are_never_read(kernel, parameters):
    y, scores = tied_scores(30, seed=2)
    query_ptr = np.array([0, 4, 4, 20, 30])
    whole, cut = np.empty(4), np.empty(2)
    kernel(y, scores, query_ptr, whole, *parameters)
    assert whole[1] == -1.0
    y[:4], scores[:4], y[20:], scores[20:] = 99.0, 99.0, 99.0, 99.0
    kernel(y, scores, query_ptr[1:4], cut, *parameters)
    np.testing.assert_array_equal(cut, whole[1:3])

"""GainRisk against explicit pairs, and the bound of NDCG that its weights come from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.errors import DataError
from ranksieve.losses import SquaredHingeLoss
from ranksieve.measures import NDCG
from ranksieve.problems import GainRisk, PairRisk
from ranksieve.testing.cases import in_blocks, random_arrays, row_ids, uneven_arrays
from tests.reference import rsrank as reference

STEEPEST = 1 - 1 / np.log2(3)


@pytest.mark.parametrize("gain", ["exponential", "linear"])
@pytest.mark.parametrize("arrays", [random_arrays, uneven_arrays])
@pytest.mark.parametrize("seed", range(3))
def test_value_and_gradient_are_those_of_explicit_pairs(arrays, gain, seed):
    X, y, query_ptr = arrays(seed)
    risk = GainRisk(in_blocks(X, y, query_ptr, [2, 5]), gain)
    rng = np.random.default_rng(seed)
    for w in (np.zeros(X.shape[1]), rng.normal(size=X.shape[1]), 5 * rng.normal(size=X.shape[1])):
        value, gradient = risk.value_and_grad(w)
        expected = reference.risk(X, y, query_ptr, w, exponential=gain == "exponential")
        assert value == pytest.approx(expected[0], rel=1e-12)
        np.testing.assert_allclose(gradient, expected[1], rtol=1e-10, atol=1e-12)
    assert risk.n_pairs == len(reference.importances(y, query_ptr)[0])


@pytest.mark.parametrize("seed", range(3))
def test_hessian_and_products_are_differences_of_the_gradient(seed):
    X, y, query_ptr = uneven_arrays(seed)
    risk = GainRisk(in_blocks(X, y, query_ptr, [4]))
    w = np.random.default_rng(seed).normal(size=4)
    risk.value_and_grad(w)
    risk.accept()
    hessian, products = risk.hessian(np.arange(4)), [risk.product(v) for v in np.eye(4)]
    step = 1e-7
    slopes = [
        (risk.value_and_grad(w + step * v)[1] - risk.value_and_grad(w - step * v)[1]) / (2 * step)
        for v in np.eye(4)
    ]
    np.testing.assert_allclose(products, hessian, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(slopes, hessian, rtol=1e-5, atol=1e-6)


def test_curvatures_are_the_diagonal_where_every_pair_is_violated():
    X, y, query_ptr = uneven_arrays(3)
    risk = GainRisk(in_blocks(X, y, query_ptr, []))
    risk.value_and_grad(np.zeros(4))
    risk.accept()
    np.testing.assert_allclose(risk.curvatures, np.diag(risk.hessian(np.arange(4))), rtol=1e-10)


def test_with_two_grades_and_queries_alike_all_pairs_count_the_same():
    X, _, query_ptr = uneven_arrays(0, sizes=(6,) * 5)
    y = np.tile([1.0, 0, 0, 1, 0, 0], 5)
    data = in_blocks(X, y, query_ptr, [])
    w = np.array([0.3, -1.0, 0.5, 0.1])
    ours, theirs = (
        risk.value_and_grad(w) for risk in (GainRisk(data), PairRisk(data, SquaredHingeLoss()))
    )
    assert ours[0] == pytest.approx(theirs[0], rel=1e-13)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)


@pytest.mark.parametrize("grades", [[0, 1, 2, 3], [0, 0, 1, 4, 2], [3, 3, 0, 0, 1]])
def test_what_an_order_loses_of_ndcg_is_bounded_by_the_weights_of_its_wrong_pairs(grades):
    y = np.array(grades, dtype=float)
    pairs, weights = reference.importances(y, [0, len(y)])
    for scores in itertools.permutations(range(len(y))):
        wrong = sum(
            weight for (i, j), weight in zip(pairs, weights, strict=True) if scores[i] < scores[j]
        )
        lost = 1 - NDCG()(y, np.array(scores, float), qid=np.zeros(len(y), int))
        assert lost <= STEEPEST * wrong + 1e-12


def test_a_swap_at_the_top_shows_that_the_bound_is_reached():
    y, scores = np.array([3.0, 0.0]), np.array([0.0, 1.0])
    _, weights = reference.importances(y, [0, 2])
    assert 1 - NDCG()(y, scores, qid=[1, 1]) == pytest.approx(STEEPEST * weights[0])


@pytest.mark.parametrize("seed", range(3))
def test_the_risk_bounds_the_mean_loss_of_ndcg(seed):
    X, y, query_ptr = uneven_arrays(seed)
    risk = GainRisk(in_blocks(X, y, query_ptr, []))
    _, weights = reference.importances(y, query_ptr)
    several = np.array([np.ptp(y[a:b]) > 0 for a, b in itertools.pairwise(query_ptr)])
    for w in np.random.default_rng(seed).normal(size=(5, 4)):
        lost = 1 - NDCG().per_query(y, X @ w, qid=row_ids(query_ptr))
        assert lost[several].sum() <= STEEPEST * weights.sum() * risk.value_and_grad(w)[0]


def test_blocks_and_pieces_of_any_size_give_the_same(monkeypatch):
    X, y, query_ptr = uneven_arrays(1)
    w = np.array([1.0, 0.5, -0.2, 0.0])
    expected = GainRisk(in_blocks(X, y, query_ptr, [])).value_and_grad(w)
    monkeypatch.setattr("ranksieve.problems.pair_risk._SMALL_DATA", 0)
    value, gradient = GainRisk(in_blocks(X, y, query_ptr, [1, 3, 7])).value_and_grad(w)
    assert value == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-12, atol=1e-15)


def test_grades_without_gains_are_named():
    X, y, query_ptr = uneven_arrays(0)
    with pytest.raises(DataError, match="needs whole grades"):
        GainRisk(in_blocks(X, y + 0.5, query_ptr, []))
    with pytest.raises(DataError, match="overflows above grade"):
        GainRisk(in_blocks(X, y * 1000, query_ptr, []))
    assert GainRisk(in_blocks(X, y + 0.5, query_ptr, []), "linear").value_and_grad(np.zeros(4))[
        0
    ] == (pytest.approx(1.0))

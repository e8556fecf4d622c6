"""FenchelRank: the least loss within a ball of the l1 norm."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import FenchelRank, SparseRankSVM, make_ranking
from ranksieve.data import scale
from ranksieve.errors import ParameterError
from ranksieve.penalties import Charge
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.penalised import objective, optimum_in_ball


@pytest.mark.parametrize("steps", ["pairwise", "away"])
@pytest.mark.parametrize("strength", [0.001, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_with_the_radius_of_an_l1_optimum_it_is_that_optimum(seed, strength, steps):
    arrays = random_arrays(seed)
    data = in_blocks(*arrays, [5])
    l1 = SparseRankSVM("l1", strength, tol=1e-10).fit(data)
    radius = np.abs(l1.coef_).sum()
    fenchel = FenchelRank(radius, steps=steps).fit(data)
    charge = Charge(np.full(5, strength))
    least = objective(*arrays, charge, l1.coef_)
    assert fenchel.converged_
    assert objective(*arrays, charge, fenchel.coef_) == pytest.approx(least, rel=1e-6)
    np.testing.assert_array_equal(fenchel.coef_ != 0, l1.coef_ != 0)


@pytest.mark.parametrize("radius", [0.01, 0.3, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_an_outside_solver_and_within_the_ball(seed, radius):
    arrays = random_arrays(seed)
    fenchel = FenchelRank(radius).fit(in_blocks(*arrays, []))
    assert fenchel.objective_ == pytest.approx(optimum_in_ball(*arrays, radius), rel=1e-6)
    assert np.abs(fenchel.coef_).sum() <= radius * (1 + 1e-12)


@pytest.mark.parametrize("k", range(1, 5))
def test_exactly_so_many_features_as_asked_for_have_a_weight(k):
    data = in_blocks(*random_arrays(1), [])
    fenchel = FenchelRank(n_features_to_select=k).fit(data)
    assert np.count_nonzero(fenchel.coef_) == k == fenchel.n_features_
    assert fenchel.radius_ == pytest.approx(np.abs(fenchel.coef_).sum(), rel=1e-6)


def test_the_papers_plain_steps_end_at_the_same_optimum_where_it_is_a_vertex():
    data, truth = make_ranking(40, n_relevant=1, n_redundant=0, n_irrelevant=3)
    plain, pairwise = (FenchelRank(0.05, steps=steps).fit(data) for steps in ("plain", "pairwise"))
    assert plain.converged_
    np.testing.assert_allclose(plain.coef_, pairwise.coef_, atol=1e-9)
    assert plain.get_support(indices=True).tolist() == truth.relevant.tolist()


def test_the_papers_plain_steps_come_near_the_optimum_inside_a_face():
    data = scale(make_ranking(40, n_relevant=2, n_redundant=0, n_irrelevant=2)[0])
    plain = FenchelRank(1.0, steps="plain", tol=1e-4, max_iter=5000).fit(data)
    best = FenchelRank(1.0).fit(data)
    assert plain.converged_
    assert best.objective_ <= plain.objective_ <= best.objective_ * (1 + 2e-4)


def test_unselected_features_are_ordered_by_the_size_of_their_gradient():
    X, y, query_ptr = random_arrays(2)
    fenchel = FenchelRank(1e-3).fit(in_blocks(X, y, query_ptr, []))
    assert fenchel.n_features_ == 1
    ordered = fenchel.scores_[fenchel.order_]
    assert (np.diff(ordered) <= 0).all()
    assert ((ordered[1:] >= -1) & (ordered[1:] <= 0)).all()
    assert fenchel.order_[-1] == X.shape[1] - 1


def test_parameters_that_make_no_sense_are_refused():
    data = in_blocks(*random_arrays(0), [])
    with pytest.raises(ParameterError, match="steps must be one of 'pairwise', 'away', 'plain'"):
        FenchelRank(1.0, steps="forward").fit(data)
    with pytest.raises(ParameterError, match="radius must be"):
        FenchelRank(0.0).fit(data)
    with pytest.raises(ParameterError, match="radius must be a number above 0, 'cv'"):
        FenchelRank("best").fit(data)

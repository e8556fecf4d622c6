"""RSRank: its optimum, what its weights do, and its parameters."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import RSRank, SparseRankSVM, load, make_ranking
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment.plan import is_embedded
from ranksieve.testing.cases import row_ids, uneven_arrays
from tests.reference import rsrank as reference


@pytest.mark.parametrize("solver", ["truncated-gradient", "proximal-newton", "fista"])
@pytest.mark.parametrize("strength", [0.003, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_an_outside_solver_on_explicit_pairs(solver, strength, seed):
    X, y, query_ptr = uneven_arrays(seed, n_features=6)
    model = RSRank(strength, solver=solver, tol=1e-9, max_iter=20_000).fit(
        X, y, qid=row_ids(query_ptr)
    )
    least = reference.optimum(X, y, query_ptr, strength)
    assert model.converged_
    assert model.objective_ == pytest.approx(least, rel=1e-8)
    value, _ = reference.risk(X, y, query_ptr, model.coef_)
    assert value + strength * np.abs(model.coef_).sum() == pytest.approx(least, rel=1e-8)


def test_two_documents_are_solved_as_by_hand():
    # One pair, so that its weight is all: (1 - w)^2 + strength |w| is least at 1 - strength / 2.
    model = RSRank(0.1, tol=1e-10).fit([[0.0], [1.0]], [0, 3], qid=[1, 1])
    assert model.coef_ == pytest.approx([0.95], abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_with_two_grades_and_queries_alike_it_is_sparse_ranksvm(seed):
    X, _, query_ptr = uneven_arrays(seed, sizes=(8,) * 6)
    y = np.tile([0.0, 1, 0, 0, 1, 0, 0, 0], 6)
    ours, theirs = (
        each.fit(X, y, qid=row_ids(query_ptr))
        for each in (RSRank(0.01, tol=1e-9), SparseRankSVM(strength=0.01, tol=1e-9))
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-6)


def test_it_learns_from_the_pairs_that_cost_most():
    # One feature puts the best document first, the other orders the others. Of gains 15, 1 and 0
    # the pairs with the best document have nearly all of the weight, of pairs 3 in 5.
    y = np.tile([4.0, 1.0, 0.0, 0.0], 30)
    first, others = (y == 4).astype(float), (y == 1).astype(float)
    X, qid = np.column_stack([first, others]), np.arange(120) // 4
    ours, plain = RSRank(0.3).fit(X, y, qid=qid), SparseRankSVM(strength=0.3).fit(X, y, qid=qid)
    assert ours.coef_[1] == 0.0 < plain.coef_[1]
    assert ours.coef_[0] > 0.8


def test_grades_that_are_no_levels_need_linear_gains():
    X, y, query_ptr = uneven_arrays(0)
    with pytest.raises(DataError, match="gain='exponential' needs whole grades"):
        RSRank(0.01).fit(X, y / 3, qid=row_ids(query_ptr))
    third, whole = (
        RSRank(0.01, gain="linear", tol=1e-8).fit(X, grades, qid=row_ids(query_ptr))
        for grades in (y / 3, y)
    )
    np.testing.assert_allclose(third.coef_, whole.coef_, rtol=1e-4, atol=1e-7)


def test_strengths_of_a_path_are_those_of_fits():
    data, _ = make_ranking(40, 10, random_state=1)
    path = RSRank(tol=1e-8).path(data, strengths=[0.1, 0.02])
    assert path.converged.all()
    for strength, objective in zip(path.strengths, path.objectives, strict=True):
        assert RSRank(strength, tol=1e-8).fit(data).objective_ == pytest.approx(objective, rel=1e-7)


def test_a_comparison_takes_it_for_an_embedded_method():
    assert is_embedded(RSRank())
    assert RSRank(0.1).strength_on_path() == 0.1


def test_steps_that_end_too_soon_are_said():
    data, _ = make_ranking(20, 10, random_state=0)
    with pytest.warns(UserWarning, match="RSRank ended after 2 steps .* Raise max_iter"):
        model = RSRank(0.001, max_iter=2).fit(data)
    assert not model.converged_
    assert model.gap_ > 1e-4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gain": "exponentail"}, "did you mean 'exponential'"),
        ({"strength": 0}, "strength must be"),
        ({"strength": "vc"}, "'cv' for the one"),
        ({"solver": "frank-wolfe"}, "solver must be one of"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        RSRank(**wrong).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@pytest.mark.parametrize("name", ["OHSUMED", "MQ2008"])
def test_on_real_data_both_solvers_reach_one_optimum(real_data, name):
    data = load(real_data / name / "Fold1" / "vali.txt")
    ours, theirs = (
        RSRank(0.01, solver=solver, tol=1e-5).fit(data)
        for solver in ("truncated-gradient", "proximal-newton")
    )
    assert ours.converged_
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=2e-5)

"""FSMRank's doubled features: what a feature's mirror image costs."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import FSMRank, catalog, make_ranking
from ranksieve.data import from_arrays, scale
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import RedundancyPenalty, make_semidefinite
from ranksieve.problems import PairRisk
from ranksieve.similarity import KendallSimilarity, as_similarity
from ranksieve.solvers import (
    AcceleratedGradient,
    ProximalNewton,
    Regularised,
    Reweighting,
    Subgradient,
)
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.penalised import least_doubled

SEEING_DATA = [
    entry.short_name
    for entry in catalog.entries("similarity")
    if entry.load().looks_at_data  # "identity" knows no copies, so that it charges none
]
COUNTING_AGREEMENTS = ["kendall", "footrule"]


def explicit_blocks(X, y, query_ptr, name):
    """The 2 d by 2 d similarity of [X, -X], made convex as the paper's form (2) needs it."""
    d = X.shape[1]
    whole = as_similarity(name).matrix(from_arrays(np.hstack([X, -X]), y, row_ids(query_ptr)))
    whole = np.abs(whole)
    values, vectors = np.linalg.eigh(whole)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    charged = clipped.copy()
    charged[np.arange(d), np.arange(d) + d] = charged[np.arange(d) + d, np.arange(d)] = 0.0
    return clipped + max(0.0, -charged.min())


@pytest.mark.parametrize("name", SEEING_DATA)
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_form_two_on_explicitly_doubled_features(name, seed):
    X, y, query_ptr = random_arrays(seed)
    fsm = FSMRank(0.5, 0.002, similarity=name, tol=1e-10).fit(in_blocks(X, y, query_ptr, [3]))
    doubled = explicit_blocks(X, y, query_ptr, name)
    least, u = least_doubled(X, y, query_ptr, doubled, fsm.importance_, 0.5, 0.002)
    assert fsm.converged_
    assert fsm.objective_ == pytest.approx(least, rel=1e-7)
    np.testing.assert_allclose(fsm.coef_, u[:5] - u[5:], atol=1e-4)
    np.testing.assert_allclose(fsm.similarity_used_, doubled[:5, :5], atol=1e-9)
    off_diagonal = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(
        fsm.mirrored_similarity_used_[off_diagonal], doubled[:5, 5:][off_diagonal], atol=1e-9
    )


@pytest.mark.parametrize("name", COUNTING_AGREEMENTS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("solver", [ProximalNewton, AcceleratedGradient, Subgradient])
def test_gaps_bound_the_distance_to_the_optimum_and_solvers_agree(name, seed, solver):
    X, y, query_ptr = random_arrays(seed)
    data = in_blocks(X, y, query_ptr, [])
    fsm = FSMRank(0.5, 0.002, similarity=name).fit(data)
    least, _ = least_doubled(
        X, y, query_ptr, explicit_blocks(X, y, query_ptr, name), fsm.importance_, 0.5, 0.002
    )
    used = fsm.similarity_used_, fsm.mirrored_similarity_used_
    penalty = RedundancyPenalty(used[0], 0.5, fsm.importance_, used[1])
    problem = Regularised(PairRisk(data, SquaredHingeLoss()), penalty, 0.002).first()
    assert problem.signed is not None
    for max_iter in (1, 4, 30, 400):
        rough = solver(tol=1e-12, max_iter=max_iter).solve(problem)
        assert (rough.objective - least) / rough.objective <= rough.gap + 1e-9
    assert rough.objective == pytest.approx(least, rel=0.05 if solver is Subgradient else 1e-7)


@pytest.mark.parametrize("loss", ["squared-hinge", "logistic"])
@pytest.mark.parametrize("seed", range(2))
def test_a_gap_with_another_loss_bounds_the_distance_too(loss, seed):
    data = in_blocks(*random_arrays(seed), [])
    options = {"similarity": "kendall", "loss": loss}
    best = FSMRank(0.5, 0.002, tol=1e-11, **options).fit(data)
    assert best.converged_
    for tol in (0.5, 0.1, 1e-2, 1e-4):
        rough = FSMRank(0.5, 0.002, tol=tol, **options).fit(data)
        assert rough.objective_ - best.objective_ <= rough.gap_ * rough.objective_ + 1e-10


@pytest.mark.parametrize("name", SEEING_DATA)
@pytest.mark.parametrize("seed", range(4))
def test_a_mirror_image_costs_as_much_as_a_copy_and_is_not_selected_beside_its_feature(name, seed):
    data, truth = make_ranking(60, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=seed)
    X, feature = np.round(16 * scale(data).X) / 16, int(truth.relevant[0])
    options = {"similarity": name, "tol": 1e-9}
    mirrored, copied = (
        FSMRank(0.1, 0.001, **options).fit(np.c_[X, extra], data.y, qid=data.qid)
        for extra in (1 - X[:, feature], X[:, feature])
    )
    assert mirrored.objective_ == pytest.approx(copied.objective_, rel=1e-8)
    for fsm in (mirrored, copied):
        assert np.count_nonzero(fsm.coef_[[feature, -1]]) == 1
    unlike = mirrored.mirrored_similarity_used_[feature, -1]
    assert unlike == pytest.approx(mirrored.similarity_used_[feature, feature], rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_merging_copies_leaves_the_objective_and_features_that_are_none(seed):
    X, y, query_ptr = random_arrays(seed)
    X = np.asfortranarray(np.c_[X[:, :-1], 1 - X[:, 1], X[:, :2]])
    risk = PairRisk(in_blocks(X, y, query_ptr, []), SquaredHingeLoss())
    problem = Regularised(risk, RedundancyPenalty(np.ones((7, 7)), 0.05), 0.002)
    divided, merged = (
        Reweighting(AcceleratedGradient(1e-8), 1e-8, merge_copies=merge).solve(problem)
        for merge in (False, True)
    )
    assert merged.converged
    assert merged.gap <= 1e-8
    assert merged.objective == pytest.approx(divided.objective, rel=1e-10)
    same = np.array([[1, 0, 0, 0, 0, 1, 0], [0, 1, 0, 0, -1, 0, 1], [0, 0, 1, 0, 0, 0, 0]])
    np.testing.assert_allclose(same @ merged.weights, same @ divided.weights, atol=1e-12)
    for copies in ([0, 5], [1, 4, 6]):
        assert np.count_nonzero(merged.weights[copies]) <= 1


@pytest.mark.parametrize("name", ["tau-b", "spearman"])
def test_a_signed_similarity_counts_by_its_size_and_is_not_shifted(name):
    data, _ = make_ranking(30, n_relevant=3, n_redundant=2, n_irrelevant=3)
    fsm = FSMRank(0.1, 0.001, similarity=name).fit(data)
    assert fsm.similarity_.min() < 0
    assert fsm.similarity_shift_ < 0.05
    if fsm.n_clipped_eigenvalues_ == 0:
        np.testing.assert_allclose(fsm.similarity_used_, np.abs(fsm.similarity_), atol=1e-15)
    assert fsm.mirrored_similarity_used_ is fsm.similarity_used_


class HalfTies(KendallSimilarity):
    """Shares of agreements in which a tie is half of one: sim(f, -g) = 1 - sim(f, g)."""

    def matrix(self, data):
        strict = super().matrix
        agreeing = strict(data)
        against = strict(data.with_mirror_images())[: data.n_features, data.n_features :]
        return agreeing + (1 - agreeing - against) / 2


def test_a_similarity_from_elsewhere_is_measured_on_mirror_images():
    X, y, query_ptr = random_arrays(2)
    y[query_ptr[0] : query_ptr[1]] = 0.0
    data = in_blocks(X, y, query_ptr, [])
    alike, mirrored = HalfTies().doubled(data)
    np.testing.assert_allclose(mirrored, 1 - alike, atol=1e-12)
    fsm = FSMRank(0.2, 0.002, similarity=HalfTies(), tol=1e-9).fit(data)
    flipped = np.array([-1.0, 1.0, -1.0, 1.0, 1.0])
    other = in_blocks(np.asfortranarray(X * flipped), y, query_ptr, [])
    again = FSMRank(0.2, 0.002, similarity=HalfTies(), tol=1e-9).fit(other)
    np.testing.assert_allclose(again.coef_, flipped * fsm.coef_, atol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_two_matrices_are_made_convex_together(seed):
    rng = np.random.default_rng(seed)
    A, B = rng.random((2, 6, 6))
    A, B = A + A.T, B + B.T
    made = make_semidefinite(A, B)
    whole = np.block([[made.matrix, made.mirrored], [made.mirrored, made.matrix]])
    assert np.linalg.eigvalsh(whole)[0] > -1e-12
    off_diagonal = ~np.eye(6, dtype=bool)
    assert min(made.matrix.min(), made.mirrored[off_diagonal].min()) >= 0.0
    before = np.linalg.eigvalsh(np.block([[A, B], [B, A]]))
    assert made.n_negative == (before < 0).sum()
    assert made.least_eigenvalue == pytest.approx(before[0] / 2)
    RedundancyPenalty(made.matrix, mirrored=made.mirrored)
    same = make_semidefinite(A, A)
    np.testing.assert_array_equal(same.matrix, make_semidefinite(A).matrix)
    assert same.mirrored is None


def test_matrices_that_are_convex_together_are_returned_as_they_are():
    A, B = np.array([[1.0, 0.4], [0.4, 1.0]]), np.array([[0.0, 0.3], [0.3, 0.0]])
    made = make_semidefinite(A, B)
    assert made.matrix is A
    assert made.mirrored is B
    assert (made.n_negative, made.shift) == (0, 0.0)

"""FSMRank: its problem, its bounds, and what it reports."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import FSMRank, load, make_ranking
from ranksieve.data import scale
from ranksieve.errors import ParameterError
from ranksieve.importance import Importance
from ranksieve.penalties import Charge
from ranksieve.penalties.redundancy import LEAST_IMPORTANCE
from ranksieve.selectors.embedded._bound import generalisation_bound
from ranksieve.similarity import Similarity
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.penalised import objective, optimum


class Given(Importance, Similarity):
    """Numbers of our own in place of measured ones."""

    ignores_sign = True

    def __init__(self, numbers):
        self.numbers = np.asarray(numbers, dtype=np.float64)

    def scores(self, data):
        return self.numbers

    def matrix(self, data):
        return self.numbers


def charge_of(fsm, lambda1, lambda2):
    """The charge of the paper's problem, written from what the fit reports."""
    importance = fsm.importance_
    linear = np.full(len(importance), np.inf)
    linear[importance > 0] = lambda2 / np.maximum(importance[importance > 0], LEAST_IMPORTANCE)
    return Charge(linear, lambda1 * fsm.similarity_used_)


@pytest.mark.parametrize(("lambda1", "lambda2"), [(0.1, 0.001), (1.0, 0.01), (0.01, 0.0)])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_an_outside_solver_on_explicit_pairs(seed, lambda1, lambda2):
    arrays = random_arrays(seed)
    fsm = FSMRank(lambda1, lambda2, tol=1e-9).fit(in_blocks(*arrays, [3]))
    charge = charge_of(fsm, lambda1, lambda2)
    least = objective(*arrays, charge, optimum(*arrays, charge))
    assert fsm.converged_
    assert fsm.objective_ == pytest.approx(least, rel=1e-7)
    assert objective(*arrays, charge, fsm.coef_) == pytest.approx(least, rel=1e-7)


@pytest.fixture(scope="module")
def sample(real_data):
    return scale(load(real_data / "MSLR-sample" / "train.txt"))


@pytest.mark.slow
def test_correlations_of_web_search_features_are_made_semidefinite(sample):
    fsm = FSMRank(0.1, 0.01).fit(sample)
    assert fsm.converged_
    assert fsm.similarity_used_.min() >= 0.0
    assert np.linalg.eigvalsh(fsm.similarity_used_)[0] > -1e-9
    assert fsm.n_clipped_eigenvalues_ > 0
    assert fsm.least_eigenvalue_ == pytest.approx(np.linalg.eigvalsh(fsm.similarity_)[0])


@pytest.mark.slow
def test_raw_web_search_features_have_a_clearly_negative_eigenvalue(real_data):
    data = load(real_data / "MSLR-sample" / "train.txt")
    fsm = FSMRank(0.1, 0.01).fit(data)
    assert fsm.least_eigenvalue_ == pytest.approx(-0.84, abs=0.01)
    assert np.linalg.eigvalsh(fsm.similarity_used_)[0] > -1e-9
    assert fsm.converged_


def test_a_similarity_that_is_semidefinite_is_used_as_it_is():
    data = in_blocks(*random_arrays(0), [])
    similarity = np.eye(5) + 0.2
    fsm = FSMRank(0.1, 0.01, similarity=Given(similarity)).fit(data)
    np.testing.assert_array_equal(fsm.similarity_used_, similarity)
    assert (fsm.n_clipped_eigenvalues_, fsm.similarity_shift_) == (0, 0.0)


def test_a_negative_eigenvalue_is_clipped_and_reported():
    data = in_blocks(*random_arrays(0, n_features=2), [])
    fsm = FSMRank(0.1, 0.01, similarity=Given([[1, 2], [2, 1]])).fit(data)
    np.testing.assert_allclose(fsm.similarity_used_, [[1.5, 1.5], [1.5, 1.5]])
    np.testing.assert_array_equal(fsm.similarity_, [[1, 2], [2, 1]])
    assert fsm.n_clipped_eigenvalues_ == 1
    assert fsm.least_eigenvalue_ == pytest.approx(-1.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_constant_feature_is_never_selected(seed):
    data = in_blocks(*random_arrays(seed), [])
    fsm = FSMRank(0.01, 1e-6).fit(data)
    assert fsm.importance_[-1] == 0.0
    assert fsm.coef_[-1] == 0.0
    assert fsm.order_[-1] == data.n_features - 1
    assert FSMRank(0.01, n_features_to_select=5).fit(data).coef_[-1] == 0.0


def test_tiny_importances_are_floored_and_negative_ones_leave_a_feature_out():
    data = in_blocks(*random_arrays(0), [])
    tiny, floor = ([1.0, size, 1.0, -0.5, 1.0] for size in (1e-300, LEAST_IMPORTANCE))
    low, at_floor = (FSMRank(0.1, 1e-9, importance=Given(s)).fit(data) for s in (tiny, floor))
    np.testing.assert_allclose(low.coef_, at_floor.coef_, rtol=1e-9)
    assert low.coef_[3] == 0.0
    assert low.importance_[3] == 0.0


def test_without_any_charge_there_is_nothing_to_select():
    data = in_blocks(*random_arrays(0), [])
    with pytest.raises(ParameterError, match="must not both be 0"):
        FSMRank(0.0, 0.0).fit(data)
    with pytest.raises(ParameterError, match="similarity_strength must"):
        FSMRank(-1.0, 0.1).fit(data)
    with pytest.raises(ParameterError, match="stopping must be one of 'optimum', 'paper'"):
        FSMRank(0.1, 0.1, stopping="early").fit(data)


def test_the_generalisation_bound_is_the_formula_of_the_proof():
    X, y, query_ptr = random_arrays(2)
    X[:, 0] = np.random.default_rng(2).random(len(X))
    arrays = (X, y, query_ptr)
    lambda1, theta = 0.1, 0.01
    fsm = FSMRank(lambda1, 0.002, tol=1e-9).fit(in_blocks(*arrays, []))
    used = fsm.coef_ != 0
    sizes = np.abs(fsm.coef_)
    C, d, p = (sizes[used] / fsm.importance_[used]).sum(), 5, fsm.n_pairs_
    L0 = (4 + 2 * lambda1) * d
    loss = objective(*arrays, Charge(np.zeros(d)), fsm.coef_)
    training = loss + lambda1 / 2 * sizes @ fsm.similarity_used_ @ sizes
    complexity = 2 * C * np.sqrt(2 * d / p)
    complexity += C**2 * (1 + lambda1 / 2) * np.sqrt(2 * np.log(4 * d**2) / p)
    spread = (1 + C) ** 2 + lambda1 / 2 * C**2 - 1
    expected = training + 2 * L0 * complexity + spread * np.sqrt(np.log(1 / theta) / (2 * p))
    assert C > 0
    assert fsm.generalisation_bound(theta).total == pytest.approx(expected, rel=1e-9)
    assert fsm.generalisation_bound_ == fsm.generalisation_bound(0.05).total < expected
    with pytest.raises(ParameterError, match="theta must be between 0 and 1"):
        fsm.generalisation_bound(0.0)


def test_the_generalisation_bound_grows_with_the_weights_and_falls_with_the_pairs():
    def bound(size, n_pairs):
        found = generalisation_bound(0.5, size, 0.1, n_features=10, n_pairs=n_pairs, theta=0.05)
        return found.total

    by_size = [bound(size, 1000) for size in (0.0, 0.1, 1.0, 10.0)]
    by_pairs = [bound(1.0, n_pairs) for n_pairs in (10, 100, 1000, 10_000)]
    assert by_size == sorted(by_size)
    assert by_size[0] == 0.5
    assert by_pairs == sorted(by_pairs, reverse=True)


@pytest.mark.parametrize(
    ("factor", "options", "reason"),
    [
        (1000.0, {}, r"takes features in \[0, 1\], but 7 of 9 features are not \(first: 'x0'"),
        (-1.0, {}, r"takes features in \[0, 1\]"),
        (1.0, {"loss": "logistic"}, "is for the squared hinge, but the loss is LogisticLoss"),
    ],
)
def test_bounds_are_nan_with_the_reason_where_a_premise_fails(factor, options, reason):
    data = scale(make_ranking(20, n_relevant=3, n_irrelevant=4, n_constant=2, n_redundant=0)[0])
    fsm = FSMRank(0.1, 1e-3, **options).fit(factor * data.X, data.y, qid=data.qid)
    assert np.isnan(fsm.generalisation_bound_)
    with pytest.warns(UserWarning, match=f"Theorem 3.*{reason}"):
        bound = fsm.generalisation_bound()
    assert np.isnan(bound.total)
    assert bound.training > 0
    with pytest.warns(UserWarning, match=f"Theorem 2.*{reason}"):
        assert np.isnan(fsm.rate_bound([1, 2, 3])).all()


def test_a_similarity_or_importance_above_one_counts_with_its_largest_value():
    # lambda1 A = (2 lambda1) (A / 2), and sum |w_i| / s_i of 3 s is a third, at 3 lambda2.
    data = scale(make_ranking(20, n_relevant=3, n_irrelevant=4, n_redundant=0)[0])
    A, s = np.eye(7) + np.ones((7, 7)), np.linspace(0.2, 1.0, 7)
    large = FSMRank(0.1, 0.003, similarity=A, importance=3 * s, tol=1e-10).fit(data)
    small = FSMRank(0.2, 0.001, similarity=A / 2, importance=s, tol=1e-10).fit(data)
    np.testing.assert_allclose(large.coef_, small.coef_, atol=1e-7)
    assert large.generalisation_bound_ == pytest.approx(small.generalisation_bound_, rel=1e-6)
    assert large.rate_bound(5) == pytest.approx(small.rate_bound(5), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_papers_algorithm_stays_below_the_bound_of_its_rate(seed):
    data = scale(make_ranking(30, n_relevant=3, n_redundant=3, random_state=seed)[0])
    options = {"tol": 1e-9, "max_iter": 5000, "solver": "accelerated-gradient"}
    fsm = FSMRank(0.1, 0.01, **options).fit(data)
    above = fsm.trace_.objectives - fsm.objective_
    bound = fsm.rate_bound(np.arange(len(above)))
    assert len(above) > 5
    assert (above <= bound).all()
    # O(1 / T^2), not O(1 / sqrt T).
    assert fsm.rate_bound(199) == pytest.approx(fsm.rate_bound(99) / 4)


@pytest.mark.parametrize("seed", range(3))
def test_the_papers_stop_leaves_more_features_than_the_optimum(seed):
    data, _ = make_ranking(80, n_relevant=4, n_redundant=20, n_irrelevant=4, random_state=seed)
    data = scale(data)
    optimal, early = (FSMRank(0.01, 1e-3, stopping=stop).fit(data) for stop in ("optimum", "paper"))
    assert early.n_features_ > optimal.n_features_
    assert optimal.objective_ < early.objective_ < 1.01 * optimal.objective_
    assert early.gap_ > optimal.gap_


@pytest.mark.parametrize("importance", ["map", "ndcg@5", "spearman"])
@pytest.mark.parametrize("similarity", ["kendall", "tau-b", "spearman"])
def test_importance_and_similarity_are_any_of_the_catalog(importance, similarity):
    data, truth = make_ranking(40, n_relevant=3, n_redundant=0, n_irrelevant=4)
    fsm = FSMRank(0.01, importance=importance, similarity=similarity, n_features_to_select=3)
    fsm.fit(data)
    assert fsm.converged_
    assert fsm.get_support(indices=True).tolist() == truth.relevant.tolist()


@pytest.mark.parametrize("k", range(1, 5))
def test_exactly_so_many_features_as_asked_for_have_a_weight(k):
    fsm = FSMRank(0.1, n_features_to_select=k).fit(in_blocks(*random_arrays(3), []))
    assert np.count_nonzero(fsm.coef_) == k == fsm.n_features_


def test_with_a_strength_as_well_the_largest_weights_are_kept_as_they_are():
    data = in_blocks(*random_arrays(3), [])
    whole = FSMRank(0.01, 1e-4).fit(data)
    two = FSMRank(0.01, 1e-4, n_features_to_select=2).fit(data)
    kept = np.argsort(-np.abs(whole.coef_))[:2]
    assert whole.n_features_ > 2
    np.testing.assert_array_equal(np.flatnonzero(two.coef_), np.sort(kept))
    np.testing.assert_array_equal(two.coef_[kept], whole.coef_[kept])

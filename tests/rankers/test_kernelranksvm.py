from __future__ import annotations

import itertools

import cvxpy as cp
import numpy as np
import pytest

from ranksieve import KernelRankSVM, RankSVM, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from ranksieve.rankers._kernel_features import choose_landmarks
from ranksieve.rankers._row_numbers import row_numbers
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import preference_pairs


def kernel_matrix(name, A, B, *, gamma, degree=3, coef0=1.0):
    """k of all rows of A and B, from the definition."""
    if name == "rbf":
        return np.exp(-gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2))
    if name == "polynomial":
        return (gamma * A @ B.T + coef0) ** degree
    return A @ B.T


def same_ranking_scores(ours, theirs, qid, tolerance=1e-4):
    """Scores that differ by one number a query at most."""
    apart = ours - theirs
    for query in np.unique(qid):
        assert np.ptp(apart[qid == query]) <= tolerance * max(np.ptp(theirs), 1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [1e-2, 1.0])
def test_the_linear_kernel_is_ranksvm(seed, C):
    X, y, query_ptr = random_arrays(seed)
    qid = row_ids(query_ptr)
    expected = RankSVM(C=C, tol=1e-12).fit(X, y, qid=qid)
    for kernel in (
        KernelRankSVM("linear", C=C, tol=1e-12),
        KernelRankSVM("polynomial", C=C, gamma=1.0, degree=1, coef0=0.0, tol=1e-12),
        # A constant feature more, which does not rank.
        KernelRankSVM("polynomial", C=C, gamma=1.0, degree=1, coef0=2.0, tol=1e-12),
    ):
        model = kernel.fit(X, y, qid=qid)
        assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
        same_ranking_scores(model.predict(X), expected.predict(X), qid)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "linear"])
@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_that_of_the_kernel_machine_over_written_out_pairs(kernel, seed):
    X, y, query_ptr = random_arrays(seed, n_queries=6, largest=7)
    model = KernelRankSVM(kernel, C=0.5, gamma=0.7, degree=2, tol=1e-12)
    model.fit(X, y, qid=row_ids(query_ptr))
    K = kernel_matrix(kernel, X, X, gamma=0.7, degree=2)
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    better, worse = np.array(preference_pairs(y, query_ptr)).T
    w = cp.Variable(len(K))
    slack = cp.pos(1 - (root[better] - root[worse]) @ w)
    optimum = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + 0.5 * cp.sum_squares(slack)))
    optimum.solve(solver="CLARABEL")
    assert model.exact_
    assert model.objective_ == pytest.approx(optimum.value, rel=1e-6)
    same_ranking_scores(model.predict(X), root @ w.value, row_ids(query_ptr), 1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "linear"])
def test_scores_are_sums_of_the_kernel_over_landmarks(kernel):
    X, y, query_ptr = random_arrays(0)
    model = KernelRankSVM(kernel, gamma=0.5).fit(X, y, qid=row_ids(query_ptr))
    new = np.random.default_rng(0).normal(size=(2000, X.shape[1]))
    K = kernel_matrix(kernel, new, model.landmarks_, gamma=0.5)
    np.testing.assert_allclose(model.predict(new), K @ model.dual_coef_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_all_distinct_documents_as_landmarks_are_the_exact_machine(kernel):
    X, y, query_ptr = random_arrays(1)
    qid = row_ids(query_ptr)
    exact = KernelRankSVM(kernel, tol=1e-12).fit(X, y, qid=qid)
    n_distinct = len(exact.landmarks_)
    just = KernelRankSVM(kernel, n_landmarks=n_distinct, tol=1e-12).fit(X, y, qid=qid)
    fewer = KernelRankSVM(kernel, n_landmarks=n_distinct - 1, tol=1e-12).fit(X, y, qid=qid)
    assert (exact.exact_, just.exact_, fewer.exact_) == (True, True, False)
    np.testing.assert_array_equal(just.predict(X), exact.predict(X))
    # A model of fewer landmarks is one of all, and cannot be better.
    assert fewer.objective_ >= exact.objective_ * (1 - 1e-9)
    objectives = [
        KernelRankSVM(kernel, n_landmarks=n, tol=1e-12).fit(X, y, qid=qid).objective_
        for n in (5, 20, n_distinct)
    ]
    assert objectives == sorted(objectives, reverse=True)


def test_duplicates_are_one_landmark_and_count_as_often_as_they_stand_in_pairs():
    X, y, query_ptr = random_arrays(2)
    qid = row_ids(query_ptr)
    twice = KernelRankSVM(C=0.5).fit(
        np.vstack([X, X]), np.concatenate([y, y]), qid=np.concatenate([qid, qid + 1000])
    )
    once = KernelRankSVM(C=1.0).fit(X, y, qid=qid)
    assert len(twice.landmarks_) == len(once.landmarks_)
    assert twice.gamma_ == pytest.approx(once.gamma_)
    same_ranking_scores(twice.predict(X), once.predict(X), qid, 1e-3)


def test_queries_of_one_grade_change_nothing():
    X, y, query_ptr = random_arrays(3)
    qid = row_ids(query_ptr)
    model = KernelRankSVM(n_landmarks=20).fit(X, y, qid=qid)
    more = KernelRankSVM(n_landmarks=20).fit(
        np.vstack([X, 7.0 * X[:4]]), np.append(y, [1.0] * 4), qid=np.append(qid, [99] * 4)
    )
    np.testing.assert_array_equal(more.landmarks_, model.landmarks_)
    np.testing.assert_allclose(more.predict(X), model.predict(X), rtol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_a_nonlinear_truth_is_ranked_better_than_by_weights(seed):
    data, _ = make_ranking(
        150, 10, n_relevant=2, n_redundant=0, n_irrelevant=1, truth="nonlinear", random_state=seed
    )
    train, test = data.queries(range(100)), data.queries(range(100, 150))
    linear = RankSVM(C=0.01).fit(train).score(test)
    assert KernelRankSVM(C=0.1, n_landmarks=150).fit(train).score(test) > linear + 0.1
    # A product of two features is a polynomial of degree 2.
    quadratic = KernelRankSVM("polynomial", degree=2, C=0.01, n_landmarks=100)
    assert quadratic.fit(train).score(test) > linear + 0.1


def test_landmarks_are_distinct_rows_of_the_data_whatever_its_order_blocks_and_type():
    X, y, query_ptr = random_arrays(4, dtype=np.float32)
    qid = row_ids(query_ptr)
    X[3] = X[5] = -0.0
    X[5, 0] = 0.0
    rows = np.random.default_rng(0).permutation(len(y))
    rows = rows[np.argsort(qid[rows], kind="stable")]
    chosen = choose_landmarks(from_arrays(X, y, qid), 15, seed=1)
    others = (
        from_arrays(X[rows], y[rows], qid),
        from_arrays(X.astype(np.float64), y, qid),
        in_blocks(X, y, query_ptr, [2, 6]),
    )
    for other in others:
        np.testing.assert_array_equal(choose_landmarks(other, 15, seed=1).rows, chosen.rows)
    assert len(np.unique(chosen.rows, axis=0)) == 15
    assert {tuple(row) for row in chosen.rows} <= {tuple(row) for row in X.astype(float)}
    everything = choose_landmarks(from_arrays(X, y, qid), 10_000, seed=1)
    assert everything.complete
    assert len(everything.rows) == len(np.unique(X + 0.0, axis=0))
    elsewhere = choose_landmarks(from_arrays(X, y, qid), 15, seed=2)
    assert not np.array_equal(elsewhere.rows, chosen.rows)


def test_row_numbers_see_every_value_and_its_column():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [1.0, np.nextafter(2.0, 3.0)]])
    numbers = row_numbers(X, 0)
    assert numbers[0] == numbers[2]
    assert len(set(numbers.tolist())) == 3
    # Even enough: of many rows, each of four quarters gets its share.
    many = row_numbers(np.arange(4000.0).reshape(-1, 1), 3)
    counts = np.bincount((many >> np.uint64(62)).astype(int), minlength=4)
    assert counts.min() > 900


def test_scale_is_the_inverse_of_the_sum_of_variances():
    X, y, query_ptr = random_arrays(5)
    model = KernelRankSVM().fit(X, y, qid=row_ids(query_ptr))
    several = [np.ptp(y[a:b]) > 0 for a, b in itertools.pairwise(query_ptr)]
    rows = np.repeat(several, np.diff(query_ptr))
    assert model.gamma_ == pytest.approx(1 / X[rows].var(axis=0).sum(), rel=1e-12)
    assert KernelRankSVM(gamma=2).fit(X, y, qid=row_ids(query_ptr)).gamma_ == 2.0


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "linear"])
def test_documents_that_are_all_alike_get_equal_scores(kernel):
    for value in (0.0, 2.0):
        X = np.full((4, 2), value)
        model = KernelRankSVM(kernel).fit(X, [0, 1, 0, 1], qid=[1, 1, 2, 2])
        assert len(model.landmarks_) == 1
        assert np.ptp(model.predict(X)) == 0.0


@pytest.mark.parametrize(
    ("kernel", "gamma", "size", "message"),
    [
        ("rbf", "scale", 1e200, "Scale the features"),
        ("rbf", "scale", 1e-200, "Scale the features"),
        ("polynomial", 1.0, 1e120, "too large. Scale the features"),
        ("linear", 1.0, 1e200, "too large. Scale the features"),
    ],
)
def test_features_beyond_any_kernel_are_an_error_that_says_so(kernel, gamma, size, message):
    X, y, query_ptr = random_arrays(0)
    with pytest.raises(DataError, match=message):
        KernelRankSVM(kernel, gamma=gamma).fit(size * X, y, qid=row_ids(query_ptr))


def test_more_features_than_fit_into_memory_are_an_error_that_says_what_to_lower(monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 16)
    X, y, query_ptr = random_arrays(0)
    with pytest.raises(DataError, match=r"dense matrix.*Lower n_landmarks"):
        KernelRankSVM().fit(from_arrays(X, y, row_ids(query_ptr)))


def test_missing_the_tolerance_warns_with_the_numbers():
    X, y, query_ptr = random_arrays(1)
    with pytest.warns(
        ConvergenceWarning, match=r"after 1 iterations with a relative gap of .*tol=1e-15"
    ):
        model = KernelRankSVM(C=100.0, tol=1e-15, max_iter=1).fit(X, y, qid=row_ids(query_ptr))
    assert not model.converged_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rfb"}, "kernel must be one of .* did you mean 'rbf'"),
        ({"C": 0}, "C must be a number above 0"),
        ({"gamma": "auto"}, "gamma must be 'scale' or a number above 0, but is 'auto'"),
        ({"gamma": 0}, "gamma must be a number above 0"),
        ({"degree": 0}, "degree must be a whole number of at least 1"),
        ({"coef0": -1}, "coef0 must be a number of at least 0"),
        ({"n_landmarks": 0}, "n_landmarks must be a whole number of at least 1"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"random_state": None}, "random_state must be a whole number"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        KernelRankSVM(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 7, 12, 31])
def test_a_power_by_squares_is_the_power(degree):
    from ranksieve.rankers._kernel_features import Kernel

    X = np.asfortranarray(np.random.default_rng(degree).normal(size=(6, 3)))
    landmarks = np.ascontiguousarray(X[:4])
    values = Kernel("polynomial", 0.5, degree, 1.0).rows(X, 0, 6, landmarks)
    np.testing.assert_allclose(values, (0.5 * X @ landmarks.T + 1.0) ** degree, rtol=1e-12)

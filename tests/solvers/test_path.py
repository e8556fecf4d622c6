"""Solutions over falling strengths: each is the one that a fit alone would find."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import SparseRankSVM, catalog, make_ranking
from ranksieve.errors import DataError, ParameterError
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import ElasticNetPenalty, L1Penalty, LogPenalty, WeightedL1Penalty
from ranksieve.problems import PairRisk
from ranksieve.progress import listening
from ranksieve.solvers import critical_strength, strengths_between
from tests.reference.pairs import pair_differences

CONVEX = ["l1", "elastic-net", WeightedL1Penalty([1, 2, 3, 1, 2, 3, 1, 2])]
NOT_CONVEX = [entry.short_name for entry in catalog.entries("penalties") if not entry.load().convex]


def planted(seed=0):
    return make_ranking(
        40, 12, n_relevant=3, n_redundant=0, n_irrelevant=4, n_constant=1, random_state=seed
    )[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("penalty", CONVEX)
def test_the_first_model_is_empty_and_the_next_is_not(penalty, seed):
    path = SparseRankSVM(penalty).path(planted(seed))
    assert path.n_features[0] == 0
    assert path.n_features[1] >= 1
    assert path.weights.shape == (50, 8)
    assert path.objectives[0] == 1.0


@pytest.mark.parametrize("penalty", [*NOT_CONVEX, "log(epsilon=3)"])
def test_the_first_model_is_empty_for_every_penalty(penalty):
    path = SparseRankSVM(penalty).path(planted(1), n_strengths=12)
    assert path.n_features[0] == 0
    assert path.n_features[-1] >= 3
    assert path.converged.all()


@pytest.mark.parametrize("smallest", [1e-3, 1e-2])
def test_strengths_fall_in_equal_ratios(smallest):
    path = SparseRankSVM().path(planted(), n_strengths=7, smallest=smallest)
    ratios = path.strengths[1:] / path.strengths[:-1]
    np.testing.assert_allclose(ratios, smallest ** (1 / 6), rtol=1e-12)
    assert path.strengths[-1] == pytest.approx(smallest * path.strengths[0])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("penalty", [*CONVEX, *NOT_CONVEX])
def test_each_model_is_that_of_a_fit_with_its_strength(penalty, seed):
    data = planted(seed)
    path = SparseRankSVM(penalty, tol=1e-8).path(data, n_strengths=9)
    assert path.converged.all()
    assert np.all(path.gaps <= 1e-8)
    for strength, weights, objective in zip(
        path.strengths, path.weights, path.objectives, strict=True
    ):
        alone = SparseRankSVM(penalty, strength, tol=1e-8).fit(data)
        assert objective == pytest.approx(alone.objective_, rel=1e-6)
        np.testing.assert_allclose(weights, alone.coef_, atol=1e-4)


def test_objectives_fall_with_the_strength():
    path = SparseRankSVM().path(planted(2), n_strengths=20)
    assert np.all(np.diff(path.objectives) < 0)
    assert path.n_iter.sum() > 0


def test_strengths_of_your_own_are_taken_as_they_are():
    data = planted()
    path = SparseRankSVM(tol=1e-9).path(data, strengths=[0.3, 0.1, 0.01])
    assert path.strengths.tolist() == [0.3, 0.1, 0.01]
    np.testing.assert_allclose(
        path.weights[1], SparseRankSVM(strength=0.1, tol=1e-9).fit(data).coef_, atol=1e-5
    )
    assert SparseRankSVM().path(data, strengths=0.1).weights.shape == (1, 8)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strengths": [0.1, 0.2]}, "strengths must fall"),
        ({"strengths": [0.1, 0.0]}, "strengths must be numbers above 0"),
        ({"strengths": [np.nan]}, "strengths must be numbers above 0"),
        ({"strengths": []}, "strengths must be numbers above 0"),
        ({"strengths": "abc"}, "strengths must be numbers above 0, but are 'abc'"),
        ({"strengths": [[0.2, 0.1]]}, "strengths must be numbers above 0"),
        ({"smallest": 0}, "smallest must be a share between 0 and 1, but is 0"),
        ({"smallest": 2}, "smallest must be a share between 0 and 1, but is 2"),
        ({"smallest": "x"}, "smallest must be a share between 0 and 1"),
        ({"n_strengths": 0}, "n_strengths must be a whole number of at least 1"),
    ],
)
def test_a_wrong_range_is_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        SparseRankSVM().path(planted(), **wrong)


def test_a_path_leaves_the_estimator_as_it_was():
    data = planted()
    svm = SparseRankSVM("mcp", 0.1)
    before = dict(vars(svm))
    svm.path(data, n_strengths=3)
    assert vars(svm) == before
    fitted = svm.fit(data)
    kept = dict(vars(fitted))
    fitted.path(data.features([0, 1, 2]), n_strengths=3)
    assert vars(fitted) == kept


def test_arrays_and_data_give_the_same_path():
    data = planted()
    one = SparseRankSVM().path(data, n_strengths=5)
    two = SparseRankSVM().path(data.X, data.y, qid=data.qid, n_strengths=5)
    np.testing.assert_array_equal(one.weights, two.weights)
    with pytest.raises(DataError, match="qid is required"):
        SparseRankSVM().path(data.X, data.y)


def test_data_without_pairs_has_a_path_of_zeros():
    data = planted()
    path = SparseRankSVM().path(data.X, np.ones(data.n_documents), qid=data.qid, n_strengths=4)
    assert not path.weights.any()
    assert path.converged.all()
    assert np.all(np.diff(path.strengths) < 0)


@pytest.mark.parametrize(
    ("penalty", "share"),
    [
        (L1Penalty(), 1.0),
        (ElasticNetPenalty(0.25), 4.0),  # only a quarter of the strength holds weights at 0
        (LogPenalty(2.0), 2.0),  # its slope at 0 is strength / 2
        (LogPenalty(0.1), 1.0),  # reweighting begins with l1
        (WeightedL1Penalty([2.0] * 8), 0.5),
    ],
)
def test_the_critical_strength_is_the_largest_slope_of_the_loss_at_zero(penalty, share):
    data = planted(1)
    differences = pair_differences(data.X, data.y, data.query_ptr).astype(np.float64)
    largest = np.abs(2 * differences.mean(axis=0)).max()
    found = critical_strength(PairRisk(data, SquaredHingeLoss()), penalty)
    assert found == pytest.approx(share * largest, rel=1e-6)


def test_beside_free_weights_the_critical_strength_is_that_of_the_others():
    data = planted(0)
    penalty = WeightedL1Penalty([0.0, *[1.0] * 7])
    critical = critical_strength(PairRisk(data, SquaredHingeLoss()), penalty)
    above = SparseRankSVM(penalty, 1.001 * critical).fit(data)
    below = SparseRankSVM(penalty, 0.99 * critical).fit(data)
    assert np.flatnonzero(above.coef_).tolist() == [0]
    assert np.count_nonzero(below.coef_) == 2


def test_strengths_without_anything_to_learn_are_numbers_all_the_same():
    np.testing.assert_allclose(strengths_between(0.0, 0.01, 3), [1.0, 0.1, 0.01])


def test_progress_is_reported():
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        SparseRankSVM().path(planted(), n_strengths=4)
    assert [(done, total) for label, done, total in seen if label == "path"] == [
        (0, 4),
        (1, 4),
        (2, 4),
        (3, 4),
        (4, 4),
    ]

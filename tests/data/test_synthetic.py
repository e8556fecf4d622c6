import pickle
import subprocess
import sys

import numpy as np
import pytest

from ranksieve.data import make_ranking
from ranksieve.errors import ParameterError
from ranksieve.threads import threads


def correlations(data, target):
    return np.abs(np.corrcoef(data.X, target, rowvar=False)[-1, :-1])


@pytest.mark.parametrize("truth", ["linear", "nonlinear"])
def test_the_data_does_not_depend_on_the_number_of_threads(truth):
    with threads(1):
        single, _ = make_ranking(400, 120, truth=truth)
    with threads(5):
        threaded, _ = make_ranking(400, 120, truth=truth)
    assert single.n_blocks > 2
    assert single.fingerprint == threaded.fingerprint


def test_a_seed_gives_the_same_data_and_another_seed_other_data():
    prints = [make_ranking(20, random_state=seed)[0].fingerprint for seed in (1, 1, 2)]
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize("seed", range(5))
def test_every_feature_has_exactly_one_role(seed):
    counts = {"n_relevant": 4, "n_redundant": 6, "n_irrelevant": 3, "n_constant": 2}
    data, truth = make_ranking(5, **counts, random_state=seed)
    parts = [truth.relevant, truth.redundant, truth.irrelevant, truth.constant]
    assert [len(part) for part in parts] == list(counts.values())
    assert sorted(np.concatenate(parts).tolist()) == list(range(15))
    assert all((np.diff(part) > 0).all() for part in parts)
    assert data.feature_names == tuple(f"x{index}" for index in range(15))
    assert np.flatnonzero(truth.weights).tolist() == truth.relevant.tolist()
    assert sorted(truth.copies_of) == truth.redundant.tolist()
    assert set(truth.copies_of.values()) <= set(truth.relevant.tolist())
    assert (np.ptp(data.X, axis=0) == 0).nonzero()[0].tolist() == truth.constant.tolist()


def test_without_shuffling_roles_follow_each_other():
    _, truth = make_ranking(2, n_constant=1, shuffle=False)
    assert truth.relevant.tolist() == [0, 1, 2, 3, 4]
    assert truth.redundant.tolist() == [5, 6, 7, 8, 9]
    assert truth.constant.tolist() == [20]


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_copies_correlate_with_their_originals_as_the_noise_says(noise):
    data, truth = make_ranking(500, redundancy_noise=noise)
    for copy, original in truth.copies_of.items():
        measured = np.corrcoef(data.X[:, copy], data.X[:, original])[0, 1]
        assert measured == pytest.approx(1 / np.sqrt(1 + noise**2), abs=0.01)
        assert data.X[:, copy].std() == pytest.approx(1, abs=0.05)


def test_a_linear_truth_without_noise_orders_grades_inside_queries():
    data, truth = make_ranking(50, noise=0.0, dtype=np.float64)
    utility = data.X @ truth.weights
    for start, stop in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True):
        order = np.argsort(utility[start:stop])
        assert (np.diff(data.y[start:stop][order]) >= 0).all()


def test_irrelevant_features_carry_nothing():
    data, truth = make_ranking(1000)
    measured = correlations(data, data.y)
    assert measured[truth.irrelevant].max() < 4 / np.sqrt(data.n_documents)


@pytest.mark.parametrize("n_relevant", [4, 5])
def test_nonlinear_features_act_only_together(n_relevant):
    data, truth = make_ranking(1000, n_relevant=n_relevant, truth="nonlinear")
    limit = 4 / np.sqrt(data.n_documents)
    assert correlations(data, data.y)[truth.relevant].max() < limit
    absolute = np.abs(np.corrcoef(np.abs(data.X), data.y, rowvar=False)[-1, :-1])
    assert absolute[truth.relevant].max() < limit
    assert sum(len(group) for group in truth.interactions) == n_relevant
    for group in truth.interactions:
        joint = np.sign(data.X[:, list(group)]).prod(axis=1)
        weight = truth.weights[group[0]]
        assert np.sign(np.corrcoef(joint, data.y)[0, 1]) == np.sign(weight)
        assert abs(np.corrcoef(joint, data.y)[0, 1]) > 10 * limit * abs(weight)
        for feature in group:
            remaining = [other for other in group if other != feature]
            part = np.sign(data.X[:, remaining]).prod(axis=1)
            assert abs(np.corrcoef(part, data.y)[0, 1]) < limit


def test_five_grades_are_as_frequent_as_in_mslr():
    data, _ = make_ranking(3000)
    shares = np.bincount(data.y.astype(int), minlength=5) / data.n_documents
    np.testing.assert_allclose(shares, [0.52, 0.32, 0.13, 0.02, 0.01], atol=0.02)


@pytest.mark.parametrize("n_grades", [2, 3, 4, 7])
def test_lower_grades_are_more_frequent(n_grades):
    data, _ = make_ranking(2000, n_grades=n_grades)
    counts = np.bincount(data.y.astype(int))
    assert len(counts) == n_grades
    assert (np.diff(counts) < 0).all()


def test_the_number_of_relevant_documents_varies_more_than_by_chance():
    data, _ = make_ranking(500, (20, 20), n_grades=2)
    per_query = np.add.reduceat(data.y, data.query_ptr[:-1])
    share = data.y.mean()
    assert per_query.var() > 2 * 20 * share * (1 - share)


def test_sizes_of_queries_stay_inside_their_limits():
    sizes = np.diff(make_ranking(400, (3, 8))[0].query_ptr)
    assert (sizes.min(), sizes.max()) == (3, 8)
    sizes = np.diff(make_ranking(2000, 20)[0].query_ptr)
    assert (sizes.min(), sizes.max()) == (10, 30)
    assert sizes.mean() == pytest.approx(20, abs=0.5)
    assert np.diff(make_ranking(5, 1)[0].query_ptr).tolist() == [1] * 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_type_is_the_one_asked_for(dtype):
    data, _ = make_ranking(3, dtype=dtype)
    assert data.dtype == dtype
    assert all(block.X.flags.f_contiguous for block in data.blocks())


def test_the_truth_survives_pickling():
    _, truth = make_ranking(2)
    again = pickle.loads(pickle.dumps(truth))
    assert dict(again.copies_of) == dict(truth.copies_of)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_queries": 0}, "n_queries must be a whole number of at least 1"),
        ({"n_documents": (5, 3)}, r"n_documents must be \(least, most\), but is \(5, 3\)"),
        ({"n_queries": 1.5}, "n_queries must be a whole number"),
        ({"n_documents": 0}, "n_documents must be a whole number of at least 1"),
        ({"noise": np.inf}, "noise must be a number"),
        ({"n_relevant": 0}, "n_relevant must be at least 1 for a linear truth"),
        ({"n_relevant": 1, "truth": "nonlinear"}, "at least 2 for a nonlinear truth"),
        ({"n_irrelevant": -1}, "n_irrelevant must be a whole number of at least 0"),
        ({"n_grades": 1}, "n_grades must be a whole number of at least 2"),
        ({"truth": "cubic"}, "'linear' or 'nonlinear', but is 'cubic'"),
        ({"noise": -1.0}, "noise must be a number of at least 0"),
        ({"dtype": np.int32}, "dtype must be float32 or float64"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        make_ranking(**options)


@pytest.mark.slow
def test_wide_data_takes_no_more_memory_than_it_holds():
    code = (
        "import resource\nfrom ranksieve.data import make_ranking\nmake_ranking(2, 5)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "make_ranking(2, 5, n_irrelevant=20_000)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    grown = int(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert grown < 100_000  # KiB; the data has one MiB

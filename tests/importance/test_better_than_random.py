"""The tests behind `better_than_random`, beside slow ones, and features that hardly vary."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from ranksieve import MAP, make_ranking
from ranksieve.data import from_arrays
from ranksieve.importance import Importance, as_importance
from ranksieve.importance._evidence import evidence_of, is_significant
from ranksieve.measures import parse_measure
from tests.reference.cases import random_arrays, row_ids


def by_t_test(differences):
    """Student's one-sided test at 0.025, by scipy; None where it says nothing."""
    if np.count_nonzero(differences) < 2 or np.ptp(differences) == 0:
        return None
    return stats.ttest_1samp(differences, 0.0, alternative="greater").pvalue < 0.025


def queries_of(query_ptr):
    return [slice(a, b) for a, b in itertools.pairwise(query_ptr)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shift", [0.0, 0.2, 0.6])
def test_the_test_is_scipys_student_test(seed, shift):
    differences = np.random.default_rng(seed).normal(shift, size=(30, 25))
    significant = is_significant(evidence_of(differences), 25)
    assert significant.tolist() == [by_t_test(each) for each in differences]


def test_with_fitted_weights_the_limit_is_that_of_a_chi_square_for_many_queries():
    t = 2.0
    n = 1_000_000
    # Mean and spread such that t is 2: sum = n m, squares = n (m^2 + 1), m = t / sqrt(n).
    mean = t / np.sqrt(n)
    evidence = np.array([[n * mean], [n * (mean**2 + 1)], [n]])
    for degrees in (1, 2, 3):
        assert is_significant(evidence, n, degrees)[0] == (t**2 > stats.chi2.ppf(0.95, degrees))
    assert not is_significant(evidence, n, 0)[0]


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("n_queries", [2, 10, 1017])
def test_one_query_shows_nothing_whatever_its_difference_and_equal_ones_do(size, n_queries):
    one, equal = np.zeros((2, 1, n_queries))
    one[0, 0], equal[0] = size, size
    assert not is_significant(evidence_of(one), n_queries)[0]
    assert is_significant(evidence_of(equal), n_queries)[0]
    assert not is_significant(evidence_of(-equal), n_queries)[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", ["map", "ndcg@3", "MAP(no_relevant='skip')"])
def test_measures_are_compared_with_the_mean_over_random_orders(seed, measure):
    X, y, query_ptr = random_arrays(seed)
    X[:, 1] += 0.2 * y
    qid = row_ids(query_ptr)
    measure = parse_measure(measure).with_ties("average")
    random = measure.per_query(y, np.zeros(len(y)), qid=qid)
    better = as_importance(measure).better_than_random(from_arrays(X, y, qid))
    for f, claimed in zip(X.T, better, strict=True):
        ways = [measure.per_query(y, sign * f, qid=qid) for sign in (1, -1)]
        values = max(ways, key=np.nanmean)
        differences = (values - random)[~np.isnan(random)]
        expected = by_t_test(np.where(np.abs(differences) < 1e-12, 0.0, differences))
        assert claimed == bool(expected)


@pytest.mark.parametrize("seed", range(6))
def test_pair_error_compares_right_and_wrong_pairs_of_queries(seed):
    X, y, query_ptr = random_arrays(seed, n_queries=20)
    X[:, 1] += 0.15 * y
    better = as_importance("pair-error").better_than_random(from_arrays(X, y, row_ids(query_ptr)))
    for f, claimed in zip(X.T, better, strict=True):
        leads = [
            sum(
                np.sign(f[q][i] - f[q][j])
                for i, j in itertools.permutations(range(len(f[q])), 2)
                if y[q][i] > y[q][j]
            )
            for q in queries_of(query_ptr)
            if np.ptp(y[q]) > 0
        ]
        assert claimed == bool(by_t_test(np.sign(np.sum(leads)) * np.array(leads)))


@pytest.mark.parametrize("seed", range(6))
def test_pearson_compares_the_covariances_of_queries(seed):
    X, y, query_ptr = random_arrays(seed, n_queries=20)
    X[:, 1] += 0.15 * y
    data = from_arrays(X, y, row_ids(query_ptr))
    pearson = as_importance("pearson")
    for f, claimed in enumerate(pearson.better_than_random(data)):
        towards = pearson.directions(data)[f]
        covariances = [
            len(y[q]) * np.cov(X[q, f], y[q], bias=True)[0, 1]
            for q in queries_of(query_ptr)
            if np.ptp(y[q]) > 0
        ]
        rounded = np.where(np.abs(covariances) < 1e-12, 0.0, covariances)
        assert claimed == bool(by_t_test(towards * rounded))


@pytest.mark.parametrize("seed", range(4))
def test_bins_are_compared_with_random_orders_of_the_documents_of_queries(seed):
    rng = np.random.default_rng(seed)
    query_ptr = np.arange(31) * 6
    y = rng.integers(0, 2, size=180).astype(float)
    X = np.column_stack([rng.normal(size=180) + shift * y for shift in (0, 0.3, 0.6, 1.0)])
    qid = row_ids(query_ptr)
    gain = as_importance("information-gain(bins='equal-frequency', n_bins=2)")
    better = gain.better_than_random(from_arrays(X, y, qid))
    for f, claimed in zip(X.T, better, strict=True):
        bins = (f > np.sort(f)[89]).astype(int)
        counts = np.array([[((bins == b) & (y == g)).sum() for g in (0, 1)] for b in (0, 1)])
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 180
        weight = (counts - expected) / expected
        differences = []
        for q in queries_of(query_ptr):
            if np.ptp(y[q]) == 0:
                continue
            levels = y[q].astype(int)
            orders = [weight[bins[q], np.roll(levels, step)].sum() for step in range(6)]
            differences.append(orders[0] - np.mean(orders))  # rotations average as all orders do
        differences = np.where(np.abs(differences) < 1e-12, 0.0, differences)
        assert claimed == bool(by_t_test(differences))


# Features that hardly vary, in data of the size where they came second


NAMES = ["map", "ndcg@10", "pair-error", "cross-entropy", "spearman", "pearson"]
NAMES += ["information-gain", "chi-square", "mutual-information"]
NAMES += ["information-gain(bins='equal-frequency')"]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NAMES)
def test_a_value_in_one_document_or_one_query_of_a_thousand_is_not_better_than_random(name, seed):
    rng = np.random.default_rng(seed)
    data, truth = make_ranking(1000, 12, n_relevant=1, n_redundant=0, n_irrelevant=1)
    y, qid = data.y, np.asarray(data.qid)
    best = rng.choice(np.flatnonzero(y == y.max()))
    document = np.zeros(len(y))
    document[best] = 1.0
    query = np.where(qid == qid[best], y, 0.0)
    weak = y + 8.0 * rng.normal(size=len(y))
    X = np.column_stack([document, query, -query, weak, data.X[:, truth.relevant[0]]])
    better = as_importance(name).better_than_random(from_arrays(X, y, qid))
    assert better[:3].tolist() == [False] * 3
    assert better[4]
    if not name.endswith("information") and "gain" not in name and "chi" not in name:
        assert better[3]  # those over bins need more than so weak a feature


# The default, for importances of other packages


@dataclass(frozen=True)
class Covariance(Importance):
    """An importance that writes nothing but its scores."""

    def scores(self, data):
        X, y = np.asarray(data.X, np.float64), data.y
        return np.abs(((X - X.mean(axis=0)) * (y - y.mean())[:, None]).mean(axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_the_default_compares_with_shuffled_grades(seed):
    data, truth = make_ranking(60, 10, n_relevant=2, n_irrelevant=4, n_redundant=0, n_constant=1)
    y, qid = data.y, np.asarray(data.qid)
    query = np.where(qid == qid[0], 50.0 * y, 0.0)
    by_query = 100.0 * (qid == qid[5])
    X = np.column_stack([data.X, query, by_query])
    moved = from_arrays(X, y, qid)
    better = Covariance().better_than_random(moved)
    assert better[truth.relevant].all()
    assert not better[truth.constant].any()
    assert not better[-2:].any()
    np.testing.assert_array_equal(better, Covariance().better_than_random(moved))
    rating = Covariance().rating(moved)
    np.testing.assert_array_equal(rating.better_than_random, better)
    np.testing.assert_array_equal(rating.falling, rating.scores)


def test_by_the_default_about_one_in_twenty_features_of_noise_is_better():
    rng = np.random.default_rng(0)
    y, qid = rng.integers(0, 3, size=240), np.arange(240) // 8
    share = Covariance().better_than_random(from_arrays(rng.normal(size=(240, 400)), y, qid)).mean()
    assert 0.01 <= share <= 0.09


def test_a_measure_that_leaves_queries_out_does_not_count_them():
    rng = np.random.default_rng(0)
    y = np.tile([0, 0, 1.0], 12)
    y[: 3 * 8] = 0.0
    f = y + 0.1 * rng.random(len(y))
    data = from_arrays(f[:, None], y, np.arange(36) // 3)
    assert as_importance(MAP(no_relevant="skip")).better_than_random(data)[0]

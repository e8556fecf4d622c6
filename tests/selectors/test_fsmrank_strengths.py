"""Both strengths of FSMRank by folds of queries."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ranksieve import FSMSVM, NDCG, FSMRank, make_ranking
from ranksieve.data import k_folds
from ranksieve.errors import ParameterError
from ranksieve.estimator import decades

LAMBDA1 = np.array([0.0, *decades(-4, 0, 2)])


def planted(seed=0, n_queries=18):
    sizes = {"n_relevant": 3, "n_redundant": 2, "n_irrelevant": 3, "n_constant": 1}
    return make_ranking(n_queries, 10, random_state=seed, **sizes)[0]


@cache
def held_out_values(seed, pairs, n_folds):
    """One row a pair of strengths, one column a held-out query; and sizes by fold and pair."""
    data = planted(seed)
    values, sizes = [], []
    for train, test in k_folds(data, n_folds, random_state=0):
        fits = [FSMRank(a, b, tol=1e-8).fit(train) for a, b in pairs]
        values.append([NDCG(10).per_query(test.y, fit.predict(test), qid=test.qid) for fit in fits])
        sizes.append([fit.n_features_ for fit in fits])
    return np.hstack(values), np.array(sizes)


@pytest.mark.parametrize("rule", ["best", "one-standard-error"])
@pytest.mark.parametrize("seed", range(2))
def test_pairs_of_strengths_are_chosen_as_by_a_slow_loop(rule, seed):
    data = planted(seed)
    options = {"n_folds": 3, "n_strengths": 4, "tol": 1e-8}
    fsm = FSMRank("cv", "cv", rule=rule, **options).fit(data)
    found = fsm.cross_validation_
    pairs = list(zip(found.similarity_strengths, found.numbers, strict=True))
    assert len(pairs) == len(LAMBDA1) * 4
    np.testing.assert_array_equal(np.unique(found.similarity_strengths), LAMBDA1)
    values, sizes = held_out_values(seed, tuple(pairs), 3)
    means = values.mean(axis=1)
    np.testing.assert_allclose(found.means, means, atol=1e-12)
    np.testing.assert_array_equal(found.n_features, sizes.mean(axis=0))

    simple = sorted(
        np.flatnonzero((sizes > 0).all(axis=0)),
        key=lambda row: (sizes[:, row].mean(), -pairs[row][0], -pairs[row][1]),
    )
    best = next(row for row in simple if means[row] >= means[simple].max() - 1e-12)
    less = values[best] - values
    errors = less.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    near = next(row for row in simple if less[row].mean() <= errors[row] + 1e-12)
    taken = best if rule == "best" else near
    assert (found.best_similarity_strength, found.best) == pairs[best]
    assert (found.chosen_similarity_strength, found.chosen) == pairs[taken]
    assert (fsm.similarity_strength_, fsm.importance_strength_) == pairs[taken]
    assert found.chosen_mean == pytest.approx(means[taken], abs=1e-12)
    alone = FSMRank(*pairs[taken], tol=1e-8).fit(data)
    np.testing.assert_allclose(fsm.coef_, alone.coef_, atol=1e-6)


def test_the_similarity_strength_alone_is_chosen_at_the_other_one():
    data = planted(1)
    fsm = FSMRank("cv", 0.01, n_folds=3).fit(data)
    found = fsm.cross_validation_
    np.testing.assert_array_equal(found.similarity_strengths, LAMBDA1)
    assert set(found.numbers) == {0.01}
    assert fsm.importance_strength_ == 0.01
    assert fsm.similarity_strength_ == found.chosen_similarity_strength
    free = FSMRank("cv", 0.0, n_folds=3).fit(data)
    np.testing.assert_array_equal(free.cross_validation_.similarity_strengths, LAMBDA1[1:])


def test_with_a_number_of_features_folds_choose_and_then_the_number_counts():
    data = planted(2)
    options = {"n_folds": 3, "n_strengths": 4}
    fsm = FSMRank("cv", n_features_to_select=2, **options).fit(data)
    both = FSMRank("cv", "cv", **options).fit(data)
    assert fsm.similarity_strength_ == both.similarity_strength_
    assert np.count_nonzero(fsm.coef_) == fsm.n_features_ == 2
    alone = FSMRank(fsm.similarity_strength_, n_features_to_select=2).fit(data)
    np.testing.assert_array_equal(alone.get_support(), fsm.get_support())
    chosen = FSMRank("cv", n_features_to_select="validation", **options).fit(data)
    assert chosen.n_features_ == chosen.validation_.chosen


def test_without_it_nothing_is_chosen_and_the_number_is_said():
    fsm = FSMRank(0.02, 0.01).fit(planted(0))
    assert fsm.similarity_strength_ == 0.02
    assert not hasattr(fsm, "cross_validation_")
    by_folds = FSMRank(0.02, "cv", n_folds=3, n_strengths=4).fit(planted(0))
    assert by_folds.cross_validation_.similarity_strengths is None


def test_fsmsvm_and_paths_take_it_too():
    data = planted(0)
    options = {"n_folds": 3, "n_strengths": 4}
    svm = FSMSVM(3, similarity_strength="cv", **options).fit(data)
    fsm = FSMRank("cv", "cv", **options).fit(data)
    assert svm.similarity_strength_ == fsm.similarity_strength_
    assert svm.cross_validation_.chosen_similarity_strength == fsm.similarity_strength_
    path = FSMRank("cv", **options).path(data, strengths=[0.02])
    alone = FSMRank(fsm.similarity_strength_, 0.02).fit(data)
    np.testing.assert_allclose(path.weights[0], alone.coef_, atol=1e-4)


def test_grades_that_are_all_equal_leave_nothing_to_choose():
    data = planted(0, n_queries=6)
    fsm = FSMRank("cv").fit(data.X, np.ones(data.n_documents), qid=data.qid)
    assert not fsm.coef_.any()
    assert fsm.similarity_strength_ == 0.0


def test_another_text_is_refused():
    with pytest.raises(ParameterError, match=r"at least 0, or 'cv'.*but is 'best'"):
        FSMRank("best", 0.1).fit(planted(0, n_queries=4))

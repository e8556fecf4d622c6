"""What selectors and rankers share: how queries are given to `fit`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ranksieve import GAS, FSMRank, LightGBMRanker, RankNet, RankSVM, SparseRankSVM, make_ranking
from ranksieve.errors import ParameterError

X, y, qid = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1], [1, 1, 2, 2]


@pytest.mark.parametrize("estimator", [GAS(), RankSVM(), RankNet(), LightGBMRanker()])
def test_fit_says_how_query_ids_are_given(estimator):
    with pytest.raises(ParameterError, match=r"query ids by their name, .*: fit\(X, y, qid=qid\)"):
        estimator.fit(X, y, qid)
    for name in ("group", "group_sizes"):
        with pytest.raises(ParameterError, match=r"not group sizes: .*qid=np.repeat"):
            estimator.fit(X, y, **{name: [2, 2]})
    with pytest.raises(ParameterError, match="as qid and not as query_id"):
        estimator.fit(X, y, query_id=qid)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        estimator.fit(X, y, qid=qid, weight=1)


def test_the_signature_of_fit_is_still_its_own():
    assert list(inspect.signature(GAS().fit).parameters) == ["X", "y", "qid"]
    assert list(inspect.signature(RankNet().fit).parameters) == ["X", "y", "qid", "validation"]


def test_an_ending_has_plain_numbers_of_what_the_fit_says():
    svm = RankSVM(C=0.1).fit(X, y, qid=qid)
    svm.converged_, svm.n_iter_, svm.gap_ = np.bool_(True), np.int64(3), np.float64("nan")
    ending = svm.ending()
    assert (ending.converged, ending.n_iter, ending.settled) == (True, 3, {"C": 0.1})
    assert [type(ending.converged), type(ending.n_iter)] == [bool, int]
    assert ending.gap is None
    assert ending.bound is None


def test_what_is_not_fitted_has_no_ending():
    with pytest.raises(NotFittedError):
        RankSVM().ending()


def test_the_ending_of_an_exact_search_has_its_bound_and_that_of_greedy():
    data, _ = make_ranking(20, n_relevant=2, n_redundant=1, n_irrelevant=2)
    ending = GAS(2, solver="exact", balance=0.2).fit(data).ending()
    assert ending.converged
    assert ending.bound == pytest.approx(ending.objective)
    assert ending.settled == {"balance": 0.2}
    assert ending.details.keys() == {"greedy_objective", "greedy_shortfall"}
    assert GAS(2).fit(data).ending().bound is None


def test_the_ending_of_an_embedded_model_has_its_strength():
    data, _ = make_ranking(20, n_relevant=2, n_redundant=1, n_irrelevant=2)
    assert SparseRankSVM(strength=0.01).fit(data).ending().settled == {"strength": 0.01}
    assert SparseRankSVM(strength=0.01).strength_on_path() == 0.01
    assert SparseRankSVM(strength="cv").strength_on_path() is None
    assert FSMRank("cv", 0.01).strength_on_path() is None
    assert FSMRank(0.1, 0.01).strength_on_path() == 0.01
    assert GAS().strength_on_path() is None

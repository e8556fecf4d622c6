"""What selectors and rankers share: how queries are given to `fit`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from ranksieve import GAS, LightGBMRanker, RankNet, RankSVM
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

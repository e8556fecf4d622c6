"""Boosted regression trees for selectors that need some, where none are named."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.rankers import Ranker
from ranksieve.selectors.base import Selector
from ranksieve.selectors.wrappers._rankrfe_estimators import as_estimator

_LIGHTGBM = "LightGBMRanker(50, num_leaves=7, objective='regression')"
_SCIKIT_LEARN = "PointwiseRanker('GradientBoostingRegressor(n_estimators=50, random_state=0)')"


def as_trees(spelled: Any) -> Any:
    """Return a new ranker; for None trees that are boosted by squared errors.

    Examples
    --------
    >>> as_trees("XGBoostRanker(20)")
    XGBoostRanker(n_estimators=20)
    """
    if spelled is None:
        usual = _LIGHTGBM if find_spec("lightgbm") is not None else _SCIKIT_LEARN
        return catalog.parse(usual, "rankers")
    ranker = as_estimator(spelled)
    if isinstance(ranker, Selector) and not isinstance(ranker, Ranker):
        raise ParameterError(
            f"ranker must give documents scores, but {type(ranker).__name__} is a selector. "
            "Give a ranker of trees such as 'LightGBMRanker'."
        )
    return ranker

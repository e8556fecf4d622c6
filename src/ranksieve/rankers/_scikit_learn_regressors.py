"""scikit-learn's regressors by name and by text."""

from __future__ import annotations

from functools import cache
from typing import Any

from sklearn.base import clone

from ranksieve import catalog
from ranksieve.errors import ParameterError


def regressor_class(name: str) -> Any:
    """Return scikit-learn's regressor of a name.

    Examples
    --------
    >>> regressor_class("Ridge").__name__
    'Ridge'
    >>> regressor_class("Rigde")
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: unknown regressor 'Rigde': did you mean 'Ridge'? Give the
    name of one of scikit-learn's regressors, or an object.
    """
    classes = _classes()
    if name not in classes:
        raise ParameterError(
            f"unknown regressor {name!r}{catalog.suggestion(name, classes)} Give the name of one "
            "of scikit-learn's regressors, or an object."
        )
    return classes[name]


def as_regressor(spelled: Any) -> Any:
    """Return a new regressor that text spells, or that is like an object.

    Examples
    --------
    >>> as_regressor("Ridge(alpha=2.0)")
    Ridge(alpha=2.0)
    """
    if isinstance(spelled, str):
        return catalog.parse_with(spelled, regressor_class)
    if isinstance(spelled, type):
        problem = f"is the class {spelled.__name__}: give an object, {spelled.__name__}()"
    elif not callable(getattr(spelled, "fit", None)) or not hasattr(spelled, "predict"):
        problem = f"is {spelled!r}"
    else:
        return clone(spelled)
    raise ParameterError(
        "regressor must be text such as 'Ridge(alpha=2.0)', or an object with fit and predict, "
        f"but {problem}"
    )


@cache
def _classes() -> dict[str, Any]:
    # Here, since it imports all of scikit-learn.
    from sklearn.utils.discovery import all_estimators

    return dict(all_estimators("regressor"))

"""Fitted attributes as JSON, exactly, and back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_]*_")
# Set by whoever loads a file, from what it says about the features.
_BESIDE = ("n_features_in_", "feature_names_in_", "scaling_")
_KINDS = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
_PLAIN = ("float64", "int64")
# Numbers for which JSON has no form are these texts.
_NOT_FINITE = ("nan", "inf", "-inf")
_PER_FEATURE = ("coef_", "feature_importances_", "scores_", "importance_")


def fitted_values(estimator: Any) -> dict[str, Any]:
    """Return the fitted numbers, texts and arrays of an estimator, ready for JSON.

    float64 and int64 arrays are nested lists, others, text too, name their type. Objects that tell
    how a fit went (traces, curves) have no such form and are left out.
    """
    values = {}
    for name, value in vars(estimator).items():
        if _ATTRIBUTE.fullmatch(name) and name not in _BESIDE:
            encoded, form = _encoded(value)
            if encoded:
                values[name] = form
    return values


def set_fitted_values(estimator: Any, values: Any) -> None:
    """Set what `fitted_values` returned; DataError where it is something else."""
    if not isinstance(values, dict):
        raise DataError("the fitted values are no JSON object")
    for name, form in values.items():
        if not _ATTRIBUTE.fullmatch(name) or name in _BESIDE:
            raise DataError(f"{name!r} is no name of a fitted value")
        setattr(estimator, name, _decoded(name, form))


def fitted_array(name: str, value: Any, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """Return a fitted value in float64; DataError unless it has the shape, None for any length.

    Examples
    --------
    >>> fitted_array("coef_", np.array([1, 2]), (2,))
    array([1., 2.])
    >>> fitted_array("coef_", np.array([1, 2]), (3,))
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: the fitted value 'coef_' must be of shape (3,), but is of shape (2,)
    """
    actual = np.shape(value) if isinstance(value, np.ndarray) else None
    if actual is None or len(actual) != len(shape):
        fits = False
    else:
        fits = all(want in (None, have) for want, have in zip(shape, actual, strict=True))
    if not fits:
        has = "is no array" if actual is None else f"is of shape {actual}"
        raise DataError(f"the fitted value {name!r} must be of shape {shape}, but {has}")
    return np.ascontiguousarray(value, dtype=np.float64)


def check_per_feature(estimator: Any) -> None:
    """Raise DataError unless what an estimator has for each feature is one number for each.

    A selector that ranks must have the order of its features, too, and how many are selected.
    """
    n_features, values = estimator.n_features_in_, vars(estimator)
    for name in _PER_FEATURE:
        if name in values:
            fitted_array(name, values[name], (n_features,))
    if not hasattr(estimator, "get_support"):
        return
    order, n_selected = values.get("order_"), values.get("n_features_")
    if not np.array_equal(np.sort(fitted_array("order_", order, (n_features,))), range(n_features)):
        raise DataError("the fitted value 'order_' is no order of its features")
    if type(n_selected) is not int or not 0 <= n_selected <= n_features:
        raise DataError(
            f"the fitted value 'n_features_' must be from 0 to {n_features}, but is {n_selected!r}"
        )
    estimator.order_ = np.asarray(order).astype(np.int64)


def _encoded(value: Any) -> tuple[bool, Any]:
    if value is None or isinstance(value, bool | int | str):
        return True, value
    if isinstance(value, float | np.generic):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "U" and value.ndim == 1:
        return True, {"dtype": "text", "values": value.tolist()}
    if not isinstance(value, np.ndarray) or value.dtype.name not in _KINDS:
        return False, None
    finite = bool(np.isfinite(value).all())
    if finite and (value.ndim == 0 or (value.size and value.dtype.name in _PLAIN)):
        return True, value.tolist()
    # JSON has no infinities and no NaN: they are text.
    flat = [item if np.isfinite(item) else str(item) for item in value.ravel().tolist()]
    return True, {"dtype": value.dtype.name, "shape": list(value.shape), "values": flat}


def _decoded(name: str, form: Any) -> Any:
    try:
        if isinstance(form, list):
            return _array(form)
        if not isinstance(form, dict):
            return form
        kind, values = form["dtype"], form["values"]
        if kind == "text":
            return _texts(values)
        if kind not in _KINDS or not _are_numbers(values, _NOT_FINITE):
            raise ValueError
        array = np.array(values, dtype=kind).reshape(form["shape"])
        return array if array.ndim else array.item()
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DataError(f"the fitted value {name!r} is no array of numbers") from None


def _texts(values: Any) -> NDArray[Any]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError
    return np.array(values, dtype=np.str_)


def _array(values: list[Any]) -> NDArray[Any]:
    leaves = values
    while leaves and isinstance(leaves[0], list):
        leaves = [item for items in leaves for item in items]
    # Before numpy makes an array of texts, each as long as the longest.
    if not _are_numbers(leaves, ()):
        raise ValueError
    array = np.array(values)
    if array.dtype.name not in _KINDS:
        raise ValueError
    return array


def _are_numbers(values: Any, texts: tuple[str, ...]) -> bool:
    """Tell whether all items of a list are numbers, or one of some texts."""
    return isinstance(values, list) and all(
        value in texts if isinstance(value, str) else isinstance(value, int | float)
        for value in values
    )

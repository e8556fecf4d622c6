"""Splits in float32: the same documents go left in an engine's arithmetic as in double.

Features reach engines as float32. A split `x <= t` with t in double then asks for `x <= T`, T the
largest float32 that is not above t. Each engine has its own way to ask:

    x <= T              RankLib, ONNX
    x < T'              Elasticsearch, OpenSearch: T' is the next float32 above T
    x <= S + 1e-6       Solr, the sum in float32: S is searched
    x < t'              Vespa, in double: t' is the next double above t
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError

LARGEST = np.finfo(np.float32).max
# What Solr adds to each threshold.
SOLR_SLACK = np.float32(1e-6)
# Numbers around the difference among which a threshold of Solr is searched.
_NEIGHBOURS = 3


def single(values: NDArray[np.float64], subject: str) -> NDArray[np.float32]:
    """Return values rounded to float32; ParameterError where one is beyond its range.

    Examples
    --------
    >>> single(np.array([1e39]), "a weight")
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: a weight of the model is 1e+39, but engines hold numbers of
    float32, which end at 3.4e38. Scale the features first.
    """
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    if not np.isfinite(rounded).all():
        worst = values[~np.isfinite(rounded)][0]
        raise ParameterError(
            f"{subject} of the model is {worst:g}, but engines hold numbers of float32, which end "
            "at 3.4e38. Scale the features first."
        )
    return rounded


def single_below(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the largest finite float32 not above each number; -inf where there is none.

    Examples
    --------
    >>> single_below(np.array([0.5, 0.1, -1e300, 1e300, -0.0]))
    array([5.0000000e-01, 9.9999994e-02,          -inf, 3.4028235e+38,
           0.0000000e+00], dtype=float32)
    """
    thresholds = np.asarray(thresholds, dtype=np.float64)
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32)
    too_large = rounded.astype(np.float64) > thresholds
    rounded[too_large] = np.nextafter(rounded[too_large], np.float32(-np.inf))
    # Adding 0 leaves no -0.
    return np.minimum(rounded, LARGEST) + np.float32(0.0)


def single_above(threshold: np.float32) -> np.float32:
    """Return T' for which x < T' says x <= T, or the largest number where none is above it.

    Examples
    --------
    >>> float(single_above(np.float32(0.0)))
    1.401298464324817e-45
    """
    if threshold >= LARGEST:
        return LARGEST
    following: np.float32 = np.nextafter(threshold, np.float32(np.inf))
    return following


def solr_threshold(threshold: np.float32, scale: int = 0) -> np.float32 | None:
    """Return S that splits as x <= threshold where x is multiplied by 2^scale; None without any.

    float32(S + 1e-6) must be at least the threshold, and less than the number after it, both
    multiplied: values of the feature are float32 numbers, of which there are none between.

    Examples
    --------
    >>> solr_threshold(np.float32(0.0)) == -SOLR_SLACK
    np.True_
    >>> solr_threshold(np.float32(1e-35)) is None
    True
    >>> round(float(solr_threshold(np.float32(1e-35), scale=110)), 6)
    0.01298
    """
    if np.isinf(threshold) or threshold == LARGEST:
        return threshold
    low: np.float32 = np.ldexp(threshold, scale)
    high: np.float32 = np.ldexp(single_above(threshold), scale)
    if low <= low + SOLR_SLACK < high:
        return low
    smaller = larger = np.float32(low - SOLR_SLACK)
    for _ in range(_NEIGHBOURS):
        for candidate in (smaller, larger):
            if low <= candidate + SOLR_SLACK < high:
                return candidate
        smaller = np.nextafter(smaller, np.float32(-np.inf))
        larger = np.nextafter(larger, np.float32(np.inf))
    return None


def solr_threshold_below(threshold: np.float32) -> np.float32:
    """Return S with the largest float32(S + 1e-6) that is not above the threshold.

    Examples
    --------
    >>> float(solr_threshold_below(np.float32(1e-35)) + SOLR_SLACK)
    0.0
    """
    # By halves: beside a threshold of 1e-6 a thousand million numbers S near 0 have the same sum.
    low, high = _position(-LARGEST), _position(LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        if _at(middle) + SOLR_SLACK <= threshold:
            low = middle
        else:
            high = middle
    return _at(low)


def _position(number: np.float32) -> int:
    """Return the place of a number among all float32 numbers, 0 for 0.0."""
    magnitude = int(np.abs(number).view(np.int32))
    return -magnitude if number < 0 else magnitude


def _at(position: int) -> np.float32:
    magnitude: np.float32 = np.int32(abs(position)).view(np.float32)
    return -magnitude if position < 0 else magnitude


def text(value: float | np.float32) -> float:
    """Return a float32 number as the double that JSON writes in full.

    Its digits are read back as the same float32 by readers of float and of double alike; the
    shortest digits of a float32 might not be, when a reader rounds twice.

    Examples
    --------
    >>> text(np.float32(0.1))
    0.10000000149011612
    """
    return float(value)

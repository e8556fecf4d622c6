"""How much may be lost: a share of the measure with all features, or an amount of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError

_AMOUNT = re.compile(r"\s*([0-9.eE+-]+)\s*(%|[A-Za-z]\S*)?\s*")


@dataclass(frozen=True)
class Margin:
    """The largest loss that counts as none.

    Attributes
    ----------
    size : float
    relative : bool
        Whether the loss is a share of the measure with all features, or an amount of it.

    Examples
    --------
    >>> Margin(0.01).amount(0.5), Margin(0.005, relative=False).amount(0.5)
    (0.005, 0.005)
    """

    size: float
    relative: bool = True

    def amount(self, reference: float) -> float:
        """Return the margin in units of the measure, for its value with all features."""
        return self.size * reference if self.relative else self.size

    def excess(
        self, values: NDArray[np.float64], reference: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return, per query, how far a set is above the worst that is still good enough.

        A set is good enough if the mean over all queries that may come is above 0.
        """
        limit = (1 - self.size) * reference if self.relative else reference - self.size
        difference: NDArray[np.float64] = values - limit
        return difference

    def __str__(self) -> str:
        return f"{100 * self.size:g} %" if self.relative else f"{self.size:g}"


def as_margin(margin: Any) -> Margin:
    """Return the margin that a number or a text spells.

    A number is a share of the measure with all features, and so is "1 %"; a number with the
    name of a measure is an amount of it.

    Examples
    --------
    >>> as_margin(0.01), as_margin("1 %"), as_margin("0.005 ndcg")
    (Margin(size=0.01, relative=True), Margin(size=0.01, relative=True),
     Margin(size=0.005, relative=False))
    """
    if isinstance(margin, Margin):
        return margin
    size, unit = _read(margin)
    if unit == "%":
        size /= 100
    if size is None or not 0 < size < 1:
        raise ParameterError(
            "margin must be between 0 and 1: a share of the measure with all features such as "
            f"0.01 or '1 %', or an amount of it such as '0.005 ndcg', but is {margin!r}"
        )
    return Margin(size, relative=unit in ("", "%"))


def _read(margin: Any) -> tuple[float, str]:
    if isinstance(margin, int | float | np.integer | np.floating) and not isinstance(margin, bool):
        return float(margin), ""
    match = _AMOUNT.fullmatch(margin) if isinstance(margin, str) else None
    try:
        return (float(match[1]), match[2] or "") if match else (np.nan, "")
    except ValueError:
        return np.nan, ""

"""What features cost: a price for each, and groups that are paid once."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.catalog import suggestion
from ranksieve.errors import ParameterError

_COLUMNS = ("feature", "cost", "group")


@dataclass(frozen=True, eq=False)
class Costs:
    """Prices of the features of some data.

    A *unit* is what is paid at once: a feature alone, or a group of features that come
    together, such as those that one call to an index computes. A set of features costs the sum
    of the prices of the units of which it has a feature.

    Attributes
    ----------
    units : (n_features,) array of int64, the unit of each feature
    prices : (n_units,) array, what each unit costs
    priced : bool, False where every feature costs 1 because nobody said otherwise

    Examples
    --------
    >>> costs = Costs.alike(3)
    >>> costs.price(np.array([True, False, True]))
    2.0
    """

    units: NDArray[np.int64]
    prices: NDArray[np.float64]
    priced: bool = True

    @classmethod
    def alike(cls, n_features: int) -> Costs:
        """Return a price of 1 for each feature: the cost of a set is its number of features."""
        return cls(np.arange(n_features), np.ones(n_features), priced=False)

    def price(self, selected: NDArray[np.bool_]) -> float:
        """Return what a set of features costs, given as a mask."""
        return float(self.prices[np.unique(self.units[selected])].sum())

    def feature_prices(self) -> NDArray[np.float64]:
        """Return the price of each feature's unit."""
        prices: NDArray[np.float64] = self.prices[self.units]
        return prices

    def columns(self, order: NDArray[np.int64]) -> Costs:
        """Return the costs of some features of the data, in another order."""
        present, units = np.unique(self.units[order], return_inverse=True)
        return Costs(units.astype(np.int64), self.prices[present], self.priced)


def check_budget(budget: float, costs: Costs) -> None:
    """Raise ParameterError where not even one feature is within the budget."""
    cheapest = float(costs.feature_prices().min())
    if cheapest > budget:
        raise ParameterError(
            f"budget={budget:g} is below the cheapest set: no feature costs less than {cheapest:g}"
        )


def as_costs(costs: Any, feature_names: Sequence[str]) -> Costs:
    """Return the costs that a parameter spells.

    Parameters
    ----------
    costs : None, path, mapping or sequence
        None for a price of 1 each; a CSV file with the columns feature, cost and, where several
        features are paid at once, group; a price for each name; or a price for each feature.
    feature_names : names of the features that need a price

    Examples
    --------
    >>> as_costs({"bm25": 2.0, "clicks": 30}, ["bm25", "clicks"]).prices
    array([ 2., 30.])
    """
    if costs is None:
        return Costs.alike(len(feature_names))
    if isinstance(costs, Costs):
        return costs
    if isinstance(costs, str | os.PathLike):
        return read_costs(costs, feature_names)
    if isinstance(costs, Mapping):
        rows = [_Row(str(name), cost, "", f"costs[{name!r}]") for name, cost in costs.items()]
        return _assembled(rows, feature_names, "costs")
    return _from_array(costs, feature_names)


def read_costs(path: str | os.PathLike[str], feature_names: Sequence[str]) -> Costs:
    """Return the costs in a CSV file with the columns feature, cost and perhaps group.

    Features are given by name or, where that is none, by their number from 1. All features of a
    group have its price, which is paid once; a group whose rows differ is an error.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"costs: cannot read {file} ({error})") from None
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    header = [name.strip().lower() for name in reader.fieldnames or ()]
    missing = [name for name in _COLUMNS[:2] if name not in header]
    if missing:
        raise ParameterError(
            f"{file} must begin with a line 'feature,cost' or 'feature,cost,group', but has no "
            f"column {missing[0]!r}: its first line is {text.splitlines()[:1]}"
        )
    reader.fieldnames = header
    rows = [
        _Row(
            (row["feature"] or "").strip(),
            (row["cost"] or "").strip(),
            (row.get("group") or "").strip(),
            f"{file}, line {reader.line_num}",
        )
        for row in reader
    ]
    return _assembled(rows, feature_names, str(file))


@dataclass(frozen=True)
class _Row:
    feature: str
    cost: Any
    group: str
    where: str

    def price(self) -> float:
        """Return the cost as a number of at least 0; ParameterError where it is none."""
        try:
            price = float(self.cost)
        except (TypeError, ValueError):
            price = math.nan
        if not (math.isfinite(price) and price >= 0):
            raise ParameterError(
                f"{self.where}: a cost is a number of at least 0, but that of {self.feature!r} is "
                f"{self.cost!r}"
            )
        return price


def _assembled(rows: Sequence[_Row], feature_names: Sequence[str], source: str) -> Costs:
    index = {name: position for position, name in enumerate(feature_names)}
    units = np.full(len(feature_names), -1, dtype=np.int64)
    prices: list[float] = []
    groups: dict[str, tuple[int, _Row]] = {}
    for row in rows:
        position = _position(row, index, feature_names)
        if units[position] >= 0:
            raise ParameterError(f"{row.where}: {row.feature!r} has a cost already")
        if row.group in groups:
            unit, first = groups[row.group]
            if row.price() != prices[unit]:
                raise ParameterError(
                    f"{row.where}: the group {row.group!r} is paid once, so that its features have "
                    f"one cost, but it is {row.cost} here and {first.cost} in {first.where}"
                )
        else:
            unit = len(prices)
            prices.append(row.price())
            if row.group:
                groups[row.group] = unit, row
        units[position] = unit
    unpriced = [name for name, unit in zip(feature_names, units, strict=True) if unit < 0]
    if unpriced:
        raise ParameterError(
            f"{source} has no cost for {len(unpriced)} of {len(feature_names)} features, such as "
            f"{unpriced[0]!r}. Give each a cost; 0 where it is free."
        )
    return Costs(units, np.array(prices))


def _position(row: _Row, index: Mapping[str, int], feature_names: Sequence[str]) -> int:
    if row.feature in index:
        return index[row.feature]
    if row.feature.isdecimal() and 1 <= int(row.feature) <= len(feature_names):
        return int(row.feature) - 1
    raise ParameterError(
        f"{row.where}: no feature is called {row.feature!r}{suggestion(row.feature, feature_names)}"
    )


def _from_array(costs: ArrayLike, feature_names: Sequence[str]) -> Costs:
    values = np.asarray(costs, dtype=object)
    if values.shape != (len(feature_names),):
        raise ParameterError(
            "costs must be a file, a price for each name, or a list of a price for each of the "
            f"{len(feature_names)} features, but is {costs!r}"
        )
    rows = [
        _Row(name, cost, "", f"costs[{position}]")
        for position, (name, cost) in enumerate(zip(feature_names, values, strict=True))
    ]
    return _assembled(rows, feature_names, "costs")

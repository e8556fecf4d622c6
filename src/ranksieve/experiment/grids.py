"""Grids: the settings of a component that a study tries.

A list where a parameter takes a single value is a grid: `GAS(balance=[0, 0.1])`. Parameters that
the text leaves out and that matter most have grids of their own, the class's `default_grid`,
since the papers give few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from sklearn.base import clone

from ranksieve import catalog
from ranksieve.errors import ParameterError


@dataclass(frozen=True)
class Grid:
    """A component with the settings that are tried.

    Attributes
    ----------
    label : what tables call it
    text : the component, with a list for each parameter that varies
    settings : the text of each setting, in order
    """

    label: str
    text: str
    settings: tuple[str, ...]


def grid(label: str, text: str, family: str, *, fixed: Mapping[str, Any] | None = None) -> Grid:
    """Return the settings that a text asks for, with the defaults where it is silent.

    Parameters
    ----------
    label : str, or "" for the text itself
    text : a component, as on the command line; lists are grids
    family : "selectors" or "rankers"
    fixed : values for parameters that the text leaves out and the component has

    Examples
    --------
    >>> grid("", "GAS(balance=[0, 0.1])", "selectors").settings
    ('GAS(balance=0)', 'GAS()')
    >>> grid("", "RankSVM", "rankers").settings[:2]
    ('RankSVM(C=1e-06)', 'RankSVM(C=1e-05)')
    """
    component = catalog.parse(text, family)
    spelled = catalog.given_parameters(text, family)
    defaults = component.get_params(deep=False)
    silent = {
        **{name: [value] for name, value in (fixed or {}).items() if name in defaults},
        **{name: list(tried) for name, tried in component.default_grid.items()},
    }
    values = {name: _as_list(name, defaults[name], text) for name in spelled}
    values |= {name: tried for name, tried in silent.items() if name not in spelled}
    settings = tuple(
        dict.fromkeys(
            repr(clone(component).set_params(**dict(zip(values, chosen, strict=True))).canonical())
            for chosen in product(*values.values())
        )
    )
    varied = {name: tried if len(tried) > 1 else tried[0] for name, tried in values.items()}
    return Grid(label or _label(component, spelled), repr(component.set_params(**varied)), settings)


def label_of(text: str, family: str) -> str:
    """Return what a component is called that is given no label, without making its settings.

    Examples
    --------
    >>> label_of("GAS(balance=[0, 0.1], solver='swap')", "selectors")
    "GAS(solver='swap')"
    """
    return _label(catalog.parse(text, family), catalog.given_parameters(text, family))


def _as_list(name: str, value: Any, text: str) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    if not value:
        raise ParameterError(f"{text}: the grid of {name} is empty. Give at least one value.")
    return value


def _label(component: Any, spelled: tuple[str, ...]) -> str:
    """Return the component with the parameters of its text that are not grids."""
    values = component.get_params(deep=False)
    fixed = {name: values[name] for name in spelled if not isinstance(values[name], list)}
    return repr(type(component)(**fixed)).removesuffix("()")

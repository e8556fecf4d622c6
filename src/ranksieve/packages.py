"""Packages of extras, which may be absent, and one that a process can do without."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from ranksieve.errors import MissingDependencyError


def require(name: str, *, extra: str, caller: str) -> Any:
    """Import a package; MissingDependencyError with its install line where it is absent.

    Examples
    --------
    >>> require("no_such_package", extra="lightgbm", caller="LightGBMRanker")
    Traceback (most recent call last):
    ...
    ranksieve.errors.MissingDependencyError: LightGBMRanker needs the package no_such_package,
    which cannot be imported (No module named 'no_such_package').
    Install it: pip install 'ranksieve[lightgbm]'
    """
    try:
        return import_module(name)
    except (ImportError, OSError) as error:
        raise MissingDependencyError(
            f"{caller} needs the package {name}, which cannot be imported ({error}). "
            f"Install it: pip install 'ranksieve[{extra}]'"
        ) from None


def leave_out_pandas() -> None:
    """Keep scikit-learn and LightGBM from importing pandas, for a process that is ours alone.

    Where pandas is installed both import it, and pandas imports pyarrow: a sixth of the time in
    which a command starts, to recognise frames that commands never hand them. Whatever else
    imports pandas gets it.
    """
    if not any(isinstance(finder, _WithoutPandas) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WithoutPandas())


class _WithoutPandas:
    """Lets modules that try to import pandas, and do without it, not find it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # LightGBM trains on a cluster only where it has pandas.
        if name != "sklearn.utils.fixes" and (
            name != "lightgbm.compat" or "distributed" in sys.modules
        ):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_without(module: ModuleType) -> None:
                # None is how Python notes that a module cannot be imported.
                absent = sys.modules.setdefault("pandas", None) is None  # type: ignore[arg-type]
                try:
                    execute(module)
                finally:
                    if absent:
                        sys.modules.pop("pandas", None)

            spec.loader.exec_module = execute_without  # type: ignore[method-assign]
        return spec

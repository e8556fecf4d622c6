"""Packages of extras, which may be absent, and modules that a process can do without."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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


def import_less() -> None:
    """Import only what runs of scikit-learn's imports, in a process that is ours alone.

    A command's first import is scikit-learn's base class, and more than half of the time of that
    goes to modules that most commands never use. Whatever else asks for them gets them:

    - pandas, and pyarrow with it, which scikit-learn and LightGBM import where they are installed,
      to recognise frames that commands never hand them. They are told that it is absent.
    - scipy.stats, and all of sklearn.feature_selection but the base class of selectors. They are
      executed when they are first used.
    """
    if not any(isinstance(finder, _ImportLess) for finder in sys.meta_path):
        sys.meta_path.insert(0, _ImportLess())


# Modules that wait until they are used, and names of theirs that one of their parts has.
_DEFERRED: Mapping[str, Mapping[str, str]] = {
    "scipy.stats": {},
    "sklearn.feature_selection": {"SelectorMixin": "_base"},
}


class _ImportLess:
    """Changes how a few modules of other packages are executed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        change: Callable[[_Execute, ModuleType], None]
        if name in _DEFERRED:
            change = partial(_defer, _DEFERRED[name])
        # LightGBM trains on a cluster only where it has pandas.
        elif name == "sklearn.utils.fixes" or (
            name == "lightgbm.compat" and "distributed" not in sys.modules
        ):
            change = _execute_without_pandas
        else:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            changed = partial(change, spec.loader.exec_module)
            spec.loader.exec_module = changed  # type: ignore[method-assign]
        return spec


_Execute = Callable[[ModuleType], None]


def _execute_without_pandas(execute: _Execute, module: ModuleType) -> None:
    # None is how Python notes that a module cannot be imported.
    absent = sys.modules.setdefault("pandas", None) is None  # type: ignore[arg-type]
    try:
        execute(module)
    finally:
        if absent:
            sys.modules.pop("pandas", None)


def _defer(parts: Mapping[str, str], execute: _Execute, module: ModuleType) -> None:
    module.__dict__["_deferral"] = _Deferral(execute, parts)
    module.__class__ = _DeferredModule


class _DeferredModule(ModuleType):
    """A module that is executed when something asks for a name of it."""

    def __getattr__(self, name: str) -> Any:
        # Python and its tools look for special names in all modules.
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        deferral: _Deferral = self.__dict__["_deferral"]
        if name in deferral.parts:
            return getattr(import_module(f"{self.__name__}.{deferral.parts[name]}"), name)
        deferral.end(self)
        # No longer one of this class: super() would refuse it.
        return ModuleType.__getattribute__(self, name)


class _Deferral:
    def __init__(self, execute: _Execute, parts: Mapping[str, str]) -> None:
        self.parts = parts
        self._execute = execute
        self._began = False
        self._lock = threading.RLock()

    def end(self, module: ModuleType) -> None:
        """Execute the module, once; other threads wait until it is complete."""
        with self._lock:
            # A module that asks for a name of its own while it is executed gets what it has so far.
            if self._began:
                return
            self._began = True
            try:
                self._execute(module)
            except BaseException:
                self._began = False
                raise
            module.__class__ = ModuleType

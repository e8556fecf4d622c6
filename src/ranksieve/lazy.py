"""Names of a package that are imported when they are first asked for.

A package lists its names once, as imports for type checkers:

    if TYPE_CHECKING:
        from ranksieve.solvers.fista import FISTA as FISTA

    __getattr__ = lazy_names(__name__)

`from ranksieve.solvers import FISTA` then loads that module and no other of the package, so that
a command loads the methods that it runs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose names stand under `if TYPE_CHECKING:`."""
    modules: dict[str, str] = {}

    def __getattr__(name: str) -> Any:  # noqa: N807 - what it is for
        if not modules:
            modules.update(_listed(Path(str(sys.modules[package].__file__))))
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__


def _listed(path: Path) -> dict[str, str]:
    """Return the module of each name that a file imports for type checkers."""
    return {
        alias.name: str(statement.module)
        for block in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }

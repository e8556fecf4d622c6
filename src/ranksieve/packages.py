"""Packages of extras, which may be absent."""

from __future__ import annotations

from importlib import import_module
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

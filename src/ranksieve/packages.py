"""Packages that may be absent: those of an extra, and those that the main job does not need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ranksieve.errors import MissingDependencyError


def require(name: str, *, extra: str | None = None, caller: str) -> Any:
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
    install = name if extra is None else f"'ranksieve[{extra}]'"
    try:
        return import_module(name)
    except (ImportError, OSError) as error:
        raise MissingDependencyError(
            f"{caller} needs the package {name}, which cannot be imported ({error}). "
            f"Install it: pip install {install}"
        ) from None

"""Results on standard output: tables that fit a terminal, JSON for machines."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


@cache
def console() -> Console:
    """Return the console of standard output; square brackets are text, not markup."""
    return Console(highlight=False, soft_wrap=False, markup=False)


def check_out(path: str, *, source: str, force: bool) -> None:
    """Raise, before any work, if a result cannot or should not be written to `path`."""
    from pathlib import Path

    from ranksieve.data.paths import exists, is_file
    from ranksieve.errors import DataError

    target = Path(path)
    if path == "-" or (exists(path) and not is_file(path)):
        raise DataError(f"cannot write {path}: give the name of a file, or use --json to print.")
    if not target.resolve().parent.is_dir():
        raise DataError(f"cannot write {path}: its folder does not exist. Create it first.")
    if exists(path) and exists(source) and target.samefile(source):
        raise DataError(f"{path} is the data itself. Choose another name for the result.")
    if exists(path) and not force:
        raise DataError(f"{path} exists. Choose another name, or pass --force to replace it.")


def check_ending(path: str, endings: tuple[str, ...], remedy: str) -> None:
    """Raise if a file's ending promises another format than those that can be written.

    Examples
    --------
    >>> check_ending("page.pdf", (".html", ".htm"), "or take --json")
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: cannot write page.pdf: the ending must be .html or .htm, but is
    .pdf. Choose one of these, or take --json.
    """
    from pathlib import Path

    from ranksieve.errors import DataError

    ending = Path(path).suffix
    if path != "-" and ending.lower() not in endings:
        allowed = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise DataError(
            f"cannot write {path}: the ending must be {allowed}, but is {ending or 'absent'}. "
            f"Choose one of these, {remedy}."
        )


def print_table(table: Table) -> None:
    """Print a table as wide as its content: numbers are never cut."""
    natural = Measurement.get(console(), console().options.update(max_width=100_000), table)
    # A console never prints wider than itself: use one that is wide enough.
    Console(highlight=False, markup=False, width=max(console().width, natural.maximum)).print(table)


def number(value: float) -> str:
    """Return a number for a table: four decimals, or a dash where there is none."""
    return f"{value:.4f}" if math.isfinite(value) else "-"


def print_json(content: Any) -> None:
    """Print unrounded JSON; what is not a finite number becomes null."""
    print(_text(content))


def write_json(content: Any, path: str) -> None:
    """Write unrounded JSON to a file, whole or not at all."""
    from ranksieve.data.atomic import replacing

    with replacing(path) as temporary:
        temporary.write_text(_text(content) + "\n", encoding="utf-8")


def _text(content: Any) -> str:
    return json.dumps(_finite(content), indent=2, allow_nan=False, ensure_ascii=False)


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content

"""Results on standard output: tables that fit a terminal, JSON for machines."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from rich.console import Console


@cache
def console() -> Console:
    """Return the console of standard output."""
    return Console(highlight=False, soft_wrap=False)


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
    if isinstance(content, list):
        return [_finite(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content

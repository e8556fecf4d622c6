"""One panel for an error: what, where, and what to do."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from ranksieve.errors import RanksieveError


def show_error(error: Exception) -> None:
    """Print the error as one panel on standard error."""
    Console(stderr=True, highlight=False).print(
        Panel(Text(_message(error)), title="Error", title_align="left", border_style="red")
    )


def _message(error: Exception) -> str:
    if isinstance(error, RanksieveError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory{_detail(error)}. Use fewer features or queries."
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{where}"
    command = " ".join(sys.argv[1:])
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        f"This is a bug in ranksieve. Please report it with the output of:\n"
        f"  ranksieve --debug {command}"
    )


def _detail(error: Exception) -> str:
    return f": {error}" if str(error) else ""

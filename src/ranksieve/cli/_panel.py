"""One panel for an error: what, where, and what to do."""

from __future__ import annotations

import re
import shlex
import sys

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from ranksieve.errors import RanksieveError

# The library's errors name its parameters; here they are options.
_OPTIONS = (
    (r"Load all of it with sort=True and write it", "Sort it by query, with another tool,"),
    (r"sort=True", "--sort"),
    (r"overwrite=True", "--force"),
    (r"missing=('[a-z-]+'|[0-9.]+)", r"--missing \1"),
    (r"group_sizes=(\w+)", r"--group-sizes \1"),
    (r"n_features_to_select=(\S+)", r"-k \1"),
    (r"n_features_to_select", "-k"),
    (r"n_features=(\d+)", r"--n-features \1"),
    (r"dtype=[\"']?(float64)[\"']?", r"--dtype \1"),
    (r"(grade|query|document)='\.\.\.'", r"--\1 NAME"),
    (r"\b(exclude)=('[^']*')", r"--\1 \2"),
    (r"(grade|query)='(\d+)'", r"--\1 \2"),
    (r"judgements=FILE", "--judgements FILE"),
    (r"\b(query|document)=(?=[,.])", r"--\1"),
    (r"within_pool=True", "--within-pool"),
    (r"zero_based=True", "--zero-based"),
    (r"validation_share=(\S+?)([;,.]?) ", r"--validation-share \1\2 "),
    (r"\bvalidation_share\b", "--validation-share"),
    (r"header=True", "--header"),
    (r", or None for (half of the|all) features( with a weight)?", ""),
)


def show_error(error: Exception) -> None:
    """Print the error as one panel on standard error."""
    Console(stderr=True, highlight=False).print(
        Panel(Text(_message(error)), title="Error", title_align="left", border_style="red")
    )


def _message(error: Exception) -> str:
    if isinstance(error, RanksieveError):
        return _in_options(str(error))
    if isinstance(error, MemoryError):
        detail = f": {error}" if str(error) else ""
        return f"not enough memory{detail}. Use fewer features or queries."
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{where}"
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        f"This is a bug in ranksieve. Please report it with the output of:\n"
        f"  ranksieve --debug {shlex.join(sys.argv[1:])}"
    )


def _in_options(message: str) -> str:
    for parameter, option in _OPTIONS:
        message = re.sub(parameter, option, message)
    return message

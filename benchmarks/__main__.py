"""Run all benchmarks, print them, and store what they printed in docs/benchmarks.md."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import platform
import sys
from pathlib import Path

MODULES = (
    "startup",
    "generating",
    "extracting",
    "reading",
    "measuring",
    "similarity",
    "binned",
    "webscale",
    "solvers",
    "relief",
    "field_filters",
    "greedy",
    "fitting",
    "embedded",
    "rankers",
    "experiments",
)
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


class _Tee(io.StringIO):
    def __init__(self, screen) -> None:
        super().__init__()
        self._screen = screen

    def write(self, text: str) -> int:
        self._screen.write(text)
        self._screen.flush()
        return super().write(text)


def main() -> None:
    names = sys.argv[1:] or MODULES
    output = _Tee(sys.stdout)
    with contextlib.redirect_stdout(output):
        for name in names:
            importlib.import_module(f"benchmarks.{name}").main()
            print()
    if tuple(names) == MODULES:
        PAGE.write_text(_page(output.getvalue()), encoding="utf-8")


def _page(text: str) -> str:
    versions = ", ".join(
        f"{name} {importlib.import_module(name).__version__}"
        for name in ("ranksieve", "numpy", "numba", "scipy", "sklearn")
    )
    return (
        "# Speed and memory\n\nWritten by `make bench`: both sides of each ratio in one run, on a "
        f"machine with {os.cpu_count()} cores, Python {platform.python_version()}, {versions}. "
        f"Seconds on a shared machine vary; ratios vary less.\n\n```text\n{text.strip()}\n```\n"
    )


if __name__ == "__main__":
    main()

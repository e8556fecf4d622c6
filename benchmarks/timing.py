"""Seconds: best of several, and of a first call in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def best_of(times: int, call: Callable[[], Result]) -> tuple[float, Result]:
    """The least seconds of several calls (after one that is not counted), and the result."""
    result = call()
    least = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        result = call()
        least = min(least, time.perf_counter() - started)
    return least, result


def cold(setup: str, *, cached: bool = False) -> float:
    """Seconds of `TIMED()`, defined by `setup`, as the first call in a new process.

    Kernels are compiled into an empty cache, or (`cached`) found in one that a first
    process filled.
    """
    code = f"{setup}\nfrom time import perf_counter\nstart = perf_counter()\nTIMED()\n"
    code += "print(perf_counter() - start)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for _ in range(1 + cached):
            output = subprocess.check_output(
                [sys.executable, "-c", code], text=True, env=environment
            )
    return float(output)


def print_cold(setup: str) -> None:
    """Print what a first call costs, with kernels to be compiled and with them on disk."""
    print(
        f"  first call in a new process: {cold(setup):.1f} s with compilation, "
        f"{cold(setup, cached=True):.2f} s with kernels on disk"
    )

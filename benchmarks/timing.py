"""Seconds: best of several, and of a first call in a new process; other processes."""

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
        seconds, result = timed(call)
        least = min(least, seconds)
    return least, result


def timed(call: Callable[[], Result]) -> tuple[float, Result]:
    """The seconds of one call, and the result."""
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


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


def in_own_process(module: str, *arguments: str) -> None:
    """Run a module in a process of its own, and print what it prints, as it does."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
    if process.returncode:
        sys.exit(process.returncode)


def print_cold(setup: str) -> None:
    """Print what a first call costs, with kernels to be compiled and with them on disk."""
    print(
        f"  first call in a new process: {cold(setup):.1f} s with compilation, "
        f"{cold(setup, cached=True):.2f} s with kernels on disk"
    )

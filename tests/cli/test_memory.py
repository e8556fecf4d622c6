"""What the command line says where memory does not suffice, even for a panel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"

# A command that takes all memory in small pieces, and holds them while the error passes.
FILL = """
import resource
from pathlib import Path
from ranksieve import cli

def fill(*arguments, **options):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (8 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    held = []
    size = 1 << 20
    while size > 16:
        try:
            held.append(bytearray(size))
        except MemoryError:
            size //= 2
    {ending}

cli._group.main = fill
cli.main([])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    "ending",
    [
        "held.append(bytearray(1 << 20))",
        "raise ImportError('libx.so: cannot allocate memory in static TLS block')",
        "raise OSError(12, 'Cannot allocate memory')",
    ],
)
def test_out_of_memory_is_one_plain_line(ending):
    done = subprocess.run(
        [sys.executable, "-c", FILL.replace("{ending}", ending)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        check=False,
    )
    line = "Error: not enough memory. Use fewer features or queries.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line)


def test_an_array_that_is_too_large_is_named():
    code = FILL.split("def fill")[0] + (
        "def fill(*arguments, **options):\n"
        "    import numpy as np\n"
        "    np.empty(1 << 59)\n"
        "cli._group.main = fill\ncli.main([])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: not enough memory: Unable to allocate 4.00 EiB")
    assert done.stderr.count("\n") == 1

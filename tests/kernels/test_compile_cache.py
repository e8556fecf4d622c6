"""Compiled kernels on disk: done without where no folder is writable, mended where damaged."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from ranksieve.kernels.compile import INTERPRETED
from ranksieve.kernels.compile_cache import QUIET

SOURCES = Path(__file__).parents[2] / "src"

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

# Two, so that a warning for each would be seen.
KERNELS = """
from ranksieve.kernels.compile import compiled

@compiled
def doubled(values, out):
    for index in range(len(values)):
        out[index] = 2.0 * values[index]

@compiled
def total(values):
    found = 0.0
    for value in values:
        found += value
    return found
"""
COMPUTE = """
import numpy as np, tiny_kernels
values = np.array([0.5, 1.0, 4.0])
tiny_kernels.doubled(values, values)
print(tiny_kernels.total(values))
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a module of two small kernels."""
    (tmp_path / "tiny_kernels.py").write_text(KERNELS)
    return tmp_path


def run(code, folder, **variables):
    """What a new process says: (exit code, standard output, standard error)."""
    without = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in without}
    environment |= {
        "PYTHONPATH": f"{SOURCES}{os.pathsep}{folder}",
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def sealed(folder):
    """Variables under which no folder that numba tries can be written, not even by root.

    Each is a file: that beside the sources, the home of the user, and the one that is named.
    """
    (folder / "__pycache__").write_text("a file")
    (folder / "home").write_text("a file")
    return {"HOME": str(folder / "home"), "NUMBA_CACHE_DIR": str(folder / "home" / "folder")}


@pytest.mark.slow
def test_without_a_writable_folder_all_works_and_one_warning_says_what_helps(folder):
    code, said, warned = run(COMPUTE, folder, **sealed(folder))
    assert (code, said) == (0, "11.0\n"), warned
    assert warned.count("UserWarning") == 1
    assert "every start compiles again what it uses" in warned
    assert "Set NUMBA_CACHE_DIR to a folder that is writable" in warned


@pytest.mark.slow
def test_the_command_line_says_it_in_one_line(folder):
    code = (
        "from ranksieve import cli\n"
        f"cli._group.main = lambda *arguments, **options: exec({COMPUTE!r})\n"
        "cli.main([])"
    )
    code, said, warned = run(code, folder, **sealed(folder))
    assert (code, said) == (0, "11.0\n"), warned
    assert warned.startswith("Warning: compiled code cannot be kept")
    assert warned.count("\n") == 1


@pytest.mark.slow
def test_a_process_whose_parent_said_so_is_silent(folder):
    assert run(COMPUTE, folder, **sealed(folder), **{QUIET: "1"}) == (0, "11.0\n", "")


@pytest.mark.slow
def test_a_user_without_a_home_gets_no_folder_of_that_name(folder):
    # As for a user whom the system does not know: `~` stays as it is.
    unknown = "import os\nos.path.expanduser = lambda path: path\n"
    code, said, _ = run(unknown + COMPUTE, folder, **sealed(folder))
    assert (code, said) == (0, "11.0\n")
    assert not (folder / "~").exists()


@pytest.mark.slow
def test_a_folder_that_becomes_unwritable_later_is_no_error(folder):
    code = f"import shutil, tiny_kernels\nshutil.rmtree('cache')\nopen('cache', 'w')\n{COMPUTE}"
    code, said, warned = run(code, folder, NUMBA_CACHE_DIR=str(folder / "cache"))
    assert (code, said) == (0, "11.0\n"), warned
    assert warned.count("UserWarning") == 1


def _damaged(content, how):
    if how == "truncated":
        return content[: len(content) // 2]
    if how == "empty":
        return b""
    if how == "rubbish":
        return np.random.default_rng(0).bytes(len(content))
    middle = bytearray(content)
    for at in range(len(content) // 2, len(content), 7):
        middle[at] ^= 0x5A
    return bytes(middle)


def _computed(folder):
    """The total, and how many kernels were read from disk, by a module that is imported anew."""
    spec = importlib.util.spec_from_file_location("tiny_kernels", folder / "tiny_kernels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    values = np.array([0.5, 1.0, 4.0])
    module.doubled(values, values)
    total = module.total(values)
    hits = (module.doubled.stats.cache_hits, module.total.stats.cache_hits)
    return total, sum(sum(each.values()) for each in hits)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("how", ["truncated", "empty", "rubbish", "flipped"])
def test_damaged_files_are_compiled_again_and_mended(how, suffix, folder, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder / "cache"))
    assert _computed(folder) == (11.0, 0)
    assert _computed(folder) == (11.0, 2)
    files = sorted((folder / "cache").rglob(f"*{suffix}"))
    assert len(files) == 2
    for path in files:
        path.write_bytes(_damaged(path.read_bytes(), how))
    assert _computed(folder) == (11.0, 0)
    assert _computed(folder) == (11.0, 2)


def test_another_numba_keeps_its_files_in_its_own_way(folder, tmp_path):
    other = "import sys; sys.modules['ranksieve.kernels.compile_files'] = None\n"
    for _ in range(2):
        status, out, err = run(other + COMPUTE, folder, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
        assert (status, out.strip(), err) == (0, "11.0", "")
    assert list((tmp_path / "cache").rglob("*.nbi"))

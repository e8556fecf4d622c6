"""Seconds until the command line and the library answer, warm and for the first time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.published import data_folder
from benchmarks.timing import best_of

AIMS = {"ranksieve --help": 0.2, "import ranksieve": 0.1, "interpreter alone": None}
RANKSIEVE = str(Path(sys.executable).parent / "ranksieve")
# What any program on these libraries waits for.
IMPORTS = [sys.executable, "-c", "import sklearn.feature_selection, numba"]
FITS = ("RankSVM(C=1.0)", "RankSVM()", "SparseRankSVM()", "KernelRankSVM()")
FIT = """
import os, warnings
import sklearn.feature_selection, numba
from ranksieve import {name}, make_ranking
warnings.simplefilter("ignore")
data, _ = make_ranking(60, 20, n_relevant=4, n_redundant=3, n_irrelevant=5, random_state=0)
before = sum(os.times()[:4])
{call}.fit(data)
after = sum(os.times()[:4])
print(after - before, after)
"""


def main() -> None:
    commands = {
        "ranksieve --help": [RANKSIEVE, "--help"],
        "import ranksieve": [sys.executable, "-c", "import ranksieve"],
        "interpreter alone": [sys.executable, "-c", "pass"],
    }
    print("Start-up, best of 10")
    for name, command in commands.items():
        seconds, _ = best_of(10, lambda command=command: subprocess.check_output(command))
        aim = f"   (aim: {AIMS[name]} s)" if AIMS[name] else ""
        print(f"  {name:20s} {seconds:8.3f} s{aim}")
    _select()
    print("First call, nothing compiled before: CPU seconds, and with all imports; best of 3")
    for call in FITS:
        seconds, in_all = min(_first_fit(call) for _ in range(3))
        print(f"  {call:20s} {seconds:8.1f} {in_all:8.1f}     (aim: 4)")


def _first_fit(call: str) -> tuple[float, float]:
    code = FIT.format(name=call.split("(")[0], call=call)
    with tempfile.TemporaryDirectory() as folder:
        seconds, in_all = map(float, _output([sys.executable, "-c", code], folder).split())
    return seconds, in_all


def _select() -> None:
    root = data_folder()
    if root is None or not (root / "MQ2008").is_dir():
        print("  select MQ2008: absent (set RANKSIEVE_DATA to the folder with it)")
        return
    command = [RANKSIEVE, "select", str(root / "MQ2008" / "Fold1" / "train.txt"), "-k", "10"]
    firsts = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            firsts.append(_cpu_seconds(command, folder))
    with tempfile.TemporaryDirectory() as folder:
        _cpu_seconds(command, folder)
        pairs = [(_cpu_seconds(command, folder), _cpu_seconds(IMPORTS, folder)) for _ in range(5)]
        warm, _ = best_of(5, lambda: _output(command, folder))
        imports, _ = best_of(5, lambda: _output(IMPORTS, folder))
    cpu, imports_cpu = (min(column) for column in zip(*pairs, strict=True))
    print("ranksieve select MQ2008 -k 10, and importing scikit-learn's selectors and numba")
    print(f"  warm    {warm:6.2f} s and {imports:6.2f} s, {warm / imports:.2f} times (aim: 1.3)")
    print(f"  warm    {cpu:6.2f} and {imports_cpu:6.2f} CPU s, {cpu / imports_cpu:.2f} times")
    first = min(firsts)
    print(f"  first   {first:6.1f} CPU s, nothing compiled before, best of 3 (aim: 8)")


def _output(command: list[str], folder: str) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
    return subprocess.check_output(command, text=True, env=environment, stderr=subprocess.DEVNULL)


def _cpu_seconds(command: list[str], folder: str) -> float:
    """Seconds of user and system of a process, whatever else the machine does."""
    before = os.times()
    _output(command, folder)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


if __name__ == "__main__":
    main()

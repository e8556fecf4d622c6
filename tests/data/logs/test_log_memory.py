"""Memory does not grow with a log, beyond its judgements."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data.logs.conftest import logged

PEAK = """
import sys
from pathlib import Path
from ranksieve.data import convert
for source in sys.argv[2:]:
    convert(source, f"{source}.txt", judgements=sys.argv[1])
    status = Path("/proc/self/status").read_text()
    print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""
N_JUDGED = 300
FEATURES = {f"feature_{number}": number / 7 for number in range(60)}


def peaks_in_mebibytes(judged, *logs):
    """The most memory of a process after each of several logs."""
    command = [sys.executable, "-c", PEAK, str(judged), *map(str, logs)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(peak) / 1024 for peak in run.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("spell", ["lines", "list"])
def test_ten_times_the_log_takes_about_the_same_memory(tmp_path, spell):
    judged = tmp_path / "qrels"
    judged.write_text("".join(f"q{query} 0 d0 1\n" for query in range(N_JUDGED)))
    paths, sizes = [], []
    for n_queries in (N_JUDGED, 10 * N_JUDGED):
        path = tmp_path / f"{n_queries}.json"
        with path.open("w") as file:
            for query in range(n_queries):
                documents = [(f"q{query}", f"d{number}", 1, FEATURES) for number in range(5)]
                (response,) = logged("elasticsearch", documents)
                opening = "" if spell == "lines" else "," if query else "["
                file.write(f"{opening}{json.dumps(response)}\n")
            file.write("" if spell == "lines" else "]")
        sizes.append(path.stat().st_size / 2**20)
        paths.append(path)
    peaks = peaks_in_mebibytes(judged, *paths)
    assert sizes[1] - sizes[0] > 20
    # The text alone would add its size, and its objects several times that.
    assert peaks[1] - peaks[0] < 0.5 * (sizes[1] - sizes[0])

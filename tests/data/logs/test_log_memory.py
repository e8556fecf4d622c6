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
convert(sys.argv[1], sys.argv[2], judgements=sys.argv[3])
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""
N_JUDGED = 300
FEATURES = {f"feature_{number}": number / 7 for number in range(60)}


def peak_mebibytes(*paths):
    command = [sys.executable, "-c", PEAK, *map(str, paths)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(run.stdout) / 1024


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("spell", ["lines", "list"])
def test_ten_times_the_log_takes_about_the_same_memory(tmp_path, spell):
    judged = tmp_path / "qrels"
    judged.write_text("".join(f"q{query} 0 d0 1\n" for query in range(N_JUDGED)))
    peaks, sizes = [], []
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
        peaks.append(peak_mebibytes(path, tmp_path / f"{n_queries}.txt", judged))
    assert sizes[1] - sizes[0] > 20
    # The text alone would add its size, and its objects several times that.
    assert peaks[1] - peaks[0] < 0.5 * (sizes[1] - sizes[0])

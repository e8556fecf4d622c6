"""Reading LETOR text: ranksieve against scikit-learn, on the same files in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_svmlight_file

from ranksieve.data.text import read_text
from ranksieve.data.text.chunks import CHUNK_BYTES
from ranksieve.threads import n_threads

FILE_BYTES = 110_000_000
WIDTHS = (46, 136)
DOCUMENTS_PER_QUERY = 100
RATIO_TARGET = 10.0

_ROWS_AT_ONCE = 10_000
_TENS = 10 ** np.arange(18, -1, -1)

# Run in a process of its own: what a first call costs when nothing is compiled yet.
_COLD = """
import sys, time
from ranksieve.data.text import read_text
start = time.perf_counter()
read_text(sys.argv[1])
print(time.perf_counter() - start)
"""

# The process's peak from the kernel's own account: ru_maxrss would start at what the parent
# had in use. The baseline is what is in use after the imports and a reading of a tiny file.
_MEMORY = """
import sys
from ranksieve.data.text import read_text

def kilobytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

read_text(sys.argv[2])
before = kilobytes("VmRSS")
data = read_text(sys.argv[1])
arrays = sum(
    part.X.nbytes + part.y.nbytes + part.query_ptr.nbytes + part.query_ids.nbytes
    + (0 if part.document_ids is None else part.document_ids.nbytes)
    for part in data.blocks()
)
print((kilobytes("VmHWM") - before) * 1024, arrays)
"""


class Row(NamedTuple):
    """One file's figures: seconds are the best of three, bytes are of a process of its own."""

    n_features: int
    file_bytes: int
    ours_seconds: float
    sklearn_seconds: float
    cold_seconds: float
    peak_bytes: int
    peak_limit: float

    @property
    def ratio(self) -> float:
        return self.sklearn_seconds / self.ours_seconds


def run(file_bytes: int = FILE_BYTES, repeats: int = 3) -> list[Row]:
    """Measure both readers on one file a width; raise if their values differ."""
    with tempfile.TemporaryDirectory() as folder:
        return [_measured(Path(folder), width, file_bytes, repeats) for width in WIDTHS]


def write_letor(path: Path, n_features: int, file_bytes: int, seed: int = 0) -> None:
    """Write LETOR-like text of at least `file_bytes`: six decimals, query ids, docid comments."""
    rng = np.random.default_rng(seed)
    row = 0
    with path.open("wb") as file:
        while file.tell() < file_bytes:
            file.write(_lines(rng, row, n_features))
            row += _ROWS_AT_ONCE


def main() -> None:
    """Print the table."""
    rows = run()
    print("Reading LETOR text (float32; best of 3; values checked to be equal)")
    print(
        f"{'features':>8} {'file MB':>8} {'ours MB/s':>10} {'sklearn MB/s':>13} {'ratio':>7} "
        f"{'cold s':>7} {'peak MB':>8} {'limit MB':>9}"
    )
    for row in rows:
        size = row.file_bytes / 1e6
        print(
            f"{row.n_features:>8} {size:>8.0f} {size / row.ours_seconds:>10.0f} "
            f"{size / row.sklearn_seconds:>13.1f} {row.ratio:>7.1f} {row.cold_seconds:>7.1f} "
            f"{row.peak_bytes / 1e6:>8.0f} {row.peak_limit / 1e6:>9.0f}"
        )
    print(f"target: ratio at least {RATIO_TARGET:.0f}, peak at most the limit")
    print("limit: chunk buffers + 1.5 x the resulting arrays; cold: first call, nothing compiled")


def _measured(folder: Path, n_features: int, file_bytes: int, repeats: int) -> Row:
    path, tiny = folder / f"letor-{n_features}.txt", folder / "tiny.txt"
    write_letor(path, n_features, file_bytes)
    tiny.write_text("1 qid:1 1:0.5 #docid = a\n0 qid:2 1:1 #docid = b\n")
    cold = _child(_COLD, tiny, NUMBA_CACHE_DIR=str(folder / f"cold-{n_features}"))
    read_text(tiny)
    ours, data = _best(lambda: read_text(path), repeats)
    theirs, (X, y, qid) = _best(
        lambda: load_svmlight_file(str(path), query_id=True, dtype=np.float32, zero_based=False),
        repeats,
    )
    assert np.array_equal(data.X, X.toarray())
    assert np.array_equal(data.y, y)
    assert np.array_equal(data.qid, qid)
    peak, arrays = _child(_MEMORY, path, tiny)
    buffers = (n_threads() + 2) * CHUNK_BYTES
    size = path.stat().st_size
    path.unlink()
    return Row(n_features, size, ours, theirs, cold[0], int(peak), buffers + 1.5 * arrays)


def _best(call: Any, repeats: int) -> tuple[float, Any]:
    best, result = np.inf, None
    for _ in range(repeats):
        result = None
        start = perf_counter()
        result = call()
        best = min(best, perf_counter() - start)
    return best, result


def _child(code: str, *paths: Path, **environment: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, paths)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(number) for number in done.stdout.split()]


def _lines(rng: np.random.Generator, first_row: int, n_features: int) -> bytes:
    """Return lines of one length, put together column by column of letters."""
    n = _ROWS_AT_ONCE
    query = (np.arange(first_row, first_row + n) // DOCUMENTS_PER_QUERY) + 10_000
    columns = [_digits(rng.integers(0, 5, n), 1), _letters(" qid:", n), _digits(query, 6)]
    for feature in range(1, n_features + 1):
        columns += [_letters(f" {feature}:0.", n), _digits(rng.integers(0, 10**6, n), 6)]
    columns += [_letters(" #docid = GX000-00-", n), _digits(rng.integers(0, 10**7, n), 7)]
    columns += [_letters(" inc = 1 prob = 0.", n), _digits(rng.integers(0, 10**6, n), 6)]
    return np.concatenate([*columns, _letters("\n", n)], axis=1).tobytes()


def _letters(text: str, n: int) -> Any:
    return np.broadcast_to(np.frombuffer(text.encode(), dtype=np.uint8), (n, len(text)))


def _digits(numbers: Any, width: int) -> Any:
    return (numbers[:, None] // _TENS[-width:] % 10 + ord("0")).astype(np.uint8)


if __name__ == "__main__":
    main()

"""Information gain and chi-square of all features of an MSLR-sized training set."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from benchmarks.timing import print_cold
from ranksieve.data import Block, RankingData
from ranksieve.importance._binned import binned_scores, cut_points
from ranksieve.importance.chi_square import ChiSquareImportance
from ranksieve.importance.information_gain import InformationGainImportance
from ranksieve.threads import n_threads, threads

N_DOCUMENTS, N_FEATURES = 2_270_000, 136
TARGET = 20
EVERY = [
    kind(bins)
    for bins in ("mdl", "equal-frequency")
    for kind in (InformationGainImportance, ChiSquareImportance)
]
COLD = """
import numpy as np
from ranksieve.data import from_arrays
from ranksieve.importance.information_gain import InformationGainImportance
X = np.random.default_rng(0).random((240, 4), dtype=np.float32)
data = from_arrays(X, np.arange(240) % 5, np.arange(240) // 120)
TIMED = lambda: InformationGainImportance().scores(data)
"""


def main() -> None:
    data = make_data()
    binned_scores(EVERY, data.queries([0]))  # compiles
    print(f"Information gain and chi-square, {N_DOCUMENTS:,} documents, float32, 5 grades")
    print_all(data)
    print("  CPU seconds per feature, on one thread:")
    with threads(1):
        print_mdl(data.features(range(4)))
        print_equal_frequency(data.features(range(2)))
    print_cold(COLD)


def print_mdl(data: RankingData) -> None:
    ours, _ = timed(lambda: binned_scores(EVERY[:2], data))
    theirs, expected = timed(
        lambda: [cut_with_numpy(data.column(f), data.y) for f in range(data.n_features)]
    )
    assert all(map(np.array_equal, cut_points(data), expected)), "cuts differ"
    print_ratio("MDL bins, numpy (the same cuts)", theirs, ours, data.n_features)


def print_equal_frequency(data: RankingData) -> None:
    ours, scores = timed(lambda: binned_scores(EVERY[2:], data))
    theirs, expected = timed(
        lambda: [score_with_pandas(data.column(f), data.y) for f in range(data.n_features)]
    )
    # pandas interpolates between two documents, so a document may be in the next bin.
    assert np.allclose(np.array(expected).T, scores, rtol=1e-3), "scores differ"
    print_ratio("10 bins, pandas, scikit-learn, scipy", theirs, ours, data.n_features)


def print_ratio(peer: str, theirs: float, ours: float, n_features: int) -> None:
    print(f"    {peer:<38}{theirs / n_features:8.3f}")
    print(f"    {'ranksieve':<38}{ours / n_features:8.3f}   {theirs / ours:.0f} times")


def print_all(data: RankingData) -> None:
    started = time.perf_counter()
    cpu, _ = timed(lambda: binned_scores(EVERY, data))
    seconds = time.perf_counter() - started
    print(
        f"  both importances, both binnings, {N_FEATURES} features, {n_threads()} threads: "
        f"{seconds:.1f} s, {cpu:.1f} s of CPU (aim: below {TARGET} s)"
    )
    tracemalloc.start()
    binned_scores(EVERY, data.features(range(8)))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    column = N_DOCUMENTS * data.dtype.itemsize / 2**20
    print(f"  memory beyond the data: {peak:.0f} MiB, {peak / column:.0f} times one column")


def make_data() -> RankingData:
    """Noise, a real number with a signal, a few whole numbers, and mostly zeros, by turns."""
    rng = np.random.default_rng(0)
    y = rng.choice(5, N_DOCUMENTS, p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(np.float64)
    X = np.empty((N_DOCUMENTS, N_FEATURES), dtype=np.float32, order="F")
    for feature in range(8):
        noise = rng.standard_normal(N_DOCUMENTS, dtype=np.float32)
        kinds = (noise, y / 2 + noise, np.round(y + 2 * noise), np.maximum(y / 5 + noise - 0.5, 0))
        X[:, feature] = kinds[feature % 4]
    for feature in range(8, N_FEATURES):
        X[:, feature] = X[:, feature % 8]
    query_ptr = np.append(np.arange(0, N_DOCUMENTS, 120), N_DOCUMENTS)
    block = Block(X, y, query_ptr, np.arange(len(query_ptr) - 1))
    return RankingData([block], [f"x{feature}" for feature in range(N_FEATURES)])


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, which do not depend on what else the machine does, and the result."""
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def score_with_pandas(column: np.ndarray, y: np.ndarray) -> list[float]:
    where = pd.qcut(column, 10, labels=False, duplicates="drop")
    table = pd.crosstab(where, y).to_numpy()
    gain = mutual_info_score(None, None, contingency=table) / np.log(2)
    return [gain, chi2_contingency(table, correction=False).statistic]


def cut_with_numpy(column: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same cuts from cumulated counts, every border between values at once."""
    order = np.argsort(column)
    values = column[order]
    below = np.zeros((len(y) + 1, 5))
    np.cumsum(y[order, None] == np.arange(5), axis=0, out=below[1:])
    borders = np.flatnonzero(values[1:] != values[:-1]) + 1
    cuts: list[int] = []
    waiting = [(0, len(y))]
    while waiting:
        first, last = waiting.pop()
        inside = borders[slice(*np.searchsorted(borders, [first + 1, last]))]
        if len(inside) == 0:
            continue
        low, high = below[inside] - below[first], below[last] - below[inside]
        best = int(np.argmin(total_entropy(low) + total_entropy(high)))
        if is_worth_it(low[best], high[best]):
            cuts.append(inside[best])
            waiting += [(first, inside[best]), (inside[best], last)]
    return values[np.sort(np.array(cuts, dtype=int)) - 1]


def total_entropy(counts: np.ndarray) -> np.ndarray:
    n = counts.sum(axis=-1)
    return n * np.log2(n) - (counts * np.log2(np.maximum(counts, 1))).sum(axis=-1)


def is_worth_it(low: np.ndarray, high: np.ndarray) -> bool:
    sides = np.array([low + high, low, high])
    total, n, k = total_entropy(sides), sides.sum(axis=1), (sides > 0).sum(axis=1)
    entropies = k * total / n
    change = entropies[0] - entropies[1] - entropies[2]
    return total[0] - total[1] - total[2] > np.log2(n[0] - 1) + np.log2(3.0 ** k[0] - 2) - change


if __name__ == "__main__":
    main()

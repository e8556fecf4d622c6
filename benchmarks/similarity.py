"""Similarities of all pairs of features: speed, memory, and Kendall's against scipy's."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import combinations_with_replacement, pairwise

import numpy as np
from scipy.stats import kendalltau

from benchmarks.timing import best_of, print_cold
from ranksieve import catalog
from ranksieve.data import RankingData, from_arrays
from ranksieve.kernels.similarity.kendall import add_agreements
from ranksieve.kernels.similarity.kendall_long import add_agreements_long
from ranksieve.similarity import KendallSimilarity
from ranksieve.similarity._kendall_forms import LONGEST_BY_BITS
from ranksieve.threads import n_threads, threads

N_FEATURES, N_QUERIES, N_DOCUMENTS, TARGET = 136, 4, 120, 1000
# The web-search shape: a training fold of MSLR-WEB30K has 18,900 queries.
FOLD_QUERIES, SAMPLE_QUERIES = 18_900, 1_000
COLD = """
import numpy as np
from ranksieve.data import from_arrays
from ranksieve.similarity import KendallSimilarity
X = np.random.default_rng(0).random((240, 4), dtype=np.float32)
data = from_arrays(X, np.zeros(240), np.arange(240) // 120)
TIMED = lambda: KendallSimilarity().matrix(data)
"""

# In a process of its own: bytes that one call takes beyond what is in use before it. Kernels
# are compiled by a call on a corner of the data, and the account of the peak starts again then.
_MEMORY = """
import sys
import numpy as np
from ranksieve.kernels.similarity.kendall import add_agreements
from ranksieve.kernels.similarity.kendall_long import add_agreements_long

def kilobytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

add = {"bits": add_agreements, "splitting": add_agreements_long}[sys.argv[1]]
n_documents, n_features = int(sys.argv[2]), int(sys.argv[3])
X = np.random.default_rng(0).random((n_features, n_documents), dtype=np.float32).T
total = np.zeros((n_features, n_features))
add(X, np.array([0, 9]), total)
before = kilobytes("VmRSS")
with open("/proc/self/clear_refs", "w") as control:
    control.write("5")
add(X, np.array([0, n_documents]), total)
print((kilobytes("VmHWM") - before) / 1024, X.nbytes / 2**20)
"""


def random_orders(n_queries: int, n_documents: int, n_features: int) -> RankingData:
    """Data without ties, which random numbers in single precision would have."""
    n = n_queries * n_documents
    columns = np.tile(np.arange(n, dtype=np.float32), (n_features, 1))
    X = np.random.default_rng(0).permuted(columns, axis=1).T
    return from_arrays(X, np.zeros(n), np.arange(n) // n_documents)


def scipy_matrix(X: np.ndarray, query_ptr: np.ndarray) -> np.ndarray:
    """The same matrix for data without ties, where the share of agreements is (tau + 1) / 2."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for start, stop in pairwise(query_ptr):
        for f, g in combinations_with_replacement(range(X.shape[1]), 2):
            total[f, g] += (kendalltau(X[start:stop, f], X[start:stop, g]).statistic + 1) / 2
    return total / (len(query_ptr) - 1)


def against_scipy(n_queries: int, n_documents: int, n_features: int, target: str) -> None:
    data = random_orders(n_queries, n_documents, n_features)
    with threads(1):
        ours, matrix = best_of(20, lambda: KendallSimilarity().matrix(data))
    started = time.perf_counter()
    peer = scipy_matrix(data.X, data.query_ptr)
    theirs = time.perf_counter() - started
    difference = np.abs(np.triu(matrix) - peer).max()
    assert difference < 1e-12, difference
    print(
        f"Kendall similarity, {n_features} features, {n_queries} queries of {n_documents:,} "
        "documents, both on one thread"
    )
    print(f"  loop over scipy.stats.kendalltau  {theirs:10.3f} s")
    print(
        f"  KendallSimilarity                 {ours:10.5f} s   {theirs / ours:,.0f} times{target}"
    )
    print(f"  largest difference {difference:.1e}")


def print_memory(form: str, n_documents: int, n_features: int) -> None:
    command = [sys.executable, "-c", _MEMORY, form, str(n_documents), str(n_features)]
    peak, size = map(float, subprocess.check_output(command, text=True).split())
    print(
        f"  a query of {n_documents:,} documents, {n_features} features by {form}: "
        f"{peak:.1f} MiB beside {size:.1f} MiB of features"
    )


def print_handover(n_features: int, lengths: tuple[int, ...]) -> None:
    print(f"One query of m documents, {n_features} features, one thread: milliseconds")
    print(f"{'m':>9} {'bit sets':>10} {'splitting':>10}")
    total = np.zeros((n_features, n_features))
    for m in lengths:
        X = np.asfortranarray(random_orders(1, m, n_features).X)
        query_ptr = np.array([0, m])
        times = 20 if m * n_features < 50_000 else 2
        bits, _ = best_of(times, lambda: add_agreements(X, query_ptr, total))  # noqa: B023
        split, _ = best_of(times, lambda: add_agreements_long(X, query_ptr, total))  # noqa: B023
        print(f"{m:>9,} {1e3 * bits:>10.2f} {1e3 * split:>10.2f}")


def print_family() -> None:
    data = random_orders(SAMPLE_QUERIES, N_DOCUMENTS, N_FEATURES)
    print(
        f"Each similarity, {N_FEATURES} features, {SAMPLE_QUERIES:,} queries of {N_DOCUMENTS} "
        f"documents, {n_threads()} threads (and {FOLD_QUERIES:,} queries, in proportion)"
    )
    for entry in catalog.entries("similarity"):
        similarity = entry.load()()
        seconds, _ = best_of(3, lambda: similarity.matrix(data))  # noqa: B023
        fold = seconds * FOLD_QUERIES / SAMPLE_QUERIES
        print(f"  {entry.short_name:<10} {seconds:6.2f} s   ({fold:5.1f} s)")


def main() -> None:
    against_scipy(N_QUERIES, N_DOCUMENTS, N_FEATURES, f" (aim: {TARGET:,})")
    print_cold(COLD)
    # As in the Gov collections, which have 64 features.
    against_scipy(2, 1000, 64, "")
    print_memory("bits", 1000, 64)
    print()
    print_handover(12, (120, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000))
    print_handover(N_FEATURES, (1_000, 2_000, 4_000, 8_000))
    print(f"  handed over beyond {LONGEST_BY_BITS:,} documents; peak memory of one thread:")
    for form in ("bits", "splitting"):
        print_memory(form, 20_000, 46)
    print()
    print_family()


if __name__ == "__main__":
    main()

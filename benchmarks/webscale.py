"""GAS and all importances on generated data of the size of an MSLR training fold.

In a process of its own, so that its peak of memory is that of this work alone.
"""

from __future__ import annotations

import resource
import sys
import time

from benchmarks.timing import in_own_process
from ranksieve import GAS, catalog, make_ranking
from ranksieve.importance import as_importance, scores_together

# 18,900 queries of about 120 documents.
QUERIES, DOCUMENTS = 18_900, 120
SHAPE = {"n_relevant": 30, "n_redundant": 30, "n_irrelevant": 66, "n_constant": 10}
GAS_LIMIT, IMPORTANCE_LIMIT = 180.0, 60.0


def importances() -> list[str]:
    """Every importance of features alone by its short name; two measures stand for all.

    Without the one that trains a model of each feature: it alone takes longer than all others.
    """
    named = [
        entry.short_name
        for entry in catalog.entries("importance")
        if entry.load().looks_alone and entry.short_name != "single-ranker"
    ]
    by_bins = [
        f"{name}(bins='equal-frequency')"
        for name in named
        if name in ("information-gain", "chi-square")
    ]
    return ["map", "ndcg@10", *(name for name in named if name != "measure"), *by_bins]


def peak_gib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def seconds_of(call) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def measure() -> None:
    small, _ = make_ranking(40, DOCUMENTS, **SHAPE, random_state=1)
    names = importances()
    GAS().fit(small)
    scores_together(names, small)  # compiled before the clock starts
    data, _ = make_ranking(QUERIES, DOCUMENTS, **SHAPE, random_state=0)
    size = sum(block.X.nbytes for block in data.blocks()) / 2**30
    print(f"At the size of an MSLR training fold: {data!r}, features {size:.2f} GiB")
    gas = min(seconds_of(lambda: GAS(10, importance="ndcg@10").fit(data)) for _ in range(2))
    print(f"  GAS, importance and similarity      {gas:6.1f} s   (limit: {GAS_LIMIT:.0f} s)")
    print(
        f"  peak of the process                 {peak_gib():6.2f} GiB (limit: {2 * size:.2f} GiB, "
        "twice the data)"
    )
    together = seconds_of(lambda: scores_together(names, data))
    print(
        f"  {len(names)} importances together           {together:6.1f} s   "
        f"(limit: {IMPORTANCE_LIMIT:.0f} s)"
    )
    alone = {name: seconds_of(lambda n=name: as_importance(n).scores(data)) for name in names}
    for name, seconds in alone.items():
        print(f"    {name:46s} {seconds:6.1f} s alone")
    print(f"    {'sum':46s} {sum(alone.values()):6.1f} s")
    print(f"  peak of the process at the end      {peak_gib():6.2f} GiB")


def main() -> None:
    in_own_process("benchmarks.webscale", "--measure")


if __name__ == "__main__":
    measure() if "--measure" in sys.argv else main()

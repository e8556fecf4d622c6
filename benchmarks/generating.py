"""Seconds and memory of make_ranking at the size of an MSLR training fold."""

from __future__ import annotations

import resource
import time

from ranksieve import make_ranking


def main() -> None:
    started = time.perf_counter()
    data, _ = make_ranking(
        18_900, 120, n_relevant=30, n_redundant=30, n_irrelevant=66, n_constant=10, random_state=0
    )
    seconds = time.perf_counter() - started
    size = sum(block.X.nbytes for block in data.blocks()) / 2**30
    # What earlier benchmarks of the same process took would count, so this one goes first.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"make_ranking: {data!r}")
    print(f"  {seconds:.1f} s; features {size:.2f} GiB, peak of the process {peak:.2f} GiB")


if __name__ == "__main__":
    main()

"""NDCG@10 of a million documents, against a loop over scikit-learn's `ndcg_score`."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from sklearn.metrics import ndcg_score

from benchmarks.timing import best_of, cold
from ranksieve.measures import NDCG

N_DOCUMENTS = 1_000_000
TARGET = 50
_COLD = """
from ranksieve.measures import parse_measure
measure = parse_measure("{measure}")
TIMED = lambda: measure([0, 1, 2], [3.0, 1.0, 2.0], qid=[1, 1, 1])
"""


def main() -> None:
    y, scores, qid = make_scored(N_DOCUMENTS)
    ours, values = best_of(7, lambda: NDCG(10).per_query(y, scores, qid=qid))
    theirs, expected = measure_with_scikit_learn(y, scores, qid)
    difference = np.abs(values - expected).max()
    assert difference <= 1e-12, f"values differ by {difference}"
    print(f"NDCG@10 of {len(y):,} documents in {len(values):,} queries")
    print(f"  ranksieve                 {ours:9.4f} s   (best of 7, input checks included)")
    print(f"  sklearn ndcg_score a query {theirs:8.4f} s   (one pass)")
    print(f"  ratio                     {theirs / ours:9.0f}     (target: {TARGET})")
    print(f"  largest difference        {difference:9.1e}")
    print("First call, nothing compiled before")
    for name in ("ndcg@10", "map", "precision@10", "rr", "err@10", "kendall-tau"):
        print(f"  {name:<25} {cold(_COLD.format(measure=name)):9.2f} s")


def make_scored(n_documents: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return grades 0 to 4, scores without ties, and ids of queries of 50 to 150 documents."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(50, 151, n_documents // 50)
    qid = np.repeat(np.arange(len(sizes)), sizes)[:n_documents]
    y = rng.choice(5, n_documents, p=[0.55, 0.25, 0.12, 0.05, 0.03])
    return y, rng.permutation(n_documents) / n_documents, qid


def measure_with_scikit_learn(
    y: np.ndarray, scores: np.ndarray, qid: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the time of one pass, and the values; gains are made before the clock starts."""
    gains = 2.0**y - 1.0
    ends = np.append(np.flatnonzero(np.diff(qid)) + 1, len(qid))
    starts = np.append(0, ends[:-1])
    start = perf_counter()
    values = [
        ndcg_score(gains[None, a:b], scores[None, a:b], k=10)
        for a, b in zip(starts, ends, strict=True)
    ]
    return perf_counter() - start, np.array(values)


if __name__ == "__main__":
    main()

"""NGAS, XGAS and HCAS beside the similarity matrix that each of them needs; MIQUBO's counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.datasets import described, letor_train
from benchmarks.published import data_folder
from ranksieve import GAS, HCAS, MIQUBO, MRMR, NGAS, XGAS, RankingData, load
from ranksieve.importance import Importance, as_importance
from ranksieve.similarity import as_similarity
from ranksieve.threads import threads

TARGET = 1.2
SIMILARITIES = ("pooled-spearman", "spearman", "kendall")
# Calls of a fit, each beside a call of the matrix: what else the machine does meets both.
TIMES = 15


@dataclass(frozen=True, eq=False)
class Computed(Importance):
    """Scores that were computed before, so that a fit is similarity and search alone."""

    numbers: np.ndarray
    better: np.ndarray

    def scores(self, data: RankingData) -> np.ndarray:
        return self.numbers

    def better_than_random(self, data: RankingData) -> np.ndarray:
        return self.better


def main() -> None:
    print("Filters beside their similarity matrix: CPU seconds on one thread, best of several;")
    print("the importance of the features is computed before, in a line of its own")
    with threads(1):
        for name in ("MQ2008", "OHSUMED", "MSLR-sample"):
            data = mslr_sample() if name == "MSLR-sample" else letor_train(name)
            if data is not None:
                print_data(name, data)


def mslr_sample() -> RankingData | None:
    folder = data_folder()
    path = None if folder is None else folder / "MSLR-sample" / "train.txt"
    if path is None or not path.is_file():
        print("  MSLR-sample: absent (set RANKSIEVE_DATA to the folder with it)")
        return None
    return load(path)


def print_data(name: str, data: RankingData) -> None:
    print(f"  {described(name, data)}")
    importance = as_importance("ndcg@10")
    seconds, rating = cpu(lambda: importance.rating(data))
    print(f"    {'importance: ndcg@10 and its test':<42}{seconds:9.4f} s")
    known = Computed(rating.scores, rating.better_than_random)
    for text in SIMILARITIES:
        print_similarity(text, data, known)
    by_sets = [GAS(10, similarity="spearman", explained_by=number) for number in (2, 3)]
    by_trees = NGAS(10, importance="single-ranker")
    for model in (NGAS(10), XGAS(10), HCAS(10), MRMR(10), MIQUBO(10), GAS(10), *by_sets, by_trees):
        seconds, _ = cpu(lambda: model.fit(data), times=1)  # noqa: B023
        text = repr(model).replace("n_features_to_select=10", "10")
        print(f"    {text:<52}{seconds:9.4f} s with its importance")


def print_similarity(text: str, data: RankingData, known: Importance) -> None:
    similarity = as_similarity(text)
    for kind in (NGAS, XGAS, HCAS):
        model = kind(10, importance=known, similarity=text)
        matrix, fit = side_by_side(lambda: similarity.matrix(data), lambda: model.fit(data))  # noqa: B023
        note = "" if fit <= TARGET * matrix else "   above the aim"
        print(
            f"    {kind.__name__ + ' with ' + text:<42}{fit:9.4f} s of {matrix:8.4f} s for the "
            f"matrix: {fit / matrix:5.2f} times (aim: {TARGET}){note}"
        )


def side_by_side(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[float, float]:
    """The least CPU seconds of two calls, which take turns."""
    first(), second()
    pairs = [(cpu_once(first)[0], cpu_once(second)[0]) for _ in range(TIMES)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def cpu(call: Callable[[], Any], times: int = TIMES) -> tuple[float, Any]:
    """The least CPU seconds of several calls (after one that is not counted), and the result."""
    result = call()
    return min(cpu_once(call)[0] for _ in range(times)), result


def cpu_once(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


if __name__ == "__main__":
    main()

"""What the tables of the page on embedded methods are made of."""

from __future__ import annotations

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.published_embedded import Chosen, Results

# Sparsity ratios of Table IV of the sparse RankSVM paper (Laporte et al., 2014).
TABLE_IV = {
    "OHSUMED": {
        "FenchelRank": 0.23,
        "FSMRank": 0.41,
        "l1": 0.28,
        "mcp": 0.34,
        "log": 0.12,
        "lp": 0.22,
    },
    "MQ2008": {
        "FenchelRank": 0.30,
        "FSMRank": 0.42,
        "l1": 0.39,
        "mcp": 0.27,
        "log": 0.09,
        "lp": 0.07,
    },
}


def chosen(found: Results, data: str, method: str) -> list[Chosen]:
    return [candidates.best() for candidates in found[data, method]]


def means(models: list[Chosen]) -> np.ndarray:
    """Mean over the folds of the mean over a fold's test queries, one a measure."""
    return np.mean([[values.mean() for values in model.tests] for model in models], axis=0)


def ratio(models: list[Chosen]) -> float:
    return float(np.mean([model.ratio for model in models]))


def numbers(models: list[Chosen]) -> str:
    return ", ".join(str(model.n_features) for model in models)


def p_of_loss(worse: list[Chosen], better: list[Chosen], place: int = 0) -> float:
    """One-sided paired t-test over all test queries: is `better` better?"""
    low, high = (np.concatenate([m.tests[place] for m in part]) for part in (worse, better))
    return (
        1.0 if np.array_equal(low, high) else float(ttest_rel(high, low, alternative="greater")[1])
    )


def table(head: str, rows: list[list[str]]) -> list[str]:
    """Columns whose name starts with * hold text; the others are numbers."""
    names = head.split(" | ")
    rule = ["---" if name.startswith("*") else "---:" for name in names]
    lines = [[name.removeprefix("*") for name in names], rule, *rows]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def figures(models: list[Chosen]) -> list[str]:
    return [f"{value:.4f}" for value in means(models)]

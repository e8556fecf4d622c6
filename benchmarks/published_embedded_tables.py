"""What the tables of the page on embedded methods are made of."""

from __future__ import annotations

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.published_embedded import DATA, Chosen, Results
from ranksieve.experiment.published import ratio_tables

# What the sparse RankSVM paper calls the methods here.
_NAMES = {"Fenchel": "FenchelRank", "FSM": "FSMRank", "MCP": "mcp", "l0.5": "lp"}
# Sparsity ratios of Table IV of the sparse RankSVM paper (Laporte et al., 2014).
TABLE_IV = {
    table.data: {_NAMES.get(name, name): ratio for name, ratio in table.ratios.items()}
    for table in ratio_tables(DATA)
}


def chosen(results: Results, data: str, method: str) -> list[Chosen]:
    return [candidates.best() for candidates in results[data, method]]


def means(models: list[Chosen]) -> np.ndarray:
    """Mean over the folds of the mean over a fold's test queries, one per measure."""
    return np.mean([[values.mean() for values in model.tests] for model in models], axis=0)


def ratio(models: list[Chosen]) -> float:
    return float(np.mean([model.ratio for model in models]))


def numbers(models: list[Chosen]) -> str:
    return ", ".join(str(model.n_features) for model in models)


def p_of_loss(worse: list[Chosen], better: list[Chosen], index: int = 0) -> float:
    """One-sided paired t-test over all test queries: is `better` better?"""
    low, high = (np.concatenate([m.tests[index] for m in part]) for part in (worse, better))
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

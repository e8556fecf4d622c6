"""Statistics of results: tests over queries, intervals, ranks of methods, stability."""

from ranksieve.evaluate.adjustment import holm
from ranksieve.evaluate.bootstrap import (
    Interval,
    bootstrap_difference,
    bootstrap_interval,
    bootstrap_intervals,
)
from ranksieve.evaluate.marks import significance_marks
from ranksieve.evaluate.randomisation import randomisation_test
from ranksieve.evaluate.results import RandomisationResult, TestResult
from ranksieve.evaluate.sparsity import n_used, sparsity_ratio
from ranksieve.evaluate.stability import Stability, jaccard_stability, nogueira_stability
from ranksieve.evaluate.student import paired_t
from ranksieve.evaluate.unified import UnifiedRank, unified_rank
from ranksieve.evaluate.wilcoxon import wilcoxon_test
from ranksieve.evaluate.wins import WinTieLoss, win_tie_loss

__all__ = [
    "Interval",
    "RandomisationResult",
    "Stability",
    "TestResult",
    "UnifiedRank",
    "WinTieLoss",
    "bootstrap_difference",
    "bootstrap_interval",
    "bootstrap_intervals",
    "holm",
    "jaccard_stability",
    "n_used",
    "nogueira_stability",
    "paired_t",
    "randomisation_test",
    "significance_marks",
    "sparsity_ratio",
    "unified_rank",
    "wilcoxon_test",
    "win_tie_loss",
]

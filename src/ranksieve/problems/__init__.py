"""Problems: data and a loss put together for a solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ranksieve.lazy import lazy_names

if TYPE_CHECKING:
    from ranksieve.problems.average_precision_hinge import (
        AveragePrecisionHinge as AveragePrecisionHinge,
    )
    from ranksieve.problems.gain_risk import GainRisk as GainRisk
    from ranksieve.problems.pair_risk import PairRisk as PairRisk
    from ranksieve.problems.ridge_pairs import RidgePairs as RidgePairs
    from ranksieve.problems.ridge_scores import RidgeScores as RidgeScores
    from ranksieve.problems.ridge_scores import ScoreLoss as ScoreLoss
    from ranksieve.problems.task_risk import TaskRisk as TaskRisk

__all__ = [
    "AveragePrecisionHinge",
    "GainRisk",
    "PairRisk",
    "RidgePairs",
    "RidgeScores",
    "ScoreLoss",
    "TaskRisk",
]

__getattr__ = lazy_names(__name__)

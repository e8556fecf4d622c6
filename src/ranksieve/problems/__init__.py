"""Problems: data and a loss put together for a solver."""

from ranksieve.problems.average_precision_hinge import AveragePrecisionHinge
from ranksieve.problems.pair_risk import PairRisk
from ranksieve.problems.ridge_pairs import RidgePairs
from ranksieve.problems.ridge_scores import RidgeScores, ScoreLoss

__all__ = ["AveragePrecisionHinge", "PairRisk", "RidgePairs", "RidgeScores", "ScoreLoss"]

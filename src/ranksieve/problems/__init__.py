"""Problems: data and a loss put together for a solver."""

from ranksieve.problems.pair_risk import PairRisk
from ranksieve.problems.ridge_pairs import RidgePairs

__all__ = ["PairRisk", "RidgePairs"]

"""Problems: data, a loss and a penalty put together for a solver."""

from ranksieve.problems.ridge_pairs import RidgePairs

__all__ = ["RidgePairs"]

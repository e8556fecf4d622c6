"""Selectors: an order of the features, and a subset."""

from ranksieve.selectors.base import Selection, Selector
from ranksieve.selectors.filters._gas.pareto import ParetoFront, pareto_front
from ranksieve.selectors.filters.gas import GAS
from ranksieve.selectors.filters.topk import TopK

__all__ = ["GAS", "ParetoFront", "Selection", "Selector", "TopK", "pareto_front"]

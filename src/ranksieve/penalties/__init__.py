"""Penalties on the weights of a model."""

from ranksieve.penalties.base import Charge, Penalty
from ranksieve.penalties.l1 import L1Penalty

__all__ = ["Charge", "L1Penalty", "Penalty"]

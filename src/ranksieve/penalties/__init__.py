"""Penalties on the weights of a model."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.penalties._semidefinite import Semidefinite, make_semidefinite
from ranksieve.penalties.base import Charge, Penalty
from ranksieve.penalties.elastic_net import ElasticNetPenalty
from ranksieve.penalties.l1 import L1Penalty
from ranksieve.penalties.log import LogPenalty
from ranksieve.penalties.lp import LpPenalty
from ranksieve.penalties.mcp import MCPPenalty
from ranksieve.penalties.redundancy import RedundancyPenalty
from ranksieve.penalties.scad import SCADPenalty
from ranksieve.penalties.weighted_l1 import WeightedL1Penalty

__all__ = [
    "Charge",
    "ElasticNetPenalty",
    "L1Penalty",
    "LogPenalty",
    "LpPenalty",
    "MCPPenalty",
    "Penalty",
    "RedundancyPenalty",
    "SCADPenalty",
    "Semidefinite",
    "WeightedL1Penalty",
    "as_penalty",
    "make_semidefinite",
]


def as_penalty(spelled: str | Penalty) -> Penalty:
    """Return the penalty that a text spells: a name, or a call; a penalty as it is.

    Examples
    --------
    >>> as_penalty("mcp")
    MCPPenalty(gamma=2.0, units='mean')
    >>> as_penalty("lp(p=0.3)")
    LpPenalty(p=0.3)
    """
    if isinstance(spelled, Penalty):
        return spelled
    if not isinstance(spelled, str):
        raise ParameterError(
            "a penalty is a text such as 'l1' or 'mcp(gamma=3)', or an object such as "
            f"MCPPenalty(gamma=3), but is {spelled!r}"
        )
    penalty: Penalty = catalog.parse(spelled, "penalties")
    return penalty

"""Penalties on the weights of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.penalties._rows import RowCharge as RowCharge
from ranksieve.penalties._rows import row_sizes as row_sizes
from ranksieve.penalties._semidefinite import Semidefinite as Semidefinite
from ranksieve.penalties._semidefinite import make_semidefinite as make_semidefinite
from ranksieve.penalties.base import Charge as Charge
from ranksieve.penalties.base import Penalty as Penalty

if TYPE_CHECKING:
    from ranksieve.penalties.elastic_net import ElasticNetPenalty as ElasticNetPenalty
    from ranksieve.penalties.l1 import L1Penalty as L1Penalty
    from ranksieve.penalties.log import LogPenalty as LogPenalty
    from ranksieve.penalties.lp import LpPenalty as LpPenalty
    from ranksieve.penalties.mcp import MCPPenalty as MCPPenalty
    from ranksieve.penalties.redundancy import RedundancyPenalty as RedundancyPenalty
    from ranksieve.penalties.scad import SCADPenalty as SCADPenalty
    from ranksieve.penalties.weighted_l1 import WeightedL1Penalty as WeightedL1Penalty


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})


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

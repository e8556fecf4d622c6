"""Every penalty in the catalog obeys the laws; in their limits they agree."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.penalties import (
    ElasticNetPenalty,
    L1Penalty,
    LogPenalty,
    LpPenalty,
    MCPPenalty,
    RedundancyPenalty,
    SCADPenalty,
    WeightedL1Penalty,
    make_semidefinite,
)
from ranksieve.testing import PenaltySuite
from ranksieve.testing.penalties import N

SIMILARITY = make_semidefinite(np.abs(np.corrcoef(np.random.default_rng(8).normal(size=(6, 9)))))
# Besides the defaults of the whole family, parameters that change the shape.
VARIANTS = [
    WeightedL1Penalty((0.5, 2.0, 1.0, 0.0, 3.0, np.inf)),
    ElasticNetPenalty(0.1),
    MCPPenalty(0.3),
    MCPPenalty(5.0),
    MCPPenalty(2.0, units="sum").for_pairs(7),
    MCPPenalty(units="fixed"),
    MCPPenalty(0.4, units="fixed"),
    SCADPenalty(2.1),
    SCADPenalty(3.7, units="sum").for_pairs(7),
    SCADPenalty(units="fixed"),
    LogPenalty(2.0),
    LogPenalty(1e-3),
    LpPenalty(0.1),
    LpPenalty(0.9),
    RedundancyPenalty(SIMILARITY.matrix, 0.7, [0.5, 1.0, 0.2, 0.9, 0.1, np.nan]),
]


class TestPenalties(PenaltySuite):
    components = (*(entry.load()() for entry in catalog.entries("penalties")), *VARIANTS)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "penalty",
    [
        MCPPenalty(1e9),
        SCADPenalty(1e9),
        MCPPenalty(2.0, units="sum").for_pairs(10**9),
        SCADPenalty(units="sum").for_pairs(10**9),
        MCPPenalty(1e9, units="fixed"),
        SCADPenalty(1e9, units="fixed"),
        ElasticNetPenalty(1.0),
        WeightedL1Penalty(),
        WeightedL1Penalty(np.ones(N)),
        LpPenalty(1 - 1e-9),
        RedundancyPenalty(similarity_strength=0.0),
    ],
    ids=repr,
)
def test_in_their_limits_penalties_are_l1(penalty, seed):
    rng = np.random.default_rng(seed)
    w, strength = rng.normal(size=N), 0.3
    l1 = L1Penalty()
    assert penalty.value(w, strength) == pytest.approx(l1.value(w, strength), rel=1e-7)
    np.testing.assert_allclose(
        penalty.derivative(w, strength), l1.derivative(w, strength), rtol=1e-7
    )
    assert penalty.critical_strength(w) == l1.critical_strength(w)


def test_a_wide_log_with_its_width_as_strength_is_l1():
    w = np.random.default_rng(0).normal(size=N)
    wide, l1 = LogPenalty(1e8), L1Penalty()
    assert wide.value(w, 0.3e8) == pytest.approx(l1.value(w, 0.3), rel=1e-7)
    np.testing.assert_allclose(wide.derivative(w, 0.3e8), l1.derivative(w, 0.3), rtol=1e-7)

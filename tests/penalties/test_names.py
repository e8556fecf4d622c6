from __future__ import annotations

import pickle

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.penalties import (
    ElasticNetPenalty,
    LogPenalty,
    LpPenalty,
    MCPPenalty,
    RedundancyPenalty,
    SCADPenalty,
    WeightedL1Penalty,
    as_penalty,
)


def test_every_penalty_is_found_by_its_short_name():
    for entry in catalog.entries("penalties"):
        assert type(as_penalty(entry.short_name)) is entry.load()


@pytest.mark.parametrize(
    ("text", "penalty"),
    [
        ("mcp", MCPPenalty()),
        ("lp(p=0.3)", LpPenalty(0.3)),
        ("MCP(gamma=3)", MCPPenalty(3.0)),
        ("SCADPenalty(a=4, units='sum')", SCADPenalty(4.0, units="sum")),
        ("mcp(units='fixed')", MCPPenalty(units="fixed")),
        ('scad(units="fixed")', SCADPenalty(units="fixed")),
        ("weighted-l1(weights=[1, 1e999])", WeightedL1Penalty((1.0, np.inf))),
        ("elastic-net(ratio=1)", ElasticNetPenalty(1.0)),
    ],
)
def test_text_and_object_spell_the_same_penalty(text, penalty):
    assert as_penalty(text) == penalty
    assert as_penalty(penalty) is penalty


def test_numbers_of_numpy_are_stored_as_plain_ones():
    assert repr(LpPenalty(np.float64(0.25))) == "LpPenalty(p=0.25)"
    assert repr(MCPPenalty(np.int64(3))) == "MCPPenalty(gamma=3.0, units='mean')"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: as_penalty("mpc"), r"unknown penalty 'mpc': did you mean 'mcp'\?"),
        (lambda: as_penalty("scad(b=3)"), "SCADPenalty has no parameter 'b'"),
        (lambda: as_penalty(3), "a penalty is a text such as 'l1'.*but is 3"),
        (lambda: MCPPenalty(0), r"gamma must be a finite number above 0, but is 0\. .* gamma=2"),
        (lambda: MCPPenalty(np.inf), "gamma must be a finite number above 0, but is inf"),
        (lambda: MCPPenalty(np.nan), "gamma must be a finite number above 0, but is nan"),
        (lambda: MCPPenalty("2"), "gamma must be a finite number above 0, but is '2'"),
        (lambda: MCPPenalty(True), "but is True"),
        (
            lambda: MCPPenalty(units="summ"),
            r"units must be one of 'mean', 'sum', 'fixed'.*did you mean",
        ),
        (lambda: SCADPenalty(2), r"a must be a finite number above 2, but is 2\. .*try a=3.7"),
        (
            lambda: SCADPenalty(units=None),
            "units must be one of 'mean', 'sum', 'fixed', but is None",
        ),
        (lambda: LogPenalty(-1), "epsilon must be a finite number above 0, but is -1"),
        (lambda: LpPenalty(1), "p must be a finite number above 0 and below 1, but is 1"),
        (lambda: ElasticNetPenalty(0), "ratio must be .* above 0 and of at most 1, but is 0"),
        (lambda: ElasticNetPenalty(1.1), "ratio must be .*, but is 1.1"),
        (lambda: RedundancyPenalty(similarity_strength=-1), "of at least 0, but is -1"),
        (lambda: WeightedL1Penalty([1, -1]), r"weights must be a sequence.*is \[1, -1\].*Write 0"),
        (lambda: WeightedL1Penalty("ab"), "weights must be a sequence"),
        (lambda: WeightedL1Penalty([np.nan]), "weights must be a sequence"),
        (
            lambda: WeightedL1Penalty([1.0]).value(np.zeros(3), 1.0),
            r"weights must have one value per feature, but has 1 for 3 features\. Give 3",
        ),
        (
            lambda: MCPPenalty(units="sum").value(np.ones(2), 1.0),
            r"depends on the number of pairs.*call for_pairs\(n_pairs\) first",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_value_and_a_remedy(build, message):
    with pytest.raises(ParameterError, match=message):
        build()


def test_the_number_of_pairs_is_no_part_of_what_a_penalty_is():
    penalty = MCPPenalty(units="sum")
    known = penalty.for_pairs(100)
    assert known == penalty
    assert repr(known) == repr(penalty)
    w = np.array([0.3])
    again = pickle.loads(pickle.dumps(known))
    assert again.value(w, 0.1) == known.value(w, 0.1)
    with pytest.raises(ParameterError):
        penalty.value(w, 0.1)

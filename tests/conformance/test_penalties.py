"""Laws that every penalty in the catalog obeys."""

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
DEFAULTS = [entry.load()() for entry in catalog.entries("penalties")]
ALL = [pytest.param(penalty, id=repr(penalty)) for penalty in [*DEFAULTS, *VARIANTS]]
SEPARABLE = [each for each in ALL if not isinstance(each.values[0], RedundancyPenalty)]

every_penalty = pytest.mark.parametrize("penalty", ALL)
every_separable_penalty = pytest.mark.parametrize("penalty", SEPARABLE)
some_seeds = pytest.mark.parametrize("seed", range(3))
N = 6


def weights(rng, scale=1.0):
    """Random weights, the last one 0, as some penalties want it."""
    w = scale * rng.normal(size=N)
    w[-1] = 0.0
    return w


@every_penalty
def test_no_weights_cost_nothing(penalty):
    assert penalty.value(np.zeros(N), 0.7) == 0.0


@every_penalty
@some_seeds
def test_the_value_depends_on_sizes_and_never_falls_with_them(penalty, seed):
    rng = np.random.default_rng(seed)
    w = weights(rng)
    value = penalty.value(w, 0.7)
    assert penalty.value(-w, 0.7) == value
    assert penalty.value(np.abs(w), 0.7) == value
    larger = w * (1 + rng.random(N))
    assert penalty.value(larger, 0.7) >= value * (1 - 1e-14)


@every_penalty
@some_seeds
@pytest.mark.parametrize("strength", [0.05, 0.7, 3.0])
def test_the_derivative_is_the_central_difference_of_the_value(penalty, seed, strength):
    w = weights(np.random.default_rng(seed))
    slopes = penalty.derivative(w, strength)
    assert (slopes >= 0.0).all()
    step = 1e-6
    for feature in range(N - 1):
        moved = np.zeros(N)
        moved[feature] = np.sign(w[feature]) * step
        up, down = penalty.value(w + moved, strength), penalty.value(w - moved, strength)
        assert slopes[feature] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)


@every_penalty
def test_the_derivative_at_zero_is_the_one_from_the_right(penalty):
    slopes = penalty.derivative(np.zeros(N), 0.7)
    for feature in range(N):
        small = np.zeros(N)
        small[feature] = 1e-12
        if np.isinf(slopes[feature]):
            assert penalty.value(small, 0.7) > 1e-12 * 10
        else:
            assert penalty.value(small, 0.7) == pytest.approx(1e-12 * slopes[feature], rel=1e-6)


@every_penalty
def test_a_strength_of_zero_gives_finite_values_and_slopes_without_nan(penalty):
    w = weights(np.random.default_rng(1))
    assert np.isfinite(penalty.value(w, 0.0))
    assert not np.isnan(penalty.derivative(w, 0.0)).any()


@every_separable_penalty
@pytest.mark.parametrize("seed", range(10))
def test_the_proximal_step_of_the_charge_beats_every_point_of_a_fine_grid(penalty, seed):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=N) * 10.0 ** rng.integers(-1, 2)
    step, strength = 10.0 ** rng.uniform(-2, 1, size=2)
    charge = penalty.charge(weights(rng), strength)
    z = charge.prox(v, step)
    assert (z * v >= 0.0).all()

    def cost(feature, point):
        alone = np.where(np.arange(N) == feature, point, 0.0)
        return 0.5 * (point - v[feature]) ** 2 + step * charge.value(alone)

    for feature in rng.choice(N, size=2, replace=False):
        reached = cost(feature, z[feature])
        for point in v[feature] * np.linspace(-0.1, 1.01, 334):
            assert reached <= cost(feature, point) * (1 + 1e-12) + 1e-15


@every_penalty
@some_seeds
def test_the_charge_touches_the_penalty_and_is_nowhere_below(penalty, seed):
    rng = np.random.default_rng(seed)
    w = weights(rng)
    charge = penalty.charge(w, 0.7)
    constant = penalty.value(w, 0.7) - charge.value(w)
    if penalty.convex:
        assert constant == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(charge.thresholds(w), penalty.derivative(w, 0.7), rtol=1e-12)
    for _ in range(100):
        other = weights(rng, 10.0 ** rng.uniform(-3, 2))
        above = charge.value(other) + constant - penalty.value(other, 0.7)
        assert above >= -1e-9 * (1 + charge.value(other))


@every_penalty
@some_seeds
def test_from_the_critical_strength_on_all_weights_begin_at_zero_and_stay(penalty, seed):
    gradient = np.random.default_rng(seed).normal(size=N)
    if isinstance(penalty, WeightedL1Penalty) and penalty.weights is not None:
        gradient[np.array(penalty.weights) == 0.0] = 0.0  # a free feature is never held
    critical = penalty.critical_strength(gradient)

    def held(strength):
        zero = np.zeros(N)
        charges = penalty.first_charge(N, strength), penalty.charge(zero, strength)
        return all((np.abs(gradient) <= charge.thresholds(zero)).all() for charge in charges)

    assert 0.0 < critical < np.inf
    assert held(critical * (1 + 1e-12))
    assert held(critical * 3)
    assert not held(critical * (1 - 1e-9))


@every_penalty
def test_a_gradient_of_zero_needs_no_strength(penalty):
    assert penalty.critical_strength(np.zeros(N)) == 0.0


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


@every_penalty
def test_repr_is_a_call_that_the_catalog_reads_back(penalty):
    again = catalog.parse(repr(penalty), "penalties")
    assert type(again) is type(penalty)
    assert repr(again) == repr(penalty)
    if not isinstance(penalty, RedundancyPenalty) or penalty.similarity is None:
        assert again == penalty
        assert hash(again) == hash(penalty)

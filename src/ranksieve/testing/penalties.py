"""Laws that every penalty obeys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve.penalties import Penalty
from ranksieve.testing.base import Suite

N = 6
some_seeds = pytest.mark.parametrize("seed", range(3))


def weights(rng: np.random.Generator, scale: float = 1.0) -> NDArray[np.float64]:
    """Return random weights, the last one 0, as some penalties want it."""
    w: NDArray[np.float64] = scale * rng.normal(size=N)
    w[-1] = 0.0
    return w


def is_separable(penalty: Penalty) -> bool:
    """Tell whether the penalty is a sum over weights."""
    w = weights(np.random.default_rng(0))
    single = sum(penalty.value(row, 0.7) for row in np.diag(w))
    return bool(np.isclose(penalty.value(w, 0.7), single, rtol=1e-12))


class PenaltySuite(Suite):
    """Laws that every penalty obeys: `value`, `derivative`, `charge`.

    Penalties are tested on six weights of which the last is 0, so that one with parameters for
    each weight needs six of them.
    """

    argument: ClassVar[str] = "penalty"
    family: ClassVar[str] = "penalties"

    def arguments(self) -> dict[str, Sequence[Any]]:
        """Return all penalties, and of them those that are sums over weights."""
        separable = [penalty for penalty in self.components if is_separable(penalty)]
        return {"penalty": self.components, "separable_penalty": separable}

    def test_no_weights_cost_nothing(self, penalty: Penalty) -> None:
        assert penalty.value(np.zeros(N), 0.7) == 0.0

    @some_seeds
    def test_the_value_depends_on_sizes_and_never_falls_with_them(
        self, penalty: Penalty, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        w = weights(rng)
        value = penalty.value(w, 0.7)
        assert penalty.value(-w, 0.7) == value
        assert penalty.value(np.abs(w), 0.7) == value
        larger = w * (1 + rng.random(N))
        assert penalty.value(larger, 0.7) >= value * (1 - 1e-14)

    @some_seeds
    @pytest.mark.parametrize("strength", [0.05, 0.7, 3.0])
    def test_the_derivative_is_the_central_difference_of_the_value(
        self, penalty: Penalty, seed: int, strength: float
    ) -> None:
        w = weights(np.random.default_rng(seed))
        slopes = penalty.derivative(w, strength)
        assert (slopes >= 0.0).all()
        step = 1e-6
        for feature in range(N - 1):
            moved = np.zeros(N)
            moved[feature] = np.sign(w[feature]) * step
            up, down = penalty.value(w + moved, strength), penalty.value(w - moved, strength)
            assert slopes[feature] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)

    def test_the_derivative_at_zero_is_the_one_from_the_right(self, penalty: Penalty) -> None:
        slopes = penalty.derivative(np.zeros(N), 0.7)
        for feature in range(N):
            small = np.zeros(N)
            small[feature] = 1e-12
            if np.isinf(slopes[feature]):
                assert penalty.value(small, 0.7) > 1e-12 * 10
            else:
                assert penalty.value(small, 0.7) == pytest.approx(1e-12 * slopes[feature], rel=1e-6)

    def test_a_strength_of_zero_gives_finite_values_and_slopes_without_nan(
        self, penalty: Penalty
    ) -> None:
        w = weights(np.random.default_rng(1))
        assert np.isfinite(penalty.value(w, 0.0))
        assert not np.isnan(penalty.derivative(w, 0.0)).any()

    @pytest.mark.parametrize("seed", range(10))
    def test_the_proximal_step_of_the_charge_beats_every_point_of_a_fine_grid(
        self, separable_penalty: Penalty, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        v = rng.normal(size=N) * 10.0 ** rng.integers(-1, 2)
        step, strength = 10.0 ** rng.uniform(-2, 1, size=2)
        charge = separable_penalty.charge(weights(rng), strength)
        z = charge.prox(v, step)
        assert (z * v >= 0.0).all()

        def cost(feature: int, point: float) -> float:
            alone = np.where(np.arange(N) == feature, point, 0.0)
            return float(0.5 * (point - v[feature]) ** 2 + step * charge.value(alone))

        for feature in rng.choice(N, size=2, replace=False):
            reached = cost(feature, z[feature])
            for point in v[feature] * np.linspace(-0.1, 1.01, 334):
                assert reached <= cost(feature, point) * (1 + 1e-12) + 1e-15

    @some_seeds
    def test_the_charge_touches_the_penalty_and_is_nowhere_below(
        self, penalty: Penalty, seed: int
    ) -> None:
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

    @some_seeds
    def test_from_the_critical_strength_on_all_weights_begin_at_zero_and_stay(
        self, penalty: Penalty, seed: int
    ) -> None:
        gradient = np.random.default_rng(seed).normal(size=N)
        gradient[penalty.derivative(np.zeros(N), 1.0) == 0.0] = 0.0  # a free feature is never held
        critical = penalty.critical_strength(gradient)

        def held(strength: float) -> bool:
            zero = np.zeros(N)
            charges = penalty.first_charge(N, strength), penalty.charge(zero, strength)
            return all((np.abs(gradient) <= charge.thresholds(zero)).all() for charge in charges)

        assert 0.0 < critical < np.inf
        assert held(critical * (1 + 1e-12))
        assert held(critical * 3)
        assert not held(critical * (1 - 1e-9))

    def test_a_gradient_of_zero_needs_no_strength(self, penalty: Penalty) -> None:
        assert penalty.critical_strength(np.zeros(N)) == 0.0

    def test_repr_is_a_call_that_the_catalog_reads_back(self, penalty: Any) -> None:
        again = self.read(repr(penalty), penalty)
        assert type(again) is type(penalty)
        assert repr(again) == repr(penalty)
        # What is computed from data is no part of the spelling.
        if all(
            getattr(penalty, each.name) is each.default for each in fields(penalty) if not each.repr
        ):
            assert again == penalty
            assert hash(again) == hash(penalty)

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from ranksieve.penalties import Charge, RowCharge, row_sizes


def charges(seed, own):
    rng = np.random.default_rng(seed)
    return RowCharge.of(0.5 + rng.random(4), 3, own), rng


@pytest.mark.parametrize("own", [np.inf, 0.9, 0.6, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_value_is_the_cheapest_division_into_shared_and_own(seed, own):
    charge, rng = charges(seed, own)
    weights = rng.normal(size=(3, 4)) * (rng.random((3, 4)) < 0.8)
    total = 0.0
    for feature in range(4):
        row, price = weights[:, feature], charge.rows[feature]
        if own == np.inf:
            total += price * np.linalg.norm(row)
            continue

        def cost(shared, row=row, price=price):
            return price * np.linalg.norm(shared) + own * np.abs(row - shared).sum()

        starts = [np.zeros(3), row, *(np.clip(row, -cap, cap) for cap in np.linspace(0, 2, 41))]
        best = min(starts, key=cost)
        polished = minimize(cost, best, method="Nelder-Mead", options={"xatol": 1e-10}).fun
        total += min(cost(best), polished)
    assert charge.value(weights.ravel()) == pytest.approx(total, rel=1e-5)
    assert charge.value(weights.ravel()) <= total + 1e-9


@pytest.mark.parametrize("own", [np.inf, 0.9, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_the_proximal_step_beats_points_around_it_and_its_rest_is_feasible(seed, own):
    charge, rng = charges(seed, own)
    v, step = 2 * rng.normal(size=12), 0.7
    z = charge.prox(v, step)

    def cost(w):
        return 0.5 * (w - v) @ (w - v) + step * charge.value(w)

    for size in (1e-3, 0.1, 1.0):
        assert all(cost(z) <= cost(z + size * rng.normal(size=12)) + 1e-12 for _ in range(50))
    slopes = (v - z) / step
    assert charge.nearness(slopes).max() <= 1 + 1e-12
    assert slopes @ z == pytest.approx(charge.value(z), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_limits_of_the_price_of_own_weights(seed):
    charge, rng = charges(seed, np.inf)
    w = rng.normal(size=12)
    dear = RowCharge.of(charge.rows, 3, charge.rows.max())
    assert dear.value(w) == pytest.approx(charge.value(w), rel=1e-12)
    cheap = RowCharge.of(charge.rows, 3, 0.99 * charge.rows.min() / np.sqrt(3))
    assert cheap.value(w) == pytest.approx(cheap.own * np.abs(w).sum(), rel=1e-12)
    assert not cheap.shared(w.reshape(3, 4)).any()


def test_one_task_is_the_charge_on_single_weights():
    rows, w = np.array([1.0, 0.5, 2.0]), np.array([1.0, -3.0, 0.2])
    plain, by_row = Charge(rows), RowCharge.of(rows, 1)
    assert by_row.value(w) == plain.value(w)
    np.testing.assert_allclose(by_row.prox(w, 0.3), plain.prox(w, 0.3), atol=1e-15)


def test_a_weight_that_must_be_0_costs_infinitely_much_unless_it_may_be_own():
    rows, w = np.array([np.inf]), np.array([1.0, 0.0])
    assert RowCharge.of(rows, 2).value(w) == np.inf
    assert RowCharge.of(rows, 2, 3.0).value(w) == 3.0
    assert RowCharge.of(rows, 2).value(np.zeros(2)) == 0.0


def test_row_sizes_of_extreme_numbers_neither_vanish_nor_overflow():
    np.testing.assert_allclose(row_sizes(np.array([[3e200], [4e200]])), [5e200])
    np.testing.assert_allclose(row_sizes(np.array([[3e-200], [4e-200]])), [5e-200])

"""Costs: groups are paid once, and every mistake in a file is named with its line."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import ParameterError
from ranksieve.sieve.costs import Costs, as_costs

NAMES = ["bm25", "clicks", "freshness", "length"]


def costs_file(folder, *lines):
    path = folder / "costs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_group_is_paid_once(tmp_path):
    path = costs_file(
        tmp_path, "feature,cost,group", "bm25,5,index", "length,5,index", "clicks,20,", "3,1,"
    )
    costs = as_costs(path, NAMES)
    assert costs.price(np.array([True, False, False, True])) == 5
    assert costs.price(np.array([True, True, True, True])) == 5 + 20 + 1
    assert costs.price(np.zeros(4, dtype=bool)) == 0


def test_names_come_before_numbers(tmp_path):
    path = costs_file(tmp_path, "feature,cost", "2,7", "1,8")
    assert as_costs(path, ["2", "1"]).feature_prices().tolist() == [7, 8]


@pytest.mark.parametrize("seed", range(5))
def test_a_set_costs_what_its_units_cost(seed):
    rng = np.random.default_rng(seed)
    units, prices = rng.integers(0, 4, size=9), rng.uniform(size=4)
    selected = rng.random(9) < 0.5
    paid = sum(prices[unit] for unit in set(units[selected].tolist()))
    assert Costs(units, prices).price(selected) == pytest.approx(paid)


@pytest.mark.parametrize("seed", range(3))
def test_costs_follow_the_columns(seed):
    rng = np.random.default_rng(seed)
    costs = Costs(rng.integers(0, 5, size=8), rng.uniform(size=5))
    order = rng.permutation(8)[:6]
    moved = costs.columns(order)
    for _ in range(5):
        selected = rng.random(6) < 0.5
        original = np.zeros(8, dtype=bool)
        original[order[selected]] = True
        assert moved.price(selected) == pytest.approx(costs.price(original))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["feature,price", "bm25,1"], "has no column 'cost'"),
        (["feature,cost", "bm52,1"], "line 2: no feature is called 'bm52': did you mean 'bm25'?"),
        (["feature,cost", "bm25,-1"], "line 2: a cost is a number of at least 0.*'-1'"),
        (["feature,cost", "bm25,cheap"], "a cost is a number of at least 0.*'cheap'"),
        (["feature,cost", "bm25,nan"], "a cost is a number of at least 0"),
        (["feature,cost", "bm25,1", "bm25,2"], "line 3: 'bm25' has a cost already"),
        (["feature,cost", "bm25,1"], "no cost for 3 of 4 features, such as 'clicks'"),
        (["feature,cost,group", "bm25,1,a", "clicks,2,a"], "the group 'a' is paid once"),
        (["feature,cost", "9,1"], "no feature is called '9'"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, lines, message):
    with pytest.raises(ParameterError, match=message):
        as_costs(costs_file(tmp_path, *lines), NAMES)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ParameterError, match=r"cannot read .*nothing\.csv"):
        as_costs(tmp_path / "nothing.csv", NAMES)


def test_prices_come_by_name_or_in_the_order_of_the_features():
    by_name = as_costs({"clicks": 2, "bm25": 1, "length": 4, "freshness": 3}, NAMES)
    assert by_name.feature_prices().tolist() == [1, 2, 3, 4]
    assert as_costs([1, 2, 3, 4], NAMES).feature_prices().tolist() == [1, 2, 3, 4]
    with pytest.raises(ParameterError, match="a price for each of the 4 features"):
        as_costs([1, 2], NAMES)
    with pytest.raises(ParameterError, match=r"costs\[1\]: a cost is a number"):
        as_costs([1, None, 3, 4], NAMES)

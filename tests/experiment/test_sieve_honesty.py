"""Whether the sieve keeps its promises: runs, their store, and the shares that the page shows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import sieve_honesty as honesty
from benchmarks import sieve_honesty_data
from benchmarks.sieve_honesty_chart import chart
from benchmarks.sieve_honesty_data import (
    CASES,
    N_DOCUMENTS,
    RARE_FEATURE,
    RARE_SHARE,
)
from benchmarks.sieve_honesty_figures import ORDERS, Share, cells, order_figures, true_smallest
from benchmarks.sieve_honesty_page import page, summary, write_page
from ranksieve.sieve import Sieve
from ranksieve.sieve.certify import measured
from ranksieve.threads import threads
from tests.experiment.test_results_page import rows_under

SIZES = [20, 10, 5, 2]


@pytest.fixture
def few_features(monkeypatch):
    """Worlds of 8 features: those that decide, and their copies or one to three of noise."""
    monkeypatch.setattr(sieve_honesty_data, "N_FEATURES", 8)


@pytest.fixture
def quick(monkeypatch, few_features):
    """Runs with few folds that certify and look for the truth with few queries."""
    monkeypatch.setattr(honesty, "N_FOLDS", 3)
    monkeypatch.setattr(honesty, "N_CERTIFYING", 60)
    monkeypatch.setattr(honesty, "BATCH", 200)


def stored(case="linear", queries=200, seed=0, **changes):
    """A run in which the two smallest sets are truly worse, and nothing is certified."""
    run = {
        "case": case,
        "queries": queries,
        "seed": seed,
        "sizes": SIZES,
        "choice": 1,
        "supported": 1,
        "certified": [],
        "level": "1000",
        "half": "1000",
        "excess": [900, 800, -300, -2000],
        "error": [1, 90, 90, 100],
        "all": 0.9,
        "fresh": 2500,
        "seconds": 0.5,
    }
    return {**run, **changes}


def setting(case="linear", n_queries=40, seed=0):
    return honesty.Setting(CASES[case], n_queries, seed, most_batches=2)


def fitted(case, features, n_queries=300, seed=0):
    """A world, and its ranker trained on some of its features."""
    world, rng = honesty.Setting(CASES[case], n_queries, seed).world_and_generator()
    training = world.draw(n_queries, rng).features(list(features))
    return world, rng, honesty.ranker_of(CASES[case]).fit(training)


@pytest.mark.parametrize("case", list(CASES))
def test_a_world_draws_whole_queries_and_all_grades(case):
    world, rng = setting(case).world_and_generator()
    data = world.draw(2000, rng)
    assert data.n_queries == 2000
    assert set(np.diff(data.query_ptr)) == {N_DOCUMENTS}
    shares = np.bincount(data.y.astype(int)) / data.n_documents
    # Trees have no normal utility, so that the shares are near to what was aimed at, not equal.
    assert shares == pytest.approx([0.6, 0.25, 0.15], abs=0.08 if case == "trees" else 0.02)


@pytest.mark.parametrize("case", list(CASES))
def test_equal_seeds_give_equal_data_and_others_other_data(case):
    draws = []
    for seed in (1, 1, 2):
        world, rng = setting(case, seed=seed).world_and_generator()
        draws.append(world.draw(20, rng).fingerprint)
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize(
    ("case", "n_relevant"), [("linear", 4), ("dense", 16), ("gentle", 20), ("rare", 4)]
)
def test_weights_are_those_that_the_case_describes(case, n_relevant):
    world, _ = setting(case).world_and_generator()
    weights = np.abs(world.utility(np.eye(20)))
    assert np.flatnonzero(weights).tolist() == list(range(n_relevant))
    assert np.linalg.norm(weights) == pytest.approx(1.0)
    if case == "gentle":
        assert weights[1:] / weights[:-1] == pytest.approx(np.full(19, 0.8))


def test_copies_are_alike_their_originals():
    world, rng = setting("linear").world_and_generator()
    X = world.draw(500, rng).X
    for copy, original in world.copies.items():
        # 1 / sqrt(1 + 0.5^2)
        assert np.corrcoef(X[:, copy], X[:, original])[0, 1] == pytest.approx(0.894, abs=0.02)


def test_only_the_planted_features_decide_in_trees():
    world, rng = setting("trees").world_and_generator()
    X = rng.standard_normal((500, 20))
    noise = X.copy()
    noise[:, 7:] = 0.0
    assert np.array_equal(world.utility(X), world.utility(noise))
    for feature in range(7):
        changed = X.copy()
        changed[:, feature] *= -1
        assert not np.array_equal(world.utility(X), world.utility(changed))


def test_a_rare_feature_is_zero_in_all_but_a_few_queries():
    world, rng = setting("rare").world_and_generator()
    data = world.draw(4000, rng)
    in_queries = np.abs(data.column(RARE_FEATURE)).reshape(-1, N_DOCUMENTS)
    present = in_queries.min(axis=1) > 0
    assert np.array_equal(present, in_queries.max(axis=1) > 0)
    assert present.mean() == pytest.approx(RARE_SHARE, abs=0.015)


def test_dropping_the_rare_feature_costs_few_queries_much_and_the_others_nothing():
    world, rng, everything = fitted("rare", range(5))
    _, _, without = fitted("rare", range(4))
    data = world.draw(3000, rng)
    measure = honesty.parse_measure(honesty.MEASURE).with_ties("average")
    change = measured(without, data, measure) - measured(everything, data, measure)
    rare = np.abs(data.column(RARE_FEATURE)).reshape(-1, N_DOCUMENTS).max(axis=1) > 0
    assert change[rare].mean() < -0.15
    assert abs(np.nanmean(change[~rare])) < 0.003
    deviations = (change - np.nanmean(change)) / np.nanstd(change)
    assert np.nanmean(deviations**3) < -2  # 0 for a symmetric distribution


@pytest.mark.usefixtures("quick")
def test_a_run_decides_as_the_sieve_does(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSIEVE_STATE", str(tmp_path))
    proven = []
    for case, seed, margin in [("linear", 0, 0.1), ("gentle", 1, 0.01), ("rare", 2, 0.02)]:
        task = honesty.Setting(replace(CASES[case], margin=margin), 60, seed, most_batches=1)
        monkeypatch.setitem(CASES, case, task.case)
        world, rng = task.world_and_generator()
        training, certifying = world.draw(60, rng), world.draw(60, rng)
        with threads(1):
            sieve = Sieve(
                task.case.ranker, margin=margin, certify=certifying, cv=3, random_state=seed
            ).fit(training)
            run = honesty.run(task)
        result = sieve.result_
        assert run["sizes"] == [step.n_features for step in result.ladder]
        assert run["choice"] == result.choice
        assert run["supported"] == max(
            at for at, step in enumerate(result.ladder) if step.supported
        )
        tests = result.certificate.tests
        assert run["certified"] == [test.position for test in tests if test.proven]
        assert [run["level"][test.position] for test in tests] == [
            str(int(test.proven)) for test in tests
        ]
        proven += run["certified"]
    assert proven  # the comparison has seen a certificate


@pytest.mark.usefixtures("few_features")
def test_frozen_models_are_those_that_the_sieve_deploys():
    task = setting("gentle", n_queries=60)
    world, rng = task.world_and_generator()
    training = world.draw(60, rng)
    sieved = honesty.sieve(task, training)
    deployed = Sieve(task.case.ranker, random_state=task.seed).fit(training).model_
    assert Sieve().cv == honesty.N_FOLDS
    assert sieved.models[sieved.choice].feature_names_ == deployed.feature_names_
    assert np.array_equal(sieved.models[sieved.choice].coef_, deployed.coef_)


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_trees_are_sieved_too(tmp_path, monkeypatch):
    pytest.importorskip("lightgbm")
    monkeypatch.setenv("RANKSIEVE_STATE", str(tmp_path))
    few_trees = CASES["trees"].ranker.replace("LightGBMRanker(30, 0.15,", "LightGBMRanker(8, 0.3,")
    monkeypatch.setitem(CASES, "trees", replace(CASES["trees"], ranker=few_trees))
    task = setting("trees")
    world, rng = task.world_and_generator()
    training, certifying = world.draw(40, rng), world.draw(60, rng)
    sieve = Sieve(task.case.ranker, margin=task.case.margin, certify=certifying, cv=3)
    sieve.fit(training)
    run = honesty.run(task)
    assert (run["choice"], bool(run["certified"])) == (
        sieve.result_.choice,
        sieve.result_.claim == "certified",
    )


@pytest.mark.usefixtures("few_features")
def test_the_error_of_the_truth_is_how_much_estimates_differ(monkeypatch):
    monkeypatch.setattr(honesty, "BATCH", 300)
    task = setting("gentle", n_queries=60)
    world, rng = task.world_and_generator()
    sieved = honesty.sieve(task, world.draw(60, rng))
    truths = [honesty.true_excess(sieved, world, rng, most_batches=1) for _ in range(60)]
    means = np.array([truth.means for truth in truths])[:, 1:]
    errors = np.array([truth.errors for truth in truths])[:, 1:].mean(axis=0)
    # The deviation of 60 numbers is itself known to 1 / sqrt(2 * 60) = 9 %.
    assert means.std(axis=0, ddof=1) / errors == pytest.approx(np.ones(means.shape[1]), abs=0.35)


@pytest.mark.usefixtures("few_features")
def test_further_batches_are_drawn_only_for_sets_near_the_margin(monkeypatch):
    monkeypatch.setattr(honesty, "BATCH", 300)
    task = setting("linear", n_queries=60)
    world, rng = task.world_and_generator()
    sieved = honesty.sieve(task, world.draw(60, rng))
    truth = honesty.true_excess(sieved, world, rng, most_batches=5)
    near = np.abs(truth.means) < honesty.CLEAR * np.array(truth.errors)
    assert truth.n_queries <= 5 * 300
    assert not near.any() or truth.n_queries > 4 * 290
    # All features lose nothing: what is left is the margin itself.
    assert truth.means[0] == pytest.approx(task.case.margin * truth.reference, rel=0.02)


@pytest.mark.usefixtures("quick")
def test_a_store_is_filled_once_and_survives_a_killed_process(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    tasks = [setting("linear", seed=0), setting("rare", seed=1)]
    honesty.fill(tasks[:1], path)
    with path.open("a") as file:
        file.write('{"case":"rare","quer')  # what a killed process leaves
    assert [honesty.key_of(run) for run in honesty.read(path)] == [("linear", 40, 0)]
    honesty.fill(tasks[1:], path)
    runs = honesty.read(path)
    assert [honesty.key_of(run) for run in runs] == [("linear", 40, 0), ("rare", 40, 1)]
    honesty.write(runs, path)
    assert honesty.read(path) == runs
    assert all("seed" in json.loads(line) for line in path.read_text().splitlines()[1:])
    again = honesty.run(tasks[0])
    assert again == {name: value for name, value in runs[0].items() if name != "seconds"}
    assert "linear 40 seed 0" in capsys.readouterr().out
    for written in write_page(runs, tmp_path):
        assert written.exists()


def test_all_cells_are_planned_and_fill_up_alike():
    planned = list(honesty.planned(list(CASES), honesty.QUERIES, 2))
    assert len(planned) == len(CASES) * 3 * 2
    assert {task.seed for task in planned[:15]} == {0}


@pytest.mark.parametrize(
    ("share", "interval"),
    [
        (Share(0, 200), (0.0, 1 - 0.025 ** (1 / 200))),  # (1 - high)^200 = 0.025
        (Share(200, 200), (0.025 ** (1 / 200), 1.0)),
        (Share(1, 2), (1 - np.sqrt(0.975), np.sqrt(0.975))),  # 1 - (1 - low)^2 = 0.025
    ],
)
def test_an_interval_is_that_of_a_binomial_share(share, interval):
    assert (share.low, share.high) == pytest.approx(interval)


def test_a_share_is_above_the_level_only_if_chance_cannot_be_why():
    assert not Share(1, 10).above_level
    assert Share(100, 1000).above_level


def test_shares_are_of_all_runs_and_only_of_sets_that_are_claimed():
    runs = [
        stored(seed=0),
        stored(seed=1, choice=2, supported=2, certified=[2], level="1110"),  # worse, all claims
        stored(seed=2, choice=2),  # worse, and not supported
        stored(seed=3, choice=0, supported=0),  # all features: no claim
        stored(seed=4, certified=[1], level="1100"),
    ]
    (cell,) = cells(runs)
    assert {claim: cell.wrong(claim).count for claim in ("certified", "choice")} == {
        "certified": 1,
        "choice": 2,
    }
    assert cell.wrong("choice, if supported").count == 1
    assert cell.wrong("smallest supported").count == 1
    assert cell.wrong("certified").total == 5
    assert cell.claimed("certified").count == 2
    assert cell.claimed("choice, if supported").count == 3
    assert cell.claimed("smallest supported").count == 4
    assert cell.size("certified") == (5 + 10) / 2
    assert cell.choice_size == (10 + 5 + 5 + 20 + 10) / 5
    assert cell.true_size == 10
    # 90e-5 in the four runs that choose fewer, 1e-5 in that with all features.
    assert cell.truth_error == pytest.approx((4 * 90 + 1) / 5 * 1e-5 / (0.01 * 0.9))


def test_the_smallest_good_set_may_lie_below_a_bad_one():
    assert true_smallest(stored(excess=[900, -1, 5, -9])) == 2
    assert true_smallest(stored(excess=[900, -1, -5, -9])) == 0


@pytest.mark.parametrize(
    ("level", "half", "choice", "expected"),
    [
        # level and half: which bets are won; position 2 and 3 are truly worse.
        ("1110", "1100", 2, {"a": [2], "b": [1, 2], "c": [1], "c+": [1, 2], "d": [2]}),
        ("1011", "1011", 2, {"a": [2], "b": [], "c": [2], "c+": [2], "d": [2, 3]}),
        ("1100", "1000", 2, {"a": [], "b": [1], "c": [], "c+": [], "d": []}),
        ("1110", "1010", 2, {"a": [2], "b": [1, 2], "c": [2], "c+": [1, 2], "d": [2]}),
        ("1110", "1100", 0, {"a": [], "b": [1, 2], "c": [1], "c+": [1, 2], "d": [1, 2]}),
    ],
)
def test_orders_of_tests_stop_at_the_first_failure(level, half, choice, expected):
    run = stored(level=level, half=half, choice=choice)
    names = dict(zip(("a", "b", "c", "c+", "d"), ORDERS, strict=False))
    assert {short: ORDERS[names[short]](run) for short in expected} == expected


def test_an_order_of_tests_has_its_power_errors_and_sizes():
    runs = [
        stored(choice=1, level="1100"),  # right
        stored(choice=2, level="1110"),  # wrong
        stored(choice=2, level="1000"),  # nothing
        stored(choice=1, level="1000"),
    ]
    figures = order_figures(runs, "choice only")
    assert figures.certified == Share(2, 4)
    assert figures.choice == Share(2, 4)
    assert figures.wrong == Share(1, 4)
    assert figures.size == (10 + 5) / 2
    assert figures.size_or_all == (10 + 5 + 20 + 20) / 4
    largest = order_figures(runs, "from the largest set down")
    assert largest.wrong == Share(1, 4)


def test_the_page_has_the_shares_of_its_runs():
    wrong = {"choice": 2, "supported": 2, "certified": [2], "level": "1110"}
    runs = [
        *(stored(seed=seed, **(wrong if seed < 10 else {})) for seed in range(20)),
        *(stored("rare", 80, seed) for seed in range(20)),
    ]
    lines = page(runs)
    shares = {tuple(row[:2]): row[2:] for row in rows_under(lines, "## How often a set")}
    assert shares["linear", "200"][0].startswith("**0.500 (")
    assert shares["rare", "80"][0].startswith("0.000 (")
    sizes = {tuple(row[:2]): row[2:] for row in rows_under(lines, "## How often something")}
    assert sizes["linear", "200"][:3] == ["50 %", "100 %", "100 %"]
    assert sizes["linear", "200"][3:7] == ["10.0", "7.5", "7.5", "5.0"]
    orders = rows_under(lines, "## Which order")
    assert len(orders) == 2 * len(ORDERS)
    promises = rows_under(summary(runs), "|")
    assert promises[0][1].startswith("0.500")
    assert rows_under(summary(runs[20:]), "|")[0][2:] == ["everywhere", "yes"]
    assert promises[0][2:] == ["linear with 200 queries", "no: linear with 200 queries"]


def test_a_page_without_runs_says_so():
    assert "Nothing was measured yet." in page([])


def test_the_figure_shows_every_cell_in_every_panel():
    runs = [stored(case, n, seed) for case in CASES for n in honesty.QUERIES for seed in range(3)]
    text = chart(cells(runs))
    ElementTree.fromstring(text)
    # Four panels of 15 cells, and three in the legend.
    assert len(re.findall("<circle", text)) == 4 * 15 + 3

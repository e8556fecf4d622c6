"""Variants of the sieve's search: honest folds, shared trainings, a store, and a page."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks import sieve_search, sieve_search_variants
from benchmarks.sieve_search_data import CURVED, LINEAR, curved, linear
from benchmarks.sieve_search_figures import Figures, reference_of
from benchmarks.sieve_search_page import page
from benchmarks.sieve_search_variants import (
    BASE,
    PRESENT,
    VARIANTS,
    BackwardEnd,
    Bench,
    Bill,
    ForwardEnd,
    Panel,
    halving_ladder,
    lesser_twins,
    searched,
)
from ranksieve import load
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.search.elimination import Rung, Verdict
from ranksieve.sieve.search.folds import Folds
from tests.experiment.test_results_page import rows_under

N_QUERIES, N_DOCUMENTS, N_FEATURES = 40, 5, 14


def covariance_order(data, random_state):
    """An order that every query has a part in, and that is made at once."""
    return np.argsort(-np.abs(data.X.T @ (data.y - data.y.mean())), kind="stable")


@pytest.fixture
def quick_orders(monkeypatch):
    orders = dict.fromkeys(sieve_search_variants.ORDERS, covariance_order)
    monkeypatch.setattr(sieve_search_variants, "ORDERS", orders)


def random_data(rng):
    """Features of which the last four are nearly copies of the first four."""
    X = rng.random((N_QUERIES * N_DOCUMENTS, N_FEATURES))
    X[:, -4:] = np.clip(X[:, :4] + 0.001 * rng.random((len(X), 4)), 0, 1)
    y = np.tile([0.0, 0.0, 1.0, 0.0, 2.0], N_QUERIES)
    return X, y, np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)


class WorthJudge:
    """A judge by whom features are worth the same in every set, and who notes the folds asked."""

    def __init__(self, folds, worth):
        self._folds, self._worth = folds, worth
        self.asked_folds = []

    def __call__(self, tasks):
        for task in tasks:
            self.asked_folds.append(task.fold)
            losses = np.where(task.selected, self._worth[self._folds.members(task.fold)], 0.0)
            yield Verdict(losses.sum(axis=1), losses)


def sets_by_fold(variant, data, worth):
    bench = Bench(load(data), 0, lambda folds: WorthJudge(folds, worth))
    return [rung.fold_selected for rung in searched(variant, bench).rungs]


@pytest.mark.usefixtures("quick_orders")
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("fold", [0, 3])
def test_queries_do_not_choose_the_sets_that_they_judge(name, fold):
    """Other documents and other verdicts in the queries of a fold leave its sets as they are."""
    variant = VARIANTS[name]
    rng = np.random.default_rng(fold)
    X, y, qid = random_data(rng)
    worth = rng.random((N_QUERIES, N_FEATURES))
    inside = Folds.dealt(N_QUERIES, variant.n_folds, variant.n_repeats, 0).members(fold)
    other_X, other_y, other_worth = X.copy(), y.copy(), worth.copy()
    rows = np.repeat(inside, N_DOCUMENTS)
    other_X[rows] = random_data(rng)[0][rows] ** 3
    other_y[rows] = np.roll(y, 1)[rows]
    other_worth[inside] = 9 * rng.random((inside.sum(), N_FEATURES))
    before = sets_by_fold(variant, (X, y, qid), worth)
    after = sets_by_fold(variant, (other_X, other_y, qid), other_worth)
    before, after = before[-len(after) :], after[-len(before) :]
    assert all((a[fold] == b[fold]).all() for a, b in zip(before, after, strict=True))
    assert any((a != b).any() for a, b in zip(before, after, strict=True))


@pytest.mark.usefixtures("quick_orders")
@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_goes_from_all_features_to_one(name):
    rng = np.random.default_rng(0)
    data, worth = load(random_data(rng)), rng.random((N_QUERIES, N_FEATURES))
    outcome = searched(VARIANTS[name], Bench(data, 0, lambda folds: WorthJudge(folds, worth)))
    sizes = [rung.n_features for rung in outcome.rungs]
    assert sizes[0] == N_FEATURES
    assert sizes[-1] == 1
    assert (np.diff(sizes) < 0).all()
    assert all((rung.fold_selected.sum(axis=1) == rung.n_features).all() for rung in outcome.rungs)
    for size in sieve_search.SIZES:
        assert outcome.features(size).sum() == size


@pytest.mark.parametrize(("fold", "voters"), [(1, {0, 2}), (4, {3, 5}), (None, set(range(6)))])
def test_candidates_are_judged_by_the_folds_that_share_no_query(fold, voters):
    folds = Folds.dealt(12, 3, 2, 0)
    judge = WorthJudge(folds, np.ones((12, 3)))
    panel = Panel(judge, folds, np.ones(12, dtype=bool), Costs.alike(3))
    candidates = [np.array([True, False, False]), np.array([True, True, False])]
    assert panel.best(candidates, fold) is candidates[1]
    assert set(judge.asked_folds) == voters


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("small_end", [BackwardEnd(largest=3), ForwardEnd(largest=2, among=4)])
def test_small_ends_take_the_features_that_are_worth_most(small_end, seed):
    rng = np.random.default_rng(seed)
    worth = np.tile(rng.permutation(np.arange(1.0, 5.0)), (6, 1))
    folds = Folds.dealt(6, 3, 1, 0)
    panel = Panel(WorthJudge(folds, worth), folds, np.ones(6, dtype=bool), Costs.alike(4))
    everything = np.ones(4, dtype=bool)
    above = Rung(everything, np.tile(everything, (3, 1)), 4.0, worth[:, :1].T, worth[None])
    for rung in small_end.extended([above], panel):
        best = np.sort(np.argsort(-worth[0])[: rung.n_features])
        np.testing.assert_array_equal(np.flatnonzero(rung.selected), best)
        assert (rung.fold_selected == rung.selected).all()


@pytest.mark.parametrize("n_features", [1, 2, 7, 46])
def test_a_halving_ladder_halves(n_features):
    counts = halving_ladder(n_features)
    assert counts[0] == n_features
    assert counts[-1] == 1
    assert all(below == above // 2 for above, below in pairwise(counts))


def test_of_a_chain_of_twins_the_ends_stay_where_the_first_is_best():
    similarity = np.array([[1.0, -0.95, 0.0], [-0.95, 1.0, 0.92], [0.0, 0.92, 1.0]])
    np.testing.assert_array_equal(lesser_twins(similarity, np.array([0, 1, 2])), [0, 1, 0])
    np.testing.assert_array_equal(lesser_twins(similarity, np.array([1, 0, 2])), [1, 0, 1])


@pytest.mark.usefixtures("quick_orders")
def test_of_twins_all_but_the_best_go_before_anything_else():
    rng = np.random.default_rng(0)
    data, worth = load(random_data(rng)), rng.random((N_QUERIES, N_FEATURES))
    bench = Bench(data, 0, lambda folds: WorthJudge(folds, worth))
    second = searched(VARIANTS["twins first"], bench).rungs[1]
    assert second.n_features == N_FEATURES - 4
    assert (second.selected[:4] ^ second.selected[-4:]).all()


@pytest.mark.usefixtures("quick_orders")
def test_variants_share_trainings_and_are_billed_for_all_that_they_use():
    rng = np.random.default_rng(0)
    data, worth = load(random_data(rng)), rng.random((N_QUERIES, N_FEATURES))
    judges = []

    def judge_of(folds):
        judges.append(WorthJudge(folds, worth))
        return judges[-1]

    bench = Bench(data, 0, judge_of)
    once, again, twice = (searched(VARIANTS[name], bench) for name in (BASE, BASE, "+ dealt twice"))
    assert again.bill.n_trainings == once.bill.n_trainings == len(judges[0].asked_folds)
    assert not judges[1].asked_folds
    # The folds of the first repeat go the same way as where queries are dealt once.
    assert min(judges[2].asked_folds) == VARIANTS[BASE].n_folds
    assert twice.bill.n_trainings > once.bill.n_trainings


def test_a_bill_counts_what_is_used_twice_once():
    bill = Bill()
    shared = sieve_search_variants.Shared()
    for _ in range(2):
        assert shared.of(("training", 0), lambda: "verdict", bill) == "verdict"
    shared.of(("order", "gain"), lambda: "order", bill)
    assert bill.n_trainings == 1
    assert bill.seconds >= 0


def test_development_data_has_all_grades_and_no_query_in_both_parts():
    for parts in (linear({"search": 12, "judge": 6}), curved({"search": 12, "judge": 6})):
        assert not set(parts.search.query_ids) & set(parts.judge.query_ids)
        assert parts.search.n_queries == 12
        assert {0.0, 1.0, 2.0} <= set(parts.search.y)


def run(variant, changes, *, data=LINEAR, seed=0, features=(0, 1), seconds=1.0):
    names = [*map(str, sieve_search.SIZES), sieve_search.CHOICE]
    return {
        "data": data,
        "fold": 1,
        "seed": seed,
        "variant": variant,
        "seconds": seconds,
        "trainings": 60,
        "n_features": 8,
        "sets": {name: list(features) for name in names},
        "changes": dict.fromkeys(names, changes),
    }


def stored(**changes_of):
    """Every variant with two seeds; changes of -0.01 and 0.01, or what is said by name."""
    return [
        run(variant, changes_of.get(variant, [-1000, 1000]), seed=seed, features=[seed, 2, 3])
        for seed in (0, 1)
        for variant in VARIANTS
    ]


def test_a_run_is_stored_in_the_position_of_the_same_one(tmp_path):
    path = tmp_path / "runs.json"
    content = sieve_search.read(path)
    for variant, changes in ((PRESENT, [1]), (BASE, [2]), (PRESENT, [3])):
        sieve_search.put(content, run(variant, changes))
    sieve_search.write(content, path)
    assert sieve_search.read(path) == content
    runs = {each["variant"]: each["changes"]["choice"] for each in content["runs"]}
    assert runs == {BASE: [2], PRESENT: [3]}
    assert path.read_text("utf-8").count("\n") == 4


def test_only_what_is_not_stored_is_run(tmp_path):
    path = tmp_path / "runs.json"
    assert len(sieve_search.due_runs(path)) == len(VARIANTS) * 2 * (2 + 2 + 1 + 1)
    assert len(sieve_search.due_runs(path, most_folds=1)) == len(VARIANTS) * 2 * (1 + 1 + 1 + 1)
    runs = [each for each in stored() if each["seed"] == 0]
    sieve_search.write({"made with": {}, "runs": runs}, path)
    due = sieve_search.due_runs(path, [LINEAR])
    assert due == [(LINEAR, 1, 1, variant) for variant in VARIANTS]
    assert sieve_search.due_runs(path, [CURVED], ["halving"]) == [
        (CURVED, 1, seed, "halving") for seed in sieve_search.SEEDS
    ]


@pytest.mark.slow
def test_a_rerun_goes_on_where_the_last_one_was(tmp_path, monkeypatch):
    pytest.importorskip("lightgbm")
    parts = linear({"search": 30, "judge": 8}, n_relevant=4, n_redundant=2, n_irrelevant=4)
    monkeypatch.setattr(sieve_search, "development", lambda name, fold: parts)
    monkeypatch.setattr(sieve_search, "warm", lambda: None)
    monkeypatch.setitem(sieve_search.JUDGING, "n_estimators", 10)
    path = tmp_path / "runs.json"
    due = sieve_search.due_runs(path, [LINEAR], ["prototype", "halving"])
    sieve_search.fill(path, due[:1])
    first = sieve_search.read(path)["runs"]
    sieve_search.fill(path, sieve_search.due_runs(path, [LINEAR], ["prototype", "halving"])[:1])
    runs = sieve_search.read(path)["runs"]
    assert [each["variant"] for each in runs] == ["prototype", "halving"]
    assert runs[:1] == first
    for each in runs:
        assert [len(features) for features in each["sets"].values()][:3] == [3, 5, 10]
        assert {len(changes) for changes in each["changes"].values()} == {8}


@pytest.mark.slow
@pytest.mark.parametrize("name", sieve_search_variants.ORDERS)
def test_orders_begin_with_a_feature_that_decides(name):
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X, y, qid = random_data(rng)
    X[:, 6] = (y + rng.random(len(y))) / 3
    order = sieve_search_variants.ORDERS[name](load((X, y, qid)), 0)
    assert order[0] == 6
    np.testing.assert_array_equal(np.sort(order), np.arange(N_FEATURES))


def test_changes_are_means_over_seeds_and_errors_are_over_queries():
    runs = stored()
    runs[0] = run(runs[0]["variant"], [3000, 1000], seed=0, features=[0, 2, 3])
    change = Figures(runs).change(runs[0]["variant"], "5")
    # The queries have (3 - 1) / 2 and (1 + 1) / 2 hundredths: the same, so that the error is 0.
    assert change.mean == pytest.approx(0.01)
    assert change.error == pytest.approx(0.0)
    other = Figures(runs).change(BASE, "5")
    assert other.mean == pytest.approx(0.0)
    assert other.error == pytest.approx(0.01)  # sd sqrt(2) * 0.01, over sqrt(2)


def test_the_page_marks_what_is_more_than_noise():
    runs = stored(halving=[1000, 3001], **{"guide: l1": [-3000, 4000]})
    lines = page({"made with": {}, "runs": runs})
    rows = {row[0]: row for row in rows_under(lines, "## Each variant beside")}
    assert rows["halving"][1:3] == [BASE, "**+2.00 ± 0.00**"]
    assert rows["guide: l1"][2] == "+0.50 ± 2.50"
    pooled = {row[0]: row for row in rows_under(lines, "## Over all data")}
    # Two of three features are the same in both seeds: 1 - (1/8) 2 (2 / 4) / (3/8 * 5/8).
    assert pooled[BASE][5:7] == ["3.0", f"{1 - 1 / 8 / (15 / 64):.2f}"]
    assert "linear 2 of 2 seeds" in "\n".join(lines)


def test_what_not_every_variant_has_done_is_left_out_and_said():
    runs = [*stored(), run(BASE, [9000, 9000], data=CURVED)]
    figures = Figures(runs)
    assert figures.data == [LINEAR]
    assert figures.n_left_out == 1
    assert "Left out: 1 stored" in "\n".join(page({"made with": {}, "runs": runs}))


def test_the_page_decides_about_every_variant_and_says_by_what():
    runs = stored(halving=[1000, 3001])
    lines = page({"made with": {}, "runs": runs})
    decisions = [line for line in lines if line.startswith("- **")]
    for variant in list(VARIANTS)[1:]:
        assert any(line.startswith(f"- **{variant}: ") for line in decisions)
    halving = next(line for line in decisions if line.startswith("- **halving"))
    assert f"Beside *{BASE}*: +2.00 ± 0.00 at 3 features, " in halving
    forward = next(line for line in decisions if line.startswith("- **forward end"))
    assert "2 of 2 runs" in forward
    assert "no clear difference in the measure" in forward


def test_a_variant_is_compared_with_the_step_before_or_with_the_base():
    assert reference_of("prototype") is None
    assert reference_of("+ dealt twice") == BASE
    assert reference_of(PRESENT) == "+ doubt"
    assert reference_of("halving") == BASE


def test_a_page_without_runs_says_so():
    assert "Nothing was measured yet." in page({"made with": {}, "runs": []})

"""What a plan is expected to take: shared models cost once, and few features less than all."""

from __future__ import annotations

import time

import pytest

from ranksieve.experiment import ALL, Store, estimate, make_plan
from ranksieve.experiment.comparison import count_missing
from ranksieve.experiment.run.progress import MEASURED
from ranksieve.experiment.trials import EMBEDDED, PLAIN, SELECTED
from ranksieve.selectors import SharedComponent
from tests.experiment.cases import small_study

# Seconds of a training on the sample, with one feature more a hundredth more.
TRAINING, EACH_FEATURE, IMPORTANCE = 1.0, 0.01, 3.0


@pytest.fixture
def clock(monkeypatch):
    """A clock that only trainings and importances move."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def train(setting, data):
        now[0] += TRAINING * (10.0 if "C=10" in setting else 1.0) + EACH_FEATURE * data.n_features

    def numbers(shared, data, _numbers=SharedComponent.numbers):
        now[0] += IMPORTANCE if shared.parameter == "importance" else 0.0
        return _numbers(shared, data)

    monkeypatch.setattr(estimate, "_train", train)
    monkeypatch.setattr(SharedComponent, "numbers", numbers)
    return now


def planned(folds, tmp_path, **options):
    """A plan, and its estimate with an empty store."""
    plan = make_plan(small_study(folds, **options))
    with Store(tmp_path / "runs.db") as store:
        return plan, estimate.estimate_run(plan, count_missing(plan, store), store)


def costs_of(plan, expected, kind):
    return [
        (trial, cost)
        for job in plan.jobs
        if job.kind == kind and job.fold == "Fold1"
        for trial, cost in zip(job.trials, expected.cost(job), strict=True)
    ]


def test_all_features_behind_a_selector_cost_no_training(clock, folds, tmp_path):
    plan, expected = planned(
        folds, tmp_path, selectors=['TopK("ndcg@10")'], rankers=["RankSVM(C=1)"], numbers=[2, ALL]
    )
    (_, alone), selected = costs_of(plan, expected, PLAIN)[0], costs_of(plan, expected, SELECTED)
    by_number = {trial.number: cost for trial, cost in selected}
    assert alone == pytest.approx(TRAINING + 8 * EACH_FEATURE + MEASURED)
    # Both have half of the selection.
    assert by_number[2] - by_number[ALL] == pytest.approx(TRAINING + 2 * EACH_FEATURE)


def test_settings_that_keep_the_same_features_share_a_training(clock, folds, tmp_path):
    options = {"rankers": ["RankSVM(C=1)"], "numbers": [1]}
    texts = ['GAS(importance="ndcg@10", balance=[0, 0.1, 1])', 'TopK("ndcg@10")']
    plan, expected = planned(folds, tmp_path, selectors=texts, **options)
    # With one feature, all four settings take the most important one.
    selected = costs_of(plan, expected, SELECTED)
    assert len(selected) == 4
    selecting = 2 * IMPORTANCE
    training = TRAINING + EACH_FEATURE
    assert sum(cost for _, cost in selected) == pytest.approx(
        selecting + training + 4 * MEASURED, rel=1e-6
    )


def test_strong_settings_count_though_the_middle_is_quick(clock, folds, tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "_PATIENCE", 100.0)
    plan, expected = planned(folds, tmp_path, selectors=[], rankers=["RankSVM(C=[0.1, 1, 10])"])
    each = (1.0 + 1.0 + 10.0) / 3 * TRAINING + 8 * EACH_FEATURE + MEASURED
    assert [cost for _, cost in costs_of(plan, expected, PLAIN)] == [pytest.approx(each)] * 3


def test_only_what_is_missing_counts(clock, folds, tmp_path):
    plan = make_plan(small_study(folds, selectors=[], rankers=["RankSVM(C=[0.1, 1])"]))
    with Store(tmp_path / "runs.db") as store:
        counts = count_missing(plan, store)
        whole = estimate.estimate_run(plan, counts, store).seconds
        half = {key: count // 2 for key, count in counts.items()}
        assert estimate.estimate_run(plan, half, store).seconds == pytest.approx(whole / 2)
        none = dict.fromkeys(counts, 0)
        assert estimate.estimate_run(plan, none, store).seconds == 0.0


def test_models_of_an_embedded_method_cost_once_for_all_its_trials(clock, folds, tmp_path):
    plan, expected = planned(folds, tmp_path, rankers=[], numbers=[2, 4])
    embedded = costs_of(plan, expected, EMBEDDED)
    assert len({cost for _, cost in embedded}) == 1
    assert all(cost >= MEASURED for _, cost in embedded)

"""The same study gives the same results, however it is cut into runs and processes."""

from __future__ import annotations

import pytest

import ranksieve
from ranksieve.errors import ParameterError
from ranksieve.experiment import (
    ALL,
    Store,
    compare,
    comparison,
    forecast,
    make_plan,
    read_results,
)
from ranksieve.progress import listening
from tests.experiment.cases import assert_same_results, computed, contents, small_study
from tests.experiment.child import note_computations
from tests.experiment.processes import by_kind, noted


def test_two_halves_give_what_the_whole_gives(folds, undisturbed, expected, tmp_path, monkeypatch):
    store, log = tmp_path / "runs.db", tmp_path / "log"
    note_computations(str(log), monkeypatch.setattr)
    compare(small_study(folds, selectors=["GAS(balance=1)"], numbers=["all"]), store)
    compare(small_study(folds, selectors=["GAS(balance=[0.1, 1])"]), store)
    results = compare(small_study(folds), store)
    assert expected["trial"].items() <= contents(store)["trial"].items()
    assert_same_results(results, read_results(undisturbed))
    # Importances, similarities and models that an earlier half has are taken from there.
    for kind in ("importance", "similarity", "trained"):
        assert by_kind(noted(log))[kind] == computed(expected)[kind]


def test_everything_is_computed_once_in_one_run(folds, expected, tmp_path, monkeypatch):
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    compare(small_study(folds), tmp_path / "runs.db")
    assert set(noted(tmp_path / "log").values()) == {1}
    assert by_kind(noted(tmp_path / "log")) == computed(expected)


def test_the_version_that_is_stored_is_that_of_the_code_which_runs(folds, tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "version", lambda name: "older")
    study = small_study(folds, selectors=[], numbers=["all"])
    versions = compare(study, tmp_path / "runs.db").versions
    assert (versions["ranksieve"], versions["numpy"]) == (ranksieve.__version__, "older")


def test_a_second_run_does_nothing_and_makes_its_study_the_latest(folds, tmp_path, monkeypatch):
    one, other = small_study(folds, selectors=[]), small_study(folds, selectors=[], numbers=["all"])
    store = tmp_path / "runs.db"
    compare(one, store, command="one")
    compare(other, store, command="other")
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    assert compare(one, store, command="one again").command == "one again"
    assert noted(tmp_path / "log") == {}
    assert [read_results(store, study=n).command for n in (0, 1)] == ["other", "one again"]


def test_progress_goes_from_nothing_to_all_trials(folds, tmp_path):
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        compare(small_study(folds), tmp_path / "runs.db")
    trials = [(done, total) for label, done, total in seen if label == "trials"]
    total = make_plan(small_study(folds)).n_trials
    assert trials == sorted(trials)
    assert (trials[0], trials[-1]) == ((0, total), (total, total))


def test_a_finished_run_leaves_the_store_and_the_file_of_owners(folds, tmp_path):
    compare(small_study(folds, selectors=[]), tmp_path / "runs.db")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["runs.db", "runs.db-owners"]
    assert (tmp_path / "runs.db-owners").stat().st_size == 0


def test_workers_must_be_a_number_from_one_on(folds, tmp_path):
    with pytest.raises(ParameterError, match="workers must be at least 1, but is 0"):
        compare(small_study(folds), tmp_path / "runs.db", workers=0)


def test_results_are_those_of_the_own_study_though_another_one_came_later(
    folds, tmp_path, monkeypatch
):
    store = tmp_path / "runs.db"
    mine = small_study(folds, selectors=["TopK"], numbers=[2])
    other = small_study(folds, selectors=["TopK"], numbers=[1])
    do = comparison.run_plan

    def and_another_meanwhile(plan, opened, **options):
        do(plan, opened, **options)
        if plan.study == mine:
            compare(other, store)

    monkeypatch.setattr(comparison, "run_plan", and_another_meanwhile)
    results = compare(mine, store)
    assert {one.number for one in results.curves} == {2, ALL}
    assert {one.number for one in read_results(store).curves} == {1, ALL}


def test_the_plan_is_told_once_before_the_first_trial_and_changes_no_result(
    folds, undisturbed, expected, tmp_path
):
    store, told = tmp_path / "runs.db", []

    def on_plan(expectation):
        with Store(store) as opened:
            told.append((opened.n_trials(), expectation.n_missing, expectation.plan.n_trials))

    results = compare(small_study(folds), store, on_plan=on_plan)
    n_trials = len(expected["trial"])
    assert told == [(0, n_trials, n_trials)]
    assert contents(store) == expected
    assert_same_results(results, read_results(undisturbed))


def test_a_forecast_counts_what_a_store_lacks_and_writes_nothing(folds, undisturbed, tmp_path):
    study = small_study(folds)
    n_trials = make_plan(study).n_trials
    assert forecast(study).n_missing == n_trials
    assert forecast(study, tmp_path / "runs.db").n_missing == n_trials
    assert list(tmp_path.iterdir()) == []
    before = contents(undisturbed)
    finished = forecast(study, undisturbed)
    assert (finished.n_missing, finished.seconds(1)) == (0, 0.0)
    more = forecast(small_study(folds, numbers=[1, 2, "all"]), undisturbed)
    assert more.n_missing == more.plan.n_trials - n_trials > 0
    assert contents(undisturbed) == before

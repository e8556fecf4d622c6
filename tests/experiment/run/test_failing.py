"""Trials that end with an error, and runs whose data changes: recorded, or ended, in words."""

from __future__ import annotations

import shutil

import pytest

from ranksieve.errors import DataError
from ranksieve.experiment import RunError, Study, compare, comparison
from ranksieve.experiment.folds import load_fold
from ranksieve.experiment.run.workers import work
from ranksieve.progress import listening
from tests.experiment.cases import contents, small_study, write_folds
from tests.experiment.child import note_computations
from tests.experiment.processes import by_kind, noted


def failing_study(folder):
    return small_study(
        folder,
        selectors={"good": 'TopK("ndcg@10")', "bad": "GAS(balance=-1)"},
        rankers={"svm": "RankSVM(C=1)", "none": "RankSVM(C=-1)"},
    )


def errors(store):
    return {key: row["error"] for key, row in contents(store)["trial"].items() if row["error"]}


def test_a_failing_trial_is_recorded_and_the_rest_goes_on(folds, tmp_path):
    results = compare(failing_study(folds), tmp_path / "runs.db")
    names = [outcome.name for outcome in results.chosen]
    assert names == ["all features + svm", "good + svm"]
    assert all(len(outcome.folds) == 3 for outcome in results.chosen)
    # Per fold: a bad ranker with all features, with two numbers; a bad selector, all its trials.
    assert len(results.failures) == 3 * (1 + 2 + 2 * 2)
    by_method = {(one.method, one.ranker): one.error for one in results.failures}
    assert by_method["good", "none"].startswith("RankSVM(C=-1): ParameterError: C must be")
    for ranker in ("svm", "none"):
        assert "ParameterError: balance must be" in by_method["bad", ranker]


def test_failed_trials_are_done_again_only_when_asked_for(folds, tmp_path, monkeypatch):
    study, store = failing_study(folds), tmp_path / "runs.db"
    compare(study, store)
    before = contents(store)
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    compare(study, store)
    assert noted(tmp_path / "log") == {}
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        compare(study, store, retry_failed=True)
    # Per fold: the bad ranker's three trials, each once, and the bad selection.
    assert by_kind(noted(tmp_path / "log")) == {"trained": 3 * 3, "selection": 3}
    assert seen[-1] == ("trials", len(errors(store)), len(errors(store)))
    assert contents(store) == before


def test_a_second_worker_leaves_a_trial_that_failed_again_alone(folds, tmp_path, monkeypatch):
    study, store = failing_study(folds), tmp_path / "runs.db"
    compare(study, store)
    monkeypatch.setattr(comparison, "work", lambda *given, **look: [work(*given) for _ in range(2)])
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    compare(study, store, retry_failed=True)
    assert by_kind(noted(tmp_path / "log")) == {"trained": 3 * 3, "selection": 3}


def test_a_trial_that_failed_and_then_succeeds_has_no_error_left(folds, tmp_path, monkeypatch):
    from ranksieve.experiment.run.train import FoldWork

    study, store = small_study(folds, selectors=[]), tmp_path / "runs.db"
    own = FoldWork.trained
    monkeypatch.setattr(FoldWork, "trained", lambda *_: 1 / 0)
    assert compare(study, store).chosen == ()
    assert set(errors(store).values()) == {"ZeroDivisionError: division by zero"}
    monkeypatch.setattr(FoldWork, "trained", own)
    assert len(compare(study, store, retry_failed=True).chosen) == 1
    assert errors(store) == {}


def test_a_method_that_keeps_no_feature_fails_with_a_remedy(folds, tmp_path):
    study = small_study(folds, selectors=["SparseRankSVM(strength=1000)"])
    results = compare(study, tmp_path / "runs.db")
    assert [outcome.name for outcome in results.chosen] == ["all features + RankSVM"]
    assert {one.error.partition(": ")[2] for one in results.failures} == {
        f"DataError: no setting of SparseRankSVM(strength=1000) keeps a feature on three, Fold{n}, "
        "so there is nothing to train on. Give weaker penalties."
        for n in (1, 2, 3)
    }


def test_data_that_changes_ends_the_run_and_is_not_recorded(tmp_path, monkeypatch):
    folder, other = write_folds(tmp_path / "a", 2), write_folds(tmp_path / "b", 2, seed=5)
    study, store = Study([str(folder)], [], ["RankSVM(C=1)"]), tmp_path / "runs.db"
    planned = comparison.make_plan

    def change_after(*given, **options):
        plan = planned(*given, **options)
        shutil.copy(other / "Fold2" / "test.txt", folder / "Fold2" / "test.txt")
        return plan

    monkeypatch.setattr(comparison, "make_plan", change_after)
    with pytest.raises(RunError, match=r"a, Fold2, was changed while the study ran"):
        compare(study, store)
    assert len(contents(store)["trial"]) == 1
    monkeypatch.setattr(comparison, "make_plan", planned)
    assert compare(study, store).n_trials == 2
    assert errors(store) == {}


def test_a_fold_that_went_away_is_named(tmp_path):
    folder = write_folds(tmp_path / "a", 1)
    with pytest.raises(DataError, match=r"had a fold 2 when the run began, and has 1 now"):
        load_fold(str(folder), 1)

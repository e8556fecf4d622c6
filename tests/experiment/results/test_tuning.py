"""Rankers tuned first, with all features, and the rest after them."""

from __future__ import annotations

import json
import shutil

import pytest

from ranksieve.errors import ParameterError
from ranksieve.experiment import Store, Study, compare, make_plan, read_results, read_study
from ranksieve.experiment.comparison import count_missing, record_study, run_plan
from ranksieve.experiment.results.choose import tuned_plan
from ranksieve.experiment.trials import PLAIN
from ranksieve.progress import listening
from tests.experiment.cases import assert_same_results, contents, small_study
from tests.experiment.child import note_computations
from tests.experiment.processes import noted

GRID = ["RankSVM(C=[1e-6, 1e-4, 0.01, 1])"]


def study(folder, **changes):
    return small_study(folder, **({"rankers": GRID, "tune": "ranker-first"} | changes))


@pytest.fixture(scope="module")
def joint(folds, tmp_path_factory):
    """A store with the joint study, which must not be written."""
    store = tmp_path_factory.mktemp("joint") / "runs.db"
    compare(study(folds, tune="joint"), store)
    return store


@pytest.fixture(scope="module")
def first(folds, tmp_path_factory):
    """A store with the study whose rankers are tuned first; it must not be written either."""
    store = tmp_path_factory.mktemp("first") / "runs.db"
    compare(study(folds), store)
    return store


def settings(results, name):
    """The rankers' settings of an outcome, fold by fold."""
    (outcome,) = [one for one in results.chosen if one.name == name]
    return [chosen.ranker for chosen in outcome.folds]


def test_every_selector_has_the_setting_that_all_features_chose(joint, first):
    tuned, together = read_results(first), read_results(joint)
    fixed = settings(tuned, "all features + RankSVM")
    assert fixed == settings(together, "all features + RankSVM")
    behind = [one.name for one in tuned.chosen if one.ranker and one.method != "all features"]
    assert len(behind) == 4
    assert all(settings(tuned, name) == fixed for name in behind)
    # Else the test would say nothing.
    assert any(settings(together, name) != fixed for name in behind)
    assert [one.name for one in tuned.chosen] == [one.name for one in together.chosen]


def test_a_fold_is_the_joint_study_with_that_setting_alone(folds, tmp_path):
    for number in (1, 2, 3):
        folder = tmp_path / f"data{number}"
        shutil.copytree(folds / f"Fold{number}", folder / "Fold1")
        tuned = compare(study(folder), tmp_path / f"tuned{number}.db")
        (setting,) = settings(tuned, "all features + RankSVM")
        alone = small_study(folder, rankers={"RankSVM": setting})
        assert_same_results(compare(alone, tmp_path / f"alone{number}.db"), tuned)


def test_own_weights_of_sparse_models_are_tuned_as_before(joint, first):
    tuned, together = read_results(first), read_results(joint)
    for one, other in zip(tuned.chosen, together.chosen, strict=True):
        if one.variant == "weights":
            assert [a.selector for a in one.folds] == [b.selector for b in other.folds]
            assert all(
                one.values[measure].tobytes() == other.values[measure].tobytes()
                for measure in one.values
            )


def test_the_plan_counts_what_a_run_does(folds, first):
    plan = make_plan(study(folds))
    # Each fold: 4 of the ranker; then with one setting 2 numbers x (2 GAS, TopK, 2 refitted), and
    # 2 numbers x 3 sparse models by their own weights.
    assert plan.n_trials == 3 * (4 + 2 * 5 + 2 * 3)
    assert plan.is_exact
    assert len(contents(first)["trial"]) == plan.n_trials
    assert {job.kind for job in plan.jobs} == {PLAIN}
    with Store(first, only_read=True) as store:
        settled = tuned_plan(plan, store)
        assert settled.later == ()
        assert settled.n_trials == plan.n_trials
        assert sum(count_missing(settled, store).values()) == 0


def test_rankers_with_a_setting_in_common_make_the_count_a_bound(folds):
    rankers = {"a": "RankSVM(C=[0.01, 1])", "b": "RankSVM(C=[1, 100])"}
    assert not make_plan(study(folds, rankers=rankers)).is_exact
    assert make_plan(study(folds, rankers=rankers, tune="joint")).is_exact


def test_after_the_joint_study_nothing_is_done_again(folds, joint, first, tmp_path, monkeypatch):
    store = shutil.copy(joint, tmp_path / "runs.db")
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    results = compare(study(folds), store)
    assert noted(tmp_path / "log") == {}
    assert contents(store) == contents(joint)
    assert_same_results(results, read_results(first))


def test_before_the_joint_study_nothing_is_done_twice(folds, joint, first, tmp_path, monkeypatch):
    store = shutil.copy(first, tmp_path / "runs.db")
    before = contents(first)
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    results = compare(study(folds, tune="joint"), store)
    assert contents(store) == contents(joint)
    trained = [row for row in contents(joint)["model"].values() if row["ranker"]]
    had = [row for row in before["model"].values() if row["ranker"]]
    assert sum(noted(tmp_path / "log").values()) == len(trained) - len(had) > 0
    assert_same_results(results, read_results(joint))


@pytest.mark.slow
def test_two_workers_give_what_one_gives(folds, first, tmp_path):
    results = compare(study(folds), tmp_path / "runs.db", workers=2)
    assert contents(tmp_path / "runs.db") == contents(first)
    assert_same_results(results, read_results(first))


def test_a_run_that_ended_between_the_stages_goes_on(folds, first, tmp_path, monkeypatch):
    store = tmp_path / "runs.db"
    compare(study(folds, selectors=[], tune="joint"), store)
    plan = make_plan(study(folds))
    with Store(store) as opened:
        record_study(plan, opened, "")
        settled = tuned_plan(plan, opened)
        assert settled.later == ()
        assert sum(count_missing(settled, opened).values()) == plan.n_trials - 3 * 4
    # Until the rest is there, a report has what is finished: the rankers alone.
    assert [one.name for one in read_results(store).chosen] == ["all features + RankSVM"]
    note_computations(str(tmp_path / "log"), monkeypatch.setattr)
    assert_same_results(compare(study(folds), store), read_results(first))
    assert contents(store) == contents(first)
    assert set(noted(tmp_path / "log").values()) == {1}


def test_made_up_settings_of_what_comes_later_are_never_read(folds, joint, tmp_path):
    # Trials of selectors are there with every setting, but those with all features are not.
    store = shutil.copy(joint, tmp_path / "runs.db")
    plan = make_plan(study(folds))
    with Store(store) as opened:
        record_study(plan, opened, "")
        with opened.writing() as execute:
            execute("DELETE FROM trial WHERE selector = ''")
        unsettled = tuned_plan(plan, opened)
        assert {job.fold for job in unsettled.later} == {"Fold1", "Fold2", "Fold3"}
        # All that a ranker trains counts as missing; own weights are there.
        assert sum(count_missing(unsettled, opened).values()) == 3 * (4 + 2 * 5)
    assert read_results(store).chosen == ()


def test_progress_counts_both_stages(folds, tmp_path):
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        compare(study(folds), tmp_path / "runs.db")
    trials = [(done, total) for label, done, total in seen if label == "trials"]
    total = make_plan(study(folds)).n_trials
    assert trials == sorted(trials)
    assert (trials[0], trials[-1]) == ((0, total), (total, total))


def test_a_ranker_that_always_fails_has_no_second_stage(folds, tmp_path):
    rankers = {"svm": "RankSVM(C=[0.01, 1])", "none": "RankSVM(C=[-1, -2])"}
    results = compare(study(folds, selectors=["TopK"], rankers=rankers), tmp_path / "runs.db")
    assert [one.name for one in results.chosen] == ["all features + svm", "TopK + svm"]
    assert {one.method for one in results.failures} == {"all features"}


def test_failed_first_trials_are_done_again_before_what_hangs_on_them(folds, tmp_path, monkeypatch):
    from ranksieve.experiment.run.train import FoldWork

    own, store = FoldWork.trained, tmp_path / "runs.db"
    asked = study(folds, selectors=["TopK"], rankers=["RankSVM(C=[0.01, 1])"])
    monkeypatch.setattr(FoldWork, "trained", lambda *_: 1 / 0)
    assert compare(asked, store).chosen == ()
    monkeypatch.setattr(FoldWork, "trained", own)
    plan = make_plan(asked)
    with Store(store) as opened:
        assert tuned_plan(plan, opened).later == ()
        assert len(tuned_plan(plan, opened, retry_failed=True).later) == 3
        run_plan(plan, opened, workers=1, retry_failed=True)
    assert_same_results(read_results(store), compare(asked, tmp_path / "other.db"))
    assert not any(row["error"] for row in contents(store)["trial"].values())


def test_one_setting_leaves_nothing_to_tune_first(folds):
    one = study(folds, rankers=["RankSVM(C=1)"])
    plan = make_plan(one)
    assert plan.later == ()
    joint_plan = make_plan(study(folds, rankers=["RankSVM(C=1)"], tune="joint"))
    assert [job.key for job in plan.jobs] == [job.key for job in joint_plan.jobs]


def test_a_study_says_how_it_is_tuned_and_older_texts_mean_joint():
    plain = Study(["d"], ["GAS"])
    assert plain.tune == "joint"
    assert "tune" not in json.loads(plain.to_json())
    assert Study.from_json(plain.to_json()) == plain
    tuned = Study(["d"], ["GAS"], tune="ranker-first")
    assert Study.from_json(tuned.to_json()) == tuned != plain
    with pytest.raises(ParameterError, match=r"tune .*'joint'.* but is 'rankers'"):
        Study(["d"], ["GAS"], tune="rankers")


def test_a_file_may_say_it_and_the_protocol_of_a_report_does(folds, first, joint, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(f'data = ["{folds.as_posix()}"]\nselectors = ["GAS"]\ntune = "ranker-first"\n')
    assert read_study(file).tune == "ranker-first"
    assert read_study(file, tune="joint").tune == "joint"
    told = [sentence for sentence in read_results(first).conventions if "tuned first" in sentence]
    assert len(told) == 1
    assert not any("tuned first" in sentence for sentence in read_results(joint).conventions)

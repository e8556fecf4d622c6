"""Plans: identities differ exactly where something differs, and jobs cover every trial once."""

from __future__ import annotations

import shutil
from dataclasses import fields, replace

import pytest

from ranksieve.errors import DataError
from ranksieve.experiment import ALL, Study, make_plan
from ranksieve.experiment.trials import EMBEDDED, PLAIN, SELECTED, Job, Trial
from tests.experiment.cases import small_study, write_folds

TRIAL = Trial("mark", "weights", "GAS()", 5, "RankSVM()", "", ("ndcg@10", "map"), 0, "0.1")


def test_keys_differ_where_any_part_of_the_identity_differs():
    changed = {
        "fingerprint": "other",
        "variant": "refit",
        "selector": "TopK()",
        "number": ALL,
        "ranker": "RankSVM(C=2.0)",
        "among": "GAS(balance=[0, 1])",
        "measures": ("map", "ndcg@10"),
        "seed": 1,
        "version": "0.2",
    }
    assert set(changed) == {field.name for field in fields(Trial)}
    keys = {replace(TRIAL, **{name: value}).key for name, value in changed.items()}
    assert len(keys | {TRIAL.key}) == len(changed) + 1
    assert replace(TRIAL).key == TRIAL.key


def test_keys_do_not_run_together():
    assert (
        replace(TRIAL, selector="ab", ranker="c").key
        != replace(TRIAL, selector="a", ranker="bc").key
    )


def test_jobs_survive_json_with_their_keys(folds):
    for job in make_plan(small_study(folds)).jobs:
        again = Job.from_json(job.to_json())
        assert again == job
        assert again.key == job.key


def test_the_plan_of_a_study_has_every_combination(folds):
    plan = make_plan(small_study(folds))
    kinds = [job.kind for job in plan.jobs if job.fold == "Fold1"]
    assert kinds == [PLAIN, SELECTED, SELECTED, SELECTED, EMBEDDED, EMBEDDED]
    rankers, numbers, folds_ = 2, 2, 3
    plain, filters = rankers, 3 * rankers * numbers
    embedded = (2 + 1) * numbers + 2 * rankers * numbers  # settings' own weights, and refits
    assert plan.n_trials == folds_ * (plain + filters + embedded)
    keys = [trial.key for job in plan.jobs for trial in job.trials]
    assert len(keys) == len(set(keys)) == plan.n_trials


@pytest.mark.parametrize(
    ("asked", "done"), [([8], (ALL,)), ([2, 100], (2, ALL)), ([2, 7], (2, 7)), (["all"], (ALL,))]
)
def test_as_many_features_as_there_are_or_more_are_all_of_them(folds, asked, done):
    jobs = make_plan(small_study(folds, numbers=asked)).jobs
    assert {job.numbers for job in jobs if job.kind != PLAIN} == {done}


def test_numbers_from_the_number_of_features_on_are_left_to_all(folds):
    plan = make_plan(small_study(folds, numbers=[2, 7, 8, 100, "all"]))
    assert {job.numbers for job in plan.jobs if job.kind != PLAIN} == {(2, 7, ALL)}
    assert {job.numbers for job in plan.jobs if job.kind == PLAIN} == {(ALL,)}


def test_fsmsvm_is_the_models_of_fsmrank_and_a_ranksvm(folds):
    text = "FSMSVM(similarity_strength=0.01, importance_strength=[0.001, 0.01], C=[0.01, 1])"
    job = make_plan(small_study(folds, selectors=[text])).jobs[1]
    assert (job.kind, job.variants) == (EMBEDDED, ("refit",))
    assert len(job.method.settings) == 2
    assert all(setting.startswith("FSMRank(") for setting in job.method.settings)
    assert [len(ranker.settings) for ranker in job.rankers] == [2]
    assert len(job.trials) == 2 * len(job.numbers)


def test_without_rankers_only_own_weights_are_planned(folds):
    plan = make_plan(small_study(folds, rankers=[]))
    assert {job.kind for job in plan.jobs} == {EMBEDDED}
    assert {trial.variant for job in plan.jobs for trial in job.trials} == {"weights"}


def test_facts_of_a_fold_are_those_of_its_files(folds):
    facts = make_plan(small_study(folds)).folds
    assert [one.name for one in facts] == ["Fold1", "Fold2", "Fold3"]
    assert {one.n_queries for one in facts} == {(12, 6, 8)}
    assert {one.n_features for one in facts} == {8}
    assert len({one.fingerprint for one in facts}) == 3
    assert all(len(one.query_ids) == 8 for one in facts)


def test_a_fold_is_told_by_its_content_and_not_by_its_place(folds, tmp_path):
    shutil.copytree(folds, tmp_path / "moved")
    one, other = (make_plan(small_study(place)) for place in (folds, tmp_path / "moved"))
    assert [job.key for job in one.jobs] == [job.key for job in other.jobs]
    text = (tmp_path / "moved" / "Fold1" / "vali.txt").read_text()
    (tmp_path / "moved" / "Fold1" / "vali.txt").write_text(text.replace("0 qid", "1 qid", 1))
    changed = make_plan(small_study(tmp_path / "moved"))
    same = [a.fingerprint == b.fingerprint for a, b in zip(one.folds, changed.folds, strict=True)]
    assert same == [False, True, True]


def test_parts_with_different_features_are_refused(tmp_path):
    write_folds(tmp_path / "a", 1)
    write_folds(tmp_path / "b", 1, n_irrelevant=5)
    shutil.copy(tmp_path / "b" / "Fold1" / "test.txt", tmp_path / "a" / "Fold1" / "test.txt")
    with pytest.raises(
        DataError, match=r"a, Fold1: .* must have the same features, but have 8 and 10"
    ):
        make_plan(Study([str(tmp_path / "a")]))

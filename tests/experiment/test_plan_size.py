"""Plans of many trials: counted without making them, and refused unless they are asked for."""

from __future__ import annotations

import pytest

from ranksieve.cli import main
from ranksieve.errors import ParameterError
from ranksieve.experiment import Store, Study, compare, make_plan, plan
from ranksieve.experiment.comparison import count_missing, run_plan
from ranksieve.experiment.estimate import estimate_run
from ranksieve.experiment.trials import Job
from tests.experiment.cases import small_study

# What jobs are made of: filters, models with and without rankers behind them, two stages.
SELECTORS = (
    ["GAS(balance=[0, 0.1])", 'TopK("ndcg@10")'],
    ["SparseRankSVM(strength=[0.01, 0.1])"],
    ["FSMSVM(importance_strength=[0.01, 0.1], C=[0.1, 1])"],
    [],
)
VARIANTS = (["weights"], ["refit"], ["weights", "refit"])


@pytest.mark.parametrize("selectors", SELECTORS)
@pytest.mark.parametrize("variants", VARIANTS)
@pytest.mark.parametrize("tune", ["joint", "ranker-first"])
def test_trials_are_counted_as_they_would_be_made(folds, selectors, variants, tune):
    study = small_study(folds, selectors=selectors, variants=variants, tune=tune, numbers=[2, 4])
    made = make_plan(study)
    every = (*made.jobs, *made.later)
    assert [job.n_trials for job in every] == [len(job.trials) for job in every]
    assert made.n_trials == len({trial.key for job in every for trial in job.trials})


def test_trials_that_two_methods_have_in_common_count_once(folds):
    selectors = {"one": "GAS(balance=[0, 0.1])", "other": "GAS(balance=[0.1, 1])"}
    made = make_plan(small_study(folds, selectors=selectors))
    assert made.n_trials == len({trial.key for job in made.jobs for trial in job.trials})
    assert made.n_trials < sum(job.n_trials for job in made.jobs)
    keys = [job.key for job in made.jobs if job.fold == "Fold1"]
    assert len(keys) == 1 + 4
    assert len(set(keys)) == 1 + 3


def test_jobs_differ_where_their_trials_do(folds):
    made = make_plan(small_study(folds))
    by_trials = {tuple(trial.key for trial in job.trials): job.key for job in made.jobs}
    assert len(by_trials) == len(set(by_trials.values())) == len(made.jobs)
    other = make_plan(small_study(folds, numbers=[3]))
    assert not {job.key for job in made.jobs if job.kind != "all"} & {
        job.key for job in other.jobs if job.kind != "all"
    }


def test_a_plan_is_counted_and_estimated_without_its_trials(folds, tmp_path, monkeypatch):
    def no_trials(self):
        raise AssertionError("trials were made")

    monkeypatch.setattr(Job, "_trials", no_trials)
    made = make_plan(small_study(folds))
    with Store(tmp_path / "runs.db") as store:
        counts = count_missing(made, store)
        assert sum(counts.values()) == made.n_trials > 0
        assert estimate_run(made, counts, store).seconds > 0.0


def test_what_is_missing_of_a_store_with_trials_is_counted_by_their_keys(folds, tmp_path):
    made = make_plan(small_study(folds))
    first = make_plan(small_study(folds, selectors=[]))
    with Store(tmp_path / "runs.db") as store:
        run_plan(first, store, workers=1)
        assert sum(count_missing(made, store).values()) == made.n_trials - first.n_trials


def test_more_trials_than_the_limit_are_refused_unless_asked_for(folds, tmp_path, monkeypatch):
    study = small_study(folds, selectors=["GAS(balance=[0, 0.1])"], rankers=["RankSVM(C=[0.1, 1])"])
    n_trials = make_plan(study).n_trials
    monkeypatch.setattr(plan, "MOST_TRIALS", n_trials)
    make_plan(study)
    monkeypatch.setattr(plan, "MOST_TRIALS", n_trials - 1)
    with pytest.raises(
        ParameterError, match=rf"the study has {n_trials} trials in 3 folds.*--many"
    ):
        make_plan(study)
    with pytest.raises(ParameterError, match="GAS has 2 settings, RankSVM has 2 settings"):
        compare(study, tmp_path / "runs.db")
    assert not (tmp_path / "runs.db").exists()
    assert make_plan(study, many=True).n_trials == n_trials


def test_ranker_first_is_not_advised_where_it_is_taken(folds, monkeypatch):
    monkeypatch.setattr(plan, "MOST_TRIALS", 1)
    for tune, advised in (("joint", True), ("ranker-first", False)):
        with pytest.raises(ParameterError) as raised:
            make_plan(small_study(folds, tune=tune))
        assert ("ranker-first" in str(raised.value)) is advised


@pytest.mark.parametrize(
    ("options", "status"), [((), 1), (("--plan",), 0), (("--many", "--plan"), 0)]
)
def test_the_command_line_refuses_shows_and_does_many(
    folds, tmp_path, monkeypatch, capsys, options, status
):
    monkeypatch.setattr(plan, "MOST_TRIALS", 2)
    arguments = ["compare", str(folds), "-s", "TopK", "-r", "RankSVM(C=1)", "-k", "2"]
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--store", str(tmp_path / "runs.db"), *options])
    assert left.value.code == status
    err = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "6 trials" in err
    assert ("--many" in err) is (status == 1)


def test_labels_are_found_without_making_settings(folds, monkeypatch):
    made = []
    own = plan.Grid

    def counted(*parts):
        made.append(parts)
        return own(*parts)

    monkeypatch.setattr("ranksieve.experiment.grids.Grid", counted)
    Study([str(folds)], ["GAS(balance=[0, 0.1, 1])"], ["RankSVM(C=[0.1, 1])"])
    assert len(made) == 2

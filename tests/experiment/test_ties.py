"""Models that tie documents must not be measured by the order of a file."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data import from_arrays, write_text
from ranksieve.experiment import Study, compare, make_plan
from tests.experiment.cases import PARTS, write_folds


def write_sorted(folder, *, constant):
    """A fold whose documents stand by falling grade; the second feature says something, if any."""
    rng = np.random.default_rng(0)
    place = folder / "Fold1"
    place.mkdir(parents=True)
    for part, queries in PARTS.items():
        y = np.tile([2.0, 1.0, 0.0, 0.0], len(queries))
        qid = np.repeat(list(queries), 4)
        said = np.zeros(len(y)) if constant else y + rng.normal(size=len(y))
        data = from_arrays(np.column_stack([qid / 10.0, said]), y, qid)
        write_text(data, place / f"{part}.txt")
    return folder


def study(folder, **options):
    return Study([str(folder)], [], ["RankSVM(C=1)"], numbers=["all"], **options)


def test_documents_in_the_order_of_their_grades_are_warned_of(tmp_path):
    folder = write_sorted(tmp_path / "sorted", constant=False)
    with pytest.warns(UserWarning, match=r"order of their grades.*ties=.average"):
        make_plan(study(folder))


def test_a_measure_that_averages_over_ties_is_not_warned_of(tmp_path):
    folder = write_sorted(tmp_path / "sorted", constant=False)
    make_plan(study(folder, measures=['NDCG(10, ties="average")']))


def test_documents_in_another_order_are_not_warned_of(tmp_path):
    make_plan(study(write_folds(tmp_path / "mixed", 1)))


@pytest.mark.filterwarnings("ignore:.*order of their grades")
def test_a_model_that_ties_all_documents_counts_for_nothing(tmp_path):
    folder = write_sorted(tmp_path / "constant", constant=True)
    results = compare(study(folder), tmp_path / "runs.db")
    assert len(results.failures) == 0
    # The order of the file would have scored 1.
    for outcome in results.chosen:
        assert np.isnan(outcome.values["ndcg@10"]).all()

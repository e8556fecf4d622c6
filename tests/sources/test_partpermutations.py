"""Six trials over three parts, and statistics that count a query once."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from ranksieve import load, make_ranking
from ranksieve.data import write_text
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment import Study, compare, read_results
from ranksieve.report.study.significance import QueryTest
from ranksieve.report.study.standings import standings_of
from ranksieve.sources import PartPermutations, QueryFolds, as_source


@pytest.fixture
def file(tmp_path):
    """20 queries with the ids 10 to 29."""
    data, _ = make_ranking(20, (4, 8), n_relevant=2, n_redundant=0, n_irrelevant=3)
    path = tmp_path / "some.txt"
    ids = np.repeat(10 + np.arange(20), np.diff(data.query_ptr))
    write_text(load((data.X, data.y, ids)), path)
    return str(path)


def ids(data):
    return frozenset(data.query_ids.tolist())


def test_three_parts_take_every_role_once_in_six_trials(file):
    folds = PartPermutations(file).folds()
    assert [fold.name for fold in folds] == [f"Trial{i}" for i in range(1, 7)]
    roles = [(ids(fold.train), ids(fold.vali), ids(fold.test)) for fold in folds]
    parts = {part for role in roles for part in role}
    assert sorted(map(len, parts)) == [6, 7, 7]
    assert frozenset.union(*parts) == set(range(10, 30))
    assert set(roles) == set(permutations(parts))


@pytest.mark.parametrize("n_parts", [3, 4, 5])
def test_every_query_is_tested_in_all_folds_but_those_that_it_trains_or_validates(file, n_parts):
    folds = PartPermutations(file, n_parts=n_parts, random_state=2).folds()
    assert len(folds) == n_parts * (n_parts - 1)
    tested = [query for fold in folds for query in ids(fold.test)]
    assert sorted(tested) == sorted(list(range(10, 30)) * (n_parts - 1))
    named = {}
    for fold in folds:
        roles = ids(fold.train), ids(fold.vali), ids(fold.test)
        assert sum(map(len, roles)) == len(frozenset.union(*roles)) == 20
        assert named.setdefault(fold.test_part, roles[2]) == roles[2]
    assert len(named) == n_parts


def test_the_text_form_gives_the_same_folds_and_another_seed_others(file):
    source = PartPermutations(file, random_state=3)
    again = as_source(repr(source))
    assert again == source
    other = PartPermutations(file)
    prints = [[fold.test.fingerprint for fold in one.folds()] for one in (source, again, other)]
    assert prints[0] == prints[1] != prints[2]


def test_the_parts_of_a_folder_of_folds_are_pooled(file, tmp_path):
    for fold in QueryFolds(file, n_folds=5).folds():
        folder = tmp_path / "data" / fold.name
        folder.mkdir(parents=True)
        for part in ("train", "vali", "test"):
            write_text(getattr(fold, part), folder / f"{part}.txt")
    folds = PartPermutations(str(tmp_path / "data")).folds()
    assert frozenset.union(*(ids(fold.test) for fold in folds)) == set(range(10, 30))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_parts": 2}, "n_parts"),
        ({"n_parts": 21}, "n_parts must be at most the number of queries, 20, but is 21"),
    ],
)
def test_parts_that_make_no_sense_are_refused(file, changes, message):
    with pytest.raises((ParameterError, DataError), match=message):
        _ = PartPermutations(file, **changes).folds()[0].train


@pytest.fixture
def results(file, tmp_path):
    study = Study([f'PartPermutations("{file}")'], ["TopK"], ["RankSVM(C=0.01)"], numbers=[2])
    return compare(study, tmp_path / "runs.db")


def test_a_query_has_one_id_in_all_trials_that_test_it(results):
    outcome = results.chosen[0]
    assert len(outcome.folds) == 6
    assert len(outcome.query_ids) == 40
    assert len(outcome.different_queries) == 20
    assert sum("tested in several folds" in sentence for sentence in results.conventions) == 1


def test_the_value_of_a_query_is_the_mean_over_the_trials_that_test_it(results):
    for outcome in (*results.chosen, *results.curves):
        for measure, values in outcome.values.items():
            by_query = outcome.by_query(measure)
            assert by_query.shape == (20,)
            for query, value in zip(outcome.different_queries, by_query, strict=True):
                assert value == pytest.approx(
                    values[outcome.query_ids == query].mean(), nan_ok=True
                )


def test_folds_of_other_sources_may_have_queries_of_the_same_name(file, tmp_path):
    # Other queries of the same ids, as in data that numbers them from 1 in every fold.
    for number in (1, 2):
        folder = tmp_path / "same" / f"Fold{number}"
        folder.mkdir(parents=True)
        data, _ = make_ranking(12, 6, n_relevant=2, n_irrelevant=3, random_state=number)
        for part, queries in {"train": range(6), "vali": (6, 7, 8), "test": (9, 10, 11)}.items():
            write_text(data.queries(list(queries)), folder / f"{part}.txt")
    study = Study([str(tmp_path / "same")], ["TopK"], ["RankSVM(C=0.01)"], numbers=[2])
    outcome = compare(study, tmp_path / "other.db").chosen[0]
    assert len(outcome.different_queries) == len(outcome.query_ids) == 6
    assert outcome.by_query("map").tobytes() == outcome.values["map"].tobytes()
    (first, *_) = read_results(tmp_path / "other.db").chosen
    assert first.query_ids[0].startswith("Fold1:")


def twice(outcome, rename):
    """The outcome with every fold once more; `rename` says what its queries are called there."""
    return replace(
        outcome,
        folds=outcome.folds * 2,
        values={name: np.tile(values, 2) for name, values in outcome.values.items()},
        query_ids=np.concatenate([outcome.query_ids, [rename(one) for one in outcome.query_ids]]),
        fold_of=np.concatenate([outcome.fold_of, outcome.fold_of + len(outcome.folds)]),
    )


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
def test_a_query_that_is_tested_twice_proves_no_more_than_once(file, tmp_path, test):
    study = Study([file], ["TopK"], ["RankSVM(C=0.01)"], numbers=[2])
    results = compare(study, tmp_path / "runs.db")

    def compared(outcomes):
        rows = standings_of(outcomes, results.data[0], ["ndcg@10"], test=QueryTest(test))
        return next(row for row in rows if row.reference)

    once = compared(results.chosen)
    again = compared([twice(one, lambda query: query) for one in results.chosen])
    assert again.p_value == once.p_value
    assert again.record == once.record
    assert (again.low, again.high) == pytest.approx((once.low, once.high))
    # As many values of other queries do prove more.
    more = compared([twice(one, lambda query: f"more {query}") for one in results.chosen])
    assert more.p_value < once.p_value

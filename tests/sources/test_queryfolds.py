from __future__ import annotations

import numpy as np
import pytest

from ranksieve import KendallTau, RankSVM, load, make_ranking
from ranksieve.data import write_parquet, write_text
from ranksieve.errors import DataError, ParameterError
from ranksieve.sources import LetorFolds, QueryFolds, as_source


@pytest.fixture
def file(tmp_path):
    """23 queries whose ids, 100 down to 78, stand against their order in the file."""
    data, _ = make_ranking(23, (3, 8), n_relevant=2, n_redundant=0, n_irrelevant=2)
    path = tmp_path / "some.txt"
    ids = np.repeat(100 - np.arange(23), np.diff(data.query_ptr))
    write_text(load((data.X, data.y, ids)), path)
    return str(path)


def ids(data):
    return set(data.query_ids.tolist())


@pytest.mark.parametrize("n_folds", [3, 4, 5])
@pytest.mark.parametrize("validation", [True, False])
def test_every_query_is_in_exactly_one_test_part_and_in_no_two_parts_of_a_fold(
    file, n_folds, validation
):
    folds = QueryFolds(file, n_folds=n_folds, validation=validation).folds()
    tested = [query for fold in folds for query in ids(fold.test)]
    assert sorted(tested) == list(range(78, 101))
    for fold in folds:
        parts = [fold.train, fold.test] + ([fold.vali] if validation else [])
        assert sum(len(ids(part)) for part in parts) == 23
        assert set.union(*map(ids, parts)) == set(tested)
        assert (fold.vali is None) is not validation


def test_parts_rotate_as_those_of_letor_do(file):
    folds = QueryFolds(file, n_folds=5).folds()
    assert [fold.name for fold in folds] == ["Fold1", "Fold2", "Fold3", "Fold4", "Fold5"]
    for fold, after in zip(folds, folds[1:] + folds[:1], strict=True):
        assert ids(after.vali) == ids(fold.test)
        assert ids(fold.test) < ids(folds[(folds.index(fold) + 2) % 5].train)


def test_documents_of_a_query_stay_as_they_are_in_the_file(file):
    whole = load(file)
    for fold in QueryFolds(file, n_folds=3).folds():
        for place, query in enumerate(fold.train.query_ids):
            there = whole.queries(whole.query_ids == query)
            here = fold.train.queries([place])
            assert np.array_equal(here.X, there.X)
            assert np.array_equal(here.y, there.y)


def test_the_text_form_gives_the_same_folds_and_another_seed_others(file):
    source = QueryFolds(file, n_folds=4, first_queries=20, random_state=3)
    again = as_source(repr(source))
    assert again == source
    other = QueryFolds(file, n_folds=4, first_queries=20, random_state=4)
    prints = [[fold.test.fingerprint for fold in each.folds()] for each in (source, again, other)]
    assert prints[0] == prints[1] != prints[2]


def test_first_queries_go_by_the_number_of_the_id_not_by_the_place_in_the_file(file):
    folds = QueryFolds(file, n_folds=3, first_queries=9, validation=False).folds()
    assert set.union(*(ids(fold.test) for fold in folds)) == set(range(78, 87))


def test_first_queries_go_by_place_where_ids_are_text(tmp_path):
    X, y = np.arange(8.0)[:, None], [0, 1] * 4
    write_parquet(load((X, y, np.repeat(["d", "b", "c", "a"], 2))), tmp_path / "some.parquet")
    source = QueryFolds(
        str(tmp_path / "some.parquet"), n_folds=2, first_queries=2, validation=False
    )
    assert set.union(*(ids(fold.test) for fold in source.folds())) == {"d", "b"}


@pytest.mark.parametrize("ranker", ["RankSVM(C=0.1)", "PointwiseRanker(Ridge(alpha=1.0))"])
def test_relabelled_grades_order_documents_as_a_model_of_the_train_part_does(file, ranker):
    plain = QueryFolds(file, n_folds=3).folds()
    relabelled = QueryFolds(file, n_folds=3, relabel=ranker).folds()
    for before, after in zip(plain, relabelled, strict=True):
        assert before.name == after.name
        for part in ("train", "vali", "test"):
            old, new = getattr(before, part), getattr(after, part)
            assert np.array_equal(old.X, new.X)
            assert np.array_equal(old.qid, new.qid)
            assert np.all(np.minimum.reduceat(new.y, new.query_ptr[:-1]) == 0)
    model = RankSVM(C=0.1).fit(plain[0].train)
    if ranker.startswith("RankSVM"):
        for part in ("train", "test"):
            data = getattr(relabelled[0], part)
            tau = KendallTau()(data.y, model.predict(data), qid=data.qid)
            assert tau == 1.0


def test_relabelling_never_looks_at_the_grades_of_the_test_part(file, tmp_path):
    source = QueryFolds(file, n_folds=3, validation=False, relabel="RankSVM(C=0.1)")
    fold = source.folds()[0]
    whole = load(file)
    tested = np.isin(whole.qid, fold.test.query_ids)
    write_text(load((whole.X, np.where(tested, 0, whole.y), whole.qid)), tmp_path / "blind.txt")
    blind = QueryFolds(
        str(tmp_path / "blind.txt"), n_folds=3, validation=False, relabel="RankSVM(C=0.1)"
    ).folds()[0]
    assert np.array_equal(fold.test.y, blind.test.y)
    assert np.array_equal(fold.train.y, blind.train.y)


def test_three_folds_of_the_first_45_queries_of_ohsumed_are_30_and_15(real_data):
    source = QueryFolds(str(real_data / "OHSUMED"), n_folds=3, first_queries=45, validation=False)
    folds = source.folds()
    assert [(fold.train.n_queries, fold.test.n_queries) for fold in folds] == [(30, 15)] * 3
    assert set.union(*(ids(fold.test) for fold in folds)) == set(range(1, 46))


def test_the_parts_of_a_folder_of_folds_are_joined_to_all_queries(real_data):
    folds = QueryFolds(str(real_data / "OHSUMED"), n_folds=4).folds()
    assert sum(fold.test.n_queries for fold in folds) == 106
    assert sum(fold.test.n_documents for fold in folds) == 16140


def test_a_folder_whose_parts_share_queries_is_refused(tmp_path):
    (tmp_path / "Fold1").mkdir()
    for part in ("train", "vali", "test"):
        (tmp_path / "Fold1" / f"{part}.txt").write_text("1 qid:7 1:0.5\n0 qid:7 1:0.2\n")
    fold = QueryFolds(str(tmp_path), n_folds=3).folds()[0]
    with pytest.raises(DataError, match="clashing ids"):
        _ = fold.train


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": 2}, "n_folds must be a whole number of at least 3"),
        ({"n_folds": 1, "validation": False}, "n_folds must be a whole number of at least 2"),
        ({"first_queries": 4}, "first_queries must be a whole number of at least 5"),
        ({"relabel": "RankSWM"}, "did you mean 'RankSVM'"),
    ],
)
def test_impossible_cuts_are_refused_before_anything_is_read(file, options, message):
    with pytest.raises(ParameterError, match=message):
        QueryFolds(file, **options).folds()


@pytest.mark.parametrize("options", [{"first_queries": 24}, {"n_folds": 24}])
def test_more_queries_or_folds_than_there_are_queries_are_refused(file, options):
    fold = QueryFolds(file, **options).folds()[0]
    with pytest.raises(ParameterError, match="number of queries"):
        _ = fold.train


def test_the_name_tells_cuts_of_one_file_apart(file):
    sources = [
        QueryFolds(file),
        QueryFolds(file, n_folds=3),
        QueryFolds(file, first_queries=9),
        QueryFolds(file, relabel="RankSVM"),
    ]
    assert len({source.name for source in sources}) == len(sources)


@pytest.mark.parametrize("path", ["a b", "new\\table", 'say "x"', "it's", "C:\\\\n'\"", "é(1)"])
def test_the_text_form_keeps_every_sign_of_a_path(path):
    for source in (LetorFolds(path), QueryFolds(path, n_folds=3)):
        assert as_source(repr(source)) == source

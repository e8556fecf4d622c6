import dataclasses

import numpy as np
import pytest

from ranksieve.data import (
    from_arrays,
    k_folds,
    letor_folds,
    make_ranking,
    set_aside,
    write_parquet,
    write_text,
)
from ranksieve.errors import DataError, ParameterError


def made(seed):
    data, _ = make_ranking(3, random_state=seed)
    return from_arrays(data.X, data.y, data.qid, feature_names=[str(i + 1) for i in range(20)])


def lay_out(root, names, folds=("Fold1", "Fold2")):
    for number, fold in enumerate(folds):
        (root / fold).mkdir()
        for part, name in enumerate(names):
            write = write_parquet if name.lower().endswith(("parquet", "pq")) else write_text
            write(made(3 * number + part), root / fold / name)


@pytest.mark.parametrize(
    "names",
    [
        ("train.txt", "vali.txt", "test.txt"),
        ("trainingset.txt", "validationset.txt", "testset.txt"),
        ("Train.TXT", "VALI.txt", "Test.txt"),
        ("train.txt.gz", "vali.txt.xz", "test.txt.zst"),
        ("train.parquet", "vali.pq", "test.parquet"),
    ],
)
def test_parts_are_found_under_all_their_names(tmp_path, names):
    lay_out(tmp_path, names)
    folds = letor_folds(tmp_path)
    assert [fold.name for fold in folds] == ["Fold1", "Fold2"]
    for number, fold in enumerate(folds):
        fingerprints = [part.fingerprint for part in (fold.train, fold.vali, fold.test)]
        assert fingerprints == [made(3 * number + part).fingerprint for part in range(3)]


def test_parts_are_loaded_when_asked_for_and_once(tmp_path):
    lay_out(tmp_path, ("train.txt", "vali.txt", "test.txt"))
    (tmp_path / "Fold1" / "vali.txt").write_text("no data")
    fold = letor_folds(tmp_path)[0]
    assert fold.train is fold.train
    with pytest.raises(DataError, match=r"vali\.txt"):
        _ = fold.vali
    with pytest.raises(dataclasses.FrozenInstanceError):
        fold.name = "other"


def test_options_reach_every_part(tmp_path):
    lay_out(tmp_path, ("train.txt", "vali.txt", "test.txt"))
    assert letor_folds(tmp_path, dtype=np.float64)[1].test.dtype == np.float64


def test_folds_come_by_number(tmp_path):
    names = ("Fold10", "fold2", "FOLD1")
    lay_out(tmp_path, ("train.txt", "vali.txt", "test.txt"), names)
    assert [fold.name for fold in letor_folds(tmp_path)] == ["FOLD1", "fold2", "Fold10"]


def test_a_missing_part_lists_what_is_there(tmp_path):
    lay_out(tmp_path, ("train.txt", "vali.txt", "test.txt"), ["Fold1"])
    (tmp_path / "Fold1" / "test.txt").rename(tmp_path / "Fold1" / "heldout.txt")
    message = r"no test part \(test\.txt.*It has: heldout\.txt, train\.txt, vali\.txt"
    with pytest.raises(DataError, match=message):
        letor_folds(tmp_path)


def test_two_files_for_one_part_are_refused(tmp_path):
    lay_out(tmp_path, ("train.txt", "vali.txt", "test.txt"), ["Fold1"])
    (tmp_path / "Fold1" / "train.txt.gz").touch()
    with pytest.raises(DataError, match=r"several train parts: train\.txt, train\.txt\.gz"):
        letor_folds(tmp_path)


def test_folders_without_folds_are_named(tmp_path):
    (tmp_path / "train.txt").touch()
    with pytest.raises(DataError, match=r"has no test part .*It has: train\.txt"):
        letor_folds(tmp_path)
    with pytest.raises(DataError, match="is not a folder"):
        letor_folds(tmp_path / "train.txt")


def test_real_folds_have_their_published_sizes(real_data):
    folds = letor_folds(real_data / "OHSUMED")
    assert len(folds) == 5
    parts = [folds[0].train, folds[0].vali, folds[0].test]
    assert sum(part.n_queries for part in parts) == 106
    assert sum(part.n_documents for part in parts) == 16_140
    assert {part.n_features for part in parts} == {45}


@pytest.mark.parametrize(("n_queries", "n_folds"), [(10, 5), (11, 4), (7, 7), (2, 2)])
def test_every_query_is_tested_once_and_sizes_differ_by_at_most_one(n_queries, n_folds):
    data, _ = make_ranking(n_queries)
    folds = k_folds(data, n_folds)
    tested = np.concatenate([test.query_ids for _, test in folds])
    assert sorted(tested.tolist()) == data.query_ids.tolist()
    sizes = [test.n_queries for _, test in folds]
    assert max(sizes) - min(sizes) <= 1
    for train, test in folds:
        together = np.concatenate([train.query_ids, test.query_ids])
        assert sorted(together.tolist()) == data.query_ids.tolist()


def test_folds_depend_on_the_seed_alone():
    data, _ = make_ranking(30)

    def tested(seed):
        return [test.query_ids.tolist() for _, test in k_folds(data, 3, random_state=seed)]

    assert tested(1) == tested(1) != tested(2)


@pytest.mark.parametrize("name", [int, str, lambda number: f"q{7 * number % 30}"])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_queries_in_the_data_does_not_matter(name, seed):
    data, _ = make_ranking(30)
    qid = np.array([name(each) for each in data.qid])
    starts, order = data.query_ptr, np.random.default_rng(seed).permutation(30)
    rows = np.concatenate([np.arange(starts[q], starts[q + 1]) for q in order])
    straight = from_arrays(data.X, data.y, qid)
    moved = from_arrays(data.X[rows], data.y[rows], qid[rows])

    def parts(data):
        tests = [test for _, test in k_folds(data, 4, random_state=seed)]
        return [set(part.query_ids) for part in (*tests, *set_aside(data, 0.3, random_state=seed))]

    assert parts(moved) == parts(straight)


def test_folds_are_views():
    data, _ = make_ranking(6)
    (block,) = data.blocks()
    for part in k_folds(data, 2)[0]:
        assert part._blocks[0].X is block.X


@pytest.mark.parametrize("n_folds", [0, 1, 7])
def test_a_wrong_number_of_folds_is_refused(n_folds):
    with pytest.raises(
        ParameterError,
        match=r"at least 2|number of queries, 6",
    ):
        k_folds(make_ranking(6)[0], n_folds)

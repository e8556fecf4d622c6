"""Layouts of folds, parts that are given one by one, and how their files are read."""

from __future__ import annotations

import pytest

from ranksieve import load, make_ranking
from ranksieve.data import letor_folds, write_parquet, write_text
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment import Study, compare
from ranksieve.sources import LetorFolds, QueryFolds, TrainTest, as_source

PARTS = {"train": range(14), "vali": range(14, 20), "test": range(20, 26)}


@pytest.fixture(scope="module")
def data():
    return make_ranking(26, 6, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=0)[0]


@pytest.fixture
def lay_out(data, tmp_path):
    """Write parts into a folder."""

    def written(folder, parts=tuple(PARTS), suffix=".txt"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for part in parts:
            write_text(data.queries(list(PARTS[part])), tmp_path / folder / f"{part}{suffix}")
        return str(tmp_path / folder)

    return written


def ids(part):
    return set(part.query_ids.tolist())


def test_a_folder_may_be_a_single_fold(lay_out):
    (fold,) = LetorFolds(lay_out("set/Fold3")).folds()
    assert fold.name == "Fold3"
    assert [part.n_queries for part in (fold.train, fold.vali, fold.test)] == [14, 6, 6]
    assert LetorFolds("set/Fold3").name == "set, Fold3"
    (other,) = LetorFolds(lay_out("mine")).folds()
    assert (other.name, LetorFolds("mine").name) == ("Fold1", "mine")


@pytest.mark.parametrize("folder", ["mine", "mine/Fold1"])
def test_a_fold_may_have_train_and_test_only(lay_out, folder):
    lay_out(folder, ("train", "test"))
    (fold,) = LetorFolds(lay_out("mine", ())).folds()
    assert fold.vali is None
    assert (fold.train.n_queries, fold.test.n_queries) == (14, 6)


def test_a_share_of_the_train_queries_stands_in_for_a_validation_part(lay_out):
    folder = lay_out("mine", ("train", "test"))
    (plain,) = LetorFolds(folder).folds()
    (fold,) = LetorFolds(folder, validation_share=0.25).folds()
    (again,) = LetorFolds(folder, validation_share=0.25).folds()
    (other,) = LetorFolds(folder, validation_share=0.25, random_state=1).folds()
    assert fold.vali.n_queries == round(0.25 * 14)
    assert ids(fold.train) | ids(fold.vali) == ids(plain.train)
    assert not ids(fold.train) & ids(fold.vali)
    assert ids(fold.test) == ids(plain.test)
    assert ids(again.vali) == ids(fold.vali) != ids(other.vali)


def test_parts_are_given_one_by_one(lay_out, data):
    folder = lay_out("mine")
    train, vali, test = (f"{folder}/{part}.txt" for part in PARTS)
    (fold,) = TrainTest(train, test, vali).folds()
    assert [part.n_queries for part in (fold.train, fold.vali, fold.test)] == [14, 6, 6]
    (without,) = TrainTest(train, test).folds()
    assert without.vali is None
    (shared,) = TrainTest(train, test, validation_share=0.5).folds()
    assert (shared.train.n_queries, shared.vali.n_queries) == (7, 7)
    source = TrainTest(train, test, validation_share=0.5, missing=0.0, exclude="2")
    assert as_source(repr(source)) == source
    assert source.folds()[0].train.feature_names == ("1", "3", "4")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda f: LetorFolds(f, validation_share=0.2), DataError, "has a vali part, vali.txt"),
        (
            lambda f: TrainTest(f"{f}/train.txt", f"{f}/test.txt", f"{f}/vali.txt", 0.2),
            ParameterError,
            "give one of the two",
        ),
        (
            lambda f: TrainTest(f"{f}/train.txt", f"{f}/train.txt"),
            ParameterError,
            "given as train and as test",
        ),
        (lambda f: TrainTest(f"{f}/train.txt"), ParameterError, "needs files for train and test"),
        (
            lambda f: TrainTest(f"{f}/train.txt", f"{f}/test.txt", validation_share=1.5),
            ParameterError,
            "between 0 and 1, but is 1.5",
        ),
        (lambda f: TrainTest(f"{f}/train.txt", f"{f}/no.txt"), DataError, "does not exist"),
        (
            lambda f: as_source(f"{f}/train.txt", validation_share=0.2),
            ParameterError,
            "is cut into 5 folds",
        ),
        (lambda f: LetorFolds(f"{f}/.."), DataError, "neither folders Fold1.* nor parts train"),
    ],
)
def test_what_cannot_be_a_fold_is_said(lay_out, make, error, message):
    with pytest.raises(error, match=message):
        make(lay_out("mine")).folds()


def test_without_a_test_part_there_is_no_fold(lay_out):
    with pytest.raises(DataError, match="has no test part"):
        letor_folds(lay_out("mine", ("train",)))


def test_load_says_what_a_folder_with_parts_is(lay_out):
    with pytest.raises(DataError, match="is a folder with parts, train and test"):
        load(lay_out("mine"))


def test_a_folder_of_parquet_files_is_still_data(data, tmp_path):
    write_parquet(data, tmp_path / "train.parquet")
    assert load(tmp_path).n_queries == 26


def test_sources_read_their_files_by_the_options(lay_out):
    folder = lay_out("mine")
    options = {"features": "1-3", "exclude": "2", "dtype": "float64"}
    for source in (LetorFolds(folder, **options), QueryFolds(f"{folder}/train.txt", **options)):
        assert as_source(repr(source)) == source
        fold = source.folds()[0]
        assert fold.train.feature_names == ("1", "3")
        assert fold.test.dtype == "float64"
    exact = LetorFolds(folder, features=("3", "1"))
    assert as_source(repr(exact)) == exact
    assert exact.folds()[0].train.feature_names == ("1", "3")


def test_a_study_without_a_validation_part_says_what_helps_and_then_how_it_was_made(
    lay_out, tmp_path
):
    folder = lay_out("mine", ("train", "test"))
    several = {"rankers": ["RankSVM(C=[0.01, 1])"], "numbers": [2, "all"]}
    with pytest.raises(DataError, match=r"no validation part.*validation_share=0\.2"):
        compare(Study([folder], ["TopK"], **several), tmp_path / "runs.db")
    study = Study([LetorFolds(folder, validation_share=0.2)], ["TopK"], **several)
    results = compare(study, tmp_path / "runs.db")
    assert results.data[0].n_queries
    assert any("20% of the queries of its train part" in text for text in results.conventions)

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ranksieve
from ranksieve.data import from_arrays, load, make_ranking, write_parquet, write_text
from ranksieve.errors import DataError, ParameterError


@pytest.fixture
def data():
    generated, _ = make_ranking(8)
    return from_arrays(
        generated.X, generated.y, generated.qid, feature_names=[str(i + 1) for i in range(20)]
    )


def frame_of(data, kind):
    columns = {name: data.X[:, index] for index, name in enumerate(data.feature_names)}
    return kind({"grade": data.y, "qid": data.qid, **columns})


def test_every_kind_of_source_gives_the_same_data(tmp_path, data):
    write_text(data, tmp_path / "a.txt")
    write_text(data, tmp_path / "a.txt.gz")
    write_parquet(data, tmp_path / "a.parquet")
    (tmp_path / "folder").mkdir()
    write_parquet(data, tmp_path / "folder" / "a.pq")
    sources = [
        data,
        tmp_path / "a.txt",
        str(tmp_path / "a.txt.gz"),
        tmp_path / "a.parquet",
        tmp_path / "folder",
        frame_of(data, pd.DataFrame),
        frame_of(data, pl.DataFrame),
        frame_of(data, pl.DataFrame).to_arrow(),
        (pd.DataFrame(data.X, columns=list(data.feature_names)), data.y, data.qid),
    ]
    assert {load(source).fingerprint for source in sources} == {data.fingerprint}
    assert {load(source).dtype for source in sources} == {np.dtype(np.float32)}


def test_ranking_data_is_returned_as_it_is(data):
    assert load(data) is data


def test_it_is_the_public_door():
    assert ranksieve.load is load
    assert ranksieve.make_ranking is make_ranking


def test_the_home_folder_is_expanded(tmp_path, data, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write_text(data, tmp_path / "a.txt")
    assert load(os.path.join("~", "a.txt")).fingerprint == data.fingerprint  # noqa: PTH118


def test_files_are_float32_unless_asked_otherwise(tmp_path, data):
    write_text(data, tmp_path / "a.txt")
    write_parquet(data, tmp_path / "a.parquet")
    for name in ("a.txt", "a.parquet"):
        assert load(tmp_path / name).dtype == np.float32
        assert load(tmp_path / name, dtype=np.float64).dtype == np.float64


def test_group_sizes_go_with_text(tmp_path):
    (tmp_path / "a.txt").write_text("1 1:1\n0 1:2\n2 1:3\n")
    assert np.diff(load(tmp_path / "a.txt", group_sizes=[2, 1]).query_ptr).tolist() == [2, 1]


def test_sort_and_missing_reach_every_source(tmp_path):
    X, y, qid = np.array([[1.0], [np.nan], [3.0]]), [0, 1, 2], [7, 3, 7]
    frame = pd.DataFrame({"grade": y, "qid": qid, "1": X[:, 0]})
    frame.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.txt").write_text("0 qid:7 1:1\n1 qid:3 1:nan\n2 qid:7 1:3\n")
    for source in ((X, y, qid), frame, tmp_path / "a.parquet", tmp_path / "a.txt"):
        with pytest.raises(DataError):
            load(source, sort=True)
        with pytest.raises(DataError, match="adjacent"):
            load(source, missing=0.0)
        loaded = load(source, missing=9.0, sort=True)
        assert loaded.X.ravel().tolist() == [1, 3, 9]
        assert loaded.qid.tolist() == [7, 7, 3]


@pytest.mark.parametrize(
    ("kind", "option", "message"),
    [
        ("text", {"grade": "label"}, "grade does not apply to text, which takes: features, ex"),
        ("text", {"header": True, "n_features": 3}, "n_features does not apply to CSV"),
        ("parquet", {"group_sizes": [3]}, "group_sizes does not apply to Parquet"),
        ("frame", {"dtype": np.float32}, "dtype does not apply to a table"),
        ("arrays", {"query": "qid"}, "query does not apply to arrays"),
        ("data", {"dtype": np.float32}, "dtype does not apply to RankingData"),
    ],
)
def test_parameters_that_do_not_apply_are_refused(tmp_path, data, kind, option, message):
    write_text(data, tmp_path / "a.txt")
    write_parquet(data, tmp_path / "a.parquet")
    sources = {
        "text": tmp_path / "a.txt",
        "parquet": tmp_path / "a.parquet",
        "frame": frame_of(data, pd.DataFrame),
        "arrays": (data.X, data.y, data.qid),
        "data": data,
    }
    with pytest.raises(ParameterError, match=message):
        load(sources[kind], **option)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (17, r"load takes a path of LETOR text.*\(X, y, qid\).*but got int"),
        (None, "but got NoneType"),
        ([[1.0]], "but got list"),
        (np.ones((2, 2)), "but got ndarray. An array alone has no grades"),
        ((np.ones((2, 2)), [0, 1]), r"arrays come as \(X, y, qid\), but the tuple has 2 parts"),
        (pl.LazyFrame({"qid": [1]}), "call .collect"),
    ],
)
def test_other_sources_are_refused_with_what_it_takes(source, message):
    with pytest.raises(DataError, match=message):
        load(source)


def test_a_wrong_path_suggests_the_nearest_file(tmp_path):
    (tmp_path / "train.txt").touch()
    with pytest.raises(DataError, match=r"trian\.txt does not exist: did you mean 'train.txt'"):
        load(tmp_path / "trian.txt")
    with pytest.raises(DataError, match="nor does the folder"):
        load(tmp_path / "nowhere" / "train.txt")


def test_a_folder_of_folds_points_to_letor_folds(tmp_path):
    (tmp_path / "Fold1").mkdir()
    with pytest.raises(DataError, match=r"1 folds \(Fold1.*letor_folds"):
        load(tmp_path)


def test_a_folder_without_data_is_refused(tmp_path):
    with pytest.raises(DataError, match="has no Parquet files"):
        load(tmp_path)


def test_tables_and_arrow_are_not_imported_before_they_are_needed():
    code = (
        "import sys, ranksieve.data as d; d.load(([[1.0]], [0], [1]));"
        "print([m for m in ('pyarrow', 'narwhals', 'pandas', 'polars') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_only_a_file_with_a_name_alike_is_suggested(tmp_path):
    for name in ("test.txt", "train.txt", "names.csv"):
        (tmp_path / name).touch()
    for name, suggested in (("trian.txt", "train.txt"), ("names.txt", "names.csv")):
        with pytest.raises(DataError, match=f"does not exist: did you mean '{suggested}'"):
            load(tmp_path / name)
    for name in ("scores.txt", "x.txt", "model.json"):
        with pytest.raises(DataError, match=r"does not exist\.$"):
            load(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("train.txt", "grade,qid,bm25\n1,7,0.5\n", "CSV"),
        ("train.txt", "1;7;0.5\n", "CSV"),
        ("train.txt", "1\t7\t0.5\n", "TSV"),
        ("train.parquet", "grade,qid,bm25\n1,7,0.5\n", "CSV"),
    ],
)
def test_a_table_of_text_is_called_one_where_another_reader_refuses_it(
    tmp_path, name, content, kind
):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=rf"looks like {kind}.*the ending \.{kind.lower()}"):
        load(tmp_path / name)

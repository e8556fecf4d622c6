"""CSV and TSV, and CatBoost's description of columns."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ranksieve import load, make_ranking
from ranksieve.data import convert, write_text
from ranksieve.errors import DataError

TABLE = "label,query_id,bm25,clicks\n2,a,0.5,3\n0,a,0.25,\n1,b,-1e-3,4\n"
COLUMNS = {"grade": "label", "query": "query_id"}


@pytest.fixture
def write(tmp_path):
    def written(content: str | bytes, name: str = "train.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def test_a_table_with_a_header_is_read_by_the_names_of_its_columns(write):
    data = load(write(TABLE), missing=9, **COLUMNS)
    assert data.feature_names == ("bm25", "clicks")
    assert data.y.tolist() == [2, 0, 1]
    assert data.qid.tolist() == ["a", "a", "b"]
    np.testing.assert_array_equal(data.X, np.array([[0.5, 3], [0.25, 9], [-1e-3, 4]], np.float32))
    assert load(write(TABLE), missing=9, dtype="float64", **COLUMNS).X[2, 0] == -1e-3


def _zst(content: bytes) -> bytes:
    return pa.compress(content, "zstd", asbytes=True)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.csv.gz", gzip.compress),
        ("a.csv.xz", lzma.compress),
        ("a.csv.zst", _zst),
        ("a.CSV", bytes),
        ("a.tsv", lambda content: content.replace(b",", b"\t")),
        ("a.tsv.gz", lambda content: gzip.compress(content.replace(b",", b"\t"))),
        ("b.csv", lambda content: content.replace(b",", b";")),
        ("c.csv", lambda content: content.replace(b",", b"|")),
        ("d.csv", lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")),
    ],
)
def test_packed_tables_and_other_delimiters_are_read_alike(write, name, pack):
    plain = load(write(TABLE), missing=0, **COLUMNS)
    assert load(write(pack(TABLE.encode()), name), missing=0, **COLUMNS).fingerprint == (
        plain.fingerprint
    )


def test_without_a_header_columns_are_called_by_their_positions(write):
    path = write(TABLE.split("\n", 1)[1])
    data = load(path, grade=1, query="2", missing=0)
    assert data.feature_names == ("3", "4")
    assert load(path, grade=1, query=2, missing=0, names=["bm25", "clicks"]).fingerprint == (
        load(write(TABLE, "b.csv"), missing=0, **COLUMNS).fingerprint
    )
    assert load(path, grade=1, query=2, exclude="4").feature_names == ("3",)
    named = load(path, grade=1, query=2, names=["bm25", "clicks"], exclude="clicks")
    assert named.feature_names == ("bm25",)
    with pytest.raises(DataError, match=r"has no header.*grade='1' and query='2'"):
        load(path)


def test_the_first_line_is_a_header_if_it_names_a_column_or_has_no_number(write):
    numbers = write("qid,grade,1,2\n7,1,0.5,3\n7,0,0.25,4\n")
    assert load(numbers).feature_names == ("1", "2")
    assert load(write("a,b,c\n7,1,0.5\n"), grade=2, query=1).feature_names == ("c",)
    years = write("7,1,2024\n7,1,0.5\n")
    assert load(years, grade="1", query="7", header=True).feature_names == ("2024",)
    assert load(years, grade=2, query=1).n_documents == 2


def test_query_ids_are_numbers_only_where_all_of_them_are(write):
    assert load(write("grade,qid,x\n1,7,0\n1,12,0\n")).query_ids.tolist() == [7, 12]
    assert load(write("grade,qid,x\n1,7,0\n1,q,0\n")).query_ids.tolist() == ["7", "q"]
    assert load(write("grade,qid,x\n1,007,0\n1,12,0\n")).query_ids.tolist() == ["007", "12"]


def test_rows_of_a_query_that_stand_apart_are_an_error_or_sorted(write):
    path = write("grade,qid,x\n1,7,1\n1,12,2\n0,7,3\n")
    with pytest.raises(DataError, match="rows of a query must be adjacent"):
        load(path)
    assert load(path, sort=True).X[:, 0].tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "grade,qid,x,url,day\n1,7,0,a.com,2024-01-01\n",
            r"2 are not: 'url', 'day'\. .*exclude='url,day'",
        ),
        ("grade,qid,x\n1,7,0\n1,7\n", "cannot be read as CSV: .*Row #3: Expected 3 columns, got 2"),
        ("label,qid,x\n1,7,0\n", "no column 'grade' for the grade: did you mean 'label'"),
        ("grade,qid,x\n1,7,inf\n", "feature values must be finite"),
        ("grade,qid,x\n1,7,\n", "row 0, feature 'x' is missing"),
        ("grade,qid,x\n,7,1\n", "every row needs a grade"),
        ("grade,qid,x\n1,,1\n", "every row needs a query"),
        ("grade,qid,x\n-1,7,1\n", "not negative"),
        ("grade,qid,x\nbad,7,1\n", "row 2: 'bad' in column 'grade' is no number"),
        ("grade,qid,x\n", "has no documents"),
        ("", "has no documents"),
        ("grade,qid,x,x\n1,7,0,1\n", "has the column 'x' twice"),
        (b"grade,qid,\xff\n1,7,0\n", "is no text in UTF-8"),
        (b"PAR1xxxx", "starts like a Parquet file"),
    ],
)
def test_errors_say_where_and_what_to_do(write, content, message):
    with pytest.raises(DataError, match=message):
        load(write(content))


def test_text_that_stands_far_down_is_named_with_its_row_and_column(write):
    lines = ["grade,qid,a,b", *(f"1,{row // 10},{row},0.5" for row in range(300_000))]
    path = write("\n".join([*lines, "1,9999999,5,oops"]) + "\n")
    with pytest.raises(DataError, match="row 300002: 'oops' in column 'b' is no number"):
        load(path, exclude="a")


def test_text_columns_can_be_left_out_or_hold_document_ids(write):
    path = write("grade,qid,url,x\n1,7,http://a,0.5\n0,7,http://b,1\n")
    assert load(path, exclude="url").feature_names == ("x",)
    assert load(path, document="url").document_ids.tolist() == ["http://a", "http://b"]


def test_truth_values_and_quoted_cells_are_read(write):
    data = load(write('grade,qid,"x, y",b\n1,"q, 1",0.5,true\n0,"q, 1",1,false\n'))
    assert data.feature_names == ("x, y", "b")
    assert data.query_ids.tolist() == ["q, 1"]
    assert data.X.tolist() == [[0.5, 1], [1, 0]]


def test_catboosts_description_says_what_columns_hold(write, tmp_path):
    write("0\tLabel\n1\tQueryId\n2\tAuxiliary\n3\tNum\tbm25\n4\tWeight\n5\tDocId\n", "pool.cd")
    path = write("2\t7\turl\t0.5\t1\td1\t8\n0\t7\turl\t0.25\t1\td2\t9\n", "train.pool")
    data = load(path, columns=tmp_path / "pool.cd")
    assert data.feature_names == ("bm25", "7")
    assert data.X.tolist() == [[0.5, 8], [0.25, 9]]
    assert data.y.tolist() == [2, 0]
    assert data.document_ids.tolist() == ["d1", "d2"]


def test_a_description_beside_the_data_is_found(write):
    write("0\tTarget\n1\tGroupId\n2\tNum\tbm25\n", "train.cd")
    assert load(write("2,7,0.5\n0,7,1\n")).feature_names == ("bm25",)
    assert load(write("2\t7\t0.5\n0\t7\t1\n", "train.tsv")).feature_names == ("bm25",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 Label\n", "line 1: '0 Label' is not POSITION<tab>TYPE"),
        ("0\tLable\n", "'Lable' is no type of column: did you mean 'Label'"),
        ("0\tLabel\n0\tNum\n", "line 2: column 0 is described a second time"),
        ("0\tLabel\n1\tTarget\n", "line 2: a second column for the grade"),
    ],
)
def test_a_description_that_cannot_be_read_says_in_which_line(write, content, message):
    write(content, "train.cd")
    with pytest.raises(DataError, match=message):
        load(write("2,7,0.5\n"))


@pytest.mark.parametrize("target", ["b.parquet", "b.txt"])
def test_converting_a_table_gives_what_loading_it_gives(write, tmp_path, target):
    data, _ = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=1, random_state=0)
    rows = zip(data.y, data.qid, data.X.tolist(), strict=True)
    lines = [f"{y:g},{q},u,{','.join(map(repr, row))}" for y, q, row in rows]
    path = write("grade,qid,url,1,2,3\n" + "\n".join(lines) + "\n")
    done = convert(path, tmp_path / target, exclude="url", dtype="float64")
    assert (done.n_documents, done.n_queries) == (data.n_documents, 50)
    again = load(tmp_path / target, dtype="float64")
    assert again.fingerprint == load(path, exclude="url", dtype="float64").fingerprint
    np.testing.assert_array_equal(again.X, data.X)


def test_converting_a_table_whose_late_ids_are_text_makes_all_of_them_text(write, tmp_path):
    path = write("grade,qid,x\n1,7,0.5\n" + "1,8,1\n" * 40_000 + "0,q,1\n")
    convert(path, tmp_path / "b.parquet")
    assert load(tmp_path / "b.parquet").query_ids.tolist() == ["7", "8", "q"]


def test_converting_text_takes_names_width_and_choice(tmp_path):
    data, _ = make_ranking(5, n_relevant=2, n_redundant=0, n_irrelevant=1, random_state=0)
    write_text(data, tmp_path / "a.txt")
    names = ["a", "b", "c", "d"]
    convert(tmp_path / "a.txt", tmp_path / "b.parquet", names=names, exclude="b")
    assert load(tmp_path / "b.parquet").fingerprint == (
        load(tmp_path / "a.txt", names=names, exclude="b").fingerprint
    )
    convert(tmp_path / "a.txt", tmp_path / "c.parquet", n_features=6)
    assert load(tmp_path / "c.parquet").n_features == 6


def test_text_as_scikit_learn_writes_it_is_read_with_zero_based(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    random = np.random.default_rng(0)
    X, y, qid = random.random((12, 5)), random.integers(0, 3, 12), np.repeat([3, 1, 7], 4)
    path = tmp_path / "train.txt"
    dump_svmlight_file(X, y, str(path), query_id=qid)
    data = load(path, zero_based=True, dtype="float64")
    assert data.feature_names == ("0", "1", "2", "3", "4")
    np.testing.assert_allclose(data.X, X, rtol=1e-15)
    assert data.qid.tolist() == qid.tolist()
    assert load(path, zero_based=True, exclude="0-3").X.shape == (12, 1)
    with pytest.raises(DataError, match=r"feature index is 0 .* pass zero_based=True"):
        load(path)
    convert(path, tmp_path / "b.parquet", zero_based=True, dtype="float64")
    assert load(tmp_path / "b.parquet", dtype="float64").fingerprint == data.fingerprint

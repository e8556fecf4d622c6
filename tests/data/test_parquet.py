import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranksieve import load
from ranksieve.data import Block, from_arrays, make_ranking, write_parquet
from ranksieve.data.parquet import count_documents, read_parquet, read_parquet_blocks
from ranksieve.errors import DataError, ParameterError

ROWS = {"grade": [2, 0, 1], "qid": [7, 7, 3], "a": [0.5, 0.25, 1.0], "b": [3, 0, 9]}


@pytest.fixture
def file(tmp_path):
    def make(columns=ROWS, name="data.parquet", **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(columns), path, **options)
        return path

    return make


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("text_ids", [False, True])
def test_what_is_written_is_read_again(tmp_path, dtype, text_ids):
    generated, _ = make_ranking(30, dtype=dtype)
    qid = [f"q{value}" for value in generated.qid] if text_ids else generated.qid
    documents = [f"d{row}" for row in range(generated.n_documents)]
    data = from_arrays(generated.X, generated.y + 0.5, qid, document_ids=documents)
    write_parquet(data, tmp_path / "a.parquet")
    again = read_parquet(tmp_path / "a.parquet", dtype=dtype)
    assert again.fingerprint == data.fingerprint
    assert again.dtype == dtype
    assert again.document_ids.tolist() == documents


def test_columns_are_grade_qid_document_and_features(tmp_path):
    data = from_arrays([[1.0, 2.0]], [1], [5], feature_names=["a", "b"], document_ids=["d"])
    write_parquet(data, tmp_path / "a.parquet")
    assert pq.read_schema(tmp_path / "a.parquet").names == ["grade", "qid", "document_id", "a", "b"]


def test_one_row_group_a_block(tmp_path):
    data, _ = make_ranking(400, 100)
    write_parquet(data.blocks(), tmp_path / "a.parquet", feature_names=data.feature_names)
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups == data.n_blocks > 1
    assert read_parquet(tmp_path / "a.parquet").fingerprint == data.fingerprint


def test_a_view_is_written_as_it_looks(tmp_path):
    view = make_ranking(10)[0].queries([1, 2, 7]).features([4, 1])
    write_parquet(view, tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet").fingerprint == view.fingerprint


@pytest.mark.parametrize("row_group_size", [1, 7, 1000, 10**6])
def test_blocks_are_whole_queries_whatever_the_row_groups(file, row_group_size):
    n = 40_000 if row_group_size > 100 else 400
    qid = np.sort(np.random.default_rng(0).integers(0, n // 50, n))
    columns = {"grade": np.zeros(n), "qid": qid, "a": np.arange(n, dtype=np.float64)}
    path = file(columns, row_group_size=row_group_size)
    blocks = list(read_parquet_blocks(path, dtype=np.float64))
    assert np.concatenate([block.query_ids for block in blocks]).tolist() == np.unique(qid).tolist()
    assert all(block.n_documents < 40_000 or n < 40_000 for block in blocks)
    np.testing.assert_array_equal(read_parquet(path, dtype=np.float64).X[:, 0], columns["a"])


def test_a_query_longer_than_many_batches_stays_whole(file):
    qid = np.repeat([1, 2, 3], [5, 70_000, 5])
    path = file({"grade": np.zeros(len(qid)), "qid": qid, "a": np.ones(len(qid))})
    data = read_parquet(path)
    assert np.diff(data.query_ptr).tolist() == [5, 70_000, 5]


def test_files_of_a_folder_follow_each_other_by_name(tmp_path, file):
    part = {"grade": [1], "qid": [3], "a": [9.0], "b": [9]}
    file(ROWS, "parts/part-1.parquet")
    file(part, "parts/part-2.pq")
    file(part, "parts/_hidden.parquet")
    file(part, "parts/.hidden.parquet")
    (tmp_path / "parts" / "_SUCCESS").touch()
    data = read_parquet(tmp_path / "parts")
    assert data.qid.tolist() == [7, 7, 3, 3]
    assert count_documents(tmp_path / "parts") == 4


def test_a_file_with_other_columns_is_named(tmp_path, file):
    file(ROWS, "parts/1.parquet")
    file({"grade": [1], "qid": [3], "a": [9.0], "c": [9]}, "parts/2.parquet")
    with pytest.raises(DataError, match=r"2\.parquet has other columns than .*1\.parquet: 'b'"):
        read_parquet(tmp_path / "parts")


def test_a_query_that_comes_again_in_another_file_is_found(tmp_path, file):
    file(ROWS, "parts/1.parquet")
    file({**ROWS, "qid": [5, 7, 8]}, "parts/2.parquet")
    message = r"1 of 4 queries are split \(first: qid 7, at rows 0 and 4\)"
    with pytest.raises(DataError, match=message):
        read_parquet(tmp_path / "parts")
    data = read_parquet(tmp_path / "parts", sort=True)
    assert data.qid.tolist() == [7, 7, 7, 3, 5, 8]
    assert data.X[2].tolist() == [0.25, 0.0]


def test_the_query_minimum_is_taken_over_the_whole_regrouped_query(file):
    path = file({**ROWS, "qid": [7, 3, 7], "a": [0.5, 0.25, None]})
    assert read_parquet(path, sort=True, missing="query-minimum").X[1, 0] == 0.5


def test_nulls_and_nan_follow_the_rule_for_missing_values(file):
    path = file({**ROWS, "a": [0.5, None, np.nan], "b": [3, None, 9]})
    with pytest.raises(DataError, match=r"row 1, feature 'a' is missing: .*data\.parquet contains"):
        read_parquet(path)
    assert read_parquet(path, missing=0.0).X.tolist() == [[0.5, 3], [0, 0], [0, 9]]
    minimum = read_parquet(path, missing="query-minimum")
    assert minimum.X.tolist() == [[0.5, 3], [0.5, 3], [0, 9]]


def test_a_value_beyond_float32_is_refused_and_float64_takes_it(file):
    path = file({**ROWS, "a": [0.5, 1e300, 1.0]})
    with pytest.raises(DataError, match=r"row 1, feature 'a' is inf.*too large for float32"):
        read_parquet(path)
    assert read_parquet(path, dtype=np.float64).X[1, 0] == 1e300


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({**ROWS, "qid": [7, None, 3]}, "needs a query, but in .* 'qid' is empty at row 1"),
        ({**ROWS, "grade": [7, 1, None]}, "needs a grade, but in .* 'grade' is empty at row 2"),
        ({**ROWS, "grade": [0, -1, 0]}, "first: -1.0 at row 1"),
        ({**ROWS, "grade": ["a", "b", "c"]}, "grades must be numbers, but column is string"),
        ({**ROWS, "qid": [0.5, 1.0, 2.0]}, "row 0 has 0.5"),
        ({**ROWS, "title": ["x", "y", "z"]}, "1 are not: 'title'"),
        ({**ROWS, "day": [datetime.date(2020, 1, 1)] * 3}, "1 are not: 'day'"),
        ({**ROWS, "nested": [[1], [2], [3]]}, "1 are not: 'nested'"),
        ({"grade": [1], "qid": [1]}, "has no feature columns"),
        (
            {"label": [1], "qid": [1], "a": [1]},
            "no column 'grade' for the grade: did you mean 'label'",
        ),
        ({k: v[:0] for k, v in ROWS.items()}, "are not|has no documents"),
    ],
)
def test_a_wrong_table_is_refused_with_a_reason(file, columns, message):
    with pytest.raises(DataError, match=message):
        read_parquet(file(columns))


def test_an_empty_table_has_no_documents(file):
    schema = pa.schema([("grade", pa.int64()), ("qid", pa.int64()), ("a", pa.float32())])
    with pytest.raises(DataError, match="has no documents: its tables have no rows"):
        read_parquet(file(schema.empty_table()))


@pytest.mark.parametrize("keep", [0, 3, 100, -1, -9])
def test_a_truncated_file_is_a_data_error(file, keep):
    path = file({k: v * 1000 for k, v in {**ROWS, "qid": [7, 7, 7]}.items()})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"data\.parquet cannot be read as Parquet"):
        read_parquet(path)


def test_damage_in_the_middle_never_ends_in_another_error(file):
    columns = {k: v * 1000 for k, v in {**ROWS, "qid": [7, 7, 7]}.items()}
    path = file(columns, write_page_checksum=True)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for position in rng.integers(4, len(content) - 8, 60):
        broken = bytearray(content)
        broken[position] ^= 0xFF
        path.write_bytes(broken)
        try:
            read_parquet(path)
        except DataError:
            continue


def test_text_is_no_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_text("1 qid:1 1:0.5\n" * 10)
    with pytest.raises(DataError, match=r"give text a name without \.parquet"):
        read_parquet(path)


def test_paths_without_parquet_are_named(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="has no Parquet files"):
        read_parquet(tmp_path)


def test_names_that_clash_with_roles_are_refused(tmp_path):
    data = from_arrays([[1.0]], [0], [1], feature_names=["qid"])
    with pytest.raises(DataError, match="a feature is called 'qid'"):
        write_parquet(data, tmp_path / "a.parquet")


def test_blocks_of_different_id_types_are_refused(tmp_path):
    ptr = np.array([0, 1])
    blocks = [
        Block(np.ones((1, 1)), np.zeros(1), ptr, np.array([1])),
        Block(np.ones((1, 1)), np.zeros(1), ptr, np.array(["a"])),
    ]
    with pytest.raises(DataError, match="blocks of different types"):
        write_parquet(blocks, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def test_no_blocks_are_no_file(tmp_path):
    with pytest.raises(DataError, match="no documents to write"):
        write_parquet(iter([]), tmp_path / "a.parquet")


def test_only_floats_are_types_of_values(file):
    with pytest.raises(ParameterError, match="float32 or float64, but is int64"):
        read_parquet(file(), dtype=np.int64)


@pytest.mark.parametrize("kind", [pa.decimal128(21, 2), pa.float16(), pa.int8(), pa.uint64()])
def test_all_kinds_of_numbers_are_features(file, kind):
    numbers = pa.array([1, 2, 3]).cast(pa.float64() if kind == pa.float16() else kind)
    if kind == pa.float16():
        numbers = pa.array(np.float16([1, 2, 3]))
    path = file({**ROWS, "a": numbers})
    assert read_parquet(path).X[:, 0].tolist() == [1, 2, 3]


def test_dictionaries_are_query_ids_too(file):
    ids = pa.array(["b", "b", "a"]).dictionary_encode()
    assert read_parquet(file({**ROWS, "qid": ids})).query_ids.tolist() == ["b", "a"]


def test_the_row_numbers_of_a_pandas_frame_are_no_feature(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"grade": [0, 1, 2], "qid": [1, 1, 2], "bm25": [0.1, 0.2, 0.3]})
    path = tmp_path / "shuffled.parquet"
    frame.iloc[[1, 0, 2]].to_parquet(path)
    assert read_parquet(path).feature_names == ("bm25",)
    with_index = read_parquet(path, features=["bm25", "__index_level_0__"])
    assert with_index.X[:, 1].tolist() == [1, 0, 2]


def test_signed_and_unsigned_ids_of_two_files_stay_exact(tmp_path):
    for name, kind, query in (("1", pa.int64(), 2**60 + 1), ("2", pa.uint64(), 2**60 + 2)):
        columns = {"grade": [0, 1], "qid": pa.array([query] * 2, kind), "bm25": [0.5, 0.25]}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    assert read_parquet(tmp_path).query_ids.tolist() == [2**60 + 1, 2**60 + 2]
    assert read_parquet(tmp_path, sort=True).query_ids.tolist() == [2**60 + 1, 2**60 + 2]


def test_a_column_name_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "train.parquet"
    table = pa.table({"grade": [1.0], "qid": [7], "xx\u00e9": [0.5]})
    pq.write_table(table, path, compression="none")
    path.write_bytes(path.read_bytes().replace("xx\u00e9".encode(), b"xx\xff\xfe"))
    with pytest.raises(DataError, match=r"name, b'xx.xff.xfe', is not UTF-8"):
        load(path)

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ranksieve import load
from ranksieve.data import from_arrays
from ranksieve.data.frames import from_frame
from ranksieve.errors import DataError

COLUMNS = {
    "qid": [7, 7, 3],
    "bm25": [0.5, 0.25, 1.0],
    "clicks": [3, 0, 9],
    "grade": [2, 0, 1],
    "fresh": [True, False, True],
}
KINDS = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.fixture(params=KINDS, ids=["pandas", "polars", "arrow"])
def table(request):
    return request.param


def test_a_table_equals_its_arrays(table):
    X = np.array([[0.5, 3, 1], [0.25, 0, 0], [1, 9, 1]])
    names = ["bm25", "clicks", "fresh"]
    expected = from_arrays(X, [2, 0, 1], [7, 7, 3], feature_names=names)
    data = from_frame(table(COLUMNS))
    assert data.fingerprint == expected.fingerprint
    assert data.feature_names == tuple(names)
    assert data.dtype == np.float64
    assert data.X.flags.f_contiguous


def test_float32_is_kept_if_every_feature_has_it(table):
    single = {"a": np.float32([1, 2, 3]), "b": np.float32([4, 5, 6])}
    keys = {"qid": [1, 1, 1], "grade": [0, 1, 2]}
    assert from_frame(table({**keys, **single})).dtype == np.float32
    mixed = {**single, "b": np.float64([4, 5, 6])}
    assert from_frame(table({**keys, **mixed})).dtype == np.float64


def test_columns_may_have_other_names_and_be_chosen(table):
    renamed = {{"qid": "query", "grade": "label"}.get(k, k): v for k, v in COLUMNS.items()}
    data = from_frame(table(renamed), grade="label", query="query", features=["clicks", "bm25"])
    assert data.feature_names == ("clicks", "bm25")
    assert data.X[:, 0].tolist() == [3, 0, 9]


def test_document_ids_come_from_their_column(table):
    with_ids = {**COLUMNS, "document_id": ["a", "b", "c"]}
    assert from_frame(table(with_ids)).document_ids.tolist() == ["a", "b", "c"]
    named = {**COLUMNS, "url": ["a", None, "c"]}
    data = from_frame(table(named), document="url")
    assert data.document_ids[[0, 2]].tolist() == ["a", "c"]
    assert from_frame(table(COLUMNS)).document_ids is None


def test_a_missing_column_suggests_the_nearest(table):
    message = r"no column 'qidd' for the query: did you mean 'qid'\? It has: 'qid', 'bm25'"
    with pytest.raises(DataError, match=message):
        from_frame(table(COLUMNS), query="qidd")
    with pytest.raises(DataError, match="no feature 'bm52': did you mean 'bm25'"):
        from_frame(table(COLUMNS), features=["bm52"])


def test_text_columns_are_named(table):
    texts = {**COLUMNS, "title": ["a", "b", "c"], "url": ["d", "e", "f"]}
    message = r"2 are not: 'title', 'url'\. Encode them as numbers"
    with pytest.raises(DataError, match=message):
        from_frame(table(texts))


@pytest.mark.parametrize("column", ["bm25", "clicks", "fresh"])
def test_nulls_follow_the_rule_for_missing_values(table, column):
    holes = {**COLUMNS, column: [COLUMNS[column][0], None, COLUMNS[column][2]]}
    frame = table(holes)
    if table is pd.DataFrame:
        frame = frame.convert_dtypes()
    with pytest.raises(DataError, match=f"row 1, feature '{column}' is missing"):
        from_frame(frame)
    data = from_frame(frame, missing=-1.0).features([column])
    assert data.X.ravel().tolist() == [COLUMNS[column][0], -1, COLUMNS[column][2]]
    data = from_frame(frame, missing="query-minimum").features([column])
    assert data.X[1, 0] == COLUMNS[column][0]


def test_a_column_of_nulls_is_missing_everywhere(table):
    frame = table({**COLUMNS, "empty": [None, None, None]})
    assert from_frame(frame, missing=0.0).features(["empty"]).X.ravel().tolist() == [0, 0, 0]


@pytest.mark.parametrize(("column", "role"), [("qid", "query"), ("grade", "grade")])
def test_a_row_without_query_or_grade_is_named(table, column, role):
    holes = {**COLUMNS, column: [1, None, None]}
    message = f"every row needs a {role}, but column '{column}' is empty in 2 .*row 1"
    with pytest.raises(DataError, match=message):
        from_frame(table(holes))


def test_nan_is_no_grade(table):
    with pytest.raises(DataError, match=r"every row needs a grade.*row 2"):
        from_frame(table({**COLUMNS, "grade": [0.0, 1.0, np.nan]}))


def test_query_ids_may_be_text(table):
    data = from_frame(table({**COLUMNS, "qid": ["b", "b", "a"]}))
    assert data.query_ids.tolist() == ["b", "a"]


def test_categories_are_query_ids_too():
    expected = ["b", "a"]
    frame = pd.DataFrame({**COLUMNS, "qid": pd.Categorical(["b", "b", "a"])})
    assert from_frame(frame).query_ids.tolist() == expected
    frame = pl.DataFrame(COLUMNS).with_columns(qid=pl.Series(["b", "b", "a"], dtype=pl.Categorical))
    assert from_frame(frame).query_ids.tolist() == expected


def test_split_queries_need_sort(table):
    split = {**COLUMNS, "qid": [7, 3, 7]}
    with pytest.raises(DataError, match="1 of 2 queries are split"):
        from_frame(table(split))
    assert from_frame(table(split), sort=True).qid.tolist() == [7, 7, 3]


def test_a_lazy_table_must_be_collected():
    with pytest.raises(DataError, match=r"call \.collect\(\) on it first"):
        from_frame(pl.LazyFrame(COLUMNS))


def test_numbers_as_names_of_columns_become_text():
    frame = pd.DataFrame({0: [1.0, 2.0], 1: [3.0, 4.0], "qid": [1, 1], "grade": [0, 1]})
    assert from_frame(frame).feature_names == ("0", "1")


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1, 0, 0.5, 0.6]], columns=["qid", "grade", "a", "a"])
    with pytest.raises(DataError, match="a"):
        from_frame(frame)


def test_a_table_without_rows_or_features_is_refused(table):
    with pytest.raises(DataError, match="has no feature columns"):
        from_frame(table({"qid": [1], "grade": [0]}))
    with pytest.raises(DataError, match="0 documents"):
        from_frame(table({"qid": np.int64([]), "grade": np.int64([]), "a": np.float64([])}))


def test_a_column_has_one_role(table):
    with pytest.raises(DataError, match="'qid' twice"):
        from_frame(table(COLUMNS), grade="qid")
    with pytest.raises(DataError, match="cannot be a feature and"):
        from_frame(table(COLUMNS), features=["grade", "bm25"])


def test_two_columns_of_one_name_are_an_error_that_names_it():
    values = np.array([[1, 7, 0.5, 0.6], [0, 7, 1, 2]])
    for names in (["grade", "qid", "a", "a"], ["grade", "qid", 0, "0"]):
        with pytest.raises(DataError, match=f"two columns that are called '{names[3]}'"):
            load(pd.DataFrame(values, columns=names))
    with pytest.raises(DataError, match="two columns that are called 'a'"):
        load(pa.table([[1], [7], [0.5], [0.6]], names=["grade", "qid", "a", "a"]))


def test_columns_that_are_called_by_numbers_are_asked_for_by_them():
    frame = pd.DataFrame(np.array([[1, 7, 0.5, 0.6], [0, 7, 1, 2]]))
    assert load(frame, grade=0, query=1).feature_names == ("2", "3")
    assert load(frame, grade=0, query=1, features=[3]).X[:, 0].tolist() == [0.6, 2]
    with pytest.raises(
        DataError, match=r"no column '4' for the grade\. It has: '0', '1', '2', '3'"
    ):
        load(frame, grade=4, query=1)


def test_columns_with_names_may_be_asked_for_by_their_positions_from_one():
    frame = pd.DataFrame({"label": [1, 0], "query": [7, 7], "x": [0.5, 1]})
    assert load(frame, grade=1, query=2).feature_names == ("x",)
    with pytest.raises(DataError, match="no column '0' for the grade"):
        load(frame, grade=0, query=2)

import numpy as np
import pytest
import scipy.sparse

from ranksieve.data import from_arrays
from ranksieve.data.check import (
    check_dense_size,
    check_dtype,
    check_feature_names,
    check_grades,
    check_levels,
    check_row_ids,
    check_scores,
    regrouped,
)
from ranksieve.errors import DataError, ParameterError

X3 = np.arange(6.0).reshape(3, 2)


def test_arrays_become_one_block():
    data = from_arrays(X3, [0, 1, 2], [7, 7, 3])
    np.testing.assert_array_equal(data.X, X3)
    np.testing.assert_array_equal(data.y, [0, 1, 2])
    np.testing.assert_array_equal(data.query_ptr, [0, 2, 3])
    assert data.query_ids.tolist() == [7, 3]
    assert data.feature_names == ("x0", "x1")
    assert data.n_blocks == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_type_is_kept_and_a_column_major_matrix_is_not_copied(dtype):
    X = np.asfortranarray(X3.astype(dtype))
    assert np.shares_memory(from_arrays(X, [0, 1, 2], [7, 7, 3]).X, X)


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float16, bool, object, ">f4"])
def test_other_numbers_become_float64(kind):
    assert from_arrays(X3.astype(kind), [0, 1, 2], [7, 7, 3]).dtype == np.float64


def test_split_queries_are_named_with_their_rows():
    message = (
        r"1 of 2 queries are split \(first: qid 7, at rows 0 and 4\)\. Pass sort=True to regroup"
    )
    with pytest.raises(DataError, match=message):
        from_arrays(np.ones((5, 1)), np.zeros(5), [7, 7, 3, 3, 7])


def test_the_first_split_in_the_data_is_shown():
    with pytest.raises(DataError, match=r"2 of 2 queries are split \(first: qid 'b', at rows 0"):
        from_arrays(np.ones((4, 1)), np.zeros(4), ["b", "a", "b", "a"])


def test_sort_brings_queries_together_as_they_first_appear():
    X = np.arange(10.0).reshape(5, 2)
    documents = list("abcde")
    qid = [7, 7, 3, 3, 7]
    data = from_arrays(X, [0, 1, 2, 3, 4], qid, document_ids=documents, sort=True)
    np.testing.assert_array_equal(data.X, X[[0, 1, 4, 2, 3]])
    assert data.y.tolist() == [0, 1, 4, 2, 3]
    assert data.qid.tolist() == [7, 7, 7, 3, 3]
    assert data.document_ids.tolist() == list("abecd")
    assert data.X.flags.f_contiguous


@pytest.mark.parametrize("seed", range(5))
def test_regrouping_is_stable_and_complete(seed):
    ids = np.random.default_rng(seed).integers(0, 6, 40)
    order = regrouped(ids)
    first = {value: int(np.argmax(ids == value)) for value in ids.tolist()}
    keys = [(first[value], row) for row, value in enumerate(ids.tolist())]
    assert [keys[row] for row in order] == sorted(keys)
    assert regrouped(ids[order]) is None


@pytest.mark.parametrize(
    ("qid", "expected"),
    [
        (["a", "a", "b"], ["a", "b"]),
        ([b"a", b"a", b"b"], ["a", "b"]),
        ([1.0, 1.0, 2.0], [1, 2]),
        (np.array(["x", "x", 3], dtype=object), ["x", "3"]),
        (np.array([5, 5, 6], dtype=object), [5, 6]),
        (np.array([2**63, 2**63, 1], dtype=np.uint64), [2**63, 1]),
        (np.array(["a", "a", "b"], dtype=np.dtypes.StringDType()), ["a", "b"]),
    ],
)
def test_ids_may_be_whole_numbers_or_text(qid, expected):
    assert from_arrays(X3, [0, 1, 2], qid).query_ids.tolist() == expected


@pytest.mark.parametrize(
    ("qid", "message"),
    [
        (None, "qid is required"),
        ([1, 1, None], "none may be missing: row 2 has None"),
        ([1.0, np.nan, 2.0], "none may be missing: row 1 has nan"),
        ([1.0, 1.5, 2.0], "row 1 has 1.5"),
        ([1.0, 1e300, 2.0], r"row 1 has 1e\+300"),
        ([True, True, False], "they are bool"),
        ([[1], [2, 3]], "whole numbers or text"),
        ([1, 1], r"one value per document: 3, but the shape is \(2,\)"),
        ([[1], [1], [1]], r"but the shape is \(3, 1\)"),
        (np.array([1, 1, 2**70], dtype=object), "whole numbers or text"),
    ],
)
def test_wrong_ids_are_refused_with_the_row(qid, message):
    with pytest.raises(DataError, match=message):
        from_arrays(X3, [0, 1, 2], qid)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), r"two dimensions, documents and features, but has 1.*X\[:, None\]"),
        (np.ones((0, 2)), "0 documents and 2 features"),
        (np.ones((3, 0)), "3 documents and 0 features"),
        (np.array([["a"], ["b"], ["c"]]), "is not: its values are of type <U1.*Encode text"),
        (np.array([["a"], [1], [2]], dtype=object), "could not convert string to float: 'a'"),
        (np.ones((3, 1), dtype=complex), "values are of type complex128"),
        ([[1, 2], [3], [4]], "must be a matrix of numbers"),
        (np.array([[1.0], [np.inf], [2.0]]), "row 1, feature 'x0' is inf: X contains infinity"),
        (np.array([[1.0], [np.nan], [2.0]]), r"row 1, feature 'x0' is missing.*missing=0\.0"),
    ],
)
def test_a_wrong_matrix_is_refused_with_a_reason(X, message):
    with pytest.raises(DataError, match=message):
        from_arrays(X, [0, 1, 2], [7, 7, 7])


def test_masked_values_are_missing_and_not_read_through_the_mask():
    X = np.ma.masked_array([[1.0], [555.0], [3.0]], mask=[[False], [True], [False]])
    with pytest.raises(DataError, match="row 1, feature 'x0' is missing"):
        from_arrays(X, [0, 1, 2], [7, 7, 7])
    assert from_arrays(X, [0, 1, 2], [7, 7, 7], missing=0.5).X.ravel().tolist() == [1, 0.5, 3]
    with pytest.raises(DataError, match="grades must be finite"):
        from_arrays(X3, np.ma.masked_array([0, 1, 2], mask=[0, 0, 1]), [7, 7, 7])


def test_each_rule_for_missing_values():
    X = np.array([[np.nan, 1.0], [5.0, np.nan], [np.nan, 3.0]])
    constant = from_arrays(X, [0, 0, 0], [1, 1, 2], missing=-1)
    np.testing.assert_array_equal(constant.X, [[-1, 1], [5, -1], [-1, 3]])
    minimum = from_arrays(X, [0, 0, 0], [1, 1, 2], missing="query-minimum")
    np.testing.assert_array_equal(minimum.X, [[5, 1], [5, 1], [0, 3]])
    assert np.isnan(X[0, 0])


def test_the_query_minimum_is_taken_after_regrouping():
    X = np.array([[4.0], [9.0], [np.nan]])
    data = from_arrays(X, [0, 0, 0], [1, 2, 1], missing="query-minimum", sort=True)
    assert data.X.ravel().tolist() == [4, 4, 9]


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_input_equals_dense_input(kind, dtype):
    X = scipy.sparse.random(20, 5, 0.3, kind, dtype=dtype, random_state=0)
    sparse = from_arrays(X, np.zeros(20), np.arange(20))
    assert sparse.dtype == dtype
    assert sparse.fingerprint == from_arrays(X.toarray(), np.zeros(20), np.arange(20)).fingerprint


def test_a_sparse_matrix_that_memory_cannot_hold_is_refused():
    X = scipy.sparse.csr_matrix((10**6, 10**9))
    with pytest.raises(DataError, match="GiB as a dense matrix, and this machine has"):
        from_arrays(X, [0], [0])
    check_dense_size(10, 10, 8)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, -1, 2], r"1 are not \(first: -1.0 at row 1\)\. Shift or map"),
        ([0, np.nan, np.inf], r"2 are not \(first: nan at row 1\)"),
        (["good", "bad", "good"], "map text labels to 0, 1, 2"),
        ([0, 1], "one value per document: 3"),
    ],
)
def test_wrong_grades_are_refused(y, message):
    with pytest.raises(DataError, match=message):
        check_grades(y, 3)


def test_scores_may_be_infinite_and_not_nan():
    assert check_scores([np.inf, -np.inf], 2).tolist() == [np.inf, -np.inf]
    with pytest.raises(DataError, match=r"1 are \(first: row 1\)"):
        check_scores([0, np.nan], 2)
    with pytest.raises(DataError, match="scores must be numbers"):
        check_scores(["a", "b"], 2)


def test_levels_are_whole_grades():
    check_levels(np.array([0.0, 3.0]), "NDCG")
    with pytest.raises(DataError, match=r"NDCG needs whole grades.*first: 0.5 at row 1"):
        check_levels(np.array([0.0, 0.5]), "NDCG")


def test_names_of_features_are_distinct_and_as_many():
    with pytest.raises(DataError, match="'a' appears twice"):
        check_feature_names(["a", "b", "a"], 3)
    with pytest.raises(DataError, match="2 features need 2 names, but 1 are given"):
        check_feature_names(["a"], 2)


def test_document_ids_are_one_a_row():
    with pytest.raises(DataError, match=r"one id per row \(3\), but has shape \(2,\)"):
        from_arrays(X3, [0, 1, 2], [7, 7, 7], document_ids=["a", "b"])


def test_queries_of_one_document_are_fine():
    data = from_arrays(X3, [0, 1, 2], [1, 2, 3])
    np.testing.assert_array_equal(data.query_ptr, [0, 1, 2, 3])


def test_masked_scores_and_ids_are_missing():
    masked = np.ma.masked_array([1, 2], mask=[0, 1])
    with pytest.raises(DataError, match="scores must not be missing"):
        check_scores(masked, 2)
    with pytest.raises(DataError, match="must not be missing"):
        check_row_ids(masked, 2)


def test_types_of_values_are_checked():
    assert check_dtype("float32") == np.float32
    for wrong in ("foo", np.int64, "f2"):
        with pytest.raises(ParameterError, match="dtype must be float32 or float64"):
            check_dtype(wrong)


def test_a_number_and_a_text_spelled_alike_are_not_taken_for_one_query():
    mixed = np.array([1, "1", 2], dtype=object)
    with pytest.raises(DataError, match="a number and a text are spelled alike"):
        check_row_ids(mixed, 3)

import numpy as np
import pytest

from ranksieve.data import RankingData, from_arrays, make_ranking, scale
from ranksieve.errors import ParameterError


@pytest.mark.parametrize("method", ["minmax", "zscore"])
def test_scaling_is_the_same_in_one_block_and_in_many(method):
    data, _ = make_ranking(n_queries=9, n_constant=2)
    (whole,) = data.blocks()
    parts = RankingData([whole.between(0, 4), whole.between(4, 9)], data.feature_names)
    assert scale(parts, method).fingerprint == scale(data, method).fingerprint


@pytest.mark.parametrize("method", ["minmax", "zscore"])
def test_scaling_a_view_is_the_view_of_the_scaled(method):
    data, _ = make_ranking(n_queries=9)
    for queries in ([1, 2, 3], [0, 4, 8]):
        one = scale(data.queries(queries).features([2, 0]), method)
        other = scale(data, method).queries(queries).features([2, 0])
        assert one.fingerprint == other.fingerprint


@pytest.mark.parametrize("method", ["minmax", "zscore"])
def test_shift_and_stretch_of_a_feature_do_not_count(method):
    data, _ = make_ranking(n_queries=5, dtype=np.float64)
    moved = from_arrays(data.X * 8 - 3, data.y, data.qid)
    np.testing.assert_allclose(scale(moved, method).X, scale(data, method).X, atol=1e-12)


def test_minmax_is_idempotent_and_spans_zero_to_one():
    data, _ = make_ranking(n_queries=5, n_documents=(2, 9), n_constant=1)
    once = scale(data)
    assert scale(once).fingerprint == once.fingerprint
    assert set(np.unique(once.X[:, :]).tolist()) >= {0.0, 1.0}
    assert once.X.min() == 0
    assert once.X.max() == 1


def test_zscores_have_mean_zero_and_deviation_one_in_each_query():
    data, _ = make_ranking(n_queries=6, n_documents=(2, 9), dtype=np.float64)
    scaled = scale(data, "zscore")
    for start, stop in zip(scaled.query_ptr[:-1], scaled.query_ptr[1:], strict=True):
        np.testing.assert_allclose(scaled.X[start:stop].mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(scaled.X[start:stop].std(axis=0), 1, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everything_but_the_values_is_kept(dtype):
    ids = ["a", "b", "c"]
    data = from_arrays(np.ones((3, 1), dtype), [0, 1, 2], [5, 5, 6], document_ids=ids)
    scaled = scale(data)
    assert scaled.dtype == dtype
    assert scaled.document_ids.tolist() == ids
    assert scaled.y.tolist() == [0, 1, 2]
    assert scaled.query_ids.tolist() == [5, 6]
    assert scaled.X.tolist() == [[0], [0], [0]]


def test_the_source_is_not_changed():
    data, _ = make_ranking(n_queries=3)
    before = data.X.copy()
    scale(data)
    np.testing.assert_array_equal(data.X, before)


def test_an_unknown_method_suggests_the_nearest():
    with pytest.raises(ParameterError, match="'min-max': did you mean 'minmax'"):
        scale(make_ranking(n_queries=2)[0], "min-max")

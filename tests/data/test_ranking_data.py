import pickle
from itertools import pairwise

import numpy as np
import pytest

from ranksieve.data import Block, RankingData, from_arrays, make_ranking
from ranksieve.data.missing import check_missing, fill
from ranksieve.errors import DataError, ParameterError


def sample(seed=0, n_queries=6, dtype=np.float64):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries) * 3 + 1, rng.integers(1, 6, n_queries))
    X = rng.normal(size=(len(qid), 4)).astype(dtype)
    names = [f"d{row}" for row in range(len(qid))]
    return from_arrays(X, rng.integers(0, 3, len(qid)), qid, document_ids=names)


def in_blocks(data, *cuts):
    (whole,) = data.blocks()
    bounds = [0, *cuts, data.n_queries]
    parts = [whole.between(a, b) for a, b in pairwise(bounds)]
    return RankingData(parts, data.feature_names)


def assert_equal(left, other):
    np.testing.assert_array_equal(left.X, other.X)
    for feature in range(left.n_features):
        np.testing.assert_array_equal(left.column(feature), other.X[:, feature])
    np.testing.assert_array_equal(left.y, other.y)
    np.testing.assert_array_equal(left.qid, other.qid)
    np.testing.assert_array_equal(left.query_ptr, other.query_ptr)
    np.testing.assert_array_equal(left.document_ids, other.document_ids)
    assert left.feature_names == other.feature_names
    assert left.fingerprint == other.fingerprint


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("queries", [[0, 2, 5], [1, 2, 3], [4], [0, 1, 2, 3, 4, 5]])
def test_a_view_equals_a_copy(seed, queries):
    data = sample(seed)
    rows = np.isin(data.qid, data.query_ids[queries])
    copy = from_arrays(
        data.X[rows][:, [3, 1]],
        data.y[rows],
        data.qid[rows],
        feature_names=["x3", "x1"],
        document_ids=data.document_ids[rows],
    )
    view = data.queries(queries).features([3, 1])
    assert_equal(view, copy)
    assert_equal(in_blocks(data, 2, 3).queries(queries).features(["x3", "x1"]), copy)
    assert_equal(view.gathered(), copy)


@pytest.mark.parametrize("cuts", [(1,), (2, 4), (1, 2, 3, 4, 5)])
def test_blocks_and_one_block_are_the_same_data(cuts):
    data = sample()
    parts = in_blocks(data, *cuts)
    assert parts.n_blocks == len(cuts) + 1
    assert_equal(parts, data)


def test_every_block_of_a_view_is_column_major():
    data = sample(n_queries=8)
    for view in (data.queries([0, 2, 5]), data.features([2, 0]), data.queries([1, 2])):
        assert view.X.flags.f_contiguous
        assert all(block.X.flags.f_contiguous for block in view.blocks())


def test_changing_the_matrix_of_a_view_leaves_the_data_alone():
    data = sample()
    before = data.X.copy()
    data.queries([1, 2]).X[:] = 99
    np.testing.assert_array_equal(data.X, before)


def test_grades_and_ids_of_a_view_do_not_touch_its_features(monkeypatch):
    data = in_blocks(sample(), 3).queries([0, 2, 5])
    monkeypatch.setattr(Block, "take", None)
    assert len(data.y) == len(data.qid) == len(data.document_ids) == data.n_documents
    assert data.n_blocks == 2


def test_views_of_views_keep_counting_from_the_view():
    data = sample(n_queries=8)
    view = data.queries([1, 3, 5, 7]).queries([1, 2]).features([3, 2, 1]).features([0, 2])
    np.testing.assert_array_equal(view.query_ids, data.query_ids[[3, 5]])
    assert view.feature_names == ("x3", "x1")


def test_a_mask_and_repeated_positions_choose_like_a_list():
    data = sample()
    mask = np.array([True, False, False, True, False, False])
    assert_equal(data.queries(mask), data.queries([3, 0, 3]))


def test_blocks_say_where_their_rows_are():
    view = in_blocks(sample(), 2, 4).queries([1, 4, 5])
    for block in view.blocks():
        np.testing.assert_array_equal(view.y[block.documents], block.y[block.rows])


@pytest.mark.parametrize("limit", [1, 3, 7, 1000])
def test_cuts_are_whole_queries_in_order(limit):
    (block,) = sample(n_queries=20).blocks()
    pieces = list(block.cuts(limit))
    joined = np.concatenate([piece.query_ids for piece in pieces])
    np.testing.assert_array_equal(joined, block.query_ids)
    assert all(piece.n_documents <= limit or piece.n_queries == 1 for piece in pieces)
    places = np.concatenate([np.arange(p.documents.start, p.documents.stop) for p in pieces])
    np.testing.assert_array_equal(places, np.arange(block.n_documents))


def test_the_fingerprint_sees_values_grades_ids_names_and_not_the_type():
    X, y, qid = np.array([[1.0, 2.0], [3.0, 4.0]]), [0, 1], [5, 5]
    base = from_arrays(X, y, qid).fingerprint
    assert base == from_arrays(X.astype(np.float32), y, qid).fingerprint
    assert base == from_arrays(X, y, ["5", "5"]).fingerprint
    assert base == from_arrays(X, y, [b"5", b"5"]).fingerprint
    changed = [
        from_arrays(X + 1, y, qid),
        from_arrays(X[:, ::-1], y, qid),
        from_arrays(X, [1, 0], qid),
        from_arrays(X, y, [5, 6]),
        from_arrays(X, y, [6, 6]),
        from_arrays(X, y, qid, feature_names=["a", "b"]),
    ]
    assert len({base, *(other.fingerprint for other in changed)}) == 7


def test_names_cannot_be_shifted_into_each_other():
    X, y, qid = np.ones((1, 2)), [0], [1]
    left = from_arrays(X, y, qid, feature_names=["a\0", "b"])
    other = from_arrays(X, y, qid, feature_names=["a", "\0b"])
    assert left.fingerprint != other.fingerprint


def test_document_ids_are_text_and_empty_where_a_block_has_none():
    (block,) = from_arrays([[1.0]], [0], [1], document_ids=[17]).blocks()
    other = Block(block.X, block.y, block.query_ptr, np.array([2]))
    assert RankingData([block, other], ["x"]).document_ids.tolist() == ["17", ""]
    as_bytes = Block(block.X, block.y, block.query_ptr, np.array([3]), np.array([b"GX-1"]))
    assert RankingData([as_bytes], ["x"]).document_ids.tolist() == ["GX-1"]
    assert RankingData([other], ["x"]).document_ids is None


def test_ranking_data_survives_pickling():
    data = sample().queries([0, 3]).features(["x2"])
    assert_equal(pickle.loads(pickle.dumps(data)), data)


def test_its_text_gives_the_sizes():
    data = from_arrays(np.ones((1200, 2), np.float32), np.zeros(1200), np.arange(1200))
    assert repr(data) == "RankingData(1,200 documents, 1,200 queries, 2 features, float32)"
    assert len(data) == 1200


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (["x9"], r"no feature is called 'x9': did you mean 'x"),
        ([0, 0], "may be chosen once"),
        ([4], "features are numbered 0 to 3, but 4 to 4"),
        ([-1], "features are numbered 0 to 3, but -1 to -1"),
        ([0.5], "whole numbers or a mask"),
        ([True], r"a mask of features needs 4 entries, but has shape \(1,\)"),
    ],
)
def test_a_wrong_choice_of_features_says_what_is_there(which, message):
    with pytest.raises(DataError, match=message):
        sample().features(which)


def test_one_name_alone_is_a_choice():
    assert sample().features("x2").feature_names == ("x2",)


def test_a_choice_without_queries_is_refused():
    with pytest.raises(DataError, match="no query is chosen"):
        sample().queries([])


DIRECTIONS = np.array([1, -1, -1, 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_turned_data_equals_a_negated_copy(seed, dtype):
    data = sample(seed, dtype=dtype)
    copy = from_arrays(
        data.X * DIRECTIONS.astype(dtype), data.y, data.qid, document_ids=data.document_ids
    )
    assert data.turned(DIRECTIONS).X.dtype == dtype
    for turned in (data.turned(DIRECTIONS), in_blocks(data, 1, 4).turned(DIRECTIONS)):
        assert_equal(turned, copy)
        assert_equal(turned.gathered(), copy)
        assert_equal(pickle.loads(pickle.dumps(turned)), copy)
        assert_equal(turned.turned(DIRECTIONS), data)


@pytest.mark.parametrize("cuts", [(), (2, 3)])
def test_mirror_images_stand_behind_the_features_of_every_view(cuts):
    data = in_blocks(sample(3), *cuts)
    views = [data, data.features([2, 0]), data.queries([1, 4]), data.turned([1, -1, -1, 1])]
    views.append(data.turned([1, -1, -1, 1]).features([3, 1]).queries([0, 2, 5]))
    for view in views:
        both = view.with_mirror_images()
        np.testing.assert_array_equal(both.X, np.hstack([view.X, 0.0 - view.X]))
        for feature in range(both.n_features):
            np.testing.assert_array_equal(both.column(feature), both.X[:, feature])
        np.testing.assert_array_equal(both.query_ptr, view.query_ptr)
        np.testing.assert_array_equal(both.gathered().X, both.X)


def test_turning_commutes_with_other_views():
    data = in_blocks(sample(2), 2, 3)
    turned = data.turned(DIRECTIONS)
    chosen = data.queries([0, 3, 5]).features([2, 0])
    assert_equal(turned.queries([0, 3, 5]).features([2, 0]), chosen.turned([-1, 1]))
    assert_equal(turned.features(["x1"]).turned([-1]), data.features(["x1"]))


def test_turned_data_is_put_together_in_small_pieces_and_leaves_the_data_alone():
    generated, _ = make_ranking(400, 50, random_state=0)
    data = from_arrays(generated.X, generated.y, generated.qid)
    (whole,) = data.blocks()
    before = whole.X.copy()
    turned = data.turned(-np.ones(data.n_features))
    pieces = list(turned.blocks())
    assert turned.n_blocks == len(pieces) > 3
    assert max(len(piece.X) for piece in pieces) < data.n_documents / 3
    assert all(piece.X.flags.f_contiguous for piece in pieces)
    for piece in pieces:
        np.testing.assert_array_equal(turned.y[piece.documents], piece.y[piece.rows])
        piece.X[:] = 99.0
    np.testing.assert_array_equal(whole.X, before)


def test_a_turned_zero_is_a_zero_without_a_sign():
    turned = from_arrays([[0.0], [1.0]], [0, 1], [1, 1]).turned([-1])
    assert not np.signbit(turned.X[0, 0])


@pytest.mark.parametrize("directions", [[1, -1], [1, 1, 0, 1], [1, 2, 1, 1], 1, ["a"] * 4])
def test_only_directions_of_all_features_turn_them(directions):
    with pytest.raises(DataError, match="1 or -1 for each of the 4 features"):
        sample().turned(directions)


@pytest.mark.parametrize("bad", [None, "mean", True, np.nan, np.inf, [0]])
def test_only_the_rules_for_missing_values_are_taken(bad):
    with pytest.raises(ParameterError, match="'error', 'query-minimum'"):
        check_missing(bad)


def test_a_filling_that_float32_cannot_hold_is_refused():
    X = np.full((1, 1), np.nan, dtype=np.float32, order="F")
    with pytest.raises(ParameterError, match="too large for float32"):
        fill(X, np.array([0, 1]), 1e300)


def test_a_pickled_view_takes_along_only_what_it_shows():
    data, _ = make_ranking(200, 50)
    for view in (data.queries([3, 4]), data.queries([3, 90]).features([1, 2]), data):
        again = pickle.loads(pickle.dumps(view))
        assert again.fingerprint == view.fingerprint
    assert len(pickle.dumps(data.queries([3, 4]))) < len(pickle.dumps(data)) / 20


def test_a_view_needs_a_feature():
    data, _ = make_ranking(3)
    with pytest.raises(DataError, match="no feature is chosen"):
        data.features([])

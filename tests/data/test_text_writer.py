import gzip
import lzma

import numpy as np
import pyarrow as pa
import pytest

from ranksieve.data import Block, from_arrays, load, make_ranking, write_text
from ranksieve.errors import DataError, ParameterError


def lines(path):
    return path.read_text().splitlines()


def test_lines_are_grade_query_values_and_document(tmp_path):
    X = np.array([[0.5, 0.0], [0.1, -3.0]])
    data = from_arrays(X, [2, 0.5], [10, 11], document_ids=["GX029-35", ""])
    write_text(data, tmp_path / "a.txt")
    assert lines(tmp_path / "a.txt") == [
        "2 qid:10 1:0.5 2:0 #docid = GX029-35",
        "0.5 qid:11 1:0.1 2:-3",
    ]


def test_values_are_those_of_their_type(tmp_path):
    for dtype, text in ((np.float32, "0.1"), (np.float64, "0.10000000149011612")):
        X = np.array([[np.float32(0.1)]], dtype=dtype)
        write_text(from_arrays(X, [0], [1]), tmp_path / "a.txt")
        assert lines(tmp_path / "a.txt") == [f"0 qid:1 1:{text}"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_every_value_reads_back_as_it_was(tmp_path, dtype, seed):
    rng = np.random.default_rng(seed)
    exponents = rng.uniform(*((-37, 37) if dtype == np.float32 else (-300, 300)), (300, 6))
    X = (rng.choice([-1, 1], (300, 6)) * 10**exponents).astype(dtype)
    X[::7, 2] = 0
    X[:, 3] = np.round(rng.random(300), 6)
    X[:, 4] = rng.integers(0, 10**7, 300)
    X[0, :4] = np.finfo(dtype).max, np.finfo(dtype).tiny, np.finfo(dtype).eps, -np.finfo(dtype).max
    data = from_arrays(X, rng.integers(0, 5, 300), np.arange(300) // 7)
    write_text(data, tmp_path / "a.txt")
    parsed = [[w.split(":")[1] for w in line.split()[2:]] for line in lines(tmp_path / "a.txt")]
    np.testing.assert_array_equal(np.array(parsed, dtype=dtype), X)
    np.testing.assert_array_equal(load(tmp_path / "a.txt", dtype=dtype).X, X)


@pytest.mark.parametrize(
    ("suffix", "opener"),
    [
        ("gz", lambda path: gzip.decompress(path.read_bytes())),
        ("xz", lambda path: lzma.decompress(path.read_bytes())),
        ("zst", lambda path: pa.CompressedInputStream(path, "zstd").read()),
    ],
)
def test_the_suffix_says_how_to_compress(tmp_path, suffix, opener):
    data, _ = make_ranking(20)
    write_text(data, tmp_path / "a.txt")
    write_text(data, tmp_path / f"a.txt.{suffix}")
    plain = (tmp_path / "a.txt").read_bytes()
    assert opener(tmp_path / f"a.txt.{suffix}") == plain
    assert (tmp_path / f"a.txt.{suffix}").stat().st_size < len(plain)


def test_whole_numbers_as_names_are_indices_in_increasing_order(tmp_path):
    data = from_arrays([[1.0, 2.0, 3.0]], [0], [1], feature_names=["7", "2", "30"])
    write_text(data, tmp_path / "a.txt")
    assert lines(tmp_path / "a.txt") == ["0 qid:1 2:2 7:1 30:3"]


@pytest.mark.parametrize("names", [["0", "1"], ["01", "2"], ["a", "2"], ["1", "99999999"]])
def test_other_names_are_numbered(tmp_path, names):
    data = from_arrays([[1.0, 2.0]], [0], [1], feature_names=names)
    write_text(data, tmp_path / "a.txt")
    assert lines(tmp_path / "a.txt") == ["0 qid:1 1:1 2:2"]


@pytest.mark.parametrize("bad", ["a b", "a#b", "", "a\tb", "a\nb"])
def test_query_ids_that_text_cannot_hold_are_refused(tmp_path, bad):
    with pytest.raises(DataError, match="cannot be written as text: it must not be empty"):
        write_text(from_arrays([[1.0]], [0], [bad]), tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_document_id_with_a_line_end_is_refused(tmp_path):
    data = from_arrays([[1.0]], [0], [1], document_ids=["a\nb"])
    with pytest.raises(DataError, match="it has a line end"):
        write_text(data, tmp_path / "a.txt")


def test_a_document_id_with_blanks_is_the_whole_comment(tmp_path):
    data = from_arrays([[1.0]], [0], [1], document_ids=["two words"])
    write_text(data, tmp_path / "a.txt")
    assert lines(tmp_path / "a.txt") == ["0 qid:1 1:1 # two words"]
    assert load(tmp_path / "a.txt").document_ids.tolist() == ["two words"]


def test_blocks_views_and_margins_write_the_same_lines(tmp_path):
    data, _ = make_ranking(300, 40)
    (tmp_path / "all.txt").touch()
    write_text(data, tmp_path / "all.txt")
    write_text(data.blocks(), tmp_path / "blocks.txt", feature_names=data.feature_names)
    write_text(data.queries(np.arange(300)), tmp_path / "view.txt")
    text = (tmp_path / "all.txt").read_text()
    assert (tmp_path / "blocks.txt").read_text() == text
    assert (tmp_path / "view.txt").read_text() == text
    part = data.queries([3, 4])
    write_text(part, tmp_path / "part.txt")
    rows = slice(data.query_ptr[3], data.query_ptr[5])
    assert lines(tmp_path / "part.txt") == text.splitlines()[rows]


def test_document_ids_as_bytes_are_text(tmp_path):
    ids = np.array([b"GX-1", b"GX-22"])
    block = Block(np.ones((2, 1)), np.zeros(2), np.array([0, 2]), np.array([1]), ids)
    write_text([block], tmp_path / "a.txt")
    assert lines(tmp_path / "a.txt")[1] == "0 qid:1 1:1 #docid = GX-22"


def test_names_go_with_blocks_only(tmp_path):
    data, _ = make_ranking(2)
    with pytest.raises(ParameterError, match="ranking data has its own"):
        write_text(data, tmp_path / "a.txt", feature_names=data.feature_names)


def test_ids_outside_ascii_survive(tmp_path):
    data = from_arrays([[1.0]], [0], ["größe"], document_ids=["Straße"])
    write_text(data, tmp_path / "a.txt")
    again = load(tmp_path / "a.txt")
    assert again.query_ids.tolist() == ["größe"]
    assert again.document_ids.tolist() == ["Straße"]


@pytest.mark.parametrize("query", ["007", "+7", "-0"])
def test_ids_that_would_be_read_as_another_number_are_refused(tmp_path, query):
    data = from_arrays([[1.0], [2.0]], [0, 1], [query, "7"])
    with pytest.raises(DataError, match="would be read as the number"):
        write_text(data, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


def test_document_ids_come_back_as_they_were_or_are_refused(tmp_path):
    ids = ["http://a/b#c", "#x", "two words", "docid"]
    data = from_arrays([[1.0]] * 4, [0, 1, 2, 3], [1] * 4, document_ids=ids)
    write_text(data, tmp_path / "a.txt")
    assert load(tmp_path / "a.txt").document_ids.tolist() == ids
    for wrong in (" margin", "docid = y", "docid=y"):
        data = from_arrays([[1.0]], [0], [1], document_ids=[wrong])
        with pytest.raises(DataError, match="cannot be written as text"):
            write_text(data, tmp_path / "b.txt")

"""Reading LETOR text: what is read, how it is cut, and what is refused."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_svmlight_file

from ranksieve.data.text import chunks, read_text, read_text_blocks, scan_text, streams
from ranksieve.errors import DataError, ParameterError
from ranksieve.progress import listening
from ranksieve.threads import threads

GOOD = "0 qid:1 1:1 2:0.5\n"
SMALL_CHUNKS = (1, 16, 50, 333)


@pytest.fixture
def write(tmp_path):
    def written(content: str | bytes, name: str = "train.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def random_text(rng: np.random.Generator, n_queries: int, *, qid: bool = True) -> str:
    """LETOR text of many forms: sparse rows, comments, blank lines, carriage returns."""
    lines = []
    for query in rng.permutation(n_queries):
        for _ in range(rng.integers(1, 8)):
            indices = np.flatnonzero(rng.random(rng.integers(1, 12)) < 0.6) + 1
            pairs = " ".join(f"{index}:{rng.normal():.6g}" for index in indices)
            comment = rng.choice(["", f" #docid = D{rng.integers(99)} inc = 1", "# a b "])
            head = f"{rng.integers(5)} " + (f"qid:{query} " if qid else "")
            lines.append(head + pairs + comment + rng.choice(["\n", "\r\n"]))
            lines.extend(rng.choice(["", "", "\n", "# note\n"], 1))
    last = "qid:last " if rng.random() < 0.5 else "qid:-5 "
    return "".join(lines) + (f"1 {last}1:1" if qid else "")


def assert_same_data(left, other):
    assert np.array_equal(left.X, other.X)
    assert np.array_equal(left.y, other.y)
    assert np.array_equal(left.query_ptr, other.query_ptr)
    assert left.query_ids.tolist() == other.query_ids.tolist()
    assert np.array_equal(left.document_ids, other.document_ids)
    assert left.feature_names == other.feature_names


# What is read


def test_a_file_gives_values_grades_queries_and_document_ids(write):
    data = read_text(
        write("2 qid:9 1:0.5 3:1 #docid = GX1 inc = 1\n0 qid:9 2:0.25 # a word\n1 qid:4 1:3\n")
    )
    assert data.X.tolist() == [[0.5, 0, 1], [0, 0.25, 0], [3, 0, 0]]
    assert data.X.dtype == np.float32
    assert data.X.flags.f_contiguous
    assert data.y.tolist() == [2, 0, 1]
    assert data.qid.tolist() == [9, 9, 4]
    assert data.query_ids.dtype == np.int64
    assert data.feature_names == ("1", "2", "3")
    assert data.document_ids.tolist() == ["GX1", "a word", ""]


def test_without_comments_there_are_no_document_ids(write):
    assert read_text(write(GOOD)).document_ids is None
    assert read_text(write(GOOD[:-1] + " #\n")).document_ids is None
    path = write(GOOD[:-1] + " #docid = 7\n")
    assert read_text(path, keep_document_ids=False).document_ids is None


def test_one_long_comment_does_not_widen_all_ids(write):
    lines = [GOOD[:-1] + " #x\n"] * 1000 + [GOOD[:-1] + " #" + "y" * 100_000 + "\n"]
    data = read_text(write("".join(lines)))
    (block,) = data.blocks()
    assert block.document_ids.dtype == object
    assert data.document_ids[0] == "x"
    assert data.document_ids[-1] == "y" * 100_000


def test_marks_blanks_and_line_ends_of_all_kinds_are_tolerated(write):
    text = "\ufeff# top\r\n\r\n \t2\tqid:1 \t1:5 \r\n\n  # note\n0 qid:1 1:6"
    data = read_text(write(text))
    assert data.X.ravel().tolist() == [5, 6]
    assert data.y.tolist() == [2, 0]


def test_float64_keeps_what_float32_rounds(write):
    path = write("0 qid:1 1:0.1\n")
    assert read_text(path, dtype=np.float64).X[0, 0] == 0.1
    assert read_text(path).X[0, 0] == np.float32(0.1)
    with pytest.raises(ParameterError, match="float32 or float64, but is int64"):
        read_text(path, dtype=np.int64)


def test_numbers_with_many_digits_are_rounded_as_python_does(write):
    tokens = ["9007199254740993." + "0" * 20 + "1", "1." + "0" * 40 + "1"] * 100
    lines = [f"{token} qid:1 1:{token}\n" for token in tokens]
    data = read_text(write("".join(lines)), dtype=np.float64)
    assert data.X[:, 0].tolist() == [float(token) for token in tokens]
    assert data.y.tolist() == [float(token) for token in tokens]


def test_query_ids_are_text_if_one_is_no_number(write):
    path = write("0 qid:7 1:1\n0 qid:007 1:1\n0 qid:b 1:1\n0 qid:+08 1:1\n0 qid:-09 1:1\n")
    for size in SMALL_CHUNKS:
        data = read_text(path, chunk_bytes=size)
        assert data.query_ids.tolist() == ["7", "b", "8", "-9"]
        assert data.query_ptr.tolist() == [0, 2, 3, 4, 5]
    long = "0" * 5 + "9" * 19
    assert read_text(write(f"0 qid:{long} 1:1\n")).query_ids.tolist() == ["9" * 19]
    assert read_text(write(f"0 qid:{2**63 - 1} 1:1\n")).query_ids.tolist() == [2**63 - 1]


@pytest.mark.parametrize("size", [*SMALL_CHUNKS, 1 << 23])
def test_missing_values_follow_the_rule(write, size):
    text = "0 qid:1 1:5 2:nan\n0 qid:1 1:NULL 2:NULL\n0 qid:1 1:3\n0 qid:2 1:nan 2:-4\n"
    path = write(text)
    with pytest.raises(DataError, match=r"train.txt, line 1: feature 2 is missing: '2:nan'.*Pass"):
        read_text(path, chunk_bytes=size)
    constant = read_text(path, missing=-1.0, chunk_bytes=size)
    assert constant.X.tolist() == [[5, -1], [-1, -1], [3, 0], [-1, -4]]
    least = read_text(path, missing="query-minimum", chunk_bytes=size)
    assert least.X.tolist() == [[5, 0], [3, 0], [3, 0], [0, -4]]


def test_rows_apart_are_regrouped_and_filled_as_one_query(write):
    text = "0 qid:5 1:1 #a\n1 qid:3 1:2\n2 qid:5 1:nan 2:7 #c\n3 qid:3 1:4\n4 qid:5 1:0.5\n"
    for size in SMALL_CHUNKS:
        data = read_text(write(text), sort=True, missing="query-minimum", chunk_bytes=size)
        assert data.y.tolist() == [0, 2, 4, 1, 3]
        assert data.query_ids.tolist() == [5, 3]
        assert data.X[:, 0].tolist() == [1, 0.5, 0.5, 2, 4]
        assert data.document_ids.tolist() == ["a", "c", "", "", ""]


def test_sorting_leaves_a_file_in_order_as_it_is(write):
    path = write("0 qid:5 1:1\n1 qid:3 1:nan\n")
    assert_same_data(read_text(path, sort=True, missing=0.0), read_text(path, missing=0.0))


def test_regrouping_joins_ids_of_blocks_with_short_and_long_comments(write):
    long = "y" * 5000
    text = f"0 qid:1 1:1 #x\n0 qid:2 1:1 #{long}\n0 qid:2 1:1\n0 qid:2 1:1\n0 qid:1 1:1 #z\n"
    data = read_text(write(text), sort=True, chunk_bytes=16)
    assert data.document_ids.tolist() == ["x", "z", long, "", ""]


# Compressed files


def pack(suffix: str, content: bytes) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content)
    if suffix == ".xz":
        return lzma.compress(content)
    return pa.Codec("zstd").compress(content, asbytes=True)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_compressed_text_is_read_like_plain_text(write, suffix):
    text = random_text(np.random.default_rng(3), 50)
    plain = read_text(write(text), sort=True)
    packed = read_text(write(pack(suffix, text.encode()), f"train.txt{suffix}"), sort=True)
    assert_same_data(plain, packed)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
@pytest.mark.parametrize("damage", ["truncated", "end missing", "other data"])
def test_a_damaged_archive_is_refused(write, suffix, damage):
    whole = pack(suffix, random_text(np.random.default_rng(4), 300).encode())
    parts = {"truncated": whole[: len(whole) // 2], "end missing": whole[:-3], "other data": b"00"}
    path = write(parts[damage] * (1 + 9 * (damage == "other data")), f"train.txt{suffix}")
    with pytest.raises(DataError, match=rf"is not whole {suffix[1:]} data.*Copy or download"):
        read_text(path)
    with pytest.raises(DataError, match="is not whole"):
        scan_text(path)


def test_progress_is_reported_in_bytes_of_the_file(write):
    path = write(pack(".gz", (GOOD * 5000).encode()), "train.txt.gz")
    seen = []
    with listening(lambda *report: seen.append(report)):
        read_text(path, chunk_bytes=4096)
    assert {label for label, _, _ in seen} == {"reading train.txt.gz"}
    done = [done for _, done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == seen[0][2] == path.stat().st_size


def test_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(GOOD * 3,))
    writer.start()
    assert read_text(pipe).n_documents == 3
    writer.join()


# Chunks and blocks


@pytest.mark.parametrize("seed", range(6))
def test_the_size_of_chunks_and_the_number_of_threads_do_not_matter(write, seed):
    rng = np.random.default_rng(seed)
    path = write(random_text(rng, 60))
    whole = read_text(path, sort=True)
    for size in SMALL_CHUNKS:
        with threads(3):
            assert_same_data(whole, read_text(path, sort=True, chunk_bytes=size))
    with threads(1):
        assert_same_data(whole, read_text(path, sort=True, chunk_bytes=100))
    shape = scan_text(path, chunk_bytes=100)
    assert shape[:2] == (whole.n_documents, whole.n_features)
    assert shape.whole_ids == (whole.query_ids.dtype == np.int64)


def test_blocks_hold_whole_queries_in_order(write):
    text = "".join(f"{row % 3} qid:{row // 7} 1:{row} {row // 7 + 2}:1\n" for row in range(700))
    blocks = list(read_text_blocks(write(text), chunk_bytes=500))
    assert len(blocks) > 10
    ids = np.concatenate([block.query_ids for block in blocks])
    assert ids.tolist() == list(range(100))
    assert {size for block in blocks for size in np.diff(block.query_ptr).tolist()} == {7}
    assert np.concatenate([block.X[:, 0] for block in blocks]).tolist() == list(range(700))
    assert blocks[1].first_document == blocks[0].n_documents
    assert [block.n_features for block in blocks] == [block.query_ids[-1] + 2 for block in blocks]


def test_blocks_can_be_given_a_width_and_text_ids(write):
    path = write("0 qid:1 1:1\n" * 9 + "0 qid:2 5:1\n")
    shape = scan_text(path)
    blocks = list(
        read_text_blocks(path, n_features=shape.n_features, text_ids=True, chunk_bytes=16)
    )
    assert {block.X.shape[1] for block in blocks} == {5}
    assert np.concatenate([block.query_ids for block in blocks]).tolist() == ["1", "2"]
    with pytest.raises(DataError, match=r"line 10: .*'5:1' is beyond the number of features"):
        list(read_text_blocks(path, n_features=4))
    with pytest.raises(ParameterError, match="n_features must be from 1 to 100,000, but is 0"):
        read_text_blocks(path, n_features=0)


def test_a_query_larger_than_a_chunk_stays_whole(write):
    path = write("0 qid:1 1:1\n" + "1 qid:2 1:2\n" * 500 + "2 qid:3 1:3\n")
    sizes = [np.diff(block.query_ptr) for block in read_text_blocks(path, chunk_bytes=64)]
    assert np.concatenate(sizes).tolist() == [1, 500, 1]


def test_a_query_without_end_is_refused(write, monkeypatch):
    monkeypatch.setattr(chunks, "MAX_QUERY_BYTES", 1000)
    with pytest.raises(DataError, match="line 1: the query that starts here has more than"):
        read_text(write("1 qid:2 1:2\n" * 500), chunk_bytes=64)


def test_leaving_a_stream_of_blocks_early_closes_the_file(write, monkeypatch):
    opened = []
    monkeypatch.setattr(
        streams, "open_file", lambda path: opened.append(path.open("rb")) or opened[-1]
    )
    path = write("".join(f"0 qid:{query} 1:1\n" for query in range(1000)))
    blocks = read_text_blocks(path, chunk_bytes=64)
    next(blocks)
    blocks.close()
    assert opened[0].closed


# Group sizes


def test_group_sizes_stand_in_for_query_ids(write):
    text = "# top\n2 1:1\n1 1:2\n\n0 1:3\n# note\n1 2:4\n"
    path = write(text)
    sizes = write("1\n\n3\n", "sizes.txt")
    for group_sizes in ([1, 3], np.array([1, 3], dtype=np.uint8), sizes, str(sizes)):
        for size in SMALL_CHUNKS:
            data = read_text(path, group_sizes=group_sizes, chunk_bytes=size)
            assert data.query_ids.tolist() == [1, 2]
            assert data.query_ptr.tolist() == [0, 1, 4]
            assert data.y.tolist() == [2, 1, 0, 1]


@pytest.mark.parametrize("seed", range(4))
def test_chunks_of_groups_do_not_depend_on_their_size(write, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 50)
    lines = [f"{rng.integers(3)} 1:{row} #{row}\n" for row in range(sizes.sum())]
    path = write("\n".join(lines))
    for size in SMALL_CHUNKS:
        data = read_text(path, group_sizes=sizes, chunk_bytes=size)
        assert np.diff(data.query_ptr).tolist() == sizes.tolist()
        assert data.X[:, 0].tolist() == list(range(sizes.sum()))


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("rank.train", "rank.train.query"),
        ("rank.train", "rank.train.group"),
        ("rank.train.gz", "rank.train.query"),
        ("rank.train.gz", "rank.train.gz.query"),
    ],
)
def test_a_file_of_group_sizes_beside_the_text_is_found(write, name, beside):
    text = b"2 1:1\n1 1:2\n0 1:3\n"
    path = write(gzip.compress(text) if name.endswith(".gz") else text, name)
    write("2\n1\n", beside)
    assert read_text(path).query_ptr.tolist() == [0, 2, 3]


def test_a_file_of_group_sizes_is_not_needed_where_the_text_has_ids(write):
    path = write(GOOD)
    write("5\n", "train.txt.query")
    assert read_text(path).n_queries == 1
    with pytest.raises(DataError, match=r"has query ids \(qid:\), and group sizes are given"):
        read_text(path, group_sizes=[1])


@pytest.mark.parametrize("size", SMALL_CHUNKS)
@pytest.mark.parametrize("sizes", [[1, 1], [2], [1, 3], [4], [4, 5, 6], [1, 1, 1, 1]])
def test_group_sizes_must_add_up(write, sizes, size):
    path = write("2 1:1\n1 1:2\n0 1:3\n")
    with pytest.raises(
        DataError, match=f"has 3 documents, but its {len(sizes)} group sizes add up to {sum(sizes)}"
    ):
        read_text(path, group_sizes=sizes, chunk_bytes=size)


@pytest.mark.parametrize("token", ["0", "-1", "x", "1.5", "1 2", "9" * 16, "9" * 1000, "٣"])
def test_a_file_of_group_sizes_holds_whole_numbers(write, token):
    path, sizes = write("2 1:1\n"), write(f"1\n{token}\n", "sizes")
    with pytest.raises(DataError, match="sizes, line 2: a group size must be a whole number"):
        read_text(path, group_sizes=sizes)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([0, 1], "must be at least 1, but 0 is at position 0"),
        ([1, -1], "must be at least 1, but -1 is at position 1"),
        ([1.0], "a list of whole numbers"),
        ([], "a list of whole numbers"),
        ([[1]], "a list of whole numbers"),
    ],
)
def test_group_sizes_given_as_an_array_are_checked(write, sizes, message):
    with pytest.raises(DataError, match=message):
        read_text(write("2 1:1\n"), group_sizes=sizes)


def test_an_empty_file_of_group_sizes_is_refused(write):
    with pytest.raises(DataError, match="sizes has no group sizes"):
        read_text(write("2 1:1\n"), group_sizes=write("\n", "sizes"))
    with pytest.raises(DataError, match=r"no file .*absent"):
        read_text(write("2 1:1\n"), group_sizes="absent")


# What is refused

BAD_LINES = [
    ("x qid:1 1:1", "the grade 'x' is no number. A line reads: GRADE"),
    ("-1 qid:1 1:1", "the grade '-1' is negative. Shift or map"),
    ("nan qid:1 1:1", "the grade is 'nan'"),
    ("inf qid:1 1:1", "the grade 'inf' is not finite"),
    ("1 1:1", "no qid:QUERY follows the grade '1'.*group_sizes=PATH"),
    ("1 qid: 1:1", "nothing follows 'qid:'"),
    (f"1 qid:{'q' * 200} 1:1", r"query id 'q+\.\.\.' has more than 128 bytes"),
    ("1 qid:1 word", "'word' is not of the form INDEX:VALUE"),
    (
        "1 qid:1 0:1",
        "the feature index is 0 in '0:1'. If features are numbered from 0, .* zero_based=True",
    ),
    ("1 qid:1 -1:1", "the feature index is negative in '-1:1'"),
    ("1 qid:1 1:1 1:2", "feature 1 appears twice, the second time in '1:2'"),
    ("1 qid:1 2:1 1:2", "feature 1 follows one of a larger index, in '1:2'. Sort"),
    ("1 qid:1 1000000000:1", "index in '1000000000:1' is above 100,000"),
    ("1 qid:1 1:-inf", "the value '-inf' of feature 1 is infinite. Clip it"),
    ("1 qid:1 1:1e39", "value '1e39' of feature 1 is too large for float32.*dtype='float64'"),
    ("1 qid:1 1:3.4028235677973366e38", "too large for float32"),
    ("1 qid:1 1:340282356779733661637539395458142568448." + "0" * 9, "too large for float32"),
    ("1 qid:1 1:1e999", r"'1e999' of feature 1 is too large for float32. Rescale the feature\.$"),
    ("1 qid:1 1:" + "z" * 99, r"the value 'z{37}\.\.\.' of feature 1 is no number"),
    ("1 qid:1 1:1_000", "the value '1_000' of feature 1 is no number"),
    ("1 qid:1 1:NULL", "feature 1 is missing: '1:NULL'. Pass missing=0.0"),
    ("1 qid:1 \0\1\2:1", "the bytes look binary"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
@pytest.mark.parametrize("size", [16, 1 << 23])
def test_a_bad_line_is_named_wherever_it_stands(write, line, message, size):
    good = "".join(f"0 qid:{query} 1:1 2:0.5\n# note\n" for query in range(100, 130))
    path = write(good + line + "\n" + GOOD)
    with pytest.raises(DataError, match=rf"train\.txt, line 61: .*{message}"):
        read_text(path, chunk_bytes=size)


def test_an_undecided_number_beyond_the_type_is_too_large(write):
    # Halfway between the largest float64 and the next power of two: rounded to infinity.
    exact = str(2**1024 - 2**970)
    with pytest.raises(DataError, match=r"line 1: the value .* of feature 1 is too large"):
        read_text(write(f"0 qid:1 1:{exact}.5\n"), dtype=np.float64)
    with pytest.raises(DataError, match=r"line 1: the grade .* is not finite"):
        read_text(write(f"{exact}.5 qid:1 1:1\n"))
    below = str(2**1024 - 2**970 - 1)
    data = read_text(write(f"0 qid:1 1:{below}\n"), dtype=np.float64)
    assert data.X[0, 0] == np.finfo(np.float64).max


@pytest.mark.parametrize("size", SMALL_CHUNKS)
@pytest.mark.parametrize("again", ["7", "007"])
def test_rows_of_a_query_apart_are_refused_with_both_lines(write, size, again):
    path = write(f"# top\n0 qid:7 1:1\n0 qid:b 1:1\n0 qid:{again} 1:1\n")
    message = "line 4: rows of a query must be adjacent.*first: qid '7', at lines 2 and 4"
    with pytest.raises(DataError, match=message) as caught:
        read_text(path, chunk_bytes=size)
    assert "sort=True" in str(caught.value)
    with pytest.raises(DataError, match=message):
        list(read_text_blocks(path, chunk_bytes=size))


def test_a_repeat_is_found_before_the_end_of_a_long_stream(write):
    ids = [*range(3000), *range(3000), *range(10_000, 40_000)]
    path = write("".join(f"0 qid:{query} 1:1\n" for query in ids))
    taken = []
    with pytest.raises(DataError, match="first: qid 0, at lines 1 and 3001"):
        taken.extend(block.n_queries for block in read_text_blocks(path, chunk_bytes=4096))
    assert sum(taken) < len(ids) / 2


@pytest.mark.parametrize("content", ["", "\n\n", "# only\n#comments", "\ufeff", " \r\n"])
def test_a_file_without_documents_is_refused(write, content):
    for reader in (read_text, scan_text, lambda path: list(read_text_blocks(path))):
        with pytest.raises(DataError, match=r"train.txt has no documents: it is empty, or"):
            reader(write(content))


def test_a_file_without_features_is_refused(write):
    with pytest.raises(DataError, match="has no features"):
        read_text(write("0 qid:1\n"))


@pytest.mark.parametrize("header", ["label qid f1", "grade qid 1 2", '"label" "qid"'])
def test_a_header_is_called_one(write, header):
    with pytest.raises(DataError, match=r"line 1: .* looks like a header. Remove the line"):
        read_text(write(f"{header}\n{GOOD}"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PAR1\x15\x04", "starts like a Parquet file. Give it the suffix .parquet"),
        (gzip.compress(GOOD.encode()), "starts like gzip data. Give it the suffix .gz"),
        (lzma.compress(GOOD.encode()), "starts like xz data. Give it the suffix .xz"),
        (b"\x28\xb5\x2f\xfd\0", "starts like Zstandard data. Give it the suffix .zst"),
        (GOOD.encode("utf-16"), "UTF-16 text. Save it as UTF-8"),
        (bytes(range(256)) * 50, "line 1: the bytes look binary"),
    ],
)
def test_other_formats_are_recognised(write, content, message):
    with pytest.raises(DataError, match=message):
        read_text(write(content))


@pytest.mark.parametrize("letter", [b"x", b"#", b"\0", b" "])
@pytest.mark.parametrize("good_lines", [0, 3])
def test_a_line_of_many_megabytes_is_refused_early(write, monkeypatch, letter, good_lines):
    filled = []
    fill = streams.TextStream.fill
    monkeypatch.setattr(
        streams.TextStream,
        "fill",
        lambda self, buffer: filled.append(len(buffer)) or fill(self, buffer),
    )
    path = write(GOOD.encode() * good_lines + letter * (70 << 20))
    problem = "the bytes look binary" if letter == b"\0" else "the line has more than 16 MiB"
    with pytest.raises(DataError, match=f"line {good_lines + 1}: {problem}"):
        read_text(path)
    assert sum(filled) <= 48 << 20


def test_a_wide_sparse_file_is_refused_before_it_is_allocated(write, monkeypatch):
    text = "".join(f"0 qid:{query} 100000:1\n" for query in range(50))
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1024}.get)
    path = write(text)
    for size in (64, 1 << 23):
        with pytest.raises(DataError, match=r"train.txt: .* documents with 100,000 features need"):
            read_text(path, chunk_bytes=size)


def test_a_missing_file_suggests_its_neighbour(write):
    path = write(GOOD)
    with pytest.raises(DataError, match=r"there is no file .*trian.txt: did you mean 'train.txt'"):
        read_text(path.with_name("trian.txt"))
    with pytest.raises(DataError, match="there is no folder"):
        read_text(path.parent / "absent" / "train.txt")
    with pytest.raises(DataError, match=r"is a folder. Name a file in it .*train.txt"):
        read_text(path.parent)
    with pytest.raises(DataError, match=r"cannot be opened: .*null"):
        read_text("a\0b")


def test_a_file_that_may_not_be_read_is_said_so(write, monkeypatch):
    def refuse(*_):
        raise PermissionError

    path = write(GOOD)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="may not be read: no permission"):
        read_text(path)


def test_a_failing_disk_is_reported(write, monkeypatch):
    class Broken:
        def readinto(self, buffer):
            raise OSError("input/output error")

        def close(self):
            pass

    monkeypatch.setattr(streams, "_decompressed", lambda raw, suffix: Broken())
    with pytest.raises(DataError, match=r"train.txt cannot be read: input/output error"):
        read_text(write(GOOD))


# Real files

REAL_FILES = [
    *(f"OHSUMED/Fold{fold}/{part}.txt" for fold in (1, 4) for part in ("train", "vali", "test")),
    *(f"MQ2008/Fold{fold}/{part}.txt" for fold in (2, 5) for part in ("train", "vali", "test")),
    "MSLR-sample/train.txt",
    "MSLR-sample/test.txt",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL_FILES)
def test_a_real_file_has_the_values_that_scikit_learn_reads(real_data, name):
    data = read_text(real_data / name, chunk_bytes=1 << 20)
    X, y, qid = load_svmlight_file(
        str(real_data / name), query_id=True, dtype=np.float32, zero_based=False
    )
    assert np.array_equal(data.X, X.toarray())
    assert np.array_equal(data.y, y)
    assert np.array_equal(data.qid, qid)


@pytest.mark.parametrize("part", ["train", "test"])
def test_lightgbm_s_example_is_read_with_its_group_sizes(real_data, part):
    path = real_data / "LightGBM-lambdarank" / f"rank.{part}"
    data = read_text(path)
    X, y = load_svmlight_file(str(path), dtype=np.float32, zero_based=False)
    assert np.array_equal(data.X, X.toarray())
    assert np.array_equal(data.y, y)
    sizes = np.loadtxt(f"{path}.query", dtype=int)
    assert np.array_equal(np.diff(data.query_ptr), sizes)


def test_document_ids_of_mq2008_are_kept(real_data):
    path = real_data / "MQ2008" / "Fold1" / "vali.txt"
    named = re.findall(r"#docid = (\S+) inc", path.read_text())
    assert read_text(path).document_ids.tolist() == named


def test_colons_in_a_query_id_are_no_features(write):
    path = write("1 qid:2024-01-01T10:30:00 1:0.5 2:1\n0 qid:2024-01-01T10:45:00\n")
    assert read_text(path).n_features == 2
    assert scan_text(path).n_features == 2


def test_a_document_id_may_have_the_sign_of_a_comment(write):
    data = read_text(write("1 qid:1 1:0.5 #docid = http://a/b#c inc = 1\n"))
    assert data.document_ids.tolist() == ["http://a/b#c"]


def test_the_number_of_features_can_be_given(write):
    path = write("1 qid:1 1:0.5 3:1\n")
    assert read_text(path, n_features=5).feature_names == ("1", "2", "3", "4", "5")
    with pytest.raises(DataError, match="n_features"):
        read_text(path, n_features=2)
    with pytest.raises(ParameterError, match="n_features must be from 1"):
        read_text(path, n_features=0)


@pytest.mark.parametrize("chunk_bytes", [64, 1 << 20])
def test_numbers_of_all_kinds_are_read_alike_wherever_the_first_unusual_one_is(
    tmp_path, chunk_bytes
):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2))
    for first in (0, 7, 40):
        lines = [
            f"{row % 3} qid:{row // 4} 1:{a:.4f} 2:{b:.3e}"
            if row >= first
            else f"{row % 3} qid:{row // 4} 1:{a:.4f} 2:{b:.6f}"
            for row, (a, b) in enumerate(values)
        ]
        path = tmp_path / f"{first}.txt"
        path.write_text("\n".join(lines) + "\n")
        expected = [[float(pair.split(":")[1]) for pair in line.split()[2:]] for line in lines]
        data = read_text(path, dtype="float64", chunk_bytes=chunk_bytes)
        np.testing.assert_array_equal(data.X, expected)

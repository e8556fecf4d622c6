"""The kernels that cut and parse ranking text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from ranksieve.kernels.compile import INTERPRETED
from ranksieve.kernels.text import parse as kernel
from ranksieve.kernels.text.comments import copy_spans
from ranksieve.kernels.text.eisel_lemire import powers_of_five
from ranksieve.kernels.text.lines import find_row, line_start, measure_lines
from ranksieve.kernels.text.query_tokens import (
    last_query_start,
    only_whole_ids,
    query_token,
    same_id,
    whole_number,
    whole_numbers,
)
from tests.kernels.entries import with_entry

line_start = with_entry(line_start)
query_token = with_entry(query_token)
same_id = with_entry(same_id)
whole_number = with_entry(whole_number)


class Parsed(NamedTuple):
    """What the kernel left behind."""

    code: str
    line: int
    position: int
    X: Any
    y: Any
    runs: Any
    ids: list[bytes]
    undecided: Any
    counts: Any


def as_bytes(text: str | bytes) -> Any:
    raw = text.encode() if isinstance(text, str) else text
    return np.array(list(raw), dtype=np.uint8)


def parse(
    text: str | bytes,
    *,
    width: int | None = None,
    with_qid: bool = True,
    keep_missing: bool = False,
    limit: float = np.inf,
    keep_comments: bool = True,
    room: int = 4,
    first_index: int = 1,
) -> Parsed:
    raw = as_bytes(text)
    n, measured = measure_lines(raw, kernel.MAX_FEATURES, first_index)
    X = np.zeros((n, measured if width is None else width), order="F")
    y = np.zeros(n)
    runs, spans = np.zeros((n, 4), dtype=np.int64), np.zeros((n, 2), dtype=np.int64)
    undecided, counts = np.zeros((room, 4), dtype=np.int64), np.zeros(4, dtype=np.int64)
    code, line, position = kernel.parse_lines(
        raw, powers_of_five(), with_qid, first_index, keep_missing, limit, X, y, runs,
        spans if keep_comments else spans[:0], undecided, counts,
    )  # fmt: skip
    ids = [raw[start:stop].tobytes() for start, stop in spans]
    found = runs[: counts[kernel.N_RUNS]]
    return Parsed(kernel.CODES[code], line, position, X, y, found, ids, undecided, counts)


def code_of(line: str | bytes, **options: Any) -> str:
    return parse(line, **options).code


def test_lines_become_rows_and_absent_indices_zero():
    parsed = parse("2 qid:7 1:0.5 3:-1e-2\n0.5 qid:7 2:4\n1 qid:8\n")
    assert parsed.code == "fine"
    assert parsed.X.tolist() == [[0.5, 0, -0.01], [0, 4, 0], [0, 0, 0]]
    assert parsed.y.tolist() == [2, 0.5, 1]
    assert parsed.runs[:, [kernel.RUN_ROW, kernel.RUN_LINE]].tolist() == [[0, 0], [2, 2]]


def test_blank_lines_comments_tabs_and_carriage_returns_are_passed_over():
    parsed = parse("# top\n\n \t\r\n\t1\tqid:1  1:2\t \r\n  # middle\n0 qid:1 1:3#end\r\n")
    assert parsed.code == "fine"
    assert parsed.X.tolist() == [[2], [3]]
    assert parsed.ids == [b"", b"end"]
    assert parsed.runs[:, kernel.RUN_LINE].tolist() == [3]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("#docid = GX029-35-5894638 inc = 1 prob = 0.02", b"GX029-35-5894638"),
        ("# docid=7", b"7"),
        ("#docid =\t7\r", b"7"),
        ("#docid 7", b"docid 7"),
        ("#docid = ", b"docid ="),
        ("#document 7 ", b"document 7"),
        ("#  some words  \r", b"some words"),
        ("#", b""),
        ("#  ", b""),
        ("#a # b#", b"a # b#"),
        ("#a\0\0", b"a"),
    ],
)
def test_a_comment_gives_the_document_id(comment, expected):
    assert parse(f"0 qid:1 1:1 {comment}\n").ids == [expected]
    assert parse(f"0 qid:1 1:1 {comment}\n", keep_comments=False).ids == [b""]


def test_spans_are_copied_into_cells_of_one_width():
    cells = np.zeros((3, 3), dtype=np.uint8)
    copy_spans(as_bytes("abcdef\n"), np.array([[0, 2], [4, 4], [3, 6]]), cells)
    assert cells.view("S3")[:, 0].tolist() == [b"ab", b"", b"def"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("x qid:1 1:1\n", "grade-no-number"),
        ("1x qid:1 1:1\n", "grade-no-number"),
        ("1:2 qid:1 1:1\n", "grade-no-number"),
        ("nan qid:1 1:1\n", "grade-missing"),
        ("inf qid:1 1:1\n", "grade-infinite"),
        ("1e999 qid:1 1:1\n", "grade-infinite"),
        ("-1 qid:1 1:1\n", "grade-negative"),
        ("1 1:1\n", "qid-absent"),
        ("1\n", "qid-absent"),
        ("1 qi\n", "qid-absent"),
        ("1 1:1 qid:1\n", "qid-absent"),
        ("1 qid: 1:1\n", "qid-empty"),
        ("1 qid:" + "9" * 129 + " 1:1\n", "qid-long"),
        ("1 qid:1 abc\n", "index-no-number"),
        ("1 qid:1 5\n", "index-no-number"),
        ("1 qid:1 :5\n", "index-no-number"),
        ("1 qid:1 1.5:5\n", "index-no-number"),
        ("1 qid:1 -x:5\n", "index-no-number"),
        ("1 qid:1 qid:1\n", "index-no-number"),
        ("1 qid:1 0:5\n", "index-zero"),
        ("1 qid:1 -3:5\n", "index-negative"),
        ("1 qid:1 3:5 3:6\n", "index-repeated"),
        ("1 qid:1 3:5 2:6\n", "index-decreasing"),
        ("1 qid:1 1000000000:5\n", "index-large"),
        ("1 qid:1 99999999999999999999999:5\n", "index-large"),
        ("1 qid:1 100001:5\n", "index-large"),
        ("1 qid:1 1:\n", "value-no-number"),
        ("1 qid:1 1: 5\n", "value-no-number"),
        ("1 qid:1 1:5:6\n", "value-no-number"),
        ("1 qid:1 1:1_000\n", "value-no-number"),
        ("1 qid:1 1:nan\n", "value-missing"),
        ("1 qid:1 1:NULL\n", "value-missing"),
        ("1 qid:1 1:nano\n", "value-no-number"),
        ("1 qid:1 1:-inf\n", "value-infinite"),
        ("1 qid:1 1:1e999\n", "value-large"),
    ],
)
def test_a_line_that_breaks_a_rule_stops_the_kernel_there(line, code):
    assert code_of(line) == code
    after = parse("0 qid:1 1:1\n# and\n" + line + "0 qid:1 1:1\n")
    assert (after.code, after.line) == (code, 2)


def test_the_position_is_that_of_the_token():
    text = "0 qid:1 1:1 2:x\n"
    assert parse(text).position == text.index("2:x")


def test_a_later_smaller_index_is_the_complaint_where_the_width_was_taken_from_it():
    assert code_of("0 qid:1 1:1 9:1 9:2 2:1\n") == "index-repeated"
    assert code_of("0 qid:1 1:1 9:1 2:1\n") == "index-decreasing"


def test_an_index_beyond_a_given_width_is_not_written():
    parsed = parse("0 qid:1 1:1 3:1 4:1\n", width=2)
    assert parsed.code == "index-beyond-width"
    assert parsed.position == len("0 qid:1 1:1 ")
    undecided = "9007199254740993." + "0" * 20 + "1"
    assert parse(f"0 qid:1 3:{undecided}\n", width=2).counts[kernel.N_UNDECIDED] == 0


def test_a_long_line_is_refused(monkeypatch):
    if INTERPRETED:  # a compiled kernel has the number in it
        monkeypatch.setattr(kernel, "MAX_LINE_BYTES", 1000)
    raw = np.full(kernel.MAX_LINE_BYTES + 20, ord(" "), dtype=np.uint8)
    raw[:11] = as_bytes("0 qid:1 1:1")
    raw[-1] = ord("\n")
    empty = np.zeros((1, 4), dtype=np.int64)
    counts = np.zeros(4, dtype=np.int64)
    code, line, _ = kernel.parse_lines(
        raw, powers_of_five(), True, 1, False, np.inf, np.zeros((1, 1), order="F"),
        np.zeros(1), empty, empty[:0, :2], empty, counts,
    )  # fmt: skip
    assert (kernel.CODES[code], line) == ("line-long", 0)


def test_missing_values_are_kept_and_counted_where_asked():
    parsed = parse("0 qid:1 1:nan 2:NULL 3:1\n", keep_missing=True)
    assert parsed.code == "fine"
    assert np.isnan(parsed.X[0]).tolist() == [True, True, False]
    assert parsed.counts[kernel.N_MISSING] == 2


def test_values_at_the_limit_are_too_large():
    assert code_of("0 qid:1 1:-7.9\n", limit=8.0) == "fine"
    assert code_of("0 qid:1 1:-8\n", limit=8.0) == "value-large"


def test_numbers_that_only_python_can_decide_are_listed():
    middle = "9007199254740993.00000000000000000000"
    above = middle[:-1] + "1"
    parsed = parse(f"{above} qid:1 1:1 2:{above}\n0 qid:1 2:{middle}\n")
    assert parsed.code == "fine"
    assert parsed.counts[kernel.N_UNDECIDED] == 2
    assert parsed.undecided[:2, :2].tolist() == [[0, -1], [0, 1]]
    start, stop = parsed.undecided[0, 2:]
    assert stop - start == len(above)


def test_undecided_numbers_without_room_are_counted():
    above = "9007199254740993." + "0" * 20 + "1"
    parsed = parse(f"0 qid:1 1:{above} 2:{above} 3:{above}\n", room=1)
    assert parsed.counts[kernel.N_UNDECIDED] == 3


def test_text_without_query_ids_is_read_if_none_are_asked_for():
    parsed = parse("1 1:1\n0 1:2\n", with_qid=False)
    assert parsed.code == "fine"
    assert parsed.X.tolist() == [[1], [2]]
    assert code_of("1 1:1\n0 qid:3 1:2\n", with_qid=False) == "index-no-number"


def test_runs_of_ids_do_not_see_leading_zeros():
    parsed = parse("0 qid:7 1:1\n0 qid:007 1:1\n0 qid:+7 1:1\n0 qid:8 1:1\n0 qid:a 1:1\n")
    assert parsed.runs[:, kernel.RUN_ROW].tolist() == [0, 3, 4]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("7", "7", True),
        ("7", "007", True),
        ("+7", "7", True),
        ("-7", "-07", True),
        ("-7", "7", False),
        ("-0", "0", True),
        ("00", "0", True),
        ("7", "8", False),
        ("7", "70", False),
        ("a", "a", True),
        ("a", "b", False),
        ("a7", "a07", False),
        ("-", "7", False),
        ("+", "-", False),
        ("0" * 30 + "1", "1", True),
    ],
)
def test_ids_that_are_the_same_number_are_the_same(first, second, same):
    raw = as_bytes(f"{first} {second}\n")
    spans = (0, len(first), len(first) + 1, len(raw) - 1)
    assert same_id(raw, *spans) == same
    assert same_id(raw, *spans[2:], *spans[:2]) == same


@pytest.mark.parametrize(
    "token",
    ["0", "7", "-7", "007", "9223372036854775807", "-9223372036854775808", "000000000000000000001"],
)
def test_whole_numbers_up_to_the_ends_of_int64_are_read(token):
    assert whole_number(as_bytes(token + "\n"), 0, len(token)) == (int(token), True)


@pytest.mark.parametrize(
    "token",
    ["", "-", "a", "7a", "1.5", "9223372036854775808", "-9223372036854775809", "9" * 19, "9" * 20],
)
def test_other_ids_are_no_whole_numbers(token):
    assert not whole_number(as_bytes(token + "\n"), 0, len(token))[1]


def test_ids_are_numbers_together_or_not_at_all():
    raw, numbers = as_bytes("12 x\n"), np.zeros(2, dtype=np.int64)
    assert whole_numbers(raw, np.array([[0, 1], [0, 2]]), numbers)
    assert numbers.tolist() == [1, 12]
    assert not whole_numbers(raw, np.array([[0, 1], [3, 4]]), numbers)


def test_only_whole_ids_looks_at_every_query():
    assert only_whole_ids(as_bytes("0 qid:1 1:1\n# x\n0 qid:1\n0 qid:2\n0 1:1\n"))
    assert not only_whole_ids(as_bytes("0 qid:1 1:1\n0 qid:b\n"))


def test_the_query_token_follows_the_grade():
    raw = as_bytes(" 1  qid:abc#x\n")
    assert raw[slice(*query_token(raw, 0))].tobytes() == b"abc"
    assert query_token(as_bytes("1 1:1\n"), 0) == (-1, -1)
    assert query_token(as_bytes("1\n"), 0) == (-1, -1)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("0 qid:1\n0 qid:2\n0 qid:2\n", 8),
        ("0 qid:1\n0 qid:2\n# end\n\n", 8),
        ("0 qid:1\n# x\n0 qid:01\n", 0),
        ("# x\n", 4),
        ("0 1:1\n", 6),
        ("0 qid:1\n0 1:1\n", 14),
        ("0 1:1\n0 qid:1\n", 6),
    ],
)
def test_a_text_is_cut_before_its_last_query(text, start):
    assert last_query_start(as_bytes(text)) == start


def test_rows_are_found_by_number():
    raw = as_bytes("# a\n1 1:1\n\n2 1:1\n")
    assert find_row(raw, 0) == (4, 0)
    assert find_row(raw, 1) == (11, 1)
    assert find_row(raw, 2) == (len(raw), 2)
    assert find_row(raw, -1) == (len(raw), 2)


def test_line_starts_are_found_backwards():
    raw = as_bytes("ab\ncd\n")
    assert [int(line_start(raw, place)) for place in range(7)] == [0, 0, 0, 3, 3, 3, 6]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("0 qid:1 1:1 7:1\n0 qid:1 3:1\n", (2, 7)),
        ("0 qid:1 # 9:1\n# 8:1\n\n", (1, 0)),
        ("5:1\n", (1, 5)),
        (":1\n", (1, 0)),
        ("0 101:1\n0 1000000000:1\n", (2, 0)),
        ("0 100:1\n", (1, 100)),
    ],
)
def test_documents_and_the_largest_index_are_counted(text, shape):
    assert measure_lines(as_bytes(text), 100, 1) == shape


def test_features_may_be_numbered_from_zero():
    parsed = parse("2 qid:7 0:0.5 3:1\n0 qid:7 1:4\n", first_index=0)
    assert parsed.code == "fine"
    assert parsed.X.tolist() == [[0.5, 0, 0, 1], [0, 4, 0, 0]]
    assert code_of("0 qid:1 0:1 0:2\n", first_index=0) == "index-repeated"
    assert code_of("0 qid:1 1:1 0:2\n", first_index=0) == "index-decreasing"
    assert code_of("0 qid:1 1:1 0:2\n") == "index-zero"
    assert measure_lines(as_bytes("0 qid:1\n"), 100, 0) == (1, 0)


@pytest.mark.parametrize("number", ["1e2", "+1", "nan", "0.12345678901234567", "1#"])
def test_without_powers_a_number_that_is_not_plain_ends_the_parse(number):
    arrays = [np.zeros((2, 4), dtype=np.int64) for _ in range(3)]
    for line in (f"1 qid:1 1:{number}\n", f"{number} qid:1 1:1\n"):
        counts, raw = np.zeros(4, dtype=np.int64), as_bytes("0 qid:1 1:-2.5\n" + line)
        X, y = np.zeros((2, 1), order="F"), np.zeros(2)
        code, at, _ = kernel.parse_lines(
            raw, None, True, 1, False, np.inf, X, y, arrays[0], arrays[1][:0, :2], arrays[2], counts
        )
        assert (code, at) == (kernel.UNUSUAL, 1)
        assert X[0, 0] == -2.5

"""Any bytes give what scikit-learn reads from them, or a clear error."""

from __future__ import annotations

import io
import random
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from ranksieve.data.text import read_text, read_text_blocks, scan_text
from ranksieve.errors import DataError

steady = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

numbers = st.one_of(
    st.floats(allow_nan=False, width=32).map(repr),
    st.floats().map(repr),
    st.decimals(allow_nan=False, places=6, min_value=-9, max_value=9).map(str),
    st.from_regex(r"[+-]?[0-9]{0,22}\.?[0-9]{0,22}(e[+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["nan", "NULL", "inf", "1_0", "", ".", "x", "0x1", "-0", "1e400", "1e39"]),
)
indices = st.one_of(
    st.integers(-1, 30).map(str), st.sampled_from(["007", "qid", "", "10000000000", "1.0", "+3"])
)
pairs = st.tuples(indices, numbers).map(":".join)
sorted_pairs = st.lists(st.tuples(st.integers(1, 30), numbers), max_size=5).map(
    lambda found: [f"{index}:{value}" for index, value in sorted(dict(found).items())]
)
query_ids = st.one_of(st.integers(0, 3).map(str), st.sampled_from(["01", "-1", "a", "", "9" * 25]))
blanks = st.sampled_from([" ", "  ", "\t", " \r "])
comments = st.sampled_from(["", "", " #docid = A1 inc = 1", "# 5:5", "#", " # \xe9\u20ac"])
grades = st.one_of(st.integers(0, 4).map(str), numbers)
line_ends = st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\n# note\n"])


@st.composite
def lines(draw: st.DrawFn) -> str:
    tokens = [draw(grades), "qid:" + draw(query_ids)]
    tokens += draw(st.one_of(sorted_pairs, st.lists(pairs, max_size=3)))
    return draw(blanks).join(tokens) + draw(comments) + draw(line_ends)


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def sklearn_reading(raw: bytes):
    """What scikit-learn reads, or None where it refuses."""
    try:
        X, y, qid = load_svmlight_file(io.BytesIO(raw), query_id=True, zero_based=False)
    except (ValueError, OverflowError, UnicodeDecodeError):
        return None
    return X.toarray(), y, qid


def assert_equal_or_refused(folder: Path, raw: bytes) -> bool:
    """Compare with scikit-learn; return whether the file was read."""
    path = folder / "fuzz.txt"
    path.write_bytes(raw)
    try:
        data = read_text(path, dtype=np.float64, missing=-7.5)
    except DataError:
        with pytest.raises(DataError, match=r"fuzz\.txt.{20,900}$"):
            read_text(path, dtype=np.float64, missing=-7.5, chunk_bytes=16)
        return False
    _assert_chunks_do_not_matter(path, data)
    reading = sklearn_reading(raw)
    if reading is not None and data.query_ids.dtype == np.int64:
        X, y, qid = reading
        assert np.array_equal(data.X, np.where(np.isnan(X), -7.5, X))
        assert np.array_equal(data.y, y)
        assert np.array_equal(data.qid, qid)
    return True


def _assert_chunks_do_not_matter(path: Path, data) -> None:
    cut = read_text(path, dtype=np.float64, missing=-7.5, chunk_bytes=16)
    assert np.array_equal(cut.X, data.X)
    assert np.array_equal(cut.qid, data.qid)
    assert np.array_equal(cut.document_ids, data.document_ids)
    blocks = list(read_text_blocks(path, dtype=np.float64, missing=-7.5, chunk_bytes=64))
    assert np.array_equal(np.concatenate([block.y for block in blocks]), data.y)
    assert scan_text(path)[:2] == (data.n_documents, data.n_features)


@pytest.mark.slow
@steady
@given(st.lists(lines(), min_size=1, max_size=6).map("".join))
@example("0 qid:1 1:9007199254740993.00000000000000000000001\n")
@example("0 qid:1 1:1\n0 qid:01 1:2\n0 qid:2 3:4")
def test_lines_of_all_forms_are_read_as_scikit_learn_does_or_refused(folder, text):
    assert_equal_or_refused(folder, text.encode())


@pytest.mark.slow
@steady
@given(st.lists(sorted_pairs, min_size=1, max_size=6), st.data())
def test_clean_lines_are_read_and_not_refused(folder, rows, data):
    finite = [
        [pair for pair in row if _is_plain(pair.partition(":")[2])] or ["1:1"] for row in rows
    ]
    ids = sorted(data.draw(st.integers(-3, 3)) for _ in finite)
    text = "".join(
        f"{place % 5} qid:{query} {' '.join(row)}\n"
        for place, (query, row) in enumerate(zip(ids, finite, strict=True))
    )
    assert assert_equal_or_refused(folder, text.encode())
    assert sklearn_reading(text.encode()) is not None


def _is_plain(value: str) -> bool:
    try:
        return "_" not in value and bool(np.isfinite(float(value)))
    except ValueError:
        return False


@pytest.mark.slow
@steady
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(folder, raw):
    assert_equal_or_refused(folder, raw)
    assert_equal_or_refused(folder, b"1 qid:1 1:1\n" + raw)


PIECES = [b":", b" ", b"\n", b"#", b"-", b"qid:", b"0", b"1e5", b"nan", b"\0", b"\xff", b"."]


def mutated(rng: random.Random, raw: bytes) -> bytes:
    """Change one or two places: bytes replaced, removed or put in, a slice doubled or moved."""
    for _ in range(rng.randint(1, 2)):
        start, stop = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
        stop = min(stop, start + 30)
        digit = str(rng.randrange(10)).encode()
        change = rng.choice([-1, -1, -1, -1, 0, 1, 2, 3, 4])
        if change == -1:
            raw = raw[:start] + re.sub(rb"(?<=\.)\d", digit, raw[start:stop]) + raw[stop:]
        elif change == 0:
            raw = raw[:start] + bytes([rng.randrange(256)]) + raw[start + 1 :]
        elif change == 1:
            raw = raw[:start] + raw[stop:]
        elif change == 2:
            raw = raw[:start] + rng.choice(PIECES) + raw[start:]
        elif change == 3:
            raw = raw[:start] + raw[start:stop] + raw[start:]
        else:
            raw = raw[stop:] + raw[:stop]
    return raw


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OHSUMED/Fold1/vali.txt", "MQ2008/Fold1/vali.txt"])
@pytest.mark.parametrize("seed", range(3))
def test_mutated_real_lines_are_read_as_scikit_learn_does_or_refused(folder, real_data, name, seed):
    rng = random.Random(seed)
    with (real_data / name).open("rb") as file:
        real = file.readlines()[:300]
    n_read = 0
    for _ in range(150):
        start = rng.randrange(len(real) - 4)
        content = b"".join(real[start : start + rng.randint(1, 4)])
        n_read += assert_equal_or_refused(folder, mutated(rng, content))
    assert 20 < n_read < 145

"""Where text may be cut: what Python looks up agrees with what the kernels would say."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data.text import chunks
from ranksieve.kernels.text.lines import find_row, line_start
from ranksieve.kernels.text.query_tokens import query_token
from tests.kernels.entries import with_entry

line_start = with_entry(line_start)
query_token = with_entry(query_token)
PIECES = [b" ", b"\t", b"\r", b"#", b"\n", b"\n", b"1", b"qid:", b"q", b":", b"\v", b"\x00"]


def random_text(seed):
    rng = np.random.default_rng(seed)
    drawn = b"".join(PIECES[k] for k in rng.integers(len(PIECES), size=rng.integers(0, 30)))
    return np.frombuffer(drawn + b"\n", dtype=np.uint8)


@pytest.mark.parametrize("seed", range(300))
def test_the_first_document_and_its_query_id_are_those_that_kernels_find(seed):
    text = random_text(seed)
    position = int(find_row(text, 0)[0])
    assert chunks._first_document(text) == position
    if position == len(text):
        assert chunks.has_qid(text) is None
    else:
        assert chunks.has_qid(text) == (query_token(text, position)[0] >= 0)


@pytest.mark.parametrize("tail", [1, 3, 1 << 16])
def test_the_last_line_starts_after_the_last_newline(tail, monkeypatch):
    monkeypatch.setattr(chunks, "_TAIL_BYTES", tail)
    for seed in range(50):
        text = random_text(seed)[: -1 - seed % 5]
        assert chunks._after_last_newline(text) == line_start(text, len(text))
        assert chunks.count_lines(text) == (text == 10).sum()


def test_a_long_run_of_comments_is_passed_over():
    text = np.frombuffer(b"# nothing\n \n" * 100_000 + b"1 qid:1\n", dtype=np.uint8)
    assert chunks._first_document(text) == len(text) - 8

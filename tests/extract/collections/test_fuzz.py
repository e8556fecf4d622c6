"""Whatever bytes a file has: readers answer with documents or with an error that says where."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ranksieve.errors import DataError
from ranksieve.extract.collections.formats import documents_in, queries_in
from ranksieve.extract.collections.html import has_html, without_tags
from ranksieve.extract.collections.judgements import collection_judgements
from ranksieve.extract.collections.records import Reading, Tally
from ranksieve.extract.words import words_of

PIECES = st.sampled_from(
    [
        *(b".I 1\n", b".I\n", b".T\n", b".W\n", b"<DOC>\n", b"</DOC>\n", b"<DOCNO>1</DOCNO>"),
        *(b"<top>", b"<num> 1", b"</top>\n", b"<title>", b'{"_id": "1", ', b'"text": "heat"}\n'),
        *(b"\n", b"\t", b"q 0 d 1\n", b"1 2 3\n", b"\xff", b"\xc3\xa9", b"heat", b"<b>", b"&amp;"),
        *(b"\r\n", b"{}", b"["),
    ]
)
CONTENT = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=12).map(b"".join))


def answered(read):
    with suppress(DataError):
        read()


@settings(max_examples=300, deadline=None)
@given(CONTENT)
def test_any_bytes_are_read_or_refused(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        reading = Reading(max_bytes=40)
        answered(lambda: list(documents_in(path, reading, Tally())))
        answered(lambda: queries_in(path, reading, Tally()))
        answered(lambda: collection_judgements(path, None, Tally()))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_words_in_lower_case_without_blanks(text):
    for word in words_of(text):
        assert word == word.strip()
        assert word
        assert not any(sign.isspace() for sign in word)


@settings(max_examples=200, deadline=None)
@given(st.text("ab <>&;/p!-='\"", max_size=40))
def test_text_without_tags_and_entities_stays_as_it_is(text):
    if not has_html(text) and "&" not in text and "<" not in text:
        assert without_tags(text) == text
    without_tags(text)

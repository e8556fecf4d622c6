"""Documents and queries of each format, plain and compressed."""

from __future__ import annotations

import gzip
import json
import lzma

import pytest

from ranksieve.errors import DataError
from ranksieve.extract.collections.formats import documents_in, queries_in
from ranksieve.extract.collections.records import Reading, Tally

CRANFIELD = """.I 1
.T
heated
slabs .
.A
brenckman,m.
.B
j. ae. scs. 25
.W
heated
slabs .
  the heat of slabs .
.I 002
.T
wings
.A
.B
.W
lift
"""
TREC = """<DOC>
<DOCNO> AP-1 </DOCNO>
<DATE>today</DATE>
<HEADLINE>heated slabs</HEADLINE>
<TEXT>the heat &amp; <P>of slabs</P>
</TEXT>
</DOC>
<DOC><DOCNO>AP-2</DOCNO><DOCHDR>http header</DOCHDR>
<html><title>wings</title><script>var x = 1;</script><body bgcolor="white">lift</body></html>
</DOC>
"""
TOPICS = """<top>
<num> Number: 301
<title> Heated slabs
<desc> Description:
What is heat?
</top>

<top>
<num> Number: 302
<title>
<desc> Description:
Wings that lift.
<narr> Narrative: no.
</top>
"""
WEB_TOPICS = """<?xml version="1.0"?>
<topics>
<topic number="7" type="faceted"><query>heated slabs</query>
<description>What?</description></topic>
</topics>
"""
JSON = "\n".join(
    json.dumps(content)
    for content in (
        {"_id": "a", "title": "heated slabs", "text": "the heat", "metadata": {}},
        {"_id": 7, "text": "lift"},
    )
)


def documents(path, **options):
    tally = Tally()
    return list(documents_in(path, Reading(**options), tally)), tally


def queries(path):
    return {query.id: query.text for query in queries_in(path, Reading(), Tally())[0]}


@pytest.fixture
def file(tmp_path):
    def write(text, name="file"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_cranfield_has_titles_and_bodies_and_a_repeated_title_counts_once(file):
    found, _ = documents(file(CRANFIELD))
    assert [(d.id, d.title, d.body) for d in found] == [
        ("1", "heated slabs .", "the heat of slabs ."),
        ("2", "wings", "lift"),
    ]


def test_trec_documents_lose_markup_headers_and_scripts_and_html_is_counted(file):
    found, tally = documents(file(TREC))
    assert [(d.id, d.title.split(), d.body.split()) for d in found] == [
        ("AP-1", ["heated", "slabs"], ["the", "heat", "&", "of", "slabs"]),
        ("AP-2", ["wings"], ["lift"]),
    ]
    assert tally.counts["html"] == 2


def test_json_lines_have_an_id_a_title_and_a_text(file):
    found, tally = documents(file(JSON))
    assert [(d.id, d.title, d.body) for d in found] == [
        ("a", "heated slabs", "the heat"),
        ("7", "", "lift"),
    ]
    assert tally.counts == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".I 001\n.W\nheated\nslabs\n.I 004\n.W\nlift\n", {"1": "heated slabs", "4": "lift"}),
        (TOPICS, {"301": "Heated slabs", "302": "Wings that lift."}),
        (WEB_TOPICS, {"7": "heated slabs"}),
        ('{"_id": "q1", "text": "heat"}\n', {"q1": "heat"}),
        ("q1\theat of slabs\nq2\tlift\n", {"q1": "heat of slabs", "q2": "lift"}),
    ],
    ids=["cranfield", "topics", "web topics", "jsonl", "tsv"],
)
def test_queries_are_read_in_each_format(file, text, expected):
    assert queries(file(text)) == expected


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)], ids=["gz", "xz"]
)
@pytest.mark.parametrize("text", [CRANFIELD, TREC, JSON], ids=["cranfield", "trec", "jsonl"])
def test_packed_files_are_read_as_plain_ones(file, text, suffix, pack):
    plain, _ = documents(file(text))
    packed, _ = documents(file(pack(text.encode()), f"file{suffix}"))
    assert [(d.id, d.title, d.body) for d in plain] == [(d.id, d.title, d.body) for d in packed]


def test_lines_may_end_as_on_windows_and_a_byte_order_mark_is_no_text(file):
    windows = b"\xef\xbb\xbf" + CRANFIELD.replace("\n", "\r\n").encode()
    found, _ = documents(file(windows))
    assert [(d.id, d.title) for d in found] == [("1", "heated slabs ."), ("2", "wings")]


def test_a_folder_is_all_files_in_it_and_formats_may_differ(file, tmp_path):
    (tmp_path / "all" / "more").mkdir(parents=True)
    (tmp_path / "all" / "a").write_text(CRANFIELD)
    (tmp_path / "all" / "more" / "b").write_text(TREC)
    (tmp_path / "all" / ".hidden").write_text("no collection")
    found, _ = documents(tmp_path / "all")
    assert [d.id for d in found] == ["1", "2", "AP-1", "AP-2"]
    found, _ = documents([tmp_path / "all" / "more", tmp_path / "all" / "a"])
    assert [d.id for d in found] == ["AP-1", "AP-2", "1", "2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"is of no format that is known: it begins with ''"),
        ("just text", r"is of no format that is known: it begins with 'just text'"),
        (".I 1\ntext\n", r"line 2: text of record 1 stands before '\.T' or '\.W'"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n", r"ends inside the <DOC> that begins in line 1"),
        ("<DOC>\nno id\n</DOC>\n", r"line 1: there is no <DOCNO>"),
        ("<DOC>\n<DOCNO>1</DOCNO></DOC>\nnoise\n", r"line 3: expected <DOC>, but there is 'noise'"),
        ('{"_id": "a"}\n{"_id": \n', r"line 2: this is no JSON"),
        ('{"text": "a"}\n', r"line 1: there is no id\. Call it _id; the keys are \['text'\]"),
        ('{"_id": "a", "text": ["b"]}\n', r"line 1: 'text' must be a text, but is of type list"),
        ('{"_id": "a"}\n[1]\n', r"line 2: a line is an object"),
        (".I 1\n.W\nx\n.I 1\n.W\ny\n", r"line 4: the id '1' belongs to another document already"),
        ("PK\x03\x04", r"starts like"),
        (b"\xff\xfe<\0D\0", r"is in UTF-16\. Convert it to UTF-8"),
        (b".I 1\n\0\0\0", r"is no text: it has zero bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_that_says_where(file, text, message):
    with pytest.raises(DataError, match=message):
        documents(file(text))


def test_queries_with_one_id_are_an_error(file):
    with pytest.raises(DataError, match=r"'q' belongs to another query already, at .*line 1"):
        queries(file("q\theat\nq\tlift\n"))


@pytest.mark.parametrize("text", [CRANFIELD, TREC, JSON], ids=["cranfield", "trec", "jsonl"])
def test_bytes_that_are_no_utf_8_are_spaces_and_their_documents_are_counted(file, text):
    bad = text.replace("lift", "li\u00e9ft").encode("latin-1")
    found, tally = documents(file(bad))
    assert tally.counts["bad bytes"] == 1
    assert found[-1].body.split() == ["li", "ft"]
    assert documents(file(bad), encoding="latin-1")[0][-1].body.strip() == "li\u00e9ft"


@pytest.mark.parametrize("kind", ["cranfield", "trec", "jsonl"])
def test_a_document_beyond_the_limit_is_left_out_and_counted(file, kind):
    long, lines = "word " * 1000, "word word\n" * 600
    text = {
        "cranfield": f".I 1\n.W\n{long}\n.I 2\n.W\nlift\n",
        "trec": f"<DOC>\n<DOCNO>1</DOCNO>\n<TEXT>\n{lines}</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO>2</DOCNO>\nlift\n</DOC>\n",
        "jsonl": json.dumps({"_id": "1", "text": long}) + '\n{"_id": "2", "text": "lift"}\n',
    }[kind]
    found, tally = documents(file(text), max_bytes=2000)
    assert [document.id for document in found] == ["2"]
    assert tally.counts == {"long document": 1}
    assert "'1'" in tally.sentences()[0]

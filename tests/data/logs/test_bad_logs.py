"""Logs and judgements that cannot be used: the error says where, what, and what to do."""

from __future__ import annotations

import copy
import json

import pytest

from ranksieve import load
from ranksieve.data import convert
from ranksieve.errors import DataError
from tests.data.logs.conftest import DOCUMENTS, elasticsearch_hit, lines, logged

GOOD = logged("elasticsearch")


def changed(engine="elasticsearch"):
    return copy.deepcopy(logged(engine))


def hits(response):
    return response["response"]["hits"]["hits"]


def refused(path, qrels, message, **options):
    with pytest.raises(DataError, match=message):
        load(path, judgements=qrels, missing=9, **options)
    with pytest.raises(DataError, match=message):
        convert(path, path.with_suffix(".out"), judgements=qrels, missing=9, **options)
    assert not path.with_suffix(".out").exists()


@pytest.mark.parametrize(
    "spell", [lines, json.dumps, lambda found: json.dumps({"took": 1, "responses": found})]
)
@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_a_log_that_is_cut_off_says_in_which_line(write, qrels, spell, share):
    content = changed()
    for each in content:
        for hit in hits(each):
            hit["matched_queries"] = [f"qid:{each['query_id']}"]
    text = spell([each["response"] for each in content])
    path = write(text[: int(len(text) * share)].rstrip(), "log.json")
    refused(path, qrels, r"log.json, line \d: the file ends")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no responses: it is empty"),
        ("[]", "has no features: no response has a document"),
        ("3 qid:1 1:0.5", "line 1: expected an object, but there is '3'"),
        ('{"a": 1}\n{"b" 2}\n', "line 1: this is no search response.*its keys are 'a'"),
        (lines(GOOD) + '\n{"b" 2}\n', r"line 4: this is no JSON: Expecting ':' delimiter"),
        (lines(GOOD) + "]", r"line 3: expected an object, but there is '\]'"),
        (f"[{json.dumps(GOOD[0])} {json.dumps(GOOD[1])}]", "expected a comma"),
        ("[3]", "line 1: expected an object, but there is '3'"),
        (json.dumps([GOOD[0]]) + "x", "expected an object, but there is 'x'"),
        ('{"hits": {"hits": []}, "query_id": 1}', "no response has a document"),
        ('{"a": ' + "[" * 100_000, "nested too deep|ends in the middle"),
        ('{"a": ' + "1" * 5000 + "}", "line 1: a number has too many digits"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(write, qrels, text, message):
    refused(write(text, "log.json"), qrels, message)


def test_a_broken_line_is_refused_before_the_file_is_read_to_its_end(write, qrels, monkeypatch):
    from ranksieve.data.logs import json_stream

    path = write('{"query_id": nonsense}\n' + lines(GOOD) * 200, "log.json")
    read, n_reads = json_stream.DecodedStream.read, []
    monkeypatch.setattr(
        json_stream.DecodedStream,
        "read",
        lambda self, n=4096: n_reads.append(n) or read(self, min(n, 4096)),
    )
    refused(path, qrels, "line 1: this is no JSON")
    # The judgements and the start of the log, twice.
    assert len(n_reads) == 4
    assert path.stat().st_size > 10 * 4096


@pytest.mark.parametrize(
    ("engine", "looked_for"),
    [
        ("elasticsearch", "a named query 'qid:ID' in the hits' matched_queries"),
        ("solr", "responseHeader.params.qid"),
        ("vespa", "root.fields.qid"),
    ],
)
def test_a_response_without_a_query_says_what_was_looked_for(write, qrels, engine, looked_for):
    bare = [each["response"] for each in changed(engine)]
    path = write(lines(bare), "log.json")
    around = "looked for query_id, qid, queryId, query around the response; "
    refused(path, qrels, f"log.json, line 1: .*{around}{looked_for}")
    refused(path, qrels, "looked for 'a.b'", query="a.b")


def test_an_id_of_a_query_is_a_text_or_a_number(write, qrels):
    found = changed()
    found[1]["query_id"] = True
    refused(write(lines(found), "log.json"), qrels, "line 2: .*has True for a query id")


@pytest.mark.parametrize(
    ("engine", "place"),
    [
        ("elasticsearch", "fields._ltrlog"),
        ("solr", r"the field \[features\]"),
        ("vespa", "fields.matchfeatures"),
    ],
)
def test_a_log_without_features_says_where_they_should_be(write, qrels, engine, place):
    found = changed(engine)
    text = lines(found).replace("_ltrlog", "x").replace("[features]", "x")
    path = write(text.replace("matchfeatures", "x"), "log.json")
    refused(path, qrels, f"line 1: a document of .* has no features: looked for {place}")


def test_features_that_differ_between_documents_are_named(write, qrels):
    found = changed()
    hits(found[1])[1] = elasticsearch_hit("d3", {"title": 1, "boddy": 2})
    message = (
        "line 2: query 'q2', document 'd3': its features are not those of the first document: "
        "it has 'boddy', and it lacks 'body'"
    )
    refused(write(lines(found), "log.json"), qrels, message)


def test_a_document_that_a_query_has_twice_is_refused(write, qrels):
    found = changed()
    hits(found[1]).append(hits(found[1])[0])
    path = write(lines(found), "log.json")
    refused(path, qrels, "line 2: query 'q2' has document 'd1' twice")
    path = write(lines([*changed(), changed()[1]]), "log.json")
    refused(path, qrels, "lines 2 and 3: query 'q2' has document 'd1' twice")
    apart = write(lines([*changed(), changed()[0]]), "log.json")
    with pytest.raises(DataError, match="lines 1 and 3: query 'q1' has document 'd1' twice"):
        load(apart, judgements=qrels, missing=9, sort=True)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("high", "query 'q1', document 'd1': the value 'high' of feature 'title' is no number"),
        (float("inf"), "the value inf of feature 'title' is infinite"),
        (True, "feature 'title' is no number: True. Leave it out with exclude='title'"),
        ({"type": "tensor(x[2])", "values": [1, 2]}, "feature 'title' is a tensor"),
        (1e300, "feature 'title' is inf: .*too large for float32"),
        (10**400, "of feature 'title' is no number"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_document(write, qrels, value, message):
    found = changed()
    hits(found[0])[0] = elasticsearch_hit("d1", {"title": value, "body": 1})
    path = write(lines(found), "log.json")
    refused(path, qrels, message)
    assert load(path, judgements=qrels, exclude="title").n_features == 1


def test_a_feature_that_is_logged_twice_is_refused(write, qrels):
    found = changed()
    log = hits(found[0])[0]["fields"]["_ltrlog"][0]
    log["second"] = log["main"][:1]
    message = "line 1: feature 'title' is logged twice, the second time in the log entry 'second'"
    refused(write(lines(found), "log.json"), qrels, message)


@pytest.mark.parametrize("text", ["a:1;b:2", "=1", "a=1,a=2"])
def test_features_of_solr_in_another_form_are_refused(write, qrels, text):
    found = changed("solr")
    found[1]["response"]["response"]["docs"][0]["[features]"] = text
    refused(write(lines(found), "log.json"), qrels, r"line 2: .*(NAME=VALUE|twice)")


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ({"error": {"reason": "no such index"}, "status": 404}, "error of Elastic.*no such index"),
        ({"responseHeader": {}, "error": {"msg": "bad", "code": 400}}, "error of Solr: bad"),
        ({"root": {"errors": [{"message": "timeout"}]}}, "error of Vespa: timeout"),
    ],
)
def test_a_response_that_is_an_error_is_said_to_be_one(write, qrels, response, message):
    path = write(lines([*GOOD, {"query_id": "q3", "response": response}]), "log.json")
    refused(path, qrels, f"line 3: the response is an {message}")


@pytest.mark.parametrize("hit", [{"fields": {}}, 3, {"_id": None}])
def test_a_document_without_an_id_is_refused(write, qrels, hit):
    found = changed()
    hits(found[1]).append(hit)
    path = write(lines(found), "log.json")
    refused(path, qrels, "line 2: query 'q2': a document (has no id|must be an object)")
    if isinstance(hit, dict):
        refused(
            write(lines(GOOD), "log.json"), qrels, "has no field 'sku' with an id", document="sku"
        )


def test_judgements_that_fit_no_document_show_ids_of_both(write):
    path = write(lines(GOOD), "log.json")
    judged = write("1 0 D1 2\n", "qrels")
    message = "none of the 4 documents .* query 'q1' with 'd3'.*have query '1' with 'D1'"
    with pytest.raises(DataError, match=message):
        load(path, judgements=judged, missing=0)


def test_a_log_without_judgements_says_what_to_give(write):
    with pytest.raises(
        DataError, match=r"log of a search engine, which has no grades\. Give judgements=FILE"
    ):
        load(write(lines(GOOD), "log.json"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("qrels", "q1 0 d1 2\nq1 0 d2 high\n", "line 2: the grade of document 'd2' for query 'q1'"),
        ("qrels", "q1 0 d1 -1\n", "line 1: .* is -1: grades must be finite and not negative"),
        ("qrels", "q1 0 d1 nan\n", "is nan: grades must be finite"),
        ("qrels", "q1 0 d1 2\nq1 0 d1 1\n", "line 2: document 'd1' of query 'q1' has the grade 1"),
        ("qrels", "q1,d1,2\n", "line 1: 'q1,d1,2' has 1 columns.*give it the ending .csv"),
        ("qrels", " \n", "has no judgements"),
        ("a.csv", "", "has no judgements"),
        ("a.csv", "query,url,grade\nq1,d1,2\n", "no title for document"),
        ("a.csv", "query,document,grade\nq1,d1\n", "line 2: the row has 2 columns, and needs 3"),
        ("a.csv", "query,document,grade\nq1,d1,\n", "the grade of .* is '', which is no number"),
        ("a.csv", b"query,document,grade\nq1,d\xff,1\n", "is no text in UTF-8"),
        ("a.csv.gz", "query,document,grade\n", "not whole gz data"),
    ],
)
def test_judgements_that_cannot_be_used_are_named_with_their_line(write, name, text, message):
    path = write(lines(GOOD), "log.json")
    with pytest.raises(DataError, match=message):
        load(path, judgements=write(text, name), missing=0)


def test_judgements_that_are_not_there_suggest_the_nearest_file(write, qrels):
    path = write(lines(GOOD), "log.json")
    with pytest.raises(DataError, match=r"no file .*qrel.txt: did you mean .*qrels.txt"):
        load(path, judgements=qrels.with_name("qrel.txt"))
    assert len(DOCUMENTS) == 4

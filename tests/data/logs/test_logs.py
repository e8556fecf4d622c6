"""Logs of search engines become ranking data, in every form in which they are kept."""

from __future__ import annotations

import gzip
import json
import lzma

import numpy as np
import pyarrow as pa
import pytest

from ranksieve import load
from ranksieve.data import convert
from ranksieve.data.logs import json_stream
from ranksieve.errors import DataError, JudgementWarning, ParameterError
from tests.data.logs.conftest import DOCUMENTS, ENGINES, elasticsearch_hit, lines, logged

X = np.array([[1.5, 0.25], [9, 3], [0, -2], [7, 1e-4]], np.float32)


def check(data):
    assert data.feature_names == ("title", "body")
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == [2, 0, 1, 3]
    assert data.qid.tolist() == ["q1", "q1", "q2", "q2"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "spell",
    [
        lines,
        json.dumps,
        lambda responses: json.dumps(responses, indent=2),
        lambda responses: "\n\n".join(json.dumps(each, indent=1) for each in responses),
        lambda responses: "\ufeff \r\n" + lines(responses).replace("\n", "\r\n"),
    ],
    ids=["lines", "list", "indented", "indented-objects", "mark-and-crlf"],
)
def test_a_log_of_each_engine_in_each_form_gives_the_same_data(write, qrels, engine, spell):
    path = write(spell(logged(engine)), "log.json")
    data = load(path, judgements=qrels, missing=9)
    check(data)
    (block,) = data.blocks()
    assert block.document_ids.tolist() == ["d1", "d2", "d1", "d3"]


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".xz", lzma.compress),
        (".zst", lambda content: pa.compress(content, "zstd", asbytes=True)),
    ],
)
def test_packed_logs_and_judgements_are_read(write, qrels, suffix, pack):
    path = write(pack(lines(logged("solr")).encode()), f"log.ndjson{suffix}")
    judged = write(pack(qrels.read_bytes()), f"qrels{suffix}")
    check(load(path, judgements=judged, missing=9))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", ["out.parquet", "out.txt"])
def test_converting_a_log_gives_what_loading_gives(write, qrels, tmp_path, engine, target):
    path = write(lines(logged(engine)), "log.jsonl")
    done = convert(path, tmp_path / target, judgements=qrels, missing="query-minimum")
    assert (done.n_documents, done.n_queries, done.n_features) == (4, 2, 2)
    assert done.judged.sentence() == "All 4 documents have a judgement."
    expected = load(path, judgements=qrels, missing="query-minimum")
    converted = load(tmp_path / target)
    np.testing.assert_array_equal(converted.X, expected.X)
    assert converted.qid.tolist() == expected.qid.tolist()


def test_a_log_is_read_alike_whatever_falls_on_the_edge_of_a_piece(write, qrels, monkeypatch):
    content = json.dumps([{**each, "note": 'é"\\' * 7} for each in logged("vespa")], indent=1)
    path = write(content, "log.json")
    expected = load(path, judgements=qrels, missing=9).fingerprint
    monkeypatch.setattr(json_stream, "MAX_CHARACTERS", 10**6)
    read = json_stream.DecodedStream.read
    for n_bytes in (1, 2, 7, 64):
        monkeypatch.setattr(json_stream, "PIECE_BYTES", n_bytes)
        monkeypatch.setattr(
            json_stream.DecodedStream, "read", lambda self, n=n_bytes, r=read: r(self, n)
        )
        assert load(path, judgements=qrels, missing=9).fingerprint == expected


def test_a_long_list_is_never_held_in_memory_as_a_whole(write, monkeypatch):
    n_queries = 3000
    documents = [
        (f"q{query}", f"d{number}", 1, {"a": float(number)})
        for query in range(n_queries)
        for number in range(2)
    ]
    path = write(json.dumps(logged("elasticsearch", documents)), "log.json")
    judged = write("".join(f"{q} 0 {d} {g}\n" for q, d, g, _ in documents), "qrels")
    held = []
    original = json_stream._DECODER.raw_decode

    class Spy:
        def raw_decode(self, text, position):
            held.append(len(text))
            return original(text, position)

    monkeypatch.setattr(json_stream, "_DECODER", Spy())
    monkeypatch.setattr(json_stream, "PIECE_BYTES", 1000)
    read = json_stream.DecodedStream.read
    monkeypatch.setattr(json_stream.DecodedStream, "read", lambda self, n=1000: read(self, n))
    assert load(path, judgements=judged).n_queries == n_queries
    assert max(held) < 5000 < path.stat().st_size


def test_answers_to_several_searches_are_read_by_their_named_queries(write, qrels):
    found = [each["response"] for each in logged("elasticsearch")]
    for name, response in zip(("qid:q1", "qid:q2"), found, strict=True):
        for hit in response["hits"]["hits"]:
            hit["matched_queries"] = ["logged", name]
    for content in ({"took": 9, "responses": found}, {"responses": found, "took": 9}):
        check(load(write(json.dumps(content), "log.json"), judgements=qrels, missing=9))
    for hit in found[0]["hits"]["hits"]:
        hit["matched_queries"] = {"qid:q1": 1.0}
    check(load(write(lines(found), "log.json"), judgements=qrels, missing=9))


def test_an_answer_without_documents_needs_no_query(write, qrels):
    found = [*logged("elasticsearch"), {"hits": {"hits": []}}]
    check(load(write(lines(found), "log.json"), judgements=qrels, missing=9))


def test_the_judgements_are_never_the_target(write, qrels):
    path, before = write(lines(logged("vespa")), "log.json"), qrels.read_bytes()
    for target in (qrels, path):
        with pytest.raises(DataError, match=r"has the judgements|are the same file"):
            convert(path, target, judgements=qrels, missing=0, overwrite=True)
    assert qrels.read_bytes() == before


def _solr_parameters(response, query):
    response["responseHeader"]["params"] = {"q": "shoes", "qid": query}


def _vespa_fields(response, query):
    response["root"]["fields"]["query_id"] = query


@pytest.mark.parametrize(("engine", "mark"), [("solr", _solr_parameters), ("vespa", _vespa_fields)])
def test_the_id_of_the_query_may_be_in_the_response(write, qrels, engine, mark):
    found = logged(engine)
    for each in found:
        mark(each["response"], each["query_id"])
    path = write(lines(each["response"] for each in found), "log.json")
    check(load(path, judgements=qrels, missing=9))


@pytest.mark.parametrize("key", ["query_id", "qid", "queryId", "query"])
@pytest.mark.parametrize("around", ["response", "result", "body"])
def test_what_is_around_the_response_may_have_several_names(write, qrels, key, around):
    found = [{key: each["query_id"], around: each["response"]} for each in logged("solr")]
    check(load(write(lines(found), "log.json"), judgements=qrels, missing=9))


def test_query_and_document_name_other_fields(write):
    found = logged("elasticsearch")
    for number, each in enumerate(found, start=1):
        each["request"] = {"user": {"topic": number}}
        for hit in each["response"]["hits"]["hits"]:
            hit["_source"] = {"sku": {"code": f"s{hit['_id'][1:]}"}}
    path = write(lines(found), "log.json")
    judged = write("grade,keywords,docId\n2,1,s1\n0,1,s2\n1,2,s1\n3,2,s3\n", "judged.csv")
    data = load(path, judgements=judged, query="request.user.topic", document="sku.code", missing=9)
    assert data.qid.tolist() == [1, 1, 2, 2]
    assert data.y.tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "query,document,grade\nq1,d1,2\nq1,d2,0\nq2,d1,1\nq2,d3,3\n"),
        ("b.csv", "q1,d1,2\nq1,d2,0\n\nq2,d1,1\nq2,d3,3"),
        (
            "c.tsv",
            "Rating\tQuery ID\tx\tdoc_id\n2\tq1\t\td1\n0\tq1\t\td2\n1\tq2\t\td1\n3\tq2\t\td3",
        ),
        ("d.csv", 'query;document;grade\n"q1";"d1";2\nq1;d2;0\nq2;d1;1\nq2;d3;3.0\n'),
        ("qrels", "q1\t0\td1\t2\nq1 Q0 d2 0\n\nq2 0 d1 1\r\nq2 0 d3 3\nq2 0 d3 3\n"),
    ],
)
def test_judgements_are_qrels_or_tables(write, name, text):
    path = write(lines(logged("vespa")), "log.json")
    check(load(path, judgements=write(text, name), missing=9))


def test_what_has_no_judgement_is_left_out_and_counted(write, tmp_path):
    path = write(lines(logged("solr")), "log.json")
    judged = write("q1 0 d2 1\nq1 0 d8 1\nq9 0 d1 1\n", "qrels")
    words = r"3 of 4 documents have no judgement and were left out, with 1 of 2 queries\. 2 judge"
    with pytest.warns(JudgementWarning, match=words):
        data = load(path, judgements=judged, missing=9)
    assert (data.X.tolist(), data.y.tolist(), data.qid.tolist()) == ([[9, 3]], [1], ["q1"])
    done = convert(path, tmp_path / "out.parquet", judgements=judged, missing=9)
    counts = done.judged
    assert (counts.n_documents, counts.n_unjudged, counts.n_queries) == (4, 3, 2)
    assert (counts.n_unjudged_queries, counts.n_unused) == (1, 2)


def test_data_to_predict_needs_no_judgements(write):
    data = load(write(lines(logged("vespa")), "log.json"), graded=False, missing=0)
    assert data.y.tolist() == [0, 0, 0, 0]
    assert data.qid.tolist() == ["q1", "q1", "q2", "q2"]
    (block,) = data.blocks()
    assert block.document_ids[0] == "id:shop:item::d1"


def test_a_missing_value_follows_the_rule_and_names_query_and_document(write, qrels):
    path = write(lines(logged("elasticsearch")), "log.json")
    where = r"log.json, line 1: query 'q1', document 'd2': feature 'title' is missing"
    with pytest.raises(DataError, match=where):
        load(path, judgements=qrels)
    assert load(path, judgements=qrels, missing="query-minimum").X[1, 0] == 1.5
    assert load(path, judgements=qrels, exclude="title").feature_names == ("body",)


def test_a_sparse_log_has_the_features_of_all_its_documents(write):
    documents = [("1", "a", 1, {"x": 1}), ("1", "b", 0, {"y": 2, "x": 3}), ("1", "c", 0, {})]
    path = write(lines(logged("solr", documents)), "log.json")
    judged = write("1 0 a 1\n1 0 b 0\n1 0 c 0\n", "qrels")
    data = load(path, judgements=judged, missing=0)
    assert data.feature_names == ("x", "y")
    assert data.X.tolist() == [[1, 0], [3, 2], [0, 0]]
    assert data.qid.tolist() == [1, 1, 1]


def test_query_ids_of_a_long_log_are_of_one_type_in_all_blocks(write, tmp_path):
    documents = [(str(query), "d", 1, {"x": query}) for query in range(5000)]
    documents += [("last", "d", 1, {"x": 0})]
    path = write(lines(logged("elasticsearch", documents)), "log.json")
    judged = write("".join(f"{q} 0 {d} {g}\n" for q, d, g, _ in documents), "qrels")
    data = load(path, judgements=judged)
    assert data.qid[0] == "0"
    assert data.qid[-1] == "last"
    convert(path, tmp_path / "a.parquet", judgements=judged)
    assert load(tmp_path / "a.parquet").qid.tolist() == data.qid.tolist()


def test_values_are_read_as_engines_write_them(write):
    hits = {"a": "1.0E-4", "b": {"type": "tensor()", "cells": [{"address": {}, "value": 0.5}]}}
    hits |= {"c": "NaN", "d": {"type": "tensor<float>()", "values": [2]}, "vespa.internal": 0}
    path = write(lines(logged("vespa", [("1", "x", 1, hits)])), "log.json")
    data = load(path, judgements=write("1 0 x 1\n", "qrels"), missing=0)
    assert data.feature_names == ("a", "b", "c", "d")
    np.testing.assert_allclose(data.X, [[1e-4, 0.5, 0, 2]])


def test_several_log_entries_of_a_document_are_one_row(write):
    hit = elasticsearch_hit("d", {"a": 1})
    hit["fields"]["_ltrlog"][0]["more"] = [
        {"name": "b", "value": 2},
        {"name": "extra_logging", "value": {"note": "x"}},
    ]
    path = write(json.dumps({"qid": 1, "response": {"hits": {"hits": [hit]}}}), "log.json")
    data = load(path, judgements=write("1 0 d 1\n", "qrels"))
    assert (data.feature_names, data.X.tolist()) == (("a", "b"), [[1, 2]])


def test_documents_of_vespas_groups_are_found(write, qrels):
    found = logged("vespa")
    for each in found:
        root = each["response"]["root"]
        inner = {"id": "group:root:0", "children": [{"id": "grouplist:x"}]}
        inner["children"] = [{"id": "group:string:a", "children": root["children"]}]
        root["children"] = [inner, {"id": "group:root:1"}]
    check(load(write(lines(found), "log.json"), judgements=qrels, missing=9))


def test_responses_of_a_query_may_follow_each_other_and_sort_brings_others_together(write, qrels):
    first, second = logged("elasticsearch")
    hits = first["response"]["hits"]["hits"]
    halves = [{"query_id": "q1", "response": {"hits": {"hits": [hit]}}} for hit in hits]
    check(load(write(lines([*halves, second]), "log.json"), judgements=qrels, missing=9))
    apart = write(lines([halves[0], second, halves[1]]), "apart.json")
    with pytest.raises(DataError, match=r"rows of a query must be adjacent.*'q1'"):
        load(apart, judgements=qrels, missing=9)
    check(load(apart, judgements=qrels, missing=9, sort=True))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("train.csv", {"judgements": "q"}, "judgements does not apply to CSV"),
        ("train.parquet", {"judgements": "q"}, "judgements does not apply to Parquet"),
        ("log.json", {"names": ["a"]}, "names does not apply to log"),
    ],
)
def test_options_that_do_not_apply_are_refused(write, name, options, message):
    with pytest.raises(ParameterError, match=message):
        load(write("{}", name), **options)


def test_a_log_of_any_name_is_one_where_judgements_are_given(write, qrels):
    check(load(write(lines(logged("solr")), "log.2026-01"), judgements=qrels, missing=9))


def test_each_document_of_the_example_is_judged():
    assert len({(query, document) for query, document, *_ in DOCUMENTS}) == 4

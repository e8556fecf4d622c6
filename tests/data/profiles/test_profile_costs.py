"""Costs from profiles: the right time goes to the right feature, and none is lost."""

from __future__ import annotations

import gzip
import json
import random
import statistics

import pytest

from ranksieve.data.profiles import ProfiledFeature, profile_costs
from ranksieve.errors import DataError
from ranksieve.sieve.costs import as_costs

SET = (
    ProfiledFeature("title", "mustache"),
    ProfiledFeature("both", "derived_expression"),
    ProfiledFeature("script", "script_feature"),
)
TYPES = ("TermQuery", "FVDerivedExpressionQuery", "LtrScript")


def node(kind, own, *children):
    """A query of a profile: its time is its own and that of its children, in nanoseconds."""
    content = {"type": kind, "description": kind, "breakdown": {"score": own, "score_count": 3}}
    content["time_in_nanos"] = own + sum(child["time_in_nanos"] for child in children)
    return content | ({"children": list(children)} if children else {})


def ranker(own, *times, types=TYPES):
    inner = [node("TermQuery", 1)]
    first, *others = zip(types, times, strict=True)
    features = [node("BooleanQuery" if first[0] == "TermQuery" else first[0], first[1] - 1, *inner)]
    return node("RankerQuery", own, *features, *(node(*other) for other in others))


def response(*shards, rewrite=0, **others):
    searches = [
        {"searches": [{"query": list(queries), "rewrite_time": rewrite, "collector": []}]}
        for queries in shards
    ]
    return {"took": 5, "profile": {"shards": searches}, **others}


@pytest.fixture
def write(tmp_path):
    def written(*contents, name="profile.json"):
        path = tmp_path / name
        text = "\n".join(json.dumps(content) for content in contents).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return written


def test_the_children_of_the_ranker_are_the_features_in_their_order(write):
    first = (node("MatchAllDocsQuery", 9_000_000), ranker(500_000, 4_000_000, 100_000, 7_000_000))
    second = (node("BooleanQuery", 1_000_000, ranker(0, 2_000_000, 0, 1_000_000)),)
    result = profile_costs([write(response(first, second, rewrite=250_000))], SET)
    assert result.costs == pytest.approx({"title": 4 + 2, "both": 0.1, "script": 7 + 1})
    assert result.unattributed == pytest.approx(
        {
            "rewriting queries": 0.25 + 0.25,
            "queries that are no features": 9 + 1,
            "the model, and collecting features": 0.5,
        }
    )
    assert (result.n_responses, result.unmeasured) == (1, ())


def test_no_time_is_lost(write):
    draw = random.Random(0)
    for _ in range(20):
        shards = [
            [node("TermQuery", draw.randrange(10**6)), ranker(*draw.choices(range(1, 10**7), k=4))]
            for _ in range(draw.randrange(1, 4))
        ]
        content = response(*shards, rewrite=draw.randrange(10**5))
        result = profile_costs([write(content)], SET)
        searches = [each["searches"][0] for each in content["profile"]["shards"]]
        total = sum(
            search["rewrite_time"] + sum(query["time_in_nanos"] for query in search["query"])
            for search in searches
        )
        known = result.attributed + sum(result.unattributed.values())
        assert known * 1e6 == pytest.approx(total, rel=1e-12)


def test_several_responses_and_files_are_combined_by_the_median(write):
    times = [(3, 1, 9), (1, 2, 8), (7, 3, 7), (5, 5, 5)]
    responses = [response([ranker(0, *(value * 1_000_000 for value in row))]) for row in times]
    paths = [write(*responses[:3]), write(responses[3], name="b.ndjson.gz")]
    result = profile_costs(paths, SET)
    for column, feature in enumerate(SET):
        expected = statistics.median(row[column] for row in times)
        assert result.costs[feature.name] == pytest.approx(expected)
        assert result.n_measured[feature.name] == 4
    assert profile_costs(paths[::-1], SET).costs == pytest.approx(result.costs)


def test_the_names_may_come_from_the_log_of_the_same_response(write):
    logged = [{"name": "a", "value": 1}, {"name": "b"}, {"name": "c", "value": 2}]
    hits = {"hits": {"hits": [{"_id": "d", "fields": {"_ltrlog": [{"main": logged}]}}]}}
    result = profile_costs([write(response([ranker(0, 1e6, 2e6, 3e6)], **hits))])
    assert result.costs == pytest.approx({"a": 1, "b": 2, "c": 3})


def test_a_request_for_one_feature_gives_its_time(write):
    answers = [
        {"feature": name, "response": response([node("TermQuery", time * 10**6)], rewrite=1000)}
        for name, time in (("a", 1), ("b", 5), ("a", 3))
    ]
    result = profile_costs([write(*answers)], [ProfiledFeature(name) for name in "bca"])
    assert result.costs == pytest.approx({"b": 5, "a": 2})
    assert list(result.costs) == ["b", "a"]
    assert result.n_measured == {"b": 1, "a": 2}
    assert result.unmeasured == ("c",)
    assert result.unattributed == pytest.approx({"rewriting queries": 0.003})


@pytest.mark.parametrize(
    ("content", "features", "message"),
    [
        (response([ranker(0, 1, 2, 3)]), None, "of 3 features, but nothing says which they are"),
        (response([ranker(0, 1, 2, 3)]), SET[:2], "of 3 features, but the feature set has 2"),
        (
            response([ranker(0, 1, 2, 3)]),
            (SET[1], SET[0], SET[2]),
            "feature 1, 'both', is of the language 'derived_expression', but query 1 .* Boolean",
        ),
        (
            response([ranker(0, 1, 2, 3, types=(TYPES[2], TYPES[1], TYPES[0]))]),
            SET,
            "feature 1, 'title', is of the language 'mustache', but query 1 .* LtrScript",
        ),
        (response([node("RankerQuery", 7)]), SET, "no time belongs to a feature .*the model"),
        (response([node("TermQuery", 7)]), SET, "no time belongs to a feature"),
        ({"hits": {}}, SET, "line 1: this response has no times: looked for profile.shards"),
        ({"feature": 3, "response": {}}, SET, "'feature' must be the name"),
        (response([node("TermQuery", -7)]), SET, "'time_in_nanos' must be a time, .* but is -7"),
        ({"trace": {}}, SET, "no time belongs to a feature"),
    ],
)
def test_what_cannot_be_attributed_is_an_error(write, content, features, message):
    with pytest.raises(DataError, match=message):
        profile_costs([write(content)], features)


def test_the_result_is_what_the_sieve_reads(write, tmp_path):
    path = write(response([ranker(0, 4_000_000, 100_000, 7_123_456)]))
    profile_costs([path], SET).write(tmp_path / "costs.csv")
    text = (tmp_path / "costs.csv").read_text()
    assert text == "feature,cost\ntitle,4\nboth,0.1\nscript,7.123456\n"
    names = ["script", "title", "both"]
    assert as_costs(tmp_path / "costs.csv", names).prices[
        as_costs(tmp_path / "costs.csv", names).units
    ].tolist() == [7.123456, 4, 0.1]


def timing(query, facet=1.0, **header):
    process = {"time": query + facet, "query": {"time": query}, "facet": {"time": facet}}
    prepare = {"time": 0.5, "query": {"time": 0.5}}
    times = {"time": query + facet + 0.5 + 2, "prepare": prepare, "process": process}
    return {"responseHeader": header, "response": {"docs": []}, "debug": {"timing": times}}


def test_solr_times_a_feature_that_was_asked_for_alone(write):
    answers = [
        {"feature": "a", "response": timing(3.0)},
        timing(7.0, params={"feature": "b", "q": "x"}),
        timing(11.0),
    ]
    result = profile_costs([write(*answers)])
    assert result.costs == {"a": 3.5, "b": 7.5}
    # The request that names no feature is all unattributed.
    assert result.unattributed == {
        "component facet": 3.0,
        "between components": 6.0,
        "component query": 11.5,
    }
    with pytest.raises(DataError, match=r"no time belongs .*component query: 11\.5 ms"):
        profile_costs([write(answers[2])])


def trace(*profiles, **others):
    threads = [{"traces": [{"tag": "match_profiling", "total_time_ms": 99}, *profiles]}]
    execution = {"tag": "query_execution", "threads": threads}
    inner = [{"message": [{"traces": [execution]}]}]
    return {"trace": {"children": [{"message": "x"}, {"children": inner}]}, **others}


def part(name, own, *children, kind="rank feature "):
    content = {"name": f"{kind}{name}", "count": 5}
    content["total_time_ms"] = own + sum(child["total_time_ms"] for child in children)
    return content | ({"self_time_ms": own, "children": list(children)} if children else {})


def phase(name, *roots, unlisted=0.0):
    total = unlisted + sum(root.get("total_time_ms", root.get("self_time_ms")) for root in roots)
    tag = f"{name}_phase_profiling"
    return {"tag": tag, "profiler": "tree", "total_time_ms": total, "roots": list(roots)}


FIRST = phase(
    "first",
    part(
        "first",
        1.0,
        part("bm25(title)", 2.0),
        part("fresh", 0.5, part("attribute(time)", 4.0), kind="function "),
        kind="function ",
    ),
)
SECOND = phase("second", part("bm25(title)", 8.0), unlisted=3.0)


def test_vespa_gives_a_feature_its_own_time_and_that_of_what_it_asks_for(write):
    names = [ProfiledFeature(name) for name in ("bm25(title)", "fresh", "absent")]
    result = profile_costs([write(trace(FIRST, SECOND))], names)
    assert result.costs == {"bm25(title)": 2.0 + 8.0, "fresh": 0.5 + 4.0}
    assert result.unmeasured == ("absent",)
    assert result.unattributed == {
        "ranking that is no feature": 1.0,
        "rank features below the depth of the profile": 3.0,
    }


def test_vespas_features_are_those_of_its_documents_or_all_of_the_trace(write):
    fields = {"fields": {"matchfeatures": {"bm25(title)": 1}}}
    root = {"children": [{"id": "id:a:b::c", **fields}]}
    assert profile_costs([write(trace(FIRST, root=root))]).costs == {"bm25(title)": 2.0}
    assert profile_costs([write(trace(FIRST))]).costs == {
        "first": 1.0,
        "bm25(title)": 2.0,
        "fresh": 0.5,
        "attribute(time)": 4.0,
    }


def test_vespas_flat_profiles_have_times_of_their_own(write):
    roots = [
        {"name": "rank feature bm25(title)", "count": 9, "self_time_ms": 2.5},
        {"name": "function f", "count": 9, "self_time_ms": 1.5},
    ]
    flat = {"tag": "second_phase_profiling", "profiler": "flat", "topn": 2, "total_time_ms": 5.0}
    result = profile_costs([write(trace(flat | {"roots": roots}))], [ProfiledFeature("f")])
    assert result.costs == {"f": 1.5}
    assert result.unattributed == {
        "ranking that is no feature": 2.5,
        "rank features below the depth of the profile": 1.0,
    }

"""Solr's feature stores, Vespa's rank profiles, RankLib's feature files."""

from __future__ import annotations

import json

import pytest

from ranksieve.errors import DataError
from ranksieve.export.prune import prune

STORE = [
    {"store": "s", "name": "bm25", "class": "SolrFeature", "params": {"q": "{!dismax}${text}"}},
    {"store": "s", "name": "clicks", "class": "FieldValueFeature", "params": {"field": "clicks"}},
    {"store": "t", "name": "bm25", "class": "SolrFeature", "params": {"q": "x"}},
    {"store": "t", "name": "age", "class": "FieldValueFeature", "params": {"field": "age"}},
]

PROFILE = """schema item {
    rank-profile base {
        inputs { query(weight): 1.0 }
        # how new
        function recency() {
            expression: freshness(timestamp) * decay
        }
        function decay() { expression { 0.5 + query(weight) } }
        function unused() { expression: 1 }
        function popular(x) {
            expression: log(x) + spread
        }
        function inline spread() { expression: attribute(clicks) / 2 }
        function scoring() { expression: bm25(title) }
        first-phase { expression: scoring + nativeRank( title ) }
        match-features {
            recency
            popular(attribute(clicks))   # clicks
            bm25(title) bm25(body)
            nativeRank(title, body)
            scoring
        }
    }
    rank-profile child inherits base {
        summary-features: bm25(title) recency
        rank-features { bm25(body) }
    }
}
"""
ALL = (
    "recency",
    "decay",
    "unused",
    "popular",
    "spread",
    "scoring",
    "popular(attribute(clicks))",
    "bm25(title)",
    "bm25(body)",
    "nativeRank(title,body)",
)


@pytest.mark.parametrize("wrap", [list, lambda features: {"features": features, "status": 0}])
def test_a_store_of_solr_keeps_a_name_in_all_its_stores(wrap):
    pruned = prune(json.dumps(wrap(STORE), indent=1), ["age", "bm25"], engine="solr")
    assert pruned.text == json.dumps(wrap([STORE[0], *STORE[2:]]), indent=1)
    assert (pruned.kept, pruned.dropped) == (("bm25", "age"), ("clicks",))
    assert pruned.dependences == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"bm25": 1}', "is no list of features"),
        ('[{"class": "x"}]', "feature 1 of the feature store has no name"),
        ('[{"name": "a"}, {"name": "a"}]', "two features 'a', numbers 1 and 2"),
        ("[{]", "is no JSON"),
    ],
)
def test_what_is_no_store_is_a_clear_error(text, message):
    with pytest.raises(DataError, match=message):
        prune(text, ["a"], engine="solr")


def test_a_profile_keeps_lists_and_functions_of_what_is_chosen_and_the_text_around_them():
    pruned = prune(PROFILE, ["recency", "bm25(body)"], engine="vespa")
    expected = PROFILE
    for gone, remains in (
        ("        function popular(x) {\n            expression: log(x) + spread\n        }\n", ""),
        ("        function inline spread() { expression: attribute(clicks) / 2 }\n", ""),
        ("            popular(attribute(clicks))   # clicks\n", ""),
        ("            bm25(title) bm25(body)\n", "            bm25(body)\n"),
        ("            nativeRank(title, body)\n            scoring\n", ""),
        ("summary-features: bm25(title) recency", "summary-features: recency"),
    ):
        assert expected.count(gone) == 1
        expected = expected.replace(gone, remains)
    assert pruned.text == expected
    assert pruned.kept == ("recency", "decay", "unused", "scoring", "bm25(body)")
    assert pruned.dependences == (("decay", "recency"), ("scoring", "first-phase"))


def test_functions_that_only_functions_use_are_followed():
    pruned = prune(PROFILE, ["popular(attribute(clicks))"], engine="vespa")
    assert pruned.dependences[:2] == (
        ("popular", "popular(attribute(clicks))"),
        ("spread", "popular"),
    )
    assert "function recency" not in pruned.text
    assert "function decay" not in pruned.text
    # Nothing is left in these lists.
    assert "summary-features" not in pruned.text
    assert "rank-features" not in pruned.text


@pytest.mark.parametrize("request_", [[name] for name in ALL] + [ALL[:3], ALL[4:], ALL])
def test_laws_of_pruning_a_profile(request_):
    assert prune(PROFILE, ALL, engine="vespa").text == PROFILE
    pruned = prune(PROFILE, request_, engine="vespa")
    again = prune(pruned.text, request_, engine="vespa")
    assert again.text == pruned.text
    assert set(again.kept) == set(pruned.kept)
    assert prune(PROFILE, request_[::-1], engine="vespa") == pruned
    for function, uses in {"recency": "decay", "popular": "spread"}.items():
        defined = f"function {function}" in pruned.text
        assert not defined or f"{uses}() {{" in pruned.text
    assert pruned.text.count("{") == pruned.text.count("}")


def test_names_are_matched_as_vespa_answers_with_them():
    pruned = prune(
        "match-features: nativeRank( title,  body ) rankingExpression(f)\n"
        "function f() { expression: 1 }\n",
        ["f"],
        engine="vespa",
    )
    assert pruned.text == "match-features: rankingExpression(f)\nfunction f() { expression: 1 }\n"


def test_braces_and_names_in_comments_and_quotes_are_no_braces_and_names():
    text = (
        'function f() { # }\n expression: foreach(terms, N, "g }", "x", sum) }\n'
        "function g() { expression: 1 }\n"
        "match-features { # a list {\n  f\n  g\n}\n"
    )
    pruned = prune(text, ["f"], engine="vespa")
    assert pruned.dropped == ("g",)
    assert pruned.text == text.replace("function g() { expression: 1 }\n", "").replace("  g\n", "")


def test_a_list_that_inherits_stays_when_it_is_empty():
    text = "match-features inherits base { a }\nsummary-features { b }\n"
    assert prune(text, ["b"], engine="vespa").text == (
        "match-features inherits base { }\nsummary-features { b }\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rank-profile a { }", "there is nothing to prune"),
        ("rank-profile a {\n match-features { a\n", "line 2: the brace { is never closed"),
        ("match-features { bm25(title) }", r"'bm25\(titel\)' \(nearest: 'bm25\(title\)'\)"),
    ],
)
def test_what_is_no_profile_is_a_clear_error(text, message):
    with pytest.raises(DataError, match=message):
        prune(text, ["bm25(titel)"], engine="vespa")


def test_a_file_of_ranklib_keeps_comments_and_the_chosen_lines():
    text = "# of the title\n1\tbm25\r\n\n2\ttf\n10\n"
    pruned = prune(text, ["10", "bm25"], engine="ranklib")
    assert pruned.text == "# of the title\n1\tbm25\r\n\n10\n"
    assert (pruned.kept, pruned.dropped) == (("1", "10"), ("2",))
    assert prune(text, ["1", "2", "10"], engine="ranklib").text == text
    assert prune(pruned.text, ["10", "1"], engine="ranklib").text == pruned.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "has no features"),
        ("bm25\ntf\nbm25\n", "has the feature 'bm25' twice"),
        ("bm25\ntf\n", r"'bm52' \(nearest: 'bm25'\)"),
    ],
)
def test_what_is_no_feature_file_is_a_clear_error(text, message):
    with pytest.raises(DataError, match=message):
        prune(text, ["bm52"], engine="ranklib")

"""Feature sets of Elasticsearch and OpenSearch: what remains, what goes, what names what."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranksieve.errors import DataError, ParameterError
from ranksieve.export.prune import prune
from tests.reference.mutations import mutated

INNER = ("features", "featureset", "_source")


def query(name: str, field: str = "title") -> dict:
    template = {"match": {field: "{{keywords}}"}}
    return {"name": name, "params": ["keywords"], "template": template}


def derived(name: str, expression: str) -> dict:
    return {"name": name, "template_language": "derived_expression", "template": expression}


def script(name: str, source: str, lang: str = "painless", **parameters: object) -> dict:
    template = {"lang": lang, "source": source, "params": parameters}
    return {"name": name, "template_language": "script_feature", "template": template}


def names_in(text: str) -> list[str]:
    content = json.loads(text)
    while not isinstance(content, list):
        content = next(content[key] for key in INNER if key in content)
    return [feature["name"] for feature in content]


SET = [query("title"), query("body"), derived("both", "title + body"), query("cast")]

SHAPES = {
    "sent": {"validation": {"index": "tmdb"}, "featureset": {"name": "m", "features": SET}},
    "plain": {"name": "m", "features": SET},
    "got": {"_index": ".ltrstore", "found": True, "_source": {"featureset": {"features": SET}}},
    "list": SET,
}


@pytest.mark.parametrize("engine", ["elasticsearch", "opensearch"])
@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_set_in_any_shape_keeps_everything_but_the_dropped_features(shape, indent, engine):
    text = json.dumps(SHAPES[shape], indent=indent)
    pruned = prune(text, ["cast", "title"], engine=engine)
    assert (pruned.kept, pruned.dropped) == (("title", "cast"), ("body", "both"))
    features = fewer = json.loads(text)
    while not isinstance(features, list):
        features = features[next(key for key in INNER if key in features)]
    del features[1:3]
    assert pruned.text == json.dumps(fewer, indent=indent)


def test_numbers_escapes_and_spaces_stay_as_they_are_written():
    text = '\ufeff{ "features" :[ {"name":"\\u0061", "boost":1.50},\n\t{"name":"b"} ]\t,"x":1e2 }\n'
    expected = '\ufeff{ "features" :[ {"name":"\\u0061", "boost":1.50} ]\t,"x":1e2 }\n'
    assert prune(text, ["a"], engine="elasticsearch").text == expected


def test_what_an_expression_uses_stays_and_is_said_to():
    pruned = prune(json.dumps(SET), ["both"], engine="elasticsearch")
    assert pruned.kept == ("title", "body", "both")
    assert pruned.dependences == (("title", "both"), ("body", "both"))


@pytest.mark.parametrize(
    ("feature", "used"),
    [
        (derived("x", "a * 2 + b.c"), ("a", "b.c")),
        (derived("x", "max(a, ln(1 + 2e5)) - ac"), ("a", "ac")),
        (derived("x", "-a/b ? 1 : 0x1F"), ("a", "b")),
        (script("x", "params.feature_vector.get('a') * 2"), ("a",)),
        (script("x", 'params.feature_vector["b.c"] + 1'), ("b.c",)),
        (script("x", "params['feature_vector'].getOrDefault('a', 0)"), ("a",)),
        (script("x", "params.feature_vector.get(params.which)", which="b"), ("b",)),
        (script("x", "my_native_script", lang="native", inputs=["a", {"k": "ac"}]), ("a", "ac")),
        (query("x", "a"), ()),
        (derived("x", "x + 1"), ()),
    ],
)
def test_dependences_are_read_from_expressions_and_scripts(feature, used):
    features = [*map(query, ("a", "b", "b.c", "ac", "max", "ln")), feature]
    pruned = prune(json.dumps(features), ["x"], engine="opensearch")
    assert set(pruned.kept) == {*used, "x"}


def test_a_script_may_be_written_as_text():
    written = script("x", "params.feature_vector.get('a')")
    written["template"] = json.dumps(written["template"])
    pruned = prune(json.dumps([query("a"), query("b"), written]), ["x"], engine="elasticsearch")
    assert pruned.kept == ("a", "x")


@pytest.mark.parametrize(
    ("feature", "cannot_be_followed"),
    [
        (script("x", "params.feature_vector.get('a')"), False),
        (script("x", "params.feature_vector.get(params.p)", p="a"), False),
        (script("x", "params.feature_vector.get(params.p)"), True),
        (script("x", "for (v in params.feature_vector.values()) {}"), True),
        (script("x", "native", lang="native"), True),
        (script("x", "doc['price'].value"), False),
        (derived("x", "a"), False),
    ],
)
def test_scripts_whose_names_are_not_written_in_them_are_reported(feature, cannot_be_followed):
    pruned = prune(json.dumps([query("a"), feature]), ["x"], engine="elasticsearch")
    assert pruned.unfollowed == (("x",) if cannot_be_followed else ())


def test_a_cycle_is_followed_once():
    features = [derived("a", "b"), derived("b", "c"), derived("c", "a"), query("d")]
    pruned = prune(json.dumps(features), ["b"], engine="elasticsearch")
    assert pruned.kept == ("a", "b", "c")
    assert pruned.dependences == (("a", "c"), ("c", "b"))


@st.composite
def sets_and_requests(draw):
    """A set in which any feature may use any others, cycles included, and a request."""
    count = draw(st.integers(1, 8))
    names = [f"f{index}" for index in range(count)]
    features = []
    for name in names:
        used = draw(st.lists(st.sampled_from(names), max_size=3))
        kind = draw(st.sampled_from([query, derived, script]))
        if kind is query:
            features.append(query(name))
        elif kind is derived:
            features.append(derived(name, " + ".join([*used, "1"])))
        else:
            source = " + ".join([*(f"params.feature_vector.get('{each}')" for each in used), "1"])
            features.append(script(name, source))
    indent = draw(st.sampled_from([None, 1, 4]))
    request = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    return json.dumps({"featureset": {"features": features}, "z": 1}, indent=indent), request, names


def uses(text: str) -> dict[str, set[str]]:
    """Who names whom, found in the plainest way: the name is somewhere in the template."""
    features = json.loads(text)["featureset"]["features"]
    return {
        feature["name"]: set(re.findall(r"\bf\d\b", json.dumps(feature["template"])))
        for feature in features
        if "template_language" in feature
    }


@settings(max_examples=150, deadline=None)
@given(sets_and_requests())
def test_laws_of_pruning(case):
    text, request, names = case
    everything = prune(text, names, engine="elasticsearch")
    assert everything.text == text
    assert (everything.dropped, everything.dependences) == ((), ())
    pruned = prune(text, request, engine="elasticsearch")
    assert prune(pruned.text, request, engine="elasticsearch").text == pruned.text
    assert prune(text, request[::-1], engine="elasticsearch") == pruned
    assert prune(text, pruned.kept, engine="elasticsearch").text == pruned.text
    assert tuple(names_in(pruned.text)) == pruned.kept
    assert set(pruned.kept) | set(pruned.dropped) == set(names)
    named = uses(text)
    reached, before = set(request), set()
    while reached != before:
        before = reached
        reached = reached.union(*(named.get(name, set()) for name in reached))
    assert set(pruned.kept) == reached
    assert {name for name, _ in pruned.dependences} == reached - set(request)
    assert all(name in named[needer] for name, needer in pruned.dependences)


def test_names_that_do_not_match_are_all_listed_with_the_nearest():
    with pytest.raises(DataError) as error:
        prune(json.dumps(SET), ["titel", "title", "bodi", "zzzz"], engine="elasticsearch")
    message = str(error.value)
    assert "the feature set does not have 3 of the 4 features to keep" in message
    assert "'titel' (nearest: 'title'" in message
    assert "'bodi' (nearest: 'body'" in message
    assert "'zzzz'. It has 4 features" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"features": [', "is no JSON: Expecting value in line 1, column 15"),
        ('{"model": {}}', "has no list of features: looked for 'features'.*there is 'model'"),
        ("3", "has no list of features"),
        ('[{"template": {}}]', "feature 1 of the feature set has no name"),
        ('[{"name": "a"}, {"name": "a"}]', "two features 'a', numbers 1 and 2"),
        ('{"hits": {"hits": [{"_id": "s1"}, {"_id": "s2"}]}}', r"2 feature sets \(s1, s2\)"),
        ("[" * 100_000, "nested too deep|is no JSON"),
        ("[" + "1" * 5000 + "]", "a number has too many digits"),
    ],
)
def test_what_is_no_feature_set_is_a_clear_error(text, message):
    with pytest.raises(DataError, match=message):
        prune(text, ["a"], engine="elasticsearch")


def test_a_single_set_in_a_list_of_sets_is_taken():
    text = json.dumps({"hits": {"total": 1, "hits": [{"_id": "m", "_source": SHAPES["sent"]}]}})
    pruned = prune(text, ["body"], engine="elasticsearch")
    assert json.loads(pruned.text)["hits"]["hits"][0]["_source"]["featureset"]["features"] == [
        SET[1]
    ]


@pytest.mark.parametrize("kept", [[], "title"])
def test_a_request_is_a_list_of_names(kept):
    with pytest.raises(ParameterError, match=r"kept must be|to be kept"):
        prune(json.dumps(SET), kept, engine="elasticsearch")


def test_an_unknown_engine_suggests_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'elasticsearch'"):
        prune("[]", ["a"], engine="elastic-search")


SCRIPTS = [query("title"), derived("y", "x"), script("x", "params.feature_vector.get('title')")]
DEFINITIONS = {**SHAPES, "scripts": SCRIPTS}


@pytest.mark.parametrize("shape", DEFINITIONS)
@pytest.mark.parametrize("engine", ["elasticsearch", "solr"])
def test_a_definition_with_a_changed_value_is_pruned_or_refused(shape, engine):
    draw = random.Random(shape)
    for _ in range(200):
        text = json.dumps(mutated(DEFINITIONS[shape], draw))
        try:
            pruned = prune(text, ["title"], engine=engine)
        except DataError:
            continue
        json.loads(pruned.text)
        assert "title" in pruned.kept

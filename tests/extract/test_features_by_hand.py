"""Every feature on a collection that is worked out by hand.

    d1  title: heat flow          body: heat in a wing wing
    d2  title: (none)             body: flow of heat
    d3  title: wing               body: (none)
    d4  title: slab               body: drag

Stop words are `in`, `a` and `of`. The query is `heat flow heat wing`: terms heat, flow, wing, with
heat twice.
"""

from __future__ import annotations

from math import log

import pytest

from ranksieve.extract import extract_features
from tests.extract.conftest import by_document

DOCUMENTS = {
    "d1": ("heat flow", "heat in a wing wing"),
    "d2": ("", "flow of heat"),
    "d3": ("wing", ""),
    "d4": ("slab", "drag"),
}
GRADES = {("q", document): 0 for document in DOCUMENTS}
# Of titles: 4 words in 4 documents. Of bodies: heat, wing, wing, flow, heat, drag.
BM25_TITLE_1 = 1.2 * (0.25 + 0.75 * 2 / 1)  # length 2, mean length 4 / 4
BM25_BODY_1 = 1.2 * (0.25 + 0.75 * 3 / 1.5)  # length 3, mean length 6 / 4


@pytest.fixture
def features(collect):
    collection = collect(DOCUMENTS, {"q": "heat flow heat wing"}, GRADES, language="none",
                         stop_words=["in", "a", "of"])  # fmt: skip
    return by_document(extract_features(collection))


@pytest.mark.parametrize(
    ("document", "name", "value"),
    [
        ("d1", "title.covered", 2),
        ("d1", "title.covered_share", 2 / 3),
        ("d1", "title.any_term", 1),
        ("d1", "title.all_terms", 0),
        ("d1", "both.all_terms", 1),
        ("d4", "both.any_term", 0),
        ("d1", "body.tf_sum", 1 + 0 + 2),
        ("d1", "body.tf_mean", (1 + 0 + 2) / 3),
        ("d1", "body.tf_min", 0),
        ("d1", "body.tf_max", 2),
        ("d1", "body.tf_variance", ((1 - 1) ** 2 + (0 - 1) ** 2 + (2 - 1) ** 2) / 3),
        ("d1", "body.normalised_tf_sum", (1 + 0 + 2) / 3),
        ("d1", "body.normalised_tf_max", 2 / 3),
        ("d2", "title.normalised_tf_sum", 0),
        # Bodies with heat: 2 of 4; with wing: 1 of 4; with flow: 1 of 4.
        ("d1", "body.idf_sum", log(4 / 2) + log(4 / 1)),
        ("d1", "body.idf_max", log(4)),
        ("d1", "body.idf_min", 0),
        ("d1", "body.tf_idf_sum", 1 * log(4 / 2) + 2 * log(4 / 1)),
        ("d1", "body.tf_idf_mean", (1 * log(4 / 2) + 2 * log(4 / 1)) / 3),
        ("d1", "body.length", 3),
        ("d1", "both.length", 5),
        ("d2", "title.length", 0),
        # heat and flow are in one title each; heat stands twice in the query.
        ("d1", "title.bm25", (2 + 1) * log(1 + 3.5 / 1.5) * 1 / (1 + BM25_TITLE_1)),
        (
            "d1",
            "body.bm25",
            2 * log(1 + 2.5 / 2.5) * 1 / (1 + BM25_BODY_1)
            + log(1 + 3.5 / 1.5) * 2 / (2 + BM25_BODY_1),
        ),
        ("d4", "both.bm25", 0),
        # Words of titles: heat, flow, wing, slab, each a share of 1/4.
        (
            "d1",
            "title.lm_absolute",
            3 * log((1 - 0.7) / 2 + 0.7 * 2 / 2 / 4) + log(0.7 * 2 / 2 / 4),
        ),
        ("d1", "title.lm_dirichlet", 3 * log((1 + 500) / 2002) + log(500 / 2002)),
        (
            "d1",
            "title.lm_jelinek_mercer",
            3 * log(0.9 / 2 + 0.1 / 4) + log(0.1 / 4),
        ),
        ("d2", "title.lm_absolute", 4 * log(0.7 / 4)),
        ("d2", "title.lm_dirichlet", 4 * log(1 / 4)),
        ("d2", "title.lm_jelinek_mercer", 4 * log(0.1 / 4)),
        # heat . . wing wing: three words apart, four words from heat to the first wing.
        ("d1", "body.nearest_pair", 1 / 3),
        ("d1", "body.cover", 2 / 4),
        ("d1", "title.nearest_pair", 1),
        ("d1", "title.cover", 1),
        ("d1", "title.ordered_pairs", 1),  # heat flow
        ("d2", "body.ordered_pairs", 0),  # flow of heat
        ("d1", "both.ordered_pairs", 2),  # heat flow heat
        ("d3", "title.nearest_pair", 0),
        ("d1", "both.cover", 3 / 5),  # flow heat . . wing
    ],
)
def test_a_feature_is_what_its_formula_gives_by_hand(features, document, name, value):
    assert features["q", document][name] == pytest.approx(value, rel=1e-6, abs=1e-7)


def test_every_family_has_a_value_that_is_worked_out():
    marks = test_a_feature_is_what_its_formula_gives_by_hand.pytestmark[0].args[1]
    tested = {name.split(".")[1].removesuffix("_sum") for _, name, _ in marks}
    assert {"covered", "tf", "normalised_tf", "idf", "tf_idf", "length", "bm25"} <= tested
    assert {"lm_absolute", "lm_dirichlet", "lm_jelinek_mercer", "cover", "nearest_pair"} <= tested

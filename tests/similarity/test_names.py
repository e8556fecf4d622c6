from __future__ import annotations

import pytest

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.similarity import TauBSimilarity, as_similarity


@pytest.mark.parametrize("text", ["tau-b", "tau_b", "taub", "TauBSimilarity", "TauBSimilarity()"])
def test_tau_b_is_found_by_every_spelling(text):
    assert as_similarity(text) == TauBSimilarity()


@pytest.mark.parametrize(
    "similarity", [entry.load()() for entry in catalog.entries("similarity")], ids=repr
)
def test_a_similaritys_text_is_its_constructor_call(similarity):
    assert as_similarity(repr(similarity)) == similarity
    assert as_similarity(similarity) is similarity


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'spearman'"):
        as_similarity("spearmann")


def test_what_is_no_similarity_is_refused():
    with pytest.raises(ParameterError, match="a name such as 'kendall' or a Similarity, but is 3"):
        as_similarity(3)

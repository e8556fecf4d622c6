"""Words, terms and batches: the same in one process and in several."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from ranksieve.errors import RunError
from ranksieve.extract.index import build_index
from ranksieve.extract.tokens import Tokeniser, token_batches
from ranksieve.extract.words import english_stop_words, word_rule, words_of
from ranksieve.threads import threads


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Boundary-layer flow, 3D.", ["boundary", "layer", "flow", "3d"]),
        ("O\u2019Brien's wings_2", ["o'brien's", "wings", "2"]),
        ("Gr\u00f6\u00dfe \u6c34", ["gr\u00f6\u00dfe", "\u6c34"]),
        ("'quoted'", ["quoted"]),
        ("x" * 65 + " wing", ["wing"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_digits_in_lower_case(text, words):
    assert words_of(text) == words


def test_stop_words_are_scikit_learns_and_are_left_out_before_stemming():
    assert len(english_stop_words()) == 318
    tokeniser = Tokeniser(word_rule())
    assert tokeniser.query("What of the heated wings, heating?") == ["heat", "wing", "heat"]
    assert Tokeniser(word_rule(stop_words=["Heated"])).query("the heated wing") == ["the", "wing"]
    assert Tokeniser(word_rule("german")).query("die Fl\u00fcgel") == ["die", "flugel"]


def some_texts(n_documents):
    draw = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(500)] + ["the", "of"])
    return [
        (" ".join(draw.choice(words, 3)), " ".join(draw.choice(words, 40)))
        for _ in range(n_documents)
    ]


def same(left, right):
    assert left.terms == right.terms
    np.testing.assert_array_equal(left.tokens, right.tokens)
    np.testing.assert_array_equal(left.starts, right.starts)
    for field, part in left.fields.items():
        assert (part.counts != right.fields[field].counts).nnz == 0


def test_several_processes_make_the_index_of_one(monkeypatch):
    texts = some_texts(400)
    ids = [str(number) for number in range(len(texts))]
    alone = build_index(ids, token_batches(texts, word_rule()))
    module = import_module("ranksieve.extract.tokens")
    monkeypatch.setattr(module, "_BATCH_CHARACTERS", 1 << 13)
    monkeypatch.setattr(module, "_ALONE", 1)
    with threads(2):
        several = build_index(ids, token_batches(texts, word_rule()))
    with threads(1):
        pieces = build_index(ids, token_batches(texts, word_rule()))
    same(alone, several)
    same(alone, pieces)


def test_a_worker_that_dies_is_an_error_with_a_remedy(monkeypatch):
    module = import_module("ranksieve.extract.tokens")
    monkeypatch.setattr(module, "_BATCH_CHARACTERS", 1 << 13)
    monkeypatch.setattr(module, "_ALONE", 1)
    monkeypatch.setattr(module, "_START", "raise SystemExit")
    with threads(2), pytest.raises(RunError, match="RANKSIEVE_THREADS=1"):
        list(token_batches(some_texts(400), word_rule()))


def test_an_index_has_the_counts_of_each_field():
    texts = [("heat heat wing", "the wing"), ("", ""), ("wing", "heat")]
    index = build_index(["a", "b", "c"], token_batches(texts, word_rule()))
    assert index.terms == {"heat": 0, "wing": 1}
    assert index.fields["title"].counts.toarray().tolist() == [[2, 1], [0, 0], [0, 1]]
    assert index.fields["body"].counts.toarray().tolist() == [[0, 1], [0, 0], [1, 0]]
    both = index.fields["both"]
    assert both.counts.toarray().tolist() == [[2, 2], [0, 0], [1, 1]]
    assert both.lengths.tolist() == [4, 0, 2]
    assert both.n_distinct.tolist() == [2, 0, 2]
    assert both.document_frequencies.tolist() == [2, 2]
    assert both.collection_frequencies.tolist() == [3, 3]
    assert (both.mean_length, both.collection_length) == (2.0, 6.0)

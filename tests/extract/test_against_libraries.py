"""BM25 and the language models against independent libraries, on random collections.

BM25: bm25s. Dirichlet and Jelinek-Mercer: scikit-learn's naive Bayes with each document as a class,
whose smoothed probabilities are (tf + alpha_t) / (|d| + sum of alpha): alpha_t = mu p(t | C) is
Dirichlet's, and alpha_t = |d| lambda / (1 - lambda) p(t | C) Jelinek and Mercer's. Absolute
discounting: nltk's bigrams whose first word is the document.
"""

from __future__ import annotations

import bm25s
import nltk.lm
import numpy as np
import pytest
from nltk.lm.smoothing import AbsoluteDiscounting
from sklearn.naive_bayes import MultinomialNB

from ranksieve.extract import extract_features
from tests.extract.conftest import by_document

WORDS = [f"word{number}" for number in range(40)]


@pytest.fixture(params=range(3))
def case(request, collect):
    """Texts of documents and a query as words, and features of the bodies."""
    draw = np.random.default_rng(request.param)
    share = draw.dirichlet(np.full(len(WORDS), 0.5))
    texts = [list(draw.choice(WORDS, draw.integers(3, 60), p=share)) for _ in range(30)]
    present = sorted({word for text in texts for word in text})
    query = [*draw.choice(present, 4, replace=False)]
    query.append(query[0])
    documents = {f"d{number}": ("", " ".join(text)) for number, text in enumerate(texts)}
    grades = {("q", document): 0 for document in documents}
    collection = collect(documents, {"q": " ".join(query)}, grades, language="none")
    rows = by_document(extract_features(collection))
    features = [rows["q", document] for document in documents]
    return texts, query, {name: [row[name] for row in features] for name in features[0]}


def background(texts):
    words = sorted({word for text in texts for word in text})
    counts = np.array([[text.count(word) for word in words] for text in texts], dtype=float)
    return words, counts, counts.sum(axis=0) / counts.sum()


def test_bm25_is_that_of_bm25s(case):
    texts, query, features = case
    library = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    library.index(texts, show_progress=False)
    np.testing.assert_allclose(features["body.bm25"], library.get_scores(query), rtol=1e-5)


def test_dirichlet_smoothing_is_that_of_naive_bayes(case):
    texts, query, features = case
    words, counts, p = background(texts)
    bayes = MultinomialNB(alpha=2000 * p).fit(counts, np.arange(len(texts)))
    columns = [words.index(term) for term in query]
    expected = bayes.feature_log_prob_[:, columns].sum(axis=1)
    np.testing.assert_allclose(features["body.lm_dirichlet"], expected, rtol=1e-5)


def test_jelinek_mercer_smoothing_is_that_of_naive_bayes(case):
    texts, query, features = case
    words, counts, p = background(texts)
    columns = [words.index(term) for term in query]
    expected = []
    for row in counts:
        bayes = MultinomialNB(alpha=row.sum() * 0.1 / 0.9 * p).fit([row, np.zeros(len(p))], [0, 1])
        expected.append(bayes.feature_log_prob_[0, columns].sum())
    np.testing.assert_allclose(features["body.lm_jelinek_mercer"], expected, rtol=1e-5)


def test_absolute_discounting_is_that_of_nltk(case):
    texts, query, features = case
    counter = nltk.lm.NgramCounter(
        [[(f"document {number}", word) for word in text] for number, text in enumerate(texts)]
        + [[(word,) for word in text] for text in texts]
    )
    smoothing = AbsoluteDiscounting(None, counter, discount=0.7)
    expected = []
    for number in range(len(texts)):
        total = 0.0
        for term in query:
            alpha, gamma = smoothing.alpha_gamma(term, (f"document {number}",))
            total += np.log(alpha + gamma * smoothing.unigram_score(term))
        expected.append(total)
    np.testing.assert_allclose(features["body.lm_absolute"], expected, rtol=1e-5)

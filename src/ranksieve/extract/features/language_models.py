"""Query likelihood by language models, with three kinds of smoothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.features.base import Family, FieldView

# LETOR's values.
DISCOUNT, MU, LAMBDA = 0.7, 2000.0, 0.1


class LanguageModels(Family):
    """The logarithm of the probability that a field's model gives to the query.

        lm = sum over t in q of  w(t) ln p(t | d)

        lm_absolute:        p(t | d) = max(tf - delta, 0) / |d| + delta |d|_u / |d| p(t | C)
        lm_dirichlet:       p(t | d) = (tf + mu p(t | C)) / (|d| + mu)
        lm_jelinek_mercer:  p(t | d) = (1 - lambda) tf / |d| + lambda p(t | C)

    with delta = 0.7, mu = 2000 and lambda = 0.1, as in LETOR; p(t | C) is the term's share of the
    field's words in the collection, |d|_u the number of different terms, w(t) how often t stands
    in the query. Terms that the field never has are left out: they would be -infinity for all
    documents. An empty field counts as one without the term and without a term that comes again:
    delta p(t | C), p(t | C) and lambda p(t | C).

    References
    ----------
    Zhai and Lafferty, A study of smoothing methods for language models applied to information
    retrieval (2004).
    """

    names = ("lm_absolute", "lm_dirichlet", "lm_jelinek_mercer")
    reads = "counts"

    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return the three logarithms of each document."""
        field = view.field
        background = field.collection_frequencies[view.terms.numbers] / field.collection_length
        occurs = background > 0
        tf, background = view.counts[:, occurs], background[occurs]
        weights = view.terms.weights[occurs]
        length = np.maximum(view.lengths, 1.0)[:, None]
        distinct = field.n_distinct[view.documents][:, None]
        # Of an empty field all words are different.
        distinct_share = np.where(view.lengths[:, None] > 0, distinct / length, 1.0)
        absolute = np.maximum(tf - DISCOUNT, 0.0) / length + DISCOUNT * distinct_share * background
        dirichlet = (tf + MU * background) / (view.lengths[:, None] + MU)
        jelinek_mercer = (1.0 - LAMBDA) * tf / length + LAMBDA * background
        return np.stack(
            [np.log(p) @ weights for p in (absolute, dirichlet, jelinek_mercer)], axis=1
        )

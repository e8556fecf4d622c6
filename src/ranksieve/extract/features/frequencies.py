"""Sums, means, extremes and variances over the terms of the query."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.features.base import Family, FieldView

_STATISTICS = ("sum", "mean", "min", "max", "variance")


def _named(quantity: str) -> tuple[str, ...]:
    return tuple(f"{quantity}_{statistic}" for statistic in _STATISTICS)


class _Statistics(Family):
    """Five statistics of a number v(t, d) over the different terms of the query.

        sum, mean, min, max, variance = sum, sum / n, least, largest, mean of (v - mean)^2

    n counts the terms that the collection does not have too, with v = 0.
    """

    names: ClassVar[tuple[str, ...]]
    reads = "counts"

    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return the five statistics of each document."""
        numbers = self.by_term(view)
        n_absent = view.terms.n_asked - numbers.shape[1]
        if n_absent:
            numbers = np.concatenate([numbers, np.zeros((len(numbers), n_absent))], axis=1)
        return np.stack(
            [
                numbers.sum(axis=1),
                numbers.mean(axis=1),
                numbers.min(axis=1),
                numbers.max(axis=1),
                numbers.var(axis=1),
            ],
            axis=1,
        )

    @abstractmethod
    def by_term(self, view: FieldView) -> NDArray[np.float64]:
        """Return (documents, terms): v(t, d)."""


class TermFrequencies(_Statistics):
    """v(t, d) = tf(t, d), how often the term occurs in the field."""

    names = _named("tf")

    def by_term(self, view: FieldView) -> NDArray[np.float64]:
        """Return tf."""
        return view.counts


class NormalisedFrequencies(_Statistics):
    """v(t, d) = tf(t, d) / |d|, with the length |d| of the field; 0 where it is empty."""

    names = _named("normalised_tf")

    def by_term(self, view: FieldView) -> NDArray[np.float64]:
        """Return tf / |d|."""
        return view.counts / np.maximum(view.lengths, 1.0)[:, None]


class InverseDocumentFrequencies(_Statistics):
    """v(t, d) = idf(t) if the term occurs in the field of d, else 0; idf(t) = ln(N / df(t)).

    Over all terms of the query the sum would be the same for all of its documents.
    """

    names = _named("idf")

    def by_term(self, view: FieldView) -> NDArray[np.float64]:
        """Return idf of the terms that occur."""
        return (view.counts > 0) * view.idf


class TfIdf(_Statistics):
    """v(t, d) = tf(t, d) idf(t), with idf(t) = ln(N / df(t))."""

    names = _named("tf_idf")

    def by_term(self, view: FieldView) -> NDArray[np.float64]:
        """Return tf idf."""
        return view.counts * view.idf

"""Data with features of different kinds, and rankers that are fitted once."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data import from_arrays


@pytest.fixture(scope="session")
def data():
    """Features of different kinds: normal, counts with many zeros, tiny, huge, few levels."""
    rng = np.random.default_rng(5)
    n = 1200
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.poisson(0.7, size=n),
            rng.exponential(size=n) * 1e-7,
            rng.lognormal(8, 3, size=n),
            rng.integers(0, 4, size=n) / 4.0,
            -rng.exponential(size=n),
        ]
    ).astype(np.float32)
    signal = X[:, 0] + X[:, 1] + np.log(X[:, 2]) / 4 + X[:, 4] * 2 + np.log1p(X[:, 3]) / 4
    y = np.digitize(signal + rng.normal(size=n) / 2, np.quantile(signal, [0.5, 0.8, 0.95]))
    names = ["title", "clicks", "rank", "length", "level", "debt"]
    return from_arrays(X, y, np.repeat(np.arange(n // 20), 20), feature_names=names)


_FITTED = {}


@pytest.fixture
def fitted(data):
    """Return a function from a ranker's text to the ranker, fitted once."""
    import warnings

    from ranksieve.rankers import parse_ranker

    def fit(text):
        if text not in _FITTED:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                binary = "SVMMAP" in text
                training = data if not binary else _binary(data)
                _FITTED[text] = parse_ranker(text).fit(training)
        return _FITTED[text]

    return fit


def _binary(data):
    return from_arrays(
        data.X, (data.y > 0).astype(float), data.qid, feature_names=list(data.feature_names)
    )

"""How alike the features are that a method selects in several runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.errors import DataError
from ranksieve.evaluate._checks import check_level, numbers


@dataclass(frozen=True)
class Stability:
    """Nogueira's stability, with its variance and a confidence interval.

    Attributes
    ----------
    value : float, at most 1; about 0 for sets drawn at random
    variance : float, of the value, as runs vary
    low, high : float, ends of the interval; not cut at 1
    """

    value: float
    variance: float
    low: float
    high: float


def nogueira_stability(selected: ArrayLike, *, level: float = 0.95) -> Stability:
    """Return how much alike the selections of several runs are, corrected for chance.

        stability = 1 - mean over features of M / (M - 1) p (1 - p) / (q (1 - q))

    with M runs, p the share of runs that select a feature, and q the mean share of features
    that a run selects. It is 1 for equal sets, and 0 in expectation for sets drawn at random,
    whatever their sizes. With equal sizes it is Kuncheva's index.

    The variance is 4 / M^2 times the sum of the squared deviations, from their mean, of

        phi_i = (mean(z p) - q q_i + stability / 2 (2 q q_i - q_i - q + 1)) / (q (1 - q)),

    z being what run i selects and q_i its share of the features; the interval is the value
    plus or minus the normal quantile times its root. Both are asymptotic in the number of runs.

    Parameters
    ----------
    selected : (runs, features) array of bool, or of 0 and 1; two runs at least
    level : float, between 0 and 1, of the interval

    Notes
    -----
    Where every run selects all features, or none does any, sets cannot but agree: the
    stability is not defined, and all fields are NaN. Where the sets of all runs are equal, the
    variance is 0 and the interval has no width: few runs may flatter. Runs on folds share
    training queries, so that they are more alike than independent ones, and the interval is
    too narrow. Cost: O(runs features).

    References
    ----------
    Nogueira, Sechidis and Brown, On the stability of feature selection algorithms, Journal of
    Machine Learning Research 18 (174), 2018.

    Examples
    --------
    >>> found = nogueira_stability([[1, 1, 0, 0], [1, 0, 1, 0]])
    >>> found.value  # two of four each, one in common: what chance gives
    0.0
    """
    check_level(level)
    Z = _runs(selected)
    p, shares = Z.mean(axis=0), Z.mean(axis=1)
    q, n_runs = float(shares.mean()), len(Z)
    if q in (0.0, 1.0):
        return Stability(math.nan, math.nan, math.nan, math.nan)
    chance = q * (1.0 - q)
    value = 1.0 - n_runs / (n_runs - 1) * float((p * (1.0 - p)).mean()) / chance
    inner = Z @ p / len(p) - q * shares + value / 2.0 * (2.0 * q * shares - shares - q + 1.0)
    variance = 4.0 / n_runs * float((inner / chance).var())
    half = _normal_quantile((1.0 + level) / 2.0) * math.sqrt(variance)
    return Stability(value, variance, value - half, value + half)


def jaccard_stability(selected: ArrayLike) -> float:
    """Return the mean over pairs of runs of |A and B| / |A or B|, their sets being A and B.

    Easy to read, but not corrected for chance: large sets overlap. Two empty sets are equal and
    count 1.

    Parameters
    ----------
    selected : (runs, features) array of bool, or of 0 and 1; two runs at least

    Notes
    -----
    Cost: O(runs^2 features).

    Examples
    --------
    >>> round(jaccard_stability([[1, 1, 0], [1, 0, 0], [1, 1, 0]]), 4)  # (1/2 + 1 + 1/2) / 3
    0.6667
    """
    Z = _runs(selected)
    pairs = np.triu_indices(len(Z), k=1)
    sizes = Z.sum(axis=1)
    common = (Z @ Z.T)[pairs]
    union = sizes[pairs[0]] + sizes[pairs[1]] - common
    return float(np.where(union > 0.0, common / np.maximum(union, 1.0), 1.0).mean())


def _runs(selected: ArrayLike) -> NDArray[np.float64]:
    """Return selections as 0 and 1, checked."""
    Z = numbers("selected", selected, axes=("runs", "features"))
    if not np.isin(Z, (0.0, 1.0)).all():
        raise DataError("selected must say True or False (or 1 or 0) for each run and feature")
    if len(Z) < 2 or Z.shape[1] < 1:
        raise DataError(
            "stability needs at least two runs and one feature, but selected has "
            f"{Z.shape[0]} and {Z.shape[1]}"
        )
    return Z


def _normal_quantile(q: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(q))

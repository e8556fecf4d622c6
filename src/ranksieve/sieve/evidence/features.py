"""What is known of each feature after a search."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranksieve.passes.variation import varying_features
from ranksieve.sieve.decide.claim import Difference, difference
from ranksieve.sieve.evidence.resamples import resample_shares
from ranksieve.sieve.evidence.twins import twins
from ranksieve.sieve.result import FeatureEvidence, Twin
from ranksieve.sieve.search.elimination import Rung
from ranksieve.sieve.search.search import Search


def feature_evidence(
    found: Search, choice: int, order: NDArray[np.int64], without: dict[int, Difference]
) -> tuple[FeatureEvidence, ...]:
    """Return the evidence for each feature, in an order.

    A feature that the chosen set has is judged in that set, another one in the last set that
    had it: there its copies and substitutes are gone as far as they ever were.

    Parameters
    ----------
    found : the search
    choice : position of the chosen rung
    order : features, as indices of the search's data
    without : what `retraining.without_each` returned
    """
    data, costs = found.question.data, found.question.costs
    chosen = found.rungs[choice]
    shares = resample_shares(found, choice)
    alike = twins(data, found.question.random_state)
    varies, prices = varying_features(data), costs.feature_prices()
    names = [str(name) for name in data.feature_names]
    evidence = []
    for feature in map(int, order):
        rung = _last_rung(found.rungs[: choice + 1], feature)
        loss = None if rung is None else _loss(found, rung, feature)
        evidence.append(
            FeatureEvidence(
                name=names[feature],
                kept=bool(chosen.selected[feature]),
                loss=math.nan if loss is None else loss.mean,
                low=math.nan if loss is None else loss.low,
                high=math.nan if loss is None else loss.high,
                n_features=0 if rung is None else rung.n_features,
                without=without.get(feature),
                fold_share=float(chosen.fold_selected[:, feature].mean()),
                resample_share=float(shares[feature]),
                twins=tuple(
                    Twin(names[other], similarity, bool(chosen.selected[other]))
                    for other, similarity in alike[feature]
                ),
                price=float(prices[feature]),
                permuted="within" if varies[feature] else "across",
            )
        )
    return tuple(evidence)


def _last_rung(rungs: Sequence[Rung], feature: int) -> Rung | None:
    return next((rung for rung in reversed(rungs) if rung.selected[feature]), None)


def _loss(found: Search, rung: Rung, feature: int) -> Difference:
    losses = rung.losses[found.counting, feature]
    losses = losses[~np.isnan(losses)]
    return difference(losses, np.zeros(len(losses)), level=found.question.level)

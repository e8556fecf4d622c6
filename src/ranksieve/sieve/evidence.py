"""What is known of each feature after a search."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.passes.variation import varying_features
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.decide.claim import difference
from ranksieve.sieve.result import FeatureEvidence
from ranksieve.sieve.search.elimination import Rung


def feature_evidence(
    data: RankingData,
    rungs: Sequence[Rung],
    choice: int,
    order: NDArray[np.int64],
    costs: Costs,
    counting: NDArray[np.bool_],
    *,
    level: float,
) -> tuple[FeatureEvidence, ...]:
    """Return the evidence for each feature, in the order of the elimination.

    A feature that the chosen set has is judged in that set, another one in the last set that
    had it: there its copies and substitutes are gone as far as they ever were.
    """
    prices = costs.feature_prices()
    varies = varying_features(data)
    chosen = rungs[choice]
    return tuple(
        _one_feature(
            str(data.feature_names[feature]),
            _last_rung(rungs[: choice + 1], int(feature)),
            int(feature),
            chosen,
            counting,
            price=float(prices[feature]),
            varies=bool(varies[feature]),
            level=level,
        )
        for feature in order
    )


def _last_rung(rungs: Sequence[Rung], feature: int) -> Rung | None:
    return next((rung for rung in reversed(rungs) if rung.selected[feature]), None)


def _one_feature(
    name: str,
    rung: Rung | None,
    feature: int,
    chosen: Rung,
    counting: NDArray[np.bool_],
    *,
    price: float,
    varies: bool,
    level: float,
) -> FeatureEvidence:
    loss = low = high = math.nan
    if rung is not None:
        losses = rung.losses[counting, feature]
        change = difference(losses, np.zeros(len(losses)), level=level)
        loss, low, high = change.mean, change.low, change.high
    return FeatureEvidence(
        name=name,
        kept=bool(chosen.selected[feature]),
        loss=loss,
        low=low,
        high=high,
        n_features=0 if rung is None else rung.n_features,
        fold_share=float(chosen.fold_selected[:, feature].mean()),
        price=price,
        permuted="within" if varies else "across",
    )

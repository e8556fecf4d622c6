"""Results of a sieve made by hand, for tests of the page that shows them."""

from __future__ import annotations

import math
from dataclasses import replace

from ranksieve.sieve.decide.claim import Difference
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.result import (
    Certificate,
    CertifiedSet,
    FeatureEvidence,
    Making,
    QueryChange,
    SetSummary,
    SieveResult,
    Twin,
)

EVERYTHING = 0.5
# Features in the sets, and by how many per cent of the measure each changes it: mean and half
# the width of the interval.
STEPS = ((8, 0.0, 0.0), (6, 0.4, 0.7), (4, 0.1, 0.8), (2, -3.0, 1.0), (1, -40.0, 2.0))
N_SUPPORTED = 3

MAKING = Making(
    n_documents=4000,
    n_queries=200,
    n_counting=180,
    n_searched=180,
    n_folds=5,
    n_repeats=2,
    random_state=7,
    n_trainings=61,
    seconds=12.5,
    version="9.8.7",
    fingerprint="data-fingerprint",
    interrupted=False,
)


def difference(mean, half, n_queries=180):
    """A difference of a mean and half an interval, in per cent of the measure."""
    low, mean, high = (EVERYTHING / 100 * value for value in (mean - half, mean, mean + half))
    return Difference(mean, low, high, 0.1, n_queries, max(-low, 0.0))


def sets(names, prices, steps=STEPS, n_supported=N_SUPPORTED):
    """The sets of a ladder: each has the first features of the one above."""
    return tuple(
        SetSummary(
            features=tuple(names[:n_features]),
            price=float(sum(prices[:n_features])),
            mean=EVERYTHING * (1 + mean / 100),
            change=difference(mean, half),
            supported=position < n_supported,
        )
        for position, (n_features, mean, half) in enumerate(steps)
    )


def evidence(names, prices, n_kept, n_varying):
    """Evidence for each feature: the last are constant, the third is permuted across queries."""
    n_features = len(names)
    return tuple(
        FeatureEvidence(
            name=name,
            kept=index < n_kept,
            loss=math.nan if is_constant else 0.02 / (index + 1) - 0.003,
            low=math.nan if is_constant else 0.02 / (index + 1) - 0.006,
            high=math.nan if is_constant else 0.02 / (index + 1),
            n_features=0 if is_constant else 4,
            without=difference(-1.0 / (index + 1), 0.5) if index < n_kept else None,
            fold_share=1.0 if index < n_kept else 0.2,
            resample_share=0.95 if index < n_kept else 0.05,
            twins=(Twin(names[(index + 1) % n_features], -0.91, True),) if index == 1 else (),
            price=float(prices[index]),
            permuted="across" if index == 2 else "within",
        )
        for index, name in enumerate(names)
        for is_constant in (index >= n_varying,)
    )


def queries(n=180, names=None):
    """Query changes, the one that loses most first: a third each loses, stays and gains."""
    changes = [-0.3 * (1 - index / 60) if index < 60 else 0.0 for index in range(120)]
    changes += [0.2 * (index + 1) / 60 for index in range(60)]
    return tuple(
        QueryChange(names[index] if names else f"q{index}", 20, EVERYTHING, EVERYTHING + change)
        for index, change in enumerate(changes[:n])
    )


def certificate(*, proven=True, reopened=False, position=2):
    test = CertifiedSet(position, 4, difference(-0.2, 0.5, 900), proven, 25.0 if proven else 0.4)
    return Certificate((test,), "certifying-fingerprint", reopened)


def result(
    *,
    names=None,
    prices=None,
    choice=2,
    claim="supported",
    steps=STEPS,
    n_supported=N_SUPPORTED,
    query_names=None,
    n_queries=180,
    interrupted=False,
    **changes,
):
    """A result of ten features, two of them constant, with what a test wants to be different."""
    names = names or [f"feature_{index}" for index in range(10)]
    costs = prices or [1.0] * len(names)
    ladder = sets(names, costs, steps, n_supported)
    made = SieveResult(
        ladder=ladder,
        choice=choice,
        claim=claim,
        certificate=None,
        features=evidence(names, costs, ladder[choice].n_features, ladder[0].n_features),
        queries=queries(n_queries, query_names),
        measure="ndcg@10",
        ranker="RankSVM(C=0.01)",
        margin=Margin(0.01),
        level=0.05,
        queries_needed=1234,
        certifying_needed=1974,
        priced=prices is not None,
        full_price=float(sum(costs)),
        making=replace(MAKING, interrupted=interrupted),
    )
    return replace(made, **changes)


def long_result(n_features=500):
    """A result with many features, none of them constant."""
    names = [f"some_group.feature_{index:03d}" for index in range(n_features)]
    steps = ((n_features, 0.0, 0.0), (n_features // 2, 0.2, 0.5), (60, 0.1, 0.6), (5, -9.0, 1.0))
    return result(names=names, steps=steps)

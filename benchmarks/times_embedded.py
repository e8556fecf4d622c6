"""Seconds of fitting each penalty and embedded method, over documents and over features.

The sparse RankSVM paper leaves "an elaborate study of the computational times" open. All penalties
have the same strength, a share of the l1 norm's critical one; FSMRank that share of its own, and
FenchelRank the radius of the l1 solution, so that the models are of similar size.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.timing import timed
from ranksieve import (
    FSMSVM,
    FenchelRank,
    FSMRank,
    RankingData,
    SparseRankSVM,
    make_ranking,
)
from ranksieve.data import scale
from ranksieve.errors import ParameterError
from ranksieve.importance.pearson import PearsonImportance
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import L1Penalty, RedundancyPenalty, as_penalty
from ranksieve.problems import PairRisk
from ranksieve.solvers import critical_strength

PER_QUERY = 100
DOCUMENTS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
FEATURES = (10, 30, 100, 300)
# What is held while the other varies.
FIXED_FEATURES, FIXED_DOCUMENTS = 50, 10_000
SHARE = 0.03
SIMILARITY_STRENGTH = 0.01
PENALTIES = {
    "l1": "l1",
    "elastic-net": "elastic-net",
    "MCP": "mcp",
    "MCP, fixed width": 'mcp(units="fixed")',
    "SCAD": "scad",
    "log": "log",
    "lp": "lp",
}
# Calls of one measurement at most, seconds after which no further call starts, and seconds above
# which a method is not measured on larger data.
CALLS, ENOUGH, TOO_LONG = 5, 1.0, 8.0

Row = dict[str, Any]


def embedded_times(
    documents: tuple[int, ...] = DOCUMENTS,
    features: tuple[int, ...] = FEATURES,
    report: Callable[[str], None] = print,
) -> list[Row]:
    """One row per method and size: the least seconds of some fits, and what was fitted."""
    rows = list(_over("documents", [(n, FIXED_FEATURES) for n in documents], report))
    rows += _over("features", [(FIXED_DOCUMENTS, p) for p in features], report)
    return rows


def _over(axis: str, sizes: list[tuple[int, int]], report: Callable[[str], None]) -> Iterator[Row]:
    left_out: set[str] = set()
    for n_documents, n_features in sizes:
        data = generated(n_documents, n_features)
        report(f"  {data.n_documents:,} documents, {n_features} features")
        for name, make in methods(data).items():
            if name in left_out:
                continue
            seconds, model, calls = least_seconds(lambda make=make, data=data: make().fit(data))
            if seconds > TOO_LONG:
                left_out.add(name)
            yield {
                "axis": axis,
                "method": name,
                "documents": data.n_documents,
                "features": n_features,
                "seconds": seconds,
                "calls": calls,
                "selected": int(np.count_nonzero(model.coef_)),
                "converged": bool(model.converged_),
            }


def generated(n_documents: int, n_features: int) -> RankingData:
    """Generated data scaled to [0, 1]; a fifth of the features matter, a fifth repeat them."""
    part = max(1, n_features // 5)
    data, _ = make_ranking(
        max(2, n_documents // PER_QUERY),
        PER_QUERY,
        n_relevant=part,
        n_redundant=part,
        n_irrelevant=n_features - 2 * part,
        random_state=0,
    )
    return scale(data)


def methods(data: RankingData) -> dict[str, Callable[[], Any]]:
    """Names of methods to what makes them, with strengths for this data.

    A spelling that this version of ranksieve does not know is left out.
    """
    strength = SHARE * _critical(data)
    calls_by_name: dict[str, Callable[[], Any]] = {
        name: lambda text=text: SparseRankSVM(text, strength=strength)
        for name, text in PENALTIES.items()
        if _is_known(text)
    }
    radius = float(np.abs(SparseRankSVM("l1", strength=strength).fit(data).coef_).sum())
    # FSMRank divides by importances of at most 1: its critical strength is the smaller one.
    fsmrank = {
        "similarity_strength": SIMILARITY_STRENGTH,
        "importance_strength": SHARE * _critical_of_fsmrank(data),
    }
    return {
        **calls_by_name,
        "FSMRank": lambda: FSMRank(**fsmrank),
        "FSMSVM": lambda: FSMSVM(**fsmrank, C=1e-4),
        "FenchelRank": lambda: FenchelRank(radius=radius),
    }


def _is_known(text: str) -> bool:
    try:
        as_penalty(text)
    except ParameterError:
        return False
    return True


def _critical(data: RankingData) -> float:
    return critical_strength(PairRisk(data, SquaredHingeLoss()), L1Penalty())


def _critical_of_fsmrank(data: RankingData) -> float:
    penalty = RedundancyPenalty(None, SIMILARITY_STRENGTH, PearsonImportance().scores(data))
    return critical_strength(PairRisk(data, SquaredHingeLoss()), penalty)


def least_seconds(call: Callable[[], Any]) -> tuple[float, Any, int]:
    """The least seconds of a few calls, the last result, and how many counted.

    The first call, which may compile, counts only where it alone took long enough.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, result = timed(call)
        counted = [seconds] if seconds > TOO_LONG / 2 else []
        while not counted or (len(counted) < CALLS and sum(counted) < ENOUGH):
            seconds, result = timed(call)
            counted.append(seconds)
    return min(counted), result, len(counted)

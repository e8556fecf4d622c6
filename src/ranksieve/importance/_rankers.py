"""What importances that train a ranker share: the ranker, folds of queries, ties, their text."""

from __future__ import annotations

from dataclasses import fields
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.measures import Measure
from ranksieve.progress import silent


def as_ranker(spelled: Any) -> Any:
    """Return the ranker that a text spells, or an object that can rank.

    None is LightGBMRanker where LightGBM is installed, and RankSVM where it is not.
    """
    ranker = spelled
    if ranker is None:
        ranker = "LightGBMRanker" if find_spec("lightgbm") is not None else "RankSVM"
    if isinstance(ranker, str):
        return catalog.parse(ranker, "rankers")
    can_rank = callable(getattr(ranker, "fit", None)) and hasattr(ranker, "predict")
    if can_rank and not isinstance(ranker, type):
        return ranker
    raise ParameterError(
        "ranker must be a ranker such as LightGBMRanker(), its text form, or None, but is "
        f"{spelled!r}"
    )


def settled(ranker: Any, data: RankingData) -> Any:
    """Return a quick copy whose parameters are chosen: what is by folds, on all of the data."""
    with silent():
        ranker = ranker.tuned(data) if hasattr(ranker, "tuned") else ranker
        return ranker.quick(data.n_documents) if hasattr(ranker, "quick") else ranker


def folds_of(counting: NDArray[np.bool_], n_folds: int, random_state: int) -> NDArray[np.int64]:
    """Return the fold of each query that counts, dealt out at random; -1 for the others."""
    order = np.random.default_rng(random_state).permutation(np.flatnonzero(counting))
    fold_of_query = np.full(len(counting), -1, dtype=np.int64)
    for fold, part in enumerate(np.array_split(order, min(n_folds, len(order)))):
        fold_of_query[part] = fold
    return fold_of_query


def untied(measure: Measure) -> Measure:
    """Return the measure with ties averaged: scores of few values make many."""
    return measure.with_ties("average") if measure.ties == "input" else measure


def changed_call(component: Any) -> str:
    """Return the constructor call of a dataclass with what differs from the defaults."""
    values = {
        field.name: (getattr(component, field.name), field.default) for field in fields(component)
    }
    changed = [f"{name}={value!r}" for name, (value, usual) in values.items() if value != usual]
    return f"{type(component).__name__}({', '.join(changed)})"

"""What an inspection means for feature selection, in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.report.inspection.collect import Inspection
from ranksieve.report.shared.clustering import FeatureBlock
from ranksieve.report.shared.words import counted, listed, percent, ranged, shortened


class Verdict(NamedTuple):
    """The GAS paper's two aspects in a sentence each, and what follows from them.

    If the effects of features vary largely and there are redundant features, selection by
    importance and similarity works well: one should test both first (Geng, Liu, Qin and Li,
    Feature selection for ranking, 2007, section 4.3). The paper shows both in pictures and
    names no limits; ours stand in `importance_facts` and `similarity_facts`.
    """

    spread: str
    redundancy: str
    conclusion: str


def verdict(inspection: Inspection) -> Verdict:
    """Return the verdict on inspected data.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.report import inspect
    >>> data, _ = make_ranking(50, n_relevant=3, n_redundant=9, n_irrelevant=12, random_state=0)
    >>> print(verdict(inspect(data)).conclusion)
    Selecting by importance and similarity (GAS, FS-SCPR) should pay: weak features can
    go, and one of each block can stay.
    """
    return Verdict(_spread(inspection), _redundancy(inspection), _conclusion(inspection))


def advice(inspection: Inspection) -> list[str]:
    """Return which features can go, by name, a sentence for each reason that there is.

    Examples
    --------
    >>> from ranksieve.report import inspect
    >>> X = [[1.0, 5.0, 1.0], [2.0, 5.0, 2.0], [0.0, 5.0, 0.0]]
    >>> advice(inspect((X, [0, 1, 0], [1, 1, 1])))
    ['Drop x1: constant.', 'Drop x2: a copy of x0.']
    """
    facts = inspection.features
    worth_something = inspection.permuted_across & (inspection.importance.scores > 0)
    only_in_queries = facts.constant_in_queries & ~facts.constant & ~worth_something
    copies = np.flatnonzero(facts.duplicate_of >= 0)
    sentences = []
    if facts.constant.any():
        sentences.append(f"Drop {_named(inspection, np.flatnonzero(facts.constant))}: constant.")
    if only_in_queries.any():
        names = _named(inspection, np.flatnonzero(only_in_queries))
        sentences.append(f"Drop {names}: constant in each query.")
    if worth_something.any():
        names = _named(inspection, np.flatnonzero(worth_something))
        sentences.append(
            f"Keep {names} if a model of trees ranks: constant in each query, but it loses by "
            "permuting across queries."
        )
    if len(copies):
        firsts = _named(inspection, np.unique(facts.duplicate_of[copies]))
        kind = "copies" if len(copies) > 1 else "a copy"
        sentences.append(f"Drop {_named(inspection, copies)}: {kind} of {firsts}.")
    blocks = [block for block in inspection.similarity.blocks if _without(block, copies)]
    if blocks:
        named_blocks = [
            f"{_named(inspection, [block.best])} (or {_named(inspection, _without(block, copies))})"
            for block in blocks[:_BLOCKS]
        ]
        more = f"; and {len(blocks) - _BLOCKS:,} more blocks" if len(blocks) > _BLOCKS else ""
        sentences.append(f"One of each can stand for the others: {'; '.join(named_blocks)}{more}.")
    return sentences


def next_command(inspection: Inspection) -> str:
    """Return the command that selects, by the method that the verdict names; "" where none can."""
    spread, similar = inspection.importance, inspection.similarity
    from_file = inspection.kind not in ("table", "arrays", "RankingData")
    if not from_file or len(similar.order) < 2 or not spread.best > spread.random:
        return ""
    method = "GAS" if similar.is_redundant and not similar.has_few_blocks else "TopK"
    missing = ["--missing", str(inspection.missing)] if inspection.n_missing else []
    words = ["ranksieve", "select", inspection.source, "--method", method, "-k", "validation"]
    return shlex.join([*words, *missing, "-o", "features.json"])


# How many blocks are named, and how many features for each reason; the tables have all.
_BLOCKS, _NAMES = 6, 12


def _without(block: FeatureBlock, copies: NDArray[np.int64]) -> list[int]:
    """Return the members of a block that its best one can stand for, besides exact copies."""
    left_out = {block.best, *copies.tolist()}
    return [member for member in sorted(block.members) if member not in left_out]


def _named(inspection: Inspection, features: Sequence[int] | NDArray[np.int64]) -> str:
    names = [shortened(inspection.feature_names[int(feature)], 40) for feature in features]
    return listed(ranged(names), _NAMES)


def _spread(inspection: Inspection) -> str:
    facts, n = inspection.importance, len(inspection.similarity.order)
    if n == 0:
        return "No feature orders the documents of any query."
    if not facts.best > facts.random:
        return f"No feature ranks better than a random order ({facts.name} {facts.random:.4f})."
    if n == 1:
        return "One feature orders documents, so there is nothing to compare it with."
    varies = "vary largely" if facts.varies_largely else "do not vary much"
    return (
        f"The effects of features {varies}: over a random order, the median feature gains "
        f"{percent(max(facts.median_gain, 0.0), 1)} of what the best one gains, and "
        f"{facts.n_near_random:,} of {n:,} gain next to nothing."
    )


def _redundancy(inspection: Inspection) -> str:
    facts = inspection.similarity
    n = len(facts.order)
    if not facts.blocks:
        return f"No two features are alike (mean similarity of {facts.cut:g} or more)."
    level = "high" if facts.is_redundant else "low"
    blocks = counted(len(facts.blocks), "block")
    sentence = (
        f"Redundancy is {level}: {facts.n_in_blocks:,} of {n:,} features form {blocks} of features "
        f"that rank alike, and one of each can stand for the other {facts.n_redundant:,}."
    )
    if facts.has_few_blocks:
        largest = sum(len(block.members) for block in facts.blocks[:2])
        sentence += f" But the two largest blocks hold {percent(largest, n)} of the features."
    return sentence


def _conclusion(inspection: Inspection) -> str:
    spread, similar = inspection.importance, inspection.similarity
    if len(similar.order) < 2 or not spread.best > spread.random:
        return (
            "There is nothing to select by: do the grades, and the features, differ within queries?"
        )
    if similar.has_few_blocks:
        return (
            "With most features like most others, a penalty on similarity cannot tell them apart: "
            "expect little over selecting by importance alone (TopK), or raise the cut."
        )
    if spread.varies_largely and similar.is_redundant:
        return (
            "Selecting by importance and similarity (GAS, FS-SCPR) should pay: weak features can "
            "go, and one of each block can stay."
        )
    if spread.varies_largely:
        return (
            "Weak features can go, and few repeat each other: selecting by importance alone (TopK) "
            "should do as well as GAS or FS-SCPR."
        )
    if similar.is_redundant:
        return (
            "Features are about equally good, so dropping weak ones gains little; one feature of "
            "each block (GAS, FS-SCPR) should do as well as all."
        )
    return (
        "Expect little from selecting by importance and similarity: features are about equally "
        "good, and few repeat each other."
    )

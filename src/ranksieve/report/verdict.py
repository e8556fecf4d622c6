"""What an inspection means for feature selection, in sentences."""

from __future__ import annotations

from typing import NamedTuple

from ranksieve.report.inspection import Inspection
from ranksieve.report.words import counted, percent


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


def verdict(found: Inspection) -> Verdict:
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
    return Verdict(_spread(found), _redundancy(found), _conclusion(found))


def _spread(found: Inspection) -> str:
    facts, n = found.importance, len(found.similarity.order)
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


def _redundancy(found: Inspection) -> str:
    facts = found.similarity
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


def _conclusion(found: Inspection) -> str:
    spread, similar = found.importance, found.similarity
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

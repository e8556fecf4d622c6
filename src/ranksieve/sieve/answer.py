"""From a search to an answer: the choice, the claim, and the evidence in one result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.sieve.decide.choice import choose_typical
from ranksieve.sieve.decide.claim import (
    Difference,
    difference,
    fixed_sequence,
    is_supported,
    queries_needed,
)
from ranksieve.sieve.evidence.features import feature_evidence
from ranksieve.sieve.evidence.queries import query_changes
from ranksieve.sieve.result import Certificate, Claim, Making, SetSummary, SieveResult
from ranksieve.sieve.search.search import Search


def choice_of(found: Search, budget: float | None) -> int:
    """Return the position of the set to take."""
    positions = found.decisive
    values = np.array([found.values(position) for position in positions])
    means = values.mean(axis=1)
    prices = [found.rungs[position].price for position in positions]
    if budget is None:
        reference = float(found.reference(positions[0]).mean())
        amount = found.question.margin.amount(reference)
        random_state = found.question.random_state
        return positions[choose_typical(values, prices, amount=amount, random_state=random_state)]
    within = [at for at, price in enumerate(prices) if price <= budget]
    if not within:
        raise ParameterError(
            f"budget={budget:g} is below the cheapest set of the ladder, which costs "
            f"{min(prices):g}"
        )
    return positions[max(within, key=lambda at: (means[at], -prices[at]))]


def supported_sets(found: Search, choice: int) -> frozenset[int]:
    """Return the positions of the sets that cross-fitting supports, that of all features with them.

    From all features down to the choice, and the first failure ends it. Smaller sets are not
    tested: models of folds train on a part of the queries, which flatters small sets.
    """
    question = found.question
    tested = [position for position in found.decisive if 0 < position <= choice]
    passes = [
        is_supported(
            found.values(position),
            found.reference(position),
            margin=question.margin,
            level=question.level,
        )
        for position in tested
    ]
    return frozenset((0, *tested[: fixed_sequence(passes)]))


@dataclass(frozen=True, eq=False)
class Answer:
    """What is put together after the decision.

    Attributes
    ----------
    found : the search
    choice : position of the chosen set
    columns : the features of the search's data as indices of the user's
    without : what `evidence.retraining.without_each` returned
    certificate : what the certifying queries say, or None
    ranker : text form of the user's
    making : how it was made
    """

    found: Search
    choice: int
    columns: NDArray[np.int64]
    without: dict[int, Difference]
    certificate: Certificate | None
    ranker: str
    making: Making

    def order(self) -> NDArray[np.int64]:
        """Return the features of the search's data, those that stayed longest first."""
        varied = self.found.order()
        constant = np.flatnonzero(~self.found.rungs[0].selected)
        return np.concatenate([varied, constant]).astype(np.int64)

    def result(self) -> SieveResult:
        """Return everything that is known."""
        question = self.found.question
        ladder = self._ladder()
        deviation = max(step.change.deviation for step in ladder[: self.choice + 1])
        amount = question.margin.amount(float(self.found.reference(self.choice).mean()))
        return SieveResult(
            ladder=ladder,
            choice=self.choice,
            claim=self._claim(ladder),
            certificate=self.certificate,
            features=feature_evidence(self.found, self.choice, self.order(), self.without),
            queries=query_changes(self.found, self.choice),
            measure=str(question.measure.with_ties("input")),
            ranker=self.ranker,
            margin=question.margin,
            level=question.level,
            queries_needed=queries_needed(deviation, amount, level=question.level),
            certifying_needed=queries_needed(deviation, amount, level=question.level, betting=True),
            priced=question.costs.priced,
            full_price=float(question.costs.prices.sum()),
            making=self.making,
        )

    def _ladder(self) -> tuple[SetSummary, ...]:
        found, question = self.found, self.found.question
        supported = supported_sets(found, self.choice)
        return tuple(
            SetSummary(
                features=self._names(rung.selected),
                price=rung.price,
                mean=float(found.values(position).mean()),
                change=difference(
                    found.values(position), found.reference(position), level=question.level
                ),
                supported=position in supported,
            )
            for position, rung in enumerate(found.rungs)
        )

    def _names(self, selected: NDArray[np.bool_]) -> tuple[str, ...]:
        """Return names in the order of the user's data."""
        features = np.flatnonzero(selected)
        names = self.found.question.data.feature_names
        return tuple(
            str(names[feature]) for feature in features[np.argsort(self.columns[features])]
        )

    def _claim(self, ladder: tuple[SetSummary, ...]) -> Claim:
        if self.certificate is not None and not self.certificate.reopened:
            test = self.certificate.test_of(self.choice)
            if test is not None and test.proven:
                return "certified"
        return "supported" if ladder[self.choice].supported else "none"

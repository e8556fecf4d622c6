"""The result of a sieve in the units of its page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ranksieve.sieve.decide.claim import Difference
    from ranksieve.sieve.result import CertifiedSet, FeatureEvidence, SetSummary, SieveResult

# What is known of a set: a loss of the margin is ruled out, is not, or was looked at on a sample.
State = Literal["supported", "open", "sampled"]
# Below about this many queries another seed gives another set.
ENOUGH_QUERIES = 100


class Interval(NamedTuple):
    """A mean and the ends of its interval, in the unit of the page."""

    mean: float
    low: float
    high: float

    @property
    def is_finite(self) -> bool:
        """Whether all three are numbers."""
        return all(map(math.isfinite, self))

    def negated(self) -> Interval:
        """Return the change as a loss, or the other way round."""
        return Interval(-self.mean, -self.high, -self.low)


@dataclass(frozen=True)
class SieveView:
    """A result, with its changes in the unit in which the margin was given.

    A relative margin makes changes shares of the measure with all features, in per cent; an
    absolute one leaves them in units of the measure.
    """

    result: SieveResult

    @property
    def everything(self) -> float:
        """The measure with all features, on the queries that judge the choice."""
        return _reference(self.result.chosen)

    @property
    def margin(self) -> float:
        """The margin in the unit of the page."""
        size = self.result.margin.size
        return 100 * size if self.result.margin.relative else size

    @property
    def unit(self) -> str:
        """What follows a number: " %", or nothing for units of the measure."""
        return " %" if self.result.margin.relative else ""

    @property
    def unit_words(self) -> str:
        """The unit in words, for the captions of pictures and tables."""
        if self.result.margin.relative:
            return f"% of {self.result.measure} with all features"
        return self.result.measure

    def set_change(self, position: int) -> Interval:
        """Return the change of a set of the ladder beside all features."""
        ladder_set = self.result.ladder[position]
        return self._scaled(ladder_set.change, _reference(ladder_set))

    def test_change(self, test: CertifiedSet) -> Interval:
        """Return the change of a set on the certifying queries."""
        return self._scaled(test.change, self.everything)

    def permutation_loss(self, feature: FeatureEvidence) -> Interval:
        """Return what permuting a feature costs."""
        factor = self._factor(self.everything)
        return Interval(factor * feature.loss, factor * feature.low, factor * feature.high)

    def retraining_loss(self, feature: FeatureEvidence) -> Interval | None:
        """Return what training without a feature costs; None where that was not tried."""
        if feature.without is None:
            return None
        return self._scaled(feature.without, self.everything).negated()

    def signed(self, value: float) -> str:
        """Return a change as text: "+0.3 %", or "+0.0021" in units of the measure."""
        return f"{_rounded(value, self._decimals, '+')}{self.unit}"

    def unsigned(self, value: float) -> str:
        """Return a loss as text: "0.31 %", or "0.0021" in units of the measure."""
        return f"{_rounded(value, self._loss_decimals)}{self.unit}"

    def between(self, interval: Interval) -> str:
        """Return the ends of the interval of a change as text: "-1.2 to +1.8 %"."""
        low, high = (_rounded(end, self._decimals, "+") for end in interval[1:])
        return f"{low} to {high}{self.unit}"

    def loss_between(self, interval: Interval) -> str:
        """Return the ends of the interval of a loss as text, without the unit: "0.12 to 0.40"."""
        low, high = (_rounded(end, self._loss_decimals) for end in interval[1:])
        return f"{low} to {high}"

    def state(self, position: int) -> State:
        """Return what is known of a set of the ladder."""
        ladder_set, first = self.result.ladder[position], self.result.ladder[0]
        if ladder_set.supported:
            return "supported"
        return "sampled" if ladder_set.change.n_queries < first.change.n_queries else "open"

    @property
    def last_supported(self) -> int:
        """Position of the smallest set that is supported."""
        return max(
            (position for position, each in enumerate(self.result.ladder) if each.supported),
            default=0,
        )

    def removed(self, position: int) -> tuple[str, ...]:
        """Return the names that a set has not, but the one above it has."""
        if position == 0:
            return ()
        remaining = set(self.result.ladder[position].features)
        above = self.result.ladder[position - 1].features
        return tuple(name for name in above if name not in remaining)

    def size_words(self, position: int) -> str:
        """Return how large a set is: "10 features", and what it costs where that is known."""
        ladder_set = self.result.ladder[position]
        n_features = ladder_set.n_features
        words = f"{n_features:,} feature{'s' * (n_features != 1)}"
        return f"{words}, cost {cost_text(ladder_set.price)}" if self.result.priced else words

    @property
    def _decimals(self) -> int:
        if not self.result.margin.relative:
            return 4
        return 1 if self.margin >= 0.5 else 2

    @property
    def _loss_decimals(self) -> int:
        return max(self._decimals, 2)

    def _scaled(self, difference: Difference, reference: float) -> Interval:
        factor = self._factor(reference)
        return Interval(factor * difference.mean, factor * difference.low, factor * difference.high)

    def _factor(self, reference: float) -> float:
        # As in the sentences: where the measure is 0 with all features there is no share of it.
        return 100 / (reference or 1.0) if self.result.margin.relative else 1.0


def cost_text(price: float) -> str:
    """Return a cost with as many digits as tell it.

    Examples
    --------
    >>> cost_text(3476.0), cost_text(0.125), cost_text(1234567.0)
    ('3,476', '0.125', '1,234,567')
    """
    return f"{price:,.0f}" if price == int(price) or price >= 1000 else f"{price:,.4g}"


def _rounded(value: float, decimals: int, sign: str = "-") -> str:
    """Return a number with its sign; 0 has none, and neither has what rounds to it.

    Examples
    --------
    >>> _rounded(0.31, 1, "+"), _rounded(-0.02, 1, "+"), _rounded(-0.3, 1), _rounded(math.inf, 1)
    ('+0.3', '0.0', '-0.3', 'inf')
    """
    text = f"{value:{sign}.{decimals}f}"
    return text if any(digit in text for digit in "123456789in") else text.lstrip("+-")


def _reference(ladder_set: SetSummary) -> float:
    return ladder_set.mean - ladder_set.change.mean

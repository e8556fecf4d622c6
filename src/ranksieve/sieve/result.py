"""What a sieve found: the ladder, the choice, the claim, and the evidence for each feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ranksieve.sieve.decide.claim import Difference
from ranksieve.sieve.margin import Margin

Claim = Literal["certified", "supported", "none"]


@dataclass(frozen=True)
class SetSummary:
    """A set of the ladder beside all features.

    Attributes
    ----------
    features : names, in the order of the data
    price : float, what they cost; their number where nothing has a price
    mean : float, the measure on queries that chose neither the set nor its model
    change : Difference to all features, paired by query
    supported : bool, whether a loss of the margin is ruled out for it and every larger set
    """

    features: tuple[str, ...]
    price: float
    mean: float
    change: Difference
    supported: bool

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)


@dataclass(frozen=True)
class FeatureEvidence:
    """What is known of one feature.

    Attributes
    ----------
    name : str
    kept : bool
    loss, low, high : float
        The measure that a query loses on average when the feature is permuted, in the smallest
        set that had it, and its interval; NaN for features that were dropped before the search.
    n_features : int, how many features that set had
    fold_share : float, the share of the folds that chose it for a set of the chosen size
    price : float
    permuted : {"within", "across"}
        Whether its values changed places within queries, or across them since it is constant
        in each.
    """

    name: str
    kept: bool
    loss: float
    low: float
    high: float
    n_features: int
    fold_share: float
    price: float
    permuted: Literal["within", "across"]


@dataclass(frozen=True)
class Certificate:
    """What queries say that nothing had seen before.

    Attributes
    ----------
    change : Difference to all features on these queries, with the frozen models
    proven : bool
    wealth : float, what a stake of 1 on the claim became; 1 / level proves it
    fingerprint : str, of the queries, which count once
    """

    change: Difference
    proven: bool
    wealth: float
    fingerprint: str


@dataclass(frozen=True)
class SieveResult:
    """The answer of a sieve.

    Attributes
    ----------
    ladder : sets from all features down
    choice : position of the chosen set
    claim : what the data proves about it
    certificate : Certificate or None where no queries were kept aside
    features : evidence for each feature, kept ones first
    measure, ranker : text forms
    margin : Margin
    level : float
    queries_needed : int, how many prove the margin in four of five cases, if nothing is lost
    priced : bool, whether costs were given; without them a set costs its number of features
    """

    ladder: tuple[SetSummary, ...]
    choice: int
    claim: Claim
    certificate: Certificate | None
    features: tuple[FeatureEvidence, ...]
    measure: str
    ranker: str
    margin: Margin
    level: float
    queries_needed: int
    priced: bool

    @property
    def chosen(self) -> SetSummary:
        """The chosen set."""
        return self.ladder[self.choice]

    @property
    def blocking(self) -> SetSummary:
        """The first set, from all features down to the chosen one, that is not supported.

        Sets are tested in that order, and the first failure ends it. The chosen one where all are.
        """
        tested = self.ladder[: self.choice + 1]
        return next((each for each in tested if not each.supported), self.chosen)

    def sentences(self) -> tuple[str, ...]:
        """Return the answer in a few sentences: the choice, its change, and the claim."""
        return tuple(_sentences(self))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


def _sentences(result: SieveResult) -> Sequence[str]:
    chosen, everything = result.chosen, result.ladder[0]
    change = chosen.change
    reference = everything.mean or 1.0
    share = 100 / reference
    return (
        f"{chosen.n_features} of {len(result.features)} features: {result.measure} "
        f"{chosen.mean:.4f} instead of {everything.mean:.4f}, {change.mean * share:+.1f} % "
        f"({change.low * share:+.1f} to {change.high * share:+.1f}).",
        _claim_sentence(result, share),
    )


def _claim_sentence(result: SieveResult, share: float) -> str:
    change = result.chosen.change
    confidence = f"{100 * (1 - result.level):g} %"
    if result.claim == "certified" and result.certificate is not None:
        return (
            f"Certified: a loss of more than {result.margin} is ruled out with {confidence} "
            f"confidence by {result.certificate.change.n_queries:,} queries that nothing had seen."
        )
    if result.claim == "supported":
        return (
            f"Supported: a loss of more than {result.margin} is ruled out with {confidence} "
            f"confidence by {change.n_queries:,} queries, up to cross-fitting and normality."
        )
    blocking = result.blocking
    at = f" for {blocking.n_features} features" if blocking is not result.chosen else ""
    return (
        f"No claim: with {change.n_queries:,} queries, losses under "
        f"{blocking.change.provable * share:.1f} % cannot be ruled out{at}; a claim of "
        f"{result.margin} needs about {result.queries_needed:,} queries."
    )

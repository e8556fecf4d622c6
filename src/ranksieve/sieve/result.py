"""What a sieve found: the ladder, the choice, the claim, and the evidence for each feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ranksieve.sieve.decide.claim import Difference
from ranksieve.sieve.margin import Margin

# Below this many queries sets differ from seed to seed.
FEW_QUERIES = 100

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
        Sets smaller than the choice are not tested.
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
    without : Difference or None
        The chosen set trained again without the feature, beside the chosen set, on the queries
        of the folds whose set had it; None for features that are not kept.
    fold_share : float, the share of the folds that chose it for a set of the chosen size
    resample_share : float
        The share of resamples of the queries that chose it; see `evidence.resamples`.
    twins : features that order documents nearly as it does, the nearest first
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
    without: Difference | None
    fold_share: float
    resample_share: float
    twins: tuple[Twin, ...]
    price: float
    permuted: Literal["within", "across"]


@dataclass(frozen=True)
class Twin:
    """A feature that orders documents nearly as another does.

    Attributes
    ----------
    name : str
    similarity : float
        Kendall's tau-b of the two orders, the mean over queries; below 0 for a mirror image.
    kept : bool
    """

    name: str
    similarity: float
    kept: bool


@dataclass(frozen=True)
class QueryChange:
    """One query with all features and with the chosen ones.

    Attributes
    ----------
    query : its id, as text
    n_documents : int
    everything, chosen : float, the measure with all features and with the chosen ones
    """

    query: str
    n_documents: int
    everything: float
    chosen: float

    @property
    def change(self) -> float:
        """What the query gains."""
        return self.chosen - self.everything


@dataclass(frozen=True)
class CertifiedSet:
    """A set of the ladder on queries that nothing had seen.

    Attributes
    ----------
    position : int, in the ladder
    n_features : int
    change : Difference to all features on these queries, with the frozen models
    proven : bool
    wealth : float, what a stake of 1 on the claim became; 1 / level proves it
    """

    position: int
    n_features: int
    change: Difference
    proven: bool
    wealth: float


@dataclass(frozen=True)
class Certificate:
    """What queries say that nothing had seen before.

    Attributes
    ----------
    tests : the sets, in the order in which they were tested; the first failure ends it
    fingerprint : str, of the queries, which count once
    reopened : bool, whether an earlier sieve had looked at them: then nothing is certified
    """

    tests: tuple[CertifiedSet, ...]
    fingerprint: str
    reopened: bool = False

    def test_of(self, position: int) -> CertifiedSet | None:
        """Return the test of a set of the ladder, or None where it was not reached."""
        return next((test for test in self.tests if test.position == position), None)

    @property
    def n_queries(self) -> int:
        """Number of queries that counted."""
        return self.tests[0].change.n_queries


@dataclass(frozen=True)
class Making:
    """How a result was made.

    Attributes
    ----------
    n_documents, n_queries : int, of the data without the queries that certify
    n_counting : int, queries whose measure an order of their documents can change
    n_searched : int, those that the search used; on large data a sample
    n_folds, n_repeats, random_state : int
    n_trainings : int, of the search; those that a store had count too
    seconds : float
    version : str, of ranksieve
    fingerprint : str, of the data
    interrupted : bool, whether the search was ended before its last rung
    """

    n_documents: int
    n_queries: int
    n_counting: int
    n_searched: int
    n_folds: int
    n_repeats: int
    random_state: int
    n_trainings: int
    seconds: float
    version: str
    fingerprint: str
    interrupted: bool


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
    queries : QueryChange of each query that counts, the one that loses most first
    measure, ranker : text forms
    margin : Margin
    level : float
    queries_needed : int, how many prove the margin in four of five cases, if nothing is lost
    certifying_needed : int, how many unseen queries certify it in four of five cases
    priced : bool, whether costs were given; without them a set costs its number of features
    full_price : float, what all features cost, those included that are constant
    making : how it was made
    """

    ladder: tuple[SetSummary, ...]
    choice: int
    claim: Claim
    certificate: Certificate | None
    features: tuple[FeatureEvidence, ...]
    queries: tuple[QueryChange, ...]
    measure: str
    ranker: str
    margin: Margin
    level: float
    queries_needed: int
    certifying_needed: int
    priced: bool
    full_price: float
    making: Making

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

    @property
    def frontier(self) -> tuple[int, ...]:
        """Positions of the sets that no cheaper or equally cheap set beats, the dearest first."""
        order = sorted(
            range(len(self.ladder)), key=lambda at: (self.ladder[at].price, -self.ladder[at].mean)
        )
        best = -math.inf
        frontier = []
        for position in order:
            if self.ladder[position].mean > best:
                best = self.ladder[position].mean
                frontier.append(position)
        return tuple(reversed(frontier))

    @property
    def certified(self) -> SetSummary | None:
        """The smallest set that is certified, or None."""
        if self.certificate is None or self.certificate.reopened:
            return None
        proven = [test.position for test in self.certificate.tests if test.proven]
        return self.ladder[max(proven)] if proven else None

    def sentences(self) -> tuple[str, ...]:
        """Return the answer in a few sentences: the choice, its change, and the claim."""
        return tuple(_sentences(self))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


def _sentences(result: SieveResult) -> Sequence[str]:
    chosen = result.chosen
    change = chosen.change
    everything = chosen.mean - change.mean
    share = 100 / (everything or 1.0)
    early = "So far (the search was ended early): " if result.making.interrupted else ""
    return (
        f"{early}{chosen.n_features} of {len(result.features)} features: {result.measure} "
        f"{chosen.mean:.4f} instead of {everything:.4f}, {change.mean * share:+.1f} % "
        f"({change.low * share:+.1f} to {change.high * share:+.1f}).",
        f"{_claim_sentence(result, share)}{_seed_sentence(result)}",
    )


def _seed_sentence(result: SieveResult) -> str:
    if result.making.n_counting >= FEW_QUERIES:
        return ""
    return f" With fewer than {FEW_QUERIES} queries another seed may choose other features."


def _claim_sentence(result: SieveResult, share: float) -> str:
    change = result.chosen.change
    confidence = f"{100 * (1 - result.level):g} %"
    ruled_out = f"a loss of more than {result.margin} is ruled out with {confidence} confidence by"
    if result.claim == "certified" and result.certificate is not None:
        return (
            f"Certified: {ruled_out} {result.certificate.n_queries:,} queries that nothing had "
            "seen."
        )
    if result.claim == "supported":
        return (
            f"Supported: {ruled_out} {change.n_queries:,} queries, up to cross-fitting and "
            f"normality.{_certificate_sentence(result, share)}"
        )
    blocking = result.blocking
    at = f" for {blocking.n_features} features" if blocking is not result.chosen else ""
    return (
        f"No claim: with {change.n_queries:,} queries, losses under "
        f"{blocking.change.provable * share:.1f} % cannot be ruled out{at}; a claim of "
        f"{result.margin} needs about {result.queries_needed:,} queries."
        f"{_certificate_sentence(result, share)}"
    )


def _certificate_sentence(result: SieveResult, share: float) -> str:
    """Return what the certifying queries say where they do not certify the choice."""
    if result.certificate is None:
        return ""
    queries = f"{result.certificate.n_queries:,} certifying queries"
    if result.certificate.reopened:
        return f" Not certified: the {queries} had been opened before."
    certified = result.certified
    if certified is not None:
        return f" The {queries} certify {certified.n_features} features."
    failed = result.certificate.tests[-1]
    change = failed.change
    interval = f"({change.low * share:+.1f} to {change.high * share:+.1f})"
    return (
        f" Not certified: on the {queries} the change with {failed.n_features} features is "
        f"{change.mean * share:+.1f} % {interval}, and a certificate takes about "
        f"{result.certifying_needed:,} queries."
    )

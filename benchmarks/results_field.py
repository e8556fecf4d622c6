"""All selection methods of the study `letor` beside all features, and beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.published_tables import DATA, MAP, NDCG10
from benchmarks.results_markdown import folded, table
from benchmarks.results_stores import ALL_FEATURES, Stored
from ranksieve.evaluate import holm, paired_t
from ranksieve.experiment import Outcome

STUDY = "letor"
LEVEL = 0.05
RANKERS = ("RankSVM", "LightGBM")


@dataclass(frozen=True, eq=False)
class Compared:
    """A method beside all features, with the same ranker on the same queries.

    Attributes
    ----------
    outcome : the method's
    difference : in MAP, mean over queries, method less all features
    low, high : 95 % interval of the difference, by Student's t
    p_value : two-sided, by Holm's method over the methods of the table
    n_below, n_above : methods of the table that are significantly worse, or better, than this one,
        by Holm's method over all pairs
    """

    outcome: Outcome
    difference: float
    low: float
    high: float
    p_value: float
    n_below: int
    n_above: int

    @property
    def n_features(self) -> float:
        """Features, mean over folds."""
        return float(self.outcome.n_features.mean())


@dataclass(frozen=True, eq=False)
class FieldTable:
    """Methods in front of a ranker on a data set, by falling MAP.

    Attributes
    ----------
    data, ranker : str
    reference : the ranker with all features
    methods : the others
    n_pairs, n_different : pairs of methods, and those that differ significantly
    """

    data: str
    ranker: str
    reference: Outcome
    methods: tuple[Compared, ...]
    n_pairs: int
    n_different: int

    @property
    def n_worse(self) -> int:
        """Methods significantly below all features."""
        return sum(each.p_value <= LEVEL and each.difference < 0 for each in self.methods)

    @property
    def n_better(self) -> int:
        """Methods significantly above all features."""
        return sum(each.p_value <= LEVEL and each.difference > 0 for each in self.methods)


def field_section(stored: Stored) -> list[str]:
    """The section of the page: what follows, then the tables."""
    tables = [t for ranker in RANKERS for data in DATA if (t := field_table(stored, data, ranker))]
    if not tables:
        return ["## All methods beside each other", "", "The study `letor` is not stored.", ""]
    return [
        "## All methods beside each other",
        "",
        "Every selection method of the study `letor`, with settings and number of features that "
        "validation chose by MAP, beside the same ranker with all features and beside each other "
        "([methods.md](methods.md) says what each of them is). Sparse linear models rank with "
        "their own weights, and once more, as *refit*, with a ranker trained on their features. "
        "*Difference* is the mean over queries, with its 95 % interval by Student's t; *p* is "
        "two-sided by the paired t-test, by Holm's method over the methods of the table. *Above* "
        "and *below* count the methods that this one is significantly better or worse than, by "
        "Holm's method over all pairs of the table.",
        "",
        what_follows(tables),
        "",
        *(line for each in tables for line in _folded_table(each)),
    ]


def field_table(stored: Stored, data: str, ranker: str, *, study: str = STUDY) -> FieldTable | None:
    """Return the methods of a data set and a ranker; None where they are not stored."""
    results = stored.studies.get(study)
    lines = [
        each
        for each in (results.chosen if results else ())
        if each.data == data and MAP in each.values and _belongs(each, ranker)
    ]
    reference = next((each for each in lines if each.method == ALL_FEATURES), None)
    methods = [each for each in lines if each.method != ALL_FEATURES]
    if reference is None or len(methods) < 2:
        return None
    methods.sort(key=lambda each: -each.mean(MAP))
    below, above, n_different = _pairs(methods)
    adjusted = holm([_test(each, reference) for each in methods])
    compared = tuple(
        Compared(each, *_interval(each, reference), float(p), int(b), int(a))
        for each, p, b, a in zip(methods, adjusted, below, above, strict=True)
    )
    n_pairs = len(methods) * (len(methods) - 1) // 2
    return FieldTable(data, ranker, reference, compared, n_pairs, n_different)


def _belongs(outcome: Outcome, ranker: str) -> bool:
    """Models with weights of their own are linear: they stand beside RankSVM."""
    return outcome.ranker == ranker or (ranker == "RankSVM" and outcome.variant == "weights")


def _test(left: Outcome, right: Outcome) -> float:
    return paired_t(left.by_query(MAP), right.by_query(MAP)).p_value


def _interval(outcome: Outcome, reference: Outcome) -> tuple[float, float, float]:
    ours, theirs = outcome.by_query(MAP), reference.by_query(MAP)
    difference = float(np.nanmean(ours - theirs))
    if np.ptp(ours - theirs) == 0.0:
        return difference, difference, difference
    low, high = ttest_rel(ours, theirs).confidence_interval(0.95)
    return difference, float(low), float(high)


def _pairs(methods: Sequence[Outcome]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return, for each method, how many are significantly below and above it; and all such pairs.

    Methods are in the order of falling MAP, so the first of a pair is the better one.
    """
    pairs = list(combinations(range(len(methods)), 2))
    adjusted = holm([_test(methods[first], methods[second]) for first, second in pairs])
    below, above = np.zeros(len(methods), dtype=int), np.zeros(len(methods), dtype=int)
    different = [pair for pair, p in zip(pairs, adjusted, strict=True) if p <= LEVEL]
    for first, second in different:
        higher = methods[first].by_query(MAP).mean() > methods[second].by_query(MAP).mean()
        below[first if higher else second] += 1
        above[second if higher else first] += 1
    return below, above, len(different)


def what_follows(tables: Sequence[FieldTable]) -> str:
    """What a reader can take from the tables, in one paragraph."""
    methods = [each for table_ in tables for each in table_.methods]
    better, worse = sum(t.n_better for t in tables), sum(t.n_worse for t in tables)
    n_pairs, n_different = sum(t.n_pairs for t in tables), sum(t.n_different for t in tables)
    spread = "; ".join(
        f"{t.data} with {t.ranker} {t.methods[-1].outcome.mean(MAP):.4f} to "
        f"{t.methods[0].outcome.mean(MAP):.4f} (all features {t.reference.mean(MAP):.4f})"
        for t in tables
    )
    return (
        f"**What follows:** of {len(methods)} lines in {len(tables)} tables, {better} are "
        f"significantly better than all features and {worse} worse; of {n_pairs:,} pairs of "
        f"methods {n_different} differ significantly. From the last method to the "
        f"first, MAP is: {spread}. An interval of half of the lines reaches "
        f"+-{_median_width(methods):.4f} or less, so "
        "these queries cannot tell a gain or a loss below that, and an order of the methods is "
        "mostly chance. They do show that features can go: half of the lines use "
        f"{np.median([each.n_features for each in methods]):.0f} features or fewer, and for half "
        f"of the lines a loss of more than {-np.median([each.low for each in methods]):.4f} is "
        "outside of the interval. So choose a method by what else it gives: filters cost one "
        "pass over the data, sparse models come with a proven optimum, and the "
        "[sieve](sieve.md) says what dropping features costs on your own queries."
    )


def _median_width(methods: Sequence[Compared]) -> float:
    return float(np.median([0.5 * (each.high - each.low) for each in methods]))


def outcome_cells(outcome: Outcome) -> list[str]:
    """Features, MAP and NDCG@10 for a row."""
    return [
        f"{outcome.n_features.mean():.1f}",
        f"{outcome.mean(MAP):.4f}",
        f"{outcome.mean(NDCG10):.4f}",
    ]


def difference_cells(method: Compared) -> list[str]:
    """Difference to all features, its interval and p for a row."""
    return [
        f"{method.difference:+.4f}",
        f"{method.low:+.4f} to {method.high:+.4f}",
        f"{method.p_value:.2g}",
    ]


def _folded_table(each: FieldTable) -> list[str]:
    head = ["*method", "features", "MAP", "NDCG@10", "difference", "95 %", "p", "above", "below"]
    rows = [[f"{ALL_FEATURES} + {each.ranker}", *outcome_cells(each.reference), *[""] * 5]]
    rows += [
        [
            method.outcome.name,
            *outcome_cells(method.outcome),
            *difference_cells(method),
            str(method.n_below),
            str(method.n_above),
        ]
        for method in each.methods
    ]
    return folded(
        f"{each.data}, {each.ranker}: {len(each.methods)} methods, {each.n_better} significantly "
        f"better and {each.n_worse} worse than all features; {each.n_different} of "
        f"{each.n_pairs:,} pairs differ",
        table(head, rows),
    )

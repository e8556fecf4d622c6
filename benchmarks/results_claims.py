"""Where the papers claim significance on OHSUMED or MQ2008: the same test, on our stored runs.

A claim is one of a difference ("FSMRank is above GAS-E") or of none ("no method is below another").
Each is tested as the papers do, by a one-sided paired t-test over the test queries of all folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.published_tables import DATA, MAP, NDCG10
from benchmarks.results_curves import by_query
from benchmarks.results_fsmrank import CUT, MORE_THAN, figure_curves
from benchmarks.results_fsmrank import STUDY as FSMRANK_FIGURES
from benchmarks.results_markdown import short, table
from benchmarks.results_sparse import METHODS as SPARSE_METHODS
from benchmarks.results_stores import ALL_FEATURES, Line, Stored, curve
from ranksieve.evaluate import paired_t
from ranksieve.experiment import ALL, Outcome

LEVEL = 0.05
GAS_FIGURES = "gas-figures"
# CHI is claimed to be worse with fewer features than this.
CHI_BELOW = 15
SIMILARITY_ONLY = Line("letor", "FSMRank, similarity only", "weights", "", all_features=True)
RANKSVM = Line("letor", ALL_FEATURES, "", "RankSVM")


class Pair(NamedTuple):
    """Two outcomes of which the first is claimed to be the higher one."""

    upper: Outcome
    lower: Outcome


@dataclass(frozen=True)
class Claim:
    """What a paper says, and which stored outcomes it is about.

    Attributes
    ----------
    paper, source : which paper, and where in it
    words : the claim
    data, measure : what it is about
    pairs : the outcomes to compare; none where they are not stored
    differs : whether a significant difference is claimed, or that there is none
    tested : whether the paper gives a p-value; otherwise it has the word alone
    """

    paper: str
    source: str
    words: str
    data: str
    measure: str
    pairs: Callable[[Stored], Sequence[Pair]]
    differs: bool = True
    tested: bool = True


class Verdict(NamedTuple):
    """Differences of means and one-sided p-values of a claim's pairs."""

    differences: tuple[float, ...]
    p_values: tuple[float, ...]
    reproduced: tuple[bool, ...]


def claim_table(stored: Stored) -> list[str]:
    """The section on claims of significance."""
    rows = [_row(claim, verdict(claim, stored)) for claim in CLAIMS]
    head = ["*paper", "*claim", "*data", "*measure", "*our difference", "*one-sided p"]
    return [
        "## Claims of significance",
        "",
        "Every claim of significance that the five papers make on OHSUMED or MQ2008, tested as "
        "they do: a one-sided paired t-test over queries. A claimed difference is reproduced where "
        f"ours has the same sign and p is at most {LEVEL:g}; a claim of no difference where p is "
        "above that, which says only that these queries cannot tell. Of a claim about several "
        "numbers of features or several methods there are ranges, and each must hold. *Word "
        'only*: the paper says "significantly" and gives no test. The paper on RankFilter and '
        "RankWrapper claims no significance.",
        "",
        *table([*head, "*reproduced"], rows),
    ]


def verdict(claim: Claim, stored: Stored) -> Verdict | None:
    """What the stored runs say about a claim, or None where they lack it."""
    pairs = claim.pairs(stored)
    if not pairs:
        return None
    differences = tuple(p.upper.mean(claim.measure) - p.lower.mean(claim.measure) for p in pairs)
    p_values = tuple(_p(pair, claim.measure) for pair in pairs)
    holds = tuple(
        (p <= LEVEL and difference > 0) if claim.differs else p > LEVEL
        for p, difference in zip(p_values, differences, strict=True)
    )
    return Verdict(differences, p_values, holds)


def _p(pair: Pair, measure: str) -> float:
    """One-sided p that the upper one is above, over the queries that both have."""
    (ids, upper), (other_ids, lower) = (by_query(outcome, measure) for outcome in pair)
    _, positions, other_positions = np.intersect1d(ids, other_ids, return_indices=True)
    return paired_t(upper[positions], lower[other_positions], alternative="greater").p_value


def _row(claim: Claim, outcome_of_test: Verdict | None) -> list[str]:
    kind = "" if claim.tested else " (word only)"
    about = [
        f"{claim.paper}, {claim.source}",
        f"{claim.words}{kind}",
        claim.data,
        short(claim.measure),
    ]
    if outcome_of_test is None:
        return [*about, "not stored", "", ""]
    return [
        *about,
        _range(outcome_of_test.differences, "+.4f"),
        _range(outcome_of_test.p_values, ".2g"),
        _reproduced(outcome_of_test.reproduced),
    ]


def _range(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def _reproduced(holds: Sequence[bool]) -> str:
    if len(holds) == 1 or all(holds):
        return "yes" if all(holds) else "no"
    return f"no ({sum(holds)} of {len(holds)})"


def _rows(upper: str, lower: str, data: str) -> Callable[[Stored], list[Pair]]:
    """Rows of a paper's table, by the names that they have there."""

    def pairs(stored: Stored) -> list[Pair]:
        outcomes = stored.row(upper, data), stored.row(lower, data)
        return [Pair(*outcomes)] if None not in outcomes else []  # type: ignore[arg-type]

    return pairs


def _lines(upper: Line, lower: Line, data: str) -> Callable[[Stored], list[Pair]]:
    def pairs(stored: Stored) -> list[Pair]:
        outcomes = stored.line(upper, data), stored.line(lower, data)
        return [Pair(*outcomes)] if None not in outcomes else []  # type: ignore[arg-type]

    return pairs


def _fsmrank_curve(other: str, data: str) -> Callable[[Stored], list[Pair]]:
    """FSMRank cut to each number above five, beside another method with as many."""

    def pairs(stored: Stored) -> list[Pair]:
        if FSMRANK_FIGURES not in stored.studies:
            return []
        curves = figure_curves(stored, data)
        ours, theirs = curves.get(CUT, {}), curves.get(other, {})
        numbers = [n for n in ours if n in theirs and n != ALL and n > MORE_THAN]
        return [Pair(ours[n], theirs[n]) for n in numbers]

    return pairs


def _chi_below_all(ranker: str, data: str) -> Callable[[Stored], list[Pair]]:
    """All features beside each small number of those that CHI takes."""

    def pairs(stored: Stored) -> list[Pair]:
        results = stored.studies.get(GAS_FIGURES)
        # Its folds may be others than LETOR's, and the name of the data says so.
        names = [f.name for f in results.data if f.name.startswith(data)] if results else []
        if results is None or not names:
            return []
        baseline = curve(results, names[0], Line(GAS_FIGURES, ALL_FEATURES, "", ranker))
        selected = curve(results, names[0], Line(GAS_FIGURES, "CHI", "", ranker))
        numbers = [n for n in selected if n != ALL and n < CHI_BELOW]
        return [Pair(baseline[ALL], selected[n]) for n in numbers] if baseline else []

    return pairs


def _best_beside_others(data: str, measure: str) -> Callable[[Stored], list[Pair]]:
    """Our best method of the sparse paper's tables beside each of the others."""

    def pairs(stored: Stored) -> list[Pair]:
        rows = [row for name in SPARSE_METHODS if (row := stored.row(name, data)) is not None]
        if len(rows) < 2:
            return []
        best = max(rows, key=lambda outcome: outcome.mean(measure))
        return [Pair(best, other) for other in rows if other is not best]

    return pairs


def _claims() -> Iterator[Claim]:
    yield from _fsmrank_claims()
    for data, measure in product(DATA, (MAP, NDCG10)):
        yield Claim(
            "FSMRank",
            "section IV.D.3",
            "without importance, similarity does not help (A = |Pearson| above A = I, RankSVM)",
            data,
            measure,
            _lines(SIMILARITY_ONLY, RANKSVM, data),
            differs=False,
            tested=False,
        )
    for source, measure in (("Table V", MAP), ("Table VI", NDCG10)):
        for data in DATA:
            yield Claim(
                "sparse RankSVM",
                source,
                "no method is below the best one of the table",
                data,
                measure,
                _best_beside_others(data, measure),
                differs=False,
            )
    for ranker in ("RankSVM", "RankNet"):
        for measure in ("MAP(threshold=2)", "ndcg@10"):
            yield Claim(
                "GAS",
                f"Figure {4 if ranker == 'RankSVM' else 5}",
                f"{ranker} with fewer than {CHI_BELOW} features of CHI is below all features",
                "OHSUMED",
                measure,
                _chi_below_all(ranker, "OHSUMED"),
                tested=False,
            )
    for number, data, gains in (
        ("5", "OHSUMED", {NDCG10: "1.78", MAP: "1.01"}),
        ("6", "MQ2008", {NDCG10: "0.39", MAP: "0.67"}),
    ):
        for measure, gain in gains.items():
            yield Claim(
                "FS-SCPR",
                f"Table {number}",
                f"FS-SCPR above RankSVM with all features (+{gain} %)",
                data,
                measure,
                _rows("FS-SCPR", "RankSVM-Primal", data),
                tested=False,
            )


def _fsmrank_claims() -> Iterator[Claim]:
    data = "OHSUMED"
    for other, gain in (("FSMSVM", "3.8"), ("GAS-E", "2.5")):
        words = f"FSMRank above {other} (+{gain} %)"
        pairs = _rows("FSMRank", other, data)
        yield Claim("FSMRank", "Table I", words, data, NDCG10, pairs)
    for other, gains in (("FSMSVM", "1.3 to 5.2"), ("GAS-E", "1.1 to 4.6")):
        words = f"FSMRank above {other} with each number of features above {MORE_THAN} (+{gains} %)"
        yield Claim("FSMRank", "Figure 1", words, data, NDCG10, _fsmrank_curve(other, data))
    for at, second, gain in (
        ("3", "RankSVM-primal", "3.3"),
        ("5", "RankSVM-struct", "2.0"),
        ("10", "RankSVM-struct", "2.0"),
    ):
        words = f"FSMRank above the second best, {second} (+{gain} %)"
        pairs = _rows("FSMRank", second, data)
        yield Claim("FSMRank", "Table II", words, data, f"letor-ndcg@{at}", pairs)


CLAIMS = tuple(_claims())

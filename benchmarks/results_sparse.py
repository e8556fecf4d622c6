"""Tables IV, V and VI of the sparse RankSVM paper, with ours beside them."""

from __future__ import annotations

import numpy as np

from benchmarks.published_tables import BEST, MAP, RATIOS, PublishedBest, PublishedRatios
from benchmarks.results_markdown import listed, short, table
from benchmarks.results_notes import ratio_note
from benchmarks.results_stores import Line, Stored
from ranksieve.evaluate import paired_t
from ranksieve.experiment import Outcome

SIGNIFICANT = 0.05
NEAR = 0.05
METHODS = tuple(RATIOS[0].ratios)
# A second line for FSM: the paper's own stop.
EARLY = Line("letor", "FSMRank, paper's stop", "weights", "", whole=True)


def sparse_tables(stored: Stored) -> list[str]:
    return [*_ratios(stored), *_best(stored)]


def ratio_of(stored: Stored, outcome: Outcome) -> float:
    """Mean over the folds of the share of used features that a model keeps."""
    facts = next(
        f for study in stored.studies.values() for f in study.data if f.name == outcome.data
    )
    return float(outcome.n_features.mean() / facts.used.sum())


def _ratios(stored: Stored) -> list[str]:
    lines = [
        "### Table IV: sparsity ratio",
        "",
        "The share of the features, without those that are 0 in all training documents, that a "
        "model keeps: the mean over the folds.",
        "",
    ]
    for published in RATIOS:
        rows = [_ratio_row(stored, published, method) for method in METHODS]
        early = stored.line(EARLY, published.data)
        if early is not None:
            mine = ratio_of(stored, early)
            shown = [f"{mine:.2f}", f"{mine - published.ratios['FSM']:+.2f}", _numbers(early)]
            rows.insert(2, ["FSM, the paper's stop", f"{published.ratios['FSM']:.2f}", *shown])
        head = ["*method", "published", "ranksieve", "difference", "*features by fold"]
        lines += [f"{published.data}:", "", *table(head, rows)]
        lines += listed([s for method in METHODS if (s := _cause(stored, published, method))])
    return lines


def _ratio_row(stored: Stored, published: PublishedRatios, method: str) -> list[str]:
    theirs, outcome = published.ratios[method], stored.row(method, published.data)
    if outcome is None:
        return [method, f"{theirs:.2f}", "not stored", "", ""]
    ours = ratio_of(stored, outcome)
    return [method, f"{theirs:.2f}", f"{ours:.2f}", f"{ours - theirs:+.2f}", _numbers(outcome)]


def _numbers(outcome: Outcome) -> str:
    return ", ".join(str(int(number)) for number in outcome.n_features)


def _cause(stored: Stored, published: PublishedRatios, method: str) -> str:
    """A sentence where ours is not near the published ratio."""
    outcome = stored.row(method, published.data)
    if outcome is None:
        return ""
    apart = ratio_of(stored, outcome) - published.ratios[method]
    return f"**{method}** ({apart:+.2f}): {ratio_note(method, apart)}" if abs(apart) > NEAR else ""


def _best(stored: Stored) -> list[str]:
    lines = []
    for number, measure in (("V", MAP), ("VI", "letor-ndcg@10")):
        own = [each for each in BEST if each.number == number]
        lines += [
            f"### Table {number}: {short(measure)} of the best method and of the others",
            "",
            "Each method against the best of its row, by a one-sided paired t-test over the test "
            f"queries: ~ where p is at least {SIGNIFICANT}, otherwise the decrease and p. The "
            "paper found nobody significantly worse than the best on these two data sets.",
            "",
        ]
        head = ["*data", "*best, published", "published", "*best, ours", "ours", *METHODS]
        rows = [_best_row(stored, each) for each in own]
        lines += table([*head[:5], *(f"*{name}" for name in METHODS)], rows)
    return lines


def _best_row(stored: Stored, published: PublishedBest) -> list[str]:
    measure = published.measure
    found = {method: stored.row(method, published.data) for method in METHODS}
    kept = {m: o for m, o in found.items() if o is not None and measure in o.values}
    start = [published.data, published.method, f"{published.value:.4f}"]
    if not kept:
        return [*start, "not stored", "", *([""] * len(METHODS))]
    best = max(kept, key=lambda method: kept[method].mean(measure))
    cells = [
        _against(kept[best], kept[method], measure, method == best)
        if method in kept
        else "not stored"
        for method in METHODS
    ]
    return [*start, best, f"{kept[best].mean(measure):.4f}", *cells]


def _against(best: Outcome, other: Outcome, measure: str, same: bool) -> str:
    mean = f"{other.mean(measure):.4f}"
    if same:
        return f"**{mean}**"
    if not np.array_equal(best.query_ids, other.query_ids):
        return f"{mean}, other queries"
    test = paired_t(best.values[measure], other.values[measure], alternative="greater")
    if test.p_value >= SIGNIFICANT:
        return f"{mean} ~"
    decrease = 100 * (other.mean(measure) - best.mean(measure)) / best.mean(measure)
    return f"{mean} {decrease:.1f}% *{test.p_value:.2g}*"

"""Tables IV, V and VI of the sparse RankSVM paper, with ours beside them."""

from __future__ import annotations

from benchmarks.published_tables import BEST, MAP, RATIOS
from benchmarks.results_markdown import listed, short, table
from benchmarks.results_notes import ratio_note
from benchmarks.results_stores import Stored
from ranksieve.experiment import Outcome
from ranksieve.experiment.published import PublishedBest, PublishedRatios
from ranksieve.report.published import against_best

SIGNIFICANT = 0.05
NEAR = 0.05
METHODS = tuple(RATIOS[0].ratios)
ABSENT = "not stored"


def sparse_tables(stored: Stored) -> list[str]:
    return [*_ratios(stored), *_best(stored)]


def ratio_of(stored: Stored, outcome: Outcome) -> float:
    """Mean over the folds of the share of used features that a model keeps."""
    return stored.ratio(outcome)


def _ratios(stored: Stored) -> list[str]:
    lines = [
        "### Table IV: sparsity ratio",
        "",
        "The share of the features, without those that are 0 in all training documents, that a "
        "model keeps: the mean over the folds. MCP stands there in three readings of its gamma "
        "lambda, beyond which a weight is charged no more: with lambda that of the mean over "
        "pairs (the main row), with a width of gamma = 2 at every strength, and with lambda that "
        "of the sum over pairs.",
        "",
    ]
    for published in RATIOS:
        rows = [row for method in METHODS for row in _ratio_rows(stored, published, method)]
        head = ["*method", "published", "ranksieve", "difference", "*features by fold"]
        lines += [f"{published.data}:", "", *table(head, rows)]
        lines += listed([s for method in METHODS if (s := _cause(stored, published, method))])
    return [*lines, *listed(_mcp(stored))]


def _ratio_rows(stored: Stored, published: PublishedRatios, method: str) -> list[list[str]]:
    """A method, and beneath it how else it can be read."""
    theirs = published.ratios[method]
    outcomes = {method: stored.row(method, published.data)}
    outcomes |= {f"{method}, {r.label}": o for r, o in stored.readings(method, published.data)}
    return [_ratio_row(stored, name, theirs, outcome) for name, outcome in outcomes.items()]


def _ratio_row(stored: Stored, name: str, theirs: float, outcome: Outcome | None) -> list[str]:
    if outcome is None:
        return [name, f"{theirs:.2f}", ABSENT, "", ""]
    ours = ratio_of(stored, outcome)
    return [name, f"{theirs:.2f}", f"{ours:.2f}", f"{ours - theirs:+.2f}", _numbers(outcome)]


def _numbers(outcome: Outcome) -> str:
    return ", ".join(str(int(number)) for number in outcome.n_features)


def _cause(stored: Stored, published: PublishedRatios, method: str) -> str:
    """A sentence where ours is not near the published ratio."""
    outcome = stored.row(method, published.data)
    if outcome is None:
        return ""
    apart = ratio_of(stored, outcome) - published.ratios[method]
    return f"**{method}** ({apart:+.2f}): {ratio_note(method, apart)}" if abs(apart) > NEAR else ""


def _mcp(stored: Stored) -> list[str]:
    """Which reading of MCP is nearest to the published ratios, and where one is l1."""
    ratios: dict[str, list[float]] = {}
    apart: dict[str, float] = {}
    for published in RATIOS:
        outcomes = {"gamma lambda in units of the mean": stored.row("MCP", published.data)}
        outcomes |= {f"the {r.label}": o for r, o in stored.readings("MCP", published.data)}
        for name, outcome in outcomes.items():
            if outcome is not None:
                ours = ratio_of(stored, outcome)
                ratios.setdefault(name, []).append(ours)
                apart[name] = apart.get(name, 0.0) + abs(ours - published.ratios["MCP"])
    complete = [name for name, each in ratios.items() if len(each) == len(RATIOS)]
    if len(complete) < 2:
        return ["**MCP**: too few of its readings are stored to compare them."]
    nearest = min(complete, key=apart.__getitem__)
    text = " and ".join(f"{ratio:.2f}" for ratio in ratios[nearest])
    printed = " and ".join(f"{each.ratios['MCP']:.2f}" for each in RATIOS)
    return [
        f"**MCP**: of {len(complete)} readings, {nearest} comes nearest to the published ratios "
        f"({text}; published {printed}).{_is_l1(stored)} The paper does not say which it used."
    ]


def _is_l1(stored: Stored) -> str:
    """Whether MCP in units of the sum is l1, fold by fold."""
    pairs = []
    for published in RATIOS:
        l1 = stored.row("l1", published.data)
        summed = {r.label: o for r, o in stored.readings("MCP", published.data)}.get("sum units")
        if l1 is None or summed is None:
            return ""
        pairs += list(zip(l1.n_features, summed.n_features, strict=True))
    alike = sum(int(a) == int(b) for a, b in pairs)
    if alike == len(pairs):
        return (
            " In units of the sum the width is so large that MCP keeps l1's own number of "
            "features in every fold, so these units do not explain the published figures, which "
            "differ from l1's."
        )
    return (
        f" In units of the sum it keeps l1's number of features in {alike} of {len(pairs)} folds."
    )


def _best(stored: Stored) -> list[str]:
    lines = []
    for number, measure in (("V", MAP), ("VI", "letor-ndcg@10")):
        matching = [each for each in BEST if each.number == number]
        lines += [
            f"### Table {number}: {short(measure)} of the best method and of the others",
            "",
            "Each method against the best of its row, by a one-sided paired t-test over the test "
            f"queries: ~ where p is at least {SIGNIFICANT}, otherwise the decrease and p. The "
            "paper found nobody significantly worse than the best on these two data sets. Other "
            "readings stand in a row of their own, against the same best.",
            "",
        ]
        head = ["*data", "*best, published", "published", "*best, ours", "ours"]
        rows = [row for each in matching for row in _best_rows(stored, each)]
        lines += table([*head, *(f"*{name}" for name in METHODS)], rows)
    return lines


def _best_rows(stored: Stored, published: PublishedBest) -> list[list[str]]:
    measure, data = published.measure, published.data
    outcomes = {method: stored.row(method, data) for method in METHODS}
    stored_ones = {m: o for m, o in outcomes.items() if o is not None and measure in o.values}
    start = [data, published.method, f"{published.value:.4f}"]
    if not stored_ones:
        return [[*start, ABSENT, "", *([""] * len(METHODS))]]
    best = max(stored_ones, key=lambda method: stored_ones[method].mean(measure))
    top = stored_ones[best]
    cells = [_against(top, o, measure) if (o := stored_ones.get(m)) else ABSENT for m in METHODS]
    rows = [[*start, best, f"{top.mean(measure):.4f}", *cells]]
    for method in METHODS:
        for reading, outcome in stored.readings(method, data):
            if outcome is not None and measure in outcome.values:
                cells = [_against(top, outcome, measure) if m == method else "" for m in METHODS]
                rows.append([f"{data}, {method}: {reading.label}", "", "", "", "", *cells])
    return rows


def _against(best: Outcome, other: Outcome, measure: str) -> str:
    mean, decrease, p = against_best(best, other, measure)
    if other is best:
        return f"**{mean:.4f}**"
    if decrease is None or p is None:
        return f"{mean:.4f}, other queries"
    return f"{mean:.4f} ~" if p >= SIGNIFICANT else f"{mean:.4f} {-decrease:.1f}% *{p:.2g}*"

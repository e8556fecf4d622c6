"""Published tables of values, with ours and the differences beside them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from benchmarks.published_tables import DATA, MAP, NDCG10, RANKS, TABLES
from benchmarks.results_markdown import listed, short
from benchmarks.results_markdown import table as markdown
from benchmarks.results_notes import note, table_note
from benchmarks.results_stores import Stored, standard_error
from ranksieve.evaluate import unified_rank
from ranksieve.experiment import Outcome
from ranksieve.experiment.published import PublishedRanks, PublishedTable

# Differences up to this are not worth a sentence: as printed values they would look alike.
ALIKE = 0.002
ABSENT = "not stored"
# From this number of methods on, what lies between the best and the worst is a yardstick.
SEVERAL = 3


def value_tables(stored: Stored, paper: str) -> list[str]:
    """All tables of a paper; what a row's differences mean is said once."""
    lines: list[str] = []
    noted: set[tuple[str, str]] = set()
    for each in (table_ for table_ in TABLES if table_.paper == paper):
        lines += [f"### Table {each.number}: {each.title}, {each.data}", ""]
        if (about := table_note(paper, each.number)) and about not in lines:
            lines += [about, ""]
        lines += _values(stored, each)
        lines += [_orders(stored, each), ""]
        sentences = [
            _sentence(stored, each, method)
            for method in each.rows
            if (method, each.data) not in noted
        ]
        noted |= {(method, each.data) for method in each.rows}
        lines += listed([sentence for sentence in sentences if sentence])
    return lines


def _values(stored: Stored, published: PublishedTable) -> list[str]:
    rows = []
    for method, theirs in published.rows.items():
        outcome = stored.row(method, published.data)
        rows.append([method, "published", *(f"{value:.4f}" for value in theirs)])
        if outcome is None:
            rows.append(["", ABSENT, *([""] * len(theirs))])
            rows += _reading_rows(stored, published, method)
            continue
        ours = _means(outcome, published)
        rows.append(["", "ranksieve", *(_number(value) for value in ours)])
        apart = [mine - value for mine, value in zip(ours, theirs, strict=True)]
        rows.append(["", "difference", *(_number(value, "+.4f") for value in apart)])
        rows += _reading_rows(stored, published, method)
    return markdown(["*method", "*", *(short(m) for m in published.measures)], rows)


def _reading_rows(stored: Stored, published: PublishedTable, method: str) -> list[list[str]]:
    """The same method read otherwise, and relatives of it, beneath its row."""
    rows = []
    for reading, outcome in stored.readings(method, published.data):
        if outcome is None:
            rows.append(["", f"{reading.label}: {ABSENT}", *([""] * len(published.measures))])
        else:
            cells = [_number(value) for value in _means(outcome, published)]
            rows.append(["", f"ranksieve, {reading.label}", *cells])
    return rows


def _means(outcome: Outcome, published: PublishedTable) -> list[float]:
    return [
        outcome.mean(measure) if measure in outcome.values else float("nan")
        for measure in published.measures
    ]


def _number(value: float, form: str = ".4f") -> str:
    return "" if np.isnan(value) else format(value, form)


def _orders(stored: Stored, published: PublishedTable) -> str:
    """Both orders of the methods by MAP."""
    theirs = {method: published.value(method, MAP) for method in published.rows}
    outcomes = {method: stored.row(method, published.data) for method in published.rows}
    ours = {m: o.mean(MAP) for m, o in outcomes.items() if o is not None and MAP in o.values}
    if len(ours) < 2:
        return "Too few of these methods are stored to compare their order."
    cells = {method: value for method, value in theirs.items() if method in ours}
    return f"By MAP the paper's order is {_order(cells)}; ours is {_order(ours)}."


def _order(values: dict[str, float]) -> str:
    """Names by falling value; those that are equal as printed are joined by "and"."""
    ordered = sorted(values, key=lambda method: -round(values[method], 4))
    text = ordered[0]
    for before, method in pairwise(ordered):
        alike = round(values[before], 4) == round(values[method], 4)
        text += f"{' and' if alike else ','} {method}"
    return text


def _sentence(stored: Stored, published: PublishedTable, method: str) -> str:
    outcome = stored.row(method, published.data)
    if outcome is None:
        return f"**{method}**: {stored.absent[method, published.data]} is in no store."
    parts = [
        _difference(outcome, published, method, measure)
        for measure in (MAP, NDCG10)
        if measure in outcome.values
    ]
    measures = [m for m in published.measures if m in outcome.values]
    far = [m for m in measures if _in_errors(outcome, published, method, m) > 1]
    remark = (
        f"; all {len(measures)} measures are within one standard error of our mean over queries"
    )
    if far:
        remark = f"; beyond one standard error: {', '.join(short(m) for m in far)}"
    differs = any(
        abs(outcome.mean(m) - published.value(method, m)) > ALIKE
        for m in (MAP, NDCG10)
        if m in measures
    )
    known_cause = f" {note(method, published.data)}" if differs else ""
    readings = _other_readings(stored, published, method)
    return f"**{method}**: {'; '.join(parts)}{remark}.{known_cause}{readings}".rstrip()


def _other_readings(stored: Stored, published: PublishedTable, method: str) -> str:
    """How far the same method, read otherwise, is from the published figures."""
    parts = []
    for reading, outcome in stored.readings(method, published.data):
        if outcome is None or not reading.same:
            continue
        apart = [
            f"{short(m)} {outcome.mean(m) - published.value(method, m):+.4f}"
            for m in (MAP, NDCG10)
            if m in outcome.values
        ]
        parts.append(f"{reading.label}, {', '.join(apart)}")
    return f" Read otherwise: {'; '.join(parts)}." if parts else ""


def _difference(outcome: Outcome, published: PublishedTable, method: str, measure: str) -> str:
    apart = outcome.mean(measure) - published.value(method, measure)
    if abs(apart) <= ALIKE:
        return f"{short(measure)} as published ({apart:+.4f})"
    errors = _in_errors(outcome, published, method, measure)
    text = f"{short(measure)} {apart:+.4f}, {errors:.2f} of a standard error"
    if len(published.rows) < SEVERAL:
        return text
    span = published.span(measure)
    beside = "more than" if abs(apart) > span else "within"
    return f"{text}, {beside} the {span:.4f} between the methods of the table"


def _in_errors(outcome: Outcome, published: PublishedTable, method: str, measure: str) -> float:
    apart = abs(outcome.mean(measure) - published.value(method, measure))
    error = standard_error(outcome, measure)
    return apart / error if error > 0 else 0.0


def unified_ranks(stored: Stored) -> list[str]:
    """The unified ranks of FS-SCPR's Tables 11 and 16."""
    return [line for ranks in RANKS for line in _ranks(stored, ranks)]


def _ranks(stored: Stored, ranks: PublishedRanks) -> list[str]:
    tables = [each for each in ranks.tables if each.data in DATA]
    methods = [m for m in ranks.scores if all(stored.row(m, t.data) is not None for t in tables)]
    left_out = [method for method in ranks.scores if method not in methods]
    head = [f"### Table {ranks.number}: unified rank", ""]
    if len(methods) < 2:
        return [*head, "Too few of these methods are stored.", ""]
    theirs = unified_rank([[v for t in tables for v in t.rows[method]] for method in methods])
    ours = unified_rank([_ours(stored, tables, method) for method in methods])
    rows = [
        [
            method,
            f"{ranks.scores[method]:g}",
            f"{theirs.scores[column]:.4g}",
            _counts(theirs.counts[column]),
            f"{ours.scores[column]:.4g}",
            _counts(ours.counts[column]),
        ]
        for column, method in enumerate(methods)
    ]
    columns = ["*method", "published, four data sets", "published, two", "*ranks", "ours, two"]
    without = f" Left out, since not stored: {', '.join(left_out)}." if left_out else ""
    return [
        *head,
        "Over OHSUMED and MQ2008, five measures each, computed in the same way from the paper's "
        f"tables and from ours; *ranks* counts first, second, ... places.{without}",
        "",
        *markdown([*columns, "*ranks"], rows),
        f"The paper's order on the two data sets is {_ranked(methods, theirs.scores)}; ours is "
        f"{_ranked(methods, ours.scores)}. Ranks know no distance: many of the differences behind "
        "them are far smaller than their standard errors.",
        "",
    ]


def _ranked(methods: list[str], scores: np.ndarray) -> str:
    return _order(dict(zip(methods, scores.tolist(), strict=True)))


def _ours(stored: Stored, tables: list[PublishedTable], method: str) -> list[float]:
    outcomes = []
    for each in tables:
        outcome = stored.row(method, each.data)
        assert outcome is not None
        outcomes += [outcome.mean(measure) for measure in each.measures]
    return outcomes


def _counts(counts: np.ndarray) -> str:
    return ", ".join(str(int(count)) for count in counts)

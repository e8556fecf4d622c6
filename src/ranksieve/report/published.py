"""Published figures beside those of a store, as tables: for owners of the papers' data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import paired_t, unified_rank
from ranksieve.experiment.published import (
    DATA_SETS,
    PublishedBest,
    PublishedRanks,
    PublishedRatios,
    PublishedTable,
    best_tables,
    data_facts,
    published_name,
    rank_tables,
    ratio_tables,
    table_notes,
    value_tables,
)
from ranksieve.experiment.published.rows import StoredRows
from ranksieve.experiment.results.outcomes import Outcome, Results
from ranksieve.report.shared.table import Column, Row, Table, count, fixed, probability, signed
from ranksieve.report.shared.text import csv_text, latex_table, markdown_table, markdown_text

_PAPERS = {"sparse": "sparse RankSVM"}
# The facts of a paper that a store has too.
_FACTS = ("features", "queries", "documents")
_NOT_STORED = "not stored"
_HEAD = (
    "Published is as printed; ranksieve is the mean over the folds of the mean over each fold's "
    "test queries. A standard error is that of our mean over all test queries: how far other "
    "queries would move it. Both sides have the same queries, so that a difference comes from "
    "the models: other settings, another number of features, another solver."
)


def published_tables(
    studies: Sequence[Results], *, measures: Sequence[str] | None = None
) -> tuple[Table, ...]:
    """Return every published table on the data sets of some studies, with ours beside it.

    Parameters
    ----------
    studies : results; of lines that several have, the last counts
    measures : sequence of str, optional
        Only these, as `letor-map`; all that a study measured and a paper prints, if not given.

    Notes
    -----
    A data set is known by its name, whatever its case: HP2003, NP2003, TD2003, HP2004, NP2004,
    TD2004, MQ2007, MQ2008 or OHSUMED. Methods are known by the labels that the built-in studies
    `letor` and `letor-rankers` give them.
    """
    names = [name for name in DATA_SETS if name in _published_names(studies)]
    if not names:
        names_of_studies = ", ".join(dict.fromkeys(facts.name for r in studies for facts in r.data))
        raise DataError(
            "papers must have figures on a data set, but none is known for "
            f"{names_of_studies or 'no data'}. Data is known by the name of its folder: "
            f"{', '.join(DATA_SETS)}."
        )
    selected = _selected_measures(measures, studies)
    rows = StoredRows.of(studies)
    tables = []
    for name in names:
        tables.append(_facts_table(rows, name))
        tables += [_values(rows, table, selected) for table in value_tables([name])]
        tables += [_ratios(rows, table) for table in ratio_tables([name])]
        tables += [_best(rows, each) for each in best_tables([name]) if each.measure in selected]
    tables += [_ranks(rows, ranks, names) for ranks in rank_tables()]
    return tuple(table for table in tables if table.rows)


def published_markdown(
    studies: Sequence[Results],
    *,
    measures: Sequence[str] | None = None,
    title: str | None = None,
) -> str:
    """Return the tables of `published_tables` as GitHub's Markdown, and how ours were made."""
    tables = published_tables(studies, measures=measures)
    commands = dict.fromkeys(f"    {results.command}" for results in studies if results.command)
    head = [f"# {markdown_text(title or 'Published figures beside ours')}", "", _HEAD, ""]
    origin = ["### How ours were made", "", *commands, ""] if commands else []
    return "\n".join([*head, *(markdown_table(table) for table in tables), *origin])


def published_latex(studies: Sequence[Results], *, measures: Sequence[str] | None = None) -> str:
    """Return the tables of `published_tables` for LaTeX, as `study_latex` does."""
    head = "% Needs \\usepackage{booktabs,graphicx,longtable}.\n"
    tables = published_tables(studies, measures=measures)
    return "\n".join([head, *(latex_table(table) for table in tables)])


def published_csv(studies: Sequence[Results], *, measures: Sequence[str] | None = None) -> str:
    """Return the tables of `published_tables` as one CSV: a line for each value, ours unrounded."""
    return csv_text(published_tables(studies, measures=measures))


def _published_names(studies: Sequence[Results]) -> set[str | None]:
    return {published_name(facts.name) for results in studies for facts in results.data}


def _selected_measures(
    measures: Sequence[str] | None, studies: Sequence[Results]
) -> tuple[str, ...]:
    printed = tuple(dict.fromkeys(m for table in value_tables() for m in table.measures))
    if measures is None:
        stored = {measure for results in studies for measure in results.measures}
        return tuple(measure for measure in printed if measure in stored) or printed
    unknown = [measure for measure in measures if measure not in printed]
    if unknown:
        raise ParameterError(
            f"papers must print a measure to compare with, but not {unknown[0]!r}. "
            f"They print: {', '.join(printed)}."
        )
    return tuple(measures)


def _title(
    published: PublishedTable | PublishedRatios | PublishedBest | PublishedRanks, title: str
) -> str:
    paper = _PAPERS.get(published.paper, published.paper)
    data = "" if isinstance(published, PublishedRanks) else f"{published.data}: "
    return f"{data}{paper} paper, Table {published.number}, {title}"


def _facts_table(rows: StoredRows, name: str) -> Table:
    """Return the data in numbers, so that other data of the same name is noticed."""
    printed, facts = data_facts(name), rows.facts(name)
    if facts is None:
        raise ValueError(f"{name} is in no study")
    test = 2
    stored = {
        "features": len(facts.feature_names),
        "queries": sum(parts[test] for parts in facts.n_queries),
        "documents": sum(parts[test] for parts in facts.n_documents),
    }
    table_rows = [
        Row((fact, printed[fact], stored[fact]), data=name) for fact in _FACTS if fact in printed
    ]
    differ = [fact for fact in _FACTS if fact in printed and printed[fact] != stored[fact]]
    notes = "Queries and documents are those of the test parts of all folds."
    if differ:
        notes += (
            f" Not the data of the papers: {', '.join(differ)} differ, so that the figures below "
            "cannot be compared."
        )
    columns = (Column("fact"), Column("published", count), Column("here", count))
    return Table("facts", f"{name}: the data", columns, tuple(table_rows), (notes,), data=name)


def _values(rows: StoredRows, published: PublishedTable, selected: Sequence[str]) -> Table:
    table_rows: list[Row] = []
    for method in published.rows:
        for measure in published.measures:
            if measure not in selected:
                continue
            printed = published.value(method, measure)
            outcome = rows.row(method, published.data)
            table_rows.append(_value_row(method, published.data, measure, printed, outcome))
            for reading, other in rows.readings(method, published.data):
                if other is not None:
                    name = f"{method}, {reading.label}" if reading.same else reading.label
                    value = printed if reading.same else None
                    table_rows.append(_value_row(name, published.data, measure, value, other))
    columns = (
        Column("method"),
        Column("measure"),
        Column("published", fixed(4)),
        Column("ranksieve", fixed(4)),
        Column("difference", signed),
        Column("standard error", fixed(4)),
    )
    notes = (
        *table_notes(published.paper, published.number, published.data),
        *_missing(rows, list(published.rows), published.data),
    )
    title = _title(published, published.title)
    return Table("published", title, columns, tuple(table_rows), notes, data=published.data)


def _value_row(
    method: str, data: str, measure: str, printed: float | None, outcome: Outcome | None
) -> Row:
    mean = error = apart = None
    if outcome is not None and measure in outcome.values:
        mean, error = outcome.mean(measure), standard_error(outcome, measure)
        apart = None if printed is None else mean - printed
    values = (method, measure, printed, mean, apart, error)
    return Row(values, data=data, measure=measure, method=method)


def _ratios(rows: StoredRows, published: PublishedRatios) -> Table:
    table_rows = []
    for method, printed in published.ratios.items():
        outcome = rows.row(method, published.data)
        table_rows.append(_ratio_row(rows, method, published.data, printed, outcome))
        table_rows += [
            _ratio_row(rows, f"{method}, {reading.label}", published.data, printed, other)
            for reading, other in rows.readings(method, published.data)
            if other is not None
        ]
    columns = (
        Column("method"),
        Column("published", fixed(2)),
        Column("ranksieve", fixed(2)),
        Column("difference", lambda value: f"{value:+.2f}"),
        Column("features by fold"),
    )
    notes = (
        "The share that models keep of the features that are not 0 in all training documents, "
        "the mean over the folds.",
        *table_notes(published.paper, published.number, published.data),
        *_missing(rows, list(published.ratios), published.data),
    )
    title = _title(published, "sparsity ratio")
    return Table("ratios", title, columns, tuple(table_rows), notes, data=published.data)


def _ratio_row(
    rows: StoredRows, method: str, data: str, printed: float, outcome: Outcome | None
) -> Row:
    if outcome is None:
        return Row((method, printed, None, None, _NOT_STORED), data=data, method=method)
    ratio = rows.ratio(outcome)
    numbers = ", ".join(str(int(number)) for number in outcome.n_features)
    return Row((method, printed, ratio, ratio - printed, numbers), data=data, method=method)


def _best(rows: StoredRows, published: PublishedBest) -> Table:
    measure, data = published.measure, published.data
    (ratios,) = ratio_tables([data])
    outcomes = {method: rows.row(method, data) for method in ratios.ratios}
    stored = {m: o for m, o in outcomes.items() if o is not None and measure in o.values}
    best = max(stored, key=lambda method: stored[method].mean(measure)) if stored else ""
    table_rows = []
    for method in ratios.ratios:
        readings = [(f"{method}, {r.label}", other) for r, other in rows.readings(method, data)]
        for name, outcome in [
            (method, stored.get(method)),
            *((name, other) for name, other in readings if other is not None),
        ]:
            comparison = _stored_best(stored, best, outcome, measure)
            values = (name, _printed_best(published, method), *comparison)
            table_rows.append(Row(values, data=data, measure=measure, method=name))
    columns = (
        Column("method"),
        Column("published"),
        Column("ranksieve", fixed(4)),
        Column("decrease, %", fixed(1)),
        Column("p", probability),
    )
    notes = (
        "Published: the best of the data set, ~ for no significant decrease from it, otherwise the "
        "decrease and p. Ours: each against our own best, which was chosen by the same queries; "
        "one-sided paired t-test over the test queries.",
        *_missing(rows, list(ratios.ratios), data),
    )
    title = _title(published, f"{measure} beside the best")
    return Table("best", title, columns, tuple(table_rows), notes, data=data, measure=measure)


def _stored_best(
    stored: dict[str, Outcome], best: str, outcome: Outcome | None, measure: str
) -> tuple[float | None, float | None, float | None]:
    if outcome is None or measure not in outcome.values or not best:
        return None, None, None
    return against_best(stored[best], outcome, measure)


def _printed_best(published: PublishedBest, method: str) -> str:
    if method == published.method:
        return f"{published.value:.4f}, best"
    if method not in published.worse:
        return "~"
    decrease, p = published.worse[method]
    return f"-{decrease:g} %, p {'<' if method in published.below else ''}{p:g}"


def against_best(
    best: Outcome, other: Outcome, measure: str
) -> tuple[float, float | None, float | None]:
    """Return a method's mean, its decrease from the best in per cent, and p of that decrease.

    The test is one-sided and paired over queries; nothing but the mean where both are the same
    or their queries differ.
    """
    mean, top = other.mean(measure), best.mean(measure)
    if other is best or not np.array_equal(best.query_ids, other.query_ids):
        return mean, None, None
    test = paired_t(best.by_query(measure), other.by_query(measure), alternative="greater")
    decrease = 100 * (top - mean) / top if top else 0.0
    return mean, decrease, float(test.p_value)


def _ranks(rows: StoredRows, ranks: PublishedRanks, names: Sequence[str]) -> Table:
    """Return unified ranks over those data sets of the paper that are here."""
    tables = [table for table in ranks.tables if table.data in names]
    methods = [m for m in ranks.scores if tables and _is_complete(rows, tables, m)]
    table_rows = []
    if len(methods) > 1:
        printed = unified_rank([[v for t in tables for v in t.rows[m]] for m in methods]).scores
        stored = unified_rank([_stored_values(rows, tables, m) for m in methods]).scores
        table_rows = [
            Row((m, ranks.scores[m], float(printed[index]), float(stored[index])), method=m)
            for index, m in enumerate(methods)
        ]
    columns = (
        Column("method"),
        Column("published, four data sets", fixed(1)),
        Column("published, these", fixed(2)),
        Column("ranksieve, these", fixed(2)),
    )
    data_names = ", ".join(table.data for table in tables)
    left_out = [method for method in ranks.scores if method not in methods]
    notes = [f"Computed alike from the paper's tables and from ours, over {data_names}."]
    if left_out:
        notes.append(f"Not stored on all of them: {', '.join(left_out)}.")
    return Table("unified", _title(ranks, "unified rank"), columns, tuple(table_rows), tuple(notes))


def _is_complete(rows: StoredRows, tables: Sequence[PublishedTable], method: str) -> bool:
    outcomes = [rows.row(method, table.data) for table in tables]
    return all(
        outcome is not None and all(measure in outcome.values for measure in table.measures)
        for outcome, table in zip(outcomes, tables, strict=True)
    )


def _stored_values(rows: StoredRows, tables: Sequence[PublishedTable], method: str) -> list[float]:
    return [
        outcome.mean(measure)
        for table in tables
        if (outcome := rows.row(method, table.data)) is not None
        for measure in table.measures
    ]


def standard_error(outcome: Outcome, measure: str) -> float:
    """Return that of the mean over all test queries that count; NaN where fewer than two do."""
    values = outcome.by_query(measure)
    values = values[~np.isnan(values)]
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _missing(rows: StoredRows, methods: Sequence[str], data: str) -> tuple[str, ...]:
    """Return what would have to be run for the rows that are empty."""
    absent = [f"{m} needs {rows.absent[m, data]}" for m in methods if (m, data) in rows.absent]
    return (f"Not stored: {'; '.join(absent)}.",) if absent else ()

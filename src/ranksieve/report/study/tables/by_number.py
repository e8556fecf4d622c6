"""Tables by the number of features: what each size of set costs against the reference."""

from __future__ import annotations

from ranksieve.experiment import ALL, DataFacts
from ranksieve.report.shared.table import (
    Column,
    Row,
    Table,
    Value,
    count,
    counts,
    fixed,
    probability,
    signed,
    signed_between,
)
from ranksieve.report.shared.words import counted, listed
from ranksieve.report.study.names import distinct, method_label, number_label, ranker_label
from ranksieve.report.study.significance import QueryTest
from ranksieve.report.study.standings import FEW_RESAMPLES, LEVEL, Standing
from ranksieve.report.study.view import StudyView


def requested_number(value: float | str) -> str:
    """Return how many features were requested.

    Examples
    --------
    >>> requested_number(10), requested_number("all it keeps")
    ('10', 'all it keeps')
    """
    return value if isinstance(value, str) else count(value)


def _columns(test: QueryTest) -> tuple[Column, ...]:
    return (
        Column("method"),
        Column("ranker"),
        Column("asked for", requested_number),
        Column("features used", count),
        Column("mean", fixed(4)),
        Column("difference", signed),
        Column("difference, 95 %", signed_between, parts=("difference low", "difference high")),
        Column(test.column("p"), probability),
        Column(test.column("p adjusted"), probability),
        Column("verdict"),
        Column("win / tie / loss", counts, parts=("wins", "ties", "losses")),
    )


def number_tables(view: StudyView) -> list[Table]:
    """Return a table for each data set and measure: each method with each number of features."""
    return [
        _table(view, facts, measure, standings)
        for facts in view.results.data
        for measure in view.measures
        if (standings := view.numbers_for(facts.name, measure))
    ]


def _table(view: StudyView, facts: DataFacts, measure: str, standings: list[Standing]) -> Table:
    return Table(
        "numbers",
        f"By number of features: {facts.name}, {measure}",
        _columns(view.test),
        tuple(_row(standing) for standing in standings),
        _notes(view, facts, standings),
        facts.name,
        measure,
        is_long=True,
    )


def _row(standing: Standing) -> Row:
    method, ranker = method_label(standing.outcome), ranker_label(standing.outcome)
    values: tuple[Value, ...] = (
        method,
        ranker,
        number_label(ALL) if standing.outcome.number == ALL else standing.outcome.number,
        standing.n_features,
        standing.mean,
        standing.difference,
        (standing.difference_low, standing.difference_high) if standing.reference else None,
        standing.p_value,
        standing.adjusted,
        standing.mark,
        standing.record,
    )
    return Row(values, standing.outcome.data, standing.measure, method, ranker)


def _notes(view: StudyView, facts: DataFacts, standings: list[Standing]) -> tuple[str, ...]:
    references = distinct(standing.reference for standing in standings if standing.reference)
    n = sum(1 for standing in standings if standing.reference)
    settings = (
        "Validation chose the other settings of each number."
        if view.has_validation(facts)
        else "Without validation queries, settings are those that were given."
    )
    return (
        f"Each number of features of every curve, compared with {listed(references, 6)}: "
        f"{view.test.words}; p adjusted by Holm's method over {counted(n, 'comparison')}; "
        f"{' and '.join(view.test.verdicts)}: adjusted p at most {LEVEL:g}. The interval is that "
        f"of the difference, query by query, from {FEW_RESAMPLES:,} resamples. {settings} Picking "
        "a row by these test queries is optimistic.",
    )

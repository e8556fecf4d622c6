"""Leaderboards of a study: who was best, by how much, and whether it is more than chance."""

from __future__ import annotations

import math

import numpy as np

from ranksieve.evaluate import unified_rank
from ranksieve.experiment import DataFacts
from ranksieve.report.shared.table import (
    Column,
    Row,
    Table,
    between,
    count,
    counts,
    fixed,
    probability,
    signed,
)
from ranksieve.report.shared.words import counted, listed
from ranksieve.report.study.names import distinct, method_label, ranker_label
from ranksieve.report.study.significance import QueryTest
from ranksieve.report.study.standings import LEVEL, Standing
from ranksieve.report.study.view import StudyView


def _columns(test: QueryTest) -> tuple[Column, ...]:
    return (
        Column("place", count),
        Column("method"),
        Column("ranker"),
        Column("mean", fixed(4)),
        Column("95 % interval", between, parts=("low", "high")),
        Column("features", count),
        Column("sparsity", fixed(3)),
        Column("difference", signed),
        Column(test.column("p"), probability),
        Column(test.column("p adjusted"), probability),
        Column("verdict"),
        Column("win / tie / loss", counts, parts=("wins", "ties", "losses")),
    )


def leaderboards(view: StudyView) -> list[Table]:
    """Return a table for each data set and measure, from the best mean on."""
    return [
        _leaderboard(view, facts, measure)
        for facts in view.results.data
        for measure in view.measures
        if view.outcomes(facts)
    ]


def unified_ranks(view: StudyView) -> list[Table]:
    """Return methods by their ranks over all data sets and measures.

    None for one method, or for one data set, where the leaderboards say it all.
    """
    columns = [(facts.name, measure) for facts in view.results.data for measure in view.measures]
    means = {
        (standing.outcome.name, standing.outcome.data, standing.measure): standing
        for standing in view.standings
        if not math.isnan(standing.mean)
    }
    names = distinct(standing.outcome.name for standing in view.standings)
    complete = [name for name in names if all((name, *column) in means for column in columns)]
    if len(complete) < 2 or len(view.results.data) < 2:
        return []
    table = [[means[name, *column].mean for column in columns] for name in complete]
    unified = unified_rank(table)
    rows = []
    for index in np.argsort(-unified.scores, kind="stable").tolist():
        outcome = means[complete[index], *columns[0]].outcome
        firsts, mean_rank = int(unified.counts[index, 0]), _mean_rank(unified.counts[index])
        rows.append(
            Row(
                (
                    method_label(outcome),
                    ranker_label(outcome),
                    float(unified.scores[index]),
                    mean_rank,
                    firsts,
                ),
                method=method_label(outcome),
                ranker=ranker_label(outcome),
            )
        )
    missing = [name for name in names if name not in complete]
    words = (
        f"Over {counted(len(columns), 'column')}: each data set by each measure. A first place "
        "counts 1, a last one 1 / number of methods; means equal to four decimals share the "
        "better place.",
        *((f"Left out, without a mean in some column: {listed(missing, 10)}.",) if missing else ()),
    )
    head = (
        Column("method"),
        Column("ranker"),
        Column("unified rank", fixed(4)),
        Column("mean place", fixed(2)),
        Column("first places", count),
    )
    return [Table("unified", "Unified rank over data sets and measures", head, tuple(rows), words)]


def _mean_rank(counts_of_ranks: np.ndarray) -> float:
    ranks = np.arange(1, len(counts_of_ranks) + 1)
    return float(counts_of_ranks @ ranks / counts_of_ranks.sum())


def _leaderboard(view: StudyView, facts: DataFacts, measure: str) -> Table:
    standings = view.standings_for(facts.name, measure)
    rows = tuple(_row(rank, standing) for rank, standing in enumerate(standings, start=1))
    title = f"{facts.name}, {measure}"
    return Table(
        "leaderboard",
        title,
        _columns(view.test),
        rows,
        _notes(view, standings, facts, measure),
        facts.name,
        measure,
    )


def _row(rank: int, standing: Standing) -> Row:
    outcome = standing.outcome
    return Row(
        (
            rank,
            method_label(outcome),
            ranker_label(outcome),
            standing.mean,
            (standing.low, standing.high),
            standing.n_features,
            standing.sparsity,
            standing.difference,
            standing.p_value,
            standing.adjusted,
            standing.mark,
            standing.record,
        ),
        outcome.data,
        standing.measure,
        method_label(outcome),
        ranker_label(outcome),
    )


def _notes(
    view: StudyView, standings: list[Standing], facts: DataFacts, measure: str
) -> tuple[str, ...]:
    references = distinct(standing.reference for standing in standings if standing.reference)
    compared = sum(1 for standing in standings if standing.reference)
    notes = [
        f"Compared with {listed(references, 6)}: {view.test.words}, over "
        f"{counted(_n_counting(standings), 'query', 'queries')} that count; p adjusted by Holm's "
        f"method over {counted(compared, 'comparison')}. {_verdicts(view.test)}: adjusted p at "
        f"most {LEVEL:g}."
        if references
        else "There is nothing to compare with."
    ]
    partial = [
        standing.outcome.name
        for standing in standings
        if len(standing.outcome.folds) < len(facts.folds)
    ]
    if partial:
        notes.append(f"Not on all folds, so not comparable as they stand: {listed(partial, 10)}.")
    if not view.has_validation(facts):
        notes.append(
            "Without validation queries nothing chose a number of features, so only what needs no "
            "choice stands here. The results of each number are in the table by number of features."
        )
    elif measure != view.results.measures[0]:
        notes.append(f"Validation chose by {view.results.measures[0]}, not by this measure.")
    return tuple(notes)


def _verdicts(test: QueryTest) -> str:
    return " and ".join(test.verdicts).capitalize()


def _n_counting(standings: list[Standing]) -> int:
    return max(
        int(np.count_nonzero(~np.isnan(standing.outcome.by_query(standing.measure))))
        for standing in standings
    )

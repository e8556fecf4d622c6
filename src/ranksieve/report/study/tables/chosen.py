"""The table of the features that methods chose, by their names."""

from __future__ import annotations

from ranksieve.experiment import DataFacts, Outcome
from ranksieve.report.shared.table import Column, Row, Table, count
from ranksieve.report.study.feature_file import by_folds
from ranksieve.report.study.names import ALL_FEATURES, method_label, ranker_label
from ranksieve.report.study.standings import Standing
from ranksieve.report.study.view import StudyView

_COLUMNS = (
    Column("data"),
    Column("method"),
    Column("ranker"),
    Column("folds", count),
    Column("features", count),
    Column("in all folds", uncut=True),
    Column("in some folds", uncut=True),
)


def features_table(view: StudyView) -> Table:
    """Return the features of what validation chose: those of all folds, and those of some."""
    rows = tuple(
        _row(outcome, facts)
        for facts in view.results.data
        for outcome in view.outcomes(facts)
        if outcome.method != ALL_FEATURES
    )
    notes = (
        "What validation chose, by name, from the most often chosen on: 3/5 is three of five "
        "folds. Among equally often chosen ones, those chosen earlier in the folds' orders "
        "stand first.",
    )
    return Table("chosen", "Features chosen", _COLUMNS, rows, notes)


def _row(outcome: Outcome, facts: DataFacts) -> Row:
    method, ranker = method_label(outcome), ranker_label(outcome)
    always, sometimes = chosen_names(outcome, facts)
    values = (
        outcome.data,
        method,
        ranker,
        len(outcome.folds),
        float(outcome.n_features.mean()),
        ", ".join(always) or "-",
        ", ".join(sometimes) or "-",
    )
    return Row(values, data=outcome.data, method=method, ranker=ranker)


def set_tables(view: StudyView) -> list[Table]:
    """Return, for each data set and measure, the set that the summary names: a row per fold."""
    return [
        _set_table(view, facts, measure, named)
        for facts in view.results.data
        for measure in view.measures
        if (answer := view.smallest.get((facts.name, measure)))
        and (named := answer.fewest or answer.nearest)
    ]


def _set_table(view: StudyView, facts: DataFacts, measure: str, named: Standing) -> Table:
    outcome = named.outcome
    rows = tuple(
        Row(
            (
                chosen.fold,
                len(chosen.features),
                ", ".join(facts.feature_names[feature] for feature in chosen.features),
                chosen.selector or ALL_FEATURES,
                chosen.ranker or "-",
                chosen.trial,
            ),
            facts.name,
            measure,
        )
        for chosen in outcome.folds
    )
    columns = (
        Column("fold"),
        Column("features", count),
        Column("names, in the order of the selector", uncut=True),
        Column("selector's setting"),
        Column("ranker's setting"),
        Column("trial", count),
    )
    title = f"{facts.name}, {measure}: {outcome.name} with {count(named.n_features)} features"
    return Table("set", title, columns, rows, (), facts.name, measure)


def chosen_names(outcome: Outcome, facts: DataFacts) -> tuple[list[str], list[str]]:
    """Return names of features that all folds chose, and others with their share: "price 3/5"."""
    n_folds = len(outcome.folds)
    counts = by_folds(outcome)
    always = [facts.feature_names[entry.feature] for entry in counts if entry.n_folds == n_folds]
    sometimes = [
        f"{facts.feature_names[entry.feature]} {entry.n_folds}/{n_folds}"
        for entry in counts
        if entry.n_folds < n_folds
    ]
    return always, sometimes

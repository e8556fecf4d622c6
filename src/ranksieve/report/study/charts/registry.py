"""Every chart of a study, registered once with its section of the page."""

from __future__ import annotations

from collections import Counter
from functools import partial

from ranksieve.report.shared.packing import Rows
from ranksieve.report.shared.words import listed
from ranksieve.report.study.charts import features as of_features
from ranksieve.report.study.charts import outcomes as of_outcomes
from ranksieve.report.study.charts import radar
from ranksieve.report.study.charts import rows as rows_of
from ranksieve.report.study.charts.figure import Figure
from ranksieve.report.study.names import distinct
from ranksieve.report.study.view import StudyView

# Words of a choice that is no field of the rows.
_X_AXES = {"step": "step", "second": "second"}

# Up to how many lines of a panel have room for their names, and radars beside each other.
_NAMED, _RADARS = 18, 12

# Up to how many features each has its label, and their number a linear axis.
_LABELLED, _LINEAR = 60, 20


def figures(view: StudyView) -> list[Figure]:
    """Return every kind of chart that the results have rows for."""
    outcomes = rows_of.outcome_rows(view)
    traces = rows_of.trace_rows(view)
    selections = rows_of.selection_rows(view)
    importance = rows_of.importance_rows(view)
    every_label = _most_features(selections) <= _LABELLED
    wide = _is_wide(outcomes)
    every_kind = [
        Figure(
            "difference",
            "cost",
            "What fewer features cost",
            _difference_note(view),
            "outcomes",
            outcomes if any(row["difference"] is not None for row in outcomes) else [],
            ("data", "ranker"),
            partial(of_outcomes.difference_chart, margin=view.margin, logarithmic=wide),
            height=330,
            hint="Point at a line for the interval of each number.",
            value="difference",
            ends=("worst", "best"),
            margin=view.margin,
            named=_NAMED,
            beside=True,
        ),
        Figure(
            "features",
            "size",
            "Measure against number of features",
            "A line is a method; a diamond is the number that validation chose, a whisker or a "
            "band the 95 % interval. The dashed line is all features. A diamond lies off its line "
            "where folds chose different numbers: the line has one number for all folds."
            + _hidden(view),
            "outcomes",
            outcomes,
            ("data", "ranker"),
            partial(of_outcomes.features_chart, logarithmic=wide),
            value="mean",
            named=_NAMED,
            beside=True,
        ),
        Figure(
            "sparsity",
            "size",
            "Measure against sparsity",
            "The same against the share of the used features that is kept: sparser to the left."
            + _hidden(view),
            "outcomes",
            outcomes,
            ("data", "ranker"),
            of_outcomes.sparsity_chart,
            value="mean",
            named=_NAMED,
            beside=True,
        ),
        Figure(
            "removed",
            "size",
            "Removed features",
            "A figure for each method. The further out its line is on a branch, the more features "
            "it removed there, of those that are used: what validation chose." + _hidden(view),
            "removal",
            _with_branches(rows_of.removal_rows(view)),
            ("ranker",),
            radar.removal_chart,
            select="level",
            ratio=radar.RADAR_RATIO,
            named=_RADARS,
            least=radar.RADAR_WIDTH,
            branches="branch",
        ),
        Figure(
            "time",
            "time",
            "Measure against time",
            "Selection and training of the chosen setting, mean over folds; the shape of a mark is "
            "the ranker, a whisker the 95 % interval. Upper left is better and cheaper.",
            "outcomes",
            outcomes,
            ("data",),
            of_outcomes.time_chart,
            only={"kind": "chosen"},
            value="mean",
        ),
        Figure(
            "selections",
            "features",
            "Which features were chosen",
            "Each method has a line of marks for each fold, in the order of the folds; the "
            "fainter a mark, the later the feature was chosen.",
            "selections",
            selections,
            ("data", "ranker"),
            partial(of_features.selection_chart, every_label=every_label),
            height=15,
            lines=True,
            step=12 if every_label else 3,
            renderer="canvas",
        ),
        Figure(
            "importance",
            "features",
            "Importance of features",
            _importance_note(importance),
            "importance",
            importance,
            ("data",),
            of_features.importance_chart,
            select="component",
            hint="Point at a bar for the settings of the importance.",
        ),
        Figure(
            "similarity",
            "features",
            "Similarity of features",
            "Dark features rank documents alike; the order is that of clusters. Features that "
            "order nothing are left out.",
            "similarity",
            rows_of.similarity_rows(view),
            ("data",),
            of_features.similarity_chart,
            select="component",
            ratio=1.0,
            renderer="canvas",
        ),
        Figure(
            "objective",
            "convergence",
            "Convergence: objective",
            "Objective minus the best one of the same problem, a line for each fold.",
            "traces",
            traces,
            ("data",),
            of_features.excess_chart,
            beside=True,
            axes=_X_AXES,
        ),
        Figure(
            "gap",
            "convergence",
            "Convergence: proven gap",
            "Bound on the distance to the optimum, where the solver has one.",
            "traces",
            traces if any(row["gap"] is not None for row in traces) else [],
            ("data",),
            of_features.gap_chart,
            beside=True,
            axes=_X_AXES,
        ),
    ]
    return [figure for figure in every_kind if figure.rows]


def _difference_note(view: StudyView) -> str:
    references = distinct(answer.reference.outcome.name for answer in view.smallest.values())
    return (
        f"Mean difference to {listed(references, 3)}, query by query, by the mean number of "
        "features over folds: above 0 is better. The band "
        f"is the margin of {view.margin:g}; a ring is the set named above, with its 95 % interval. "
        f"Large losses are cut off.{_hidden(view)}"
    )


def _hidden(view: StudyView) -> str:
    """Return what happens to methods without a colour, where there are some."""
    if len(view.coloured) == len(view.methods):
        return ""
    return " Methods without a colour are grey, or left out where their names have no room."


def _importance_note(rows: Rows) -> str:
    note = (
        "Mean over the training parts of the folds, from what a random order scores on; a "
        "whisker goes from the least to the largest."
    )
    if all(row["note"] for row in rows):
        return note
    return (
        f"{note} Bars without a line for the random order start at 0: the store was made by a "
        "version that did not record it, and no feature is constant, which would tell it."
    )


def _with_branches(removal: Rows) -> Rows:
    """Return the rows of a radar, none where no ranker has three branches."""
    branches: dict[tuple[str, str], set[str]] = {}
    for row in removal:
        branches.setdefault((row["ranker"], row["level"]), set()).add(row["branch"])
    return removal if any(len(names) >= 3 for names in branches.values()) else []


def _is_wide(outcomes: Rows) -> bool:
    """Whether the numbers of features need a logarithmic axis, and none of them is 0."""
    numbers = [row["features"] for row in outcomes]
    return bool(numbers) and max(numbers) > _LINEAR and min(numbers) >= 1


def _most_features(selections: Rows) -> int:
    """Return how many different features were chosen on the data set with most of them."""
    pairs = {(row["data"], row["feature"]) for row in selections}
    return max(Counter(data for data, _ in pairs).values(), default=0)

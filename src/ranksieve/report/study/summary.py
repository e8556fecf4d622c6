"""A study in a few sentences: the best methods, and the fewest features that lose little."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ranksieve.experiment import DataFacts, Outcome
from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.table import count, signed, signed_between
from ranksieve.report.shared.words import counted, listed
from ranksieve.report.study.differences import Smallest
from ranksieve.report.study.names import distinct
from ranksieve.report.study.significance import QueryTest, significant_words
from ranksieve.report.study.standings import Standing, with_means
from ranksieve.report.study.tables.chosen import chosen_names
from ranksieve.report.study.view import MARGIN, StudyView

CAUTION = (
    "The smallest of many sets was picked by the same test queries that judge it, which is "
    "optimistic: confirm it on queries that no one has looked at."
)
_FILTERS = (
    "This box follows the data set and the measure above; all rankers and methods count in it, "
    "whatever the other filters say."
)


# How many names of features stand in the box; the table behind its link has all.
_NAMES = 15


def finding(view: StudyView) -> tuple[str, str]:
    """Return what the leaderboards say about all methods: by the first measure, and by each.

    Methods are those that are compared with a reference; marks are of the adjusted test.
    """
    compared = [standing for standing in view.standings if standing.reference]
    if not compared:
        return "There is nothing to compare with.", ""
    first = [standing for standing in compared if standing.measure == view.measures[0]]
    against = listed(distinct(standing.reference.partition(" + ")[0] for standing in first), 3)
    names = [facts.name for facts in view.results.data]
    marked = [words for name in names if (words := _marked_words(first, name, against))]
    sides = " or ".join(view.test.verdicts)
    headline = (
        "; ".join(marked)
        if marked
        else f"No method is significantly {sides} than {against} on {' or '.join(names)}"
    )
    return f"{headline[0].upper()}{headline[1:]}, by {view.measures[0]}.", (
        f"{counted(len(first), 'comparison')} by each measure, p adjusted by Holm's method over "
        f"those of a data set. {_tallies(view, compared)}"
    )


def _tallies(view: StudyView, compared: Sequence[Standing]) -> str:
    """Return how many comparisons came out significant, measures of equal numbers together."""
    measures: dict[str, list[str]] = {}
    for measure in view.measures:
        marks = Counter(standing.mark for standing in compared if standing.measure == measure)
        measures.setdefault(significant_words(view.test, marks), []).append(measure)
    return " ".join(f"By {', '.join(names)}: {words}." for words, names in measures.items())


def _marked_words(first: Sequence[Standing], data: str, against: str) -> str:
    """Return how many methods are significantly better or worse on a data set; "" for none."""
    on_data = [standing for standing in first if standing.outcome.data == data]
    marks = Counter(standing.mark for standing in on_data)
    sides = [f"{marks[side]} significantly {side}" for side in ("better", "worse") if marks[side]]
    if not sides:
        return ""
    return f"on {data}, {' and '.join(sides)} than {against} of {counted(len(on_data), 'method')}"


def study_summary(view: StudyView, *, filters: bool = True) -> Markup:
    """Return the box: for each data set and measure the fewest features that lose little.

    Three lines each: their verdict with its interval, their names, and the command that writes
    them. What else the sentences of the summary say is folded below.
    """
    pairs = [(facts, measure) for facts in view.results.data for measure in view.measures]
    more = [
        tag(
            "p",
            tag("strong", f"{facts.name}, {measure}. "),
            *sentences,
            data_data=facts.name,
            data_measure=measure,
        )
        for facts, measure in pairs
        if (sentences := summary_sentences(view, facts, measure))
    ]
    words = tag("span", _FILTERS, class_="scripts") if filters else Markup()
    notes = tag("p", f"{CAUTION} ", words, class_="soft")
    return tag(
        "section",
        tag("h2", "In short"),
        *(_answer(view, facts, measure) for facts, measure in pairs),
        tag("details", tag("summary", "The best method, and how far to trust this"), *more, notes),
        class_="verdict",
        id="short",
    )


def _answer(view: StudyView, facts: DataFacts, measure: str) -> Markup:
    answer = view.smallest.get((facts.name, measure))
    named = named_set(answer)
    if answer is None or named is None:
        return Markup()
    return tag(
        "div",
        tag(
            "p",
            tag("strong", f"{facts.name}: {_claim(answer, measure, view.margin)} "),
            _why(answer, view.margin),
        ),
        tag(
            "p",
            _feature_words(named.outcome, facts),
            " ",
            tag("a", "All, with their settings.", href="#set"),
        ),
        _command(view, facts, answer, measure),
        class_="answer",
        data_data=facts.name,
        data_measure=measure,
    )


def named_set(answer: Smallest | None) -> Standing | None:
    """Return the set that the box names: the fewest features that lose little, or the nearest."""
    return None if answer is None else answer.fewest or answer.nearest


def _claim(answer: Smallest, measure: str, margin: float) -> str:
    total = count(answer.reference.n_features)
    if answer.fewest is None:
        return f"none below all {total} is shown to lose less than {margin:g} of {measure}."
    size = f"{count(answer.fewest.n_features)} of {total} features"
    if answer.fewest.difference_low > 0:
        return f"{size} are better by {measure} than all."
    return f"{size} lose less than {margin:g} of {measure}."


def _why(answer: Smallest, margin: float) -> str:
    named = named_set(answer)
    if named is None:
        return ""
    start = "" if answer.fewest else "The nearest: "
    edge = "above" if answer.fewest else "not above"
    return (
        f"{start}{named.outcome.name} {named.mean:.4f}, {answer.reference.outcome.name} "
        f"{answer.reference.mean:.4f}; difference {signed(named.difference)}, 95 % interval "
        f"{signed_between(named.difference_low, named.difference_high)}, {edge} the margin of "
        f"-{margin:g}."
    )


def _feature_words(outcome: Outcome, facts: DataFacts) -> str:
    always, sometimes = chosen_names(outcome, facts)
    if not sometimes:
        return f"Features: {listed(always, _NAMES)}."
    folds = f"all {len(outcome.folds)} folds"
    most = max(_NAMES - len(always), 3)
    if not always:
        return f"Features, none of them in {folds}: {listed(sometimes, most)}."
    return f"Features in {folds}: {listed(always, _NAMES)}; in some: {listed(sometimes, most)}."


def _command(view: StudyView, facts: DataFacts, answer: Smallest, measure: str) -> Markup:
    options = ["--data", facts.name] if len(view.results.data) > 1 else []
    options += [] if measure == view.results.measures[0] else ["--measure", measure]
    if view.reference is not None:
        options += ["--reference", view.reference]
    margin = view.margin
    if answer.fewest is None and answer.nearest is not None:
        # What would do, rounded up.
        margin = math.floor(-answer.nearest.difference_low * 1000 + 1) / 1000
    if margin != MARGIN:
        options += ["--margin", f"{margin:g}"]
    words = ["ranksieve", "report", _store(view.results.command), *options]
    line = tag("code", shlex.join([*words, "--features-out", "features.json"]))
    if answer.fewest is None:
        return tag("p", f"If a loss of {margin:g} is little enough: ", line)
    return tag("p", line)


def _store(command: str) -> str:
    """Return the store that a study's command wrote, or RUNS where it names none.

    Examples
    --------
    >>> _store("ranksieve compare MQ2008 --store runs.db"), _store("ranksieve demo")
    ('runs.db', 'RUNS')
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return "RUNS"
    after = [value for option, value in pairwise(words) if option == "--store"]
    joined = [word.removeprefix("--store=") for word in words if word.startswith("--store=")]
    return (after + joined or ["RUNS"])[-1]


def summary_sentences(view: StudyView, facts: DataFacts, measure: str) -> list[str]:
    """Return what a measure says about a data set; each sentence ends in a space."""
    leaders = with_means(view.standings_for(facts.name, measure))
    answer = view.smallest.get((facts.name, measure))
    if answer is None:
        return []
    head = (
        [f"Best: {_described(leaders[0])}.", *_tally(leaders, view.test)]
        if leaders and view.has_validation(facts)
        else _without_validation(with_means(view.numbers_for(facts.name, measure)))
    )
    return [f"{sentence} " for sentence in (*head, *_smallest_sentences(answer, view.margin))]


def _tally(standings: Sequence[Standing], test: QueryTest) -> list[str]:
    compared = [standing for standing in standings if standing.reference]
    if not compared:
        return []
    marks = Counter(standing.mark for standing in compared)
    return [
        f"Of {counted(len(compared), 'comparison')} in the leaderboard, "
        f"{significant_words(test, marks)}."
    ]


def _without_validation(points: Sequence[Standing]) -> list[str]:
    why = "There are no validation queries, so nothing chose the number of features."
    if not points:
        return [why]
    return [why, f"Highest mean: {_described(max(points, key=lambda point: point.mean))}."]


def _smallest_sentences(answer: Smallest, margin: float) -> list[str]:
    """Return the fewest features within the margin, or how near the nearest comes."""
    sentences = [f"Reference: {_described(answer.reference)}."]
    if answer.nearest is None:
        return [*sentences, "No result has fewer features than that."]
    looked = f"of {counted(answer.n_candidates, 'result')} with fewer features"
    if answer.fewest is not None:
        return [
            *sentences,
            f"Fewest features whose 95 % interval of the difference to it stays above "
            f"-{margin:g}, {looked}: {_beside(answer.fewest)}.",
        ]
    return [
        *sentences,
        f"None {looked} has a 95 % interval of the difference to it above -{margin:g}. The nearest "
        f"is {_beside(answer.nearest)}: these queries allow a loss of "
        f"{-answer.nearest.difference_low:.4f}.",
    ]


def _described(standing: Standing) -> str:
    features = f"{count(standing.n_features)} feature{'s' * (standing.n_features != 1)}"
    return f"{standing.outcome.name}, {standing.mean:.4f} with {features}"


def _beside(standing: Standing) -> str:
    interval = signed_between(standing.difference_low, standing.difference_high)
    return f"{_described(standing)}, difference {signed(standing.difference)} ({interval})"

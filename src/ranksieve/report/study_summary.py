"""A study in a few sentences: the best methods, and the fewest features that lose little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ranksieve.experiment import DataFacts
from ranksieve.report.markup import Markup, tag
from ranksieve.report.study_significance import QueryTest, significant_words
from ranksieve.report.study_smallest import Smallest
from ranksieve.report.study_standings import Standing, with_means
from ranksieve.report.study_table import count, signed, signed_between
from ranksieve.report.study_view import StudyView
from ranksieve.report.words import counted

CAUTION = (
    "The smallest of many sets was picked by the same test queries that judge it, which is "
    "optimistic: confirm it on queries that no one has looked at."
)
_FILTERS = (
    "This box follows the data set and the measure above; all rankers and methods count in it, "
    "whatever the other filters say."
)


def study_summary(view: StudyView) -> Markup:
    """Return a box with a paragraph for each data set and measure."""
    paragraphs = []
    for facts in view.results.data:
        for measure in view.measures:
            sentences = summary_sentences(view, facts, measure)
            if sentences:
                head = tag("strong", f"{facts.name}, {measure}. ")
                paragraphs.append(
                    tag("p", head, *sentences, data_data=facts.name, data_measure=measure)
                )
    notes = tag("p", f"{CAUTION} ", tag("span", _FILTERS, class_="scripts"), class_="soft")
    return tag(
        "section",
        tag("h2", "In short"),
        *paragraphs,
        notes,
        class_="verdict",
        id="short",
    )


def summary_sentences(view: StudyView, facts: DataFacts, measure: str) -> list[str]:
    """Return what a measure says about a data set; each sentence ends in a space."""
    here = with_means(view.here(facts.name, measure))
    found = view.smallest.get((facts.name, measure))
    if found is None:
        return []
    head = (
        [f"Best: {_told(here[0])}.", *_tally(here, view.test)]
        if here and view.has_validation(facts)
        else _without_validation(with_means(view.numbers_here(facts.name, measure)))
    )
    return [f"{sentence} " for sentence in (*head, *_smallest_sentences(found, view.margin))]


def _tally(here: Sequence[Standing], test: QueryTest) -> list[str]:
    compared = [one for one in here if one.reference]
    if not compared:
        return []
    marks = Counter(one.mark for one in compared)
    return [
        f"Of {counted(len(compared), 'comparison')} in the leaderboard, "
        f"{significant_words(test, marks)}."
    ]


def _without_validation(points: Sequence[Standing]) -> list[str]:
    why = "There are no validation queries, so nothing chose the number of features."
    if not points:
        return [why]
    return [why, f"Highest mean: {_told(max(points, key=lambda one: one.mean))}."]


def _smallest_sentences(found: Smallest, margin: float) -> list[str]:
    """Return the fewest features within the margin, or how near the nearest comes."""
    sentences = [f"Reference: {_told(found.reference)}."]
    if found.nearest is None:
        return [*sentences, "No result has fewer features than that."]
    looked = f"of {counted(found.n_candidates, 'result')} with fewer features"
    if found.found is not None:
        return [
            *sentences,
            f"Fewest features whose 95 % interval of the difference to it stays above "
            f"-{margin:g}, {looked}: {_beside(found.found)}.",
        ]
    return [
        *sentences,
        f"None {looked} has a 95 % interval of the difference to it above -{margin:g}. The nearest "
        f"is {_beside(found.nearest)}: these queries allow a loss of "
        f"{-found.nearest.difference_low:.4f}.",
    ]


def _told(one: Standing) -> str:
    features = f"{count(one.n_features)} feature{'s' * (one.n_features != 1)}"
    return f"{one.outcome.name}, {one.mean:.4f} with {features}"


def _beside(one: Standing) -> str:
    interval = signed_between(one.difference_low, one.difference_high)
    return f"{_told(one)}, difference {signed(one.difference)} ({interval})"

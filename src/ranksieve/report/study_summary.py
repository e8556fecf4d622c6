"""A study in a few sentences: the best methods, and the smallest sets that are as good."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ranksieve.experiment import DataFacts
from ranksieve.report.markup import Markup, tag
from ranksieve.report.study_standings import Standing
from ranksieve.report.study_table import count
from ranksieve.report.study_view import StudyView
from ranksieve.report.words import counted


def study_summary(view: StudyView) -> Markup:
    """Return a box with a paragraph for each data set, by the first measure."""
    paragraphs = []
    for facts in view.results.data:
        sentences = summary_sentences(view, facts)
        if sentences:
            paragraphs.append(tag("p", tag("strong", f"{facts.name}. "), " ".join(sentences)))
    return tag("section", *paragraphs, class_="verdict", aria_label="In short")


def summary_sentences(view: StudyView, facts: DataFacts) -> list[str]:
    """Return what the first measure says about a data set."""
    measure = view.measures[0]
    here = [
        one
        for one in view.standings
        if (one.outcome.data, one.measure) == (facts.name, measure) and not math.isnan(one.mean)
    ]
    if not here:
        return []
    best = here[0]
    return [
        f"Best by {measure}: {_told(best)}.",
        *_reference_sentence(here, best),
        *_smallest_sentence(here, best),
    ]


def _reference_sentence(here: Sequence[Standing], best: Standing) -> list[str]:
    names = {one.reference for one in here if one.reference}
    references = [one for one in here if one.outcome.name in names and one is not best]
    compared = [one for one in here if one.reference]
    if not compared:
        return []
    told = f"Reference: {'; '.join(_told(one) for one in references)}. " if references else ""
    better = sum(one.mark == "better" for one in compared)
    worse = sum(one.mark == "worse" for one in compared)
    return [
        f"{told}Of {counted(len(compared), 'comparison')}, {better} came out significantly better "
        f"and {worse} significantly worse."
    ]


def _smallest_sentence(here: Sequence[Standing], best: Standing) -> list[str]:
    """Return the fewest features of a method that no test calls worse than its reference."""
    kept = [one for one in here if one.reference and one.mark != "worse"]
    if not kept:
        return []
    smallest = min(kept, key=lambda one: (one.n_features, -one.mean))
    if smallest is best:
        return ["No other method that is not significantly worse has fewer features."]
    return [f"Fewest features without being significantly worse: {_told(smallest)}."]


def _told(one: Standing) -> str:
    features = f"{count(one.n_features)} feature{'s' * (one.n_features != 1)}"
    return f"{one.outcome.name}, {one.mean:.4f} with {features}"

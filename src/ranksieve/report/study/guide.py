"""The end of a study's page: how to read it, and how it was made."""

from __future__ import annotations

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.study.frame import folded_part
from ranksieve.report.study.standings import LEVEL
from ranksieve.report.study.view import StudyView

_READING = (
    (
        "Mean",
        "The mean over folds of the mean over each fold's test queries, as LETOR does. Queries "
        "that a measure does not count are left out.",
    ),
    (
        "95 % interval",
        "Percentile bootstrap over queries. Two intervals that overlap may still differ "
        "significantly, because methods are compared query by query.",
    ),
    (
        "Difference, p, p adjusted",
        "To the reference of the row. p is the chance of a difference at least as large (of a "
        "one-sided test: on the side it asks for) if there were none; adjusted for the number of "
        "comparisons in the table by Holm's method.",
    ),
    (
        "Fewest features",
        "Of all numbers of all curves, the fewest features whose paired 95 % interval of the "
        "difference stays above the margin. That a difference is not significant would not do: "
        "few queries can tell little. Every ranker is held against the best reference.",
    ),
    (
        "▲ better, ▼ worse",
        f"The adjusted p is at most {LEVEL:g}. No mark does not mean equal: it means that these "
        "queries cannot tell.",
    ),
    ("Win / tie / loss", "Test queries on which the method is above, equal to and below it."),
    (
        "Features, sparsity",
        "Mean over folds of the number of features, and of their share among those that are not 0 "
        "in every training document.",
    ),
    (
        "Own weights",
        "The method ranks by the weights that it selected with; refit is a ranker trained on its "
        "features. Methods with weights of their own are shown beside every ranker, and compared "
        "with the reference's first ranker.",
    ),
    (
        "Colours",
        "Among many methods the best few have a colour at first. The others are grey, or left out "
        "of charts that have no room for their names. Click a method above to give it a colour or "
        "take it away; the text field and the box hide others from tables and charts alike.",
    ),
)


def study_guide(view: StudyView) -> list[Markup]:
    """Return how to read the page, and the command, versions and conventions of the study."""
    terms = [part for name, words in _READING for part in (tag("dt", name), tag("dd", words))]
    return [
        folded_part("guide", "How to read this", "means, intervals, marks", tag("dl", *terms)),
        folded_part("made", "How this was made", "command, versions, conventions", *_origin(view)),
    ]


def _origin(view: StudyView) -> list[Markup]:
    results = view.results
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    conventions = [tag("li", sentence) for sentence in results.conventions]
    return [
        tag("pre", tag("code", results.command)),
        tag("p", f"Versions: {versions}.") if versions else Markup(),
        tag("ul", *conventions) if conventions else Markup(),
    ]

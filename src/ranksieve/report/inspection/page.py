"""An inspection as one HTML file that needs nothing else."""

from __future__ import annotations

from ranksieve import __version__
from ranksieve.report.inspection.collect import Inspection
from ranksieve.report.inspection.importance_plot import importance_svg
from ranksieve.report.inspection.judgement import advice, next_command, verdict
from ranksieve.report.inspection.similarity_map import similarity_figure
from ranksieve.report.inspection.tables import (
    block_table,
    feature_table,
    grade_table,
    query_table,
)
from ranksieve.report.shared.markup import Markup, page_file, tag
from ranksieve.report.shared.words import counted, shortened

# Nothing is fetched, whatever the data's names may hold.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def inspection_page(inspection: Inspection) -> str:
    """Return the page: headline facts, tables that sort, and two pictures.

    It works without a network and without scripts (tables then keep their first order, and
    cells of the heat map their names to themselves), on narrow screens, in print, and in a
    dark colour scheme. The same data gives the same page.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.report import inspect
    >>> data, _ = make_ranking(20)
    >>> inspection_page(inspect(data))[:15]
    '<!doctype html>'
    """
    source = shortened(inspection.source, 200)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{source} inspected"),
        tag("style", page_file("inspection", "page.css")),
    )
    body = tag(
        "body",
        _header(inspection, source),
        tag(
            "main",
            _verdict(inspection),
            _figures(inspection),
            _missing(inspection),
            _queries(inspection),
            _importance(inspection),
            _similarity(inspection),
            _features(inspection),
            _definitions(inspection),
        ),
        tag(
            "footer",
            f"Made by ranksieve {__version__}. Fingerprint of the data: ",
            _code(inspection),
        ),
        tag(
            "script",
            page_file("shared", "sortable.js"),
            page_file("shared", "folded.js"),
            page_file("inspection", "page.js"),
        ),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _header(inspection: Inspection, source: str) -> Markup:
    size = (
        f"{counted(inspection.n_documents, 'document')} of "
        f"{counted(inspection.n_queries, 'query', 'queries')}, "
        f"{counted(inspection.n_features, 'feature')}"
    )
    return tag(
        "header", tag("h1", source), tag("p", f"{size} ({inspection.kind}, {inspection.dtype})")
    )


def _verdict(inspection: Inspection) -> Markup:
    spread, redundancy, conclusion = verdict(inspection)
    command = next_command(inspection)
    return tag(
        "section",
        tag("p", tag("strong", conclusion)),
        *(tag("p", sentence) for sentence in advice(inspection)),
        tag("p", "Next: ", tag("code", command)) if command else Markup(),
        tag("p", f"{spread} {redundancy}", class_="soft"),
        class_="verdict",
        aria_label="In short",
    )


def _figures(inspection: Inspection) -> Markup:
    """Return the numbers of the data that are not 0."""
    facts, similar = inspection.features, inspection.similarity
    of_queries = int((facts.constant_in_queries & ~facts.constant).sum())
    figures = (
        ("documents", inspection.n_documents),
        ("queries", inspection.n_queries),
        ("features", inspection.n_features),
        ("missing values", inspection.n_missing),
        ("constant features", int(facts.constant.sum())),
        ("constant in each query", of_queries),
        ("exact copies", int((facts.duplicate_of >= 0).sum())),
        ("blocks of similar features", len(similar.blocks)),
    )
    cells = [
        tag("div", tag("dt", name), tag("dd", f"{number:,}")) for name, number in figures if number
    ]
    return tag("dl", *cells, class_="figures")


def _missing(inspection: Inspection) -> Markup:
    if not inspection.n_missing or inspection.features.n_missing is None:
        return Markup()
    affected = counted(int((inspection.features.n_missing > 0).sum()), "feature")
    return tag(
        "p",
        f"{counted(inspection.n_missing, 'value is', 'values are')} missing, in {affected}. For "
        f"everything else on this page they were filled by the rule {inspection.missing!r}.",
    )


def _queries(inspection: Inspection) -> Markup:
    return tag(
        "section",
        tag("h2", "Queries and grades"),
        tag("div", query_table(inspection), grade_table(inspection), class_="columns"),
    )


def _importance(inspection: Inspection) -> Markup:
    legend = tag(
        "p",
        tag("span", tag("span", "▲", class_="high"), " high values first"),
        tag("span", tag("span", "▼", class_="low"), " low values first"),
        tag("span", "○ orders nothing"),
        class_="legend",
    )
    hint = "Point at a feature to see its name."
    facts = inspection.importance
    alone = (
        f"Mean {facts.name} of ranking by one feature, in its better direction, with ties averaged."
    )
    beside_others = (
        f"{facts.name}: what a query loses on average when a feature's values change places within "
        "queries, or across them where it is constant in each. Directions are those of a feature "
        "alone."
    )
    return tag(
        "section",
        tag("h2", f"Importance: what each feature {'says alone' if facts.alone else 'is worth'}"),
        tag("p", alone if facts.alone else beside_others, class_="soft"),
        tag(
            "figure",
            importance_svg(inspection),
            importance_svg(inspection, width=370.0),
            legend,
            tag("p", hint, id="importance-readout", class_="readout"),
        ),
    )


def _similarity(inspection: Inspection) -> Markup:
    if len(inspection.similarity.order) < 2:
        return Markup()
    return tag(
        "section",
        tag("h2", "Similarity: which features rank alike"),
        tag(
            "p",
            f"{inspection.similarity.name}, scaled so that a feature and its copy have 1. "
            "Features are ordered by cluster; those that order nothing are left out.",
            class_="soft",
        ),
        tag("div", similarity_figure(inspection), block_table(inspection), class_="beside"),
    )


def _features(inspection: Inspection) -> Markup:
    return tag("section", tag("h2", "Features"), feature_table(inspection))


def _definitions(inspection: Inspection) -> Markup:
    return tag(
        "details",
        tag("summary", "How the figures are defined"),
        tag(
            "p",
            "A random order scores what a constant feature scores; the gain of a feature is what "
            "it scores above that. The effects of features vary largely if the median feature has "
            "less than half of the best one's gain; a tenth of it or less is next to nothing.",
        ),
        tag(
            "p",
            "Blocks are clusters of average linkage on 1 minus the scaled similarity, cut at a "
            f"mean similarity of {inspection.similarity.cut:g}. Redundancy is high if one feature "
            "of each block can stand for a quarter of the features or more. Features are compared "
            "as they are: one that orders documents the opposite way of another is unlike it.",
        ),
        tag(
            "p",
            "That selection by importance and similarity pays where effects vary largely and "
            "features repeat each other in many blocks is the finding of Geng, Liu, Qin and Li, "
            "Feature selection for ranking, SIGIR 2007, section 4.3. The limits are ranksieve's.",
        ),
    )


def _code(inspection: Inspection) -> Markup:
    return tag("code", inspection.fingerprint)

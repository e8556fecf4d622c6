"""The report of a study as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ranksieve.experiment import Results
from ranksieve.report.shared.colours import COLOURS, GREY
from ranksieve.report.shared.html import html_table
from ranksieve.report.shared.markup import Markup, page_file, tag
from ranksieve.report.shared.packing import json_script, packed
from ranksieve.report.shared.table import Table
from ranksieve.report.study.charts.figure import (
    LABEL,
    NAME_HEIGHT,
    NAME_LETTERS,
    Figure,
    Words,
    altair,
    vl_convert,
)
from ranksieve.report.study.charts.registry import figures
from ranksieve.report.study.frame import folded_part, made_by, page_head, size_words
from ranksieve.report.study.guide import study_guide
from ranksieve.report.study.names import OWN_WEIGHTS, distinct, ranker_label, short_names
from ranksieve.report.study.record import study_record
from ranksieve.report.study.sections import SECTIONS, Section
from ranksieve.report.study.summary import study_summary
from ranksieve.report.study.tables.registry import TABLE_KINDS
from ranksieve.report.study.view import MARGIN, StudyView

# Up to this many rows, a table by number of features is open at first.
_FEW_ROWS = 60


def study_page(
    results: Results,
    *,
    reference: str | None = None,
    measures: Sequence[str] | None = None,
    test: str = "t",
    alternative: str = "two-sided",
    title: str | None = None,
    margin: float = MARGIN,
) -> str:
    """Return the page: the fewest features that lose little, what fewer cost, and who was best.

    The rest is folded: links to it, and paper, open it.

    It works without a network, on narrow screens, in print, by keyboard, and in a dark colour
    scheme. Tables and charts follow the same filters, which are kept in the page's address.
    Without scripts there are all tables and no charts.

    Parameters
    ----------
    results : Results
    reference : str, optional
        What methods are compared with: a method, which has the ranker of whoever is compared, or a
        method with its ranker, "GAS + RankSVM". All features, if not given; without these, the
        best mean of the data set and measure.
    measures : sequence of str, optional
        Some of the results', the most important one first.
    test : {"t", "randomisation", "wilcoxon"}
        Over queries.
    alternative : {"two-sided", "greater", "less"}
        Whether a method differs from its reference, is above it, or is below it. One-sided tests
        mark that side alone.
    title : str, optional
    margin : float
        The largest loss that the fewest features of "In short" may have, and the band of the
        first chart.

    Notes
    -----
    Values of queries are not in the page; means, unrounded, are, as JSON in the element `results`.
    """
    view = StudyView.of(
        results,
        reference=reference,
        measures=measures,
        test=test,
        alternative=alternative,
        title=title,
        margin=margin,
    )
    head = page_head(view.title)
    drawn = figures(view)
    sections = _sections(view, drawn)
    body = tag(
        "body",
        _header(view, list(sections)),
        study_summary(view),
        _controls(view),
        tag("main", *sections.values(), *study_guide(view)),
        made_by(),
        *_data(view, drawn),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _header(view: StudyView, sections: Sequence[str]) -> Markup:
    titles = {section.key: section.title for section in SECTIONS}
    links = [tag("a", titles[key], href=f"#{key}") for key in sections]
    contents = tag(
        "nav", *links, tag("a", "How to read this", href="#guide"), aria_label="Contents"
    )
    return tag("header", tag("h1", view.title), tag("p", size_words(view)), contents)


def _controls(view: StudyView) -> Markup:
    rankers = distinct(ranker_label(outcome) for outcome in view.results.chosen)
    trained = tuple(ranker for ranker in rankers if ranker != OWN_WEIGHTS)
    weights = (OWN_WEIGHTS,) if OWN_WEIGHTS in rankers else ()
    reset = tag("button", "Reset", type="button", id="reset")
    scheme = tag("button", "Dark", type="button", id="scheme", aria_pressed="false")
    search = tag(
        "input", type="search", id="method", placeholder="part of a name", autocomplete="off"
    )
    return tag(
        "form",
        tag(
            "div",
            _select(
                "data", "Data set", ("", *(facts.name for facts in view.results.data)), "all data"
            ),
            _select("measure", "Measure", view.measures),
            _select("ranker", "Ranker", ("", *trained, *weights), "all rankers"),
            class_="bar",
        ),
        tag(
            "div",
            tag("label", tag("span", "Method"), search),
            tag("div", reset, scheme, class_="buttons"),
            tag("details", tag("summary", "Methods"), _legend(), class_="legend"),
            class_="rest",
        ),
        tag("p", id="shown", role="status"),
        id="controls",
        aria_label="What is shown",
    )


def _legend() -> Markup:
    return tag(
        "div",
        tag("div", id="methods", role="group", aria_label="Methods with a colour"),
        tag(
            "label",
            tag("input", type="checkbox", id="only"),
            tag("span", "only methods with a colour"),
            class_="check",
        ),
    )


def _select(name: str, label: str, values: Sequence[str], every: str = "") -> Markup:
    options = [tag("option", value or every, value=value) for value in values]
    return tag("label", tag("span", label), tag("select", *options, id=name))


def _sections(view: StudyView, drawn: Sequence[Figure]) -> dict[str, Markup]:
    """Return the sections that hold something, by their keys."""
    sections = {}
    for section in SECTIONS:
        kinds = [kind for kind in TABLE_KINDS if kind.section == section.key]
        tables = [table for kind in kinds for table in kind.tables(view)]
        charts = [figure for figure in drawn if figure.section == section.key]
        if tables or charts:
            sections[section.key] = _section(view, section, tables, charts)
    return sections


def _is_open(view: StudyView, table: Table) -> bool:
    """Whether a table by number of features is short, or all there is on a data set."""
    (facts,) = (candidate for candidate in view.results.data if candidate.name == table.data)
    return len(table.rows) <= _FEW_ROWS or not view.has_validation(facts)


def _section(
    view: StudyView, section: Section, tables: Sequence[Table], charts: Sequence[Figure]
) -> Markup:
    content = [_figure(figure, heading=figure.title != section.title) for figure in charts]
    content += [
        html_table(
            table,
            unfolded=table.is_long and _is_open(view, table),
            caption=table.title != section.title,
        )
        for table in tables
    ]
    only_charts = "" if tables else "scripts"
    if section.folded:
        return folded_part(section.key, section.title, section.folded, *content, class_=only_charts)
    heading = tag("h2", section.title)
    return tag("section", heading, *content, id=section.key, class_=only_charts or None)


def _figure(figure: Figure, *, heading: bool) -> Markup:
    return tag(
        "figure",
        tag("h3", figure.title) if heading else Markup(),
        tag("div", class_="choice"),
        tag("div", class_="panels"),
        tag("figcaption", f"{figure.note} {figure.hint}".strip()),
        class_="chart",
        data_figure=figure.key,
    )


def _data(view: StudyView, drawn: Sequence[Figure]) -> list[Markup]:
    named = altair().NamedData(name="rows")
    content = {
        "figures": {
            figure.key: {
                "source": figure.source,
                "panels": list(figure.panels),
                "only": dict(figure.only),
                "select": figure.select,
                "axes": dict(figure.axes),
                "height": figure.height,
                "lines": figure.lines,
                "step": figure.step,
                "label": LABEL,
                "ratio": figure.ratio,
                "renderer": figure.renderer,
                "branches": figure.branches,
                "value": figure.value,
                "ends": list(figure.ends),
                "margin": figure.margin,
                "named": figure.named,
                "beside": figure.beside,
                "least": figure.least,
                # Its parts are checked when they are made.
                "spec": figure.draw(named, Words(), False).to_dict(validate=False),
            }
            for figure in drawn
        },
        "rows": {figure.source: packed(figure.rows) for figure in drawn},
        "methods": list(view.methods),
        "labels": short_names(view.methods, NAME_LETTERS),
        "coloured": list(view.coloured),
        "colours": {scheme: list(colours) for scheme, colours in COLOURS.items()},
        "grey": GREY,
        "own": OWN_WEIGHTS,
        "name_height": NAME_HEIGHT,
    }
    return [
        json_script(study_record(view), "results"),
        json_script(content, "charts"),
        tag("script", _bundle()),
        tag("script", page_file("shared", "sortable.js")),
        tag("script", page_file("shared", "folded.js")),
        tag("script", page_file("study", "charts.js")),
        tag("script", page_file("study", "page.js")),
    ]


@cache
def _bundle() -> Markup:
    """Return Vega, Vega-Lite and vega-embed as one script."""
    script: Any = vl_convert().javascript_bundle()
    # In a script, `<\\/` is `</` in every string and pattern, and ends no element.
    return Markup(str(script).replace("</script", "<\\/script").replace("<!--", "\\x3c!--"))

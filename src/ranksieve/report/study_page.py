"""The report of a study as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ranksieve import __version__
from ranksieve.experiment import Results
from ranksieve.report.markup import Markup, tag
from ranksieve.report.study_figure import COLOURS, GREY, LABEL, Figure, Words, altair, vl_convert
from ranksieve.report.study_figures import figures
from ranksieve.report.study_guide import study_guide
from ranksieve.report.study_html import html_table
from ranksieve.report.study_names import OWN_WEIGHTS, distinct, ranker_label
from ranksieve.report.study_packing import json_script, packed
from ranksieve.report.study_record import study_record
from ranksieve.report.study_summary import study_summary
from ranksieve.report.study_table import Table
from ranksieve.report.study_tables import study_tables
from ranksieve.report.study_view import MARGIN, StudyView
from ranksieve.report.words import counted

# Nothing is fetched and no text becomes code, whatever names may hold.
_POLICY = (
    "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
# The legend is open at first up to so many methods, a table by number up to so many rows.
_LEGEND_OPEN, _FEW_ROWS = 12, 60
_SECTIONS = (
    ("leaderboards", "Leaderboards", ("leaderboard", "unified"), ()),
    ("size", "How many features", ("numbers",), ("features", "sparsity", "removed")),
    ("time", "Time and memory", ("costs",), ("time",)),
    (
        "features",
        "Which features",
        ("chosen", "stability"),
        ("selections", "importance", "similarity"),
    ),
    ("convergence", "Convergence", (), ("objective", "gap")),
    ("choices", "What each fold chose", ("choices",), ()),
    ("failures", "Failures", ("failures",), ()),
    ("data", "Data", ("data",), ()),
)


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
    """Return the page: leaderboards, charts, stability, costs and what each fold chose.

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
        The largest loss that the fewest features of "In short" may have.

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
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", view.title),
        tag("style", _file("study_page.css")),
    )
    drawn = figures(view)
    sections = _sections(view, drawn)
    body = tag(
        "body",
        _header(view, list(sections)),
        _controls(view),
        tag("main", study_summary(view), *sections.values(), study_guide(view)),
        _footer(),
        *_data(view, drawn),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _header(view: StudyView, sections: Sequence[str]) -> Markup:
    results = view.results
    size = (
        f"{counted(len(results.data), 'data set')}, {counted(len(view.methods), 'method')}, "
        f"{counted(len(_rankers(view)), 'ranker')}, {counted(results.n_trials, 'trial')}"
    )
    titles = {key: title for key, title, _, _ in _SECTIONS}
    links = [tag("a", titles[key], href=f"#{key}") for key in sections]
    ends = (tag("a", "In short", href="#short"), tag("a", "How to read this", href="#guide"))
    contents = tag("nav", ends[0], *links, ends[1], aria_label="Contents")
    return tag("header", tag("h1", view.title), tag("p", size), contents)


def _rankers(view: StudyView) -> tuple[str, ...]:
    return distinct(outcome.ranker for outcome in view.results.chosen if outcome.ranker)


def _controls(view: StudyView) -> Markup:
    rankers = distinct(ranker_label(outcome) for outcome in view.results.chosen)
    others = tuple(ranker for ranker in rankers if ranker != OWN_WEIGHTS)
    own = (OWN_WEIGHTS,) if OWN_WEIGHTS in rankers else ()
    reset = tag("button", "Reset", type="button", id="reset")
    scheme = tag("button", "Dark", type="button", id="scheme", aria_pressed="false")
    search = tag(
        "input", type="search", id="method", placeholder="part of a name", autocomplete="off"
    )
    many = len(view.methods) > _LEGEND_OPEN
    return tag(
        "form",
        tag(
            "div",
            _select("data", "Data set", ("", *(one.name for one in view.results.data)), "all data"),
            _select("measure", "Measure", view.measures),
            _select("ranker", "Ranker", ("", *others, *own), "all rankers"),
            class_="bar",
        ),
        tag(
            "div",
            tag("label", tag("span", "Method"), search),
            tag("div", reset, scheme, class_="buttons"),
            tag("details", tag("summary", "Methods"), _legend(), class_="legend", open=not many),
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
    tables = study_tables(view)
    unfolded = [table.data for table in tables if table.key == "numbers" and _is_open(view, table)]
    made = {
        key: _section(key, title, tables, keys, drawn, charts, unfolded)
        for key, title, keys, charts in _SECTIONS
    }
    return {key: section for key, section in made.items() if section}


def _is_open(view: StudyView, table: Table) -> bool:
    """Whether a table by number of features is short, or all there is on a data set."""
    (facts,) = (one for one in view.results.data if one.name == table.data)
    return len(table.rows) <= _FEW_ROWS or not view.has_validation(facts)


def _section(
    key: str,
    title: str,
    tables: Sequence[Table],
    table_keys: Sequence[str],
    drawn: Sequence[Figure],
    chart_keys: Sequence[str],
    unfolded: Sequence[str],
) -> Markup:
    mine = [
        html_table(table, unfolded=table.data in unfolded)
        for wanted in table_keys
        for table in tables
        if table.key == wanted
    ]
    charts = [_figure(figure) for wanted in chart_keys for figure in drawn if figure.key == wanted]
    if not mine and not charts:
        return Markup()
    if key == "choices":
        rows = sum(len(table.rows) for table in tables if table.key == key)
        words = tag("summary", f"Settings of {counted(rows, 'trial')}", class_="title")
        mine = [tag("details", words, *mine)]
    return tag("section", tag("h2", title), *charts, *mine, id=key)


def _figure(figure: Figure) -> Markup:
    return tag(
        "figure",
        tag("h3", figure.title),
        tag("div", class_="choice"),
        tag("div", class_="panels"),
        tag("figcaption", figure.note),
        class_="chart",
        data_figure=figure.key,
    )


def _footer() -> Markup:
    return tag("footer", f"Made by ranksieve {__version__}.")


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
                "spec": figure.draw(named, Words(), False).to_dict(),
            }
            for figure in drawn
        },
        "rows": {figure.source: packed(figure.rows) for figure in drawn},
        "methods": list(view.methods),
        "coloured": list(view.coloured),
        "colours": {scheme: list(colours) for scheme, colours in COLOURS.items()},
        "grey": GREY,
        "own": OWN_WEIGHTS,
    }
    return [
        json_script(study_record(view), "results"),
        json_script(content, "charts"),
        tag("script", _bundle()),
        tag("script", _file("sortable.js")),
        tag("script", _file("study_charts.js")),
        tag("script", _file("study_page.js")),
    ]


def _file(name: str) -> Markup:
    return Markup(files("ranksieve.report").joinpath(name).read_text(encoding="utf-8"))


@cache
def _bundle() -> Markup:
    """Return Vega, Vega-Lite and vega-embed as one script."""
    script: Any = vl_convert().javascript_bundle()
    # In a script, `<\\/` is `</` in every string and pattern, and ends no element.
    return Markup(str(script).replace("</script", "<\\/script").replace("<!--", "\\x3c!--"))

"""The report of a study as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ranksieve import __version__
from ranksieve.experiment import Results
from ranksieve.report.markup import Markup, tag
from ranksieve.report.study_figure import (
    COLOURS,
    GREY,
    LABEL,
    NAME_HEIGHT,
    NAME_LETTERS,
    Figure,
    Words,
    altair,
    vl_convert,
)
from ranksieve.report.study_figures import figures
from ranksieve.report.study_guide import folded_part, study_guide
from ranksieve.report.study_html import html_table
from ranksieve.report.study_names import OWN_WEIGHTS, distinct, ranker_label, short_names
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
# A table by number of features is open at first up to so many rows.
_FEW_ROWS = 60
# Keys, titles, what is folded away, tables and charts; without words nothing is folded.
_SECTIONS = (
    ("cost", "What fewer features cost", "", (), ("difference",)),
    ("leaderboards", "Leaderboards", "", ("leaderboard",), ()),
    ("set", "The set in the box", "its features and settings, fold by fold", ("set",), ()),
    ("ranks", "Ranks over data sets", "one order of all methods", ("unified",), ()),
    (
        "size",
        "How many features",
        "each measure by number of features, sparsity, a table of every number",
        ("numbers",),
        ("features", "sparsity", "removed"),
    ),
    (
        "features",
        "Which features",
        "their names, stability, importance and similarity",
        ("chosen", "stability"),
        ("selections", "importance", "similarity"),
    ),
    ("time", "Time and memory", "of selection and training", ("costs",), ("time",)),
    ("convergence", "Convergence", "objective and proven gap", (), ("objective", "gap")),
    ("choices", "What each fold chose", "the setting of every fold", ("choices",), ()),
    ("failures", "Failures", "trials that failed", ("failures",), ()),
    ("data-sets", "Data", "folds, sizes and fingerprints", ("data",), ()),
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


def page_head(title: str, style: str = "") -> Markup:
    """Return the head of a page that fetches nothing, with the style of reports."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", page_file("study_page.css"), Markup(style)),
    )


def size_words(view: StudyView) -> str:
    """Return how many data sets, methods, rankers and trials a study has."""
    results = view.results
    return (
        f"{counted(len(results.data), 'data set')}, {counted(len(view.methods), 'method')}, "
        f"{counted(len(_rankers(view)), 'ranker')}, {counted(results.n_trials, 'trial')}"
    )


def _header(view: StudyView, sections: Sequence[str]) -> Markup:
    titles = {key: title for key, title, *_ in _SECTIONS}
    links = [tag("a", titles[key], href=f"#{key}") for key in sections]
    contents = tag(
        "nav", *links, tag("a", "How to read this", href="#guide"), aria_label="Contents"
    )
    return tag("header", tag("h1", view.title), tag("p", size_words(view)), contents)


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
    tables = study_tables(view)
    unfolded = [table.data for table in tables if table.key == "numbers" and _is_open(view, table)]
    made = {
        key: _section(key, title, words, tables, keys, drawn, charts, unfolded)
        for key, title, words, keys, charts in _SECTIONS
    }
    return {key: section for key, section in made.items() if section}


def _is_open(view: StudyView, table: Table) -> bool:
    """Whether a table by number of features is short, or all there is on a data set."""
    (facts,) = (one for one in view.results.data if one.name == table.data)
    return len(table.rows) <= _FEW_ROWS or not view.has_validation(facts)


def _section(
    key: str,
    title: str,
    words: str,
    tables: Sequence[Table],
    table_keys: Sequence[str],
    drawn: Sequence[Figure],
    chart_keys: Sequence[str],
    unfolded: Sequence[str],
) -> Markup:
    mine = [
        html_table(table, unfolded=table.data in unfolded, caption=table.title != title)
        for wanted in table_keys
        for table in tables
        if table.key == wanted
    ]
    figures_here = [figure for wanted in chart_keys for figure in drawn if figure.key == wanted]
    charts = [_figure(figure, heading=figure.title != title) for figure in figures_here]
    if not mine and not charts:
        return Markup()
    only_charts = None if mine else "scripts"
    if not words:
        return tag("section", tag("h2", title), *charts, *mine, id=key, class_=only_charts)
    return folded_part(key, title, words, *charts, *mine, class_=only_charts or "")


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


def made_by() -> Markup:
    """Return the foot of a page."""
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
                "value": figure.value,
                "ends": list(figure.ends),
                "margin": figure.margin,
                "named": figure.named,
                "beside": figure.beside,
                "least": figure.least,
                "spec": figure.draw(named, Words(), False).to_dict(),
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
        tag("script", page_file("sortable.js")),
        tag("script", page_file("folded.js")),
        tag("script", page_file("study_charts.js")),
        tag("script", page_file("study_page.js")),
    ]


def page_file(name: str) -> Markup:
    """Return a style or a script of this package."""
    return Markup(files("ranksieve.report").joinpath(name).read_text(encoding="utf-8"))


@cache
def _bundle() -> Markup:
    """Return Vega, Vega-Lite and vega-embed as one script."""
    script: Any = vl_convert().javascript_bundle()
    # In a script, `<\\/` is `</` in every string and pattern, and ends no element.
    return Markup(str(script).replace("</script", "<\\/script").replace("<!--", "\\x3c!--"))

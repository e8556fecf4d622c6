"""The report of a study as a still page: what it found, in tables and pictures of one measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ranksieve.experiment import Results
from ranksieve.report.shared.colours import COLOURS, GREY
from ranksieve.report.shared.html import html_table
from ranksieve.report.shared.markup import Markup, page_file, tag
from ranksieve.report.study.charts.export import panel_svgs
from ranksieve.report.study.charts.figure import Figure
from ranksieve.report.study.charts.registry import figures
from ranksieve.report.study.frame import folded_part, made_by, page_head, size_words
from ranksieve.report.study.guide import study_guide
from ranksieve.report.study.summary import finding, study_summary
from ranksieve.report.study.tables.registry import study_tables
from ranksieve.report.study.view import StudyView

# Colours that only stand in the picture until the page's style takes their place.
_INK, _SOFT, _LINE = "#010101", "#020202", "#030303"
_TAG = re.compile(r"<[^>]+>")
_DIGITS = re.compile(r"-?\d+\.\d{2,}")

_AXIS = dict.fromkeys(("gridColor", "domainColor", "tickColor"), _LINE)
# Small, so that texts can be read where the picture is as narrow as a phone.
_STYLE = {
    "width": 330,
    "height": 240,
    # Letters may be wider where they are shown than where they were measured.
    "padding": {"left": 4, "top": 4, "bottom": 4, "right": 30},
    "config": {
        "background": None,
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {"labelColor": _SOFT, "titleColor": _SOFT, "titleFontWeight": 500, **_AXIS},
        "legend": {"labelColor": _SOFT, "symbolFillColor": _SOFT, "symbolStrokeColor": _SOFT},
        "title": {"color": _SOFT, "anchor": "start", "fontSize": 12},
        "text": {"color": _SOFT},
        "rule": {"color": _INK},
    },
}


def static_page(results: Results, **options: Any) -> str:
    """Return a page for reading alone: its headline is what the study found.

    Charts are pictures of the first measure, inside the page, so it needs no library of charts:
    about a fifth of the size of `study_page`. Tables of the other measures are folded; tables of
    every number of features and of every fold's choice are left to `study_page`.

    Parameters
    ----------
    results : Results
    options : of `study_page`

    Notes
    -----
    Pictures take their colours from the page's style, light or dark.
    """
    view = StudyView.of(results, **options)
    first = replace(view, measures=view.measures[:1])
    headline, details = finding(view)
    body = tag(
        "body",
        tag(
            "header",
            tag("h1", headline),
            tag("p", details),
            tag("p", f"{view.title}: {size_words(view)}."),
        ),
        study_summary(first, filters=False),
        tag("main", *_parts(view, first), *study_guide(view)),
        made_by(),
        tag("script", page_file("shared", "sortable.js"), page_file("shared", "folded.js")),
    )
    head = page_head(headline, _scheme_style())
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _parts(view: StudyView, first: StudyView) -> list[Markup]:
    tables = study_tables(view)
    figure_of = {figure.key: figure for figure in figures(first)}
    main = view.measures[0]

    def of(key: str, *, measures: Sequence[str] = ("", main)) -> list[Markup]:
        return [
            html_table(table, values=False)
            for table in tables
            if table.key == key and table.measure in measures
        ]

    parts = [
        ("", f"What fewer features cost by {main}", "", _pictures(figure_of, "difference", first)),
        ("leaderboards", f"Leaderboards by {main}", "", of("leaderboard")),
        (
            "others",
            "Leaderboards by other measures",
            ", ".join(view.measures[1:]),
            of("leaderboard", measures=view.measures[1:]),
        ),
        ("set", "The sets in the box", "their features and settings, fold by fold", of("set")),
        ("ranks", "Ranks over data sets", "one order of all methods", of("unified")),
        (
            "size",
            f"{main} by number of features",
            "as means, beside those of all features",
            _pictures(figure_of, "features", first),
        ),
        (
            "features",
            "Which features",
            "their names, and the stability of the choice",
            [*of("chosen"), *of("stability")],
        ),
        (
            "time",
            "Time and memory",
            "of selection and training",
            [*_pictures(figure_of, "time", first), *of("costs")],
        ),
        ("failures", "Failures", "trials that failed", of("failures")),
        ("data-sets", "Data", "folds, sizes and fingerprints", of("data")),
    ]
    return [
        folded_part(key, title, words, *content)
        if words
        else tag("section", tag("h2", title), *content, id=key or "cost")
        for key, title, words, content in parts
        if content
    ]


def _pictures(figure_of: dict[str, Figure], key: str, view: StudyView) -> list[Markup]:
    if key not in figure_of:
        return []
    svgs = enumerate(panel_svgs(figure_of[key], view, _STYLE))
    pictures = [_picture(svg, f"{key}-{index}") for index, svg in svgs]
    return [
        tag(
            "figure",
            tag("div", *pictures, class_="panels"),
            tag("figcaption", figure_of[key].note),
            class_="still",
        )
    ]


def _picture(svg: str, name: str) -> Markup:
    """Return a picture with the page's colours, without what cannot be seen."""
    # In tags alone: the texts between them are what axes say.
    text = _TAG.sub(
        lambda part: _DIGITS.sub(lambda number: f"{float(number[0]):.1f}", part[0]), svg
    )
    for colour, variable in _variables().items():
        text = re.sub(re.escape(colour), f"var({variable})", text, flags=re.IGNORECASE)
    for pattern, replacement in _SHORTER:
        text = re.sub(pattern, replacement, text)
    text = re.sub(r"\bclip(\d+)", rf"clip-{name}-\1", text)
    return tag("div", Markup(text), class_="panel", tabindex=0)


# Names for scripts and readers of single marks, empty paths, dots of grey lines; dots as circles.
_SHORTER = (
    (r'<path class="(background|foreground)"[^>]*/>', ""),
    (r' (class|role|aria-[a-z]+|pointer-events|xmlns:xlink|version)="[^"]*"', ""),
    (r'<path transform="[^"]*" d="[^"]*" fill="var\(--line-grey\)"[^>]*/>', ""),
    (
        r'<path transform="translate\(([^,]+),([^)]+)\)" '
        r'd="M([\d.]+),0A\3,\3,0,1,1,-\3,0A\3,\3,0,1,1,\3,0"',
        r'<circle cx="\1" cy="\2" r="\3"',
    ),
    (r' (stroke-width|opacity)="1"', ""),
    (r"<g></g>", ""),
)


def _variables() -> dict[str, str]:
    """Return colours of a picture with the names of those of the page."""
    methods = {colour: f"--line-{index}" for index, colour in enumerate(COLOURS["light"])}
    return {
        **methods,
        GREY["light"]: "--line-grey",
        _INK: "--ink",
        _SOFT: "--soft",
        _LINE: "--line",
    }


def _scheme_style() -> str:
    """Return the colours of methods, for light and for dark paper."""
    light, dark = (
        "".join(f"--line-{index}:{colour};" for index, colour in enumerate(COLOURS[scheme]))
        + f"--line-grey:{GREY[scheme]};"
        for scheme in ("light", "dark")
    )
    return (
        f":root{{{light}}}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{{light}}}}}"
    )

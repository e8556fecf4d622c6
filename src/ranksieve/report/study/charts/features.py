"""Charts of features, and of how fits converged."""

from __future__ import annotations

from typing import Any

from ranksieve.report.shared.colours import shades
from ranksieve.report.study.charts.figure import (
    LABEL,
    Words,
    altair,
    name_marks,
    names_beside,
    tooltip,
)

_BLUE = "#3e7faf"


def importance_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return bars of importance from the best feature to the worst, with their range.

    They start at what a random order scores, where a feature tells it, else at 0.
    """
    alt = altair()
    chart = alt.Chart(data)
    x = alt.X(
        "feature:N",
        title="features, best first",
        sort=alt.EncodingSortField("rank", op="min"),
        axis=alt.Axis(labelAngle=-60, labelLimit=90, labelOverlap="greedy"),
    )
    hints = tooltip(
        ("text:N", "importance"),
        ("feature:N", "feature"),
        ("rank:Q", "rank", "d"),
        ("score:Q", "mean over folds", ".4f"),
        ("low:Q", "least", ".4f"),
        ("high:Q", "largest", ".4f"),
    )
    from_random = alt.Scale(zero=False)
    bars = chart.mark_bar(color=_BLUE, opacity=0.8).encode(
        x=x,
        y=alt.Y("score:Q", title=words.select, scale=from_random),
        y2="random:Q",
        tooltip=hints,
    )
    whiskers = chart.mark_rule(strokeWidth=1.2).encode(x=x, y="low:Q", y2="high:Q", tooltip=hints)
    random = chart.transform_aggregate(groupby=["random", "note"]).transform_filter("datum.note")
    line = random.mark_rule(strokeWidth=1.2, strokeDash=[5, 4]).encode(y="random:Q")
    name = random.mark_text(align="right", baseline="bottom", dy=-3, fontSize=11).encode(
        x=alt.value("width"), y="random:Q", text="note:N"
    )
    return alt.layer(bars, whiskers, line, name)


def similarity_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return the heat map of similarity, with features that are alike adjacent."""
    alt = altair()
    colours = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in shades(9).tolist()]
    labels = alt.Axis(labelLimit=90, labelOverlap="greedy", ticks=False, labelFontSize=9)
    return (
        alt.Chart(data)
        .mark_rect()
        .encode(
            x=alt.X("a:N", title=None, sort=alt.EncodingSortField("i", op="min"), axis=labels),
            y=alt.Y("b:N", title=None, sort=alt.EncodingSortField("j", op="min"), axis=labels),
            color=alt.Color(
                "similarity:Q",
                scale=alt.Scale(range=colours),
                legend=alt.Legend(
                    title=words.select, titleLimit=260, orient="bottom", gradientLength=200
                ),
            ),
            tooltip=tooltip(
                ("a:N", "feature"), ("b:N", "and"), ("similarity:Q", "similarity", ".2f")
            ),
        )
    )


def selection_chart(data: Any, words: Words, legend: bool, *, every_label: bool = False) -> Any:
    """Return which features each fold of each method chose: a line of marks for each fold."""
    alt = altair()
    x = alt.X(
        "feature:N",
        title="features, most often chosen first",
        sort=alt.EncodingSortField("place", op="count", order="descending"),
        axis=alt.Axis(
            labelAngle=-60,
            labelLimit=140,
            labelOverlap=False if every_label else "greedy",
            orient="top",
        ),
    )
    return (
        alt.Chart(data)
        .mark_rect()
        .encode(
            x=x,
            y=alt.Y("method:N", title=None, sort=None, axis=alt.Axis(labelLimit=LABEL)),
            yOffset=alt.YOffset("fold:N"),
            color=alt.Color("colour:N", scale=None) if not legend else alt.value(_BLUE),
            opacity=alt.Opacity(
                "share:Q", scale=alt.Scale(domain=[0, 1], range=[1, 0.35]), legend=None
            ),
            tooltip=tooltip(
                ("method:N", "method"),
                ("ranker:N", "ranker"),
                ("fold:N", "fold"),
                ("feature:N", "feature"),
                ("place:Q", "chosen as number", "d"),
            ),
        )
    )


def excess_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return how far the objective is above the best one."""
    return _trace(data, words, "excess", "objective minus the best")


def gap_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return the proven gap to the optimum."""
    return _trace(data, words, "gap", "gap")


def _trace(data: Any, words: Words, name: str, title: str) -> Any:
    alt = altair()
    log = alt.Scale(type="log", nice=False)
    rows = alt.Chart(data).transform_filter(f"isValid(datum.{name}) && isValid(datum.x)")
    powers = alt.Axis(
        format="~e", labelOverlap="greedy", tickCount=6, gridOpacity=_at_powers_of_ten()
    )
    colour = alt.Color("label:N", legend=None)
    lines = rows.mark_line(strokeWidth=1.6, opacity=0.85).encode(
        x=alt.X(
            "x:Q",
            title=words.select,
            scale=log,
            axis=alt.Axis(format="~g", labelOverlap="greedy", tickCount=6, grid=False),
        ),
        y=alt.Y(f"{name}:Q", title=title, scale=log, axis=powers),
        color=colour,
        detail="fold:N",
        tooltip=tooltip(
            ("component:N", "component"),
            ("fold:N", "fold"),
            ("step:Q", "step", "d"),
            ("second:Q", "second", ".3~g"),
            ("excess:Q", "objective minus the best", ".3~g"),
            ("gap:Q", "gap", ".3~g"),
        ),
    )
    heights = (
        rows.transform_calculate(height_of=f"log(datum.{name})")
        .transform_joinaggregate(low="min(height_of)", high="max(height_of)")
        # Where all values are equal, names need some room too.
        .transform_calculate(high="datum.high > datum.low ? datum.high : datum.low + 1")
    )
    ends = names_beside(
        heights, "height_of", low="datum.low", high="datum.high", along="x", keep=["low", "high"]
    ).transform_calculate(y="exp(datum.at)")
    return alt.layer(lines, name_marks(ends, alt.Y("y:Q", title=title, scale=log), colour))


def _at_powers_of_ten() -> dict[str, Any]:
    test = "abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 1e-6"
    return {"condition": {"test": test, "value": 1}, "value": 0}

"""Charts of measures: against the number of features, sparsity and time."""

from __future__ import annotations

from typing import Any

from ranksieve.report.study.charts.figure import (
    Words,
    altair,
    method_colour,
    name_marks,
    names_beside,
    tooltip,
)
from ranksieve.report.study.names import ALL_FEATURES

# Where a logarithmic axis of numbers of features has its ticks.
_NUMBERS = [digit * 10**power for power in range(5) for digit in (1, 2, 5)]
_CHOSEN = "datum.kind === 'chosen'"
_CURVE = "datum.kind === 'curve'"
_REFERENCE = f"datum.method === '{ALL_FEATURES}'"


def difference_chart(
    data: Any, words: Words, legend: bool, *, margin: float, logarithmic: bool = False
) -> Any:
    """Return the paired difference to the reference against the number of features.

    The band is the margin: a set whose whole interval lies above its lower edge loses little.
    """
    alt = altair()
    x = _number_axis(logarithmic)
    title = f"difference in {words.measure}"

    def shared(field: str) -> Any:
        return _shared_y(field, title, nice=False)

    y = shared("difference:Q")
    everything = alt.Chart(data).transform_filter("isValid(datum.difference)")
    colour = method_colour(False)
    edges = alt.Chart(alt.Data(values=[{"low": -margin, "high": margin}]))
    allowed = edges.mark_rect(opacity=0.13, color="#7a8791").encode(y=shared("low:Q"), y2="high:Q")
    none = edges.mark_rule(strokeWidth=1.2, strokeDash=[5, 4], opacity=0.8).encode(
        y=alt.datum(0, title=title)
    )
    reference = (
        everything.transform_aggregate(groupby=["reference"])
        .mark_text(align="left", baseline="bottom", dx=4, dy=-2, fontSize=11, limit=220)
        .encode(x=alt.value(0), y=alt.datum(0, title=title), text="reference:N")
        .properties(name="reference")
    )
    hover = _hover()
    band = (
        everything.transform_filter("datum.focus")
        .mark_area(clip=True)
        .encode(
            x=x,
            y=shared("worst:Q"),
            y2="best:Q",
            color=colour,
            opacity=alt.condition(hover, alt.value(0.2), alt.value(alt.ExprRef("band"))),
        )
    )
    lines = _lines(everything, x, y, colour, hover)
    # The set that the page names first, with its interval.
    fewest = everything.transform_filter("datum.fewest")
    whisker = fewest.mark_rule(strokeWidth=1.6, clip=True).encode(
        x=x, y=shared("worst:Q"), y2="best:Q", color=colour
    )
    ring = fewest.mark_point(filled=False, size=170, strokeWidth=2.2, shape="circle").encode(
        x=x, y=y, color=colour
    )
    points = everything.mark_point(filled=True, clip=True).encode(
        x=x,
        y=y,
        color=colour,
        size=_by_focus((("datum.focus", 28),), 12),
        opacity=alt.condition("datum.focus", alt.value(1), alt.value(0.5)),
        tooltip=_difference_tooltip(),
    )
    ends = names_beside(everything, "difference", low="lowest", high="highest", keep=["colour"])
    names = name_marks(ends, shared("at:Q"), colour)
    return alt.layer(
        allowed, none, reference, band, *lines, whisker, ring, points.add_params(hover), names
    ).add_params(*_range_params(), alt.param(name="band", value=0))


def _difference_tooltip() -> list[Any]:
    return tooltip(
        ("method:N", "method"),
        ("ranker:N", "ranker"),
        ("features:Q", "features used", ".4~g"),
        ("measure:N", "measure"),
        ("mean:Q", "mean", ".4f"),
        ("difference:Q", "difference", "+.4f"),
        ("worst:Q", "95 % from", "+.4f"),
        ("best:Q", "to", "+.4f"),
    )


def features_chart(data: Any, words: Words, legend: bool, *, logarithmic: bool = False) -> Any:
    """Return a measure against the number of features."""
    return _curves(data, _number_axis(logarithmic), words)


def _number_axis(logarithmic: bool) -> Any:
    alt = altair()
    # Short: beside names of lines, a phone has little room.
    if not logarithmic:
        return alt.X("features:Q", title="features", scale=alt.Scale(zero=True, nice=True))
    return alt.X(
        "features:Q",
        title="features, log scale",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=_NUMBERS, format="~s", labelOverlap="greedy"),
    )


def sparsity_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return a measure against the share of the used features that is kept."""
    alt = altair()
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("sparsity:Q", title="share of the features", scale=scale)
    return _curves(data, x, words)


def time_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return a measure against seconds of selection and training."""
    alt = altair()
    chart = alt.Chart(data).transform_filter(_CHOSEN)
    seconds = alt.X(
        "seconds:Q",
        title="seconds, mean over folds",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(format="~g", labelOverlap="greedy", tickCount=5, grid=False),
    )
    whiskers = chart.mark_rule(strokeWidth=1, opacity=0.45).encode(
        x=seconds, y=_y("low", words), y2="high:Q", color=method_colour(legend)
    )
    points = chart.mark_point(filled=True, size=80, opacity=0.95).encode(
        x=seconds,
        y=_y("mean", words),
        color=method_colour(legend),
        shape=alt.Shape(
            "ranker:N", legend=alt.Legend(title=None, orient="bottom", labelLimit=160, columns=3)
        ),
        tooltip=_outcome_tooltip(("seconds:Q", "seconds", ".4~g")),
    )
    return alt.layer(whiskers, points).add_params(*_range_params())


def _curves(data: Any, x: Any, words: Words) -> Any:
    alt = altair()
    chart = alt.Chart(data)
    hover = _hover()
    colour = method_colour(False)
    reference = (
        chart.transform_filter(f"{_CHOSEN} && {_REFERENCE}")
        .mark_rule(strokeDash=[5, 4], strokeWidth=1.2)
        .encode(y=_y("mean", words), color=colour, tooltip=_outcome_tooltip())
    )
    band = (
        chart.transform_filter(f"datum.focus && {_CURVE}")
        .mark_area(clip=True)
        .encode(
            x=x,
            y=_y("low", words),
            y2="high:Q",
            color=colour,
            opacity=alt.condition(hover, alt.value(0.2), alt.value(alt.ExprRef("band"))),
        )
    )
    whiskers = (
        chart.transform_filter(f"datum.focus && {_CHOSEN}")
        .mark_rule(strokeWidth=1, opacity=0.5)
        .encode(x=x, y=_y("low", words), y2="high:Q", color=colour)
    )
    curves = chart.transform_filter(_CURVE)
    lines = _lines(curves, x, _y("mean", words), colour, hover)
    # The dashed line has a name too.
    named = chart.transform_filter(f"{_CURVE} || {_REFERENCE}")
    ends = names_beside(named, "mean", low="lowest", high="highest", keep=["colour"])
    names = name_marks(ends, _y("at", words), colour)
    points = chart.mark_point(filled=True).encode(
        x=x,
        y=_y("mean", words),
        color=colour,
        shape=alt.condition(_CHOSEN, alt.value("diamond"), alt.value("circle")),
        size=_by_focus(
            ((f"datum.focus && {_CHOSEN}", 110), ("datum.focus", 28), (_CHOSEN, 40)), 12
        ),
        opacity=alt.condition("datum.focus", alt.value(1), alt.value(0.5)),
        tooltip=_outcome_tooltip(),
    )
    return alt.layer(reference, band, whiskers, *lines, points.add_params(hover), names).add_params(
        *_range_params(), alt.param(name="band", value=0)
    )


def _hover() -> Any:
    return altair().selection_point(
        name="hover", fields=["method"], on="pointerover", clear="pointerout", empty=False
    )


def _lines(curves: Any, x: Any, y: Any, colour: Any, hover: Any) -> list[Any]:
    """Return the line of each method, grey ones below."""
    alt = altair()
    return [
        curves.transform_filter(which)
        .mark_line(clip=True, opacity=opacity)
        .encode(
            x=x,
            y=y,
            detail="method:N",
            color=colour,
            strokeWidth=alt.condition(hover, alt.value(3.2), alt.value(width)),
        )
        for which, width, opacity in (("!datum.focus", 1, 0.6), ("datum.focus", 2, 1))
    ]


def _by_focus(cases: tuple[tuple[str, float], ...], otherwise: float) -> Any:
    conditions = [{"test": test, "value": value} for test, value in cases]
    return altair().SizeValue(otherwise, condition=conditions)


def _y(name: str, words: Words) -> Any:
    """Return the axis of a measure."""
    return _shared_y(f"{name}:Q", words.measure)


def _shared_y(field: str, title: str, *, nice: bool = True) -> Any:
    """Return an axis with one range for all panels of a data set."""
    alt = altair()
    scale = alt.Scale(
        zero=False,
        nice=nice,
        domainMin=alt.ExprRef("lowest"),
        domainMax=alt.ExprRef("highest"),
    )
    return alt.Y(field, title=title, scale=scale)


def _range_params() -> list[Any]:
    alt = altair()
    return [alt.param(name="lowest", value=0), alt.param(name="highest", value=1)]


def _outcome_tooltip(*more: tuple[str, str] | tuple[str, str, str]) -> list[Any]:
    return tooltip(
        ("method:N", "method"),
        ("ranker:N", "ranker"),
        ("wanted:N", "features asked for"),
        ("features:Q", "features used", ".4~g"),
        ("sparsity:Q", "sparsity", ".3f"),
        ("measure:N", "measure"),
        ("mean:Q", "mean", ".4f"),
        ("low:Q", "95 % from", ".4f"),
        ("high:Q", "to", ".4f"),
        *more,
    )

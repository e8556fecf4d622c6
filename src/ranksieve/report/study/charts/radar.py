"""Radars of removed features, one for each method."""

from __future__ import annotations

import math
from typing import Any

from ranksieve.report.study.charts.figure import Words, altair, method_colour, tooltip

# The radar has room for names of branches at both sides, and a circle stays one.
RADAR_RATIO = 0.58
RADAR_WIDTH = 250
_RADAR_REACH = 2.4


def removal_chart(data: Any, words: Words, legend: bool) -> Any:
    """Return a radar for each method: how far out its line is on a branch is what it removed.

    Lines of several methods in one radar would cross so often that no name could stand beside one.
    """
    alt = altair()
    spokes = alt.Chart()
    colour = method_colour(False)
    line = spokes.mark_line(
        interpolate="linear-closed", strokeWidth=2, opacity=0.9, fillOpacity=0
    ).encode(x=_radar_axis("x"), y=_radar_axis("y"), order="place:Q", color=colour)
    points = spokes.mark_point(filled=True, size=30).encode(
        x=_radar_axis("x"),
        y=_radar_axis("y"),
        color=colour,
        tooltip=tooltip(
            ("method:N", "method"),
            ("ranker:N", "ranker"),
            ("branch:N", "branch"),
            ("removed:Q", "features removed", ".1%"),
        ),
    )
    radar = alt.layer(*_radar_grid(spokes), line, points).properties(
        width=RADAR_WIDTH, height=round(RADAR_WIDTH * RADAR_RATIO)
    )
    coloured_first = alt.EncodingSortField("first", op="max")
    heading = alt.Header(title=None, labelFontSize=12, labelPadding=2, labelLimit=RADAR_WIDTH)
    return (
        radar.facet(
            alt.Facet("label:N", sort=coloured_first, header=heading),
            columns=3,
            data=data,
            spacing=10,
        )
        .transform_joinaggregate(branches="distinct(order)")
        .transform_window(place="dense_rank()", sort=[alt.SortField("order")], frame=[None, None])
        .transform_calculate(angle="2 * PI * (datum.place - 1) / datum.branches")
        .transform_calculate(east="sin(datum.angle)", north="cos(datum.angle)")
        .transform_calculate(
            x="datum.removed * datum.east",
            y="datum.removed * datum.north",
            label_x="1.12 * datum.east",
            label_y="1.12 * datum.north",
        )
        .transform_calculate(first="datum.focus ? 0 : 1")
    )


def _radar_axis(name: str) -> Any:
    alt = altair()
    across = name in ("x", "label_x", "east")
    reach = _RADAR_REACH if across else _RADAR_REACH * RADAR_RATIO
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    return (alt.X if across else alt.Y)(f"{name}:Q", axis=None, scale=scale)


def _radar_grid(spokes: Any) -> list[Any]:
    """Return rings at a half and at all, a spoke for each branch, and the branches' names."""
    alt = altair()
    ring = [
        {"share": share, "step": step, "x": share * math.sin(a), "y": share * math.cos(a)}
        for share in (0.5, 1.0)
        for step, a in ((step, 2 * math.pi * step / 72) for step in range(73))
    ]
    rings = (
        alt.Chart(alt.Data(values=ring))
        .mark_line(strokeWidth=0.7, opacity=0.45, color="#8a949d")
        .encode(x=_radar_axis("x"), y=_radar_axis("y"), detail="share:Q", order="step:Q")
    )
    numbers = (
        alt.Chart(alt.Data(values=[row for row in ring if row["step"] == 0]))
        .mark_text(dx=3, dy=6, align="left", fontSize=8, opacity=0.8)
        .encode(x=_radar_axis("x"), y=_radar_axis("y"), text=alt.Text("share:Q", format=".0%"))
    )
    places = ["branch", "east", "north", "label_x", "label_y"]
    spokes = spokes.transform_aggregate(groupby=places)
    branches = spokes.mark_rule(strokeWidth=0.7, opacity=0.45, color="#8a949d").encode(
        x=_radar_axis("east"),
        y=_radar_axis("north"),
        x2=alt.datum(0),
        y2=alt.datum(0),
    )
    labels = [
        spokes.transform_filter(which)
        .mark_text(align=align, fontSize=9, limit=RADAR_WIDTH // 3)
        .encode(x=_radar_axis("label_x"), y=_radar_axis("label_y"), text="branch:N")
        for which, align in (
            ("datum.east > 0.1", "left"),
            ("datum.east < -0.1", "right"),
            ("abs(datum.east) <= 0.1", "center"),
        )
    ]
    return [rings, numbers, branches, *labels]

"""Figures 2 and 3 of the sparse RankSVM paper: removed features, and MAP against sparsity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.published_tables import MAP, RATIOS
from benchmarks.results_charts import COLOURS, HEIGHT, WIDTH, write_svg
from benchmarks.results_sparse import METHODS, ratio_of
from benchmarks.results_stores import Stored


def sparse_figures(stored: Stored, folder: Path) -> list[str]:
    """Write both charts into a folder, and return the lines of the page."""
    lines = ["### Figures 2 and 3: removed features, and MAP against sparsity", ""]
    points = [
        {
            "data": published.data,
            "method": method,
            "published": 1.0 - published.ratios[method],
            "removed": 1.0 - (ratio := ratio_of(stored, outcome)),
            "ratio": ratio,
            "MAP": outcome.mean(MAP),
        }
        for published in RATIOS
        for method in METHODS
        if (outcome := stored.row(method, published.data)) is not None and MAP in outcome.values
    ]
    if not points:
        return [*lines, "None of these methods is stored.", ""]
    write_svg(_removed_chart(points), folder / "results-sparse-figure-2.svg")
    write_svg(_sparsity_chart(points), folder / "results-sparse-figure-3.svg")
    return [
        *lines,
        "Figure 2 is a radar with a branch for each of nine data sets; two branches are no radar, "
        "so there are bars here, of the published share (1 - the ratio of Table IV) and of ours.",
        "",
        "![Share of removed features](results-sparse-figure-2.svg)",
        "",
        "Figure 3 shows three data sets, whose names the text that we have lacks; here are both of "
        "ours. The line is the mean over the methods.",
        "",
        "![MAP against the share of features kept](results-sparse-figure-3.svg)",
        "",
        *[_summary(points, data) for data in dict.fromkeys(str(p["data"]) for p in points)],
        "",
    ]


def _removed_chart(points: list[dict[str, Any]]) -> Any:
    import altair as alt

    rows = [
        {**point, "whose": whose, "share": point[key]}
        for point in points
        for whose, key in (("published", "published"), ("ranksieve", "removed"))
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("method:N", title=None, sort=list(METHODS)),
            xOffset=alt.XOffset("whose:N"),
            y=alt.Y("share:Q", title="share of features removed"),
            color=alt.Color(
                "whose:N",
                title=None,
                scale=alt.Scale(range=["#b6bec8", COLOURS[0]]),
                legend=alt.Legend(orient="bottom"),
            ),
        )
        .properties(width=WIDTH, height=HEIGHT)
        .facet(facet=alt.Facet("data:N", title=None), columns=2)
        .configure(background="white")
    )


def _sparsity_chart(points: list[dict[str, Any]]) -> Any:
    import altair as alt

    colour = alt.Color(
        "method:N",
        title=None,
        sort=list(METHODS),
        scale=alt.Scale(domain=list(METHODS), range=list(COLOURS[: len(METHODS)])),
        legend=alt.Legend(orient="bottom"),
    )
    value = alt.Y("MAP:Q", scale=alt.Scale(zero=False))
    ratio = alt.X("ratio:Q", title="share of features kept", scale=alt.Scale(zero=True))
    marks = alt.Chart().mark_point(filled=True, size=80, opacity=1.0).encode(ratio, value, colour)
    line = alt.Chart().mark_rule(strokeDash=[2, 3], color="#6e7781").encode(y="mean(MAP):Q")
    return (
        alt.layer(marks, line, data=alt.Data(values=points))
        .properties(width=WIDTH, height=HEIGHT)
        .facet(facet=alt.Facet("data:N", title=None), columns=2)
        .resolve_scale(y="independent")
        .configure(background="white")
    )


def _summary(points: list[dict[str, Any]], data: str) -> str:
    matching = [point for point in points if point["data"] == data]
    values = np.array([point["MAP"] for point in matching])
    fewest = min(matching, key=lambda point: point["ratio"])
    best = max(matching, key=lambda point: point["MAP"])
    return (
        f"- {data}: MAP from {values.min():.4f} to {values.max():.4f}, mean {values.mean():.4f}; "
        f"the fewest features has {fewest['method']} ({fewest['ratio']:.2f}, MAP "
        f"{fewest['MAP']:.4f}), the highest MAP {best['method']} ({best['ratio']:.2f})."
    )

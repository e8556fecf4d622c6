"""The charts of the page on results, as SVG."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ranksieve.data.atomic import replacing
from ranksieve.report.shared.clustering import clusters
from ranksieve.report.shared.colours import data_uri, palette_png, shades

WIDTH, HEIGHT, SIDE = 330, 230, 360
N_SHADES = 101
# Told apart by most eyes, on white.
COLOURS = ("#1f5fa8", "#d1495b", "#2f9e6e", "#e0a100", "#7a4fbf", "#6e7781")
_CUT = 0.5


def write_svg(chart: Any, path: Path) -> None:
    import vl_convert

    with replacing(path) as temporary:
        svg = vl_convert.vegalite_to_svg(json.loads(chart.to_json()))
        temporary.write_text(svg + "\n", encoding="utf-8")


def line_chart(rows: Sequence[Mapping[str, Any]], methods: Sequence[str], title: str) -> Any:
    """Value against number of features: one line per method, one panel per measure and ranker.

    Rows have method, panel, number, value, and all, the value with all features or None.
    """
    import altair as alt

    data = alt.Data(values=list(rows))
    colour = alt.Color(
        "method:N",
        title=None,
        scale=alt.Scale(domain=list(methods), range=list(COLOURS[: len(methods)])),
        legend=alt.Legend(orient="bottom", columnPadding=28),
    )
    value = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False))
    number = alt.X("number:Q", title="number of features", axis=alt.Axis(grid=False))
    lines = alt.Chart().mark_line(point=alt.OverlayMarkDef(size=18)).encode(number, value, colour)
    baseline = alt.Chart().mark_rule(strokeDash=[5, 4], color="#6e7781").encode(y="all:Q")
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    return (
        alt.layer(lines, baseline, data=data)
        .properties(width=WIDTH, height=HEIGHT)
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=2)
        .resolve_scale(y="independent")
        .properties(title=f"{title} (dashed: all features)")
        .configure(background="white")
    )


def importance_chart(values: Mapping[str, np.ndarray], title: str) -> Any:
    """Each feature's importance, the best first: a panel a data set."""
    import altair as alt

    rows = [
        {"data": data, "place": position, "value": float(value)}
        for data, of_features in values.items()
        for position, value in enumerate(np.sort(of_features)[::-1], start=1)
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("place:O", title="features, the best first", axis=alt.Axis(labels=False)),
            y=alt.Y("value:Q", title=title),
        )
        .properties(width=WIDTH, height=HEIGHT)
        .facet(facet=alt.Facet("data:N", title=None, sort=list(values)), columns=2)
        .configure(background="white")
    )


def similarity_svg(matrices: Mapping[str, np.ndarray], title: str) -> str:
    """Similarity of features, darker where they are more alike: a square a data set.

    Features that are constant in every query are like none, not even themselves: left out.
    """
    gap, top = 40, 56
    width = len(matrices) * (SIDE + gap) + gap
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{SIDE + top + 34}" '
        'font-family="sans-serif" font-size="12" fill="#333">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{gap}" y="24" font-weight="bold">{title}</text>',
    ]
    for position, (data, baseline) in enumerate(matrices.items()):
        varying = np.flatnonzero(np.diag(baseline) > 0)
        matrix = baseline[np.ix_(varying, varying)]
        x = gap + position * (SIDE + gap)
        picture = data_uri(palette_png(_levels(matrix), shades(N_SHADES)))
        parts += [
            f'<text x="{x}" y="46">{data}, {len(varying)} features by cluster</text>',
            f'<image x="{x}" y="{top}" width="{SIDE}" height="{SIDE}" href="{picture}" '
            'style="image-rendering: pixelated"/>',
            f'<text x="{x}" y="{top + SIDE + 20}">light: {matrix.min():.2f}; '
            f"dark: {matrix.max():.2f}</text>",
        ]
    return "\n".join([*parts, "</svg>", ""])


def _levels(matrix: np.ndarray) -> np.ndarray:
    """Shades of the matrix with features in the order of a clustering."""
    low, high = float(matrix.min()), float(matrix.max())
    scaled = (matrix - low) / (high - low) if high > low else np.zeros_like(matrix)
    order, _ = clusters(np.clip(scaled, 0.0, 1.0), np.arange(len(matrix)), _CUT)
    ordered = scaled[np.ix_(order, order)]
    return np.rint(np.clip(ordered, 0.0, 1.0) * (N_SHADES - 1)).astype(np.uint8)

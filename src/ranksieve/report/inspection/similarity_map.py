"""The similarity of features as a picture on a page, ordered by cluster."""

from __future__ import annotations

import base64
import json
import math

import numpy as np

from ranksieve.report.inspection.collect import Inspection
from ranksieve.report.shared.colours import data_uri, palette_png, shades
from ranksieve.report.shared.heat_map import N_LEVELS, HeatMap
from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.words import counted, shortened

# How many rows have a name; on a phone none has where there are more than the second number.
_ROWS, _ROWS_ON_A_PHONE = 50, 25
# More cells than a screen has dots for would only make the page large.
_CELLS = 800
# Smaller blocks, as a share of the picture, have no outline, which would hide them, or no number.
_OUTLINED, _NUMBERED = 0.01, 0.025


def similarity_figure(inspection: Inspection) -> Markup:
    """Return the heat map with outlines of blocks, a scale, and what a script needs to name cells.

    Cells keep steps of a hundredth of the range. Beyond 800 features a cell is the mean over
    neighbours.
    """
    cells = HeatMap.of(inspection.similarity, _CELLS)
    picture = tag(
        "img",
        src=data_uri(palette_png(cells.levels, shades(N_LEVELS))),
        alt=_description(inspection),
        class_="shades",
    )
    return tag(
        "figure",
        tag(
            "div",
            _row_names(inspection, cells),
            tag("div", picture, _outlines(inspection, cells), *_numbers(inspection), class_="map"),
            class_="named",
        ),
        _scale(inspection, cells),
        tag(
            "p",
            "Point at a cell to see its two features.",
            id="similarity-readout",
            class_="readout",
        ),
        _values(inspection, cells),
    )


def _row_names(inspection: Inspection, cells: HeatMap) -> Markup:
    """Return names beside the rows: of each, or of each few where there are many."""
    names = _cell_names(inspection, cells)
    step = math.ceil(len(names) / _ROWS)
    labelled = names[::step]
    # A row's share of the picture, which is 34rem high at most.
    size = min(0.72, 34 / max(len(labelled), 1) * 0.8)
    spans = [tag("span", shortened(name, 24)) for name in labelled]
    classes = "rows many" if len(labelled) > _ROWS_ON_A_PHONE else "rows"
    return tag("div", *spans, class_=classes, style=f"font-size:{size:.2f}rem", aria_hidden="true")


def _outlines(inspection: Inspection, cells: HeatMap) -> Markup:
    n, n_cells = len(inspection.similarity.order), len(cells.values)
    rectangles = []
    for start, size in _spans(inspection):
        if size < _OUTLINED * n:
            continue
        x, side = start * n_cells / n, size * n_cells / n
        rectangles.append(tag("rect", x=x, y=x, width=side, height=side))
    cross = tag("rect", x=0, y=0, width=1, height=1, class_="cross", hidden=True)
    return tag("svg", *rectangles, cross, viewBox=f"0 0 {n_cells} {n_cells}", aria_hidden="true")


def _numbers(inspection: Inspection) -> list[Markup]:
    """Return the numbers of blocks, beside their upper right corners."""
    n = len(inspection.similarity.order)
    labels = []
    for number, (start, size) in enumerate(_spans(inspection), start=1):
        if size >= _NUMBERED * n:
            stop = start + size
            # At the right edge there is room inside only.
            left = f"left:{100 * stop / n:.3f}%" if stop < 0.95 * n else "right:.4rem"
            labels.append(
                tag(
                    "b", str(number), style=f"{left};top:{100 * start / n:.3f}%", aria_hidden="true"
                )
            )
    return labels


def _spans(inspection: Inspection) -> list[tuple[int, int]]:
    """Return where each block starts in the order of the clustering, and its size."""
    position = {int(feature): index for index, feature in enumerate(inspection.similarity.order)}
    return [
        (min(position[member] for member in block.members), len(block.members))
        for block in inspection.similarity.blocks
    ]


def _scale(inspection: Inspection, cells: HeatMap) -> Markup:
    low, high = cells.range
    stops = ",".join(f"rgb({r},{g},{b})" for r, g, b in shades(6).tolist())
    ramp = tag("span", class_="scale shades", style=f"background:linear-gradient(90deg,{stops})")
    return tag(
        "p",
        tag("span", f"{low:g} unlike", ramp, f"{high:g} alike"),
        tag(
            "span",
            f"Outlined: larger blocks of mean similarity {inspection.similarity.cut:g} or more",
        ),
        class_="legend",
    )


def _values(inspection: Inspection, cells: HeatMap) -> Markup:
    low, high = cells.range
    lower = cells.levels[np.tril_indices(len(cells.levels))]
    content = {
        "names": _cell_names(inspection, cells),
        "low": low,
        "high": high,
        "steps": N_LEVELS,
        "cells": base64.b64encode(lower.tobytes()).decode("ascii"),
    }
    # Inside a script nothing is escaped, so no tag may end it.
    text = json.dumps(content, ensure_ascii=True).replace("<", "\\u003c")
    return tag("script", Markup(text), type="application/json", id="similarity-data")


def _cell_names(inspection: Inspection, cells: HeatMap) -> list[str]:
    names = [
        shortened(inspection.feature_names[feature], 60) for feature in inspection.similarity.order
    ]
    return cells.cell_names(names)


def _description(inspection: Inspection) -> str:
    facts = inspection.similarity
    return (
        f"Heat map of the similarity of {counted(len(facts.order), 'feature')}, ordered by "
        f"cluster: {counted(len(facts.blocks), 'block')} on the diagonal, listed in the table of "
        "blocks."
    )

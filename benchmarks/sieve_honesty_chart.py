"""Shares of wrong claims as an SVG: a panel for each claim, a row for each case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from benchmarks.sieve_honesty import LEVEL, QUERIES
from benchmarks.sieve_honesty_data import CASES
from benchmarks.sieve_honesty_figures import CLAIMS, Cell

# In pixels: a panel's plot, the margins around it, and the legend above all.
WIDTH, ROW = 360, 48
LEFT, RIGHT, TOP, BOTTOM, LEGEND = 64, 28, 40, 52, 44
COLUMNS = 2
# Each is readable on white and on black.
GREY = "#6e7781"
COLOURS = dict(zip(QUERIES, ("#3b82f6", "#e8590c", "#2f9e6e"), strict=True))
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
# An axis ends at least there, and else after a multiple of the step.
LEAST_END, STEP = 0.2, 0.1
TITLES = {
    "certified": "a certified set is worse",
    "choice, if supported": "the choice is supported, and worse",
    "smallest supported": "the smallest supported set is worse",
    "choice": "the choice is worse (nothing is promised)",
}


def chart(measured_cells: Sequence[Cell]) -> str:
    """The SVG of all panels, two in a row."""
    height = ROW * len(CASES)
    rows = -(-len(CLAIMS) // COLUMNS)
    total_width = COLUMNS * (LEFT + WIDTH + RIGHT)
    total_height = LEGEND + rows * (TOP + height + BOTTOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {total_height}" '
        f'width="{total_width}" height="{total_height}" font-family="{FONT}" font-size="12" '
        f'fill="{GREY}">',
        "<title>Share of runs in which a set is truly worse than the margin, with its 95 % "
        "interval, by case and number of training queries</title>",
        *_legend(),
    ]
    for index, claim in enumerate(CLAIMS):
        row, column = divmod(index, COLUMNS)
        x = column * (LEFT + WIDTH + RIGHT) + LEFT
        y = LEGEND + row * (TOP + height + BOTTOM) + TOP
        parts += [
            f'<g transform="translate({x} {y})">',
            *_panel(measured_cells, claim, height),
            "</g>",
        ]
    return "\n".join([*parts, "</svg>", ""])


def _legend() -> Iterator[str]:
    x = float(LEFT)
    for n_queries, colour in COLOURS.items():
        yield f'<circle cx="{x + 6:.1f}" cy="22" r="4.5" fill="{colour}"/>'
        text = f"{n_queries} queries"
        yield _text(x + 18, 26, text, "start")
        x += 18 + 6.6 * len(text) + 24
    yield f'<path d="M{x:.1f} 22h28" stroke="{GREY}" stroke-dasharray="5 4"/>'
    yield _text(x + 36, 26, f"level, {LEVEL:g}", "start")


def _panel(measured_cells: Sequence[Cell], claim: str, height: int) -> Iterator[str]:
    highest = max((cell.wrong(claim).high for cell in measured_cells), default=0.0)
    end = max(LEAST_END, np.ceil(highest / STEP) * STEP)
    yield _text(-LEFT + 8, -14, TITLES[claim], "start", ' font-size="13" font-weight="600"')
    yield from _grid(end, height)
    for row, case in enumerate(CASES):
        yield _text(-8, ROW * (row + 0.5) + 4, case, "end")
    for cell in measured_cells:
        if cell.n_queries in COLOURS:
            yield from _interval(cell, claim, end)
    x = WIDTH * LEVEL / end
    yield f'<path d="M{x:.1f} 0V{height}" stroke="{GREY}" stroke-dasharray="5 4"/>'


def _grid(end: float, height: int) -> Iterator[str]:
    thin = f'stroke="{GREY}" stroke-opacity="0.25"'
    step = STEP / 2 if end <= LEAST_END else STEP
    for tick in np.arange(0, end + step / 2, step):
        x = WIDTH * tick / end
        yield f'<path d="M{x:.1f} 0V{height}" {thin}/>'
        yield _text(x, height + 18, f"{tick:.2f}", "middle")
    for row in range(1, len(CASES)):
        yield f'<path d="M0 {ROW * row}H{WIDTH}" {thin}/>'
    yield f'<path d="M0 0V{height}H{WIDTH}" fill="none" stroke="{GREY}"/>'
    yield _text(WIDTH / 2, height + 38, "share of runs", "middle")


def _interval(cell: Cell, claim: str, end: float) -> Iterator[str]:
    share = cell.wrong(claim)
    offset = (QUERIES.index(cell.n_queries) + 1) / (len(QUERIES) + 1)
    y = ROW * (list(CASES).index(cell.case) + offset)
    low, middle, high = (WIDTH * value / end for value in (share.low, share.value, share.high))
    colour = COLOURS[cell.n_queries]
    yield f'<path d="M{low:.1f} {y:.1f}H{high:.1f}" stroke="{colour}" stroke-width="2"/>'
    yield f'<circle cx="{middle:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'

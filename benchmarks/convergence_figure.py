"""The ways of solvers as an SVG: gap against seconds, both in powers of ten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from benchmarks.convergence import Run

# In pixels: a panel's plot, the margins around it, and the legend above all.
WIDTH, HEIGHT = 400, 250
LEFT, RIGHT, TOP, BOTTOM, LEGEND = 66, 24, 40, 52, 40
COLUMNS = 2
LOWEST, HIGHEST = -10, 1
# Each is readable on white and on black.
GREY = "#6e7781"
COLOURS = {
    "ProximalNewton": "#3b82f6",
    "AcceleratedGradient": "#e8590c",
    "FISTA": "#2f9e6e",
    "Subgradient": "#a855f7",
}
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True, eq=False)
class Panel:
    """What one plot shows."""

    title: str
    runs: Sequence[Run]


def figure(panels: Sequence[Panel], *, level: float) -> str:
    """The SVG of all panels, two a row, with dots where gaps are proven to be within `level`."""
    rows = -(-len(panels) // COLUMNS)
    width = COLUMNS * (LEFT + WIDTH + RIGHT)
    height = LEGEND + rows * (TOP + HEIGHT + BOTTOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{FONT}" font-size="12" fill="{GREY}">',
        "<title>Relative gap of the objective against seconds, by solver</title>",
        *_legend(panels, level),
    ]
    for panel_index, panel in enumerate(panels):
        row, column = divmod(panel_index, COLUMNS)
        x = column * (LEFT + WIDTH + RIGHT) + LEFT
        y = LEGEND + row * (TOP + HEIGHT + BOTTOM) + TOP
        parts += [f'<g transform="translate({x} {y})">', *_panel(panel, level), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _legend(panels: Sequence[Panel], level: float) -> Iterator[str]:
    names = {run.name for panel in panels for run in panel.runs}
    x = LEFT
    for name in (name for name in COLOURS if name in names):
        yield f'<path d="M{x:.1f} 22h28" stroke="{COLOURS[name]}" stroke-width="2.5"/>'
        yield _text(x + 36, 26, name, "start")
        x += 36 + 6.6 * len(name) + 24
    yield f'<circle cx="{x + 6:.1f}" cy="22" r="4.5"/>'
    yield _text(x + 18, 26, f"gap of {_power(level)} proven by the solver itself", "start")


def _panel(panel: Panel, level: float) -> Iterator[str]:
    first, last = _decades(panel.runs)
    yield _text(0, -14, panel.title, "start", ' font-size="13" font-weight="600"')
    yield from _grid(first, last)
    y = _height(np.log10(level))
    yield f'<path d="M0 {y:.1f}H{WIDTH}" stroke="{GREY}" stroke-dasharray="5 4"/>'
    for run in panel.runs:
        yield from _curve(run, first, last, level)


def _decades(runs: Sequence[Run]) -> tuple[int, int]:
    """The powers of ten between which all seconds are."""
    least, most = min(run.seconds[0] for run in runs), max(run.seconds[-1] for run in runs)
    return int(np.floor(np.log10(least))), int(np.ceil(np.log10(most)))


def _grid(first: int, last: int) -> Iterator[str]:
    thin = f'stroke="{GREY}" stroke-opacity="0.25"'
    for exponent in range(first, last + 1):
        x = WIDTH * (exponent - first) / (last - first)
        yield f'<path d="M{x:.1f} 0V{HEIGHT}" {thin}/>'
        yield _text(x, HEIGHT + 18, _seconds(exponent), "middle")
    for exponent in range(LOWEST, HIGHEST + 1):
        y = _height(exponent)
        yield f'<path d="M0 {y:.1f}H{WIDTH}" {thin}/>'
        if exponent % 2 == 0:
            below = "\u2264" if exponent == LOWEST else ""
            yield _text(-8, y + 4, below + _power(10.0**exponent), "end")
    yield f'<path d="M0 0V{HEIGHT}H{WIDTH}" fill="none" stroke="{GREY}"/>'
    yield _text(WIDTH / 2, HEIGHT + 38, "seconds", "middle")
    turned = f' transform="rotate(-90 {-LEFT + 14} {HEIGHT / 2})"'
    yield _text(-LEFT + 14, HEIGHT / 2, "relative gap of the objective", "middle", turned)


def _curve(run: Run, first: int, last: int, level: float) -> Iterator[str]:
    x = WIDTH * (np.log10(run.seconds) - first) / (last - first)
    y = _height(np.log10(np.maximum(run.distances, 10.0**LOWEST)))
    proven, colour = np.flatnonzero(run.gaps <= level)[:1], COLOURS[run.name]
    # What goes on below the lowest line, after all that is asked for, is not drawn.
    end = max(int(np.argmin(run.distances > 10.0**LOWEST)), *proven, 0) or len(x) - 1
    points = " ".join(f"{x[i]:.1f},{y[i]:.1f}" for i in _apart(x[: end + 1], y[: end + 1]))
    yield (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" '
        'stroke-linejoin="round" stroke-linecap="round"/>'
    )
    for i in proven:
        yield f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="4.5" fill="{colour}"/>'


def _apart(x: np.ndarray, y: np.ndarray) -> list[int]:
    """Points that are a pixel from the one before, and the last."""
    indices = [0]
    for i in range(1, len(x)):
        if np.hypot(x[i] - x[indices[-1]], y[i] - y[indices[-1]]) >= 1.0 or i == len(x) - 1:
            indices.append(i)
    return indices


def _height(exponent: float) -> float:
    """Pixels from a plot's top."""
    return HEIGHT * (HIGHEST - exponent) / (HIGHEST - LOWEST)


def _power(value: float) -> str:
    return f"1e{round(np.log10(value))}" if value != 1.0 else "1"


def _seconds(exponent: int) -> str:
    return f"{10.0**exponent:g}" if exponent > -4 else f"1e{exponent}"


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'

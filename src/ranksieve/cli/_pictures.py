"""Pictures in text: bars of importance, and a heat map of similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ranksieve.cli._output import number
from ranksieve.report.shared.words import counted, shortened

if TYPE_CHECKING:
    from ranksieve.report import Inspection

_ROWS = 18
_BAR = 30
_NAME = 26
_WIDE = 80
_COLOUR_CELLS, _PLAIN_CELLS = 40, 32


class Glyphs(NamedTuple):
    """Characters that a stream can show."""

    bar: str
    falling: str
    rising: str
    gap: str
    shades: str

    def name(self, name: str, width: int = _NAME) -> str:
        """Return a feature's name, safe and short enough for a table."""
        if self is ASCII:
            name = name.encode("ascii", "replace").decode()
        return shortened(name, width, gap=self.gap)


UNICODE = Glyphs("█", "↑", "↓", "…", " ░▒▓█")
ASCII = Glyphs("#", "+", "-", "..", " .:=#")


def glyphs(console: Console) -> Glyphs:
    """Return the characters that a console's stream can show."""
    return UNICODE if console.encoding.lower().startswith("utf") else ASCII


def importance_bars(inspection: Inspection, signs: Glyphs, width: int = 80) -> Table:
    """Return the best features with bars for what they gain over a random order.

    On fewer than 80 columns names and bars are shorter.
    """
    narrow = width < _WIDE
    name_width, bar = (16, max(width - 29, 4)) if narrow else (_NAME, _BAR)
    facts = inspection.importance
    table = Table(box=None, pad_edge=False)
    table.add_column("feature")
    table.add_column("")
    wide_name = narrow or len(facts.name) >= _NAME
    table.add_column("score" if wide_name else facts.name, justify="right")
    table.add_column("gain" if narrow else "gain over a random order")
    used = facts.order[: len(inspection.similarity.order)]
    drawn = used if len(used) <= _ROWS + 1 else used[:_ROWS]
    largest_gain = max(facts.best - facts.random, 0.0)
    for feature in drawn:
        gain = max(float(facts.scores[feature]) - facts.random, 0.0)
        table.add_row(
            Text(signs.name(inspection.feature_names[feature], name_width)),
            signs.falling if facts.directions[feature] > 0 else signs.rising,
            number(facts.scores[feature]),
            Text(
                signs.bar * round(bar * gain / largest_gain) if largest_gain else "", style="blue"
            ),
        )
    if n_more := len(used) - len(drawn):
        last = number(facts.worst)
        table.add_row(counted(n_more, "more feature"), "", last, "or more", style="dim")
    if idle := inspection.n_features - len(used):
        table.add_row(counted(idle, "idle feature"), "", number(facts.random), "", style="dim")
    return table


def similarity_map(inspection: Inspection, console: Console, signs: Glyphs) -> Text:
    """Return the heat map: half-blocks in colours on a terminal, else shades of characters."""
    if console.is_terminal and not console.no_color and console.color_system in _GRADED:
        return _coloured(inspection, min(_COLOUR_CELLS, console.width))
    return _shaded(inspection, signs, min(_PLAIN_CELLS, console.width // 2))


_GRADED = ("256", "truecolor", "windows")


def _coloured(inspection: Inspection, most_cells: int) -> Text:
    from ranksieve.report.shared.colours import shades
    from ranksieve.report.shared.heat_map import N_LEVELS, HeatMap

    cells = HeatMap.of(inspection.similarity, most_cells)
    levels = cells.levels
    # Turned round: on a terminal, bright stands out.
    colours = [f"rgb({r},{g},{b})" for r, g, b in shades(N_LEVELS)[::-1].tolist()]
    picture = Text()
    for row in range(0, len(levels), 2):
        for column in range(len(levels)):
            style = colours[levels[row, column]]
            if row + 1 < len(levels):
                style += f" on {colours[levels[row + 1, column]]}"
            picture.append("▀", style)
        picture.append("\n")
    picture.append(f"unlike {cells.range[0]:g} ")
    for level in range(0, N_LEVELS, 10):
        picture.append("▀", f"{colours[level]} on {colours[level]}")
    return picture.append(f" {cells.range[1]:g} alike")


def _shaded(inspection: Inspection, signs: Glyphs, most_cells: int) -> Text:
    from ranksieve.report.shared.heat_map import N_LEVELS, HeatMap

    cells = HeatMap.of(inspection.similarity, most_cells)
    steps = cells.levels.astype(int) * len(signs.shades) // N_LEVELS
    lines = ["".join(signs.shades[step] * 2 for step in row).rstrip() for row in steps]
    low, high = cells.range
    scale = "".join(sign * 2 for sign in signs.shades)
    return Text("\n".join([*lines, f"unlike {low:g} [{scale}] {high:g} alike"]))

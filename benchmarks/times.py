"""Figures of times: docs/times.md with its charts, and docs/times.json with the numbers.

    python -m benchmarks.times

Two or three minutes. Without OHSUMED and MQ2008 (`RANKSIEVE_DATA`) the part on solvers is left out,
and the page says so.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ranksieve
from benchmarks.results_charts import HEIGHT, WIDTH, write_svg
from benchmarks.results_markdown import listed, table
from benchmarks.times_embedded import (
    FIXED_DOCUMENTS,
    FIXED_FEATURES,
    SHARE,
    TOO_LONG,
    Row,
    embedded_times,
)
from benchmarks.times_filters import FIXED, filter_times, growth
from benchmarks.times_filters import METHODS as FILTERS
from benchmarks.times_solvers import LEVELS, solver_times
from ranksieve.data.atomic import replacing

DOCS = Path(__file__).parents[1] / "docs"
COLOURS = (
    *("#1f5fa8", "#d1495b", "#2f9e6e", "#e0a100", "#7a4fbf"),
    *("#6e7781", "#00a3b4", "#b4532a", "#8a9a00", "#c04f9a"),
)


def main() -> None:
    print("Filters over features and points", file=sys.stderr)
    filters = filter_times()
    print("Solvers of FSMRank's problem", file=sys.stderr)
    solvers, picture = solver_times()
    print("Embedded methods over documents and features", file=sys.stderr)
    embedded = embedded_times(report=lambda text: print(text, file=sys.stderr))
    write({"filters": filters, "solvers": solvers, "embedded": embedded}, picture, DOCS)
    print(DOCS / "times.md")


def write(rows: dict[str, list[dict[str, Any]]], picture: str, folder: Path) -> None:
    """Write the page, its charts, and the numbers, into a folder."""
    content = {"made with": made_with(), **rows}
    _write(folder / "times.json", json.dumps(content, indent=1) + "\n")
    write_svg(size_chart(rows["filters"], ("features", "points")), folder / "times-filters.svg")
    write_svg(
        size_chart(rows["embedded"], ("documents", "features")), folder / "times-embedded.svg"
    )
    if picture:
        _write(folder / "times-solvers.svg", picture)
    _write(folder / "times.md", "\n".join(page(content)))


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def made_with() -> dict[str, str]:
    """Versions, and how many cores there were."""
    return {
        "ranksieve": ranksieve.__version__,
        "Python": platform.python_version(),
        "cores": str(os.cpu_count()),
    }


def page(content: dict[str, Any]) -> list[str]:
    """The lines of docs/times.md."""
    versions = ", ".join(f"{name} {version}" for name, version in content["made with"].items())
    return [
        "# Times of selection and training",
        "",
        "Written by `python -m benchmarks.times`, with the numbers in [times.json](times.json) "
        f"({versions}). Seconds are the least of several calls; on a shared machine they vary, "
        "ratios vary less.",
        "",
        *_filters(content["filters"]),
        *_solvers(content["solvers"]),
        *_embedded(content["embedded"]),
    ]


def _filters(rows: list[Row]) -> list[str]:
    sentences = [
        f"{axis}: " + ", ".join(f"{name} {growth(rows, axis, name):.1f}" for name in FILTERS)
        for axis in ("features", "points")
    ]
    return [
        "## Filters over features and points",
        "",
        "Figures 4 and 5 of the RankFilter paper (Yu, Oh and Han, 2009): seconds of computing the "
        "weights from points in five grades, with 100 points and 10 to 100 features, and with 100 "
        "features and 10 to 100 points. Larger sizes, where the fixed cost of a call no longer "
        "hides the growth, are ours. The paper: GAS grows with the square of the features and the "
        "others in proportion, and GAS grows much faster with the points too. Here GAS compares 64 "
        "pairs of points at a time, and all methods look at pairs of points.",
        "",
        "![Seconds of filters](times-filters.svg)",
        "",
        "Milliseconds:",
        "",
        *_by_size(rows, "features", 1e3),
        *_by_size(rows, "points", 1e3),
        _ratio(rows),
        "",
        "Power with which the seconds grow, from the two largest sizes:",
        "",
        *listed(sentences),
    ]


def _ratio(rows: list[Row]) -> str:
    """How much longer GAS takes at the paper's largest size."""
    size = {"points": FIXED, "features": FIXED}
    matching = {r["method"]: r["seconds"] for r in rows if size.items() <= r.items()}
    if not matching:
        return ""
    return (
        f"With {FIXED} points and {FIXED} features GAS takes "
        f"{matching['GAS'] / matching['RankFilter']:.1f} times as long as RankFilter."
    )


def _solvers(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "## Solvers of FSMRank's problem",
        "",
        "Figure 5 of the FSMRank paper (Lai, Pan, Tang and Yu, 2013): its accelerated gradient "
        "against subgradient descent, and our default solver beside them, on the train part of "
        "fold 1 at a hundredth of the critical strength. The paper: FSMRank converges faster than "
        "subgradient descent on all data sets. It does not say which steps that took; those of "
        "`Subgradient` never overshoot at first, and then fall with the square root of the "
        "iteration.",
        "",
    ]
    if not rows:
        return [*lines, "OHSUMED and MQ2008 were not there when this page was written.", ""]
    head = [f"seconds to {level:g}" for level in LEVELS]
    cells = [
        [
            row["data"],
            row["solver"],
            *(_seconds(row["seconds"][f"{level:g}"]) for level in LEVELS),
            f"{row['iterations']:,}",
            f"{row['last second']:.3f}",
            f"{row['last distance']:.1e}",
        ]
        for row in rows
    ]
    return [
        *lines,
        "![Objective against seconds](times-solvers.svg)",
        "",
        "Seconds until the best objective so far is within so much of the optimum, relatively; and "
        "where a run ended:",
        "",
        *table(["*data", "*solver", *head, "iterations", "ended at, s", "distance then"], cells),
    ]


def _seconds(value: float | None) -> str:
    return "not reached" if value is None else f"{value:.4f}"


def _embedded(rows: list[Row]) -> list[str]:
    absent = [row["method"] for row in rows if not row["converged"]]
    return [
        "## Penalties and embedded methods over documents and features",
        "",
        "What the sparse RankSVM paper (Laporte et al., 2014) leaves open: how long each penalty "
        f"takes. Generated data in [0, 1], 100 documents per query; {FIXED_FEATURES} features "
        f"while documents vary, {FIXED_DOCUMENTS:,} documents while features vary. One fit to a "
        f"gap of 1e-6, at {SHARE:g} of the critical strength of l1 for all penalties; FSMRank and "
        "FSMSVM at that share of their own, FenchelRank with the l1 norm of l1's solution. "
        "Importance and similarity count. A method that took more than "
        f"{TOO_LONG:g} s is not run on larger data.",
        "",
        "![Seconds of embedded methods](times-embedded.svg)",
        "",
        "Seconds:",
        "",
        *_by_size(rows, "documents", 1.0),
        *_by_size(rows, "features", 1.0),
        "Features selected:",
        "",
        *_by_size(rows, "documents", None),
        *(
            [f"Not converged somewhere: {', '.join(dict.fromkeys(absent))}.", ""]
            if absent
            else ["Every fit reached its gap.", ""]
        ),
    ]


def _by_size(rows: list[Row], axis: str, unit: float | None) -> list[str]:
    """One row per method, one column per size: seconds times a unit, or the features selected."""
    matching = [row for row in rows if row["axis"] == axis]
    sizes = sorted({row[axis] for row in matching})
    cell = {
        (row["method"], row[axis]): (
            str(row["selected"]) if unit is None else f"{unit * row['seconds']:.3g}"
        )
        for row in matching
    }
    body = [
        [method, *(cell.get((method, size), "not run") for size in sizes)]
        for method in dict.fromkeys(row["method"] for row in matching)
    ]
    return table([f"*by {axis}", *(f"{size:,}" for size in sizes)], body)


def size_chart(rows: Sequence[Row], axes: tuple[str, str]) -> Any:
    """Seconds against size, both in powers of ten: one line per method, one panel per axis."""
    import altair as alt

    methods = list(dict.fromkeys(row["method"] for row in rows))
    points = [{**row, "size": row[row["axis"]], "panel": f"by {row['axis']}"} for row in rows]
    return (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=alt.OverlayMarkDef(size=18))
        .encode(
            x=alt.X("size:Q", title=None, scale=alt.Scale(type="log")),
            y=alt.Y("seconds:Q", title="seconds", scale=alt.Scale(type="log")),
            color=alt.Color(
                "method:N",
                title=None,
                scale=alt.Scale(domain=methods, range=list(COLOURS[: len(methods)])),
                legend=alt.Legend(orient="bottom", columns=5),
            ),
        )
        .properties(width=WIDTH, height=HEIGHT)
        .facet(
            facet=alt.Facet("panel:N", title=None, sort=[f"by {axis}" for axis in axes]), columns=2
        )
        .resolve_scale(x="independent")
        .configure(background="white")
    )


if __name__ == "__main__":
    main()

"""What the runs of Figure 8 show: an SVG, and two tables in docs/text.md between marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.figure_8 import DOCS, KERNELS, SELECTORS, STORE
from benchmarks.results_charts import COLOURS, write_svg

FIGURE = DOCS / "figure-8.svg"
PAGE = DOCS / "text.md"
BEGIN, END = (
    "<!-- figure-8: written by python -m benchmarks.figure_8 -->",
    "<!-- end of figure-8 -->",
)
WIDTH, HEIGHT, COLUMNS = 170, 150, 5
# The fixed setting of each kernel: C = 0.01, and degree 2 or the wide kernel.
FIXED = 1
NAMES = {"linear": "linear", "polynomial": "polynomial", "rbf": "RBF"}


def write_page(queries: Sequence[dict[str, Any]]) -> None:
    """Write the figure, and the tables into the page where it has the marks."""
    write_svg(chart(queries), FIGURE)
    text = PAGE.read_text("utf-8")
    before, _, behind = text.partition(BEGIN)
    _, end, after = behind.partition(END)
    if not end:
        raise SystemExit(f"{PAGE} has no marks {BEGIN!r} and {END!r}")
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(queries)}\n\n{END}{after}", "utf-8")
    print(f"{FIGURE.name} and the tables of {PAGE.name}, from {STORE.name}")


def curve(query: dict, selector: str, kernel: str, *, fixed: bool = False) -> dict[int, float]:
    """Kendall's tau by number of words: the best setting, or the fixed one."""
    return {
        row["words"]: row["tau"][FIXED] if fixed else max(row["tau"])
        for row in query["rows"]
        if (row["selector"], row["kernel"]) == (selector, kernel)
    }


def tables(queries: Sequence[dict[str, Any]]) -> str:
    return f"{sizes(queries)}\n\n{best(queries)}\n\n{mean_differences(queries)}"


def sizes(queries: Sequence[dict[str, Any]]) -> str:
    """Table 1: documents and words of each query."""
    rows = [
        ("query", [query["query"] for query in queries]),
        ("documents", [query["documents"] for query in queries]),
        ("of them judged", [query["graded"] for query in queries]),
        ("words", [f"{query['words']:,}" for query in queries]),
    ]
    lines = ["| " + " | ".join([name, *map(str, values)]) + " |" for name, values in rows]
    lines.insert(1, "| --- |" + " ---: |" * len(queries))
    return "\n".join(lines)


def best(queries: Sequence[dict[str, Any]]) -> str:
    """The highest tau of each query, by which selector and kernel, and with how many words."""
    lines = [
        "| query | all words | highest: RankWrapper | highest: RReliefF | highest: random |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for query in queries:
        cells = [str(query["query"])]
        whole = max(curve(query, "RankWrapper", kernel)[query["words"]] for kernel in KERNELS)
        cells.append(f"{whole:.3f}")
        peaks = {selector: peak(query, selector) for selector in SELECTORS}
        highest = max(value for value, _, _ in peaks.values())
        for selector in SELECTORS:
            value, n_words, kernel = peaks[selector]
            mark = "**" if value == highest else ""
            cells.append(f"{mark}{value:.3f}{mark} ({NAMES[kernel]}, {n_words:,} words)")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def peak(query: dict, selector: str) -> tuple[float, int, str]:
    """The highest tau of a selector with half of the words or fewer: value, words, kernel."""
    return max(
        (value, n_words, kernel)
        for kernel in KERNELS
        for n_words, value in curve(query, selector, kernel).items()
        if n_words < query["words"]
    )


def mean_differences(queries: Sequence[dict[str, Any]]) -> str:
    """RankWrapper minus RReliefF and minus random by share of words, over queries and kernels."""
    lines = [
        "| halvings | share of words | RankWrapper | RReliefF | random | RankWrapper - RReliefF "
        "| the same, fixed setting |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    n_rounds = min(len(curve(query, "random", "rbf")) for query in queries)
    for number in range(n_rounds):
        means = {
            (selector, fixed): np.array(
                [
                    np.mean([at(query, selector, kernel, number, fixed) for kernel in KERNELS])
                    for query in queries
                ]
            )
            for selector in SELECTORS
            for fixed in (False, True)
        }
        cells = [str(number), f"{0.5**number:.2%}"]
        cells += [f"{means[selector, False].mean():.3f}" for selector in SELECTORS]
        for fixed in (False, True):
            gap = means["RankWrapper", fixed] - means["RReliefF", fixed]
            error = gap.std(ddof=1) / np.sqrt(len(gap))
            cells.append(f"{gap.mean():+.3f} ± {error:.3f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def at(query: dict, selector: str, kernel: str, number: int, fixed: bool) -> float:
    """Kendall's tau after a number of halvings."""
    return list(curve(query, selector, kernel, fixed=fixed).values())[number]


def chart(queries: Sequence[dict[str, Any]]) -> Any:
    """A panel per query: tau by words, on a logarithmic axis; a dash for each kernel."""
    import altair as alt

    rows = [
        {
            "panel": f"query {query['query']}",
            "words": n_words,
            "tau": value,
            "selector": selector,
            "kernel": NAMES[kernel],
        }
        for query in queries
        for selector in SELECTORS
        for kernel in KERNELS
        for n_words, value in curve(query, selector, kernel).items()
    ]
    panels = [f"query {query['query']}" for query in queries]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=1.6)
        .encode(
            alt.X(
                "words:Q",
                title="words",
                scale=alt.Scale(type="log", domain=[1, 2000], nice=False),
                axis=alt.Axis(grid=False, values=[1, 10, 100, 1000]),
            ),
            alt.Y("tau:Q", title="Kendall's tau", scale=alt.Scale(zero=False)),
            alt.Color(
                "selector:N",
                title=None,
                scale=alt.Scale(domain=list(SELECTORS), range=[COLOURS[0], COLOURS[1], COLOURS[5]]),
                legend=alt.Legend(orient="bottom"),
            ),
            alt.StrokeDash(
                "kernel:N",
                title=None,
                scale=alt.Scale(domain=list(NAMES.values()), range=[[1, 0], [6, 3], [2, 2]]),
                legend=alt.Legend(orient="bottom"),
            ),
        )
        .properties(width=WIDTH, height=HEIGHT)
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=COLUMNS)
        .resolve_scale(y="independent")
        .properties(title="Cranfield: Kendall's tau by number of words, three folds of documents")
        .configure(background="white")
    )

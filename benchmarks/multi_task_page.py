"""What the runs of several tasks show: an SVG, and tables in docs/multi-task.md between marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.multi_task import DOCS, MEASURES, METHODS, SIZES, STORE
from benchmarks.results_charts import COLOURS, write_svg

FIGURE, PAGE = DOCS / "multi-task.svg", DOCS / "multi-task.md"
BEGIN, END = (
    "<!-- multi-task: written by python -m benchmarks.multi_task -->",
    "<!-- end of multi-task -->",
)
TRUTHS = {False: "all features shared", True: "two own features per task as well"}
NUMBERS = ("MAP", "features F1", "weights F1")
REFERENCES = ("one for all", "one for each")


def write_page(results: dict[str, Any]) -> None:
    """Write the figure, and the tables into the page where it has the marks."""
    write_svg(chart(results["generated"]), FIGURE)
    before, _, behind = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, after = behind.partition(END)
    if not end:
        raise SystemExit(f"{PAGE} has no marks {BEGIN!r} and {END!r}")
    parts = (generated(results["generated"]), letor(results["letor"]), speed(results["speed"]))
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n\n".join(parts) + f"\n\n{END}{after}", "utf-8")
    print(f"{FIGURE.name} and the tables of {PAGE.name}, from {STORE.name}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], n_texts: int) -> str:
    marks = ["---"] * n_texts + ["---:"] * (len(head) - n_texts)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


def interval(differences: np.ndarray) -> str:
    """A mean of paired differences, with Student's interval of 95 %, bold where it leaves 0 out."""
    half = stats.t.ppf(0.975, len(differences) - 1) * stats.sem(differences)
    mean = differences.mean()
    text = f"{mean:+.4f} ± {half:.4f}"
    return f"**{text}**" if abs(mean) > half else text


def generated(rows: Sequence[dict[str, Any]]) -> str:
    head = ["truth", "queries per task", "number", *METHODS]
    lines = []
    for own, truth in TRUTHS.items():
        for n_queries in SIZES:
            for number in NUMBERS:
                means = [
                    np.mean(
                        [
                            row[number]
                            for row in rows
                            if (row["own"], row["queries"], row["method"])
                            == (own, n_queries, method)
                        ]
                    )
                    for method in METHODS
                ]
                cells = [f"**{m:.3f}**" if m == max(means) else f"{m:.3f}" for m in means]
                lines.append([truth, str(n_queries), number, *cells])
    n_seeds = len({row["seed"] for row in rows})
    return f"### Generated tasks: means over {n_seeds} seeds\n\n{table(head, lines, 3)}"


def letor(rows: Sequence[dict[str, Any]]) -> str:
    head = ["data", "clusters by", "method", "features", *MEASURES]
    head += [f"{measure} less {other}" for measure in MEASURES for other in REFERENCES]
    values = {
        (row["data"], row["clusters"], row["method"], measure): np.array(row["values"][measure])
        for row in rows
        for measure in MEASURES
    }
    lines = []
    for row in rows:
        key = row["data"], row["clusters"]
        cells = [*key, row["method"], f"{np.mean(row['features']):.1f}"]
        cells += [f"{np.nanmean(values[(*key, row['method'], name)]):.4f}" for name in MEASURES]
        for measure in MEASURES:
            for other in REFERENCES:
                gaps = values[(*key, row["method"], measure)] - values[(*key, other, measure)]
                gaps = gaps[~np.isnan(gaps)]
                cells.append("" if row["method"] in REFERENCES else interval(gaps))
        lines.append(cells)
    title = "### MQ2008 and OHSUMED: five folds, four clusters, paired differences by query, 95 %"
    return f"{title}\n\n{table(head, lines, 3)}"


def speed(rows: Sequence[dict[str, Any]]) -> str:
    head = ["data", "penalty", "strength / largest", "features", "several tasks", "single tasks"]
    head += ["ratio", "FISTA", "FISTA : proximal Newton"]
    lines = []
    for row in rows:
        cells = [row["data"], row["form"], f"{row['ratio of strength']:g}", str(row["features"])]
        cells += [f"{1e3 * row['together']:.1f} ms", f"{1e3 * row['apart']:.1f} ms"]
        cells.append(f"{row['together'] / row['apart']:.2f}")
        if "FISTA" in row:
            late = "" if row["FISTA gap"] <= 1e-6 else f" (gap {row['FISTA gap']:.0e})"
            cells.append(f"{1e3 * row['FISTA']:,.0f} ms{late}")
            cells.append(f"{row['FISTA'] / row['together']:,.0f}")
        else:
            cells += ["", ""]
        lines.append(cells)
    title = "### CPU time to a gap of 1e-6: four tasks of fold 1, by length"
    return f"{title}\n\n{table(head, lines, 2)}"


def chart(rows: Sequence[dict[str, Any]]) -> Any:
    """MAP and recovery by queries per task, a panel for each truth."""
    import altair as alt

    points = [
        {
            "panel": f"{number}: {TRUTHS[row['own']]}",
            "queries": row["queries"],
            "value": row[number],
            "method": row["method"],
        }
        for row in rows
        for number in ("MAP", "features F1")
    ]
    panels = [
        f"{number}: {truth}" for number in ("MAP", "features F1") for truth in TRUTHS.values()
    ]
    colour = alt.Color(
        "method:N",
        title=None,
        scale=alt.Scale(domain=list(METHODS), range=list(COLOURS[: len(METHODS)])),
        legend=alt.Legend(orient="bottom"),
    )
    return (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=alt.OverlayMarkDef(size=18))
        .encode(
            alt.X(
                "queries:Q",
                title="queries per task",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(grid=False, values=list(SIZES)),
            ),
            alt.Y("mean(value):Q", title=None, scale=alt.Scale(zero=False)),
            colour,
        )
        .properties(width=300, height=190)
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=2)
        .resolve_scale(y="independent")
        .configure(background="white")
    )

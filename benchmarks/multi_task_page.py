"""What the runs of several tasks show: an SVG, and tables in docs/multi-task.md between marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.multi_task import DOCS, GENERATED_METHODS, JOINT, METHODS, SIZES, STORE, TRUTHS
from benchmarks.results_charts import COLOURS, write_svg
from benchmarks.results_markdown import folded

FIGURE, PAGE = DOCS / "multi-task.svg", DOCS / "multi-task.md"
BEGIN, END = (
    "<!-- multi-task: written by python -m benchmarks.multi_task -->",
    "<!-- end of multi-task -->",
)
REFERENCES = ("one for all", "one for each")


def write_page(results: dict[str, Any]) -> None:
    """Write the figure, and the tables into the page where it has the marks."""
    write_svg(chart(results["generated"]), FIGURE)
    before, _, behind = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, after = behind.partition(END)
    if not end:
        raise SystemExit(f"{PAGE} has no marks {BEGIN!r} and {END!r}")
    parts = (
        gains(results["generated"]),
        recovery(results["generated"]),
        means(results["generated"]),
        letor(results["letor"], "MAP"),
        "\n".join(folded("The same by NDCG@10", [letor(results["letor"], "NDCG@10"), ""])).rstrip(),
        speed(results["speed"]),
    )
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n\n".join(parts) + f"\n\n{END}{after}", "utf-8")
    print(f"{FIGURE.name} and the tables of {PAGE.name}, from {STORE.name}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], n_texts: int) -> str:
    marks = ["---"] * n_texts + ["---:"] * (len(head) - n_texts)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


def interval(differences: np.ndarray, digits: int = 4) -> str:
    """A mean of paired differences, with Student's interval of 95 %, bold where it leaves 0 out."""
    half = stats.t.ppf(0.975, len(differences) - 1) * stats.sem(differences)
    mean = differences.mean()
    text = f"{mean:+.{digits}f} ± {half:.{digits}f}"
    return f"**{text}**" if abs(mean) > half else text


def by_seed(
    rows: Sequence[dict[str, Any]], truth: str, n_queries: int, method: str, number: str
) -> np.ndarray:
    """A number of a method at each seed."""
    return np.array(
        [
            row["values"][method][number]
            for row in sorted(rows, key=lambda row: row["seed"])
            if (row["truth"], row["queries"]) == (truth, n_queries)
        ]
    )


def differences(
    rows: Sequence[dict[str, Any]], number: str, methods: Sequence[str], others: Sequence[str]
) -> str:
    """A table by truth and size: each method less each other one, paired by seed."""
    head = ["truth", "queries per task"]
    head += [f"{method} less {other}" for method in methods for other in others]
    lines = []
    for truth in TRUTHS:
        for n_queries in SIZES:
            cells = [truth if n_queries == SIZES[0] else "", str(n_queries)]
            for method in methods:
                ours = by_seed(rows, truth, n_queries, method, number)
                theirs = (by_seed(rows, truth, n_queries, other, number) for other in others)
                cells += [interval(ours - each, 3) for each in theirs]
            lines.append(cells)
    return table(head, lines, 1)


def gains(rows: Sequence[dict[str, Any]]) -> str:
    n_seeds = len({row["seed"] for row in rows})
    title = f"### Generated tasks: gain in MAP, {n_seeds} seeds, paired differences, 95 %"
    methods = ("multi-task", "multi-task, own weights")
    return f"{title}\n\n{differences(rows, 'MAP', methods, REFERENCES)}"


def recovery(rows: Sequence[dict[str, Any]]) -> str:
    tables = differences(rows, "features F1", ("multi-task", "multi-task, own weights"), REFERENCES)
    return "\n".join(folded("Gain in features F1, likewise", [tables, ""])).rstrip()


def means(rows: Sequence[dict[str, Any]]) -> str:
    """All means, the best of each line bold, in a part that a reader opens."""
    lines = []
    for number in ("MAP", "features F1", "weights F1"):
        for truth in TRUTHS:
            for n_queries in SIZES:
                each = [
                    by_seed(rows, truth, n_queries, name, number).mean()
                    for name in GENERATED_METHODS
                ]
                cells = [f"**{m:.3f}**" if m == max(each) else f"{m:.3f}" for m in each]
                lines.append([number, truth, str(n_queries), *cells])
    text = table(["number", "truth", "queries per task", *GENERATED_METHODS], lines, 2)
    return "\n".join(folded("Means of all methods", [text, ""])).rstrip()


def letor(rows: Sequence[dict[str, Any]], measure: str) -> str:
    head = ["data", "clusters by", "method", "features", measure]
    head += [f"less {other}" for other in REFERENCES]
    values = {
        (row["data"], row["clusters"], row["method"]): np.array(row["values"][measure])
        for row in rows
    }
    lines = []
    for row in rows:
        *key, method = row["data"], row["clusters"], row["method"]
        ours = values[(*key, method)]
        cells = [*(key if method == METHODS[0] else ("", "")), method]
        cells += [f"{np.mean(row['features']):.1f}", f"{np.nanmean(ours):.4f}"]
        for other in REFERENCES:
            gaps = ours - values[(*key, other)]
            cells.append(interval(gaps[~np.isnan(gaps)]) if method in JOINT else "")
        lines.append(cells)
    if measure != "MAP":
        return table(head, lines, 3)
    title = "### MQ2008 and OHSUMED: five folds, four clusters, paired differences by query, 95 %"
    return f"{title}\n\n{table(head, lines, 3)}"


def speed(rows: Sequence[dict[str, Any]]) -> str:
    """CPU time of several tasks over that of single ones, a line per data and strength."""
    forms = list(dict.fromkeys(row["form"] for row in rows))
    head = ["data", "strength / largest", *forms, "FISTA, l2,1", "FISTA : proximal Newton"]
    by_line: dict[tuple[str, float], dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_line.setdefault((row["data"], row["ratio of strength"]), {})[row["form"]] = row
    lines = []
    for (data, ratio), of_forms in by_line.items():
        cells = [data, f"{ratio:g}"]
        for form in forms:
            together, apart = of_forms[form]["together"], of_forms[form]["apart"]
            times = f"{1e3 * together:.1f} / {1e3 * apart:.1f} ms"
            cells.append(f"{times} = {together / apart:.2f}")
        slow = of_forms["l2,1"]
        late = "" if slow["FISTA gap"] <= 1e-6 else f" (gap {slow['FISTA gap']:.0e})"
        cells.append(f"{1e3 * slow['FISTA']:,.0f} ms{late}")
        cells.append(f"{slow['FISTA'] / slow['together']:,.0f}")
        lines.append(cells)
    title = "### CPU time to a gap of 1e-6: four tasks together / the sum of single ones, fold 1"
    return f"{title}\n\n{table(head, lines, 1)}"


def chart(rows: Sequence[dict[str, Any]]) -> Any:
    """Mean MAP and recovery by queries per task, a column for each truth."""
    import altair as alt

    points = [
        {
            "number": number,
            "truth": truth,
            "queries": n_queries,
            "value": float(by_seed(rows, truth, n_queries, method, number).mean()),
            "method": method,
        }
        for number in ("MAP", "features F1")
        for truth in TRUTHS
        for n_queries in SIZES
        for method in GENERATED_METHODS
    ]
    colour = alt.Color(
        "method:N",
        title=None,
        scale=alt.Scale(domain=list(GENERATED_METHODS), range=list(COLOURS[:4])),
        legend=alt.Legend(orient="bottom", columnPadding=28),
    )
    return (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=alt.OverlayMarkDef(size=18))
        .encode(
            alt.X(
                "queries:Q",
                title="queries per task",
                scale=alt.Scale(type="log", domain=[2.6, 58], nice=False),
                axis=alt.Axis(grid=False, values=list(SIZES)),
            ),
            alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
            colour,
        )
        .properties(width=210, height=170)
        .facet(
            column=alt.Column("truth:N", title=None, sort=list(TRUTHS)),
            row=alt.Row("number:N", title=None, sort=["MAP", "features F1"]),
        )
        .resolve_scale(y="independent")
        .configure(background="white")
    )

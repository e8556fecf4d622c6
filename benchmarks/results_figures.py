"""The papers' figure experiments: a small table and a chart each, from stored runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.results_charts import (
    importance_chart,
    line_chart,
    similarity_svg,
    write_svg,
)
from benchmarks.results_markdown import listed, short, table, wrapped
from benchmarks.results_notes import FIGURE_CLAIMS
from benchmarks.results_stores import ALL_FEATURES, Stored, description
from ranksieve.data.atomic import replacing
from ranksieve.evaluate import paired_t
from ranksieve.experiment import ALL, Outcome, Results

STUDIES = {
    "gas-figures": "GAS, Figures 2 to 7",
    "rankfilter-figure-2": "RankWrapper, Figure 2",
    "rankfilter-figure-3": "RankFilter, Figure 3",
    "rankfilter-figure-6": "RankWrapper, Figure 6",
    "rankfilter-figure-7": "RankFilter, Figure 7",
}


def figure_experiments(stored: Stored, folder: Path) -> list[str]:
    """Write the charts into a folder, and return the lines of the page."""
    lines = []
    for name, title in STUDIES.items():
        lines += [f"### {title}", ""]
        results = stored.studies.get(name)
        if results is None:
            lines += [f"Not in the stores: `ranksieve compare --config {name}` makes it.", ""]
            continue
        lines += [*wrapped(description(name)), FIGURE_CLAIMS[name], ""]
        lines += _curves(results, name, folder)
        if name == "gas-figures":
            lines += _features(results, folder)
    return lines


def _curves(results: Results, name: str, folder: Path) -> list[str]:
    lines = []
    for facts in results.data:
        own = [one for one in results.curves if one.data == facts.name]
        if all(one.method == ALL_FEATURES for one in own):
            lines += [f"{facts.name}: no method is stored with every fold.", ""]
            continue
        suffix = f"-{_slug(facts.name)}" if len(results.data) > 1 else ""
        path = folder / f"results-{name}{suffix}.svg"
        rows, methods = _chart_rows(own, results.measures), _methods(own)
        write_svg(line_chart(rows, methods, facts.name), path)
        lines += [f"![{facts.name}: value by number of features]({path.name})", ""]
        for measure in results.measures:
            for ranker in dict.fromkeys(one.ranker for one in own):
                lines += _curve_table(own, measure, ranker, facts.name)
    return lines


def _methods(own: list[Outcome]) -> list[str]:
    return [m for m in dict.fromkeys(one.method for one in own) if m != ALL_FEATURES]


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")


def _whole(own: list[Outcome], ranker: str) -> Outcome | None:
    for one in own:
        if one.method == ALL_FEATURES and one.ranker == ranker:
            return one
    return None


def _chart_rows(own: list[Outcome], measures: tuple[str, ...]) -> list[dict[str, object]]:
    rows = []
    for measure in measures:
        for one in own:
            if one.method == ALL_FEATURES:
                continue
            whole = _whole(own, one.ranker)
            rows.append(
                {
                    "panel": f"{short(measure)}, {one.ranker}",
                    "method": one.method,
                    "number": float(one.n_features.mean()),
                    "value": one.mean(measure),
                    "all": None if whole is None else whole.mean(measure),
                }
            )
    return rows


def _curve_table(own: list[Outcome], measure: str, ranker: str, data: str) -> list[str]:
    curves = {
        method: {o.number: o for o in own if (o.method, o.ranker) == (method, ranker)}
        for method in _methods(own)
    }
    curves = {method: curve for method, curve in curves.items() if curve}
    if not curves:
        return []
    numbers = sorted({n for curve in curves.values() for n in curve}, key=lambda n: (n == ALL, n))
    rows = [
        [method, *(f"{curve[n].mean(measure):.4f}" if n in curve else "" for n in numbers)]
        for method, curve in curves.items()
    ]
    whole = _whole(own, ranker)
    if whole is not None:
        shown = [""] * (len(numbers) - 1) if numbers[-1] == ALL else [""] * len(numbers)
        rows.append([ALL_FEATURES, *shown, f"{whole.mean(measure):.4f}"][: len(numbers) + 1])
    head = ["*method", *("all" if n == ALL else str(n) for n in numbers)]
    return [
        f"{short(measure)} of {ranker} on {data}, by number of features:",
        "",
        *table(head, rows),
        *listed(list(_findings(curves, measure, [n for n in numbers if n != ALL]))),
    ]


def _findings(
    curves: dict[str, dict[int, Outcome]], measure: str, numbers: list[int]
) -> Iterator[str]:
    """Who is highest how often, and whether the first method is above the others on average."""
    shared = [n for n in numbers if all(n in curve for curve in curves.values())]
    if not shared:
        return
    wins = dict.fromkeys(curves, 0)
    for n in shared:
        wins[max(curves, key=lambda method: curves[method][n].mean(measure))] += 1
    means = {m: np.mean([curves[m][n].mean(measure) for n in shared]) for m in curves}
    told = ", ".join(f"{m} {wins[m]} ({means[m]:.4f})" for m in curves)
    yield f"Highest at so many of {len(shared)} numbers of features (mean over them): {told}."
    first, *others = curves
    tests = [f"{m} {_p(curves[first], curves[m], measure, shared):.2g}" for m in others]
    if tests:
        yield (
            f"p of {first} against each by a two-sided paired t-test over queries, of the mean "
            f"over these numbers: {', '.join(tests)}."
        )


def _p(
    one: dict[int, Outcome], other: dict[int, Outcome], measure: str, numbers: list[int]
) -> float:
    a, b = (np.mean([c[n].values[measure] for n in numbers], axis=0) for c in (one, other))
    return paired_t(a, b).p_value


def _features(results: Results, folder: Path) -> list[str]:
    """Figures 6 and 7: the MAP of single features, and how similar features are."""
    importance = {
        data: parts[key].mean(axis=0)
        for data, parts in results.importance.items()
        for key in parts
        if key.startswith("MeasureImportance")
    }
    similarity = {
        data: parts[key]
        for data, parts in results.similarity.items()
        for key in parts
        if key.startswith("KendallSimilarity")
    }
    lines = []
    if importance:
        write_svg(importance_chart(importance, "MAP"), folder / "results-gas-figure-6.svg")
        lines += ["![Figure 6: MAP of single features](results-gas-figure-6.svg)", ""]
        lines += [_spread(importance), ""]
    if similarity:
        title = "Kendall's similarity of features, mean over folds"
        with replacing(folder / "results-gas-figure-7.svg") as temporary:
            temporary.write_text(similarity_svg(similarity, title), encoding="utf-8")
        lines += ["![Figure 7: similarity of features](results-gas-figure-7.svg)", ""]
    return lines or ["The stores lack the parts that Figures 6 and 7 are made of.", ""]


def _spread(importance: dict[str, np.ndarray]) -> str:
    told = [
        f"on {data} from {values.min():.3f} to {values.max():.3f}, half of them between "
        f"{np.quantile(values, 0.25):.3f} and {np.quantile(values, 0.75):.3f}"
        for data, values in importance.items()
    ]
    return f"MAP of a single feature, grade 2 relevant, mean over folds: {'; '.join(told)}."

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
from benchmarks.results_curves import curve_table, mean_over, p_over, shared_numbers
from benchmarks.results_fsmrank import fsmrank_figures
from benchmarks.results_markdown import listed, short, wrapped
from benchmarks.results_notes import FIGURE_CLAIMS
from benchmarks.results_stores import ALL_FEATURES, Stored, description
from ranksieve.data.atomic import replacing
from ranksieve.experiment import ALL, Outcome, Results

# A row of Figure 3: GAS with an importance that reads the whole order, not the first ten.
TAU_GAS = "GAS, Kendall's tau"
STUDIES = {
    "gas-figures": "GAS, Figures 2 to 7",
    "rankfilter-figure-2": "RankWrapper, Figure 2",
    "rankfilter-figure-3": "RankFilter, Figure 3",
    "rankfilter-figure-6": "RankWrapper, Figure 6",
    "rankfilter-figure-7": "RankFilter, Figure 7",
}


def figure_experiments(stored: Stored, folder: Path) -> list[str]:
    """Write the charts into a folder, and return the lines of the page."""
    lines = fsmrank_figures(stored, folder)
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
        outcomes = [outcome for outcome in results.curves if outcome.data == facts.name]
        if all(outcome.method == ALL_FEATURES for outcome in outcomes):
            lines += [f"{facts.name}: no method is stored with every fold.", ""]
            continue
        suffix = f"-{_slug(facts.name)}" if len(results.data) > 1 else ""
        path = folder / f"results-{name}{suffix}.svg"
        rows, methods = _chart_rows(outcomes, results.measures), _methods(outcomes)
        write_svg(line_chart(rows, methods, facts.name), path)
        lines += [f"![{facts.name}: value by number of features]({path.name})", ""]
        for measure in results.measures:
            for ranker in dict.fromkeys(outcome.ranker for outcome in outcomes):
                lines += _curve_tables(outcomes, measure, ranker, facts.name)
    return lines


def _methods(outcomes: list[Outcome]) -> list[str]:
    return [m for m in dict.fromkeys(outcome.method for outcome in outcomes) if m != ALL_FEATURES]


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")


def _whole(outcomes: list[Outcome], ranker: str) -> Outcome | None:
    for outcome in outcomes:
        if outcome.method == ALL_FEATURES and outcome.ranker == ranker:
            return outcome
    return None


def _chart_rows(outcomes: list[Outcome], measures: tuple[str, ...]) -> list[dict[str, object]]:
    rows = []
    for measure in measures:
        for outcome in outcomes:
            if outcome.method == ALL_FEATURES:
                continue
            baseline = _whole(outcomes, outcome.ranker)
            rows.append(
                {
                    "panel": f"{short(measure)}, {outcome.ranker}",
                    "method": outcome.method,
                    "number": float(outcome.n_features.mean()),
                    "value": outcome.mean(measure),
                    "all": None if baseline is None else baseline.mean(measure),
                }
            )
    return rows


def _curve_tables(outcomes: list[Outcome], measure: str, ranker: str, data: str) -> list[str]:
    curves = {
        method: {o.number: o for o in outcomes if (o.method, o.ranker) == (method, ranker)}
        for method in _methods(outcomes)
    }
    curves = {method: curve for method, curve in curves.items() if curve}
    lines = curve_table(curves, _whole(outcomes, ranker), measure, f"{ranker} on {data}")
    return [*lines, *listed(list(_closed(curves, measure)))]


def _closed(curves: dict[str, dict[int, Outcome]], measure: str) -> Iterator[str]:
    """How much of what lies between the first method and GAS its importance accounts for."""
    if not {"GAS", TAU_GAS} <= set(curves):
        return
    first = next(iter(curves))
    numbers = sorted({n for curve in curves.values() for n in curve if n != ALL})
    shared = shared_numbers({m: curves[m] for m in (first, "GAS", TAU_GAS)}, numbers)
    means = {m: mean_over(curves[m], measure, shared) for m in (first, "GAS", TAU_GAS)}
    gap, left = means[first] - means["GAS"], means[first] - means[TAU_GAS]
    p = p_over(curves[first], curves[TAU_GAS], measure, shared, "greater")
    yield (
        f"{first} less GAS, on average over these numbers: {gap:+.4f} with the measure itself as "
        f"the importance of GAS, {left:+.4f} with Kendall's tau (one-sided p that {first} is above "
        f"that: {p:.2g}). The importance, a setting of GAS, accounts for {gap - left:+.4f}."
    )


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
    sentences = [
        f"on {data} from {values.min():.3f} to {values.max():.3f}, half of them between "
        f"{np.quantile(values, 0.25):.3f} and {np.quantile(values, 0.75):.3f}"
        for data, values in importance.items()
    ]
    return f"MAP of a single feature, grade 2 relevant, mean over folds: {'; '.join(sentences)}."

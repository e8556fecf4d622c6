"""Figures 1 to 4 of the FSMRank paper: curves over the number of features, and single features."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.published_tables import DATA, MAP, NDCG10
from benchmarks.results_charts import importance_chart, line_chart, write_svg
from benchmarks.results_curves import Curve, curve_table, p_over, shared_numbers
from benchmarks.results_cut import cut_curve
from benchmarks.results_markdown import listed, short, wrapped
from benchmarks.results_stores import ALL_FEATURES, Line, Stored, curve, description
from ranksieve.experiment import ALL, Outcome, Results

STUDY = "fsmrank-figures"
MEASURES = (NDCG10, MAP)
CUT, EACH = "FSMRank", "FSMRank, chosen for each number"
CLAIM = (
    "The paper on OHSUMED: with more than 5 features FSMRank is 1.3 to 5.2 % above FSMSVM and 1.1 "
    "to 4.6 % above GAS-E in NDCG@10, significantly; from 10 features on its values hardly change, "
    "while those of the others vary. On MQ2008 it names no figures."
)
# The claim is about at least the first number of features, and about more than the second.
STABLE, MORE_THAN = 10, 5
_PAPER = "FSMRank, paper's stop"


def fsmrank_figures(stored: Stored, folder: Path) -> list[str]:
    """Write the charts into a folder, and return the lines of the page."""
    lines = ["### FSMRank, Figures 1 to 4", ""]
    results = stored.studies.get(STUDY)
    if results is None:
        return [*lines, f"Not in the stores: `ranksieve compare --config {STUDY}` makes it.", ""]
    lines += [*wrapped(description(STUDY)), CLAIM, ""]
    for data in (facts.name for facts in results.data):
        curves = figure_curves(stored, data)
        if not curves:
            lines += [f"{data}: no method is stored with every fold.", ""]
            continue
        baseline = _all_features(results, data)
        path = folder / f"results-{STUDY}-{data}.svg"
        write_svg(line_chart(_chart_rows(curves, baseline), list(curves), data), path)
        lines += [f"![{data}: value by number of features]({path.name})", ""]
        for measure in MEASURES:
            lines += curve_table(curves, baseline, measure, f"each method on {data}")
            lines += listed(_claims(curves, measure))
    return [*lines, *_single_features(results, folder)]


def figure_curves(stored: Stored, data: str) -> dict[str, Curve]:
    """The lines of the figures, the paper's name of a method to its curve.

    FSMRank is one model per fold, cut to each number, where the store itself can be read.
    """
    results = stored.studies[STUDY]
    weights = Line(STUDY, "FSMRank", "weights")
    curves: dict[str, Curve] = {
        CUT: cut_curve(stored, STUDY, weights.method, data),
        "FSMSVM": curve(results, data, Line(STUDY, "FSMRank", "refit", "RankSVM")),
        "GAS-E": curve(results, data, Line(STUDY, "GAS-E", "", "RankSVM")),
        EACH: curve(results, data, weights),
        _PAPER: cut_curve(stored, STUDY, _PAPER, data),
    }
    return {label: each for label, each in curves.items() if each}


def _all_features(results: Results, data: str) -> Outcome | None:
    return next(
        (
            outcome
            for outcome in results.curves
            if (outcome.data, outcome.method) == (data, ALL_FEATURES)
        ),
        None,
    )


def _chart_rows(curves: dict[str, Curve], baseline: Outcome | None) -> list[dict[str, object]]:
    return [
        {
            "panel": short(measure),
            "method": label,
            "number": float(number if number != ALL else each.n_features.mean()),
            "value": each.mean(measure),
            "all": None if baseline is None else baseline.mean(measure),
        }
        for measure in MEASURES
        for label, points in curves.items()
        for number, each in points.items()
    ]


def _claims(curves: dict[str, Curve], measure: str) -> list[str]:
    """What the paper says of its curves, of ours."""
    if CUT not in curves:
        return []
    sentences = []
    for other in ("FSMSVM", "GAS-E"):
        pair = {name: curves[name] for name in (CUT, other) if name in curves}
        numbers = [n for n in pair[CUT] if n != ALL and n > MORE_THAN]
        shared = shared_numbers(pair, numbers)
        if len(pair) == 2 and shared:
            sentences.append(_against(pair, other, measure, shared))
    spans = [
        f"{label} {max(values) - min(values):.4f}"
        for label, points in curves.items()
        if (values := [o.mean(measure) for n, o in points.items() if n == ALL or n >= STABLE])
    ]
    return [
        *sentences,
        f"Highest less lowest from {STABLE} features on: {', '.join(spans)}.",
    ]


def _against(pair: dict[str, Curve], other: str, measure: str, numbers: list[int]) -> str:
    shares = [
        100 * (pair[CUT][n].mean(measure) / pair[other][n].mean(measure) - 1) for n in numbers
    ]
    p_values = [p_over(pair[CUT], pair[other], measure, [n], "greater") for n in numbers]
    significant = sum(p <= 0.05 for p in p_values)
    return (
        f"With more than {MORE_THAN} features {CUT} is {min(shares):+.1f} to {max(shares):+.1f} % "
        f"from {other}; above it with a one-sided p of at most 0.05 at {significant} of "
        f"{len(numbers)} numbers (p from {min(p_values):.2g} to {max(p_values):.2g})."
    )


def _single_features(results: Results, folder: Path) -> list[str]:
    """Figure 4: the NDCG@10 of single features."""
    values = {
        data: parts[key].mean(axis=0)
        for data, parts in results.importance.items()
        for key in parts
        if data in DATA and key.startswith("MeasureImportance") and "NDCG" in key
    }
    if not values:
        return ["The stores lack the part that Figure 4 is made of.", ""]
    write_svg(importance_chart(values, "NDCG@10"), folder / "results-fsmrank-figure-4.svg")
    spread = "; ".join(
        f"on {data} from {of.min():.3f} to {of.max():.3f}, half of them between "
        f"{np.quantile(of, 0.25):.3f} and {np.quantile(of, 0.75):.3f}"
        for data, of in values.items()
    )
    return [
        "![Figure 4: NDCG@10 of single features](results-fsmrank-figure-4.svg)",
        "",
        "The paper's Figure 4 has HP2004, NP2004 and MQ2008, and says that on MQ2008 many features "
        "are close to each other. NDCG@10 of a single feature in its better direction, ties "
        f"averaged, mean over the training parts: {spread}.",
        "",
    ]

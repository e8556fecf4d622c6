"""docs/sieve-peers.md from the stored cells: aims, then a table for each data set."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.results_markdown import listed, table
from benchmarks.sieve_peer_data import GENERATED, LETOR, PLANTED, planted
from benchmarks.sieve_peer_methods import BORUTA_ROUNDS, MOST_PAIRS, ROUNDS, SIEVE_SIZES, TOLERATED
from benchmarks.sieve_peers_figures import Comparison, Figures

MOST_TRAININGS = 10
LEAST_STABILITY = 0.6
NOT_MEASURED = "not measured"
PROTOCOL = """
**Final ranker**, the same for every set: LightGBM's lambdarank, at most 300 trees at rate 0.05,
31 leaves, stopped 50 trees after the best NDCG@10 on the validation part, one thread. With few
validation queries it stops after a handful of trees on some sets: a part of every change is this
noise, which p does not cover.

**Measure**: NDCG@10 with exponential gain and discount 1 / log2(1 + j). Queries without relevant
documents are left out; documents of equal score count as the mean over their orders.

**p**: Fisher's randomisation test, two-sided, paired over the test queries of all folds, 10,000
arrangements; not corrected for the number of rows.

**CPU s**: processor time of the selection over all threads and processes, the mean over folds.
What is imported and compiled once does not count. For gain: one training. The sieve's includes a
training of the ranker on the chosen set, and is that of the run which gave its order too.

**folds, seeds**: Nogueira's stability of the sets over five folds, and over three seeds on the
first fold; 1 is always the same set, 0 is chance. Methods without a seed have 1.

**Parts**: MQ2008 and OHSUMED as published. The MSLR sample (raw values) and LightGBM's example
keep a fifth of their training queries for validation. Generated: {n_relevant} features make the
grades, {n_redundant} are noisy copies of these and {n_irrelevant} are noise; 400, 100 and 500
queries of about 30 documents to train, validate and test.

**Who sees what**: the sieve, RFECV, BoostBoruta and FSMRank see the training part alone. Gain
stops its training on the validation part; CatBoost, l1 pairs and CEGB choose on it.

**gain**: the features whose splits gain most in the final ranker with all.

**RFECV**: scikit-learn's, around XGBRanker ({rounds} trees), two features per step, three folds of
queries (drawn by the seed), NDCG@10.

**CatBoost**: `CatBoostRanker.select_features` to 10 in 5 steps, {rounds} trees.

**BoostBoruta**: shap-hypetune 0.2.7 around LGBMRanker ({rounds} trees, gain), at most
{boruta_rounds} rounds. It sets its seeds itself. Its source adds hits by position among the
features that are left, so that they go to wrong features once one is rejected. It is not
among the locked packages: install shap-hypetune with pip, or the stored rows stay.

**l1 pairs**: LinearSVC with an l1 penalty on differences of documents of different grades
({most_pairs} at most, drawn by the seed), values scaled to [0, 1] within queries, C by NDCG@10 on
the validation part.

**CEGB**: LightGBM's `cegb_penalty_feature_coupled`, the strongest of a grid within {tolerated} % of
the best on the validation part; its set is what the model uses. With costs: penalties in proportion
to them.

**FSMRank**: `FSMRank()` on values scaled to [0, 1] within queries, its own number of features.

**sieve**: `Sieve` around the final ranker, margin 1 %. "First 5" and "first 10" are the beginning
of its order. With costs: the cheapest set, by the costs of the MSLR features (1 to 100).
"""


def page(content: dict[str, Any]) -> list[str]:
    """The lines of the page."""
    figures = Figures(content["cells"])
    versions = ", ".join(f"{name} {version}" for name, version in content["made with"].items())
    return [
        "# The sieve beside other ways to select features",
        "",
        "Written by `make bench-sieve` from [sieve-peers.json](sieve-peers.json), which holds "
        "every set, its CPU seconds and the measure of every test query. Only what is missing "
        "there is run; `python -m benchmarks.sieve_peers --only sieve` runs a method again, "
        f"`--data MQ2008` one data set, `--large` the large data. Made with {versions}.",
        "",
        *_aims(figures, content["large"]),
        *_over_all_data(figures),
        *_equal_numbers(figures),
        *(line for data in figures.data for line in _data_table(figures, data)),
        *_large(content["large"]),
        *_protocol(),
    ]


def _aims(figures: Figures, large: dict[str, Any] | None) -> list[str]:
    rows = [
        *_aim_of_size(figures),
        *_aim_of_gain(figures),
        _aim_of_stability(figures),
        _aim_of_seconds(figures),
        _aim_of_large(large),
    ]
    return ["## Aims", "", *table(["*aim", "*measured", "*met"], rows)]


def _aim_of_size(figures: Figures) -> list[list[str]]:
    rows = []
    for data in LETOR:
        aim = f"{data}: not significantly worse than all features, with at most half of them"
        if data not in figures.data or not figures.is_complete(data, "sieve"):
            rows.append([aim, NOT_MEASURED, ""])
            continue
        size = float(np.mean(figures.sizes(data, "sieve")))
        change = figures.comparison([data], "sieve")
        met = not change.is_worse and size <= figures.n_all(data) / 2
        measured = f"{size:.1f} of {figures.n_all(data)}, {_change(change)} ({_p(change)})"
        rows.append([aim, measured, _met(met)])
    return rows


def _aim_of_gain(figures: Figures) -> list[list[str]]:
    rows = []
    for k in SIEVE_SIZES:
        aim = f"significantly better than gain with {k} features, over all data"
        if not {f"sieve, first {k}", f"gain, first {k}"} <= set(figures.set_names()):
            rows.append([aim, NOT_MEASURED, ""])
            continue
        change = figures.comparison(figures.data, f"sieve, first {k}", f"gain, first {k}")
        rows.append([aim, f"{_change(change)} ({_p(change)})", _met(change.is_better)])
    sieve, gain = ([f"{name}, first {k}" for k in SIEVE_SIZES] for name in ("sieve", "gain"))
    if {*sieve, *gain} <= set(figures.set_names()):
        numbers = " and ".join(map(str, SIEVE_SIZES))
        aim = f"the same, the mean of {numbers} features for each query"
        change = figures.mean_comparison(figures.data, sieve, gain)
        rows.append([aim, f"{_change(change)} ({_p(change)})", _met(change.is_better)])
    return rows


def _aim_of_stability(figures: Figures) -> list[str]:
    aim = f"stability over seeds at least {LEAST_STABILITY:g} on every data set"
    values = {
        data: value
        for data in figures.data
        if (value := figures.seed_stability(data, "sieve")) is not None
    }
    if not values:
        return [aim, NOT_MEASURED, ""]
    measured = ", ".join(f"{data} {value:.2f}" for data, value in values.items())
    return [aim, measured, _met(min(values.values()) >= LEAST_STABILITY)]


def _aim_of_seconds(figures: Figures) -> list[str]:
    aim = "fewer CPU seconds than RFECV on every data set"
    both = [
        data
        for data in figures.data
        if figures.is_complete(data, "sieve") and figures.is_complete(data, "RFECV")
    ]
    if not both:
        return [aim, NOT_MEASURED, ""]
    pairs = {
        data: (figures.seconds(data, "sieve"), figures.seconds(data, "RFECV")) for data in both
    }
    measured = ", ".join(
        f"{data} {ours:.0f} : {theirs:.0f}" for data, (ours, theirs) in pairs.items()
    )
    return [aim, measured, _met(all(ours < theirs for ours, theirs in pairs.values()))]


def _aim_of_large(large: dict[str, Any] | None) -> list[str]:
    aim = f"on the large data at most {MOST_TRAININGS} trainings with all features"
    if large is None:
        return [aim, NOT_MEASURED, ""]
    ratio = large["sieve"] / large["training"]
    return [aim, f"{ratio:.1f} trainings", _met(ratio <= MOST_TRAININGS)]


def _over_all_data(figures: Figures) -> list[str]:
    """A row for each set that was made on every data set."""
    rows = []
    for name in figures.set_names():
        share = np.mean([np.mean(figures.sizes(d, name)) / figures.n_all(d) for d in figures.data])
        worse = [d for d in figures.data if figures.comparison([d], name).is_worse]
        change = figures.comparison(figures.data, name)
        seconds = sum(figures.seconds(data, name) for data in figures.data)
        rows.append(
            [
                name,
                f"{100 * share:.0f} %",
                *_change_cells(name, change),
                ", ".join(worse) or "none",
                f"{seconds:.1f}",
                _worst_stability(figures, name),
            ]
        )
    head = ["*set", "features", "change", "p", "*significantly worse on", "CPU s", "seeds, least"]
    return [
        "## Over all data",
        "",
        f"Change of NDCG@10 against all features over all test queries of {len(figures.data)} data "
        "sets; the mean share of the features; CPU seconds of selecting, the sum of one fold of "
        "each data set; the least stability over seeds.",
        "",
        *table(head, rows),
    ]


def _worst_stability(figures: Figures, name: str) -> str:
    values = [figures.seed_stability(data, name) for data in figures.data]
    numbers = [value for value in values if value is not None and not math.isnan(value)]
    return f"{min(numbers):.2f}" if numbers else "-"


def _equal_numbers(figures: Figures) -> list[str]:
    rows = []
    for k in SIEVE_SIZES:
        pair = f"sieve, first {k}", f"gain, first {k}"
        scopes = {
            data: [data]
            for data in figures.data
            if all(figures.is_complete(data, name) for name in pair)
        }
        if len(scopes) == len(figures.data) > 0:
            scopes["all data"] = figures.data
        for scope, data in scopes.items():
            change = figures.comparison(data, *pair)
            rows.append(
                [str(k), scope, f"{change.amount:+.4f}", _change(change), f"{change.p_value:.3f}"]
            )
    return [
        "## The sieve's order and LightGBM's gain at the same number of features",
        "",
        "NDCG@10 with the first features of the sieve's order, minus that with those of most gain.",
        "",
        *table(["features", "*data", "difference", "change", "p"], rows),
    ]


def _data_table(figures: Figures, data: str) -> list[str]:
    head = ["*set", "features", "change", "p", "CPU s", "folds", "seeds"]
    priced = figures.cost(data, "all") is not None
    if priced:
        head.append("cost")
    if data == GENERATED:
        head += ["planted", "copies", "irrelevant"]
    rows = []
    for name in figures.set_names(data):
        row = [
            name,
            _size(figures.sizes(data, name)),
            *_change_cells(name, figures.comparison([data], name)),
            f"{figures.seconds(data, name):.1f}",
            _stability(figures.fold_stability(data, name)),
            _seeds(figures, data, name),
        ]
        if priced:
            row.append(f"{figures.cost(data, name):,.0f}")
        if data == GENERATED:
            row += _planted_cells(figures.features(data, name))
        rows.append(row)
    n_queries = int(np.isfinite(figures.values(data, "all")).sum())
    n_folds = figures.n_folds(data)
    return [
        f"## {data}",
        "",
        f"{figures.n_all(data)} features, {n_queries} test queries that count"
        + (f" in {n_folds} folds" if n_folds > 1 else "")
        + f"; NDCG@10 with all features {figures.mean(data, 'all'):.4f}.",
        "",
        *table(head, rows),
    ]


def _planted_cells(features: list[int]) -> list[str]:
    truth = planted()
    return [
        str(len(np.intersect1d(features, kind)))
        for kind in (truth.relevant, truth.redundant, truth.irrelevant)
    ]


def _size(sizes: list[int]) -> str:
    if min(sizes) == max(sizes):
        return str(sizes[0])
    return f"{np.mean(sizes):.1f} ({min(sizes)} to {max(sizes)})"


def _change_cells(name: str, change: Comparison) -> list[str]:
    return ["", ""] if name == "all" else [_change(change), f"{change.p_value:.3f}"]


def _change(change: Comparison) -> str:
    return f"{100 * change.share:+.1f} %"


def _p(change: Comparison) -> str:
    return f"p = {change.p_value:.3f}"


def _met(met: bool) -> str:
    return "yes" if met else "**no**"


def _seeds(figures: Figures, data: str, name: str) -> str:
    text = _stability(figures.seed_stability(data, name))
    return f"{text} (no seed)" if figures.is_deterministic(name) else text


def _stability(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.2f}"


def _large(large: dict[str, Any] | None) -> list[str]:
    lines = ["## Large data", ""]
    if large is None:
        return [*lines, "Not measured yet: `python -m benchmarks.sieve_peers --large`.", ""]
    return [
        *lines,
        f"{large['documents']:,} generated documents of {large['queries']:,} queries with "
        f"{large['features']} features. One training of LightGBM with all of them (300 trees of 31 "
        f"leaves, one thread): {large['training']:.1f} CPU seconds. The sieve around that ranker: "
        f"{large['sieve']:.1f}, as much as {large['sieve'] / large['training']:.1f} trainings. It "
        f"chose {large['selected']} features (claim: {large['claim']}).{_remark(large)}",
        "",
    ]


def _remark(large: dict[str, Any]) -> str:
    return f" {large['remark']}" if "remark" in large else ""


def _protocol() -> list[str]:
    filled = PROTOCOL.format(
        **PLANTED,
        rounds=ROUNDS,
        boruta_rounds=BORUTA_ROUNDS,
        most_pairs=f"{MOST_PAIRS:,}",
        tolerated=f"{100 * TOLERATED:g}",
    )
    notes = [" ".join(note.split()) for note in filled.strip().split("\n\n")]
    return ["## How it was measured", "", *listed(notes)]

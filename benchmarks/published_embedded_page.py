"""The page that benchmarks.published_embedded writes, from what its runs found."""

from __future__ import annotations

import numpy as np
from scipy.stats import ttest_rel

import ranksieve
from benchmarks.published import GRID, MEASURES
from benchmarks.published_embedded import (
    DATA,
    LOOSE,
    PENALTIES,
    RADII,
    STEPS,
    TUNED,
    Candidates,
    Chosen,
    Results,
)

# MAP and NDCG@10 of Table I of the FSMRank paper (Lai et al., 2013), and how near to come.
TABLE_I = {
    ("FSMRank", "OHSUMED"): (0.4498, 0.4613),
    ("FSMRank", "MQ2008"): (0.4771, 0.2327),
    ("FSMSVM", "OHSUMED"): (0.4441, 0.4447),
    ("FSMSVM", "MQ2008"): (0.4744, 0.2251),
}
AIMS = {"FSMRank": 0.005, "FSMSVM": 0.008}
# Its Table III, where lambda1 = 0: MAP and NDCG@10.
TABLE_III = {"off": (0.4471, 0.4523), "on": (0.4471, 0.4591)}
# Sparsity ratios of Table IV of the sparse RankSVM paper (Laporte et al., 2014).
TABLE_IV = {
    "OHSUMED": {
        "FenchelRank": 0.23,
        "FSMRank": 0.41,
        "l1": 0.28,
        "mcp": 0.34,
        "log": 0.12,
        "lp": 0.22,
    },
    "MQ2008": {
        "FenchelRank": 0.30,
        "FSMRank": 0.42,
        "l1": 0.39,
        "mcp": 0.27,
        "log": 0.09,
        "lp": 0.07,
    },
}
HALF_AIMS = (("OHSUMED", "log"), ("MQ2008", "log"), ("MQ2008", "lp"))
SIGNIFICANT = 0.05
NONCONVEX = ("mcp", "log", "lp")


def page(found: Results, seconds: float) -> str:
    parts = (
        _head(seconds),
        _fsmrank(found),
        _information(found),
        _stops(found),
        _sparse(found),
        _half(found),
        _difference(found),
        _tuned(found),
    )
    return "\n".join([line for part in parts for line in part])


def chosen(found: Results, data: str, method: str) -> list[Chosen]:
    return [candidates.best() for candidates in found[data, method]]


def means(models: list[Chosen]) -> np.ndarray:
    """Mean over the folds of the mean over a fold's test queries, one a measure."""
    return np.mean([[values.mean() for values in model.tests] for model in models], axis=0)


def ratio(models: list[Chosen]) -> float:
    return float(np.mean([model.ratio for model in models]))


def numbers(models: list[Chosen]) -> str:
    return ", ".join(str(model.n_features) for model in models)


def p_of_loss(worse: list[Chosen], better: list[Chosen], place: int = 0) -> float:
    """One-sided paired t-test over all test queries: is `better` better?"""
    low, high = (np.concatenate([m.tests[place] for m in part]) for part in (worse, better))
    return (
        1.0 if np.array_equal(low, high) else float(ttest_rel(high, low, alternative="greater")[1])
    )


def table(head: str, rows: list[list[str]]) -> list[str]:
    """Columns whose name starts with * hold text; the others are numbers."""
    names = head.split(" | ")
    rule = ["---" if name.startswith("*") else "---:" for name in names]
    lines = [[name.removeprefix("*") for name in names], rule, *rows]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def figures(models: list[Chosen]) -> list[str]:
    return [f"{value:.4f}" for value in means(models)]


def _head(seconds: float) -> list[str]:
    return [
        "# FSMRank, FSMSVM and sparse RankSVM beside their published figures",
        "",
        "Written by `.venv/bin/python -m benchmarks.published_embedded` (part of `make reproduce`) "
        f"with ranksieve {ranksieve.__version__}; this run took {seconds / 60:.1f} minutes.",
        "",
        "Five folds; models trained on the train part; parameters chosen on the validation part "
        "by MAP, equal MAP going to fewer features and then to the stronger charge, and a model "
        "without features never chosen; the mean over the test parts, in LETOR's convention. "
        "Models are at their optimum (a proven relative gap of 1e-6; for penalties that are not "
        "convex, stationary) where nothing else is said. *p* is that of a paired one-sided t-test "
        "over the test queries of all folds. A *ratio* is the mean over the folds of the share of "
        "features with a weight, among those that are not 0 in all documents of the train part.",
        "",
        "The grids, the same for both data sets: lambda1 in 0 and 1e-4 to 1, lambda2 and the "
        "strengths of penalties from 10^-0.5 (10^-1 in decades) down to 1e-5, in the steps that a "
        f"table names; C from {GRID[0]:g} to {GRID[-1]:g} in half decades; radii from {RADII[0]:g} "
        f"to {RADII[-1]:g} in tenths of a decade. They were fixed before these figures were "
        "made; neither paper prints its own.",
        "",
    ]


def _fsmrank(found: Results) -> list[str]:
    rows = []
    for (method, data), published in TABLE_I.items():
        models = chosen(found, data, "FSMRank, half decades" if method == "FSMRank" else method)
        for place, mean in enumerate(means(models)):
            difference = mean - published[place]
            met = "met" if abs(difference) <= AIMS[method] else "missed"
            shown = [f"{published[place]:.4f}", f"{mean:.4f}", f"{difference:+.4f}"]
            rows.append([method, data, str(MEASURES[place]), *shown, f"{AIMS[method]} {met}"])
    steps = []
    for data in DATA:
        for name in STEPS:
            models = chosen(found, data, f"FSMRank, {name}")
            settings = "; ".join(model.setting for model in models)
            steps.append([data, name, *figures(models), f"{ratio(models):.2f}", settings])
    return [
        "## FSMRank and FSMSVM (Table I of the FSMRank paper)",
        "",
        "FSMRank in half decades. FSMSVM is RankSVM on the first t features of that FSMRank, t "
        "(from 1 to all with a weight) and C chosen together.",
        "",
        *table("*method | *data | *measure | published | ranksieve | difference | *aim", rows),
        "FSMRank with other steps, and what was chosen in each fold:",
        "",
        *table("*data | *steps | MAP | NDCG@10 | ratio | *lambda1, lambda2 by fold", steps),
    ]


def _information(found: Results) -> list[str]:
    pairs = {
        "importance": {"off": "l1, half decades", "on": "importance"},
        "similarity": {"off": "similarity off", "on": "similarity on"},
    }
    rows = []
    for data in DATA:
        for kind, methods in pairs.items():
            for state, method in methods.items():
                models = chosen(found, data, method)
                published = ["", ""]
                if kind == "importance" and data == "OHSUMED":
                    published = [f"{value:.4f}" for value in TABLE_III[state]]
                tests = ["", ""]
                if state == "on":
                    off = chosen(found, data, methods["off"])
                    tests = [f"{p_of_loss(off, models, place):.2f}" for place in (0, 1)]
                rows.append([data, f"{kind} {state}", *published, *figures(models), *tests])
    return [
        "## What importance and similarity add (Table III)",
        "",
        "*Importance*: lambda1 = 0, with s = 1 (which is l1) against s = |Pearson|. *Similarity*: "
        "lambda2 = 0, with A = I against A = |Pearson|. Half decades. p is that of a gain by "
        "switching on. The paper prints no figures for MQ2008, and for similarity only that it "
        "gives no significant gain.",
        "",
        *table(
            "*data | *information | published MAP | published NDCG@10 | MAP | NDCG@10 "
            "| p, MAP | p, NDCG@10",
            rows,
        ),
    ]


def _stops(found: Results) -> list[str]:
    rows = []
    for data in DATA:
        optimal = chosen(found, data, "FSMRank, half decades")
        early = chosen(found, data, "FSMRank, paper's stop")
        for name, models in (("optimum", optimal), ("paper's", early)):
            published = f"{TABLE_IV[data]['FSMRank']:.2f}" if name == "paper's" else ""
            shown = [f"{ratio(models):.2f}", numbers(models), *figures(models)]
            rows.append([data, name, published, *shown])
    return [
        "## Where FSMRank stops",
        "",
        'The optimum beside `stopping="paper"` (a relative change of 1e-4 or 400 iterations of '
        "its Algorithm 1, from 0), the same grid in half decades, both chosen on the validation "
        "part. The published ratio is that of FSMRank in Table IV of the sparse RankSVM paper, "
        "which ran the authors' code.",
        "",
        *table("*data | *stop | published ratio | ratio | *features by fold | MAP | NDCG@10", rows),
    ]


def _sparse(found: Results) -> list[str]:
    rows = [
        _sparse_row(found, data, method)
        for data in DATA
        for method in (*PENALTIES, "FenchelRank", *(f"{name}, half decades" for name in PENALTIES))
    ]
    return [
        "## Sparse RankSVM and FenchelRank (Table IV of the sparse RankSVM paper)",
        "",
        "Strengths in tenths of a decade; below them, in half decades. gamma = 2, epsilon = 0.1, "
        "p = 0.5. `units='sum'` is MCP with gamma lambda in the paper's units, where it "
        "is nearly l1. The last columns are p of a loss against l1 on the same grid.",
        "",
        *table(
            "*data | *method | published ratio | ratio | *features by fold | MAP | NDCG@10 "
            "| p, MAP | p, NDCG@10",
            rows,
        ),
    ]


def _sparse_row(found: Results, data: str, method: str) -> list[str]:
    name, _, steps = method.partition(", ")
    models = chosen(found, data, method)
    l1 = chosen(found, data, f"l1, {steps}" if steps else "l1")
    published = TABLE_IV[data].get(name)
    tests = [f"{p_of_loss(models, l1, place):.2f}" for place in (0, 1)]
    return [
        data,
        method,
        f"{published:.2f}" if published is not None and not steps else "",
        f"{ratio(models):.3f}",
        numbers(models),
        *figures(models),
        *(tests if name != "l1" else ["", ""]),
    ]


def _half(found: Results) -> list[str]:
    rows = []
    for data, penalty in HALF_AIMS:
        for steps in ("", ", half decades"):
            models, l1 = (chosen(found, data, name + steps) for name in (penalty, "l1"))
            share, p = ratio(models) / ratio(l1), p_of_loss(models, l1)
            met = "met" if share <= 0.5 and p >= SIGNIFICANT else "missed"
            published = TABLE_IV[data][penalty] / TABLE_IV[data]["l1"]
            name = steps.removeprefix(", ") or "tenths"
            rows.append([data, penalty, name, f"{published:.2f}", f"{share:.2f}", f"{p:.2f}", met])
    return [
        "The aim: half of l1's features or fewer, without a significant loss of MAP "
        f"(p of at least {SIGNIFICANT}).",
        "",
        *table(
            "*data | *penalty | *steps | published share of l1 | share of l1 | p, MAP | *aim", rows
        ),
    ]


def _difference(found: Results) -> list[str]:
    return [
        "## What differs on OHSUMED",
        "",
        *_loose(found),
        *_noise(found),
        *_matched(found),
    ]


def _loose(found: Results) -> list[str]:
    rows = []
    for data in DATA:
        ratios = {}
        for name in ("l1", "log"):
            for stop in ("half decades", "loose"):
                models = chosen(found, data, f"{name}, {stop}")
                ratios[name, stop] = ratio(models)
                published = f"{TABLE_IV[data][name]:.2f}"
                share = f"{ratios[name, stop] / ratios['l1', stop]:.2f}"
                shown = "optimum" if stop != "loose" else stop
                rows.append([data, name, shown, published, f"{ratio(models):.3f}", share])
                rows[-1] += [numbers(models), *figures(models)]
    return [
        "**How far models are solved.** FISTA from 0, ended where a step lowers the objective by "
        f"{LOOSE:g} of it or less (in log, in each round), beside the optimum, both in half "
        "decades. The paper does not say where its own solver ended.",
        "",
        *table(
            "*data | *penalty | *stop | published ratio | ratio | share of l1 "
            "| *features by fold | MAP | NDCG@10",
            rows,
        ),
    ]


def _noise(found: Results) -> list[str]:
    rows = []
    for data in DATA:
        for name in ("l1", *NONCONVEX):
            ranges = [_range(candidates) for candidates in found[data, name]]
            rows.append([data, name, numbers(chosen(found, data, name)), ", ".join(ranges)])
    queries = found["OHSUMED", "l1"][0].vali.shape[1]
    return [
        f"**How well validation tells numbers of features apart.** It has about {queries} queries "
        "a fold on OHSUMED. For each fold the number of features chosen, and the range "
        "of numbers of models on the path whose validation MAP is below the best by no more than "
        "one standard error of the differences, query by query.",
        "",
        *table("*data | *penalty | *chosen | *within one standard error", rows),
    ]


def _range(candidates: Candidates) -> str:
    sizes = candidates.as_good()
    return f"{sizes.min()} to {sizes.max()}"


def _matched(found: Results) -> list[str]:
    rows = []
    for data in DATA:
        l1 = chosen(found, data, "l1")
        for name in ("l1", *NONCONVEX):
            models = [
                candidates.best(at_most=whole.n_features / 2)
                for candidates, whole in zip(found[data, name], l1, strict=True)
            ]
            tests = [f"{p_of_loss(models, l1, place):.2f}" for place in (0, 1)]
            share = f"{ratio(models) / ratio(l1):.2f}"
            rows.append([data, name, share, numbers(models), *figures(models), *tests])
    return [
        "**At half the size.** In each fold the model that is best on the validation part among "
        "those with at most half of the features that l1 chose there (or the smallest one, where "
        "none is so small). p is that of a loss against the whole l1.",
        "",
        *table(
            "*data | *penalty | share of l1 | *features by fold | MAP | NDCG@10 "
            "| p, MAP | p, NDCG@10",
            rows,
        ),
    ]


def _tuned(found: Results) -> list[str]:
    rows = []
    for data in DATA:
        for name in TUNED:
            plain = chosen(found, data, f"{name}, half decades")
            for kind, models in (
                ("default", plain),
                ("tuned", chosen(found, data, f"{name}, tuned")),
            ):
                gain = f"{p_of_loss(plain, models):.2f}" if kind == "tuned" else ""
                settings = "; ".join(_inner(model.setting) for model in models)
                shown = [f"{ratio(models):.3f}", numbers(models), *figures(models), gain]
                rows.append([data, f"{name}, {kind}", *shown, settings if kind == "tuned" else ""])
    inner = "; ".join(", ".join(_inner(spelled) for spelled in TUNED[name]) for name in TUNED)
    return [
        "## Tuning gamma, epsilon and p",
        "",
        "The paper leaves them at common values and suggests that tuning may help. Here each is "
        f"chosen on the validation part together with the strength ({inner}), in half decades. "
        "p is that of a gain in MAP by tuning.",
        "",
        *table(
            "*data | *penalty | ratio | *features by fold | MAP | NDCG@10 | p | *chosen by fold",
            rows,
        ),
    ]


def _inner(setting: str) -> str:
    """What stands between the brackets of a penalty's call."""
    return setting.partition("(")[2].partition(")")[0]

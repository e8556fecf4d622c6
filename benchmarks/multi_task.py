"""One model for several tasks, against one for all and one for each: docs/multi-task.json.

Generated tasks with a planted truth, of four degrees of agreement, several sizes and seeds; queries
of MQ2008 and OHSUMED, in LETOR's five folds, that are clustered by length and by features; and CPU
seconds of the solvers. Every method tries 12 strengths, from the least with all weights 0 down to a
thousandth of it, and validation queries choose by MAP: one strength for all tasks, or, of models
for each task, one each.

    python -m benchmarks.multi_task            what is not stored yet (15 minutes on two cores)
    python -m benchmarks.multi_task speed      one of its parts again: speed, generated, letor
    python -m benchmarks.multi_task --page     only the tables and the chart of docs/multi-task.md
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.datasets import letor_train
from benchmarks.published import data_folder
from ranksieve import MAP, NDCG, MultiTaskSparseRankSVM, RankingData, SparseRankSVM, load
from ranksieve.data import letor_folds, scale
from ranksieve.data.atomic import replacing
from ranksieve.threads import threads

DOCS = Path(__file__).parents[1] / "docs"
STORE = DOCS / "multi-task.json"
TASKS, FEATURES, SHARED, DOCUMENTS = 6, 40, 5, 10
SIZES, SEEDS, TEST_QUERIES = (3, 6, 12, 25, 50), 20, 60
# What tasks agree in, from the most to the least.
TRUTHS = ("weights alike", "same features", "own features too", "nothing shared")
N_STRENGTHS, SMALLEST = 12, 1e-3
MEASURES = {"MAP": MAP(), "NDCG@10": NDCG(10)}
JOINT = {
    "multi-task": {},
    "multi-task, own weights": {"own": 0.7},
    "multi-task, MCP": {"penalty": "mcp"},
}
METHODS = (*JOINT, "one for all", "one for each")
# Pairs of few queries can be separated, and then weights under MCP have no bound: left out.
GENERATED_METHODS = tuple(method for method in METHODS if method != "multi-task, MCP")
RATIOS, CALLS = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001), 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true", help="only write the tables and the chart")
    parser.add_argument("parts", nargs="*", help="parts to run again")
    options = parser.parse_args()
    if not options.page:
        run(options.parts)
    from benchmarks.multi_task_page import write_page

    write_page(json.loads(STORE.read_text("utf-8")))


def run(again: Sequence[str]) -> None:
    """Run the parts that are not stored, and store each step when it is finished."""
    stored = json.loads(STORE.read_text("utf-8")) if STORE.exists() else {}
    results = {name: rows for name, rows in stored.items() if name not in again}
    with threads(1), threadpool_limits(1, user_api="blas"):
        for name, part in {"speed": speed, "letor": letor}.items():
            if name not in results:
                store(results := {**results, name: part()})
        for rows in generated(results.get("generated", [])):
            store(results := {**results, "generated": rows})


def store(results: dict[str, Any]) -> None:
    """Write a line per row."""
    parts = (
        f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, rows)) + "\n]"
        for name, rows in results.items()
    )
    with replacing(STORE) as temporary:
        temporary.write_text("{" + ",\n".join(parts) + "}\n", "utf-8")


# Models: scores of test queries, and which weights are not 0, (tasks, features).
Outcome = tuple[np.ndarray, np.ndarray]


def compared(
    methods: Sequence[str], train: RankingData, vali: RankingData, test: RankingData
) -> dict[str, Outcome]:
    """What each method makes of data with tasks."""
    outcomes = {}
    for method in methods:
        if method in JOINT:
            outcomes[method] = joint(train, vali, test, **JOINT[method])
        else:
            fit = pooled if method == "one for all" else separate
            outcomes[method] = fit(train, vali, test)
    return outcomes


def joint(train: RankingData, vali: RankingData, test: RankingData, **options: Any) -> Outcome:
    def fit(strength: float) -> MultiTaskSparseRankSVM:
        return MultiTaskSparseRankSVM(strength=strength, unknown_task="mean", **options).fit(train)

    largest = MultiTaskSparseRankSVM(**options).path(train, n_strengths=1).strengths[0]
    model = chosen(fit, largest, vali)
    return model.predict(test), model.task_coef_ != 0.0


def pooled(train: RankingData, vali: RankingData, test: RankingData) -> Outcome:
    model = chosen(single(train), SparseRankSVM().path(train, n_strengths=1).strengths[0], vali)
    return model.predict(test), np.tile(model.coef_ != 0.0, (len(np.unique(train.tasks)), 1))


def separate(train: RankingData, vali: RankingData, test: RankingData) -> Outcome:
    scores, used = np.zeros(test.n_documents), []
    for task in np.unique(train.tasks):
        part = train.queries(train.tasks == task).gathered()
        aside = vali.tasks == task
        largest = SparseRankSVM().path(part, n_strengths=1).strengths[0]
        # A cluster without validation queries is chosen for by all of them.
        model = chosen(single(part), largest, vali.queries(aside) if aside.any() else vali)
        used.append(model.coef_ != 0.0)
        here = test.tasks == task
        if here.any():
            rows = np.repeat(here, np.diff(test.query_ptr))
            scores[rows] = model.predict(test.queries(here))
    return scores, np.array(used)


def single(train: RankingData) -> Callable[[float], SparseRankSVM]:
    return lambda strength: SparseRankSVM(strength=strength).fit(train)


def chosen(fit: Callable[[float], Any], largest: float, vali: RankingData) -> Any:
    """The model with the best MAP on validation queries; the sparsest among equals."""
    strengths = np.geomspace(0.9 * largest, SMALLEST * largest, N_STRENGTHS)
    models = [fit(float(strength)) for strength in strengths]
    values = [MAP()(vali.y, model.predict(vali), qid=vali.qid) for model in models]
    return models[int(np.argmax(values))]


def per_query(test: RankingData, scores: np.ndarray) -> dict[str, list[float]]:
    return {
        name: measure.per_query(test.y, scores, qid=test.qid).tolist()
        for name, measure in MEASURES.items()
    }


def generated(stored: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows by truth, queries per task and seed, all so far, after each truth and size."""
    rows = list(stored)
    done = {(row["truth"], row["queries"], row["seed"]) for row in rows}
    # Processes of their own, one per core: a fit of a few queries is mostly Python.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for truth in TRUTHS:
            for n_queries in SIZES:
                wanted = [(truth, n_queries, seed) for seed in range(SEEDS)]
                missing = [setting for setting in wanted if setting not in done]
                if missing:
                    rows += pool.map(generated_row, missing)
                    print(f"{truth}, {n_queries} queries per task", flush=True)
                    yield rows


def generated_row(setting: tuple[str, int, int]) -> dict[str, Any]:
    """What each method makes of one draw: mean MAP, and how well it found the truth."""
    truth, n_queries, seed = setting
    with threads(1), threadpool_limits(1, user_api="blas"):
        parts, weights = planted(truth, n_queries, seed)
        outcomes = compared(GENERATED_METHODS, *parts)
    values = {
        method: {
            "MAP": float(np.nanmean(per_query(parts[2], scores)["MAP"])),
            "features F1": f1(used.any(axis=0), weights.any(axis=0)),
            "weights F1": f1(used, weights),
        }
        for method, (scores, used) in outcomes.items()
    }
    return {"truth": truth, "queries": n_queries, "seed": seed, "values": values}


def planted(
    truth: str, n_queries: int, seed: int
) -> tuple[tuple[RankingData, RankingData, RankingData], np.ndarray]:
    """Train, validation and test queries, and which weights of the truth are not 0.

    Five features per task have weights of sizes from 0.3 to 1.7, drawn for each task:

    - weights alike: the same features, each with the same sign in all tasks;
    - same features: the same ones, with signs drawn for each task;
    - own features too: as weights alike, and two more features for each task alone;
    - nothing shared: five features of its own for each task.
    """
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], size=(TASKS, SHARED))
    if truth in ("weights alike", "own features too"):
        signs[:] = signs[0]
    sizes = rng.uniform(0.3, 1.7, size=(TASKS, SHARED))
    weights = np.zeros((TASKS, FEATURES))
    for task in range(TASKS):
        first = SHARED * task if truth == "nothing shared" else 0
        weights[task, first : first + SHARED] = signs[task] * sizes[task]
        if truth == "own features too":
            weights[task, SHARED + 2 * task : SHARED + 2 * task + 2] = (1.5, -1.5)
    counts = (n_queries, n_queries, TEST_QUERIES)
    parts = tuple(drawn(rng, weights, TASKS * count) for count in counts)
    return parts, weights != 0.0  # type: ignore[return-value]


def drawn(rng: np.random.Generator, truth: np.ndarray, n_queries: int) -> RankingData:
    tasks = np.arange(n_queries) % TASKS
    qid = np.repeat(np.arange(n_queries), DOCUMENTS)
    X = rng.normal(size=(len(qid), FEATURES))
    scores = (X * truth[tasks[qid]]).sum(axis=1)
    scores += 1.5 * rng.normal(size=len(qid))
    y = (scores.reshape(-1, DOCUMENTS).argsort(axis=1).argsort(axis=1) >= 7).ravel().astype(float)
    return load((X, y, qid)).with_tasks(tasks)


def f1(used: np.ndarray, truth: np.ndarray) -> float:
    both = np.count_nonzero(used & truth)
    return float(2 * both / max(np.count_nonzero(used) + np.count_nonzero(truth), 1))


def letor() -> list[dict[str, Any]]:
    """Rows by data, kind of clusters and method: values per test query over the five folds."""
    folder = data_folder()
    rows = []
    for name in ("MQ2008", "OHSUMED"):
        if folder is None or not (folder / name).is_dir():
            print(f"  {name}: absent (set RANKSIEVE_DATA to the folder with it)")
            continue
        for kind in ("length", "features"):
            values: dict[str, dict[str, list[float]]] = {}
            counts: dict[str, list[int]] = {}
            sizes = []
            for fold in letor_folds(folder / name):
                parts = clustered(kind, fold.train, fold.vali, fold.test)
                sizes.append(np.bincount(parts[0].tasks).tolist())
                for method, (scores, used) in compared(METHODS, *parts).items():
                    for measure, each in per_query(parts[2], scores).items():
                        values.setdefault(method, {}).setdefault(measure, []).extend(each)
                    counts.setdefault(method, []).append(int(used.any(axis=0).sum()))
                print(f"{name}, by {kind}, {fold.name}", flush=True)
            rows += [
                {
                    "data": name,
                    "clusters": kind,
                    "method": method,
                    "queries per task": sizes,
                    "features": counts[method],
                    "values": values[method],
                }
                for method in METHODS
            ]
    return rows


def clustered(kind: str, *parts: RankingData) -> list[RankingData]:
    """The parts, scaled inside queries, with the clusters of the first one's queries as tasks."""
    scaled = [scale(part, "minmax") for part in parts]
    finder = MultiTaskSparseRankSVM(strength=1.0, tasks=kind).fit(scaled[0])
    return [part.with_tasks(finder.tasks_of(part)) for part in scaled]


def speed() -> list[dict[str, Any]]:
    """CPU seconds of fits to a gap of 1e-6: several tasks, the sum of single ones, and FISTA."""
    rows = []
    for name in ("MQ2008", "OHSUMED"):
        train = letor_train(name)
        if train is None:
            continue
        (data,) = clustered("length", train)
        parts = [data.queries(data.tasks == task).gathered() for task in np.unique(data.tasks)]
        for form, options in (("l2,1", {}), ("own weights", {"own": 0.7}), ("MCP", JOINT_MCP)):
            largest = MultiTaskSparseRankSVM(**options).path(data, n_strengths=1).strengths[0]
            for ratio in RATIOS:
                rows.append(speed_row(name, form, options, ratio * float(largest), data, parts))
                rows[-1]["ratio of strength"] = ratio
                print(rows[-1], flush=True)
    return rows


JOINT_MCP = {"penalty": "mcp"}


def speed_row(
    name: str,
    form: str,
    options: dict[str, Any],
    strength: float,
    data: RankingData,
    parts: Sequence[RankingData],
) -> dict[str, Any]:
    model = MultiTaskSparseRankSVM(strength=strength, **options)
    alone = {key: value for key, value in options.items() if key != "own"}
    # Equal tasks have at this strength the weights that they have together.
    single = SparseRankSVM(strength=strength / np.sqrt(len(parts)), **alone)
    fista = MultiTaskSparseRankSVM(strength=strength, solver="fista", max_iter=20_000, **options)
    (together, apart), (fitted, fits) = cpu(
        [
            lambda: model.fit(data),
            lambda: [SparseRankSVM(**single.get_params()).fit(part) for part in parts],
        ],
        CALLS,
    )
    row = {
        "data": name,
        "form": form,
        "tasks": len(parts),
        "together": together,
        "apart": apart,
        "gap": fitted.gap_,
        "worst gap apart": max(fit.gap_ for fit in fits),
        "features": fitted.n_features_,
    }
    if form == "l2,1":
        (row["FISTA"],), (slow,) = cpu([lambda: fista.fit(data)], 1)
        row["FISTA gap"], row["FISTA iterations"] = slow.gap_, slow.n_iter_
        row["iterations"] = fitted.n_iter_
    return row


def cpu(calls: Sequence[Callable[[], Any]], times: int) -> tuple[list[float], list[Any]]:
    """The least CPU seconds of each call, and its result; calls take turns.

    The first turn is not counted, where there are more.
    """
    least, results = [np.inf] * len(calls), [call() for call in calls if times > 1]
    for _ in range(times):
        results = []
        for index, call in enumerate(calls):
            started = time.process_time()
            results.append(call())
            least[index] = min(least[index], time.process_time() - started)
    return least, results


if __name__ == "__main__":
    main()

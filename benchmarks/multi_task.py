"""One model for several tasks, against one for all and one for each: docs/multi-task.json.

Generated tasks with a planted truth, of several sizes and seeds; queries of MQ2008 and OHSUMED, in
LETOR's five folds, that are clustered by length and by features; and CPU seconds of the solvers.
Every method tries 12 strengths, from the least with all weights 0 down to a thousandth of it, and
validation queries choose by MAP: one strength for all tasks, or, of models for each task, one each.

    python -m benchmarks.multi_task            what is not stored yet (15 minutes on one core)
    python -m benchmarks.multi_task speed      one of its parts again: speed, generated, letor
    python -m benchmarks.multi_task --page     only the tables and the chart of docs/multi-task.md
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
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
SIZES, SEEDS, TEST_QUERIES = (3, 6, 12, 25, 50), 4, 60
N_STRENGTHS, SMALLEST = 12, 1e-3
MEASURES = {"MAP": MAP(), "NDCG@10": NDCG(10)}
JOINT = {
    "multi-task": {},
    "multi-task, own weights": {"own": 0.7},
    "multi-task, MCP": {"penalty": "mcp"},
}
METHODS = (*JOINT, "one for all", "one for each")
RATIOS, CALLS = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001), 5


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
    """Run the parts that are not stored, and store each when it is finished."""
    results = json.loads(STORE.read_text("utf-8")) if STORE.exists() else {}
    for name, part in {"speed": speed, "generated": generated, "letor": letor}.items():
        if name in again or name not in results:
            with threads(1), threadpool_limits(1, user_api="blas"):
                store(results := {**results, name: part()})


def store(results: dict[str, Any]) -> None:
    with replacing(STORE) as temporary:
        temporary.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


# Models: scores of test queries, and which weights are not 0, (tasks, features).
Outcome = tuple[np.ndarray, np.ndarray]


def compared(train: RankingData, vali: RankingData, test: RankingData) -> dict[str, Outcome]:
    """What each method makes of data with tasks."""
    outcomes = {name: joint(train, vali, test, **options) for name, options in JOINT.items()}
    outcomes["one for all"] = pooled(train, vali, test)
    outcomes["one for each"] = separate(train, vali, test)
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


def generated() -> list[dict[str, Any]]:
    """Rows by planted truth, queries of a task, seed and method."""
    rows = []
    for own in (False, True):
        for n_queries in SIZES:
            for seed in range(SEEDS):
                parts, truth = planted(own, n_queries, seed)
                for method, (scores, used) in compared(*parts).items():
                    values = per_query(parts[2], scores)
                    rows.append(
                        {
                            "own": own,
                            "queries": n_queries,
                            "seed": seed,
                            "method": method,
                            "features F1": f1(used.any(axis=0), truth.any(axis=0)),
                            "weights F1": f1(used, truth),
                            **{name: float(np.nanmean(each)) for name, each in values.items()},
                        }
                    )
            print(f"generated, own features {own}, {n_queries} queries per task", flush=True)
    return rows


def planted(
    own: bool, n_queries: int, seed: int
) -> tuple[tuple[RankingData, RankingData, RankingData], np.ndarray]:
    """Train, validation and test queries, and which weights of the truth are not 0.

    Shared features have a weight in all tasks, of one sign and of sizes that vary; with `own`
    each task has two features of its own as well.
    """
    rng = np.random.default_rng(seed)
    truth = np.zeros((TASKS, FEATURES))
    signs = rng.choice([-1.0, 1.0], SHARED)
    truth[:, :SHARED] = signs * rng.uniform(0.3, 1.7, size=(TASKS, SHARED))
    if own:
        for task in range(TASKS):
            truth[task, SHARED + 2 * task : SHARED + 2 * task + 2] = (1.5, -1.5)
    counts = (n_queries, n_queries, TEST_QUERIES)
    parts = tuple(drawn(rng, truth, TASKS * count) for count in counts)
    return parts, truth != 0.0  # type: ignore[return-value]


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
                for method, (scores, used) in compared(*parts).items():
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
    together, fitted = cpu(lambda: model.fit(data), CALLS)
    apart, fits = cpu(lambda: [SparseRankSVM(**single.get_params()).fit(p) for p in parts], CALLS)
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
        row["FISTA"], slow = cpu(lambda: fista.fit(data), 1)
        row["FISTA gap"], row["FISTA iterations"] = slow.gap_, slow.n_iter_
        row["iterations"] = fitted.n_iter_
    return row


def cpu(call: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The least CPU seconds of some calls, after one that is not counted, and the result."""
    result = call()
    least = np.inf
    for _ in range(times):
        started = time.process_time()
        result = call()
        least = min(least, time.process_time() - started)
    return float(least), result


if __name__ == "__main__":
    main()

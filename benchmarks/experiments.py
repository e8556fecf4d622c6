"""What the store costs beside the bare loop, and what a run that was killed costs to resume."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import timed
from ranksieve import GAS, RankSVM, TopK, make_ranking
from ranksieve.data import k_folds, write_text
from ranksieve.experiment import Store, Study, compare, make_plan
from ranksieve.experiment.comparison import record_study, run_plan
from ranksieve.measures import parse_measure
from ranksieve.threads import threads

STRENGTHS = (1e-4, 1e-3, 1e-2, 0.1, 1.0)
NUMBERS = (1, 2, 4, 8, 16, 24, 32)
MEASURES = ("ndcg@10", "map")
SELECTORS = ("GAS(balance=[0, 0.1, 1])", "TopK('ndcg@10')")
RANKERS = (f"RankSVM(C={list(STRENGTHS)})",)


def folds(root: Path) -> Path:
    """Three folds of 200 queries with 50 documents, 40 features."""
    data, _ = make_ranking(200, 50, n_relevant=8, n_redundant=12, n_irrelevant=20, random_state=0)
    for number, (remaining, test) in enumerate(k_folds(data, 3), start=1):
        train, vali = k_folds(remaining, 4)[0]
        folder = root / "data" / f"Fold{number}"
        folder.mkdir(parents=True)
        for part, queries in {"train": train, "vali": vali, "test": test}.items():
            write_text(queries, folder / f"{part}.txt")
    return root / "data"


def study(data: Path) -> Study:
    return Study([str(data)], SELECTORS, RANKERS, numbers=NUMBERS, measures=MEASURES)


def bare(data: Path) -> int:
    """The same models without store, claims and processes: what a script would do."""
    from ranksieve.data import letor_folds

    measures = [parse_measure(text) for text in MEASURES]
    seen = set()
    with threads(1):
        for fold in letor_folds(data):
            selectors = [GAS(balance=balance) for balance in (0.0, 0.1, 1.0)] + [TopK("ndcg@10")]
            sets = [range(fold.train.n_features)]
            for selector in selectors:
                order = selector.set_params(n_features_to_select=1).fit(fold.train).order_
                sets += [order[:number] for number in NUMBERS]
            for features in {
                tuple(sorted(int(f) for f in features_of_set)) for features_of_set in sets
            }:
                parts = [
                    part.features(list(features)).gathered()
                    for part in (fold.train, fold.vali, fold.test)
                ]
                for C in STRENGTHS:
                    model = RankSVM(C).fit(parts[0])
                    for part in parts[1:]:
                        scores = model.predict(part)
                        for measure in measures:
                            measure.values(part.y, scores, part.query_ptr)
                    seen.add((fold.name, features, C))
    return len(seen)


def killed(data: Path, store: Path, after: int) -> None:
    """Start the study with two workers, and kill all of it once some models are there."""
    code = (
        "import sys; from pathlib import Path; from benchmarks.experiments import study; "
        "from ranksieve.experiment import compare; "
        f"compare(study(Path({str(data)!r})), {str(store)!r}, workers=2)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    while process.poll() is None and models(store) < after:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def models(store: Path) -> int:
    """How many models a store has."""
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM model").fetchone()[0])
    except sqlite3.Error:
        return 0


def in_store(data: Path, path: Path) -> None:
    plan = make_plan(study(data))
    with Store(path) as store:
        record_study(plan, store, "")
        run_plan(plan, store, workers=1)


def main() -> None:
    root = Path(tempfile.mkdtemp())
    data = folds(root)
    in_store(data, root / "warm.db")
    without, n_models = timed(lambda: bare(data))
    within, _ = timed(lambda: in_store(data, root / "one.db"))
    print("Experiments: 3 folds, 40 features, 4 selectors x 7 numbers x RankSVM with 5 values of C")
    print(f"  a bare loop, one process      {without:8.2f} s   {n_models} models")
    print(
        f"  into a store, one process     {within:8.2f} s   {within / without:.2f} times the loop"
    )
    seconds, _ = timed(lambda: compare(study(data), root / "whole.db", workers=2))
    killed(data, root / "killed.db", n_models // 2)
    before = models(root / "killed.db")
    resumed, _ = timed(lambda: compare(study(data), root / "killed.db", workers=2))
    print(f"  two workers, undisturbed      {seconds:8.2f} s   {models(root / 'whole.db')} models")
    print(
        f"  killed (SIGKILL) at {before} models, then resumed: {resumed:.2f} s for the other "
        f"{models(root / 'killed.db') - before}"
    )


if __name__ == "__main__":
    main()

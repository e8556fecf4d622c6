"""Variants of the sieve's search on development data: docs/sieve-search.md and its figures.

    python -m benchmarks.sieve_search                    # what is not stored yet, then the page
    python -m benchmarks.sieve_search --only halving     # these variants alone
    python -m benchmarks.sieve_search --data MQ2008      # on this data alone
    python -m benchmarks.sieve_search --folds 2          # the first two folds of LETOR data
    python -m benchmarks.sieve_search --page             # only the page

A run is one variant on one fold with one seed. It is stored in docs/sieve-search.json as soon as
it is finished, with its sets, its CPU seconds and trainings, and how the measure of every judging
query changes with each set; the page is made from there. Variants on the same fold and seed share
trainings, and each is billed for all that it uses.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ranksieve
from benchmarks.sieve_search_data import NAMES, Development, development, linear, n_folds
from benchmarks.sieve_search_variants import MEASURE, VARIANTS, Bench, Outcome, searched
from ranksieve import LightGBMRanker, RankingData
from ranksieve.data.atomic import replacing
from ranksieve.data.canonical import in_own_order
from ranksieve.threads import threads

DOCS = Path(__file__).parents[1] / "docs"
STORE, PAGE = DOCS / "sieve-search.json", DOCS / "sieve-search.md"
SEEDS = (0, 1)
SIZES = (3, 5, 10)
CHOICE = "choice"
# The ranker that judges sets. Its rounds are fixed: stopping on few queries is mostly noise.
JUDGING = {"n_estimators": 100, "learning_rate": 0.05, "num_leaves": 31, "n_jobs": 1}
# The measure is the mean over this many stages of the rounds, the last ones.
N_STAGES = 2
# In the store, changes are whole numbers of this unit.
UNIT = 1e-5

Run = dict[str, Any]
Key = tuple[str, int, int, str]


def main() -> None:
    from benchmarks.sieve_search_page import page

    options = _arguments()
    if not options.page:
        with threads(1):
            fill(STORE, due_runs(STORE, options.data, options.only, options.folds))
    with replacing(PAGE) as temporary:
        temporary.write_text("\n".join(page(read(STORE))), encoding="utf-8")
    print(PAGE.relative_to(DOCS.parent))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=VARIANTS, help="these variants alone")
    parser.add_argument("--data", nargs="+", choices=NAMES, help="on these data sets alone")
    parser.add_argument("--folds", type=int, help="the first folds of LETOR data alone")
    parser.add_argument("--page", action="store_true", help="only write the page")
    return parser.parse_args()


def planned(names: Sequence[str] | None = None, most_folds: int | None = None) -> Iterator[Key]:
    """All runs: the first fold of all data with every seed, then the next fold."""
    for fold in range(1, 1 + (most_folds or max(map(n_folds, NAMES)))):
        for seed in SEEDS:
            for name in names or NAMES:
                if fold <= n_folds(name):
                    yield from ((name, fold, seed, variant) for variant in VARIANTS)


def due_runs(
    path: Path,
    names: Sequence[str] | None = None,
    variants: Sequence[str] | None = None,
    most_folds: int | None = None,
) -> list[Key]:
    """The planned runs that are not stored."""
    stored = {key_of(run) for run in read(path)["runs"]}
    return [
        key
        for key in planned(names, most_folds)
        if key not in stored and key[3] in (variants or VARIANTS)
    ]


def fill(path: Path, due: Sequence[Key]) -> None:
    """Do runs, and store each when it is finished."""
    if due:
        warm()
    content = read(path)
    started = time.perf_counter()
    trials: dict[tuple[str, int], Trial | None] = {}
    bench_key, bench = None, None
    for number, (name, fold, seed, variant) in enumerate(due, start=1):
        if (name, fold) not in trials:
            parts = development(name, fold)
            trials[name, fold] = None if parts is None else Trial(parts)
        trial = trials[name, fold]
        if trial is None:
            print(f"{name}: absent (set RANKSIEVE_DATA to the folder with it)")
            continue
        if bench is None or bench_key != (name, fold, seed):
            bench_key, bench = (name, fold, seed), trial.bench(seed)
        run = trial.run(bench, variant)
        put(content, run)
        write(content, path)
        left = (time.perf_counter() - started) / number * (len(due) - number)
        print(f"{number}/{len(due)}  {_line(run)}  {left / 60:.0f} min left", flush=True)


def _line(run: Run) -> str:
    sizes = f"{len(run['sets'][CHOICE])} of {run['n_features']} features"
    return f"{run['data']} {run['fold']} seed {run['seed']}  {run['variant']}: {sizes}"


def warm() -> None:
    """Compile what a search needs, so that its first training is as the others."""
    trial = Trial(linear({"search": 30, "judge": 5}, n_relevant=4, n_redundant=2, n_irrelevant=6))
    bench = trial.bench(0)
    for variant in VARIANTS:
        searched(VARIANTS[variant], bench)


class Trial:
    """Runs on one fold, and the sets that were judged there."""

    def __init__(self, parts: Development) -> None:
        self._parts = parts
        self._data, self._columns = in_own_order(parts.search)
        self._judge = parts.judge.features(self._columns).gathered()
        self._values: dict[bytes, NDArray[np.float64]] = {}

    @property
    def n_features(self) -> int:
        return int(self._data.n_features)

    def bench(self, seed: int) -> Bench:
        return Bench(self._data, seed)

    def run(self, bench: Bench, variant: str) -> Run:
        """Search, and judge the sets."""
        outcome = searched(VARIANTS[variant], bench)
        sets = chosen_sets(outcome)
        reference = self._judged(np.ones(self.n_features, dtype=bool))
        changes = {name: self._judged(each) - reference for name, each in sets.items()}
        return {
            "data": self._parts.data,
            "fold": self._parts.fold,
            "seed": bench.random_state,
            "variant": variant,
            "seconds": round(outcome.bill.seconds, 3),
            "trainings": outcome.bill.n_trainings,
            "n_features": self.n_features,
            "sets": {name: sorted(self._columns[each].tolist()) for name, each in sets.items()},
            "changes": {
                name: np.rint(each / UNIT).astype(int).tolist() for name, each in changes.items()
            },
        }

    def _judged(self, selected: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The measure of each judging query that counts."""
        key = selected.tobytes()
        if key not in self._values:
            columns = np.flatnonzero(selected)
            training = self._data.features(columns).gathered()
            self._values[key] = measured(training, self._judge.features(columns).gathered())
        return self._values[key]


def chosen_sets(outcome: Outcome) -> dict[str, NDArray[np.bool_]]:
    """The sets of some numbers, and the choice."""
    sets = {str(size): outcome.features(size) for size in SIZES}
    return {**sets, CHOICE: outcome.rungs[outcome.choice].selected}


def measured(training: RankingData, judge: RankingData) -> NDArray[np.float64]:
    """The measure of each query that has relevant documents, by a ranker trained on some data."""
    model = LightGBMRanker(**JUDGING, validation_share=None).fit(training)
    stages = list(model.staged_predict(judge))[-N_STAGES:]
    values = [MEASURE.values(judge.y, scores, judge.query_ptr) for scores in stages]
    mean: NDArray[np.float64] = np.mean(values, axis=0)
    return mean[np.isfinite(mean)]


def key_of(run: Run) -> Key:
    return run["data"], run["fold"], run["seed"], run["variant"]


def put(content: dict[str, Any], run: Run) -> None:
    """Store a run in the position of an earlier one."""
    content["made with"] = made_with()
    runs = [each for each in content["runs"] if key_of(each) != key_of(run)]
    content["runs"] = sorted([*runs, run], key=_position)


def _position(run: Run) -> tuple[int, int, int, int]:
    data, fold, seed, variant = key_of(run)
    return NAMES.index(data), fold, seed, list(VARIANTS).index(variant)


def read(path: Path) -> dict[str, Any]:
    if path.exists():
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return content
    return {"made with": made_with(), "runs": []}


def write(content: dict[str, Any], path: Path) -> None:
    """Write the runs, a line each."""
    lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in content["runs"])
    head = json.dumps({"made with": content["made with"]})
    with replacing(path) as temporary:
        temporary.write_text(f'{head[:-1]}, "runs": [\n{lines}\n]}}\n', encoding="utf-8")


def made_with() -> dict[str, str]:
    return {
        "ranksieve": ranksieve.__version__,
        "lightgbm": version("lightgbm"),
        "Python": platform.python_version(),
    }


if __name__ == "__main__":
    main()

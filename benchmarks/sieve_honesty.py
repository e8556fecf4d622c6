"""Does the sieve keep its promises? docs/sieve-honesty.md and its figure, on generated data.

    python -m benchmarks.sieve_honesty                    # what is not stored yet, then the page
    python -m benchmarks.sieve_honesty --only rare        # these cases alone
    python -m benchmarks.sieve_honesty --queries 80 200   # these numbers of training queries alone
    python -m benchmarks.sieve_honesty --seeds 20         # the first 20 seeds of each
    python -m benchmarks.sieve_honesty --jobs 2           # in two processes
    python -m benchmarks.sieve_honesty --again            # whatever is stored
    python -m benchmarks.sieve_honesty --page             # the page alone

A run draws a truth and queries, sieves, bets on every set of the ladder with fresh queries, and
then looks at what is true: the same frozen models on many further queries. It is appended to
docs/sieve-honesty.jsonl as soon as it is finished. Nothing is noted in the list of opened queries.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

import ranksieve
from benchmarks.sieve_honesty_data import CASES, Case, World
from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.data.atomic import replacing
from ranksieve.data.canonical import in_own_order
from ranksieve.measures import counting_queries, parse_measure
from ranksieve.rankers import Ranker
from ranksieve.sieve.answer import choice_of, supported_sets
from ranksieve.sieve.certify import Frozen, certify, measured, test_order
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.final import Final
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.search.search import Question, Search, search
from ranksieve.sieve.selector import usual_repeats
from ranksieve.threads import threads

DOCS = Path(__file__).parents[1] / "docs"
STORE = DOCS / "sieve-honesty.jsonl"
QUERIES = (80, 200, 800)
N_SEEDS = 200
# Also where fewer train: for a margin of 1 % no bet is won by fewer than about 350 queries, even if
# nothing is lost, since a query that loses everything must leave a tenth of the wealth.
N_CERTIFYING = 800
LEVEL = 0.05
N_FOLDS = 5
MEASURE = "ndcg@10"
# Fresh queries that tell what is true come in batches, until each set's distance to the margin is
# this many standard errors, or no batch is left.
BATCH, MOST_BATCHES, CLEAR = 2_500, 8, 3.0
# In the store, differences are whole numbers of this unit.
UNIT = 1e-5

Run = dict[str, Any]
Key = tuple[str, int, int]


@dataclass(frozen=True)
class Setting:
    """What a run is asked for; equal ones give equal runs, but for their seconds."""

    case: Case
    n_queries: int
    seed: int
    most_batches: int = MOST_BATCHES

    def world_and_generator(self) -> tuple[World, np.random.Generator]:
        rng = np.random.default_rng([list(CASES).index(self.case.name), self.n_queries, self.seed])
        return self.case.plant(rng), rng


def main() -> None:
    from benchmarks.sieve_honesty_page import write_page

    options = _arguments()
    runs = read(STORE)
    if not options.page:
        stored = set() if options.again else {key_of(run) for run in runs}
        due = [
            setting
            for setting in planned(options.only or list(CASES), options.queries, options.seeds)
            if (setting.case.name, setting.n_queries, setting.seed) not in stored
        ]
        fill(due, STORE, options.jobs)
        runs = read(STORE)
        write(runs, STORE)
    for path in write_page(runs, DOCS):
        print(path.relative_to(DOCS.parent))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=CASES, help="these cases alone")
    parser.add_argument(
        "--queries", nargs="+", type=int, default=QUERIES, help="numbers of training queries"
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="how many runs of each")
    parser.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--again", action="store_true", help="run also what is stored")
    parser.add_argument("--page", action="store_true", help="only write the page")
    return parser.parse_args()


def planned(cases: Sequence[str], sizes: Sequence[int], n_seeds: int) -> Iterator[Setting]:
    """Every case and size with the first seeds, then with the next ones: all fill up alike."""
    for seed in range(n_seeds):
        for name in cases:
            for n_queries in sizes:
                yield Setting(CASES[name], n_queries, seed)


def fill(settings: Sequence[Setting], path: Path, jobs: int = 1) -> None:
    """Do runs, and append each to the store when it is finished."""
    mend(path)
    started = time.perf_counter()
    with path.open("a", encoding="utf-8") as file:
        for done, run in enumerate(_finished(settings, jobs), start=1):
            file.write(line_of(run))
            file.flush()
            left = (time.perf_counter() - started) / done * (len(settings) - done)
            print(
                f"{done}/{len(settings)}  {run['case']} {run['queries']} seed {run['seed']}  "
                f"{run['seconds']:.2f} CPU s  {left / 60:.0f} min left",
                flush=True,
            )


def _finished(settings: Sequence[Setting], jobs: int) -> Iterator[Run]:
    if jobs == 1:
        yield from map(timed_run, settings)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: set[Future[Run]] = set()
        for setting in settings:
            waiting.add(pool.submit(timed_run, setting))
            if len(waiting) > jobs:
                ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        yield from (future.result() for future in waiting)


def timed_run(setting: Setting) -> Run:
    """A run on one thread, with its CPU seconds."""
    started = time.process_time()
    with threads(1):
        result = run(setting)
    return {**result, "seconds": round(time.process_time() - started, 3)}


def run(setting: Setting) -> Run:
    """Sieve, certify, and look at what is true.

    The keys of a run, with a value for each set of the ladder, from all features down:

        sizes           numbers of features
        choice          position of the chosen set
        supported       position of the smallest set that is supported
        certified       positions that the sieve certifies
        level, half     whether the bet on a set is won at the level, and at half of it: 0 or 1
        excess, error   the true mean difference to what the margin allows, and its standard error
        all             the true measure with all features
        fresh           queries that told what is true, at most
    """
    world, rng = setting.world_and_generator()
    training = world.draw(setting.n_queries, rng)
    certifying = world.draw(N_CERTIFYING, rng)
    sieved = sieve(setting, training)
    opened = sieved.opened(certifying)
    truth = true_excess(sieved, world, rng, setting.most_batches)
    return {
        "case": setting.case.name,
        "queries": setting.n_queries,
        "seed": setting.seed,
        "sizes": [rung.n_features for rung in sieved.search.rungs],
        "choice": sieved.choice,
        "supported": max(supported_sets(sieved.search, sieved.choice)),
        "certified": opened.certified(certifying),
        "level": opened.bets(certifying, LEVEL),
        "half": opened.bets(certifying, LEVEL / 2),
        "excess": [round(mean / UNIT) for mean in truth.means],
        "error": [math.ceil(error / UNIT) for error in truth.errors],
        "all": round(truth.reference, 5),
        "fresh": truth.n_queries,
    }


@dataclass(frozen=True, eq=False)
class Sieved:
    """A search with its choice, and a frozen model for each set of its ladder."""

    search: Search
    choice: int
    models: list[Any]

    def opened(self, queries: RankingData) -> Sieved:
        """The same with models that have scored the queries that certify."""
        models = [
            _Scored(model.predict(queries.features(list(model.feature_names_))))
            for model in self.models
        ]
        return replace(self, models=models)

    def certified(self, queries: RankingData) -> list[int]:
        """Positions of the sets that the sieve certifies, by its order of tests."""
        tests = self._tests(test_order(self.search.decisive, self.choice), queries, LEVEL)
        return [test.position for test in tests if test.proven]

    def bets(self, queries: RankingData, level: float) -> str:
        """Whether the bet on each set is won, whatever the others say: 1 or 0 for each set."""
        tests = [self._tests((at,), queries, level)[0] for at in range(1, len(self.models))]
        return "1" + "".join(str(int(test.proven)) for test in tests)

    def _tests(self, positions: Iterable[int], queries: RankingData, level: float) -> Any:
        question = self.search.question
        frozen = [
            Frozen(
                position,
                self.search.rungs[position].n_features,
                self.models[position],
                self.search.excess_deviation(position),
            )
            for position in positions
        ]
        return certify(
            frozen,
            self.models[0],
            queries,
            question.measure,
            margin=question.margin,
            level=level,
            random_state=question.random_state,
        )


def sieve(setting: Setting, training: RankingData) -> Sieved:
    """What `Sieve.fit` does, without the evidence, and with a model for every set."""
    data, columns = in_own_order(training)
    ranker = ranker_of(setting.case)
    measure = parse_measure(MEASURE).with_ties("average")
    counting = counting_queries(data, measure)
    question = Question(
        data=data,
        counting=counting,
        ranker=ranker.tuned(data).quick(data.n_documents),
        measure=measure,
        margin=Margin(setting.case.margin),
        level=LEVEL,
        costs=Costs.alike(data.n_features),
        n_folds=N_FOLDS,
        n_repeats=usual_repeats(counting),
        random_state=setting.seed,
    )
    searched = search(question, lambda judge: judge)
    final = Final(question, columns, ranker, training, None, searched.folds)
    models = [final.fitted(rung.selected) for rung in searched.rungs]
    return Sieved(searched, choice_of(searched, None), models)


def ranker_of(case: Case) -> Ranker:
    ranker: Ranker = clone(catalog.parse(case.ranker, "rankers"))
    return ranker


@dataclass(frozen=True, eq=False)
class _Scored:
    """A model that has scored some queries already: every test asks again."""

    scores: NDArray[np.float64]

    def predict(self, _: RankingData) -> NDArray[np.float64]:
        return self.scores


@dataclass(frozen=True)
class Truth:
    """How far each set is above what the margin allows, over queries of the same world.

    Attributes
    ----------
    means, errors : for each set, the mean over fresh queries, and its standard error
    reference : float, the measure with all features
    n_queries : int, fresh queries that count, of the set that was looked at longest
    """

    means: list[float]
    errors: list[float]
    reference: float
    n_queries: int


def true_excess(
    sieved: Sieved, world: World, rng: np.random.Generator, most_batches: int = MOST_BATCHES
) -> Truth:
    """Look at the frozen models on fresh queries, until each set is clearly good or bad."""
    question = sieved.search.question
    n_sets = len(sieved.models)
    sums, squares, counts = np.zeros(n_sets), np.zeros(n_sets), np.zeros(n_sets)
    reference_sum = 0.0
    unclear = np.ones(n_sets, dtype=bool)
    for _ in range(most_batches):
        batch = world.draw(BATCH, rng)
        counting = counting_queries(batch, question.measure)
        reference = measured(sieved.models[0], batch, question.measure)[counting]
        reference_sum += float(reference.sum())
        for position in np.flatnonzero(unclear):
            values = reference
            if position:
                values = measured(sieved.models[position], batch, question.measure)[counting]
            excess = question.margin.excess(values, reference)
            sums[position] += excess.sum()
            squares[position] += (excess**2).sum()
            counts[position] += len(excess)
        means = sums / counts
        errors = np.sqrt(np.maximum(squares / counts - means**2, 0) / (counts - 1))
        unclear = np.abs(means) < CLEAR * errors
        if not unclear.any():
            break
    n_queries = int(counts.max())
    return Truth(means.tolist(), errors.tolist(), reference_sum / n_queries, n_queries)


def key_of(run: Run) -> Key:
    return run["case"], run["queries"], run["seed"]


def line_of(run: Run) -> str:
    return json.dumps(run, separators=(",", ":")) + "\n"


def mend(path: Path) -> None:
    """End a last line that a killed process left unfinished, so that the next is one of its own."""
    text = path.read_bytes() if path.exists() else b""
    if not text:
        path.write_text(line_of({"made with": made_with()}), encoding="utf-8")
    elif not text.endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")


def read(path: Path) -> list[Run]:
    """The stored runs in order; the last one of a key counts, and lines that are cut do not."""
    runs: dict[Key, Run] = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            content = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "seed" in content:
            runs[key_of(content)] = content
    return sorted(runs.values(), key=_position)


def write(runs: Sequence[Run], path: Path) -> None:
    """Write all runs in order, a line each, after a line that says what they were made with."""
    lines = [line_of({"made with": made_with()}), *map(line_of, runs)]
    with replacing(path) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8")


def _position(run: Run) -> tuple[int, int, int]:
    case, n_queries, seed = key_of(run)
    return list(CASES).index(case), n_queries, seed


def made_with() -> dict[str, str]:
    return {
        "ranksieve": ranksieve.__version__,
        "lightgbm": version("lightgbm"),
        "Python": platform.python_version(),
    }


if __name__ == "__main__":
    main()

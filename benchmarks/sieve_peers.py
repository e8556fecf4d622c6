"""The sieve beside other ways to select features: docs/sieve-peers.md and its figures.

    python -m benchmarks.sieve_peers                 # what is not stored yet, then the page
    python -m benchmarks.sieve_peers --only sieve    # these methods again, whatever is stored
    python -m benchmarks.sieve_peers --data MQ2008   # on this data alone
    python -m benchmarks.sieve_peers --large         # the large data alone, some minutes

A cell is one run of a method on one fold with one seed. It is stored in docs/sieve-peers.json as
soon as it is finished, with the sets, the CPU seconds, and the measure of every test query with the
final ranker trained on each set; the page is made from there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import ranksieve
from benchmarks.sieve_peer_data import LETOR, MSLR, NAMES, Fold, folds, generated, generated_large
from benchmarks.sieve_peer_methods import (
    DETERMINISTIC,
    FINAL,
    MEASURE,
    METHODS,
    WITH_COSTS,
    final_ranker,
    missing_package,
)
from ranksieve import LightGBMRanker
from ranksieve.data.atomic import replacing
from ranksieve.sieve import Sieve
from ranksieve.threads import threads

DOCS = Path(__file__).parents[1] / "docs"
STORE, PAGE = DOCS / "sieve-peers.json", DOCS / "sieve-peers.md"
SEEDS = (0, 1, 2)
N_LETOR_FOLDS = 5
TINY = {"train": 40, "validation": 20, "test": 20}

Result = TypeVar("Result")
Cell = dict[str, Any]
Key = tuple[str, int, str, int]


def main() -> None:
    from benchmarks.sieve_peers_page import page

    chosen = _arguments()
    content = read(STORE)
    with threads(1):
        if chosen.large:
            content["large"] = large_case()
            write(content, STORE)
        else:
            fill(content, chosen.data or NAMES, chosen.only)
    with replacing(PAGE) as temporary:
        temporary.write_text("\n".join(page(content)), encoding="utf-8")
    print(PAGE.relative_to(DOCS.parent))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=METHODS, help="run these methods again")
    parser.add_argument("--data", nargs="+", choices=NAMES, help="on these data sets alone")
    parser.add_argument("--large", action="store_true", help="only the large generated data")
    return parser.parse_args()


def fill(content: dict[str, Any], data: list[str], again: list[str] | None) -> None:
    """Run the cells that are not stored, or those of some methods whatever is stored.

    Every fold once, and only then the other seeds: the page is complete sooner.
    """
    stored = {key_of(cell) for cell in content["cells"]}
    due = [key for name in data for key in planned(name) if _is_due(key, stored, again)]
    installed = {method: _installed(method) for method in dict.fromkeys(key[2] for key in due)}
    ready: set[str] = set()
    for seeds in (SEEDS[:1], SEEDS[1:]):
        for fold, method, seed in _runs([k for k in due if k[3] in seeds and installed[k[2]]]):
            if method not in ready:
                warm(method)
                ready.add(method)
            cell = run(fold, method, seed)
            _report(cell)
            put(content, cell)
            write(content, STORE)


def _runs(keys: list[Key]) -> Iterator[tuple[Fold, str, int]]:
    """Each cell with its fold, which is loaded once."""
    for name in dict.fromkeys(key[0] for key in keys):
        numbers = {number for data, number, *_ in keys if data == name}
        for fold in (fold for fold in folds(name) if fold.number in numbers):
            for data, number, method, seed in keys:
                if (data, number) == (name, fold.number):
                    yield fold, method, seed


def planned(name: str) -> Iterator[Key]:
    """The cells of a data set: every fold once, and the first one with every seed."""
    for number in range(1, 1 + (N_LETOR_FOLDS if name in LETOR else 1)):
        for method in METHODS:
            if method in WITH_COSTS and name != MSLR:
                continue
            several = number == 1 and method not in DETERMINISTIC
            for seed in SEEDS if several else SEEDS[:1]:
                yield name, number, method, seed


def _is_due(key: Key, stored: set[Key], again: list[str] | None) -> bool:
    return key not in stored if again is None else key[2] in again


def _installed(method: str) -> bool:
    package = missing_package(method)
    if package is not None:
        print(f"{method} is left out: {package} is not installed")
    return package is None


def warm(method: str) -> None:
    """Import and compile what a method needs, so that its first run is as the others."""
    METHODS[method](generated(TINY, n_relevant=4, n_redundant=4, n_irrelevant=16), 0)


def run(fold: Fold, method: str, seed: int) -> Cell:
    """Select with a method, and judge its sets with the final ranker (for the first seed)."""
    seconds, sets = cpu_seconds(lambda: METHODS[method](fold, seed))
    cell: Cell = {
        "data": fold.data,
        "fold": fold.number,
        "method": method,
        "seed": seed,
        "seconds": round(seconds, 3),
        "n_features": fold.train.n_features,
        "sets": {name: features.tolist() for name, features in sets.items()},
    }
    if seed == SEEDS[0]:
        cell["ndcg"] = {name: _rounded(judged(fold, each)) for name, each in sets.items()}
    if fold.costs is not None:
        prices = np.array([fold.costs[name] for name in fold.train.feature_names])
        cell["costs"] = {name: float(prices[each].sum()) for name, each in sets.items()}
    return cell


def judged(fold: Fold, features: NDArray[np.int64]) -> NDArray[np.float64]:
    """The measure of each test query; NaN for those without relevant documents."""
    test = fold.test
    scores = np.zeros(test.n_documents)
    if len(features):
        model = final_ranker()
        model.fit(fold.train.features(features), validation=fold.validation.features(features))
        scores = model.predict(test.features(features))
    return MEASURE.values(test.y, scores, test.query_ptr)


def _rounded(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 6) for value in values]


def cpu_seconds(call: Callable[[], Result]) -> tuple[float, Result]:
    """Processor time of a call over all threads, and of processes that it started and awaited."""
    before = sum(os.times()[:4])
    result = call()
    return sum(os.times()[:4]) - before, result


def large_case() -> dict[str, Any]:
    """One training of the final ranker with all features, and one sieve around that ranker."""
    warm("sieve")
    print("large: generating", flush=True)
    data = generated_large()
    ranker = LightGBMRanker(**FINAL)
    training, _ = cpu_seconds(lambda: ranker.fit(data))
    print(f"large: one training {training:.1f} CPU s, now the sieve", flush=True)
    started = time.perf_counter()
    seconds, selector = cpu_seconds(lambda: Sieve(LightGBMRanker(**FINAL), MEASURE).fit(data))
    print(f"large: sieve {seconds:.1f} CPU s, {time.perf_counter() - started:.1f} s", flush=True)
    return {
        "documents": data.n_documents,
        "queries": data.n_queries,
        "features": data.n_features,
        "training": round(training, 2),
        "sieve": round(seconds, 2),
        "selected": selector.n_features_,
        "claim": selector.result_.claim,
    }


def key_of(cell: Cell) -> Key:
    return cell["data"], cell["fold"], cell["method"], cell["seed"]


def put(content: dict[str, Any], cell: Cell) -> None:
    """Store a cell in the place of an earlier one."""
    content["made with"] = made_with()
    cells = [each for each in content["cells"] if key_of(each) != key_of(cell)]
    content["cells"] = sorted([*cells, cell], key=_position)


def _position(cell: Cell) -> tuple[int, int, int, int]:
    data, fold, method, seed = key_of(cell)
    return NAMES.index(data), fold, list(METHODS).index(method), seed


def read(path: Path) -> dict[str, Any]:
    if path.exists():
        return json.loads(path.read_text("utf-8"))
    return {"made with": made_with(), "cells": [], "large": None}


def write(content: dict[str, Any], path: Path) -> None:
    """Write the figures, a line per cell."""
    cells = ",\n".join(json.dumps(cell) for cell in content["cells"])
    head = json.dumps({name: content[name] for name in ("made with", "large")})
    with replacing(path) as temporary:
        temporary.write_text(f'{head[:-1]}, "cells": [\n{cells}\n]}}\n', encoding="utf-8")


def made_with() -> dict[str, str]:
    packages = ("lightgbm", "xgboost-cpu", "catboost", "scikit-learn")
    versions = {package: version(package) for package in packages}
    return {
        "ranksieve": ranksieve.__version__,
        **versions,
        "Python": platform.python_version(),
    }


def _report(cell: Cell) -> None:
    sizes = ", ".join(f"{name}: {len(features)}" for name, features in cell["sets"].items())
    print(
        f"{cell['data']} fold {cell['fold']} seed {cell['seed']}  {cell['seconds']:8.1f} CPU s  "
        f"{sizes}",
        flush=True,
    )


if __name__ == "__main__":
    main()

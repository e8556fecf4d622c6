"""Data on which the sieve is compared with its peers: parts to train, validate and test."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.published import data_folder
from ranksieve import RankingData, load, make_ranking
from ranksieve.data import letor_folds, set_aside
from ranksieve.data.synthetic import Truth

LETOR = ("MQ2008", "OHSUMED")
MSLR = "MSLR sample"
EXAMPLE = "LightGBM example"
GENERATED = "generated"
NAMES = (*LETOR, MSLR, EXAMPLE, GENERATED)
# Of the training file's queries, where it comes without a validation part.
VALIDATION_SHARE = 0.2
PLANTED = {"n_relevant": 10, "n_redundant": 15, "n_irrelevant": 35}
GENERATED_QUERIES = {"train": 400, "validation": 100, "test": 500}
GENERATED_DOCUMENTS = 30
LARGE_QUERIES, LARGE_DOCUMENTS = 4000, 125
LARGE_PLANTED = {"n_relevant": 30, "n_redundant": 30, "n_irrelevant": 76}


@dataclass(frozen=True, eq=False)
class Fold:
    """Three parts of some data, and what its features cost, if anyone said."""

    data: str
    number: int
    train: RankingData
    validation: RankingData
    test: RankingData
    costs: dict[str, float] | None = None


def folds(name: str) -> Iterator[Fold]:
    """The folds of a data set, each loaded when it is its turn; none where the data is absent."""
    if name == GENERATED:
        yield generated()
        return
    folder = data_folder()
    path = None if folder is None else folder / name.replace(" sample", "-sample")
    if name == EXAMPLE and folder is not None:
        path = folder / "LightGBM-lambdarank"
    if path is None or not path.is_dir():
        print(f"{name}: absent (set RANKSIEVE_DATA to the folder with it)")
    elif name == EXAMPLE:
        yield example(path)
    elif name == MSLR:
        yield mslr_sample(path)
    else:
        for number, fold in enumerate(letor_folds(path), start=1):
            yield Fold(name, number, fold.train, fold.vali, fold.test)


def mslr_sample(path: Path) -> Fold:
    """Raw values; a fifth of the training queries validates."""
    train, validation = set_aside(load(path / "train.txt"), VALIDATION_SHARE)
    with (path / "costs.csv").open(encoding="utf-8", newline="") as file:
        costs = {row["feature"]: float(row["cost"]) for row in csv.DictReader(file)}
    return Fold(MSLR, 1, train, validation, load(path / "test.txt"), costs)


def example(path: Path) -> Fold:
    """LightGBM's example of ranking; a fifth of the training queries validates."""
    parts = {
        part: load(path / f"rank.{part}", group_sizes=path / f"rank.{part}.query", n_features=300)
        for part in ("train", "test")
    }
    train, validation = set_aside(parts["train"], VALIDATION_SHARE)
    return Fold(EXAMPLE, 1, train, validation, parts["test"])


def generated(sizes: dict[str, int] = GENERATED_QUERIES, **changed: int) -> Fold:
    """Planted, redundant and irrelevant features; the parts are queries of one generator."""
    data, _ = make_ranking(
        sum(sizes.values()), GENERATED_DOCUMENTS, **(PLANTED | changed), random_state=0
    )
    ends = np.cumsum(list(sizes.values()))
    parts = np.split(np.arange(data.n_queries), ends[:-1])
    return Fold(GENERATED, 1, *(data.queries(part).gathered() for part in parts))


def planted() -> Truth:
    """Which features of the generated data matter: the same for any number of queries."""
    return make_ranking(1, **PLANTED, random_state=0)[1]


def generated_large() -> RankingData:
    """About 500,000 documents of 4,000 queries with 136 features, float32."""
    data, _ = make_ranking(LARGE_QUERIES, LARGE_DOCUMENTS, **LARGE_PLANTED, random_state=0)
    return data

"""Stored runs by the study that they are of."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ranksieve.experiment import Outcome, Results, Store, read_results
from ranksieve.experiment.published.rows import NAMES, READINGS, Line, Reading, StoredRows
from ranksieve.experiment.study import ALL_FEATURES, study_titles
from ranksieve.report.published import standard_error

__all__ = [
    "ALL_FEATURES",
    "NAMES",
    "READINGS",
    "Line",
    "Reading",
    "Stored",
    "curve",
    "description",
    "fold_means",
    "read_stores",
    "standard_error",
]
_STUDIES = Path(__file__).parents[1] / "src" / "ranksieve" / "experiment" / "studies"


@dataclass(frozen=True, eq=False)
class Stored(StoredRows):
    """Rows of stored studies.

    `places` is where a study is: the file, and its number among those of the file.
    """

    places: Mapping[str, tuple[Path, int]] = field(default_factory=dict)


def curve(results: Results, data: str, line: Line) -> dict[int, Outcome]:
    """The outcomes of a line by number of features."""
    key = (data, line.method, line.variant, line.ranker)
    return {
        each.number: each
        for each in results.curves
        if (each.data, each.method, each.variant, each.ranker) == key and each.number is not None
    }


def read_stores(paths: Iterable[str | Path]) -> Stored:
    """All built-in studies in some stores; of one that was stored twice, the last."""
    titles = study_titles()
    by_study: dict[str, Results] = {}
    places: dict[str, tuple[Path, int]] = {}
    for path in paths:
        with Store(path, create=False) as store:
            n_studies = len(store.studies())
        for index in range(n_studies):
            results = read_results(path, study=index)
            name = titles.get(results.title)
            if name is not None:
                by_study[name] = results
                places[name] = Path(path), index
    return Stored(by_study, places=places)


def description(name: str) -> str:
    """What a study says that it repeats, and what differs."""
    content = tomllib.loads((_STUDIES / f"{name}.toml").read_text(encoding="utf-8"))
    return str(content["description"]).strip()


def fold_means(outcome: Outcome, measure: str) -> np.ndarray:
    values = outcome.values[measure]
    return np.array([np.nanmean(values[outcome.fold_of == f]) for f in range(len(outcome.folds))])

"""Stored runs by the study that they are of, and which of their lines stands for a paper's row."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ranksieve.experiment import ALL, Outcome, Results, Store, read_results, read_study, study_names

ALL_FEATURES = "all features"
_STUDIES = Path(__file__).parents[1] / "src" / "ranksieve" / "experiment" / "studies"


@dataclass(frozen=True)
class Line:
    """One line of a study's results.

    `whole`: the model of an embedded method with all features that it keeps; otherwise the number
    of features is one of those that validation chose.
    """

    study: str
    method: str
    variant: str = ""
    ranker: str = ""
    whole: bool = False

    def __str__(self) -> str:
        kind = {"refit": ", refit", "weights": ", own weights"}.get(self.variant, "")
        ranker = f" + {self.ranker}" if self.ranker else ""
        return f"{self.method}{kind}{ranker} ({self.study})"


def _ranker(label: str) -> tuple[Line, ...]:
    return (Line("letor-rankers", ALL_FEATURES, "", label),)


def _own_weights(method: str) -> tuple[Line, ...]:
    return (Line("letor", method, "weights", "", whole=True),)


_RANKSVM = (*_ranker("RankSVM"), Line("letor", ALL_FEATURES, "", "RankSVM"))
# The papers' names of rows, and what stands for them here; the first one that is stored counts.
NAMES: Mapping[str, tuple[Line, ...]] = {
    "GAS-E": (Line("letor", "GAS-E", "", "RankSVM"),),
    "FS-SCPR": (Line("letor", "FS-SCPR", "", "RankSVM"),),
    "FSMSVM": (
        Line("letor", "FSMRank", "refit", "RankSVM"),
        Line("letor", "FSMSVM", "refit", "RankSVM"),
    ),
    "FSMRank": _own_weights("FSMRank"),
    "FSM": _own_weights("FSMRank"),
    "s = 1": _own_weights("l1"),
    "s = |Pearson|": _own_weights("FSMRank, importance only"),
    "Fenchel": _own_weights("FenchelRank"),
    "l1": _own_weights("l1"),
    "MCP": _own_weights("MCP"),
    "log": _own_weights("log"),
    "l0.5": _own_weights("lp"),
    "RankSVM-primal": _RANKSVM,
    "RankSVM-Primal": _RANKSVM,
    "RankSVM-struct": _ranker("RankSVMStruct"),
    "RankBoost": _ranker("RankBoost"),
    "ListNet": _ranker("ListNet"),
    "SVM MAP": _ranker("SVMMAP"),
    "AdaRank-MAP": _ranker("AdaRank-MAP"),
    "AdaRank-NDCG": _ranker("AdaRank-NDCG"),
}


@dataclass(frozen=True, eq=False)
class Stored:
    """Results by the name of their study, and what was asked for and used or absent."""

    studies: Mapping[str, Results]
    used: dict[tuple[str, str], tuple[Line, Outcome]] = field(default_factory=dict)
    absent: dict[tuple[str, str], str] = field(default_factory=dict)

    def row(self, name: str, data: str) -> Outcome | None:
        """What stands for a paper's row on a data set, or None where no store has it."""
        for line in NAMES[name]:
            outcome = self.line(line, data)
            if outcome is not None:
                self.used[name, data] = line, outcome
                return outcome
        self.absent[name, data] = " or ".join(str(line) for line in NAMES[name])
        return None

    def line(self, line: Line, data: str) -> Outcome | None:
        found = self.studies.get(line.study)
        if found is None:
            return None
        wanted = (data, line.method, line.variant, line.ranker)
        outcomes = found.curves if line.whole else found.chosen
        for each in outcomes:
            key = (each.data, each.method, each.variant, each.ranker)
            if key == wanted and (not line.whole or each.number == ALL):
                return each
        return None


def read_stores(paths: Iterable[str | Path]) -> Stored:
    """All built-in studies in some stores; of one that was stored twice, the last."""
    titles = {_title(name): name for name in study_names()}
    found: dict[str, Results] = {}
    for path in paths:
        with Store(path, create=False) as store:
            n_studies = len(store.studies())
        for place in range(n_studies):
            results = read_results(path, study=place)
            name = titles.get(results.title)
            if name is not None:
                found[name] = results
    return Stored(found)


def _title(name: str) -> str:
    return read_study(name).title


def description(name: str) -> str:
    """What a study says that it repeats, and what differs."""
    content = tomllib.loads((_STUDIES / f"{name}.toml").read_text(encoding="utf-8"))
    return str(content["description"]).strip()


def standard_error(outcome: Outcome, measure: str) -> float:
    """Of the mean over all test queries that count."""
    values = outcome.values[measure]
    values = values[~np.isnan(values)]
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def fold_means(outcome: Outcome, measure: str) -> np.ndarray:
    values = outcome.values[measure]
    return np.array([np.nanmean(values[outcome.fold_of == f]) for f in range(len(outcome.folds))])

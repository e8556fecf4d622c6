"""Which line of a study's results stands for a row of a paper's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ranksieve.experiment.published.figures import published_name
from ranksieve.experiment.results.outcomes import DataFacts, Outcome, Results
from ranksieve.experiment.study import ALL, ALL_FEATURES, study_titles


@dataclass(frozen=True)
class Line:
    """One line of a study's results.

    Attributes
    ----------
    study : the built-in study that has it
    method, variant, ranker : as in `Outcome`
    all_features : bool
        True for the model of an embedded method with all features that it keeps; otherwise the
        number of features is one of those that validation chose.
    """

    study: str
    method: str
    variant: str = ""
    ranker: str = ""
    all_features: bool = False

    def __str__(self) -> str:
        kind = {"refit": ", refit", "weights": ", own weights"}.get(self.variant, "")
        ranker = f" + {self.ranker}" if self.ranker else ""
        return f"{self.method}{kind}{ranker} ({self.study})"


@dataclass(frozen=True)
class Reading:
    """A line that is shown beneath a row of a paper.

    Attributes
    ----------
    label : str
    line : Line
    same : bool
        Whether it is another reading of the same method, so that the published figure is one of
        it too; False for a relative for which nothing is printed.
    """

    label: str
    line: Line
    same: bool = True


def _ranker(label: str) -> Line:
    return Line("letor-rankers", ALL_FEATURES, "", label)


def _own_weights(method: str) -> Line:
    return Line("letor", method, "weights", "", all_features=True)


def _before_ranksvm(method: str, variant: str = "") -> Line:
    return Line("letor", method, variant, "RankSVM")


_RANKSVM = (_ranker("RankSVM"), Line("letor", ALL_FEATURES, "", "RankSVM"))
# The papers' names of rows, and what stands for them here; the first line that is stored counts.
NAMES: Mapping[str, tuple[Line, ...]] = {
    "GAS-E": (_before_ranksvm("GAS-E"),),
    "FS-SCPR": (_before_ranksvm("FS-SCPR"),),
    "FSMSVM": (_before_ranksvm("FSMRank", "refit"), _before_ranksvm("FSMSVM", "refit")),
    "FSMRank": (_own_weights("FSMRank"),),
    "FSM": (_own_weights("FSMRank"),),
    "s = 1": (_own_weights("l1"),),
    "s = |Pearson|": (_own_weights("FSMRank, importance only"),),
    "Fenchel": (_own_weights("FenchelRank"),),
    "l1": (_own_weights("l1"),),
    "MCP": (_own_weights("MCP"),),
    "log": (_own_weights("log"),),
    "l0.5": (_own_weights("lp"),),
    "RankSVM-primal": _RANKSVM,
    "RankSVM-Primal": _RANKSVM,
    "RankSVM-struct": (_ranker("RankSVMStruct"),),
    "RankBoost": (_ranker("RankBoost"),),
    "ListNet": (_ranker("ListNet"),),
    "SVM MAP": (_ranker("SVMMAP"),),
    "AdaRank-MAP": (_ranker("AdaRank-MAP"),),
    "AdaRank-NDCG": (_ranker("AdaRank-NDCG"),),
}

_EARLY = Reading("the paper's stop", _own_weights("FSMRank, paper's stop"))
# What is shown beneath a row: the same method read otherwise, or a relative of it.
READINGS: Mapping[str, tuple[Reading, ...]] = {
    "GAS-E": (
        Reading("GAS-L", _before_ranksvm("GAS-L"), same=False),
        Reading("GAS-L, 1/loss", _before_ranksvm("GAS-L, 1/loss"), same=False),
    ),
    "FS-SCPR": (
        Reading("strict ties", _before_ranksvm("FS-SCPR, strict ties")),
        Reading("scaled relevance", _before_ranksvm("FS-SCPR, scaled relevance")),
    ),
    "FSMSVM": (Reading("the paper's stop", _before_ranksvm("FSMRank, paper's stop", "refit")),),
    "FSMRank": (_EARLY,),
    "FSM": (_EARLY,),
    # Table III has lambda1 = 0: what has similarity has no figure to compare with.
    "s = 1": (Reading("similarity alone", _own_weights("FSMRank, similarity only"), same=False),),
    "s = |Pearson|": (Reading("with similarity", _own_weights("FSMRank"), same=False),),
    "MCP": (
        Reading("fixed width", _own_weights("MCP, fixed width")),
        Reading("sum units", _own_weights("MCP, sum units")),
    ),
    "SVM MAP": (Reading("only grade 2 relevant", _ranker("SVMMAP, only grade 2 relevant")),),
}

# What `ranksieve compare --selectors` calls methods that a study of its own calls otherwise.
_CLASS_NAMES = {"GAS-E": "GAS", "FS-SCPR": "FSSCPR"}


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Results by the name of their study, and which of their lines were used or are absent.

    Attributes
    ----------
    studies : by name, the name of a built-in study where it is one
    anywhere : whether a line counts in whatever study it is
    used : row of a paper and data set to the line and its outcome
    absent : row of a paper and data set to what would stand for it
    """

    studies: Mapping[str, Results]
    anywhere: bool = False
    used: dict[tuple[str, str], tuple[Line, Outcome]] = field(default_factory=dict)
    absent: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, studies: Iterable[Results]) -> StoredRows:
        """Return the rows of all studies, whatever they are called; of equal lines the last."""
        titles = study_titles()
        named: dict[str, Results] = {}
        for number, results in enumerate(studies, start=1):
            name = titles.get(results.title, f"study {number}")
            # The same study on other data, or run again: the earlier one still has lines.
            earlier = named.pop(name, None)
            if earlier is not None:
                named[f"{name}, before study {number}"] = earlier
            named[name] = results
        return cls(named, anywhere=True)

    def row(self, name: str, data: str) -> Outcome | None:
        """Return what stands for a paper's row on a data set, or None where no study has it."""
        for line in NAMES[name]:
            outcome = self.line(line, data)
            if outcome is not None:
                self.used[name, data] = line, outcome
                return outcome
        self.absent[name, data] = " or ".join(str(line) for line in NAMES[name])
        return None

    def readings(self, name: str, data: str) -> list[tuple[Reading, Outcome | None]]:
        """Return what is shown beneath a paper's row, None where no study has it."""
        pairs = [(each, self.line(each.line, data)) for each in READINGS.get(name, ())]
        for reading, outcome in pairs:
            if outcome is not None:
                self.used[f"{name}, {reading.label}", data] = reading.line, outcome
        return pairs

    def line(self, line: Line, data: str) -> Outcome | None:
        """Return the outcome of a line on a data set, by the name that papers give the data."""
        by_name = [self.studies[line.study]] if line.study in self.studies else []
        for results in (*by_name, *self._other_studies(line.study)):
            for method in (line.method, _CLASS_NAMES.get(line.method)):
                outcome = _matching(results, replace(line, method=method or ""), data)
                if outcome is not None:
                    return outcome
        return None

    def facts(self, data: str) -> DataFacts | None:
        """Return the facts of a data set, from the first study that has it."""
        for results in self.studies.values():
            for facts in results.data:
                if _is_data(facts.name, data):
                    return facts
        return None

    def ratio(self, outcome: Outcome) -> float:
        """Return the mean over the folds of the share of used features that a model keeps."""
        facts = next(
            each
            for results in self.studies.values()
            for each in results.data
            if each.name == outcome.data
        )
        return float(outcome.n_features.mean() / facts.used.sum())

    def _other_studies(self, study: str) -> list[Results]:
        """Return other studies with LETOR's measures, the last one first."""
        if not self.anywhere:
            return []
        studies = [results for name, results in self.studies.items() if name != study]
        return [r for r in reversed(studies) if any(m.startswith("letor-") for m in r.measures)]


def _matching(results: Results, line: Line, data: str) -> Outcome | None:
    key = (line.method, line.variant, line.ranker)
    for outcome in results.curves if line.all_features else results.chosen:
        if (outcome.method, outcome.variant, outcome.ranker) != key:
            continue
        if _is_data(outcome.data, data) and (not line.all_features or outcome.number == ALL):
            return outcome
    return None


def _is_data(name: str, published: str) -> bool:
    return name == published or published_name(name) == published

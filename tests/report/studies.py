"""Studies that never ran: Results of any shape, for tests of reports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranksieve.experiment import ALL, Chosen, DataFacts, Failure, Outcome, Results, Trace

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    '"><img src=x onerror="window.hacked=2">',
    "a|b_c & 100% #1 $x^2 {y} ~ \\end",
)
MEASURES = ("ndcg@10", "map", "precision@5")
NUMBERS = (1, 2, 3, 5, 8, 10, 12, 15)


def study(
    *,
    data: Sequence[str] = ("OHSUMED", "MQ2008"),
    methods: Sequence[str] = ("GAS", "FS-SCPR", "TopK"),
    embedded: Sequence[str] = ("SparseRankSVM",),
    rankers: Sequence[str] = ("RankSVM", "LightGBM"),
    measures: Sequence[str] = MEASURES,
    numbers: Sequence[int] = NUMBERS,
    n_features: int = 20,
    n_folds: int = 3,
    n_queries: int = 12,
    all_features: bool = True,
    feature_names: Sequence[str] | None = None,
    traces: bool = True,
    failures: bool = True,
    random_state: int = 0,
    title: str = "Methods compared",
) -> Results:
    """Return results in which methods differ, fewer features cost a little, and folds differ."""
    rng = np.random.default_rng(random_state)
    names = tuple(feature_names or (f"feature_{index}" for index in range(n_features)))
    facts = tuple(_facts(name, names, n_folds, n_queries, rng) for name in data)
    chosen, curves = [], []
    for place, fact in enumerate(facts):
        maker = _Maker(
            fact, tuple(measures), n_queries, np.random.default_rng([random_state, place])
        )
        if all_features:
            chosen += [
                maker.outcome("all features", "", ranker, None, len(names)) for ranker in rankers
            ]
        pairs = [(method, "", ranker) for method in methods for ranker in rankers]
        for method in embedded:
            pairs += [(method, "weights", ""), *((method, "refit", ranker) for ranker in rankers)]
        for method, variant, ranker in pairs:
            kept = int(rng.choice(numbers))
            chosen.append(maker.outcome(method, variant, ranker, None, kept))
            curves += [maker.outcome(method, variant, ranker, k, k) for k in numbers]
            if variant:
                curves.append(maker.outcome(method, variant, ranker, ALL, len(names) - 2))
    return Results(
        title=title,
        command="ranksieve compare OHSUMED MQ2008 -o runs.db",
        versions={"ranksieve": "0.1.0", "Python": "3.11.2", "numpy": "2.1.0"},
        conventions=(
            "Validation queries chose the setting and the number of features.",
            "Ties keep the order of the file.",
        ),
        measures=tuple(measures),
        data=facts,
        chosen=tuple(chosen),
        curves=tuple(curves),
        importance={fact.name: _importance(fact, rng) for fact in facts},
        similarity={
            fact.name: {"KendallSimilarity()": _similarity(len(names), rng)} for fact in facts
        },
        traces=tuple(_traces(facts, rng)) if traces else (),
        failures=_failures(facts) if failures else (),
        n_trials=len(chosen) * n_folds * 4,
    )


def _facts(name, names, n_folds, n_queries, rng):
    used = np.ones(len(names), dtype=bool)
    used[-1] = False
    folds = tuple(f"Fold{fold}" for fold in range(1, n_folds + 1))
    queries = tuple((3 * n_queries, n_queries, n_queries) for _ in folds)
    documents = tuple(tuple(20 * n for n in of_fold) for of_fold in queries)
    marks = tuple(f"{int(rng.integers(1 << 62)):016x}" for _ in folds)
    return DataFacts(name, folds, marks, names, used, documents, queries)


class _Maker:
    """Outcomes of one data set, whose queries are as hard for one method as for another."""

    def __init__(self, facts, measures, n_queries, rng):
        self.facts, self.measures, self.n_queries, self.rng = facts, measures, n_queries, rng
        n_folds = len(facts.folds)
        self.fold_of = np.repeat(np.arange(n_folds), n_queries)
        self.hardness = {m: rng.uniform(0.2, 0.6, n_queries * n_folds) for m in measures}
        self.skill = {}
        self.orders = {}

    def outcome(self, method, variant, ranker, number, kept):
        skill = self.skill.setdefault((method, variant, ranker), self.rng.normal(0, 0.03))
        share = kept / len(self.facts.feature_names)
        level = 0.1 + skill - 0.15 * np.exp(-6 * share)
        values = {
            measure: np.clip(hard + level + self.rng.normal(0, 0.05, len(hard)), 0, 1)
            for measure, hard in self.hardness.items()
        }
        for of_queries in values.values():
            of_queries[1] = np.nan  # a query without relevant documents does not count
        ids = np.array([f"{self.facts.folds[f]}:{q}" for q, f in enumerate(self.fold_of)])
        folds = tuple(
            self._chosen(method, variant, ranker, number, kept, fold, values)
            for fold in range(len(self.facts.folds))
        )
        return Outcome(
            self.facts.name, method, variant, ranker, number, folds, values, ids, self.fold_of
        )

    def _chosen(self, method, variant, ranker, number, kept, fold, values):
        rng, p = self.rng, len(self.facts.feature_names)
        order = self.orders.setdefault(
            (method, fold), np.argsort(np.arange(p) + rng.normal(0, 4, p))
        )
        if number is None and method != "all features":
            kept = int(np.clip(kept + rng.integers(-1, 2), 1, p))
        features = order[:kept].astype(np.int64)
        return Chosen(
            trial=int(rng.integers(10_000)),
            fold=self.facts.folds[fold],
            selector="" if method == "all features" else f'{method}(balance=0.3, importance="map")',
            ranker=f"{ranker}(C=0.01)" if ranker else "",
            wanted=None if method == "all features" else kept,
            features=features,
            weights=rng.normal(size=kept) if not ranker else None,
            validation={m: float(np.nanmean(v)) for m, v in values.items()},
            seconds=float(rng.lognormal(0, 1)) * (3 if ranker == "LightGBM" else 1),
            selection_seconds=float(rng.lognormal(-1, 1)),
            peak_memory=int(rng.integers(100, 900)) * 2**20,
            ending={"converged": bool(rng.random() < 0.8), "n_iter": int(rng.integers(3, 90))},
        )


def _importance(facts, rng):
    shape = (len(facts.folds), len(facts.feature_names))
    scores = np.linspace(0.5, 0.2, shape[1]) + rng.normal(0, 0.01, shape)
    return {"MeasureImportance(measure='map')": scores, "PearsonImportance()": scores**2}


def _similarity(p, rng):
    groups = rng.integers(0, max(p // 4, 1), p)
    alike = np.where(groups[:, None] == groups, 0.9, 0.5) + rng.normal(0, 0.01, (p, p))
    alike = (alike + alike.T) / 2
    np.fill_diagonal(alike, 1.0)
    alike[-1, :] = alike[:, -1] = 0.0  # orders nothing
    return alike


def _traces(facts, rng):
    for fact in facts:
        for component in ("SparseRankSVM(strength=0.01)", "FSMRank(similarity_strength=0.1)"):
            for fold in fact.folds:
                steps = np.arange(1, 40)
                falling = np.exp(-steps / rng.uniform(3, 8))
                yield Trace(fact.name, fold, component, steps * 0.01, 0.3 + falling, 2 * falling)


def _failures(facts):
    error = "MemoryError: not enough memory"
    return (Failure(facts[0].name, facts[0].folds[0], "ReliefF", "RankSVM", 5, error),)

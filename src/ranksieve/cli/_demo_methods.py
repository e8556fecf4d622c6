"""ranksieve demo --methods: the published methods on generated data."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ranksieve.cli._demo_study import write_report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ranksieve.data import RankingData

_KEPT = 8
# Rows of the path that are shown, and the length of a bar for NDCG@10 of 1.
_SHOWN, _BAR = 8, 40
_BALANCES = (0.0, 0.03, 0.1, 0.3, 1.0)


def show_methods(queries: int, seed: int, folder: Path) -> None:
    """Select by the published methods, and show what dropping the rest costs each ranker.

    Half of the queries train, a quarter chooses among methods and the balance of GAS, a quarter
    tests. Then what the features do for other rankers, one path of a sparse ranker, and data in
    which features act only together. At the end all methods are compared over folds, and a
    report is written.
    """
    from ranksieve import (
        FSSCPR,
        GAS,
        FSMRank,
        RankFilter,
        SparseRankSVM,
        TopK,
        make_ranking,
    )
    from ranksieve.cli._demo_rankers import print_rankers
    from ranksieve.cli._output import console
    from ranksieve.cli._progress import progress_bars
    from ranksieve.data import k_folds

    with progress_bars():
        data, truth = make_ranking(
            queries,
            40,
            n_relevant=_KEPT,
            n_redundant=12,
            n_irrelevant=16,
            n_constant=4,
            random_state=seed,
        )
        remaining, test = k_folds(data, 4, random_state=seed)[0]
        train, validation = k_folds(remaining, 3, random_state=seed)[0]
        console().print(
            f"{data.n_documents:,} generated documents of {data.n_queries} queries, "
            f"{data.n_features} features.\n"
            f"Queries: {train.n_queries} train, {validation.n_queries} validate, "
            f"{test.n_queries} test.\n"
        )
        options = [GAS(_KEPT, importance="ndcg@10", balance=balance) for balance in _BALANCES]
        selectors = {
            "TopK": TopK("ndcg@10", n_features_to_select=_KEPT),
            "RankFilter": RankFilter(_KEPT),
            "FSSCPR": FSSCPR(_KEPT),
            "GAS": _best(options, train, validation),
            "FSMRank": FSMRank(n_features_to_select=_KEPT),
            "SparseRankSVM": SparseRankSVM("mcp", n_features_to_select=_KEPT),
        }
        best = _best(list(selectors.values()), train, validation)
        trials = {
            name: _trial(name, selector, train, test, truth)
            for name, selector in {"all features": None, **selectors}.items()
        }
    _print(list(trials.values()))
    _print_choice(best, trials[type(best).__name__], trials["all features"], test)
    _print_planted(trials[type(best).__name__], truth, data)
    with progress_bars():
        print_rankers(trials[type(best).__name__].features, train, validation, test)
        _print_path(train, validation, test)
        _print_joint(seed)
    with progress_bars():
        report = write_report(data, folder)
    console().print("")
    if report is None:
        console().print("For the report of this comparison: pip install 'ranksieve[report]'")
    else:
        console().print(f"The comparison of all methods, as a page: {report}")


@dataclass(frozen=True)
class _Trial:
    name: str
    features: tuple[str, ...]
    n_planted: int
    ndcg: float
    average_precision: float
    seconds: float


def _trial(name: str, selector: Any, train: RankingData, test: RankingData, truth: Any) -> _Trial:
    """Select on train, train RankSVM on what is left, and measure it on test."""
    import numpy as np
    from sklearn.base import clone

    from ranksieve import MAP, NDCG, RankSVM

    # Compiled before the clock starts.
    for estimator in (RankSVM(C=1e-3), selector):
        if estimator is not None:
            clone(estimator).fit(train.queries(range(4)))
    started = time.perf_counter()
    selected = np.arange(train.n_features)
    if selector is not None:
        selected = selector.fit(train).order_[: selector.n_features_]
    model = RankSVM(C=1e-3).fit(train.features(selected))
    seconds = time.perf_counter() - started
    scores = model.predict(test.features(selected))
    return _Trial(
        name,
        train.features(selected).feature_names,
        _count_planted(selected, truth),
        NDCG(10)(test.y, scores, qid=test.qid),
        MAP()(test.y, scores, qid=test.qid),
        seconds,
    )


def _count_planted(selected: NDArray[np.int64], truth: Any) -> int:
    """Return how many planted features are there, themselves or as a copy."""
    sources = {int(truth.copies_of.get(int(feature), feature)) for feature in selected}
    return len(sources & {int(feature) for feature in truth.relevant})


def _best(selectors: list[Any], train: RankingData, validation: RankingData) -> Any:
    """Return the selector on whose features RankSVM ranks the validation queries best."""
    from ranksieve import NDCG, RankSVM

    def value(selector: Any) -> float:
        selected = selector.fit(train).get_support(indices=True)
        model = RankSVM(C=1e-3).fit(train.features(selected))
        scores = model.predict(validation.features(selected))
        return NDCG(10)(validation.y, scores, qid=validation.qid)

    return max(selectors, key=value)


def _print(trials: list[_Trial]) -> None:
    from rich.table import Table

    from ranksieve.cli._output import number, print_table

    table = Table(box=None)
    table.add_column("RankSVM on")
    for heading in ("features", "planted found", "NDCG@10", "MAP", "seconds"):
        table.add_column(heading, justify="right")
    for trial in trials:
        table.add_row(
            trial.name,
            str(len(trial.features)),
            f"{trial.n_planted} of {_KEPT}",
            number(trial.ndcg),
            number(trial.average_precision),
            f"{trial.seconds:.2f}",
        )
    print_table(table)


def _print_choice(best: Any, chosen: _Trial, everything: _Trial, test: RankingData) -> None:
    from ranksieve.cli._output import console

    console().print(f"\n{best!r},\nthe best on the validation queries, keeps")
    console().print("  " + ", ".join(chosen.features))
    console().print(
        f"With {len(chosen.features)} of {len(everything.features)} features, NDCG@10 on "
        f"{test.n_queries} held-out queries changes by {chosen.ndcg - everything.ndcg:+.4f}."
    )


def _print_planted(trial: _Trial, truth: Any, data: RankingData) -> None:
    """Say of each planted feature whether it was kept, itself or as a copy."""
    from ranksieve.cli._output import console

    names = data.feature_names
    keepers: dict[int, list[str]] = {int(feature): [] for feature in truth.relevant}
    for feature, name in enumerate(names):
        source = int(truth.copies_of.get(feature, feature))
        if name in trial.features and source in keepers:
            keepers[source].append("itself" if source == feature else f"its copy {name}")
    console().print("\nPlanted features, and how each was found:")
    for feature, representatives in keepers.items():
        console().print(f"  {names[feature]:4s} {', '.join(representatives) or 'not found'}")


def _print_path(train: RankingData, validation: RankingData, test: RankingData) -> None:
    """Say what a sparse ranker reaches with each number of features, from one path."""
    from ranksieve import NDCG, SparseRankSVM
    from ranksieve.cli._output import console
    from ranksieve.rankers import linear_scores

    measure = NDCG(10)
    started = time.perf_counter()
    path = SparseRankSVM("mcp").path(train, n_strengths=50)
    seconds = time.perf_counter() - started
    best: dict[int, tuple[float, Any]] = {}
    for weights, number in zip(path.weights, path.n_features, strict=True):
        value = measure(validation.y, linear_scores(validation, weights), qid=validation.qid)
        if number > 0 and value > best.get(int(number), (-1.0,))[0]:
            best[int(number)] = value, weights
    console().print(
        f"\nOne path, {len(path.strengths)} models of SparseRankSVM('mcp') from sparse to dense, "
        f"took {seconds:.1f} s.\nNDCG@10 on the held-out queries by number of features:"
    )
    for number in sorted(best)[:: max(1, len(best) // _SHOWN)]:
        value = measure(test.y, linear_scores(test, best[number][1]), qid=test.qid)
        console().print(f"  {number:3d}  {value:.4f}  {'█' * round(_BAR * value)}")


def _print_joint(seed: int) -> None:
    """Say which methods find features that act only together."""
    from ranksieve import GAS, RankFilter, make_ranking
    from ranksieve.cli._output import console

    data, truth = make_ranking(
        20, 200, n_relevant=4, n_redundant=0, n_irrelevant=16, truth="nonlinear", random_state=seed
    )
    planted = {int(feature) for feature in truth.relevant}
    console().print(
        f"\nWhere {len(planted)} of {data.n_features} features act only in pairs, each alone says "
        "nothing. Found among the first four:"
    )
    for selector in (GAS(4), RankFilter(4)):
        matches = planted & {int(feature) for feature in selector.fit(data).order_[:4]}
        console().print(f"  {type(selector).__name__:10s} {len(matches)} of {len(planted)}")

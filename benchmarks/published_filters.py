"""GAS-E and FS-SCPR beside their published figures on OHSUMED and MQ2008.

    .venv/bin/python -m benchmarks.published_filters

Five folds. On the train part: select, and train RankSVM on the selected features. On the
validation part: choose all parameters together, by MAP. On the test parts: report the mean,
in LETOR's convention. Writes docs/published-filters.md.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np

from benchmarks.published import MEASURES, ROOT, data_folder
from ranksieve import FSSCPR, GAS, RankSVM
from ranksieve.data import RankingData, letor_folds
from ranksieve.importance import Importance, MeasureImportance
from ranksieve.selectors.base import constant_features
from ranksieve.similarity import KendallSimilarity, Similarity, as_similarity
from ranksieve.threads import threads

# The protocol, the same for both methods and both data sets: every number of features,
# every C, every balance; equal MAP goes to fewer features, then the smaller balance and C.
GRID = [10.0**exponent for exponent in range(-6, 2)]
BALANCES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
# MAP and NDCG@10 of Tables 9 and 10 of the FS-SCPR paper (Yeh and Tsai, 2022).
PUBLISHED = {
    ("GAS-E", "OHSUMED"): (0.4475, 0.4502),
    ("GAS-E", "MQ2008"): (0.4767, 0.2290),
    ("FS-SCPR", "OHSUMED"): (0.4491, 0.4584),
    ("FS-SCPR", "MQ2008"): (0.4776, 0.2318),
}
AIMS = (0.008, 0.012)  # how far from the published MAP and NDCG@10
# What the rows are: the papers' methods, without our rule for features that order little.
READINGS = {
    "GAS-E": 'GAS(importance="map", similarity="kendall", unproven="published")',
    "FS-SCPR": 'FSSCPR(similarity="kendall(ties=\'half\')", relevance="printed", '
    'unproven="published")',
}
# Other settings of FS-SCPR, looked at on the validation part only.
VARIANTS = {
    "random_state=1": {"random_state": 1},
    "random_state=2": {"random_state": 2},
    "random_state=3": {"random_state": 3},
    'similarity="kendall"': {"similarity": "kendall"},
    'relevance="scaled"': {"relevance": "scaled"},
    "relevance_weight=1": {"relevance_weight": 1.0},
    'unproven="last"': {"unproven": "last"},
}
ALL = "all features"
METHODS = ("GAS-E", "FS-SCPR", ALL)
DATA = ("OHSUMED", "MQ2008")
PAGE = ROOT / "docs" / "published-filters.md"


@dataclass(frozen=True, eq=False)
class Known(Importance, Similarity):
    """Importance and similarity that were computed before: once a fold, not once a fit."""

    importance: np.ndarray
    similarity: np.ndarray

    def scores(self, data):
        return self.importance

    def better_than_random(self, data):
        return MeasureImportance("map").better_than_random(data)

    def matrix(self, data):
        return self.similarity


@dataclass(frozen=True, eq=False)
class Row:
    """What was chosen in a fold, and its value for each query."""

    method: str
    data: str
    fold: str
    variant: str
    setting: str
    n_features: int
    C: float
    vali: np.ndarray  # MAP, a validation query
    tests: list[np.ndarray]  # each measure, a test query; empty for a variant
    # Number of features to validation MAP and test measures (none for a variant), with the C
    # and the balance that are best on the validation part.
    curve: dict[int, tuple[float, ...]]


def subsets(method: str, train: RankingData, **options) -> Iterator[tuple[str, np.ndarray]]:
    """Features to try and the setting that led to them: fewest first, then by balance."""
    n_varying = int((~constant_features(train)).sum())
    if method == ALL:
        yield "", np.arange(train.n_features)
    elif method == "GAS-E":
        known = Known(MeasureImportance("map").scores(train), KendallSimilarity().matrix(train))
        orders = {
            balance: GAS(importance=known, similarity=known, balance=balance, unproven="published")
            .fit(train)
            .order_
            for balance in BALANCES
        }
        for k in range(1, n_varying + 1):
            for balance, order in orders.items():
                yield f"balance {balance:g}", order[:k]
    else:
        downwards = MeasureImportance("map").both_directions(train)[0]
        parameters = {"similarity": "kendall(ties='half')", "unproven": "published", **options}
        known = Known(downwards, as_similarity(parameters.pop("similarity")).matrix(train))
        for k in range(1, n_varying + 1):
            selector = FSSCPR(k, preference=known, similarity=known, **parameters)
            yield "", selector.fit(train).order_[:k]


def best_of_fold(method: str, data: str, fold_index: int, variant: str = "") -> Row:
    """Try every subset with every C on one fold, and take the best by validation MAP."""
    fold = letor_folds(data_folder() / data)[fold_index]
    best: dict[int, tuple] = {}
    seen = set()
    with threads(1):
        for setting, features in subsets(method, fold.train, **VARIANTS.get(variant, {})):
            features = np.sort(features)
            if features.tobytes() in seen:
                continue
            seen.add(features.tobytes())
            train = fold.train.features(features).gathered()
            vali = fold.vali.features(features).gathered()
            for C in GRID:
                model = RankSVM(C=C).fit(train)
                values = MEASURES[0].per_query(vali.y, model.predict(vali), qid=vali.qid)
                known = best.get(len(features))
                if known is None or values.mean() > known[0].mean():
                    best[len(features)] = values, setting, features, model
        tests = {
            k: [] if variant else tested(model, fold.test.features(features))
            for k, (_, _, features, model) in best.items()
        }
    # The first of equal ones has the fewest features.
    number = max(best, key=lambda k: best[k][0].mean())
    values, setting, features, model = best[number]
    curve = {
        k: (float(best[k][0].mean()), *(float(of_test.mean()) for of_test in tests[k]))
        for k in best
    }
    chosen = setting, len(features), model.C
    return Row(method, data, fold.name, variant, *chosen, values, tests[number], curve)


def tested(model: RankSVM, test: RankingData) -> list[np.ndarray]:
    scores = model.predict(test)
    return [measure.per_query(test.y, scores, qid=test.qid) for measure in MEASURES]


def all_rows() -> list[Row]:
    """Every method, data set and fold, on all cores; the slowest are started first."""
    runs = [(method, "") for method in METHODS] + [("FS-SCPR", variant) for variant in VARIANTS]
    tasks = [(m, data, fold_index, v) for m, v in runs for data in DATA for fold_index in range(5)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        waiting = {pool.submit(best_of_fold, *task): task for task in tasks}
        done = {}
        for future in as_completed(waiting):
            row = done[waiting[future]] = future.result()
            print(
                f"{len(done)}/{len(tasks)}  {row.method} {row.variant}, {row.data}, {row.fold}: "
                f"{row.n_features} features, validation MAP {row.vali.mean():.4f}",
                file=sys.stderr,
                flush=True,
            )
    return [done[task] for task in tasks]


def main() -> None:
    if data_folder() is None:
        sys.exit("OHSUMED and MQ2008 are absent: set RANKSIEVE_DATA to the folder with them.")
    from benchmarks.published_filters_page import page

    text = page(all_rows())
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

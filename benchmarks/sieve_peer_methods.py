"""Ways to select features, each as its own documentation says, behind one call.

A method takes a fold and a seed, and returns named sets of features: several where one run
gives several, such as the first 5, 10 and 20 of an order. No method sees the test part. The
sieve, RFECV, BoostBoruta and FSMRank see only the training part; the others choose something on
the validation part.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sieve_peer_data import Fold
from ranksieve import NDCG, FSMRank, LightGBMRanker, RankingData
from ranksieve.data import scale
from ranksieve.sieve import Sieve

Sets = dict[str, NDArray[np.int64]]
Method = Callable[[Fold, int], Sets]

# Queries without relevant documents are left out; documents of equal score count as the mean
# over their orders, since small sets have many.
MEASURE = NDCG(10, no_relevant="skip", ties="average")
FINAL = {"n_estimators": 300, "learning_rate": 0.05, "num_leaves": 31, "n_jobs": 1}
GAIN_SIZES = (5, 10, 20)
SIEVE_SIZES = (5, 10)
CATBOOST_FEATURES = 10
# Rounds of models that are trained many times.
ROUNDS, RATE = 100, 0.1
MOST_PAIRS = 20_000
STRENGTHS_C = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
PENALTIES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
TOLERATED = 0.005
BORUTA_ROUNDS = 50


def final_ranker(**params: Any) -> LightGBMRanker:
    """The ranker that every set of features is judged with."""
    return LightGBMRanker(**FINAL, measure=MEASURE, patience=50, params=params or None)


def mean_measure(data: RankingData, scores: NDArray[np.float64]) -> float:
    return MEASURE.mean(MEASURE.values(data.y, scores, data.query_ptr))


def all_features(fold: Fold, seed: int) -> Sets:
    return {"all": np.arange(fold.train.n_features)}


def gain(fold: Fold, seed: int) -> Sets:
    """The features whose splits gain most in the final ranker with all features."""
    model = final_ranker().fit(fold.train, validation=fold.validation)
    order = np.argsort(-model.feature_importances_, kind="stable")
    return {f"gain, first {k}": np.sort(order[:k]) for k in GAIN_SIZES}


def sieve(fold: Fold, seed: int) -> Sets:
    return _sieved(fold, seed, None, "sieve")


def sieve_with_costs(fold: Fold, seed: int) -> Sets:
    """The sieve that looks for the cheapest set; nothing where features have no costs."""
    if fold.costs is None:
        return {}
    return {"sieve with costs": _sieved(fold, seed, fold.costs, "sieve")["sieve"]}


def _sieved(fold: Fold, seed: int, costs: dict[str, float] | None, name: str) -> Sets:
    selector = Sieve(LightGBMRanker(**FINAL), MEASURE, costs=costs, random_state=seed)
    selector.fit(fold.train)
    sets = {name: selector.get_support(indices=True)}
    return sets | {f"{name}, first {k}": np.sort(selector.order_[:k]) for k in SIEVE_SIZES}


def fsmrank(fold: Fold, seed: int) -> Sets:
    """FSMRank with its defaults; values that are not in [0, 1] are scaled within queries."""
    selector = FSMRank(random_state=seed).fit(_scaled(fold.train))
    return {"FSMRank": selector.get_support(indices=True)}


def rfecv(fold: Fold, seed: int) -> Sets:
    """scikit-learn's recursive elimination around XGBoost, two features at a time."""
    from sklearn.feature_selection import RFECV
    from sklearn.model_selection import GroupKFold

    data = fold.train
    query = np.repeat(np.arange(data.n_queries), np.diff(data.query_ptr))
    selector = RFECV(
        xgboost_of_pairs(seed),
        step=2,
        cv=GroupKFold(3, shuffle=True, random_state=seed),
        scoring=_score_of_pairs,
        importance_getter="feature_importances_",
    )
    # A target of two columns takes the queries along through the folds.
    selector.fit(data.X, np.column_stack([data.y, query]), groups=query)
    return {"RFECV": np.flatnonzero(selector.support_)}


def xgboost_of_pairs(seed: int) -> Any:
    """XGBRanker whose target has two columns: grades and numbers of queries."""
    from xgboost import XGBRanker

    class RankerOfPairs(XGBRanker):
        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X, y[:, 0], qid=y[:, 1].astype(np.int64))

    return RankerOfPairs(n_estimators=ROUNDS, learning_rate=RATE, n_jobs=1, random_state=seed)


def _score_of_pairs(model: Any, X: Any, y: NDArray[np.float64]) -> float:
    scores = model.predict(X).astype(np.float64)
    return MEASURE.mean(MEASURE.per_query(y[:, 0], scores, qid=y[:, 1].astype(np.int64)))


def catboost(fold: Fold, seed: int) -> Sets:
    """CatBoost's own elimination, by SHAP values on the validation part, down to ten."""
    from catboost import CatBoostRanker

    model = CatBoostRanker(
        iterations=ROUNDS,
        learning_rate=RATE,
        random_seed=seed,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    )
    summary = model.select_features(
        _pool(fold.train),
        eval_set=_pool(fold.validation),
        features_for_select=list(range(fold.train.n_features)),
        num_features_to_select=CATBOOST_FEATURES,
        steps=5,
        train_final_model=False,
        logging_level="Silent",
    )
    return {"CatBoost, 10": np.sort(np.array(summary["selected_features"], dtype=np.int64))}


def _pool(data: RankingData) -> Any:
    from catboost import Pool

    query = np.repeat(np.arange(data.n_queries), np.diff(data.query_ptr))
    return Pool(data.X, data.y, group_id=query)


def boruta(fold: Fold, seed: int) -> Sets:
    """BoostBoruta of shap-hypetune; it seeds itself, so that `seed` changes nothing."""
    from lightgbm import LGBMRanker

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from shaphypetune import BoostBoruta

        model = LGBMRanker(
            n_estimators=ROUNDS,
            learning_rate=RATE,
            n_jobs=1,
            verbose=-1,
            importance_type="gain",
        )
        selector = BoostBoruta(model, max_iter=BORUTA_ROUNDS)
        try:
            selector.fit(fold.train.X, fold.train.y, group=np.diff(fold.train.query_ptr))
        except RuntimeError:  # "Boruta didn't select any feature"
            return {"BoostBoruta": np.arange(0)}
    return {"BoostBoruta": np.flatnonzero(selector.support_)}


def l1_pairs(fold: Fold, seed: int) -> Sets:
    """Features with a weight in a linear SVM with an l1 penalty on differences of documents."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    train, validation = _scaled(fold.train), _scaled(fold.validation)
    better, worse = _pairs(train, seed)
    sign = np.where(np.arange(len(better)) % 2, 1.0, -1.0)
    differences = (train.X[better] - train.X[worse]) * sign[:, None]
    best, best_weights = -1.0, np.zeros(train.n_features)
    for C in STRENGTHS_C:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LinearSVC(penalty="l1", dual=False, C=C, fit_intercept=False, random_state=seed)
            weights = model.fit(differences, sign).coef_.ravel()
        value = mean_measure(validation, validation.X.astype(np.float64) @ weights)
        if weights.any() and value > best:
            best, best_weights = value, weights
    return {"l1 pairs": np.flatnonzero(best_weights)}


def _pairs(data: RankingData, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of a better and of a worse document of a query; a sample where there are many."""
    better, worse = [], []
    for start, end in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True):
        grades = data.y[start:end]
        i, j = np.nonzero(grades[:, None] > grades[None, :])
        better.append(start + i)
        worse.append(start + j)
    rows = np.concatenate(better), np.concatenate(worse)
    n_pairs = len(rows[0])
    sample = np.random.default_rng(seed).permutation(n_pairs)[:MOST_PAIRS]
    return rows[0][sample], rows[1][sample]


def cegb(fold: Fold, seed: int) -> Sets:
    """Features that LightGBM uses when each costs a penalty at its first use.

    Of a grid of penalties the strongest whose measure on the validation part is within half a per
    cent of the best.
    """
    return {"CEGB": _penalised(fold, np.ones(fold.train.n_features))}


def cegb_with_costs(fold: Fold, seed: int) -> Sets:
    """The same with penalties in proportion to costs; nothing where features have no costs."""
    if fold.costs is None:
        return {}
    prices = np.array([fold.costs[name] for name in fold.train.feature_names])
    return {"CEGB with costs": _penalised(fold, prices / prices.mean())}


def _penalised(fold: Fold, prices: NDArray[np.float64]) -> NDArray[np.int64]:
    values, used = [], []
    for strength in PENALTIES:
        penalties = (strength * prices).tolist()
        model = final_ranker(cegb_penalty_feature_coupled=penalties)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no split pays under the strongest penalties
            model.fit(fold.train, validation=fold.validation)
        used.append(np.flatnonzero(model.booster_.feature_importance("split")))
        values.append(mean_measure(fold.validation, model.predict(fold.validation)))
    good = np.flatnonzero(np.array(values) >= (1 - TOLERATED) * max(values))
    return used[good[-1]]


def _scaled(data: RankingData) -> RankingData:
    inside = all(block.X.min() >= 0 and block.X.max() <= 1 for block in data.blocks())
    return data if inside else scale(data)


METHODS: dict[str, Method] = {
    "all": all_features,
    "gain": gain,
    "rfecv": rfecv,
    "catboost": catboost,
    "boruta": boruta,
    "l1": l1_pairs,
    "cegb": cegb,
    "fsmrank": fsmrank,
    "sieve": sieve,
    "sieve-costs": sieve_with_costs,
    "cegb-costs": cegb_with_costs,
}
# Only where features have costs.
WITH_COSTS = ("sieve-costs", "cegb-costs")
# They have no seed, or take none.
DETERMINISTIC = ("all", "gain", "boruta", "cegb", "cegb-costs")
# What a method imports; of these only shap-hypetune is not among the locked peers.
NEEDS = {
    "rfecv": ("xgboost",),
    "catboost": ("catboost",),
    "boruta": ("lightgbm", "shaphypetune"),
}


def missing_package(method: str) -> str | None:
    """The first package that a method needs and that is not installed."""
    needed = NEEDS.get(method, ())
    return next((package for package in needed if find_spec(package) is None), None)

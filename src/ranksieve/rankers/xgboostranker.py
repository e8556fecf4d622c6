"""XGBoost's rankers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.measures import Measure
from ranksieve.passes.cluster import Cluster
from ranksieve.progress import report
from ranksieve.rankers._cluster_training import Parts, train_xgboost_on
from ranksieve.rankers._described_trees import xgboost_trees
from ranksieve.rankers._description import Description
from ranksieve.rankers._stopping import Watch
from ranksieve.rankers._trees import (
    TreeRanker,
    check_integer_grades,
    in_single,
    own_threads,
    plain_names,
    row_queries,
    shares,
    unknown_parameters,
)
from ranksieve.rankers._trees_json import checked_json_trees
from ranksieve.threads import n_threads

_OBJECTIVES = ("rank:ndcg", "rank:map", "rank:pairwise", "reg:squarederror")
# The largest grade for which XGBoost computes 2^grade - 1.
_HIGHEST_GRADE = 31
_UNUSED = re.compile(r'Parameters: \{ "([^"]*)"')


class XGBoostRanker(TreeRanker):
    """Boosted trees of XGBoost, grown level by level: LambdaMART by default.

    Parameters
    ----------
    n_estimators : int
        Rounds at most, one tree each.
    learning_rate : float
        XGBoost's eta.
    max_depth : int
        Levels of a tree at most.
    min_child_weight : float
        Sum of second derivatives in a leaf at least. It is no number of documents: each has far
        less than 1 under the ranking objectives, and 1 under "reg:squarederror".
    l2 : float
        Penalty on a leaf's value, XGBoost's lambda.
    subsample : float
        Share of the documents that a tree sees, drawn again for each tree.
    feature_fraction : float
        Share of the features that a tree sees, XGBoost's colsample_bytree.
    objective : {"rank:ndcg", "rank:map", "rank:pairwise", "reg:squarederror"}
        "rank:ndcg" needs grades that are whole numbers up to 31, unless `params` has
        ndcg_exp_gain=False; "rank:map" needs grades 0 and 1; the others take any grades.
    params : dict or None
        Further parameters of XGBoost by its own names. Pairs are those with one of the first
        documents, lambdarank_pair_method="topk", unless it says otherwise.
    measure : str or Measure
        Which round is best on validation queries; ties count as their mean over all orders, unless
        the measure says otherwise.
    validation_share : float or None
        Share of the queries that are kept aside to choose the number of rounds; None for all
        rounds, unless validation queries are given to `fit`.
    patience : int
        Rounds after the best one until training ends.
    random_state : int
    n_jobs : int or None
        Threads of XGBoost. None is as many as pay off, see `docs/rankers-trees.md`, and at most
        those of `ranksieve.threads.threads(n)` or RANKSIEVE_THREADS; a number is used as it is.
        The model is the same with any.

    Attributes
    ----------
    booster_ : xgboost.Booster, with the trees that count
    n_iter_ : int, how many trees these are
    feature_importances_ : (n_features,) array
        What each feature's splits gained in all, as shares that sum to 1; all 0 without any split.
    validation_values_ : (rounds,) array or None
        The measure after each round; None without validation queries. Not kept in files.
    n_features_in_ : int

    Notes
    -----
    Rows are first brought into an order of the documents' own (the features' projection on a
    random direction), so that the model does not depend on the rows' order, which breaks ties. It
    is the same on any number of threads. The order of the
    columns does matter: it breaks ties between splits that are equally good.

    XGBoost holds features in float32: values that differ by less than one part in 10^7 are the
    same to it, and those beyond 3.4e38 are its largest number. Scores are float32 as well.

    `save` writes XGBoost's own JSON, which `xgboost.Booster(model_file=...)` reads from a file
    whose name ends in ".json". Names of features that are not plain (with blanks or brackets,
    say) are not given to it; ranksieve keeps them beside.

    Cost: XGBoost's. Memory: a copy of the features, another in float32, and XGBoost's bins.

    Burges, From RankNet to LambdaRank to LambdaMART, 2010; Chen and Guestrin, XGBoost, 2016.

    Examples
    --------
    >>> from ranksieve import XGBoostRanker, make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4)
    >>> model = XGBoostRanker(20, max_depth=3).fit(data)
    >>> sorted(model.feature_importances_.argsort()[-2:].tolist()) == truth.relevant.tolist()
    True
    """

    columns_break_ties: ClassVar[bool] = True
    trains_on_workers: ClassVar[bool] = True
    _package: ClassVar[str] = "xgboost"
    _title: ClassVar[str] = "XGBoost"
    _taken: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("n_estimators", "num_boost_round"), "set n_estimators."),
        **dict.fromkeys(("eta", "learning_rate"), "set learning_rate."),
        "max_depth": "set max_depth.",
        "min_child_weight": "set min_child_weight.",
        **dict.fromkeys(("lambda", "reg_lambda"), "set l2."),
        "subsample": "set subsample.",
        "colsample_bytree": "set feature_fraction.",
        "objective": "set objective.",
        **dict.fromkeys(("seed", "random_state"), "set random_state."),
        **dict.fromkeys(("nthread", "n_jobs"), "set n_jobs."),
        **dict.fromkeys(("eval_metric", "disable_default_eval_metric"), "set measure."),
        "early_stopping_rounds": "set patience.",
        **dict.fromkeys(("verbosity", "validate_parameters"), "XGBoost stays silent."),
        "booster": "the model is the trees up to the best round, which only gbtree allows.",
    }

    default_grid: ClassVar[DefaultGrid] = {"max_depth": (3, 4, 6)}

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        *,
        max_depth: int = 6,
        min_child_weight: float = 0.1,
        l2: float = 1.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        objective: str = "rank:ndcg",
        params: dict[str, Any] | None = None,
        measure: str | Measure = "ndcg@10",
        validation_share: float | None = None,
        patience: int = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_child_weight = min_child_weight
        self.l2 = l2
        self.subsample = subsample
        self.feature_fraction = feature_fraction
        self.objective = objective
        self.params = params
        self.measure = measure
        self.validation_share = validation_share
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_objective(self, y: NDArray[np.float64]) -> None:
        check_number("max_depth", self.max_depth, least=1, integer=True)
        check_number("min_child_weight", self.min_child_weight, least=0)
        check_choice("objective", self.objective, _OBJECTIVES)
        remedy = "objective='rank:pairwise' or 'reg:squarederror'"
        if self.objective == "rank:map" and not np.isin(y, (0, 1)).all():
            raise DataError(
                f"objective='rank:map' needs grades 0 and 1, but one grade is {y.max():g}. Take "
                f"{remedy}, or grades of two levels."
            )
        if self.objective == "rank:ndcg" and (self.params or {}).get("ndcg_exp_gain", True):
            check_integer_grades(y, _HIGHEST_GRADE, self.objective, remedy)

    def _train(self, library: Any, data: RankingData, watch: Watch | None) -> Any:
        further = self._further(library)
        with _quiet(library, complain=bool(further)) as caught:
            train = self._matrix(library, data, further)
            references = [train]
            if watch is not None:
                references.append(
                    library.DMatrix(
                        in_single(watch.data.X),
                        feature_names=train.feature_names,
                        nthread=n_threads(),
                    )
                )
            booster = library.Booster(self._library_params(further), references)
            for done in range(self.n_estimators):
                booster.update(train, done)
                self._check_used(caught)
                report("training", done + 1, self.n_estimators)
                if watch is not None:
                    # Only the new tree is walked: the matrix is one of those kept.
                    watch.add(booster.predict(references[1], output_margin=True).astype(np.float64))
                    if watch.over:
                        break
        n_rounds = done + 1 if watch is None else watch.best + 1
        # As it would be read from a file: without the data.
        return self._read(library, bytes(booster[:n_rounds].save_raw("json")))

    def train_on(self, library: Any, cluster: Cluster, parts: Parts, names: tuple[str, ...]) -> Any:
        """Return XGBoost's model of documents that are on the workers of a cluster, all rounds."""
        params = self._library_params(self._further(library))
        booster = library.Booster()
        booster.load_model(bytearray(train_xgboost_on(cluster, parts, params, self.n_estimators)))
        booster.feature_names = plain_names(names)
        return booster

    def _matrix(self, library: Any, data: RankingData, further: dict[str, Any]) -> Any:
        options: dict[str, Any] = {
            "label": data.y,
            "qid": row_queries(data),
            "feature_names": plain_names(data.feature_names),
            "nthread": n_threads(),
        }
        if further.get("tree_method", "hist") not in ("hist", "auto"):
            return library.DMatrix(in_single(data.X), **options)
        if "max_bin" in further:
            options["max_bin"] = further["max_bin"]
        return library.QuantileDMatrix(in_single(data.X), **options)

    def _library_params(self, further: dict[str, Any]) -> dict[str, Any]:
        ranking = self.objective.startswith("rank:")
        return {
            **({"lambdarank_pair_method": "topk"} if ranking else {}),
            **further,
            "objective": self.objective,
            "eta": self.learning_rate,
            "max_depth": self.max_depth,
            "min_child_weight": self.min_child_weight,
            "lambda": self.l2,
            "subsample": self.subsample,
            "colsample_bytree": self.feature_fraction,
            "seed": self.random_state,
            "nthread": n_threads(),
            "disable_default_eval_metric": True,
            "validate_parameters": bool(further),
        }

    def _check_used(self, caught: list[warnings.WarningMessage]) -> None:
        """Raise for names that XGBoost says it does not use: by a warning, once it trains."""
        for warning in caught:
            unused = _UNUSED.search(str(warning.message))
            if unused is not None:
                raise unknown_parameters(self._title, unused[1])
        caught.clear()

    def _remedy(self) -> str:
        return (
            f"A leaf has at least min_child_weight={self.min_child_weight:g}: lower it for small "
            "data. Check that the features differ within queries."
        )

    def _set_model(self, library: Any, model: Any) -> None:
        self.booster_ = model
        self.n_iter_ = int(model.num_boosted_rounds())
        gains = model.get_score(importance_type="total_gain")
        names = model.feature_names or [f"f{index}" for index in range(model.num_features())]
        self.feature_importances_ = shares([gains.get(name, 0.0) for name in names])

    def _scores_after(self, X: NDArray[Any], n_rounds: int) -> NDArray[np.float64]:
        with own_threads(self._package):
            self.booster_.set_param({"nthread": self._n_threads(len(X))})
            scores = self.booster_.inplace_predict(
                in_single(X), iteration_range=(0, n_rounds), predict_type="margin"
            )
        return np.asarray(scores, dtype=np.float64)

    def _shap_values(self, X: NDArray[Any]) -> NDArray[Any]:
        n_threads = self._n_threads(len(X))
        self.booster_.set_param({"nthread": n_threads})
        matrix = self._library().DMatrix(
            in_single(X), feature_names=self.booster_.feature_names, nthread=n_threads
        )
        values: NDArray[Any] = self.booster_.predict(matrix, pred_contribs=True)
        return values

    def _description(self, names: tuple[str, ...]) -> Description:
        return xgboost_trees(self._payload(), names)

    def _payload(self) -> bytes:
        return bytes(self.booster_.save_raw("json"))

    def _read(self, library: Any, payload: bytes) -> Any:
        booster = library.Booster()
        booster.load_model(bytearray(checked_json_trees(payload, self.n_features_in_)))
        return booster


@contextmanager
def _quiet(library: Any, *, complain: bool) -> Iterator[list[warnings.WarningMessage]]:
    """Keep XGBoost silent, and collect what it says about parameters if it is to complain."""
    with (
        library.config_context(verbosity=int(complain)),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        yield caught

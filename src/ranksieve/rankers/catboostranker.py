"""CatBoost's rankers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.measures import Measure
from ranksieve.progress import report
from ranksieve.rankers._described_trees import catboost_trees
from ranksieve.rankers._description import Description
from ranksieve.rankers._row_order import in_own_order_of_queries
from ranksieve.rankers._stopping import Watch
from ranksieve.rankers._trees import (
    TreeRanker,
    in_single,
    own_threads,
    plain_names,
    row_queries,
    shares,
)
from ranksieve.rankers._trees_binary import check_binary_trees
from ranksieve.threads import n_threads

_OBJECTIVES = (
    "YetiRank",
    "YetiRankPairwise",
    "PairLogit",
    "PairLogitPairwise",
    "QueryRMSE",
    "QuerySoftMax",
    "StochasticRank",
    "RMSE",
)
_DEEPEST = 16
# In the metadata of a model: its importances as JSON.
_IMPORTANCES = "ranksieve_feature_importances"


class CatBoostRanker(TreeRanker):
    """Boosted symmetric trees of CatBoost: YetiRank by default.

    Parameters
    ----------
    n_estimators : int
        Rounds at most, one tree each.
    learning_rate : float
    depth : int
        Levels of a tree, each with one question for all of its documents; 16 at most.
    l2 : float or None
        Penalty on a leaf's value, CatBoost's l2_leaf_reg. None is CatBoost's own for the
        objective: none for YetiRank, 3 for most others.
    subsample : float
        Share of the documents that a tree sees, drawn again for each tree; 1 weights documents at
        random, as CatBoost does unless told otherwise.
    feature_fraction : float
        Share of the features that a level sees, CatBoost's rsm.
    objective : str
        YetiRank, YetiRankPairwise, PairLogit, PairLogitPairwise, QueryRMSE, QuerySoftMax,
        StochasticRank or RMSE, with options as CatBoost spells them, such as
        "YetiRank:mode=NDCG" or "StochasticRank:metric=NDCG". All take any grades.
    params : dict or None
        Further parameters of CatBoost by its own names. Documents in a leaf can be limited
        (min_data_in_leaf) only for trees that are not symmetric (grow_policy).
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
        Threads of CatBoost. None is as many as pay off, see `docs/rankers-trees.md`, and at most
        those of `ranksieve.threads.threads(n)` or RANKSIEVE_THREADS; a number is used as it is.
        The model is the same with any.

    Attributes
    ----------
    model_ : catboost.CatBoost, with the trees that count
    n_iter_ : int, how many trees these are
    feature_importances_ : (n_features,) array
        How much the objective gets worse on the training documents without a feature (CatBoost's
        LossFunctionChange), as shares that sum to 1; a feature without which it gets better has
        0. CatBoost's documentation advises against its other importance,
        PredictionValuesChange, under losses that rank. The gain that the other adapters have is
        not kept in CatBoost's trees. Computed by `fit`, as it needs the documents, and kept in
        the model's metadata and so in files. A file without it, written by CatBoost or before
        ranksieve kept it, has PredictionValuesChange, and so has a model without which
        the objective would not get worse for any feature.
    validation_values_ : (rounds,) array or None
        The measure after each round; None without validation queries. Not kept in files.
    n_features_in_ : int

    Notes
    -----
    Rows are first brought into an order of the documents' own (the features' projection on a
    random direction), so that the model does not depend on the rows' order, which CatBoost's
    random permutations start from. It is the same on any number of threads.
    Queries are brought into an order of their own too. The order of the columns does matter: it
    breaks ties between splits that are equally good.

    YetiRank and YetiRankPairwise take a grade for a probability: grades are divided by the
    largest, unless the objective names a mode. CatBoost holds features in float32: values that
    differ by less than one part in 10^7 are the same to it, and those beyond 3.4e38 are its
    largest number.

    `save` writes CatBoost's own binary format, which `catboost.CatBoost().load_model(...)` reads.

    CatBoost's LambdaMart is not offered: that of version 1.2.10 learns the reverse order.

    Cost: CatBoost's; several times that of LightGBM under YetiRank. The importances add Shapley
    values of the training documents: 2 to 5 per cent of the time of training, measured on 30,000
    documents with 46 features. Memory: a copy of the features, another in float32, and
    CatBoost's bins.

    Gulin, Kuralenok and Pavlov, Winning the transfer learning track of Yahoo!'s learning to rank
    challenge with YetiRank, 2011; Prokhorenkova et al., CatBoost, 2018.

    Examples
    --------
    >>> from ranksieve import CatBoostRanker, make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4)
    >>> model = CatBoostRanker(20, depth=3).fit(data)
    >>> sorted(model.feature_importances_.argsort()[-2:].tolist()) == truth.relevant.tolist()
    True
    """

    columns_break_ties: ClassVar[bool] = True
    _package: ClassVar[str] = "catboost"
    _title: ClassVar[str] = "CatBoost"
    _taken: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            ("iterations", "n_estimators", "num_boost_round", "num_trees"), "set n_estimators."
        ),
        **dict.fromkeys(("learning_rate", "eta"), "set learning_rate."),
        **dict.fromkeys(("depth", "max_depth"), "set depth."),
        **dict.fromkeys(("l2_leaf_reg", "reg_lambda"), "set l2."),
        "subsample": "set subsample.",
        **dict.fromkeys(("rsm", "colsample_bylevel"), "set feature_fraction."),
        **dict.fromkeys(("loss_function", "objective"), "set objective."),
        **dict.fromkeys(("random_seed", "random_state"), "set random_state."),
        "thread_count": "set n_jobs.",
        **dict.fromkeys(("eval_metric", "custom_metric", "metric_period"), "set measure."),
        **dict.fromkeys(
            ("od_type", "od_wait", "od_pval", "early_stopping_rounds", "use_best_model"),
            "set patience.",
        ),
        **dict.fromkeys(
            ("verbose", "logging_level", "silent", "verbose_eval"), "CatBoost stays silent."
        ),
        **dict.fromkeys(
            ("allow_writing_files", "train_dir", "save_snapshot"), "CatBoost writes no files."
        ),
        **dict.fromkeys(
            ("langevin", "posterior_sampling", "model_shrink_rate"),
            "the model is the trees up to the best round, which must not change afterwards.",
        ),
    }

    default_grid: ClassVar[DefaultGrid] = {"depth": (3, 4, 6)}

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        *,
        depth: int = 6,
        l2: float | None = None,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        objective: str = "YetiRank",
        params: dict[str, Any] | None = None,
        measure: str | Measure = "ndcg@10",
        validation_share: float | None = None,
        patience: int = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.depth = depth
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
        check_number("depth", self.depth, least=1, integer=True)
        if self.depth > _DEEPEST:
            raise ParameterError(f"depth must be at most {_DEEPEST}, but is {self.depth}")
        name = self.objective.split(":")[0] if isinstance(self.objective, str) else self.objective
        check_choice("objective", name, _OBJECTIVES)

    def _train(self, library: Any, data: RankingData, watch: Watch | None) -> Any:
        data = in_own_order_of_queries(data)
        X = in_single(data.X)
        if not any((column != column[0]).any() for column in X.T):
            raise DataError(
                f"none of the {data.n_features} features varies, and CatBoost trains on no others"
            )
        names = plain_names(data.feature_names)
        pool = self._pool(library, X, data, names)
        rounds = _Rounds(self.n_estimators, watch)
        params = self._library_params(library)
        if watch is None:
            model = library.CatBoost(params)
            model.fit(pool, callbacks=[rounds])
        else:
            model = library.CatBoost({**params, "eval_metric": rounds})
            aside = self._pool(library, in_single(watch.data.X), watch.data, names)
            model.fit(pool, eval_set=aside, use_best_model=False, callbacks=[rounds])
            model.shrink(ntree_end=watch.best + 1)
        # As it would be read from a file: without the watch, which no pickle would take.
        model = self._read(library, _written(model))
        model.get_metadata()[_IMPORTANCES] = json.dumps(_loss_changes(model, pool))
        return model

    def _pool(
        self, library: Any, X: NDArray[np.float32], data: RankingData, names: list[str] | None
    ) -> Any:
        y = data.y
        if self.objective in ("YetiRank", "YetiRankPairwise"):
            y = y / max(y.max(), 1e-300)
        return library.Pool(
            X,
            label=y,
            group_id=row_queries(data),
            feature_names=names,
            thread_count=n_threads(),
        )

    def _library_params(self, library: Any) -> dict[str, Any]:
        sampling = {"bootstrap_type": "Bernoulli", "subsample": self.subsample}
        return {
            **(sampling if self.subsample < 1 else {}),
            **({} if self.l2 is None else {"l2_leaf_reg": self.l2}),
            **self._further(library),
            "loss_function": self.objective,
            "iterations": self.n_estimators,
            "learning_rate": self.learning_rate,
            "depth": self.depth,
            "rsm": self.feature_fraction,
            "random_seed": self.random_state,
            "thread_count": n_threads(),
            "logging_level": "Silent",
            "allow_writing_files": False,
        }

    def _set_model(self, library: Any, model: Any) -> None:
        self.model_ = model
        self.n_iter_ = int(model.tree_count_)
        self.feature_importances_ = shares(_importances(model))

    def _scores_after(self, X: NDArray[Any], n_rounds: int) -> NDArray[np.float64]:
        with own_threads(self._package):
            scores = self.model_.predict(
                in_single(X), ntree_end=n_rounds, thread_count=self._n_threads(len(X))
            )
        return np.asarray(scores, dtype=np.float64)

    def _shap_values(self, X: NDArray[Any]) -> NDArray[Any]:
        if not _score_changes(self.model_).any():
            # CatBoost divides by the number of features that its trees use, and ends the process.
            values = np.zeros((len(X), self.n_features_in_ + 1))
            values[:, -1] = self._scores(X)
            return values
        n_threads = self._n_threads(len(X))
        pool = self._library().Pool(
            in_single(X), feature_names=self.model_.feature_names_, thread_count=n_threads
        )
        shap: NDArray[Any] = self.model_.get_feature_importance(
            data=pool, type="ShapValues", thread_count=n_threads
        )
        return shap

    def _description(self, names: tuple[str, ...]) -> Description:
        return catboost_trees(json.loads(_written(self.model_, "json")), names)

    def _payload(self) -> bytes:
        return _written(self.model_)

    def _read(self, library: Any, payload: bytes) -> Any:
        check_binary_trees(payload, self.n_features_in_)
        model = library.CatBoost()
        model.load_model(blob=payload)
        return model


class _Rounds:
    """What CatBoost calls each round: a metric, which is handed the scores, and then a callback.

    The metric is called for the training documents first and for the validation documents last,
    so that the last scores of a round are theirs.
    """

    no_jit = True  # CatBoost would compile the methods, which takes seconds

    def __init__(self, n_rounds: int, watch: Watch | None) -> None:
        self._n_rounds, self._watch = n_rounds, watch
        self._scores: NDArray[np.float64] | None = None

    def __deepcopy__(self, memo: Any) -> _Rounds:
        # CatBoost copies its parameters, and this one would be told nothing.
        return self

    def is_max_optimal(self) -> bool:
        """Tell CatBoost what it asks of a metric."""
        return True

    def get_final_error(self, error: float, weight: float) -> float:
        """Tell CatBoost what it asks of a metric."""
        return error

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Take the scores."""
        if self._watch is not None and len(target) == self._watch.data.n_documents:
            self._scores = np.array(approxes[0], dtype=np.float64)
        return 0.0, 1.0

    def after_iteration(self, info: Any) -> bool:
        """Report the round, and tell whether to go on."""
        report("training", info.iteration, self._n_rounds)
        if self._watch is None:
            return True
        self._watch.add(self._scores)  # type: ignore[arg-type]
        return not self._watch.over


def _loss_changes(model: Any, pool: Any) -> list[float]:
    """Return how much worse the objective would be on some documents without each feature."""
    by_scores = _score_changes(model)
    if not by_scores.any():
        # CatBoost divides by the number of features that its trees use, and ends the process.
        return [0.0] * len(by_scores)
    values = model.get_feature_importance(
        data=pool, type="LossFunctionChange", thread_count=n_threads()
    )
    worse: list[float] = np.maximum(values, 0.0).tolist()
    return worse


def _importances(model: Any) -> NDArray[np.float64]:
    """Return the importances in a model's metadata; those of its trees alone without them."""
    metadata = model.get_metadata()
    if _IMPORTANCES in metadata:
        values = np.array(json.loads(metadata[_IMPORTANCES]), dtype=np.float64)
        if values.any():
            return values
    return _score_changes(model)


def _score_changes(model: Any) -> NDArray[np.float64]:
    """Return how much scores change with each feature; all 0 where trees have no split."""
    values = model.get_feature_importance(type="PredictionValuesChange", thread_count=n_threads())
    return np.asarray(values, dtype=np.float64)


def _written(model: Any, form: str = "cbm") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{form}"
        model.save_model(str(path), format=form)
        return path.read_bytes()

"""LightGBM's rankers."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.measures import Measure
from ranksieve.passes.cluster import Cluster
from ranksieve.progress import report
from ranksieve.rankers._cluster_training import Parts, train_lightgbm_on
from ranksieve.rankers._described_trees import lightgbm_trees
from ranksieve.rankers._description import Description
from ranksieve.rankers._stopping import Watch
from ranksieve.rankers._trees import (
    QUICK_LEAVES,
    TreeRanker,
    check_integer_grades,
    own_threads,
    plain_names,
    shares,
    unknown_parameters,
)
from ranksieve.rankers._trees_text import check_trees
from ranksieve.threads import n_threads

_OBJECTIVES = ("lambdarank", "rank_xendcg", "regression")
# Grades for which LightGBM has a gain unless told otherwise: 2^grade - 1 for 0 to 30.
_HIGHEST_GRADE = 30
# The line of a model with the names of its features.
_NAMES = re.compile(r"^feature_names=.*$", re.MULTILINE)


class LightGBMRanker(TreeRanker):
    """Boosted trees of LightGBM, grown leaf by leaf: LambdaMART by default.

    Parameters
    ----------
    n_estimators : int
        Rounds at most, one tree each.
    learning_rate : float
    num_leaves : int
        Leaves of a tree at most.
    min_leaf_documents : int
        Documents in a leaf at least, LightGBM's min_data_in_leaf.
    l2 : float
        Penalty on a leaf's value, LightGBM's lambda_l2.
    subsample : float
        Share of the documents that a tree sees, drawn again for each tree.
    feature_fraction : float
        Share of the features that a tree sees.
    objective : {"lambdarank", "rank_xendcg", "regression"}
        The first two need grades that are whole numbers up to 30, unless label_gain in `params`
        names more gains; "regression" is least squares on any grades.
    params : dict or None
        Further parameters of LightGBM by its own names.
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
        Threads of LightGBM. None is as many as pay off, see `docs/rankers-trees.md`, and at most
        those of `ranksieve.threads.threads(n)` or RANKSIEVE_THREADS; a number is used as it is.
        The model is the same with any.

    Attributes
    ----------
    booster_ : lightgbm.Booster, with the trees that count
    n_iter_ : int, how many trees these are
    feature_importances_ : (n_features,) array
        What each feature's splits gained, as shares that sum to 1; all 0 without any split.
    validation_values_ : (rounds,) array or None
        The measure after each round; None without validation queries. Not kept in files.
    n_features_in_ : int

    Notes
    -----
    LightGBM orders documents of equal score by row: at the start that is all of them, and a file
    that is sorted by grade would leak the grades. Rows are first brought into an order of the
    documents' own (the features' projection on a random direction), so that the model does not
    depend on theirs. It is the same on any number of threads. The order of the
    columns does matter: it breaks ties between splits that are equally good.

    `save` writes LightGBM's own text, which `lightgbm.Booster(model_file=...)` reads. Names of
    features that LightGBM would change or refuse (with blanks or brackets, say) are not given to
    it; ranksieve keeps them in its own line.

    Cost: LightGBM's. Memory: a copy of the features, and LightGBM's histograms.

    Burges, From RankNet to LambdaRank to LambdaMART, 2010; Ke et al., LightGBM, 2017.

    Examples
    --------
    >>> from ranksieve import LightGBMRanker, make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4)
    >>> model = LightGBMRanker(20, num_leaves=7).fit(data)
    >>> sorted(model.feature_importances_.argsort()[-2:].tolist()) == truth.relevant.tolist()
    True
    """

    columns_break_ties: ClassVar[bool] = True
    trains_on_workers: ClassVar[bool] = True
    _package: ClassVar[str] = "lightgbm"
    _title: ClassVar[str] = "LightGBM"
    _taken: ClassVar[dict[str, str]] = {
        "num_iterations": "set n_estimators.",
        "learning_rate": "set learning_rate.",
        "num_leaves": "set num_leaves.",
        "min_data_in_leaf": "set min_leaf_documents.",
        "lambda_l2": "set l2.",
        "bagging_fraction": "set subsample.",
        "bagging_freq": "set subsample, which draws again for each tree.",
        "feature_fraction": "set feature_fraction.",
        "objective": "set objective.",
        "seed": "set random_state.",
        "num_threads": "set n_jobs.",
        "metric": "set measure.",
        "early_stopping_round": "set patience.",
        "verbosity": "LightGBM stays silent.",
        "categorical_feature": "all features are numbers here.",
        "boosting": "the model is the trees up to the best round, which only gbdt allows.",
    }

    default_grid: ClassVar[DefaultGrid] = {"num_leaves": (7, 15, 31)}

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        *,
        num_leaves: int = 31,
        min_leaf_documents: int = 5,
        l2: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        objective: str = "lambdarank",
        params: dict[str, Any] | None = None,
        measure: str | Measure = "ndcg@10",
        validation_share: float | None = None,
        patience: int = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_leaf_documents = min_leaf_documents
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
        check_number("num_leaves", self.num_leaves, least=2, integer=True)
        check_number("min_leaf_documents", self.min_leaf_documents, least=1, integer=True)
        check_choice("objective", self.objective, _OBJECTIVES)
        if self.objective != "regression":
            gains = (self.params or {}).get("label_gain")
            highest = _HIGHEST_GRADE if gains is None else _n_gains(gains) - 1
            check_integer_grades(y, highest, self.objective, "objective='regression'")

    def _train(self, library: Any, data: RankingData, watch: Watch | None) -> Any:
        params = self._library_params(library)
        train = library.Dataset(
            data.X,
            data.y,
            group=np.diff(data.query_ptr),
            feature_name=plain_names(data.feature_names) or "auto",
            params=params,
        )
        booster = library.Booster(params, train)
        if watch is not None:
            aside = watch.data
            # With the parameters again: without a number of threads LightGBM takes all of them.
            booster.add_valid(train.create_valid(aside.X, aside.y, params=params), "aside")
        self._boost(booster, watch)
        n_rounds = None if watch is None else watch.best + 1
        # As it would be read from a file: without the data, and with gains as they are written.
        return library.Booster(model_str=booster.model_to_string(num_iteration=n_rounds))

    def train_on(self, library: Any, cluster: Cluster, parts: Parts, names: tuple[str, ...]) -> Any:
        """Return LightGBM's model of documents that are on the workers of a cluster, all rounds."""
        params = self._library_params(library)
        text = train_lightgbm_on(cluster, parts, params, self.n_estimators)
        plain = plain_names(names)
        if plain is not None:
            text = _NAMES.sub(lambda _: f"feature_names={' '.join(plain)}", text, count=1)
        return library.Booster(model_str=text)

    def _boost(self, booster: Any, watch: Watch | None) -> None:
        def seen(scores: NDArray[np.float64], _: Any) -> tuple[str, float, bool]:
            watch.add(scores)  # type: ignore[union-attr]
            return "measure", 0.0, True

        for done in range(self.n_estimators):
            stuck = booster.update()
            # A round without a split is taken back, except for the first.
            if stuck and done > 0:
                break
            report("training", done + 1, self.n_estimators)
            if watch is not None:
                booster.eval_valid(seen)
            if stuck or (watch is not None and watch.over):
                break

    def _library_params(self, library: Any) -> dict[str, Any]:
        return {
            "deterministic": True,
            "force_row_wise": True,
            **self._further(library),
            "objective": self.objective,
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "min_data_in_leaf": self.min_leaf_documents,
            "lambda_l2": self.l2,
            "bagging_fraction": self.subsample,
            "bagging_freq": int(self.subsample < 1),
            "feature_fraction": self.feature_fraction,
            "seed": self.random_state,
            "num_threads": n_threads(),
            "metric": "None",
            "verbosity": -1,
        }

    def _main_name(self, library: Any, name: str) -> str:
        names = _parameter_names(library)
        if names and name not in names:
            raise unknown_parameters(self._title, name, names)
        return names.get(name, name)

    def _remedy(self) -> str:
        return (
            f"A leaf has at least min_leaf_documents={self.min_leaf_documents} documents: lower "
            "it for small data. Check that the features differ within queries."
        )

    def _set_model(self, library: Any, model: Any) -> None:
        self.booster_ = model
        self.n_iter_ = int(model.current_iteration())
        self.feature_importances_ = shares(model.feature_importance("gain"))

    def quick(self, n_documents: int = 0) -> Any:
        """Return a copy with few, small and fast rounds, on one thread, without stopping early."""
        copy = super().quick(n_documents)
        return copy.set_params(num_leaves=min(self.num_leaves, QUICK_LEAVES))

    def _scores_after(self, X: NDArray[Any], n_rounds: int) -> NDArray[np.float64]:
        with own_threads(self._package):
            scores = self.booster_.predict(
                X,
                raw_score=True,
                num_iteration=n_rounds,
                num_threads=self._n_threads(len(X)),
            )
        return np.asarray(scores, dtype=np.float64)

    def _shap_values(self, X: NDArray[Any]) -> NDArray[Any]:
        values: NDArray[Any] = self.booster_.predict(
            X,
            pred_contrib=True,
            num_iteration=self.n_iter_,
            num_threads=self._n_threads(len(X)),
        )
        return values

    def _description(self, names: tuple[str, ...]) -> Description:
        return lightgbm_trees(self.booster_.model_to_string(), names)

    def _payload(self) -> bytes:
        text: str = self.booster_.model_to_string()
        return text.encode()

    def _read(self, library: Any, payload: bytes) -> Any:
        check_trees(payload, self.n_features_in_)
        return library.Booster(model_str=payload.decode())


def _n_gains(label_gain: Any) -> int:
    """Return how many gains a parameter names: a list, or text with commas as LightGBM reads it."""
    gains = label_gain.split(",") if isinstance(label_gain, str) else np.ravel(label_gain)
    return len(gains)


def _parameter_names(library: Any) -> dict[str, str]:
    """Return LightGBM's parameters, each alias with the name it stands for; empty if it hides them.

    LightGBM itself only logs names that it does not know.
    """
    aliases = getattr(library.basic, "_ConfigAliases", None)
    if aliases is None:
        return {}
    aliases.get("objective")  # reads the names where they are not read yet
    return {name: main for main, names in aliases.aliases.items() for name in names}

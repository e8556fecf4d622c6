"""Any regressor of scikit-learn as a ranker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers._described_trees import regressor_trees
from ranksieve.rankers._description import Description, LinearDescription
from ranksieve.rankers._linear import linear_contributions
from ranksieve.rankers._model_file import json_payload, set_from_json
from ranksieve.rankers._row_order import in_own_order
from ranksieve.rankers._scikit_learn_regressors import as_regressor, regressor_class
from ranksieve.rankers.base import Ranker, queries_with_pairs

# Rows on which a regressor must predict the same from what a file can hold.
_TRIAL_ROWS = 16


class PointwiseRanker(Ranker):
    """Ranking by the grade that a regressor predicts.

        score of a document = regressor's prediction from its features

    The regressor sees documents and grades, not queries: it is the plainest way to rank, and the
    one to beat.

    Parameters
    ----------
    regressor : str or object
        Text such as "Ridge(alpha=2.0)" or "RandomForestRegressor(random_state=0)", which names
        one of scikit-learn's regressors and is parsed, never run; or any object in scikit-learn's
        manner with `fit` and `predict`, which is cloned. A regressor's random_state is yours to
        set.
    equal_queries : bool
        Whether each query counts alike, whatever its number of documents, by sample weights; the
        regressor has to take them.

    Attributes
    ----------
    regressor_ : the fitted regressor
    coef_ : (n_features,) array, where the regressor has weights
    feature_importances_ : (n_features,) array, where the regressor has them
    n_features_in_ : int

    Notes
    -----
    Documents with equal predictions tie. Rows are first brought into an order of the documents'
    own (a random forest draws rows), so that the model does not depend on theirs.

    `save` writes JSON for regressors that predict from coef_ and intercept_ alone: Ridge, Lasso,
    LinearRegression, HuberRegressor and their like. No other is saved, since only a pickle could
    hold it, and reading a pickle runs what it says.

    Cost: the regressor's. Memory: the features in float64.

    Cossock and Zhang, Subset ranking using regression, COLT 2006.

    Examples
    --------
    >>> from ranksieve import PointwiseRanker
    >>> X, y, qid = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    >>> model = PointwiseRanker("LinearRegression").fit(X, y, qid=qid)
    >>> model.coef_.round(9), model.predict([[1.5]]).round(9)
    (array([0.2]), array([0.5]))
    """

    # What the catalog may find inside the brackets of this one.
    find_part = staticmethod(regressor_class)

    def __init__(self, regressor: Any = "Ridge", *, equal_queries: bool = False) -> None:
        self.regressor = regressor
        self.equal_queries = equal_queries

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, where the regressor has them."""
        return self._of_regressor("coef_")

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances of the features, where the regressor has them."""
        return self._of_regressor("feature_importances_")

    def _fit(self, data: RankingData) -> None:
        regressor = as_regressor(self.regressor)
        options = self._weights(regressor, data)
        ordered = in_own_order(data)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                self.regressor_ = regressor.fit(ordered.X.astype(np.float64), ordered.y, **options)
        except ValueError as error:
            # scikit-learn's class for wrong parameters is not public.
            if type(error).__name__ == "InvalidParameterError":
                raise ParameterError(f"{regressor!r} refuses its parameters: {error}") from None
            if not _overflows(ordered.X):
                raise
            raise self._too_large(regressor) from None
        if not np.isfinite(getattr(self.regressor_, "coef_", 0.0)).all():
            raise self._too_large(regressor)

    def _too_large(self, regressor: Any) -> DataError:
        return DataError(
            f"{regressor!r} cannot be fitted to features whose squares are beyond the range of "
            "float64. Scale the features first."
        )

    def _weights(self, regressor: Any, data: RankingData) -> dict[str, NDArray[np.float64]]:
        if not isinstance(self.equal_queries, bool):
            raise ParameterError(
                f"equal_queries must be True or False, but is {self.equal_queries!r}"
            )
        if not self.equal_queries:
            return {}
        if not has_fit_parameter(regressor, "sample_weight"):
            raise ParameterError(
                f"equal_queries=True needs a regressor that takes sample_weight, but "
                f"{type(regressor).__name__} does not. Set equal_queries=False, or take another."
            )
        sizes = np.diff(data.query_ptr)
        # Of mean 1, so that a regressor's own penalty weighs as much as without them.
        return {"sample_weight": np.repeat(data.n_documents / data.n_queries / sizes, sizes)}

    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        predicted = np.asarray(self.regressor_.predict(X.astype(np.float64)), dtype=np.float64)
        if predicted.size != len(X):
            raise DataError(
                f"a regressor must predict one number per document, but {self.regressor_!r} "
                f"predicts numbers of shape {predicted.shape} for {len(X)} documents"
            )
        return predicted.ravel()

    def _contributions(self, X: NDArray[Any]) -> NDArray[np.float64]:
        held = self._held()
        if not self._is_weighted_sum(held):
            return super()._contributions(X)
        return linear_contributions(
            X, np.ravel(held.coef_), intercept=float(np.ravel(held.intercept_)[0])
        )

    def _of_regressor(self, name: str) -> NDArray[np.float64]:
        values = getattr(vars(self).get("regressor_"), name, None)
        if values is None or np.size(values) != self.n_features_in_:
            raise AttributeError(f"this {type(self).__name__} has no {name}")
        return np.ravel(values)

    def check_savable(self, data: RankingData) -> None:
        """Raise if the regressor, fitted on two queries, could not be written to a file."""
        two_queries = data.queries(np.flatnonzero(queries_with_pairs(data))[:2])
        clone(self).fit(two_queries)._payload()

    def _description(self, names: tuple[str, ...]) -> Description:
        trees = regressor_trees(self.regressor_, names)
        if trees is not None:
            return trees
        held = self._held()
        if not self._is_weighted_sum(held):
            raise ParameterError(
                f"{type(self.regressor_).__name__} predicts neither the sum of its coef_ and "
                "intercept_, as Ridge does, nor by trees that scikit-learn shows, such as "
                "GradientBoostingRegressor: engines cannot be given it. Take one of these."
            )
        return LinearDescription(names, np.ravel(held.coef_), float(np.ravel(held.intercept_)[0]))

    def _held(self) -> SimpleNamespace:
        return SimpleNamespace(
            coef_=getattr(self.regressor_, "coef_", None),
            intercept_=getattr(self.regressor_, "intercept_", None),
        )

    def _payload(self) -> bytes:
        held = self._held()
        if not self._suffices(held):
            raise ParameterError(
                f"{type(self).__name__} saves regressors that predict from coef_ and intercept_ "
                f"alone, such as Ridge, but {type(self.regressor_).__name__} does not: a file "
                "would have to be a pickle. Write it yourself by joblib.dump or skops.io.dump, or "
                "take another regressor."
            )
        return json_payload(held)

    def _set_payload(self, payload: bytes) -> None:
        held = SimpleNamespace()
        set_from_json(held, payload)
        if np.size(getattr(held, "coef_", ())) != self.n_features_in_:
            raise DataError("its weights are not as many as its features")
        self.regressor_ = self._rebuilt(held)

    def _rebuilt(self, held: SimpleNamespace) -> Any:
        """Return a fitted regressor with no more than its weights and intercept."""
        regressor = as_regressor(self.regressor)
        regressor.coef_, regressor.intercept_ = held.coef_, held.intercept_
        regressor.n_features_in_ = self.n_features_in_
        return regressor

    def _is_weighted_sum(self, held: SimpleNamespace) -> bool:
        """Tell whether predictions are coef_ . x + intercept_, and no function of it."""
        if held.coef_ is None or np.size(held.coef_) != self.n_features_in_:
            return False
        if held.intercept_ is None or np.size(held.intercept_) != 1:
            return False
        rows = np.random.default_rng(0).normal(size=(_TRIAL_ROWS, self.n_features_in_))
        weights, intercept = np.ravel(held.coef_), np.ravel(held.intercept_)
        sizes = np.abs(rows) @ np.abs(weights) + np.abs(intercept)
        sums = rows @ weights + intercept
        return bool((np.abs(sums - self._scores(rows)) <= 1e-9 * sizes).all())

    def _suffices(self, held: SimpleNamespace) -> bool:
        """Tell whether weights and intercept are all that the regressor predicts with."""
        if held.coef_ is None or held.intercept_ is None:
            return False
        rows = np.random.default_rng(0).normal(size=(_TRIAL_ROWS, self.n_features_in_))
        try:
            rebuilt = self._rebuilt(held).predict(rows)
        except (AttributeError, TypeError, ValueError):
            return False
        return np.array_equal(rebuilt, self.regressor_.predict(rows))


def _overflows(X: NDArray[Any]) -> bool:
    """Tell whether sums of squares of the features are not finite in float64."""
    with np.errstate(over="ignore"):
        return not np.isfinite(np.square(X, dtype=np.float64).sum())

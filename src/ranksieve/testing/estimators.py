"""scikit-learn's own checks, on selectors and rankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.estimator_checks import parametrize_with_checks

from ranksieve.testing.base import Suite


class EstimatorSuite(Suite):
    """scikit-learn's own checks, which selectors and rankers pass.

    The checks know no queries: an estimator is tested as a subclass whose `fit(X, y)` supplies
    them.

    Attributes
    ----------
    quick : class to parameters with which it fits sooner, where its defaults take long. All laws
        use them but those of how good a fit is, and scikit-learn's checks do
    """

    of_values: ClassVar[bool] = False
    quick: ClassVar[Mapping[type, dict[str, Any]]] = {}

    def new(self, component: Any, **parameters: Any) -> Any:
        """Return an estimator with its quick parameters, and others."""
        return component(**self.quick.get(component, {}), **parameters)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test on all components, and each check on each of them."""
        super().pytest_generate_tests(metafunc)
        if "check" in metafunc.fixturenames:
            mark = parametrize_with_checks(
                [with_queries(each, **self.quick.get(each, {})) for each in self.components]
            )
            metafunc.parametrize(*mark.args, **mark.kwargs)

    # The checks' data is small enough to have no split that leaves enough documents on both sides.
    @pytest.mark.filterwarnings("ignore::ranksieve.errors.ConvergenceWarning")
    def test_scikit_learns_own_check(self, estimator: Any, check: Any) -> None:
        check(estimator)


def with_queries(estimator_class: Any, **parameters: Any) -> Any:
    """Return an instance of a subclass whose `fit(X, y)` and `score(X, y)` supply a qid."""

    def fit(self: Any, X: Any, y: Any = None) -> Any:
        if y is None:
            return estimator_class.fit(self, X)
        y, qid = _grades_and_queries(y)
        return estimator_class.fit(self, X, y, qid=qid)

    def score(self: Any, X: Any, y: Any) -> Any:
        y, qid = _grades_and_queries(y)
        return estimator_class.score(self, X, y, qid=qid)

    name = f"{estimator_class.__name__}WithQueries"
    if name in globals() and issubclass(globals()[name], estimator_class):
        # One that is both a selector and a ranker has two suites.
        return globals()[name](**parameters)
    methods: dict[str, Any] = {"fit": fit, "__module__": __name__}
    if hasattr(estimator_class, "score"):
        methods["score"] = score
    adaptor = type(name, (estimator_class,), methods)
    globals()[name] = adaptor  # where pickle looks for it
    return adaptor(**parameters)


def _grades_and_queries(y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return grades from 0, and two queries: scikit-learn's checks know neither."""
    y = np.asarray(y)
    qid = np.arange(y.shape[0]) * 2 // max(y.shape[0], 1)
    if np.issubdtype(y.dtype, np.floating) and np.isfinite(y).all():
        y = np.argsort(np.argsort(y, axis=0), axis=0) % 3
    elif np.issubdtype(y.dtype, np.signedinteger):
        y = y - y.min() if y.size else y
    return y, qid

"""scikit-learn's own checks, and its pipelines and searches, on every selector and ranker."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from ranksieve import GAS, MAP, NDCG, RankSVM, catalog, make_ranking


def grades_and_queries(y):
    """Grades from 0, and two queries: scikit-learn's checks know neither."""
    y = np.asarray(y)
    qid = np.arange(y.shape[0]) * 2 // max(y.shape[0], 1)
    if np.issubdtype(y.dtype, np.floating) and np.isfinite(y).all():
        y = np.argsort(np.argsort(y, axis=0), axis=0) % 3
    elif np.issubdtype(y.dtype, np.signedinteger):
        y = y - y.min() if y.size else y
    return y, qid


def with_queries(estimator_class):
    """An instance of a subclass whose `fit(X, y)` and `score(X, y)` supply a qid."""

    def fit(self, X, y=None):
        if y is None:
            return estimator_class.fit(self, X)
        y, qid = grades_and_queries(y)
        return estimator_class.fit(self, X, y, qid=qid)

    def score(self, X, y):
        y, qid = grades_and_queries(y)
        return estimator_class.score(self, X, y, qid=qid)

    methods = {"fit": fit, "__module__": __name__}
    if hasattr(estimator_class, "score"):
        methods["score"] = score
    adaptor = type(f"{estimator_class.__name__}WithQueries", (estimator_class,), methods)
    globals()[adaptor.__name__] = adaptor  # where pickle looks for it
    return adaptor()


ESTIMATORS = [
    with_queries(entry.load())
    for family in ("selectors", "rankers")
    for entry in catalog.entries(family)
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_own_check(estimator, check):
    check(estimator)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(scope="module")
def data():
    return make_ranking(60, 12, n_relevant=3, n_redundant=3, n_irrelevant=6, random_state=0)[0]


@pytest.mark.usefixtures("routing")
def test_pipeline_in_a_grid_search_by_query_folds_gets_its_qid(data):
    pipeline = make_pipeline(GAS(importance="ndcg@10"), RankSVM())
    search = GridSearchCV(
        pipeline,
        {"gas__n_features_to_select": [2, 6], "ranksvm__C": [1e-3, 1e-1]},
        cv=GroupKFold(3),
        error_score="raise",
    )
    search.fit(data.X, data.y, qid=data.qid, groups=data.qid)
    assert search.best_score_ > 0.5
    assert search.best_estimator_[:-1].get_feature_names_out().shape[0] in (2, 6)

    # By hand: the same folds, the same pipeline, the mean of the folds' NDCG@10.
    scores = []
    for train, test in GroupKFold(3).split(data.X, data.y, data.qid):
        gas = GAS(
            importance="ndcg@10",
            n_features_to_select=search.best_params_["gas__n_features_to_select"],
        )
        svm = RankSVM(C=search.best_params_["ranksvm__C"])
        kept = gas.fit_transform(data.X[train], data.y[train], qid=data.qid[train])
        svm.fit(kept, data.y[train], qid=data.qid[train])
        scores.append(svm.score(gas.transform(data.X[test]), data.y[test], qid=data.qid[test]))
    assert search.best_score_ == pytest.approx(np.mean(scores), rel=1e-12)


@pytest.mark.usefixtures("routing")
def test_any_measure_is_a_scorer(data):
    scorer = make_scorer(MAP()).set_score_request(qid=True)
    result = cross_validate(
        RankSVM(),
        data.X,
        data.y,
        params={"qid": data.qid, "groups": data.qid},
        cv=GroupKFold(3),
        scoring=scorer,
    )
    assert ((result["test_score"] > 0) & (result["test_score"] <= 1)).all()


@pytest.mark.usefixtures("routing")
def test_other_selectors_can_stand_before_a_ranker(data):
    pipeline = make_pipeline(SelectKBest(k=4), RankSVM()).fit(data.X, data.y, qid=data.qid)
    assert pipeline.predict(data.X).shape == (data.n_documents,)
    assert pipeline.score(data.X, data.y, qid=data.qid) == pytest.approx(
        NDCG(10)(data.y, pipeline.predict(data.X), qid=data.qid)
    )


def test_frames_keep_their_names(data):
    import pandas as pd

    frame = pd.DataFrame(data.X, columns=[f"feature {i}" for i in range(data.n_features)])
    gas = GAS(3).fit(frame, data.y, qid=data.qid)
    assert set(gas.get_feature_names_out()) <= set(frame.columns)
    assert gas.set_output(transform="pandas").transform(frame).shape == (data.n_documents, 3)

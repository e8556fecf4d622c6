"""Selectors and rankers in scikit-learn's pipelines and searches."""

from __future__ import annotations

import catboost
import lightgbm
import numpy as np
import pytest
import sklearn
import xgboost
from sklearn.base import clone
from sklearn.feature_selection import RFE, RFECV, SelectKBest
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from ranksieve import (
    GAS,
    MAP,
    NDCG,
    CatBoostRanker,
    LightGBMRanker,
    RankRFE,
    RankSVM,
    XGBoostRanker,
    make_ranking,
)
from ranksieve.choices import Validation


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


TREES = [
    pytest.param(each, id=each.__name__) for each in (LightGBMRanker, XGBoostRanker, CatBoostRanker)
]
every_adapter = pytest.mark.parametrize("adapter", TREES)


def by_hand(ranker, data):
    """Mean NDCG@10 over three parts by query, each ranked by a model of the others."""
    scores = []
    for train, test in GroupKFold(3).split(data.X, data.y, data.qid):
        model = clone(ranker).fit(data.X[train], data.y[train], qid=data.qid[train])
        scores.append(model.score(data.X[test], data.y[test], qid=data.qid[test]))
    return scores


@pytest.mark.usefixtures("routing")
@every_adapter
def test_an_adapter_stands_in_a_pipeline_behind_our_and_other_selectors(adapter, data):
    for selector in (GAS(4), SelectKBest(k=4), StandardScaler()):
        pipeline = make_pipeline(selector, adapter(5)).fit(data.X, data.y, qid=data.qid)
        kept = pipeline[:-1].transform(data.X)
        alone = adapter(5).fit(kept, data.y, qid=data.qid)
        np.testing.assert_array_equal(pipeline.predict(data.X), alone.predict(kept))
        assert pipeline.score(data.X, data.y, qid=data.qid) == alone.score(
            kept, data.y, qid=data.qid
        )


@pytest.mark.usefixtures("routing")
@every_adapter
def test_a_pipeline_hands_validation_queries_through_its_selector(adapter, data):
    train, aside = data.queries(range(40)), data.queries(range(40, 60))
    steps = [("gas", GAS(4)), ("ranker", adapter(5))]
    pipeline = Pipeline(steps, transform_input=["validation"])
    pipeline.fit(train.X, train.y, qid=train.qid, validation=aside)
    kept = pipeline["gas"].transform(aside.X)
    alone = adapter(5).fit(
        pipeline["gas"].transform(train.X),
        train.y,
        qid=train.qid,
        validation=(kept, aside.y, aside.qid),
    )
    np.testing.assert_array_equal(pipeline["ranker"].validation_values_, alone.validation_values_)


@pytest.mark.usefixtures("routing")
@every_adapter
def test_an_adapter_is_searched_by_a_grid_over_query_folds(adapter, data):
    search = GridSearchCV(
        adapter(5), {"learning_rate": [0.01, 0.3]}, cv=GroupKFold(3), error_score="raise"
    ).fit(data.X, data.y, qid=data.qid, groups=data.qid)
    expected = [np.mean(by_hand(adapter(5, rate), data)) for rate in (0.01, 0.3)]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-12)


@pytest.mark.usefixtures("routing")
@every_adapter
def test_an_adapter_is_cross_validated_by_query(adapter, data):
    result = cross_validate(
        adapter(5),
        data.X,
        data.y,
        params={"qid": data.qid, "groups": data.qid},
        cv=GroupKFold(3),
        error_score="raise",
    )
    np.testing.assert_allclose(result["test_score"], by_hand(adapter(5), data), rtol=1e-12)


@pytest.mark.usefixtures("routing")
@every_adapter
def test_an_adapter_eliminates_features_in_rfe_and_rfecv(adapter, data):
    rfe = RFE(adapter(5), n_features_to_select=3, step=3).fit(data.X, data.y, qid=data.qid)
    assert rfe.support_.sum() == 3
    assert rfe.score(data.X, data.y, qid=data.qid) == rfe.estimator_.score(
        rfe.transform(data.X), data.y, qid=data.qid
    )
    # Without a scorer RFECV measures by R squared, whatever `score` of its estimator is.
    scorer = make_scorer(NDCG(10)).set_score_request(qid=True)
    search = RFECV(adapter(5), step=4, cv=GroupKFold(3), scoring=scorer)
    search.fit(data.X, data.y, qid=data.qid, groups=data.qid)
    whole = np.mean(by_hand(adapter(5), data))
    assert search.cv_results_["mean_test_score"][-1] == pytest.approx(whole, rel=1e-12)


@every_adapter
def test_an_adapter_judges_features_in_our_own_searches(adapter, data):
    spelled = f"{adapter.__name__}(n_estimators=5)"
    rfe = RankRFE(spelled, 3, step=3).fit(data)
    assert rfe.get_support().sum() == 3
    assert rfe.estimator_.n_iter_ == 5
    gas = GAS(Validation(ranker=spelled)).fit(data)
    assert 1 <= gas.n_features_ <= data.n_features


@pytest.mark.usefixtures("routing")
def test_of_the_libraries_own_classes_not_all_can_be_cross_validated(data):
    """Why the adapters exist: one number a row is all that a search can cut into folds."""

    def scores(ranker, **params):
        params["groups"] = data.qid
        return cross_validate(
            ranker, data.X, data.y, params=params, cv=GroupKFold(3), error_score="raise"
        )["test_score"]

    sizes = np.diff(data.query_ptr)
    their_lightgbm = lightgbm.LGBMRanker(n_estimators=2, verbose=-1)
    with pytest.raises(TypeError, match="qid"):
        scores(their_lightgbm.set_fit_request(qid=True), qid=data.qid)
    # Sizes of all queries do not fit the rows of a fold.
    scorer = make_scorer(NDCG(10)).set_score_request(qid=True)
    with pytest.raises((ValueError, lightgbm.basic.LightGBMError)):
        cross_validate(
            lightgbm.LGBMRanker(n_estimators=2, verbose=-1).set_fit_request(group=True),
            data.X,
            data.y,
            params={"group": sizes, "qid": data.qid, "groups": data.qid},
            scoring=scorer,
            cv=GroupKFold(3),
            error_score="raise",
        )
    their_catboost = catboost.CatBoostRanker(iterations=2, verbose=0, allow_writing_files=False)
    with pytest.raises(TypeError, match="group_id"):
        scores(their_catboost, group_id=data.qid)
    theirs = xgboost.XGBRanker(n_estimators=2).set_fit_request(qid=True)
    assert len(scores(theirs, qid=data.qid)) == 3

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    PoissonRegressor,
    Ridge,
)
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from ranksieve import PointwiseRanker, RankRFE, catalog, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import load_ranker


def some_data(seed: int = 0):
    return make_ranking(30, 12, n_relevant=3, n_irrelevant=4, random_state=seed)[0]


@pytest.mark.parametrize(
    "regressor",
    [Ridge(), Ridge(alpha=5.0), Lasso(alpha=0.01), DecisionTreeRegressor(random_state=0)],
    ids=repr,
)
def test_scores_are_the_regressors_predictions(regressor):
    data = some_data()
    X = data.X.astype(np.float64)
    ours = PointwiseRanker(regressor).fit(data)
    theirs = regressor.fit(X, data.y)
    np.testing.assert_allclose(ours.predict(data), theirs.predict(X), rtol=1e-6)
    spelled = PointwiseRanker(repr(regressor)).fit(data)
    np.testing.assert_array_equal(spelled.predict(data), ours.predict(data))


def test_the_object_that_was_given_stays_unfitted():
    ridge = Ridge()
    PointwiseRanker(ridge).fit(some_data())
    assert not hasattr(ridge, "coef_")


@pytest.mark.parametrize("seed", range(2))
def test_rows_that_a_forest_draws_do_not_depend_on_the_order_of_a_file(seed):
    data = some_data(seed)
    shuffle = np.random.default_rng(seed).permutation(data.n_documents)
    rows = shuffle[np.argsort(data.qid[shuffle], kind="stable")]
    other = from_arrays(data.X[rows], data.y[rows], data.qid[rows])
    ranker = PointwiseRanker("RandomForestRegressor(n_estimators=5, random_state=0)")
    first = ranker.fit(data).predict(data)
    np.testing.assert_array_equal(ranker.fit(other).predict(data), first)


def test_equal_queries_count_alike_whatever_their_size():
    # Two queries, of two documents and of four: their means weigh the same.
    X = np.zeros((6, 1))
    y, qid = [0, 1, 2, 2, 2, 4], [1, 1, 2, 2, 2, 2]
    plain = PointwiseRanker("LinearRegression").fit(X, y, qid=qid)
    equal = PointwiseRanker("LinearRegression", equal_queries=True).fit(X, y, qid=qid)
    assert plain.predict(X)[0] == pytest.approx((1 + 10) / 6)
    assert equal.predict(X)[0] == pytest.approx((1 / 2 + 10 / 4) / 2)


def test_weights_are_of_mean_one_so_that_a_penalty_keeps_its_share():
    data = some_data()
    sizes = np.diff(data.query_ptr)
    weights = np.repeat(data.n_documents / data.n_queries / sizes, sizes)
    X = data.X.astype(np.float64)
    expected = Ridge(alpha=3.0).fit(X, data.y, sample_weight=weights).coef_
    found = PointwiseRanker(Ridge(alpha=3.0), equal_queries=True).fit(data).coef_
    assert weights.mean() == pytest.approx(1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_weights_and_importances_are_there_where_the_regressor_has_them():
    data = some_data()
    linear = PointwiseRanker(Ridge()).fit(data)
    assert linear.coef_.shape == (data.n_features,)
    assert not hasattr(linear, "feature_importances_")
    forest = PointwiseRanker(RandomForestRegressor(5, random_state=0)).fit(data)
    assert forest.feature_importances_.sum() == pytest.approx(1.0)
    assert not hasattr(forest, "coef_")
    flat = PointwiseRanker(SVR(kernel="linear")).fit(data)
    assert flat.coef_.shape == (data.n_features,)
    near = PointwiseRanker(KNeighborsRegressor()).fit(data)
    assert not hasattr(near, "coef_")
    assert not hasattr(PointwiseRanker(), "coef_")


@pytest.mark.parametrize(
    ("text", "regressor"),
    [
        ("PointwiseRanker(Ridge(alpha=2.0))", "Ridge(alpha=2.0)"),
        ("PointwiseRanker(regressor=Ridge())", "Ridge()"),
        ("PointwiseRanker('Ridge(alpha=2.0)')", "'Ridge(alpha=2.0)'"),
        (
            "PointwiseRanker(BaggingRegressor(estimator=Lasso(alpha=0.1), random_state=0))",
            "BaggingRegressor(estimator=Lasso(alpha=0.1), random_state=0)",
        ),
    ],
)
def test_a_regressor_can_be_spelled_inside_the_brackets(text, regressor):
    ranker = catalog.parse(text, "rankers")
    assert repr(ranker.regressor) == regressor
    assert repr(catalog.parse(repr(ranker), "rankers")) == repr(ranker)
    assert catalog.parse(f"RankRFE({text})", "selectors").estimator.regressor is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PointwiseRanker(Rigde())", "unknown regressor 'Rigde': did you mean 'Ridge'"),
        ("PointwiseRanker(Ridge(alhpa=2))", "Ridge has no parameter 'alhpa': did you mean 'alpha'"),
        ("PointwiseRanker(Ridge(alpha=open))", "arguments are literals"),
        ("PointwiseRanker(LogisticRegression())", "unknown regressor 'LogisticRegression'"),
        ("PointwiseRanker(__import__('os'))", "unknown regressor '__import__'"),
        ("GAS(Ridge())", "unknown component 'Ridge'"),
        ("RankRFE(Ridge())", "unknown component 'Ridge'"),
    ],
)
def test_text_that_names_no_regressor_is_refused(text, message):
    with pytest.raises(ParameterError, match=message):
        catalog.parse(text, "selectors" if text.startswith(("GAS", "RankRFE")) else "rankers")


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (PointwiseRanker("Rigde"), "unknown regressor 'Rigde'"),
        (PointwiseRanker("Ridge(alpha=print)"), "arguments are literals"),
        (PointwiseRanker("Ridge().fit"), "expected a name, or a call"),
        (PointwiseRanker(3), "regressor must be text such as .* but is 3"),
        (PointwiseRanker(Ridge), r"is the class Ridge: give an object, Ridge\(\)"),
        (PointwiseRanker(StandardScaler()), "an object with fit and predict"),
        (PointwiseRanker(equal_queries="yes"), "equal_queries must be True or False"),
        (
            PointwiseRanker(KNeighborsRegressor(), equal_queries=True),
            "takes sample_weight, but KNeighborsRegressor does not",
        ),
    ],
)
def test_wrong_parameters_are_named(ranker, message):
    with pytest.raises(ParameterError, match=message):
        ranker.fit(some_data())


@pytest.mark.parametrize(
    "regressor",
    [
        "Ridge(alpha=2.0)",
        Ridge(fit_intercept=False),
        LinearRegression(),
        Lasso(alpha=0.01),
        ElasticNet(alpha=0.01),
        HuberRegressor(max_iter=1000),
        "BayesianRidge",
        "LinearSVR(random_state=0, max_iter=100000)",
        "SGDRegressor(random_state=0)",
    ],
    ids=repr,
)
def test_linear_regressors_are_saved_as_json(regressor, tmp_path):
    data = some_data()
    model = PointwiseRanker(regressor).fit(data)
    model.save(tmp_path / "model.json")
    found = load_ranker(tmp_path / "model.json")
    np.testing.assert_array_equal(found.predict(data), model.predict(data))
    np.testing.assert_array_equal(found.coef_, model.coef_)
    assert repr(found) == repr(model)


@pytest.mark.parametrize(
    "regressor",
    [
        DecisionTreeRegressor(random_state=0),
        KNeighborsRegressor(),
        SVR(kernel="linear"),
        PoissonRegressor(),
        make_pipeline(StandardScaler(), Ridge()),
    ],
    ids=lambda each: type(each).__name__,
)
def test_other_regressors_say_how_to_save_them(regressor, tmp_path):
    model = PointwiseRanker(regressor).fit(some_data())
    with pytest.raises(ParameterError, match=r"joblib.dump or skops|has no text form"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_weights_of_another_number_are_refused():
    model = PointwiseRanker().fit(some_data())
    payload = model._payload()
    model.n_features_in_ -= 1
    with pytest.raises(DataError, match="weights are not as many as its features"):
        model._set_payload(payload)
    for wrong in (b"", b"[]", b'{"fitted": {}}', b'{"fitted": {"coef_": {"dtype": "object"}}}'):
        with pytest.raises(DataError, match=r"JSON|weights|fitted"):
            model._set_payload(wrong)


def test_a_prediction_of_several_numbers_is_refused():
    class Twice(Ridge):
        def predict(self, X):
            return np.column_stack([super().predict(X)] * 2)

    model = PointwiseRanker(Twice()).fit(some_data())
    with pytest.raises(DataError, match="must predict one number per document"):
        model.predict(some_data())


def test_clusters_are_taken_for_what_they_are():
    # Not a regressor by name, so not by text; but an object with fit and predict.
    with pytest.raises(ParameterError, match="unknown regressor 'KMeans'"):
        PointwiseRanker("KMeans").fit(some_data())
    model = PointwiseRanker(KMeans(2, random_state=0, n_init=1)).fit(some_data())
    assert set(model.predict(some_data())) == {0.0, 1.0}


def test_parameters_of_the_regressor_are_searched_by_their_names():
    data = some_data()
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            PointwiseRanker(Ridge()), {"regressor__alpha": [0.1, 1e6]}, cv=GroupKFold(3)
        ).fit(data.X, data.y, qid=data.qid, groups=data.qid)
    assert search.best_params_ in ({"regressor__alpha": 0.1}, {"regressor__alpha": 1e6})


def test_elimination_by_the_weights_of_any_regressor():
    data, truth = make_ranking(80, n_relevant=2, n_redundant=0, n_irrelevant=5, random_state=2)
    for spelled in ("PointwiseRanker(Ridge())", "PointwiseRanker('DecisionTreeRegressor')"):
        rfe = RankRFE(spelled, n_features_to_select=2).fit(data)
        assert rfe.get_support(indices=True).tolist() == truth.relevant.tolist()


def test_what_a_regressor_refuses_is_an_error_of_the_parameter():
    data, _ = make_ranking(10, random_state=0)
    with pytest.raises(ParameterError, match=r"Ridge.*refuses its parameters.*alpha"):
        PointwiseRanker("Ridge(alpha=-1)").fit(data)

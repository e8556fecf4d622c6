"""What the three adapters share: rounds, threads, silence, parameters, grades."""

from __future__ import annotations

import copy
import pickle
import sys

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from numpy.testing import assert_array_equal
from sklearn.base import clone
from threadpoolctl import threadpool_info

from ranksieve import CatBoostRanker, LightGBMRanker, XGBoostRanker, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import (
    ConvergenceWarning,
    DataError,
    MissingDependencyError,
    ParameterError,
)
from ranksieve.measures import parse_measure
from ranksieve.progress import listening
from ranksieve.rankers import _trees, load_ranker
from ranksieve.rankers._row_order import in_own_order, in_own_order_of_queries
from ranksieve.threads import threads

ADAPTERS = [
    pytest.param(each, id=each.__name__) for each in (LightGBMRanker, XGBoostRanker, CatBoostRanker)
]
every_adapter = pytest.mark.parametrize("adapter", ADAPTERS)


def some_data(seed: int = 0, n_queries: int = 30):
    return make_ranking(n_queries, 12, n_relevant=3, n_irrelevant=4, random_state=seed)[0]


def train_and_aside(seed: int = 0):
    data = some_data(seed)
    return data.queries(range(20)), data.queries(range(20, 30))


def library_model(model):
    return model.model_ if isinstance(model, CatBoostRanker) else model.booster_


def first_rounds(model, X, n_rounds: int):
    """Scores by the first rounds, asked of the library itself."""
    if isinstance(model, LightGBMRanker):
        return model.booster_.predict(X, num_iteration=n_rounds)
    if isinstance(model, XGBoostRanker):
        matrix = xgboost.DMatrix(X, feature_names=model.booster_.feature_names)
        return model.booster_.predict(matrix, iteration_range=(0, n_rounds)).astype(np.float64)
    return model.model_.predict(X, ntree_end=n_rounds)


@every_adapter
@pytest.mark.parametrize("measure", ["ndcg@10", "map", "MAP(ties='worst')", "err@5"])
def test_each_round_is_measured_as_the_library_scores_its_trees(adapter, measure):
    train, aside = train_and_aside()
    whole = adapter(12).fit(train)
    watched = adapter(12, measure=measure, patience=12).fit(train, validation=aside)
    parsed = parse_measure(measure)
    if parsed.ties == "input":  # rows may not decide
        parsed = parsed.with_ties("average")
    expected = [
        parsed(aside.y, first_rounds(whole, aside.X, n), qid=aside.qid) for n in range(1, 13)
    ]
    np.testing.assert_allclose(watched.validation_values_, expected, rtol=0, atol=1e-12)


@every_adapter
@pytest.mark.parametrize("seed", [0, 1])
def test_training_ends_patience_rounds_after_the_best_and_keeps_that(adapter, seed):
    train, aside = train_and_aside(seed)
    model = adapter(60, 0.3, patience=3).fit(train, validation=aside)
    values = model.validation_values_
    best = int(np.argmax(values))
    assert len(values) == min(best + 1 + 3, 60)
    assert model.n_iter_ == best + 1
    short = adapter(model.n_iter_, 0.3).fit(train)
    np.testing.assert_array_equal(model.predict(aside), short.predict(aside))


@every_adapter
def test_validation_queries_of_as_many_documents_as_the_training_are_told_apart(adapter):
    train, _ = train_and_aside()
    aside = from_arrays(-train.X, train.y, train.qid)
    model = adapter(5, patience=5).fit(train, validation=aside)
    assert model.validation_values_.max() < adapter(5).fit(train).score(train)


@every_adapter
def test_threads_do_not_change_the_model(adapter):
    train = some_data(n_queries=160)
    aside = some_data(1)
    options = {"subsample": 0.7, "feature_fraction": 0.7, "random_state": 3}
    one, two = (adapter(15, **options, n_jobs=n).fit(train) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(aside), two.predict(aside))
    other = adapter(15, **{**options, "random_state": 4}).fit(train)
    assert not np.array_equal(other.predict(aside), one.predict(aside))


@pytest.fixture
def seen_threads(monkeypatch):
    """Numbers of threads with which an adapter trains."""
    seen = []
    for adapter in (LightGBMRanker, XGBoostRanker, CatBoostRanker):
        own = adapter._train

        def train(self, library, data, watch, own=own):
            params = self._library_params({} if isinstance(self, XGBoostRanker) else library)
            names = ("num_threads", "nthread", "thread_count")
            seen.extend(params[name] for name in names if name in params)
            return own(self, library, data, watch)

        monkeypatch.setattr(adapter, "_train", train)
    return seen


@every_adapter
def test_few_documents_are_trained_on_one_thread(adapter, seen_threads, monkeypatch):
    train = some_data(n_queries=160)  # more than a thousand documents
    with threads(2):
        adapter(2).fit(train)
        monkeypatch.setattr(_trees, "_FEW_DOCUMENTS", train.n_documents)
        adapter(2).fit(train)
    with threads(1):
        adapter(2).fit(train)
    monkeypatch.setenv("RANKSIEVE_THREADS", "3")
    adapter(2).fit(train)
    assert seen_threads == [1, 2, 1, 3]


@every_adapter
def test_a_number_of_threads_is_used_as_it_is(adapter, seen_threads):
    train = some_data()
    with threads(1):
        model = adapter(2, n_jobs=2).fit(train)
    assert seen_threads == [2]
    assert model._n_threads(1) == 2


@every_adapter
@pytest.mark.parametrize("n_jobs", [0, -1, 1.5, True])
def test_a_number_of_threads_is_whole_and_at_least_one(adapter, n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be"):
        adapter(2, n_jobs=n_jobs).fit(some_data())


@every_adapter
def test_threads_of_the_library_go_by_one_name(adapter):
    name = {LightGBMRanker: "num_threads", XGBoostRanker: "nthread"}.get(adapter, "thread_count")
    with pytest.raises(ParameterError, match=f"'{name}', which is not for it to set: set n_jobs"):
        adapter(2, params={name: 2}).fit(some_data())


@every_adapter
def test_threads_and_settings_of_the_process_stay_as_they_were(adapter):
    train, aside = train_and_aside()
    adapter(2).fit(train)  # the library and its pools are loaded by now
    before = threadpool_info(), xgboost.get_config(), lightgbm.basic._LOGGER
    with threads(1):
        model = adapter(5, params=None).fit(train, validation=aside)
        model.predict(aside)
    assert (threadpool_info(), xgboost.get_config()) == before[:2]
    assert lightgbm.basic._LOGGER is before[2]
    with xgboost.config_context(verbosity=2):
        adapter(2).fit(train)
        assert xgboost.get_config()["verbosity"] == 2


@every_adapter
def test_nothing_is_printed_and_no_file_is_left_behind(adapter, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train, aside = train_and_aside()
    model = adapter(5).fit(train, validation=aside)
    pickle.loads(pickle.dumps(model)).predict(aside)
    model.save("model")
    load_ranker("model").predict(aside)
    assert capfd.readouterr() == ("", "")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@every_adapter
def test_copies_score_alike(adapter):
    train, aside = train_and_aside()
    model = adapter(5).fit(train, validation=aside)
    scores = model.predict(aside)
    for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.predict(aside), scores)
        assert same.get_params() == model.get_params()
    assert not hasattr(clone(model), "n_iter_")


@every_adapter
def test_rounds_are_reported(adapter):
    train, aside = train_and_aside()
    seen = []
    with listening(lambda *said: seen.append(said)):
        adapter(4).fit(train)
        adapter(4).fit(train, validation=aside)
    assert seen == [("training", done, 4) for done in (1, 2, 3, 4)] * 2


@every_adapter
def test_a_missing_package_is_named_with_its_install_line(adapter, monkeypatch, tmp_path):
    train, _ = train_and_aside()
    adapter(2).fit(train).save(tmp_path / "model")
    name = adapter._package
    monkeypatch.setitem(sys.modules, name, None)
    message = rf"{adapter.__name__} needs .*{name}.*pip install 'ranksieve\[{name}\]'"
    with pytest.raises(MissingDependencyError, match=message):
        adapter(2).fit(train)
    with pytest.raises(MissingDependencyError, match=message):
        load_ranker(tmp_path / "model")


@every_adapter
def test_importances_are_shares_and_find_the_planted_features(adapter):
    data, truth = make_ranking(80, n_relevant=2, n_redundant=0, n_irrelevant=5, random_state=2)
    importances = adapter(20).fit(data).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert sorted(np.argsort(importances)[-2:]) == truth.relevant.tolist()


@pytest.mark.parametrize(
    "objective",
    ["YetiRank", "YetiRankPairwise", "PairLogit", "QueryRMSE", "StochasticRank:metric=NDCG"],
)
@pytest.mark.parametrize("seed", range(2))
def test_catboosts_importances_are_its_loss_changes_on_the_training_documents(objective, seed):
    data = some_data(seed)
    model = CatBoostRanker(10, depth=3, objective=objective).fit(data)
    ordered = in_own_order_of_queries(data)
    grades = ordered.y / ordered.y.max() if objective.startswith("YetiRank") else ordered.y
    queries = np.repeat(np.arange(data.n_queries), np.diff(ordered.query_ptr))
    pool = catboost.Pool(np.asarray(ordered.X, np.float32), label=grades, group_id=queries)
    own = model.model_.get_feature_importance(data=pool, type="LossFunctionChange")
    expected = np.maximum(own, 0.0)
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum(), rtol=1e-9)
    by_scores = model.model_.get_feature_importance(type="PredictionValuesChange")
    assert not np.allclose(model.feature_importances_, by_scores / by_scores.sum(), rtol=1e-3)


def test_catboosts_importances_are_in_the_file_and_a_file_without_them_is_read(tmp_path):
    model = CatBoostRanker(10, depth=3).fit(some_data())
    model.save(tmp_path / "model.cbm")
    assert_array_equal(
        load_ranker(tmp_path / "model.cbm").feature_importances_, model.feature_importances_
    )
    older = copy.deepcopy(model)
    del older.model_.get_metadata()["ranksieve_feature_importances"]
    older.save(tmp_path / "older.cbm")
    by_scores = model.model_.get_feature_importance(type="PredictionValuesChange")
    np.testing.assert_allclose(
        load_ranker(tmp_path / "older.cbm").feature_importances_, by_scores / by_scores.sum()
    )


@every_adapter
@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e300])
def test_features_of_any_range_give_finite_scores(adapter, scale):
    data = some_data()
    X = data.X.astype(np.float64)
    X[:, 1] *= scale
    X[:, 2] = scale
    model = adapter(5).fit(X, data.y, qid=data.qid)
    assert np.isfinite(model.predict(X)).all()
    assert model.feature_importances_[2] == 0


@every_adapter
def test_float32_and_float64_copies_of_the_same_values_score_alike(adapter):
    data = some_data()
    single = data.X.astype(np.float32)
    first = adapter(10).fit(single, data.y, qid=data.qid)
    second = adapter(10).fit(single.astype(np.float64), data.y, qid=data.qid)
    np.testing.assert_array_equal(first.predict(single), second.predict(single))
    np.testing.assert_array_equal(first.predict(single.astype(np.float64)), first.predict(single))


@every_adapter
def test_query_ids_may_be_text_in_any_order(adapter):
    data = some_data()
    names = np.array([f"query {7 * q % 30}" for q in range(30)])[data.qid - data.qid.min()]
    by_name = adapter(5).fit(data.X, data.y, qid=names)
    np.testing.assert_array_equal(by_name.predict(data.X), adapter(5).fit(data).predict(data))


@every_adapter
def test_features_that_never_vary_are_named_or_warned_of(adapter):
    y, qid = [0, 1, 0, 1], [1, 1, 2, 2]
    if adapter is CatBoostRanker:
        with pytest.raises(DataError, match="none of the 2 features varies"):
            adapter(3).fit(np.ones((4, 2)), y, qid=qid)
        return
    with pytest.warns(ConvergenceWarning, match="found no split"):
        model = adapter(3).fit(np.ones((4, 2)), y, qid=qid)
    assert np.ptp(model.predict(np.ones((4, 2)))) == 0
    assert model.n_iter_ >= 1


@every_adapter
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number of at least 1, but is 0"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0"),
        ({"l2": -1}, "l2 must be a number of at least 0"),
        ({"subsample": 0}, "subsample must be a number above 0"),
        ({"subsample": 1.5}, "subsample is a share of at most 1, but is 1.5"),
        ({"feature_fraction": 2}, "feature_fraction is a share of at most 1"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"random_state": 2**40}, "random_state must be at most 2147483647"),
        ({"objective": "lambda"}, "objective must be one of"),
        ({"objective": None}, "objective must be one of"),
        ({"params": [1]}, "params must be a dict of"),
        ({"params": {"learning_rate": 0.2}}, "'learning_rate', which is not for it to set: set le"),
        ({"params": {"eta": 0.2}}, "'eta', which is not for it to set: set learning_rate"),
        ({"params": {"random_state": 2}}, "'random_state', .*: set random_state"),
        ({"params": {"no_such": 2}}, "no_such"),
    ],
)
def test_wrong_parameters_are_named(adapter, wrong, message):
    with pytest.raises(ParameterError, match=message):
        adapter(**{"n_estimators": 2, **wrong}).fit(some_data())


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (LightGBMRanker(num_leaves=1), "num_leaves must be a whole number of at least 2"),
        (LightGBMRanker(min_leaf_documents=0), "min_leaf_documents must be a whole number"),
        (LightGBMRanker(params={"max_bins": 3, "max_bni": 2}), "'max_bni', .* did you mean 'max_b"),
        (LightGBMRanker(params={"max_bin": 1}), "LightGBM refuses: .*max_bin"),
        (LightGBMRanker(params={"boosting_type": "dart"}), "'boosting_type', .* only gbdt allows"),
        (XGBoostRanker(max_depth=0), "max_depth must be a whole number of at least 1"),
        (XGBoostRanker(min_child_weight=-1), "min_child_weight must be a number of at least 0"),
        (XGBoostRanker(params={"gamma": -1}), "XGBoost refuses: .*min_split_loss should be"),
        (CatBoostRanker(depth=17), "depth must be at most 16, but is 17"),
        (CatBoostRanker(objective="YetiRank:mode=None"), "CatBoost refuses"),
        (CatBoostRanker(params={"border_count": -1}), "CatBoost refuses"),
    ],
)
def test_wrong_parameters_of_one_library_are_named(ranker, message):
    with pytest.raises(ParameterError, match=message):
        ranker.fit(some_data())


@pytest.mark.parametrize(
    "ranker",
    [
        LightGBMRanker(8, params={"max_bin": 3}),
        LightGBMRanker(8, params={"min_split_gain": 1.0}),  # an alias
        XGBoostRanker(8, params={"gamma": 1.0}),
        XGBoostRanker(8, params={"max_bin": 3}),
        XGBoostRanker(8, params={"tree_method": "exact"}),
        XGBoostRanker(8, params={"lambdarank_pair_method": "mean"}),
        CatBoostRanker(8, params={"random_strength": 5.0}),
        CatBoostRanker(8, params={"grow_policy": "Lossguide", "min_data_in_leaf": 40}),
    ],
    ids=repr,
)
def test_further_parameters_reach_the_library(ranker):
    data = some_data()
    plain = clone(ranker).set_params(params=None).fit(data)
    assert not np.array_equal(ranker.fit(data).predict(data), plain.predict(data))


@pytest.mark.parametrize(
    "ranker",
    [
        *(LightGBMRanker(8, objective=each) for each in ("rank_xendcg", "regression")),
        *(XGBoostRanker(8, objective=each) for each in ("rank:pairwise", "reg:squarederror")),
        CatBoostRanker(8, objective="YetiRankPairwise"),
        CatBoostRanker(8, objective="PairLogit"),
        CatBoostRanker(8, objective="PairLogitPairwise"),
        CatBoostRanker(8, objective="QueryRMSE"),
        CatBoostRanker(8, objective="QuerySoftMax"),
        CatBoostRanker(8, objective="StochasticRank:metric=NDCG"),
        CatBoostRanker(8, objective="RMSE"),
        CatBoostRanker(8, objective="YetiRank:mode=NDCG"),
    ],
    ids=repr,
)
def test_every_objective_learns_and_can_be_watched(ranker):
    train, aside = train_and_aside()
    by_chance = np.random.default_rng(0).normal(size=(20, aside.n_documents))
    ndcg = parse_measure("ndcg@10")
    model = ranker.fit(train, validation=aside)
    assert model.score(aside) > max(ndcg(aside.y, each, qid=aside.qid) for each in by_chance)


def with_grades(ranker, y):
    data = some_data()
    return ranker.fit(data.X, y(data.y), qid=data.qid)


@pytest.mark.parametrize(
    ("ranker", "grades", "message"),
    [
        (LightGBMRanker(2), lambda y: y / 2, r"whole numbers, but one is 0.5. Take objective='reg"),
        (LightGBMRanker(2), lambda y: y * 20, "grades up to 30, but the largest grade is 80"),
        (
            LightGBMRanker(2, params={"label_gain": [0, 1]}),
            lambda y: y,
            "grades up to 1, but the largest grade is 4",
        ),
        (XGBoostRanker(2), lambda y: y / 2, "whole numbers, but one is 0.5"),
        (XGBoostRanker(2), lambda y: y * 20, "grades up to 31, but the largest grade is 80"),
        (XGBoostRanker(2, objective="rank:map"), lambda y: y, "needs grades 0 and 1"),
    ],
)
def test_grades_that_an_objective_cannot_take_are_named(ranker, grades, message):
    with pytest.raises(DataError, match=message):
        with_grades(ranker, grades)


@pytest.mark.parametrize(
    ("ranker", "grades"),
    [
        (LightGBMRanker(5, objective="regression"), lambda y: y / 2),
        (LightGBMRanker(5, params={"label_gain": list(range(81))}), lambda y: y * 20),
        (LightGBMRanker(5, params={"label_gain": "0,1,3,7,15"}), lambda y: y),
        (XGBoostRanker(5, params={"ndcg_exp_gain": False}), lambda y: y * 20),
        (XGBoostRanker(5, objective="rank:map"), lambda y: np.minimum(y, 1)),
        (XGBoostRanker(5, objective="rank:pairwise"), lambda y: y / 2),
        (CatBoostRanker(5), lambda y: y / 2),
        (CatBoostRanker(5), lambda y: y * 50),
    ],
    ids=str,
)
def test_grades_of_other_kinds_are_taken_where_the_objective_allows(ranker, grades):
    assert with_grades(ranker, grades).score(some_data()) > 0.7


def test_yetirank_does_not_depend_on_the_unit_of_grades():
    first = with_grades(CatBoostRanker(5), lambda y: y)
    second = with_grades(CatBoostRanker(5), lambda y: y * 8)
    np.testing.assert_array_equal(first.predict(some_data()), second.predict(some_data()))


def test_lightgbm_is_trained_as_by_its_own_interface():
    data = in_own_order(some_data())
    theirs = lightgbm.LGBMRanker(
        n_estimators=15,
        num_leaves=7,
        min_child_samples=5,
        reg_lambda=2.0,
        random_state=0,
        deterministic=True,
        force_row_wise=True,
        verbose=-1,
    ).fit(data.X, data.y, group=np.diff(data.query_ptr))
    ours = LightGBMRanker(15, num_leaves=7, min_leaf_documents=5, l2=2.0).fit(some_data())
    np.testing.assert_allclose(ours.predict(data), theirs.predict(data.X), rtol=1e-12)


def test_xgboost_is_trained_as_by_its_own_interface():
    data = in_own_order(some_data())
    theirs = xgboost.XGBRanker(
        n_estimators=15,
        learning_rate=0.1,
        max_depth=3,
        min_child_weight=0.1,
        objective="rank:ndcg",
        random_state=0,
    ).fit(data.X, data.y, qid=data.qid)
    ours = XGBoostRanker(15, max_depth=3).fit(some_data())
    np.testing.assert_allclose(ours.predict(data), theirs.predict(data.X), rtol=1e-5, atol=1e-6)


def test_catboost_is_trained_as_by_its_own_interface():
    from catboost import CatBoostRanker as TheirRanker

    data = in_own_order_of_queries(some_data())
    theirs = TheirRanker(
        iterations=15,
        learning_rate=0.1,
        depth=3,
        loss_function="YetiRank",
        random_seed=0,
        verbose=False,
        allow_writing_files=False,
    ).fit(data.X, data.y / data.y.max(), group_id=data.qid)
    ours = CatBoostRanker(15, depth=3).fit(some_data())
    np.testing.assert_allclose(ours.predict(data), theirs.predict(data.X), rtol=1e-9)


@every_adapter
def test_the_librarys_model_is_at_hand(adapter):
    model = adapter(3).fit(some_data())
    assert type(library_model(model)).__module__.split(".")[0] == adapter._package
    assert model.n_iter_ == 3

from __future__ import annotations

import pickle
import warnings

import lightgbm
import numpy as np
import pytest
import sklearn
import xgboost
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.utils.validation import NotFittedError

from ranksieve import (
    GAS,
    NDCG,
    RankFilter,
    RankRFE,
    RankSVM,
    SparseRankSVM,
    TopK,
    catalog,
    make_ranking,
)
from ranksieve.data import from_arrays
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from ranksieve.importance import PermutationImportance
from ranksieve.progress import listening
from ranksieve.rankers import Ranker
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.rfe import eliminate, ranksvm_sizes


def planted(seed=0, **numbers):
    sizes = {"n_relevant": 3, "n_redundant": 2, "n_irrelevant": 5} | numbers
    return make_ranking(60, 15, random_state=seed, **sizes)


class Weighted(BaseEstimator):
    """Gives each feature its own mean as its weight, and remembers nothing else."""

    def __init__(self, attribute="coef_"):
        self.attribute = attribute

    def fit(self, X, y, qid=None):
        assert len(qid) == len(y) == len(X)
        assert (np.diff(qid) >= 0).all()
        setattr(self, self.attribute, X.mean(axis=0))
        return self

    def predict(self, X):
        return X.sum(axis=1)


def with_means(means):
    """Two queries of two documents, whose features have these means and vary in each query."""
    X = np.asarray(means, dtype=float) + np.array([[1.0], [-1.0], [1.0], [-1.0]])
    return X, [1, 0, 1, 0], ["b", "b", "a", "a"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("step", "drops"),
    [
        (1, [1] * 9),
        (2, [2, 2, 2, 2, 1]),
        # Of 10, 7, 5, 3, 2 left: 3.0, 2.1, 1.5, 0.9 and 0.6, halves up.
        (0.3, [3, 2, 2, 1, 1]),
        (0.01, [1] * 9),
        (9, [9]),
        (100, [9]),
    ],
)
def test_the_order_is_that_of_a_plain_loop_over_columns(seed, step, drops):
    data, _ = planted(seed)

    def sizes(X, y, qid):
        return ranksvm_sizes(X, y, qid, C=0.01, tol=1e-10)

    reference = eliminate(data.X, data.y, data.qid, drops, sizes)
    found = RankRFE("RankSVM(C=0.01, tol=1e-10)", step=step).fit(data)
    assert found.order_.tolist() == reference
    assert found.n_fits_ == len(drops) + 1


@pytest.mark.parametrize("seed", range(3))
def test_random_data_with_ties_and_constants_is_eliminated_as_by_the_plain_loop(seed):
    X, y, query_ptr = random_arrays(seed, n_features=7)
    qid = row_ids(query_ptr)

    def sizes(X, y, qid):
        return ranksvm_sizes(X, y, qid, C=1.0)

    reference = eliminate(X[:, :-1], y, qid, [1] * 5, sizes)
    found = RankRFE("RankSVM(C=1.0)").fit(in_blocks(X, y, query_ptr, [3, 5]))
    assert found.order_.tolist() == [*reference, 6]


class Choosing(RankSVM):
    """RankSVM that counts how often folds choose its C."""

    n_choices = 0

    def _choose(self, data):
        Choosing.n_choices += self.C is None
        return super()._choose(data)


@pytest.mark.parametrize("seed", range(2))
def test_folds_choose_c_once_with_all_features_and_every_round_keeps_it(seed, monkeypatch):
    data, _ = planted(seed)
    monkeypatch.setattr(Choosing, "n_choices", 0)
    found = RankRFE(Choosing(), 4).fit(data)
    assert Choosing.n_choices == 1
    C = RankSVM().fit(data).C_
    assert found.estimator_.C == C
    fixed = RankRFE(RankSVM(C=C), 4).fit(data)
    np.testing.assert_array_equal(found.order_, fixed.order_)
    np.testing.assert_array_equal(found.coef_, fixed.coef_)


@pytest.mark.parametrize("seed", range(4))
def test_step_one_is_scikit_learns_elimination(seed):
    data, _ = planted(seed)

    class ForOneSetOfQueries(BaseEstimator):
        def fit(self, X, y):
            self.coef_ = RankSVM(C=1.0, tol=1e-10).fit(X, y, qid=data.qid).coef_
            return self

    oracle = RFE(ForOneSetOfQueries(), n_features_to_select=1, step=1).fit(data.X, data.y)
    found = RankRFE(RankSVM(C=1.0, tol=1e-10)).fit(data)
    np.testing.assert_array_equal(found.order_, np.argsort(oracle.ranking_))
    np.testing.assert_array_equal(found.scores_, 11 - oracle.ranking_)


class Cold(RankSVM):
    """RankSVM from zero, which counts its iterations."""

    n_iter = 0

    def _fit(self, data):
        self._start = None
        super()._fit(data)
        Cold.n_iter += self.n_iter_


class Warm(RankSVM):
    """RankSVM as it is, which counts its iterations."""

    n_iter = 0

    def _fit(self, data):
        super()._fit(data)
        Warm.n_iter += self.n_iter_


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("step", [1, 0.5])
def test_starting_from_the_round_before_saves_iterations_and_changes_no_order(
    seed, step, monkeypatch
):
    data, _ = planted(seed)
    monkeypatch.setattr(Cold, "n_iter", 0)
    monkeypatch.setattr(Warm, "n_iter", 0)
    cold, warm = RankRFE(Cold(), step=step).fit(data), RankRFE(Warm(), step=step).fit(data)
    np.testing.assert_array_equal(warm.order_, cold.order_)
    np.testing.assert_array_equal(warm.coef_, cold.coef_)  # the last fit starts from zero
    assert Warm.n_iter < Cold.n_iter


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("truth", ["linear", "nonlinear"])
def test_planted_features_are_found_by_an_estimator_that_can_see_them(seed, truth):
    data, planted_truth = make_ranking(
        150, 30, n_relevant=2, n_redundant=0, n_irrelevant=6, truth=truth, random_state=seed
    )
    estimator = {"linear": "RankSVM", "nonlinear": "RankFilter"}[truth]
    found = RankRFE(estimator, 2, step=2).fit(data)
    assert found.get_support(indices=True).tolist() == planted_truth.relevant.tolist()


def test_of_two_copies_one_stays_to_the_end():
    data, truth = planted(0, n_relevant=2, n_redundant=0, n_irrelevant=4)
    X = np.column_stack([data.X, data.X[:, truth.relevant]])
    order = RankRFE("RankSVM(C=1.0)").fit(X, data.y, qid=data.qid).order_
    # Alike to the last digit, so the copies, which have the higher index, go first.
    assert sorted(order[:2].tolist()) == truth.relevant.tolist()


@pytest.mark.parametrize(
    "selector",
    [RankFilter(n_neighbors=3), GAS(4, importance="map"), GAS("validation"), RankFilter(0.5)],
)
@pytest.mark.parametrize("step", [1, 3])
def test_a_selector_is_run_again_on_what_is_left(selector, step):
    data, _ = planted(1)
    left, worst_first = np.arange(10), []
    while len(left) > 1:
        again = clone(selector).set_params(n_features_to_select=1).fit(data.X[:, left], data.y,
                                                                      qid=data.qid)  # fmt: skip
        going = left[again.order_[::-1]][: min(step, len(left) - 1)]
        worst_first += going.tolist()
        left = np.setdiff1d(left, going)
    found = RankRFE(selector, step=step).fit(data)
    assert found.order_.tolist() == [*left, *worst_first[::-1]]
    assert found.n_fits_ == (9 if step == 1 else 3)


def test_running_a_relief_again_is_not_running_it_once():
    orders = []
    for seed in range(5):
        data, _ = planted(seed)
        once, again = RankFilter().fit(data).order_, RankRFE("RankFilter").fit(data).order_
        assert once[-1] == again[-1]  # the first round sees the same
        orders.append(once.tolist() == again.tolist())
    assert not all(orders)


def test_weights_go_by_size_and_importances_by_value():
    X, y, qid = with_means([0.5, -3.0, 2.0, -1.0])
    weights = RankRFE(Weighted("coef_")).fit(X, y, qid=qid)
    assert weights.order_.tolist() == [1, 2, 3, 0]
    assert weights.scores_.tolist() == [1, 4, 3, 2]
    importances = RankRFE(Weighted("feature_importances_")).fit(X, y, qid=qid)
    assert importances.order_.tolist() == [2, 0, 3, 1]


def test_of_equal_features_the_higher_index_goes_first_and_constants_before_all():
    X, y, qid = with_means([1.0, 2.0, 1.0, 2.0, 1.0])
    X[:, 1] = 9.0  # the largest mean, but constant
    found = RankRFE(Weighted(), step=2).fit(X, y, qid=qid)
    assert found.order_.tolist() == [3, 0, 2, 4, 1]
    assert found.scores_.tolist() == [2, 0, 1, 3, 1]
    assert found.n_fits_ == 2 + 1


def test_a_number_inside_a_round_takes_the_best_of_that_round():
    X, y, qid = with_means([4.0, 1.0, 3.0, 2.0, 5.0])
    found = RankRFE(Weighted(), 2, step=4).fit(X, y, qid=qid)
    assert found.get_support(indices=True).tolist() == [0, 4]


@pytest.mark.parametrize("number", [1, 4, 10])
def test_the_estimator_is_that_of_the_selected_features_and_predict_uses_only_them(number):
    data, _ = planted(2)
    rfe = RankRFE("RankSVM(C=0.1)", number).fit(data)
    chosen = rfe.get_support(indices=True)
    alone = RankSVM(C=0.1).fit(data.features(chosen))
    np.testing.assert_array_equal(rfe.estimator_.coef_, alone.coef_)
    np.testing.assert_array_equal(rfe.coef_[chosen], alone.coef_)
    assert np.count_nonzero(rfe.coef_) == number
    scores = alone.predict(data.features(chosen))
    np.testing.assert_array_equal(rfe.predict(data), scores)
    others = data.X.copy()
    others[:, np.setdiff1d(np.arange(10), chosen)] = 7.0
    np.testing.assert_array_equal(rfe.predict(others), scores)
    assert rfe.score(data) == NDCG(10)(data.y, scores, qid=data.qid)
    assert rfe.score(others, data.y, qid=data.qid) == rfe.score(data)


def test_predict_takes_frames_and_data_with_names_in_any_order():
    import pandas as pd

    data, _ = planted(3)
    names = [f"feature {index}" for index in range(10)]
    named = from_arrays(data.X, data.y, data.qid, feature_names=names)
    frame, turned = pd.DataFrame(data.X, columns=names), np.arange(10)[::-1]
    rfe, unnamed = RankRFE(n_features_to_select=3).fit(named), RankRFE(n_features_to_select=3)
    scores = rfe.predict(data.X)
    for same in (named, named.features(turned), frame, frame[names[::-1]], data):
        np.testing.assert_array_equal(rfe.predict(same), scores)
    np.testing.assert_array_equal(unnamed.fit(data).predict(named), scores)
    np.testing.assert_array_equal(unnamed.fit(frame, data.y, qid=data.qid).predict(named), scores)
    with pytest.raises(DataError, match="was fitted on 10"):
        rfe.predict(data.features([0, 1, 2]))
    with pytest.raises(DataError, match="10 features"):
        rfe.predict(data.X[:, :3])


@pytest.mark.parametrize("selector", ["RankFilter", GAS()])
def test_a_selector_predicts_nothing(selector):
    data, _ = planted()
    for rfe in (RankRFE(selector), RankRFE(selector).fit(data)):
        assert not hasattr(rfe, "predict")
        assert not hasattr(rfe, "score")
        assert not hasattr(rfe, "coef_")
        assert not hasattr(rfe, "estimator_")


def test_a_ranker_predicts_once_it_is_fitted():
    data, _ = planted()
    for estimator in ("RankSVM", RankSVM(), Weighted()):
        assert hasattr(RankRFE(estimator), "predict")
        assert not hasattr(RankRFE(estimator), "coef_")
        with pytest.raises(NotFittedError):
            RankRFE(estimator).predict(data)


@pytest.mark.parametrize("estimator", ["RankSVM", Weighted()])
@pytest.mark.parametrize("case", ["one grade", "one document a query"])
def test_without_anything_to_learn_features_keep_their_order(estimator, case):
    data, truth = planted(0, n_constant=1)
    y = np.ones(len(data)) if case == "one grade" else data.y
    qid = data.qid if case == "one grade" else np.arange(len(data))
    found = RankRFE(estimator).fit(data.X, y, qid=qid)
    varying = np.setdiff1d(np.arange(11), truth.constant).tolist()
    rising = list(range(11))  # a query of one document makes every feature a constant one
    expected = [*varying, *truth.constant] if case == "one grade" else rising
    assert found.order_.tolist() == expected
    assert found.n_fits_ == 0
    assert found.estimator_ is None
    assert not hasattr(found, "coef_")
    with pytest.raises(DataError, match="no query of the fit has documents with different grades"):
        found.predict(data)


def test_one_feature_is_kept_without_a_round():
    data, _ = planted()
    found = RankRFE().fit(data.features([3]))
    assert (found.order_.tolist(), found.scores_.tolist(), found.n_fits_) == ([0], [1.0], 1)


@pytest.mark.parametrize("booster", ["gbtree", "gblinear"])
def test_xgboosts_ranker_is_an_estimator(booster):
    data, truth = planted(0, n_redundant=0)
    shuffled = np.random.default_rng(0).permutation(data.n_queries)
    parts = [np.flatnonzero(data.qid == data.query_ids[query]) for query in shuffled]
    rows, ids = np.concatenate(parts), np.repeat(shuffled.astype(str), [len(p) for p in parts])
    linear = {"updater": "coord_descent"} if booster == "gblinear" else {}
    ranker = xgboost.XGBRanker(
        booster=booster, objective="rank:pairwise", n_estimators=20, n_jobs=1, **linear
    )
    rfe = RankRFE(ranker, 3).fit(data.X[rows], data.y[rows], qid=ids)  # text, not sorted
    assert rfe.get_support(indices=True).tolist() == truth.relevant.tolist()
    assert hasattr(rfe, "coef_") == (booster == "gblinear")
    scores = rfe.estimator_.predict(data.X[:, truth.relevant])
    np.testing.assert_array_equal(rfe.predict(data), scores)
    np.testing.assert_array_equal(rfe.predict(data.X), scores)


class NoWeights(Ranker):
    def _fit(self, data):
        self.done_ = True

    def _scores(self, X):
        return np.zeros(len(X))


class Broken(Weighted):
    def fit(self, X, y, qid=None):
        self.coef_ = {"short": np.ones(1), "nan": np.full(X.shape[1], np.nan)}[self.attribute]


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        ("RankSVN", r"unknown estimator 'RankSVN': did you mean 'RankSVM'\? Known rankers and sel"),
        ("RankFiltre(n_neighbors=2)", r"unknown estimator 'RankFiltre': did you mean 'RankFilter'"),
        ("RankSVM(c=1)", "RankSVM has no parameter 'c': did you mean 'C'"),
        ("RankFilter(", r"cannot read 'RankFilter\('"),
        ("1 + 1", r"unknown estimator '1 \+ 1'"),
        (None, r"estimator must be text such as 'RankSVM\(C=0.1\)'.* but is None"),
        (RankSVM, "is the class RankSVM: give an object"),
        (LinearRegression(), r"an object with fit\(X, y, qid=...\).*LinearRegression, whose fit t"),
        (
            NoWeights(),
            "coef_ or feature_importances_, once it is fitted, but NoWeights has neither",
        ),
        (Broken("short"), r"Broken must give one finite number per feature.*shape \(1,\)"),
        (Broken("nan"), r"shape \(10,\), 0 of them finite"),
    ],
)
def test_estimators_that_cannot_judge_are_named(estimator, message):
    with pytest.raises((ParameterError, DataError), match=message):
        RankRFE(estimator).fit(planted()[0])


def test_a_misspelt_estimator_has_no_predict_rather_than_an_error():
    assert not hasattr(RankRFE("RankSVN"), "predict")


@pytest.mark.parametrize("step", [0, -1, 0.0, 1.0, 1.5, True, "1", None, np.nan])
def test_impossible_steps_are_named(step):
    with pytest.raises(ParameterError, match="step must be a whole number of features of at leas"):
        RankRFE(step=step).fit(planted()[0])


@pytest.mark.parametrize(
    "text",
    [
        "RankRFE()",
        "RankRFE(estimator='RankSVM(C=0.01)', n_features_to_select=5, step=0.5)",
        "RankRFE(estimator=RankSVM(C=0.01), step=3)",
        "RankRFE(estimator=RankFilter(n_neighbors=10))",
        "RankRFE(estimator='TopK(\"map\")', step=2)",
    ],
)
def test_the_text_builds_the_same_selector_with_its_estimator_inside(text):
    built = catalog.parse(text, "selectors")
    again = catalog.parse(repr(built), "selectors")
    assert repr(again) == repr(built) == repr(clone(built))
    data, _ = planted()
    fitted = built.fit(data)
    kept = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.fit(data).order_, fitted.order_)
    np.testing.assert_array_equal(kept.order_, fitted.order_)
    if hasattr(fitted, "predict"):
        np.testing.assert_array_equal(kept.predict(data), fitted.predict(data))


def test_fit_leaves_the_given_estimator_alone():
    given = GAS(n_features_to_select=4)
    RankRFE(given).fit(planted()[0])
    assert given.get_params() == GAS(n_features_to_select=4).get_params()
    assert not hasattr(given, "order_")


def test_a_search_sets_parameters_of_the_estimator_and_gets_its_qid():
    data, _ = planted()
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            RankRFE(RankSVM()),
            {"estimator__C": [1e-4, 1e-1], "n_features_to_select": [2, 5]},
            cv=GroupKFold(3),
            error_score="raise",
        ).fit(data.X, data.y, qid=data.qid, groups=data.qid)
    assert search.best_params_["estimator__C"] == search.best_estimator_.estimator_.C


def test_progress_counts_the_features_that_went():
    data, _ = planted(0, n_constant=1)
    seen = []
    with listening(lambda *what: seen.append(what)):
        RankRFE(step=4).fit(data)
    said = [(done, total) for label, done, total in seen if label == "eliminating"]
    assert said == [(1, 11), (5, 11), (9, 11), (11, 11)]


def test_a_round_that_does_not_converge_says_so():
    data, _ = planted()
    with pytest.warns(ConvergenceWarning, match="above tol"):
        RankRFE("RankSVM(C=10.0, max_iter=1)", step=20).fit(data)


def test_grades_and_ids_of_any_kind_reach_an_outside_estimator():
    X, _, qid = with_means([1.0, 3.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = RankRFE(Weighted()).fit(from_arrays(X, [0.5, 0.25, 0.0, 1.75], qid))
    assert found.order_.tolist() == [1, 2, 0]


def test_a_sparse_ranker_eliminates_by_its_own_strength_and_predicts():
    data, truth = make_ranking(60, n_relevant=3, n_redundant=0, n_irrelevant=5, random_state=2)
    rfe = RankRFE("SparseRankSVM(strength=0.01)", 3).fit(data)
    assert sorted(rfe.order_[:3].tolist()) == truth.relevant.tolist()
    alone = SparseRankSVM(strength=0.01).fit(rfe.transform(data))
    np.testing.assert_allclose(rfe.predict(data), alone.predict(rfe.transform(data)))
    assert np.flatnonzero(rfe.coef_).tolist() == truth.relevant.tolist()
    left, gone = list(range(8)), []
    while len(left) > 1:
        order = SparseRankSVM(strength=0.01).fit(data.features(left)).order_
        gone.append(left.pop(order[-1]))
    assert rfe.order_.tolist() == [*left, *reversed(gone)]


def test_lightgbms_own_ranker_is_given_group_sizes():
    data, truth = make_ranking(40, n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=3)
    native = lightgbm.LGBMRanker(n_estimators=20, num_leaves=7, n_jobs=1, verbose=-1)
    rfe = RankRFE(native, n_features_to_select=2).fit(data)
    assert rfe.get_support(indices=True).tolist() == truth.relevant.tolist()
    again = clone(native).fit(data.X[:, truth.relevant], data.y, group=np.diff(data.query_ptr))
    np.testing.assert_array_equal(rfe.predict(data), again.predict(data.X[:, truth.relevant]))


def test_an_estimator_that_takes_group_ids_is_given_them():
    class Native(BaseEstimator):
        def fit(self, X, y, group_id):
            self.seen_ = np.asarray(group_id)
            self.feature_importances_ = np.arange(X.shape[1], dtype=float)
            return self

        def predict(self, X):
            return X[:, 0]

    data, _ = make_ranking(5, n_relevant=2, n_redundant=0, n_irrelevant=1, random_state=0)
    rfe = RankRFE(Native(), n_features_to_select=1).fit(data)
    counts = np.diff(data.query_ptr)
    assert rfe.estimator_.seen_.tolist() == np.repeat(np.arange(5), counts).tolist()


class Silent(Ranker):
    """A ranker without weights: it ranks by the sum of the features that rank well alone."""

    def _fit(self, data):
        means = data.y - data.y.mean()
        self.signs = np.sign(means @ (data.X - data.X.mean(axis=0)))

    def _scores(self, X):
        return np.asarray(X, dtype=np.float64) @ self.signs


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("estimator", ["LightGBMRanker(30)", Silent(), "RankNet()"])
def test_by_permutation_any_ranker_eliminates(estimator, seed):
    data, truth = planted(seed, n_redundant=0)
    rfe = RankRFE(estimator, n_features_to_select=3, step=0.4, importance="permutation").fit(data)
    assert set(rfe.get_support(indices=True)) == set(truth.relevant)
    assert rfe.n_fits_ == 1
    assert rfe.predict(data).shape == (data.n_documents,)


def test_an_importance_says_what_goes_in_each_round():
    data, _ = planted(4)

    def scores(X, y, qid):
        return PermutationImportance(RankSVM(C=0.01)).scores(from_arrays(X, y, qid))

    expected = eliminate(data.X, data.y, data.qid, [2, 2, 2, 2, 1], scores)
    rfe = RankRFE("RankSVM(C=0.01)", step=2, importance="permutation").fit(data)
    assert rfe.order_.tolist() == expected


def test_the_importance_may_name_a_ranker_of_its_own():
    data, _ = planted(1)
    by_trees = RankRFE("RankSVM(C=0.01)", step=0.5, importance="permutation('LightGBMRanker(20)')")
    same = RankRFE("LightGBMRanker(20)", step=0.5, importance="permutation")
    assert by_trees.fit(data).order_.tolist() == same.fit(data).order_.tolist()
    assert isinstance(by_trees.estimator_, RankSVM)


def test_an_importance_of_features_alone_gives_the_order_of_topk():
    data, _ = planted(2)
    rfe = RankRFE("RankSVM(C=0.01)", importance="map").fit(data)
    assert rfe.order_.tolist() == TopK("map", unproven="published").fit(data).order_.tolist()


def test_rankers_from_outside_eliminate_by_permutation():
    data, truth = planted(0, n_redundant=0)
    trees = xgboost.XGBRanker(n_estimators=20, max_depth=3, n_jobs=1)
    rfe = RankRFE(trees, n_features_to_select=3, step=0.5, importance="permutation").fit(data)
    assert set(rfe.get_support(indices=True)) == set(truth.relevant)


def test_a_selector_needs_no_importance_to_say_what_goes():
    data, _ = planted()
    with pytest.raises(ParameterError, match="RankFilter is a selector, which says so itself"):
        RankRFE("RankFilter", importance="permutation").fit(data)


def test_without_pairs_an_importance_is_not_asked():
    X, _, qid = with_means([1, 3, 2])
    rfe = RankRFE("RankSVM", importance="permutation").fit(X, [1, 1, 1, 1], qid=qid)
    assert rfe.order_.tolist() == [0, 1, 2]
    assert rfe.estimator_ is None

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ranksieve import MAP, MultiTaskSparseRankSVM, RankSVM, SparseRankSVM, load, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import load_ranker


def tasks_with_truth(seed=0, n_queries=60, n_tasks=3, n_features=12):
    """Two features that all tasks need with weights of their own, and one per task alone."""
    rng = np.random.default_rng(seed)
    W = np.zeros((n_tasks, n_features))
    W[:, 0], W[:, 1] = 1.0 + rng.random(n_tasks), -1.0 - rng.random(n_tasks)
    W[np.arange(n_tasks), 2 + np.arange(n_tasks)] = 2.0
    qid = np.repeat(np.arange(n_queries), 10)
    task = qid % n_tasks
    X = rng.normal(size=(len(qid), n_features))
    scores = (X * W[task]).sum(axis=1) + 0.3 * rng.normal(size=len(qid))
    y = np.clip(np.round(scores / 2 + 1), 0, 3)
    return X, y, qid, task


def fitted(seed=0, **options):
    X, y, qid, task = tasks_with_truth(seed)
    return MultiTaskSparseRankSVM(**{"strength": 0.1, **options}).fit(X, y, qid=qid, task=task)


@pytest.mark.parametrize("penalty", ["l1", "mcp", "log", "lp"])
@pytest.mark.parametrize("seed", range(2))
def test_one_task_is_sparse_ranksvm(seed, penalty):
    data, _ = make_ranking(40, 12, random_state=seed)
    ours = MultiTaskSparseRankSVM(penalty, 0.02, tol=1e-9).fit(data)
    theirs = SparseRankSVM(penalty, 0.02, tol=1e-9).fit(data)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-7)
    np.testing.assert_array_equal(ours.task_coef_, ours.coef_[None])
    assert ours.tasks_.tolist() == [0]
    np.testing.assert_array_equal(ours.shared_, ours.get_support(indices=True))


@pytest.mark.parametrize("n_tasks", [2, 4])
@pytest.mark.parametrize("seed", range(2))
def test_equal_tasks_have_equal_weights_those_of_a_strength_over_the_root_of_their_number(
    seed, n_tasks
):
    data, _ = make_ranking(20, 12, random_state=seed)
    X, y = np.tile(data.X, (n_tasks, 1)), np.tile(data.y, n_tasks)
    task = np.repeat(np.arange(n_tasks), data.n_documents)
    qid = np.tile(data.qid, n_tasks) + 1000 * task
    ours = MultiTaskSparseRankSVM(strength=0.04, tol=1e-9).fit(X, y, qid=qid, task=task)
    alone = SparseRankSVM(strength=0.04 / np.sqrt(n_tasks), tol=1e-9).fit(data)
    for column in ours.task_coef_:
        np.testing.assert_allclose(column, alone.coef_, atol=1e-5)
    assert ours.objective_ == pytest.approx(n_tasks * alone.objective_, rel=1e-7)


@pytest.mark.parametrize("own", [None, 0.75])
def test_a_permutation_of_tasks_permutes_the_rows_of_weights(own):
    X, y, qid, task = tasks_with_truth()
    straight = MultiTaskSparseRankSVM(strength=0.1, own=own, tol=1e-9).fit(X, y, qid=qid, task=task)
    names = np.array(["c", "a", "b"])
    renamed = clone_fit(straight, X, y, qid, names[task])
    assert renamed.tasks_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(renamed.task_coef_, straight.task_coef_[[1, 2, 0]], atol=1e-6)
    np.testing.assert_allclose(
        renamed.predict(X, task=names[task]), straight.predict(X, task=task), atol=1e-5
    )


def clone_fit(model, X, y, qid, task):
    return sklearn.base.clone(model).fit(X, y, qid=qid, task=task)


def test_rows_and_queries_may_stand_in_any_order():
    X, y, qid, task = tasks_with_truth()
    straight = fitted(tol=1e-9)
    rng = np.random.default_rng(0)
    order = np.argsort(rng.permutation(60)[qid] * 100 + rng.permutation(len(qid)) % 100)
    order = order[np.argsort(rng.permutation(60)[qid[order]], kind="stable")]
    moved = clone_fit(straight, X[order], y[order], qid[order], task[order])
    np.testing.assert_allclose(moved.task_coef_, straight.task_coef_, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_planted_shared_and_own_features_are_told_apart(seed):
    model = fitted(seed, own=0.7, strength=0.25)
    assert model.shared_.tolist() == [0, 1]
    assert [own.tolist() for own in model.own_] == [[2], [3], [4]]
    assert model.converged_
    assert model.gap_ <= 1e-6
    # Without own weights a feature of one task is in the models of all.
    rows = fitted(seed, strength=0.25)
    assert set(rows.shared_.tolist()) >= {0, 1}
    assert all(len(own) == 0 for own in rows.own_)


def test_tasks_with_features_that_vary_in_one_alone_share_none():
    X, y, qid, task = tasks_with_truth()
    apart = np.zeros((len(X), 24))
    apart[task == 0, :12], apart[task != 0, 12:] = X[task == 0], X[task != 0]
    model = MultiTaskSparseRankSVM(strength=0.05).fit(apart, y, qid=qid, task=np.minimum(task, 1))
    assert len(model.shared_) == 0
    assert model.own_[0].max() < 12 <= model.own_[1].min()
    alone = SparseRankSVM(strength=0.05, tol=1e-9).fit(
        X[task == 0], y[task == 0], qid=qid[task == 0]
    )
    np.testing.assert_allclose(model.task_coef_[0, :12], alone.coef_, atol=1e-4)


@pytest.mark.parametrize("own", [None, 0.7])
@pytest.mark.parametrize("penalty", ["l1", "log", "mcp"])
def test_all_weights_are_0_from_the_first_strength_of_the_path_on_and_not_below(penalty, own):
    X, y, qid, task = tasks_with_truth()
    model = MultiTaskSparseRankSVM(penalty, own=own)
    path = model.path(X, y, qid=qid, task=task, n_strengths=6)
    assert not hasattr(model, "n_features_in_")
    largest = path.strengths[0]
    above = clone_fit(model.set_params(strength=1.0001 * largest), X, y, qid, task)
    below = clone_fit(model.set_params(strength=0.99 * largest), X, y, qid, task)
    assert not above.task_coef_.any()
    # Reweighting by log charges small rows ten times the strength, and may take them back.
    assert penalty == "log" or below.task_coef_.any()
    assert path.weights.shape == (6, 12)
    assert (np.diff(path.n_features) >= 0).all()
    assert path.converged.all()


def test_a_task_of_one_grade_contributes_nothing():
    X, y, qid, task = tasks_with_truth()
    rest = task < 2
    flat = np.where(rest, y, 1.0)
    with_it = MultiTaskSparseRankSVM(strength=0.1, tol=1e-9).fit(X, flat, qid=qid, task=task)
    without = MultiTaskSparseRankSVM(strength=0.1, tol=1e-9).fit(
        X[rest], y[rest], qid=qid[rest], task=task[rest]
    )
    assert not with_it.task_coef_[2].any()
    np.testing.assert_allclose(with_it.task_coef_[:2], without.task_coef_, atol=1e-6)
    np.testing.assert_array_equal(with_it.shared_, without.shared_)
    nothing = MultiTaskSparseRankSVM().fit(X, np.ones(len(y)), qid=qid, task=task)
    assert not nothing.task_coef_.any()


@pytest.mark.parametrize("penalty", ["log", "mcp", "lp"])
def test_nonconvex_forms_keep_the_planted_rows_and_fewer_others(penalty):
    plain, sparse = fitted(strength=0.1), fitted(penalty=penalty, strength=0.1)
    assert sparse.converged_
    assert set(range(5)) <= set(sparse.get_support(indices=True).tolist())
    assert sparse.n_features_ <= plain.n_features_
    assert (np.diff(sparse.trace_.objectives) <= 1e-12).all()


def test_both_solvers_give_the_same_model():
    newton, fista = fitted(), fitted(solver="fista", max_iter=10_000)
    assert fista.converged_
    assert newton.objective_ == pytest.approx(fista.objective_, rel=2e-6)


def test_tasks_may_be_told_in_every_way():
    X, y, qid, task = tasks_with_truth()
    arrays = fitted()
    data = from_arrays(X, y, qid).with_tasks(task[::10])
    np.testing.assert_array_equal(
        MultiTaskSparseRankSVM(strength=0.1).fit(data).task_coef_, arrays.task_coef_
    )
    scores = arrays.predict(X, task=task)
    np.testing.assert_allclose(arrays.predict(data), scores, atol=1e-12)
    np.testing.assert_allclose(arrays.predict(X[task == 1], task=1), scores[task == 1], atol=1e-12)
    one_by_one = [arrays.predict(X[[row]], task=task[[row]])[0] for row in range(0, 60, 7)]
    np.testing.assert_allclose(one_by_one, scores[:60:7], atol=1e-12)
    assert arrays.score(X, y, qid=qid, task=task) == pytest.approx(arrays.score(data))


def test_unknown_tasks_are_an_error_with_a_remedy_or_get_mean_weights():
    X, _, _, task = tasks_with_truth()
    model = fitted()
    with pytest.raises(DataError, match=r"task 7 was not in fit, which had: 0, 1, 2.*'mean'"):
        model.predict(X, task=np.where(task == 2, 7, task))
    with pytest.raises(DataError, match=r"has 3 tasks, and predicts by task: predict\(X, task"):
        model.predict(X)
    mean = fitted(unknown_task="mean")
    np.testing.assert_allclose(mean.predict(X), X @ mean.task_coef_.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(mean.predict(X, task=7), X @ mean.coef_, atol=1e-12)


def test_a_query_of_two_tasks_is_named():
    X, y, qid, task = tasks_with_truth()
    mixed = task.copy()
    mixed[25] = 1 - mixed[25] if mixed[25] < 2 else 0
    with pytest.raises(DataError, match=r"same task, but qid 2 has 2 at row 20 and 0 at row 25"):
        MultiTaskSparseRankSVM().fit(X, y, qid=qid, task=mixed)
    with pytest.raises(DataError, match="one value per document: 600"):
        MultiTaskSparseRankSVM().fit(X, y, qid=qid, task=task[:5])
    with pytest.raises(DataError, match="none may be missing"):
        MultiTaskSparseRankSVM().fit(X, y, qid=qid, task=np.where(task == 0, np.nan, task))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"own": 0}, "own must be a number above 0"),
        ({"tasks": "size"}, "tasks"),
        ({"tasks": "length", "n_tasks": 0}, "n_tasks"),
        ({"unknown_task": "zero"}, "unknown_task"),
        ({"penalty": "elastic-net"}, "sum over the sizes of rows"),
        ({"solver": "accelerated-gradient"}, "'proximal-newton' or 'fista'"),
        ({"strength": -1.0}, "strength"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        fitted(**options)


def test_tasks_are_given_once():
    X, y, qid, task = tasks_with_truth()
    with pytest.raises(ParameterError, match="give one of the two"):
        MultiTaskSparseRankSVM(tasks="length").fit(X, y, qid=qid, task=task)
    with pytest.raises(ParameterError, match="with_tasks"):
        MultiTaskSparseRankSVM().fit(from_arrays(X, y, qid), task=task)


def lengths_data(seed=0):
    """Queries of 4 and of 16 documents, which follow different features."""
    rng = np.random.default_rng(seed)
    sizes = np.where(np.arange(40) % 2 == 0, 4, 16)
    qid = np.repeat(np.arange(40), sizes)
    X = rng.normal(size=(len(qid), 6)) + np.repeat(sizes, sizes)[:, None] / 8
    y = np.where(np.repeat(sizes, sizes) == 4, X[:, 0] > 0.5, X[:, 1] > 2.0).astype(float)
    return load((X, y, qid))


@pytest.mark.parametrize("kind", ["length", "features"])
def test_clusters_of_queries_are_tasks_and_new_queries_find_theirs(kind):
    data = lengths_data()
    model = MultiTaskSparseRankSVM(strength=0.05, tasks=kind, n_tasks=2).fit(data)
    known = data.with_tasks((np.diff(data.query_ptr) > 4).astype(int))
    expected = MultiTaskSparseRankSVM(strength=0.05).fit(known)
    # Clusters of features have any order where they are of one size.
    weights = sorted(model.task_coef_.tolist())
    np.testing.assert_allclose(weights, sorted(expected.task_coef_.tolist()), atol=1e-6)
    new = lengths_data(1)
    scores = model.predict(new)
    np.testing.assert_allclose(model.predict(new.X, qid=new.qid), scores, atol=1e-12)
    tasked = new.with_tasks((np.diff(new.query_ptr) > 4).astype(int))
    np.testing.assert_allclose(scores, expected.predict(tasked), atol=1e-5)
    assert len(np.unique(model.tasks_of(new))) == 2
    with pytest.raises(DataError, match=r"needs their queries: predict\(X, qid=qid\)"):
        model.predict(new.X)


@pytest.mark.parametrize("kind", ["length", "features"])
def test_clusters_do_not_depend_on_the_order_of_queries_and_are_no_more_than_differ(kind):
    data = lengths_data()
    turned = np.argsort(-data.qid, kind="stable")
    other = load((data.X[turned], data.y[turned], data.qid[turned]))
    model = MultiTaskSparseRankSVM(strength=0.05, tasks=kind, n_tasks=2).fit(data)
    again = MultiTaskSparseRankSVM(strength=0.05, tasks=kind, n_tasks=2).fit(other)
    np.testing.assert_allclose(again.task_coef_, model.task_coef_, atol=1e-6)
    same = load((data.X[:8] * 0 + 1, data.y[:8], np.repeat([1, 2], 4)))
    assert len(MultiTaskSparseRankSVM(strength=1.0, tasks=kind).fit(same).tasks_) == 1


@pytest.mark.parametrize("labels", [np.array([0, 1, 2]), np.array(["de", "fr", "ü"])])
@pytest.mark.parametrize("options", [{}, {"tasks": "features", "n_tasks": 3}])
def test_a_saved_model_comes_back_with_its_tasks(labels, options, tmp_path):
    X, y, qid, task = tasks_with_truth()
    data = from_arrays(X, y, qid)
    given = data if options else data.with_tasks(labels[task[::10]])
    model = MultiTaskSparseRankSVM(strength=0.1, own=0.8, **options).fit(given)
    model.save(tmp_path / "model.json")
    loaded = load_ranker(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(given), model.predict(given))
    assert loaded.tasks_.tolist() == model.tasks_.tolist()
    np.testing.assert_array_equal(loaded.shared_, model.shared_)


def test_the_model_of_one_task_predicts_without_it_and_can_be_exported():
    X, _, _, _ = tasks_with_truth()
    model = fitted(own=0.7, strength=0.25)
    one = model.for_task(1)
    np.testing.assert_array_equal(one.predict(X), model.predict(X, task=1))
    assert one.get_support(indices=True).tolist() == [0, 1, 3]
    assert len(one.description().names) == 12
    with pytest.raises(ParameterError, match=r"3 tasks, and engines take one model: for_task\(0\)"):
        model.description()
    with pytest.raises(DataError, match="task 9 was not in fit"):
        model.for_task(9)


@pytest.mark.parametrize("number", [2, 5])
def test_a_number_of_features_is_reached(number):
    model = fitted(strength=None, n_features_to_select=number)
    assert model.n_features_ == number
    assert np.count_nonzero(model.task_coef_.any(axis=0)) == number


def test_cross_validation_measures_each_query_by_its_task():
    X, y, qid, task = tasks_with_truth(n_queries=90)
    together = MultiTaskSparseRankSVM(n_strengths=8, measure="map").fit(X, y, qid=qid, task=task)
    pooled = SparseRankSVM(n_strengths=8, measure="map").fit(X, y, qid=qid)
    # Tasks differ by an own feature each, so that one model for all cannot rank as well.
    assert together.cross_validation_.chosen_mean > pooled.cross_validation_.chosen_mean
    chosen = MultiTaskSparseRankSVM(strength=together.strength_).fit(X, y, qid=qid, task=task)
    np.testing.assert_allclose(chosen.task_coef_, together.task_coef_, atol=1e-9)


def test_a_fold_may_lack_a_task():
    X, y, qid, task = tasks_with_truth()
    task = np.where(qid == 0, 9, task)
    model = MultiTaskSparseRankSVM(n_strengths=4, n_folds=3).fit(X, y, qid=qid, task=task)
    assert model.tasks_.tolist() == [0, 1, 2, 9]


def test_small_tasks_gain_from_each_other():
    data, _ = make_ranking(
        160, 10, n_relevant=4, n_redundant=0, n_irrelevant=36, noise=0.5, random_state=0
    )
    task = np.arange(160) % 8
    train, test = data.queries(range(40)), data.queries(range(40, 160))
    options = {"n_strengths": 10, "n_folds": 3}
    together = MultiTaskSparseRankSVM(**options).fit(train.with_tasks(task[:40]))
    joint = MAP().per_query(test.y, together.predict(test.with_tasks(task[40:])), qid=test.qid)
    alone = np.empty(test.n_documents)
    for each in range(8):
        model = SparseRankSVM(**options).fit(train.queries(task[:40] == each))
        rows = np.repeat(task[40:] == each, np.diff(test.query_ptr))
        alone[rows] = model.predict(test.queries(task[40:] == each))
    assert joint.mean() > MAP()(test.y, alone, qid=test.qid)


def test_task_passes_through_pipelines_and_searches_by_metadata_routing():
    X, y, qid, task = tasks_with_truth()
    with sklearn.config_context(enable_metadata_routing=True):
        ranking = make_pipeline(StandardScaler(), MultiTaskSparseRankSVM(strength=0.1)).fit(
            X, y, qid=qid, task=task
        )
        direct = MultiTaskSparseRankSVM(strength=0.1).fit(
            StandardScaler().fit_transform(X), y, qid=qid, task=task
        )
        expected = direct.predict(StandardScaler().fit_transform(X), task=task)
        np.testing.assert_allclose(ranking.predict(X, task=task), expected, atol=1e-9)
        assert ranking.score(X, y, qid=qid, task=task) > 0.5
        selecting = make_pipeline(
            MultiTaskSparseRankSVM(n_features_to_select=5), RankSVM(C=0.01)
        ).fit(X, y, qid=qid, task=task)
        assert selecting[-1].n_features_in_ == 5
        search = GridSearchCV(
            MultiTaskSparseRankSVM(), {"strength": [0.1, 10.0]}, cv=GroupKFold(4)
        ).fit(X, y, qid=qid, task=task, groups=qid)
        assert search.best_params_ == {"strength": 0.1}

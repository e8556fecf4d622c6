"""What permuting a feature costs: laws, a slow reference, planted features, and the corners."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve import GAS, NDCG, RankSVM, TopK, make_ranking
from ranksieve.data import from_arrays
from ranksieve.data.canonical import in_own_order
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance import PermutationImportance, as_importance
from ranksieve.progress import listening
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, row_ids
from tests.reference.measures import ndcg_with_ties


class Fixed:
    """A ranker that learns nothing: a fixed function of the features."""

    def __init__(self, function):
        self.function = function

    def fit(self, data):
        return self

    def predict(self, data):
        return self.function(np.asarray(data.X, dtype=np.float64))


class OneByName(Fixed):
    """A ranker that looks at one feature, wherever its column is, and says so."""

    def __init__(self, name):
        self.name = name

    def fit(self, data):
        self.coef_ = np.array([float(name == self.name) for name in data.feature_names])
        return self

    def predict(self, data):
        return np.asarray(data.X, dtype=np.float64) @ self.coef_


def graded(seed, n_queries=25, n_documents=7, n_features=4):
    """Features of few values, the first of which follows the grade; a query of one grade."""
    rng = np.random.default_rng(seed)
    query_ptr = np.arange(n_queries + 1) * n_documents
    y = rng.integers(0, 3, size=query_ptr[-1]).astype(float)
    y[:n_documents] = 1.0
    X = rng.integers(0, 5, size=(len(y), n_features)).astype(float)
    X[:, 0] += 2 * y
    return X, y, query_ptr


def trees(seed, n_queries=60, n_documents=20):
    """Grades that rise with a feature in queries of one kind, and fall with it in the others."""
    rng = np.random.default_rng(seed)
    n = n_queries * n_documents
    kind = np.repeat(rng.permutation(n_queries) % 2 * 2.0 - 1.0, n_documents)
    signal, noise = rng.normal(size=(2, n))
    y = np.clip(np.round(1 + kind * signal + 0.3 * rng.normal(size=n)), 0, 3)
    X = np.column_stack([signal, kind, noise, np.full(n, 3.0)])
    return from_arrays(X, y, np.repeat(np.arange(n_queries), n_documents))


def slow_losses(rows, y, offsets, score, *, rng, times, k, across):
    """Losses of queries by features, with lists and loops, by the shuffles of a generator."""
    n_features = len(rows[0])
    queries = list(itertools.pairwise(offsets))
    losses = [[0.0] * n_features for _ in queries]

    def measured(documents):
        return [
            ndcg_with_ties(y[start:stop], [score(row) for row in documents[start:stop]], k)
            for start, stop in queries
        ]

    base = measured(rows)
    for _ in range(times):
        draws = rng.random(len(rows)).tolist()
        others = rng.permutation(len(queries)).tolist()
        for feature in range(n_features):
            moved = [list(row) for row in rows]
            for query, (start, stop) in enumerate(queries):
                shuffled = sorted(range(start, stop), key=lambda row: draws[row])
                for row, source in zip(range(start, stop), shuffled, strict=True):
                    taken = offsets[others[query]] if feature in across else source
                    moved[row][feature] = rows[taken][feature]
            for query, (before, after) in enumerate(zip(base, measured(moved), strict=True)):
                losses[query][feature] += (before - after) / times
    return losses


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("times", [1, 3])
def test_scores_are_those_of_a_slow_reference_with_the_same_shuffles(seed, times):
    X, y, query_ptr = graded(seed)
    X[:, 3] = np.repeat(np.random.default_rng(seed).integers(0, 20, size=25) / 4, 7)
    data = from_arrays(X, y, row_ids(query_ptr))
    importance = PermutationImportance(
        Fixed(_far_from_nine), "ndcg@3", n_shuffles=times, random_state=seed
    )
    rating = importance.rating(data)
    # Folds, and documents in each query, are in the order of the data's content.
    own, columns = in_own_order(data)
    across = {int(np.flatnonzero(columns == 3)[0])}
    order = np.random.default_rng(seed).permutation(np.arange(1, 25))  # query 0 has one grade
    expected = np.full((25, 4), np.nan)
    for fold, part in enumerate(np.array_split(order, 5)):
        chosen = np.sort(part)
        rows = np.concatenate([np.arange(7 * query, 7 * query + 7) for query in chosen])
        losses = slow_losses(
            own.X[rows].tolist(),
            own.y[rows].tolist(),
            [7 * position for position in range(len(chosen) + 1)],
            lambda row: _far_from_nine(np.array([row]))[0],
            rng=np.random.default_rng([seed, fold]),
            times=times,
            k=3,
            across=across,
        )
        expected[np.ix_(chosen, columns)] = losses
    np.testing.assert_allclose(rating.losses, expected, atol=1e-12)
    np.testing.assert_allclose(rating.scores, np.nanmean(expected, axis=0), atol=1e-12)
    assert rating.permuted_across.tolist() == [False, False, False, True]
    assert np.count_nonzero(rating.scores) == 4


def _far_from_nine(X):
    """Scores that all columns change, in any order; exact for quarters, so that ties are ties."""
    return (X.sum(axis=1) - 9.0) ** 2


@pytest.mark.parametrize("ranker", [None, "RankSVM(C=0.01)", "RankNet()"])
@pytest.mark.parametrize("seed", range(3))
def test_planted_features_score_highest(ranker, seed):
    data, truth = make_ranking(
        80, 12, n_relevant=3, n_redundant=0, n_irrelevant=6, random_state=seed
    )
    rating = PermutationImportance(ranker).rating(data)
    assert set(np.argsort(-rating.scores)[:3]) == set(truth.relevant)
    assert rating.better_than_random[truth.relevant].all()
    assert rating.better_than_random.sum() <= 4


@pytest.mark.parametrize("seed", range(3))
def test_features_that_the_model_does_not_use_are_worth_exactly_nothing(seed):
    X, y, query_ptr = graded(seed)
    data = from_arrays(X, y, row_ids(query_ptr))
    scores = PermutationImportance(OneByName("x0")).scores(data)
    assert scores[0] > 0.1
    np.testing.assert_array_equal(scores[1:], 0.0)
    by_columns = PermutationImportance(Fixed(lambda X: X.max(axis=1) * 0.0)).scores(data)
    np.testing.assert_array_equal(by_columns, 0.0)


@pytest.mark.parametrize("ranker", [None, "RankSVM(C=0.01)"])
def test_the_order_of_columns_rows_queries_and_blocks_decides_nothing(ranker):
    X, y, query_ptr = graded(5, n_queries=40)
    X = X + np.random.default_rng(1).random(X.shape)
    qid, rng = row_ids(query_ptr), np.random.default_rng(0)
    importance = PermutationImportance(ranker)
    scores = importance.scores(from_arrays(X, y, qid))
    assert scores[0] > 0.05
    columns = rng.permutation(4)
    rows = np.concatenate([rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(40)])
    moved = importance.rating(from_arrays(X[rows][:, columns], y[rows], qid[rows]))
    np.testing.assert_array_equal(moved.scores, scores[columns])
    order = list(dict.fromkeys(qid[rows].tolist()))
    straight = importance.rating(from_arrays(X, y, qid))
    np.testing.assert_array_equal(moved.losses, straight.losses[order][:, columns])
    np.testing.assert_array_equal(importance.scores(in_blocks(X, y, query_ptr, [1, 9, 30])), scores)


def test_the_number_of_threads_decides_nothing_and_the_seed_decides():
    data = trees(0)
    importance = PermutationImportance()
    with threads(1):
        alone = importance.scores(data)
    with threads(3):
        np.testing.assert_array_equal(importance.scores(data), alone)
    assert (PermutationImportance(random_state=1).scores(data)[:2] != alone[:2]).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_property_of_the_query_is_permuted_across_queries_and_said_to_be(seed):
    rating = PermutationImportance().rating(trees(seed))
    assert rating.permuted_across.tolist() == [False, True, False, True]
    assert rating.scores[:2].min() > 0.1  # half of the queries are then ranked upside down
    assert abs(rating.scores[2]) < 0.05
    assert rating.scores[3] == 0.0
    assert rating.better_than_random[[0, 1, 3]].tolist() == [True, False, False]


def test_a_feature_that_varies_in_one_query_is_permuted_inside_it_in_every_fold():
    X, y, query_ptr = graded(1)
    X[:, 2] = np.repeat(np.arange(25.0), 7)
    X[7, 2] += 0.5
    rating = PermutationImportance(Fixed(_far_from_nine)).rating(
        from_arrays(X, y, row_ids(query_ptr))
    )
    assert not rating.permuted_across.any()
    assert set(np.flatnonzero(rating.losses[:, 2]).tolist()) - {0} <= {1}


def test_no_query_is_judged_by_a_model_that_has_seen_it():
    X, y, query_ptr = graded(0)
    seen = []

    class Remembering(Fixed):
        def __init__(self):
            pass

        def fit(self, data):
            self.trained = set(data.query_ids.tolist())
            return self

        def predict(self, data):
            seen.append((self.trained, set(data.query_ids.tolist())))
            return data.X[:, 0]

    with threads(1):
        PermutationImportance(Remembering(), n_folds=3).scores(
            from_arrays(X, y, row_ids(query_ptr))
        )
    assert all(trained.isdisjoint(judged) for trained, judged in seen)
    assert all(0 in trained for trained, _ in seen)  # the query of one grade only trains
    assert set.union(*(judged for _, judged in seen)) == set(range(1, 25))


def test_with_fewer_queries_than_folds_each_is_a_fold():
    X, y, query_ptr = graded(0, n_queries=4)
    rating = PermutationImportance(RankSVM(C=0.1)).rating(from_arrays(X, y, row_ids(query_ptr)))
    assert np.isnan(rating.losses[0]).all()
    assert np.isfinite(rating.losses[1:]).all()
    assert rating.scores[0] > 0


@pytest.mark.parametrize(
    ("y", "qid"),
    [([1] * 6, [1, 1, 1, 2, 2, 2]), ([0] * 6, [1, 1, 1, 2, 2, 2]), ([0, 1, 2] * 2, [1] * 6)],
    ids=["one grade", "nothing relevant", "one query"],
)
def test_with_nothing_to_hold_out_every_feature_scores_nothing(y, qid):
    X = np.random.default_rng(0).random((6, 3))
    for spelled in ("permutation", "permutation(measure='map(no_relevant=\"skip\")')"):
        rating = as_importance(spelled).rating(from_arrays(X, y, qid))
        np.testing.assert_array_equal(rating.scores, 0.0)
        assert not rating.better_than_random.any()


def test_without_a_feature_that_orders_documents_nothing_is_trained():
    X = np.repeat(np.random.default_rng(0).random((9, 2)), 4, axis=0)
    data = from_arrays(X, [0, 1, 2, 0] * 9, np.repeat(np.arange(9), 4))
    rating = PermutationImportance().rating(data)
    np.testing.assert_array_equal(rating.scores, 0.0)
    assert rating.permuted_across.all()


def test_queries_whose_measure_nothing_changes_do_not_dilute_the_mean():
    X, y, query_ptr = graded(3)
    qid = row_ids(query_ptr)
    importance = PermutationImportance(OneByName("x0"))
    with_idle = importance.rating(from_arrays(X, y, qid))
    np.testing.assert_allclose(with_idle.scores, with_idle.losses[1:].mean(axis=0), rtol=1e-12)


def test_text_forms():
    assert as_importance("permutation") == PermutationImportance()
    spelled = as_importance("permutation(ranker='RankSVM(C=0.01)', n_folds=3)")
    assert spelled == PermutationImportance("RankSVM(C=0.01)", n_folds=3)
    assert repr(spelled) == "PermutationImportance(ranker='RankSVM(C=0.01)', n_folds=3)"
    assert as_importance(repr(spelled)) == spelled
    by_object = as_importance("permutation(RankSVM(C=0.01), 'map')")
    assert repr(by_object) == "PermutationImportance(ranker=RankSVM(C=0.01), measure='map')"
    assert repr(PermutationImportance()) == "PermutationImportance()"


def test_text_and_object_of_a_ranker_and_of_a_measure_are_alike():
    X, y, query_ptr = graded(2)
    data = from_arrays(X, y, row_ids(query_ptr))
    by_text = as_importance("permutation('RankSVM(C=0.1)', 'ndcg@5')").scores(data)
    np.testing.assert_array_equal(
        PermutationImportance(RankSVM(C=0.1), NDCG(5)).scores(data), by_text
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_folds": 1}, "n_folds"),
        ({"n_shuffles": 0}, "n_shuffles"),
        ({"random_state": -1}, "random_state"),
        ({"ranker": RankSVM}, "ranker must be a ranker such as LightGBMRanker"),
        ({"ranker": 7}, "its text form, or None, but is 7"),
        ({"ranker": "GAS"}, "GAS selects features and does not rank documents"),
        ({"ranker": "RankSVN"}, "did you mean 'RankSVM'"),
        ({"measure": "ndgc@10"}, "did you mean"),
    ],
)
def test_wrong_parameters_are_refused_before_any_training(parameters, message):
    X, y, query_ptr = graded(0)
    with pytest.raises(ParameterError, match=message):
        PermutationImportance(**parameters).scores(from_arrays(X, y, row_ids(query_ptr)))


def test_grades_that_do_not_suit_the_measure_are_refused():
    X, y, query_ptr = graded(0)
    with pytest.raises(DataError, match="grades"):
        PermutationImportance().scores(from_arrays(X, y / 7, row_ids(query_ptr)))


def test_without_lightgbm_ranksvm_ranks(monkeypatch):
    X, y, query_ptr = graded(2)
    data = from_arrays(X, y, row_ids(query_ptr))
    monkeypatch.setattr("ranksieve.importance._rankers.find_spec", lambda name: None)
    np.testing.assert_array_equal(
        PermutationImportance().scores(data), PermutationImportance("RankSVM").scores(data)
    )


def test_it_reports_how_many_folds_are_done():
    X, y, query_ptr = graded(2)
    heard = []
    with listening(lambda *heard_of: heard.append(heard_of)):
        PermutationImportance("RankSVM(C=0.1)", n_folds=3).scores(
            from_arrays(X, y, row_ids(query_ptr))
        )
    folds = [(done, total) for label, done, total in heard if label == "importance"]
    assert folds == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("selector", [TopK, GAS])
def test_selectors_take_it_by_text(selector):
    data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=2)
    spelled = "permutation(ranker='RankSVM(C=0.01)')"
    chosen = selector(importance=spelled, n_features_to_select=2).fit(data)
    assert set(chosen.get_support(indices=True)) == set(truth.relevant)
    np.testing.assert_array_equal(chosen.importance_, as_importance(spelled).scores(data))


def test_a_model_of_all_features_sees_what_no_feature_says_alone():
    data = trees(7)
    alone = as_importance("ndcg@10").better_than_random(data)
    assert not alone.any()
    assert TopK("permutation", n_features_to_select=1).fit(data).order_[0] == 0

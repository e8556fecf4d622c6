"""Features that are not better than a random order come after those that are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ranksieve import FSSCPR, GAS, HCAS, MRMR, NGAS, XGAS, TopK, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.experiment.run.shared import with_computed
from ranksieve.importance import as_importance

IMPORTANCES = ["map", "ndcg@10", "pair-error", "pearson", "information-gain"]


def select(kind, importance="map", number=3, **options):
    if kind is TopK:
        return TopK(importance, n_features_to_select=number, **options)
    named = {"preference" if kind is FSSCPR else "importance": importance}
    return kind(number, **named, **options)


KINDS = pytest.mark.parametrize(
    "kind", [GAS, FSSCPR, TopK, NGAS, XGAS, HCAS, MRMR], ids=lambda kind: kind.__name__
)


def hardly_varying(seed, n_queries=1000, n_documents=35):
    """Three real features, one of them weak; one document, one query, noise, and a constant."""
    rng = np.random.default_rng(seed)
    y = rng.choice([0.0, 1.0, 2.0], p=[0.7, 0.2, 0.1], size=n_queries * n_documents)
    qid = np.repeat(np.arange(n_queries), n_documents)
    document, query = np.zeros((2, len(y)))
    document[rng.choice(np.flatnonzero(y == 2.0))] = 1.0
    chosen = qid == rng.integers(n_queries)
    query[chosen] = y[chosen] + rng.random(n_documents)
    weak = y + 12.0 * rng.normal(size=len(y))
    strong = y + rng.normal(size=len(y))
    copy = strong + 0.1 * rng.normal(size=len(y))
    X = np.column_stack([document, query, weak, strong, copy, np.ones(len(y))])
    return from_arrays(X.astype(np.float32), y, qid)


@pytest.fixture(scope="module", params=range(2))
def large(request):
    return hardly_varying(request.param)


@KINDS
@pytest.mark.parametrize("importance", IMPORTANCES)
def test_a_value_in_one_document_or_one_query_comes_after_weak_features(large, kind, importance):
    fitted = select(kind, importance).fit(large)
    assert set(fitted.order_[:3].tolist()) == {2, 3, 4}
    assert set(fitted.order_[3:5].tolist()) == {0, 1}
    assert fitted.order_[5] == 5
    assert fitted.better_than_random_.tolist() == [False, False, True, True, True, False]


def test_gas_as_published_ranks_a_feature_of_one_query_second(large):
    published = GAS(3, balance=0.5, unproven="published").fit(large)
    assert published.order_[1] in (0, 1)
    assert not hasattr(published, "better_than_random_")
    assert GAS(3, balance=0.5).fit(large).order_[1] not in (0, 1)


def some_noise(seed, n_irrelevant=6):
    return make_ranking(
        40,
        10,
        n_relevant=3,
        n_redundant=2,
        n_irrelevant=n_irrelevant,
        n_constant=2,
        random_state=seed,
    )


OPTIONS = [
    (TopK, {}),
    (FSSCPR, {}),
    (FSSCPR, {"relevance": "scaled", "similarity": "tau-b", "threshold": 0.3}),
    *[
        (GAS, {"solver": solver, "trade_off": trade_off, "balance": 0.5})
        for solver in ("greedy", "swap", "exact")
        for trade_off in ("sum", "pareto")
    ],
    (GAS, {"orient": True}),
]


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_no_feature_that_is_not_better_comes_before_one_that_is(kind, options, seed):
    data, truth = some_noise(seed)
    better = as_importance("map").better_than_random(data)
    n_better, n_varying = int(better.sum()), data.n_features - 2
    assert 0 < n_better < n_varying
    for number in (1, n_better, n_better + 1, n_better + 2, n_varying, data.n_features):
        fitted = select(kind, number=number, **options).fit(data)
        order = fitted.order_
        assert_array_equal(fitted.better_than_random_, better)
        assert sorted(order.tolist()) == list(range(data.n_features))
        assert better[order[:n_better]].all()
        assert sorted(order[-2:].tolist()) == truth.constant.tolist()
        if hasattr(fitted, "labels_"):
            n_clusters = min(number, n_varying)
            assert_array_equal(fitted.labels_[order[:n_clusters]], np.arange(n_clusters))


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
@pytest.mark.parametrize("seed", range(2))
def test_where_no_feature_is_better_the_order_is_as_published(kind, options, seed):
    rng = np.random.default_rng(seed)
    y, qid = rng.integers(0, 3, size=60), np.repeat([1, 2, 3], 20)
    X = np.round(rng.random((60, 5)), 1)
    # Three queries, of which one alone is ordered by any feature: nothing can be shown.
    X[20:] = 0.5
    last = select(kind, number=2, **options).fit(X, y, qid=qid)
    published = select(kind, number=2, unproven="published", **options).fit(X, y, qid=qid)
    assert not last.better_than_random_.any()
    assert_array_equal(last.order_, published.order_)
    assert_array_equal(last.scores_, published.scores_)


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_where_all_that_vary_are_better_the_order_is_as_published(kind, options):
    data, _ = make_ranking(200, n_relevant=4, n_redundant=4, n_irrelevant=0, n_constant=1)
    last = select(kind, **options).fit(data)
    assert last.better_than_random_.sum() == 8
    published = select(kind, unproven="published", **options).fit(data)
    assert_array_equal(last.order_, published.order_)
    assert_array_equal(last.scores_, published.scores_)


@pytest.mark.parametrize("solver", ["greedy", "swap", "exact"])
def test_a_front_beyond_the_better_features_has_them_in_every_set(solver):
    data, _ = some_noise(1)
    for extra in (1, 2, 3):
        n_better = int(as_importance("map").better_than_random(data).sum())
        gas = GAS(n_better + extra, trade_off="pareto", solver=solver).fit(data)
        front, better = gas.front_, gas.better_than_random_
        assert front.sets[:, better].all()
        assert (front.sets.sum(axis=1) == n_better + extra).all()
        for chosen, importance, similarity in zip(
            front.sets, front.importance, front.similarity, strict=True
        ):
            inside = gas.similarity_[np.ix_(chosen, chosen)]
            assert importance == pytest.approx(gas.importance_[chosen].sum())
            assert similarity == pytest.approx(inside.sum() - np.trace(inside))
        assert_array_equal(gas.get_support(), front.sets[front.knee])


@KINDS
def test_known_importances_forward_what_is_better_than_random(kind):
    data, _ = some_noise(2)
    alone = select(kind, number=6).fit(data)
    known = with_computed(select(kind, number=6), lambda shared: shared.numbers(data), data).fit(
        data
    )
    assert_array_equal(known.better_than_random_, alone.better_than_random_)
    assert_array_equal(known.order_, alone.order_)


@KINDS
def test_validation_tries_better_features_first(kind):
    data, _ = some_noise(0)
    sets = select(kind, number="validation").feature_sets(data)
    better = as_importance("map").better_than_random(data)
    for number in range(2, sets.largest + 1):
        assert better[sets.of_size(number)].sum() == min(number, better.sum())


@KINDS
def test_another_word_is_refused(kind):
    data, _ = some_noise(0)
    with pytest.raises(ParameterError, match="unproven must be one of 'last', 'published'"):
        select(kind, unproven="first").fit(data)

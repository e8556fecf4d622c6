"""Selectors with shared importances and similarities keep what they keep alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import FSMRank, TopK, catalog, make_ranking
from ranksieve.data import from_arrays
from ranksieve.experiment.run.shared import Precomputed, with_computed
from ranksieve.importance import as_importance
from ranksieve.similarity import as_similarity

TAKING = [
    pytest.param(entry.load(), id=entry.class_name)
    for entry in catalog.entries("selectors")
    if entry.load()().shared_components()
]


class Shared:
    """Computes each part once, and counts who asks."""

    def __init__(self, data):
        self._data, self.parts, self.asked = data, {}, 0

    def __call__(self, shared):
        self.asked += 1
        key = shared.parameter, shared.text
        if key not in self.parts:
            self.parts[key] = shared.numbers(self._data)
        return self.parts[key]


@pytest.mark.parametrize("selector", TAKING)
@pytest.mark.parametrize("seed", range(2))
def test_a_selector_with_computed_parts_is_the_selector_alone(selector, seed):
    data, _ = make_ranking(40, 10, n_relevant=3, n_redundant=3, n_irrelevant=4, random_state=seed)
    shared = Shared(data)
    made = [selector(n_features_to_select=4) for _ in range(2)]
    alone, known = made[0].fit(data), with_computed(made[1], shared, data).fit(data)
    assert shared.asked > 0
    assert known.order_.tolist() == alone.order_.tolist()
    assert known.scores_.tobytes() == alone.scores_.tobytes()
    if hasattr(alone, "coef_"):
        assert known.coef_.tobytes() == alone.coef_.tobytes()


@pytest.mark.parametrize("name", [entry.short_name for entry in catalog.entries("similarity")])
def test_mirror_images_are_charged_as_by_the_similarity_itself(name):
    data, _ = make_ranking(30, 8, n_relevant=3, n_redundant=3, n_irrelevant=3, random_state=0)
    text = f"FSMRank(0.1, 0.001, similarity={name!r})"
    alone = catalog.parse(text, "selectors").fit(data)
    known = with_computed(catalog.parse(text, "selectors"), Shared(data), data).fit(data)
    assert known.coef_.tobytes() == alone.coef_.tobytes()
    np.testing.assert_array_equal(known.mirrored_similarity_used_, alone.mirrored_similarity_used_)


@pytest.mark.parametrize("text", ["FSMRank(n_folds=2, n_strengths=5)", "FSMSVM(3, n_folds=2)"])
def test_cross_validation_inside_a_selector_does_not_see_what_is_held_out(text):
    data, _ = make_ranking(40, 10, n_relevant=3, n_redundant=3, n_irrelevant=4, random_state=0)
    alone = catalog.parse(text, "selectors").fit(data)
    known = with_computed(catalog.parse(text, "selectors"), Shared(data), data).fit(data)
    assert known.coef_.tobytes() == alone.coef_.tobytes()
    assert known.importance_strength_ == alone.importance_strength_


def equal_queries(seed):
    """Ten queries of eight documents and five features."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(10), 8)
    return from_arrays(rng.normal(size=(80, 5)), rng.integers(0, 3, 80).astype(float), qid)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("train_part", "other_part"),
    [
        (lambda data: data, lambda data: equal_queries(99)),
        (lambda data: data.queries(range(5)), lambda data: data.queries(range(5, 10))),
        (lambda data: data, lambda data: data.features([1, 0, 2, 3, 4])),
    ],
    ids=["other data", "the other half", "other features"],
)
def test_other_data_with_as_many_documents_gets_its_own_numbers(seed, train_part, other_part):
    train, other = train_part(equal_queries(seed)), other_part(equal_queries(seed))
    assert other.n_documents == train.n_documents
    scores, matrix = as_importance("map").scores, as_similarity("kendall").matrix
    importance = Precomputed(scores(train), as_importance("map"), train)
    similarity = Precomputed(matrix(train), as_similarity("kendall"), train)
    assert not np.array_equal(scores(other), scores(train))
    assert importance.scores(other).tobytes() == scores(other).tobytes()
    assert similarity.matrix(other).tobytes() == matrix(other).tobytes()


def test_equal_data_is_recognised_by_its_content_and_a_clone_copies_no_data():
    train, _ = make_ranking(20, 8, n_relevant=2, n_redundant=1, n_irrelevant=2)
    numbers = np.arange(5.0)
    importance = Precomputed(numbers, as_importance("map"), train)
    again = from_arrays(train.X, train.y, train.qid, feature_names=train.feature_names)
    assert importance.scores(train) is numbers
    assert importance.scores(again) is numbers
    assert clone(TopK(importance)).importance is importance


def test_every_importance_and_similarity_of_a_selector_can_be_shared():
    for entry in catalog.entries("selectors"):
        selector = entry.load()()
        parameters = selector.get_params(deep=False)
        # RankRFE has none unless it is given one, which it measures again in each round.
        taken = {
            name
            for name in ("importance", "similarity", "preference")
            if parameters.get(name) is not None
        }
        assert {shared.parameter for shared in selector.shared_components()} == taken


def test_arrays_of_the_caller_are_not_shared():
    fsm = FSMRank(importance=np.ones(5), similarity=np.eye(5))
    assert fsm.shared_components() == ()


def test_a_selector_that_turns_features_computes_for_itself():
    data, _ = make_ranking(20, 8, n_relevant=2, n_redundant=1, n_irrelevant=2)
    shared = Shared(data)
    gas = catalog.parse("GAS(orient=True)", "selectors")
    assert with_computed(gas, shared, data) is gas
    assert shared.parts == {}


def test_components_by_two_spellings_are_one_part():
    data, _ = make_ranking(20, 8, n_relevant=2, n_redundant=1, n_irrelevant=2)
    shared = Shared(data)
    for text in ('TopK("ndcg@10")', 'TopK(importance="NDCG@10")'):
        with_computed(catalog.parse(text, "selectors"), shared, data)
    assert len(shared.parts) == 1
    assert np.isfinite(next(iter(shared.parts.values()))).all()

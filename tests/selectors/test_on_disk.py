"""Methods on data that stays on disk: by blocks they give the same, the others say why not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ranksieve import make_ranking
from ranksieve.catalog import parse
from ranksieve.data import RankingData
from ranksieve.data.disk import stored_blocks
from ranksieve.data.memory import memory
from ranksieve.errors import DataError
from ranksieve.importance import as_importance
from ranksieve.measures import parse_measure
from ranksieve.similarity import as_similarity

SELECTORS = [
    "GAS(n_features_to_select=3)",
    'GAS(n_features_to_select=3, importance="map", similarity="spearman")',
    'GAS(n_features_to_select=3, similarity="spearman", explained_by=2)',
    "FSSCPR(n_features_to_select=3)",
    "HierarchicalBEM(n_features_to_select=3)",
    'HierarchicalILTR(n_features_to_select=3, estimator="RankSVM(C=0.01)")',
    "NGAS(n_features_to_select=3)",
    "XGAS(n_features_to_select=3, c=0.3)",
    "HCAS(n_features_to_select=3)",
    "MRMR(n_features_to_select=3)",
    "TopK(n_features_to_select=3)",
    "RankFilter(n_features_to_select=3, n_samples=100)",
    "SparseRankSVM(strength=0.01)",
    'SparseRankSVM(penalty="mcp", strength=0.01)',
    "FSMRank(importance_strength=0.01)",
    "FSMRank(n_folds=2, n_strengths=4)",
    "FSMSVM(importance_strength=0.01)",
    "FenchelRank(n_features_to_select=3)",
    "RSRank(strength=0.01)",
    'RankRFE(n_features_to_select=3, estimator="RankSVM(C=0.01)")',
]
RANKERS = ["RankSVM(C=0.01)", "RankSVM()", "ListNet(max_iter=5)"]
IN_MEMORY = [
    "RankSVMStruct()",
    "RankBoost(5)",
    "LightGBMRanker(5)",
    "PointwiseRanker()",
    "KernelRankSVM()",
]
SELECTORS_IN_MEMORY = ["GreedyRankRLS(n_features_to_select=3)"]
IMPORTANCES = ["ndcg@10", "pair-error", "pearson", "spearman", "mutual-information", "chi-square"]
SIMILARITIES = ["kendall", "tau-b", "spearman", "footrule", "pearson", "pooled-spearman"]


@pytest.fixture(scope="module")
def parts():
    """The same blocks in memory and on disk."""
    data, _ = make_ranking(250, 30, n_relevant=3, n_redundant=2, n_irrelevant=3)
    stored = RankingData(stored_blocks(data.blocks()), data.feature_names)
    blocks = [block.loaded() for block in stored.blocks()]
    return RankingData(blocks, data.feature_names), stored


@pytest.fixture(autouse=True)
def little_memory():
    with memory("10KiB"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("text", SELECTORS)
def test_a_selector_that_works_by_blocks_selects_the_same_from_disk(parts, text):
    data, stored = parts
    ours, theirs = (parse(text, "selectors").fit(each) for each in (stored, data))
    np.testing.assert_array_equal(ours.order_, theirs.order_)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("text", RANKERS)
def test_a_ranker_that_works_by_blocks_learns_the_same_from_disk(parts, text):
    data, stored = parts
    ours, theirs = (parse(text, "rankers").fit(each) for each in (stored, data))
    np.testing.assert_allclose(ours.predict(stored), theirs.predict(data), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("text", IN_MEMORY)
def test_a_ranker_that_needs_everything_says_so_with_the_size(parts, text):
    if text.startswith("LightGBM"):
        pytest.importorskip("lightgbm")
    with pytest.raises(DataError, match=r"needs all features in memory: .* and 10 KiB are allowed"):
        parse(text, "rankers").fit(parts[1])


@pytest.mark.parametrize("text", SELECTORS_IN_MEMORY)
def test_a_selector_that_needs_everything_says_so_with_the_size(parts, text):
    with pytest.raises(DataError, match=r"needs all features in memory: .* and 10 KiB are allowed"):
        parse(text, "selectors").fit(parts[1])


@pytest.mark.parametrize("text", IMPORTANCES)
def test_an_importance_is_the_same_from_disk(parts, text):
    data, stored = parts
    importance = as_importance(text)
    np.testing.assert_array_equal(importance.scores(stored), importance.scores(data))
    assert importance.random_order(stored) == importance.random_order(data)


@pytest.mark.parametrize("text", SIMILARITIES)
def test_a_similarity_is_the_same_from_disk(parts, text):
    data, stored = parts
    similarity = as_similarity(text)
    np.testing.assert_array_equal(similarity.matrix(stored), similarity.matrix(data))


def test_counts_of_pairs_are_the_same_from_disk(parts):
    data, stored = parts
    with memory("1MiB"):  # for the tables; the columns stay on disk
        ours, theirs = (parse("MIQUBO(3)", "selectors").fit(each) for each in (stored, data))
    np.testing.assert_array_equal(ours.order_, theirs.order_)
    np.testing.assert_array_equal(ours.conditional_information_, theirs.conditional_information_)


def test_an_importance_that_trains_needs_one_column_at_a_time(parts):
    data, stored = parts
    importance = as_importance("single-ranker('RankSVM(C=0.01)')")
    np.testing.assert_array_equal(importance.scores(stored), importance.scores(data))


def test_trees_rank_documents_on_disk_by_a_model_from_memory(parts):
    pytest.importorskip("lightgbm")
    data, stored = parts
    model = parse("LightGBMRanker(5)", "rankers").fit(data)
    np.testing.assert_array_equal(model.predict(stored), model.predict(data))
    measure = parse_measure("ndcg@10")
    assert model.score(stored) == pytest.approx(model.score(data))
    assert measure.values(stored.y, model.predict(stored), stored.query_ptr).shape == (250,)

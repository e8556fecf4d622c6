"""Exported models score in each engine as `predict` does, by the engines' own arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.export import export_model
from ranksieve.rankers import NetworkDescription
from tests.export.cases import (
    EVERY,
    SPELLINGS,
    TREES,
    assert_agree,
    magnitudes,
    telling_rows,
    with_missing,
)
from tests.reference.engines import (
    elasticsearch_scores,
    neutral_scores,
    onnx_scores,
    ranklib_scores,
    solr_scores,
    vespa_scores,
)

ENGINES = {
    "elasticsearch": lambda export, names, rows: elasticsearch_scores(export.content, names, rows),
    "opensearch": lambda export, names, rows: elasticsearch_scores(export.content, names, rows),
    "solr": lambda export, names, rows: solr_scores(export.content, names, rows),
    "vespa": vespa_scores,
    "ranklib": lambda export, names, rows: ranklib_scores(export.content, rows),
    "onnx": lambda export, names, rows: onnx_scores(export.content, names, rows),
    "json": lambda export, names, rows: neutral_scores(export.content, rows),
}
NO_NETWORKS = ("elasticsearch", "opensearch", "ranklib")


def library_scores(ranker, rows):
    """What the library behind a ranker makes of rows with missing values."""
    return ranker._scores(np.asfortranarray(rows))


def test_a_ranker_of_each_name_in_the_catalog_is_exported():
    assert {entry.class_name for entry in catalog.entries("rankers")} == set(SPELLINGS)


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("key", EVERY)
def test_scores_in_an_engine_are_those_of_predict(fitted, data, key, target):
    ranker = fitted(EVERY[key])
    description = ranker.description()
    if isinstance(description, NetworkDescription) and target in NO_NETWORKS:
        with pytest.raises(ParameterError, match="network"):
            export_model(ranker, target)
        return
    rows = telling_rows(description, data.X)
    export = export_model(ranker, target)
    assert set(export.features) <= set(data.feature_names)
    assert not [each for each in export.warnings if "negative" not in each]
    # scikit-learn adds up all values to see whether one is not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        expected = ranker.predict(rows)
    scores = ENGINES[target](export, list(data.feature_names), rows).astype(np.float64)
    if target in ("elasticsearch", "opensearch"):
        # model/linear has no intercept, which the notes say.
        expected = expected - getattr(description, "intercept", 0.0)
    sizes = magnitudes(description, rows)
    if key == "KernelRankSVM":
        # Its predict adds up over landmarks, with more to cancel than the weights have.
        sizes = np.abs(rows @ ranker.landmarks_.T) @ np.abs(ranker.dual_coef_)
    assert_agree(scores, expected, sizes)


@pytest.mark.parametrize("target", ["elasticsearch", "opensearch", "solr"])
def test_xgboost_adds_up_in_float32_too_so_that_scores_are_the_same_to_the_last_bit(
    fitted, data, target
):
    ranker = fitted(EVERY["XGBoostRanker"])
    rows = telling_rows(ranker.description(), data.X)
    export = export_model(ranker, target)
    scores = ENGINES[target](export, list(data.feature_names), rows)
    assert np.array_equal(scores, ranker.predict(rows).astype(np.float32))


# The description in JSON has the directions that were learned.
@pytest.mark.parametrize("target", [each for each in ENGINES if each != "json"])
@pytest.mark.parametrize("key", TREES)
def test_a_missing_feature_is_zero_unless_told_otherwise(fitted, data, key, target):
    ranker = fitted(EVERY[key])
    rows = with_missing(telling_rows(ranker.description(), data.X))
    export = export_model(ranker, target)
    scores = ENGINES[target](export, list(data.feature_names), rows).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = ranker.predict(np.where(np.isnan(rows), np.float32(0), rows))
    assert_agree(scores, expected, magnitudes(ranker.description(), rows))


@pytest.mark.parametrize("target", ["elasticsearch", "opensearch", "solr", "vespa", "onnx", "json"])
@pytest.mark.parametrize(
    "key", ["LightGBMRanker", "LightGBM on zeros", "XGBoostRanker", "CatBoostRanker"]
)
def test_a_missing_feature_goes_where_the_library_sends_it_if_told_so(fitted, data, key, target):
    ranker = fitted(EVERY[key])
    rows = with_missing(telling_rows(ranker.description(), data.X))
    export = export_model(ranker, target, missing="learned")
    scores = ENGINES[target](export, list(data.feature_names), rows).astype(np.float64)
    assert_agree(scores, library_scores(ranker, rows), magnitudes(ranker.description(), rows))


@pytest.mark.parametrize("key", ["RankSVM", "XGBoostRanker", "RankBoost", "LightGBMRanker"])
def test_ranklib_in_elasticsearch_counts_the_features_of_the_set(fitted, data, key):
    ranker = fitted(EVERY[key])
    names = ["debt", "other", *data.feature_names[:5]]
    export = export_model(ranker, "elasticsearch", model_type="model/ranklib", feature_set=names)
    rows = telling_rows(ranker.description(), data.X)
    other = np.random.default_rng(0).normal(size=len(rows)).astype(np.float32)
    in_set = np.column_stack([rows[:, 5], other, rows[:, :5]])
    scores = elasticsearch_scores(export.content, names, in_set).astype(np.float64)
    assert_agree(scores, ranker.predict(rows), magnitudes(ranker.description(), rows))

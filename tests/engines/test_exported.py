"""Exported models in engines: all rows of real data, and rows on the thresholds of trees."""

from __future__ import annotations

import functools
import json
import warnings

import numpy as np
import pytest

from ranksieve import load
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.export import export_model
from ranksieve.rankers import TreesDescription, parse_ranker
from tests.engines.engine import Task
from tests.engines.exported import VERSIONS, assert_agree, on_thresholds, sizes, task

KINDS = {
    "RankSVM": "RankSVM(C=0.01)",
    "SparseRankSVM": "SparseRankSVM(strength=0.01)",
    "FSMRank": "FSMRank(similarity_strength=0.1, importance_strength=0.1)",
    "AdaRank": "AdaRank('ndcg@10', both_directions=True)",
    "intercept": "PointwiseRanker('Ridge')",
    "RankBoost": "RankBoost(40)",
    "RankNet": "RankNet(4, max_iter=20, tol=0.01)",
    "LightGBM": "LightGBMRanker(30, num_leaves=15)",
    "XGBoost": "XGBoostRanker(30, max_depth=4)",
    "CatBoost": "CatBoostRanker(30, depth=4)",
}
NETWORKS = ("RankNet",)
NO_NETWORKS = ("elasticsearch", "opensearch", "ranklib")
TREES = ("RankBoost", "LightGBM", "XGBoost", "CatBoost")
# Of the queries that MSLR's models learn from.
N_QUERIES = 12
DATA = ("MSLR-sample", "MQ2008", "generated")
# On real data: versions of an engine differ in what they do with missing values alone.
NEWEST = ("elasticsearch", "opensearch-3.8", "solr", "vespa", "ranklib")


@functools.cache
def documents(folder, name):
    """What a model learns from, and all rows that it gives scores."""
    if name == "generated":
        generator = np.random.default_rng(2)
        X = generator.lognormal(0, 3, size=(800, 6)) * [1, 1e-7, 1, 1e4, 1, 1]
        X[:, 4] = generator.integers(0, 3, size=800) / 4
        X[:, 5] *= -1
        X = X.astype(np.float32)
        grades = np.digitize(X[:, 0] + X[:, 4], [1, 4])
        data = from_arrays(X, grades, np.repeat(np.arange(40), 20))
        return data, data.X
    if name == "MQ2008":
        data = load(folder / "MQ2008" / "Fold1" / "test.txt")
        return data, data.X
    train, test = (load(folder / "MSLR-sample" / f"{part}.txt") for part in ("train", "test"))
    few = train.qid <= np.unique(train.qid)[N_QUERIES - 1]
    training = from_arrays(train.X[few], train.y[few], train.qid[few])
    return training, np.concatenate([train.X, test.X])


@functools.cache
def fitted(folder, name, kind):
    data, _ = documents(folder, name)
    with warnings.catch_warnings():
        # Few rounds suffice: what is tested is not how good the model is.
        warnings.simplefilter("ignore")
        return parse_ranker(KINDS[kind]).fit(data)


@functools.cache
def rows_and_scores(folder, name, kind):
    """Pairs of rows and their scores by `predict`: every row, and for trees rows on thresholds."""
    ranker, (_, X) = fitted(folder, name, kind), documents(folder, name)
    description, blocks = ranker.description(), [X]
    if isinstance(description, TreesDescription):
        blocks.append(on_thresholds(description, X))
    return [(rows, ranker.predict(rows)) for rows in blocks]


@pytest.fixture
def source(request):
    """From the name of a data set: the folder that it is in, and the name."""
    if request.param == "generated":
        return None, request.param
    return request.getfixturevalue("real_data"), request.param


# Sorted by what is read and fitted once.
CASES = [
    pytest.param(name, kind, engine, id=f"{name}-{kind}-{engine}")
    for name in DATA
    for kind in KINDS
    for engine in (VERSIONS if name == "generated" else NEWEST)
]


def feature_names(ranker):
    return [f"f{index}" for index in range(1, len(ranker.description().names) + 1)]


@pytest.mark.parametrize(("source", "kind", "engine"), CASES, indirect=["source"])
def test_scores_in_an_engine_are_those_of_predict(engines, source, kind, engine):
    ranker = fitted(*source, kind)
    names, (target, version) = feature_names(ranker), VERSIONS[engine]
    if kind in NETWORKS and target in NO_NETWORKS:
        with pytest.raises(ParameterError, match="network"):
            export_model(ranker, target, names=names)
        return
    export = export_model(ranker, target, names=names, engine_version=version)
    assert silent(export)
    description = ranker.description()
    # model/linear has none.
    plugin = target in ("elasticsearch", "opensearch")
    intercept = getattr(description, "intercept", 0.0) if plugin else 0.0
    for X, expected in rows_and_scores(*source, kind):
        (scores,) = engines.batch([task(engine, export, names, X)])
        assert_agree(scores, expected - intercept, sizes(description, X))


def silent(export):
    """Whether an export says nothing of scores that differ; no row here has missing values."""
    about_values = ("negative", "missing")
    return not [text for text in export.warnings if not any(word in text for word in about_values)]


@pytest.mark.parametrize("source", DATA, indirect=True)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in NETWORKS])
def test_as_a_model_of_ranklib_features_count_the_set_in_any_order(engines, source, kind):
    ranker = fitted(*source, kind)
    names = feature_names(ranker)
    order = np.random.default_rng(0).permutation(len(names))
    feature_set = [names[index] for index in order]
    export = export_model(
        ranker,
        "elasticsearch",
        names=names,
        feature_set=feature_set,
        model_type="model/ranklib",
    )
    for X, expected in rows_and_scores(*source, kind):
        (scores,) = engines.batch([task("elasticsearch", export, feature_set, X[:, order])])
        assert_agree(scores, expected, sizes(ranker.description(), X))


@pytest.mark.parametrize("kind", ["RankSVM", "RankNet", "LightGBM"])
def test_a_solr_server_reranks_as_predict_does(engines, kind):
    source = (None, "generated")
    ranker = fitted(*source, kind)
    names = feature_names(ranker)
    export = export_model(ranker, "solr", names=names, engine_version="8.11")
    field = "org.apache.solr.ltr.feature.FieldValueFeature"
    store = [
        {"name": name, "class": field, "store": "_DEFAULT_", "params": {"field": name}}
        for name in export.features
    ]
    uploads = json.dumps({"features": store, "model": json.loads(export.content)})
    X, expected = (values[-200:] for values in rows_and_scores(*source, kind)[-1])
    scores, logged = engines.reranked(uploads, names, X)
    assert_agree(scores, expected, sizes(ranker.description(), X))
    assert set(logged[0]) == set(export.features)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("engine", [name for name in VERSIONS if name != "ranklib"])
def test_a_missing_value_counts_as_zero_or_the_export_says_that_it_does_not(engines, kind, engine):
    source = (None, "generated")
    ranker, (_, X) = fitted(*source, kind), documents(*source)
    holes = X.copy()
    holes[np.random.default_rng(2).random(X.shape) < 0.3] = np.nan
    names, (target, version) = feature_names(ranker), VERSIONS[engine]
    export = export_model(ranker, target, names=names, engine_version=version)
    (scores,) = engines.batch([task(engine, export, names, holes)])
    if engine == "opensearch-3.7":
        assert [text for text in export.warnings if "missing" in text]
    else:
        expected = ranker.predict(np.nan_to_num(holes))
        assert_agree(scores, expected, sizes(ranker.description(), X))
        assert not [text for text in export.warnings if "missing" in text]


@pytest.mark.parametrize("target", ["elasticsearch", "opensearch"])
def test_features_of_the_set_that_the_model_does_not_read_change_nothing(engines, target):
    source = (None, "generated")
    for kind in ("SparseRankSVM", "LightGBM"):
        ranker, (_, X) = fitted(*source, kind), documents(*source)
        names = feature_names(ranker)
        export = export_model(ranker, target, names=names)
        engine = {"elasticsearch": "elasticsearch", "opensearch": "opensearch-3.8"}[target]
        used = [names.index(name) for name in export.features]
        pruned, full = engines.batch(
            [
                Task(engine, export.content, export.features, X[:, used]),
                Task(engine, export.content, tuple(names), X),
            ]
        )
        assert pruned.tolist() == full.tolist()

"""A Solr server from upload to scores: the store, the model, an index, a rerank."""

import json

import numpy as np
import pytest

from tests.engines.engine import EngineError
from tests.engines.models import solr_model, solr_split, solr_trees

NAMES = ["a", "b", "c"]


def store(names, **extra):
    kind = "org.apache.solr.ltr.feature.FieldValueFeature"
    return [
        {"name": name, "class": kind, "params": {"field": name}, **extra.get(name, {})}
        for name in names
    ]


def documents():
    generator = np.random.default_rng(5)
    X = generator.normal(size=(40, 3)).astype(np.float32).astype(np.float64)
    X[generator.random(X.shape) < 0.2] = np.nan
    return X


def models():
    weights = {"a": 0.5, "b": -2.0, "c": 0.25}
    yield json.dumps(solr_model("LinearModel", NAMES, {"weights": weights}))
    yield solr_trees(solr_split(0.0, "a"), solr_split(0.25, "b"), solr_split(-1, "c"), names=NAMES)
    layers = [
        {"matrix": [[1.0, -1.0, 0.5], [0.5, 0.5, 0.5]], "bias": [0.0, 1.0], "activation": "relu"},
        {"matrix": [[1.0, -0.5]], "bias": [0.5], "activation": "identity"},
    ]
    yield json.dumps(solr_model("NeuralNetworkModel", NAMES, {"layers": layers}))


@pytest.mark.parametrize("model", list(models()), ids=["linear", "trees", "network"])
def test_a_server_reranks_with_the_scores_of_the_model_classes(engines, model):
    X = documents()
    uploads = json.dumps({"features": store(NAMES), "model": json.loads(model)})
    scores, logged = engines.reranked(uploads, NAMES, X)
    assert scores.tolist() == engines.scores("solr", model, NAMES, X).tolist()
    # It logs float32 values, negative ones too, and 0 for what a document lacks.
    values = np.array([[document[name] for name in NAMES] for document in logged])
    assert values.astype(np.float32).tolist() == np.nan_to_num(X).astype(np.float32).tolist()


def test_a_server_takes_a_store_in_which_the_model_does_not_list_every_feature(engines):
    model = solr_model("LinearModel", ["c"], {"weights": {"c": 2.0}})
    uploads = json.dumps({"features": store(NAMES), "model": model})
    X = documents()
    scores, logged = engines.reranked(uploads, NAMES, X)
    assert scores.astype(np.float32).tolist() == (2 * np.nan_to_num(X[:, 2])).tolist()
    # What the transformer logs by default is the model's features alone.
    assert set(logged[0]) <= set(NAMES)


def test_a_server_refuses_a_model_whose_feature_the_store_lacks(engines):
    model = solr_model("LinearModel", ["c"], {"weights": {"c": 2.0}})
    uploads = json.dumps({"features": store(["a"]), "model": model})
    with pytest.raises(EngineError, match="Feature: c not found in store"):
        engines.reranked(uploads, NAMES, documents())

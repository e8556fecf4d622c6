"""All rows of real data, scored by onnxruntime and by the slow evaluators as by `predict`."""

from __future__ import annotations

import functools
import warnings
from itertools import pairwise

import numpy as np
import pytest

from ranksieve import load
from ranksieve.export import export_model
from ranksieve.rankers import TreesDescription, parse_ranker
from tests.export.cases import assert_agree, magnitudes, near_splits, with_values
from tests.reference.engines import elasticsearch_scores, onnx_scores, solr_scores

KINDS = {
    "weights": "RankSVM(C=0.01)",
    "stumps": "RankBoost(40)",
    "network": "RankNet(4, max_iter=20, tol=0.01)",
    "LightGBM": "LightGBMRanker(20, num_leaves=31)",
    "XGBoost": "XGBoostRanker(20, max_depth=6)",
    "CatBoost": "CatBoostRanker(15, depth=5)",
}
FILES = {
    "MSLR-sample": ("MSLR-sample/train.txt", "MSLR-sample/test.txt"),
    "MQ2008": ("MQ2008/Fold1/train.txt", "MQ2008/Fold1/test.txt"),
}


@functools.cache
def fitted(folder, name, kind):
    train, test = (load(folder / path) for path in FILES[name])
    with warnings.catch_warnings():
        # Few rounds suffice: what is tested is not how good the model is.
        warnings.simplefilter("ignore")
        ranker = parse_ranker(KINDS[kind]).fit(train)
    rows = np.concatenate([train.X, test.X])
    description = ranker.description()
    if isinstance(description, TreesDescription):
        beside = [
            with_values(train.X, feature, near_splits(description, feature))
            for feature in description.used.tolist()
        ]
        rows = np.concatenate([rows, *beside])
    starts = np.concatenate([train.query_ptr, train.n_documents + test.query_ptr[1:]])
    return ranker, rows, ranker.predict(rows), starts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        (name, kind, target)
        for name in FILES
        for kind in KINDS
        for target in ("onnx", "elasticsearch", "solr")
        if (kind, target) != ("network", "elasticsearch")
    ],
)
def test_all_rows_and_rows_on_splits_score_as_in_predict(real_data, name, kind, target):
    ranker, rows, expected, starts = fitted(real_data, name, kind)
    export, names = export_model(ranker, target), list(ranker.feature_names_)
    assert not [each for each in export.warnings if "negative" not in each]
    score = {"onnx": onnx_scores, "elasticsearch": elasticsearch_scores, "solr": solr_scores}[
        target
    ]
    scores = score(export.content, names, rows).astype(np.float64)
    assert_agree(scores, expected, magnitudes(ranker.description(), rows))
    for start, stop in pairwise(starts):
        order = np.argsort(expected[start:stop], kind="stable")
        assert (np.diff(scores[start:stop][order]) >= 0).all()

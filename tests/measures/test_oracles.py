"""Outside tools, where their conventions meet ours."""

from __future__ import annotations

import shutil

import ir_measures
import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.metrics import ndcg_score

from ranksieve.measures import ERR, MAP, NDCG, Precision, ReciprocalRank


def queries(seed: int, *, ties: bool = False):
    """Twelve queries of 4 to 30 documents; the third has no relevant document."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 30, 12)
    n = int(sizes.sum())
    qid = np.repeat(np.arange(12), sizes)
    y = rng.choice(5, n, p=[0.5, 0.2, 0.15, 0.1, 0.05]).astype(float)
    y[qid == 2] = 0.0
    scores = rng.integers(0, 5, n).astype(float) if ties else rng.permutation(n) / 8.0
    return y, scores, qid


IR = [
    (ir_measures.nDCG @ 5, NDCG(5, gain="linear"), 1e-12),
    (ir_measures.nDCG @ 100, NDCG(gain="linear"), 1e-12),
    (ir_measures.AP, MAP(), 1e-12),
    (ir_measures.AP(rel=2), MAP(threshold=2), 1e-12),
    (ir_measures.AP @ 5, MAP(5), 1e-12),
    (ir_measures.P @ 5, Precision(5), 1e-12),
    (ir_measures.P(rel=3) @ 20, Precision(20, threshold=3), 1e-12),
    (ir_measures.RR, ReciprocalRank(), 1e-12),
    (ir_measures.RR @ 3, ReciprocalRank(3), 1e-12),
    (ir_measures.ERR @ 10, ERR(10), 6e-6),  # gdeval prints five digits
    (ir_measures.nDCG(dcg="exp-log2") @ 10, NDCG(10), 6e-6),
]


@pytest.mark.parametrize(("theirs", "ours", "tolerance"), IR, ids=[str(row[0]) for row in IR])
def test_ir_measures_agrees(theirs, ours, tolerance):
    if tolerance > 1e-9 and shutil.which("perl") is None:
        pytest.skip("gdeval, which computes this for ir_measures, needs perl")
    y, scores, qid = queries(0)
    qrels = [
        ir_measures.Qrel(str(q), f"d{i}", int(g))
        for i, (q, g) in enumerate(zip(qid, y, strict=True))
    ]
    run = [
        ir_measures.ScoredDoc(str(q), f"d{i}", s)
        for i, (q, s) in enumerate(zip(qid, scores, strict=True))
    ]
    found = {m.query_id: m.value for m in ir_measures.iter_calc([theirs], qrels, run)}
    expected = [found.get(str(q), 0.0) for q in range(12)]
    np.testing.assert_allclose(ours.per_query(y, scores, qid=qid), expected, atol=tolerance)


@pytest.mark.parametrize("k", [1, 5, None])
def test_scikit_learn_averages_over_ties_alike(k):
    y, scores, qid = queries(1, ties=True)
    expected = [ndcg_score([2 ** y[qid == q] - 1], [scores[qid == q]], k=k) for q in range(12)]
    values = NDCG(k, ties="average").per_query(y, scores, qid=qid)
    np.testing.assert_allclose(values, expected, atol=1e-14)


def test_lightgbm_reports_the_same_figures_on_its_own_scores():
    y, _, qid = queries(2)
    X = np.random.default_rng(2).normal(size=(len(y), 3)) + y[:, None] / 3
    data = lightgbm.Dataset(X, y, group=np.unique(qid, return_counts=True)[1])
    settings = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": [1, 5, 50],
        "min_data_in_leaf": 2,
        "verbose": -1,
        "num_threads": 1,
    }
    judged: dict = {}
    model = lightgbm.train(
        settings, data, 3, valid_sets=[data], callbacks=[lightgbm.record_evaluation(judged)]
    )
    figures = judged["training"]
    for iteration in range(3):
        predicted = model.predict(X, num_iteration=iteration + 1)
        for k in (1, 5, 50):
            value = NDCG(k, no_relevant=1.0)(y, predicted, qid=qid)
            assert value == pytest.approx(figures[f"ndcg@{k}"][iteration], abs=1e-12)
        value = MAP(no_relevant=1.0)(y, predicted, qid=qid)
        assert value == pytest.approx(figures["map@50"][iteration], abs=1e-12)


def xgboost_figure(name: str, y, scores, qid) -> float:
    """What XGBoost reports for given scores: they are the margin that it starts from."""
    data = xgboost.DMatrix(np.zeros((len(y), 1)), y, qid=qid, base_margin=scores)
    model = xgboost.train({"objective": "rank:ndcg", "eval_metric": name, "nthread": 1}, data, 0)
    return float(model.eval(data).rsplit(":", 1)[1])


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("ndcg@5-", NDCG(5)),
        ("ndcg@5", NDCG(5, no_relevant=1.0)),
        ("ndcg-", NDCG()),
    ],
)
def test_xgboost_reports_the_same_ndcg_on_given_scores(name, measure):
    y, scores, qid = queries(3)
    expected = xgboost_figure(name, y, scores, qid)
    assert measure(y, scores, qid=qid) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "measure"), [("map-", MAP()), ("map", MAP(no_relevant=1.0)), ("pre@3", Precision(3))]
)
def test_xgboost_reports_the_same_map_and_precision_on_given_scores(name, measure):
    y, scores, qid = queries(4)
    binary = (y > 0).astype(float)
    expected = xgboost_figure(name, binary, scores, qid)
    assert measure(binary, scores, qid=qid) == pytest.approx(expected, abs=1e-12)

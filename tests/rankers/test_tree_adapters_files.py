"""Files of the three adapters: the libraries read them, and rubbish does no harm."""

from __future__ import annotations

import json
import re

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost

from ranksieve import CatBoostRanker, LightGBMRanker, XGBoostRanker, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError
from ranksieve.rankers import load_ranker
from ranksieve.rankers._model_file import _checksum, _parts

ADAPTERS = [
    pytest.param(each, id=each.__name__) for each in (LightGBMRanker, XGBoostRanker, CatBoostRanker)
]
every_adapter = pytest.mark.parametrize("adapter", ADAPTERS)
ODD = ["a b", "c,d", "ü", "[x]", 'q"', "{k: 1}", "<t>", "tab\t", "Ω", "e=f"]
PLAIN = [f"bm25.title_{index}" for index in range(10)]


def some_data(names):
    data = make_ranking(20, 12, n_relevant=3, n_redundant=2, n_irrelevant=5, random_state=0)[0]
    return from_arrays(data.X, data.y, data.qid, feature_names=names)


def read_by_library(path, X):
    """Scores of a file's model, and its features' names, by the library that it is of."""
    if path.suffix == ".txt":
        booster = lightgbm.Booster(model_file=path)
        return booster.predict(X), booster.feature_name()
    if path.suffix == ".json":
        booster = xgboost.Booster(model_file=path)
        names = booster.feature_names
        return booster.predict(xgboost.DMatrix(X, feature_names=names)), names
    model = catboost.CatBoost().load_model(str(path))
    return model.predict(X), model.feature_names_


SUFFIX = {LightGBMRanker: ".txt", XGBoostRanker: ".json", CatBoostRanker: ".cbm"}


@every_adapter
@pytest.mark.parametrize("names", [ODD, PLAIN], ids=["odd", "plain"])
def test_the_library_reads_the_file_and_scores_alike(adapter, names, tmp_path):
    data = some_data(names)
    model = adapter(6, 0.3, patience=6).fit(data.queries(range(14)), validation=data)
    path = tmp_path / f"model{SUFFIX[adapter]}"
    model.save(path)
    scores, theirs = read_by_library(path, data.X)
    np.testing.assert_array_equal(scores, model.predict(data))
    assert (theirs == PLAIN) == (names is PLAIN)
    found = load_ranker(path)
    assert found._data_names == tuple(names)
    np.testing.assert_array_equal(found.predict(data), scores)
    assert found.n_iter_ == model.n_iter_
    np.testing.assert_array_equal(found.feature_importances_, model.feature_importances_)
    assert repr(found) == repr(model)


@every_adapter
def test_further_parameters_are_part_of_the_file(adapter, tmp_path):
    further = {LightGBMRanker: "max_bin", XGBoostRanker: "max_bin", CatBoostRanker: "border_count"}
    params = {further[adapter]: 15}
    adapter(2, params=params).fit(some_data(PLAIN)).save(tmp_path / "model")
    assert load_ranker(tmp_path / "model").params == params


@every_adapter
def test_a_payload_that_is_cut_off_or_rubbish_is_a_clear_error(adapter):
    model = adapter(3).fit(some_data(PLAIN))
    payload = model._payload()
    rng = np.random.default_rng(0)
    cuts = [payload[:cut] for cut in rng.integers(0, len(payload) * 9 // 10, 12)]
    rubbish = [b"", b"{}", b"[1]", b"rubbish", b"tree\n", b"CBM1", rng.bytes(3000)]
    for wrong in (*cuts, *rubbish):
        with pytest.raises(ValueError, match=r"trees of|refuses"):
            adapter(3)._set_payload(wrong)


@every_adapter
def test_a_file_with_a_forged_checksum_is_still_refused(adapter, tmp_path):
    path = tmp_path / "model"
    adapter(3).fit(some_data(PLAIN)).save(path)
    payload, about = _parts(path.read_bytes(), "model")
    cut = payload[: len(payload) // 2]
    about["sha256"] = _checksum(cut, about)
    path.write_bytes(cut + b"\nranksieve: " + json.dumps(about).encode() + b"\n")
    with pytest.raises(DataError, match="is no model that this version of ranksieve"):
        load_ranker(path)


@every_adapter
def test_a_model_of_another_number_of_features_is_refused(adapter, tmp_path):
    path = tmp_path / "model"
    data = some_data(PLAIN)
    adapter(3).fit(data.features([0, 1])).save(path)
    payload, _ = _parts(path.read_bytes(), "model")
    adapter(3).fit(data).save(path)
    _, about = _parts(path.read_bytes(), "model")
    about["sha256"] = _checksum(payload, about)
    line = json.dumps(about).encode()
    if payload.endswith(b"}"):
        path.write_bytes(payload[:-1] + b',\n"ranksieve": ' + line + b"}\n")
    else:
        path.write_bytes(payload + b"\nranksieve: " + line + b"\n")
    with pytest.raises(DataError, match="features"):
        load_ranker(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"threshold=(\S+)", b"threshold=x"),
        (rb"num_leaves=(\d+)", b"num_leaves=3000"),
        (rb"leaf_value=(\S+) ", b"leaf_value="),
        (rb"split_feature=(\d+)", b"split_feature=99"),
        (rb"left_child=(\S+)", b"left_child=0"),
        (rb"right_child=(\S+)", b"right_child=-3000"),
        (rb"\[num_leaves: ", b"[num_leaves; "),
        (rb"max_feature_idx=\d+", b"max_feature_idx=x"),
        (rb"Tree=1", b"Tree=7"),
    ],
)
def test_text_of_lightgbm_that_would_end_the_process_is_refused_before(old, new):
    payload = LightGBMRanker(3).fit(some_data(PLAIN))._payload()
    damaged = re.sub(old, new, payload, count=1)
    assert damaged != payload
    sizes = re.search(rb"tree_sizes=(\d+)", payload)
    start, end = damaged.find(b"\nTree=0\n"), damaged.find(b"\nTree=1\n")
    if end > 0:  # the head says the length of the first tree as it is now
        damaged = damaged.replace(sizes[0], b"tree_sizes=%d" % (end - start), 1)
    with pytest.raises(DataError, match="of LightGBM"):
        LightGBMRanker(3)._set_payload(damaged)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("split_indices", 10**8),
        ("split_indices", -1),
        ("left_children", 10**6),
        ("left_children", 0),
        ("right_children", -7),
    ],
)
def test_a_tree_of_xgboost_that_leads_nowhere_is_refused_before_it_is_followed(name, value):
    content = json.loads(XGBoostRanker(3).fit(some_data(PLAIN))._payload())
    content["learner"]["gradient_booster"]["model"]["trees"][1][name][0] = value
    with pytest.raises(DataError, match="its tree 1 of XGBoost is damaged"):
        XGBoostRanker(3)._set_payload(json.dumps(content).encode())


def test_trees_of_xgboost_for_another_score_are_refused():
    content = json.loads(XGBoostRanker(3).fit(some_data(PLAIN))._payload())
    content["learner"]["gradient_booster"]["model"]["tree_info"] = [7, 7, 7]
    with pytest.raises(DataError, match="trees of one score"):
        XGBoostRanker(3)._set_payload(json.dumps(content).encode())

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


def set_payload(adapter, payload):
    """What is done of `load_ranker` once the checksum is right."""
    model = adapter(3)
    model.n_features_in_ = len(PLAIN)
    model._set_payload(payload)
    return model


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
        with pytest.raises(ValueError, match=r"trees? .*of|refuses"):
            set_payload(adapter, wrong)


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
        set_payload(LightGBMRanker, damaged)


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
        set_payload(XGBoostRanker, json.dumps(content).encode())


def test_trees_of_xgboost_for_another_score_are_refused():
    content = json.loads(XGBoostRanker(3).fit(some_data(PLAIN))._payload())
    content["learner"]["gradient_booster"]["model"]["tree_info"] = [7, 7, 7]
    with pytest.raises(DataError, match="trees of one score"):
        set_payload(XGBoostRanker, json.dumps(content).encode())


def with_line(payload, name, value, tree=0):
    """LightGBM's text with another value in a tree, and sizes that are right."""
    head, *trees = re.split(rb"(?m)^(?=Tree=)", payload)
    last, tail = trees[-1].split(b"end of trees", 1)
    trees[-1] = last
    trees[tree] = re.sub(rb"(?m)^%s=[^\n]*$" % name, value, trees[tree])
    sizes = b" ".join(b"%d" % len(each) for each in trees)
    head = re.sub(rb"tree_sizes=[\d ]*", b"tree_sizes=" + sizes, head)
    return head + b"".join(trees) + b"end of trees" + tail


LINEAR = {"objective": "regression", "params": {"linear_tree": True}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"left_child", b"left_child=1e0 -1 -2"),
        (b"num_cat", b"num_cat=1\ncat_boundaries=0 2000000000\ncat_threshold=1"),
        (b"decision_type", b"decision_type=3 3 3"),
        (b"threshold", b"threshold=1 2 inf"),
        (b"leaf_features", b"leaf_features=4  4 8 9000000  4 8  4 8 9  "),
        (b"num_features", b"num_features=1 3 2 2000000000"),
        (b"num_features", b"num_features=3 1 2 3"),
        (b"is_linear", b"is_linear=0"),
        (b"leaf_const", b"leaf_const=1 2 3"),
        (b"leaf_const", b"leaf_const=5e-324 1 1 1"),
        (b"leaf_const", b"leaf_const=1 1 1 1e-400"),
        (b"leaf_coeff", b"leaf_coeff=1"),
        (b"leaf_value", b"leaf_value=nan 0 0 0"),
        (b"shrinkage", b"shrinkage=nan"),
    ],
)
def test_a_tree_of_lightgbm_with_a_number_that_points_nowhere_is_refused(name, value):
    payload = LightGBMRanker(2, num_leaves=4, **LINEAR).fit(some_data(PLAIN))._payload()
    same = re.search(rb"(?m)^%s=[^\n]*$" % name, payload.split(b"Tree=1")[1])[0]
    set_payload(LightGBMRanker, with_line(payload, name, same, tree=1))
    with pytest.raises(DataError, match="its tree 1 of LightGBM is damaged"):
        set_payload(LightGBMRanker, with_line(payload, name, value, tree=1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"num_tree_per_iteration=1", b"num_tree_per_iteration=0"),
        (b"num_class=1", b"num_class=3"),
        (b"label_index=0", b"label_index=0\naverage_output"),
        (b"objective=lambdarank", b"objective=custom"),
        (b"max_feature_idx=9", b"max_feature_idx=900000000"),
        (b"feature_infos=", b"feature_infos=1:2:3 "),
        (b"version=v4", b"version=v3"),
        (b"pandas_categorical:null", b"pandas_categorical:[[1]]"),
        (b"[seed: 0]", b'[seed: "]'),
        (b"[seed: 0]", b"[seed: 0]\0"),
        (b"end of parameters", b"end of parameters\nTree=3"),
    ],
)
def test_what_lightgbm_says_around_its_trees_is_matched_too(old, new):
    payload = LightGBMRanker(2).fit(some_data(PLAIN))._payload()
    assert old in payload
    with pytest.raises(DataError, match="of LightGBM"):
        set_payload(LightGBMRanker, payload.replace(old, new, 1))


def xgboost_json(change):
    content = json.loads(XGBoostRanker(2, max_depth=2).fit(some_data(PLAIN))._payload())
    learner = content["learner"]
    change(learner, learner["gradient_booster"]["model"], content)
    return json.dumps(content).encode()


def tree_param(name, value):
    return lambda learner, model, _: model["trees"][1]["tree_param"].__setitem__(name, value)


def tree_list(name, value):
    return lambda learner, model, _: model["trees"][1].__setitem__(name, value)


def learner_param(name, value):
    return lambda learner, *_: learner["learner_model_param"].__setitem__(name, value)


@pytest.mark.parametrize(
    "change",
    [
        tree_list("parents", [2**31 - 1] * 7),
        tree_list("parents", [2**31 - 1, 0, 0, 1, 1, 2, 10**9]),
        tree_list("categories_sizes", [2**40]),
        tree_list("categories_nodes", [0]),
        tree_list("split_type", [1] * 7),
        tree_list("split_conditions", [1e300] * 7),
        tree_list("left_children", [1.0, 3, 5, -1, -1, -1, -1]),
        tree_list("left_children", [True, 3, 5, -1, -1, -1, -1]),
        tree_list("id", 7),
        tree_param("size_leaf_vector", "1000000"),
        tree_param("num_nodes", "8"),
        tree_param("num_deleted", "1"),
        tree_param("num_feature", "2000000000"),
        learner_param("num_target", "1000000000"),
        learner_param("num_class", "5"),
        learner_param("num_feature", "2000000000"),
        learner_param("base_score", "[1,2,3]"),
        learner_param("base_score", "1e99"),
        lambda learner, *_: learner["gradient_booster"].__setitem__("name", "gblinear"),
        lambda learner, *_: learner["gradient_booster"].__setitem__("weights", [1]),
        lambda learner, *_: learner["attributes"].__setitem__("best_iteration", "9999"),
        lambda learner, *_: learner["objective"].__setitem__("name", "multi:softmax"),
        lambda learner, *_: learner["objective"].__setitem__("ti+", ["x"]),
        lambda learner, model, _: model["cats"].__setitem__("enc", [1]),
        lambda learner, model, _: model.__setitem__("iteration_indptr", [0, 2]),
        lambda learner, model, _: model.__setitem__("iteration_indptr", [0, 1, 10**9]),
        lambda learner, model, _: model["gbtree_model_param"].__setitem__("num_trees", "9"),
        lambda learner, model, content: content.__setitem__("more", 1),
    ],
)
def test_json_of_xgboost_with_anything_else_is_refused(change):
    set_payload(XGBoostRanker, xgboost_json(lambda *_: None))
    with pytest.raises(DataError, match="of XGBoost"):
        set_payload(XGBoostRanker, xgboost_json(change))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"id": 0', '"id": 0, "id": 0'),
        ('"id": 0', '"id": NaN'),
        ('"id": 0', '"id": ' + "9" * 5000),
        ('"id": 0', '"id": ' + "[" * 5000 + "]" * 5000),
    ],
    ids=["twice", "no number", "long", "deep"],
)
def test_text_of_json_that_readers_disagree_about_is_refused(old, new):
    text = xgboost_json(lambda *_: None).decode()
    assert old in text
    with pytest.raises(DataError, match="of XGBoost"):
        set_payload(XGBoostRanker, text.replace(old, new, 1).encode())


@pytest.mark.parametrize("score", ["5E-1", "[5E-1]"])
def test_versions_of_xgboost_before_3_wrote_less(score):
    def older(learner, model, _):
        del model["cats"]
        learner["learner_model_param"]["base_score"] = score
        for name in ("lambdarank_normalization", "lambdarank_score_normalization"):
            del learner["objective"]["lambdarank_param"][name]

    set_payload(XGBoostRanker, xgboost_json(older))


LEGITIMATE = [
    LightGBMRanker(8, num_leaves=9),
    LightGBMRanker(8, **LINEAR),
    LightGBMRanker(2, min_leaf_documents=5000),
    LightGBMRanker(8, params={"monotone_constraints": [1] * 5 + [-1] * 5}),
    LightGBMRanker(8, params={"extra_trees": True, "path_smooth": 1.0, "max_bin": 15}),
    LightGBMRanker(8, params={"interaction_constraints": [[0, 1], [2, 3, 4]]}),
    LightGBMRanker(8, objective="regression", params={"reg_sqrt": True}),
    LightGBMRanker(8, objective="rank_xendcg", params={"data_sample_strategy": "goss"}),
    LightGBMRanker(8, params={"zero_as_missing": True, "use_quantized_grad": True}),
    XGBoostRanker(8, max_depth=5),
    XGBoostRanker(8, max_depth=5, params={"tree_method": "exact", "gamma": 1.0}),
    XGBoostRanker(4, params={"lambdarank_unbiased": True, "num_parallel_tree": 3}),
    XGBoostRanker(8, params={"grow_policy": "lossguide", "max_leaves": 7}),
    XGBoostRanker(8, objective="reg:squarederror", params={"tree_method": "approx"}),
    XGBoostRanker(8, objective="rank:pairwise", params={"lambdarank_pair_method": "mean"}),
    XGBoostRanker(2, min_child_weight=1e9),
    CatBoostRanker(8, depth=4),
    CatBoostRanker(4, depth=12, params={"grow_policy": "Lossguide", "max_leaves": 40}),
    CatBoostRanker(4, depth=3, params={"grow_policy": "Depthwise", "min_data_in_leaf": 50}),
    CatBoostRanker(2, depth=3, params={"grow_policy": "Depthwise", "min_data_in_leaf": 9999}),
    CatBoostRanker(60, depth=6, objective="RMSE", params={"border_count": 1000}),
    CatBoostRanker(4, objective="RMSE", params={"boost_from_average": True}),
    CatBoostRanker(4, params={"ignored_features": [1, 9]}),
    CatBoostRanker(4, depth=3, validation_share=0.3),
]


@pytest.mark.filterwarnings("ignore:.*no split")
@pytest.mark.parametrize("model", LEGITIMATE, ids=repr)
def test_models_of_many_parameters_are_read_and_written_without_a_change(model):
    data = some_data(PLAIN)
    payload = model.fit(data)._payload()
    again = set_payload(type(model), payload)
    assert again._payload() == payload
    np.testing.assert_array_equal(again._scores(data.X), model.predict(data))


def test_a_tree_of_xgboost_that_is_a_chain_is_refused_before_xgboost_walks_it():
    n_nodes = 2 * 2000 + 1
    nodes = np.arange(0, n_nodes - 1, 2)
    left, right, parents = (np.full(n_nodes, -1) for _ in range(3))
    left[nodes], right[nodes] = nodes + 1, nodes + 2
    parents[nodes + 1], parents[nodes + 2], parents[0] = nodes, nodes, 2**31 - 1

    def chain(learner, model, _):
        tree = model["trees"][1]
        lists = [name for name in tree if isinstance(tree[name], list) and tree[name]]
        tree.update({name: [0] * n_nodes for name in lists})
        tree.update(left_children=left.tolist(), right_children=right.tolist())
        tree.update(parents=parents.tolist())
        tree["tree_param"]["num_nodes"] = str(n_nodes)

    with pytest.raises(DataError, match="its tree 1, deeper than 1024 levels, of XGBoost"):
        set_payload(XGBoostRanker, xgboost_json(chain))


def test_splits_that_a_file_forces_are_read_too(tmp_path):
    forced = tmp_path / "forced.json"
    forced.write_text('{"feature": 3, "threshold": 0.1}')
    model = LightGBMRanker(4, params={"forcedsplits_filename": str(forced)})
    payload = model.fit(some_data(PLAIN))._payload()
    assert b"split_feature=3" in payload
    assert set_payload(LightGBMRanker, payload)._payload() == payload


def test_a_feature_of_catboost_that_a_tree_does_not_have_is_refused():
    payload = CatBoostRanker(2, depth=2).fit(some_data(PLAIN))._payload()
    model = CatBoostRanker(3)
    model.n_features_in_ = 7
    with pytest.raises(DataError, match="they are of 10 features, but it says that it has 7"):
        model._set_payload(payload)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("splits", "a split is by no border"),
        ("sizes", "has no trees"),
        ("leaf_values", "not finite"),
        ("starts", "do not follow one another"),
        ("bins", "bins are not those"),
        ("steps", "a node"),
        ("leaf_of_node", "a leaf is not its node's"),
    ],
)
def test_a_number_of_catboost_that_points_nowhere_is_refused(values, reason):
    params = {"grow_policy": "Lossguide", "max_leaves": 4}
    payload = CatBoostRanker(2, depth=3, params=params).fit(some_data(PLAIN))._payload()
    content = bytearray(payload)
    at = last_item(payload, values)
    size = {"leaf_values": 8}.get(values, 4)
    content[at : at + size] = b"\xff" * size
    with pytest.raises(DataError, match=reason):
        set_payload(CatBoostRanker, bytes(content))


def last_item(payload, name):
    """Where the last item of a list of CatBoost's trees is, in a file."""
    from ranksieve.rankers import _trees_binary

    buffer = _trees_binary._Buffer(payload[8:])
    core = buffer.table(buffer.target(0), _trees_binary._CORE)
    trees = buffer.table(buffer.target(core["trees"]), _trees_binary._TREES)
    size = {"leaf_values": 8}.get(name, 4)
    start = buffer.target(trees[name]) + 4
    return 8 + start + size * (buffer.length(trees[name], size) - 1)

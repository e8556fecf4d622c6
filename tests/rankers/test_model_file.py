from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from ranksieve import RankSVM, SparseRankSVM, make_ranking
from ranksieve.data import from_arrays, scale
from ranksieve.data.model_marks import is_model_file
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import load_ranker, parse_ranker
from ranksieve.rankers._fitted_values import fitted_values, set_fitted_values


@pytest.fixture
def data():
    return make_ranking(20, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=0)[0]


@pytest.fixture
def saved(data, tmp_path):
    path = tmp_path / "model.json"
    RankSVM(C=0.01).fit(data).save(path)
    return path


def test_the_file_is_json_with_names_version_and_scaling(data, tmp_path):
    model = RankSVM(C=0.01).fit(scale(data, "zscore"))
    model.save(tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["fitted"]["coef_"] == model.coef_.tolist()
    about = content["ranksieve"]
    assert about["features"] == list(data.feature_names)
    assert about["scaling"] == "zscore"
    assert about["ranker"] == "RankSVM(C=0.01)"
    assert about["ranksieve"]
    assert is_model_file(tmp_path / "model.json")


def test_a_sparse_ranker_that_selects_can_be_saved_too(data, tmp_path):
    model = SparseRankSVM(strength=0.01).fit(data)
    model.save(tmp_path / "model.json")
    found = load_ranker(tmp_path / "model.json")
    np.testing.assert_array_equal(found.predict(data), model.predict(data))
    np.testing.assert_array_equal(found.get_support(), model.get_support())


def test_frames_are_matched_by_name_after_loading(data, tmp_path):
    import pandas as pd

    frame = pd.DataFrame(data.X, columns=[f"f{index}" for index in range(data.n_features)])
    model = RankSVM(C=0.01).fit(frame, data.y, qid=data.qid)
    model.save(tmp_path / "model.json")
    found = load_ranker(tmp_path / "model.json")
    np.testing.assert_array_equal(found.predict(frame.iloc[:, ::-1]), model.predict(frame))


def test_data_may_have_more_features_than_the_model_where_names_are_known(data, tmp_path):
    some = data.features(["x5", "x1"])
    model = RankSVM(C=0.01).fit(some)
    model.save(tmp_path / "model.json")
    found = load_ranker(tmp_path / "model.json")
    assert found.feature_names_ == ("x5", "x1")
    np.testing.assert_array_equal(found.predict(data), model.predict(some))
    # Names that were made up for a matrix say nothing.
    with pytest.raises(DataError, match="fitted on 2"):
        RankSVM().fit(from_arrays(some.X, data.y, data.qid)).predict(data)
    assert RankSVM().fit(data.X, data.y, qid=data.qid).feature_names_ is None


def test_a_model_of_scaled_data_scales_what_it_predicts(data):
    model = RankSVM(C=0.01).fit(scale(data))
    np.testing.assert_array_equal(model.predict(data), model.predict(scale(data)))
    assert not np.array_equal(model.predict(data), model.predict(data.X))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1, 2]",
        b"0.5\n0.25\n",
        b"tree\nversion=v4\n",
        json.dumps({"format": "ranksieve-features", "selected": ["1"]}).encode(),
        pickle.dumps({"ranksieve": 1}),
        bytes(range(256)),
    ],
)
def test_a_foreign_file_is_no_model_and_the_error_says_so(content, tmp_path):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    assert not is_model_file(path)
    with pytest.raises(DataError, match="is no model of ranksieve"):
        load_ranker(path)


def test_a_pickle_is_not_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path / "trapped").touch, ()

    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(DataError, match="is no model of ranksieve"):
        load_ranker(path)
    assert not (tmp_path / "trapped").exists()


def changed(path, **about):
    """A file whose description was changed by someone who can compute checksums."""
    from ranksieve.rankers import _model_file

    payload, found = _model_file._parts(path.read_bytes(), str(path))
    found.update(about)
    found["sha256"] = _model_file._checksum(payload, found)
    path.write_bytes(payload[:-1] + _model_file.IN_JSON + json.dumps(found).encode() + b"}\n")


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"ranker": "__import__('os').system('true')"}, "cannot read|unknown"),
        ({"ranker": "RankSVM(C=open('x'))"}, "literal|unknown"),
        ({"ranker": "NoSuchRanker()"}, "unknown ranker"),
        ({"ranker": "GAS()"}, "does not rank"),
        ({"n_features": 3}, "features"),
        ({"n_features": -1, "features": None}, "features"),
        ({"features": ["a"]}, "features"),
        ({"scaling": "maximum"}, "scaling"),
        ({"format_version": 99}, "version 99"),
        ({"n_features": 5, "features": None}, "model"),
    ],
)
def test_a_file_that_says_something_else_about_itself_is_refused(saved, about, said):
    changed(saved, **about)
    with pytest.raises(DataError, match=said):
        load_ranker(saved)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match="cannot read the model"):
        load_ranker(tmp_path / "none.json")


def test_what_is_not_fitted_cannot_be_saved(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        RankSVM().save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_a_file_would_not_keep_is_not_written(data, tmp_path):
    model = RankSVM().fit(data)
    # Whatever a file says of it, scores would differ.
    model._scores = lambda X: X[:, 0]
    with pytest.raises(ParameterError, match="does not give its scores"):
        model.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_saving_onto_a_folder_says_so(data, tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        RankSVM().fit(data).save(tmp_path)


def test_data_without_names_is_matched_by_position(data, tmp_path):
    plain = from_arrays(data.X, data.y, data.qid)
    RankSVM().fit(data.X, data.y, qid=data.qid).save(tmp_path / "model.json")
    assert load_ranker(tmp_path / "model.json").predict(plain).shape == (data.n_documents,)


class Holder:
    pass


@pytest.mark.parametrize(
    "value",
    [
        3,
        2.5,
        True,
        "text",
        None,
        np.float64(0.1),
        float("inf"),
        np.array([0.1, np.nan, -np.inf]),
        np.array([[1, 2], [3, 4]]),
        np.array([1.5, 2.5], dtype=np.float32),
        np.array([True, False]),
        np.zeros((0, 4)),
        np.array([1, 2], dtype=np.uint8),
    ],
)
def test_fitted_values_survive_json_exactly(value):
    holder, found = Holder(), Holder()
    holder.value_ = value
    set_fitted_values(found, json.loads(json.dumps(fitted_values(holder), allow_nan=False)))
    if isinstance(value, np.ndarray):
        assert found.value_.dtype == value.dtype
        assert found.value_.shape == value.shape
    np.testing.assert_array_equal(found.value_, value)


def test_objects_and_private_names_are_not_written():
    holder = Holder()
    holder.trace_, holder._private_, holder.public = object(), 1, 2
    assert fitted_values(holder) == {}


@pytest.mark.parametrize(
    "values",
    [
        None,
        {"fit": 1},
        {"__class__": 1},
        {"n_features_in_": 3},
        {"coef_": ["a", "b"]},
        {"coef_": [[1.0], [1.0, 2.0]]},
        {"coef_": {"dtype": "object", "shape": [1], "values": [1]}},
        {"coef_": {"dtype": "float32", "shape": [3], "values": [1]}},
        {"coef_": {"dtype": "float64", "shape": [1], "values": ["1_0"]}},
        {"coef_": {"dtype": "float64", "shape": [1], "values": [[1]]}},
        {"coef_": [["a"], [1.0]]},
        {"coef_": [{}]},
    ],
)
def test_what_is_no_fitted_value_is_refused(values):
    with pytest.raises(DataError):
        set_fitted_values(Holder(), values)


def test_rankers_are_spelled_as_in_python_and_selectors_that_rank_count():
    assert repr(parse_ranker("ranksvm")) == "RankSVM()"
    assert repr(parse_ranker("FSMRank")) == "FSMRank()"
    with pytest.raises(ParameterError, match="GAS selects features and does not rank"):
        parse_ranker("GAS")
    with pytest.raises(ParameterError, match="did you mean 'RankSVM'"):
        parse_ranker("RankSVN")


def forged(path, attribute, value):
    """A file with another fitted value, by someone who can compute checksums."""
    from ranksieve.rankers import _model_file

    payload, about = _model_file._parts(path.read_bytes(), str(path))
    content = json.loads(payload)
    content["fitted"][attribute] = value
    payload = json.dumps(content).encode()
    about["sha256"] = _model_file._checksum(payload, about)
    path.write_bytes(payload[:-1] + _model_file.IN_JSON + json.dumps(about).encode() + b"}\n")


FORGED = [
    ("KernelRankSVM", "landmarks_", lambda rows: [row[:1] for row in rows]),
    ("KernelRankSVM", "landmarks_", lambda rows: rows[:-1]),
    ("KernelRankSVM", "landmarks_", lambda rows: rows[0]),
    ("KernelRankSVM", "landmarks_", lambda rows: "text"),
    ("KernelRankSVM", "dual_coef_", lambda values: values + values),
    ("KernelRankSVM", "dual_coef_", lambda values: None),
    ("KernelRankSVM", "gamma_", lambda value: 10**400),
    ("KernelRankSVM", "gamma_", lambda value: -1.0),
    ("ListNet", "coef_", lambda values: values[:-1]),
    ("RankNet(n_hidden=3)", "hidden_weights_", lambda rows: [row[:1] for row in rows]),
    ("RankNet(n_hidden=3)", "hidden_weights_", lambda rows: rows[:1]),
    ("RankNet(n_hidden=3)", "hidden_weights_", lambda rows: "text"),
    ("RankNet(n_hidden=3)", "hidden_biases_", lambda values: 5),
    ("RankNet(n_hidden=3)", "output_weights_", lambda values: values[:1]),
    ("RankNet(n_hidden=3)", "coef_", lambda _: [1.0] * 8),
    ("RankBoost", "features_", lambda values: values[::-1]),
    ("RankBoost", "features_", lambda values: [values]),
    ("RankBoost", "thresholds_", lambda values: values[::-1]),
    ("RankBoost", "thresholds_", lambda values: values[:-1]),
    ("RankBoost", "alphas_", lambda values: "text"),
    ("RankBoost", "feature_importances_", lambda values: values[:-1]),
    ("ListNet", "feature_importances_", lambda values: [values]),
    ("SparseRankSVM", "order_", lambda values: [0] * len(values)),
    ("SparseRankSVM", "order_", lambda values: [10**9, *values[1:]]),
    ("SparseRankSVM", "order_", lambda values: None),
    ("SparseRankSVM", "n_features_", lambda value: 10**9),
    ("SparseRankSVM", "n_features_", lambda value: "3"),
    ("FSMSVM", "scores_", lambda values: values + values),
]


@pytest.mark.parametrize(("text", "attribute", "forge"), FORGED)
def test_fitted_values_that_do_not_fit_one_another_are_refused(
    text, attribute, forge, data, tmp_path
):
    path = tmp_path / "model.json"
    parse_ranker(text).fit(data).save(path)
    forged(path, attribute, forge(json.loads(path.read_text())["fitted"].get(attribute)))
    with pytest.raises(DataError, match="is no model that this version"):
        load_ranker(path)


def test_more_features_than_memory_can_hold_are_refused(data, tmp_path):
    path = tmp_path / "model.json"
    parse_ranker("RankBoost(5)").fit(data).save(path)
    for n_features in (10**15, 10**8, True):
        changed(path, n_features=n_features, features=None)
        with pytest.raises(DataError, match="must have from 1 to 1000000"):
            load_ranker(path)


def test_a_long_text_among_many_numbers_takes_no_more_memory_than_the_file():
    import tracemalloc

    values = {"coef_": [1.0] * 10_000 + ["a" * 100_000]}
    tracemalloc.start()
    with pytest.raises(DataError, match="no array of numbers"):
        set_fitted_values(Holder(), values)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_a_polynomial_of_a_degree_beyond_counting_is_no_loop(data, tmp_path):
    path = tmp_path / "model.json"
    parse_ranker("KernelRankSVM('polynomial', n_landmarks=5)").fit(data).save(path)
    changed(path, ranker="KernelRankSVM('polynomial', n_landmarks=5, degree=1000000000000000)")
    with pytest.raises(DataError, match="no finite scores"):
        load_ranker(path)

"""LightGBM and XGBoost on documents that are on the workers of a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import NDCG, LightGBMRanker, XGBoostRanker, load, make_ranking
from ranksieve.errors import DataError
from ranksieve.packages import require
from ranksieve.passes.cluster import cluster
from ranksieve.rankers._cluster_training import train_lightgbm_on

pytestmark = [
    pytest.mark.usefixtures("time_limit"),
    # Of the libraries' own code for Dask.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]
N_TRAINING, N_QUERIES = 160, 220
RANKERS = {
    "lightgbm": LightGBMRanker(25, num_leaves=7),
    "xgboost": XGBoostRanker(25, max_depth=3),
}


@pytest.fixture
def workers(local_cluster):
    with cluster(local_cluster) as connected:
        yield connected


def all_queries():
    """Documents whose features have few values, so that bins are exact wherever they are found."""
    data, _ = make_ranking(N_QUERIES, 12, n_relevant=3, n_redundant=2, n_irrelevant=3)
    return load((np.round(data.X, 1), data.y, data.qid))


def part(start, stop):
    data = all_queries().queries(np.arange(start, stop))
    return data.X, data.y, np.diff(data.query_ptr)


def empty():
    raise DataError("block 3 is empty. Load the data again.")


def training():
    return all_queries().queries(np.arange(N_TRAINING)).gathered()


def test_queries():
    return all_queries().queries(np.arange(N_TRAINING, N_QUERIES)).gathered()


test_queries.__test__ = False


def on_cluster(name, connected, parts):
    """A ranker whose model was trained where the data is."""
    ranker, data = RANKERS[name], training()
    library = require(name, extra=name, caller="a test")
    model = ranker.train_on(library, connected, parts, data.feature_names)
    fitted = type(ranker)(**ranker.get_params()).fit(data)
    return fitted, model


def scores(name, model, X):
    if name == "lightgbm":
        return model.predict(X, raw_score=True)
    return model.inplace_predict(X.astype(np.float32), predict_type="margin")


@pytest.mark.parametrize("name", RANKERS)
def test_the_data_of_one_worker_gives_the_model_of_one_process(name, workers):
    parts = {workers.workers()[0]: [(part, (0, N_TRAINING))]}
    fitted, model = on_cluster(name, workers, parts)
    X = np.asarray(test_queries().X)
    np.testing.assert_array_equal(scores(name, model, X), fitted.predict(X))


def test_xgboost_on_two_workers_gives_the_model_of_one_up_to_rounding(workers):
    fitted, model = on_cluster("xgboost", workers, on_two(workers))
    X = np.asarray(test_queries().X)
    np.testing.assert_allclose(scores("xgboost", model, X), fitted.predict(X), atol=1e-3)


def test_lightgbm_on_two_workers_ranks_as_well_as_on_one(workers):
    fitted, model = on_cluster("lightgbm", workers, on_two(workers))
    held_out = test_queries()
    both = fitted.predict(held_out), scores("lightgbm", model, held_out.X)
    local, remote = (NDCG(10).per_query(held_out.y, each, qid=held_out.qid) for each in both)
    difference = remote - local
    standard_error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert abs(difference.mean()) <= 3 * standard_error


def on_two(workers):
    first, second = workers.workers()
    return {first: [(part, (0, 30)), (part, (30, 80))], second: [(part, (80, N_TRAINING))]}


@pytest.mark.parametrize("name", RANKERS)
def test_a_model_has_the_names_of_the_features_and_all_rounds(name, workers):
    parts = {address: [(part, (0, 40))] for address in workers.workers()}
    _, model = on_cluster(name, workers, parts)
    names = model.feature_name() if name == "lightgbm" else model.feature_names
    assert tuple(names) == training().feature_names
    n_rounds = model.num_trees() if name == "lightgbm" else model.num_boosted_rounds()
    assert n_rounds == 25


def test_a_text_of_lightgbm_names_no_machine_and_no_port(workers):
    params = {"objective": "lambdarank", "verbosity": -1, "num_leaves": 7}
    text = train_lightgbm_on(workers, on_two(workers), params, 3)
    assert "127.0.0.1" not in text
    assert "local_listen_port" not in text


def test_what_a_part_raises_is_raised_at_the_client(workers):
    with pytest.raises(DataError, match="block 3 is empty"):
        train_lightgbm_on(workers, {workers.workers()[0]: [(empty, ())]}, {}, 3)


def test_no_parts_are_no_data(workers):
    with pytest.raises(DataError, match="no documents"):
        train_lightgbm_on(workers, {}, {}, 3)

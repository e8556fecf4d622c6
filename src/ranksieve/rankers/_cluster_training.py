"""Boosted trees on data that lives on the workers of a cluster.

LightGBM and XGBoost train there by their own code for Dask: each worker makes histograms of its
documents, and these are added up. Rounds are fixed: nothing is kept aside to stop early by.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from ranksieve.data import Block, RankingData
from ranksieve.packages import require
from ranksieve.passes.cluster import Cluster, PartOfWorker, cluster_arrays
from ranksieve.rankers._row_order import in_own_order
from ranksieve.rankers._trees import in_single

# LightGBM's names of what its class for Dask, which has scikit-learn's manner, calls otherwise.
_CLASS_NAMES = {
    "min_data_in_leaf": "min_child_samples",
    "lambda_l2": "reg_lambda",
    "bagging_fraction": "subsample",
    "bagging_freq": "subsample_freq",
    "feature_fraction": "colsample_bytree",
    "seed": "random_state",
}
# Minutes for which a worker of LightGBM waits for another one.
_PATIENCE = 5

# Lines of a model that name ports and machines, which differ from run to run.
_NETWORK = re.compile(
    r"^\[(machines|local_listen_port|num_machines|time_out): .*\]\n", re.MULTILINE
)

Parts = Mapping[str, Sequence[PartOfWorker]]


def train_lightgbm_on(
    cluster: Cluster, parts: Parts, params: Mapping[str, Any], rounds: int
) -> str:
    """Return LightGBM's text of a model that is trained where the data is.

    Parameters
    ----------
    cluster : where the data is
    parts : the address of a worker -> functions that return its documents there, whole queries:
        X, grades, and the number of documents of each query
    params : LightGBM's parameters by its own names; threads are those of the workers
    rounds : trees

    Notes
    -----
    The documents of one worker give the model of one process. With several, the bins of a feature
    are found by one of them, from its own documents: models differ a little, also between runs,
    and rank as well. Workers open a port for each other.
    """
    module = require("lightgbm.dask", extra="dask", caller="LightGBMRanker on a cluster")
    arrays = cluster_arrays(cluster, _through(_own_order, parts))
    chosen = {_CLASS_NAMES.get(name, name): value for name, value in params.items()}
    chosen.pop("num_threads", None)
    ranker = module.DaskLGBMRanker(
        client=cluster.client, n_estimators=rounds, time_out=_PATIENCE, **chosen
    )

    def train() -> str:
        ranker.fit(arrays.X, arrays.y, group=arrays.sizes)
        text: str = ranker.booster_.model_to_string()
        return text

    # It prints that it looks for ports, and warns of a default of its own class.
    with redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Parameter n_jobs will be ignored")
        text = cluster.guarded(train, arrays.workers, label="training LightGBM")
    return _NETWORK.sub("", text)


def train_xgboost_on(
    cluster: Cluster, parts: Parts, params: Mapping[str, Any], rounds: int
) -> bytes:
    """Return XGBoost's JSON of a model that is trained where the data is.

    Parameters are those of `train_lightgbm_on`, by XGBoost's names.

    Notes
    -----
    The documents of one worker give the model of one process, and so do those of several where
    features have so few values that bins are exact.

    A part has whole queries, and stays on its worker. With allow_group_split=False XGBoost would
    see to that itself, by sorting all data over the cluster into a partition per query: 33 s
    instead of 1.7 s for 600 queries on two workers. So it is told not to.
    """
    library = require("xgboost", extra="xgboost", caller="XGBoostRanker on a cluster")
    module = require("xgboost.dask", extra="dask", caller="XGBoostRanker on a cluster")
    arrays = cluster_arrays(cluster, _through(_own_order_in_single, parts))
    chosen = {name: value for name, value in params.items() if name != "nthread"}
    ranker = module.DaskXGBRanker(n_estimators=rounds, allow_group_split=True, **chosen)
    ranker.client = cluster.client

    def train() -> bytes:
        with library.config_context(verbosity=0):
            ranker.fit(arrays.X, arrays.y, qid=arrays.queries)
        return bytes(ranker.get_booster().save_raw("json"))

    return cluster.guarded(train, arrays.workers, label="training XGBoost")


def _through(function: Callable[..., Any], parts: Parts) -> dict[str, list[PartOfWorker]]:
    """Return parts that a worker hands to another function first."""
    return {
        worker: [(function, (read, *arguments)) for read, arguments in requests]
        for worker, requests in parts.items()
    }


def _own_order(read: Callable[..., Any], *arguments: Any) -> Any:
    """Return a part whose documents are in an order of their own, see `in_own_order`."""
    X, y, sizes = read(*arguments)
    query_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    block = Block(np.asfortranarray(X), np.asarray(y, np.float64), query_ptr, np.arange(len(sizes)))
    ordered = in_own_order(RankingData([block], [str(column) for column in range(X.shape[1])]))
    return ordered.X, ordered.y, np.diff(ordered.query_ptr)


def _own_order_in_single(read: Callable[..., Any], *arguments: Any) -> Any:
    """Return the same with values as XGBoost takes them, see `in_single`."""
    X, y, sizes = _own_order(read, *arguments)
    return in_single(X), y, sizes

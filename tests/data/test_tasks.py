from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from ranksieve import MultiTaskSparseRankSVM, load, make_ranking
from ranksieve.data import convert, k_folds, scale, write_parquet, write_text
from ranksieve.errors import DataError, ParameterError

MARKETS = np.array(["de", "fr", "it"])


@pytest.fixture
def data():
    return make_ranking(30, 8, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=0)[0]


def table(data, market):
    rows = np.repeat(market, np.diff(data.query_ptr))
    frame = pd.DataFrame(data.X, columns=[f"f{i}" for i in range(data.n_features)])
    return frame.assign(grade=data.y, qid=data.qid, market=rows)


def markets(data):
    return MARKETS[np.arange(data.n_queries) % 3]


def test_views_folds_copies_and_scaling_keep_the_tasks(data):
    labels = np.arange(30) % 3
    tasked = data.with_tasks(labels)
    assert data.tasks is None
    np.testing.assert_array_equal(tasked.tasks, labels)
    some = [3, 4, 17]
    for view in (
        tasked.queries(some),
        tasked.features([1, 0]).queries(some),
        tasked.queries(some).gathered(),
        scale(tasked).queries(some),
        tasked.queries(some).turned([1, -1, 1, -1]),
        pickle.loads(pickle.dumps(tasked.queries(some))),
        tasked.queries(range(3, 20)).queries([0, 1, 14]),
        data.queries(some).with_tasks(labels[some]),
        data.queries(range(10)).with_tasks(labels[:10]).queries([3, 4, 8]),
    ):
        np.testing.assert_array_equal(view.tasks, labels[some] if view.n_queries == 3 else None)
    for train, held_out in k_folds(tasked, 3):
        assert sorted([*train.tasks, *held_out.tasks]) == sorted(labels)
    joined = tasked.queries(range(10)).joined(tasked.queries(range(10, 30)))
    np.testing.assert_array_equal(joined.tasks, labels)
    assert tasked.queries(range(10)).joined(data.queries(range(10, 30))).tasks is None
    assert tasked.with_tasks(None).tasks is None


def test_tasks_are_one_per_query(data):
    with pytest.raises(DataError, match="tasks must have one value per query: 30"):
        data.with_tasks([1, 2])
    with pytest.raises(DataError, match="none may be missing"):
        data.with_tasks([np.nan] * 30)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "frame"])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_column_of_a_table_is_the_task(data, ending, numbers, tmp_path):
    market = np.arange(30) % 3 if numbers else markets(data)
    frame = table(data, market)
    path = tmp_path / f"data.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending != "frame":
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    source = frame if ending == "frame" else path
    loaded = load(source, task="market")
    np.testing.assert_array_equal(loaded.tasks, market)
    assert loaded.tasks.dtype.kind == ("i" if numbers else "U")
    assert loaded.feature_names == tuple(f"f{i}" for i in range(data.n_features))
    shuffled = frame.sample(frac=1.0, random_state=0)
    if ending == "frame":
        again = load(shuffled, task="market", sort=True)
        expected = dict(zip(data.query_ids, market, strict=True))
        assert again.tasks.tolist() == [expected[query] for query in again.query_ids]
    position = len(frame.columns)
    np.testing.assert_array_equal(load(source, task=position).tasks, market)
    with pytest.raises(DataError, match="no column 'markt' for the task"):
        load(source, task="markt")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_data_on_disk_keeps_the_tasks(data, ending, tmp_path):
    path = tmp_path / f"data.{ending}"
    market = markets(data)
    frame = table(data, market)
    large = pd.concat([frame.assign(qid=frame.qid + 1000 * copy) for copy in range(150)])
    write = large.to_parquet if ending == "parquet" else large.to_csv
    write(path, index=False)
    on_disk, in_memory = load(path, task="market", memory="200KB"), load(path, task="market")
    assert on_disk.on_disk
    assert not in_memory.on_disk
    np.testing.assert_array_equal(on_disk.tasks, np.tile(market, 150))
    few = range(0, on_disk.n_queries, 50)
    models = [
        MultiTaskSparseRankSVM(strength=0.1).fit(part.queries(few)) for part in (on_disk, in_memory)
    ]
    np.testing.assert_allclose(models[0].task_coef_, models[1].task_coef_, atol=1e-6)


def test_a_feature_of_text_is_the_task_and_then_no_feature(data, tmp_path):
    labels = np.repeat(np.arange(30) % 3, np.diff(data.query_ptr))
    X = np.column_stack([data.X, labels])
    write_text(load((X, data.y, data.qid)), tmp_path / "data.txt")
    loaded = load(tmp_path / "data.txt", task=5)
    np.testing.assert_array_equal(loaded.tasks, np.arange(30) % 3)
    assert loaded.feature_names == ("1", "2", "3", "4")
    some = load(tmp_path / "data.txt", task="5", features="2,3")
    assert some.feature_names == ("2", "3")
    np.testing.assert_array_equal(some.tasks, np.arange(30) % 3)
    with pytest.raises(DataError, match="all documents of a query must have the same task"):
        load(tmp_path / "data.txt", task=1)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_query_of_two_tasks_and_an_empty_cell_are_named(data, ending, tmp_path):
    frame = table(data, markets(data))
    frame.loc[3, "market"] = "fr"
    path = tmp_path / f"data.{ending}"
    for message in (
        "same task, but in .* query '?1'? has 'de' and 'fr'",
        "a row of query '?1'? has none",
    ):
        write = frame.to_parquet if ending == "parquet" else frame.to_csv
        write(path, index=False)
        with pytest.raises(DataError, match=message):
            load(path, task="market")
        frame.loc[3, "market"] = None


def test_parquet_is_written_with_a_column_of_tasks(data, tmp_path):
    tasked = data.with_tasks(markets(data))
    write_parquet(tasked, tmp_path / "a.parquet")
    again = load(tmp_path / "a.parquet", task="task")
    np.testing.assert_array_equal(again.tasks, markets(data))
    assert again.fingerprint == data.fingerprint
    table(data, markets(data)).to_csv(tmp_path / "b.csv", index=False)
    convert(tmp_path / "b.csv", tmp_path / "b.parquet", task="market")
    np.testing.assert_array_equal(load(tmp_path / "b.parquet", task="task").tasks, markets(data))
    with pytest.raises(DataError, match="to Parquet, where they are a column `task`"):
        convert(tmp_path / "b.csv", tmp_path / "b.txt", task="market")


def test_logs_have_no_column_of_tasks(tmp_path):
    (tmp_path / "log.jsonl").write_text("{}\n")
    with pytest.raises(ParameterError, match="task does not apply to log"):
        load(tmp_path / "log.jsonl", task="market")

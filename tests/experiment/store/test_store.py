"""Stores: what is no store is refused and left alone, and what was written is whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import traceback
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from ranksieve.errors import DataError
from ranksieve.experiment import Store, StoreError, compare, read_results
from ranksieve.experiment.store.schema import packed, unpacked
from ranksieve.experiment.store.store import Part
from tests.experiment.cases import contents, small_study


def other_database(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (x)")
        connection.execute("INSERT INTO mine VALUES (1)")
        connection.commit()


def later_format(path):
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda path: path.write_text("my notes\n" * 100),
            "no store that `ranksieve compare` made",
        ),
        (other_database, "no store that `ranksieve compare` made"),
        (
            later_format,
            r"has format 99, and ranksieve \S+ reads format 1\. It was made by a later version",
        ),
    ],
)
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(make, said, folds, tmp_path):
    path = tmp_path / "runs.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=said):
        compare(small_study(folds), path)
    with pytest.raises(DataError, match=said):
        read_results(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["runs.db"]


def test_places_where_no_store_can_be_are_named(tmp_path):
    with pytest.raises(DataError, match="its folder does not exist"):
        Store(tmp_path / "missing" / "runs.db")
    with pytest.raises(DataError, match="it is not a file"):
        Store(tmp_path)
    with pytest.raises(DataError, match=r"does not exist. `ranksieve compare` makes a store"):
        Store(tmp_path / "runs.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store_but_is_none_to_read(tmp_path):
    path = tmp_path / "runs.db"
    path.touch()
    with pytest.raises(DataError, match="is no store"):
        Store(path, create=False)
    with Store(path) as store:
        assert store.n_trials() == 0


def test_a_store_without_a_study_says_what_to_do(tmp_path):
    Store(tmp_path / "runs.db").close()
    with pytest.raises(DataError, match=r"is not among the 0 of .*runs.db. Run"):
        read_results(tmp_path / "runs.db")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_cut_store_is_an_error_in_words(share, undisturbed, tmp_path):
    whole = undisturbed.read_bytes()
    (tmp_path / "runs.db").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises((DataError, StoreError), match=r"runs\.db|the store holds an array"):
        read_results(tmp_path / "runs.db")


@pytest.mark.parametrize("seed", range(4))
def test_a_store_with_scribbles_is_read_or_an_error_in_words(seed, undisturbed, tmp_path):
    rng = np.random.default_rng(seed)
    content = np.frombuffer(undisturbed.read_bytes(), dtype=np.uint8).copy()
    content[rng.integers(100, len(content), size=2000)] = rng.integers(0, 256, size=2000)
    (tmp_path / "runs.db").write_bytes(content.tobytes())
    with pytest.raises((DataError, StoreError)):
        read_results(tmp_path / "runs.db")


@pytest.mark.parametrize("seed", range(5))
def test_a_torn_end_of_the_log_drops_whole_transactions_only(seed, folds, expected, tmp_path):
    store = tmp_path / "runs.db"
    with Store(store) as keep_open:  # so that the log is not written back
        compare(small_study(folds, selectors=['TopK("ndcg@10")']), store)
        torn = tmp_path / "torn.db"
        shutil.copy(store, torn)
        log = store.with_name("runs.db-wal").read_bytes()
        keep_open.n_trials()
    cut = int(np.random.default_rng(seed).integers(len(log) // 4, len(log)))
    torn.with_name("torn.db-wal").write_bytes(log[:cut])
    Store(torn).close()
    for table, rows in contents(torn).items():
        for key, row in rows.items():
            assert expected[table].get(key, row) == row
    with closing(sqlite3.connect(torn)) as connection:
        alone = "SELECT count(*) FROM trial WHERE model IS NULL AND error IS NULL"
        assert connection.execute(alone).fetchone()[0] == 0


def test_what_goes_wrong_inside_writes_nothing(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        with suppress(ZeroDivisionError), store.writing() as run:
            run("INSERT INTO claim VALUES ('a', 1)")
            raise ZeroDivisionError
        assert store._read("SELECT * FROM claim") == []


def test_no_more_pages_is_a_full_disk(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        pages = store._read("PRAGMA page_count")[0][0]
        store._read(f"PRAGMA max_page_count = {pages + 2}")
        noise = np.random.default_rng(0).normal(size=5000)
        with pytest.raises(StoreError, match=r"the disk is full .* does only what is missing"):
            store.add_part("key", "mark", "kind", "text", Part({}, {"numbers": noise}))
        assert store.part("key") is None
        store.add_part("key", "mark", "kind", "text", Part({}, {"numbers": noise[:3]}))
        assert store.part("key").arrays["numbers"].tolist() == noise[:3].tolist()


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, -0.0, np.nan, np.inf, 5e-324]),
        np.arange(12, dtype=np.int64).reshape(3, 4)[:, ::-2],
        np.zeros((0, 3)),
        np.array([True, False]),
        np.array(1.5),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
)
def test_arrays_come_back_bit_for_bit(array):
    found = unpacked(packed(array))
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == np.ascontiguousarray(array).tobytes()


def test_parts_keep_their_arrays_in_order(tmp_path):
    arrays = {"b": np.arange(3.0), "a": np.zeros((2, 0)), "-1": np.arange(2)}
    with Store(tmp_path / "runs.db") as store:
        store.add_part("key", "mark", "kind", "text", Part({"said": ["x"]}, arrays, 2.5, 7))
        store.add_part("key", "mark", "kind", "text", Part({}, {}, 9.0, 9))  # the first one stays
        ((mark, component, part),) = store.parts(["mark"], "kind")
    assert (mark, component, part.content, part.seconds) == ("mark", "text", {"said": ["x"]}, 2.5)
    assert {name: array.tolist() for name, array in part.arrays.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }


@pytest.mark.skipif(
    not hasattr(os, "fork") or os.getuid() != 0, reason="only root can become another user"
)
def test_a_store_that_may_not_be_written_can_still_be_read(undisturbed):
    place = Path(tempfile.mkdtemp())  # where others may go, unlike pytest's own folder
    shutil.copy(undisturbed, place / "runs.db")
    place.chmod(0o555)
    process = os.fork()
    if process == 0:
        os._exit(_as_nobody(place))
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    left = sorted(one.name for one in place.iterdir())
    shutil.rmtree(place)
    assert code == 0
    assert left == ["runs.db"]


def _as_nobody(place):
    """0 where a user without rights reads the store, and is told that it cannot be written."""
    os.setuid(65534)
    try:
        n_trials = read_results(place / "runs.db").n_trials
        with pytest.raises(StoreError, match=r"cannot write .* Check the rights"):
            Store(place / "runs.db")
        with pytest.raises(StoreError, match=r"cannot write .* Check the rights"):
            Store(place / "new.db")
    except BaseException:  # noqa: BLE001 - a fork must not run on as its parent
        traceback.print_exc()
        return 1
    return 0 if n_trials > 0 else 2


@pytest.mark.parametrize("share", [0.0, 0.4, 0.8])
def test_a_power_cut_undoes_the_last_trials_at_most(folds, tmp_path, share):
    path, copy = tmp_path / "runs.db", tmp_path / "copy.db"
    study = small_study(folds)
    Store(path).close()
    with closing(sqlite3.connect(path)) as held:
        held.execute("SELECT count(*) FROM trial").fetchone()  # the log stays while this is open
        done = compare(study, path)
        shutil.copy(path, copy)
        log = Path(f"{path}-wal").read_bytes()
        Path(f"{copy}-wal").write_bytes(log[: int(share * len(log))])
    with Store(copy) as store:
        assert store.n_trials() < done.n_trials
    compare(study, copy)
    assert contents(copy) == contents(path)


def test_the_end_of_a_run_leaves_nothing_in_the_log(folds, tmp_path):
    done = compare(small_study(folds), tmp_path / "runs.db")
    shutil.copy(tmp_path / "runs.db", tmp_path / "alone.db")
    assert read_results(tmp_path / "alone.db").n_trials == done.n_trials

"""Features on disk: equal to those in memory in every view, and gone with the process."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from ranksieve import load, make_ranking
from ranksieve.data import RankingData, scale, set_aside, write_parquet, write_text
from ranksieve.data.disk import _SpillFile, spill_folder, stored_blocks
from ranksieve.data.lazy_block import LazyBlock
from ranksieve.data.memory import memory, memory_limit, n_bytes
from ranksieve.errors import DataError, ParameterError
from ranksieve.passes.variation import varying_features
from ranksieve.threads import threads


def both(seed=0, n_queries=300, **planted):
    """The same data in memory and on disk."""
    data, _ = make_ranking(n_queries, 40, random_state=seed, **planted)
    return data, RankingData(stored_blocks(data.blocks()), data.feature_names)


def assert_same(left, right):
    np.testing.assert_array_equal(left.X, right.X)
    np.testing.assert_array_equal(left.y, right.y)
    np.testing.assert_array_equal(left.query_ptr, right.query_ptr)
    np.testing.assert_array_equal(left.query_ids, right.query_ids)
    assert left.feature_names == right.feature_names
    assert left.fingerprint == right.fingerprint


def views(data, seed):
    rng = np.random.default_rng(seed)
    features = rng.permutation(data.n_features)[:7]
    queries = rng.permutation(data.n_queries)[:90]
    turns = rng.choice([-1, 1], size=data.n_features)
    yield data
    yield data.features(features)
    yield data.queries(queries)
    yield data.queries(np.arange(40, 160)).features(features[::-1])
    yield data.turned(turns)
    yield data.features(features).turned(turns[features]).queries(queries[:5])
    yield data.queries(queries).turned(turns).features(features).queries(np.arange(3, 30))
    yield data.with_mirror_images().queries(queries)


@pytest.mark.parametrize("seed", range(3))
def test_every_view_shows_the_same_as_in_memory(seed):
    data, stored = both(seed)
    assert stored.on_disk
    assert not data.on_disk
    assert stored.n_blocks > 2
    for ours, theirs in zip(views(stored, seed), views(data, seed), strict=True):
        assert_same(ours, theirs)
        for feature in range(ours.n_features):
            np.testing.assert_array_equal(ours.column(feature), theirs.column(feature))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("limit", ["1KiB", "1GiB"])
def test_what_is_gathered_stays_on_disk_unless_it_fits_easily(seed, limit):
    data, stored = both(seed)
    with memory("1GiB"):
        expected = [view.gathered() for view in views(data, seed)]
    with memory(limit):
        results = [view.gathered() for view in views(stored, seed)]
    for number, (ours, theirs) in enumerate(zip(results, expected, strict=True)):
        assert ours.on_disk == (limit == "1KiB" or number == 0)
        with memory("1GiB"):
            assert_same(ours, theirs)


def test_a_block_reads_only_the_features_and_rows_that_it_shows(monkeypatch):
    _, stored = both()
    n_read = []
    preadv = os.preadv
    monkeypatch.setattr(os, "preadv", lambda *call: n_read.append(preadv(*call)) or n_read[-1])
    view = stored.features([3, 5]).queries(np.arange(10))
    _ = view.X
    assert sum(n_read) == view.n_documents * 2 * stored.dtype.itemsize
    n_read.clear()
    _ = view.y, view.query_ptr, view.n_documents, view.dtype
    assert not n_read


def test_a_pass_asks_for_blocks_before_it_reads_them(monkeypatch):
    _, stored = both(n_queries=900)
    asked, read = [], []
    preadv = os.preadv
    monkeypatch.setattr(os, "posix_fadvise", lambda _, offset, *__: asked.append(offset))
    monkeypatch.setattr(os, "preadv", lambda *call: read.append(call[2]) or preadv(*call))
    with threads(1):
        varying_features(stored)
    offsets = [block.columns.offset for block in stored._blocks]
    assert asked == offsets == sorted(read)
    assert len(offsets) > 5


def test_a_file_cut_short_while_it_is_read_is_a_clear_error(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    data, _ = make_ranking(4000, 40)
    path = tmp_path / "train.parquet"
    write_parquet(data, path)
    size = path.stat().st_size
    append = _SpillFile.append

    def cut(file, X):
        if path.stat().st_size == size:
            os.truncate(path, size // 3)
        return append(file, X)

    monkeypatch.setattr(_SpillFile, "append", cut)
    monkeypatch.setenv("RANKSIEVE_SPILL", str(tmp_path / "spill"))
    (tmp_path / "spill").mkdir()
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        load(path, memory="100KiB")
    assert not list((tmp_path / "spill").iterdir())


def test_a_file_replaced_while_it_is_read_gives_what_was_there(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    data, _ = make_ranking(1000, 40)
    other, _ = make_ranking(900, 30, random_state=1)
    path = tmp_path / "train.parquet"
    write_parquet(data, path)
    append, replaced = _SpillFile.append, []

    def swap(file, X):
        if not replaced:
            replaced.append(write_parquet(other, path))
        return append(file, X)

    monkeypatch.setattr(_SpillFile, "append", swap)
    stored = load(path, memory="100KiB")
    assert stored.fingerprint == data.fingerprint


def test_blocks_forget_what_was_read():
    _, stored = both()
    for block in stored.blocks():
        assert isinstance(block, LazyBlock)
        assert block.X is block.X
    assert all(block._values is None for block in stored._blocks)


@pytest.mark.parametrize("method", ["minmax", "zscore"])
def test_scaled_data_stays_on_disk(method):
    data, stored = both()
    scaled = scale(stored, method)
    assert scaled.on_disk
    assert scaled.scaling == method
    assert_same(scaled, scale(data, method))


def test_data_on_disk_is_joined_on_disk():
    data, stored = both()
    with memory("1KiB"):
        aside, training = set_aside(stored, 0.4)
        joined = training.joined(aside)
    assert joined.on_disk
    with memory("1GiB"):
        parts = set_aside(data, 0.4)
        assert_same(joined, parts[1].joined(parts[0]))


def test_what_needs_all_features_says_how_much_that_is():
    _, stored = both()
    with (
        memory("100KiB"),
        pytest.raises(DataError, match=r"needs all features in memory: .* KiB for .* documents"),
    ):
        _ = stored.X


@pytest.mark.parametrize("name", ["train.txt", "train.txt.gz", "train.parquet", "train.csv"])
def test_a_file_larger_than_the_limit_stays_on_disk(tmp_path, name):
    pytest.importorskip("pyarrow")
    data, _ = make_ranking(600, 40, n_irrelevant=16)
    path = tmp_path / name
    if name.endswith("csv"):
        _write_csv(data, path)
    else:
        (write_parquet if name.endswith("parquet") else write_text)(data, path)
    stored, loaded = load(path, memory="300KiB"), load(path, memory="1GiB")
    assert stored.on_disk
    assert not loaded.on_disk
    assert stored.document_ids is None
    with memory("1GiB"):
        assert_same(stored, loaded)
    some = load(path, memory="300KiB", features=loaded.feature_names[2:20], dtype="float64")
    assert some.dtype == np.float64
    np.testing.assert_array_equal(some.column(3).astype(np.float32), loaded.column(5))


def _write_csv(data, path):
    header = ",".join(["grade", "qid", *data.feature_names])
    table = np.column_stack([data.y, data.qid, data.X])
    np.savetxt(path, table, delimiter=",", header=header, comments="", fmt="%.9g")


def test_a_pattern_names_several_files(tmp_path):
    pytest.importorskip("pyarrow")
    data, _ = make_ranking(60, 10)
    for number, queries in enumerate(np.split(np.arange(60), 3)):
        write_parquet(data.queries(queries), tmp_path / f"part-{number}.parquet")
    assert_same(load(tmp_path / "part-*.parquet"), data)
    assert load(tmp_path / "part-[01].parquet").n_queries == 40
    with pytest.raises(DataError, match=r"no file is called .*absent-\*.parquet"):
        load(tmp_path / "absent-*.parquet")


def test_rows_are_not_brought_together_on_disk(tmp_path):
    data, _ = make_ranking(3000, 10)
    write_text(data, tmp_path / "train.txt")
    with pytest.raises(DataError, match=r"in memory only\. Sort the file by query first"):
        load(tmp_path / "train.txt", memory="100KiB", sort=True)


def test_bad_values_of_a_large_file_are_found_at_the_door(tmp_path):
    data, _ = make_ranking(2000, 20)
    write_text(data, tmp_path / "train.txt")
    text = (tmp_path / "train.txt").read_text().splitlines()
    (tmp_path / "train.txt").write_text("\n".join([*text, "1 qid:99999 1:oops"]))
    with pytest.raises(DataError, match=f"line {len(text) + 1}"):
        load(tmp_path / "train.txt", memory="100KiB")


def test_a_full_disk_is_an_error_before_anything_is_written():
    data, _ = make_ranking(20)
    with pytest.raises(DataError, match=r"needs .* GiB, but .* free. Set RANKSIEVE_SPILL"):
        stored_blocks(data.blocks(), n_bytes=1 << 60)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_up_is_a_clear_error(monkeypatch, code):
    data, _ = make_ranking(200, 40)

    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(DataError, match="Set RANKSIEVE_SPILL to a folder with more room"):
        stored_blocks(data.blocks())


def test_a_disk_that_loses_data_is_a_clear_error(monkeypatch):
    _, stored = both()
    monkeypatch.setattr(os, "preadv", lambda *_: 0)
    with pytest.raises(DataError, match="ends before its last block"):
        _ = stored.X


def test_a_folder_that_cannot_be_written_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("RANKSIEVE_SPILL", str(tmp_path / "absent"))
    data, _ = make_ranking(20)
    with pytest.raises(DataError, match=r"absent cannot be written .* Set RANKSIEVE_SPILL"):
        stored_blocks(data.blocks())


def test_nothing_is_left_in_the_folder_even_by_a_killed_process(tmp_path):
    program = (
        "import os, signal\n"
        "from ranksieve.data import make_ranking\n"
        "from ranksieve.data.disk import stored_blocks\n"
        "blocks = stored_blocks(make_ranking(100)[0].blocks())\n"
        "assert blocks[0].X.size\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"RANKSIEVE_SPILL": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, timeout=120)
    assert ended.returncode == -9
    assert not list(tmp_path.iterdir())


def test_the_folder_is_on_disk_by_default(monkeypatch):
    monkeypatch.delenv("RANKSIEVE_SPILL", raising=False)
    assert os.access(spill_folder(), os.W_OK)


def test_sizes_are_read_with_their_units(monkeypatch):
    assert [n_bytes(text) for text in ("2GiB", "2 G", "1.5kib", "3MB", "77")] == [
        2 << 30,
        2 << 30,
        1536,
        3_000_000,
        77,
    ]
    for wrong in ("", "-1", "0", "2 GiX", "lots", "0.1"):
        with pytest.raises(ParameterError, match="must be a size above 0"):
            n_bytes(wrong)
    monkeypatch.setenv("RANKSIEVE_MEMORY", "3MiB")
    assert memory_limit() == 3 << 20
    assert memory_limit(usual=5) == 5
    with memory(7):
        assert memory_limit(usual=5) == 7
    monkeypatch.setenv("RANKSIEVE_MEMORY", "much")
    with pytest.raises(ParameterError, match="RANKSIEVE_MEMORY must be a size"):
        memory_limit()
    monkeypatch.delenv("RANKSIEVE_MEMORY")
    assert 1 << 20 <= memory_limit() < 1 << 50

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv

from ranksieve.data import convert, from_arrays, load, make_ranking, write_parquet, write_text
from ranksieve.errors import DataError, ParameterError
from ranksieve.progress import listening


def sample(text_ids=False):
    generated, _ = make_ranking(40)
    qid = [f"q{value}" for value in generated.qid] if text_ids else generated.qid
    ids = [f"GX-{row}" for row in range(generated.n_documents)]
    names = [str(index + 1) for index in range(generated.n_features)]
    return from_arrays(generated.X, generated.y, qid, feature_names=names, document_ids=ids)


def assert_same(path, data):
    again = load(path)
    assert again.fingerprint == data.fingerprint
    assert again.document_ids.tolist() == data.document_ids.tolist()


@pytest.mark.parametrize("text_ids", [False, True])
@pytest.mark.parametrize("middle", ["b.parquet", "b.pq", "b.txt.gz", "b.txt.zst", "b.txt.xz", "b"])
def test_there_and_back_keeps_every_value_grade_and_id(tmp_path, middle, text_ids):
    data = sample(text_ids)
    write_text(data, tmp_path / "a.txt")
    done = convert(tmp_path / "a.txt", tmp_path / middle)
    assert_same(tmp_path / middle, data)
    convert(tmp_path / middle, tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "a.txt").read_bytes()
    assert (done.n_documents, done.n_queries, done.n_features) == (data.n_documents, 40, 20)
    assert done.n_bytes == (tmp_path / middle).stat().st_size


def test_a_folder_of_parquet_is_a_source(tmp_path):
    data = sample()
    (tmp_path / "parts").mkdir()
    write_parquet(data.queries(np.arange(15)), tmp_path / "parts" / "1.parquet")
    write_parquet(data.queries(np.arange(15, 40)), tmp_path / "parts" / "2.parquet")
    convert(tmp_path / "parts", tmp_path / "all.txt")
    assert_same(tmp_path / "all.txt", data)


def test_numbers_and_text_as_ids_in_one_file_become_text(tmp_path):
    (tmp_path / "a.txt").write_text("1 qid:7 1:1\n0 qid:b 1:2\n")
    convert(tmp_path / "a.txt", tmp_path / "a.parquet")
    assert load(tmp_path / "a.parquet").query_ids.tolist() == ["7", "b"]


def test_double_precision_is_kept_when_asked_for(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 3))
    write_text(from_arrays(X, np.zeros(50), np.arange(50)), tmp_path / "a.txt")
    convert(tmp_path / "a.txt", tmp_path / "a.parquet", dtype=np.float64)
    np.testing.assert_array_equal(load(tmp_path / "a.parquet", dtype=np.float64).X, X)


def test_missing_values_are_filled_on_the_way(tmp_path):
    (tmp_path / "a.txt").write_text("1 qid:7 1:nan 2:5\n0 qid:7 1:2 2:6\n")
    with pytest.raises(DataError, match="missing"):
        convert(tmp_path / "a.txt", tmp_path / "b.txt")
    convert(tmp_path / "a.txt", tmp_path / "b.txt", missing="query-minimum")
    assert load(tmp_path / "b.txt").X.tolist() == [[2, 5], [2, 6]]


def test_columns_of_parquet_are_chosen_by_name(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"label": [1, 0], "query": [5, 5], "a": [0.5, 0.25], "b": [1.0, 2.0]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    convert(
        tmp_path / "a.parquet", tmp_path / "b.txt", grade="label", query="query", features=["b"]
    )
    assert (tmp_path / "b.txt").read_text() == "1 qid:5 1:1\n0 qid:5 1:2\n"


@pytest.mark.parametrize("target", ["b.parquet", "b.txt"])
@pytest.mark.parametrize("source", ["a.txt", "a.parquet"])
def test_queries_apart_are_found_over_the_whole_stream_and_leave_nothing(tmp_path, source, target):
    generated, _ = make_ranking(700, 60)
    parts = [*generated.blocks(), next(generated.queries([0]).blocks())]
    write = write_parquet if source.endswith("parquet") else write_text
    write(parts, tmp_path / source)
    with pytest.raises(DataError, match=r"rows of a query must be adjacent.*qid\s+1\b"):
        convert(tmp_path / source, tmp_path / target)
    assert [path.name for path in tmp_path.iterdir()] == [source]


def test_an_existing_target_is_replaced_only_when_asked_for(tmp_path):
    write_text(sample(), tmp_path / "a.txt")
    (tmp_path / "b.txt").write_text("old")
    with pytest.raises(DataError, match=r"b\.txt exists.*overwrite=True"):
        convert(tmp_path / "a.txt", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "old"
    convert(tmp_path / "a.txt", tmp_path / "b.txt", overwrite=True)
    assert_same(tmp_path / "b.txt", sample())


def test_a_file_is_not_converted_onto_itself(tmp_path):
    write_text(sample(), tmp_path / "a.txt")
    (tmp_path / "link.txt").symlink_to("a.txt")
    for target in ("a.txt", "link.txt"):
        with pytest.raises(DataError, match="the same file"):
            convert(tmp_path / "a.txt", tmp_path / target, overwrite=True)


def test_wrong_paths_are_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.txt does not exist"):
        convert(tmp_path / "nowhere.txt", tmp_path / "b.txt")
    write_text(sample(), tmp_path / "a.txt")
    with pytest.raises(DataError, match="is a folder"):
        convert(tmp_path / "a.txt", tmp_path, overwrite=True)


def test_parameters_of_the_other_format_are_refused(tmp_path):
    write_text(sample(), tmp_path / "a.txt")
    write_parquet(sample(), tmp_path / "a.parquet")
    with pytest.raises(ParameterError, match="grade does not apply to text"):
        convert(tmp_path / "a.txt", tmp_path / "b.txt", grade="label")
    with pytest.raises(ParameterError, match="group_sizes does not apply to Parquet"):
        convert(tmp_path / "a.parquet", tmp_path / "b.txt", group_sizes=[1])


def test_group_sizes_stand_for_query_ids(tmp_path):
    (tmp_path / "a.txt").write_text("1 1:1\n0 1:2\n2 1:3\n")
    convert(tmp_path / "a.txt", tmp_path / "b.parquet", group_sizes=[2, 1])
    assert np.diff(load(tmp_path / "b.parquet").query_ptr).tolist() == [2, 1]


def test_progress_ends_at_the_number_of_documents(tmp_path):
    data = sample()
    write_text(data, tmp_path / "a.txt")
    seen = []
    with listening(lambda *report: seen.append(report)):
        convert(tmp_path / "a.txt", tmp_path / "b.parquet")
    done = [report for report in seen if report[0] == "converting"]
    assert done[-1] == ("converting", data.n_documents, data.n_documents)


# Not ru_maxrss, which a child inherits from the process that started it.
PEAK = """
import pathlib, sys
from ranksieve.data import convert
for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    convert(source, target)
    status = pathlib.Path("/proc/self/status").read_text()
    print(status.split("VmHWM:")[1].split()[0])
"""


# What is freed goes back to the system at once: a peak is what was in use, and not what allocators
# keep, which differs by machine and load.
GIVING_BACK = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
}


def peaks_in_mebibytes(*paths):
    """The most memory of a process after each of several conversions: sources and targets."""
    command = [sys.executable, "-c", PEAK, *map(str, paths)]
    environment = {**os.environ, **GIVING_BACK}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return [int(peak) / 1024 for peak in run.stdout.split()]


@pytest.fixture(scope="module")
def small_and_large():
    return [make_ranking(n_queries, 60, n_irrelevant=60)[0] for n_queries in (1000, 4000)]


def write_one_row_group(data, path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = dict(zip(data.feature_names, data.X.T, strict=True))
    table = pa.table({"grade": data.y, "qid": data.qid, **columns})
    # Pages are full in the small file too: what one page per column costs is no growth.
    options = {"use_dictionary": False, "data_page_size": 1 << 15}
    pq.write_table(table, path, row_group_size=len(table), **options)


def write_csv(data, path):
    columns = {
        "grade": data.y,
        "qid": data.qid,
        **dict(zip(data.feature_names, data.X.T, strict=True)),
    }
    arrow_csv.write_csv(pa.table(columns), path)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    ("write", "endings"),
    [
        (write_parquet, ["parquet", "txt", "parquet"]),
        (write_one_row_group, ["parquet", "parquet"]),
        (write_csv, ["csv", "parquet"]),
    ],
)
def test_four_times_the_data_takes_about_the_same_memory(tmp_path, small_and_large, write, endings):
    small, large = (data.n_documents * data.n_features * 4 / 2**20 for data in small_and_large)
    files = [[tmp_path / f"{n}-0.{endings[0]}" for n in range(2)]]
    for data, path in zip(small_and_large, files[0], strict=True):
        write(data, path)
    for step, ending in enumerate(endings[1:], start=1):
        # What one conversion wrote, the next one reads.
        files.append([tmp_path / f"{n}-{step}.{ending}" for n in range(2)])
        (source, source_of_large), (target, target_of_large) = files[-2:]
        peaks = peaks_in_mebibytes(source, target, source_of_large, target_of_large)
        # Holding the data, or one whole row group, would add at least its size. The small file
        # does not fill a block of each kind: up to 0.4 of the size was seen.
        assert peaks[1] - peaks[0] < 0.75 * (large - small)


def test_real_files_keep_everything_on_the_way(tmp_path, real_data):
    source = real_data / "MQ2008" / "Fold1" / "vali.txt"
    convert(source, tmp_path / "a.parquet")
    convert(tmp_path / "a.parquet", tmp_path / "b.txt.zst")
    data = load(source)
    assert_same(tmp_path / "a.parquet", data)
    assert_same(tmp_path / "b.txt.zst", data)


@pytest.mark.parametrize("name", ["-", "b.csv", "b.txt.bz2", "b.zip"])
def test_endings_of_other_formats_are_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("1 qid:7 1:0.5\n")
    with pytest.raises(DataError, match=r"ranking data is written as .parquet, or as text"):
        convert("a.txt", name)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("target", ["b.parquet", "b.txt"])
def test_queries_apart_are_to_be_loaded_whole(tmp_path, target):
    (tmp_path / "a.txt").write_text("1 qid:7 1:0.5\n1 qid:8 1:0.5\n1 qid:7 1:0.5\n")
    with pytest.raises(DataError, match="Load all of it with sort=True and write it"):
        convert(tmp_path / "a.txt", tmp_path / target)

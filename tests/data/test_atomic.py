import errno
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from ranksieve.data import from_arrays, write_parquet, write_text
from ranksieve.data.atomic import replacing, write_error
from ranksieve.errors import DataError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_half_and_raise(target, error):
    with replacing(target) as temporary:
        temporary.write_text("half")
        raise error


def test_the_new_file_takes_the_place_of_the_old(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["out.txt"]


def test_the_temporary_file_lies_beside_the_target_and_ends_alike(tmp_path):
    with replacing(tmp_path / "out.txt.gz") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".")
        assert temporary.name.endswith("out.txt.gz")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_any_exception_leaves_the_old_file_and_nothing_else(tmp_path, error):
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(error):
        write_half_and_raise(target, error)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_an_existing_mode_is_kept(tmp_path):
    target = tmp_path / "out.txt"
    target.touch(mode=0o600)
    with replacing(target) as temporary:
        temporary.write_text("new")
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_link_keeps_pointing_to_the_file_that_is_written(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with replacing(tmp_path / "link.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(DataError, match=r"folder .*nowhere does not exist\. Create it"),
        replacing(tmp_path / "nowhere" / "out.txt"),
    ):
        pass


def test_a_folder_and_a_device_are_no_targets(tmp_path):
    for target, kind in ((tmp_path, "a folder"), ("/dev/null", "not a regular file")):
        with pytest.raises(DataError, match=f"it is {kind}"), replacing(target):
            pass


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_says_so_and_leaves_the_old_file(tmp_path, code):
    target = tmp_path / "out.txt"
    target.write_text("old")
    message = r"no space is left for it .*Free some.*unchanged"
    with pytest.raises(DataError, match=message):
        write_half_and_raise(target, OSError(code, os.strerror(code)))
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_other_failures_are_told_apart(tmp_path):
    denied = write_error(tmp_path / "x", PermissionError(errno.EACCES, "denied"))
    assert "permission denied. Choose a folder" in str(denied)
    broken = write_error(tmp_path / "x", OSError(errno.EIO, "Input/output error"))
    assert "Input/output error" in str(broken)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="permission denied"), replacing(tmp_path / "out.txt"):
        pass


LIMITED = """
import json, resource, sys
from pathlib import Path
import numpy as np
from ranksieve.data import from_arrays, write_parquet, write_text
from ranksieve.errors import DataError
X = np.random.default_rng(0).normal(size=(5000, 20))
data = from_arrays(X, np.zeros(5000), np.arange(5000))
folder, messages = Path(sys.argv[1]), {}
writers = {name: write_parquet if "parquet" in name else write_text for name in sys.argv[2:]}
# Kernels are compiled before the limit: numba's own cache would be cut short by it too.
for name, write in writers.items():
    write(data, folder / name)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
for name, write in writers.items():
    try:
        write(data, folder / f"of {name}" / name)
    except DataError as error:
        messages[name] = str(error)
print(json.dumps(messages))
"""
WRITTEN = ["a.txt", "a.txt.gz", "a.txt.xz", "a.txt.zst", "a.parquet"]


@pytest.fixture(scope="module")
def without_space(tmp_path_factory):
    """A folder for each ending in which a writer ran out of space, and what each writer said."""
    folder = tmp_path_factory.mktemp("limited")
    for name in WRITTEN:
        (folder / f"of {name}").mkdir()
        (folder / f"of {name}" / name).write_text("old")
    command = [sys.executable, "-c", LIMITED, str(folder), *WRITTEN]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return folder, json.loads(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_a_real_writer_that_runs_out_of_space_leaves_the_old_file(without_space, name):
    folder, messages = without_space
    assert "no space is left" in messages[name]
    assert (folder / f"of {name}" / name).read_text() == "old"
    assert names(folder / f"of {name}") == [name]


WRITING = """
import sys, time
import numpy as np
from ranksieve.data import from_arrays, write_text
block = next(from_arrays(np.ones((1000, 20)), np.zeros(1000), np.arange(1000)).blocks())
def slowly():
    for number in range(10_000):
        yield block
        print(number, flush=True)
        time.sleep(0.01)
write_text(slowly(), sys.argv[1])
"""


def started(target):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for _ in range(3):
        assert process.stdout.readline()
    return process


@pytest.mark.slow
def test_kill_leaves_the_old_file_as_it_was(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")
    process = started(target)
    process.kill()
    process.wait()
    process.stdout.close()
    assert target.read_text() == "old"
    assert all(name == "out.txt" or name.startswith(".") for name in names(tmp_path))


@pytest.mark.slow
def test_ctrl_c_removes_what_was_written(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")
    process = started(target)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    process.wait(timeout=10)
    process.stdout.close()
    assert time.monotonic() - begun < 5
    assert process.returncode != 0
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("write", [write_text, write_parquet])
def test_a_source_that_breaks_off_leaves_nothing(tmp_path, write):
    (block,) = from_arrays(np.ones((3, 1)), np.zeros(3), [1, 1, 2]).blocks()

    def breaking():
        yield block
        raise DataError("the source is damaged")

    with pytest.raises(DataError, match="the source is damaged"):
        write(breaking(), tmp_path / "out.parquet")
    assert names(tmp_path) == []

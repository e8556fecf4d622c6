"""Claims and the locks behind them: one owner at a time, and none after its end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from ranksieve.experiment import Store, StoreError
from ranksieve.experiment.store.claims import Claims, is_free, lock, unlock

# Locks bytes of a file as `locks` does, without the imports of the package.
_HOLDER = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
for place in map(int, sys.argv[2:]):
    fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path, *places):
    """Another process holds bytes, until it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", _HOLDER, str(path), *map(str, places)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_byte_is_free_again_when_its_holder_is_killed(tmp_path):
    path = tmp_path / "locks"
    with held_elsewhere(path, 5, 7):
        assert [is_free(path, place) for place in (5, 6, 7)] == [False, True, False]
        with pytest.raises(OSError, match=r"byte 5 .* is locked by another process"):
            lock(path, 5)
    assert is_free(path, 5)


def test_looking_at_other_bytes_keeps_ones_own(tmp_path):
    path = tmp_path / "locks"
    lock(path, 1)
    assert [is_free(path, place) for place in (1, 2, 1)] == [False, True, False]
    assert tried_elsewhere(path, 1) == "held"
    unlock(path, 1)
    assert is_free(path, 1)
    assert tried_elsewhere(path, 1) == "free"


def test_a_file_that_was_deleted_and_made_anew_is_another_file(tmp_path):
    path = tmp_path / "locks"
    lock(path, 1)
    path.unlink()
    assert is_free(path, 1)
    lock(path, 1)
    assert tried_elsewhere(path, 1) == "held"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_has_none_of_its_parents_locks(tmp_path):
    path = tmp_path / "locks"
    lock(path, 1)
    process = os.fork()
    if process == 0:
        os._exit(is_free(path, 1))  # 0 where the fork sees that its parent holds it
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert tried_elsewhere(path, 1) == "held"


def test_threads_see_each_others_claims(tmp_path):
    with Store(tmp_path / "runs.db") as store, Claims(store) as claims:
        assert claims.take("a")
        found = []

        def look():
            with Store(tmp_path / "runs.db") as own, Claims(own) as others:
                found.extend([others.take("a"), others.take("b")])

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert found == [False, True]
        assert claims.take("b")


def test_a_claim_is_taken_over_from_a_killed_process_only(tmp_path):
    with Store(tmp_path / "runs.db") as store, Claims(store) as claims:
        owners = tmp_path / "runs.db-owners"
        with held_elsewhere(owners, 77):
            with store.writing() as run:
                run("INSERT INTO claim VALUES ('a', 77)")
            assert not claims.take("a")
        assert claims.take("a")
        assert claims.take("a")


def test_only_ones_own_claims_are_released(tmp_path):
    with Store(tmp_path / "runs.db") as store, Claims(store) as one, Claims(store) as other:
        assert one.take("a")
        other.release("a")
        assert not other.take("a")
        one.release("a")
        assert other.take("a")


def test_owners_have_numbers_that_are_not_given_again(tmp_path):
    numbers = []
    for _ in range(3):
        with Store(tmp_path / "runs.db") as store, Claims(store) as claims:
            numbers.append(claims._owner)
            with store.writing() as run:
                run("DELETE FROM owner")
    assert len(set(numbers)) == 3


def test_claims_of_a_run_that_could_not_release_them_do_not_stop_the_next(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        with Claims(store) as claims:
            assert claims.take("a")
        with Claims(store) as claims:
            assert claims.take("a")


def test_a_store_by_another_name_has_the_same_claims(tmp_path):
    path, link = tmp_path / "runs.db", tmp_path / "link.db"
    with Store(path) as store, Claims(store) as claims:
        link.symlink_to(path)
        with Store(link) as same, Claims(same) as others:
            assert claims.take("a")
            assert not others.take("a")
    assert not (tmp_path / "link.db-owners").exists()


def test_a_file_of_owners_that_cannot_be_locked_is_named(tmp_path):
    (tmp_path / "runs.db-owners").mkdir()
    with (
        Store(tmp_path / "runs.db") as store,
        pytest.raises(StoreError, match=r"cannot lock .*-owners"),
    ):
        Claims(store)


def tried_elsewhere(path, place):
    """Whether another process can lock a byte: "free" or "held"."""
    code = (
        "import fcntl, os, sys\n"
        "file = os.open(sys.argv[1], os.O_RDWR)\n"
        "try: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(sys.argv[2]))\n"
        "except OSError: print('held', end='')\n"
        "else: print('free', end='')\n"
    )
    command = [sys.executable, "-S", "-c", code, str(path), str(place)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout

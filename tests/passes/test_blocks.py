from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

from ranksieve.data import from_arrays
from ranksieve.data.block import Block
from ranksieve.errors import ParameterError
from ranksieve.passes import SumPass, run
from ranksieve.progress import listening
from ranksieve.threads import n_threads, threads
from tests.reference.cases import in_blocks

pytestmark = pytest.mark.usefixtures("always_threads")


@dataclass
class ColumnSums:
    def partial(self, piece: Block):
        return piece.X[piece.rows].astype(np.float64).sum(axis=0), piece.n_documents

    def combine(self, left, right):
        return left[0] + right[0], left[1] + right[1]


@dataclass
class Places:
    """Collects the pieces themselves, to see how data is cut."""

    def partial(self, piece: Block):
        return [(piece.documents.start, piece.documents.stop, piece.X[piece.rows, 0].copy())]

    def combine(self, left, right):
        return left + right


def data_of(n_queries=400, m=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * m, 3))
    return X, rng.integers(0, 3, size=len(X)).astype(float), np.arange(0, len(X) + 1, m)


def test_result_is_the_same_bit_for_bit_on_any_number_of_threads():
    X, y, query_ptr = data_of()
    data = in_blocks(X, y, query_ptr, [100, 150])
    results = []
    for n in (1, 2, 3, 8):
        with threads(n):
            results.append(run(ColumnSums(), data))
    for sums, count in results:
        assert count == len(X)
        np.testing.assert_array_equal(sums, results[0][0])


@pytest.mark.parametrize("borders", [[], [1], [7, 8, 200], list(range(1, 400))])
def test_counts_do_not_depend_on_blocks_and_sums_agree_to_rounding(borders):
    X, y, query_ptr = data_of()
    sums, count = run(ColumnSums(), in_blocks(X, y, query_ptr, borders))
    assert count == len(X)
    assert (np.abs(sums - X.sum(axis=0)) <= 1e-12 * np.abs(X).sum(axis=0)).all()


def test_pieces_come_in_order_and_cover_each_document_once():
    X, y, query_ptr = data_of()
    pieces = run(Places(), in_blocks(X, y, query_ptr, [3, 390]))
    assert [start for start, _, _ in pieces] == [0, *(stop for _, stop, _ in pieces[:-1])]
    np.testing.assert_array_equal(np.concatenate([values for _, _, values in pieces]), X[:, 0])


def test_a_query_larger_than_a_piece_is_not_torn():
    X, y, _ = data_of(n_queries=1, m=20_000)
    data = from_arrays(X, y, np.zeros(len(X), dtype=int))
    assert len(run(Places(), data)) == 1


def test_threads_are_used_only_where_the_pass_takes_long_enough(monkeypatch):
    class Workers(ColumnSums):
        def partial(self, piece):
            return {threading.get_ident()}

        def combine(self, left, right):
            return left | right

    X, y, query_ptr = data_of()
    with threads(2):
        assert len(run(Workers(), in_blocks(X, y, query_ptr, []))) > 1
    monkeypatch.setattr(import_module("ranksieve.passes.blocks"), "WORTH_THREADS", 60.0)
    assert run(Workers(), in_blocks(X, y, query_ptr, [])) == {threading.get_ident()}


def test_an_error_in_a_piece_is_raised_where_the_pass_was_started():
    class Failing(ColumnSums):
        def partial(self, piece):
            raise ZeroDivisionError("in a piece")

    X, y, query_ptr = data_of()
    with pytest.raises(ZeroDivisionError, match="in a piece"):
        run(Failing(), in_blocks(X, y, query_ptr, []))


def test_progress_ends_at_all_documents():
    X, y, query_ptr = data_of()
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        run(ColumnSums(), in_blocks(X, y, query_ptr, []), label="sums")
    assert seen[-1] == ("sums", len(X), len(X))


def test_thread_count_is_restored_and_checked(monkeypatch):
    monkeypatch.delenv("RANKSIEVE_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    before = n_threads()
    with threads(3):
        assert n_threads() == 3
    assert n_threads() == before
    monkeypatch.setenv("OMP_NUM_THREADS", "1,2")
    assert n_threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "nonsense")
    assert n_threads() == before
    monkeypatch.setenv("RANKSIEVE_THREADS", "5")
    assert n_threads() == 5
    monkeypatch.setenv("RANKSIEVE_THREADS", "many")
    with pytest.raises(ParameterError, match=r"RANKSIEVE_THREADS .* 'many'"):
        n_threads()
    with pytest.raises(ParameterError, match="at least 1, but is 0"), threads(0):
        pass


SLOW_PASS = """
import sys, time
import numpy as np
from ranksieve.data import from_arrays
from ranksieve.passes import run
from ranksieve.threads import threads

class Slow:
    def partial(self, piece):
        time.sleep(0.2)
        return 1
    def combine(self, left, right):
        return left + right

n = 4096 * 300
data = from_arrays(np.zeros((n, 1)) + np.arange(n)[:, None], np.zeros(n), np.arange(n) // 4096)
print("started", flush=True)
with threads(2):
    run(Slow(), data)
"""


# One query that keeps a kernel busy for a minute, out of reach of the interpreter.
LONG_KERNEL = """
import numpy as np
from ranksieve.data import from_arrays
from ranksieve.similarity import KendallSimilarity

X = np.asfortranarray(np.random.default_rng(0).random((40_000, 136), dtype=np.float32))
KendallSimilarity().matrix(from_arrays(X[:9], np.zeros(9), np.zeros(9, dtype=int)))
data = from_arrays(X, np.zeros(len(X)), np.zeros(len(X), dtype=int))
print("started", flush=True)
KendallSimilarity().matrix(data)
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", [SLOW_PASS, LONG_KERNEL])
def test_ctrl_c_stops_at_once(code):
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with child:
        assert child.stdout.readline() == b"started\n"
        time.sleep(0.5)
        sent = time.monotonic()
        os.kill(child.pid, signal.SIGINT)
        child.wait(timeout=20)
        # All pieces would take half a minute or more.
        assert time.monotonic() - sent < 10
        assert b"KeyboardInterrupt" in child.stderr.read()


def test_a_pass_runs_in_the_context_of_its_caller():
    class Counts(ColumnSums):
        def partial(self, piece):
            return {n_threads()}

        def combine(self, left, right):
            return left | right

    X, y, query_ptr = data_of()
    with threads(3):
        assert run(Counts(), in_blocks(X, y, query_ptr, [])) == {3}


def test_a_pass_that_raises_stop_iteration_is_not_taken_for_the_end(monkeypatch):
    class Stopping(ColumnSums):
        def partial(self, piece):
            if piece.documents.start:
                raise StopIteration
            return super().partial(piece)

    X, y, query_ptr = data_of()
    for worth in (-1.0, 60.0):
        monkeypatch.setattr(import_module("ranksieve.passes.blocks"), "WORTH_THREADS", worth)
        with pytest.raises(RuntimeError):
            run(Stopping(), in_blocks(X, y, query_ptr, []))


def test_a_pass_inside_a_pass_does_not_wait_for_itself():
    X, y, query_ptr = data_of(n_queries=100)
    data = in_blocks(X, y, query_ptr, [])

    class Nested(ColumnSums):
        def partial(self, piece):
            return run(ColumnSums(), data)

    with threads(2):
        _, count = run(Nested(), data)
    assert count == 2 * len(X)


def test_sums_of_numbers_arrays_and_tuples_are_added():
    add = SumPass().combine
    assert add(1, 2) == 3
    np.testing.assert_array_equal(add(np.array([1, 2]), np.array([3, 4])), [4, 6])
    total, count = add((np.array([1.0]), 2), (np.array([0.5]), 3))
    assert (total.tolist(), count) == ([1.5], 5)


def test_tuples_of_different_lengths_are_not_added():
    with pytest.raises(ValueError, match="shorter"):
        SumPass().combine((1, 2), (1,))


@pytest.mark.parametrize("name", ["Sum", "Sums"])
def test_the_former_names_of_the_sum_pass_still_work_and_warn(name):
    with pytest.warns(DeprecationWarning, match="is SumPass now"):
        assert getattr(import_module("ranksieve.passes"), name) is SumPass

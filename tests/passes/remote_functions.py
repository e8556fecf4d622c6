"""What tests call on workers: a module, since workers import it by name."""

import os
import signal
import time
import warnings
from pathlib import Path

import numpy as np

from ranksieve.errors import DataError
from ranksieve.passes.cluster import active_cluster, worker_address
from ranksieve.threads import n_threads


def square(number):
    return number * number


def process_id(*_):
    return os.getpid()


def facts():
    """Where this runs, with how many threads, and whether a cluster is active there."""
    return worker_address(), n_threads(), active_cluster() is None


class Table:
    """Something that many tasks share."""

    def __init__(self, values):
        self.values = values


def row_sum(table, row):
    return float(table.values[row].sum())


def copies_of(table, _):
    """Which process this is, and which object."""
    return os.getpid(), id(table)


def flags(array):
    return array.flags.writeable, array.flags.f_contiguous


def zeros(shape):
    return np.zeros(shape, order="F")


def fail_with_data_error():
    raise DataError("row 3 has no grade. Give it one.")


def fail_with_key_error():
    """Raise an error whose context cannot be pickled."""
    try:
        raise ContextOfError(lambda: None)
    except ContextOfError:
        raise KeyError("absent") from None


class ContextOfError(Exception):
    def __reduce__(self):
        raise TypeError("no pickle")


class TwoArgumentsError(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def fail_with_an_error_that_cannot_travel():
    raise TwoArgumentsError("salt", "pepper")


def warn_and_double(number):
    warnings.warn(f"{number} is doubled", UserWarning, stacklevel=1)
    return 2 * number


def end_process(*_):
    """End the worker as a machine that fails would, in the middle of the call."""
    os.kill(os.getpid(), signal.SIGKILL)


def end_process_once(folder, number):
    """End the worker at the first attempt, and answer at the second."""
    mark = Path(folder) / str(number)
    if number % 3 == 0 and not mark.exists():
        mark.touch()
        end_process()
    return number * number


def end_all_once(table, request):
    """Let every worker end at its first call, so that all that had the table are gone."""
    folder, number, n_workers = request
    if len(list(Path(folder).iterdir())) < n_workers:
        (Path(folder) / str(os.getpid())).touch()
        end_process()
    return float(table.values.sum()) + number


def use_memory(n_bytes):
    block = np.ones(n_bytes // 8)
    time.sleep(5)
    return block.sum()


def slow_process_id(number):
    time.sleep(0.3)
    return number, os.getpid()


def sleep(seconds):
    time.sleep(seconds)
    return os.getpid()


def mark_and_sleep(request):
    folder, number = request
    (Path(folder) / str(number)).touch()
    time.sleep(1)

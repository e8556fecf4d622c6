"""What runs on a worker: a function of the client's, with as many threads as it is to have.

Functions, arguments and results travel as pickles of our own: versions are compared before
anything of ranksieve is unpickled, and arrays can be written to on the other side if they could
be on this one.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import socket
import sys
import threading
import traceback
import warnings
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

from ranksieve.errors import RanksieveError
from ranksieve.packages import import_less
from ranksieve.passes.cluster.versions import Versions, check_versions, versions
from ranksieve.threads import threads

# A warning's text and category.
Heard = list[tuple[str, type[Warning]]]

# Numbers of glibc's options, and bytes up to which an array is made of what others have left.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _LARGEST_KEPT = -1, -3, 32 << 20

_prepared = False
_heard: ContextVar[Heard | None] = ContextVar("ranksieve_warnings", default=None)
# Dask's worker that a call runs on.
_worker: ContextVar[Any] = ContextVar("ranksieve_worker", default=None)


def dask_setup(worker: Any) -> None:
    """Make a process of a local cluster a quiet one: Dask calls this when it starts.

    Ctrl-C is for its parent, and nobody reads what libraries print to standard output there.
    """
    import_less()
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 1)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def process_name() -> str:
    """Return a name of this process that no other one has, on any machine."""
    return f"{socket.gethostname()}:{os.getpid()}"


def worker_address() -> str:
    """Return the address of the worker that this call runs on; "" at a client."""
    worker = _worker.get()
    return "" if worker is None else str(worker.address)


def worker_folder() -> Path:
    """Return a folder on the disk of the worker that this call runs on; it goes with the worker."""
    worker: Any = _worker.get()
    return Path(worker.local_directory)


def packed(value: Any) -> bytes:
    """Return a pickle; functions that no module has, such as a notebook's, are in it by value."""
    content: bytes = import_module("distributed.protocol.pickle").dumps(value)
    return content


def unpacked(content: bytes) -> Any:
    """Return what `packed` packed."""
    return import_module("distributed.protocol.pickle").loads(content)


async def run_pinned(client: tuple[Versions, str], request: bytes, dask_worker: Any) -> bytes:
    """Do a request on this worker, in the threads of its tasks; the answer is for `outcome`.

    `request` is a function and its arguments, `client` the client's versions and process. What
    the function raises is part of the answer: Dask would print it into the worker's log.
    """

    def function() -> bytes:
        return _answer(client, request, (), dask_worker, dask_worker.state.nthreads)

    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(dask_worker.executors["default"], function)


def run_item(client: tuple[Versions, str], request: bytes, *shared: Any) -> bytes:
    """Do a request on whichever worker this is, with one thread; see `run_pinned`."""
    return _answer(client, request, shared, import_module("distributed").get_worker(), 1)


def run_resident(client: tuple[Versions, str], request: bytes) -> Any:
    """Do a request on whichever worker this is; the result stays there, for Dask's collections."""
    worker = import_module("distributed").get_worker()
    return _called(client, request, (), worker, worker.state.nthreads)


def outcome(answer: bytes) -> Any:
    """Return the result that is in an answer, or raise the error; its warnings are given here."""
    succeeded, value, heard = unpacked(answer)
    for text, category in heard:
        warnings.warn(text, category, stacklevel=2)
    if succeeded:
        return value
    raise value


def _answer(
    client: tuple[Versions, str], request: bytes, shared: tuple[Any, ...], worker: Any, n: int
) -> bytes:
    heard: Heard = []
    token = _heard.set(heard)
    try:
        return packed((True, _called(client, request, shared, worker, n), heard))
    except Exception as error:  # noqa: BLE001 - it is raised at the client
        return _packed_error(error, worker.address, heard)
    finally:
        _heard.reset(token)


def _called(
    client: tuple[Versions, str], request: bytes, shared: tuple[Any, ...], worker: Any, n: int
) -> Any:
    check_versions(client[0], versions(), worker.address)
    _prepare(client[1])
    function, arguments = unpacked(request)
    token = _worker.set(worker)
    try:
        with threads(n):
            return function(*shared, *arguments)
    finally:
        _worker.reset(token)


def _prepare(client: str) -> None:
    """Make this process a worker of ours, from now on.

    BLAS has one thread: with two it adds up in another order. Warnings go to the client. A worker
    that is a thread of its client's process leaves that as it is.
    """
    global _prepared
    if _prepared or client == process_name():
        return
    _keep_freed_memory()
    import_module("scipy.linalg")  # it brings a BLAS of its own
    import_module("threadpoolctl").threadpool_limits(1, user_api="blas")
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **others: Any) -> None:
        heard = _heard.get()
        if heard is None:
            shown(message, category, *where, **others)
        elif (str(message), category) not in heard:
            heard.append((str(message), category))

    warnings.showwarning = show
    # A worker may serve several clients: each is to hear of a warning.
    warnings.simplefilter("always", UserWarning)
    _prepared = True


def _keep_freed_memory() -> None:
    """Let arrays of some megabytes be made of memory that others of this process have left.

    Dask tells the C library to give it back at once: each new array is then zeroed again by the
    system, which took a third of the time of passes that make some for every piece.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
        mallopt(_TRIM_THRESHOLD, 4 * _LARGEST_KEPT)


def _packed_error(error: Exception, address: str, heard: Heard) -> bytes:
    if not isinstance(error, RanksieveError):
        lines = "".join(traceback.format_exception(error)).rstrip()
        error.add_note(f"Raised on the worker {address}:\n{lines}")
    # What it was raised from is in the note, and need not be fit for a pickle.
    error.__cause__ = error.__context__ = None
    try:
        content = packed((False, error.with_traceback(None), heard))
        unpacked(content)
    except Exception:  # noqa: BLE001 - whatever an error cannot be pickled for
        plain = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            plain.add_note(note)
        content = packed((False, plain, heard))
    return content

"""A cluster for the code inside a `with`: of an address, of this machine, or of a client."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from ranksieve.errors import ClusterError, ParameterError
from ranksieve.packages import require
from ranksieve.passes.cluster import remote
from ranksieve.passes.cluster.calls import Cluster
from ranksieve.progress import report

# Seconds until a scheduler must have answered, until a first worker must be there, and for
# processes to end.
_CONNECT, _FIRST_WORKER, _CLOSE = 10.0, 30.0, 10.0
_LOCAL = re.compile(r"local:(\d+)")
_REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+:\d+")

_active: ContextVar[Cluster | None] = ContextVar("ranksieve_cluster", default=None)


def active_cluster() -> Cluster | None:
    """Return the cluster of the `with cluster(...)` around this code, or None.

    Examples
    --------
    >>> active_cluster() is None
    True
    """
    return _active.get()


@contextmanager
def cluster(address: Any) -> Iterator[Cluster]:
    """Let the code inside the `with` work on a Dask cluster.

    Parameters
    ----------
    address : str or distributed.Client
        "tcp://host:port" of a scheduler; "local:4" for four processes of this machine with one
        thread each, which end with the `with`; or a client, which stays open.

    Notes
    -----
    Workers must have the versions of ranksieve, Python and numpy that the client has. "local:4" in
    a script belongs under `if __name__ == "__main__":`, as whatever starts processes does.

    Examples
    --------
    Of a client, whose workers are threads here:

    >>> from distributed import Client
    >>> options = {"processes": False, "dashboard_address": "127.0.0.1:0"}
    >>> with Client(n_workers=2, **options) as client, cluster(client) as workers:
    ...     active_cluster() is workers, len(workers.workers()), list(workers.map(abs, [-1, 2]))
    (True, 2, [1, 2])

    `with cluster("local:4"): Sieve().fit(data)` trains in four processes.
    """
    with _client(address) as client:
        connected = Cluster(client)
        _check_workers(connected)
        token = _active.set(connected)
        try:
            yield connected
        finally:
            _active.reset(token)
            for close in connected.closing:
                # A cluster that is lost has nothing left to close.
                with suppress(Exception):
                    close()


@contextmanager
def _client(address: Any) -> Iterator[Any]:
    """Give a client: the one that was given, or one that ends with the `with`."""
    distributed = require("distributed", extra="dask", caller="a cluster")
    if isinstance(address, distributed.Client):
        if address.asynchronous:
            raise ParameterError("the client of a cluster must not be asynchronous")
        yield address
        return
    local = _LOCAL.fullmatch(str(address))
    if not local and not _REMOTE.fullmatch(str(address)):
        raise ParameterError(
            f"a cluster is 'tcp://host:port' of its scheduler, 'local:4' for four processes of "
            f"this machine, or a distributed.Client, but this is {address!r}"
        )
    report("connecting to the cluster", 0, None)
    with _quiet():
        if local:
            with _local_cluster(distributed, int(local[1])) as started:
                yield from _connected(distributed, started, keep_copies=True)
        else:
            yield from _connected(distributed, address)


def _connected(distributed: Any, address: Any, *, keep_copies: bool = False) -> Iterator[Any]:
    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({_reason(error)}). Is it running "
            "(`dask scheduler`), and do host and port let this machine in?"
        ) from None
    # What Dask's own tasks raise when the cluster is closed in the middle of them is no news.
    client.loop.asyncio_loop.set_exception_handler(lambda loop, context: None)
    try:
        if keep_copies:
            # Every two seconds Dask would drop all copies but one of what no task is using, and
            # the next map would send shared data again.
            client.amm.stop()
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_CLOSE)


@contextmanager
def _local_cluster(distributed: Any, n_workers: int) -> Iterator[Any]:
    """Give processes of this machine, on the loopback interface, without a dashboard."""
    if n_workers < 1:
        raise ParameterError("a local cluster needs at least one worker, as in 'local:1'")
    # A process that is paused, because its memory is nearly full, would stop the work for ever.
    memory = {f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause")}
    try:
        started = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            preload=[remote.__name__],
            config=memory,
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        raise ClusterError(
            f"{n_workers} worker processes could not be started ({_reason(error)}). Is there "
            'memory for them? In a script, the call belongs under `if __name__ == "__main__":`.'
        ) from None
    try:
        yield started
    finally:
        with suppress(Exception):
            started.close(timeout=_CLOSE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Dask not log what we raise."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _check_workers(connected: Cluster) -> None:
    """Wait for a first worker, and raise where one has other versions than this process."""
    client = connected.client
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER)
    except TimeoutError:
        raise ClusterError(
            f"the cluster at {connected.address} has no workers, and none came in "
            f"{_FIRST_WORKER:.0f} seconds. Start some: dask worker {connected.address}"
        ) from None
    connected.check_versions()


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).rstrip(".")

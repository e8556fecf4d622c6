"""Objects that many tasks use, sent to each worker once."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

from ranksieve.errors import ClusterError
from ranksieve.passes.cluster.connection import Connection

# Times that an object is sent again where the workers that had it went away.
_MOST_SENT = 4


class SharedObjects:
    """What was sent to the workers, for as long as the client has it itself."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._sent: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def future_of(self, content: Any) -> Any:
        """Return Dask's future of an object, which all workers have; sent where they do not."""
        with self._lock:
            future = self._get(content)
            if future is None or future.status not in ("pending", "finished"):
                future = self._send(content)
                self._put(content, future)
            return future

    def send_to(self, content: Any, workers: list[str]) -> None:
        """Let workers that came later have an object; nobody waits for that."""
        future = self._get(content)
        if future is not None:
            client = self._connection.client

            async def replicated() -> None:
                await client.replicate([future], workers=workers)

            self._connection.begin(replicated())

    def _get(self, content: Any) -> Any:
        try:
            return self._sent.get(content)
        except TypeError:  # it has no hash or no weak references: it is sent each time
            return None

    def _put(self, content: Any, future: Any) -> None:
        try:
            self._sent[content] = future
        except TypeError:
            return

    def _send(self, content: Any) -> Any:
        client, failure = self._connection.client, None

        async def scattered() -> Any:
            # In a list, since Dask would take a list or a dict apart.
            (future,) = await client.scatter([content], broadcast=True, hash=False)
            return future

        for _ in range(_MOST_SENT):
            try:
                return self._connection.wait(scattered(), self._connection.check_any_worker)
            except ClusterError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever Dask raises when a worker ends
                failure = error
        raise ClusterError(
            f"an object of type {type(content).__name__} could not be sent to the workers "
            f"({type(failure).__name__}: {failure}). Do workers have memory for it, and do they "
            "stay? Give them more memory, or start fewer on a machine."
        ) from failure

"""A client of a scheduler, and waits that end when a worker or the scheduler is lost.

Work itself may take any time. What has a limit is silence: every half second the scheduler is
asked who its workers are, and it must answer.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent import futures
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

from ranksieve.errors import ClusterError

Result = TypeVar("Result")

# Seconds between two looks at the cluster, and until a scheduler must have answered one.
LOOK, ANSWER = 0.5, 20.0
# Seconds for which a cluster may have no worker that takes tasks: one may be starting.
NO_WORKER = 60.0
# Seconds to tell a cluster that something is not needed any more.
_FAREWELL = 2.0


@dataclass(frozen=True)
class Members:
    """The workers of a cluster: threads by address, and who takes tasks at present.

    A worker whose memory is nearly full is paused, and takes none.
    """

    n_threads: dict[str, int]
    running: frozenset[str]


# Looks at the workers while something is waited for, and raises where it will not come.
Check = Callable[[Members], None]


class Connection:
    """A client that is not asynchronous, used from any thread of this process."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._loop: asyncio.AbstractEventLoop = client.loop.asyncio_loop
        self._last_worker = time.monotonic()

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return str(self.client.scheduler.address)

    def wait(self, work: Coroutine[Any, Any, Result], check: Check | None = None) -> Result:
        """Return what a coroutine of the client's loop returns, or raise what it raises.

        ClusterError where the scheduler is gone; `check` raises for what it knows to be lost.
        """
        return self._waited(self._started(work), check)

    def wait_for_call(self, function: Callable[[], Result], check: Check | None = None) -> Result:
        """Return what a function returns that uses the client, and waits for it without a limit.

        It runs in a thread of its own, which is left behind where what it waits for is lost.
        """
        pending: futures.Future[Result] = futures.Future()
        context = copy_context()

        def work() -> None:
            try:
                pending.set_result(context.run(function))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is taken
                with suppress(futures.InvalidStateError):
                    pending.set_exception(error)

        threading.Thread(target=work, daemon=True, name="ranksieve-cluster").start()
        return self._waited(pending, check)

    def _waited(self, pending: futures.Future[Result], check: Check | None) -> Result:
        try:
            while not futures.wait([pending], timeout=LOOK).done:
                members = self._members(beside=pending)
                if members is not None and check is not None and not pending.done():
                    check(members)
            return pending.result()
        except (OSError, futures.CancelledError):
            self.members()  # which raises where the scheduler is gone
            raise
        finally:
            pending.cancel()

    def members(self) -> Members:
        """Return the workers that the scheduler has now."""
        members = self._members()
        if members is None:
            raise self._gone()
        return members

    def check_any_worker(self, members: Members) -> None:
        """Raise where no worker takes tasks, and none has for a minute."""
        if members.running:
            self._last_worker = time.monotonic()
        elif time.monotonic() - self._last_worker > NO_WORKER:
            paused = ", ".join(sorted(members.n_threads))
            reason = (
                f"its memory is nearly full on {paused}: give workers more memory, or more workers"
                if paused
                else "it has none: start workers (`dask worker ADDRESS`) and run it again"
            )
            raise ClusterError(
                f"the cluster at {self.address} has had no worker for {NO_WORKER:.0f} seconds that "
                f"takes tasks; {reason}."
            )

    def tell(self, message: Coroutine[Any, Any, Any], seconds: float = _FAREWELL) -> None:
        """Send something whose answer does not matter; not for longer than some seconds."""
        pending = self._started(message)
        with suppress(Exception, futures.CancelledError):
            pending.result(timeout=seconds)
        pending.cancel()

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start something that nobody waits for."""
        self._started(work).add_done_callback(lambda pending: pending.cancelled())

    def _started(self, work: Coroutine[Any, Any, Result]) -> futures.Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _members(self, beside: futures.Future[Any] | None = None) -> Members | None:
        """Ask for the workers; None where what is waited for beside it came first."""
        if self.client.status != "running":
            raise self._gone()
        answer = self._started(self._asked())
        both = [answer] if beside is None else [answer, beside]
        futures.wait(both, timeout=ANSWER, return_when=futures.FIRST_COMPLETED)
        if answer.done() and answer.exception() is None:
            return answer.result()
        came_first = beside is not None and beside.done()
        answer.cancel()
        if came_first:
            return None
        raise self._gone()

    async def _asked(self) -> Members:
        scheduler = self.client.scheduler
        n_threads, running = await asyncio.gather(scheduler.ncores(), scheduler.ncores_running())
        return Members(dict(n_threads), frozenset(running))

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"the scheduler at {self.address} is gone, or has not answered for {ANSWER:.0f} "
            "seconds. Check that it runs and can be reached, and run the command again: what was "
            "written to a store is not lost."
        )


def lost_worker(address: str, label: str) -> ClusterError:
    """Return the error for a worker that went away with what it had."""
    return ClusterError(
        f"the worker {address} was lost{f' during {label}' if label else ''}. Was it stopped, or "
        "did it use up its memory? What it held in memory is gone with it: run the command again, "
        "with more workers or more memory for each where memory is short."
    )

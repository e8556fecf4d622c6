"""Fixtures that all tests share."""

from __future__ import annotations

import atexit
import gc
import hashlib
import os
import signal
import tempfile
from importlib import import_module
from pathlib import Path

import pytest

# Modules and tests are no garbage, and to look for it among them is a tenth of the time of a part:
# not while they are collected, nor at the end.
gc.disable()
atexit.register(gc.freeze)

ROOT = Path(__file__).parents[1]


def _kernel_digest() -> str:
    sources = sorted((ROOT / "src" / "ranksieve" / "kernels").rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


# numba looks at a kernel's own file when it decides whether what it has on disk is still good,
# not at the files of the kernels that it calls: a folder for each state of the sources.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache" / _kernel_digest()))

# Queries that a test opens to certify are noted for the tests alone.
os.environ["RANKSIEVE_STATE"] = tempfile.mkdtemp(prefix="ranksieve-state-")

# A worker of Dask that waits takes 3 per cent of a core for a clock of 50 ticks per second and for
# samples of its stack, and the session's cluster waits until a part of the tests ends.
os.environ.setdefault("DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL", "500ms")
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "False")

# A shell lets what it starts in the background ignore Ctrl-C, and children inherit that: those of
# tests that send it must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

_PLACES = (
    os.environ.get("RANKSIEVE_DATA", ""),
    str(ROOT.parent / "shared" / "data"),
)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage seldom, and not among modules and tests."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with OHSUMED/, MQ2008/, MSLR-sample/ and LightGBM-lambdarank/."""
    for folder in _PLACES:
        if folder and Path(folder).is_dir():
            return Path(folder)
    pytest.skip(
        "real ranking data is absent: set RANKSIEVE_DATA to the folder with OHSUMED/ and MQ2008/"
    )


@pytest.fixture
def always_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand even the smallest pass to threads, which small data would not be worth."""
    monkeypatch.setattr(import_module("ranksieve.passes.blocks"), "WORTH_THREADS", -1.0)


@pytest.fixture(scope="session")
def local_cluster():
    """A client of two worker processes, for tests that do no harm to them."""
    from tests.passes.dask_processes import local_client

    with local_client() as client:
        yield client


@pytest.fixture
def time_limit():
    """Fail a test that would hang, after two minutes."""

    def fail(number: int, frame: object) -> None:
        raise TimeoutError("this test has not ended after 120 seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)

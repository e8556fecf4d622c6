"""What a worker must have in common with its client: ranksieve, Python and numpy."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module

from ranksieve.errors import ClusterError

# By name; Python without its last number, which changes no result and no pickle.
Versions = dict[str, str]


def versions() -> Versions:
    """Return the versions of this process.

    Examples
    --------
    >>> sorted(versions())
    ['Python', 'numpy', 'ranksieve']
    """
    return {
        "ranksieve": import_module("ranksieve").__version__,
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": import_module("numpy").__version__,
    }


def check_versions(client: Mapping[str, str], worker: Mapping[str, str], address: str) -> None:
    """Raise where a worker has other versions than its client.

    Examples
    --------
    >>> here = {"ranksieve": "0.2.0", "Python": "3.11", "numpy": "2.4.6"}
    >>> check_versions(here, here, "tcp://10.0.0.7:40001")
    >>> check_versions(here, here | {"numpy": "1.26.4"}, "tcp://10.0.0.7:40001")
    Traceback (most recent call last):
    ...
    ranksieve.errors.ClusterError: the worker tcp://10.0.0.7:40001 has numpy 1.26.4, but the client
    has numpy 2.4.6, so that results could differ. Install the same versions on both, and start the
    worker again.
    """
    different = [name for name in client if worker.get(name) != client[name]]
    if not different:
        return
    theirs = ", ".join(f"{name} {worker.get(name, 'of no version')}" for name in different)
    ours = ", ".join(f"{name} {client[name]}" for name in different)
    raise ClusterError(
        f"the worker {address} has {theirs}, but the client has {ours}, so that results could "
        "differ. Install the same versions on both, and start the worker again."
    )

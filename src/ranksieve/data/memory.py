"""How much memory the features of data may take: a limit that was set, or half of what is free."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ranksieve.errors import ParameterError

_limit: ContextVar[int | None] = ContextVar("ranksieve_memory", default=None)

_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
_UNITS |= {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")
# Of what is free, where no limit is set.
_SHARE = 0.5
# Where the system does not say what is free.
_UNKNOWN = 4 << 30


@contextmanager
def memory(limit: int | str | None) -> Iterator[None]:
    """Let features take at most `limit` inside the `with`: bytes, or a text such as "2GiB".

    Larger data stays on disk. None changes nothing.

    Examples
    --------
    >>> with memory("2GiB"):
    ...     memory_limit()
    2147483648
    """
    if limit is None:
        yield
        return
    token = _limit.set(n_bytes(limit))
    try:
        yield
    finally:
        _limit.reset(token)


def memory_limit(usual: int | None = None) -> int:
    """Return the limit in bytes: `memory(...)`, RANKSIEVE_MEMORY, or half of what is free.

    `usual` is the limit with which data was loaded: it comes after that of `memory(...)`.
    """
    limit = _limit.get()
    if limit is None:
        limit = usual
    if limit is not None:
        return limit
    text = os.environ.get("RANKSIEVE_MEMORY", "")
    if text:
        return n_bytes(text, name="RANKSIEVE_MEMORY")
    return int(_SHARE * _free())


def n_bytes(size: int | str, *, name: str = "memory") -> int:
    """Return a size in bytes.

    Examples
    --------
    >>> n_bytes("2GiB"), n_bytes("1.5 MB"), n_bytes(4096)
    (2147483648, 1500000, 4096)
    """
    match = _SIZE.fullmatch(str(size).strip())
    unit = None if match is None else _UNITS.get(match[2].upper())
    if match is None or unit is None or float(match[1]) * unit < 1:
        raise ParameterError(
            f"{name} must be a size above 0, such as 2GiB, 500MB or a number of bytes, but is "
            f"{size!r}"
        )
    return int(float(match[1]) * unit)


def size_text(size: float) -> str:
    """Return a size for people.

    Examples
    --------
    >>> size_text(5_440_000_000), size_text(300_000_000), size_text(2_000)
    ('5.1 GiB', '286 MiB', '2 KiB')
    """
    if size >= 1 << 30:
        return f"{size / (1 << 30):,.1f} GiB"
    if size >= 1 << 20:
        return f"{size / (1 << 20):,.0f} MiB"
    return f"{max(size / (1 << 10), 1):,.0f} KiB"


def _free() -> int:
    """Return the bytes that are free, or can be made free at once."""
    limits = [_available()]
    # A container may have less than the machine.
    group = Path("/sys/fs/cgroup")
    for limit, usage in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            limits.append(int((group / limit).read_text()) - int((group / usage).read_text()))
        except (OSError, ValueError):
            continue
    return max(min(limits), 1 << 20)


def _available() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return _UNKNOWN

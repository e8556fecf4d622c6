"""Numbers and names as a report shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "feature"), counted(1200, "query", "queries")
    ('1 feature', '1,200 queries')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def percent(part: float, total: float) -> str:
    """Return a share in per cent, never rounded to nothing or to all.

    Examples
    --------
    >>> percent(1, 3), percent(1, 100_000), percent(99_999, 100_000), percent(0, 0)
    ('33 %', '<0.1 %', '>99.9 %', '-')
    """
    if not total:
        return "-"
    share = 100.0 * part / total
    if 0 < share < 0.1:
        return "<0.1 %"
    if 99.9 < share < 100:
        return ">99.9 %"
    return f"{share:.0f} %" if share in (0.0, 100.0) or 10 <= share < 99.5 else f"{share:.1f} %"


def plain(value: float) -> str:
    """Return a value of the data with as many digits as tell it: 3, 0.25, 1.2e+06.

    Examples
    --------
    >>> plain(3.0), plain(0.1234567), plain(float("nan"))
    ('3', '0.1235', '-')
    """
    return f"{value:.4g}" if math.isfinite(value) else "-"


def shortened(name: str, width: int, *, gap: str = "…") -> str:
    r"""Return a name of at most `width` characters, cut in the middle, and safe to print.

    Names of a family often share their beginning or their end, so both are kept.

    Examples
    --------
    >>> shortened("body_stream_length_normalised", 16)
    'body_str…malised'
    >>> shortened("two\nlines", 16)
    'two?lines'
    """
    safe = "".join(letter if letter.isprintable() else "?" for letter in name)
    if len(safe) <= width:
        return safe
    n_letters = width - len(gap)
    return safe[: (n_letters + 1) // 2] + gap + safe[len(safe) - n_letters // 2 :]


def ranged(names: Sequence[str]) -> list[str]:
    """Return names with three or more whole numbers in a row as one: 6-10.

    Examples
    --------
    >>> ranged(["6", "7", "8", "43", "44", "title"])
    ['6-8', '43', '44', 'title']
    """
    groups: list[list[str]] = []
    for name in names:
        last = groups[-1][-1] if groups else ""
        follows = name.isdecimal() and last.isdecimal() and int(name) == int(last) + 1
        groups = [*groups[:-1], [*groups[-1], name]] if follows else [*groups, [name]]
    return [
        text
        for group in groups
        for text in (group if len(group) < 3 else [f"{group[0]}-{group[-1]}"])
    ]


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names with commas, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], 2), listed(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    head = ", ".join(names[:most])
    return f"{head} and {len(names) - most:,} more" if len(names) > most else head

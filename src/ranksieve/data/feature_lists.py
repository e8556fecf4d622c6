"""Which features to keep: names, numbers, ranges and patterns; and names in a file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ranksieve.catalog import suggestion
from ranksieve.errors import DataError

# Names, numbers, ranges and patterns: a text with commas, or a list.
FeatureList = str | int | Sequence[str | int]
# A file with one name per line, or the names.
NamesSource = str | os.PathLike[str] | Sequence[str]


class ExactNames(tuple[str, ...]):
    """Names of features and nothing else: none of them is a number, a range or a pattern.

    What a model or an earlier selection used must not match anything else by accident.
    """


_RANGE = re.compile(r"(\d+)-(\d+)", re.ASCII)
_PATTERN_SIGNS = frozenset("*?[")


def selected_features(
    names: Sequence[str],
    source: str,
    *,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
) -> list[str]:
    """Return the features to read: those of a list, or all, without the excluded ones.

    An item of either list is a name, a number, a range of numbers `6-10`, or a pattern
    `url_*`. A name that is spelled like a number or a pattern comes first. Where all names are
    whole numbers, as in LETOR text, numbers are names; elsewhere they count features from 1.

    A list of `features` is in the order in which it is to be read; a text with commas, and
    `ExactNames`, are sets, read in the order of the data.

    Parameters
    ----------
    names : all features, in the order of the data
    source : str, what errors call the data
    features, exclude : lists, or texts with commas

    Examples
    --------
    >>> names = ["bm25", "url_depth", "url_length", "clicks"]
    >>> selected_features(names, "train.csv", exclude="url_*")
    ['bm25', 'clicks']
    >>> selected_features(names, "train.csv", features="4,1-2")
    ['bm25', 'url_depth', 'clicks']
    >>> selected_features(names, "train.csv", features=[4])
    ['clicks']
    """
    selected = list(names)
    if features is not None:
        matches = matching(features, names, source)
        if isinstance(features, str | ExactNames):
            members = set(matches)
            matches = [name for name in names if name in members]
        selected = matches
    if exclude is None:
        return selected
    left_out = set(matching(exclude, names, source))
    remaining = [name for name in selected if name not in left_out]
    if not remaining:
        raise DataError(
            f"no feature of {source} is left: all {len(selected)} are excluded. "
            "Exclude fewer of them."
        )
    return remaining


def matching(features: FeatureList, names: Sequence[str], source: str) -> list[str]:
    """Return the names that the items of a list stand for, each once, in the list's order."""
    items = list_items(features)
    if not items:
        raise DataError("a list of features is empty: give names, numbers, 6-10 or url_*")
    if len(set(items)) < len(items):
        again = next(item for index, item in enumerate(items) if item in items[:index])
        raise DataError(f"the list of features has {again!r} twice. Leave one of them.")
    all_names = set(names)
    if isinstance(features, ExactNames):
        _check_all_there(items, all_names, names, source)
        return items
    numbers = _numbers(names)
    chosen = (name for item in items for name in _expanded(item, names, all_names, numbers, source))
    return list(dict.fromkeys(chosen))


def list_items(features: FeatureList) -> list[str]:
    """Return the items of a list of features: a text is cut at its commas.

    Examples
    --------
    >>> list_items("3, 7,url_*"), list_items([3, "a,b"])
    (['3', '7', 'url_*'], ['3', 'a,b'])
    """
    if isinstance(features, str):
        return [item.strip() for item in features.split(",") if item.strip()]
    return [str(features)] if isinstance(features, int) else [str(item) for item in features]


def read_names(names: NamesSource) -> list[str]:
    """Return the names of features, from a file with one name per line, or as they are.

    Examples
    --------
    >>> read_names(["bm25", "clicks"])
    ['bm25', 'clicks']
    """
    if not isinstance(names, str | os.PathLike):
        return [str(name) for name in names]
    path = Path(names).expanduser()
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise DataError(f"cannot read the names in {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise DataError(
            f"{path} is no text in UTF-8. It needs one feature name per line."
        ) from None
    while lines and not lines[-1].strip():
        lines.pop()
    entries = [line.strip() for line in lines]
    if not entries:
        raise DataError(f"{path} has no names. It needs one feature name per line, in their order.")
    for number, name in enumerate(entries, start=1):
        if not name or name in entries[: number - 1]:
            problem = f"{name!r} appears a second time" if name else "there is no name"
            raise DataError(
                f"{path}, line {number}: {problem}. Give each feature a name of its own."
            )
    return entries


def _numbers(names: Sequence[str]) -> dict[int, str]:
    """Return which feature each number means: the one of that name, or of that position."""
    if all(name.isascii() and name.isdecimal() for name in names):
        return {int(name): name for name in names}
    return dict(enumerate(names, start=1))


def _expanded(
    item: str, names: Sequence[str], all_names: set[str], numbers: dict[int, str], source: str
) -> list[str]:
    if item in all_names:
        return [item]
    bounds = _RANGE.fullmatch(item)
    if bounds is not None:
        first, last = int(bounds[1]), int(bounds[2])
        chosen = [name for number, name in sorted(numbers.items()) if first <= number <= last]
    elif item.isascii() and item.isdecimal():
        chosen = [numbers[int(item)]] if int(item) in numbers else []
    elif _PATTERN_SIGNS & set(item):
        chosen = [name for name in names if fnmatchcase(name, item)]
    else:
        chosen = []
    if not chosen:
        raise _no_feature(item, names, numbers, source)
    return chosen


def _check_all_there(
    items: list[str], all_names: set[str], names: Sequence[str], source: str
) -> None:
    absent = [item for item in items if item not in all_names]
    if absent:
        hint = suggestion(absent[0], names)
        raise DataError(f"{source} has no feature {absent[0]!r}{hint} It has: {listed(names)}.")


def _no_feature(item: str, names: Sequence[str], numbers: dict[int, str], source: str) -> DataError:
    if _PATTERN_SIGNS & set(item):
        hint = ": no name is like that."
    elif item[:1].isdecimal():
        hint = f": they are numbered {min(numbers)} to {max(numbers)}."
    else:
        hint = suggestion(item, names)
    return DataError(f"{source} has no feature {item!r}{hint} It has: {listed(names)}.")


def listed(names: Sequence[str], limit: int = 10) -> str:
    """Return names in quotes, with commas; the first ones where there are many.

    Examples
    --------
    >>> listed(["a", "b", "c"], 2)
    "'a', 'b' and 1 more"
    """
    text = ", ".join(repr(name) for name in names[:limit])
    n_more = len(names) - limit
    return f"{text} and {n_more} more" if n_more > 0 else text

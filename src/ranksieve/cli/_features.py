"""Data with some of its features: those that `select` wrote, that were named, or of a model."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ranksieve.cli._data import read
from ranksieve.data.paths import exists, is_file
from ranksieve.errors import DataError

if TYPE_CHECKING:
    from ranksieve.data import RankingData


def chosen_features(text: str | None) -> list[str] | None:
    """Return the names in a file of `ranksieve select`, or those given with commas.

    Examples
    --------
    >>> chosen_features("3, 7,12")
    ['3', '7', '12']
    """
    if text is None:
        return None
    if text.endswith(".json") or is_file(text):
        return _selected(Path(text))
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise DataError("--features is empty: give a file of `ranksieve select`, or names")
    return names


def _selected(path: Path) -> list[str]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(f"cannot read the features in {path}: {error.strerror or error}.") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != "ranksieve-features":
        raise DataError(
            f"{path} is no list of features. Give a file that `ranksieve select --out` wrote, or "
            "names with commas."
        )
    names = content.get("selected")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{path} is damaged: it has no list of selected features.")
    if not names:
        raise DataError(f"{path} has no selected feature: `ranksieve select` kept none.")
    return names


def read_features(source: str, names: list[str] | None, **reading: Any) -> RankingData:
    """Load DATA with these features alone, or all of them."""
    if names is None:
        return read(source, **reading)
    if _is_parquet(source):
        return read(source, **{**reading, "features": _in_order_of_columns(source, names)})
    data = read(source, **reading)
    return data.features(_in_order(names, data.feature_names))


def read_features_of_model(source: str, ranker: Any, **reading: Any) -> RankingData:
    """Load DATA with the features that a model was trained on.

    In text a feature beyond the last one of the file is 0 throughout, as any that a line
    leaves out.
    """
    names = ranker.feature_names_
    if names is None:
        return read(source, **reading)
    if _is_parquet(source):
        return read(source, **{**reading, "features": list(names)})
    data = read(source, **reading)
    last = max((int(name) for name in names if name.isdecimal()), default=0)
    if last > data.n_features and reading.get("n_features") is None:
        beyond = sum(int(name) > data.n_features for name in names if name.isdecimal())
        warnings.warn(
            f"{beyond} of the model's {len(names)} features are beyond the last one of {source}, "
            f"{data.n_features}, and taken as 0. Is it the right data?",
            UserWarning,
            stacklevel=2,
        )
        data = read(source, **{**reading, "n_features": last})
    return data.features(list(names))


def _in_order(names: list[str], of: Sequence[str]) -> list[str]:
    """Return names in the order in which data has them, as a selector's `transform` does."""
    places = {name: place for place, name in enumerate(of)}
    return sorted(names, key=lambda name: places.get(name, len(places)))


def _in_order_of_columns(source: str, names: list[str]) -> list[str]:
    from ranksieve.data.parquet import column_names

    return _in_order(names, column_names(source) if exists(source) else ())


def _is_parquet(source: str) -> bool:
    from ranksieve.data.parquet_files import SUFFIXES

    return Path(source).is_dir() or Path(source).suffix.lower() in SUFFIXES

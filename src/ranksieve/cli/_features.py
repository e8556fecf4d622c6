"""Lists of features on the command line, and data with the features of a model."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ranksieve.cli._data import load_options, read
from ranksieve.data.paths import is_file
from ranksieve.errors import DataError

if TYPE_CHECKING:
    from ranksieve.data import RankingData
    from ranksieve.data.feature_lists import FeatureList
    from ranksieve.selectors.base import Selector


def listed_features(text: str, option: str = "--features") -> FeatureList:
    """Return the names in a file of `ranksieve select`, or the list itself.

    Examples
    --------
    >>> listed_features("3, 7,url_*")
    '3, 7,url_*'
    """
    from ranksieve.data.feature_lists import ExactNames, list_items

    if text.endswith(".json") or is_file(text):
        return ExactNames(_selected(Path(text)))
    if not list_items(text):
        raise DataError(f"{option} is empty: give a file of `ranksieve select`, or names")
    return text


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


def features_content(selector: Selector, data: RankingData, source: str) -> dict[str, Any]:
    """Return what a file of features says of a selection: which are selected, and all in order."""
    from ranksieve import __version__

    order = [int(feature) for feature in selector.order_]
    return {
        "format": "ranksieve-features",
        "format_version": 1,
        "ranksieve": __version__,
        "method": repr(selector),
        "data": {
            "source": Path(source).name,
            "fingerprint": data.fingerprint,
            "documents": data.n_documents,
            "queries": data.n_queries,
            "features": data.n_features,
        },
        "selected": [data.feature_names[feature] for feature in order[: selector.n_features_]],
        "order": [
            {
                "feature": data.feature_names[feature],
                "index": feature,
                "score": float(selector.scores_[feature]),
                **_weight(selector, feature),
            }
            for feature in order
        ],
    }


def _weight(selector: Selector, feature: int) -> dict[str, float]:
    weights = getattr(selector, "coef_", None)
    return {} if weights is None else {"weight": float(weights[feature])}


def read_features_of_model(source: str, ranker: Any, **reading: Any) -> RankingData:
    """Load DATA with the features that a model was trained on.

    In text a feature beyond the last one of the file is 0 throughout, as any that a line
    leaves out.
    """
    from ranksieve.data.feature_lists import ExactNames
    from ranksieve.data.loading import file_format

    names = ranker.feature_names_
    if names is None:
        return read(source, **reading)
    options = load_options(reading)
    chooses = "features" in options or "exclude" in options
    if file_format(Path(source), options) != "text" and not chooses:
        return read(source, **{**reading, "features": ExactNames(names)})
    data = read(source, **reading)
    if not chooses and not {"names", "n_features"} & set(options):
        data = _with_last_features(data, source, names, reading)
    return data.features(list(names))


def _with_last_features(
    data: RankingData, source: str, names: tuple[str, ...], reading: dict[str, Any]
) -> RankingData:
    """Return text with the features of a model that come after its last one, as 0."""
    first = 0 if reading.get("zero_based") else 1
    last = first + data.n_features - 1
    beyond = [int(name) for name in names if name.isdecimal() and int(name) > last]
    if not beyond:
        return data
    warnings.warn(
        f"{len(beyond)} of the model's {len(names)} features are beyond the last one of {source}, "
        f"{last}, and taken as 0. Is it the right data?",
        UserWarning,
        stacklevel=3,
    )
    return read(source, **{**reading, "n_features": max(beyond) + 1 - first})

"""What is exported: the model and the features of a sieve's folder, of a list, or of a model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranksieve.data.model_marks import is_model_file
from ranksieve.data.paths import is_file
from ranksieve.errors import DataError

_FEATURES = "features.json"
_MODELS = ("model.json", "model.txt")


@dataclass(frozen=True)
class Source:
    """What OUT holds.

    Attributes
    ----------
    files : the files that were read, which no result may replace
    model : the fitted ranker, or None of a list without a model beside it
    selected : names of the features that were chosen
    dropped : names of those that were not, where a list says which
    """

    files: tuple[Path, ...]
    model: Any
    selected: tuple[str, ...]
    dropped: tuple[str, ...] = ()


def read_source(path: str) -> Source:
    """Return what a folder of `sieve`, a list of features, or a model of `train` holds."""
    file = Path(path).expanduser()
    if file.is_dir():
        if not is_file(file / _FEATURES):
            raise DataError(
                f"{path} has no {_FEATURES}. Give the folder that `ranksieve sieve -o` wrote, a "
                "list of features, or a model of `ranksieve train`."
            )
        return _of_list(file / _FEATURES, needs_model=True)
    if is_model_file(file):
        return _of_model(file)
    return _of_list(file, needs_model=False)


def _of_model(file: Path) -> Source:
    from ranksieve.rankers import load_ranker

    model = load_ranker(file)
    return Source((file,), model, model.description().names)


def _of_list(file: Path, *, needs_model: bool) -> Source:
    selected, names = _listed(file)
    dropped = tuple(name for name in names if name not in set(selected))
    models = [model for model in _models_beside(file) if _features_of(model[1]) == set(selected)]
    if models:
        path, model = max(models, key=lambda each: each[0].stat().st_mtime)
        return Source((file, path), model, selected, dropped)
    if needs_model:
        raise DataError(
            f"{file.parent} has no model of the features in {file.name}: it would be "
            f"{' or '.join(_MODELS)}. Run `ranksieve sieve` again, or give a model of "
            "`ranksieve train --features`."
        )
    return Source((file,), None, selected, dropped)


def _listed(file: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the selected names, and all names, of a list of features."""
    from ranksieve.cli._features import listed_features

    # Its errors say what is wrong with a file that is no list.
    selected = tuple(str(name) for name in _as_list(listed_features(str(file))))
    content = json.loads(file.read_text("utf-8"))
    order = content.get("order") if isinstance(content.get("order"), list) else []
    names = tuple(str(each["feature"]) for each in order if isinstance(each, dict))
    return selected, names


def _as_list(features: Any) -> list[str]:
    if isinstance(features, str):
        raise DataError(
            f"{features} is no folder of `ranksieve sieve`, no list of features and no model of "
            "`ranksieve train`. Is the path right?"
        )
    return list(features)


def _models_beside(file: Path) -> list[tuple[Path, Any]]:
    from ranksieve.rankers import load_ranker

    paths = [file.with_name(name) for name in _MODELS]
    return [(path, load_ranker(path)) for path in paths if is_model_file(path)]


def _features_of(model: Any) -> set[str]:
    return set(model.feature_names_ or ())

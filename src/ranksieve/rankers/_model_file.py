"""Model files: what a ranker learnt, with feature names, scaling and version; no pickle.

A file is the model in a text or library format, and after it one JSON object about it: the
ranker's text form, the features' names, the scaling, versions, and a checksum of the model. The
object is the last member of a model in JSON, and the last line of any other, so that LightGBM,
XGBoost and CatBoost read their own models from the same file. Loading parses, and never runs
what it reads.
"""

from __future__ import annotations

import hashlib
import json
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ranksieve import catalog
from ranksieve.data.atomic import replacing
from ranksieve.data.model_marks import FORMAT, IN_JSON, ON_LINE
from ranksieve.errors import DataError, MissingDependencyError, ParameterError, RanksieveError
from ranksieve.rankers._fitted_values import fitted_values, set_fitted_values

if TYPE_CHECKING:
    from ranksieve.rankers.base import Ranker

FORMAT_VERSION = 1
_FAMILIES = ("rankers", "selectors")
# Rows on which a model that was written must score as the model in memory does.
_TRIAL_ROWS = 8
# Features that a file may say that it has: the trial makes a row of numbers for them.
_MOST_FEATURES = 1_000_000
# What numbers that make no sense lead to, huge ones included.
_FAULTS = (
    RanksieveError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def write_model(ranker: Ranker, path: str | os.PathLike[str]) -> None:
    """Write a fitted ranker to a file, whole or not at all."""
    content = _content(ranker)
    if not np.array_equal(_trial(ranker), _trial(_restored(content, str(path)))):
        raise ParameterError(
            f"{ranker!r} cannot be saved: what a file could keep of it does not give its scores"
        )
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def load_ranker(path: str | os.PathLike[str]) -> Any:
    """Return the fitted ranker that `Ranker.save` wrote to a file.

    A file that is damaged, or that ranksieve did not write, is a DataError; no code in it is run.

    Examples
    --------
    >>> import tempfile
    >>> from ranksieve import RankSVM, make_ranking
    >>> data, _ = make_ranking(20)
    >>> model = Path(tempfile.mkdtemp()) / "model.json"
    >>> RankSVM(C=0.01).fit(data).save(model)
    >>> load_ranker(model)
    RankSVM(C=0.01)
    """
    file = Path(path).expanduser()
    try:
        content = file.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read the model {file}: {error.strerror or error}.") from None
    return _restored(content, str(file))


def parse_ranker(text: str) -> Any:
    """Return the ranker that a text spells; sparse rankers, which select and rank, too.

    Examples
    --------
    >>> parse_ranker("ranksvm"), parse_ranker("SparseRankSVM(strength=0.1)")
    (RankSVM(), SparseRankSVM(strength=0.1))
    """
    name = text.split("(", 1)[0].strip()
    family = next((each for each in _FAMILIES if catalog.knows(each, name)), _FAMILIES[0])
    ranker = catalog.parse(text, family)
    if not hasattr(ranker, "save"):
        raise ParameterError(
            f"{type(ranker).__name__} selects features and does not rank documents. Take a ranker: "
            f"{', '.join(entry.class_name for entry in catalog.entries('rankers'))}."
        )
    return ranker


def _version() -> str:
    # Not by an import statement: this layer is below the package's own file.
    version: str = import_module("ranksieve").__version__
    return version


def json_payload(ranker: Any) -> bytes:
    """Return the model as JSON: its fitted numbers, texts and arrays, one a line."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}"
        for name, value in fitted_values(ranker).items()
    )
    return ('{"fitted": {\n' + ",\n".join(lines) + "}}").encode()


def set_from_json(ranker: Any, payload: bytes) -> None:
    """Set what `json_payload` wrote."""
    try:
        content = json.loads(payload, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise DataError("the model is no valid JSON") from None
    set_fitted_values(ranker, content.get("fitted") if isinstance(content, dict) else None)


def _no_constant(text: str) -> None:
    raise ValueError(text)


def _content(ranker: Ranker) -> bytes:
    text = repr(ranker)
    try:
        parse_ranker(text)
    except RanksieveError as error:
        raise ParameterError(f"{text} has no text form to be saved with: {error}") from None
    if ranker.n_features_in_ > _MOST_FEATURES:
        raise ParameterError(
            f"models of at most {_MOST_FEATURES} features can be saved, but this {text} is of "
            f"{ranker.n_features_in_}. Select features first."
        )
    payload = ranker._payload()
    names = ranker.feature_names_
    about = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "ranksieve": _version(),
        "ranker": text,
        "n_features": int(ranker.n_features_in_),
        "features": None if names is None else list(names),
        "scaling": ranker.scaling_,
    }
    about["sha256"] = _checksum(payload, about)
    line = json.dumps(about, ensure_ascii=False).encode()
    if payload.endswith(b"}"):
        return payload[:-1] + IN_JSON + line + b"}\n"
    return payload + ON_LINE + line + b"\n"


def _restored(content: bytes, source: str) -> Any:
    payload, about = _parts(content, source)
    try:
        ranker = parse_ranker(str(about["ranker"]))
        _set_features(ranker, about)
        ranker._set_payload(payload)
        scores = _trial(ranker)
    except MissingDependencyError:
        raise
    except _FAULTS as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise DataError(
            f"{source} is no model that this version of ranksieve ({_version()}) can use: "
            f"{reason}. Train it again."
        ) from None
    if scores.shape != (_TRIAL_ROWS,) or not np.isfinite(scores).all():
        raise DataError(f"{source} is damaged: its model gives no finite scores. Train it again.")
    return ranker


def _parts(content: bytes, source: str) -> tuple[bytes, dict[str, Any]]:
    """Return the model and what the file says about it, once the checksum is right."""
    in_json, on_line = content.rfind(IN_JSON), content.rfind(ON_LINE)
    try:
        if in_json > on_line:
            payload = content[:in_json] + b"}"
            about = json.loads(content[in_json + len(IN_JSON) :].rstrip()[:-1])
        else:
            payload = content[: max(on_line, 0)]
            about = json.loads(content[on_line + len(ON_LINE) :]) if on_line >= 0 else None
    except (ValueError, RecursionError):
        raise DataError(f"{source} is damaged: its end cannot be read. Train it again.") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataError(
            f"{source} is no model of ranksieve. Give a file that `ranksieve train` or "
            "`ranker.save(...)` wrote."
        )
    if about.get("format_version") != FORMAT_VERSION:
        raise DataError(
            f"{source} has version {about.get('format_version')!r} of the model format, but "
            f"ranksieve {_version()} reads version {FORMAT_VERSION}. Update ranksieve."
        )
    if _checksum(payload, about) != about.get("sha256"):
        raise DataError(
            f"{source} is damaged: its checksum is wrong. Take an undamaged copy, or train it "
            "again."
        )
    return payload, about


def _checksum(payload: bytes, about: dict[str, Any]) -> str:
    hashed = {name: value for name, value in about.items() if name != "sha256"}
    return hashlib.sha256(payload + json.dumps(hashed, sort_keys=True).encode()).hexdigest()


def _set_features(ranker: Any, about: dict[str, Any]) -> None:
    n_features, names = about["n_features"], about["features"]
    # True is of class int, too.
    if type(n_features) is not int or not 1 <= n_features <= _MOST_FEATURES:
        raise DataError(
            f"it says that it has {n_features!r} features, but must have from 1 to {_MOST_FEATURES}"
        )
    if names is not None:
        texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not texts or len(names) != n_features:
            raise DataError("the names of its features are not as many as its features")
    if about["scaling"] not in (None, "minmax", "zscore"):
        raise DataError(f"it has an unknown scaling, {about['scaling']!r}")
    ranker.restore_features(n_features, names)
    ranker.scaling_ = about["scaling"]


def _trial(ranker: Any) -> NDArray[np.float64]:
    rows = np.random.default_rng(0).normal(size=(_TRIAL_ROWS, ranker.n_features_in_))
    scores: NDArray[np.float64] = ranker._scores(np.asfortranarray(rows))
    return scores

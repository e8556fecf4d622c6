"""Studies in files: TOML of one's own, or those that come with the package."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from ranksieve.catalog import suggestion
from ranksieve.data.paths import is_file
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment.study import Study

_BUILT_IN = Path(__file__).parent / "studies"
_KEYS = (
    "title",
    "description",
    "data",
    "selectors",
    "rankers",
    "k",
    "measures",
    "variants",
    "seed",
    "tune",
)


def study_names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(path.stem for path in _BUILT_IN.glob("*.toml"))


def study_titles() -> dict[str, str]:
    """Return title to name of the studies that come with the package."""
    return {str(_content(name)["title"]): name for name in study_names()}


def read_study(spelled: str | os.PathLike[str], **changes: Any) -> Study:
    """Return the study in a TOML file, or one that comes with the package, by its name.

    Parameters
    ----------
    spelled : path of a file, or a name out of `study_names()`
    **changes : parameters of `Study` that replace those of the file
    """
    content = _content(spelled)
    unknown = [key for key in content if key not in _KEYS]
    if unknown:
        raise ParameterError(
            f"{spelled}: unknown key {unknown[0]!r}{suggestion(unknown[0], _KEYS)} "
            f"A study has: {', '.join(_KEYS)}."
        )
    content.pop("description", None)
    if "k" in content:
        content["numbers"] = content.pop("k")
    content = content | changes
    if not content.get("data"):
        raise ParameterError(f"{spelled} names no data: add data = [...], or give folders")
    return Study(**content)


def _content(spelled: str | os.PathLike[str]) -> dict[str, Any]:
    path = Path(spelled).expanduser()
    built_in = _BUILT_IN / f"{spelled}.toml"
    if not is_file(path):
        if str(spelled) not in study_names():
            near = suggestion(str(spelled), study_names())
            raise DataError(
                f"{spelled} is neither a file nor a study that comes with ranksieve{near} "
                f"Those are: {', '.join(study_names()) or 'none'}."
            )
        path = built_in
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}. Check that line.") from None

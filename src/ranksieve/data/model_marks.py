"""How to recognise a model file of ranksieve by its end, without reading the model."""

from __future__ import annotations

import os
from pathlib import Path

from ranksieve.data.paths import is_file

FORMAT = "ranksieve-model"
# The bytes before the description of a model, in JSON and in other formats.
IN_JSON, ON_LINE = b',\n"ranksieve": ', b"\nranksieve: "
# Bytes at the end of a file that hold the description.
_END = 1 << 20


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file ends as a model that ranksieve wrote does, without reading all of it."""
    if not is_file(path):  # a pipe can be read only once
        return False
    try:
        with Path(path).open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _END))
            end = file.read()
    except OSError:
        return False
    return FORMAT.encode() in end and (IN_JSON in end or ON_LINE in end)

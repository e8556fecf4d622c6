"""Questions about paths to which any text has an answer."""

from __future__ import annotations

import os


def exists(path: str | os.PathLike[str]) -> bool:
    r"""Tell whether there is a file or folder; `Path.exists` raises for text that is no path.

    Examples
    --------
    >>> exists("."), exists("1," * 500), exists("with a zero: \0")
    (True, False, False)
    """
    return os.path.exists(path)  # noqa: PTH110 - answers where pathlib raises


def is_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether there is a regular file; `Path.is_file` raises for text that is no path.

    Examples
    --------
    >>> is_file("."), is_file("1," * 500)
    (False, False)
    """
    return os.path.isfile(path)  # noqa: PTH113 - answers where pathlib raises

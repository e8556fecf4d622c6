"""Parquet files: one, or those of a folder, opened with errors that say what to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ranksieve.data.paths import exists
from ranksieve.data.text.complaints import delimited_kind
from ranksieve.errors import DataError
from ranksieve.packages import require

SUFFIXES = (".parquet", ".pq")
_LINE_BYTES = 4096


def parquet_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the Parquet files at `path`: itself, or those of the folder or pattern, by name.

    Hidden files and files that start with `_` are passed over in a folder.
    """
    source = Path(path).expanduser()
    if is_pattern(source):
        files = sorted(file for file in source.parent.glob(source.name) if file.is_file())
        if not files:
            raise DataError(f"no file is called {source}. Check the pattern.")
        return files
    if not exists(source):
        raise DataError(f"{source} does not exist. Check the path.")
    if not source.is_dir():
        return [source]
    files = [file for file in sorted(source.iterdir()) if _is_data(file)]
    if not files:
        raise DataError(
            f"folder {source} has no Parquet files (.parquet or .pq). "
            "Give the folder that holds them directly."
        )
    return files


def is_pattern(path: Path) -> bool:
    """Tell whether a path is a pattern for Parquet files, such as `folder/*.parquet`.

    Examples
    --------
    >>> is_pattern(Path("folder/*.parquet")), is_pattern(Path("folder/train.parquet"))
    (True, False)
    """
    patterned = any(character in path.name for character in "*?[")
    return patterned and path.suffix.lower() in SUFFIXES and not exists(path)


def opened(path: Path) -> Any:
    """Return the Parquet file at `path`, opened; a foreign or damaged one is a DataError."""
    pa = require("pyarrow", extra="tables", caller="reading Parquet")
    import pyarrow.parquet as pq

    try:
        # Buffered and without pre-buffering: otherwise pyarrow holds whole row groups.
        return pq.ParquetFile(
            path, buffer_size=1 << 16, pre_buffer=False, page_checksum_verification=True
        )
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} has a column whose name, {error.object!r}, is not UTF-8, as names in Parquet "
            "must be. Write the file again with another name."
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> DataError:
    """Return the error for a file that cannot be read as Parquet."""
    if (table := _table_kind(path)) is not None:
        return DataError(
            f"{path} is not Parquet: it looks like {table}. Give it the ending "
            f".{table.lower()}, and it is read as such."
        )
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return DataError(
        f"{path} cannot be read as Parquet: {reason.rstrip('.')}. It is damaged, cut short, or "
        "another format: write it again, or give text a name without .parquet."
    )


def _table_kind(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return delimited_kind(file.readline(_LINE_BYTES).rstrip(b"\r\n"))
    except OSError:
        return None


def _is_data(file: Path) -> bool:
    hidden = file.name.startswith((".", "_"))
    return file.suffix.lower() in SUFFIXES and not hidden and file.is_file()

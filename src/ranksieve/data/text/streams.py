"""Files of text as streams of bytes: plain, gzip, xz and Zstandard, by their suffix."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from ranksieve.data.file_suggestions import suggest_file
from ranksieve.errors import DataError, MissingDependencyError
from ranksieve.packages import require
from ranksieve.progress import report

SUFFIXES = (".gz", ".xz", ".zst")


class TextStream:
    """A file opened for reading, decompressed on the way; errors become `DataError`.

    Progress is reported in bytes of the file itself, the compressed ones.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.name = str(path)
        self._raw = open_file(self.path)
        self._total = os.fstat(self._raw.fileno()).st_size
        try:
            self._text = _decompressed(self._raw, self.path.suffix.lower())
        except MissingDependencyError:
            self._raw.close()
            raise

    def __enter__(self) -> TextStream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._text.close()
        self._raw.close()

    def fill(self, buffer: memoryview) -> int:
        """Read until the buffer is full or the text ends; return the number of bytes."""
        filled = 0
        try:
            while filled < len(buffer):
                count = self._text.readinto(buffer[filled:])
                if not count:
                    break
                filled += count
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise self._broken(error) from error
        report(f"reading {self.path.name}", self._done(), self._total)
        return filled

    def _done(self) -> int:
        return self._raw.tell() if self._raw.seekable() else 0

    def _broken(self, error: Exception) -> DataError:
        if self.path.suffix.lower() not in SUFFIXES:
            return DataError(f"{self.name} cannot be read: {error}")
        return DataError(
            f"{self.name} is not whole {self.path.suffix[1:]} data, after {self._done():,} of "
            f"{self._total:,} bytes: {error}. Copy or download it again, or correct the suffix."
        )


def open_file(path: Path) -> io.BufferedReader:
    """Open a file for reading bytes, or say why not and what may be meant."""
    try:
        return path.open("rb")
    except IsADirectoryError:
        raise DataError(f"{path} is a folder. Name a file in it{_names(path)}.") from None
    except FileNotFoundError:
        raise DataError(f"there is no file {path}{_suggestion(path)}") from None
    except PermissionError:
        raise DataError(f"{path} may not be read: no permission. Check its mode.") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be opened: {error}") from None


def _decompressed(raw: io.BufferedReader, suffix: str) -> Any:
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=raw)
    if suffix == ".xz":
        return lzma.LZMAFile(raw)
    if suffix == ".zst":
        pyarrow = require("pyarrow", extra="tables", caller="reading .zst")
        return pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, mode="r"), "zstd")
    return raw


def _suggestion(path: Path) -> str:
    try:
        siblings = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        return f": there is no folder {path.parent}"
    return suggest_file(path.name, siblings)


def _names(folder: Path) -> str:
    names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    return f" ({', '.join(names[:5])}{', ...' if len(names) > 5 else ''})" if names else ""

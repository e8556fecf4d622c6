"""Files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ranksieve.data.paths import exists, is_file
from ranksieve.errors import DataError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`, and rename it to `path` at the end.

    The name of the temporary file ends as `path` does, so a writer that chooses its
    compression by suffix works on it. It reaches the disk before it is renamed, and it is
    removed after any exception. A process that is killed leaves the old file, or the new
    one, and at worst the temporary file.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "scores.txt"
    >>> with replacing(target) as temporary:
    ...     _ = temporary.write_text("0.5")
    >>> target.read_text()
    '0.5'
    """
    target = Path(path).expanduser().resolve()
    temporary = target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    _refuse_special(target)
    try:
        try:
            _create(temporary, target)
            yield temporary
            _flush(temporary)
            temporary.replace(target)
        finally:
            with suppress(OSError):
                temporary.unlink()
    except OSError as error:
        raise write_error(target, error) from error
    # The file is whole already; some file systems cannot flush a folder.
    with suppress(OSError):
        _flush(target.parent)


def write_error(target: Path, error: OSError) -> DataError:
    """Return the error that says why `target` cannot be written, and what to do."""
    if error.errno in _FULL:
        return DataError(
            f"cannot write {target}: no space is left for it ({error.strerror or error}). "
            "Free some, or choose another place; what was there before is unchanged."
        )
    if isinstance(error, PermissionError):
        return DataError(
            f"cannot write {target}: permission denied. "
            "Choose a folder in which you may create files."
        )
    return DataError(f"cannot write {target}: {error.strerror or error}. Choose another place.")


def _refuse_special(target: Path) -> None:
    if not target.parent.is_dir():
        raise DataError(
            f"cannot write {target}: the folder {target.parent} does not exist. Create it first."
        )
    if exists(target) and not is_file(target):
        kind = "a folder" if target.is_dir() else "not a regular file"
        raise DataError(f"cannot write {target}: it is {kind}. Give the name of a file.")


def _create(temporary: Path, target: Path) -> None:
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
    finally:
        os.close(descriptor)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

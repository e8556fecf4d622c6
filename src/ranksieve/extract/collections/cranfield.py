"""The format of Cranfield and of SMART's other collections: `.I 1`, `.T`, `.A`, `.B`, `.W`.

A title that stands again at the start of the text, as in Cranfield, counts once: as the title.
Authors (.A) and sources (.B) are not read. Numbers may have zeros in front: 001 is 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ranksieve.errors import DataError
from ranksieve.extract.collections.lines import Line, read_lines
from ranksieve.extract.collections.records import Document, Query, Reading, Tally

_BEGIN = re.compile(r"\.I\s+(\S+)\s*$")
_SECTION = re.compile(r"\.([A-Z])\s*$")


@dataclass
class _Record:
    id: str
    line: int
    sections: dict[str, list[str]] = field(default_factory=dict)
    n_bytes: int = 0
    bad: bool = False

    def text(self, section: str) -> str:
        """Return the text of a section on one line."""
        return " ".join(" ".join(self.sections.get(section, [])).split())


def cranfield_documents(path: Path, reading: Reading, tally: Tally) -> Iterator[Document]:
    """Yield the documents of a file: .T is the title, .W the body."""
    for record in _records(path, reading, tally):
        where = f"{path}, line {record.line}"
        if record.n_bytes > reading.max_bytes:
            tally.add("long document", f"{record.id!r}, {where}")
            continue
        title, body = record.text("T"), record.text("W")
        yield Document(record.id, title, body.removeprefix(title).lstrip(), where)


def cranfield_queries(path: Path, reading: Reading, tally: Tally) -> Iterator[Query]:
    """Yield the queries of a file, by their numbers."""
    for record in _records(path, reading, tally):
        yield Query(record.id, record.text("W"), f"{path}, line {record.line}")


def _records(path: Path, reading: Reading, tally: Tally) -> Iterator[_Record]:
    record: _Record | None = None
    section: str | None = None
    for line in read_lines(path, reading):
        begin = _BEGIN.match(line.text)
        if begin is not None:
            if record is not None:
                yield record
            record, section = _Record(_number(begin[1]), line.number), None
        elif record is None:
            if line.text.strip():
                raise DataError(
                    f"{path}, line {line.number}: a record begins with '.I NUMBER', but this is "
                    f"{line.text[:40]!r}. Check the format."
                )
            continue
        elif (match := _SECTION.match(line.text)) is not None:
            section = match[1]
        elif line.text.strip():
            _extend(record, section, line, path, reading)
        if line.bad and record is not None and not record.bad:
            record.bad = True
            tally.add("bad bytes", f"{record.id!r}, {path}, line {line.number}")
    if record is not None:
        yield record


def _extend(record: _Record, section: str | None, line: Line, path: Path, reading: Reading) -> None:
    if section is None:
        raise DataError(
            f"{path}, line {line.number}: text of record {record.id} stands before '.T' or '.W'. "
            "Put the section in front of it."
        )
    record.n_bytes += line.n_bytes
    if record.n_bytes <= reading.max_bytes:
        record.sections.setdefault(section, []).append(line.text)


def _number(text: str) -> str:
    return str(int(text)) if text.isascii() and text.isdecimal() else text

"""Which reader takes a file: by how its text begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ranksieve.data.text.streams import TextStream
from ranksieve.errors import DataError, ParameterError
from ranksieve.extract.collections.cranfield import cranfield_documents, cranfield_queries
from ranksieve.extract.collections.json_lines import json_documents, json_queries, tab_queries
from ranksieve.extract.collections.lines import check_start
from ranksieve.extract.collections.records import Document, Query, Reading, Tally
from ranksieve.extract.collections.trec import trec_documents, trec_queries

PathLike = str | os.PathLike[str]
_HEAD_BYTES = 4096

_DOCUMENTS: dict[str, Callable[[Path, Reading, Tally], Iterator[Document]]] = {
    "cranfield": cranfield_documents,
    "trec": trec_documents,
    "jsonl": json_documents,
}
_QUERIES: dict[str, Callable[[Path, Reading, Tally], Iterator[Query]]] = {
    "cranfield": cranfield_queries,
    "trec": trec_queries,
    "jsonl": json_queries,
    "tsv": tab_queries,
}


def documents_in(
    source: PathLike | Sequence[PathLike], reading: Reading, tally: Tally
) -> Iterator[Document]:
    """Yield the documents of a file, of all files of a folder, or of several files.

    An id that comes again is an error, since judgements could mean either document.
    """
    seen: dict[str, str] = {}
    for path in _files(source):
        for document in _DOCUMENTS[file_format(path, tuple(_DOCUMENTS))](path, reading, tally):
            _refuse_again(seen, document.id, document.where, "document")
            yield document
    if not seen:
        raise DataError(f"{source} has no documents. Check that it is the right file.")


def queries_in(source: PathLike, reading: Reading, tally: Tally) -> tuple[list[Query], str]:
    """Return the queries of a file, and its format; an id that comes again is an error."""
    path = Path(source).expanduser()
    kind = file_format(path, tuple(_QUERIES))
    seen: dict[str, str] = {}
    queries = []
    for query in _QUERIES[kind](path, reading, tally):
        _refuse_again(seen, query.id, query.where, "query")
        queries.append(query)
    if not queries:
        raise DataError(f"{path} has no queries. Check that it is the right file.")
    return queries, kind


def file_format(path: Path, allowed: tuple[str, ...]) -> str:
    """Return the format of a file: "cranfield", "trec", "jsonl" or, for queries, "tsv"."""
    head = _head(path)
    begin = head.lstrip()[:1]
    kind = {b"<": "trec", b"{": "jsonl"}.get(begin)
    if head.lstrip().startswith(b".I"):
        kind = "cranfield"
    elif kind is None and b"\t" in head.split(b"\n")[0]:
        kind = "tsv"
    if kind not in allowed:
        first = head.lstrip().split(b"\n")[0][:40].decode("utf-8", "replace")
        tabs = ", or has an id, a tab and a text in each line" if "tsv" in allowed else ""
        raise DataError(
            f"{path} is of no format that is known: it begins with {first!r}. A file of Cranfield "
            f"begins with '.I', of TREC with '<', of JSON lines with '{{'{tabs}."
        )
    return kind


def _files(source: PathLike | Sequence[PathLike]) -> list[Path]:
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    files: list[Path] = []
    for entry in map(Path, sources):
        path = entry.expanduser()
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(
            file for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")
        )
        if not inside:
            raise DataError(f"the folder {path} has no files. Check the path.")
        files += inside
    if not files:
        raise ParameterError("no file of documents is named: give one at least")
    return files


def _head(path: Path) -> bytes:
    buffer = bytearray(_HEAD_BYTES)
    with TextStream(path) as stream:
        count = stream.fill(memoryview(buffer))
    head = bytes(buffer[:count])
    check_start(str(path), head)
    return head.removeprefix(b"\xef\xbb\xbf")


def _refuse_again(seen: dict[str, str], id_: str, where: str, kind: str) -> None:
    first = seen.setdefault(id_, where)
    if first != where:
        raise DataError(
            f"{where}: the id {id_!r} belongs to another {kind} already, at {first}. Judgements "
            "could mean either: give each an id of its own, or remove the copy."
        )

"""JSON lines as BEIR has them: `_id`, `title`, `text`; queries also as lines of id, tab, text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ranksieve.errors import DataError
from ranksieve.extract.collections.html import has_html, html_title, without_tags
from ranksieve.extract.collections.lines import Line, read_lines
from ranksieve.extract.collections.records import Document, Query, Reading, Tally

_IDS = ("_id", "id", "docid", "doc_id", "docno", "qid", "query_id")
_TEXTS = ("text", "body", "contents", "content", "abstract", "query")
_ID_IN_TEXT = re.compile(r'"(?:_id|id|docid|doc_id|docno)"\s*:\s*"?([^",}]*)')


def json_documents(path: Path, reading: Reading, tally: Tally) -> Iterator[Document]:
    """Yield the documents of a file; those with HTML are counted."""
    for line in read_lines(path, reading):
        where = f"{path}, line {line.number}"
        if line.cut:
            match = _ID_IN_TEXT.search(line.text[:4096])
            tally.add("long document", f"{match[1]!r}, {where}" if match else where)
            continue
        if not line.text.strip():
            continue
        content = _object(line, where)
        id_ = _id(content, where)
        if line.bad:
            tally.add("bad bytes", f"{id_!r}, {where}")
        title, body = _text(content, ("title",), where), _text(content, _TEXTS, where)
        if has_html(title) or has_html(body):
            tally.add("html", f"{id_!r}, {where}")
            page_title, body = html_title(body)
            title = title or page_title
            title, body = without_tags(title), without_tags(body)
        yield Document(id_, title, body, where)


def json_queries(path: Path, reading: Reading, tally: Tally) -> Iterator[Query]:
    """Yield the queries of a file."""
    for line in read_lines(path, reading):
        if line.text.strip():
            where = f"{path}, line {line.number}"
            content = _object(line, where)
            query = Query(_id(content, where), _text(content, _TEXTS, where), where)
            if line.bad:
                tally.add("bad bytes", f"{query.id!r}, {where}")
            yield query


def tab_queries(path: Path, reading: Reading, tally: Tally) -> Iterator[Query]:
    """Yield the queries of a file with an id, a tab and a text in each line."""
    for line in read_lines(path, reading):
        if not line.text.strip():
            continue
        where = f"{path}, line {line.number}"
        id_, tab, text = line.text.partition("\t")
        if not tab or not id_.strip():
            raise DataError(
                f"{where}: a line has an id, a tab and the query, but this is {line.text[:40]!r}."
            )
        if line.bad:
            tally.add("bad bytes", f"{id_!r}, {where}")
        yield Query(id_.strip(), text.strip(), where)


def _object(line: Line, where: str) -> dict[str, Any]:
    try:
        content = json.loads(line.text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(
            f"{where}: this is no JSON: {error}. Each line is an object with _id, title and text."
        ) from None
    if not isinstance(content, dict):
        raise DataError(
            f"{where}: a line is an object with _id, title and text, not a list or value."
        )
    return content


def _id(content: dict[str, Any], where: str) -> str:
    for name in _IDS:
        value = content.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    raise DataError(f"{where}: there is no id. Call it _id; the keys are {sorted(content)[:8]}.")


def _text(content: dict[str, Any], names: tuple[str, ...], where: str) -> str:
    value = next((content[name] for name in names if name in content), None)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(
            f"{where}: {names[0]!r} must be a text, but is of type {type(value).__name__}."
        )
    # A surrogate alone, which JSON can spell, is no text.
    return value.encode("utf-8", "replace").decode("utf-8")

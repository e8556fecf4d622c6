"""TREC's format: documents as `<DOC><DOCNO>...`, topics as `<top><num>...` or `<topic number=>`.

The title of a document is its TITLE, HEADLINE, HL, HEAD or TI element, or the title of the HTML
page that it holds; the body is everything else but ids, dates and the header DOCHDR. The text of a
topic is its title, or its description where that is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ranksieve.errors import DataError
from ranksieve.extract.collections.html import has_html, without_elements, without_tags
from ranksieve.extract.collections.lines import read_lines
from ranksieve.extract.collections.records import Document, Query, Reading, Tally

_ID = re.compile(r"<DOCNO>\s*([^<]*?)\s*</DOCNO>", re.I)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|TI)>", re.I)
_UNREAD = re.compile(r"<(DOCNO|DOCID|DOCOLDNO|DOCHDR|DATE|DATE1|TIME|FILEID|PARENT)>", re.I)
# Elements of TREC's collections, whose names are in capitals; HTML is looked for afterwards.
_MARKUP = re.compile(r"</?[A-Z][A-Z0-9]{0,15}(?:\s[^<>]*)?>")
_FRAME = re.compile(r"</?DOC>", re.I)
_ENDS = {"doc": "</doc>", "top": "</top>", "topic": "</topic>"}
_OPEN = re.compile(r"\s*<(doc|topic|top)(\s[^>]*)?>", re.I)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.I)
_ATTRIBUTE = re.compile(r"<topic\b[^>]*\bnumber\s*=\s*[\"']?([^\"'\s>]+)", re.I)
_PARTS = re.compile(r"<(title|query|desc|description|narr)>(.*?)(?=<|\Z)", re.I | re.S)
_LABEL = re.compile(r"^\s*(?:Topic|Description|Narrative)\s*:", re.I)


@dataclass
class _Element:
    line: int
    kind: str
    lines: list[str] = field(default_factory=list)
    n_bytes: int = 0
    bad: bool = False


def trec_documents(path: Path, reading: Reading, tally: Tally) -> Iterator[Document]:
    """Yield the documents of a file; those with HTML are counted."""
    for element in _elements(path, reading, ("doc",)):
        where = f"{path}, line {element.line}"
        text = "\n".join(element.lines)
        id_ = _required_id(_ID.search(text), where, "<DOCNO>")
        if element.n_bytes > reading.max_bytes:
            tally.add("long document", f"{id_!r}, {where}")
            continue
        if element.bad:
            tally.add("bad bytes", f"{id_!r}, {where}")
        title, body = _title_and_body(text)
        if has_html(title) or has_html(body):
            tally.add("html", f"{id_!r}, {where}")
        yield Document(id_, without_tags(title, _MARKUP), without_tags(body, _MARKUP), where)


def trec_queries(path: Path, reading: Reading, tally: Tally) -> Iterator[Query]:
    """Yield the topics of a file: their titles."""
    for element in _elements(path, reading, ("top", "topic")):
        where = f"{path}, line {element.line}"
        text = "\n".join(element.lines)
        id_ = _required_id(_NUMBER.search(text) or _ATTRIBUTE.search(text), where, "<num>")
        if element.bad:
            tally.add("bad bytes", f"{id_!r}, {where}")
        parts = {
            name.lower()[:4]: _LABEL.sub("", content).strip()
            for name, content in _PARTS.findall(text)
        }
        query = parts.get("titl") or parts.get("quer") or parts.get("desc") or ""
        yield Query(id_, without_tags(query), where)


def _elements(path: Path, reading: Reading, kinds: tuple[str, ...]) -> Iterator[_Element]:
    element: _Element | None = None
    for line in read_lines(path, reading):
        if element is None:
            opening = _OPEN.match(line.text)
            if opening is not None and opening[1].lower() in kinds:
                element = _Element(line.number, opening[1].lower())
            elif line.text.strip() and not _is_frame(line.text):
                raise DataError(
                    f"{path}, line {line.number}: expected <{kinds[0].upper()}>, but there is "
                    f"{line.text.strip()[:40]!r}. Check the format."
                )
        if element is None:
            continue
        element.n_bytes += line.n_bytes
        element.bad = element.bad or line.bad
        # A document that is too long has its id near its start.
        if element.n_bytes <= reading.max_bytes or not element.lines:
            element.lines.append(line.text)
        if _ENDS[element.kind] in line.text.lower() or (line.cut and element.kind == "doc"):
            yield element
            element = None
    if element is not None:
        raise DataError(
            f"{path}: the file ends inside the <{element.kind.upper()}> that begins in line "
            f"{element.line}. Check that it was copied to the end."
        )


def _is_frame(text: str) -> bool:
    """Tell whether a line is XML around the elements: a declaration, or a root."""
    return re.match(r"\s*(<\?xml|<!|</?(?:topics|xml|root|docs)\b)", text, re.I) is not None


def _required_id(match: re.Match[str] | None, where: str, element: str) -> str:
    if match is None or not match[1]:
        raise DataError(f"{where}: there is no {element}, which has the id. Add it.")
    return match[1]


def _title_and_body(text: str) -> tuple[str, str]:
    content, _ = without_elements(text, _UNREAD)
    body, titles = without_elements(_FRAME.sub(" ", content), _TITLE, limit=1)
    return "".join(titles), body

"""What readers yield: documents and queries, and what they had to repair or leave out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

# Longer documents are left out: a file without an end of its first document would fill the memory.
MAX_DOCUMENT_BYTES = 1 << 24


@dataclass(frozen=True)
class Document:
    """A document of a collection.

    Attributes
    ----------
    id : its id, as judgements name it
    title, body : its text, without markup
    where : file and line, for messages
    """

    id: str
    title: str
    body: str
    where: str


@dataclass(frozen=True)
class Query:
    """A query: its id as judgements name it, its text, and file and line for messages."""

    id: str
    text: str
    where: str


@dataclass(frozen=True)
class Reading:
    """How files of a collection are read.

    Attributes
    ----------
    encoding : of the text; bytes that it does not have are read as spaces, and counted
    max_bytes : documents that are longer are left out, and counted
    """

    encoding: str = "utf-8"
    max_bytes: int = MAX_DOCUMENT_BYTES


@dataclass
class Tally:
    """Counts what happened, with the first example of each: the reason, how often, and where.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add("empty", "docs.txt, line 3")
    >>> tally.add("empty", "docs.txt, line 9")
    >>> tally.counts, tally.examples
    ({'empty': 2}, {'empty': 'docs.txt, line 3'})
    """

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, where: str, times: int = 1) -> None:
        """Count an event."""
        if times:
            self.counts[reason] = self.counts.get(reason, 0) + times
            self.examples.setdefault(reason, where)

    def sentences(self) -> list[str]:
        """Return a sentence for each reason, with its first example."""
        return [
            f"{SENTENCES[reason](count)} (first: {self.examples[reason]})."
            for reason, count in self.counts.items()
        ]


def _counted(singular: str, plural: str) -> Callable[[int], str]:
    def sentence(count: int) -> str:
        return f"{count:,} {singular if count == 1 else plural}"

    return sentence


SENTENCES: dict[str, Callable[[int], str]] = {
    "empty document": _counted("document has no words", "documents have no words"),
    "long document": _counted(
        "document is longer than the limit and was left out",
        "documents are longer than the limit and were left out",
    ),
    "bad bytes": _counted(
        "record has bytes that are not in the encoding, read as spaces",
        "records have bytes that are not in the encoding, read as spaces",
    ),
    "html": _counted(
        "document has HTML, whose tags were removed", "documents have HTML, whose tags were removed"
    ),
    "query without words": _counted(
        "query has no words but stop words and was left out",
        "queries have no words but stop words and were left out",
    ),
    "query without judgements": _counted(
        "query has no judged document and was left out",
        "queries have no judged document and were left out",
    ),
    "judgement of an unknown document": _counted(
        "judgement is of a document that the collection does not have, and was left out",
        "judgements are of documents that the collection does not have, and were left out",
    ),
    "judgement of an unknown query": _counted(
        "judgement is for a query that is not there, and was left out",
        "judgements are for queries that are not there, and were left out",
    ),
    "judgement without a grade": _counted(
        "judgement has a code without a grade; its document is left out of the query",
        "judgements have a code without a grade; their documents are left out of their queries",
    ),
    "negative grade": _counted(
        "grade is below 0 and counts as 0", "grades are below 0 and count as 0"
    ),
    "link of an unknown document": _counted(
        "link is from or to a document that the collection does not have, and was left out",
        "links are from or to documents that the collection does not have, and were left out",
    ),
}

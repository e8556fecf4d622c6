"""Tables and numbers of a page in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

SHORT = {"letor-map": "MAP", "MAP(threshold=2)": "MAP", "kendall-tau": "Kendall's tau"}


def short(measure: str) -> str:
    """What a table calls a measure.

    >>> short("letor-ndcg@10"), short("letor-map")
    ('NDCG@10', 'MAP')
    """
    return SHORT.get(measure) or measure.removeprefix("letor-").replace("ndcg", "NDCG")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns whose name starts with * hold text; the others are numbers."""
    rule = ["---" if name.startswith("*") else "---:" for name in head]
    lines = [[name.removeprefix("*") for name in head], rule, *rows]
    return [*(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines), ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def listed(sentences: Sequence[str]) -> list[str]:
    return [*(f"- {sentence}" for sentence in sentences), ""] if sentences else []


def folded(summary: str, lines: Sequence[str]) -> list[str]:
    """Lines that a reader opens."""
    return ["<details>", f"<summary>{summary}</summary>", "", *lines, "</details>", ""]


def wrapped(text: str) -> list[str]:
    """Paragraphs of a text, a line each."""
    return [line for paragraph in text.split("\n\n") for line in (" ".join(paragraph.split()), "")]

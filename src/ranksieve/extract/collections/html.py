"""HTML as text: tags, comments, scripts and styles removed, entities decoded."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

# Only names of HTML's elements: `a < b` and `<x, y>` of a formula are text.
_NAMES = (
    "a|abbr|address|article|aside|b|base|blockquote|body|br|button|caption|center|cite|code|col|dd"
    "|div|dl|dt|em|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img"
    "|input|label|li|link|main|map|meta|nav|noscript|object|ol|option|p|pre|script|section|select"
    "|small|span|strike|strong|style|sub|sup|table|tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul"
)
# Attributes have a value, but for a few: `p<i and q>0` has none.
_VALUE = r"\"[^\"]*\"|'[^']*'|[^\s<>\"']+"
_FLAGS = "async|checked|compact|defer|disabled|hidden|nohref|noshade|nowrap|selected"
_TAG = re.compile(
    rf"</?(?:{_NAMES})(?:\s+(?:[\w:-]+\s*=\s*(?:{_VALUE})|(?:{_FLAGS})(?=[\s/>])))*\s*/?>", re.I
)
_DOCTYPE = re.compile(r"<!doctype[^<>]*>", re.I)
_COMMENT = re.compile(r"(<!--)")
_UNSEEN = re.compile(r"<(script|style)\b[^<>]*>", re.I)
_TITLE = re.compile(r"<(title)\b[^<>]*>", re.I)


def has_html(text: str) -> bool:
    """Tell whether a text has tags of HTML.

    Examples
    --------
    >>> has_html("<p>lift"), has_html("a < b and c > d")
    (True, False)
    """
    return "<" in text and (_TAG.search(text) is not None or "<!--" in text)


def without_tags(text: str, markup: re.Pattern[str] | None = None) -> str:
    """Return the text of HTML; a tag becomes a space, and text without tags stays as it is.

    `markup` matches further tags to remove, after those of HTML.

    Examples
    --------
    >>> without_tags("<p>lift &amp; <b>drag</b><script>x()</script>").split()
    ['lift', '&', 'drag']
    """
    for pattern in (_COMMENT, _UNSEEN):
        text, _ = without_elements(text, pattern)
    for pattern in (_DOCTYPE, _TAG):
        text = pattern.sub(" ", text)
    return unescape(text if markup is None else markup.sub(" ", text))


def without_elements(
    text: str, opening: re.Pattern[str], *, limit: int | None = None
) -> tuple[str, list[str]]:
    """Return a text without some elements, a space for each, and what was inside of them.

    The first group of `opening` is the name of the element; a comment ends with `-->`. An element
    without an end is left as it is. Time is linear, also where elements begin and never end.

    Examples
    --------
    >>> without_elements("<hl>Wings</hl> lift <hl>again", re.compile("<(hl)>"))
    ('  lift <hl>again', ['Wings'])
    """
    kept_parts: list[str] = []
    contents: list[str] = []
    endless: set[str] = set()
    position = search_from = 0
    while limit is None or len(contents) < limit:
        begin = opening.search(text, search_from)
        if begin is None:
            break
        search_from = begin.end()
        name = begin[1].lower()
        if name in endless:
            continue
        end = _closing(name).search(text, begin.end())
        if end is None:
            # Nor will a later one end.
            endless.add(name)
            continue
        kept_parts += [text[position : begin.start()], " "]
        contents.append(text[begin.end() : end.start()])
        position = search_from = end.end()
    return "".join([*kept_parts, text[position:]]), contents


@cache
def _closing(name: str) -> re.Pattern[str]:
    return re.compile("-->" if name == "<!--" else rf"</{re.escape(name)}\s*>", re.I)


def html_title(text: str) -> tuple[str, str]:
    """Return the title of an HTML page, empty where it has none, and the page without it.

    Examples
    --------
    >>> html_title("<title>Wings</title><p>lift")
    ('Wings', ' <p>lift')
    """
    page, titles = without_elements(text, _TITLE, limit=1)
    return "".join(titles), page

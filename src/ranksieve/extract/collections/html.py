"""HTML as text: tags, comments, scripts and styles removed, entities decoded."""

from __future__ import annotations

import re
from html import unescape

# Only names of HTML's elements: `a < b` and `<x, y>` of a formula are text.
_NAMES = (
    "a|abbr|address|article|aside|b|base|blockquote|body|br|button|caption|center|cite|code|col|dd"
    "|div|dl|dt|em|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img"
    "|input|label|li|link|main|map|meta|nav|noscript|object|ol|option|p|pre|script|section|select"
    "|small|span|strike|strong|style|sub|sup|table|tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul"
)
# An attribute or the end must follow: `<b and c>` has neither.
_TAG = re.compile(
    rf"</?(?:{_NAMES})(?:\s+[\w:-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))?)*\s*/?>", re.I
)
_COMMENT = re.compile(r"<!--.*?-->|<!doctype[^>]*>", re.I | re.S)
_UNSEEN = re.compile(r"<(script|style)\b[^>]*>.*?</\1\s*>", re.I | re.S)
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title\s*>", re.I | re.S)


def has_html(text: str) -> bool:
    """Tell whether a text has tags of HTML.

    Examples
    --------
    >>> has_html("<p>lift"), has_html("a < b and c > d")
    (True, False)
    """
    return "<" in text and (_TAG.search(text) is not None or _COMMENT.search(text) is not None)


def without_tags(text: str, markup: re.Pattern[str] | None = None) -> str:
    """Return the text of HTML; a tag becomes a space, and text without tags stays as it is.

    `markup` matches further tags to remove, after those of HTML.

    Examples
    --------
    >>> without_tags("<p>lift &amp; <b>drag</b><script>x()</script>").split()
    ['lift', '&', 'drag']
    """
    for pattern in (_COMMENT, _UNSEEN, _TAG):
        text = pattern.sub(" ", text)
    return unescape(text if markup is None else markup.sub(" ", text))


def html_title(text: str) -> tuple[str, str]:
    """Return the title of an HTML page, empty where it has none, and the page without it.

    Examples
    --------
    >>> html_title("<title>Wings</title><p>lift")
    ('Wings', ' <p>lift')
    """
    match = _TITLE.search(text)
    if match is None:
        return "", text
    return match[1], f"{text[: match.start()]} {text[match.end() :]}"

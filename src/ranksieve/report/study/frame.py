"""What the pages of a study have in common: head, foot, folded parts, styles and scripts."""

from __future__ import annotations

from ranksieve import __version__
from ranksieve.report.shared.markup import Markup, page_file, tag
from ranksieve.report.shared.words import counted
from ranksieve.report.study.names import distinct
from ranksieve.report.study.view import StudyView

# Nothing is fetched and no text becomes code, whatever names may hold.
_POLICY = (
    "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)


def page_head(title: str, style: str = "") -> Markup:
    """Return the head of a page that fetches nothing, with the style of reports."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", page_file("study", "page.css"), Markup(style)),
    )


def size_words(view: StudyView) -> str:
    """Return how many data sets, methods, rankers and trials a study has."""
    results = view.results
    return (
        f"{counted(len(results.data), 'data set')}, {counted(len(view.methods), 'method')}, "
        f"{counted(len(_rankers(view)), 'ranker')}, {counted(results.n_trials, 'trial')}"
    )


def _rankers(view: StudyView) -> tuple[str, ...]:
    return distinct(outcome.ranker for outcome in view.results.chosen if outcome.ranker)


def folded_part(key: str, title: str, words: str, *content: Markup, class_: str = "") -> Markup:
    """Return a part of a page that opens at a click, for a link to it, and on paper."""
    heading = tag("summary", tag("h2", title), " ", tag("span", words, class_="soft"))
    return tag("details", heading, *content, id=key, class_=f"part {class_}".strip())


def made_by() -> Markup:
    """Return the foot of a page."""
    return tag("footer", f"Made by ranksieve {__version__}.")

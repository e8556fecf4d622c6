"""The answer of a sieve as one HTML file that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ranksieve.report.shared.markup import Markup, page_file, tag
from ranksieve.report.shared.words import counted, shortened
from ranksieve.report.sieve.answer import answer_section, headline
from ranksieve.report.sieve.features import feature_table
from ranksieve.report.sieve.frontier_plot import frontier_svg
from ranksieve.report.sieve.making import making_section, train_command
from ranksieve.report.sieve.queries import query_table
from ranksieve.report.sieve.query_plot import query_svg
from ranksieve.report.sieve.sets import ladder_table
from ranksieve.report.sieve.view import SieveView

if TYPE_CHECKING:
    from ranksieve.sieve.result import SieveResult

# Nothing is fetched, whatever the data's names may hold.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def sieve_page(result: SieveResult, *, source: str = "", features: str = "features.json") -> str:
    """Return the page: the answer with the ladder, the evidence, costs, queries, the making.

    It works without a network and without scripts (tables then keep their first order), on
    narrow screens, in print, and in a dark colour scheme. The same result gives the same page.

    Parameters
    ----------
    result : SieveResult
    source : what was sieved, for the title and the command to go on
    features : the file with the kept features, for that command

    Examples
    --------
    >>> from ranksieve import Sieve, make_ranking
    >>> data, _ = make_ranking(40, n_relevant=2, n_redundant=0, n_irrelevant=2)
    >>> sieve = Sieve("RankSVM(C=0.01)").fit(data)
    >>> sieve_page(sieve.result_)[:15]
    '<!doctype html>'
    """
    view = SieveView(result)
    command = train_command(source, features)
    title = f"{headline(view)}: {shortened(source, 100)}" if source else headline(view)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", page_file("sieve", "page.css")),
    )
    body = tag(
        "body",
        tag(
            "main",
            answer_section(view, command),
            _features(view),
            _sets(view),
            _queries(view),
            making_section(view, command),
        ),
        tag("footer", _footer(view, source)),
        tag("script", page_file("shared", "sortable.js"), page_file("shared", "folded.js")),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _features(view: SieveView) -> Markup:
    return tag(
        "section",
        tag("h2", "Features: the evidence for each"),
        tag(
            "p",
            f"Losses are in {view.unit_words}, with intervals; the small pictures have one scale, "
            "and a line at 0. A loss near 0 means that nothing is missed.",
            class_="soft",
        ),
        feature_table(view),
        id="features",
    )


def _sets(view: SieveView) -> Markup:
    if not view.result.priced:
        heading = "Sets: what each step down the ladder does"
        words = "Features have no costs, so the frontier of measure against cost is the ladder."
        return tag(
            "section",
            tag("h2", heading),
            tag("p", words, class_="soft"),
            ladder_table(view),
            id="sets",
        )
    words = (
        "Stairs: the best that a cost buys, with numbers of features. ○ A set that a cheaper or "
        "equally cheap one beats. Differences within the intervals of the table are noise."
    )
    figure = tag(
        "figure",
        frontier_svg(view),
        frontier_svg(view, width=350.0),
        tag("figcaption", words),
    )
    return tag(
        "section",
        tag("h2", f"Costs: {view.result.measure} against what features cost"),
        figure,
        ladder_table(view),
        id="sets",
    )


def _queries(view: SieveView) -> Markup:
    return tag(
        "section",
        tag("h2", "Queries: who loses, who gains"),
        tag("figure", query_svg(view), query_svg(view, width=350.0)),
        tag("h3", "Queries that lose most"),
        query_table(view),
        id="queries",
    )


def _footer(view: SieveView, source: str) -> str:
    making = view.result.making
    where = f"{shortened(source, 200)}: " if source else ""
    return (
        f"{where}{counted(making.n_documents, 'document')} of "
        f"{counted(making.n_queries, 'query', 'queries')}. Made by ranksieve {making.version}."
    )

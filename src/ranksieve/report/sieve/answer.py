"""The first screen: what to keep, what that changes, and how sure it is."""

from __future__ import annotations

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.words import counted, percent
from ranksieve.report.sieve.cells import LONGEST_NAME, command_text, name_text
from ranksieve.report.sieve.ladder_plot import has_sets_below, ladder_svg
from ranksieve.report.sieve.view import ENOUGH_QUERIES, SieveView, cost_text

_CLAIMS = {"certified": "■ certified", "supported": "● supported", "none": "◇ no claim"}
# How many letters of names are shown at first, and how many a frame around a name takes.
_KEPT_LETTERS, _DROPPED_LETTERS, _CHIP_LETTERS = 240, 120, 4


def headline(view: SieveView) -> str:
    """Return the answer in a line.

    What was not finished is not called the answer.
    """
    result = view.result
    words = f"eep {result.chosen.n_features:,} of {counted(len(result.features), 'feature')}"
    return f"So far: k{words}" if result.making.interrupted else f"K{words}"


def answer_section(view: SieveView, command: str) -> Markup:
    """Return the sentences, the key figures, the ladder, the names and the next command."""
    result = view.result
    first, *following = result.sentences()
    reopened = result.certificate is not None and result.certificate.reopened
    return tag(
        "section",
        tag(
            "header",
            tag("h1", headline(view)),
            tag("span", _CLAIMS[result.claim], class_=f"badge {result.claim}"),
            tag("span", "certificate reopened", class_="badge warning") if reopened else Markup(),
        ),
        tag(
            "div",
            tag("p", tag("strong", first)),
            *(tag("p", sentence) for sentence in following),
            *(tag("p", note, class_="caution") for note in _cautions(view)),
            class_=f"verdict {result.claim}",
        ),
        _figures(view),
        tag("div", _ladder(view), _names(view, command), class_="beside"),
        id="answer",
        aria_label="The answer",
    )


def _cautions(view: SieveView) -> list[str]:
    """Return what a reader must know before taking the answer for more than it is."""
    result = view.result
    notes = []
    if result.making.interrupted:
        notes.append(
            "The search was ended before its last set. Where it had a folder to write to, the same "
            "command goes on from there."
        )
    if result.certificate is not None and result.certificate.reopened:
        notes.append(
            "A second look at certifying queries proves nothing: take queries that nothing has "
            "seen."
        )
    n_queries = result.chosen.change.n_queries
    if n_queries < ENOUGH_QUERIES:
        notes.append(
            f"{counted(n_queries, 'query', 'queries')}: with fewer than about {ENOUGH_QUERIES} "
            "another seed may give another set."
        )
    return notes


def _figures(view: SieveView) -> Markup:
    result = view.result
    change = view.set_change(result.choice)
    n_kept, n_all = result.chosen.n_features, len(result.features)
    figures = [
        ("features kept", f"{n_kept:,}", f"of {n_all:,}, {percent(n_all - n_kept, n_all)} fewer"),
        (
            f"change of {result.measure}",
            view.signed(change.mean),
            view.between(change),
        ),
    ]
    certificate = result.certificate
    if certificate is not None and certificate.tests:
        test = certificate.tests[-1]
        unseen = view.test_change(test)
        larger = "" if test.position == result.choice else f", {test.n_features:,} features"
        figures.append(
            (
                f"on {test.change.n_queries:,} certifying queries{larger}",
                view.signed(unseen.mean),
                view.between(unseen),
            )
        )
    if result.priced:
        saved = percent(result.full_price - result.chosen.price, result.full_price)
        prices = f"{cost_text(result.chosen.price)} instead of {cost_text(result.full_price)}"
        figures.append(("cost saved", saved, prices))
    needed = f"about {result.queries_needed:,} needed" if result.claim == "none" else "that count"
    figures.append(("queries", f"{result.chosen.change.n_queries:,}", needed))
    cells = [
        tag("div", tag("dt", name), tag("dd", value, " ", tag("small", more)))
        for name, value, more in figures
    ]
    return tag("dl", *cells, class_="figures")


def _ladder(view: SieveView) -> Markup:
    result = view.result
    against = "cost" if result.priced else "number of features"
    caption = tag(
        "figcaption",
        tag("strong", f"Change of {result.measure} beside all features, by {against}. "),
        *_key(view),
    )
    return tag("figure", ladder_svg(view), ladder_svg(view, width=350.0, height=340.0), caption)


def _key(view: SieveView) -> list[Markup]:
    result = view.result
    states = {view.state(position) for position in range(len(result.ladder))}
    ruled_out = f"a loss of more than {result.margin} is ruled out, for it and every larger set"
    marks = [("supported", "●", ruled_out)]
    if "open" in states:
        marks.append(("open", "◇", "not ruled out, or smaller than the choice and not tested"))
    if "sampled" in states:
        marks.append(("sampled", "○", "looked at on a sample of the queries only"))
    if result.certificate is not None:
        marks.append(("test", "■", "on the certifying queries"))
    if has_sets_below(view):
        marks.append(("open", "▽", "below the picture"))
    confidence = f"{100 * (1 - 2 * result.level):g} %"
    return [
        *(
            tag("span", tag("span", sign, class_=kind), f" {words}. ", class_="key")
            for kind, sign, words in marks
        ),
        tag("span", f"Upright lines are {confidence} intervals, paired by query.", class_="key"),
    ]


def _names(view: SieveView, command: str) -> Markup:
    """Return the names of what is kept and of what can go, and the command to go on."""
    features = view.result.features
    kept_names = [feature.name for feature in features if feature.kept]
    dropped_names = [feature.name for feature in features if not feature.kept]
    return tag(
        "div",
        tag("h2", f"Keep {len(kept_names):,}"),
        *_chips(kept_names, _KEPT_LETTERS, "chips"),
        tag("h2", f"Drop {len(dropped_names):,}"),
        *_chips(dropped_names, _DROPPED_LETTERS, "chips dropped"),
        tag("p", tag("a", "The evidence for each", href="#features"), class_="soft"),
        tag("p", "Next: ", command_text(command), class_="soft"),
        class_="names",
    )


def _chips(names: list[str], n_letters: int, kind: str) -> list[Markup]:
    """Return names as a list; those for which there is no room are folded."""
    n_first, width = 0, 0
    for name in names:
        width += min(len(name), LONGEST_NAME) + _CHIP_LETTERS
        if width > n_letters and n_first:
            break
        n_first += 1
    parts = [_list(names[:n_first], kind)] if names else [tag("p", "none", class_="soft")]
    if n_first < len(names):
        more = tag("summary", f"{len(names) - n_first:,} more")
        # Paper has the names in the table.
        parts.append(tag("details", more, _list(names[n_first:], kind), class_="long"))
    return parts


def _list(names: list[str], kind: str) -> Markup:
    return tag("ul", *(tag("li", name_text(name)) for name in names), class_=kind)

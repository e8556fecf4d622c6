"""How the answer was made, what its words mean, and how to go on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.table import seconds
from ranksieve.report.shared.words import counted
from ranksieve.report.sieve.cells import command_text
from ranksieve.report.sieve.view import SieveView

Facts = Sequence[tuple[str, str]]


def making_section(view: SieveView, command: str) -> Markup:
    """Return the folded part: the command to go on, the words, the assumptions, the settings."""
    parts = [
        tag("h3", "To go on"),
        tag("p", command_text(command)),
        tag("h3", "What the words mean"),
        _list(_words(view)),
        tag("h3", "What is assumed"),
        tag("ul", *(tag("li", sentence) for sentence in _assumptions(view))),
        tag("h3", "The search"),
        _list(_search_facts(view)),
    ]
    certificate = _certificate_facts(view)
    if certificate:
        parts += [tag("h3", "The certificate"), _list(certificate)]
    return tag(
        "details", tag("summary", tag("h2", "How it was made")), *parts, id="making", class_="part"
    )


def train_command(source: str, features: str) -> str:
    """Return the command that trains on the kept features.

    Examples
    --------
    >>> train_command("train.txt", "sieved/features.json")
    'ranksieve train train.txt --features sieved/features.json -o model.txt'
    """
    return shlex.join(
        ["ranksieve", "train", source or "DATA", "--features", features, "-o", "model.txt"]
    )


def _list(facts: Facts) -> Markup:
    pairs = [part for name, text in facts for part in (tag("dt", name), tag("dd", text))]
    return tag("dl", *pairs, class_="facts")


def _words(view: SieveView) -> Facts:
    result = view.result
    level = f"{100 * result.level:g} %"
    return (
        ("margin", f"The largest loss that counts as none: {result.margin}."),
        (
            "choice",
            "The set to take: the cheapest one within half the margin of the best, or "
            "with a budget the best one within it. It is always given, whatever can be proven.",
        ),
        (
            "claim",
            "What the data proves about the choice: certified, supported, or none.",
        ),
        (
            "supported",
            f"A loss of more than the margin is ruled out at the level of {level}, for the set and "
            "for every larger one: sets are tested from all features down, and the first that "
            "fails ends it. A query judges only sets that it did not choose.",
        ),
        (
            "certified",
            "The same on queries that nothing had seen, with models that were trained before, by a "
            "test that holds for any distribution of changes.",
        ),
        (
            "no claim",
            "Losses of the margin cannot be ruled out. That is no evidence of a loss: more queries "
            "or a wider margin decide.",
        ),
        (
            "loss when permuted",
            "What a query loses on average when the feature's values change places within the "
            "query, or across queries where it is constant in each; in the smallest set that had "
            "it, no smaller than the choice.",
        ),
        (
            "loss when retrained without",
            "What is lost when the chosen set is trained again without the feature. It is small "
            "where another feature can replace it.",
        ),
        (
            "near-twins",
            "Features that order documents nearly alike, by Kendall's tau-b; below 0 for a mirror "
            "image. ✓ marks kept ones.",
        ),
    )


def _assumptions(view: SieveView) -> list[str]:
    sentences = [
        "The answer is about this ranker and this kind of queries.",
        "The search trains quick copies of the ranker, each on the other folds of the queries; "
        "that is a little too kind to small sets.",
        "Intervals and support use Student's t over queries, which counts on changes that are "
        "not dominated by a few queries.",
        "Queries whose measure no order of their documents can change are left out.",
    ]
    if view.result.certificate is not None:
        sentences.append(
            "The certifying queries come from the same source as later ones, and count once."
        )
    return sentences


def _search_facts(view: SieveView) -> Facts:
    result, making = view.result, view.result.making
    ended = "ended early" if making.interrupted else "to its end"
    return (
        ("ranker", result.ranker),
        ("measure", result.measure),
        ("margin", f"{result.margin}{'' if result.margin.relative else ' of the measure'}"),
        ("level", f"{result.level:g}"),
        ("documents", f"{making.n_documents:,}"),
        (
            "queries",
            f"{making.n_queries:,}, of which {making.n_counting:,} count and {making.n_searched:,} "
            "were searched",
        ),
        ("queries needed", f"about {result.queries_needed:,} for the margin, if nothing is lost"),
        ("folds", f"{making.n_folds}, dealt out {counted(making.n_repeats, 'time')}"),
        ("seed", f"{making.random_state}"),
        ("trainings", f"{making.n_trainings:,}"),
        ("search", ended),
        ("time", f"{seconds(making.seconds)} s"),
        ("version", f"ranksieve {making.version}"),
        ("fingerprint of the data", making.fingerprint),
    )


def _certificate_facts(view: SieveView) -> list[tuple[str, str]]:
    certificate = view.result.certificate
    if certificate is None or not certificate.tests:
        return []
    tests = [
        (
            f"{test.n_features:,} features",
            f"{view.signed(view.test_change(test).mean)} ({view.between(view.test_change(test))}), "
            f"{'proven' if test.proven else 'not proven'}: a stake of 1 became {test.wealth:.4g}, "
            f"and {1 / view.result.level:g} proves it",
        )
        for test in certificate.tests
    ]
    return [
        *tests,
        ("queries", f"{certificate.n_queries:,}"),
        ("opened before", "yes: nothing is certified" if certificate.reopened else "no"),
        ("fingerprint of the queries", certificate.fingerprint),
    ]

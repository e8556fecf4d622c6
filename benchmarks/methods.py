"""docs/methods.md: every method of the field in one table, and how each did in the study `letor`.

    python -m benchmarks.methods runs/letor.db

`make results` writes it together with docs/results.md. What is known of the methods is in
benchmarks/methods.toml.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.published_tables import DATA
from benchmarks.results_field import RANKERS, Compared, FieldTable, field_table, what_follows
from benchmarks.results_markdown import table
from benchmarks.results_stores import Stored, read_stores
from ranksieve.data.atomic import replacing

PAGE = Path(__file__).parents[1] / "docs" / "methods.md"
FACTS = Path(__file__).parent / "methods.toml"


@dataclass(frozen=True)
class Method:
    """A method of the field.

    Attributes
    ----------
    name : as in the literature
    paper, year : where it was published
    kind : filter, wrapper or embedded
    idea : one sentence
    cost : of one fit; n documents, p features, k features chosen, m documents per query
    spelled : its constructor call, "" where ranksieve does not have it
    also : other classes of the method
    page : its page in docs/
    rows : its lines in the study `letor`: labels of methods
    reason : why ranksieve does not have it
    """

    name: str
    paper: str
    year: int
    kind: str
    idea: str
    cost: str = ""
    spelled: str = ""
    also: tuple[str, ...] = ()
    page: str = ""
    rows: tuple[str, ...] = ()
    reason: str = ""


def read_methods() -> tuple[Method, ...]:
    """Return the methods of the file, in its order."""
    entries = tomllib.loads(FACTS.read_text(encoding="utf-8"))["method"]
    return tuple(Method(**{name: _plain(value) for name, value in e.items()}) for e in entries)


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def page(methods: Sequence[Method], stored: Stored) -> str:
    """The page's text."""
    present = [each for each in methods if each.spelled]
    absent = [each for each in methods if not each.spelled]
    tables = [t for ranker in RANKERS for data in DATA if (t := field_table(stored, data, ranker))]
    return "\n".join(
        [
            "# Methods of the field",
            "",
            "Feature selection for ranking, as far as we know it: what was published, what "
            "ranksieve has, what a fit costs, and how the methods did on OHSUMED and MQ2008. "
            "Written by `make results`. A *filter* looks at features before any model is trained, "
            "a *wrapper* trains models on sets of features, an *embedded* method selects "
            "while it trains.",
            "",
            *_what_there_is(present),
            *_figures(present, tables),
            *_left_out(absent),
        ]
    )


def _what_there_is(methods: Sequence[Method]) -> list[str]:
    rows = [
        [
            _linked(each),
            each.kind,
            each.idea,
            f"{each.paper} {each.year}",
            _spelled(each),
            each.cost,
        ]
        for each in methods
    ]
    return [
        "## What ranksieve has",
        "",
        "*Cost* is that of one fit: n documents, p features, queries of m documents, k features "
        "chosen. Where a method takes any importance, similarity or ranker, the one that is named "
        "counts.",
        "",
        *table(["*method", "*kind", "*what it takes", "*published", "*here", "*cost"], rows),
    ]


def _spelled(method: Method) -> str:
    return ", ".join(f"`{text}`" for text in (method.spelled, *method.also))


def _linked(method: Method) -> str:
    return f"[{method.name}]({method.page})" if method.page else method.name


def _figures(methods: Sequence[Method], tables: Sequence[FieldTable]) -> list[str]:
    if not tables:
        return ["## How they did", "", "The study `letor` is not stored: `make results`.", ""]
    rows = []
    for method in methods:
        for label in method.rows:
            for variant in ("weights", ""):
                cells = [_cell(t, label, variant) for t in tables]
                if any(cells):
                    name = label if not variant else f"{label}, own weights"
                    rows.append([method.name, name, *cells])
    head = [f"*{t.data}, {t.ranker}" for t in tables]
    references = ", ".join(
        f"{t.data} with {t.ranker} {t.reference.mean('letor-map'):.4f}" for t in tables
    )
    return [
        "## How they did",
        "",
        "MAP less that of the same ranker with all features, on the test queries of five folds; in "
        "brackets the number of features, mean over folds. Settings and numbers were chosen on "
        "validation queries by MAP. A star marks what is significant: two-sided paired t-test over "
        "queries, level 0.05, Holm's method over the methods of a column. With all features MAP "
        f"is: {references}. Intervals, NDCG and tests of methods against each other are in "
        "[results.md](results.md#all-methods-beside-each-other).",
        "",
        what_follows(tables),
        "",
        *table(["*method", "*line", *head], rows),
    ]


def _cell(figures: FieldTable, label: str, variant: str) -> str:
    line = next((each for each in figures.methods if _is(each, label, variant)), None)
    if line is None:
        return ""
    star = "*" if line.p_value <= 0.05 else ""
    return f"{line.difference:+.4f}{star} ({line.n_features:.1f})"


def _is(line: Compared, label: str, variant: str) -> bool:
    own = line.outcome.variant == "weights"
    return line.outcome.method == label and own == (variant == "weights")


def _left_out(methods: Sequence[Method]) -> list[str]:
    rows = [
        [each.name, each.kind, each.idea, f"{each.paper} {each.year}", each.reason]
        for each in methods
    ]
    return [
        "## What ranksieve does not have",
        "",
        *table(["*method", "*kind", "*what it takes", "*published", "*why not"], rows),
    ]


def write(stored: Stored) -> Path:
    """Write the page and return where it is."""
    with replacing(PAGE) as temporary:
        temporary.write_text(page(read_methods(), stored), encoding="utf-8")
    return PAGE


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.methods STORE [STORE ...]")
    print(write(read_stores(sys.argv[1:])))


if __name__ == "__main__":
    main()

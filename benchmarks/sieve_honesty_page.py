"""docs/sieve-honesty.md and its figure from the stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.results_markdown import listed, table, wrapped
from benchmarks.sieve_honesty import (
    BATCH,
    CLEAR,
    LEVEL,
    MEASURE,
    MOST_BATCHES,
    N_CERTIFYING,
    N_FOLDS,
    QUERIES,
)
from benchmarks.sieve_honesty_chart import chart
from benchmarks.sieve_honesty_data import CASES, N_DOCUMENTS, N_FEATURES
from benchmarks.sieve_honesty_figures import CLAIMS, ORDERS, Cell, Share, cells, order_figures
from ranksieve.data.atomic import replacing

Run = dict[str, Any]
PAGE, FIGURE = "sieve-honesty.md", "sieve-honesty.svg"
# From this many training queries on, "supported" is promised too.
SUPPORTED_FROM = 200
PROTOCOL = """
**Data**: {n_features} features and {n_documents} documents in each query, grades 0, 1 and 2
(60, 25 and 15 %) cut from a utility with noise of half its deviation. Each run draws its own truth.

**A run**: the sieve with {n_folds} folds, {measure}, level {level:g}, and the margin of the case;
{n_certifying} further queries certify. Then the models as they were frozen, trained on all training
queries with each set of the ladder, are measured on fresh queries of the same truth.

**Truly worse**: the mean over fresh queries is below what the margin allows. Queries come in
batches of {batch:,} until each set is {clear:g} standard errors from the margin, {most:,} at most.
The error of that estimate is given as a share of the margin; a set that is nearer to the margin
than two errors is "unclear", and counts as what the estimate says.

**Shares** are of all runs, those without a claim too: the chance that a sieve says something
wrong. Their intervals are exact binomial ones of 95 %: of 15 shares that are at the level, one is
shown to be above it by chance in three of ten such pages.

**All features** are no claim: a run that keeps them all is never wrong.
"""


def write_page(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write the page and its figure into a folder; return their paths."""
    paths = [folder / PAGE, folder / FIGURE]
    for path, text in zip(paths, ("\n".join(page(runs)), chart(cells(runs))), strict=True):
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return paths


def page(runs: Sequence[Run]) -> list[str]:
    """The lines of the page."""
    measured_cells = cells(runs)
    lines = [
        "# Does the sieve keep its promises?",
        "",
        "Written by `make sieve-honesty` from [sieve-honesty.jsonl](sieve-honesty.jsonl), which "
        "has a line for each run. On generated data the truth is known: how often is a set that "
        "the sieve certifies, supports or chooses truly worse than the margin allows?",
        "",
    ]
    if not runs:
        return [*lines, "Nothing was measured yet.", ""]
    return [
        *lines,
        *summary(runs),
        f"![Shares of wrong claims]({FIGURE})",
        "",
        *_errors(measured_cells),
        *_sizes(measured_cells),
        *_orders(runs),
        *_cases(),
        *_protocol(),
    ]


def summary(runs: Sequence[Run]) -> list[str]:
    """The promises, each with the cell that is worst; for other pages too."""
    measured_cells = cells(runs)
    rows = [
        _summary_row(measured_cells, "certified", 0, "a certified set is worse"),
        _summary_row(
            measured_cells,
            "choice, if supported",
            SUPPORTED_FROM,
            "the choice is supported, and worse",
        ),
        _summary_row(
            measured_cells,
            "smallest supported",
            SUPPORTED_FROM,
            "the smallest supported set is worse",
        ),
    ]
    head = ["*what must be rare", "largest share", "*where", f"*at most {LEVEL:g}, up to chance"]
    n_runs = [len(cell.runs) for cell in measured_cells]
    number = str(n_runs[0]) if min(n_runs) == max(n_runs) else f"{min(n_runs)} to {max(n_runs)}"
    return [
        f"{len(runs):,} runs, {number} for each case and number of training queries.",
        "",
        *table(head, [row for row in rows if row]),
    ]


def _summary_row(
    measured_cells: Sequence[Cell], claim: str, least_queries: int, title: str
) -> list[str] | None:
    promised = [cell for cell in measured_cells if cell.n_queries >= least_queries]
    if not promised:
        return None
    worst = max(promised, key=lambda cell: cell.wrong(claim).value)
    broken = [cell for cell in promised if cell.wrong(claim).above_level]
    since = f", from {least_queries} queries on" if least_queries else ""
    verdict = "no: " + ", ".join(map(_name, broken)) if broken else "yes"
    where = _name(worst) if worst.wrong(claim).count else "everywhere"
    return [title + since, _share(worst.wrong(claim)), where, verdict]


def _errors(measured_cells: Sequence[Cell]) -> list[str]:
    rows = [
        [
            cell.case,
            str(cell.n_queries),
            *(_share(cell.wrong(claim)) for claim in CLAIMS),
            f"{cell.truth_error:.2f}",
            _percent(cell.unclear),
        ]
        for cell in measured_cells
    ]
    head = [
        "*case",
        "queries",
        "certified",
        "choice, if supported",
        "smallest supported",
        "choice",
        "error of the truth",
        "unclear",
    ]
    return [
        "## How often a set is truly worse than the margin",
        "",
        "Shares of all runs, with their intervals; shares that are shown to be above the level "
        f"({LEVEL:g}) are bold where that is promised not to be. The last two columns: the "
        "standard error of the truth about the choice, in margins, and how often that truth is "
        "too near to the margin to be sure.",
        "",
        *table(head, [_bold(row, cell) for row, cell in zip(rows, measured_cells, strict=True)]),
    ]


def _bold(row: list[str], cell: Cell) -> list[str]:
    least = {"certified": 0, "choice, if supported": SUPPORTED_FROM}
    least["smallest supported"] = SUPPORTED_FROM
    for column, claim in enumerate(CLAIMS, start=2):
        promised = claim in least and cell.n_queries >= least[claim]
        if promised and cell.wrong(claim).above_level:
            row[column] = f"**{row[column]}**"
    return row


def _sizes(measured_cells: Sequence[Cell]) -> list[str]:
    rows = [
        [
            cell.case,
            str(cell.n_queries),
            *(_percent(cell.claimed(claim)) for claim in list(CLAIMS)[:3]),
            f"{cell.true_size:.1f}",
            f"{cell.choice_size:.1f}",
            *(_size(cell.size(claim)) for claim in ("smallest supported", "certified")),
            f"{cell.seconds:.2f}",
        ]
        for cell in measured_cells
    ]
    head = [
        "*case",
        "queries",
        "certified",
        "choice supported",
        "something supported",
        "features: truly enough",
        "choice",
        "smallest supported",
        "certified",
        "CPU s",
    ]
    return [
        "## How often something is claimed, and how small the sets are",
        "",
        "Shares of runs with a claim about fewer than all features, and mean numbers of features. "
        f"Truly enough: the smallest set of the ladder, of {N_FEATURES} features, that is not "
        "worse than the margin. Sizes of supported and certified sets are over the runs that have "
        "them. CPU seconds are of the whole run, with what looks for the truth.",
        "",
        *table(head, rows),
    ]


def _orders(runs: Sequence[Run]) -> list[str]:
    scopes = {str(n): [run for run in runs if run["queries"] == n] for n in _numbers(runs)}
    rows = [
        row
        for scope, part in scopes.items()
        for order in ORDERS
        if (row := _order_row(scope, part, order))
    ]
    head = [
        "queries",
        "*order of tests",
        "something certified",
        "choice or smaller",
        "wrong",
        "*wrong most often",
        "features",
        "features, or all",
    ]
    return [
        "## Which order of tests certifies most",
        "",
        "All cases together; the bets on each set are stored, so that any order can be looked at. "
        "Wrong: a set that is certified is truly worse. Features: the mean size of the smallest "
        "certified set, where there is one; and over all runs, with all features where there is "
        "none.",
        "",
        *table(head, rows),
    ]


def _order_row(scope: str, runs: Sequence[Run], order: str) -> list[str]:
    figures = order_figures(runs, order)
    by_case = {
        name: order_figures(part, order).wrong
        for name in CASES
        if (part := [run for run in runs if run["case"] == name])
    }
    worst = max(by_case, key=lambda name: by_case[name].value)
    return [
        scope,
        order,
        _percent(figures.certified),
        _percent(figures.choice),
        _share(figures.wrong),
        f"{worst} {_share(by_case[worst])}" if by_case[worst].count else "-",
        _size(figures.size),
        f"{figures.size_or_all:.1f}",
    ]


def _numbers(runs: Sequence[Run]) -> list[int]:
    return sorted({run["queries"] for run in runs})


def _cases() -> list[str]:
    rows = [
        [case.name, case.description, f"`{case.ranker}`", f"{100 * case.margin:g} %"]
        for case in CASES.values()
    ]
    return [
        "## Cases",
        "",
        *table(["*case", "*what decides the grades", "*ranker", "margin"], rows),
    ]


def _protocol() -> list[str]:
    filled = PROTOCOL.format(
        n_features=N_FEATURES,
        n_documents=N_DOCUMENTS,
        n_folds=N_FOLDS,
        measure=MEASURE,
        level=LEVEL,
        n_certifying=N_CERTIFYING,
        batch=BATCH,
        clear=CLEAR,
        most=BATCH * MOST_BATCHES,
    )
    notes = [line for line in wrapped(filled.strip()) if line]
    sizes = ", ".join(map(str, QUERIES))
    return ["## How it was measured", "", *listed([*notes, f"**Training queries**: {sizes}."])]


def _name(cell: Cell) -> str:
    return f"{cell.case} with {cell.n_queries} queries"


def _share(share: Share) -> str:
    return f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})"


def _percent(share: Share) -> str:
    return f"{100 * share.value:.0f} %"


def _size(size: float | None) -> str:
    return "-" if size is None else f"{size:.1f}"

"""Our results beside the published ones: docs/results.md, from stored runs.

    ranksieve compare --config letor --store runs.db
    ranksieve compare --config letor-rankers --store rankers.db
    python -m benchmarks.results runs.db rankers.db [figures.db ...]

Stores may come in any order and hold any of the built-in studies; what they lack is said on the
page. Charts are written beside it, what the study `letor` found as docs/results.html, and
docs/methods.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ranksieve
from benchmarks import methods
from benchmarks.published import data_folder
from benchmarks.published_tables import DATA
from benchmarks.results_claims import claim_table
from benchmarks.results_data import data_table
from benchmarks.results_field import field_section
from benchmarks.results_figures import figure_experiments
from benchmarks.results_headline import headline
from benchmarks.results_markdown import folded, short, table
from benchmarks.results_scpr import scpr_section
from benchmarks.results_sparse import sparse_tables
from benchmarks.results_sparse_figures import sparse_figures
from benchmarks.results_stores import NAMES, READINGS, Line, Stored, fold_means, read_stores
from benchmarks.results_tables import unified_ranks, value_tables
from benchmarks.results_tuning import tuning_tables
from ranksieve.data.atomic import replacing

DOCS = Path(__file__).parents[1] / "docs"
# Measures of the page; all eleven are in the tables of results.md.
SHOWN = ("letor-map", "letor-ndcg@1", "letor-ndcg@5", "letor-ndcg@10")


def page(stored: Stored, folder: Path, letor: Path | None = None) -> str:
    """The page's text; its charts are written into the folder. `letor` holds the data sets."""
    body = [
        "## FSMRank paper: Tables I, II and III",
        "",
        "Lai, Pan, Tang and Yu, 2013. The rankers of Table II are LETOR's own baselines, which "
        "the paper cites.",
        "",
        *value_tables(stored, "FSMRank"),
        "## Sparse RankSVM paper: Tables IV, V and VI",
        "",
        "Laporte, Flamary, Canu, Dejean and Mothe, 2014.",
        "",
        *sparse_tables(stored),
        *sparse_figures(stored, folder),
        "## FS-SCPR paper: Tables 5, 6, 9, 10, 11, 14, 15 and 16",
        "",
        "Yeh and Tsai, 2022. All rows but FS-SCPR and AdaRank-MAP repeat figures of the FSMRank "
        "paper.",
        "",
        *value_tables(stored, "FS-SCPR"),
        *unified_ranks(stored),
        *scpr_section(stored),
        *field_section(stored),
        *data_table(letor),
        *claim_table(stored),
        *tuning_tables(stored),
        "## Figure experiments",
        "",
        "Figures of training and selection times, FSMRank's Figure 5 and RankFilter's Figures 4 "
        "and 5, are in [times.md](times.md).",
        "",
        *figure_experiments(stored, folder),
    ]
    return "\n".join([*_head(stored), *body, *_names(stored), *_traces(stored)])


def _head(stored: Stored) -> list[str]:
    rows = [
        [name, f"`{results.command or '?'}`", f"{results.n_trials:,}", str(len(results.failures))]
        for name, results in stored.studies.items()
    ]
    versions = next((r.versions for r in stored.studies.values()), {})
    built_with = ", ".join(f"{name} {version}" for name, version in versions.items())
    return [
        "# Results beside the published ones",
        "",
        *headline(stored),
        "## How this was made",
        "",
        f"Written by `make results` with ranksieve {ranksieve.__version__} from "
        f"stored runs{f' ({built_with})' if built_with else ''}. [studies.md](studies.md) says how "
        "to make them.",
        "",
        *table(["*study", "*command", "trials", "failed"], rows),
        "*Published* is as printed, *ranksieve* the mean over five folds of the mean over a fold's "
        "test queries, in LETOR's convention; settings and number of features are those that the "
        "validation part chose by MAP. Beneath a row stand other readings of the method, and "
        "relatives of it.",
        "",
        "The published figures are of the same queries as ours, so a difference comes from the "
        "models: other settings were tried or chosen, or a solver ended elsewhere. A *standard "
        "error*, of our mean over all test queries, says how far other queries would move a "
        "figure. The data sets are small: with OHSUMED's 106 queries it is about 0.02, several "
        "times what lies between the methods of a table, so that an order of methods, published "
        "or ours, may rest on the queries drawn. *Between the methods of the table* is the best "
        "published value less the worst.",
        "",
    ]


def _names(stored: Stored) -> list[str]:
    rows = [
        [name, " or ".join(str(line) for line in lines), _stored_on(stored, name)]
        for name, lines in NAMES.items()
    ]
    rows += [
        [f"{name}: {each.label}", str(each.line), _reading_stored_on(stored, each.line)]
        for name, readings in READINGS.items()
        for each in readings
    ]
    return [
        "## Names",
        "",
        "What stands for the papers' rows: the method, its ranker, and the study. *Own weights* "
        "are those of an embedded method's model, with all features that it keeps; *refit* is a "
        "ranker trained on its features.",
        "",
        *table(["*row of a paper", "*here", "*stored"], rows),
    ]


def _stored_on(stored: Stored, name: str) -> str:
    return ", ".join(d for d in DATA if stored.row(name, d) is not None) or "no"


def _reading_stored_on(stored: Stored, line: Line) -> str:
    return ", ".join(d for d in DATA if stored.line(line, d) is not None) or "no"


def _traces(stored: Stored) -> list[str]:
    """What each fold chose, with the row of the store that each number comes from."""
    rows, seen = [], set()
    for (_, data), (line, outcome) in stored.used.items():
        if (line, data) in seen:
            continue
        seen.add((line, data))
        measure = next(iter(outcome.values))
        for chosen, value in zip(outcome.folds, fold_means(outcome, measure), strict=True):
            setting = " + ".join(f"`{t}`" for t in (chosen.selector, chosen.ranker) if t)
            validation = chosen.validation.get(measure)
            rows.append(
                [
                    str(line),
                    data,
                    chosen.fold,
                    str(chosen.trial),
                    setting,
                    str(len(chosen.features)),
                    "" if validation is None else f"{validation:.4f}",
                    f"{value:.4f}",
                ]
            )
    if not rows:
        return []
    label = short(next(iter(next(iter(stored.used.values()))[1].values)))
    head = ["*line", "*data", "*fold", "trial", "*chosen", "features"]
    return [
        "## What each fold chose",
        "",
        *folded(
            "Settings, features and the row of the store, a fold",
            table([*head, f"{label}, validation", f"{label}, test"], rows),
        ),
    ]


def write_page(stored: Stored, path: Path) -> bool:
    """Write what the study `letor` found as a still page; False where it is in no store.

    The page that filters, with every number and every choice, is
    `ranksieve report letor.db -o report.html`: five times as large.
    """
    from ranksieve.report import static_page

    results = stored.studies.get("letor")
    if results is None:
        return False
    with replacing(path) as temporary:
        temporary.write_text(static_page(results, measures=SHOWN), encoding="utf-8")
    return True


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.results STORE [STORE ...]")
    stored = read_stores(sys.argv[1:])
    text = page(stored, DOCS, data_folder())
    with replacing(DOCS / "results.md") as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(DOCS / "results.md")
    print(methods.write(stored))
    if write_page(stored, DOCS / "results.html"):
        print(DOCS / "results.html")


if __name__ == "__main__":
    main()

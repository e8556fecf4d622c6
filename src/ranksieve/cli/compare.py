"""ranksieve compare: selection methods under one protocol, in a store that survives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.experiment import Study

_EXAMPLES = """\b
Examples:
  ranksieve compare MQ2008 OHSUMED --selectors GAS,FSSCPR,FSMRank --rankers RankSVM --store runs.db
  ranksieve compare MQ2008 --selectors 'GAS(balance=[0, 0.1, 1])' --k 5,10,all --store runs.db
  ranksieve compare --config study.toml --store runs.db --workers 4
  ranksieve compare --config letor --store runs.db --plan
  ranksieve report runs.db -o report.html
"""


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("folders", nargs=-1, metavar="[DATA]...")
@click.option(
    "-s",
    "--selectors",
    metavar="LIST",
    help="Selectors with commas, as in Python; a list for a parameter is a grid: "
    "'GAS(balance=[0, 0.1])'. 'all' for every one, 'none' for rankers alone.",
)
@click.option("-r", "--rankers", metavar="LIST", help="Rankers, likewise.  [default: RankSVM]")
@click.option(
    "-k", "--k", "numbers", metavar="LIST", help="Numbers of features: 1,2,5,10,20,all (default)."
)
@click.option("--measures", metavar="LIST", help="The first one chooses.  [default: ndcg@10,map]")
@click.option(
    "--variants",
    metavar="LIST",
    help="Of sparse models: 'weights' as they are, 'refit' of a ranker, or both (default).",
)
@click.option(
    "--tune",
    type=click.Choice(["joint", "ranker-first"]),
    help="Choose all settings together (default), or the ranker's first, with all features, and "
    "the rest with that: far fewer trials.",
)
@click.option("--grade", metavar="NAME", help="Parquet: the column with grades.")
@click.option("--query", metavar="NAME", help="Parquet: the column with query ids.")
@click.option("--document", metavar="NAME", help="Parquet: the column with document ids.")
@click.option("--seed", type=click.IntRange(min=0), help="Of whatever is random.  [default: 0]")
@click.option("--title", metavar="TEXT", help="What the report is called.")
@click.option(
    "-c", "--config", metavar="FILE", help="A study in TOML, or the name of one that is built in."
)
@click.option("--store", metavar="FILE", help="Where trials are kept; a run does what is missing.")
@click.option(
    "-w", "--workers", type=click.IntRange(min=1), help="Processes.  [default: one a core]"
)
@click.option("--retry-failed", is_flag=True, help="Do trials again that ended with an error.")
@click.option("--many", is_flag=True, help="Do it though the study has more than 200,000 trials.")
@click.option("--plan", "only_plan", is_flag=True, help="Show the plan, and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    folders: tuple[str, ...],
    store: str | None,
    workers: int | None,
    retry_failed: bool,
    many: bool,
    only_plan: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Compare selection methods on the folds of data sets.

    DATA is a folder with Fold1, Fold2, ..., each with train, vali and test; or one file, LETOR text
    or Parquet, which is cut into five folds by query. Features are selected and models trained
    on train, settings chosen on vali, and results are of test. Every finished trial is kept at
    once: after Ctrl-C, or a crash, the same command does only what is missing.
    """
    from ranksieve.cli._comparison import print_results, run_study

    if store is None and not only_plan:
        raise click.UsageError("--store FILE is needed: trials are kept there.")
    study = _study(folders, asked)
    done = run_study(
        study,
        store or "",
        workers=workers,
        retry_failed=retry_failed,
        many=many,
        only_plan=only_plan,
    )
    if done is not None:
        print_results(done, store or "", as_json=as_json)


def _study(folders: tuple[str, ...], asked: dict[str, Any]) -> Study:
    from ranksieve.experiment import Study, read_study

    given: dict[str, Any] = {"data": _sources(folders, asked)} if folders else {}
    for name in ("selectors", "rankers", "measures", "variants"):
        if asked[name] is not None:
            given[name] = _components(name, asked[name])
    if asked["numbers"] is not None:
        given["numbers"] = [_number(text) for text in split(asked["numbers"])]
    given |= {name: asked[name] for name in ("seed", "title", "tune") if asked[name] is not None}
    if asked["config"] is not None:
        return read_study(asked["config"], **given)
    if not folders:
        raise click.UsageError("give DATA, a folder with folds or a file, or --config STUDY.")
    if "selectors" not in given:
        raise click.UsageError("--selectors is needed: names such as GAS,FSMRank, or 'all'.")
    return Study(**given)


def _sources(folders: tuple[str, ...], asked: dict[str, Any]) -> list[Any]:
    from ranksieve.sources import as_source

    named = {name: asked[name] for name in ("grade", "query", "document") if asked[name]}
    return [as_source(folder, **named) for folder in folders]


def _components(name: str, text: str) -> list[str]:
    from ranksieve.catalog import entries

    if name in ("selectors", "rankers") and text.strip().lower() == "all":
        return [entry.class_name for entry in entries(name)]
    return [] if text.strip().lower() == "none" else split(text)


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def split(text: str) -> list[str]:
    """Return the parts of a text between commas that stand outside brackets and quotes.

    Examples
    --------
    >>> split('GAS(balance=[0, 1]), TopK("ndcg@10, or so"),FSSCPR')
    ['GAS(balance=[0, 1])', 'TopK("ndcg@10, or so")', 'FSSCPR']
    """
    parts, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        if sign == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]

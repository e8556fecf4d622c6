"""ranksieve compare: selection methods under one protocol, in a store that survives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import (
    READING,
    check_validation,
    cluster_option,
    load_options,
    reading_options,
    validation_options,
)

if TYPE_CHECKING:
    from ranksieve.experiment import Study

_EXAMPLES = """\b
Examples:
  ranksieve compare MQ2008 --quick --store runs.db
  ranksieve compare MQ2008 OHSUMED --selectors GAS,FSSCPR,FSMRank --rankers RankSVM --store runs.db
  ranksieve compare MQ2008 --selectors 'GAS(balance=[0, 0.1, 1])' --k 5,10,all --store runs.db
  ranksieve compare train.txt --validation vali.txt --test test.txt -s GAS --store runs.db
  ranksieve compare train.csv --grade label --query qid --exclude 'url*' -s all --store runs.db
  ranksieve compare --config study.toml --store runs.db --workers 4
  ranksieve compare --config study.toml --store runs.db --cluster tcp://10.0.0.1:8786
  ranksieve compare --config letor --store runs.db --plan
  ranksieve report runs.db -o report.html
"""
# Of a first look: too few features to be of use are left out.
_QUICK_NUMBERS = (5, 10, 20, "all")


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("folders", nargs=-1, metavar="[DATA]...")
@click.option(
    "-s",
    "--selectors",
    metavar="LIST",
    help="Selectors with commas, as in Python; a list for a parameter is a grid: "
    "'GAS(balance=[0, 0.1])'. 'all' for every one, 'none' for rankers alone.  [default: TopK, GAS, "
    "SparseRankSVM and FSMRank, the first two by the first measure]",
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
@click.option(
    "--quick",
    is_flag=True,
    help="A first look: numbers of features 5,10,20,all and `--tune ranker-first`, where these "
    "options are not given. MQ2008 takes less than two minutes on two cores.",
)
@click.option(
    "--test", metavar="DATA", help="The test part; DATA is then one file, the train part."
)
@click.option("--seed", type=click.IntRange(min=0), help="Of whatever is random.  [default: 0]")
@click.option("--title", metavar="TEXT", help="What the report is called.")
@click.option(
    "-c", "--config", metavar="FILE", help="A study in TOML, or the name of one that is built in."
)
@click.option("--store", metavar="FILE", help="Where trials are kept; a run does what is missing.")
@click.option(
    "-w", "--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]"
)
@click.option("--retry-failed", is_flag=True, help="Do trials again that ended with an error.")
@click.option("--many", is_flag=True, help="Do it though the study has more than 200,000 trials.")
@click.option("--plan", "only_plan", is_flag=True, help="Show the plan, and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@validation_options
@cluster_option
@reading_options()
def command(
    folders: tuple[str, ...],
    store: str | None,
    workers: int | None,
    cluster: str | None,
    retry_failed: bool,
    many: bool,
    only_plan: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare selection methods on the folds of data sets.

    DATA is a folder with Fold1, Fold2, ..., each with train, vali and test, or one such fold; or
    one file, LETOR text, CSV or Parquet, which is cut into five folds by query; or the train part,
    with --test and --validation. Features are selected and models trained on train, settings
    chosen on vali, and results are of test. Where there is no vali part, --validation-share takes
    one out of train. Every finished trial is kept at once: after Ctrl-C, or a crash, the same
    command does only what is missing.
    """
    from ranksieve.cli._comparison import print_plan, print_results, run_study

    if store is None and not only_plan:
        raise click.UsageError("--store FILE is needed: trials are kept there.")
    if workers is not None and cluster is not None:
        raise click.UsageError(
            "--workers are processes of this machine, and a --cluster has workers: give one."
        )
    study = _study(folders, options)
    if options["quick"]:
        click.echo(_left_out(study), err=True)
    if store is None or only_plan:
        print_plan(study, store, workers=workers, retry_failed=retry_failed)
        return
    results = run_study(
        study, store, workers=workers, cluster=cluster, retry_failed=retry_failed, many=many
    )
    print_results(results, store, as_json=as_json)


def _study(folders: tuple[str, ...], options: dict[str, Any]) -> Study:
    from ranksieve.experiment import Study, read_study

    check_validation(options["validation"], options["validation_share"])
    parameters: dict[str, Any] = {"data": _sources(folders, options)} if folders else {}
    for name in ("selectors", "rankers", "measures", "variants"):
        if options[name] is not None:
            parameters[name] = _components(name, options[name])
    if options["numbers"] is not None:
        parameters["numbers"] = [_number(text) for text in split(options["numbers"])]
    for name in ("seed", "title", "tune"):
        if options[name] is not None:
            parameters[name] = options[name]
    if options["config"] is not None:
        if options["quick"]:
            raise click.UsageError("--quick goes with DATA: a study's file says what it does.")
        return _read_otherwise(read_study(options["config"], **parameters), folders, options)
    if not folders:
        raise click.UsageError("give DATA, a folder with folds or a file, or --config STUDY.")
    if options["quick"]:
        parameters = {"numbers": list(_QUICK_NUMBERS), "tune": "ranker-first"} | parameters
    if "selectors" not in parameters:
        parameters["selectors"] = _default_selectors(parameters.get("measures"))
    return Study(**parameters)


def _default_selectors(measures: list[str] | None) -> list[str]:
    """Return filters by the measure that chooses, and the sparse models that train fastest."""
    from ranksieve.experiment.study import MEASURES

    measure = (measures or MEASURES)[0]
    return [f"TopK({measure!r})", f"GAS(importance={measure!r})", "SparseRankSVM", "FSMRank"]


def _left_out(study: Study) -> str:
    """Return what a quick study does not do, and how to have it."""
    from ranksieve.catalog import entries
    from ranksieve.experiment.study import JOINT, NUMBERS

    parts = []
    numbers = [str(number) for number in NUMBERS if number not in study.counts]
    if numbers:
        parts.append(f"numbers of features {', '.join(numbers)} (--k)")
    if study.tune != JOINT:
        parts.append("settings of rankers that suit few features better than all (--tune joint)")
    for family in ("selectors", "rankers"):
        tried = {text.split("(")[0].lower() for _, text in getattr(study, family)}
        names = [each.class_name for each in entries(family)]
        absent = [name for name in names if name.lower() not in tried]
        if absent:
            parts.append(f"{len(absent)} {family} (--{family}): {', '.join(absent)}")
    return f"--quick leaves out: {'; '.join(parts)}."


def _sources(folders: tuple[str, ...], options: dict[str, Any]) -> list[Any]:
    from ranksieve.sources import TrainTest, as_source

    changes = _changes(options)
    if options["test"] is None:
        if options["validation"] is not None:
            raise click.UsageError(
                "--validation goes with --test: DATA is then the train part, one file."
            )
        return [as_source(folder, **changes) for folder in folders]
    if len(folders) != 1:
        raise click.UsageError(f"--test goes with one DATA, the train part, not {len(folders)}.")
    source = TrainTest(folders[0], options["test"], options["validation"])
    return [as_source(source, **changes)]


def _changes(options: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of sources that were given: how data is read, and what validates."""
    reading = load_options({name: options[name] for name in READING})
    if isinstance(reading.get("features"), tuple):
        reading["features"] = tuple(reading["features"])
    share = options["validation_share"]
    return reading if share is None else reading | {"validation_share": share}


def _read_otherwise(study: Study, folders: tuple[str, ...], options: dict[str, Any]) -> Study:
    """Return a study whose own data, where no other is given, is read by these options."""
    from dataclasses import replace

    from ranksieve.sources import as_source

    changes = _changes(options)
    if not folders and options["test"] is not None:
        raise click.UsageError("--test goes with DATA, the train part.")
    if folders or not changes:
        return study
    return replace(study, data=[as_source(source, **changes) for source in study.sources])


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

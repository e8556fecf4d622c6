"""ranksieve sieve: which features can go, at what cost, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import cluster_option, on_cluster, read, reading_options

if TYPE_CHECKING:
    from ranksieve.data import RankingData
    from ranksieve.sieve import Sieve, SieveResult

_EXAMPLES = """\b
Examples:
  ranksieve sieve train.txt
  ranksieve sieve train.txt --margin 0.02 --certify 0.3 -o sieved
  ranksieve sieve train.txt --certify unseen.txt --ranker 'RankSVM(C=0.01)' -o sieved
  ranksieve sieve train.csv --grade label --query qid --costs costs.csv --budget 200 -o sieved
"""
# What a shell expects of a command that Ctrl-C ended.
_INTERRUPTED = 130
# Names that the terminal lists of each kind: all are in the files.
_LISTED = 12


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("train")
@click.option(
    "-r",
    "--ranker",
    help="What ranks with the features, as in Python: 'LightGBMRanker(300, 0.05)'.  [default: "
    "LightGBMRanker where LightGBM is installed, else RankSVM]",
)
@click.option("-m", "--measure", default="ndcg@10", show_default=True, help="What may be lost.")
@click.option(
    "--margin",
    default="0.01",
    show_default=True,
    help="The largest loss that counts as none: a share of the measure with all features, such as "
    "0.01 or '1 %', or an amount of it, such as '0.005 ndcg'.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The chance that a claim may be wrong.",
)
@click.option(
    "--certify",
    metavar="DATA|SHARE",
    help="Queries that nothing else sees, to prove the claim: a file, or a share of TRAIN.",
)
@click.option(
    "--reopen",
    is_flag=True,
    help="Look again at queries that certified before; that is marked, and certifies nothing.",
)
@click.option(
    "--validation",
    metavar="DATA",
    help="Queries on which the final ranker chooses its number of rounds; the search uses them "
    "like those of TRAIN.",
)
@click.option("--costs", metavar="FILE", help="CSV with the columns feature, cost and group.")
@click.option("--budget", type=float, help="What the features may cost; the best set within it.")
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Folds of the search."
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    help="How often queries are dealt into folds.  [default: 2, and 1 above 2,000 queries]",
)
@click.option(
    "--search-queries",
    type=click.IntRange(min=20),
    help="Queries that the search uses.  [default: up to 2,000 all, of more as many as the margin "
    "needs, from 1,000 to 2,000]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "-o",
    "--out",
    metavar="FOLDER",
    help="Where features.json, the model, sieve.json, report.html and the trainings go; a second "
    "run goes on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@cluster_option
@reading_options()
def command(
    train: str,
    out: str | None,
    cluster: str | None,
    as_json: bool,
    certify: str | None,
    validation: str | None,
    folds: int,
    seed: int,
    margin: str,
    **options: Any,
) -> None:
    """Find the smallest, or cheapest, set of features with which a ranker is not worse.

    The choice is the set to take; the claim is what the data proves about it. Queries judge only
    sets that they did not choose. With -o, the features, the model trained on them, all figures
    and a page that shows them are written into a folder. Ctrl-C gives the best answer so far; a
    second one ends it.
    """
    from ranksieve.cli._data import READING
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._output import print_json
    from ranksieve.cli._progress import progress_bars

    reading = {name: options.pop(name) for name in READING if name in options}
    with plain_warnings(), progress_bars(), on_cluster(cluster):
        from ranksieve.sieve import Sieve, best_so_far

        folder = None if out is None else _made(out)
        data = read(train, **reading)
        sieve = Sieve(
            margin=_number(margin),
            certify=_certifying(certify, reading),
            validation=None if validation is None else read(validation, **reading),
            cv=folds,
            random_state=seed,
            store=None if folder is None else folder / "trainings.db",
            **options,
        )
        with best_so_far():
            sieve.fit(data)
    files = [] if folder is None else write_answer(sieve, data, train, folder)
    if as_json:
        print_json(sieve.result_.as_dict())
    else:
        print_answer(sieve.result_, files)
    if sieve.result_.making.interrupted:
        raise SystemExit(_INTERRUPTED)


def _made(out: str) -> Path:
    from ranksieve.errors import DataError

    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {out}: {error.strerror or error}.") from None
    return folder


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _certifying(text: str | None, reading: dict[str, Any]) -> Any:
    if text is None or isinstance(_number(text), float):
        return None if text is None else _number(text)
    return read(text, **reading)


def write_answer(sieve: Sieve, data: RankingData, source: str, folder: Path) -> list[str]:
    """Write what others read: the features, the model, everything, and a page of it."""
    from ranksieve.cli._features import features_content
    from ranksieve.cli._output import write_json
    from ranksieve.data.atomic import replacing
    from ranksieve.report import sieve_page

    # Where trainings are kept, and which queries certify, is no part of the method.
    method = repr(_without(sieve, "store", "certify", "validation", "reopen"))
    model = folder / ("model.txt" if "LightGBM" in sieve.result_.ranker else "model.json")
    features = {**features_content(sieve, data, source), "method": method}
    write_json(features, str(folder / "features.json"))
    sieve.model_.save(model)
    write_json(
        {"format": "ranksieve-sieve", "method": method, **sieve.result_.as_dict()},
        str(folder / "sieve.json"),
    )
    page = sieve_page(sieve.result_, source=source, features=str(folder / "features.json"))
    with replacing(folder / "report.html") as temporary:
        temporary.write_text(page, encoding="utf-8")
    names = ("features.json", model.name, "sieve.json", "report.html")
    return [str(folder / name) for name in names]


def _without(sieve: Sieve, *names: str) -> Sieve:
    """Return a copy, not fitted, in which some parameters have their default."""
    defaults = type(sieve)().get_params(deep=False)
    parameters = {**sieve.get_params(deep=False), **{name: defaults[name] for name in names}}
    return type(sieve)(**parameters)


def print_answer(result: SieveResult, files: list[str]) -> None:
    """Print the answer: what is kept, the claim, the names, the costs and the files."""
    from ranksieve.cli._output import console

    answer, claim = result.sentences()
    console().print(answer, style="bold")
    console().print(claim)
    for heading, kept in (("Keep", True), ("Drop", False)):
        names = [feature.name for feature in result.features if feature.kept is kept]
        console().print(f"{heading} ({len(names)}): {_listed(names)}")
    if result.priced:
        console().print(f"Cost: {result.chosen.price:g} instead of {result.full_price:g}.")
    console().print(f"Ranker: {result.ranker}.")
    if files:
        console().print(f"Written: {', '.join(files)}.")


def _listed(names: list[str]) -> str:
    """Return names with commas; of many, the first.

    Examples
    --------
    >>> _listed(["a", "b"]), _listed([])
    ('a, b', 'none')
    >>> _listed([str(number) for number in range(14)])
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more'
    """
    if len(names) <= _LISTED:
        return ", ".join(names) or "none"
    return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED} more"

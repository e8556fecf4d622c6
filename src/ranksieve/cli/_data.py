"""The options of commands that read ranking data: the same in all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.data import RankingData
    from ranksieve.passes.cluster import Cluster

_REFUSED = "'error' (default), a number, or 'query-minimum'"
_COUNTED = "counted, then filled by 'query-minimum' (default) or a number; or 'error'"


def _missing(rules: str) -> Callable[..., Any]:
    return click.option("--missing", metavar="RULE", help=f"Missing values: {rules}.")


def _limited(context: click.Context, _: click.Parameter, size: str | None) -> None:
    """Set the limit for the whole command."""
    if size is not None:
        from ranksieve.data.memory import memory

        context.with_resource(memory(size))


_OPTIONS = (
    click.option(
        "--grade", metavar="NAME", help="Tables: the column with grades; a name, or its position."
    ),
    click.option(
        "--query", metavar="NAME", help="Tables: the column with query ids. Logs: its field."
    ),
    click.option(
        "--document", metavar="NAME", help="Tables: the column with document ids. Logs: its field."
    ),
    click.option(
        "--task",
        metavar="NAME",
        help="Tables: the column with the task of each query, for methods that learn several. "
        "Text: the number of a feature that holds it.",
    ),
    click.option(
        "--features",
        metavar="LIST",
        help="Features to use, with commas: names, numbers, ranges 6-10, patterns 'url_*'; or a "
        "file of `ranksieve select`.  [default: all]",
    ),
    click.option("--exclude", metavar="LIST", help="Features to leave out, likewise."),
    click.option(
        "--names",
        metavar="FILE",
        help="Names of features, one per line: of text, and of CSV without a header.",
    ),
    click.option(
        "--columns",
        metavar="FILE",
        help="CSV: CatBoost's description of the columns, a .cd file. One beside DATA is found.",
    ),
    click.option(
        "--header/--no-header", default=None, help="CSV: whether its first line names columns."
    ),
    click.option(
        "--group-sizes",
        metavar="FILE",
        help="Text without qid: a file with the number of documents of each query.",
    ),
    click.option("--n-features", type=int, help="Text: features, if the last are all 0."),
    click.option("--zero-based", is_flag=True, help="Text: features are numbered from 0."),
    click.option(
        "--judgements",
        metavar="FILE",
        help="Logs of search engines: grades, as TREC qrels or a CSV of query, document, grade.",
    ),
    click.option(
        "--dtype",
        type=click.Choice(["float32", "float64"]),
        help="Precision of values: float32 (default) keeps seven digits.",
    ),
    click.option(
        "--memory",
        metavar="SIZE",
        callback=_limited,
        expose_value=False,
        help="Memory for features, such as 2GiB; larger data stays on disk.  [default: half of "
        "what is free]",
    ),
)
_SORT = click.option("--sort", is_flag=True, help="Bring rows of a query together.")
_VALIDATION = (
    click.option(
        "--validation", metavar="DATA", help="Validation queries, of a file of their own."
    ),
    click.option(
        "--validation-share",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="SHARE",
        help="Validation queries: this share of DATA's queries, drawn at random, such as 0.2.",
    ),
)
_CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Work on a Dask cluster: tcp://host:port of its scheduler, or local:4 for four processes "
    "of this machine.",
)
# Names of the parameters that `load` takes: what a command with these options has in `**reading`.
READING = (
    "missing",
    "grade",
    "query",
    "document",
    "task",
    "features",
    "exclude",
    "names",
    "columns",
    "header",
    "group_sizes",
    "n_features",
    "zero_based",
    "judgements",
    "dtype",
    "sort",
)


def reading_options(
    *, order_stays: bool = False, counted: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options that say how to read DATA.

    Parameters
    ----------
    order_stays : bool
        The command needs documents in the order of the file: rows are not brought together.
    counted : bool
        The command counts missing values, so that they are no error.
    """
    options = (_missing(_COUNTED if counted else _REFUSED), *_OPTIONS)
    return _adding(options if order_stays else (*options, _SORT))


def validation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which queries are for choosing."""
    return _adding(_VALIDATION)(command)


def cluster_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that names a cluster."""
    return _CLUSTER(command)


def on_cluster(address: str | None) -> AbstractContextManager[Cluster | None]:
    """Let the commands inside the `with` work on a cluster, where one was named."""
    if address is None:
        return nullcontext()
    from ranksieve.passes.cluster import cluster

    return cluster(address)


def to_workers(data: RankingData) -> RankingData:
    """Return the data in the memory of the cluster's workers, where one was named."""
    from ranksieve.passes.cluster import active_cluster, place

    return data if active_cluster() is None else place(data)


def _adding(
    options: tuple[Callable[..., Any], ...],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def read(source: str, **options: Any) -> RankingData:
    """Load DATA with the options that were given."""
    from ranksieve.data import load

    _refuse_results(source)
    return load(source, **load_options(options))


def read_parts(
    source: str, validation: str | None, share: float | None, **options: Any
) -> tuple[RankingData, RankingData | None]:
    """Load DATA and its validation queries: of a file, a share of DATA's, or None."""
    from ranksieve.data import set_aside

    check_validation(validation, share)
    data = read(source, **options)
    if share is not None:
        return set_aside(data, share)
    return data, None if validation is None else read(validation, **options)


def check_validation(validation: str | None, share: float | None) -> None:
    """Raise where validation queries are asked for twice."""
    if validation is not None and share is not None:
        raise click.UsageError(
            "--validation names queries and --validation-share draws them: give one of the two."
        )


def _refuse_results(source: str) -> None:
    """Raise if a file is one that another command wrote, and no data."""
    from ranksieve.data.model_marks import is_model_file
    from ranksieve.errors import DataError

    if is_model_file(source):
        raise DataError(
            f"{source} is a model that `ranksieve train` wrote, and no data. Are the arguments in "
            "the wrong order? It is `predict MODEL DATA`, and `evaluate DATA MODEL`."
        )


def load_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, as the library takes them."""
    from ranksieve.cli._features import listed_features

    chosen = {
        name: value
        for name, value in options.items()
        if value is not None and (name in ("graded", "header") or value is not False)
    }
    for name in ("features", "exclude"):
        if isinstance(chosen.get(name), str):
            chosen[name] = listed_features(chosen[name], f"--{name}")
    if "missing" in chosen:
        chosen["missing"] = _number_or_text(chosen["missing"])
    return chosen


def _number_or_text(text: str | float) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

"""The options of commands that read ranking data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.data import RankingData


def _missing(rules: str) -> Callable[..., Any]:
    return click.option("--missing", metavar="RULE", help=f"Missing values: {rules}.")


_FEATURE_COLUMNS = click.option(
    "--features", metavar="NAMES", help="Parquet: feature columns, with commas."
)
_OPTIONS = (
    click.option("--grade", metavar="NAME", help="Parquet: the column with grades."),
    click.option("--query", metavar="NAME", help="Parquet: the column with query ids."),
    click.option("--document", metavar="NAME", help="Parquet: the column with document ids."),
    click.option(
        "--group-sizes",
        metavar="FILE",
        help="Text without qid: a file with the number of documents of each query.",
    ),
    click.option(
        "--dtype",
        type=click.Choice(["float32", "float64"]),
        help="Precision of values: float32 (default) keeps seven digits.",
    ),
)
_WIDTH = click.option("--n-features", type=int, help="Text: features, if the last are all 0.")
_IN_MEMORY = (
    _WIDTH,
    click.option("--sort", is_flag=True, help="Bring rows of a query together."),
)


_REFUSED = _missing("'error' (default), a number, or 'query-minimum'")
_COUNTED = _missing("counted, then filled by 'query-minimum' (default) or a number; or 'error'")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to read DATA."""
    return _with_options(command, _FEATURE_COLUMNS, *_OPTIONS, _REFUSED, *_IN_MEMORY)


def streaming_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to read DATA whose order must stay."""
    return _with_options(command, _FEATURE_COLUMNS, *_OPTIONS, _REFUSED)


def training_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to read DATA whose features the command chooses itself."""
    return _with_options(command, *_OPTIONS, _REFUSED, *_IN_MEMORY)


def predicting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to read DATA whose order must stay and features are known."""
    return _with_options(command, *_OPTIONS, _REFUSED, _WIDTH)


def inspecting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to read DATA whose values may be missing."""
    return _with_options(command, _FEATURE_COLUMNS, *_OPTIONS, _COUNTED, *_IN_MEMORY)


def _with_options(command: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def read(source: str, **options: Any) -> RankingData:
    """Load DATA with the options that were given."""
    from ranksieve.data import load

    _refuse_results(source)
    return load(source, **given(options))


def _refuse_results(source: str) -> None:
    """Raise if a file is one that another command wrote, and no data."""
    from ranksieve.data.model_marks import is_model_file
    from ranksieve.errors import DataError

    if is_model_file(source):
        raise DataError(
            f"{source} is a model that `ranksieve train` wrote, and no data. Are the arguments in "
            "the wrong order? It is `predict MODEL DATA`, and `evaluate DATA MODEL`."
        )


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, as the library takes them."""
    chosen = {
        name: value
        for name, value in options.items()
        if name == "graded" or value not in (None, False)
    }
    if isinstance(chosen.get("features"), str):
        chosen["features"] = [name.strip() for name in chosen["features"].split(",")]
    if "missing" in chosen:
        chosen["missing"] = _number_or_text(chosen["missing"])
    return chosen


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

"""ranksieve predict: the scores that a trained model gives documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import reading_options
from ranksieve.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ranksieve.data import RankingData

_EXAMPLES = """\b
Examples:
  ranksieve predict model.json test.txt -o scores.txt
  ranksieve predict model.json test.txt | ranksieve evaluate test.txt -
"""
# Lines that are made into text at a time.
_LINES = 1 << 16


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("model")
@click.argument("data")
@click.option("-o", "--out", metavar="FILE", help="Write the scores to a file.")
@click.option("-f", "--force", is_flag=True, help="Replace FILE if it exists.")
@reading_options(order_stays=True)
def command(model: str, data: str, out: str | None, force: bool, **reading: Any) -> None:
    """Print the score that MODEL gives each document of DATA: one number per line.

    MODEL is a file of `ranksieve train`. Features are matched by name; DATA may have more.
    Grades in DATA are not used.
    """
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._output import check_out, console
    from ranksieve.cli._progress import progress_bars

    if out is not None:
        for source in (data, model):
            check_out(out, source=source, force=force)
    with plain_warnings(), progress_bars():
        # Here, where a terminal is told after two seconds that something is under way.
        from ranksieve.rankers import load_ranker

        scores = predicted(load_ranker(model), data, graded=False, **reading)[1]
    if out is None:
        _print(scores)
    else:
        _write(scores, out)
        console().print(f"{len(scores):,} scores written to {out}.")


def predicted(ranker: Any, source: str, **reading: Any) -> tuple[RankingData, NDArray[np.float64]]:
    """Return DATA in its own order, with the features of the model, and their scores."""
    from ranksieve.cli._features import read_features_of_model

    try:
        data = read_features_of_model(source, ranker, **reading)
    except DataError as error:
        # Sorted, its documents would no longer be those that the scores are for.
        raise DataError(str(error).replace("Pass sort=True", "Sort DATA by query first")) from None
    return data, ranker.predict(data)


def _print(scores: NDArray[np.float64]) -> None:
    import sys

    for start in range(0, len(scores), _LINES):
        sys.stdout.write(_text(scores[start : start + _LINES]))


def _write(scores: NDArray[np.float64], path: str) -> None:
    from ranksieve.data.atomic import replacing

    with replacing(path) as temporary, temporary.open("w", encoding="ascii") as file:
        for start in range(0, len(scores), _LINES):
            file.write(_text(scores[start : start + _LINES]))


def _text(scores: NDArray[np.float64]) -> str:
    # repr gives the shortest text that is read back as the same number.
    return "".join(f"{score!r}\n" for score in scores.tolist())

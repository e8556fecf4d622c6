"""ranksieve select: an order of the features, and the first k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import (
    check_validation,
    cluster_option,
    on_cluster,
    read,
    reading_options,
    to_workers,
    validation_options,
)

if TYPE_CHECKING:
    from ranksieve.choices import ValidationCurve
    from ranksieve.data import RankingData
    from ranksieve.selectors import Selector


_EXAMPLES = """\b
Examples:
  ranksieve select train.txt -k 10
  ranksieve select train.txt --method 'GAS(importance="ndcg@10", balance=0.3)' -k 10
  ranksieve select train.txt -k validation --validation vali.txt --ranker LightGBMRanker
  ranksieve select train.txt --method 'SparseRankSVM(penalty="mcp")'
"""

_VALIDATION, _AUTO = "validation", "auto"
# By the measure that rankers stop by and that numbers of features are chosen by.
_METHOD = 'GAS(importance="ndcg@10")'
# With fewer queries than this the best number of features is mostly chance.
_FEW_QUERIES = 50
# Numbers of features whose means are shown.
_SHOWN = 6


def _number(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if text.strip().lower() == _AUTO or text.strip().lower().startswith(_VALIDATION):
        return text.strip()
    raise click.BadParameter(
        f"{text!r} is no number, no share, and neither 'validation' nor (for FSSCPR and the "
        "hierarchical methods) 'auto'"
    )


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("data")
@click.option(
    "-m",
    "--method",
    default=_METHOD,
    show_default=True,
    help="A selector as you would write it in Python: 'GAS(balance=0.1)'.",
)
@click.option(
    "-k",
    "number",
    metavar="K",
    callback=_number,
    help="How many features: a number, a share such as 0.2, or 'validation'. Without it, half of "
    "them, or those with a weight where the method is a sparse model.",
)
@click.option(
    "-r",
    "--ranker",
    metavar="RANKER",
    help="For `-k validation`: the ranker that is trained with each number of features.  "
    "[default: RankSVM]",
)
@click.option("-o", "--out", metavar="FILE", help="Write the features as JSON.")
@click.option("-f", "--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@validation_options
@cluster_option
@reading_options()
def command(
    data: str,
    method: str,
    number: int | float | str | None,
    ranker: str | None,
    validation: str | None,
    validation_share: float | None,
    out: str | None,
    force: bool,
    as_json: bool,
    cluster: str | None,
    **reading: Any,
) -> None:
    """Select the features of DATA that a ranking model needs.

    DATA is LETOR text or CSV (also .gz, .xz, .zst), or a Parquet file or folder.
    """
    from ranksieve.catalog import parse
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._output import check_out, print_json, write_json
    from ranksieve.cli._progress import progress_bars

    _check_validation(number, ranker, validation, validation_share)
    if out is not None:
        check_out(out, source=data, force=force)
    selector = parse(method, "selectors")
    if number is not None:
        selector.set_params(n_features_to_select=number)
    with plain_warnings(), progress_bars(), on_cluster(cluster):
        ranking = read(data, **reading)
        aside = None if validation is None else read(validation, **reading)
        if (ranker, aside, validation_share) != (None, None, None):
            choice = _choice(number, ranker, aside, validation_share)
            selector.set_params(n_features_to_select=choice)
        _warn_of_grades(ranking, data)
        selector.fit(to_workers(ranking))
        _warn_of_few_queries(selector)
        summary = _summary(selector, ranking, data)
    if out is not None:
        write_json(summary, out)
    if as_json:
        print_json(summary)
    else:
        _print_table(selector, ranking, out)


def _check_validation(
    number: Any, ranker: str | None, validation: str | None, share: float | None
) -> None:
    """Raise where options say how to choose the number of features, but it is given."""
    check_validation(validation, share)
    if isinstance(number, str) and number.lower().startswith(_VALIDATION):
        return
    if (ranker, validation, share) != (None, None, None):
        raise click.UsageError(
            "--ranker, --validation and --validation-share are for `-k validation`, which chooses "
            "the number of features: how well the ranker does with each, on those queries."
        )


def _choice(number: Any, ranker: str | None, aside: RankingData | None, share: float | None) -> Any:
    """Return the choice of the number of features, with what the options say of it."""
    from dataclasses import replace

    from ranksieve.catalog import parse
    from ranksieve.choices import as_choice

    changes: dict[str, Any] = {"data": aside, "share": share}
    if ranker is not None:
        changes["ranker"] = parse(ranker, "rankers")
        changes["ranker"].check_installed()
    choice: Any = as_choice(number)
    return replace(choice, **{name: value for name, value in changes.items() if value is not None})


def _warn_of_grades(data: RankingData, source: str) -> None:
    """Warn where no two documents of a query have different grades."""
    import warnings

    from ranksieve.rankers import has_pairs

    if has_pairs(data):
        return
    lowest, highest = data.y.min(), data.y.max()
    problem = (
        f"all {data.n_documents:,} grades of {source} are {lowest:g}"
        if lowest == highest
        else f"no query of {source} has documents with different grades"
    )
    warnings.warn(
        f"{problem}, so nothing tells a good feature from a bad one, and the order of the features "
        "says nothing. Is the right column read as the grade, and does qid group the documents "
        "of a query?",
        UserWarning,
        stacklevel=2,
    )


def _warn_of_few_queries(selector: Selector) -> None:
    """Warn where too few queries chose the number of features: it is mostly chance then."""
    import warnings

    curve: ValidationCurve | None = getattr(selector, "validation_", None)
    if curve is None or curve.n_queries >= _FEW_QUERIES:
        return
    warnings.warn(
        f"only {curve.n_queries} queries chose the number of features, {curve.chosen}: with fewer "
        f"than {_FEW_QUERIES} it is mostly chance. Give more with --validation FILE, or by a "
        "larger --validation-share; or take a number, or `-k "
        "'Validation(rule=\"one-standard-error\")'`, which keeps few features where numbers do "
        "about equally well.",
        UserWarning,
        stacklevel=2,
    )


def _summary(selector: Selector, data: RankingData, source: str) -> dict[str, Any]:
    from ranksieve.cli._ending import cross_validation_summary
    from ranksieve.cli._features import features_content

    return {
        **features_content(selector, data, source),
        **_search_summary(selector),
        **cross_validation_summary(selector),
        **_curve_summary(selector),
    }


def _search_summary(selector: Selector) -> dict[str, Any]:
    from ranksieve.cli._ending import ending_summary

    numbers = ending_summary(selector)
    return {"search": numbers} if numbers else {}


def _curve_summary(selector: Selector) -> dict[str, Any]:
    curve = getattr(selector, "validation_", None)
    if curve is None:
        return {}
    return {
        "validation": {
            "measure": curve.measure,
            "rule": curve.rule,
            "queries": curve.n_queries,
            "chosen": curve.chosen,
            "best": curve.best,
            "curve": [
                {"features": int(number), "mean": float(mean), "standard_error": float(error)}
                for number, mean, error in zip(
                    curve.numbers, curve.means, curve.standard_errors, strict=True
                )
            ],
        }
    }


def _print_table(selector: Selector, data: RankingData, out: str | None) -> None:
    import numpy as np
    from rich.table import Table

    from ranksieve.cli._ending import ending_in_words
    from ranksieve.cli._output import console, number, print_table

    table = Table(box=None)
    table.add_column("rank", justify="right")
    table.add_column("feature")
    table.add_column("score", justify="right")
    importance = getattr(selector, "importance_", None)
    shows_importance = importance is not None and importance is not selector.scores_
    if shows_importance:
        table.add_column("importance", justify="right")
    weights = getattr(selector, "coef_", None)
    if weights is not None:
        table.add_column("weight", justify="right")
    for rank, feature in enumerate(selector.order_[: selector.n_features_], start=1):
        cells = [str(rank), data.feature_names[feature], number(selector.scores_[feature])]
        if importance is not None and shows_importance:
            cells.append(number(importance[feature]))
        if weights is not None:
            cells.append(f"{weights[feature]:.4g}")
        table.add_row(*cells)
    console().print(repr(selector), style="bold")
    print_table(table)
    console().print(
        f"{selector.n_features_} of {data.n_features} features, from {data.n_documents:,} "
        f"documents of {data.n_queries:,} queries." + (f" Written to {out}." if out else "")
    )
    sentence = ending_in_words(selector)
    if sentence is not None:
        console().print(sentence)
    if hasattr(selector, "validation_"):
        console().print(_reason(selector.validation_))
    scores = selector.scores_[np.isfinite(selector.scores_)]
    if data.n_features > 1 and (len(scores) == 0 or np.ptp(scores) == 0.0):
        console().print(
            "All features score alike, so their order says nothing. Do the grades differ within "
            "queries?"
        )


def _reason(curve: ValidationCurve) -> str:
    """Return why this number of features: the rule, and the curve at a few numbers."""
    import numpy as np

    even = np.linspace(0, len(curve.numbers) - 1, _SHOWN).round().astype(int)
    needed = np.flatnonzero(np.isin(curve.numbers, (curve.chosen, curve.best)))
    means = ", ".join(
        f"{curve.numbers[index]}: {curve.means[index]:.4f}" for index in np.union1d(even, needed)
    )
    why = "the best mean"
    if curve.rule == "one-standard-error":
        why = f"the fewest within one standard error of {curve.best}, which has the best mean"
    return (
        f"Validation chose {curve.chosen}: {why} of {curve.measure} on "
        f"{curve.n_queries:,} queries. Means by number of features: {means}."
    )

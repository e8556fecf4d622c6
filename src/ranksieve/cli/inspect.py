"""ranksieve inspect: what is in ranking data, before selecting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import load_options, reading_options

if TYPE_CHECKING:
    from ranksieve.report import Inspection

_EXAMPLES = """\b
Examples:
  ranksieve inspect train.txt
  ranksieve inspect train.parquet --importance ndcg@10 -o train.html
"""


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("data")
@click.option(
    "--importance",
    default="map",
    show_default=True,
    help="What a feature is worth alone: a measure such as ndcg@10, or an importance.",
)
@click.option(
    "--similarity", default="kendall", show_default=True, help="How alike two features rank."
)
@click.option(
    "--cut",
    type=float,
    default=0.8,
    show_default=True,
    help="Mean similarity from which on features form a block.",
)
@click.option("-o", "--out", metavar="FILE", help="Write a page (HTML) with pictures.")
@click.option("-f", "--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print all facts as JSON, unrounded.")
@reading_options(counted=True)
def command(
    data: str,
    importance: str,
    similarity: str,
    cut: float,
    out: str | None,
    force: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Show what is in DATA before selecting features.

    Queries, grades, missing values, constants and copies; how far features differ in
    importance, and which form blocks that rank alike: the two aspects that tell whether
    selection will help.

    DATA is LETOR text or CSV (also .gz, .xz, .zst), or a Parquet file or folder.
    """
    from ranksieve.cli._output import check_ending, check_out, print_json
    from ranksieve.cli._progress import progress_bars
    from ranksieve.report import inspect

    if out is not None:
        check_out(out, source=data, force=force)
        check_ending(out, (".html", ".htm"), "or take --json for all facts")
    with progress_bars():
        inspection = inspect(
            data, importance=importance, similarity=similarity, cut=cut, **load_options(reading)
        )
        if out is not None:
            _write_page(inspection, out)
    if as_json:
        print_json(_as_json(inspection))
    else:
        from ranksieve.cli._inspection import print_inspection

        print_inspection(inspection, out)


def _write_page(inspection: Inspection, out: str) -> None:
    from ranksieve.data.atomic import replacing
    from ranksieve.report import inspection_page

    page = inspection_page(inspection)
    with replacing(out) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _as_json(inspection: Inspection) -> dict[str, Any]:
    from ranksieve import __version__
    from ranksieve.report.inspection.judgement import verdict

    return {
        "format": "ranksieve-inspection",
        "format_version": 1,
        "ranksieve": __version__,
        "verdict": verdict(inspection)._asdict(),
        **inspection.as_dict(),
    }

"""ranksieve convert: from one format to another, a block at a time."""

from __future__ import annotations

from typing import Any

import click

from ranksieve.cli._data import load_options, reading_options

_EXAMPLES = """\b
Examples:
  ranksieve convert train.txt train.parquet
  ranksieve convert train.parquet train.txt.gz
  ranksieve convert train.csv train.parquet --grade label --query query_id --exclude url
  ranksieve convert log.ndjson.gz train.parquet --judgements qrels.txt --missing 0
"""


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("-f", "--force", is_flag=True, help="Replace OUT if it exists.")
@reading_options(order_stays=True)
def command(source: str, target: str, force: bool, **reading: Any) -> None:
    """Convert ranking data from IN to OUT, by their endings.

    .parquet is Parquet; .csv and .tsv are read, not written, and so are .json, .jsonl and .ndjson,
    logs of a search engine, which need --judgements; everything else is LETOR text. Text is
    compressed by .gz, .xz or .zst.
    Memory does not grow with the file, and OUT appears only when it is complete. Values are
    float32 unless --dtype says otherwise. Text keeps the numbers of features but not their
    names, and of comments the document id.
    """
    from ranksieve.cli._output import console
    from ranksieve.cli._progress import progress_bars
    from ranksieve.data import convert

    with progress_bars():
        summary = convert(source, target, overwrite=force, **load_options(reading))
    console().print(
        f"{target}: {summary.n_documents:,} documents of {summary.n_queries:,} queries, "
        f"{summary.n_features} features."
    )
    if summary.judged is not None:
        console().print(summary.judged.sentence())

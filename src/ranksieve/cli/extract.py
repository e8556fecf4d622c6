"""ranksieve extract: features from text, with documents, queries and judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.extract.extraction import Scaling, WrittenFeatures
    from ranksieve.extract.word_features import WrittenWords

_EXAMPLES = """\b
Examples:
  ranksieve extract --documents cran.all.1400 --queries cran.qry --judgements cranqrel \\
      --pool 100 -o cranfield.parquet --costs costs.csv
  ranksieve extract --documents corpus.jsonl.gz --queries queries.jsonl \\
      --judgements qrels/test.tsv -o beir.parquet
  ranksieve extract --documents trec/ --queries topics.txt --judgements qrels.txt -o words.txt.gz \\
      --features words
"""


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.option(
    "--documents", metavar="FILE", multiple=True, required=True,
    help="Documents: Cranfield's format, TREC's, or JSON lines with _id, title, text. A folder is "
    "all files in it; may be given several times.",
)  # fmt: skip
@click.option(
    "--queries", metavar="FILE", required=True,
    help="Queries: the same formats, or lines of id, tab, text.",
)  # fmt: skip
@click.option(
    "--judgements", metavar="FILE", required=True,
    help="Grades: TREC qrels, Cranfield's, or a .tsv or .csv with titles as BEIR's.",
)  # fmt: skip
@click.option("-o", "--out", metavar="FILE", required=True, help="Ranking data: .parquet, or text.")
@click.option(
    "--features", "kind", type=click.Choice(["letor", "words"]), default="letor", show_default=True,
    help="Match features by field, or one TF-IDF feature per word, sparse.",
)  # fmt: skip
@click.option(
    "--pool", metavar="N", type=click.IntRange(min=0), default=0,
    help="Documents per query that nobody judged: the first N by BM25, as not relevant.",
)  # fmt: skip
@click.option(
    "--within-pool", is_flag=True,
    help="Leave out judged documents behind the last of the pool by BM25: a ranker can tell them "
    "by that.",
)  # fmt: skip
@click.option("--links", metavar="FILE", help="Links between documents: two ids per line.")
@click.option(
    "--costs", metavar="FILE", help="Write what each feature cost to compute, for the sieve."
)
@click.option(
    "--scale", "scaling", type=click.Choice(["minmax", "zscore"]),
    help="Scale features inside each query.",
)  # fmt: skip
@click.option(
    "--grades", metavar="RULE",
    help="Codes and their grades, such as '1=4,2=3,3=2,4=1,-1=skip', which is the rule for "
    "Cranfield's judgements.",
)  # fmt: skip
@click.option(
    "--language", metavar="NAME", default="english", show_default=True,
    help="Snowball's stemmer, or none.",
)  # fmt: skip
@click.option(
    "--stop-words", metavar="FILE",
    help="Words to leave out, one per line, or none.  [default: scikit-learn's list for english]",
)  # fmt: skip
@click.option("--encoding", metavar="NAME", default="utf-8", show_default=True, help="Of the text.")
@click.option(
    "--max-document-mib", metavar="N", type=click.IntRange(min=1), default=16, show_default=True,
    help="Longer documents are left out, and counted.",
)  # fmt: skip
@click.option("-f", "--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    kind: str,
    out: str,
    costs: str | None,
    scaling: Scaling | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Make ranking data from text: features of queries and their documents.

    Formats are known by how files begin; .gz, .xz and .zst are unpacked. Judged documents have
    rows, and those of --pool. What was left out or repaired is counted. Formulas of all features,
    and rules, are in docs/text.md.
    """
    from ranksieve.cli._output import print_json
    from ranksieve.cli._progress import progress_bars

    _check(kind, out, costs, scaling, force, options)
    with progress_bars():
        collection = _read(options)
        if kind == "words":
            from ranksieve.extract import write_words

            words = write_words(
                collection,
                out,
                pool=options["pool"],
                within_pool=options["within_pool"],
                overwrite=force,
            )
            content, lines = _words_content(words), _words_lines(words)
        else:
            from ranksieve.extract import write_features

            result = write_features(
                collection,
                out,
                pool=options["pool"],
                within_pool=options["within_pool"],
                scaling=scaling,
                overwrite=force,
            )
            if costs is not None:
                result.times.write(costs)
            content, lines = _content(result, costs), _lines(result, costs)
    if as_json:
        print_json(content)
        return
    for line in lines:
        click.echo(line)


def _check(
    kind: str,
    out: str,
    costs: str | None,
    scaling: Scaling | None,
    force: bool,
    options: dict[str, Any],
) -> None:
    """Raise before any work where options do not go together, or a file cannot be written."""
    from ranksieve.cli._output import check_out
    from ranksieve.data.conversion import check_target_ending
    from ranksieve.data.parquet_files import SUFFIXES

    if options["within_pool"] and not options["pool"]:
        raise click.UsageError("--within-pool needs --pool.")
    if kind == "words" and (costs or scaling or options["links"]):
        raise click.UsageError("--costs, --scale and --links go with --features letor.")
    if kind == "words" and Path(out).suffix.lower() in SUFFIXES:
        raise click.UsageError(
            "--features words writes SVMlight text, which leaves zeros out: -o words.txt, or "
            ".txt.gz."
        )
    sources = [*options["documents"], options["queries"], options["judgements"]]
    for source in [*sources, *([options["links"]] if options["links"] else [])]:
        check_out(out, source=source, force=force)
        if costs is not None:
            check_out(costs, source=source, force=force)
        if kind == "words":
            check_out(f"{out}.words.txt", source=source, force=force)
    if costs is not None and Path(costs).resolve() == Path(out).resolve():
        raise click.UsageError("-o and --costs name the same file.")
    check_target_ending(Path(out))


def _read(options: dict[str, Any]) -> Any:
    from ranksieve.data.feature_lists import read_names
    from ranksieve.extract import read_collection
    from ranksieve.extract.collections.judgements import grade_rule

    stop_words = options["stop_words"]
    if stop_words is not None:
        stop_words = [] if stop_words == "none" else read_names(stop_words)
    return read_collection(
        list(options["documents"]),
        options["queries"],
        options["judgements"],
        links=options["links"],
        grades=None if options["grades"] is None else grade_rule(options["grades"]),
        language=options["language"],
        stop_words=stop_words,
        encoding=options["encoding"],
        max_document_bytes=options["max_document_mib"] << 20,
    )


def _content(result: WrittenFeatures, costs: str | None) -> dict[str, object]:
    return {
        "path": str(result.path),
        "documents": result.n_documents,
        "queries": result.n_queries,
        "features": list(result.feature_names),
        "costs": costs,
        "unit": "microseconds per document",
        "groups": result.times.prices,
        "notes": list(result.notes),
    }


def _lines(result: WrittenFeatures, costs: str | None) -> list[str]:
    lines = [
        f"{result.path}: {result.n_documents:,} documents of {result.n_queries:,} queries, "
        f"{len(result.feature_names)} features."
    ]
    if costs is not None:
        prices = sorted(result.times.prices.items(), key=lambda pair: -pair[1])
        listed = ", ".join(f"{group} {price:.2g}" for group, price in prices)
        lines.append(f"{costs}: microseconds per document: {listed}.")
    return [*lines, *result.notes]


def _words_content(result: WrittenWords) -> dict[str, object]:
    return {
        "path": str(result.path),
        "names": str(result.names_path),
        "documents": result.n_documents,
        "queries": result.n_queries,
        "words": result.n_words,
        "values": result.n_values,
        "dense_gib": result.dense_gib,
        "notes": list(result.notes),
    }


def _words_lines(result: WrittenWords) -> list[str]:
    share = result.n_values / max(result.n_documents * result.n_words, 1)
    return [
        f"{result.path}: {result.n_documents:,} documents of {result.n_queries:,} queries, "
        f"{result.n_words:,} words, of which {share:.2%} are not 0; names in {result.names_path}.",
        f"Read as a dense matrix it takes {result.dense_gib:.2g} GiB; docs/text.md has what does "
        "without.",
        *result.notes,
    ]

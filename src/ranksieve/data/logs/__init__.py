"""What search engines log: responses with feature values, joined with judgements.

The way of a log, from a file to blocks:

    decoded         bytes as text, a piece at a time
    json_stream     a response at a time, from a list, from lines, from `_msearch`
    judgements      grades of documents, from TREC qrels or a table
    base            what each engine's log says: query, documents, features
    elasticsearch, solr, vespa    the same, for each
    responses       which engine a response is of, and which query it answers
    counts          what had no judgement
    log             the features of a log, and its judged documents as rows
    reader          all of it, or blocks of whole queries
"""

from __future__ import annotations

from pathlib import Path

from ranksieve.data.text.streams import SUFFIXES as COMPRESSED

SUFFIXES = (".json", ".jsonl", ".ndjson")


def is_log(path: Path) -> bool:
    """Tell whether a file is a log by its ending, compressed or not.

    Examples
    --------
    >>> is_log(Path("features.ndjson.gz")), is_log(Path("train.txt"))
    (True, False)
    """
    plain = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    return plain.suffix.lower() in SUFFIXES

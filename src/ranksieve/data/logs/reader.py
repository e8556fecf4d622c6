"""Logs of engines as ranking data: whole, or block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from ranksieve.data.block import Block
from ranksieve.data.check import check_dtype, from_arrays
from ranksieve.data.logs.log import Log as Log
from ranksieve.data.logs.log import LogReading as LogReading
from ranksieve.data.missing import Missing, check_missing
from ranksieve.data.queries import one_type
from ranksieve.data.ranking_data import RankingData
from ranksieve.data.whole_queries import Rows, joined, whole_queries
from ranksieve.errors import JudgementWarning, warn_caller


def read_log(
    path: Path,
    reading: LogReading,
    *,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    sort: bool = False,
) -> RankingData:
    """Return ranking data from a log of an engine and its judgements.

    Documents without a judgement are left out; a warning counts them.

    Notes
    -----
    Memory is the arrays, the judgements, and one response. The log of Solr is read twice, since a
    sparse document does not name all features.
    """
    check_missing(missing)
    log = reading.opened(path)
    rows = log.rows(check_dtype(dtype), missing)
    data = _sorted(log, rows, missing) if sort else _in_order(log, rows, missing)
    counts = log.counts()
    if counts is not None and counts.n_unjudged:
        warn_caller(f"{path}: {counts.sentence()}", JudgementWarning)
    return data


def read_log_blocks(log: Log, *, dtype: DTypeLike, missing: Missing) -> Iterator[Block]:
    """Yield a log in blocks of whole queries; its `counts` are complete at the end."""
    check_missing(missing)
    n_blocks = 0
    for block in whole_queries(log.rows(check_dtype(dtype), missing), missing, streamed=True):
        n_blocks += 1
        yield block
    if not n_blocks:
        raise log.no_rows()


def _in_order(log: Log, rows: Iterator[Rows], missing: Missing) -> RankingData:
    blocks = list(whole_queries(rows, missing))
    if not blocks:
        raise log.no_rows()
    ids = one_type([block.query_ids for block in blocks])
    alike = [
        replace(block, query_ids=query_ids) for block, query_ids in zip(blocks, ids, strict=True)
    ]
    return RankingData(alike, log.features)


def _sorted(log: Log, rows: Iterator[Rows], missing: Missing) -> RankingData:
    parts = list(rows)
    if not parts:
        raise log.no_rows()
    together = joined(parts)
    return from_arrays(
        together.X,
        together.y,
        together.qid,
        feature_names=log.features,
        document_ids=together.document_ids,
        missing=missing,
        sort=True,
    )

"""From one file format to another, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ranksieve.data.block import Block
from ranksieve.data.block_streams import BlockStream, block_stream
from ranksieve.data.feature_lists import FeatureList, NamesSource
from ranksieve.data.file_tasks import file_tasks
from ranksieve.data.loading import allow_options, file_format
from ranksieve.data.logs.counts import JudgementCounts
from ranksieve.data.missing import Missing
from ranksieve.data.parquet import write_parquet
from ranksieve.data.parquet_files import SUFFIXES
from ranksieve.data.paths import exists
from ranksieve.data.text_writer import write_text
from ranksieve.errors import DataError
from ranksieve.progress import report

# Endings that promise a format which is not written: a file of that name would be a trap.
_FOREIGN = frozenset(
    [
        ".arrow",
        ".bz2",
        ".csv",
        ".feather",
        ".json",
        ".jsonl",
        ".npy",
        ".npz",
        ".orc",
        ".pickle",
        ".pkl",
        ".tsv",
        ".xlsx",
        ".zip",
    ]
)

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What `convert` did."""

    source: Path
    target: Path
    n_documents: int
    n_queries: int
    n_features: int
    n_bytes: int
    judged: JudgementCounts | None = None


def convert(
    source: PathLike,
    target: PathLike,
    *,
    grade: str | int | None = None,
    query: str | int | None = None,
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    names: NamesSource | None = None,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    group_sizes: ArrayLike | PathLike | None = None,
    n_features: int | None = None,
    zero_based: bool = False,
    header: bool | None = None,
    columns: PathLike | None = None,
    judgements: PathLike | None = None,
    overwrite: bool = False,
) -> Conversion:
    r"""Copy ranking data from one file format to another, a block at a time.

    A name that ends in .parquet or .pq, or a folder, is Parquet; a source that ends in .csv or
    .tsv is a table of text, and one that ends in .json, .jsonl or .ndjson is a log of a search
    engine; everything else is LETOR text. Text is compressed if its name ends in .gz, .xz or
    .zst. Loading the target gives what loading the source gives. The target appears as a whole or
    not at all.

    Parameters
    ----------
    source, target : path
    dtype : float32 or float64
        Precision of the values, as in `load`: float32 keeps seven digits.
    grade, query, document, task, features, exclude, names, missing, group_sizes, n_features, \
    zero_based, header, columns, judgements
        How the source is read: as in `load`.
    overwrite : bool
        Replace an existing target.

    Returns
    -------
    Conversion
        Paths and sizes, and of a log what had no judgement.

    Notes
    -----
    Memory: a few blocks, and one id per query, to find queries whose rows are apart. Text and
    CSV are read twice, the first time for their width and query ids.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("1 qid:7 1:0.5 2:3\n0 qid:7 1:1 2:4\n")
    >>> done = convert(folder / "a.txt", folder / "a.parquet")
    >>> done.n_documents, done.n_queries, done.n_features
    (2, 1, 2)
    """
    origin, goal = Path(source).expanduser(), Path(target).expanduser()
    _check_paths(origin, goal, overwrite)
    _refuse_judgements(judgements, goal)
    arguments: dict[str, Any] = {
        "grade": grade,
        "query": query,
        "document": document,
        "task": task,
        "features": features,
        "exclude": exclude,
        "names": names,
        "group_sizes": group_sizes,
        "n_features": n_features,
        "zero_based": zero_based or None,
        "header": header,
        "columns": columns,
        "judgements": judgements,
    }
    options = {name: value for name, value in arguments.items() if value is not None}
    kind = file_format(origin, options)
    allow_options(options, kind)
    tasks = _tasks(origin, kind, options, goal)
    stream = block_stream(origin, kind, options, dtype, missing)
    counted = _Counted(stream)
    if _is_parquet(goal):
        write_parquet(counted, goal, feature_names=stream.feature_names, tasks=tasks)
    else:
        write_text(counted, goal, feature_names=stream.feature_names)
    return Conversion(
        origin,
        goal,
        counted.n_documents,
        counted.n_queries,
        len(stream.feature_names),
        goal.stat().st_size,
        None if stream.log is None else stream.log.counts(),
    )


def _tasks(source: Path, kind: str, options: dict[str, Any], target: Path) -> dict[str, Any] | None:
    """Return the task of each query, to be written as a column `task`."""
    if "task" not in options:
        return None
    if kind == "text" or not _is_parquet(target):
        raise DataError(
            "tasks are converted from CSV or Parquet to Parquet, where they are a column `task`: "
            f"{source} to {target} has no place for them. Leave task out; of text the feature that "
            "holds them stays a feature."
        )
    return file_tasks(source, kind, options, graded=True)


class _Counted:
    """Blocks of a stream, counted and reported as they pass."""

    def __init__(self, stream: BlockStream) -> None:
        self._stream = stream
        self.n_documents = 0
        self.n_queries = 0

    def __iter__(self) -> Iterator[Block]:
        for block in self._stream.blocks:
            yield block
            self.n_documents += block.n_documents
            self.n_queries += block.n_queries
            if self._stream.n_documents is not None:
                report("converting", self.n_documents, self._stream.n_documents)


def _check_paths(source: Path, target: Path, overwrite: bool) -> None:
    if not exists(source):
        raise DataError(f"{source} does not exist. Check the path.")
    if exists(target) and source.samefile(target):
        raise DataError(f"source and target are the same file, {source}. Choose another target.")
    if target.is_dir():
        raise DataError(f"the target {target} is a folder. Give the name of a file in it.")
    check_target_ending(target)
    if target.exists() and not overwrite:
        raise DataError(
            f"{target} exists. Choose another name, or pass overwrite=True to replace it."
        )


def check_target_ending(target: Path) -> None:
    """Raise where the name of a file promises a format that is not written."""
    if str(target) == "-" or target.suffix.lower() in _FOREIGN:
        raise DataError(
            f"cannot write {target}: ranking data is written as .parquet, or as text, .txt, which "
            ".gz, .xz and .zst compress"
        )


def _refuse_judgements(judgements: PathLike | None, target: Path) -> None:
    if judgements is None or not exists(target):
        return
    file = Path(judgements).expanduser()
    if exists(file) and target.samefile(file):
        raise DataError(f"the target {target} has the judgements. Choose another target.")


def _is_parquet(path: Path) -> bool:
    return path.is_dir() or path.suffix.lower() in SUFFIXES

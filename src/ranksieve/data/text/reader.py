"""Read LETOR or SVMlight text: as a whole, block by block, or only its size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ranksieve.data.block import Block
from ranksieve.data.check import check_dtype
from ranksieve.data.feature_lists import FeatureList, NamesSource
from ranksieve.data.missing import Missing, check_missing
from ranksieve.data.queries import QueriesSeen, one_type
from ranksieve.data.ranking_data import RankingData
from ranksieve.data.text.chunks import (
    CHUNK_BYTES,
    Chunk,
    Cut,
    CutGroups,
    chunks,
    cut_lines,
    cut_queries,
    has_qid,
    read_head,
)
from ranksieve.data.text.features import TextFeatures, narrowed
from ranksieve.data.text.groups import find_group_file, read_group_sizes
from ranksieve.data.text.parse import ParsedChunk, Reading, check_size, parse_chunk
from ranksieve.data.text.regroup import regrouped_block
from ranksieve.data.text.streams import TextStream
from ranksieve.errors import DataError, ParameterError
from ranksieve.kernels.text.lines import measure_lines
from ranksieve.kernels.text.parse import MAX_FEATURES
from ranksieve.kernels.text.query_tokens import only_whole_ids
from ranksieve.threads import side_by_side

PathLike = str | os.PathLike[str]
GroupSizes = ArrayLike | PathLike | None


class TextShape(NamedTuple):
    """Numbers of documents and features, and whether all query ids are whole numbers."""

    n_documents: int
    n_features: int
    whole_ids: bool


def read_text(
    path: PathLike,
    *,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    sort: bool = False,
    group_sizes: GroupSizes = None,
    n_features: int | None = None,
    names: NamesSource | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    zero_based: bool = False,
    keep_document_ids: bool = True,
    chunk_bytes: int = CHUNK_BYTES,
) -> RankingData:
    r"""Return the documents of a text file `GRADE qid:QUERY INDEX:VALUE ... # COMMENT`.

    An index that a line leaves out has the value 0, and features are named after their
    indices, "1", "2", ..., unless `names` are given. Query ids become int64 where all are
    whole numbers, else text. A comment `docid = X ...` gives the document id X, another comment
    its whole text.

    Parameters
    ----------
    path : plain text, or compressed with the suffix .gz, .xz or .zst
    dtype : float32 or float64
    missing : what becomes of nan and NULL: "error", a number, or "query-minimum"
    sort : bring together rows of a query that are apart, instead of raising an error
    group_sizes : documents per query, or the file that holds them, for text without qid;
        PATH.query or PATH.group is taken by itself where it exists
    n_features : number of features; the largest index by default
    names : names of the features, or a file with one per line; more than the text shows are fine
    features, exclude : lists of features; see `ranksieve.data.feature_lists.selected_features`
    zero_based : whether the first feature has the index 0, as scikit-learn writes it
    keep_document_ids : False passes over comments
    chunk_bytes : text in one piece of work, and about that of a block

    Notes
    -----
    Time is linear in the text. Memory is the arrays and (threads + 2) chunks; where `sort`
    must move rows it is twice the arrays.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "train.txt")
    ...     _ = file.write_text("2 qid:7 1:0.5 3:1 #docid = A\n0 qid:7 2:0.25 #docid = B\n")
    ...     data = read_text(file)
    >>> data
    RankingData(2 documents, 1 queries, 3 features, float32)
    >>> data.X
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ]], dtype=float32)
    >>> data.document_ids
    array(['A', 'B'], dtype=object)
    """
    selection = TextFeatures(names, features, exclude, zero_based)
    reading = _reading(
        path,
        dtype,
        missing,
        keep_document_ids,
        n_features=n_features,
        fill_missing=not sort,
        first_index=selection.first_index,
        narrowed=selection.narrows,
    )
    seen = QueriesSeen(reading.path)
    blocks = []
    n_documents = width = 0
    for parsed in _parsed(path, reading, group_sizes, chunk_bytes):
        if not sort and parsed.query_lines[0]:
            seen.add(parsed.block.query_ids, parsed.query_lines)
        blocks.append(parsed.block)
        n_documents += parsed.block.n_documents
        width = max(width, parsed.block.n_features)
        check_size(reading, n_documents, width)
    seen.check()
    if not width:
        raise DataError(f"{path} has no features: no line holds INDEX:VALUE")
    width = selection.width(width)
    feature_names, columns = selection.names_and_columns(width, reading.path)
    _make_alike(blocks, width)
    if columns is not None:
        _narrow(blocks, columns, feature_names, reading)
    if sort:
        blocks = regrouped_block(blocks, missing)
    return RankingData(blocks, feature_names)


def read_text_blocks(
    path: PathLike,
    *,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    group_sizes: GroupSizes = None,
    keep_document_ids: bool = True,
    n_features: int | None = None,
    text_ids: bool = False,
    selection: TextFeatures | None = None,
    chunk_bytes: int = CHUNK_BYTES,
) -> Iterator[Block]:
    """Yield the documents of a text file in blocks of whole queries, in order.

    Memory is bounded: threads + 2 chunks and their blocks, and 16 bytes per query for the
    check that no query comes again, which may raise some blocks after the repeated one.

    A block is as wide as its largest index unless `n_features` is given, and its query ids
    are int64 where all of the block are whole numbers unless `text_ids` is set; `scan_text`
    tells both beforehand. `selection` says which of the `n_features` are kept. The other
    parameters are those of `read_text`.
    """
    selection = TextFeatures() if selection is None else selection
    reading = _reading(
        path,
        dtype,
        missing,
        keep_document_ids,
        n_features=n_features,
        text_ids=text_ids,
        first_index=selection.first_index,
        narrowed=selection.narrows,
    )
    blocks = _streamed(path, reading, group_sizes, chunk_bytes)
    if selection.narrows and n_features is None:
        raise ParameterError("some features of blocks need n_features: `scan_text` tells it")
    feature_names, columns = selection.names_and_columns(n_features or 0, reading.path)
    if columns is None:
        return blocks
    return (narrowed(block, columns, feature_names, missing, path=reading.path) for block in blocks)


def scan_text(
    path: PathLike, *, zero_based: bool = False, chunk_bytes: int = CHUNK_BYTES
) -> TextShape:
    """Return the size of a text file in one fast pass; nothing else is checked.

    An index above the limit of features does not count: reading will complain.
    """
    n_documents = n_features = 0
    whole_ids = True
    with TextStream(path) as stream:
        head, line = read_head(stream, chunk_bytes)
        parts = chunks(stream, head, line, cut_lines, chunk_bytes)
        scanned = partial(_scanned, first_index=0 if zero_based else 1)
        with closing(side_by_side(scanned, parts)) as shapes:
            for shape in shapes:
                n_documents += shape.n_documents
                n_features = max(n_features, shape.n_features)
                whole_ids = whole_ids and shape.whole_ids
    if not n_documents:
        raise _no_documents(str(path))
    return TextShape(n_documents, n_features, whole_ids)


def _reading(
    path: PathLike,
    dtype: DTypeLike,
    missing: Missing,
    keep_document_ids: bool,
    *,
    n_features: int | None,
    **options: Any,
) -> Reading:
    check_missing(missing)
    if n_features is not None and not 0 < n_features <= MAX_FEATURES:
        raise ParameterError(
            f"n_features must be from 1 to {MAX_FEATURES:,}, but is {n_features!r}"
        )
    kind = check_dtype(dtype)
    return Reading(str(path), kind, missing, keep_document_ids, n_features, **options)


def _streamed(
    path: PathLike, reading: Reading, group_sizes: GroupSizes, chunk_bytes: int
) -> Iterator[Block]:
    seen = QueriesSeen(reading.path, streamed=True)
    n_documents = 0
    for parsed in _parsed(path, reading, group_sizes, chunk_bytes):
        if parsed.query_lines[0]:
            seen.add(parsed.block.query_ids, parsed.query_lines)
        yield replace(parsed.block, first_document=n_documents)
        n_documents += parsed.block.n_documents
    seen.check()


def _parsed(
    path: PathLike, reading: Reading, group_sizes: GroupSizes, chunk_bytes: int
) -> Iterator[ParsedChunk]:
    """Yield the file's chunks with at least one query, parsed."""
    n_documents = 0
    with TextStream(path) as stream:
        head, line = read_head(stream, chunk_bytes)
        cut = _cut(stream, head, group_sizes)
        parts: Iterator[Chunk] = chunks(stream, head, line, cut, chunk_bytes)
        with closing(side_by_side(partial(parse_chunk, reading=reading), parts)) as results:
            for parsed in results:
                n_documents += parsed.block.n_documents
                if parsed.block.n_queries:
                    yield parsed
    if isinstance(cut, CutGroups):
        cut.check_end(reading.path)
    if not n_documents:
        raise _no_documents(reading.path)


def _cut(stream: TextStream, head: NDArray[np.uint8], group_sizes: GroupSizes) -> Cut:
    """Return how to cut the text: at its query ids, or by group sizes where it has none."""
    with_qid = has_qid(head)
    if with_qid is None:
        raise _no_documents(stream.name)
    if with_qid and group_sizes is not None:
        raise DataError(
            f"{stream.name} has query ids (qid:), and group sizes are given as well. "
            "Leave group_sizes out."
        )
    if with_qid:
        return cut_queries
    sizes = find_group_file(stream.path) if group_sizes is None else group_sizes
    return cut_queries if sizes is None else CutGroups(read_group_sizes(sizes))


def _make_alike(blocks: list[Block], n_features: int) -> None:
    """Bring blocks, one at a time, to one width and one type of query ids, in place."""
    ids = one_type([block.query_ids for block in blocks])
    for index, block in enumerate(blocks):
        X = block.X
        if block.n_features < n_features:
            X = np.zeros((len(block.X), n_features), dtype=block.X.dtype, order="F")
            X[:, : block.n_features] = block.X
        blocks[index] = replace(block, X=X, query_ids=ids[index])


def _narrow(
    blocks: list[Block], columns: NDArray[np.int64], names: tuple[str, ...], reading: Reading
) -> None:
    """Take some columns of blocks, one block at a time, in place."""
    first_document = 0
    for index, block in enumerate(blocks):
        numbered = replace(block, first_document=first_document)
        first_document += block.n_documents
        blocks[index] = narrowed(
            numbered,
            columns,
            names,
            reading.missing,
            path=reading.path,
            fill_missing=reading.fill_missing,
        )


def _scanned(chunk: Chunk, first_index: int) -> TextShape:
    n_documents, n_features = measure_lines(chunk.text, MAX_FEATURES, first_index)
    return TextShape(int(n_documents), int(n_features), bool(only_whole_ids(chunk.text)))


def _no_documents(path: str) -> DataError:
    return DataError(
        f"{path} has no documents: it is empty, or holds only blank lines and comments. "
        "Check that it is the right file and was written to the end."
    )

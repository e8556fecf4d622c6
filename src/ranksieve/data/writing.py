"""What the writers share: their source as blocks with names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ranksieve.data.block import Block
from ranksieve.data.check import check_feature_names
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError, ParameterError


def blocks_and_names(
    data: RankingData | Iterable[Block], feature_names: Sequence[str] | None, n_documents: int
) -> tuple[Iterator[Block], tuple[str, ...]]:
    """Return the source in blocks of about `n_documents`, and the names of its features."""
    if isinstance(data, RankingData):
        if feature_names is not None:
            raise ParameterError("feature_names goes with blocks: ranking data has its own")
        return _pieces(data.blocks(), n_documents), data.feature_names
    blocks = iter(data)
    first = next(blocks, None)
    if first is None:
        raise DataError("there are no documents to write: the source has no blocks")
    names = check_feature_names(feature_names, first.n_features)
    return _pieces(_again(first, blocks), n_documents), names


def _again(first: Block, blocks: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from blocks


def _pieces(blocks: Iterable[Block], n_documents: int) -> Iterator[Block]:
    for block in blocks:
        yield from block.cuts(n_documents)

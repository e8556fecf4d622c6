"""From a collection to ranking data: in memory, or into a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ranksieve.data import RankingData, scale, write_parquet, write_text
from ranksieve.data.block import Block
from ranksieve.data.parquet_files import SUFFIXES
from ranksieve.errors import DataError
from ranksieve.extract.candidates import Pool
from ranksieve.extract.collection import Collection
from ranksieve.extract.costs import FeatureTimes
from ranksieve.extract.table import FeatureTable

PathLike = str | os.PathLike[str]
Scaling = Literal["minmax", "zscore"]


@dataclass(frozen=True, eq=False)
class Extraction:
    """Features of a collection.

    Attributes
    ----------
    data : ranking data with named features and document ids
    times : what each feature cost to compute
    notes : what was left out or repaired, in sentences
    """

    data: RankingData
    times: FeatureTimes
    notes: tuple[str, ...]


@dataclass(frozen=True)
class WrittenFeatures:
    """What `write_features` did."""

    path: Path
    n_documents: int
    n_queries: int
    feature_names: tuple[str, ...]
    times: FeatureTimes
    notes: tuple[str, ...]


def extract_features(
    collection: Collection,
    *,
    pool: int = 0,
    within_pool: bool = False,
    scaling: Scaling | None = None,
) -> Extraction:
    r"""Return the LETOR-like features of a collection's queries and documents.

    Parameters
    ----------
    collection : from `read_collection`
    pool : int
        Documents of each query that are not judged: the first by BM25 of title and body, with
        grade 0. Without them only judged documents have rows.
    within_pool : bool
        Leave out judged documents that BM25 puts behind the last of the pool. Where they have rows,
        a ranker can tell them by their low BM25.
    scaling : {"minmax", "zscore"}, optional
        Scale features inside each query, as `ranksieve.data.scale` does.

    Notes
    -----
    Cost: O(words of a query's documents) for each query, O(postings of its terms) for the pool.
    Values are float32.

    Examples
    --------
    >>> import tempfile
    >>> from ranksieve.extract import read_collection
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "docs").write_text(".I 1\n.T\nwings\n.W\nlift of wings\n.I 2\n.W\nheat\n")
    >>> _ = (folder / "queries").write_text(".I 1\n.W\nthe lift of a wing\n")
    >>> _ = (folder / "qrels").write_text("1 1 2\n1 2 4\n")
    >>> collection = read_collection(folder / "docs", folder / "queries", folder / "qrels")
    >>> data = extract_features(collection).data
    >>> data
    RankingData(2 documents, 1 queries, 96 features, float32)
    >>> data.features(["title.covered", "both.tf_sum"]).X.tolist()
    [[1.0, 3.0], [0.0, 0.0]]
    """
    table = FeatureTable(collection, Pool(collection, pool, within_pool))
    data = RankingData(list(table.blocks()), table.feature_names)
    if scaling is not None:
        data = scale(data, scaling)
    return Extraction(data, table.times(), table.notes())


def write_features(
    collection: Collection,
    target: PathLike,
    *,
    pool: int = 0,
    within_pool: bool = False,
    scaling: Scaling | None = None,
    overwrite: bool = False,
) -> WrittenFeatures:
    """Write the features of a collection to a file, a block at a time.

    `target` is Parquet if it ends in .parquet or .pq, and LETOR text otherwise, which has no names
    of features. It appears as a whole or not at all. The parameters are those of
    `extract_features`.
    """
    path = checked_target(target, overwrite)
    table = FeatureTable(collection, Pool(collection, pool, within_pool))
    blocks = _scaled(table.blocks(), table.feature_names, scaling)
    write = write_parquet if path.suffix.lower() in SUFFIXES else write_text
    write(blocks, path, feature_names=table.feature_names)
    return WrittenFeatures(
        path,
        table.n_documents,
        len(collection.queries),
        table.feature_names,
        table.times(),
        table.notes(),
    )


def checked_target(target: PathLike, overwrite: bool) -> Path:
    """Return the path to write, or raise where it exists and may not be replaced."""
    path = Path(target).expanduser()
    if path.exists() and not overwrite:
        raise DataError(
            f"{path} exists. Choose another name, or pass overwrite=True to replace it."
        )
    return path


def _scaled(
    blocks: Iterable[Block], names: tuple[str, ...], scaling: Scaling | None
) -> Iterator[Block]:
    for block in blocks:
        if scaling is None:
            yield block
        else:
            yield from (
                replace(part, first_document=0)
                for part in scale(RankingData([block], names), scaling).blocks()
            )

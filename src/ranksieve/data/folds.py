"""Folds: LETOR's folders, and K parts by query."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.check import check_count, check_seed
from ranksieve.data.queries import order_by_id
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError, ParameterError

_FOLD = re.compile(r"fold[ _-]?(\d+)", re.IGNORECASE)
_PARTS = {
    "train": ("train", "trainingset"),
    "vali": ("vali", "validationset", "validation", "valid", "val", "dev"),
    "test": ("test", "testset"),
}
_SUFFIXES = (
    *(
        kind + packed
        for kind in ("", ".txt", ".csv", ".tsv")
        for packed in ("", ".gz", ".xz", ".zst")
    ),
    *(".parquet", ".pq"),
)
# Parts that every fold has.
_NEEDED = ("train", "test")
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold: train, vali (None without one) and test, each loaded when it is first asked for."""

    name: str
    paths: dict[str, Path] = field(repr=False)
    options: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def train(self) -> RankingData:
        """Documents to train on."""
        return self._load("train")

    @cached_property
    def vali(self) -> RankingData | None:
        """Documents to choose parameters on; None where the fold has no such part."""
        return self._load("vali") if "vali" in self.paths else None

    @cached_property
    def test(self) -> RankingData:
        """Documents to measure on."""
        return self._load("test")

    def _load(self, part: str) -> RankingData:
        from ranksieve.data.loading import load

        return load(self.paths[part], **self.options)


def letor_folds(folder: str | os.PathLike[str], **options: Any) -> list[Fold]:
    r"""Return the folds in a folder laid out as `Fold1/{train,vali,test}.txt`, ...

    Nothing is read yet. Also found: trainingset, validationset and testset, the suffixes of CSV,
    of compressed text and of Parquet, in any case. A fold may have no vali part. The folder may
    be a single fold itself.

    Parameters
    ----------
    folder : path
    **options : options of `load`, for every part

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "Fold1").mkdir()
    >>> for part in ("train", "vali", "test"):
    ...     _ = (root / "Fold1" / f"{part}.txt").write_text("1 qid:7 1:0.5\n")
    >>> letor_folds(root)[0].train.n_documents
    1
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise DataError(f"{root} is not a folder. Give the one that holds Fold1, Fold2, ...")
    folders = fold_folders(root)
    if not folders and has_parts(root, *_NEEDED):
        name = root.name if is_fold_name(root.name) else "Fold1"
        return [Fold(name, _parts(root), dict(options))]
    if not folders:
        raise DataError(
            f"{root} holds neither folders Fold1, Fold2, ... nor parts train and test "
            f"(train.txt, or another suffix of text, CSV or Parquet). It has: {_content(root)}."
        )
    return [Fold(folder.name, _parts(folder), dict(options)) for folder in folders]


def is_fold_name(name: str) -> bool:
    """Tell whether a folder's name is that of a fold.

    Examples
    --------
    >>> is_fold_name("Fold1"), is_fold_name("MQ2008")
    (True, False)
    """
    return _FOLD.fullmatch(name) is not None


def has_parts(folder: Path, *parts: str) -> bool:
    """Tell whether a folder itself holds one of some parts: train, vali or test."""
    return any(_candidates(folder, part) for part in parts)


def fold_folders(root: Path) -> list[Path]:
    """Return the folders Fold1, Fold2, ... in `root`, by number."""
    numbered = [
        (int(match[1]), folder)
        for folder in root.iterdir()
        if folder.is_dir() and (match := _FOLD.fullmatch(folder.name))
    ]
    return [folder for _, folder in sorted(numbered)]


def k_folds(
    data: RankingData, n_folds: int = 5, *, random_state: int = 0
) -> list[tuple[RankingData, RankingData]]:
    """Return (train, test) views: every query is in exactly one test part.

    Queries are dealt out at random, by their ids: the order of queries in the data does not
    matter. Parts differ by at most one query. Views copy nothing.

    Examples
    --------
    >>> from ranksieve.data import make_ranking
    >>> data, _ = make_ranking(n_queries=7)
    >>> [test.n_queries for _, test in k_folds(data, 3)]
    [3, 2, 2]
    """
    check_count("n_folds", n_folds, 2)
    if n_folds > data.n_queries:
        raise ParameterError(
            f"n_folds must be from 2 to the number of queries, {data.n_queries}, but is {n_folds}"
        )
    check_seed(random_state)
    order = _shuffled(data, random_state)
    folds = []
    for part in np.array_split(order, n_folds):
        mask = np.zeros(data.n_queries, dtype=bool)
        mask[part] = True
        folds.append((data.queries(~mask), data.queries(mask)))
    return folds


def set_aside(
    data: RankingData, share: float, *, random_state: int = 0
) -> tuple[RankingData, RankingData]:
    """Return most queries, and a share of them that is drawn at random: one at least each.

    They are drawn by their ids: the order of queries in the data does not matter. Both are put
    together once, for many passes.

    Examples
    --------
    >>> from ranksieve.data import make_ranking
    >>> kept, aside = set_aside(make_ranking(n_queries=10)[0], 0.2)
    >>> kept.n_queries, aside.n_queries
    (8, 2)
    """
    n_aside = int(np.clip(round(share * data.n_queries), 1, data.n_queries - 1))
    order = _shuffled(data, random_state)
    return data.queries(order[n_aside:]).gathered(), data.queries(order[:n_aside]).gathered()


def _shuffled(data: RankingData, random_state: int) -> NDArray[np.int64]:
    """Return the positions of queries in a random order that follows their ids."""
    order: NDArray[np.int64] = np.random.default_rng(random_state).permutation(
        order_by_id(data.query_ids)
    )
    return order


def _parts(folder: Path) -> dict[str, Path]:
    return {
        part: _part(folder, part) for part in _PARTS if part in _NEEDED or _candidates(folder, part)
    }


def _candidates(folder: Path, part: str) -> list[Path]:
    names = {stem + suffix for stem in _PARTS[part] for suffix in _SUFFIXES}
    return sorted(path for path in folder.iterdir() if path.name.lower() in names)


def _part(folder: Path, part: str) -> Path:
    candidates = _candidates(folder, part)
    if not candidates:
        raise DataError(
            f"{folder} has no {part} part ({part}.txt, or another suffix of text, CSV or Parquet). "
            f"It has: {_content(folder)}."
        )
    if len(candidates) > 1:
        raise DataError(
            f"{folder} has several {part} parts: {', '.join(path.name for path in candidates)}. "
            "Leave one."
        )
    return candidates[0]


def _content(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir())
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) + more) or "nothing"

"""Folds: LETOR's folders, and K parts by query."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ranksieve.data.check import check_count, check_seed
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError, ParameterError

_FOLD = re.compile(r"fold[ _-]?(\d+)", re.IGNORECASE)
_PARTS = {
    "train": ("train", "trainingset"),
    "vali": ("vali", "validationset"),
    "test": ("test", "testset"),
}
_SUFFIXES = ("", ".txt", ".txt.gz", ".txt.xz", ".txt.zst", ".gz", ".xz", ".zst", ".parquet", ".pq")
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold: train, vali and test, each loaded when it is first asked for."""

    name: str
    paths: dict[str, Path] = field(repr=False)
    options: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def train(self) -> RankingData:
        """Documents to train on."""
        return self._load("train")

    @cached_property
    def vali(self) -> RankingData:
        """Documents to choose parameters on."""
        return self._load("vali")

    @cached_property
    def test(self) -> RankingData:
        """Documents to measure on."""
        return self._load("test")

    def _load(self, part: str) -> RankingData:
        from ranksieve.data.load import load

        return load(self.paths[part], **self.options)


def letor_folds(folder: str | os.PathLike[str], **options: Any) -> list[Fold]:
    r"""Return the folds in a folder laid out as `Fold1/{train,vali,test}.txt`, ...

    Nothing is read yet. Also found: trainingset, validationset and testset, the suffixes of
    compressed text and of Parquet, in any case.

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
    found = fold_folders(root)
    if not found:
        raise DataError(f"{root} holds no folders Fold1, Fold2, ... It has: {_content(root)}.")
    return [Fold(place.name, _parts(place), dict(options)) for place in found]


def fold_folders(root: Path) -> list[Path]:
    """Return the folders Fold1, Fold2, ... in `root`, by number."""
    numbered = [
        (int(match[1]), place)
        for place in root.iterdir()
        if place.is_dir() and (match := _FOLD.fullmatch(place.name))
    ]
    return [place for _, place in sorted(numbered)]


def k_folds(
    data: RankingData, n_folds: int = 5, *, random_state: int = 0
) -> list[tuple[RankingData, RankingData]]:
    """Return (train, test) views: every query is in exactly one test part.

    Queries are dealt out at random; parts differ by at most one query. Views copy nothing.

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
    order = np.random.default_rng(random_state).permutation(data.n_queries)
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

    Both are put together once, for many passes.

    Examples
    --------
    >>> from ranksieve.data import make_ranking
    >>> kept, aside = set_aside(make_ranking(n_queries=10)[0], 0.2)
    >>> kept.n_queries, aside.n_queries
    (8, 2)
    """
    n_aside = int(np.clip(round(share * data.n_queries), 1, data.n_queries - 1))
    order = np.random.default_rng(random_state).permutation(data.n_queries)
    return data.queries(order[n_aside:]).gathered(), data.queries(order[:n_aside]).gathered()


def _parts(place: Path) -> dict[str, Path]:
    return {part: _part(place, part, stems) for part, stems in _PARTS.items()}


def _part(place: Path, part: str, stems: tuple[str, ...]) -> Path:
    names = {stem + suffix for stem in stems for suffix in _SUFFIXES}
    found = sorted(path for path in place.iterdir() if path.name.lower() in names)
    if not found:
        raise DataError(
            f"{place} has no {part} part ({part}.txt, or another suffix of text or Parquet). "
            f"It has: {_content(place)}."
        )
    if len(found) > 1:
        raise DataError(
            f"{place} has several {part} parts: {', '.join(path.name for path in found)}. "
            "Leave one."
        )
    return found[0]


def _content(place: Path) -> str:
    names = sorted(path.name for path in place.iterdir())
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) + more) or "nothing"

"""The folds of a study: what is known of each, and its data where work is done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.progress import silent
from ranksieve.sources import Source, StudyFold, as_source


@dataclass(frozen=True)
class FoldFacts:
    """What is known of a fold without its data.

    Attributes
    ----------
    data, source : the data set's name and text
    place, name : position of the fold among those of its source, from 0, and what it is called
    fingerprint : of train, vali and test together
    feature_names
    used : features that are not 0 in every training document, as 0 and 1
    n_documents, n_queries : of train, vali (0 where there is none) and test
    query_ids : of the test part, as text
    in_order : whether documents stand by falling grade in every query of vali or of test
    test_part : what folds with the same test queries call them; "" where no other fold has them
    """

    data: str
    source: str
    place: int
    name: str
    fingerprint: str
    feature_names: tuple[str, ...]
    used: tuple[int, ...]
    n_documents: tuple[int, int, int]
    n_queries: tuple[int, int, int]
    query_ids: tuple[str, ...]
    in_order: bool = False
    test_part: str = ""

    @property
    def n_features(self) -> int:
        """Features of the data."""
        return len(self.feature_names)


def fold_facts(
    sources: Sequence[Source], progress: Callable[[str, float, float], None] | None = None
) -> Iterator[FoldFacts]:
    """Yield the facts of every fold of every data set."""
    folds = [(source, position, fold) for source in sources for position, fold in _numbered(source)]
    progress = progress or (lambda label, done, total: None)
    for done, (source, position, fold) in enumerate(folds):
        progress("reading the data", done, len(folds))
        with silent():
            facts = _facts(source, position, fold)
        yield facts
    progress("reading the data", len(folds), len(folds))


def load_fold(source: str, position: int) -> StudyFold:
    """Return a fold by the text of its source; parts are read when they are asked for."""
    folds = as_source(source).folds()
    if position >= len(folds):
        raise DataError(
            f"{source} had a fold {position + 1} when the run began, and has {len(folds)} now. "
            "Run the command again once its files stay as they are."
        )
    return folds[position]


def fold_fingerprint(fold: StudyFold) -> str:
    """Return a hash of the data of a fold: train, vali and test together."""
    parts = (fold.train, fold.vali, fold.test)
    marks = [part.fingerprint if part is not None else "" for part in parts]
    return hashlib.sha256(" ".join(marks).encode()).hexdigest()[:32]


def _numbered(source: Source) -> list[tuple[int, StudyFold]]:
    folds = source.folds()
    if not folds:
        raise DataError(f"{source.name} has no folds. A study needs at least one.")
    return list(enumerate(folds))


def _facts(source: Source, position: int, fold: StudyFold) -> FoldFacts:
    parts = (fold.train, fold.vali, fold.test)
    _check_same_features(source.name, fold.name, parts)
    return FoldFacts(
        data=source.name,
        source=repr(source),
        place=position,
        name=fold.name,
        fingerprint=fold_fingerprint(fold),
        feature_names=fold.train.feature_names,
        used=tuple(int(used) for used in _used(fold.train)),
        n_documents=_counts(parts, "n_documents"),
        n_queries=_counts(parts, "n_queries"),
        query_ids=tuple(str(query_id) for query_id in fold.test.query_ids),
        in_order=any(_in_order(part) for part in parts[1:] if part is not None),
        test_part=getattr(fold, "test_part", ""),
    )


def _in_order(data: RankingData) -> bool:
    """Return whether every query has its documents by falling grade, and not all grades agree."""
    falls = np.diff(data.y) <= 0.0
    falls[data.query_ptr[1:-1] - 1] = True  # from one query to the next
    return bool(falls.all()) and bool(np.ptp(data.y) > 0.0)


def _counts(parts: Sequence[RankingData | None], attribute: str) -> tuple[int, int, int]:
    train, vali, test = (0 if part is None else int(getattr(part, attribute)) for part in parts)
    return train, vali, test


def _used(data: RankingData) -> NDArray[np.bool_]:
    used = np.zeros(data.n_features, dtype=bool)
    for block in data.blocks():
        used |= (block.X != 0).any(axis=0)
    return used


def _check_same_features(name: str, fold: str, parts: Sequence[RankingData | None]) -> None:
    widths = {part.n_features for part in parts if part is not None}
    if len(widths) > 1:
        raise DataError(
            f"{name}, {fold}: train, vali and test must have the same features, but have "
            f"{' and '.join(map(str, sorted(widths)))}. Where the last features of a part are all "
            f"0, its text does not show them: pass n_features={max(widths)}."
        )

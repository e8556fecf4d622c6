"""Which features of text are kept, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.data.feature_lists import FeatureList, NamesSource, read_names, selected_features
from ranksieve.data.missing import Missing, fill
from ranksieve.data.values import check_values
from ranksieve.errors import DataError


@dataclass(frozen=True)
class TextFeatures:
    """Names of the features of text, and which of them are read.

    Parameters
    ----------
    names : a file with one name per line, the names, or None for the indices as text
    features, exclude : lists of features, or None
    zero_based : whether the first feature has the index 0

    Examples
    --------
    >>> selection = TextFeatures(exclude="2")
    >>> selection.names_and_columns(3, "train.txt")
    (('1', '3'), array([0, 2]))
    """

    names: NamesSource | None = None
    features: FeatureList | None = None
    exclude: FeatureList | None = None
    zero_based: bool = False

    @property
    def first_index(self) -> int:
        """The index of the first feature."""
        return 0 if self.zero_based else 1

    @property
    def narrows(self) -> bool:
        """Whether only some of the features are read, or in another order."""
        return self.features is not None or self.exclude is not None

    @cached_property
    def given_names(self) -> list[str] | None:
        """The names that were given."""
        return None if self.names is None else read_names(self.names)

    def width(self, n_features: int) -> int:
        """Return the number of features, of text that shows `n_features`: the last may be all 0."""
        return n_features if self.given_names is None else max(n_features, len(self.given_names))

    def names_and_columns(
        self, n_features: int, path: str
    ) -> tuple[tuple[str, ...], NDArray[np.int64] | None]:
        """Return the names to keep, and their columns; None where these are all, in order."""
        names = self._all_names(n_features, path)
        if not self.narrows:
            return tuple(names), None
        chosen = selected_features(names, path, features=self.features, exclude=self.exclude)
        columns = {name: column for column, name in enumerate(names)}
        return tuple(chosen), np.array([columns[name] for name in chosen], dtype=np.int64)

    def _all_names(self, n_features: int, path: str) -> list[str]:
        names = self.given_names
        if names is None:
            return [str(index + self.first_index) for index in range(n_features)]
        if len(names) < n_features:
            raise DataError(
                f"{path} has {n_features} features, but {len(names)} names are given. Give a name "
                "for each, in the order of their numbers."
            )
        return names


def narrowed(
    block: Block,
    columns: NDArray[np.int64],
    names: tuple[str, ...],
    missing: Missing,
    *,
    path: str,
    fill_missing: bool = True,
) -> Block:
    """Return a block with some columns, checked for missing values, which are filled."""
    first = block.first_document
    taken = replace(block.take(None, columns), first_document=first)
    check_values(taken.X, missing, names, first_row=first, source=path)
    if fill_missing:
        fill(taken.X, taken.query_ptr, missing)
    return taken

"""The second kind of pass: over columns, for what needs the order of all values of a feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.progress import report
from ranksieve.threads import side_by_side

Result = TypeVar("Result")


def by_column(
    work: Callable[[NDArray[Any], int], Result], data: RankingData, *, label: str = "computing"
) -> list[Result]:
    """Return work(column, feature) of every feature, in the order of the features.

    `column` has the feature's values over all documents, whatever the blocks. Passes over
    blocks (`run`) add up what each block says; quantiles, ranks and cuts of a feature over the
    whole data do not add up, and are for this one. `work` runs in several threads at once, a
    column in each, and must not write into the column: it may be the data itself.

    Notes
    -----
    Memory: one column per thread, of one type and contiguous; none where the data has one block
    and all its queries.

    Examples
    --------
    >>> import numpy as np
    >>> from ranksieve import load
    >>> data = load(([[1.0, 5.0], [3.0, 5.0], [4.0, 2.0]], [0, 1, 1], [1, 1, 2]))
    >>> by_column(lambda column, feature: float(np.median(column)), data)
    [3.0, 5.0]
    """
    if data.n_documents == 0:
        raise DataError("the data has no documents")

    def one(feature: int) -> Result:
        return work(data.column(feature), feature)

    results = []
    for result in side_by_side(one, range(data.n_features)):
        results.append(result)
        report(label, len(results), data.n_features)
    return results

"""What a selector keeps for each number of features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.experiment.known import LookUp, with_known
from ranksieve.experiment.outcomes import ALL
from ranksieve.experiment.store import Part
from ranksieve.experiment.watching import watched


def selection(setting: str, numbers: Sequence[int], train: RankingData, look_up: LookUp) -> Part:
    """Return the features that a selector keeps for each number, in its order."""
    selector = with_known(catalog.parse(setting, "selectors"), look_up, train)
    with watched() as cost:
        sets = selector.feature_sets(train)
        kept = {f"{n}": np.asarray(sets.of_size(n), np.int64) for n in numbers if n != ALL}
    if ALL in numbers:
        kept[f"{ALL}"] = np.arange(train.n_features, dtype=np.int64)
    return Part({"warnings": cost.warnings}, kept, cost.seconds, cost.peak_memory)

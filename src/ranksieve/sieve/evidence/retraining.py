"""What is lost if one more feature goes: the chosen set, trained again without it."""

from __future__ import annotations

import numpy as np

from ranksieve.progress import report
from ranksieve.sieve.decide.claim import Difference, difference
from ranksieve.sieve.search.elimination import Task
from ranksieve.sieve.search.interruption import ending_early
from ranksieve.sieve.search.search import Search

# Features that are tried, at most: those that are worth least, where the question is open.
MOST_TRIED = 25
# The same where the search used a sample, since trainings are dear there.
_MOST_TRIED_OF_LARGE = 8


def without_each(found: Search, choice: int) -> dict[int, Difference]:
    """Return, for features of a set, the set without the feature beside the set itself.

    A fold whose own set has the feature trains it without, and judges as in the search; its
    queries are compared with what they had. Folds of the first repeat are enough. Of more than 25
    features (8 on large data) those that are worth least by permutation are tried.

    Cost: a training for each feature and fold.
    """
    rung = found.rungs[choice]
    worth = rung.worth()
    features = [int(feature) for feature in np.flatnonzero(rung.selected)]
    most = MOST_TRIED if found.searched.all() else _MOST_TRIED_OF_LARGE
    tried = sorted(features, key=lambda feature: (worth[feature], feature))[:most]
    tasks = [
        (feature, Task(fold, _without(selected, feature), permuted=False))
        for feature in tried
        for fold, selected in enumerate(rung.fold_selected[: found.folds.per_repeat])
        if selected[feature]
    ]
    changes: dict[int, list[np.ndarray]] = {feature: [] for feature in tried}
    with ending_early() as ending:
        verdicts = found.judge(task for _, task in tasks)
        for number, ((feature, task), verdict) in enumerate(zip(tasks, verdicts, strict=True)):
            report("trying without each feature", number, len(tasks))
            queries = found.folds.members(task.fold)
            change = verdict.values - rung.repeat_values[0, queries]
            changes[feature].append(change[found.counting[queries]])
    report("trying without each feature", len(tasks), len(tasks))
    if ending.early:
        return {}
    joined = {feature: np.concatenate(parts) for feature, parts in changes.items() if parts}
    return {
        feature: difference(change, np.zeros(len(change)), level=found.question.level)
        for feature, change in joined.items()
        if len(change) > 1
    }


def _without(selected: np.ndarray, feature: int) -> np.ndarray:
    smaller = selected.copy()
    smaller[feature] = False
    return smaller

"""Trainings of the search: on all folds but one, judged on that one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.importance.permutation import features_used, permutation_losses, usual_shuffles
from ranksieve.measures import Measure, counting_queries
from ranksieve.passes.cluster import active_cluster
from ranksieve.progress import silent
from ranksieve.sieve.search.elimination import Task, Verdict
from ranksieve.sieve.search.folds import Folds
from ranksieve.threads import side_by_side, threads

# Queries of a fold in which features are permuted, at most: more would say the same at a cost that
# grows with the data.
_MOST_PERMUTED = 200


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Does the tasks of an elimination, several at a time, with one thread each.

    On threads of this process, or on the workers of the active cluster: the verdicts are the same,
    bit for bit.

    Attributes
    ----------
    data : documents in an order of their own, see `ranksieve.data.canonical`
    folds : of the queries
    ranker : a ranker of which quick copies are trained
    measure : with a rule for ties that does not look at the order of rows
    random_state : int
    """

    data: RankingData
    folds: Folds
    ranker: Any
    measure: Measure
    random_state: int

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        """Yield the verdicts in the order of the tasks."""
        cluster = active_cluster()
        if cluster is None:
            yield from side_by_side(self.verdict, tasks)
        else:
            yield from cluster.map(CrossFit.verdict, tasks, shared=self, label="trainings")

    def verdict(self, task: Task) -> Verdict:
        """Train on the other folds, and judge on that of the task."""
        columns = np.flatnonzero(task.selected)
        held_out = self.folds.members(task.fold)
        aside = self.data.queries(held_out)
        losses = np.full((aside.n_queries, len(task.selected)), np.nan)
        if not len(columns):
            # Without a feature all documents score the same.
            return Verdict(self._measured(aside, np.zeros(aside.n_documents)), losses)
        aside = aside.features(columns).gathered()
        with silent(), threads(1):
            training = self.data.queries(~held_out).features(columns).gathered()
            model = clone(self.ranker).fit(training)
            stages = [self._measured(aside, scores) for scores in model.staged_predict(aside)]
            if task.permuted:
                queries = self._permuted_queries(aside, task.fold)
                losses[queries] = 0.0
                losses[np.ix_(queries, columns)] = permutation_losses(
                    model,
                    aside.queries(queries).gathered(),
                    self.measure,
                    seed=[self.random_state, task.fold, len(columns)],
                    times=usual_shuffles(len(columns)),
                    used=features_used(model, len(columns)),
                )
        return Verdict(np.mean(stages, axis=0), losses)

    def _measured(self, aside: RankingData, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.measure.values(aside.y, scores, aside.query_ptr)

    def _permuted_queries(self, aside: RankingData, fold: int) -> NDArray[np.int64]:
        """Return which queries of a fold are permuted in: those that count, a sample of many."""
        counting = np.flatnonzero(counting_queries(aside, self.measure))
        if len(counting) <= _MOST_PERMUTED:
            return counting
        rng = np.random.default_rng([self.random_state, fold])
        return np.sort(rng.choice(counting, size=_MOST_PERMUTED, replace=False))

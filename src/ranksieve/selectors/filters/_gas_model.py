"""Sets of features as a mixed-integer model for HiGHS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.filters._gas_problem import Indices, Problem
from ranksieve.threads import side_by_side

Limits = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Outcome:
    """HiGHS's set (None: none found in time), its proven bound, and whether it is the optimum."""

    chosen: Indices | None
    bound: float
    proven: bool


@dataclass(frozen=True, eq=False)
class PairModel:
    """Sets of `n_chosen` features, with a variable for each feature and for each pair.

        x_i in {0, 1},  sum of x = n,  z_ij <= x_i,  z_ij <= x_j,  z_ij >= x_i + x_j - 1,
        sum over j of z_ij = (n - 1) x_i                                    for pairs i < j

    The z are continuous: where the x are 0 or 1, z_ij is x_i x_j, whatever the signs of the
    similarities. The last line is implied then, and tightens the relaxation. O(m^2)
    variables and rows, four entries a pair.
    """

    problem: Problem
    n_chosen: int

    def maximise(
        self,
        importance: float,
        similarity: float,
        *,
        least_importance: float = -np.inf,
        most_similarity: float = np.inf,
        fixed: Limits | None = None,
        time_limit: float,
    ) -> Outcome:
        """Maximise importance * (total importance) + similarity * (total similarity).

        Limits of the two totals are constraints; `fixed` has limits of each x, from below and
        from above.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        gains = importance * self._importance + similarity * self._similarity
        # The tolerances of HiGHS are absolute: bring the largest coefficient to 1.
        scale = float(np.abs(gains).max(initial=0.0)) or 1.0
        totals = np.vstack([self._importance, self._similarity])
        limits = ([least_importance, -np.inf], [np.inf, most_similarity])
        asked = np.array([np.isfinite(least_importance), np.isfinite(most_similarity)])
        constraints = [LinearConstraint(*self._rows)]
        if asked.any():
            low, high = np.array(limits)[:, asked]
            constraints.append(LinearConstraint(totals[asked], low, high))
        asked_of_highs = {
            "integrality": np.repeat([1, 0], [self.problem.n_features, len(self._pairs[0])]),
            "bounds": Bounds(*self._limits(fixed)),
            "constraints": constraints,
            "options": {"time_limit": max(time_limit, 1e-3), "mip_rel_gap": 0.0},
        }
        # In a thread of its own: HiGHS would not answer Ctrl-C until its time is up.
        (found,) = side_by_side(lambda costs: milp(costs, **asked_of_highs), [-gains / scale])
        bound = found.get("mip_dual_bound")
        if bound is None or not np.isfinite(bound):
            bound = -np.inf
        return Outcome(self._set(found.x), -float(bound) * scale, found.status == 0)

    def _set(self, values: NDArray[np.float64] | None) -> Indices | None:
        if values is None:
            return None
        largest = np.argsort(-values[: self.problem.n_features], kind="stable")
        return np.sort(largest[: self.n_chosen]).astype(np.int64)

    def _limits(self, fixed: Limits | None) -> Limits:
        n_features, n_pairs = self.problem.n_features, len(self._pairs[0])
        low, high = fixed or (np.zeros(n_features), np.ones(n_features))
        return np.append(low, np.zeros(n_pairs)), np.append(high, np.ones(n_pairs))

    @cached_property
    def _pairs(self) -> tuple[Indices, Indices]:
        first, second = np.triu_indices(self.problem.n_features, 1)
        return first, second

    @cached_property
    def _importance(self) -> NDArray[np.float64]:
        return np.append(self.problem.importance, np.zeros(len(self._pairs[0])))

    @cached_property
    def _similarity(self) -> NDArray[np.float64]:
        both_orders = 2.0 * self.problem.similarity[self._pairs]
        return np.append(np.zeros(self.problem.n_features), both_orders)

    @cached_property
    def _rows(self) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
        from scipy import sparse

        n_features, n_pairs = self.problem.n_features, len(self._pairs[0])
        place, one = np.arange(n_pairs), np.ones(n_pairs)
        first, second = (
            sparse.csr_array((one, (place, ends)), shape=(n_pairs, n_features))
            for ends in self._pairs
        )
        both, pair = first + second, sparse.eye_array(n_pairs, format="csr")
        matrix = sparse.block_array(
            [
                [-first, pair],
                [-second, pair],
                [both, -pair],
                [(1 - self.n_chosen) * sparse.eye_array(n_features), both.T],
                [sparse.csr_array(np.ones((1, n_features))), None],
            ],
            format="csc",
        )
        low = [np.full(3 * n_pairs, -np.inf), np.zeros(n_features), np.array([self.n_chosen])]
        high = [np.zeros(2 * n_pairs), one, np.zeros(n_features), np.array([self.n_chosen])]
        return matrix, np.concatenate(low), np.concatenate(high)

"""What the stored runs say: how often claims are wrong, and which order of tests certifies most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.sieve_honesty import LEVEL, UNIT
from benchmarks.sieve_honesty_data import CASES

Run = dict[str, Any]
# Confidence of the intervals of shares.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Share:
    """A share of runs, with the exact (Clopper and Pearson's) interval of a binomial one."""

    count: int
    total: int

    @property
    def value(self) -> float:
        return self.count / self.total

    @property
    def low(self) -> float:
        if not self.count:
            return 0.0
        tail = (1 - CONFIDENCE) / 2
        return float(stats.beta.ppf(tail, self.count, self.total - self.count + 1))

    @property
    def high(self) -> float:
        if self.count == self.total:
            return 1.0
        tail = (1 - CONFIDENCE) / 2
        return float(stats.beta.ppf(1 - tail, self.count + 1, self.total - self.count))

    @property
    def above_level(self) -> bool:
        """Whether the share is shown to be above the level."""
        return self.low > LEVEL


def is_worse(run: Run, position: int) -> bool:
    """Whether a set truly loses more than the margin, by the estimate."""
    return position > 0 and bool(run["excess"][position] < 0)


def is_unclear(run: Run, position: int) -> bool:
    """Whether the truth about a set is within two standard errors of the margin."""
    return position > 0 and bool(abs(run["excess"][position]) < 2 * run["error"][position])


def chosen(run: Run) -> list[int]:
    """The chosen set; none where that is all features."""
    return _real([run["choice"]])


def supported_choice(run: Run) -> list[int]:
    """The chosen set, where it is supported."""
    return _real([run["choice"]]) if run["choice"] <= run["supported"] else []


def smallest_supported(run: Run) -> list[int]:
    """The smallest supported set."""
    return _real([run["supported"]])


def certified(run: Run) -> list[int]:
    """The sets that the sieve certifies, by its order of tests."""
    return _real(run["certified"])


def _real(positions: Sequence[int]) -> list[int]:
    """Without all features, of which nothing has to be shown."""
    return [position for position in positions if position > 0]


# What is promised of sets, and which sets that are.
CLAIMS: dict[str, Callable[[Run], list[int]]] = {
    "certified": certified,
    "choice, if supported": supported_choice,
    "smallest supported": smallest_supported,
    "choice": chosen,
}


def true_smallest(run: Run) -> int:
    """Position of the smallest set of the ladder that is truly good."""
    return max(at for at in range(len(run["sizes"])) if not is_worse(run, at))


class Cell:
    """The runs of a case with a number of training queries."""

    def __init__(self, case: str, n_queries: int, runs: Sequence[Run]) -> None:
        self.case = case
        self.n_queries = n_queries
        self.runs = runs

    def claimed(self, claim: str) -> Share:
        """How often something is claimed, of fewer than all features."""
        return self._share(lambda run: bool(CLAIMS[claim](run)))

    def wrong(self, claim: str) -> Share:
        """How often a set of which something is claimed is truly worse; of all runs."""
        return self._share(lambda run: any(is_worse(run, at) for at in CLAIMS[claim](run)))

    def size(self, claim: str) -> float | None:
        """Mean number of features where something is claimed."""
        sizes = [run["sizes"][max(sets)] for run in self.runs if (sets := CLAIMS[claim](run))]
        return float(np.mean(sizes)) if sizes else None

    @property
    def choice_size(self) -> float:
        return float(np.mean([run["sizes"][run["choice"]] for run in self.runs]))

    @property
    def true_size(self) -> float:
        return float(np.mean([run["sizes"][true_smallest(run)] for run in self.runs]))

    @property
    def truth_error(self) -> float:
        """Standard error of the truth about the chosen set, as a share of the margin: the mean."""
        margin = CASES[self.case].margin
        return float(
            np.mean(
                [run["error"][run["choice"]] * UNIT / (margin * run["all"]) for run in self.runs]
            )
        )

    @property
    def unclear(self) -> Share:
        """How often the truth about the chosen set is within two standard errors of the margin."""
        return self._share(lambda run: is_unclear(run, run["choice"]))

    @property
    def seconds(self) -> float:
        return float(np.mean([run["seconds"] for run in self.runs]))

    def _share(self, holds: Callable[[Run], bool]) -> Share:
        return Share(sum(map(holds, self.runs)), len(self.runs))


def cells(runs: Sequence[Run]) -> list[Cell]:
    """The cells that have runs: cases in their order, then numbers of queries."""
    keys = sorted({(list(CASES).index(run["case"]), run["queries"]) for run in runs})
    names = list(CASES)
    return [
        Cell(
            names[case],
            n_queries,
            [run for run in runs if (run["case"], run["queries"]) == (names[case], n_queries)],
        )
        for case, n_queries in keys
    ]


def _passing(run: Run, positions: Sequence[int], level: str = "level") -> list[int]:
    """The sets that pass before the first that fails."""
    passed: list[int] = []
    for position in positions:
        if run[level][position] != "1":
            break
        passed.append(position)
    return passed


def _downwards(run: Run, first: int) -> range:
    return range(max(first, 1), len(run["sizes"]))


def choice_only(run: Run) -> list[int]:
    return _passing(run, chosen(run))


def largest_down(run: Run) -> list[int]:
    return _passing(run, _downwards(run, 1))


def two_chains(run: Run) -> list[int]:
    """The choice at half the level, and from the largest set down at the other half."""
    return sorted({*_passing(run, chosen(run), "half"), *_passing(run, _downwards(run, 1), "half")})


def two_chains_passing_on(run: Run) -> list[int]:
    """Two chains; what ends with success leaves its half of the level to the other.

    A sequence of tests by a graph (Bretz and others, 2009): the choice has half of the level, the
    largest set the other half; a set that passes leaves what it has to the next of the chain, the
    choice to the first of the chain that has not passed. Bets for the two levels are two bets here,
    of which one alone may be won; a sieve that did this would have to make the same one for both.
    """
    if not chosen(run):
        return largest_down(run)
    if run["half"][run["choice"]] == "1":
        return sorted({run["choice"], *_passing_without(run, run["choice"])})
    above = _passing(run, range(1, run["choice"]), "half")
    if len(above) < run["choice"] - 1:
        return above
    # The chain has reached the choice, which now has both halves.
    return [*above, *_passing(run, _downwards(run, run["choice"]))]


def _passing_without(run: Run, choice: int) -> list[int]:
    return _passing(run, [at for at in _downwards(run, 1) if at != choice])


def choice_down(run: Run) -> list[int]:
    return _passing(run, _downwards(run, run["choice"]))


def next_larger_down(run: Run) -> list[int]:
    return _passing(run, _downwards(run, run["choice"] - 1))


def smallest_supported_down(run: Run) -> list[int]:
    """From the smallest supported set, or the choice where that is larger, down."""
    return _passing(run, _downwards(run, min(run["supported"], run["choice"])))


ORDERS: dict[str, Callable[[Run], list[int]]] = {
    "choice only": choice_only,
    "from the largest set down": largest_down,
    "choice, and from the largest down, at half the level each": two_chains,
    "the same, and success passes its half on": two_chains_passing_on,
    "choice, then smaller ones": choice_down,
    "one larger than the choice, choice, smaller ones": next_larger_down,
    "smallest supported or choice, the larger, then smaller ones": smallest_supported_down,
}


@dataclass(frozen=True)
class OrderFigures:
    """What an order of tests certifies.

    Attributes
    ----------
    certified : runs in which a set of fewer than all features is certified
    choice : runs in which the choice, or a smaller set, is certified
    wrong : runs in which a set that is certified is truly worse
    size : mean size of the smallest certified set, where there is one
    size_or_all : the same, with all features where there is none
    """

    certified: Share
    choice: Share
    wrong: Share
    size: float | None
    size_or_all: float


def order_figures(runs: Sequence[Run], order: str) -> OrderFigures:
    """What an order of tests certifies in some runs, by the stored bets."""
    sets = [ORDERS[order](run) for run in runs]
    pairs = list(zip(runs, sets, strict=True))
    sizes = [run["sizes"][max(positions)] for run, positions in pairs if positions]
    everything = [run["sizes"][max(positions, default=0)] for run, positions in pairs]
    n_runs = len(runs)
    return OrderFigures(
        Share(len(sizes), n_runs),
        Share(sum(max(at, default=0) >= max(run["choice"], 1) for run, at in pairs), n_runs),
        Share(sum(any(is_worse(run, p) for p in at) for run, at in pairs), n_runs),
        float(np.mean(sizes)) if sizes else None,
        float(np.mean(everything)),
    )

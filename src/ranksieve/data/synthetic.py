"""Ranking data with a planted truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ranksieve.data.block import Block
from ranksieve.data.check import check_count, check_dtype, check_seed
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.progress import report
from ranksieve.threads import side_by_side

_BLOCK_DOCUMENTS = 16384
_PILOT_DOCUMENTS = 65536
_DIFFICULTY = 0.5  # standard deviation over queries, where that of the signal is 1
_SHARES = {
    2: (0.80, 0.20),
    3: (0.70, 0.20, 0.10),
    5: (0.52, 0.32, 0.13, 0.02, 0.01),
}


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Which features matter, and how: what `make_ranking` planted.

    Attributes
    ----------
    kind : "linear" or "nonlinear"
    relevant, redundant, irrelevant, constant : sorted arrays of feature indices
    copies_of : mapping from each redundant feature to the relevant one it copies
    interactions : tuple of groups of relevant features that act together; singles if linear
    weights : one number per feature: the weight of its group in the utility, 0 outside groups
    """

    kind: Literal["linear", "nonlinear"]
    relevant: NDArray[np.int64]
    redundant: NDArray[np.int64]
    irrelevant: NDArray[np.int64]
    constant: NDArray[np.int64]
    copies_of: Mapping[int, int]
    interactions: tuple[tuple[int, ...], ...]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Recipe:
    truth: Truth
    noise: float
    redundancy_noise: float
    dtype: np.dtype[Any]
    shares: tuple[float, ...]


def make_ranking(
    n_queries: int = 100,
    n_documents: int | tuple[int, int] = 20,
    *,
    n_relevant: int = 5,
    n_redundant: int = 5,
    n_irrelevant: int = 10,
    n_constant: int = 0,
    n_grades: int = 5,
    truth: Literal["linear", "nonlinear"] = "linear",
    noise: float = 0.3,
    redundancy_noise: float = 0.3,
    dtype: DTypeLike = np.float32,
    shuffle: bool = True,
    random_state: int = 0,
) -> tuple[RankingData, Truth]:
    """Return synthetic ranking data, and the truth about its features.

    A document's utility is

        linear:     sum over relevant features of  w_j x_j
        nonlinear:  sum over groups of             w_g sign(product of the group's features)

    (standard deviation 1) plus noise, plus a difficulty of its query, which moves the number
    of relevant documents and not their order. Grades cut the utility at thresholds, the same
    for all queries, so that low grades are frequent: 52, 32, 13, 2 and 1 % for five grades,
    as in MSLR-WEB.

    Groups of the nonlinear truth are pairs (the last one a triple if the number is odd).
    A sign of a product is an exclusive or: given any feature of the group alone, the utility
    is distributed as before, so a filter that scores features one by one cannot find it.

    Parameters
    ----------
    n_queries : int
    n_documents : int, or (least, most)
        Documents per query: a mean, around which sizes vary by half, or the limits.
    n_relevant, n_redundant, n_irrelevant, n_constant : int
        Redundant features copy a relevant one, with noise; irrelevant ones are noise.
    n_grades : int
    truth : {"linear", "nonlinear"}
    noise, redundancy_noise : float
        Standard deviation of what is added to the utility, and to a copy before it is
        brought back to unit variance.
    dtype : float32 or float64
    shuffle : bool
        Permute the features; otherwise relevant, redundant, irrelevant, constant.
    random_state : int
        Equal seeds give equal data on any number of threads.

    Notes
    -----
    Cost: O(n p) time; memory of the result and of one block per thread.

    Examples
    --------
    >>> data, truth = make_ranking(n_queries=3, n_relevant=2, n_redundant=1, n_irrelevant=1)
    >>> data.n_queries, data.n_features, truth.kind
    (3, 4, 'linear')
    >>> sorted(truth.copies_of.values())[0] in truth.relevant
    True
    """
    counts = {
        "n_relevant": n_relevant,
        "n_redundant": n_redundant,
        "n_irrelevant": n_irrelevant,
        "n_constant": n_constant,
    }
    _check(n_queries, n_documents, counts, n_grades, truth, noise, redundancy_noise, dtype)
    check_seed(random_state)
    plan_seed, pilot_seed, blocks_seed = np.random.SeedSequence(random_state).spawn(3)
    rng = np.random.default_rng(plan_seed)
    planted = _planted(rng, counts, truth, shuffle)
    recipe = _Recipe(planted, noise, redundancy_noise, np.dtype(dtype), _shares(n_grades))
    thresholds = _thresholds(recipe, np.random.default_rng(pilot_seed))
    pieces = list(_pieces(_sizes(rng, n_queries, n_documents), blocks_seed))
    blocks = list(_blocks(recipe, thresholds, pieces))
    return RankingData(blocks, [f"x{index}" for index in range(len(planted.weights))]), planted


def _check(
    n_queries: int,
    n_documents: int | tuple[int, int],
    counts: Mapping[str, int],
    n_grades: int,
    truth: str,
    noise: float,
    redundancy_noise: float,
    dtype: DTypeLike,
) -> None:
    check_count("n_queries", n_queries, 1)
    check_count("n_grades", n_grades, 2)
    for name, count in counts.items():
        check_count(name, count, 0)
    check_dtype(dtype)
    needed = 2 if truth == "nonlinear" else 1
    low, high = _size_range(n_documents)
    rules = [
        (truth in ("linear", "nonlinear"), f"truth is 'linear' or 'nonlinear', but is {truth!r}"),
        (low <= high, f"n_documents must be (least, most), but is {n_documents!r}"),
        (0 <= noise < np.inf, f"noise must be a number of at least 0, but is {noise}"),
        (
            0 <= redundancy_noise < np.inf,
            f"redundancy_noise must be a number of at least 0, but is {redundancy_noise}",
        ),
        (
            counts["n_relevant"] >= needed,
            f"n_relevant must be at least {needed} for a {truth} truth, "
            f"but is {counts['n_relevant']}",
        ),
    ]
    for holds, message in rules:
        if not holds:
            raise ParameterError(message)


def _size_range(n_documents: int | tuple[int, int]) -> tuple[int, int]:
    limits = tuple(n_documents) if isinstance(n_documents, tuple | list) else (n_documents,)
    for limit in limits[:2]:
        check_count("n_documents", limit, 1)
    if len(limits) == 2:
        return limits
    n_documents = limits[0]
    low = (n_documents + 1) // 2
    return low, 2 * n_documents - low


def _sizes(
    rng: np.random.Generator, n_queries: int, n_documents: int | tuple[int, int]
) -> NDArray[np.int64]:
    low, high = _size_range(n_documents)
    return rng.integers(low, high + 1, size=n_queries)


def _shares(n_grades: int) -> tuple[float, ...]:
    halves = 0.5 ** np.arange(n_grades)
    return _SHARES.get(n_grades, tuple((halves / halves.sum()).tolist()))


def _planted(
    rng: np.random.Generator,
    counts: Mapping[str, int],
    kind: Literal["linear", "nonlinear"],
    shuffle: bool,
) -> Truth:
    n_features = sum(counts.values())
    places = rng.permutation(n_features) if shuffle else np.arange(n_features)
    limits = np.cumsum(list(counts.values()))
    relevant, redundant, irrelevant, constant = np.split(places, limits[:-1])
    groups = _groups(relevant, 1 if kind == "linear" else 2)
    group_weights = rng.uniform(0.5, 1.5, len(groups)) * rng.choice([-1, 1], len(groups))
    group_weights /= np.sqrt(np.sum(group_weights**2))
    weights = np.zeros(n_features)
    for group, weight in zip(groups, group_weights, strict=True):
        weights[list(group)] = weight
    copies = {int(f): int(relevant[i % len(relevant)]) for i, f in enumerate(redundant)}
    return Truth(
        kind=kind,
        relevant=np.sort(relevant),
        redundant=np.sort(redundant),
        irrelevant=np.sort(irrelevant),
        constant=np.sort(constant),
        copies_of=copies,
        interactions=groups,
        weights=weights,
    )


def _groups(relevant: NDArray[np.int64], size: int) -> tuple[tuple[int, ...], ...]:
    n_groups = len(relevant) // size
    bounds = [size * index for index in range(1, n_groups)]
    return tuple(tuple(group.tolist()) for group in np.split(relevant, bounds))


def _thresholds(recipe: _Recipe, rng: np.random.Generator) -> NDArray[np.float64]:
    drawn = {
        int(feature): rng.standard_normal(_PILOT_DOCUMENTS, dtype=recipe.dtype)
        for feature in recipe.truth.relevant
    }
    difficulty = _DIFFICULTY * rng.standard_normal(_PILOT_DOCUMENTS)
    utility = _signal(recipe.truth, drawn) + difficulty
    utility += recipe.noise * rng.standard_normal(_PILOT_DOCUMENTS)
    thresholds: NDArray[np.float64] = np.quantile(utility, np.cumsum(recipe.shares)[:-1])
    return thresholds


def _pieces(
    sizes: NDArray[np.int64], seed: np.random.SeedSequence
) -> Iterator[tuple[int, NDArray[np.int64], np.random.SeedSequence]]:
    block_of = (np.cumsum(sizes) - sizes) // _BLOCK_DOCUMENTS
    starts = np.flatnonzero(np.diff(block_of, prepend=-1))
    parts = np.split(sizes, starts[1:])
    for start, part, child in zip(starts, parts, seed.spawn(len(parts)), strict=True):
        yield int(start), part, child


def _blocks(recipe: _Recipe, thresholds: NDArray[np.float64], pieces: list[Any]) -> Iterator[Block]:
    blocks = side_by_side(lambda piece: _block(recipe, thresholds, *piece), pieces)
    for done, block in enumerate(blocks, start=1):
        report("making data", done, len(pieces))
        yield block


def _block(
    recipe: _Recipe,
    thresholds: NDArray[np.float64],
    first_query: int,
    sizes: NDArray[np.int64],
    seed: np.random.SeedSequence,
) -> Block:
    rng = np.random.default_rng(seed)
    n = int(sizes.sum())
    X = _features(recipe, rng, n)
    utility = _signal(recipe.truth, {int(j): X[:, j] for j in recipe.truth.relevant})
    utility += recipe.noise * rng.standard_normal(n)
    utility += np.repeat(_DIFFICULTY * rng.standard_normal(len(sizes)), sizes)
    grades = np.searchsorted(thresholds, utility, side="right").astype(np.float64)
    query_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Block(X, grades, query_ptr, np.arange(first_query, first_query + len(sizes)) + 1)


def _features(recipe: _Recipe, rng: np.random.Generator, n: int) -> NDArray[Any]:
    truth = recipe.truth
    X = np.ones((n, len(truth.weights)), dtype=recipe.dtype, order="F")
    for feature in np.concatenate([truth.relevant, truth.irrelevant]):
        rng.standard_normal(dtype=recipe.dtype, out=X[:, feature])
    for copy, original in truth.copies_of.items():
        X[:, copy] = _noisy_copy(X[:, original], rng, recipe.redundancy_noise)
    return X


def _noisy_copy(values: NDArray[Any], rng: np.random.Generator, noise: float) -> NDArray[Any]:
    copy = rng.standard_normal(len(values), dtype=values.dtype)
    copy *= noise
    copy += values
    copy /= np.sqrt(1 + noise**2)
    return copy


def _signal(truth: Truth, columns: Mapping[int, NDArray[Any]]) -> NDArray[np.float64]:
    """Return the utility of documents from the columns of their relevant features."""
    n = len(next(iter(columns.values())))
    utility = np.zeros(n)
    for group in truth.interactions:
        acting = np.ones(n)
        for feature in group:
            column = columns[int(feature)]
            acting *= column if truth.kind == "linear" else np.sign(column)
        utility += truth.weights[group[0]] * acting
    return utility

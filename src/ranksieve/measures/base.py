"""The one interface of all measures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, replace
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.catalog import check_choice, entries
from ranksieve.data.check import (
    check_grades,
    check_row_ids,
    check_scores,
    query_offsets,
    regrouped,
)
from ranksieve.errors import DataError
from ranksieve.kernels.measures.ordering import TIES
from ranksieve.measures._parameters import check_no_relevant, literal
from ranksieve.threads import n_threads, side_by_side

Kernel = Callable[..., None]
Ties = Literal["input", "average", "worst"]
Convention = Literal["standard", "letor"]

ALL_POSITIONS = np.iinfo(np.int64).max

# Documents in one thread's piece of work: about a millisecond, far more than handing it over.
_PIECE = 65_536


@dataclass(frozen=True, repr=False, kw_only=True)
class Measure(ABC):
    """How well scores order the documents of queries: a value with named parameters.

    A measure is a frozen dataclass that names its `_kernel`; the rest is here. Measures with
    equal parameters are equal and have the same hash. `repr` is the constructor call, `str`
    the short text form where that says everything.

    Parameters
    ----------
    no_relevant : number or "skip", default=0.0
        What a query without relevant documents scores. "skip" makes it NaN in `per_query`
        and leaves it out of the mean.
    ties : {"input", "average", "worst"}, default="input"
        How documents with equal scores are ordered: as they came in; the exact mean over
        all their orders; or by rising grade, which is the least over all their orders.
    convention : {"standard", "letor"}, default="standard"
        "letor" computes what LETOR's own evaluation tool does.
    """

    no_relevant: float | Literal["skip"] = 0.0
    ties: Ties = "input"
    convention: Convention = "standard"

    def __post_init__(self) -> None:
        check_no_relevant(self.no_relevant)
        check_choice("ties", self.ties, tuple(TIES))
        check_choice("convention", self.convention, ("standard", "letor"))

    def values(
        self,
        y: NDArray[np.float64],
        scores: NDArray[np.float64],
        query_ptr: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return one value per query, on checked arrays; NaN where a query is skipped.

        Query q has the rows query_ptr[q]:query_ptr[q + 1] of y and scores. Nothing is
        checked, and the work stays in the calling thread.
        """
        out = np.empty(len(query_ptr) - 1)
        kernel, parameters = self._kernel(query_ptr)
        kernel(y, scores, query_ptr, out, *parameters)
        return out

    @abstractmethod
    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        """Return a function that writes one value per query, and its further arguments.

        It is called as kernel(y, scores, query_ptr, out, *arguments).
        """

    def check_grades(self, y: NDArray[np.float64]) -> None:  # noqa: B027
        """Raise DataError if the grades do not suit the measure. Here: all do."""

    def __call__(
        self, y: ArrayLike, scores: ArrayLike, *, qid: ArrayLike, sort: bool = False
    ) -> float:
        """Return the mean over queries; those skipped do not count."""
        return self.mean(self.per_query(y, scores, qid=qid, sort=sort))

    def mean(self, values: NDArray[np.float64]) -> float:
        """Return the mean of values of queries; those skipped do not count."""
        counted = values[~np.isnan(values)]
        if len(counted) == 0:
            raise DataError(
                f"no query has relevant documents for {self}, and no_relevant='skip' leaves "
                f"out all {len(values)}. Check the grades, or give such queries a number."
            )
        return float(counted.mean())

    def per_query(
        self, y: ArrayLike, scores: ArrayLike, *, qid: ArrayLike, sort: bool = False
    ) -> NDArray[np.float64]:
        """Return one value per query, in the order in which the queries first appear.

        Parameters
        ----------
        y : grades, one per document, finite and not negative
        scores : one per document, larger is better; infinities order well, NaN is an error
        qid : query ids, one per document: whole numbers or text
        sort : bring the rows of a query together first, instead of raising if they are apart
        """
        n_documents = _length(y)
        if n_documents == 0:
            raise DataError("there is no document to measure: y is empty")
        grades = check_grades(y, n_documents)
        checked = check_scores(scores, n_documents)
        ids = check_row_ids(qid, n_documents)
        self.check_grades(grades)
        rows = regrouped(ids) if sort else None
        if rows is not None:
            grades, checked, ids = grades[rows], checked[rows], ids[rows]
        query_ptr, _ = query_offsets(ids)
        return self._values_in_threads(_writable(grades), _writable(checked), query_ptr)

    def with_ties(self, ties: Ties) -> Self:
        """Return the same measure with another rule for ties."""
        return replace(self, ties=ties)

    def with_convention(self, convention: Convention) -> Self:
        """Return the same measure in another convention, which sets what was not chosen.

        Examples
        --------
        >>> from ranksieve import NDCG
        >>> NDCG(10).with_convention("letor") == NDCG(10, convention="letor")
        True
        """
        return type(self)(**{**self._changed(), "convention": convention})

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters by name, the measure's own before those that measures share."""
        shared = [field.name for field in fields(Measure)]
        specific = [field.name for field in fields(self) if field.name not in shared]
        return {name: getattr(self, name) for name in specific + shared}

    def describe(self) -> str:
        """Return the constructor call with every parameter spelled out.

        Examples
        --------
        >>> from ranksieve import MAP
        >>> MAP().describe()
        'MAP(k=None, threshold=1, no_relevant=0.0, ties="input", convention="standard")'
        """
        named = (f"{name}={literal(value)}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({', '.join(named)})"

    def __repr__(self) -> str:
        changed = self._changed()
        positional = [literal(changed.pop("k"))] if "k" in changed else []
        named = [f"{name}={literal(value)}" for name, value in changed.items()]
        return f"{type(self).__name__}({', '.join(positional + named)})"

    def __str__(self) -> str:
        names = {entry.class_name: entry.short_name for entry in entries("measures")}
        name = names.get(type(self).__name__)
        if name is None or self._changed().keys() - {"k", "convention"}:
            return repr(self)
        k = self.parameters.get("k")
        prefix = "" if self.convention == "standard" else f"{self.convention}-"
        return f"{prefix}{name}" if k is None else f"{prefix}{name}@{k}"

    def _defaults(self) -> dict[str, Any]:
        return {field.name: field.default for field in fields(self) if field.default is not MISSING}

    def _changed(self) -> dict[str, Any]:
        defaults = self._defaults()
        return {
            name: value
            for name, value in self.parameters.items()
            if name not in defaults or value != defaults[name]
        }

    def _positions(self) -> int:
        """Return how many positions count."""
        k: int | None = self.parameters["k"]
        return ALL_POSITIONS if k is None else int(k)

    def _tie_code(self) -> int:
        return TIES[self.ties]

    def _no_relevant_value(self) -> float:
        return float("nan") if self.no_relevant == "skip" else float(self.no_relevant)

    def _values_in_threads(
        self, y: NDArray[np.float64], scores: NDArray[np.float64], query_ptr: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        if n_threads() == 1 or query_ptr[-1] < 2 * _PIECE:
            return self.values(y, scores, query_ptr)
        ends = np.searchsorted(query_ptr, np.arange(0, query_ptr[-1], _PIECE))
        bounds = np.unique(np.append(ends, len(query_ptr) - 1))
        pieces = [query_ptr[a : b + 1] for a, b in pairwise(bounds)]
        parts = side_by_side(lambda piece: self.values(y, scores, piece), pieces)
        return np.concatenate(list(parts))


def _length(values: Any) -> int:
    try:
        return len(values)
    except TypeError:
        return 1


def _writable(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # A read-only array is another type to the compiler: a copy is cheaper than a compilation.
    return np.require(values, requirements=["C", "W"])

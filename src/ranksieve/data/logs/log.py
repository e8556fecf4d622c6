"""A log and its judgements: which features it has, and its judged documents as rows."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.check import check_feature_names
from ranksieve.data.feature_lists import FeatureList, listed, selected_features
from ranksieve.data.logs.base import at, number
from ranksieve.data.logs.counts import JudgementCounts
from ranksieve.data.logs.judgements import Judgements, is_whole, read_judgements
from ranksieve.data.logs.responses import Response, responses
from ranksieve.data.missing import REMEDY, Missing
from ranksieve.data.values import check_values
from ranksieve.data.whole_queries import Rows
from ranksieve.errors import DataError

_BATCH = 4096


@dataclass(frozen=True)
class LogReading:
    """How a log is read: where ids are, which features are read, and what judges documents.

    Parameters
    ----------
    judgements : a file of qrels or a table
    query : path of the query's id, with dots
    document : field with the document's id
    features, exclude : lists of features
    graded : whether there must be judgements
    """

    judgements: str | os.PathLike[str] | None = None
    query: str | int | None = None
    document: str | int | None = None
    features: FeatureList | None = None
    exclude: FeatureList | None = None
    graded: bool = True

    def opened(self, path: Path) -> Log:
        """Return the log, after its judgements and the names of its features are read."""
        if self.judgements is None and self.graded:
            raise DataError(
                f"{path} ends like a log of a search engine, which has no grades. Give "
                "judgements=FILE: TREC qrels, or a CSV with query, document and grade."
            )
        judgements = None if self.judgements is None else read_judgements(self.judgements)
        names = _names(path)
        selected = selected_features(names, str(path), features=self.features, exclude=self.exclude)
        return Log(path, self, judgements, tuple(names), tuple(selected))


class Log:
    """A log whose features are known; it counts what has no judgement as it is read."""

    def __init__(
        self,
        path: Path,
        reading: LogReading,
        judgements: Judgements | None,
        all_names: tuple[str, ...],
        features: tuple[str, ...],
    ) -> None:
        self.path, self.features = path, check_feature_names(features, len(features))
        self._reading, self._judgements = reading, judgements
        self._all_names = frozenset(all_names)
        self._lines: dict[str, dict[str, int]] = {}
        self._n_documents = self._n_unjudged = 0
        self._unjudged_ids: list[str] = []

    def rows(self, dtype: np.dtype[Any], missing: Missing) -> Iterator[Rows]:
        """Yield the judged documents as arrays, some at a time."""
        self._lines, self._n_documents, self._n_unjudged = {}, 0, 0
        held: list[_Document] = []
        first_row = 0
        for response in responses(self.path):
            held += self._documents(response, missing)
            if len(held) >= _BATCH:
                yield self._as_rows(held, dtype, missing, first_row)
                first_row += len(held)
                held = []
        if held:
            yield self._as_rows(held, dtype, missing, first_row)

    def counts(self) -> JudgementCounts | None:
        """Return what had no judgement, of what was read; None where nothing is judged."""
        if self._judgements is None:
            return None
        n_judged = sum(map(len, self._lines.values()))
        return JudgementCounts(
            self._n_documents,
            self._n_unjudged,
            len(self._lines),
            sum(not documents for documents in self._lines.values()),
            self._judgements.n_judgements - n_judged,
        )

    def no_rows(self) -> DataError:
        """Return the error for a log of which nothing could be used."""
        if not self._n_documents or self._judgements is None:
            return DataError(f"{self.path} has no documents: no response has any.")
        query = next(iter(self._lines))
        judged_query, documents = next(iter(self._judgements.grades.items()))
        return DataError(
            f"none of the {self._n_documents:,} documents of {self.path} has a judgement in "
            f"{self._judgements.path}. Ids must be equal: the log has query {query!r} with "
            f"{listed(self._unjudged_ids)}, and the judgements have query {judged_query!r} with "
            f"{listed(list(documents), 3)}."
        )

    def _documents(self, response: Response, missing: Missing) -> list[_Document]:
        hits = response.hits()
        # Nothing to read: of an answer without documents the query need not be known.
        if not hits:
            return []
        query = response.query_id(_text(self._reading.query))
        lines = self._lines.setdefault(query, {})
        documents = []
        first_ids: dict[str, int] = {}
        for hit in hits:
            ids = self._ids(hit, response, query)
            if ids[0] in first_ids:
                raise self._repeated(query, ids[0], response.line, response.line)
            first_ids[ids[0]] = response.line
            self._n_documents += 1
            grade = self._grade(query, ids)
            if grade is None:
                self._n_unjudged += 1
                self._unjudged_ids = ids[:1]
                continue
            document, value = grade
            if document in lines:
                raise self._repeated(query, document, lines[document], response.line)
            lines[document] = response.line
            where = f"{response.where}: query {query!r}, document {document!r}"
            values = self._values(hit, response, where, missing)
            documents.append(_Document(query, document, value, values))
        return documents

    def _ids(self, hit: Any, response: Response, query: str) -> list[str]:
        """Return the ids of a document as texts, the full one first."""
        where = f"{response.where}: query {query!r}"
        if not isinstance(hit, dict):
            raise DataError(f"{where}: a document must be an object, but is {str(hit)[:40]!r}.")
        field = _text(self._reading.document)
        if field is None:
            ids = response.engine.document_ids(hit)
        else:
            fields = response.engine.fields(hit)
            ids = [
                next((value for inner in fields if (value := at(inner, field)) is not None), None)
            ]
        if not isinstance(ids[0], str | int) or isinstance(ids[0], bool):
            named = "id" if field is None else f"field {field!r} with an id"
            raise DataError(
                f"{where}: a document has no {named}: its keys are {listed(list(hit))}. Ask for "
                "it in the request, or name another field with document=."
            )
        return [str(document) for document in ids]

    def _grade(self, query: str, ids: list[str]) -> tuple[str, float] | None:
        """Return the id that is judged, and the grade; None where none of the ids is."""
        if self._judgements is None:
            return ids[0], 0.0
        grades = self._judgements.grades.get(query, {})
        return next(((document, grades[document]) for document in ids if document in grades), None)

    def _values(
        self, hit: dict[str, Any], response: Response, where: str, missing: Missing
    ) -> list[float]:
        try:
            logged = _logged(hit, response)
            if not response.engine.sparse and logged.keys() != self._all_names:
                raise _differing(logged.keys(), self._all_names)
            values = [number(logged.get(name), name) for name in self.features]
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
        if missing == "error" and any(map(math.isnan, values)):
            name = self.features[list(map(math.isnan, values)).index(True)]
            raise DataError(f"{where}: feature {name!r} is missing. {REMEDY}")
        return values

    def _as_rows(
        self, documents: list[_Document], dtype: np.dtype[Any], missing: Missing, first_row: int
    ) -> Rows:
        with np.errstate(over="ignore"):
            X = np.array([document.values for document in documents], dtype=dtype, order="F")
        check_values(X, missing, self.features, first_row=first_row, source=str(self.path))
        return Rows(
            X,
            np.array([document.grade for document in documents]),
            self._query_ids([document.query for document in documents]),
            np.array([document.name for document in documents], dtype=object),
        )

    def _query_ids(self, queries: list[str]) -> NDArray[Any]:
        """Return ids as numbers where all judged queries have whole numbers for ids."""
        if self._judgements is None:
            as_numbers = all(map(is_whole, queries))
        else:
            as_numbers = self._judgements.whole_ids
        return np.array(list(map(int, queries)) if as_numbers else queries)

    def _repeated(self, query: str, document: str, first: int, second: int) -> DataError:
        lines = f"line {second}" if first == second else f"lines {first} and {second}"
        return DataError(
            f"{self.path}, {lines}: query {query!r} has document {document!r} twice. A document "
            "has one row in a query: log each query once, or remove the repeated response."
        )


@dataclass(frozen=True, slots=True)
class _Document:
    query: str
    name: str
    grade: float
    values: list[float]


def _names(path: Path) -> list[str]:
    """Return the features of a log: of its first document, or of all where they may differ."""
    names: dict[str, None] = {}
    for response in responses(path):
        for hit in response.hits():
            try:
                names.update(dict.fromkeys(_logged(hit, response)))
            except DataError as error:
                raise DataError(f"{response.where}: {error}") from None
            if not response.engine.sparse:
                break
        if names and not response.engine.sparse:
            break
    if not names:
        raise DataError(f"{path} has no features: no response has a document with any.")
    return list(names)


def _logged(hit: Any, response: Response) -> dict[str, Any]:
    logged = response.engine.features(hit) if isinstance(hit, dict) else None
    if logged is None:
        keys = listed(list(hit)) if isinstance(hit, dict) else repr(hit)[:40]
        raise DataError(
            f"a document of {response.engine.name} has no features: looked for "
            f"{response.engine.feature_place}, but its keys are {keys}"
        )
    return logged


def _differing(names: Any, expected: frozenset[str]) -> DataError:
    more, fewer = sorted(set(names) - expected), sorted(expected - set(names))
    parts = [f"it has {listed(more, 5)}"] if more else []
    parts += [f"it lacks {listed(fewer, 5)}"] if fewer else []
    return DataError(
        f"its features are not those of the first document: {', and '.join(parts)}. Log all "
        "queries with one feature set."
    )


def _text(field: str | int | None) -> str | None:
    return None if field is None else str(field)

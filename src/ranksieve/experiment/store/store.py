"""The store: what was computed, one row per trial, in a SQLite file that survives everything."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.store.schema import (
    connect,
    connect_to_read,
    packed,
    store_errors,
    transaction,
    unpacked,
)
from ranksieve.experiment.trials import Trial

# Keys in one look-up: SQLite takes a limited number of values.
_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class Part:
    """Something that trials share: an importance, a similarity, a selection, models of a path.

    `content` is what has no array: JSON. Arrays are kept as they are.
    """

    content: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    seconds: float = 0.0
    peak_memory: int | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model, measured: (measures, queries) on test, and on validation where there is."""

    features: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    validation: NDArray[np.float64] | None
    test: NDArray[np.float64]
    seconds: float
    peak_memory: int | None
    ending: Mapping[str, Any]


class FinishedTrial(NamedTuple):
    """A trial's row and key, its model's row (None after an error), and seconds.

    Trials with the same model have its seconds each, though it was trained once.
    """

    row: int
    key: str
    model: int | None
    seconds: float
    selection_seconds: float


class Store:
    """A SQLite file in WAL mode. Each method is a transaction of its own.

    Examples
    --------
    >>> import tempfile
    >>> with Store(Path(tempfile.mkdtemp()) / "runs.db") as store:
    ...     store.n_trials()
    0
    """

    def __init__(
        self, path: str | os.PathLike[str], *, create: bool = True, only_read: bool = False
    ) -> None:
        self.path = Path(path).expanduser()
        self._connection = (
            connect_to_read(self.path) if only_read else connect(self.path, create=create)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was written stays."""
        self._connection.close()

    def add_study(
        self, spec: str, command: str, versions: Mapping[str, str], folds: Sequence[FoldFacts]
    ) -> None:
        """Record what is asked for, as the latest study; the same one again is moved there."""
        facts = [asdict(fold) for fold in folds]
        with self.writing() as run:
            for fold, fact in zip(folds, facts, strict=True):
                row = (fold.fingerprint, fold.data, fold.source, fold.name, json.dumps(fact))
                run("INSERT OR REPLACE INTO fold VALUES (?, ?, ?, ?, ?)", row)
            run("DELETE FROM study WHERE spec = ?", (spec,))
            run(
                "INSERT INTO study (spec, command, versions, folds) VALUES (?, ?, ?, ?)",
                # With all facts: another study may have the same data by another name.
                (spec, command, json.dumps(dict(versions)), json.dumps(facts)),
            )

    def studies(self) -> list[dict[str, Any]]:
        """Return the studies that were asked for, the latest last."""
        names = ("spec", "command", "versions", "folds")
        rows = self._read(f"SELECT {', '.join(names)} FROM study ORDER BY id")
        return [
            {
                "spec": spec,
                "command": command,
                "versions": json.loads(versions),
                "folds": [_fold(content) for content in json.loads(folds)],
            }
            for spec, command, versions, folds in rows
        ]

    def part(self, key: str) -> Part | None:
        """Return a shared part, or None where it is not there yet."""
        rows = self._read(
            "SELECT content, arrays, seconds, peak_memory FROM part WHERE key = ?", (key,)
        )
        return _part(*rows[0]) if rows else None

    def parts(self, fingerprints: Iterable[str], kind: str) -> list[tuple[str, str, Part]]:
        """Return fingerprint, component and part of all parts of a kind."""
        rows = []
        for fingerprint in fingerprints:
            rows += self._read(
                "SELECT fingerprint, component, content, arrays, seconds, peak_memory FROM part "
                "WHERE fingerprint = ? AND kind = ? ORDER BY component",
                (fingerprint, kind),
            )
        return [(row[0], row[1], _part(*row[2:])) for row in rows]

    def add_part(self, key: str, fingerprint: str, kind: str, component: str, part: Part) -> None:
        """Keep a shared part."""
        names, blobs = list(part.arrays), [packed(array) for array in part.arrays.values()]
        sizes = [[name, len(blob)] for name, blob in zip(names, blobs, strict=True)]
        content = json.dumps({"content": dict(part.content), "arrays": sizes})
        row = (key, fingerprint, kind, component, content, b"".join(blobs))
        with self.writing() as run:
            run(
                "INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, part.seconds, part.peak_memory),
            )

    def model(self, key: str) -> int | None:
        """Return the row of a model, or None where it was not trained yet."""
        rows = self._read("SELECT id FROM model WHERE key = ?", (key,))
        return int(rows[0][0]) if rows else None

    def add_trial(
        self,
        trial: Trial,
        *,
        setting: str,
        chosen: NDArray[np.int64] | None,
        selection_seconds: float | None,
        model: tuple[str, Model] | int | None = None,
        error: str | None = None,
    ) -> None:
        """Record a trial with its model, a new one (with its key) or one that is there."""
        with self.writing() as run:
            row = _insert_model(run, trial, *model) if isinstance(model, tuple) else model
            run(
                "INSERT INTO trial (key, fingerprint, variant, selector, number, ranker, measures, "
                "seed, version, setting, chosen, model, selection_seconds, error) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET setting = excluded.setting, "
                "chosen = excluded.chosen, model = excluded.model, error = excluded.error, "
                "selection_seconds = excluded.selection_seconds WHERE trial.error IS NOT NULL",
                (
                    *(trial.key, trial.fingerprint, trial.variant, trial.selector, trial.number),
                    *(trial.ranker, json.dumps(trial.measures), trial.seed, trial.version),
                    *(setting, None if chosen is None else packed(chosen), row),
                    *(selection_seconds, error),
                ),
            )

    def done(self, keys: Iterable[str], *, failed_too: bool = True) -> set[str]:
        """Return which of these trials are there, those that failed among them or not."""
        requested, present = list(keys), set()
        clause = "" if failed_too else " AND error IS NULL"
        for start in range(0, len(requested), _AT_ONCE):
            batch = requested[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(batch))
            rows = self._read(f"SELECT key FROM trial WHERE key IN ({marks}){clause}", batch)
            present |= {row[0] for row in rows}
        return present

    def forget_failed(self, keys: Iterable[str]) -> None:
        """Remove those of these trials that ended with an error, for them to be done again."""
        with self.writing() as run:
            for key in keys:
                run("DELETE FROM trial WHERE key = ? AND error IS NOT NULL", (key,))

    def keys_after(self, row: int) -> list[tuple[int, str]]:
        """Return the rows and keys of the trials that came after a row, in order."""
        rows = self._read("SELECT id, key FROM trial WHERE id > ? ORDER BY id", (row,))
        return [(int(id_), str(key)) for id_, key in rows]

    def costs_after(self, row: int) -> list[FinishedTrial]:
        """Return the trials that came after a row, in order, with what they took."""
        rows = self._read(
            "SELECT trial.id, trial.key, trial.model, coalesce(model.seconds, 0.0), "
            "coalesce(trial.selection_seconds, 0.0) "
            "FROM trial LEFT JOIN model ON model.id = trial.model WHERE trial.id > ? "
            "ORDER BY trial.id",
            (row,),
        )
        return [FinishedTrial(*values) for values in rows]

    def n_trials(self) -> int:
        """Return how many trials there are, failed ones among them."""
        return int(self._read("SELECT count(*) FROM trial")[0][0])

    def seconds_by_ranker(self) -> dict[str, float]:
        """Return the mean seconds of training per document, by the ranker's text."""
        rows = self._read(
            "SELECT ranker, avg(seconds / json_extract(fold.facts, '$.n_documents[0]')) "
            "FROM model JOIN fold USING (fingerprint) WHERE ranker != '' GROUP BY ranker"
        )
        return {ranker: float(seconds) for ranker, seconds in rows}

    def rows(self, fingerprint: str) -> Iterator[dict[str, Any]]:
        """Return the trials of a fold, with their models, as dictionaries of stored values."""
        return self._rows("SELECT * FROM result WHERE fingerprint = ?", (fingerprint,))

    def rows_of(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return those of these trials that are there, by key, as `rows` has them."""
        requested, rows = list(keys), {}
        for start in range(0, len(requested), _AT_ONCE):
            batch = requested[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(batch))
            for row in self._rows(f"SELECT * FROM result WHERE key IN ({marks})", batch):
                rows[row["key"]] = row
        return rows

    def _rows(self, statement: str, values: Any) -> Iterator[dict[str, Any]]:
        with store_errors(self.path):
            cursor = self._connection.execute(statement, values)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))

    def _read(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        with store_errors(self.path):
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """Give the function that runs statements; all are written at the end, or none."""
        with store_errors(self.path), transaction(self._connection):
            yield self._connection.execute


def _fold(content: dict[str, Any]) -> FoldFacts:
    lists = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
    return FoldFacts(**(content | lists))


def _insert_model(run: Any, trial: Trial, key: str, model: Model) -> int:
    run(
        "INSERT OR IGNORE INTO model (key, fingerprint, ranker, features, weights, validation, "
        "test, seconds, peak_memory, ending) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(key, trial.fingerprint, trial.ranker, packed(model.features)),
            *(None if a is None else packed(a) for a in (model.weights, model.validation)),
            *(packed(model.test), model.seconds, model.peak_memory),
            json.dumps(dict(model.ending)),
        ),
    )
    return int(run("SELECT id FROM model WHERE key = ?", (key,)).fetchone()[0])


def _part(content: str, arrays: bytes, seconds: float, peak_memory: int | None) -> Part:
    described = json.loads(content)
    unpacked_arrays, start = {}, 0
    for name, size in described["arrays"]:
        unpacked_arrays[name] = unpacked(arrays[start : start + size])
        start += size
    return Part(described["content"], unpacked_arrays, seconds, peak_memory)

"""Rows that go from the store of a worker to that of the client.

A worker of a cluster cannot open the client's store. It has one of its own, on its own disk, and
what it writes there for a job comes to the client as rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ranksieve.experiment.store.store import Store

_PART = ("key", "fingerprint", "kind", "component", "content", "arrays", "seconds", "peak_memory")
_MODEL = (
    *("key", "fingerprint", "ranker", "features", "weights", "validation", "test", "seconds"),
    *("peak_memory", "ending"),
)
_TRIAL = (
    *("key", "fingerprint", "variant", "selector", "number", "ranker", "measures", "seed"),
    *("version", "setting", "chosen", "selection_seconds", "error"),
)
Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Records:
    """Rows of parts, models and trials; a trial's last value is the key of its model, or None."""

    parts: list[Row]
    models: list[Row]
    trials: list[Row]


def last_part(store: Store) -> int:
    """Return the number of the part that was written last; 0 without any."""
    with store.writing() as run:
        return int(run("SELECT coalesce(max(rowid), 0) FROM part").fetchone()[0])


def records_of(store: Store, keys: Sequence[str], *, after_part: int) -> Records:
    """Return the trials with these keys, their models, and the parts after one."""
    models: dict[str, Row] = {}
    trials: list[Row] = []
    with store.writing() as run:
        parts = run(
            f"SELECT {', '.join(_PART)} FROM part WHERE rowid > ? ORDER BY rowid", (after_part,)
        ).fetchall()
        columns = ", ".join([f"trial.{name}" for name in _TRIAL] + [f"model.{n}" for n in _MODEL])
        for key in keys:
            row = run(
                f"SELECT {columns} FROM trial LEFT JOIN model ON model.id = trial.model "
                "WHERE trial.key = ?",
                (key,),
            ).fetchone()
            if row is None:
                continue
            model = row[len(_TRIAL) :]
            trials.append((*row[: len(_TRIAL)], model[0]))
            if model[0] is not None:
                models[model[0]] = model
    return Records(parts, list(models.values()), trials)


def add_records(store: Store, records: Records) -> None:
    """Write what a worker sent, in one transaction; what is there already stays."""
    with store.writing() as run:
        for row in records.parts:
            run(f"INSERT OR IGNORE INTO part ({', '.join(_PART)}) {_values(_PART)}", row)
        for row in records.models:
            run(f"INSERT OR IGNORE INTO model ({', '.join(_MODEL)}) {_values(_MODEL)}", row)
        names = ("setting", "chosen", "selection_seconds", "error", "model")
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        for trial in records.trials:
            run(
                f"INSERT INTO trial ({', '.join(_TRIAL)}, model) VALUES "
                f"({', '.join('?' * len(_TRIAL))}, (SELECT id FROM model WHERE key = ?)) "
                f"ON CONFLICT (key) DO UPDATE SET {changes} WHERE trial.error IS NOT NULL",
                trial,
            )


def _values(names: Sequence[str]) -> str:
    return f"VALUES ({', '.join('?' * len(names))})"

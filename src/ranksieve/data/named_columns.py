"""Which columns of a table hold grades, queries, documents and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranksieve.catalog import suggestion
from ranksieve.errors import DataError

DOCUMENT_ID = "document_id"
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """Names of the columns of a table, by what they hold."""

    grade: str
    query: str
    document: str | None
    features: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        """All names: grade, query, document if any, features."""
        documents = [] if self.document is None else [self.document]
        return [self.grade, self.query, *documents, *self.features]


def choose_columns(
    names: Sequence[str],
    source: str,
    *,
    grade: str = "grade",
    query: str = "qid",
    document: str | None = None,
    features: Sequence[str] | None = None,
) -> NamedColumns:
    """Return the columns to read; features are all others unless they are listed.

    A column `document_id` holds document ids where no other is named and it is not listed
    as a feature.

    Examples
    --------
    >>> choose_columns(["qid", "grade", "bm25", "document_id"], "table").features
    ('bm25',)
    """
    _refuse_repeated(names, source)
    if document is None and DOCUMENT_ID in names and DOCUMENT_ID not in (features or ()):
        document = DOCUMENT_ID
    roles = [("grade", grade), ("query", query)]
    if document is not None:
        roles.append(("document", document))
    for role, name in roles:
        if name not in names:
            raise DataError(
                f"{source} has no column {name!r} for the {role}{suggestion(name, names)} "
                f"It has: {_listed(names)}. Pass {role}='...' with the right name."
            )
    taken = [name for _, name in roles]
    _refuse_repeated(taken, f"the choice of columns of {source}")
    chosen = [name for name in names if name not in taken] if features is None else list(features)
    _check_features(chosen, names, taken, source)
    return NamedColumns(grade, query, document, tuple(chosen))


def refuse_text_columns(names: Sequence[str], source: str) -> None:
    """Raise if there are `names`: columns that hold something else than numbers."""
    if names:
        raise DataError(
            f"feature columns must be numbers, but in {source} {len(names)} are not: "
            f"{_listed(names)}. Encode them as numbers, name one as document='...', or list "
            "the columns to use with features=[...]."
        )


def _check_features(chosen: list[str], names: Sequence[str], taken: list[str], source: str) -> None:
    if not chosen:
        raise DataError(
            f"{source} has no feature columns: besides {_listed(taken)} it needs at least one"
        )
    _refuse_repeated(chosen, "the list of features")
    for name in chosen:
        if name not in names:
            raise DataError(
                f"{source} has no feature column {name!r}{suggestion(name, names)} "
                f"It has: {_listed(names)}."
            )
        if name in taken:
            raise DataError(f"column {name!r} of {source} cannot be a feature and {_listed(taken)}")


def _refuse_repeated(names: Sequence[str], source: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{source} has the column {name!r} twice. Rename one of them.")
        seen.add(name)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown

"""Which columns of a table hold grades, queries, documents and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranksieve.catalog import suggestion
from ranksieve.errors import DataError

DOCUMENT_ID = "document_id"
_SHOWN = 10
# What others call these columns.
_USUAL = {
    "grade": ("label", "relevance", "rel", "rating", "target", "y", "judgment", "relevance_grade"),
    "query": ("query_id", "queryid", "query", "group", "group_id", "search_id", "srch_id"),
}


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """Names of the columns of a table, by what they hold."""

    grade: str | None
    query: str
    document: str | None
    features: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        """All names: grade if any, query, document if any, features."""
        roles = (self.grade, self.query, self.document)
        return [*(name for name in roles if name is not None), *self.features]


def choose_columns(
    names: Sequence[str],
    source: str,
    *,
    grade: str = "grade",
    query: str = "qid",
    document: str | None = None,
    features: Sequence[str] | None = None,
    graded: bool = True,
) -> NamedColumns:
    """Return the columns to read; features are all others unless they are listed.

    A column `document_id` holds document ids where no other is named and it is not listed
    as a feature. Unless `graded`, there may be no column of grades.

    Examples
    --------
    >>> choose_columns(["qid", "grade", "bm25", "document_id"], "table").features
    ('bm25',)
    """
    _refuse_repeated(names, source)
    if document is None and DOCUMENT_ID in names and DOCUMENT_ID not in (features or ()):
        document = DOCUMENT_ID
    roles = [("query", query)]
    if graded or grade in names:
        roles.insert(0, ("grade", grade))
    if document is not None:
        roles.append(("document", document))
    for role, name in roles:
        if name not in names:
            raise DataError(
                f"{source} has no column {name!r} for the {role}{_nearest(role, name, names)} "
                f"It has: {_listed(names)}. Pass {role}='...' with the right name."
            )
    taken = [name for _, name in roles]
    _refuse_repeated(taken, f"the choice of columns of {source}")
    chosen = [name for name in names if name not in taken] if features is None else list(features)
    _check_features(chosen, names, taken, source)
    return NamedColumns(grade if grade in taken else None, query, document, tuple(chosen))


def _nearest(role: str, name: str, names: Sequence[str]) -> str:
    """Return a suggestion: a name that is usual for the role, or one that is spelled alike."""
    usual = [other for other in names if other.lower() in _USUAL.get(role, ())]
    return f": did you mean {usual[0]!r}?" if usual else suggestion(name, names)


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

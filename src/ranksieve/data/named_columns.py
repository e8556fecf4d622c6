"""Which columns of a table hold grades, queries, documents and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranksieve.catalog import suggestion
from ranksieve.data.feature_lists import FeatureList, list_items, listed, selected_features
from ranksieve.errors import DataError

DOCUMENT_ID = "document_id"
TASK = "task"
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
    task: str | None = None

    @property
    def all(self) -> list[str]:
        """All names but the task's: grade if any, query, document if any, features."""
        roles = (self.grade, self.query, self.document)
        return [*(name for name in roles if name is not None), *self.features]


def choose_columns(
    names: Sequence[str],
    source: str,
    *,
    grade: str | int = "grade",
    query: str | int = "qid",
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    graded: bool = True,
) -> NamedColumns:
    """Return the columns to read; features are all others unless they are listed or excluded.

    A column is named, or given by its position, from 1 on, where columns are not called by numbers
    themselves. A column `document_id` holds document ids where no other is named and it is not
    listed as a feature. Unless `graded`, there may be no column of grades.

    Examples
    --------
    >>> choose_columns(["qid", "grade", "bm25", "document_id"], "table").features
    ('bm25',)
    >>> choose_columns(["a", "b", "c", "d"], "table", grade=1, query=2, exclude="d").features
    ('c',)
    """
    _refuse_repeated(names, source)
    listed_features = () if features is None else list_items(features)
    if document is None and DOCUMENT_ID in names and DOCUMENT_ID not in listed_features:
        document = DOCUMENT_ID
    roles = [("query", column_name(query, names))]
    if graded or column_name(grade, names) in names:
        roles.insert(0, ("grade", column_name(grade, names)))
    if document is not None:
        roles.append(("document", column_name(document, names)))
    if task is not None:
        roles.append(("task", column_name(task, names)))
    for role, name in roles:
        if name not in names:
            raise _no_column(role, name, names, source)
    taken = [name for _, name in roles]
    _refuse_repeated(taken, f"the choice of columns of {source}")
    for name in listed_features:
        if name in taken:
            raise DataError(f"column {name!r} of {source} cannot be a feature and {listed(taken)}")
    remaining = [name for name in names if name not in taken]
    if not remaining:
        raise DataError(
            f"{source} has no feature columns: besides {listed(taken)} it needs at least one"
        )
    chosen = selected_features(remaining, source, features=features, exclude=exclude)
    columns = dict(roles)
    return NamedColumns(
        columns.get("grade"),
        columns["query"],
        columns.get("document"),
        tuple(chosen),
        columns.get("task"),
    )


def column_name(column: str | int, names: Sequence[str]) -> str:
    """Return the name of a column that is asked for by its name or its position.

    Examples
    --------
    >>> column_name("label", ["label", "qid"]), column_name(2, ["label", "qid"])
    ('label', 'qid')
    """
    text = str(column)
    if text in names or not _is_number(text) or all(map(_is_number, names)):
        return text
    return names[int(text) - 1] if 0 < int(text) <= len(names) else text


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _no_column(role: str, name: str, names: Sequence[str], source: str) -> DataError:
    hint = "." if name.isdecimal() else _nearest(role, name, names)
    return DataError(
        f"{source} has no column {name!r} for the {role}{hint} It has: {listed(names)}. "
        f"Pass {role}='...' with the right name, or its position from 1 on."
    )


def _nearest(role: str, name: str, names: Sequence[str]) -> str:
    """Return a suggestion: a name that is usual for the role, or one that is spelled alike."""
    usual = [other for other in names if other.lower() in _USUAL.get(role, ())]
    return f": did you mean {usual[0]!r}?" if usual else suggestion(name, names)


def refuse_text_columns(names: Sequence[str], source: str) -> None:
    """Raise if there are columns without numbers among the features."""
    if names:
        raise DataError(
            f"feature columns must be numbers, but in {source} {len(names)} are not: "
            f"{listed(names)}. Encode them as numbers, name one as document='...', or leave them "
            f"out with exclude='{','.join(names)}'."
        )


def _refuse_repeated(names: Sequence[str], source: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{source} has the column {name!r} twice. Rename one of them.")
        seen.add(name)

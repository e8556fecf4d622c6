"""CatBoost's description of columns: a file `.cd` that says what each column of a table holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ranksieve.catalog import suggestion
from ranksieve.data.text.streams import SUFFIXES as COMPRESSED
from ranksieve.errors import DataError

SUFFIX = ".cd"
# From CatBoost's names of column types to ours; those that hold no feature are left out.
_GRADE, _QUERY, _DOCUMENT, _FEATURE, _LEFT_OUT = "grade", "query", "document", "feature", ""
_ROLES = {
    "label": _GRADE,
    "target": _GRADE,
    "groupid": _QUERY,
    "queryid": _QUERY,
    "docid": _DOCUMENT,
    "sampleid": _DOCUMENT,
    "num": _FEATURE,
    "categ": _FEATURE,
    "auxiliary": _LEFT_OUT,
    "baseline": _LEFT_OUT,
    "groupweight": _LEFT_OUT,
    "hashfeatures": _LEFT_OUT,
    "numvector": _LEFT_OUT,
    "positionid": _LEFT_OUT,
    "subgroupid": _LEFT_OUT,
    "text": _LEFT_OUT,
    "timestamp": _LEFT_OUT,
    "weight": _LEFT_OUT,
}


@dataclass(frozen=True)
class ColumnDescription:
    """What columns of a table hold, by their position from 0; others are features.

    Attributes
    ----------
    roles : position to "grade", "query", "document", "feature", or "" for what is left out
    names : position to name, where the file has one
    """

    roles: dict[int, str]
    names: dict[int, str]

    def position(self, role: str) -> int | None:
        """Return the position of the column with a role, or None."""
        return next((index for index, candidate in self.roles.items() if candidate == role), None)

    def left_out(self) -> set[int]:
        """Return the positions of columns that hold no feature and have no role."""
        return {index for index, role in self.roles.items() if role == _LEFT_OUT}


def find_description(path: Path) -> Path | None:
    """Return the file `.cd` beside a table, `train.cd` or `train.csv.cd`, or None."""
    plain = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    candidates = (Path(f"{plain}{SUFFIX}"), plain.with_suffix(SUFFIX))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def read_description(path: Path) -> ColumnDescription:
    r"""Return what a file in CatBoost's format says: `POSITION<tab>TYPE[<tab>NAME]` a line.

    Positions are from 0, as CatBoost counts. Weights, baselines, text and all else that ranking
    data has no use for are left out. A `Categ` column is a feature if it holds numbers.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "train.cd"
    >>> _ = file.write_text("0\tLabel\n1\tGroupId\n2\tNum\tbm25\n3\tAuxiliary\n")
    >>> described = read_description(file)
    >>> described.position("grade"), described.position("query"), described.names
    (0, 1, {2: 'bm25'})
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise DataError(f"cannot read the columns in {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is no text in UTF-8: it is no description of columns.") from None
    roles: dict[int, str] = {}
    names: dict[int, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        index, role, name = _fields(line, f"{path}, line {number}")
        if index in roles:
            raise DataError(f"{path}, line {number}: column {index} is described a second time.")
        if role in (_GRADE, _QUERY, _DOCUMENT) and role in roles.values():
            raise DataError(f"{path}, line {number}: a second column for the {role}. Leave one.")
        roles[index] = role
        if name:
            names[index] = name
    return ColumnDescription(roles, names)


def _fields(line: str, where: str) -> tuple[int, str, str]:
    parts = [part.strip() for part in line.split("\t")]
    if len(parts) < 2 or not parts[0].isdecimal():
        raise DataError(
            f"{where}: {line.strip()!r} is not POSITION<tab>TYPE[<tab>NAME], as CatBoost describes "
            "a column; positions are from 0."
        )
    kind = parts[1].lower()
    if kind not in _ROLES:
        hint = suggestion(parts[1], ["Label", "GroupId", "DocId", "Num", "Categ", "Auxiliary"])
        raise DataError(f"{where}: {parts[1]!r} is no type of column{hint}")
    return int(parts[0]), _ROLES[kind], parts[2] if len(parts) > 2 else ""

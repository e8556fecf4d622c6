"""What sources share that read files: how these are read, and validation queries out of train."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ranksieve.data import RankingData, set_aside
from ranksieve.data.feature_lists import ExactNames
from ranksieve.errors import ParameterError
from ranksieve.sources.base import Source, StudyFold, data_path

# Options of reading that name a file.
_FILE_OPTIONS = ("names", "columns", "group_sizes", "judgements")


@dataclass(frozen=True, repr=False)
class FileSource(Source):
    """A source that reads files, by options that mean what they mean in `load`.

    They are part of the source's text: a stored study says how its data was read.

    Parameters
    ----------
    missing : "error", "query-minimum" or a number
    grade, query, document, task : columns of tables
    features, exclude : texts with commas; a tuple holds names and nothing else
    names, columns, group_sizes, judgements : files
    header, n_features, zero_based, dtype, sort
    """

    missing: str | float = field(default="error", kw_only=True)
    grade: str | int | None = field(default=None, kw_only=True)
    query: str | int | None = field(default=None, kw_only=True)
    document: str | int | None = field(default=None, kw_only=True)
    task: str | int | None = field(default=None, kw_only=True)
    features: str | tuple[str, ...] | None = field(default=None, kw_only=True)
    exclude: str | tuple[str, ...] | None = field(default=None, kw_only=True)
    names: str | None = field(default=None, kw_only=True)
    columns: str | None = field(default=None, kw_only=True)
    header: bool | None = field(default=None, kw_only=True)
    group_sizes: str | None = field(default=None, kw_only=True)
    n_features: int | None = field(default=None, kw_only=True)
    zero_based: bool = field(default=False, kw_only=True)
    dtype: str | None = field(default=None, kw_only=True)
    judgements: str | None = field(default=None, kw_only=True)
    sort: bool = field(default=False, kw_only=True)

    # The parameters that name data: paths, or names in the folder RANKSIEVE_DATA.
    data_parameters: ClassVar[tuple[str, ...]] = ()

    def files(self) -> dict[str, Path]:
        """Return the files and folders that it reads, as full paths, by parameter."""
        files = {
            name: data_path(getattr(self, name)).absolute()
            for name in self.data_parameters
            if getattr(self, name)
        }
        options = {name: getattr(self, name) for name in _FILE_OPTIONS}
        return files | {
            name: Path(path).expanduser().absolute() for name, path in options.items() if path
        }

    @property
    def reading(self) -> dict[str, Any]:
        """The options of `load` that differ from its defaults."""
        options = {
            each.name: getattr(self, each.name)
            for each in fields(FileSource)
            if getattr(self, each.name) != each.default
        }
        for name in ("features", "exclude"):
            if isinstance(options.get(name), tuple | list):
                options[name] = ExactNames(options[name])
        return options


@dataclass(frozen=True, eq=False)
class InnerSplit:
    """A fold whose validation queries are a share of its train part's, drawn at random."""

    of: StudyFold = field(repr=False)
    share: float
    random_state: int

    @property
    def name(self) -> str:
        """The name of the fold."""
        return self.of.name

    @property
    def train(self) -> RankingData:
        """Queries to select and train on."""
        return self._parts[0]

    @property
    def vali(self) -> RankingData:
        """Queries to choose on."""
        return self._parts[1]

    @property
    def test(self) -> RankingData:
        """Queries to report on."""
        return self.of.test

    @cached_property
    def _parts(self) -> tuple[RankingData, RankingData]:
        data = self.of.train
        if data.n_queries < 2:
            raise ParameterError(
                f"validation_share cuts the train part of {self.name} by query, but it has one "
                "query only. Give a validation part of its own."
            )
        return set_aside(data, self.share, random_state=self.random_state)


def check_share(share: Any) -> None:
    """Raise unless a share of queries is between 0 and 1."""
    if isinstance(share, bool) or not isinstance(share, float | int) or not 0.0 < share < 1.0:
        raise ParameterError(f"validation_share must be between 0 and 1, but is {share!r}")

"""Feature files of RankLib: a feature in each line, a number or a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from ranksieve.errors import DataError

SOURCE = "the feature file"


@dataclass(frozen=True)
class FeatureLine:
    """A line of a feature file.

    Attributes
    ----------
    text : the line with its end
    name : the feature, a number or a name; None for comments and blank lines
    title : what follows a number after a tab, which RankLib does not read
    """

    text: str
    name: str | None
    title: str | None = None

    def answers_to(self, names: Collection[str]) -> bool:
        """Tell whether the line's feature is among names."""
        return self.name in names or (self.title is not None and self.title in names)


def feature_lines(text: str) -> list[FeatureLine]:
    r"""Return the lines of a feature file.

    Examples
    --------
    >>> [line.name for line in feature_lines("# of the title\n3\tbm25\n\n7\n")]
    [None, '3', None, '7']
    """
    lines = [_line(line) for line in text.splitlines(keepends=True)]
    counts = Counter(line.name for line in lines if line.name is not None)
    if not counts:
        raise DataError(f"{SOURCE} has no features: it needs a number or a name in each line")
    name, count = counts.most_common(1)[0]
    if count > 1:
        raise DataError(f"{SOURCE} has the feature {name!r} twice. Remove one of the lines.")
    return lines


def _line(line: str) -> FeatureLine:
    content = line.strip().removeprefix("\ufeff")
    if not content or content.startswith("#"):
        return FeatureLine(line, None)
    name, _, title = content.partition("\t")
    return FeatureLine(line, name.strip(), title.strip() or None)

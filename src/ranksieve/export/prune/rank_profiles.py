"""Rank profiles of Vespa: their lists of features, and the functions that these call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ranksieve.errors import DataError

SOURCE = "the rank profile"

_LIST = re.compile(
    r"(?<![\w-])(?:match|summary|rank)-features(?P<parent>\s+inherits\s+[\w-]+)?\s*(?P<open>[{:])"
)
_FUNCTION = re.compile(
    r"(?<![\w-])(?:function|macro)\s+(?:inline\s+)?(?P<name>[A-Za-z_]\w*)\s*"
    r"\([^)]*\)\s*(?:inline\s*)?(?P<open>\{)"
)
_PHASE = re.compile(r"(?<![\w-])(?P<name>(?:first|second|global)-phase)\s*(?P<open>\{)")
_HIDDEN = re.compile(r'#[^\n]*|"(?:[^"\\\n]|\\.)*"')
_WORD = re.compile(r"(?<![\w.$])[A-Za-z_]\w*")
# Rank features whose arguments are fields, query inputs and constants: never functions.
_OF_FIELDS = re.compile(
    r"(?<![\w.])(?:attribute|attributeMatch|age|bm25|closeness|constant|distance|"
    r"elementCompleteness|elementSimilarity|fieldLength|fieldMatch|fieldTermMatch|freshness|match|"
    r"matchCount|matches|nativeAttributeMatch|nativeFieldMatch|nativeProximity|nativeRank|query|"
    r"rawScore|textSimilarity)\s*\([^()]*\)"
)
_WRAPPED = re.compile(r"rankingExpression\((\w+)\)")
_EMPTY_CALL = re.compile(r"(\w+)\(\)")


def canonical(name: str) -> str:
    """Return a feature's name as Vespa answers with it.

    Examples
    --------
    >>> canonical("nativeRank( title, body )"), canonical("rankingExpression(freshness)")
    ('nativeRank(title,body)', 'freshness')
    """
    bare = re.sub(r"\s+", "", name)
    match = _WRAPPED.fullmatch(bare) or _EMPTY_CALL.fullmatch(bare)
    return bare if match is None else match[1]


@dataclass(frozen=True)
class Item:
    """A feature in a list, with where it is written."""

    name: str
    start: int
    stop: int


@dataclass(frozen=True)
class FeatureListing:
    """A list of features: match-features, summary-features or rank-features."""

    start: int
    stop: int
    items: tuple[Item, ...]
    inherits: bool


@dataclass(frozen=True)
class Function:
    """A function, with where it is written and the words of its body."""

    name: str
    start: int
    stop: int
    words: frozenset[str]


@dataclass(frozen=True)
class RankProfiles:
    """The text of a profile or a schema, and what of it can be pruned.

    Attributes
    ----------
    text : all of it
    listings : the lists of features
    functions : the functions
    other_words : words of everything else, by the phase in which they are; "" elsewhere
    """

    text: str
    listings: tuple[FeatureListing, ...]
    functions: tuple[Function, ...]
    other_words: dict[str, frozenset[str]]

    def names(self) -> list[str]:
        """Return all features and functions, in the order in which they are written."""
        places = [(item.start, item.name) for listing in self.listings for item in listing.items]
        places += [(function.start, function.name) for function in self.functions]
        return list(dict.fromkeys(name for _, name in sorted(places)))

    def items(self) -> list[str]:
        """Return the features of all lists."""
        return list(dict.fromkeys(item.name for listing in self.listings for item in listing.items))

    def dependences(self) -> dict[str, list[str]]:
        """Return the functions that each feature and function calls."""
        functions = [function.name for function in self.functions]
        called: dict[str, set[str]] = {name: set(_words(name)) for name in self.names()}
        for function in self.functions:
            called[function.name] = called[function.name] | function.words
        return {
            name: [function for function in functions if function in words and function != name]
            for name, words in called.items()
        }

    def without(self, items: Sequence[str], functions: Sequence[str]) -> str:
        """Return the text without some items of its lists and without some functions."""
        cuts = [
            _with_line(self.text, function.start, function.stop)
            for function in self.functions
            if function.name in functions
        ]
        for listing in self.listings:
            cuts += _listing_cuts(self.text, listing, frozenset(items))
        pieces, position = [], 0
        for start, stop in sorted(cuts):
            pieces.append(self.text[position:start])
            position = max(position, stop)
        return "".join([*pieces, self.text[position:]])


def rank_profiles(text: str) -> RankProfiles:
    """Return what can be pruned of a profile or schema; DataError where there is nothing."""
    masked = _HIDDEN.sub(_mask, text)
    listings = [_listing(text, masked, match) for match in _LIST.finditer(masked)]
    functions = []
    for match in _FUNCTION.finditer(masked):
        stop = _closing(masked, match.start("open"))
        body = masked[match.end() : stop]
        functions.append(Function(match["name"], match.start(), stop, frozenset(_words(body))))
    if not listings and not functions:
        raise DataError(
            f"{SOURCE} has neither match-features, summary-features, rank-features nor functions: "
            "there is nothing to prune"
        )
    spans = [(listing.start, listing.stop) for listing in listings]
    spans += [(function.start, function.stop) for function in functions]
    remaining = list(masked)
    for start, stop in spans:
        remaining[start:stop] = " " * (stop - start)
    return RankProfiles(text, tuple(listings), tuple(functions), _by_phase("".join(remaining)))


def _mask(match: re.Match[str]) -> str:
    """Return blanks for a comment, and one word for a quoted text, of the same length."""
    return (" " if match[0].startswith("#") else "_") * len(match[0])


def _closing(masked: str, opening: int) -> int:
    """Return the position behind the brace that closes the one at a position."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(masked, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    line = masked.count("\n", 0, opening) + 1
    raise DataError(f"{SOURCE}, line {line}: the brace {{ is never closed. Is the file whole?")


def _listing(text: str, masked: str, match: re.Match[str]) -> FeatureListing:
    if match["open"] == "{":
        stop = _closing(masked, match.start("open"))
        inner = stop - 1
    else:
        end = masked.find("\n", match.end())
        stop = inner = len(masked) if end < 0 else end
    items = tuple(
        Item(canonical(text[start:end]), start, end)
        for start, end in _item_spans(masked, match.end(), inner)
    )
    return FeatureListing(match.start(), stop, items, match["parent"] is not None)


def _item_spans(masked: str, position: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where the items between two positions are: separated by space outside of brackets."""
    start, depth = None, 0
    for index in range(position, stop):
        sign = masked[index]
        if sign.isspace() and depth == 0:
            if start is not None:
                yield start, index
            start = None
            continue
        start = index if start is None else start
        depth += (sign == "(") - (sign == ")")
    if start is not None:
        yield start, len(masked[:stop].rstrip())


def _words(masked: str) -> Iterator[str]:
    """Yield the words of an expression that may name functions."""
    for match in _WORD.finditer(_OF_FIELDS.sub(" ", masked)):
        yield match[0]


def _by_phase(masked: str) -> dict[str, frozenset[str]]:
    words: dict[str, frozenset[str]] = {}
    elsewhere = list(masked)
    for match in _PHASE.finditer(masked):
        stop = _closing(masked, match.start("open"))
        inside = frozenset(_words(masked[match.end() : stop]))
        words[match["name"]] = words.get(match["name"], frozenset()) | inside
        elsewhere[match.start() : stop] = " " * (stop - match.start())
    words[""] = frozenset(_words("".join(elsewhere)))
    return words


def _listing_cuts(
    text: str, listing: FeatureListing, names: frozenset[str]
) -> list[tuple[int, int]]:
    removed = [item for item in listing.items if item.name in names]
    if removed and len(removed) == len(listing.items) and not listing.inherits:
        return [_with_line(text, listing.start, listing.stop)]
    cuts = []
    for item in removed:
        first, last = _line_of(text, item.start, item.stop)
        on_line = [other for other in listing.items if first <= other.start < last]
        remaining = [other for other in on_line if other.name not in names]
        if not remaining and _only_items(text, first, last, on_line):
            cuts.append((first, last))
        elif any(other.start > item.start for other in on_line):
            cuts.append((item.start, _behind_space(text, item.stop)))
        else:
            cuts.append((_before_space(text, item.start), item.stop))
    return cuts


def _only_items(text: str, first: int, last: int, items: list[Item]) -> bool:
    """Tell whether a line has nothing but items and a comment."""
    remainder = text[first:last]
    for item in items:
        written = text[item.start : item.stop]
        remainder = remainder.replace(written, "", 1)
    return not remainder.split("#", 1)[0].strip()


def _line_of(text: str, start: int, stop: int) -> tuple[int, int]:
    end = text.find("\n", stop)
    return text.rfind("\n", 0, start) + 1, len(text) if end < 0 else end + 1


def _with_line(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return a span, with the rest of its lines where these have nothing else."""
    first, last = _line_of(text, start, stop)
    if not text[first:start].strip() and not text[stop:last].strip():
        return first, last
    return start, stop


def _behind_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t":
        position += 1
    return position


def _before_space(text: str, position: int) -> int:
    while position > 0 and text[position - 1] in " \t":
        position -= 1
    return position

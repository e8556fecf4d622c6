"""What the methods of a study are called in its tables, charts and files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ranksieve.experiment import ALL, Outcome

ALL_FEATURES = "all features"
OWN_WEIGHTS = "own weights"


def method_label(outcome: Outcome) -> str:
    """Return the method with its variant, without its ranker."""
    return f"{outcome.method}, refit" if outcome.variant == "refit" else outcome.method


def ranker_label(outcome: Outcome) -> str:
    """Return the ranker, or that the method's own weights rank."""
    return outcome.ranker or OWN_WEIGHTS


def number_label(number: int | None) -> str:
    """Return how many features were asked for.

    Examples
    --------
    >>> number_label(10), number_label(None), number_label(-1)
    ('10', 'chosen by validation', 'all it keeps')
    """
    if number is None:
        return "chosen by validation"
    return "all it keeps" if number == ALL else str(number)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, in the order of first appearance."""
    return tuple(dict.fromkeys(names))


def short_components(texts: Iterable[str]) -> dict[str, str]:
    """Return short names of components: the class, what is measured, and what sets them apart.

    Examples
    --------
    >>> texts = ["MeasureImportance(measure=MAP())", "Gain(k='a', n=9)", "Gain(k='a', n=5)"]
    >>> list(short_components(texts).values())
    ['Measure, MAP', 'Gain, n=9', 'Gain, n=5']
    """
    parts = {text: _class_and_arguments(text) for text in texts}
    short = {}
    for text, (name, arguments) in parts.items():
        alike = [set(other_arguments) for other, other_arguments in parts.values() if other == name]
        common = set.intersection(*alike)
        distinguishing = [
            _short_argument(argument)
            for argument in arguments
            if argument not in common or "(" in argument
        ]
        short[text] = ", ".join([_FAMILIES.sub("", name), *distinguishing])
    # Names that differ only in what was left out stay as they are.
    return short if len(set(short.values())) == len(short) else {text: text for text in short}


def short_names(names: Sequence[str], width: int) -> dict[str, str]:
    """Return names of at most `width` letters that end with a word, and differ where names do.

    A name that is longer loses its last words, or those before its last word where others would
    look alike; a single long word is left as it is.

    Examples
    --------
    >>> names = ["FSMRank, importance alone, refit", "FSMRank, importance alone", "GAS"]
    >>> list(short_names(names, 20).values())
    ['FSMRank, … refit', 'FSMRank, … alone', 'GAS']
    """
    first = {name: _first_words(name, width) for name in names}
    counts = Counter(first.values())
    second = {
        name: short if counts[short] == 1 else _outer_words(name, width)
        for name, short in first.items()
    }
    counts = Counter(second.values())
    return {name: short if counts[short] == 1 else name for name, short in second.items()}


# Where a name may end: after a space, a comma, a bracket or an equals sign.
_WORD = re.compile(r"[^ ,(=]*[ ,(=]*")


def _first_words(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    text = ""
    for word in _WORD.findall(name):
        if text and len((text + word).rstrip(" ,(=")) + 1 > width:
            return text.rstrip(" ,(=") + "…"
        text += word
    return name


def _outer_words(name: str, width: int) -> str:
    """Return the first words and the last one."""
    words = [word for word in _WORD.findall(name) if word]
    if len(name) <= width or len(words) < 3:
        return name
    first = _first_words(name, max(width - len(words[-1]) - 1, len(words[0].rstrip(" ,(="))))
    return f"{first.removesuffix('…').rstrip(' ,')}, … {words[-1]}"


_FAMILIES = re.compile(r"(?<=.)(Importance|Similarity)$")
# A comma inside brackets belongs to an argument.
_COMMA = re.compile(r",(?![^(\[]*[)\]])")


def _class_and_arguments(text: str) -> tuple[str, list[str]]:
    name, _, after_bracket = text.partition("(")
    inner = after_bracket.removesuffix(")")
    return name, [part.strip() for part in _COMMA.split(inner) if part]


def _short_argument(argument: str) -> str:
    value = argument.partition("=")[2]
    return value.removesuffix("()") if "(" in value else argument


def file_name(*parts: str) -> str:
    """Return a readable name for a file, of letters that every system takes.

    Examples
    --------
    >>> file_name("features", "MQ2008", "own weights", "NDCG@10")
    'features-mq2008-own-weights-ndcg-10'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-")[:120]

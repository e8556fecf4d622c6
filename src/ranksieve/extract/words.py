"""From text to terms: words in lower case, without stop words, stemmed by Snowball."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ranksieve.catalog import suggestion
from ranksieve.errors import ParameterError
from ranksieve.packages import require

# Letters and digits of any script, with an apostrophe inside: wing, 3d, o'brien.
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# No language has words of this length; what looks like one is data in the text.
_LONGEST_WORD = 64
STOP = None


@dataclass(frozen=True)
class WordRule:
    """How words become terms.

    Attributes
    ----------
    language : of Snowball's stemmer, or "none" for words as they are
    stop_words : words that are not terms, in lower case

    Examples
    --------
    >>> rule = word_rule("english")
    >>> [rule.stemmer()(word) for word in ("heated", "heating", "slabs")]
    ['heat', 'heat', 'slab']
    >>> words_of("The boundary-layer of O'Brien's 2 slabs.")
    ['the', 'boundary', 'layer', 'of', "o'brien's", '2', 'slabs']
    """

    language: str
    stop_words: frozenset[str]

    def stemmer(self) -> Any:
        """Return a function from a word to its term; None for a stop word."""
        if self.language == "none":
            return lambda word: STOP if word in self.stop_words else word
        stem = _snowball(self.language).stemWord
        return lambda word: STOP if word in self.stop_words else stem(word)


def word_rule(language: str = "english", stop_words: Iterable[str] | None = None) -> WordRule:
    """Return the rule for a language.

    Parameters
    ----------
    language : one of Snowball's languages, or "none" to leave words as they are
    stop_words : words to leave out
        None is scikit-learn's English list for "english", and no words for other languages.
    """
    if language != "none":
        _snowball(language)
    if stop_words is not None:
        return WordRule(language, frozenset(word.strip().lower() for word in stop_words) - {""})
    return WordRule(language, english_stop_words() if language == "english" else frozenset())


def english_stop_words() -> frozenset[str]:
    """Return scikit-learn's list, 318 words: it is there in any case, and has been for years."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, stop words included."""
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    if len(text) > _LONGEST_WORD and any(len(word) > _LONGEST_WORD for word in words):
        return [word for word in words if len(word) <= _LONGEST_WORD]
    return words


def _snowball(language: str) -> Any:
    package = require("snowballstemmer", extra="text", caller="extracting features from text")
    if language not in package.algorithms():
        raise ParameterError(
            f"Snowball has no language {language!r}{suggestion(language, package.algorithms())} "
            "Take 'none' to leave words as they are."
        )
    return package.stemmer(language)

"""Documents as numbers of terms, a batch at a time, in one process or in several.

A worker is a Python of its own that answers batches on its standard output: no code of the caller
is run again in it, as multiprocessing would, and where the caller ends, however it does, the worker
reads the end of its input and ends too.
"""

from __future__ import annotations

import pickle
import queue
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import RunError
from ranksieve.extract.words import STOP, WordRule, words_of
from ranksieve.threads import n_threads, side_by_side

# Characters of a batch; and batches that one process does before others are started, which takes
# about as long as these.
_BATCH_CHARACTERS = 1 << 21
_ALONE = 4
_START = "from ranksieve.extract.tokens import main; main()"

Texts = tuple[str, str]


@dataclass(frozen=True)
class TokenBatch:
    """Documents of a batch as numbers of its terms.

    Attributes
    ----------
    tokens : (n,) array of int32, titles and bodies one after the other; -1 is a stop word
    sizes : (documents, 2) array, the words of each title and body, stop words included
    terms : the term of each number
    """

    tokens: NDArray[np.int32]
    sizes: NDArray[np.int64]
    terms: list[str]


class Tokeniser:
    """Turns texts into numbers; remembers the term of each word that it has met.

    Examples
    --------
    >>> from ranksieve.extract.words import word_rule
    >>> batch = Tokeniser(word_rule()).batch([("Heated slabs", "The heat of a slab")])
    >>> batch.tokens, batch.sizes, batch.terms
    (array([ 0,  1, -1,  0, -1, -1,  1], dtype=int32), array([[2, 5]]), ['heat', 'slab'])
    """

    def __init__(self, rule: WordRule) -> None:
        self._terms = _Terms(rule.stemmer())

    def batch(self, texts: list[Texts]) -> TokenBatch:
        """Return the batch of some documents, each a title and a body."""
        numbers = _Numbers(self._terms)
        parts, sizes = [], []
        for document in texts:
            words = [words_of(text) for text in document]
            sizes.append([len(part) for part in words])
            parts.append(list(map(numbers.__getitem__, chain(*words))))
        tokens = np.fromiter(chain.from_iterable(parts), dtype=np.int32)
        return TokenBatch(
            tokens, np.array(sizes, dtype=np.int64).reshape(-1, 2), list(numbers.terms)
        )

    def query(self, text: str) -> list[str]:
        """Return the terms of a query, in order, without stop words."""
        terms = (self._terms[word] for word in words_of(text))
        return [term for term in terms if term is not STOP]


class _Terms(dict[str, Any]):
    """The term of each word, found when it is first asked for."""

    def __init__(self, stem: Any) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, word: str) -> str | None:
        term: str | None = self._stem(word)
        self[word] = term
        return term


class _Numbers(dict[str, int]):
    """The number of each word's term in a batch."""

    def __init__(self, stems: _Terms) -> None:
        super().__init__()
        self._stems = stems
        self.terms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        term = self._stems[word]
        number = -1 if term is STOP else self.terms.setdefault(term, len(self.terms))
        self[word] = number
        return number


def token_batches(texts: Iterable[Texts], rule: WordRule) -> Iterator[TokenBatch]:
    """Yield the batches of a stream of documents, in order.

    The first batches are done by this process; if there are more, `n_threads()` workers do the
    others. A few batches are held at a time.
    """
    batches = _cut(iter(texts))
    tokeniser = Tokeniser(rule)
    for batch in islice(batches, _ALONE):
        yield tokeniser.batch(batch)
    following = next(batches, None)
    if following is None:
        return
    if n_threads() == 1:
        yield from map(tokeniser.batch, chain([following], batches))
        return
    with _workers(rule) as ask:
        yield from side_by_side(ask, chain([following], batches))


def _cut(texts: Iterator[Texts]) -> Iterator[list[Texts]]:
    held: list[Texts] = []
    size = 0
    for document in texts:
        held.append(document)
        size += len(document[0]) + len(document[1])
        if size >= _BATCH_CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


@contextmanager
def _workers(rule: WordRule) -> Iterator[Any]:
    processes = [_started(rule) for _ in range(n_threads())]
    free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
    for process in processes:
        free.put(process)

    def ask(batch: list[Texts]) -> TokenBatch:
        process = free.get()
        try:
            return _answer(process, batch)
        finally:
            free.put(process)

    try:
        yield ask
    finally:
        for process in processes:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _started(rule: WordRule) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    _send(process.stdin, rule)
    return process


def _answer(process: subprocess.Popen[bytes], batch: list[Texts]) -> TokenBatch:
    try:
        _send(process.stdin, batch)
        answer: TokenBatch = pickle.load(process.stdout)  # type: ignore[arg-type]
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise RunError(
            f"a process that cuts text into words ended too soon ({error or 'no answer'}). "
            "Check that memory suffices, or use one: RANKSIEVE_THREADS=1."
        ) from None
    return answer


def _send(stream: Any, content: Any) -> None:
    pickle.dump(content, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def main() -> None:
    """Answer batches from standard input until it ends; the rule of words comes first."""
    import signal

    # The caller answers Ctrl-C, and ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, BrokenPipeError):
        tokeniser = Tokeniser(pickle.load(source))
        while True:
            _send(target, tokeniser.batch(pickle.load(source)))

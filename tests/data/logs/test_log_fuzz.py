"""Whatever is changed in a log, it is read or refused with a clear error, and with no other."""

from __future__ import annotations

import random
import warnings

import pytest

from ranksieve import load
from ranksieve.errors import DataError, JudgementWarning
from tests.data.logs.conftest import ENGINES, lines, logged
from tests.reference.mutations import mutated


def read_or_refused(path, qrels):
    """Whether a log was read; any error but DataError fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JudgementWarning)
        try:
            load(path, judgements=qrels, missing=0)
        except DataError:
            return False
        return True


@pytest.mark.parametrize("engine", ENGINES)
def test_a_log_with_a_changed_value_is_read_or_refused(write, qrels, engine):
    draw = random.Random(engine)
    outcomes = []
    for _ in range(400):
        changed = mutated(logged(engine), draw)
        outcomes.append(read_or_refused(write(lines(changed), "log.json"), qrels))
    assert 20 < sum(outcomes) < 380


@pytest.mark.parametrize("engine", ENGINES)
def test_a_log_with_a_changed_byte_is_read_or_refused(write, qrels, engine):
    draw = random.Random(engine)
    text = lines(logged(engine)).encode()
    outcomes = []
    for _ in range(300):
        at = draw.randrange(len(text))
        changed = text[:at] + bytes([draw.randrange(256)]) + text[at + draw.randrange(3) :]
        outcomes.append(read_or_refused(write(changed, "log.json"), qrels))
    assert 20 < sum(outcomes) < 280

"""A process that loads forged model files, one after another, under a limit on memory."""

from __future__ import annotations

import os
import resource
import struct
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

# What a case may take beside what the process has once its library is there.
MEMORY = 1 << 30


def main():
    """Answer each case on the given file descriptor: what came of it, a line each.

    Memory is limited after the first `n_sound` cases: their libraries are imported by then.
    """
    from ranksieve.rankers import load_ranker

    answers, n_sound = os.fdopen(int(sys.argv[1]), "w", buffering=1), int(sys.argv[2])
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for number, content in enumerate(_cases(), start=1):
            path.write_bytes(content)
            answers.write(f"{_outcome(load_ranker, path)}\t{_peak()}\n")
            if number == n_sound:
                size = _address_space() + MEMORY
                resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _cases():
    while head := sys.stdin.buffer.read(4):
        yield sys.stdin.buffer.read(struct.unpack("<I", head)[0])


def _outcome(load_ranker, path):
    from ranksieve.errors import RanksieveError

    try:
        ranker = load_ranker(path)
        n_features = ranker.n_features_in_
        # Small ones: any linear model gives infinite scores for some rows.
        rows = np.random.default_rng(1).normal(scale=0.1, size=(20, n_features))
        scores = ranker.predict(rows)
        again = path.with_suffix(".again")
        ranker.save(again)
        repr(ranker), getattr(ranker, "feature_importances_", None)
    except RanksieveError as error:
        text = str(error)
        plain = "\n" not in text and "0x7f" not in text
        return "refused" if plain else f"unclear {text[:300]!r}"
    except BaseException as error:  # noqa: BLE001
        return f"raised {type(error).__name__}: {str(error)[:300]!r}"
    return "loaded" if np.isfinite(scores).all() else "not finite"


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _address_space():
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[0]) * resource.getpagesize()

"""What a computation costs, and how it ended."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ranksieve.estimator import Ending
from ranksieve.experiment.run.shared import Cost, ending_of, watched

needs_proc = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux only")


@needs_proc
def test_peak_memory_notices_what_was_given_back():
    with watched() as small:
        pass
    with watched() as large:
        np.ones(25_000_000)  # 200 MB, gone at once
    with watched() as after:
        pass
    assert 190e6 < large.peak_memory - small.peak_memory < 260e6
    assert after.peak_memory - small.peak_memory < 100e6


def test_warnings_are_kept_once_each_and_not_shown():
    with watched() as cost:
        for text in ("first", "second", "first"):
            warnings.warn(text, stacklevel=1)
    assert cost.warnings == ["first", "second"]


def test_what_is_raised_goes_on_and_the_cost_is_known():
    seen = []
    with pytest.raises(ZeroDivisionError), watched() as cost:
        seen.append(cost) or 1 / 0
    assert seen[0].seconds > 0


def test_an_ending_is_what_a_fit_says_in_plain_numbers():
    class Fitted(NamedTuple):
        ends: Ending

        def ending(self):
            return self.ends

    fitted = Fitted(Ending(converged=True, n_iter=3, objective=0.5, settled={"C": 0.1, "p": 2.0}))
    assert ending_of(fitted, Cost(warnings=["slow"])) == {
        "C": 0.1,
        "converged": True,
        "n_iter": 3,
        "objective": 0.5,
        "warnings": ["slow"],
    }
    assert ending_of(Fitted(Ending()), Cost()) == {}

"""Marks of significance for tables."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import significance_marks


def test_a_level_is_reached_where_it_is_not_exceeded():
    marks = significance_marks([1.0, 0.051, 0.05, 0.01, 0.0011, 0.001, 0.0, np.nan])
    assert marks == ["", "", "*", "**", "**", "***", "***", ""]


def test_levels_are_yours_in_any_order():
    assert significance_marks([0.04, 0.2], levels=[0.1]) == ["*", ""]
    assert significance_marks([0.04], levels=[0.01, 0.1]) == ["*"]
    assert significance_marks([]) == []


def test_wrong_levels_and_p_values_are_said():
    with pytest.raises(ParameterError, match="level must be between 0 and 1"):
        significance_marks([0.5], levels=[5])
    with pytest.raises(DataError, match="p-values must be between"):
        significance_marks([-0.5])

"""Which trial validation chooses."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.experiment.results.choose import Candidate, best


def candidate(mean, n_features, name=""):
    means = None if mean is None else np.array([mean, 0.0])
    return Candidate({"name": name}, n_features, n_features, means)


def chosen(*candidates):
    found = best(candidates)
    return None if found is None else found.row["name"]


def test_the_best_mean_of_the_first_measure_wins():
    assert chosen(candidate(0.3, 1, "a"), candidate(0.5, 9, "b"), candidate(0.4, 2, "c")) == "b"


def test_equal_means_go_to_fewer_features_then_to_the_first():
    some = [candidate(0.5, 9, "a"), candidate(0.5, 2, "b"), candidate(0.5, 2, "c")]
    assert chosen(*some) == "b"


def test_a_difference_of_rounding_does_not_decide_for_more_features():
    assert chosen(candidate(0.5 + 1e-15, 9, "a"), candidate(0.5, 2, "b")) == "b"
    assert chosen(candidate(0.5 + 1e-9, 9, "a"), candidate(0.5, 2, "b")) == "a"


def test_a_model_without_features_is_never_taken():
    assert chosen(candidate(0.9, 0, "a"), candidate(0.1, 3, "b")) == "b"
    assert chosen(candidate(0.9, 0, "a")) is None
    assert chosen() is None


def test_without_validation_only_a_single_candidate_is_taken():
    assert chosen(candidate(None, 3, "a")) == "a"
    assert chosen(candidate(None, 0, "a"), candidate(None, 3, "b")) == "b"
    assert chosen(candidate(None, 3, "a"), candidate(None, 4, "b")) is None


@pytest.mark.parametrize("order", [1, -1])
def test_a_mean_of_no_query_loses_to_any_other(order):
    some = [candidate(np.nan, 1, "nothing"), candidate(0.0, 5, "something")]
    assert chosen(*some[::order]) == "something"


def test_where_no_query_counts_for_any_the_fewest_features_are_taken():
    assert chosen(candidate(np.nan, 5, "a"), candidate(np.nan, 2, "b")) == "b"

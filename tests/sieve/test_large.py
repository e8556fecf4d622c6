"""Much data: a sample is searched, and the last rungs are judged on everything."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import make_ranking
from ranksieve.sieve import Sieve
from ranksieve.sieve.evidence.queries import query_changes
from ranksieve.sieve.search import sample
from ranksieve.sieve.search.search import last_rungs_on_everything
from tests.sieve.test_evidence import searched

RANKER = "RankSVM(C=0.01)"


def keeper(judge):
    return judge


def test_a_sample_is_drawn_from_the_queries_that_count():
    counting = np.arange(50) % 3 > 0
    drawn = sample.sampled(counting, 10, random_state=0)
    assert drawn.sum() == 10
    assert not (drawn & ~counting).any()
    assert (sample.sampled(counting, 10, random_state=1) != drawn).any()


def test_last_rungs_are_judged_on_queries_that_did_not_choose_them():
    found, _ = searched(0, 150, n_searched=60)
    choice = len(found.rungs) - 3
    n_trainings = found.judge.n_trainings
    full = last_rungs_on_everything(found, lambda _: choice, keeper)
    assert set(full.on_everything) == {0, choice - 1, choice, choice + 1}
    assert full.decisive == sorted(full.on_everything)
    assert found.searched.sum() == 60
    assert len(full.values(choice)) == full.question.counting.sum() > 60
    assert len(full.values(1)) == found.counting.sum()
    assert len(query_changes(full, choice)) == full.question.counting.sum()
    for position, rung in full.on_everything.items():
        np.testing.assert_array_equal(rung.fold_selected, found.rungs[position].fold_selected)
        assert not np.isnan(rung.values).any()
    # Four rungs, each with four folds twice.
    assert full.judge.n_trainings == n_trainings + 4 * 4 * 2


@pytest.mark.parametrize("second_choice", ["largest", "smallest", "same"])
def test_on_everything_no_choice_is_made_across_a_gap_of_the_ladder(second_choice):
    found, _ = searched(0, 150, n_searched=60)
    last = len(found.rungs) - 1
    first = last // 2
    asked = []

    def choose(search):
        """On the sample a rung in the middle; on everything, one at an end of those judged."""
        asked.append(list(search.on_everything))
        if not search.on_everything or second_choice == "same":
            return first
        ends = sorted(search.on_everything)
        return ends[0] if second_choice == "largest" else ends[-1]

    full = last_rungs_on_everything(found, choose, keeper)
    choice = choose(full)
    assert {max(choice - 1, 0), choice, min(choice + 1, last)} <= set(full.on_everything)
    if second_choice == "same":
        assert set(full.on_everything) == {0, first - 1, first, first + 1}
    # The first question is about the sample, each further one about more rungs than the one before.
    sizes = [len(positions) for positions in asked[:-1]]
    assert sizes[0] == 0
    assert sizes == sorted(set(sizes))


def test_no_more_than_eight_rungs_are_judged_on_everything(monkeypatch):
    monkeypatch.setattr("ranksieve.sieve.search.search._MOST_ON_EVERYTHING", 5)
    found, _ = searched(0, 150, n_searched=60)

    def smallest(search):
        return max(search.on_everything, default=1)

    full = last_rungs_on_everything(found, smallest, keeper)
    assert len(full.on_everything) == 5 < len(found.rungs)


def test_a_number_of_queries_can_be_given():
    data, truth = make_ranking(150, 8, n_relevant=3, n_redundant=0, n_irrelevant=5)
    sieve = Sieve(RANKER, margin=0.005, search_queries=70).fit(data)
    making = sieve.result_.making
    assert making.n_searched == 70 < making.n_counting
    assert sieve.result_.chosen.change.n_queries == making.n_counting
    assert set(truth.relevant) <= set(sieve.get_support(indices=True))


@pytest.mark.parametrize("margin", [0.2, 0.001])
def test_the_margin_says_how_many_queries_are_searched(monkeypatch, margin):
    monkeypatch.setattr(sample, "_FEW_QUERIES", 100)
    monkeypatch.setattr(sample, "N_PILOT", 40)
    monkeypatch.setattr("ranksieve.sieve.search.search.N_PILOT", 40)
    monkeypatch.setattr(sample, "_LEAST", 50)
    data, _ = make_ranking(200, 8, n_relevant=3, n_redundant=0, n_irrelevant=5)
    making = Sieve(RANKER, margin=margin).fit(data).result_.making
    if margin == 0.2:
        assert making.n_searched == 50
    else:
        # No more than are searched without a sample.
        assert making.n_searched == 100 < making.n_counting

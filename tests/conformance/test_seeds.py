"""What every component with a random_state takes for one, and says of others."""

from __future__ import annotations

import inspect

import pytest

from ranksieve import catalog, make_ranking
from ranksieve.errors import ParameterError, RanksieveError

SEEDED = [
    pytest.param(entry.load(), id=entry.class_name)
    for family in catalog.FAMILIES
    for entry in catalog.entries(family)
    if "random_state" in inspect.signature(entry.load()).parameters
]


def use(component, seed):
    data = make_ranking(8, 6, n_relevant=1, n_redundant=1, n_irrelevant=1, random_state=0)[0]
    made = component(random_state=seed)
    if hasattr(made, "fit"):
        return made.fit(data)
    if hasattr(made, "scores"):
        return made.scores(data)
    return made.split(data) if hasattr(made, "split") else made.folds()


@pytest.mark.parametrize("seed", [2**64, 10**400, -1, 1.5, "1", None, True], ids=str)
@pytest.mark.parametrize("component", SEEDED)
def test_what_is_no_seed_is_named(component, seed):
    with pytest.raises(ParameterError, match="random_state must be"):
        use(component, seed)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("component", SEEDED)
def test_a_seed_of_64_bits_is_used_or_refused_in_words(component):
    message = ""
    try:
        use(component, 2**64 - 1)
    except RanksieveError as error:
        message = str(error)
    # Other libraries take fewer bits; a source without a path has nothing to read.
    expected = ("random_state must be at most", "does not exist", "needs files", "holds neither")
    assert not message or any(text in message for text in expected)

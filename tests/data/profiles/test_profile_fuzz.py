"""Whatever is changed in a profile, it is read or refused with a clear error."""

from __future__ import annotations

import json
import random

import pytest

from ranksieve.data.profiles import profile_costs
from ranksieve.errors import DataError
from tests.data.profiles.test_profile_costs import (
    FIRST,
    SECOND,
    SET,
    node,
    ranker,
    response,
    timing,
    trace,
)
from tests.reference.mutations import mutated

PROFILES = {
    "set": response([ranker(0, 1, 2, 3), node("TermQuery", 3)], rewrite=3),
    "feature": {"feature": "a", "response": response([node("TermQuery", 3)])},
    "solr": timing(7.0, params={"feature": "b"}),
    "vespa": trace(FIRST, SECOND),
}


@pytest.mark.parametrize("kind", PROFILES)
def test_a_profile_with_a_changed_value_is_read_or_refused(tmp_path, kind):
    draw = random.Random(kind)
    path = tmp_path / "profile.json"
    n_refused = 0
    for _ in range(300):
        path.write_text(json.dumps(mutated(PROFILES[kind], draw)))
        try:
            costs = profile_costs([path], SET if kind == "set" else None).costs
        except DataError:
            n_refused += 1
        else:
            assert all(cost >= 0 for cost in costs.values())
    assert n_refused < 300

"""Every value of every default grid spells a component that can be trained."""

from __future__ import annotations

import warnings

import pytest

from ranksieve import catalog, make_ranking
from ranksieve.experiment.grids import grid

CASES = [
    pytest.param(family, entry.class_name, name, value, id=f"{entry.class_name}-{name}-{value}")
    for family in ("selectors", "rankers")
    for entry in catalog.entries(family)
    for name, tried in entry.load().default_grid.items()
    for value in tried
]
# So much of what no grid has, for every value.
FEW = {"max_iter": 5, "n_estimators": 5, "n_strengths": 3, "n_folds": 2}


@pytest.fixture(scope="module")
def data():
    return make_ranking(15, 8, n_relevant=2, n_redundant=1, n_irrelevant=2, n_grades=3)[0]


@pytest.mark.parametrize(("family", "component", "name", "value"), CASES)
def test_a_value_of_a_default_grid_is_parsed_and_trained(family, component, name, value, data):
    made = catalog.parse(f"{component}({name}={value!r})", family)
    for knob, few in FEW.items():
        if knob in made.get_params(deep=False):
            made.set_params(**{knob: few})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five iterations are too few
        made.fit(data)
    assert made.n_features_in_ == data.n_features


@pytest.mark.parametrize("family", ["selectors", "rankers"])
def test_settings_of_a_grid_are_all_different_and_spell_themselves(family):
    for entry in catalog.entries(family):
        found = grid("", entry.class_name, family)
        assert len(set(found.settings)) == len(found.settings)
        assert [repr(catalog.parse(text, family)) for text in found.settings] == list(
            found.settings
        )
        assert set(grid("", found.text, family).settings) == set(found.settings)


def test_what_chooses_c_is_part_of_a_setting_only_where_it_chooses():
    fixed = {"measure": "map", "random_state": 7}
    assert grid("", "RankSVM(C=[0.1, 1])", "rankers", fixed=fixed).settings == (
        "RankSVM(C=0.1)",
        "RankSVM(C=1)",
    )
    by_folds = grid("", "RankSVM(C=None)", "rankers", fixed=fixed)
    assert by_folds.settings == ("RankSVM(measure='map', random_state=7)",)

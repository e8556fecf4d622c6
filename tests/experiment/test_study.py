"""Studies: what may be asked for, and how errors say what may."""

from __future__ import annotations

import pytest

from ranksieve import catalog
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment import ALL, Study, read_study
from ranksieve.experiment.grids import grid
from ranksieve.measures import parse_measure


def test_texts_label_themselves_and_labels_may_be_given():
    study = Study(["d"], ["GAS(balance=[0, 1])", 'TopK("ndcg@10")'], {"svm": "RankSVM"})
    assert [label for label, _ in study.selectors] == ["GAS", "TopK(importance='ndcg@10')"]
    assert study.rankers == (("svm", "RankSVM"),)


def test_one_text_is_a_list_of_one():
    study = Study("d", "GAS", "RankSVM", numbers=[3], measures="map")
    assert [source.name for source in study.sources] == ["d"]
    assert (len(study.selectors), study.measures) == (1, ("map",))


def test_numbers_are_sorted_with_all_last_and_each_once():
    assert Study(["d"], numbers=["all", 5, 1, 5, ALL]).numbers == (1, 5, ALL)


def test_a_study_survives_json():
    study = Study(["d", "e"], {"a": "GAS"}, ["RankSVM(C=[1, 2])"], [2, "all"], seed=4, title="T")
    again = Study.from_json(study.to_json())
    assert again == study
    assert (again.title, again.to_json()) == ("T", study.to_json())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": []}, "a study needs data"),
        ({"data": 3}, "data must be a list, but is 3"),
        ({"data": ["a/x", "b/x"]}, "two data sets are called 'x'"),
        ({"data": [3]}, "data is a folder or a file, as text, but is 3"),
        ({"measures": []}, "a study needs measures"),
        ({"variants": 3}, "variants must be a list, but is 3"),
        ({"title": 3}, "the title must be a text, but is 3"),
        ({"selectors": [1]}, "selectors are texts such as 'GAS', .* but one is 1"),
        ({"rankers": [["a"]]}, "rankers are texts such as 'GAS', .* but one is \\['a'\\]"),
        ({"selectors": ["GSA"]}, "unknown selector 'GSA': did you mean 'GAS'?"),
        ({"rankers": ["RankSVN"]}, "unknown ranker 'RankSVN': did you mean 'RankSVM'?"),
        (
            {"selectors": ["GAS(balanse=1)"]},
            "GAS has no parameter 'balanse': did you mean 'balance'?",
        ),
        ({"selectors": ["GAS(balance=[])"]}, "the grid of balance is empty"),
        ({"selectors": ["GAS(balance=[0, 1])", "GAS"]}, "two methods are called 'GAS'"),
        ({"selectors": {"all features": "GAS"}}, "two methods are called 'all features'"),
        (
            {"selectors": {"S": "SparseRankSVM", "S, refit": "GAS"}},
            "two methods are called 'S, refit'",
        ),
        ({"rankers": ["RankSVM(C=[1])", "RankSVM"]}, "two rankers are called 'RankSVM'"),
        ({"selectors": [], "rankers": []}, "a study needs rankers or selectors"),
        ({"measures": ["ndgc@10"]}, "ndcg"),
        ({"variants": ["weight"]}, "a variant must be one of .* did you mean 'weights'?"),
        ({"numbers": [0]}, "a number of features is a whole number from 1 on, or 'all', but is 0"),
        ({"numbers": [True]}, "but is True"),
        ({"numbers": []}, "a study needs numbers of features"),
        ({"seed": -1}, "the seed must be a whole number from 0 on, but is -1"),
        ({"seed": 1.5}, "the seed must be a whole number from 0 on, but is 1.5"),
    ],
)
def test_what_cannot_be_asked_for_is_said_in_words(given, said):
    with pytest.raises(ParameterError, match=said.replace("?", r"\?")):
        Study(**({"data": ["d"]} | given))


def test_a_seed_and_the_first_measure_reach_components_that_are_given_none():
    rankers = ["RankNet(strength=1)"]
    study = Study(["d"], ["FSSCPR", "FSSCPR(random_state=7)"], rankers, measures=["err"], seed=5)
    grids = (*study.selector_grids, *study.ranker_grids)
    made = [
        catalog.parse(one.settings[0], family)
        for one, family in zip(grids, ("selectors", "selectors", "rankers"), strict=True)
    ]
    assert [one.random_state for one in made] == [5, 7, 5]
    assert str(parse_measure(made[2].measure)) == study.measures[0]


def test_a_grid_is_every_combination_and_what_is_said_replaces_the_default_grid():
    found = grid(
        "x", "FSMRank(similarity_strength=[1, 2], importance_strength=[3, 4])", "selectors"
    )
    assert len(found.settings) == 4
    assert grid("x", "RankSVM(C=3)", "rankers").settings == ("RankSVM(C=3)",)
    assert len(grid("x", "GAS(balance=[0, 0])", "selectors").settings) == 1


def test_a_toml_file_is_a_study_and_changes_replace_parts_of_it(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        'title = "Mine"\ndescription = "Why."\ndata = ["d"]\nk = [3, "all"]\nseed = 2\n'
        'measures = ["map"]\nrankers = ["RankSVM(C=1)"]\n[selectors]\ngreedy = "GAS(balance=0.1)"\n'
    )
    study = read_study(path)
    wanted = Study(
        ["d"], {"greedy": "GAS(balance=0.1)"}, ["RankSVM(C=1)"], [3, "all"], ["map"], seed=2
    )
    assert (study, study.title) == (wanted, "Mine")
    assert read_study(path, data=["e"], numbers=[1]).numbers == (1,)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (
            'data = ["d"]\nselector = ["GAS"]',
            ParameterError,
            "unknown key 'selector': did you mean",
        ),
        ("data = [", DataError, "is not TOML"),
        ('selectors = ["GAS"]', ParameterError, "names no data"),
    ],
)
def test_a_file_that_is_no_study_is_refused(text, error, said, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(error, match=said):
        read_study(path)


def test_a_name_that_is_no_study_is_refused(tmp_path):
    with pytest.raises(DataError, match="is neither a file nor a study"):
        read_study(tmp_path / "missing.toml")

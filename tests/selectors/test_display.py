"""What fitted selectors show in notebooks."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import NotFittedError

from ranksieve import FSSCPR, GAS, SparseRankSVM, TopK, make_ranking
from ranksieve.data import RankingData
from ranksieve.data.small_table import SmallTable
from ranksieve.errors import MissingDependencyError
from ranksieve.report import plot_selection


@pytest.fixture(scope="module")
def data() -> RankingData:
    return make_ranking(60, 8, n_relevant=2, n_redundant=2, n_irrelevant=4, random_state=0)[0]


SELECTORS = [TopK(n_features_to_select=3), GAS(3), FSSCPR(3), SparseRankSVM(strength=0.03)]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("installed", [True, False], ids=["pandas", "without pandas"])
def test_the_table_has_every_feature_in_the_methods_order(data, selector, installed, monkeypatch):
    if not installed:
        monkeypatch.setitem(sys.modules, "pandas", None)
    table = selector.fit(data).table()
    assert isinstance(table, SmallTable) is not installed
    assert [data.feature_names.index(name) for name in table["feature"]] == list(selector.order_)
    np.testing.assert_array_equal(table["score"], selector.scores_[selector.order_])
    kept = {name for name, is_kept in zip(table["feature"], table["kept"], strict=True) if is_kept}
    assert kept == set(selector.get_feature_names_out())
    if hasattr(selector, "importance_"):
        np.testing.assert_array_equal(table["importance"], selector.importance_[selector.order_])
    else:
        assert np.isnan(table["importance"]).all()
    assert ("weight" in list(table.columns)) == hasattr(selector, "coef_")
    assert len(table) == data.n_features


def test_a_matrix_without_names_has_made_up_ones(data):
    table = TopK(n_features_to_select=1).fit(data.X, data.y, qid=data.qid).table()
    assert sorted(table["feature"]) == [f"x{index}" for index in range(data.n_features)]


def test_the_small_table_prints_its_columns(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    top = TopK(n_features_to_select=2).fit(data)
    lines = repr(top.table()).splitlines()
    assert lines[0].split() == ["feature", "score", "importance", "kept"]
    assert lines[1].split()[-1] == "yes"
    assert lines[-1].split()[-1] == "no"
    assert f"{top.scores_.max():.4f}" in lines[1]


@pytest.mark.parametrize("method", ["table", "plot"])
def test_what_is_not_fitted_has_nothing_to_show(method):
    with pytest.raises(NotFittedError):
        getattr(GAS(), method)()


def test_a_notebook_shows_the_diagram_and_then_what_was_kept(data):
    before = GAS(2)
    assert "features kept" not in before._repr_html_()
    gas = GAS(2).fit(data)
    for html in (gas._repr_html_(), gas._repr_mimebundle_()["text/html"]):
        diagram, _, kept = html.partition("<details open><summary>2 of 8 features kept")
        assert "sk-container" in diagram
        for name in data.feature_names:
            assert (f"<td>{name}</td>" in kept) == (name in gas.get_feature_names_out())
    with sklearn.config_context(display="text"):
        assert not hasattr(gas, "_repr_html_")
        assert set(gas._repr_mimebundle_()) == {"text/plain"}


def test_names_in_a_notebook_are_text_and_long_lists_are_cut(data):
    wide = make_ranking(20, 8, n_relevant=2, n_redundant=2, n_irrelevant=26, random_state=0)[0]
    names = ["<script>alert(1)</script>", *(f"n{index}" for index in range(1, 30))]
    named = RankingData(list(wide.blocks()), tuple(names))
    html = TopK(n_features_to_select=30).fit(named)._repr_html_()
    assert "<script>alert(1)" not in html.partition("features kept")[2]
    assert "and 10 more" in html


def test_the_chart_draws_scores_in_order_and_marks_what_was_kept(data):
    gas = GAS(3, importance="ndcg@10", balance=0.3).fit(data)
    spec = gas.plot(n_features=5).to_dict()
    rows = spec["data"]["values"]
    names = [data.feature_names[feature] for feature in gas.order_[:5]]
    assert [row["feature"] for row in rows] == names
    assert [row["kept"] for row in rows] == [True, True, True, False, False]
    assert [row["score"] for row in rows] == pytest.approx(gas.scores_[gas.order_[:5]])
    assert "the first 5 are drawn" in str(spec)
    assert "importance" in str(spec["layer"])
    assert plot_selection(gas, n_features=5).to_dict()["data"] == spec["data"]


def test_the_chart_has_the_validation_curve_where_there_is_one(data):
    top = TopK(n_features_to_select="validation").fit(data)
    curve = top.plot().to_dict()["hconcat"][1]
    assert curve["title"]["text"] == f"Validation chose {top.validation_.chosen}"
    means = [row["mean"] for row in curve["data"]["values"]]
    assert means == pytest.approx(top.validation_.means)


def test_scores_that_are_not_finite_are_left_out_of_the_chart():
    constant = make_ranking(20, 8, n_constant=1, random_state=0)[0]
    gas = GAS(2).fit(constant)
    assert not np.isfinite(gas.scores_).all()
    assert gas.plot().to_dict()["data"]["values"][-1]["score"] is None


def test_without_altair_the_chart_says_what_to_install(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'ranksieve\[report\]'"):
        TopK(n_features_to_select=1).fit(data).plot()

"""Information gain and chi-square: laws, and the values of both binnings."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from ranksieve import make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance import as_importance
from ranksieve.importance._binned import binned_scores, cut_points
from ranksieve.importance.chi_square import ChiSquareImportance
from ranksieve.importance.information_gain import InformationGainImportance
from ranksieve.threads import threads
from tests.reference import discretise as reference
from tests.reference.cases import in_blocks, random_arrays, row_ids

KINDS = [InformationGainImportance, ChiSquareImportance]
ALL = [kind(bins) for kind in KINDS for bins in ("mdl", "equal-frequency")]
each = pytest.mark.parametrize("importance", ALL, ids=repr)


def one_query(X, y):
    return from_arrays(X, y, np.zeros(len(y), dtype=int))


def informative_arrays(seed, dtype=np.float64):
    """Random data whose first four features say something about the grades."""
    X, y, query_ptr = random_arrays(seed, n_queries=30, dtype=dtype)
    X[:, :4] += np.round(y[:, None] * [0.5, 1.0, 2.0, -1.0], 1).astype(dtype)
    return X, y, query_ptr


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(12))
def test_scores_and_cuts_are_those_of_the_definition(seed, dtype):
    rng = np.random.default_rng(seed)
    n, n_bins = int(rng.integers(1, 60)), int(rng.integers(2, 8))
    y = rng.integers(0, 4, size=n).astype(float)
    X = np.round(y[:, None] * [0, 1, 3] + rng.normal(size=(n, 3)), int(seed % 3)).astype(dtype)
    data, grades = one_query(X, y), y.tolist()
    gain, chi = binned_scores([InformationGainImportance(), ChiSquareImportance()], data)
    equal = InformationGainImportance("equal-frequency", n_bins).scores(data)
    by_grade = cut_points(data)
    by_count = cut_points(data, bins="equal-frequency", n_bins=n_bins)
    for feature, values in enumerate(data.X.T.tolist()):
        cuts = reference.mdl_cuts(values, grades)
        assert by_grade[feature].tolist() == cuts
        expected = reference.information_gain(values, grades, cuts)
        assert gain[feature] == pytest.approx(expected, abs=1e-13)
        assert chi[feature] == pytest.approx(reference.chi_square(values, grades, cuts), abs=1e-11)
        cuts = reference.equal_frequency_cuts(values, n_bins)
        assert by_count[feature].tolist() == cuts
        expected = reference.information_gain(values, grades, cuts)
        assert equal[feature] == pytest.approx(expected, abs=1e-13)


def test_a_table_of_two_bins_and_two_grades_scores_as_worked_out_by_hand():
    # Bins of 4: three documents of grade 0 and one of grade 1, and the other way round.
    data = one_query(np.arange(8.0)[:, None], [0, 0, 0, 1, 0, 1, 1, 1])
    gain, chi = binned_scores(
        [
            InformationGainImportance("equal-frequency", 2),
            ChiSquareImportance("equal-frequency", 2),
        ],
        data,
    )
    inside = -(3 / 4 * np.log2(3 / 4) + 1 / 4 * np.log2(1 / 4))
    assert gain[0] == pytest.approx(1 - inside, rel=1e-14)
    assert chi[0] == pytest.approx(4 * (3 - 2) ** 2 / 2)


@pytest.mark.parametrize("bins", ["mdl", "equal-frequency"])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_scipy_and_scikit_learn_on_the_bins(bins, seed):
    X, y, query_ptr = informative_arrays(seed)
    data = from_arrays(X, y, row_ids(query_ptr))
    gain, chi = binned_scores([kind(bins) for kind in KINDS], data)
    for feature, cuts in enumerate(cut_points(data, bins=bins)):
        where = np.searchsorted(cuts, X[:, feature])
        expected = mutual_info_score(y, where) / np.log(2)
        assert gain[feature] == pytest.approx(expected, abs=1e-14)
        table = np.zeros((len(cuts) + 1, 4))
        np.add.at(table, (where, y.astype(int)), 1)
        expected = chi2_contingency(table, correction=False).statistic
        assert chi[feature] == pytest.approx(expected, rel=1e-12)
    assert (gain[1:4] > 0).all()


@each
def test_no_order_of_rows_queries_or_blocks_changes_a_bit(importance):
    X, y, query_ptr = informative_arrays(3)
    expected = importance.scores(in_blocks(X, y, query_ptr, []))
    np.testing.assert_array_equal(
        importance.scores(in_blocks(X, y, query_ptr, [1, 2, 20])), expected
    )
    rows = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(importance.scores(one_query(X[rows], y[rows])), expected)


@each
@pytest.mark.parametrize("n", [1, 2, 5])
def test_no_number_of_threads_changes_a_bit(importance, n):
    X, y, query_ptr = informative_arrays(4)
    data = in_blocks(X, y, query_ptr, [7])
    with threads(1):
        expected = importance.scores(data)
    with threads(n):
        np.testing.assert_array_equal(importance.scores(data), expected)


@each
def test_float32_and_float64_agree_where_the_values_do(importance):
    X, y, _ = informative_arrays(5, dtype=np.float32)
    narrow, wide = one_query(X, y), one_query(X.astype(np.float64), y)
    assert (narrow.dtype, wide.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(importance.scores(narrow), importance.scores(wide))


@each
def test_only_the_order_of_values_and_the_names_of_grades_count(importance):
    X, y, _ = informative_arrays(6)
    expected = importance.scores(one_query(X, y))
    np.testing.assert_array_equal(importance.scores(one_query(np.exp(X), y)), expected)
    renamed = np.array([0, 3, 40, 1000])[y.astype(int)]
    np.testing.assert_array_equal(importance.scores(one_query(X, renamed)), expected)


@each
def test_grades_have_no_order(importance):
    X, y, _ = informative_arrays(7)
    turned = np.array([2, 0, 3, 1])[y.astype(int)]
    np.testing.assert_allclose(
        importance.scores(one_query(X, turned)), importance.scores(one_query(X, y)), rtol=1e-12
    )


@each
def test_nothing_to_tell_scores_0_exactly(importance):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=49)
    assert importance.scores(one_query(np.full((49, 1), 0.1), y)).tolist() == [0.0]
    assert importance.scores(one_query(rng.normal(size=(49, 2)), np.ones(49))).tolist() == [0, 0]
    assert importance.scores(one_query([[3.0]], [1])).tolist() == [0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_grades_that_alternate_give_no_cut_and_no_score(kind):
    data = one_query(np.arange(40.0)[:, None], np.arange(40) % 2)
    assert cut_points(data)[0].tolist() == []
    assert kind().scores(data).tolist() == [0.0]


@each
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_negative_zero_is_zero(importance, dtype):
    X, y, _ = informative_arrays(8, dtype=dtype)
    X[::2] = 0.0
    signed = X.copy()
    signed[::4] = -0.0
    np.testing.assert_array_equal(
        importance.scores(one_query(signed, y)), importance.scores(one_query(X, y))
    )
    bins = importance.bins
    for cuts in cut_points(one_query(signed, y), bins=bins):
        assert not np.signbit(cuts[cuts == 0]).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_huge_and_tiny_values_are_cut_where_they_differ(dtype):
    limits = np.finfo(dtype)
    parts = np.array([limits.min, limits.smallest_subnormal, limits.max], dtype=dtype)
    data = one_query(np.repeat(parts, 20)[:, None], np.repeat([0, 1, 2], 20))
    assert cut_points(data)[0].tolist() == parts[:2].tolist()
    assert InformationGainImportance().scores(data)[0] == pytest.approx(np.log2(3))
    assert ChiSquareImportance().scores(data)[0] == pytest.approx(60 * 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(2))
def test_hundreds_of_levels_are_no_special_case(dtype, seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(300), rng.integers(0, 300, size=1200)]).astype(float)
    values = np.floor(y / 60).astype(dtype)
    values[::9] = 2
    data = one_query(values[:, None], y)
    gain, chi = binned_scores([InformationGainImportance(), ChiSquareImportance()], data)
    cuts = reference.mdl_cuts(values.tolist(), y.tolist())
    assert cut_points(data)[0].tolist() == cuts
    expected = reference.information_gain(values.tolist(), y.tolist(), cuts)
    assert gain[0] == pytest.approx(expected, rel=1e-12)
    assert chi[0] == pytest.approx(reference.chi_square(values, y, cuts), rel=1e-12)


def test_more_bins_than_documents_give_each_value_its_own():
    data = one_query([[1.0], [2.0], [2.0], [5.0]], [0, 1, 0, 1])
    assert cut_points(data, bins="equal-frequency", n_bins=10**30)[0].tolist() == [1.0, 2.0]


@each
def test_planted_features_score_above_noise(importance):
    data, truth = make_ranking(200, n_relevant=3, n_redundant=0, n_irrelevant=6, random_state=1)
    scores = importance.scores(data)
    assert scores[truth.relevant].min() > scores[truth.irrelevant].max()


def test_noise_has_no_accepted_cut():
    rng = np.random.default_rng(0)
    data = one_query(rng.normal(size=(2000, 5)), rng.integers(0, 5, size=2000))
    assert [len(cuts) for cuts in cut_points(data)] == [0] * 5
    assert InformationGainImportance().scores(data).tolist() == [0.0] * 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_importances_take_one_sort_a_feature(monkeypatch, dtype):
    module = import_module("ranksieve.importance._binned")
    X, y, query_ptr = informative_arrays(9, dtype=dtype)
    data = in_blocks(X, y, query_ptr, [4])
    apart = [importance.scores(data) for importance in ALL]
    sorts = []
    for name in ("pack_keys", "pack_places"):
        kernel = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, _k=kernel: (sorts.append(1), _k(*a)))
    together = binned_scores(ALL, data)
    assert len(sorts) == data.n_features
    for alone, beside in zip(apart, together, strict=True):
        np.testing.assert_array_equal(beside, alone)


def test_no_importances_have_no_scores():
    assert binned_scores([], one_query([[1.0], [2.0]], [0, 1])) == []


@each
def test_views_score_as_the_data_that_they_show(importance):
    X, y, query_ptr = informative_arrays(10)
    data = in_blocks(X, y, query_ptr, [5, 11])
    view = data.queries([0, 2, 3, 9, 20]).features([3, 1])
    expected = importance.scores(from_arrays(view.X, view.y, view.qid))
    np.testing.assert_array_equal(importance.scores(view), expected)


def test_fractional_grades_are_refused():
    data = one_query([[1.0], [2.0]], [0.5, 1])
    with pytest.raises(DataError, match=r"ChiSquareImportance needs whole grades.*0\.5 at row 0"):
        ChiSquareImportance().scores(data)
    with pytest.raises(DataError, match=r"cut_points.*fractional"):
        cut_points(data)
    assert cut_points(data, bins="equal-frequency", n_bins=2)[0].tolist() == [1.0]


def test_parameters_are_checked_when_used():
    data = one_query([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match=r"bins must be .* did you mean 'equal-frequency'"):
        InformationGainImportance("equal_frequency").scores(data)
    for n_bins in (1, 2.5, True):
        with pytest.raises(ParameterError, match=r"n_bins must be a whole number of at least 2"):
            ChiSquareImportance("equal-frequency", n_bins).scores(data)


def test_spelling():
    assert as_importance("information-gain") == InformationGainImportance()
    assert as_importance("chi-square") == ChiSquareImportance("mdl")
    text = 'ChiSquareImportance(bins="equal-frequency", n_bins=5)'
    assert as_importance(text) == ChiSquareImportance("equal-frequency", 5)
    assert as_importance(repr(ChiSquareImportance(n_bins=3))) == ChiSquareImportance(n_bins=3)

"""SparseRankSVM: its optimum, its weights, and what it says where it cannot."""

from __future__ import annotations

import itertools
import warnings

import cvxpy as cp
import numpy as np
import pytest

from ranksieve import NDCG, FSMRank, SparseRankSVM, catalog, make_ranking
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from ranksieve.losses import LogisticLoss
from ranksieve.penalties import (
    ElasticNetPenalty,
    L1Penalty,
    LpPenalty,
    MCPPenalty,
    SCADPenalty,
    WeightedL1Penalty,
    as_penalty,
)
from ranksieve.solvers import FISTA
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import logistic, pair_differences, preference_pairs
from tests.reference.penalised import objective, optimum

CONVEX = [
    pytest.param(L1Penalty(), id="l1"),
    pytest.param(WeightedL1Penalty([0.5, 2.0, 1.0, 3.0, 1.0]), id="weighted-l1"),
    pytest.param(WeightedL1Penalty([1.0, np.inf, 1.0, 0.0, 1.0]), id="fixed-and-free"),
    pytest.param(ElasticNetPenalty(0.3), id="elastic-net"),
]


def graded(seed, **sizes):
    """Random data whose grades follow two of its features, so that weights are not tiny."""
    X, y, query_ptr = random_arrays(seed, **sizes)
    noise = np.random.default_rng(seed).normal(size=len(y))
    y = np.clip(np.round(1.5 + X[:, 0] - 2.0 * (X[:, 1] - 0.5) + 0.7 * noise), 0, 3)
    return X, y, query_ptr


def fitted(arrays, *given, **options):
    X, y, query_ptr = arrays
    return SparseRankSVM(*given, **options).fit(X, y, qid=row_ids(query_ptr))


def planted(seed=0, **sizes):
    sizes = {"n_relevant": 3, "n_redundant": 0, "n_irrelevant": 5, "n_constant": 1} | sizes
    return make_ranking(40, 12, random_state=seed, **sizes)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [0.3, 0.03, 0.01])
@pytest.mark.parametrize("penalty", CONVEX)
def test_convex_penalties_reach_the_optimum_of_an_outside_solver(penalty, strength, seed):
    arrays = graded(seed)
    charge = penalty.charge(np.zeros(5), strength)
    found = fitted(arrays, penalty, strength, tol=1e-9)
    best = objective(*arrays, charge, optimum(*arrays, charge))
    assert found.converged_
    assert found.objective_ == pytest.approx(best, rel=1e-7)
    assert found.objective_ == pytest.approx(objective(*arrays, charge, found.coef_), rel=1e-12)
    assert found.n_pairs_ == len(preference_pairs(arrays[1], arrays[2]))


@pytest.mark.parametrize("seed", range(3))
def test_strength_is_the_papers_lambda_over_the_number_of_pairs(seed):
    # The paper: lambda |w|_1 + sum over pairs, or C times the sum + |w|_1, with C = 1 / lambda.
    arrays = graded(seed)
    found = fitted(arrays, "l1", 0.05, tol=1e-10)
    C = 1.0 / (found.strength_ * found.n_pairs_)
    w = cp.Variable(5)
    loss = cp.sum_squares(cp.pos(1 - pair_differences(*arrays) @ w))
    tight = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
    cp.Problem(cp.Minimize(C * loss + cp.norm1(w))).solve(solver="CLARABEL", **tight)
    np.testing.assert_allclose(found.coef_, w.value, atol=1e-5)


@pytest.mark.parametrize("penalty", ["l1", "elastic-net", "mcp", "lp"])
@pytest.mark.parametrize("seed", range(2))
def test_the_model_depends_on_no_order_and_no_blocks(penalty, seed):
    X, y, query_ptr = graded(seed, n_queries=20)
    options = {"strength": 0.02, "tol": 1e-10}
    one = fitted((X, y, query_ptr), penalty, **options)
    rng = np.random.default_rng(seed)
    queries = [np.arange(a, b) for a, b in itertools.pairwise(query_ptr)]
    rng.shuffle(queries)
    rows = np.concatenate([rng.permutation(query) for query in queries])
    moved = SparseRankSVM(penalty, **options).fit(X[rows], y[rows], qid=row_ids(query_ptr)[rows])
    split = SparseRankSVM(penalty, **options).fit(in_blocks(X, y, query_ptr, [1, 5, 13]))
    for other in (moved, split):
        np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-5)
        np.testing.assert_array_equal(other.coef_ != 0, one.coef_ != 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("penalty", ["l1", "mcp", "log"])
def test_columns_in_another_order_give_the_same_weights_there(penalty, seed):
    X, y, query_ptr = graded(seed)
    places = np.random.default_rng(seed).permutation(5)
    one = fitted((X, y, query_ptr), penalty, 0.02, tol=1e-10)
    other = fitted((X[:, places], y, query_ptr), penalty, 0.02, tol=1e-10)
    np.testing.assert_allclose(other.coef_, one.coef_[places], atol=1e-5)


def test_weights_are_zero_outside_the_support_and_are_what_predicts():
    data, _ = planted(1)
    svm = SparseRankSVM(strength=0.1).fit(data)
    assert svm.n_features_ == np.count_nonzero(svm.coef_) == svm.get_support().sum()
    assert np.all(svm.coef_[~svm.get_support()] == 0.0)
    np.testing.assert_allclose(svm.predict(data.X), data.X @ svm.coef_, rtol=1e-12)
    np.testing.assert_array_equal(svm.predict(data), svm.predict(data.X))
    mean = NDCG(10)(data.y, svm.predict(data), qid=data.qid)
    assert svm.score(data.X, data.y, qid=data.qid) == pytest.approx(mean)


def test_a_strength_with_a_smaller_number_keeps_the_largest_weights_without_another_fit():
    data, _ = planted(2)
    whole = SparseRankSVM(strength=0.01).fit(data)
    assert whole.n_features_ > 3
    for number in (1, 2, 3):
        few = SparseRankSVM(strength=0.01, n_features_to_select=number).fit(data)
        largest = np.argsort(-np.abs(whole.coef_))[:number]
        np.testing.assert_array_equal(np.flatnonzero(few.coef_), np.sort(largest))
        np.testing.assert_array_equal(few.coef_[largest], whole.coef_[largest])
        np.testing.assert_array_equal(few.order_, whole.order_)


def test_a_strength_with_a_larger_number_adds_features_without_a_weight():
    data, _ = planted(2)
    whole = SparseRankSVM(strength=0.1).fit(data)
    more = SparseRankSVM(strength=0.1, n_features_to_select=whole.n_features_ + 1).fit(data)
    assert more.get_support().sum() == whole.n_features_ + 1
    np.testing.assert_array_equal(more.coef_, whole.coef_)


def test_order_goes_by_weight_and_then_by_how_near_gradients_are_to_the_strength():
    arrays = graded(3)
    svm = fitted(arrays, "l1", 0.2, tol=1e-10)
    differences = pair_differences(*arrays)
    slack = np.maximum(0, 1 - differences @ svm.coef_)
    gradient = -2 * slack @ differences / len(differences)
    nearness = np.abs(gradient) / 0.2
    expected = np.where(svm.coef_ != 0, np.abs(svm.coef_), nearness - 1)
    np.testing.assert_allclose(svm.scores_, expected, atol=1e-5)
    assert np.all(np.diff(svm.scores_[svm.order_[:-1]]) <= 0)


@pytest.mark.parametrize(("penalty", "strength"), [("log", 0.2), ("lp(p=0.3)", 0.6)])
def test_features_without_a_weight_are_in_the_order_of_gradients_for_any_penalty(penalty, strength):
    # Their slope at 0 is above the strength, or infinite, and so may gradients be.
    data, _ = planted(0)
    svm = SparseRankSVM(penalty, strength).fit(data)
    differences = pair_differences(data.X, data.y, data.query_ptr)
    slack = np.maximum(0, 1 - differences @ svm.coef_)
    sizes = np.abs(slack @ differences)
    without = [feature for feature in svm.order_[:-1] if svm.coef_[feature] == 0]
    assert 2 * sizes[without[1]] / len(differences) > strength  # at least two of them are
    assert np.all(np.diff(sizes[without]) <= 0)
    assert np.all((svm.scores_[without] >= -1) & (svm.scores_[without] <= 0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("wide", [MCPPenalty(1e9), SCADPenalty(1e9)])
def test_a_wide_penalty_is_l1(wide, seed):
    arrays = graded(seed)
    plain = fitted(arrays, "l1", 0.03, tol=1e-10)
    found = fitted(arrays, wide, 0.03, tol=1e-10)
    np.testing.assert_allclose(found.coef_, plain.coef_, atol=1e-6)
    assert found.objective_ == pytest.approx(plain.objective_, rel=1e-8)


@pytest.mark.parametrize("penalty", ["mcp(units='fixed')", "scad(units='fixed')"])
def test_a_fixed_width_is_the_problem_with_lambda_one_on_paths_too(penalty):
    arrays = graded(0)
    path = SparseRankSVM(penalty, tol=1e-9).path(
        arrays[0], arrays[1], qid=row_ids(arrays[2]), strengths=[0.2, 0.05, 0.01]
    )
    assert path.converged.all()
    differences = pair_differences(*arrays)
    unit = as_penalty(penalty.partition("(")[0])
    for strength, w in zip(path.strengths, path.weights, strict=True):
        slack = np.maximum(0, 1 - differences @ w)
        C = 1 / (strength * len(differences))
        gradient = -2 * C * slack @ differences
        slopes = unit.derivative(w, 1.0)
        used = w != 0
        assert np.abs(gradient[used] + np.sign(w[used]) * slopes[used]).max(initial=0) < 1e-3
        assert np.all(np.abs(gradient[~used]) <= slopes[~used] + 1e-3)
    again = SparseRankSVM(penalty, 0.05, tol=1e-9)
    assert repr(catalog.parse(repr(again), "selectors")) == repr(again)
    fit = again.fit(arrays[0], arrays[1], qid=row_ids(arrays[2]))
    np.testing.assert_allclose(fit.coef_, path.weights[1], atol=1e-4)


def test_units_of_the_paper_make_the_width_grow_with_the_pairs():
    arrays = graded(0)
    n_pairs = len(preference_pairs(arrays[1], arrays[2]))
    paper = fitted(arrays, 'mcp(gamma=2, units="sum")', 0.05, tol=1e-10)
    wide = fitted(arrays, MCPPenalty(2.0 * n_pairs), 0.05, tol=1e-10)
    narrow = fitted(arrays, "mcp(gamma=2)", 0.05, tol=1e-10)
    np.testing.assert_allclose(paper.coef_, wide.coef_, atol=1e-8)
    assert np.abs(paper.coef_ - narrow.coef_).max() > 1e-3


@pytest.mark.parametrize("loss", ["logistic", LogisticLoss()])
def test_the_logistic_loss_is_stationary_where_it_ends(loss):
    X, y, query_ptr = arrays = graded(1)
    svm = fitted(arrays, "l1", 0.02, loss=loss, tol=1e-9)
    n_pairs = svm.n_pairs_

    def total(w):
        return logistic(X @ w, y, query_ptr) / n_pairs + 0.02 * np.abs(w).sum()

    assert svm.converged_
    assert svm.objective_ == pytest.approx(total(svm.coef_), rel=1e-12)
    for step in np.vstack([np.eye(5), -np.eye(5)]):
        assert total(svm.coef_ + 1e-4 * step) >= svm.objective_ - 1e-9


@pytest.mark.parametrize("solver", ["fista", "accelerated-gradient", FISTA(lipschitz=1.0)])
@pytest.mark.parametrize("penalty", ["l1", "elastic-net", "mcp"])
def test_the_papers_own_solvers_find_the_same_model(solver, penalty):
    arrays = graded(2)
    newton = fitted(arrays, penalty, 0.05, tol=1e-6)
    first_order = fitted(arrays, penalty, 0.05, solver=solver, tol=1e-6, max_iter=20_000)
    assert first_order.converged_
    np.testing.assert_allclose(first_order.coef_, newton.coef_, atol=1e-2)
    assert first_order.objective_ == pytest.approx(newton.objective_, rel=1e-5)


def test_a_missed_tolerance_warns_with_the_numbers_where_fit_was_called():
    arrays = graded(0)
    with pytest.warns(
        ConvergenceWarning, match=r"ended after 1 steps .* gap of .*tol=1e-12"
    ) as seen:
        svm = fitted(arrays, "l1", 0.01, max_iter=1, tol=1e-12)
    assert not svm.converged_
    assert svm.n_iter_ == 1
    assert svm.gap_ > 1e-12
    assert seen[0].filename == __file__


def test_a_warning_names_its_line():
    data, _ = planted()
    svm = SparseRankSVM(strength=0.01, max_iter=1, tol=1e-12)
    with pytest.warns(ConvergenceWarning) as seen:
        svm.fit(data)
    assert seen[0].filename == __file__


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strength": "abc"}, "strength must be a number above 0, 'cv' .* but is 'abc'"),
        ({"strength": 0}, "strength must be a number above 0, but is 0"),
        ({"strength": -1}, "strength must be a number above 0, but is -1"),
        ({"strength": np.nan}, "strength must be a number above 0, but is nan"),
        ({"strength": np.inf}, "strength must be a number above 0, but is inf"),
        ({"strength": True}, "strength must be a number above 0, but is True"),
        ({"penalty": "l9"}, "unknown penalty 'l9': did you mean 'l"),
        ({"penalty": "mcq"}, "did you mean 'mcp'"),
        ({"penalty": "mcp(gama=3)"}, "MCPPenalty has no parameter 'gama': did you mean 'gamma'"),
        ({"penalty": "lp(p=2)"}, "p must be a finite number above 0 and below 1, but is 2"),
        ({"penalty": 5}, "a penalty is a text such as 'l1'"),
        ({"penalty": WeightedL1Penalty([1.0])}, "one value per feature, but has 1 for 5"),
        ({"loss": "hinge"}, "'squared-hinge' or 'logistic', but is 'hinge': the solvers need"),
        ({"loss": "hing"}, "did you mean 'hinge'"),
        ({"solver": "newton-cg"}, "solver must be one of .*proximal-newton.*, but is 'newton-cg'"),
        ({"solver": "fist"}, "did you mean 'fista'"),
        ({"rule": "worst"}, "rule must be one of 'best', 'one-standard-error', but is 'worst'"),
        ({"n_folds": 1}, "n_folds must be a whole number of at least 2, but is 1"),
        ({"n_folds": 2.5}, "n_folds must be a whole number"),
        ({"measure": "ndgc"}, "did you mean 'ndcg'"),
        ({"n_strengths": 1}, "n_strengths must be a whole number of at least 2"),
        ({"random_state": "a"}, "random_state must be a whole number of at least 0, but is 'a'"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
        ({"n_features_to_select": "ten"}, "or None for all features with a weight, but is 'ten'"),
    ],
)
def test_a_wrong_parameter_is_named(wrong, message):
    svm = SparseRankSVM(**({"strength": 0.1} | wrong))
    X, y, query_ptr = graded(0)
    with pytest.raises(ParameterError, match=message):
        svm.fit(X, y, qid=row_ids(query_ptr))
    assert not hasattr(svm, "coef_")


@pytest.mark.parametrize("penalty", ["l1", "mcp", "log", "lp", "elastic-net"])
def test_a_strength_from_the_critical_one_on_leaves_no_feature_and_says_so(penalty):
    data, _ = planted()
    critical = SparseRankSVM(penalty).path(data, n_strengths=2).strengths[0]
    svm = SparseRankSVM(penalty, 1.01 * critical).fit(data)
    assert svm.n_features_ == 0
    assert not svm.get_support().any()
    assert not svm.coef_.any()
    assert (svm.gap_, svm.objective_) == (0.0, 1.0)
    assert np.all(svm.predict(data) == 0.0)
    assert list(svm.get_feature_names_out()) == []
    with pytest.warns(UserWarning, match="No features were selected"):
        assert svm.transform(data.X).shape == (data.n_documents, 0)
    with pytest.raises(DataError, match=r"selected no feature.*Give another strength"):
        svm.transform(data)
    # The order is that of gradients, and the first is what enters at a smaller strength.
    entered = SparseRankSVM("l1", 0.999 * SparseRankSVM().path(data).strengths[0]).fit(data)
    assert svm.order_[0] == entered.order_[0]


def test_weights_that_must_be_zero_and_weights_that_are_free_are_as_asked():
    data, _ = planted(0)
    factors = np.ones(data.n_features)
    factors[[0, 1]] = 0.0, np.inf
    svm = SparseRankSVM(WeightedL1Penalty(factors), n_features_to_select=4).fit(data)
    assert svm.converged_
    assert svm.coef_[0] != 0.0
    assert svm.coef_[1] == 0.0
    assert np.count_nonzero(svm.coef_) == 4
    path = SparseRankSVM(WeightedL1Penalty(factors)).path(data, n_strengths=8)
    assert path.converged.all()
    np.testing.assert_array_equal(np.flatnonzero(path.weights[0]), [0])
    assert path.n_features[1] >= 2


def test_penalties_are_text_or_objects_and_print_as_they_are_written():
    arrays = graded(1)
    text = fitted(arrays, "lp(p=0.3)", 0.01)
    made = fitted(arrays, LpPenalty(0.3), 0.01)
    np.testing.assert_array_equal(text.coef_, made.coef_)
    assert (
        repr(SparseRankSVM("lp(p=0.3)", 0.01))
        == "SparseRankSVM(penalty='lp(p=0.3)', strength=0.01)"
    )


def test_a_feature_of_huge_values_that_is_constant_in_each_query_gets_no_weight():
    data, truth = planted(0)
    by_query = np.repeat(np.arange(data.n_queries) % 7, np.diff(data.query_ptr)) * 1e9 + 1e9 / 3
    X = np.column_stack([by_query, data.X])
    for options in ({"strength": 1e-6}, {"n_features_to_select": 8}):
        svm = SparseRankSVM(**options).fit(X, data.y, qid=data.qid)
        assert svm.coef_[0] == 0.0
        assert sorted(svm.order_[-2:].tolist()) == [0, int(truth.constant[0]) + 1]


@pytest.mark.parametrize(
    "fit",
    [
        lambda data: SparseRankSVM("l1", 1e-3, max_iter=1).fit(data),
        lambda data: FSMRank(0.1, 1e-3, max_iter=1).fit(data),
        lambda data: SparseRankSVM("l1", 1e-3, max_iter=1).fit_transform(
            data.X, data.y, qid=data.qid
        ),
        lambda data: SparseRankSVM(max_iter=1).path(data),
    ],
)
def test_a_missed_tolerance_is_said_at_the_line_of_the_caller(fit):
    data, _ = make_ranking(40, n_relevant=4, n_redundant=4, n_irrelevant=4)
    with pytest.warns(ConvergenceWarning, match="tol=1e-06") as said:
        fit(data)
    assert {warning.filename for warning in said} == {__file__}


def test_selected_features_without_a_weight_are_said():
    data, _ = make_ranking(30, n_relevant=3, n_redundant=0, n_irrelevant=0)
    X = data.X.astype(np.float64) * np.array([1e-9, 1.0, 1e9])
    with pytest.warns(UserWarning, match="only [12] of the 3 features"):
        SparseRankSVM(n_features_to_select=3).fit(X, data.y, qid=data.qid)


def test_a_long_text_form_is_whole_and_reads_back():
    made = SparseRankSVM(WeightedL1Penalty(np.linspace(0.1, 1.0, 400)), 0.1)
    assert repr(catalog.parse(repr(made), "selectors")) == repr(made)


def test_rounds_that_move_nothing_end():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6)) - 1e8
    y = (X[:, 0] + 1e8 + 0.5 * rng.normal(size=150) > 0).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = SparseRankSVM("mcp", 0.05).fit(X, y, qid=np.repeat(np.arange(30), 5))
    assert fitted.n_iter_ < 1000

"""What RankNet and ListNet share."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import NDCG, ListNet, RankingData, RankNet, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.rankers._network_layers import HiddenNetwork, LinearNetwork
from ranksieve.rankers._network_risk import NetworkRisk
from ranksieve.rankers._standard import Standard, total_variance
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, random_arrays, row_ids

both = pytest.mark.parametrize("ranker", [RankNet, ListNet])
layers = pytest.mark.parametrize("n_hidden", [0, 4])


def network_of(n_features, n_hidden):
    return HiddenNetwork(n_features, n_hidden) if n_hidden else LinearNetwork(n_features)


def some_risk(ranker, n_hidden, seed, strength=0.1):
    X, y, query_ptr = random_arrays(seed)
    data = in_blocks(X, y, query_ptr, [4])
    network = network_of(X.shape[1], n_hidden)
    return data, network, NetworkRisk(data, ranker()._loss(), network, Standard.of(data), strength)


@both
@layers
@pytest.mark.parametrize("seed", range(3))
def test_gradients_equal_central_differences(ranker, n_hidden, seed):
    _, network, risk = some_risk(ranker, n_hidden, seed)
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=len(network.charged))
    _, gradient = risk.value_and_grad(weights)
    step = 1e-5
    differences = [
        (risk.value_and_grad(weights + move)[0] - risk.value_and_grad(weights - move)[0])
        / (2 * step)
        for move in step * np.eye(len(weights))
    ]
    np.testing.assert_allclose(gradient, differences, atol=1e-8)


@layers
@pytest.mark.parametrize("seed", range(2))
def test_slopes_by_feature_equal_central_differences(n_hidden, seed):
    rng = np.random.default_rng(seed)
    Z = np.asfortranarray(rng.normal(size=(11, 5)))
    network = network_of(5, n_hidden)
    weights = rng.normal(size=len(network.charged))
    for feature, slope in enumerate(network.slopes(weights, Z)):
        move = np.zeros(5)
        move[feature] = 1e-5
        above, below = (
            network.forward(weights, np.asfortranarray(Z + sign * move))[0] for sign in (1, -1)
        )
        assert slope == pytest.approx(np.abs(above - below).sum() / 2e-5, rel=1e-6)


@both
@layers
def test_kept_and_remade_features_have_the_same_loss(ranker, n_hidden, monkeypatch):
    _, network, risk = some_risk(ranker, n_hidden, 0)
    monkeypatch.setattr("ranksieve.rankers._network_risk._KEPT_VALUES", 0)
    _, _, remade = some_risk(ranker, n_hidden, 0)
    weights = np.random.default_rng(0).normal(size=len(network.charged))
    assert remade.value_and_grad(weights)[0] == risk.value_and_grad(weights)[0]


@pytest.mark.parametrize("unit", [1.0, 1e300, 1e-300])
def test_standard_features_have_mean_0_and_deviation_1_in_any_unit(unit):
    X, y, query_ptr = random_arrays(0)
    data = in_blocks(X * unit, y, query_ptr, [3, 7])
    standard = Standard.of(data)
    Z = np.vstack([standard.rows(block) for block in data.blocks()])
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(Z[:, :-1].std(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(Z[:, -1], 0.0)  # a constant feature
    weights = np.random.default_rng(0).normal(size=(2, X.shape[1]))
    folded = (X * unit) @ standard.weights_of_features(weights).T + standard.offsets(weights)
    np.testing.assert_allclose(folded, Z @ weights.T, atol=1e-12)


def test_a_constant_that_no_sum_hits_exactly_is_still_a_constant():
    X = np.full((1000, 2), 0.1)
    X[:, 1] += np.arange(1000) * 1e-12
    standard = Standard.of(from_arrays(X, np.arange(1000) % 2, np.zeros(1000, dtype=int)))
    assert standard.inverse[0] == 0.0
    found = standard.inverse[1] * standard.unit[1]
    assert found == pytest.approx(1 / X[:, 1].std(), rel=1e-3)


def test_total_variance_is_half_the_mean_squared_distance():
    X, y, query_ptr = random_arrays(0)
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    found = total_variance(in_blocks(X, y, query_ptr, [5]))
    assert found == pytest.approx(distances.mean() / 2, rel=1e-12)


@both
@layers
@pytest.mark.filterwarnings("ignore::ranksieve.errors.ConvergenceWarning")
def test_objective_falls_in_every_round_and_the_training_ranking_gets_better(ranker, n_hidden):
    data, _ = make_ranking(30, 12, random_state=0)
    models = [ranker(n_hidden, tol=1e-12, max_iter=k).fit(data) for k in range(1, 15)]
    assert [model.n_iter_ for model in models] == list(range(1, 15))
    assert (np.diff([model.objective_ for model in models]) < 0).all()
    start = NDCG(10)(data.y, np.zeros(data.n_documents), qid=data.qid)
    assert start + 0.1 < models[-1].score(data)


@both
@layers
@pytest.mark.filterwarnings("ignore::ranksieve.errors.ConvergenceWarning")
def test_the_model_is_that_of_the_round_which_validation_found_best(ranker, n_hidden):
    data, _ = make_ranking(40, 12, noise=1.5, random_state=2)
    train, aside = data.queries(range(20)), data.queries(range(20, 40))
    stopped = ranker(n_hidden, strength=1e-4, patience=7).fit(train, validation=aside)
    values = stopped.validation_values_
    assert len(values) == stopped.n_iter_ + 7
    again = ranker(n_hidden, strength=1e-4, max_iter=stopped.n_iter_).fit(train)
    np.testing.assert_array_equal(stopped.predict(data), again.predict(data))
    assert stopped.objective_ == again.objective_


@both
@layers
@pytest.mark.usefixtures("always_threads")
def test_model_does_not_depend_on_rows_blocks_or_threads(ranker, n_hidden):
    X, y, query_ptr = random_arrays(3)
    qid = row_ids(query_ptr)
    rows = np.random.default_rng(0).permutation(len(y))
    rows = rows[np.argsort(qid[rows], kind="stable")]
    first = ranker(n_hidden).fit(X, y, qid=qid).predict(X)
    turned = ranker(n_hidden).fit(X[rows], y[rows], qid=qid[rows]).predict(X)
    with threads(1):
        blocks = ranker(n_hidden).fit(in_blocks(X, y, query_ptr, [1, 2, 5])).predict(X)
    for other in (turned, blocks):
        np.testing.assert_allclose(other, first, rtol=0, atol=1e-9 * np.ptp(first))


@both
@layers
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_of_any_size_are_learnt_from_and_give_finite_scores(ranker, n_hidden, dtype):
    X, y, query_ptr = random_arrays(4)
    X[:, 0] += y  # something to learn
    sizes = [1e30, 1e-30, 1.0, 1e-4, 1e30] if dtype == np.float32 else [1e300, 1e-300, 1, 1e9, 1e99]
    model = ranker(n_hidden).fit((X * sizes).astype(dtype), y, qid=row_ids(query_ptr))
    plain = ranker(n_hidden).fit(X, y, qid=row_ids(query_ptr))
    scores = model.predict((X * sizes).astype(dtype))
    assert np.isfinite(scores).all()
    if n_hidden == 0:  # the optimum is one, in any unit
        tolerance = 1e-5 if dtype == np.float32 else 1e-9
        expected = plain.predict(X)
        np.testing.assert_allclose(
            scores - scores[0], expected - expected[0], atol=tolerance * np.ptp(expected)
        )
    assert model.score((X * sizes).astype(dtype), y, qid=row_ids(query_ptr)) > 0.8


@both
@layers
def test_constant_features_alone_give_equal_scores(ranker, n_hidden):
    model = ranker(n_hidden).fit(np.full((6, 2), 3.0), [0, 1, 2, 0, 1, 1], qid=[1, 1, 1, 2, 2, 2])
    assert model.converged_
    assert np.ptp(model.predict(np.full((6, 2), 3.0))) == 0.0
    np.testing.assert_array_equal(model.feature_importances_, 0.0)


@both
@layers
def test_far_documents_get_finite_scores_and_do_no_harm_in_training(ranker, n_hidden):
    data, _ = make_ranking(20, 10, random_state=1)
    X = data.X.astype(np.float64)
    model = ranker(n_hidden).fit(data)
    assert np.isfinite(model.predict(1e6 * X)).all()
    X[0] *= 1e6
    assert np.isfinite(ranker(n_hidden).fit(X, data.y, qid=data.qid).predict(X)).all()


@both
def test_hidden_units_find_what_no_weights_can_say(ranker):
    data, _ = make_ranking(
        200, 15, n_relevant=2, n_redundant=0, n_irrelevant=1, truth="nonlinear", random_state=0
    )
    train, test = data.queries(range(150)), data.queries(range(150, 200))
    linear = ranker().fit(train).score(test)
    assert ranker(10, strength=1e-4, validation_share=0.2).fit(train).score(test) > linear + 0.1


@both
def test_linear_models_have_weights_and_a_gap_and_hidden_ones_their_layers(ranker):
    data, _ = make_ranking(20, 10, random_state=0)
    linear = ranker().fit(data)
    deviations = data.X.std(axis=0, dtype=np.float64)
    np.testing.assert_allclose(linear.predict(data), data.X @ linear.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        linear.feature_importances_, np.abs(linear.coef_) * deviations, rtol=1e-6
    )
    assert not hasattr(linear, "hidden_weights_")
    hidden = ranker(3).fit(data)
    assert not hasattr(hidden, "coef_")
    assert not hasattr(hidden, "gap_")
    units = np.tanh(data.X @ hidden.hidden_weights_.T + hidden.hidden_biases_)
    np.testing.assert_allclose(hidden.predict(data), units @ hidden.output_weights_, atol=1e-6)
    # Fitted again without hidden units, nothing of them is left.
    assert not hasattr(hidden.set_params(n_hidden=0).fit(data), "hidden_weights_")


@both
def test_the_seed_chooses_the_hidden_units_and_nothing_in_a_linear_model(ranker):
    data, _ = make_ranking(20, 10, random_state=0)
    same, other = ranker(3, random_state=1).fit(data), ranker(3, random_state=2).fit(data)
    again = ranker(3, random_state=1).fit(data)
    np.testing.assert_array_equal(again.hidden_weights_, same.hidden_weights_)
    assert np.ptp(other.predict(data) - same.predict(data)) > 0
    linear = [ranker(random_state=seed).fit(data).coef_ for seed in (1, 2)]
    np.testing.assert_array_equal(*linear)


@both
@pytest.mark.parametrize("seed", range(3))
def test_the_gap_bounds_the_distance_to_the_optimum(ranker, seed):
    X, y, query_ptr = random_arrays(seed)
    exact = ranker(strength=0.001, tol=1e-12, max_iter=2000).fit(X, y, qid=row_ids(query_ptr))
    for tol in (1e-1, 1e-3):
        rough = ranker(strength=0.001, tol=tol).fit(X, y, qid=row_ids(query_ptr))
        assert rough.converged_
        assert rough.gap_ <= tol
        assert 0.0 <= rough.objective_ - exact.objective_ <= rough.gap_ * rough.objective_


@both
@pytest.mark.parametrize(
    ("n_hidden", "said"), [(0, "a relative gap of"), (3, "its objective falling a round by")]
)
def test_missing_the_tolerance_warns_with_the_numbers_unless_validation_ends_it(
    ranker, n_hidden, said
):
    data, _ = make_ranking(20, 10, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=rf"{ranker.__name__} ended after 2 rounds with {said} .*tol=1e-06"
    ):
        model = ranker(n_hidden, max_iter=2).fit(data)
    assert not model.converged_
    assert not ranker(n_hidden, max_iter=2, validation_share=0.2).fit(data).converged_


@both
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_hidden": -1}, "n_hidden must be a whole number of at least 0, but is -1"),
        ({"n_hidden": 2.5}, "n_hidden must be a whole number"),
        ({"strength": 0}, "strength must be a number above 0"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
        ({"random_state": None}, "random_state must be a whole number"),
    ],
)
def test_bad_parameters_are_named(ranker, parameters, message):
    with pytest.raises(ParameterError, match=message):
        ranker(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@both
@layers
def test_queries_of_one_grade_say_nothing(ranker, n_hidden):
    _, y, query_ptr = random_arrays(6)
    data, network, risk = some_risk(ranker, n_hidden, 6)
    lowest = np.minimum.reduceat(y, query_ptr[:-1])
    useful = data.queries(np.maximum.reduceat(y, query_ptr[:-1]) > lowest)
    assert isinstance(useful, RankingData)
    assert useful.n_queries < data.n_queries
    alone = NetworkRisk(useful, ranker()._loss(), network, Standard.of(data), 0.1)
    weights = np.random.default_rng(0).normal(size=len(network.charged))
    assert alone.value_and_grad(weights)[0] == pytest.approx(risk.value_and_grad(weights)[0])

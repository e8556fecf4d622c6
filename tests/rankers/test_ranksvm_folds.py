"""The C that folds of the queries choose for RankSVM."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import KendallTau, RankSVM, make_ranking
from ranksieve.data import from_arrays, k_folds
from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import parse_measure
from ranksieve.rankers import load_ranker
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import pair_differences


def data_of(seed, **changes):
    return make_ranking(
        24, 12, n_relevant=3, n_redundant=2, n_irrelevant=5, random_state=seed, **changes
    )[0]


def slow_choice(data, measure, n_folds, random_state):
    """The grid and the choice by plain loops: explicit pairs, cold fits of each value."""
    queries = np.split(np.arange(data.n_documents), data.query_ptr[1:-1])
    mixed = [number for number, rows in enumerate(queries) if np.ptp(data.y[rows]) > 0]
    data = data.queries(mixed).gathered()
    squares = (pair_differences(data.X, data.y, data.query_ptr) ** 2).sum(axis=0)
    middle = -round(np.log10(np.median(2 * squares[squares > 0])))
    values = [float(f"1e{middle + step}") for step in range(-2, 5)]
    means = []
    for C in values:
        held_out = [
            parse_measure(measure).per_query(
                test.y, RankSVM(C=C, tol=1e-4).fit(train).predict(test), qid=test.qid
            )
            for train, test in k_folds(data, n_folds, random_state=random_state)
        ]
        means.append(np.concatenate(held_out).mean())
    return values, means


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", ["ndcg@10", "map"])
def test_folds_choose_the_c_that_plain_loops_choose(seed, measure):
    data = data_of(seed)
    svm = RankSVM(measure=measure, n_folds=4, random_state=seed).fit(data)
    values, means = slow_choice(data, measure, 4, seed)
    chosen = svm.cross_validation_
    assert chosen.numbers.tolist() == values
    np.testing.assert_allclose(chosen.means, means, atol=5e-3)  # warm and cold starts differ
    best = max(means)
    assert means[values.index(svm.C_)] >= best - 5e-3
    assert (chosen.chosen, chosen.n_folds) == (svm.C_, 4)


@pytest.mark.parametrize("seed", range(3))
def test_the_model_is_that_of_the_c_it_names(seed):
    data = data_of(seed)
    svm = RankSVM().fit(data)
    same = RankSVM(C=svm.C_).fit(data)
    np.testing.assert_array_equal(svm.coef_, same.coef_)
    assert same.C_ == svm.C_
    assert not hasattr(same, "cross_validation_")
    assert svm.C is None  # fit changes no parameter


def test_the_grid_moves_with_the_units_of_the_features_and_the_ranking_stays():
    data = data_of(1)
    near, far = RankSVM().fit(data), RankSVM().fit(1e-9 * data.X, data.y, qid=data.qid)
    assert pytest.approx(1e18) == far.C_ / near.C_
    np.testing.assert_allclose(far.predict(1e-9 * data.X), near.predict(data.X), rtol=1e-3)


@pytest.mark.usefixtures("always_threads")
def test_the_choice_does_not_depend_on_blocks_or_threads():
    X, y, query_ptr = random_arrays(3)
    svm = RankSVM().fit(X, y, qid=row_ids(query_ptr))
    with threads(1):
        blocks = RankSVM().fit(in_blocks(X, y, query_ptr, [1, 2, 5, 9]))
    assert blocks.C_ == svm.C_
    np.testing.assert_allclose(blocks.cross_validation_.means, svm.cross_validation_.means)


def test_queries_of_one_grade_have_no_say():
    data = data_of(2)
    flat = from_arrays(
        np.vstack([data.X, np.random.default_rng(0).normal(size=(40, data.n_features))]),
        np.concatenate([data.y, np.repeat([0.0, 1.0], 20)]),
        np.concatenate([data.qid, np.repeat([900, 901, 902, 903], 10)]),
    )
    with_flat, without = RankSVM().fit(flat), RankSVM().fit(data)
    assert with_flat.C_ == without.C_
    np.testing.assert_array_equal(
        with_flat.cross_validation_.means, without.cross_validation_.means
    )


@pytest.mark.parametrize(
    ("X", "y", "qid", "C"),
    [
        # One pair, difference 1: 2 C0 = 1, to the power of ten 1; ten times as much is taken.
        ([[0.0], [1.0]], [0, 1], [1, 1], 10.0),
        # 2 C0 * 2 * 30^2 = 1: 10^-3.6, to the nearest power 10^-4.
        ([[0.0], [30.0], [30.0], [7.0], [7.0]], [0, 1, 1, 1, 1], [1, 1, 1, 2, 2], 1e-3),
        # Nothing varies inside queries.
        ([[1.0], [1.0], [2.0], [2.0]], [0, 1, 0, 1], [1, 1, 2, 2], 1.0),
    ],
)
def test_without_folds_c_is_the_middle_of_the_grid(X, y, qid, C):
    svm = RankSVM().fit(X, y, qid=qid)
    assert svm.C_ == C
    assert not hasattr(svm, "cross_validation_")


def test_two_queries_are_two_folds():
    data = data_of(0).queries([0, 1])
    assert RankSVM().fit(data).cross_validation_.n_folds == 2


def test_grades_that_the_measure_does_not_take_are_compared_by_kendalls_tau():
    data = data_of(0)
    svm = RankSVM().fit(data.X, data.y + 0.25 * (data.y > 0), qid=data.qid)
    assert svm.cross_validation_.measure == str(KendallTau())
    assert RankSVM().fit(data).cross_validation_.measure == "ndcg@10"


def test_tuned_gives_a_copy_with_the_number_and_leaves_a_given_one():
    data = data_of(0)
    svm = RankSVM(n_folds=3, random_state=1, tol=1e-7)
    assert repr(svm.tuned(data)) == repr(RankSVM(C=clone(svm).fit(data).C_, tol=1e-7))
    assert not hasattr(svm, "coef_")
    assert repr(RankSVM(C=0.5, measure="map").tuned(data)) == "RankSVM(C=0.5)"


def test_tuned_on_one_grade_has_the_fallback_and_a_fit_still_refuses_it():
    data = data_of(0)
    flat = from_arrays(data.X, np.ones(data.n_documents), data.qid)
    assert RankSVM().tuned(flat).C == 1.0
    with pytest.raises(DataError, match="no query has documents with different grades"):
        RankSVM().fit(flat)


def test_a_model_file_keeps_the_c_and_older_files_have_the_former_one(tmp_path):
    data = data_of(0)
    for model in (RankSVM(), RankSVM(C=0.25)):
        file = tmp_path / "model.json"
        model.fit(data).save(file)
        loaded = load_ranker(file)
        assert (loaded.C, loaded.C_) == (model.C, model.C_)
        np.testing.assert_array_equal(loaded.predict(data), model.predict(data))
        payload = model._payload()
        values = json.loads(payload)
        del values["fitted"]["C_"]
        older = clone(model)
        older.n_features_in_, older.scaling_ = data.n_features, None
        older._set_payload(json.dumps(values).encode())
        former = 1.0 if model.C is None else 0.25
        assert former == older.C_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a number above 0, but is 0"),
        ({"n_folds": 1}, "n_folds must be a whole number of at least 2, but is 1"),
        ({"measure": "ndgc"}, "did you mean"),
        ({"random_state": -1}, "random_state must be a whole number of at least 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankSVM(**parameters).fit(data_of(0))


def test_a_fit_prints_nothing(capfd):
    RankSVM().fit(data_of(0))
    assert capfd.readouterr() == ("", "")

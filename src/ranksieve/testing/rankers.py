"""Laws that every ranker obeys."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve import NDCG, RankingData, make_ranking
from ranksieve.data import from_arrays, scale
from ranksieve.errors import DataError
from ranksieve.rankers import StoppingRanker, load_ranker
from ranksieve.testing.cases import MAGNITUDES, sized
from ranksieve.testing.estimators import EstimatorSuite


@cache
def some_data(seed: int = 0, **options: Any) -> RankingData:
    """Return 24 queries of 12 documents."""
    return make_ranking(24, 12, random_state=seed, **options)[0]


@cache
def fitted(ranker: Any, seed: int = 0, **parameters: Any) -> Any:
    """Return a ranker fitted on `some_data(seed)`: laws share it, and leave it as it is."""
    return ranker(**parameters).fit(some_data(seed))


@cache
def stopped(ranker: Any) -> Any:
    """Return a ranker fitted on 16 queries and stopped by the other 8."""
    data = some_data()
    return ranker().fit(data.queries(range(16)), validation=data.queries(range(16, 24)))


def assert_same_scores(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], tolerance: float = 1e-6
) -> None:
    """Compare scores relative to their spread."""
    spread = max(np.ptp(ours), 1e-12)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * spread)


class RankerSuite(EstimatorSuite):
    """Laws that every ranker obeys, and scikit-learn's own checks.

    Components are classes whose defaults fit.
    """

    argument: ClassVar[str] = "ranker"
    family: ClassVar[str] = "rankers"
    pytestmark = pytest.mark.filterwarnings("ignore::ranksieve.errors.ConvergenceWarning")

    def arguments(self) -> dict[str, Sequence[Any]]:
        """Return all rankers, and of them those that are trained in rounds."""
        stopping = [ranker for ranker in self.components if issubclass(ranker, StoppingRanker)]
        return {"ranker": self.components, "stopping_ranker": stopping}

    def fitted(self, ranker: Any, seed: int = 0) -> Any:
        """Return a quick ranker fitted on `some_data(seed)`."""
        return fitted(ranker, seed, **self.quick.get(ranker, {}))

    def test_separable_data_is_ranked_perfectly(self, ranker: Any) -> None:
        rng = np.random.default_rng(0)
        y = np.tile([0, 1, 2, 3], 30)
        # Few values: a threshold between two grades may lie anywhere in the gap between theirs.
        spread = rng.choice([-0.2, 0.0, 0.2], len(y))
        X = np.column_stack([y + spread, rng.normal(size=len(y))])
        qid = np.arange(len(y)) // 4
        model = ranker().fit(X[:80], y[:80], qid=qid[:80])
        assert NDCG()(y[80:], model.predict(X[80:]), qid=qid[80:]) == 1.0

    def test_planted_features_rank_held_out_queries_far_better_than_chance(
        self, ranker: Any
    ) -> None:
        data, _ = make_ranking(80, 15, n_relevant=4, n_redundant=2, n_irrelevant=4, random_state=1)
        train, test = data.queries(range(60)), data.queries(range(60, 80))
        values = NDCG(10).per_query(test.y, ranker().fit(train).predict(test), qid=test.qid)
        noise = np.random.default_rng(0).normal(size=(50, test.n_documents))
        chance = [NDCG(10)(test.y, scores, qid=test.qid) for scores in noise]
        assert values.mean() > max(chance)

    def test_scores_are_finite_and_one_per_document(self, ranker: Any) -> None:
        data = some_data(n_constant=2)
        scores = ranker().fit(data).predict(data)
        assert scores.shape == (data.n_documents,)
        assert scores.dtype == np.float64
        assert np.isfinite(scores).all()

    def test_same_data_and_seed_give_the_same_model_and_it_survives_pickle(
        self, ranker: Any
    ) -> None:
        data = some_data()
        model = self.fitted(ranker)
        again = clone(model).fit(data)
        pickled = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(data), model.predict(data))
        np.testing.assert_array_equal(pickled.predict(data), model.predict(data))

    def test_text_form_builds_the_same_ranker(self, ranker: Any) -> None:
        assert repr(self.read(repr(ranker()), ranker)) == repr(ranker())

    @pytest.mark.parametrize("seed", [0, 1])
    def test_rows_of_a_query_may_be_trained_on_in_any_order(self, ranker: Any, seed: int) -> None:
        data = some_data(seed)
        shuffle = np.random.default_rng(seed).permutation(data.n_documents)
        rows = shuffle[np.argsort(data.qid[shuffle], kind="stable")]
        other = from_arrays(data.X[rows], data.y[rows], data.qid[rows])
        assert_same_scores(
            self.new(ranker).fit(other).predict(data), self.fitted(ranker, seed).predict(data)
        )

    @pytest.mark.parametrize("seed", [0, 1])
    def test_queries_may_be_trained_on_in_any_order(self, ranker: Any, seed: int) -> None:
        data = some_data(seed)
        starts, order = data.query_ptr, np.random.default_rng(seed).permutation(data.n_queries)
        rows = np.concatenate([np.arange(starts[q], starts[q + 1]) for q in order])
        other = from_arrays(data.X[rows], data.y[rows], data.qid[rows])
        # The order of sums moves where a fit to a tolerance ends.
        assert_same_scores(
            self.new(ranker).fit(other).predict(data), self.fitted(ranker, seed).predict(data), 1e-4
        )

    @pytest.mark.parametrize("seed", [0, 1])
    def test_columns_may_stand_in_any_order_unless_they_break_ties(
        self, ranker: Any, seed: int
    ) -> None:
        data = some_data(seed)
        columns = np.random.default_rng(seed).permutation(data.n_features)
        other = from_arrays(data.X[:, columns], data.y, data.qid)
        ours, theirs = (
            self.fitted(ranker, seed).predict(data),
            self.new(ranker).fit(other).predict(other),
        )
        if ranker.columns_break_ties:
            # As good a ranking all the same.
            values = [NDCG(10)(data.y, scores, qid=data.qid) for scores in (ours, theirs)]
            assert abs(values[0] - values[1]) < 0.05
        else:
            assert_same_scores(ours, theirs, 1e-4)

    def test_a_score_depends_on_its_document_alone(self, ranker: Any) -> None:
        data = some_data()
        model = self.fitted(ranker)
        rows = np.random.default_rng(0).permutation(data.n_documents)
        scores = model.predict(data)
        assert_same_scores(model.predict(data.X)[rows], model.predict(data.X[rows]), 1e-12)
        assert_same_scores(model.predict(data.X), scores, 1e-12)
        one_by_one = [model.predict(data.X[[row]])[0] for row in range(10)]
        np.testing.assert_allclose(one_by_one, scores[:10], rtol=1e-12, atol=1e-12)

    def test_blocks_do_not_matter(self, ranker: Any) -> None:
        data = some_data()
        parts = [next(data.queries(range(a, a + 8)).gathered().blocks()) for a in (0, 8, 16)]
        blocks = RankingData(parts, data.feature_names)
        assert (data.n_blocks, blocks.n_blocks) == (1, 3)
        assert_same_scores(
            self.new(ranker).fit(blocks).predict(blocks), self.fitted(ranker).predict(data)
        )

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_both_precisions_and_a_single_feature_are_enough(self, ranker: Any, dtype: str) -> None:
        data = some_data()
        X = data.X[:, [0]].astype(dtype)
        assert self.new(ranker).fit(X, data.y, qid=data.qid).predict(X).shape == (data.n_documents,)

    def test_queries_that_say_nothing_do_no_harm(self, ranker: Any) -> None:
        data = some_data()
        lonely = np.array([9.0] * 5), np.full(5, 3.0), [100, 101, 102, 103, 103]
        X = np.vstack([data.X, np.repeat(lonely[0][:, None], data.n_features, axis=1)])
        y, qid = np.concatenate([data.y, lonely[1]]), np.concatenate([data.qid, lonely[2]])
        model = self.new(ranker).fit(X, y, qid=qid)
        assert np.isfinite(model.predict(X)).all()
        assert model.score(data) > 0.5

    def test_one_grade_throughout_is_an_error_that_says_so(self, ranker: Any) -> None:
        data = some_data()
        with pytest.raises(DataError, match="no query has documents with different grades"):
            self.new(ranker).fit(data.X, np.ones(data.n_documents), qid=data.qid)

    def test_a_failed_fit_leaves_no_model_behind(self, ranker: Any) -> None:
        data = some_data()
        model = deepcopy(self.fitted(ranker))
        assert hasattr(model, "n_features_in_")
        with pytest.raises(DataError):
            model.fit(data.X, np.ones(data.n_documents), qid=data.qid)
        assert not hasattr(model, "n_features_in_")

    @pytest.mark.parametrize("scaling", [None, "minmax", "zscore"])
    def test_a_saved_model_comes_back_whole(
        self, ranker: Any, scaling: Any, tmp_path: Path
    ) -> None:
        names = [f"feature {index}, ü" for index in range(some_data().n_features)]
        raw = from_arrays(some_data().X, some_data().y, some_data().qid, feature_names=names)
        data = raw if scaling is None else scale(raw, scaling)
        model = self.new(ranker).fit(data)
        model.save(tmp_path / "model")
        loaded = load_ranker(tmp_path / "model")
        assert repr(loaded) == repr(model)
        np.testing.assert_array_equal(loaded.predict(raw), model.predict(raw))
        np.testing.assert_array_equal(loaded.predict(data), model.predict(data))
        # By name: other columns order, and a feature that is missing.
        turned = raw.features(np.arange(raw.n_features)[::-1])
        np.testing.assert_array_equal(loaded.predict(turned), model.predict(raw))
        with pytest.raises(DataError, match="feature"):
            loaded.predict(raw.features([0, 1]))
        loaded.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()

    @pytest.mark.parametrize("seed", range(3))
    def test_a_damaged_model_file_is_refused(self, ranker: Any, seed: int, tmp_path: Path) -> None:
        self.fitted(ranker).save(tmp_path / "model")
        content = bytearray((tmp_path / "model").read_bytes())
        rng = np.random.default_rng(seed)
        position = int(rng.integers(len(content) - 1))
        for damaged in (
            bytes(content[:position]),
            bytes(content[:position])
            + bytes([content[position] ^ 5])
            + bytes(content[position + 1 :]),
            bytes(rng.integers(0, 256, 4096, dtype=np.uint8)),
            b"",
        ):
            (tmp_path / "model").write_bytes(damaged)
            with pytest.raises(DataError, match="model"):
                load_ranker(tmp_path / "model")

    def test_grades_may_be_real_numbers_or_the_error_says_why_not(self, ranker: Any) -> None:
        data = some_data()
        y = data.y + np.random.default_rng(0).uniform(0, 0.5, data.n_documents)
        message = "grades were taken"
        try:
            model = self.new(ranker).fit(data.X, y, qid=data.qid)
            assert np.isfinite(model.predict(data.X)).all()
        except DataError as error:
            message = str(error)
        assert "grade" in message

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize(("size", "dtype"), MAGNITUDES)
    def test_features_of_any_size_give_finite_scores_or_a_clear_error(
        self, ranker: Any, size: float, dtype: str
    ) -> None:
        X, y, qid = sized(size, dtype)
        try:
            model = self.new(ranker).fit(X, y, qid=qid)
        except DataError as error:
            clear = size != 1.0 and re.search(
                "Scale the features first|none of .* varies", str(error)
            )
            if not clear:
                raise
            return
        assert np.isfinite(model.predict(X)).all()
        for name in ("coef_", "feature_importances_"):
            assert np.isfinite(getattr(model, name, 0.0)).all()

    def test_validation_queries_choose_the_round(self, stopping_ranker: Any) -> None:
        aside = some_data().queries(range(16, 24))
        model = stopped(stopping_ranker)
        values = model.validation_values_
        assert model.n_iter_ == int(np.argmax(values)) + 1
        measure = model.stopping_measure()
        reached = measure(aside.y, model.predict(aside), qid=aside.qid)
        assert reached == pytest.approx(values.max(), abs=1e-9)

    def test_validation_may_be_arrays_or_a_share_of_the_queries(self, stopping_ranker: Any) -> None:
        data = some_data()
        train, aside = data.queries(range(16)), data.queries(range(16, 24))
        arrays = stopping_ranker().fit(
            train.X, train.y, qid=train.qid, validation=(aside.X, aside.y, aside.qid)
        )
        expected = stopped(stopping_ranker).validation_values_
        np.testing.assert_array_equal(arrays.validation_values_, expected)
        shared = stopping_ranker(validation_share=0.25).fit(data)
        assert len(shared.validation_values_) >= 1
        assert fitted(stopping_ranker).validation_values_ is None

    @pytest.mark.parametrize(
        "wrong",
        [
            {"validation_share": 1.5},
            {"patience": 0},
            {"measure": "ndgc"},
            {"random_state": -1},
            {"random_state": "a"},
        ],
    )
    def test_wrong_parameters_of_stopping_are_named(
        self, stopping_ranker: Any, wrong: dict[str, Any]
    ) -> None:
        data = some_data()
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}|did you mean"):
            stopping_ranker(**{"validation_share": 0.2, **wrong}).fit(data)

    def test_validation_of_another_kind_is_refused(self, stopping_ranker: Any) -> None:
        data = some_data()
        with pytest.raises(
            DataError, match="no validation query has documents with different grades"
        ):
            stopping_ranker().fit(data, validation=(data.X, np.ones(data.n_documents), data.qid))
        with pytest.raises(ValueError, match="validation must be RankingData"):
            stopping_ranker().fit(data, validation="vali.txt")
        with pytest.raises(DataError, match="features"):
            stopping_ranker().fit(data, validation=data.features([0, 1]))

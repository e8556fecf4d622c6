"""What RankLib does with a model, alone and inside the plugins of search servers."""

import numpy as np
import pytest

from tests.engines.engine import EngineError
from tests.engines.models import above, below, column, ranklib_split, ranklib_trees

PLUGINS = ["elasticsearch/ranklib", "opensearch-2.19/ranklib", "opensearch-3.8/ranklib"]
ALL = ["ranklib", *PLUGINS]
HEADS = {
    "Linear Regression": "## Lambda = 1.0E-10",
    "Coordinate Ascent": "## Restart = 5\n## MaxIteration = 25\n## StepBase = 0.05\n"
    "## StepScale = 2.0\n## Tolerance = 0.001\n## Regularized = false\n## Slack = 0.001",
    "RankBoost": "## Iteration = 300\n## No. of threshold candidates = 10",
}


def text(kind, line):
    return f"## {kind}\n{HEADS[kind]}\n{line}\n"


@pytest.mark.parametrize("engine", ALL)
@pytest.mark.parametrize("threshold", [0.5, 0.1, 0.0, 1e-7, -3.25, 3e38, 1e-45])
def test_a_value_goes_left_up_to_the_float32_threshold(engines, engine, threshold):
    model = ranklib_trees(ranklib_split(threshold))
    X = column(below(threshold), np.float32(threshold), above(threshold))
    assert engines.scores(engine, model, ["a"], X).tolist() == [1, 1, 2]


@pytest.mark.parametrize("engine", ALL)
def test_features_are_counted_from_one_and_a_missing_value_is_zero(engines, engine):
    model = ranklib_trees(ranklib_split(-0.5, feature=2), ranklib_split(0.5, feature=2))
    X = np.array([[-9, -1, 9], [-9, 1, 9], [-9, 0, 9], [-9, np.nan, 9]])
    assert engines.scores(engine, model, ["a", "b", "c"], X).tolist() == [2, 4, 3, 3]


@pytest.mark.parametrize("engine", PLUGINS)
def test_a_feature_beyond_the_set_is_an_error_when_a_document_is_scored(engines, engine):
    model = ranklib_trees(ranklib_split(0.5, feature=3))
    with pytest.raises(EngineError, match="unspecified feature"):
        engines.scores(engine, model, ["a", "b"], np.zeros((1, 2)))


def test_alone_a_feature_after_the_last_of_a_document_is_an_error(engines):
    model = ranklib_trees(ranklib_split(0.5, feature=2))
    assert engines.scores("ranklib", model, ["a", "b"], np.array([[1, 0.0]])) == [1]
    with pytest.raises(EngineError, match="unspecified feature"):
        engines.scores("ranklib", model, ["a", "b"], np.array([[1, np.nan]]))


@pytest.mark.parametrize("engine", ALL)
def test_leaves_are_summed_in_float32(engines, engine):
    leaves = ["1.0E8", "1.0", "-1.0E8", "0.1"]
    model = ranklib_trees(*(f"<output> {leaf} </output>" for leaf in leaves))
    total = np.float32(0)
    for leaf in leaves:
        total += np.float32(leaf)
    assert engines.scores(engine, model, ["a"], column(0)).astype(np.float32) == total
    assert abs(total - 1.1) > 0.5


@pytest.mark.parametrize("engine", ALL)
def test_linear_regression_has_an_intercept_at_zero_and_coordinate_ascent_has_none(engines, engine):
    X = np.array([[1.0, 2.0], [-1.0, 0.5]])
    line = text("Linear Regression", "0:0.25 1:0.5 2:2.0")
    assert engines.scores(engine, line, ["a", "b"], X).tolist() == [4.75, 0.75]
    line = text("Coordinate Ascent", "1:0.5 2:2.0")
    assert engines.scores(engine, line, ["a", "b"], X).tolist() == [4.5, 0.5]


def test_linear_models_are_summed_in_double(engines):
    line = text("Linear Regression", "0:0.0 1:1.0E8 2:-1.0E8 3:0.1")
    scores = engines.scores("ranklib", line, ["a", "b", "c"], np.ones((1, 3)))
    assert scores == pytest.approx([0.1], abs=1e-7)


@pytest.mark.parametrize("engine", ALL)
def test_rankboost_compares_a_float32_value_with_a_double_threshold(engines, engine):
    model = text("RankBoost", "1:0.1:0.5 1:0.5:0.25")
    # The float32 nearest to 0.1 is above 0.1; that of 0.5 is 0.5 and is not above it.
    X = column(below(0.1), np.float32(0.1), 0.5, above(0.5), 0)
    assert engines.scores(engine, model, ["a"], X).tolist() == [0, 0.5, 0.5, 0.75, 0]


@pytest.mark.parametrize("engine", ALL)
def test_lines_and_indents_inside_a_model_do_not_matter(engines, engine):
    model = ranklib_trees(ranklib_split(0.5))
    laid_out = model.replace("><", ">\n\t\t<")
    assert engines.scores(engine, laid_out, ["a"], column(0, 1)).tolist() == [1, 2]

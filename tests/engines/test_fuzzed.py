"""Random ensembles through the exporter into every engine, on rows made of their thresholds."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ranksieve.export import export_model
from ranksieve.rankers import TreeDescription, TreesDescription
from tests.engines.engine import EngineError
from tests.engines.exported import (
    LARGEST,
    VERSIONS,
    assert_agree,
    on_thresholds,
    sizes,
    task,
    walked,
)

NAMES = ("a", "b", "c")
# Engines that send a missing value where the model does.
LEARNED = ("elasticsearch", "opensearch-3.8", "solr9", "vespa")
THRESHOLDS = (
    st.sampled_from([0.0, 1e-7, -1e-7, 1e-6, -1e-6, 1e-45, -1e-45, 1e-39, 0.1, 0.5, 8.0, 100.0])
    | st.sampled_from([LARGEST, -LARGEST, 3e38, -3e38, 1e300, -1e300])
    | st.floats(-4, 4, width=32)
    # Between two float32 numbers.
    | st.floats(-1e6, 1e6)
)
LEAVES = st.floats(-2, 2).map(lambda value: round(value, 3))


@st.composite
def trees(draw, deepest=5):
    """A tree whose nodes come after their parents."""
    feature, threshold, missing, left, right, value = [], [], [], [], [], []
    waiting = [(0, -1, left)]
    while waiting:
        depth, parent, side = waiting.pop()
        node = len(feature)
        if parent >= 0:
            side[parent] = node
        split = depth < deepest and draw(st.integers(0, 3)) > (depth > 0)
        feature.append(draw(st.integers(0, len(NAMES) - 1)) if split else -1)
        threshold.append(draw(THRESHOLDS) if split else 0.0)
        missing.append(split and draw(st.booleans()))
        value.append(0.0 if split else draw(LEAVES))
        left.append(-1)
        right.append(-1)
        if split:
            waiting += [(depth + 1, node, right), (depth + 1, node, left)]
    return TreeDescription(
        np.array(feature),
        np.array(threshold),
        np.array(missing, dtype=np.bool_),
        np.array(left),
        np.array(right),
        np.array(value),
    )


class Ensemble:
    """A fitted model that is nothing but its description."""

    def __init__(self, members, base_score):
        self._described = TreesDescription(NAMES, tuple(members), base_score)

    def description(self, names=None):
        return self._described


# One question that decides something: a model without any is refused.
STUMP = TreeDescription(
    np.array([0, -1, -1]),
    np.array([0.25, 0.0, 0.0]),
    np.array([True, False, False]),
    np.array([1, -1, -1]),
    np.array([2, -1, -1]),
    np.array([0.0, 0.5, 1.5]),
)


def ensembles():
    members = st.lists(trees(), min_size=1, max_size=6).map(lambda drawn: [STUMP, *drawn])
    return st.builds(Ensemble, members, st.sampled_from([0.0, 0.5, -1.25]))


def rows(description, *, missing):
    generator = np.random.default_rng(0)
    X = generator.choice(np.float32([0, 1, -1, 0.1, 1e-7, 50, -3e38]), size=(10, len(NAMES)))
    X = on_thresholds(description, X, n_rows=60).astype(np.float64)
    # The largest float32 has no number above it that an engine could compare it with.
    X = np.clip(X, -3.4e38, 3.4e38)
    if missing:
        X[generator.random(X.shape) < 0.4] = np.nan
    return X


def exports(model, engines_by_name, **options):
    """The engines whose export promises the scores of the model, and what it wrote for them."""
    for engine, (target, version) in engines_by_name.items():
        export = export_model(model, target, engine_version=version, **options)
        yield engine, export


FUZZED = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@FUZZED
@given(model=ensembles())
def test_every_engine_scores_a_random_ensemble_as_plain_loops_do(engines, model):
    description = model.description()
    X = rows(description, missing=False)
    expected = walked(description, X)
    for engine, export in exports(model, VERSIONS):
        (scores,) = engines.batch([task(engine, export, NAMES, X)])
        if differing_values(export):
            continue
        assert not isinstance(scores, EngineError), (engine, scores)
        assert_agree(scores, expected, sizes(description, X), engine)


def differing_values(export):
    """Warnings that scores of some values that are there will differ."""
    about_others = ("negative values", "missing")
    return [text for text in export.warnings if not any(word in text for word in about_others)]


@FUZZED
@given(model=ensembles())
def test_missing_values_go_where_the_ensemble_sends_them_in_engines_that_can(engines, model):
    description = model.description()
    X = rows(description, missing=True)
    expected = walked(description, X)
    able = {engine: VERSIONS[engine] for engine in LEARNED}
    for engine, export in exports(model, able, missing="learned"):
        (scores,) = engines.batch([task(engine, export, NAMES, X)])
        if differing_values(export):
            continue
        assert not isinstance(scores, EngineError), (engine, scores)
        assert_agree(scores, expected, sizes(description, X), engine)


@FUZZED
@given(model=ensembles())
def test_no_engine_scores_missing_values_otherwise_without_a_warning(engines, model):
    description = model.description()
    X = rows(description, missing=True)
    for missing, expected in (
        ("learned", walked(description, X)),
        ("zero", walked(description, np.nan_to_num(X))),
    ):
        plain = {engine: VERSIONS[engine] for engine in VERSIONS if engine != "ranklib"}
        for engine, export in exports(model, plain, missing=missing):
            (scores,) = engines.batch([task(engine, export, NAMES, X)])
            assert not isinstance(scores, EngineError), (engine, scores)
            if not [text for text in export.warnings if "negative values" not in text]:
                assert_agree(scores, expected, sizes(description, X), f"{engine} {missing}")

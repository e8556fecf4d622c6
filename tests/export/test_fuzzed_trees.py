"""Ensembles drawn at random reach the same leaves in each engine as in the description.

Leaves are whole numbers, so that sums in float32 are exact, and scores must be equal.
"""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ranksieve.export import export_model
from ranksieve.rankers import TreeDescription, TreesDescription
from tests.export.cases import LARGEST, near_splits
from tests.reference.engines import (
    elasticsearch_scores,
    neutral_scores,
    onnx_scores,
    ranklib_scores,
    solr_scores,
    vespa_scores,
)

NAMES = ("f1", "f2", "f3")
TELLING = [0.0, -0.0, 1e-7, -1e-7, 1e-6, -1e-6, 1e-35, -1e-35, 1e-45, 1e300, -1e300, 16.0, -16.0]
TELLING += [float(LARGEST), -float(LARGEST), 1.0000000180025095e-35, 0.1, -0.1, 5e-324]
thresholds = (
    st.sampled_from(TELLING)
    | st.floats(-1e-5, 1e-5)
    | st.floats(-100, 100)
    | st.floats(width=32, allow_nan=False, allow_infinity=False)
    | st.floats(allow_nan=False, allow_infinity=False)
)


class Described:
    """What `export_model` needs of a ranker."""

    def __init__(self, description):
        self._kept = description

    def description(self, names=None):
        return self._kept


@st.composite
def trees(draw, depth):
    rows = []

    def grow(level):
        node = len(rows)
        rows.append(None)
        if level == 0 or (level < depth and draw(st.integers(0, 3)) == 0):
            rows[node] = (-1, 0.0, False, -1, -1, float(draw(st.integers(-500, 500))))
            return node
        feature, threshold = draw(st.integers(0, len(NAMES) - 1)), draw(thresholds)
        missing_left = draw(st.booleans())
        left, right = grow(level - 1), grow(level - 1)
        rows[node] = (feature, threshold, missing_left, left, right, 0.0)
        return node

    grow(depth)
    columns = list(zip(*rows, strict=True))
    kinds = (np.int64, np.float64, np.bool_, np.int64, np.int64, np.float64)
    return TreeDescription(
        *(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))
    )


@st.composite
def ensembles(draw):
    several = [draw(trees(draw(st.integers(1, 5)))) for _ in range(draw(st.integers(1, 4)))]
    # A tree that surely asks for something: a model without a question is refused.
    first = TreeDescription(
        np.array([0, -1, -1]),
        np.array([0.25, 0.0, 0.0]),
        np.array([draw(st.booleans()), False, False]),
        np.array([1, -1, -1]),
        np.array([2, -1, -1]),
        np.array([0.0, 1.0, 2.0]),
    )
    base = float(draw(st.integers(-3, 3)))
    return TreesDescription(NAMES, (first, *several), base)


def rows_for(description, rng):
    values = [near_splits(description, feature) for feature in range(len(NAMES))]
    rows = np.column_stack([rng.choice(each, size=150) for each in values]).astype(np.float32)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


def expected_scores(description, rows, missing):
    content = export_model(Described(description), "json").content
    filled = np.where(np.isnan(rows), np.float32(0), rows) if missing == "zero" else rows
    return neutral_scores(content, filled)


def concerned(export, rows):
    """Rows with a value that a warning names."""
    rows_named = np.zeros(len(rows), bool)
    for warning in export.warnings:
        interval = re.match(r"Values of '(\w+)' above (\S+) up to (\S+) go", warning)
        largest = re.match(r"Values of '(\w+)' that are the largest float32", warning)
        if interval:
            column = rows[:, NAMES.index(interval[1])]
            low, high = float(interval[2]), float(interval[3])
            wide = column.astype(np.float64)
            rows_named |= (wide > low) & (wide <= high)
        elif largest:
            rows_named |= rows[:, NAMES.index(largest[1])] == LARGEST
    return rows_named


def assert_elasticsearch_agrees(description, rows, missing, expected):
    export = export_model(Described(description), "elasticsearch", missing=missing)
    scores = elasticsearch_scores(export.content, list(NAMES), rows)
    sound = ~concerned(export, rows)
    assert np.array_equal(scores[sound], expected[sound])
    if missing == "zero":
        assert sound.all()


def assert_solr_agrees(description, rows, missing, expected):
    export = export_model(Described(description), "solr", missing=missing)
    scores = solr_scores(export.content, list(NAMES), rows)
    sound = ~concerned(export, rows)
    assert np.array_equal(scores[sound], expected[sound])


def assert_vespa_agrees(description, rows, missing, expected):
    export = export_model(Described(description), "vespa", missing=missing)
    assert np.array_equal(vespa_scores(export, list(NAMES), rows), expected)


def assert_onnxruntime_agrees(description, rows, missing, expected):
    export = export_model(Described(description), "onnx", missing=missing)
    assert np.array_equal(onnx_scores(export.content, list(NAMES), rows), expected)


def assert_ranklib_agrees(description, rows, expected):
    export = export_model(Described(description), "ranklib")
    assert np.array_equal(ranklib_scores(export.content, rows), expected)


def assert_opensearch_without_directions_is_exact_or_warned_of(description, rows, expected):
    for version, rule in (("2.19", "zero"), ("3.5", "right"), ("3.8", "learned")):
        export = export_model(Described(description), "opensearch", engine_version=version)
        same = elasticsearch_scores(export.content, list(NAMES), rows, rule) == expected
        assert same[~np.isnan(rows).any(axis=1)].all()
        if not any("version of OpenSearch" in each for each in export.warnings):
            assert same.all()


# All engines score what is drawn: to draw an ensemble takes longer than to score with it.
FUZZED = settings(max_examples=120, deadline=None)


@FUZZED
@given(description=ensembles(), seed=st.integers(0, 1000))
def test_every_engine_reaches_the_same_leaves_where_missing_values_are_zero(description, seed):
    rows = rows_for(description, np.random.default_rng(seed))
    expected = expected_scores(description, rows, "zero")
    assert_elasticsearch_agrees(description, rows, "zero", expected)
    assert_solr_agrees(description, rows, "zero", expected)
    assert_vespa_agrees(description, rows, "zero", expected)
    assert_onnxruntime_agrees(description, rows, "zero", expected)
    assert_ranklib_agrees(description, rows, expected)
    assert_opensearch_without_directions_is_exact_or_warned_of(description, rows, expected)


@FUZZED
@given(description=ensembles(), seed=st.integers(0, 1000))
def test_engines_send_missing_values_where_the_ensemble_learnt_to(description, seed):
    rows = rows_for(description, np.random.default_rng(seed))
    expected = expected_scores(description, rows, "learned")
    assert_elasticsearch_agrees(description, rows, "learned", expected)
    assert_solr_agrees(description, rows, "learned", expected)
    assert_vespa_agrees(description, rows, "learned", expected)
    assert_onnxruntime_agrees(description, rows, "learned", expected)

"""Rankers of each kind, rows on which an engine could go another way, and what agreement is."""

from __future__ import annotations

import numpy as np

from ranksieve.rankers import LinearDescription, TreesDescription

# A spelling for each kind of model; names of features are those of the data.
SPELLINGS = {
    "RankSVM": "RankSVM(C=0.01)",
    "RankSVMStruct": "RankSVMStruct(C=0.1)",
    "SVMMAP": "SVMMAP(C=0.1)",
    "AdaRank": "AdaRank('ndcg@10', both_directions=True)",
    "CommitteePerceptron": "CommitteePerceptron(5, n_epochs=3)",
    "CoordinateAscent": "CoordinateAscent(n_restarts=1, n_rounds=3)",
    "KernelRankSVM": "KernelRankSVM('linear', C=0.01, n_landmarks=50)",
    "RankNet": "RankNet(max_iter=20, tol=0.01)",
    "ListNet": "ListNet(4, max_iter=20, tol=0.01)",
    "RankBoost": "RankBoost(40)",
    "PointwiseRanker": "PointwiseRanker('Ridge')",
    "LightGBMRanker": "LightGBMRanker(20, num_leaves=15)",
    "XGBoostRanker": "XGBoostRanker(20, max_depth=4)",
    "CatBoostRanker": "CatBoostRanker(20, depth=4)",
}
OTHERS = {
    "forest": "PointwiseRanker('RandomForestRegressor(n_estimators=5, random_state=0)')",
    "gradient boosting": "PointwiseRanker('GradientBoostingRegressor(n_estimators=10)')",
    "RankNet with hidden units": "RankNet(3, max_iter=20, tol=0.01)",
    "LightGBM on zeros": "LightGBMRanker(10, num_leaves=7, params={'zero_as_missing': True})",
    "LightGBM, least squares": "LightGBMRanker(10, objective='regression')",
    "XGBoost, least squares": "XGBoostRanker(10, objective='reg:squarederror')",
    "CatBoost, not symmetric": "CatBoostRanker(10, params={'grow_policy': 'Lossguide'})",
    "CatBoost, least squares": "CatBoostRanker(10, objective='RMSE')",
    "SparseRankSVM": "SparseRankSVM(strength=0.02)",
    "FSMRank": "FSMRank(similarity_strength=0.1, importance_strength=0.1)",
    "FenchelRank": "FenchelRank()",
    "FSMSVM": "FSMSVM(n_features_to_select=3)",
}
LINEAR = (
    "RankSVM",
    "RankSVMStruct",
    "SVMMAP",
    "AdaRank",
    "CommitteePerceptron",
    "CoordinateAscent",
    "KernelRankSVM",
    "RankNet",
    "SparseRankSVM",
    "FSMRank",
    "FenchelRank",
    "FSMSVM",
)
EVERY = {**SPELLINGS, **OTHERS}
TREES = [
    key
    for key in EVERY
    if any(
        word in key
        for word in ("LightGBM", "XGBoost", "CatBoost", "RankBoost", "forest", "boosting")
    )
]
EXTREMES = np.array([0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 1e-7, 1.0], dtype=np.float32)
LARGEST = np.finfo(np.float32).max


def telling_rows(description, X, n_rows=4000):
    """Rows of X; for trees also with values on splits, beside them, 0, -0, and extremes."""
    rows = [X[:300]]
    zeros = X[:50].copy()
    zeros[np.random.default_rng(1).random(zeros.shape) < 0.5] = 0.0
    rows.append(zeros)
    if isinstance(description, TreesDescription):
        rows += [
            with_values(X, feature, near_splits(description, feature))
            for feature in range(X.shape[1])
        ]
    every = np.concatenate(rows)
    if len(every) > n_rows:
        every = every[np.random.default_rng(0).permutation(len(every))[:n_rows]]
    return every


def near_splits(description, feature):
    """Values on the splits of a feature, their neighbours in float32, and extremes."""
    splits = [tree.threshold[tree.feature == feature] for tree in description.trees]
    with np.errstate(over="ignore"):
        near = np.concatenate(splits).astype(np.float32)
        above, below = (np.nextafter(near, np.float32(end)) for end in (np.inf, -np.inf))
    values = np.unique(np.concatenate([EXTREMES, [LARGEST, -LARGEST], near, above, below]))
    return values[np.isfinite(values)].astype(np.float32)


def with_values(X, feature, values):
    """One row for each value of a feature; the other features are those of X."""
    rows = X[np.arange(len(values)) % len(X)].copy()
    rows[:, feature] = values
    return rows


def with_missing(rows, seed=2):
    """The rows with a third of the values missing."""
    holes = rows[:600].copy()
    holes[np.random.default_rng(seed).random(holes.shape) < 0.3] = np.nan
    return holes


def magnitudes(description, rows):
    """For each row the sum of the sizes of what is added up: what rounding is relative to."""
    values = np.where(np.isnan(rows), 0.0, rows).astype(np.float64)
    if isinstance(description, LinearDescription):
        return np.abs(values) @ np.abs(description.weights) + abs(description.intercept)
    if isinstance(description, TreesDescription):
        return abs(description.base_score) + sum(
            np.abs(tree.value).max() for tree in description.trees
        ) * np.ones(len(rows))
    hidden, output = description.layers
    inside = np.abs(values) @ np.abs(hidden.weights).T + np.abs(hidden.biases)
    return (1.0 + inside) @ np.abs(output.weights[0])


def assert_agree(scores, expected, sizes):
    """The scores are within 1e-6 of what is added up, and order documents alike."""
    assert scores.shape == expected.shape
    assert (np.abs(scores - expected) <= 1e-6 * sizes).all()
    order = np.argsort(expected, kind="stable")
    apart = np.diff(expected[order]) > 2e-6 * np.maximum(sizes[order][1:], sizes[order][:-1])
    assert (np.diff(scores[order])[apart] > 0).all()

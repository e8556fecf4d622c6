"""Data that several benchmarks share: fold 1 of LETOR's sets, and generated data."""

from __future__ import annotations

from benchmarks.published import data_folder
from ranksieve import RankingData, make_ranking
from ranksieve.data import letor_folds, scale

# 4,200 queries of about 120 documents, 136 features.
LARGE_SHAPE = {"n_relevant": 30, "n_redundant": 30, "n_irrelevant": 66, "n_constant": 10}


def letor_train(name: str) -> RankingData | None:
    """The train part of fold 1, or None, and a line that says so, where the data is absent."""
    folder = data_folder()
    if folder is None or not (folder / name).is_dir():
        print(f"  {name}: absent (set RANKSIEVE_DATA to the folder with it)")
        return None
    return letor_folds(folder / name)[0].train


def generated_small() -> RankingData:
    """About 40,000 documents, 46 features in [0, 1]."""
    data, _ = make_ranking(400, 100, n_relevant=10, n_redundant=10, n_irrelevant=26, random_state=0)
    return scale(data)


def generated_large() -> RankingData:
    """About 500,000 documents, 136 features in [0, 1], ten of them constant."""
    data, _ = make_ranking(4200, 120, **LARGE_SHAPE, random_state=0)
    return scale(data)


def described(name: str, data: RankingData) -> str:
    return f"{name}, {data.n_documents:,} documents, {data.n_features} features"

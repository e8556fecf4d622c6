"""Data that tests place on two workers."""

from __future__ import annotations

import pytest

from ranksieve import make_ranking
from ranksieve.data import RankingData
from ranksieve.passes.blocks import PIECES_OF_A_GROUP


@pytest.fixture(scope="package")
def data():
    """More than one group of pieces, so that both workers have some."""
    data, _ = make_ranking(960, 20, n_relevant=3, n_redundant=2, n_irrelevant=3)
    blocks = [piece.compact() for block in data.blocks() for piece in block.cuts(800)]
    assert PIECES_OF_A_GROUP < len(blocks) <= 2 * PIECES_OF_A_GROUP
    return RankingData(blocks, data.feature_names)

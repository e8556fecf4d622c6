"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_PLACES = (
    os.environ.get("RANKSIEVE_DATA", ""),
    str(Path(__file__).parents[2] / "shared" / "data"),
)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with OHSUMED/, MQ2008/, MSLR-sample/ and LightGBM-lambdarank/."""
    for place in _PLACES:
        if place and Path(place).is_dir():
            return Path(place)
    pytest.skip(
        "real ranking data is absent: set RANKSIEVE_DATA to the folder with OHSUMED/ and MQ2008/"
    )

"""Folds, and a run that nothing disturbed: what every other run is compared with."""

from __future__ import annotations

import pytest

from ranksieve.experiment import compare
from tests.experiment.cases import contents, small_study, write_folds


@pytest.fixture(scope="session")
def folds(tmp_path_factory):
    """A folder with three folds."""
    return write_folds(tmp_path_factory.mktemp("data") / "three", 3)


@pytest.fixture(scope="session")
def undisturbed(folds, tmp_path_factory):
    """The store of the small study, done in this process; the kernels are compiled with it."""
    store = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    compare(small_study(folds), store)
    return store


@pytest.fixture(scope="session")
def expected(undisturbed):
    """What every finished store of the small study must hold."""
    return contents(undisturbed)

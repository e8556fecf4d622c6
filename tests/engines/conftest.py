"""The engines, started once; tests of this folder are marked, and skipped where Java is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engines.engine import Engines, NotResolvedError, build, missing_tools

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.engines)


@pytest.fixture(scope="session")
def engines():
    """Every engine by name: `engines.scores("solr", model, names, X)`."""
    reason = missing_tools()
    if reason:
        pytest.skip(reason)
    try:
        build()
    except NotResolvedError as error:
        # In CI a registry is there: engines that are not checked there would go unnoticed.
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    running = Engines()
    yield running
    running.close()

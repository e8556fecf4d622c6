"""The option `--component` of pytest, for `python -m ranksieve.testing`."""

from __future__ import annotations

import pytest

from ranksieve.errors import ParameterError
from ranksieve.testing.base import Suite
from ranksieve.testing.choose import load_component, suites_for

_KEY = pytest.StashKey[dict[str, type[Suite]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--component`, which may be given several times."""
    parser.addoption(
        "--component",
        action="append",
        default=[],
        metavar="package.module:Class",
        help="run the conformance suite of its family on this class",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Find the components, and say in one line what is wrong with one."""
    try:
        components = [load_component(text) for text in config.getoption("component")]
        config.stash[_KEY] = suites_for(components)
    except ParameterError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_collection(session: pytest.Session) -> None:
    """Put the classes of tests where pytest collects them."""
    from ranksieve.testing import components

    suites = session.config.stash[_KEY]
    vars(components).update(suites)

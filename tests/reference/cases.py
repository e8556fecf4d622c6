"""The data of the conformance suites, for all other tests."""

from ranksieve.testing.cases import *  # noqa: F403

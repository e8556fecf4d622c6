"""The sections of a study's page, in their order.

Tables (`tables/registry.py`) and charts (`charts/registry.py`) name the section that they stand in.
"""

from __future__ import annotations

from typing import NamedTuple


class Section(NamedTuple):
    """A section of the page.

    Attributes
    ----------
    key : str, its id on the page
    title : str
    folded : str, what is folded away, in a few words; "" for a section that is open
    """

    key: str
    title: str
    folded: str = ""


SECTIONS = (
    Section("cost", "What fewer features cost"),
    Section("leaderboards", "Leaderboards"),
    Section("set", "The set in the box", "its features and settings, fold by fold"),
    Section("ranks", "Ranks over data sets", "one order of all methods"),
    Section(
        "size",
        "How many features",
        "each measure by number of features, sparsity, a table of every number",
    ),
    Section("features", "Which features", "their names, stability, importance and similarity"),
    Section("time", "Time and memory", "of selection and training"),
    Section("convergence", "Convergence", "objective and proven gap"),
    Section("choices", "What each fold chose", "the setting of every fold"),
    Section("failures", "Failures", "trials that failed"),
    Section("data-sets", "Data", "folds, sizes and fingerprints"),
)

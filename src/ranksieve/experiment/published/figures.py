"""Figures that papers print, stored as data: `published.csv` beside this file.

    FSMRank     Lai, Pan, Tang and Yu, FSMRank: feature selection algorithm for learning to rank,
                2013
    sparse      Laporte, Flamary, Canu, Dejean and Mothe, Nonconvex regularizations for feature
                selection in ranking with sparse SVM, 2014
    FS-SCPR     Yeh and Tsai, A graph-based feature selection method for learning to rank using
                spectral clustering for redundancy minimization and biased PageRank for relevance
                analysis, 2022
    GAS         Geng, Liu, Qin and Li, Feature selection for ranking, 2007

The GAS paper has its results in figures; what its text says of them is stored. The paper of
RankFilter and RankWrapper (Yu, Oh and Han, 2009) prints no result as a number. A row of the file is
one printed number, under the names that the papers give methods; `note` says where a number is odd.

    quantity              what the value is
    mean                  of the measure over queries
    ratio                 share of the features that models keep
    rank                  place of the method in its column, as printed
    increase %            of one method over another; least and largest where a range is printed
    significantly worse   1 or 0: than the best method of the row, one-sided paired t-test at 5 %
    decrease %, p         of a method that is significantly worse
    p at most             of a test that the text names
    count, score          how often a rank was had, and the unified rank
    fact                  about the data
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

MAP, NDCG10 = "letor-map", "letor-ndcg@10"
# In the order of their age.
DATA_SETS = (
    "OHSUMED",
    "HP2003",
    "NP2003",
    "TD2003",
    "HP2004",
    "NP2004",
    "TD2004",
    "MQ2007",
    "MQ2008",
)
_SELECTION, _RANKERS = "feature selection methods", "rankers with all features"
_RANKSVM = "beside RankSVM with all features"
_TITLES = {
    ("FSMRank", "I"): _SELECTION,
    ("FSMRank", "II"): _RANKERS,
    ("FSMRank", "III"): "importance off and on",
    **{("FS-SCPR", str(number)): _RANKSVM for number in range(3, 7)},
    **{("FS-SCPR", str(number)): _SELECTION for number in range(7, 11)},
    **{("FS-SCPR", str(number)): _RANKERS for number in range(12, 16)},
}
# The tables from which a unified rank follows, one for each of its data sets.
_RANKED = {"11": ("7", "8", "9", "10"), "16": ("12", "13", "14", "15")}


@dataclass(frozen=True)
class PublishedFigure:
    """One number that a paper prints; the module says what quantities there are."""

    paper: str
    table: str
    data: str
    method: str
    measure: str
    quantity: str
    value: float
    note: str


@dataclass(frozen=True)
class PublishedTable:
    """Means of methods on one data set, a row for each method and a column for each measure."""

    paper: str
    number: str
    title: str
    data: str
    measures: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]

    def value(self, method: str, measure: str) -> float:
        """Return the mean of a method."""
        return self.rows[method][self.measures.index(measure)]

    def span(self, measure: str) -> float:
        """Return how far apart the best and the worst method are."""
        column = [self.value(method, measure) for method in self.rows]
        return max(column) - min(column)


@dataclass(frozen=True)
class PublishedRatios:
    """Share of the features that models keep, a method."""

    paper: str
    number: str
    data: str
    ratios: Mapping[str, float]


@dataclass(frozen=True)
class PublishedBest:
    """The best method by a measure; `worse` are those significantly below it, with decrease and p.

    All other methods of the table are equivalent to the best: one-sided paired t-test over
    queries at 5 %. The decrease is in per cent; p of methods in `below` is printed as less than
    the number.
    """

    paper: str
    number: str
    data: str
    measure: str
    method: str
    value: float
    worse: Mapping[str, tuple[float, float]]
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublishedRanks:
    """Unified ranks over several tables: how often each rank was had, and the score."""

    paper: str
    number: str
    counts: Mapping[str, tuple[int, ...]]
    scores: Mapping[str, float]
    tables: tuple[PublishedTable, ...] = field(default=())


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Return all that is stored, paper by paper.

    Examples
    --------
    >>> best = [f for f in published_figures() if (f.table, f.data) == ("V", "MQ2007")]
    >>> [(f.method, f.value) for f in best if f.quantity == "mean"]
    [('FSM', 0.4672)]
    """
    text = files(__package__).joinpath("published.csv").read_text(encoding="utf-8")
    lines = csv.reader(text.splitlines())
    next(lines)
    return tuple(
        PublishedFigure(paper, table, data, method, measure, quantity, float(value), note)
        for paper, table, data, method, measure, quantity, value, note in lines
    )


def published_name(name: str) -> str | None:
    """Return what papers call a data set, or None where there are no figures for it.

    Case, separators and a final "dataset" do not matter, nor whether the year comes first.

    Examples
    --------
    >>> published_name("td2003"), published_name("2004_hp_dataset"), published_name("MSLR-WEB10K")
    ('TD2003', 'HP2004', None)
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower()).removesuffix("dataset")
    year_last = re.sub(r"^(\d{4})([a-z]{2})$", r"\2\1", plain).upper()
    return year_last if year_last in DATA_SETS else None


def value_tables(data: Iterable[str] = DATA_SETS) -> tuple[PublishedTable, ...]:
    """Return the tables of means on some data sets, in the order of the papers."""
    names = tuple(data)
    return tuple(
        PublishedTable(
            paper, number, _TITLES[paper, number], name, *_columns(_rows(paper, number, name))
        )
        for paper, number, name in _keys("mean")
        if (paper, number) in _TITLES and name in names
    )


def ratio_tables(data: Iterable[str] = DATA_SETS) -> tuple[PublishedRatios, ...]:
    """Return sparsity ratios on some data sets."""
    names = tuple(data)
    return tuple(
        PublishedRatios(
            paper,
            number,
            name,
            {figure.method: figure.value for figure in _rows(paper, number, name, "ratio")},
        )
        for paper, number, name in _keys("ratio")
        if name in names
    )


def best_tables(data: Iterable[str] = DATA_SETS) -> tuple[PublishedBest, ...]:
    """Return who is best on some data sets, and who is significantly worse."""
    names = tuple(data)
    return tuple(
        _best(paper, number, name)
        for paper, number, name in _keys("significantly worse")
        if name in names
    )


def rank_tables() -> tuple[PublishedRanks, ...]:
    """Return the unified ranks, with the tables that they are made from."""
    tables = value_tables()
    return tuple(
        PublishedRanks(
            paper,
            number,
            _counts(_rows(paper, number, name, "count")),
            {figure.method: figure.value for figure in _rows(paper, number, name, "score")},
            tuple(t for t in tables if t.paper == paper and t.number in _RANKED[number]),
        )
        for paper, number, name in _keys("score")
    )


def table_notes(paper: str, number: str, data: str) -> tuple[str, ...]:
    """Return what is odd about numbers of a table.

    Examples
    --------
    >>> table_notes("sparse", "IV", "MQ2007")[0][:42]
    'MCP and log: the text says that log keeps '
    """
    methods: dict[str, list[str]] = {}
    for quantity in ("mean", "ratio"):
        for figure in _rows(paper, number, data, quantity):
            if figure.note:
                of = "" if quantity == "ratio" else f", {figure.measure}"
                methods.setdefault(figure.note, []).append(f"{figure.method}{of}")
    return tuple(f"{' and '.join(names)}: {note}." for note, names in methods.items())


def data_facts(name: str) -> dict[str, float]:
    """Return what the papers say about a data set: its features, queries, documents, ...

    Examples
    --------
    >>> data_facts("MQ2007")["queries"]
    1692.0
    """
    return {
        figure.measure: figure.value
        for figure in published_figures()
        if (figure.data, figure.quantity) == (name, "fact")
    }


def _keys(quantity: str) -> list[tuple[str, str, str]]:
    """Return paper, table and data set of all that has a quantity, in order."""
    keys = ((f.paper, f.table, f.data) for f in published_figures() if f.quantity == quantity)
    return list(dict.fromkeys(keys))


def _rows(paper: str, number: str, data: str, quantity: str = "mean") -> list[PublishedFigure]:
    key = (paper, number, data, quantity)
    return [f for f in published_figures() if (f.paper, f.table, f.data, f.quantity) == key]


def _columns(
    figures: list[PublishedFigure],
) -> tuple[tuple[str, ...], dict[str, tuple[float, ...]]]:
    """Return the measures, and the values of each method in their order."""
    measures = tuple(dict.fromkeys(figure.measure for figure in figures))
    values = {(figure.method, figure.measure): figure.value for figure in figures}
    methods = dict.fromkeys(figure.method for figure in figures)
    return measures, {m: tuple(values[m, measure] for measure in measures) for m in methods}


def _best(paper: str, number: str, name: str) -> PublishedBest:
    (winner,) = _rows(paper, number, name)
    decreases = _rows(paper, number, name, "decrease %")
    p_values = _rows(paper, number, name, "p")
    worse = {d.method: (d.value, p.value) for d, p in zip(decreases, p_values, strict=True)}
    below = tuple(p.method for p in p_values if p.note)
    return PublishedBest(
        paper, number, name, winner.measure, winner.method, winner.value, worse, below
    )


def _counts(figures: list[PublishedFigure]) -> dict[str, tuple[int, ...]]:
    _, counts = _columns(figures)
    return {method: tuple(int(count) for count in row) for method, row in counts.items()}

"""Published figures on OHSUMED and MQ2008, as printed: facts of three papers.

    FSMRank     Lai, Pan, Tang and Yu, FSMRank: feature selection algorithm for learning to rank,
                2013
    sparse      Laporte, Flamary, Canu, Dejean and Mothe, Nonconvex regularizations for feature
                selection in ranking with sparse SVM, 2014
    FS-SCPR     Yeh and Tsai, A graph-based feature selection method for learning to rank using
                spectral clustering for redundancy minimization and biased PageRank for relevance
                analysis, 2022

Rows have the names that the papers give them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DATA = ("OHSUMED", "MQ2008")
MAP, NDCG10 = "letor-map", "letor-ndcg@10"
# In the order of the columns.
ALL_MEASURES = (*(f"letor-ndcg@{k}" for k in range(1, 11)), MAP)
FIVE_MEASURES = ("letor-ndcg@1", "letor-ndcg@3", "letor-ndcg@5", NDCG10, MAP)


@dataclass(frozen=True)
class PublishedTable:
    """Values of methods on one data set, a row a method and a column a measure."""

    paper: str
    number: str
    title: str
    data: str
    measures: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]

    def value(self, method: str, measure: str) -> float:
        return self.rows[method][self.measures.index(measure)]

    def span(self, measure: str) -> float:
        """How far apart the best and the worst method are."""
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
    queries at 5 %.
    """

    paper: str
    number: str
    data: str
    measure: str
    method: str
    value: float
    worse: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class PublishedRanks:
    """Unified ranks over four data sets: how often each rank was had, and the score."""

    paper: str
    number: str
    counts: Mapping[str, tuple[int, ...]]
    scores: Mapping[str, float]


def _fsmrank(number: str, title: str, data: str, rows: str) -> PublishedTable:
    measures = FIVE_MEASURES if number == "III" else ALL_MEASURES
    return PublishedTable("FSMRank", number, title, data, measures, _rows(rows))


def _scpr(number: str, title: str, data: str, rows: str) -> PublishedTable:
    return PublishedTable("FS-SCPR", number, title, data, FIVE_MEASURES, _rows(rows))


def _rows(text: str) -> dict[str, tuple[float, ...]]:
    """A method a line: its name, two spaces at least, and its values in the order of measures."""
    lines = [line.strip().split("  ", 1) for line in text.strip().splitlines()]
    return {name: tuple(float(value) for value in values.split()) for name, values in lines}


_SELECTION, _RANKERS = "feature selection methods", "rankers with all features"
_IMPORTANCE, _RANKSVM = "importance off and on", "beside RankSVM with all features"
TABLES = (
    _fsmrank(
        "I",
        _SELECTION,
        "OHSUMED",
        """
        GAS-E    0.5547 0.5032 0.4794 0.4805 0.4720 0.4626 0.4585 0.4570 0.4551 0.4502 0.4475
        FSMSVM   0.5492 0.4908 0.4690 0.4703 0.4640 0.4549 0.4508 0.4496 0.4435 0.4447 0.4441
        FSMRank  0.5394 0.5149 0.5013 0.4916 0.4824 0.4757 0.4706 0.4666 0.4634 0.4613 0.4498
        """,
    ),
    _fsmrank(
        "I",
        _SELECTION,
        "MQ2008",
        """
        GAS-E    0.3601 0.4076 0.4345 0.4604 0.4772 0.4893 0.4960 0.4614 0.2247 0.2290 0.4767
        FSMSVM   0.3652 0.4009 0.4278 0.4519 0.4701 0.4857 0.4927 0.4575 0.2210 0.2251 0.4744
        FSMRank  0.3686 0.4126 0.4399 0.4604 0.4791 0.4940 0.4994 0.4633 0.2281 0.2327 0.4771
        """,
    ),
    _fsmrank(
        "II",
        _RANKERS,
        "OHSUMED",
        """
        RankSVM-primal  0.5460 0.5010 0.4855 0.4766 0.4689 0.4552 0.4534 0.4500 0.4490 0.4504 0.4446
        RankSVM-struct  0.5515 0.5000 0.4850 0.4820 0.4729 0.4584 0.4570 0.4587 0.4568 0.4523 0.4478
        RankBoost       0.4632 0.4504 0.4555 0.4543 0.4494 0.4439 0.4412 0.4361 0.4326 0.4302 0.4411
        ListNet         0.5326 0.4810 0.4732 0.4561 0.4432 0.4400 0.4409 0.4460 0.4459 0.4410 0.4457
        SVM MAP         0.5229 0.4909 0.4663 0.4625 0.4516 0.4411 0.4335 0.4332 0.4304 0.4319 0.4453
        AdaRank-NDCG    0.5330 0.4922 0.4790 0.4688 0.4673 0.4597 0.4596 0.4575 0.4541 0.4496 0.4498
        FSMRank         0.5394 0.5149 0.5013 0.4916 0.4824 0.4757 0.4706 0.4666 0.4634 0.4613 0.4498
        """,
    ),
    _fsmrank(
        "II",
        _RANKERS,
        "MQ2008",
        """
        RankSVM-primal  0.3725 0.4065 0.4333 0.4566 0.4765 0.4893 0.4940 0.4604 0.2263 0.2309 0.4744
        RankSVM-struct  0.3627 0.3985 0.4286 0.4509 0.4695 0.4851 0.4905 0.4564 0.2239 0.2279 0.4696
        RankBoost       0.3856 0.3993 0.4288 0.4479 0.4666 0.4816 0.4898 0.4568 0.2214 0.2255 0.4775
        ListNet         0.3754 0.4112 0.4324 0.4568 0.4747 0.4894 0.4978 0.4630 0.2265 0.2303 0.4775
        SVM MAP         0.3516 0.3826 0.4102 0.4308 0.4515 0.4656 0.4758 0.4435 0.2133 0.2179 0.4569
        AdaRank-NDCG    0.3826 0.4211 0.4420 0.4653 0.4821 0.4948 0.4993 0.4636 0.2270 0.2307 0.4824
        FSMRank         0.3686 0.4126 0.4399 0.4604 0.4791 0.4940 0.4994 0.4633 0.2281 0.2327 0.4771
        """,
    ),
    _fsmrank(
        "III",
        _IMPORTANCE,
        "OHSUMED",
        """
        s = 1          0.5486 0.4899 0.4729 0.4523 0.4471
        s = |Pearson|  0.5550 0.5081 0.4835 0.4591 0.4471
        """,
    ),
    _scpr(
        "5",
        _RANKSVM,
        "OHSUMED",
        """
        FS-SCPR         0.5459 0.4959 0.4785 0.4584 0.4491
        RankSVM-Primal  0.5460 0.4855 0.4689 0.4504 0.4446
        """,
    ),
    _scpr(
        "6",
        _RANKSVM,
        "MQ2008",
        """
        FS-SCPR         0.3692 0.4375 0.4770 0.2318 0.4776
        RankSVM-Primal  0.3725 0.4333 0.4765 0.2309 0.4744
        """,
    ),
    _scpr(
        "9",
        _SELECTION,
        "OHSUMED",
        """
        FS-SCPR  0.5459 0.4959 0.4785 0.4584 0.4491
        GAS-E    0.5547 0.4794 0.4720 0.4502 0.4475
        FSMSVM   0.5492 0.4690 0.4640 0.4447 0.4441
        FSMRank  0.5394 0.5013 0.4824 0.4613 0.4498
        """,
    ),
    _scpr(
        "10",
        _SELECTION,
        "MQ2008",
        """
        FS-SCPR  0.3692 0.4375 0.4770 0.2318 0.4776
        GAS-E    0.3601 0.4345 0.4772 0.2290 0.4767
        FSMSVM   0.3652 0.4278 0.4701 0.2251 0.4744
        FSMRank  0.3686 0.4399 0.4791 0.2327 0.4771
        """,
    ),
    _scpr(
        "14",
        _RANKERS,
        "OHSUMED",
        """
        FS-SCPR         0.5459 0.4959 0.4785 0.4584 0.4491
        AdaRank-MAP     0.5388 0.4682 0.4613 0.4429 0.4487
        RankSVM-Primal  0.5460 0.4855 0.4689 0.4504 0.4446
        ListNet         0.5326 0.4732 0.4432 0.4410 0.4457
        RankBoost       0.4632 0.4555 0.4494 0.4302 0.4411
        """,
    ),
    _scpr(
        "15",
        _RANKERS,
        "MQ2008",
        """
        FS-SCPR         0.3692 0.4375 0.4770 0.2318 0.4776
        AdaRank-MAP     0.3754 0.4370 0.4794 0.2288 0.4764
        RankSVM-Primal  0.3725 0.4333 0.4765 0.2309 0.4744
        ListNet         0.3754 0.4324 0.4747 0.2303 0.4775
        RankBoost       0.3856 0.4288 0.4666 0.2255 0.4775
        """,
    ),
)

RATIOS = (
    PublishedRatios(
        "sparse",
        "IV",
        "OHSUMED",
        {"Fenchel": 0.23, "FSM": 0.41, "l1": 0.28, "MCP": 0.34, "log": 0.12, "l0.5": 0.22},
    ),
    PublishedRatios(
        "sparse",
        "IV",
        "MQ2008",
        {"Fenchel": 0.30, "FSM": 0.42, "l1": 0.39, "MCP": 0.27, "log": 0.09, "l0.5": 0.07},
    ),
)

BEST = (
    PublishedBest("sparse", "V", "OHSUMED", MAP, "MCP", 0.4513, {}),
    PublishedBest("sparse", "V", "MQ2008", MAP, "Fenchel", 0.4804, {}),
    PublishedBest("sparse", "VI", "OHSUMED", NDCG10, "log", 0.4591, {}),
    PublishedBest("sparse", "VI", "MQ2008", NDCG10, "FSM", 0.2323, {}),
)

# Over HP2004, NP2004, OHSUMED and MQ2008, five measures each.
RANKS = (
    PublishedRanks(
        "FS-SCPR",
        "11",
        {
            "FS-SCPR": (4, 14, 2, 0),
            "GAS-E": (2, 1, 10, 7),
            "FSMSVM": (0, 2, 8, 10),
            "FSMRank": (14, 3, 2, 1),
        },
        {"FS-SCPR": 15.5, "GAS-E": 9.5, "FSMSVM": 8.0, "FSMRank": 17.5},
    ),
    PublishedRanks(
        "FS-SCPR",
        "16",
        {
            "FS-SCPR": (11, 8, 0, 0, 1),
            "AdaRank-MAP": (5, 4, 3, 8, 0),
            "RankSVM-Primal": (2, 5, 5, 7, 1),
            "ListNet": (1, 4, 10, 4, 1),
            "RankBoost": (1, 1, 0, 1, 17),
        },
        {
            "FS-SCPR": 17.6,
            "AdaRank-MAP": 13.2,
            "RankSVM-Primal": 12.0,
            "ListNet": 12.0,
            "RankBoost": 5.6,
        },
    ),
)
# The two tables from which a unified rank over OHSUMED and MQ2008 follows.
RANKED_TABLES = {"11": ("9", "10"), "16": ("14", "15")}


def table(paper: str, number: str, data: str) -> PublishedTable:
    found = [t for t in TABLES if (t.paper, t.number, t.data) == (paper, number, data)]
    if not found:
        raise KeyError(f"no Table {number} of the {paper} paper on {data}")
    return found[0]

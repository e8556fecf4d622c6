"""A part of `ranksieve demo`: what dropping features costs other rankers."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ranksieve.data import RankingData

_RANKERS = ("RankSVM(C=0.001)", "ListNet", "RankBoost", "AdaRank(both_directions=True)")
# Rankers of packages that may not be there, with the package.
_EXTRAS = (("LightGBMRanker", "lightgbm"),)


def print_rankers(
    features: tuple[str, ...], train: RankingData, validation: RankingData, test: RankingData
) -> None:
    """Print each ranker's NDCG@10 with all features and with some of them."""
    from rich.table import Table

    from ranksieve.cli._output import console, number, print_table

    table = Table(box=None)
    table.add_column("ranker")
    for heading in ("all features", f"the {len(features)}", "change", "seconds"):
        table.add_column(heading, justify="right")
    there = [text for text, package in _EXTRAS if find_spec(package) is not None]
    for text in (*_RANKERS, *there):
        everything, _ = _trained(text, train, validation, test)
        reduced, seconds = _trained(
            text, *(part.features(features) for part in (train, validation, test))
        )
        table.add_row(
            text,
            number(everything),
            number(reduced),
            f"{round(reduced - everything, 4) + 0.0:+.4f}",
            f"{seconds:.2f}",
        )
    console().print(
        f"\nOther rankers, NDCG@10 on the {test.n_queries} held-out queries; those with rounds "
        f"stop by the {validation.n_queries} validation queries:"
    )
    print_table(table)
    absent = [package for _, package in _EXTRAS if find_spec(package) is None]
    for package in absent:
        console().print(f"  (LightGBM is not installed: pip install 'ranksieve[{package}]')")


def _trained(
    text: str, train: RankingData, validation: RankingData, test: RankingData
) -> tuple[float, float]:
    """Return NDCG@10 on test, and the seconds of the training."""
    from ranksieve import NDCG, catalog
    from ranksieve.rankers import StoppingRanker

    ranker: Any = catalog.parse(text, "rankers")
    options = {"validation": validation} if isinstance(ranker, StoppingRanker) else {}
    started = time.perf_counter()
    ranker.fit(train, **options)
    seconds = time.perf_counter() - started
    return NDCG(10)(test.y, ranker.predict(test), qid=test.qid), seconds

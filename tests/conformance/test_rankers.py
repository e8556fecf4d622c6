"""Every ranker in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import CatBoostRanker, LightGBMRanker, XGBoostRanker, catalog
from ranksieve.testing import RankerSuite


class TestRankers(RankerSuite):
    components = tuple(entry.load() for entry in catalog.entries("rankers"))
    quick = {  # noqa: RUF012
        ranker: {"n_estimators": 10} for ranker in (CatBoostRanker, LightGBMRanker, XGBoostRanker)
    }

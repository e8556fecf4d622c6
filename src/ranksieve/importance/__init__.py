"""Importances: how much each feature, taken alone, says about the grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.importance import _binned, _ranked
from ranksieve.importance._binned import cut_points as cut_points
from ranksieve.importance.base import Importance as Importance
from ranksieve.importance.measure import MeasureImportance as MeasureImportance
from ranksieve.measures import Measure, parse_measure

if TYPE_CHECKING:
    from ranksieve.importance.chi_square import ChiSquareImportance as ChiSquareImportance
    from ranksieve.importance.cross_entropy import CrossEntropyImportance as CrossEntropyImportance
    from ranksieve.importance.information_gain import (
        InformationGainImportance as InformationGainImportance,
    )
    from ranksieve.importance.mutual_information import (
        MutualInformationImportance as MutualInformationImportance,
    )
    from ranksieve.importance.ones import OnesImportance as OnesImportance
    from ranksieve.importance.pair_error import PairErrorImportance as PairErrorImportance
    from ranksieve.importance.pearson import PearsonImportance as PearsonImportance
    from ranksieve.importance.permutation import PermutationImportance as PermutationImportance
    from ranksieve.importance.shap import ShapImportance as ShapImportance
    from ranksieve.importance.single_ranker import SingleRankerImportance as SingleRankerImportance
    from ranksieve.importance.spearman import SpearmanImportance as SpearmanImportance


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})


def as_importance(spelled: str | Importance | Measure) -> Importance:
    """Return the importance that a text spells: a measure's text, or a name of the catalog.

    Examples
    --------
    >>> as_importance("ndcg@10")
    MeasureImportance(measure=NDCG(10))
    >>> as_importance("information-gain")
    InformationGainImportance(bins='mdl', n_bins=10)
    """
    if isinstance(spelled, Importance):
        return spelled
    if isinstance(spelled, Measure):
        return MeasureImportance(spelled)
    if catalog.knows("importance", str(spelled).split("(", 1)[0]):
        importance: Importance = catalog.parse(spelled, "importance")
        return importance
    try:
        return MeasureImportance(parse_measure(spelled))
    except ParameterError as error:
        names = [entry.short_name for entry in catalog.entries("importance")]
        choices = [name for name in names if name != "measure"]
        message, hint = str(error).rstrip("."), catalog.suggestion(str(spelled), choices)
        raise ParameterError(f"{message}. Or an importance: {', '.join(choices)}{hint}") from None


def scores_together(
    importances: Sequence[str | Importance | Measure], data: RankingData
) -> list[NDArray[np.float64]]:
    """Return the scores of several importances, sharing what they have in common.

    Those that rank documents by a feature share one pass over the data and one sort of each
    feature; those over bins share one gathering and sorting of each column.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> data, truth = make_ranking(20, n_relevant=1, n_redundant=0, n_irrelevant=3)
    >>> found = scores_together(["map", "pearson", "chi-square"], data)
    >>> [int(scores.argmax()) for scores in found] == 3 * truth.relevant.tolist()
    True
    """
    parsed = [as_importance(spelled) for spelled in importances]
    ranked = [part for part in parsed if isinstance(part, _ranked.RankedImportance)]
    binned = [part for part in parsed if isinstance(part, _binned.BinnedImportance)]
    totals = iter(_ranked.ranked_totals(ranked, data) if ranked else [])
    tables = iter(_binned.binned_scores(binned, data) if binned else [])
    return [
        importance._finish(next(totals))
        if isinstance(importance, _ranked.RankedImportance)
        else next(tables)
        if isinstance(importance, _binned.BinnedImportance)
        else importance.scores(data)
        for importance in parsed
    ]

"""Sieve: the smallest or cheapest set of features with which a ranker is not worse."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve import catalog
from ranksieve.data import RankingData, set_aside
from ranksieve.data.canonical import in_own_order
from ranksieve.data.check import check_count, check_seed
from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.rankers import Ranker
from ranksieve.selectors.base import Selection, Selector, constant_last
from ranksieve.sieve.certify import certify
from ranksieve.sieve.costs import Costs, as_costs
from ranksieve.sieve.decide.choice import choose
from ranksieve.sieve.decide.claim import (
    difference,
    fixed_sequence,
    is_supported,
    queries_needed,
)
from ranksieve.sieve.evidence import feature_evidence
from ranksieve.sieve.margin import Margin, as_margin
from ranksieve.sieve.result import Certificate, SetSummary, SieveResult
from ranksieve.sieve.search.crossfit import CrossFit
from ranksieve.sieve.search.elimination import Rung, eliminate, elimination_order
from ranksieve.sieve.search.resume import stored

# Below this many queries whose order counts, nothing can be learnt from folds of them.
_FEWEST_QUERIES = 20


class Sieve(Selector):
    """The smallest, or cheapest, set of features with which a ranker is not worse.

    Two answers, never mixed: the *choice*, the set to take, and the *claim*, what the data
    proves about it. Features go by what permuting them costs on held-out queries, on a ladder of
    sets from all down to one; folds of queries judge sets that they did not choose
    (`ranksieve.sieve.search`). The choice is the cheapest set within half the margin of the
    best one. It is *supported* if, from all features down to it, each set is shown to lose less
    than the margin by cross-fitted paired differences; *certified* if models that were trained
    before lose less than the margin on queries that nothing has seen, by a test that holds for
    any distribution.

    Parameters
    ----------
    ranker : str, Ranker or None
        What ranks with the features. None for LightGBMRanker where LightGBM is installed, and
        RankSVM where it is not. The search trains quick copies of it.
    measure : str or Measure
    margin : float or str
        The largest loss that counts as none: a share of the measure with all features, such as
        0.01 or "1 %", or an amount of the measure, such as "0.005 ndcg".
    level : float
        The chance that a claim may be wrong.
    costs : None, path, dict or array
        What features cost; see `ranksieve.sieve.costs.as_costs`. None for 1 each.
    budget : float or None
        What the set may cost at most. The choice is then the best set within it.
    certify : float, RankingData or None
        Queries that certify: a share of the queries, kept aside before anything else, or
        data with the same features. None for no certificate.
    cv : int, the number of folds
    random_state : int
    store : path or None
        A SQLite file that keeps every training as soon as it is finished. A fit that was ended,
        however it was, goes on from there; None keeps nothing.

    Attributes
    ----------
    result_ : SieveResult
        The ladder, the choice, the claim, and evidence for each feature.
    order_ : the features that stayed longest first; constant ones last
    scores_ : (n_features,) array
        What permuting a feature costs a query in the smallest set that had it, down to the
        chosen one.
    model_ : the ranker, fitted on the chosen features of all queries that do not certify
    n_features_ : int

    Notes
    -----
    The order of columns, rows and queries decides nothing. A set of fewer queries than about 100
    is another one with another seed.

    Cost: `cv` trainings of a quick model for each rung (about 60 for 46 features), predictions
    with each feature permuted, and one or two trainings of the ranker itself.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.sieve import Sieve
    >>> data, truth = make_ranking(80, n_relevant=3, n_redundant=0, n_irrelevant=5)
    >>> sieve = Sieve("RankSVM(C=0.01)", margin=0.02).fit(data)
    >>> set(truth.relevant) <= set(sieve.get_support(indices=True))
    True
    """

    def __init__(
        self,
        ranker: str | Ranker | None = None,
        measure: str | Measure = "ndcg@10",
        *,
        margin: float | str = 0.01,
        level: float = 0.05,
        costs: Any = None,
        budget: float | None = None,
        certify: Any = None,
        cv: int = 5,
        random_state: int = 0,
        store: str | os.PathLike[str] | None = None,
    ) -> None:
        self.ranker = ranker
        self.measure = measure
        self.margin = margin
        self.level = level
        self.costs = costs
        self.budget = budget
        self.certify = certify
        self.cv = cv
        self.random_state = random_state
        self.store = store

    def _fit(self, data: RankingData) -> None:
        self._check_parameters()
        costs = as_costs(self.costs, data.feature_names)
        training, certifying = self._split(data)
        search = _Search(
            training,
            self._ranker(),
            _untied(parse_measure(self.measure)),
            costs,
            n_folds=self.cv,
            random_state=self.random_state,
            store=self.store,
        )
        margin = as_margin(self.margin)
        choice = search.choose(margin, self.budget)
        selected = np.flatnonzero(search.rungs[choice].selected)
        self.model_ = clone(search.ranker).fit(training.features(selected))
        certificate = None
        if certifying is not None:
            certificate = search.certificate(
                choice, self.model_, certifying, margin=margin, level=self.level
            )
        order = constant_last(search.order(), ~search.start)
        self.order_ = order
        self.result_ = search.result(choice, order, certificate, margin=margin, level=self.level)
        self.n_features_ = len(selected)
        self.scores_ = np.empty(data.n_features)
        self.scores_[order] = [evidence.loss for evidence in self.result_.features]
        self.scores_[np.isnan(self.scores_)] = 0.0

    def _select(self, data: RankingData) -> Selection:
        copy = clone(self).fit(data)
        return Selection(copy.order_, copy.scores_)

    def _check_parameters(self) -> None:
        check_count("cv", self.cv, 2)
        check_seed(self.random_state)
        if not 0 < self.level < 0.5:
            raise ParameterError(f"level must be between 0 and 0.5, but is {self.level!r}")

    def _ranker(self) -> Ranker:
        spelled = self.ranker
        if spelled is None:
            spelled = "LightGBMRanker" if find_spec("lightgbm") is not None else "RankSVM"
        ranker = catalog.parse(spelled, "rankers") if isinstance(spelled, str) else spelled
        if isinstance(ranker, Ranker):
            copy: Ranker = clone(ranker)
            return copy
        raise ParameterError(
            "ranker must be a ranker such as LightGBMRanker(), its text form, or None, but is "
            f"{self.ranker!r}"
        )

    def _split(self, data: RankingData) -> tuple[RankingData, RankingData | None]:
        if self.certify is None:
            return data, None
        if isinstance(self.certify, RankingData):
            return data, self._check_same_features(self.certify)
        share = self.certify
        if not isinstance(share, float) or not 0 < share < 1:
            raise ParameterError(
                "certify must be a share of the queries between 0 and 1, RankingData, or None, "
                f"but is {share!r}"
            )
        return set_aside(data, share, random_state=self.random_state)


class _Search:
    """A ladder of sets for some data, and what is decided from it."""

    def __init__(
        self,
        data: RankingData,
        ranker: Ranker,
        measure: Measure,
        costs: Costs,
        *,
        n_folds: int,
        random_state: int,
        store: str | os.PathLike[str] | None,
    ) -> None:
        self._data, self._costs, self._measure = data, costs, measure
        self._random_state = random_state
        own, columns = in_own_order(data)
        measure.check_grades(own.y)
        self._counting = counting_queries(own, measure)
        self._check_data(own, n_folds)
        self.ranker = ranker.tuned(own)
        fold_of_query = _folds(own.n_queries, n_folds, random_state)
        varied = np.ptp(own.X, axis=0) > 0
        if not varied.any():
            raise DataError(f"all {data.n_features} features are constant: none can rank")
        trainings = CrossFit(own, fold_of_query, self.ranker.quick(), measure, random_state)
        with stored(trainings, store) as judge:
            rungs = eliminate(judge, fold_of_query, self._counting, varied, costs.columns(columns))
        positions = np.empty(len(columns), dtype=np.int64)
        positions[columns] = np.arange(len(columns))
        self._own_order = columns[elimination_order(rungs)]
        self.rungs = [_in_data_order(rung, positions) for rung in rungs]
        self.start = self.rungs[0].selected

    def _check_data(self, own: RankingData, n_folds: int) -> None:
        n_counting = int(self._counting.sum())
        if n_counting < max(_FEWEST_QUERIES, n_folds):
            raise DataError(
                f"{n_counting} of {own.n_queries} queries have documents whose order changes "
                f"{self._measure}, and a sieve needs at least {max(_FEWEST_QUERIES, n_folds)}. "
                "Give more queries with relevant and other documents; `ranksieve select` takes "
                "fewer."
            )

    def order(self) -> NDArray[np.int64]:
        """Return all features, those that stayed longest first, constant ones last."""
        constant = np.flatnonzero(~self.start)
        return np.concatenate([self._own_order, constant]).astype(np.int64)

    def choose(self, margin: Margin, budget: float | None) -> int:
        """Return the position of the set to take."""
        means = [self._mean(rung) for rung in self.rungs]
        prices = [rung.price for rung in self.rungs]
        if budget is None:
            return choose(means, prices, amount=margin.amount(means[0]))
        within = [position for position, price in enumerate(prices) if price <= budget]
        if not within:
            raise ParameterError(
                f"budget={budget:g} is below the cheapest set of the ladder, which costs "
                f"{min(prices):g}"
            )
        return max(within, key=lambda position: (means[position], -prices[position]))

    def certificate(
        self, choice: int, model: Any, queries: RankingData, *, margin: Margin, level: float
    ) -> Certificate:
        """Return what unseen queries prove about the choice; also trains the reference."""
        reference = clone(self.ranker).fit(self._data)
        values, beside = self._values(self.rungs[choice]), self._values(self.rungs[0])
        return certify(
            model,
            reference,
            queries,
            self._measure,
            margin=margin,
            level=level,
            deviation=float(margin.excess(values, beside).std(ddof=1)),
            random_state=self._random_state,
        )

    def result(
        self,
        choice: int,
        order: NDArray[np.int64],
        certificate: Certificate | None,
        *,
        margin: Margin,
        level: float,
    ) -> SieveResult:
        """Return everything that is known."""
        everything = self._values(self.rungs[0])
        passes = [
            is_supported(self._values(rung), everything, margin=margin, level=level)
            for rung in self.rungs[1:]
        ]
        n_supported = 1 + fixed_sequence(passes)
        names = np.array(self._data.feature_names, dtype=object)
        ladder = tuple(
            SetSummary(
                features=tuple(names[rung.selected]),
                price=rung.price,
                mean=self._mean(rung),
                change=difference(self._values(rung), everything, level=level),
                supported=position < n_supported,
            )
            for position, rung in enumerate(self.rungs)
        )
        claim = "supported" if ladder[choice].supported else "none"
        if certificate is not None and certificate.proven:
            claim = "certified"
        deviation = max(step.change.deviation for step in ladder[: choice + 1])
        amount = margin.amount(ladder[0].mean)
        return SieveResult(
            ladder=ladder,
            choice=choice,
            claim=claim,  # type: ignore[arg-type]
            certificate=certificate,
            features=feature_evidence(
                self._data,
                self.rungs,
                choice,
                order,
                self._costs,
                self._counting,
                level=level,
            ),
            measure=str(self._measure.with_ties("input")),
            ranker=repr(self.ranker),
            margin=margin,
            level=level,
            queries_needed=queries_needed(deviation, amount, level=level),
            priced=self._costs.priced,
        )

    def _values(self, rung: Rung) -> NDArray[np.float64]:
        return rung.values[self._counting]

    def _mean(self, rung: Rung) -> float:
        return float(self._values(rung).mean())


def _folds(n_queries: int, n_folds: int, random_state: int) -> NDArray[np.int64]:
    """Return the fold of each query, dealt out at random: queries are in an order of their own."""
    order = np.random.default_rng(random_state).permutation(n_queries)
    fold_of_query = np.empty(n_queries, dtype=np.int64)
    for fold, part in enumerate(np.array_split(order, n_folds)):
        fold_of_query[part] = fold
    return fold_of_query


def _in_data_order(rung: Rung, positions: NDArray[np.int64]) -> Rung:
    return Rung(
        rung.selected[positions],
        rung.fold_selected[:, positions],
        rung.price,
        rung.values,
        rung.losses[:, positions],
    )


def _untied(measure: Measure) -> Measure:
    """Return the measure with ties averaged: few features mean many of them."""
    return measure.with_ties("average") if measure.ties == "input" else measure

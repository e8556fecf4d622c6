"""Sieve: the smallest or cheapest set of features with which a ranker is not worse."""

from __future__ import annotations

import hashlib
import os
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve import catalog
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData, set_aside
from ranksieve.data.canonical import in_own_order
from ranksieve.data.check import check_count, check_seed
from ranksieve.data.sampling import enough_queries
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.rankers import Ranker
from ranksieve.selectors.base import Selection, Selector
from ranksieve.sieve.answer import Answer, choice_of
from ranksieve.sieve.certify import Frozen, certify, check_certifying, check_unseen, test_order
from ranksieve.sieve.costs import Costs, as_costs, check_budget
from ranksieve.sieve.evidence.retraining import without_each
from ranksieve.sieve.final import Final
from ranksieve.sieve.margin import as_margin
from ranksieve.sieve.openings import check_unopened, open_once
from ranksieve.sieve.result import Certificate, Making
from ranksieve.sieve.search.resume import kept
from ranksieve.sieve.search.sample import needs_sample
from ranksieve.sieve.search.search import Question, Search, last_rungs_on_everything, search

# Below this many queries whose order counts, nothing can be learnt from folds of them.
_FEWEST_QUERIES = 20
# Few queries are dealt into folds more than once: sets differ less from seed to seed, at two or
# three times the cost.
_VERY_FEW_QUERIES = 150


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
        They are opened once: another question to the same queries, such as another margin, is
        refused.
    cv : int, the number of folds
    repeats : int or None
        How often the queries are dealt into folds; every set is judged as often, and what a query
        says of it is the mean. None for 3 with fewer than 150 queries that count, 2 up to
        2,000, and 1 for more.
    random_state : int
    validation : RankingData or None
        Queries on which the final ranker chooses its number of rounds; the search uses them like
        the others. None for rounds that are fixed by the folds, where the ranker would choose.
    search_queries : int or None
        Queries that the search uses, of more than 2,000: None for as many as the margin needs,
        from 1,000 to 2,000.
        The last rungs are judged on all.
    reopen : bool
        Whether queries that certified before may be looked at again; that is marked, and
        certifies nothing.
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

    Cost: `cv * repeats` trainings of a quick model for each rung (about 140 for 46 features), `cv`
    for each feature that is kept, FSMRank on each fold, predictions with each feature permuted,
    and a training of the ranker itself; to certify, one more for each set that is tested, four
    at most, and one with all features.

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
        repeats: int | None = None,
        random_state: int = 0,
        validation: RankingData | None = None,
        search_queries: int | None = None,
        reopen: bool = False,
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
        self.repeats = repeats
        self.random_state = random_state
        self.validation = validation
        self.search_queries = search_queries
        self.reopen = reopen
        self.store = store

    def _fit(self, data: RankingData) -> None:
        started = time.perf_counter()
        self.check_parameters()
        costs = as_costs(self.costs, data.feature_names)
        training, certifying = self._split(data)
        training = self._in_memory(training)
        ranker = self._ranker()
        joined = training
        if self.validation is not None:
            joined = training.joined(self._check_same_features(self.validation))
        own, columns = in_own_order(joined)
        question = self._question(own, ranker, costs.columns(columns))
        self._check_answerable(question, certifying)
        with kept(self.store) as keeper:
            found = search(question, keeper)
            found = last_rungs_on_everything(
                found, lambda search: choice_of(search, self.budget), keeper
            )
            choice = choice_of(found, self.budget)
            without = {} if found.interrupted else without_each(found, choice)
        final = Final(question, columns, ranker, training, self.validation, found.folds)
        self.model_ = final.fitted(found.rungs[choice].selected)
        certificate = None
        if certifying is not None and not found.interrupted:
            certificate = self._certificate(found, choice, final, certifying)
        answer = Answer(
            found,
            choice,
            columns,
            without,
            certificate,
            ranker=repr(ranker),
            making=self._making(joined, found, started),
        )
        self.result_ = answer.result()
        self.order_ = columns[answer.order()]
        self.n_features_ = found.rungs[choice].n_features
        self.scores_ = np.empty(data.n_features)
        losses = np.array([evidence.loss for evidence in self.result_.features])
        self.scores_[self.order_] = np.nan_to_num(losses, nan=0.0)

    def _select(self, data: RankingData) -> Selection:
        copy = clone(self).fit(data)
        return Selection(copy.order_, copy.scores_)

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: the head of the elimination's order."""
        copy = clone(self).fit(data)
        return FeatureSets(len(copy.order_), lambda number: copy.order_[:number])

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_count("cv", self.cv, 2)
        if self.repeats is not None:
            check_count("repeats", self.repeats, 1)
        check_seed(self.random_state)
        as_margin(self.margin)
        if not isinstance(self.level, float) or not 0 < self.level < 0.5:
            raise ParameterError(f"level must be between 0 and 0.5, but is {self.level!r}")
        if self.search_queries is not None:
            check_count("search_queries", self.search_queries, _FEWEST_QUERIES)
        if self.budget is not None and not self.budget > 0:
            raise ParameterError(f"budget must be above 0, but is {self.budget!r}")

    def _n_repeats(self, counting: NDArray[np.bool_]) -> int:
        return usual_repeats(counting) if self.repeats is None else self.repeats

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

    def _in_memory(self, data: RankingData) -> RankingData:
        """Return the data; of data on disk as many queries as fit easily into memory."""
        columns = data.columns
        if columns is None:
            return data
        n_documents = columns.easily // (data.n_features * data.dtype.itemsize)
        part = enough_queries(data, n_documents, [self.random_state, 6])
        warn_caller(
            f"the data is larger than memory: the sieve works on {part.n_queries:,} of its "
            f"{data.n_queries:,} queries, drawn at random, and so does its model. Train on all of "
            "them with the features that are kept, or allow more memory.",
            UserWarning,
        )
        return part

    def _question(self, own: RankingData, ranker: Ranker, costs: Costs) -> Question:
        measure = _untied(parse_measure(self.measure))
        measure.check_grades(own.y)
        counting = counting_queries(own, measure)
        n_counting, needed = int(counting.sum()), max(_FEWEST_QUERIES, self.cv)
        if n_counting < needed:
            raise DataError(
                f"{n_counting} of {own.n_queries} queries have documents whose order changes "
                f"{measure}, and a sieve needs at least {needed}. Give more queries with relevant "
                "and other documents; `ranksieve select` takes fewer."
            )
        return Question(
            own,
            counting,
            ranker.tuned(own).quick(own.n_documents),
            measure,
            as_margin(self.margin),
            self.level,
            costs,
            self.cv,
            self._n_repeats(counting),
            self.random_state,
            self.search_queries,
        )

    def _check_answerable(self, question: Question, certifying: RankingData | None) -> None:
        """Raise before the search what would be raised after it."""
        if self.budget is not None:
            check_budget(self.budget, question.costs)
        if certifying is not None:
            counting = check_certifying(certifying, question.measure)
            check_unseen(question.data, certifying, counting)
            if not self.reopen:
                check_unopened(certifying.query_fingerprints[counting], self._asked(question))

    def _certificate(
        self, found: Search, choice: int, final: Final, certifying: RankingData
    ) -> Certificate:
        question = found.question
        counting = check_certifying(certifying, question.measure)
        frozen = [
            Frozen(
                position,
                found.rungs[position].n_features,
                self.model_ if position == choice else final.fitted(found.rungs[position].selected),
                found.excess_deviation(position),
            )
            for position in test_order(found.decisive, choice)
        ]
        reference = final.fitted(found.rungs[0].selected)
        reopened = open_once(
            certifying.query_fingerprints[counting], self._asked(question), reopen=self.reopen
        )
        tests = certify(
            frozen,
            reference,
            certifying,
            question.measure,
            margin=question.margin,
            level=question.level,
            random_state=question.random_state,
        )
        return Certificate(tests, certifying.fingerprint, reopened)

    def _asked(self, question: Question) -> str:
        """Return a text that is equal where the same question is asked of the same data."""
        asked = clone(self).set_params(store=None, certify=None, reopen=False, validation=None)
        validation = None if self.validation is None else self.validation.fingerprint
        parts = (repr(asked), question.data.fingerprint, validation)
        return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()

    def _making(self, data: RankingData, found: Search, started: float) -> Making:
        question = found.question
        return Making(
            n_documents=data.n_documents,
            n_queries=data.n_queries,
            n_counting=int(question.counting.sum()),
            n_searched=int(found.counting.sum()),
            n_folds=self.cv,
            n_repeats=question.n_repeats,
            random_state=self.random_state,
            n_trainings=found.judge.n_trainings,
            seconds=time.perf_counter() - started,
            version=import_module("ranksieve").__version__,
            fingerprint=data.fingerprint,
            interrupted=found.interrupted,
        )


def usual_repeats(counting: NDArray[np.bool_]) -> int:
    """Return how often queries are dealt into folds, by how many of them count.

    Examples
    --------
    >>> [usual_repeats(np.ones(n, dtype=bool)) for n in (100, 150, 2_000, 2_001)]
    [3, 2, 2, 1]
    """
    if needs_sample(counting):
        return 1
    return 3 if int(counting.sum()) < _VERY_FEW_QUERIES else 2


def _untied(measure: Measure) -> Measure:
    """Return the measure with ties averaged: few features mean many of them."""
    return measure.with_ties("average") if measure.ties == "input" else measure

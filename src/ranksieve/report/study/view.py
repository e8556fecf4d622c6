"""A study as a report looks at it: which measures, which reference, which test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ranksieve.catalog import suggestion
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment import DataFacts, Outcome, Results
from ranksieve.report.shared.words import listed
from ranksieve.report.study.differences import Smallest, number_standings, smallest_set
from ranksieve.report.study.names import ALL_FEATURES, distinct, method_label
from ranksieve.report.study.significance import QueryTest
from ranksieve.report.study.standings import (
    FEW_RESAMPLES,
    Standing,
    best_reference,
    intervals,
    standings_of,
    with_means,
)

# Up to this many methods all have a colour at first; among more, the best ones.
MOST_COLOURED = 8
_BEST = 5
# A loss of a hundredth of a measure is hardly seen by who searches.
MARGIN = 0.01


@dataclass(frozen=True, eq=False)
class StudyView:
    """Results with the options of a report, and the comparisons that follow from both.

    Attributes
    ----------
    results : Results
    measures : those that are reported; the first one orders methods
    reference : name of a method, of a method with its ranker, or None for all features
    test : QueryTest, of a method against its reference
    title : str
    margin : float, the largest loss against the reference that is taken for none
    """

    results: Results
    measures: tuple[str, ...]
    reference: str | None
    test: QueryTest
    title: str
    margin: float = MARGIN

    @classmethod
    def of(
        cls,
        results: Results,
        *,
        reference: str | None = None,
        measures: Sequence[str] | None = None,
        test: str = "t",
        alternative: str = "two-sided",
        title: str | None = None,
        margin: float = MARGIN,
    ) -> StudyView:
        """Check the options against the results, and return both together."""
        if not results.chosen and not results.curves:
            raise DataError(
                f"there is nothing to report yet: {results.n_trials:,} trials are there, "
                f"{len(results.failures):,} of them failed, and no method has all folds of a data "
                "set. Let `ranksieve compare` finish."
            )
        query_test = QueryTest(test, alternative)
        query_test.check()
        chosen = distinct(measures or results.measures)
        for measure in chosen:
            _check_name("measure", measure, results.measures)
        if reference is not None:
            _check_name("reference", reference, _reference_names(results))
        if not margin > 0:
            raise ParameterError(f"margin must be above 0, but is {margin!r}: 0.01 is usual.")
        heading = title or results.title or _title(results)
        return cls(results, chosen, reference, query_test, heading, margin)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """What validation chose, by data set, measure, and mean from the best on."""
        return tuple(
            standing
            for facts in self.results.data
            if self.outcomes(facts)
            for standing in standings_of(
                self.outcomes(facts), facts, self.measures, reference=self.reference, test=self.test
            )
        )

    @cached_property
    def curve_points(self) -> tuple[tuple[Outcome, str, tuple[float, float, float]], ...]:
        """Every outcome of a curve with a measure, and its mean with both ends of its interval."""
        points = []
        for facts in self.results.data:
            pairs = [
                (outcome, measure) for measure in self.measures for outcome in self.curves(facts)
            ]
            ends = intervals(pairs, n_resamples=FEW_RESAMPLES)
            points += [(*pair, end) for pair, end in zip(pairs, ends, strict=True)]
        return tuple(points)

    @cached_property
    def numbers(self) -> tuple[Standing, ...]:
        """Every outcome of a curve beside its reference, by data set and measure."""
        compared: list[Standing] = []
        order = {id(outcome): index for index, outcome in enumerate(self.results.chosen)}
        for name in (facts.name for facts in self.results.data):
            for measure in self.measures:
                points = [
                    Standing(outcome, measure, *ends, float(outcome.n_features.mean()))
                    for outcome, of, ends in self.curve_points
                    if outcome.data == name and of == measure
                ]
                if points:
                    # In the order of the results, which says what the first ranker is.
                    chosen = sorted(
                        self.standings_for(name, measure),
                        key=lambda standing: order[id(standing.outcome)],
                    )
                    compared += number_standings(
                        points, chosen or points, self.reference, self.test
                    )
        return tuple(compared)

    @cached_property
    def smallest(self) -> dict[tuple[str, str], Smallest]:
        """The fewest features that lose little, by data set and measure."""
        answers = {}
        for facts in self.results.data:
            for measure in self.measures:
                chosen = with_means(self.standings_for(facts.name, measure))
                points = with_means(self.numbers_for(facts.name, measure)) or chosen
                if points:
                    reference = best_reference(chosen or points, self.reference)
                    answers[facts.name, measure] = smallest_set(points, reference, self.margin)
        return answers

    @cached_property
    def beside_reference(self) -> dict[tuple[int, str], Standing]:
        """Results beside the reference of the fewest features, by identity of the outcome."""
        return {
            (id(standing.outcome), measure): standing
            for (_, measure), answer in self.smallest.items()
            for standing in answer.points
        }

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Labels of all methods, in the order of the results."""
        outcomes = (*self.results.chosen, *self.results.curves)
        return distinct(method_label(outcome) for outcome in outcomes)

    @cached_property
    def coloured(self) -> tuple[str, ...]:
        """Methods that have a colour at first: all, or all features and the best of many.

        Among the best are those of the fewest features that lose little.
        """
        if len(self.methods) <= MOST_COLOURED:
            return self.methods
        first = [standing for standing in self.standings if standing.measure == self.measures[0]]
        ranks: dict[str, list[int]] = {method: [] for method in self.methods}
        for facts in self.results.data:
            on_data = [standing for standing in first if standing.outcome.data == facts.name]
            best = distinct(method_label(standing.outcome) for standing in on_data)
            for method in self.methods:
                ranks[method].append(best.index(method) if method in best else len(best))
        by_rank = sorted(self.methods, key=lambda method: sum(ranks[method]))
        leaders = [method for method in by_rank if method != ALL_FEATURES][:_BEST]
        first_names = (ALL_FEATURES,) if ALL_FEATURES in self.methods else ()
        return distinct((*first_names, *self._fewest_methods, *leaders))

    @property
    def _fewest_methods(self) -> tuple[str, ...]:
        """Methods of the fewest features that lose little, by the first measure."""
        answers = (self.smallest.get((facts.name, self.measures[0])) for facts in self.results.data)
        return distinct(
            method_label(answer.fewest.outcome) for answer in answers if answer and answer.fewest
        )

    def standings_for(self, data: str, measure: str) -> list[Standing]:
        """Return what validation chose on a data set, from the best mean by a measure on."""
        return [
            standing
            for standing in self.standings
            if (standing.outcome.data, standing.measure) == (data, measure)
        ]

    def numbers_for(self, data: str, measure: str) -> list[Standing]:
        """Return the outcomes of a data set's curves beside their references."""
        return [
            standing
            for standing in self.numbers
            if (standing.outcome.data, standing.measure) == (data, measure)
        ]

    def has_validation(self, facts: DataFacts) -> bool:
        """Whether some fold of a data set has validation queries, which choose."""
        return any(validation for _, validation, _ in facts.n_queries)

    def outcomes(self, facts: DataFacts) -> list[Outcome]:
        """Return what validation chose on a data set."""
        return [outcome for outcome in self.results.chosen if outcome.data == facts.name]

    def curves(self, facts: DataFacts) -> list[Outcome]:
        """Return the outcomes of a data set for each number of features."""
        return [outcome for outcome in self.results.curves if outcome.data == facts.name]


def _title(results: Results) -> str:
    return f"Methods compared on {listed([facts.name for facts in results.data], 4)}"


def _reference_names(results: Results) -> tuple[str, ...]:
    names = (name for outcome in results.chosen for name in (outcome.method, outcome.name))
    return distinct(names)


def _check_name(kind: str, name: str, names: tuple[str, ...]) -> None:
    if name not in names:
        raise ParameterError(
            f"the study has no {kind} {name!r}{suggestion(name, names)} It has: {', '.join(names)}."
        )

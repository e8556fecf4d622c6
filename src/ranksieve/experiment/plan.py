"""The plan of a study: the jobs that it needs on the folds of its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from typing import Any

from ranksieve import catalog
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.experiment.folds import FoldFacts, fold_facts
from ranksieve.experiment.grids import Grid
from ranksieve.experiment.study import ALL, ALL_FEATURES, RANKER_FIRST, Study
from ranksieve.experiment.trials import EMBEDDED, PLAIN, SELECTED, Job
from ranksieve.measures import parse_measure
from ranksieve.rankers import LinearRanker, RankSVM
from ranksieve.selectors import Selector
from ranksieve.selectors.embedded.fsmrank import FSMRank
from ranksieve.selectors.embedded.fsmsvm import FSMSVM

# Trials of a study beyond which it must be asked for expressly.
MOST_TRIALS = 200_000


@dataclass(frozen=True, eq=False)
class Plan:
    """The jobs of a study, in order, and the facts of its folds.

    Attributes
    ----------
    version : of ranksieve, with which trials are made, or were
    jobs : those that can be done now
    later : with tune="ranker-first", those of folds whose rankers have no setting yet
        They show how many trials there will be: the settings of their rankers are made up.
    """

    study: Study
    folds: tuple[FoldFacts, ...]
    version: str
    jobs: tuple[Job, ...]
    later: tuple[Job, ...] = ()

    @cached_property
    def n_trials(self) -> int:
        """How many different trials there are."""
        every = (*self.jobs, *self.later)
        if self.may_share_trials:
            return len({trial.key for job in every for trial in job.trials})
        return sum(job.n_trials for job in every)

    @property
    def may_share_trials(self) -> bool:
        """Whether jobs may have trials in common: through equal settings, or equal folds."""
        folds = [fold.fingerprint for fold in self.folds]
        grids = (self.study.selector_grids, self.study.ranker_grids)
        settings = [[text for grid in family for text in grid.settings] for family in grids]
        return any(len(set(names)) < len(names) for names in (folds, *settings))

    @property
    def is_exact(self) -> bool:
        """Whether `n_trials` is exact: of rankers with a setting in common both may choose it."""
        settings = [text for grid in self.study.ranker_grids for text in grid.settings]
        return not self.later or len(settings) == len(set(settings))


def make_plan(
    study: Study,
    progress: Callable[[str, float, float], None] | None = None,
    *,
    many: bool = False,
) -> Plan:
    """Return the plan of a study; its data is read once, for fingerprints and facts.

    Parameters
    ----------
    study : Study
    progress : called with a label, and how much of how much is done
    many : bool, whether the study may have more than 200,000 trials
    """
    for ranker in study.ranker_grids:
        catalog.parse(ranker.settings[0], "rankers").check_installed()
    folds = tuple(fold_facts(study.sources, progress))
    _check_choosable(study, folds)
    _warn_of_order(study, folds)
    plan = plan_of(study, folds)
    if not many:
        _check_number(plan)
    return plan


def plan_of(
    study: Study,
    folds: tuple[FoldFacts, ...],
    fixed: Mapping[str, Mapping[str, str]] | None = None,
    *,
    version: str | None = None,
) -> Plan:
    """Return the plan of a study on folds whose facts are known.

    Parameters
    ----------
    fixed : with tune="ranker-first", a fold's fingerprint to its rankers' labels and settings
    version : of the ranksieve that made the trials; None for the one that runs
    """
    version = version or import_module("ranksieve").__version__
    if study.tune != RANKER_FIRST:
        every = tuple(job for fold in folds for job in _jobs(study, fold, version))
        return Plan(study, folds, version, every)
    jobs: list[Job] = []
    later: list[Job] = []
    for fold in folds:
        first = [job for job in _jobs(study, fold, version) if job.kind == PLAIN]
        chosen = (fixed or {}).get(fold.fingerprint, _only_settings(study))
        rankers = _with_settings(study, _middle_settings(study) if chosen is None else chosen)
        second = [job for job in _jobs(study, fold, version, rankers) if job.kind != PLAIN]
        jobs += first
        (later if chosen is None else jobs).extend(second)
    return Plan(study, folds, version, tuple(jobs), tuple(later))


def _only_settings(study: Study) -> dict[str, str] | None:
    """Return the rankers' settings where each has one, so that there is nothing to choose."""
    several = any(len(grid.settings) > 1 for grid in study.ranker_grids)
    return None if several else _middle_settings(study)


def _middle_settings(study: Study) -> dict[str, str]:
    return {grid.label: grid.settings[len(grid.settings) // 2] for grid in study.ranker_grids}


def _with_settings(study: Study, settings: Mapping[str, str]) -> tuple[Grid, ...]:
    """Return the rankers that have a setting, with that one alone."""
    return tuple(
        replace(grid, settings=(settings[grid.label],))
        for grid in study.ranker_grids
        if grid.label in settings
    )


def _jobs(
    study: Study, fold: FoldFacts, version: str, rankers: tuple[Grid, ...] | None = None
) -> Iterator[Job]:
    """Yield the jobs of a fold, with the study's rankers or those that are given."""
    # Whoever asks for more features than there are has all of them.
    numbers = tuple(dict.fromkeys(n if n < fold.n_features else ALL for n in study.counts))
    blank = Job(
        data=fold.data,
        source=fold.source,
        position=fold.place,
        fold=fold.name,
        fingerprint=fold.fingerprint,
        kind=PLAIN,
        method=Grid(ALL_FEATURES, "", ("",)),
        rankers=tuple(study.ranker_grids) if rankers is None else rankers,
        numbers=(ALL,),
        variants=(),
        measures=tuple(study.measures),
        seed=study.seed,
        version=version,
    )
    if blank.rankers:
        yield blank
    for method in study.selector_grids:
        yield from _selector_jobs(method, replace(blank, numbers=numbers), tuple(study.variants))


def _selector_jobs(method: Grid, blank: Job, variants: tuple[str, ...]) -> Iterator[Job]:
    component = catalog.parse(method.settings[0], "selectors")
    if isinstance(component, FSMSVM):
        models, rankers = _two_stages(method)
        both = replace(blank, kind=EMBEDDED, variants=("refit",))
        yield replace(both, method=models, rankers=rankers)
    elif is_embedded(component):
        possible = variants if blank.rankers else tuple(v for v in variants if v != "refit")
        yield replace(blank, kind=EMBEDDED, method=method, variants=possible)
    elif blank.rankers:
        for setting in method.settings:
            yield replace(blank, kind=SELECTED, method=replace(method, settings=(setting,)))


def is_embedded(selector: Selector) -> bool:
    """Return whether a selector is a linear model whose weights select, by their strength."""
    return isinstance(selector, LinearRanker) and selector.strength_parameter is not None


@cache
def _two_stages(method: Grid) -> tuple[Grid, tuple[Grid, ...]]:
    """Return FSMSVM as the models of FSMRank, and the RankSVM that follows."""
    settings = [catalog.parse(text, "selectors") for text in method.settings]
    first = dict.fromkeys(repr(_shared_with(each, FSMRank())) for each in settings)
    second = dict.fromkeys(repr(_shared_with(each, RankSVM()).canonical()) for each in settings)
    return replace(method, settings=tuple(first)), (Grid("RankSVM", "RankSVM", tuple(second)),)


def _shared_with(selector: FSMSVM, stage: Any) -> Any:
    """Return a stage with the parameters that it has in common with the selector."""
    parameters = selector.get_params(deep=False)
    names = [name for name in stage.get_params(deep=False) if name in parameters]
    return stage.set_params(**{name: parameters[name] for name in names})


def _warn_of_order(study: Study, folds: tuple[FoldFacts, ...]) -> None:
    """Warn where ties would be settled by files whose documents stand in the order of grades."""
    sorted_folds = [fold for fold in folds if fold.in_order]
    by_file = [text for text in study.measures if parse_measure(text).ties == "input"]
    if sorted_folds and by_file:
        warn_caller(
            f"{sorted_folds[0].data}, {sorted_folds[0].name}: documents stand in the order of "
            f"their grades, and {by_file[0]} leaves ties in the order of the file, so models that "
            "tie documents look better than they are. Shuffle the documents of each query, or take "
            "a measure such as 'NDCG(10, ties=\"average\")'.",
            UserWarning,
        )


def _check_number(plan: Plan) -> None:
    """Raise for more trials than anybody is likely to want."""
    n_trials = sum(job.n_trials for job in (*plan.jobs, *plan.later))
    if n_trials <= MOST_TRIALS:
        return
    study = plan.study
    grids = sorted(
        [*study.selector_grids, *study.ranker_grids], key=lambda grid: -len(grid.settings)
    )
    largest = ", ".join(f"{grid.label} has {len(grid.settings):,} settings" for grid in grids[:3])
    first = "" if study.tune == RANKER_FIRST else 'choose rankers first (tune="ranker-first"), '
    raise ParameterError(
        f"the study has {n_trials:,} trials in {len(plan.folds):,} folds, with "
        f"{len(study.counts)} numbers of features; {largest}. More than {MOST_TRIALS:,} are "
        f"done only if asked for: give shorter lists, fewer numbers of features, {first}or say "
        "that you want them all: --many on the command line, many=True in Python."
    )


def _check_choosable(study: Study, folds: tuple[FoldFacts, ...]) -> None:
    """Raise where there are settings to choose from and nothing to choose on."""
    blind = [fold for fold in folds if fold.n_queries[1] == 0]
    grids = [*study.selector_grids, *study.ranker_grids]
    several = [grid for grid in grids if len(grid.settings) > 1]
    if blind and several:
        raise DataError(
            f"{blind[0].data} has no validation part, so nothing can choose among the "
            f"{len(several[0].settings)} settings of {several[0].label}. Choose on a share of the "
            "train part's queries, validation_share=0.2; give data with a validation part; or give "
            "one setting of it."
        )

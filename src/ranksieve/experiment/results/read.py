"""From the rows of a store to the results of a study."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ranksieve.errors import DataError
from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.results.choose import Lines
from ranksieve.experiment.results.outcomes import DataFacts, Results
from ranksieve.experiment.results.shared import random_orders, shared_numbers, traces
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import RANKER_FIRST, Study
from ranksieve.sources import FileSource


def read_results(path: str | os.PathLike[str], *, study: int | Study = -1) -> Results:
    """Return the results of a study in a store, from what is finished.

    Parameters
    ----------
    path : of the store
    study : itself, or its position among those of the store, by when they were last asked for;
        -1 for the latest
    """
    with Store(path, only_read=True) as store:
        try:
            studies = store.studies()
        except json.JSONDecodeError as error:
            raise DataError(
                f"{path} was damaged: the text of a study cannot be read ({error}). Restore it "
                "from a copy, or run the study into a new store."
            ) from None
        position = study if isinstance(study, int) else _position(study, studies)
        if not -len(studies) <= position < len(studies):
            raise DataError(
                f"the study that was asked for is not among the {len(studies)} of {path}. Run "
                "`ranksieve compare` into it first, or ask for another."
            )
        return _results(store, studies[position])


def _position(study: Study, studies: list[dict[str, Any]]) -> int:
    """Return where a study is among those of a store; their number where it is not."""
    specs = [recorded["spec"] for recorded in studies]
    return specs.index(study.to_json()) if study.to_json() in specs else len(specs)


def studies_in(path: str | os.PathLike[str]) -> list[str]:
    """Return each study of a store in a few words: its title, or its selectors and rankers."""
    with Store(path, only_read=True) as store:
        studies = [Study.from_json(recorded["spec"]) for recorded in store.studies()]
    return [study.title or _in_words(study) for study in studies]


def _in_words(study: Study) -> str:
    data = ", ".join(source.name for source in study.sources)
    selectors = ", ".join(grid.label for grid in study.selector_grids) or "no selectors"
    rankers = ", ".join(grid.label for grid in study.ranker_grids)
    return f"{data}: {selectors}" + (f"; {rankers}" if rankers else "")


def _results(store: Store, recorded: dict[str, Any]) -> Results:
    study, folds = Study.from_json(recorded["spec"]), recorded["folds"]
    # Trials are those of the version that made them, whichever one reads them.
    lines = Lines(store, study, folds, recorded["versions"].get("ranksieve"))
    chosen, curves = lines.outcomes()
    return Results(
        title=study.title,
        command=recorded["command"],
        versions=recorded["versions"],
        conventions=conventions(study, folds, lines.folds),
        measures=tuple(study.measures),
        data=tuple(_data_facts(lines.folds)),
        chosen=tuple(chosen),
        curves=tuple(curves),
        importance=shared_numbers(store, study, lines.folds, "importance"),
        random_orders=random_orders(store, study, lines.folds),
        similarity={
            data: {text: stack.mean(axis=0) for text, stack in stacks.items()}
            for data, stacks in shared_numbers(store, study, lines.folds, "similarity").items()
        },
        traces=tuple(traces(store, study, lines.folds)),
        failures=tuple(lines.failures),
        n_trials=lines.n_trials,
    )


def _data_facts(folds: list[FoldFacts]) -> Iterator[DataFacts]:
    for name in dict.fromkeys(fold.data for fold in folds):
        of_data = [fold for fold in folds if fold.data == name]
        yield DataFacts(
            name=name,
            folds=tuple(fold.name for fold in of_data),
            fingerprints=tuple(fold.fingerprint for fold in of_data),
            feature_names=of_data[0].feature_names,
            used=np.any([np.array(fold.used, dtype=bool) for fold in of_data], axis=0),
            n_documents=tuple(fold.n_documents for fold in of_data),
            n_queries=tuple(fold.n_queries for fold in of_data),
        )


_REPEATED = (
    "Queries are tested in several folds. Tests and intervals take each query once, with its mean "
    "over these folds."
)
_RANKER_FIRST = (
    "Each ranker was tuned first: its setting was chosen with all features, fold by fold, and was "
    "fixed while the selector's setting and the number of features were chosen. The settings of "
    "sparse models were chosen by their own weights."
)


def conventions(
    study: Study, folds: Sequence[FoldFacts], finished: Sequence[FoldFacts]
) -> tuple[str, ...]:
    """Return the protocol in sentences; `finished` are the folds that lines are made of."""
    validated = all(fold.n_queries[1] for fold in folds)
    tuned_first = validated and study.tune == RANKER_FIRST
    chose = (
        f"Settings, and the number of features where none is given, were chosen on the validation "
        f"part of each fold by the mean of {study.measures[0]}; among equals fewer features."
        if validated
        else "There is no validation part: every method has one setting."
    )
    unfinished = (
        f"The run is not finished: {len(finished)} of {len(folds)} folds are, and shown here."
    )
    return (
        *([unfinished] if len(finished) < len(folds) else []),
        "Features were selected and models trained on the train part of each fold; values are of "
        "its test part.",
        *_readings(study),
        chose,
        *_inner_splits(study),
        *([_RANKER_FIRST] if tuned_first else []),
        "Means are over folds of means over queries. Tests and intervals are over all test "
        "queries.",
        *([_REPEATED] if any(fold.test_part for fold in folds) else []),
        "Measures whose name begins with letor follow LETOR's evaluation tool; the others are "
        "the standard ones. Documents with equal scores stay in the order of the file, unless the "
        "measure says otherwise; a model that ties all documents counts for nothing.",
        "The sparsity ratio is features used by those that are not 0 in every training document.",
        "Embedded methods: 'weights' ranks by the largest weights of the model as they are; "
        "'refit' trains the ranker on those features.",
        "Seconds of a selection are those of all numbers of features together and, for 'refit', of "
        "all settings that were chosen from; importance and similarity are counted in full.",
    )


def _readings(study: Study) -> list[str]:
    """Return a sentence for each data set whose files were not read as `load` reads them."""
    return [
        f"{source.name} was read with "
        + ", ".join(f"{name}={value!r}" for name, value in source.reading.items())
        + "."
        for source in study.sources
        if isinstance(source, FileSource) and source.reading
    ]


def _inner_splits(study: Study) -> list[str]:
    """Return a sentence for each data set whose validation queries were drawn from train."""
    return [
        f"{source.name} has no validation part of its own: {share:.0%} of the queries of its train "
        "part, drawn at random, were set aside for it, and nothing was selected or trained on them."
        for source in study.sources
        if (share := getattr(source, "validation_share", None)) is not None
    ]

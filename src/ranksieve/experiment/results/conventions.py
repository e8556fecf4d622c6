"""How the figures of a study were made, in sentences for its report."""

from __future__ import annotations

from collections.abc import Sequence

from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.study import RANKER_FIRST, Study
from ranksieve.sources import FileSource

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
    study: Study, folds: Sequence[FoldFacts], shown: Sequence[FoldFacts]
) -> tuple[str, ...]:
    """Return the protocol in sentences; `shown` are the folds that lines are made of."""
    validated = all(fold.n_queries[1] for fold in folds)
    tuned_first = validated and study.tune == RANKER_FIRST
    chose = (
        f"Settings, and the number of features where none is given, were chosen on the validation "
        f"part of each fold by the mean of {study.measures[0]}; among equals fewer features."
        if validated
        else "There is no validation part: every method has one setting."
    )
    unfinished = f"The run is not finished: {len(shown)} of {len(folds)} folds are, and shown here."
    return (
        *([unfinished] if len(shown) < len(folds) else []),
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

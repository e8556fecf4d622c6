"""docs/sieve-search.md from the stored runs: conclusions, then tables of all variants."""

from __future__ import annotations

from typing import Any

from benchmarks.results_markdown import listed, table
from benchmarks.sieve_peer_data import PLANTED
from benchmarks.sieve_search import CHOICE, JUDGING, SEEDS, SIZES
from benchmarks.sieve_search_data import (
    CURVED,
    CURVED_FEATURES,
    CURVED_QUERIES,
    LINEAR,
    LINEAR_QUERIES,
    N_LETOR_FOLDS,
)
from benchmarks.sieve_search_figures import CLEAR, STEPS, Estimate, Figures, reference_of
from benchmarks.sieve_search_variants import BASE, FORWARD_TO, PRESENT, VARIANTS

COLUMNS = [*map(str, SIZES), CHOICE]
PROTOCOL = """
**Development data**: the training part of a fold is searched, its validation part judges; the test
parts, which docs/sieve-peers.md uses, are not read. MQ2008 and OHSUMED; {linear}:
{n_relevant} features make the grades by a weighted sum, {n_redundant} are noisy copies of these and
{n_irrelevant} are noise, {linear_search} queries searched and {linear_judge} judging; {curved}: of
{curved_features} features seven make the grades, by a product, thresholds, a distance and a wave,
{curved_search} queries searched and {curved_judge} judging.

**Judge of a set**: LightGBM's lambdarank trained on the searched part, {n_estimators} trees at rate
{learning_rate}, {num_leaves} leaves, the mean of NDCG@10 after five sixths of the trees and after
all. Queries without relevant documents are left out; documents of equal score count as the mean
over their orders.

**Change**: against all features, paired by query, the mean over seeds, then over the judging
queries of all folds, times 100. Data with more queries counts more. The standard error is over
queries; it does not cover that another training part or seed would choose other sets.

**Sets of 3, 5 and 10**: the rungs of these numbers; where the ladder has none, the first features
of the order.

**Stability**: Nogueira's, over seeds, the mean over folds; 1 is always the same set, 0 is chance.

**CPU s and trainings**: the mean of one search. Variants share trainings here; each is billed for
all that it uses, once. Loading, and judging of sets, do not count.

**Honest folds**: in every variant the set of a fold is chosen by what the queries of the other
folds say, with orders and similarities that do not see its own. As in the sieve itself, the models
that the other folds judge are trained on them.
"""
# What was decided, and why; figures are filled in from the store.
CONCLUSIONS = {
    "+ typical choice": (
        "kept",
        "It needs no training: the sets are the same, and resampled queries choose among them.",
    ),
    "+ memory": (
        "kept",
        "It needs no training. It is meant to keep a feature from going by one unlucky rung.",
    ),
    "+ guide": (
        "kept",
        "It costs a fit of FSMRank for each fold. It is meant to steady what permuting says.",
    ),
    "+ dealt twice": (
        "kept where queries are few",
        "It doubles the trainings. It is meant to make the sets depend less on how queries are "
        "dealt.",
    ),
    "+ single steps": (
        "kept",
        "Of two features alike the second is needed once the first is gone, and steps of several "
        "drop both. Larger steps at the other end pay for the small ones.",
    ),
    "+ doubt": (
        "kept",
        "It needs no training. Where permuting tells features from noise it is believed, and where "
        "it does not, an order that does not depend on how queries are dealt decides.",
    ),
    PRESENT: (
        "kept",
        "It needs no training. A mean moves less than a median where choices lie far apart.",
    ),
    "ten folds": (
        "not kept",
        "It needs as many trainings as dealing twice, and is not better at the choice.",
    ),
    "halving": (
        "not kept",
        "It saves half of the trainings, but it tries only half of the sizes, so that the choice "
        "is coarser. The first thing to try where trainings are dear.",
    ),
    "twins first": (
        "not kept",
        "It adds a threshold and similarities for each fold, and is not clearly better.",
    ),
    "guide: gain": ("not kept", "It is nowhere clearly better than FSMRank."),
    "guide: l1": ("not kept", "These queries do not tell it from FSMRank."),
    "retrained end": (
        "not kept",
        "It spends several times the trainings, on sets that are seldom chosen: {small}.",
    ),
    "forward end": (
        "not kept",
        "It spends the most trainings, on sets that are seldom chosen: {small}. Worth another look "
        "where a set of five or fewer is wanted.",
    ),
}


def page(content: dict[str, Any]) -> list[str]:
    """The lines of the page."""
    figures = Figures(content["runs"])
    versions = ", ".join(f"{name} {version}" for name, version in content["made with"].items())
    lines = [
        "# Variants of the sieve's search",
        "",
        "Written by `make bench-sieve-search` from [sieve-search.json](sieve-search.json), which "
        "has a line for each run. Which search finds the better sets of features, more steadily, "
        f"with fewer trainings? Tried on development data. Made with {versions}.",
        "",
    ]
    if not figures.units:
        return [*lines, "Nothing was measured yet.", ""]
    return [
        *lines,
        _extent(figures),
        "",
        *_conclusions(figures),
        *_variants(),
        *_pooled(figures),
        *_differences(figures),
        *(line for data in figures.data for line in _data_table(figures, data)),
        *_protocol(),
    ]


def _extent(figures: Figures) -> str:
    """How much of the plan is in the figures."""
    parts = []
    for data in figures.data:
        folds = figures.folds(data)
        seeds = sorted({len(each) for each in folds.values()})
        number = f"{len(folds)} of {N_LETOR_FOLDS} folds, " if data not in (LINEAR, CURVED) else ""
        parts.append(f"{data} {number}{' or '.join(map(str, seeds))} of {len(SEEDS)} seeds")
    extent = f"Measured so far: {'; '.join(parts)}. {figures.n_queries()} judging queries."
    if figures.n_left_out:
        extent += (
            f" Left out: {figures.n_left_out} stored runs of folds and seeds on which not every "
            "variant was run yet."
        )
    several = sum(len(seeds) > 1 for seeds in figures.folds().values())
    return (
        f"{extent} Folds with more than one seed, on which stability rests: {several} of "
        f"{len(figures.folds())}. `make bench-sieve-search` goes on from there."
    )


def _conclusions(figures: Figures) -> list[str]:
    rows = []
    for variant, (decision, reason) in CONCLUSIONS.items():
        filled = reason.format(small=_small_choices(figures))
        evidence = _evidence(figures, variant, reference_of(variant) or STEPS[0])
        rows.append(f"**{variant}: {decision}.** {filled} {evidence}")
    return [
        "## What was kept, and what was not",
        "",
        f"Differences below {CLEAR:g} standard errors are noise, and most are: of "
        f"{len(COLUMNS) * len(CONCLUSIONS)} differences about one in twenty passes that by chance. "
        "The steps from the prototype to the present search were chosen before, by trials on the "
        "same development data that are not stored, so that these figures are no independent "
        "check of them. A step stays unless it is clearly worse here; another variant would be "
        "taken if it were clearly better, or cheaper and as good, at the choice.",
        "",
        f"All steps together. {_evidence(figures, PRESENT, STEPS[0])}",
        "",
        *listed(rows),
    ]


def _small_choices(figures: Figures) -> str:
    """How often the search that deals once chooses a set that the small ends make."""
    sizes = figures.choice_sizes(BASE)
    small = sum(size <= FORWARD_TO for size in sizes)
    return f"{small} of {len(sizes)} runs of *{BASE}* choose {FORWARD_TO} features or fewer"


def _evidence(figures: Figures, variant: str, other: str) -> str:
    """How a variant differs from another, in words."""
    differences = {size: figures.difference(variant, other, size) for size in COLUMNS}
    clear = [f"{_text(each)} {_at(size)}" for size, each in differences.items() if each.is_clear]
    facts = [
        ", ".join(clear) if clear else "no clear difference in the measure",
        *_steadiness(figures, variant, other),
        f"{figures.n_features(variant):.1f} features for {figures.n_features(other):.1f}",
        f"{figures.mean(variant, 'trainings'):.0f} trainings for "
        f"{figures.mean(other, 'trainings'):.0f}",
        f"{figures.mean(variant, 'seconds'):.0f} CPU s for {figures.mean(other, 'seconds'):.0f}",
    ]
    return f"Beside *{other}*: {'; '.join(facts)}."


def _steadiness(figures: Figures, variant: str, other: str) -> list[str]:
    """The stability of two variants, where several seeds were run."""
    if figures.stability(variant, CHOICE) is None:
        return []
    pairs = ", ".join(_pair(figures, variant, other, size) for size in (CHOICE, "5", "10"))
    return [f"stability over seeds {pairs}"]


def _pair(figures: Figures, variant: str, other: str, size: str) -> str:
    return (
        f"{_stability(figures.stability(variant, size))} for "
        f"{_stability(figures.stability(other, size))} {_at(size)}"
    )


def _at(size: str) -> str:
    return "at the choice" if size == CHOICE else f"at {size} features"


def _variants() -> list[str]:
    rows = [
        [variant.name, variant.description, reference_of(variant.name) or "-"]
        for variant in VARIANTS.values()
    ]
    return [
        "## Variants",
        "",
        f"The first {len(STEPS)} are steps, each with what is above it, from the prototype to the "
        f"present search (*{PRESENT}*). The others differ in one thing from *{BASE}*, which deals "
        "queries once, to save time.",
        "",
        *table(["*variant", "*what it does", "*compared with"], rows),
    ]


def _pooled(figures: Figures) -> list[str]:
    return [
        "## Over all data",
        "",
        "Change of NDCG@10 against all features, times 100, with its standard error, with sets of "
        "3, 5 and 10 features and with the choice; features of the choice; stability over seeds.",
        "",
        *_variant_table(figures, None),
    ]


def _data_table(figures: Figures, data: str) -> list[str]:
    return [
        f"## {data}",
        "",
        f"{figures.n_queries(data)} judging queries.",
        "",
        *_variant_table(figures, data),
    ]


def _variant_table(figures: Figures, data: str | None) -> list[str]:
    head = [
        "*variant",
        *COLUMNS,
        "features",
        "stability: choice",
        "5",
        "10",
        "CPU s",
        "trainings",
    ]
    rows = [
        [
            variant,
            *(_text(figures.change(variant, size, data)) for size in COLUMNS),
            f"{figures.n_features(variant, data):.1f}",
            *(_stability(figures.stability(variant, size, data)) for size in (CHOICE, "5", "10")),
            f"{figures.mean(variant, 'seconds', data):.1f}",
            f"{figures.mean(variant, 'trainings', data):.0f}",
        ]
        for variant in VARIANTS
    ]
    return table(head, rows)


def _differences(figures: Figures) -> list[str]:
    rows = []
    for variant in VARIANTS:
        other = reference_of(variant)
        if other is not None:
            cells = [_marked(figures.difference(variant, other, size)) for size in COLUMNS]
            rows.append([variant, other, *cells])
    cells = [_marked(figures.difference(PRESENT, STEPS[0], size)) for size in COLUMNS]
    rows.append([PRESENT, STEPS[0], *cells])
    return [
        "## Each variant beside the one that it differs from",
        "",
        "Differences of NDCG@10 at the same number of features and at the two choices, times 100, "
        f"paired by query; above 0 the variant is better. Bold: more than {CLEAR:g} standard "
        "errors. The rest is noise.",
        "",
        *table(["*variant", "*beside", *COLUMNS], rows),
    ]


def _text(estimate: Estimate) -> str:
    return f"{100 * estimate.mean:+.2f} ± {100 * estimate.error:.2f}"


def _marked(estimate: Estimate) -> str:
    return f"**{_text(estimate)}**" if estimate.is_clear else _text(estimate)


def _stability(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _protocol() -> list[str]:
    filled = PROTOCOL.format(
        **PLANTED,
        **JUDGING,
        linear=LINEAR,
        linear_search=LINEAR_QUERIES["search"],
        linear_judge=LINEAR_QUERIES["judge"],
        curved=CURVED,
        curved_features=CURVED_FEATURES,
        curved_search=CURVED_QUERIES["search"],
        curved_judge=CURVED_QUERIES["judge"],
    )
    notes = [" ".join(note.split()) for note in filled.strip().split("\n\n")]
    return ["## How it was measured", "", *listed(notes)]

"""What the page of results shows, in three sentences computed from the stores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.published_tables import DATA, MAP, NDCG10, TABLES
from benchmarks.results_markdown import listed, short
from benchmarks.results_stores import ALL_FEATURES, Line, Stored, standard_error
from ranksieve.evaluate import holm, paired_t
from ranksieve.experiment import Outcome
from ranksieve.experiment.published import PublishedTable

# A difference up to this is called near.
NEAR = 0.005
SIGNIFICANT = 0.05


def headline(stored: Stored) -> list[str]:
    sentences = [_nearness(stored), _orders(stored), _selection(stored)]
    return ["## In short", "", *listed(sentences)]


def differences(stored: Stored, measure: str) -> dict[tuple[str, str], float]:
    """Ours less published, a row and data set; a row that tables repeat counts once."""
    apart: dict[tuple[str, str], float] = {}
    seen: set[tuple[Line, str]] = set()
    for table in TABLES:
        for method in table.rows:
            outcome = stored.row(method, table.data)
            if outcome is None or measure not in outcome.values or measure not in table.measures:
                continue
            line, _ = stored.used[method, table.data]
            if (line, table.data) not in seen:
                seen.add((line, table.data))
                apart[method, table.data] = outcome.mean(measure) - table.value(method, measure)
    return apart


def _nearness(stored: Stored) -> str:
    parts = []
    for measure in (MAP, NDCG10):
        apart = differences(stored, measure)
        if not apart:
            return "No row of the papers is stored, so that nothing can be said about nearness."
        n_near = sum(abs(value) <= NEAR for value in apart.values())
        farthest = max(apart, key=lambda key: abs(apart[key]))
        parts.append(
            f"in {short(measure)} {n_near} of {len(apart)} within {NEAR} (half of them within "
            f"{np.median(np.abs(list(apart.values()))):.4f}; farthest {farthest[0]} on "
            f"{farthest[1]}, {apart[farthest]:+.4f})"
        )
    return f"**How near ours are to the published means:** {', '.join(parts)}."


def _orders(stored: Stored) -> str:
    """How often tables have the same best method and the same order by MAP."""
    compared = [pair for table in TABLES if (pair := _by_map(stored, table)) is not None]
    if not compared:
        return "Too few methods of any table are stored to compare their order."
    same_best = sum(_best(theirs) & _best(ours) != set() for theirs, ours in compared)
    same_order = sum(_ordered(theirs) == _ordered(ours) for theirs, ours in compared)
    spans = [max(theirs.values()) - min(theirs.values()) for theirs, _ in compared]
    errors = [
        standard_error(outcome, MAP)
        for table in TABLES
        for method in table.rows
        if (outcome := stored.row(method, table.data)) is not None and MAP in outcome.values
    ]
    span, error = np.median(spans), np.median(errors)
    beside = "less than" if span < error else "not less than"
    return (
        f"**Who is best:** by MAP the best method is the published one in {same_best} of "
        f"{len(compared)} tables, and the whole order in {same_order}; the published methods of a "
        f"table lie {span:.4f} apart (median), {beside} the standard error of a mean over queries, "
        f"{error:.4f} (differences between methods, query by query, have a smaller one)."
    )


def _by_map(
    stored: Stored, table: PublishedTable
) -> tuple[Mapping[str, float], Mapping[str, float]] | None:
    """Published and own MAP of the methods that are stored, rounded as printed."""
    outcomes = {method: stored.row(method, table.data) for method in table.rows}
    ours = {m: round(o.mean(MAP), 4) for m, o in outcomes.items() if o is not None}
    return ({m: table.value(m, MAP) for m in ours}, ours) if len(ours) > 1 else None


def _best(values: Mapping[str, float]) -> set[str]:
    return {method for method, value in values.items() if value == max(values.values())}


def _ordered(values: Mapping[str, float]) -> list[set[str]]:
    """Methods by falling value; equal ones together."""
    levels = sorted(set(values.values()), reverse=True)
    return [{m for m, value in values.items() if value == level} for level in levels]


def _selection(stored: Stored) -> str:
    parts = [part for data in DATA if (part := _against_all_features(stored, data))]
    if not parts:
        return (
            "Selection methods and RankSVM with all features, of the study `letor`, are not both "
            "stored."
        )
    return (
        f"**What selection gains over RankSVM with all features, in MAP:** {'; '.join(parts)} "
        "(two-sided paired t-test over queries, Holm's correction over the methods; the best of "
        "many was picked by the same test queries, which flatters it, and no significant "
        "difference does not mean none)."
    )


def _against_all_features(stored: Stored, data: str) -> str:
    reference = stored.line(Line("letor", ALL_FEATURES, "", "RankSVM"), data)
    methods = _selected(stored, data)
    if reference is None or not methods:
        return ""
    tests = [paired_t(each.by_query(MAP), reference.by_query(MAP)) for each in methods]
    adjusted = holm([test.p_value for test in tests])
    gains = [each.mean(MAP) - reference.mean(MAP) for each in methods]
    better = sum(p <= SIGNIFICANT and gain > 0 for p, gain in zip(adjusted, gains, strict=True))
    worse = sum(p <= SIGNIFICANT and gain < 0 for p, gain in zip(adjusted, gains, strict=True))
    best = methods[int(np.argmax(gains))]
    return (
        f"on {data} {better} of {len(methods)} methods are significantly better and {worse} "
        f"worse; the best, {best.name}, has {best.mean(MAP):.4f} with {best.n_features.mean():.1f} "
        f"features, all features {reference.mean(MAP):.4f} with "
        f"{reference.n_features.mean():.0f}"
    )


def _selected(stored: Stored, data: str) -> list[Outcome]:
    """Selection methods in front of RankSVM or with weights of their own, as validation chose."""
    results = stored.studies.get("letor")
    if results is None:
        return []
    return [
        each
        for each in results.chosen
        if each.data == data
        and each.method != ALL_FEATURES
        and MAP in each.values
        and (each.ranker == "RankSVM" or each.variant == "weights")
    ]

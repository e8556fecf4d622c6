"""What the run on Cranfield shows: tables in docs/text.md between marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ranksieve.extract.features.families import feature_groups

PAGE = Path(__file__).parents[1] / "docs" / "text.md"
BEGIN = "<!-- cranfield: written by python -m benchmarks.cranfield -->"
END = "<!-- end of cranfield -->"
# Sets of this number of features are counted in the table of features.
FEW, N_LISTED = 10, 20


def summary(compared: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return what the tables need of a comparison: means, and how often features are selected."""
    chosen = [
        {
            "method": row["method"],
            "variant": row["variant"],
            "ranker": row["ranker"],
            "features": float(np.mean([len(fold["features"]) for fold in row["folds"]])),
            "means": row["means"],
        }
        for row in compared["chosen"]
    ]
    sets = {
        (row["method"], fold["fold"]): [names[feature] for feature in fold["features"]]
        for row in compared["curves"]
        if row["k"] == FEW
        for fold in row["folds"]
    }
    counts = Counter(name for features in sets.values() for name in features)
    return {
        "trials": compared["trials"],
        "failures": len(compared["failures"]),
        "chosen": chosen,
        "sets": len(sets),
        "counts": dict(counts.most_common()),
    }


def sieve_summary(sieved: dict[str, Any]) -> dict[str, Any]:
    """Return the choice of the sieve, its ladder and what it keeps."""
    return {
        "claim": sieved["claim"],
        "choice": sieved["choice"],
        "queries_needed": sieved["queries_needed"],
        "ladder": [
            {"n": len(rung["features"]), "price": rung["price"], "mean": rung["mean"],
             "change": rung["change"], "supported": rung["supported"]}
            for rung in sieved["ladder"]
        ],
        "features": [
            {"name": feature["name"], "kept": feature["kept"], "price": feature["price"],
             "resample_share": feature["resample_share"]}
            for feature in sieved["features"]
        ],
    }  # fmt: skip


def write_page(run: dict[str, Any]) -> None:
    """Write the tables into the page where it has the marks."""
    text = PAGE.read_text("utf-8")
    before, _, behind = text.partition(BEGIN)
    _, end, after = behind.partition(END)
    if not end:
        raise SystemExit(f"{PAGE} has no marks {BEGIN!r} and {END!r}")
    parts = [
        *said(run["extract"]),
        *comparison(run["compare"]),
        *survivors(run["compare"]),
        *sieve("With the measured costs", run["sieve"]),
        *sieve("With a cost of 1 for each feature", run["sieve by number"]),
    ]
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(parts) + f"\n\n{END}{after}", "utf-8")


def said(extract: dict[str, Any]) -> Iterator[str]:
    yield f"`extract` took {extract['seconds']} s on two cores that were shared, and said:"
    yield from ("", "```text", *extract["said"], "```", "")


def comparison(compared: dict[str, Any]) -> Iterator[str]:
    yield (
        f"`compare`: five folds by query, {compared['trials']:,} trials, {compared['failures']} "
        "of which failed. NDCG@10 and MAP of the test parts, and the mean number of features that "
        "validation chose; the best of each column in bold ([the page](text-cranfield.html)):"
    )
    rankers = list(dict.fromkeys(row["ranker"] for row in compared["chosen"] if row["ranker"]))
    measures = list(compared["chosen"][0]["means"])
    titles = [f"{ranker}, {what}" for ranker in rankers for what in (*measures, "features")]
    yield from (
        "",
        "| selector | " + " | ".join(titles) + " |",
        "| --- |" + " ---: |" * len(titles),
    )
    by_ranker = [row for row in compared["chosen"] if row["ranker"]]
    cells: dict[str, dict] = {}
    for row in by_ranker:
        cells.setdefault(label(row), {})[row["ranker"]] = row
    best = {
        (ranker, measure): max(
            rows[ranker]["means"][measure] for rows in cells.values() if ranker in rows
        )
        for ranker in rankers
        for measure in measures
    }
    for name, rows in sorted(cells.items()):
        line = [name]
        for ranker in rankers:
            if ranker not in rows:
                line += ["-"] * (len(measures) + 1)
                continue
            for measure in measures:
                value = rows[ranker]["means"][measure]
                mark = "**" if value == best[ranker, measure] else ""
                line.append(f"{mark}{value:.4f}{mark}")
            line.append(f"{rows[ranker]['features']:.0f}")
        yield "| " + " | ".join(line) + " |"
    alone = [row for row in compared["chosen"] if not row["ranker"]]
    listed = "; ".join(
        f"{row['method']} {', '.join(f'{value:.4f}' for value in row['means'].values())} with "
        f"{row['features']:.0f} features"
        for row in alone
    )
    yield from ("", f"Ranking by their own weights: {listed}.", "")


def label(row: dict[str, Any]) -> str:
    variant = row["variant"]
    return row["method"] + (f", {variant}" if variant not in ("", None, "refit") else "")


def survivors(compared: dict[str, Any]) -> Iterator[str]:
    yield (
        f"Which features are selected: of {compared['sets']} sets of {FEW} features (a selector on "
        "a fold), so often each of the first ones, and each field:"
    )
    yield from ("", "| feature | sets | | feature | sets |", "| --- | ---: | --- | --- | ---: |")
    listed = list(compared["counts"].items())[:N_LISTED]
    half = (len(listed) + 1) // 2
    for index in range(half):
        left = listed[index]
        right = listed[index + half] if index + half < len(listed) else ("", "")
        yield f"| `{left[0]}` | {left[1]} | | `{right[0]}` | {right[1]} |"
    fields = Counter()
    for name, count in compared["counts"].items():
        fields[name.partition(".")[0]] += count
    total = sum(fields.values())
    shares = ", ".join(f"{field} {count / total:.0%}" for field, count in fields.most_common())
    yield from ("", f"By field: {shares}.", "")


def sieve(title: str, sieved: dict[str, Any]) -> Iterator[str]:
    chosen = sieved["ladder"][sieved["choice"]]
    full = sieved["ladder"][0]
    change = chosen["change"]
    yield (
        f"{title} the sieve takes {chosen['n']} of {len(sieved['features'])} features, at "
        f"{chosen['price']:.3g} instead of {full['price']:.3g}: NDCG@10 {chosen['mean']:.4f} "
        f"instead of {full['mean']:.4f} ({change['mean']:+.4f}, from {change['low']:+.4f} to "
        f"{change['high']:+.4f}). Claim: {sieved['claim']}; a claim of 1 % needs about "
        f"{sieved['queries_needed']} queries, and Cranfield has 225."
    )
    stays = [feature["name"] for feature in sieved["features"] if feature["kept"]]
    goes = [feature["name"] for feature in sieved["features"] if not feature["kept"]]
    verb, fewer = ("It keeps", stays) if len(stays) <= len(goes) else ("It drops", goes)
    yield f"{verb} {', '.join(grouped(fewer))}."
    yield ""


def grouped(names: list[str]) -> Iterator[str]:
    """Groups of which all features are listed, then the other features."""
    groups: dict[str, list[str]] = {}
    for entry in feature_groups(with_links=False):
        groups.setdefault(entry.group, []).append(entry.feature)
    entire = {
        group: features
        for group, features in groups.items()
        if len(features) > 1 and set(features) <= set(names)
    }
    for group, features in entire.items():
        yield f"all {len(features)} of `{group}`"
    inside = {name for features in entire.values() for name in features}
    yield from (f"`{name}`" for name in names if name not in inside)

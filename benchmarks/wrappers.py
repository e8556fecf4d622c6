"""What wrappers cost and what Boruta confirms: writes docs/wrappers-figures.md.

Noise that Boruta confirms with half of the queries in each round and with all of them; TreeSHAP
beside the training of the same trees; best-first search in parts beside whole trainings; seconds
of CPU time of a fit on the train parts of fold 1 of OHSUMED and MQ2008, on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import described, letor_train
from ranksieve import (
    BestFirst,
    Boruta,
    CatBoostRanker,
    CoordinateAscent,
    LightGBMRanker,
    RankingData,
    XGBoostRanker,
    catalog,
    make_ranking,
)
from ranksieve.threads import threads

PAGE = Path(__file__).parents[1] / "docs" / "wrappers-figures.md"
N_SEEDS = 100
LINEAR, TREES = "RankSVM(C=0.01)", "LightGBMRanker(30, num_leaves=15)"
FITS = (
    "Boruta()",
    f"Boruta(ranker='{TREES}')",
    "Boruta(percentile=80.0)",
    "RankRFE('LightGBMRanker(50)', step=0.2)",
    "RankRFE('LightGBMRanker(50)', step=0.2, importance='shap')",
    "RankRFE('LightGBMRanker(50)', step=0.2, importance='permutation')",
    "BestFirst()",
    "BRTree()",
    "RandomRFE()",
)


def main() -> None:
    with threads(1):
        parts = [confirmed_noise(), shap_cost(), search_in_parts(), *letor_fits()]
    head = (
        "# Figures of the wrappers\n\nWritten by `python -m benchmarks.wrappers`, on one thread; "
        "seconds are CPU time, both sides of a comparison in one run. The cores were shared with "
        "other work: ratios say more than seconds.\n\n"
    )
    PAGE.write_text(head + "\n\n".join(parts) + "\n", encoding="utf-8")


def confirmed_noise() -> str:
    """Features of noise and planted ones that Boruta confirms."""
    rows = []
    for title, n_relevant in (("12 of noise", 0), ("3 planted, 12 of noise", 3)):
        for ranker, n_seeds in ((LINEAR, N_SEEDS), (TREES, N_SEEDS // 4)):
            for share in (0.5, 1.0):
                wrong, right = counts(ranker, share, n_relevant, n_seeds)
                planted = f"{right.mean() / 3:.2f}" if n_relevant else ""
                rows.append(
                    f"| {title} | `{ranker}` | {share:g} | {n_seeds} | {wrong.mean():.2f} | "
                    f"{(wrong > 0).mean():.2f} | {planted} |"
                )
    return said(
        "## Noise that Boruta confirms\n\n60 queries of 12 documents, level 0.05, 30 rounds at "
        "most.\n\n| features | ranker | `query_share` | data sets | noise confirmed per data set | "
        "data sets with any | planted ones confirmed |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n" + "\n".join(rows)
    )


def counts(
    ranker: str, share: float, n_relevant: int, n_seeds: int
) -> tuple[np.ndarray, np.ndarray]:
    wrong, right = np.zeros(n_seeds), np.zeros(n_seeds)
    for seed in range(n_seeds):
        data, noise = drawn(seed, n_relevant)
        confirmed = Boruta(ranker=ranker, query_share=share).fit(data).confirmed_
        wrong[seed], right[seed] = confirmed[noise].sum(), confirmed[~noise].sum()
    return wrong, right


def drawn(seed: int, n_relevant: int) -> tuple[RankingData, np.ndarray]:
    """Data, and which features are noise; without planted ones the grades are shuffled."""
    data, truth = make_ranking(
        60, 12, n_relevant=3, n_redundant=0, n_irrelevant=12, random_state=seed
    )
    noise = np.ones(data.n_features, dtype=bool)
    noise[truth.relevant] = False
    if n_relevant == 0:
        data = data.features(np.flatnonzero(noise))
        noise = noise[noise]
    return data, noise


def shap_cost() -> str:
    """TreeSHAP of the training documents beside the training."""
    data, _ = make_ranking(200, 50, n_relevant=10, n_redundant=10, n_irrelevant=26, random_state=0)
    rows = []
    for ranker in (LightGBMRanker(n_jobs=1), XGBoostRanker(n_jobs=1), CatBoostRanker(n_jobs=1)):
        for label, copy in (("as it is", ranker), ("quick", ranker.quick(data.n_documents))):
            fit, model = cpu(lambda copy=copy: copy.fit(data))
            explain, _ = cpu(lambda model=model: model.contributions(data))
            predict, _ = cpu(lambda model=model: model.predict(data))
            rows.append(
                f"| {type(ranker).__name__} | {label} | {fit:.2f} | {explain:.2f} | "
                f"{explain / fit:.1f} | {predict:.3f} |"
            )
    return said(
        f"## What TreeSHAP costs\n\n{described('Generated', data)}.\n\n"
        "| ranker | copy | training, s | `contributions`, s | ratio | `predict`, s |\n"
        "| --- | --- | --- | --- | --- | --- |\n" + "\n".join(rows)
    )


def search_in_parts() -> str:
    """Best-first search by steps along one weight, beside a training at each node."""
    data, _ = make_ranking(100, 20, n_relevant=4, n_redundant=4, n_irrelevant=8, random_state=0)
    whole = BestFirst(ranker=CoordinateAscent(n_restarts=1))
    rows = []
    for label, search in (("in parts", BestFirst()), ("a training per node", whole)):
        seconds, fitted = cpu(lambda search=search: search.fit(data))
        rows.append(
            f"| {label} | {fitted.n_fits_} | {seconds:.2f} | {len(fitted.subsets_)} | "
            f"{fitted.values_[0]:.4f} |"
        )
    return said(
        f"## Best-first search in parts\n\n{described('Generated', data)}.\n\n"
        "| nodes | number | s | subsets | NDCG@10 of the first |\n| --- | --- | --- | --- | --- |\n"
        + "\n".join(rows)
    )


def letor_fits() -> Iterator[str]:
    for name in ("OHSUMED", "MQ2008"):
        data = letor_train(name)
        if data is not None:
            rows = [fit_row(text, data) for text in FITS]
            yield said(
                f"## {described(name, data)}\n\n| selector | s | outcome |\n| --- | --- | --- |\n"
                + "\n".join(rows)
            )


def fit_row(text: str, data: RankingData) -> str:
    seconds, fitted = cpu(lambda: catalog.parse(text, "selectors").fit(data))
    outcome = ""
    if hasattr(fitted, "confirmed_"):
        outcome = (
            f"{fitted.confirmed_.sum()} confirmed, {fitted.tentative_.sum()} tentative, "
            f"{fitted.rejected_.sum()} rejected in {fitted.n_rounds_} rounds"
        )
    elif hasattr(fitted, "subsets_"):
        outcome = f"subsets of {', '.join(str(len(subset)) for subset in fitted.subsets_)}"
    return f"| `{text}` | {seconds:.2f} | {outcome} |"


def cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    """The lesser seconds of CPU time of two calls, and the result."""
    seconds = []
    for _ in range(2):
        started = time.process_time()
        result = call()
        seconds.append(time.process_time() - started)
    return min(seconds), result


def said(text: str) -> str:
    print(text, end="\n\n", flush=True)
    return text


if __name__ == "__main__":
    main()

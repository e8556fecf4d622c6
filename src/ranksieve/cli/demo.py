"""ranksieve demo: the main job on generated data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ranksieve.data import RankingData

_KEPT = 8


@click.command()
@click.option("--queries", default=400, show_default=True, help="Number of generated queries.")
@click.option("--seed", default=0, show_default=True, help="Seed of the generated data.")
def command(queries: int, seed: int) -> None:
    """Make data, select features, and show what dropping the rest costs.

    Eight of 40 features carry the grades, 12 are noisy copies of them, 16 are noise and 4
    are constant. Three quarters of the queries train, the others test.
    """
    from ranksieve import make_ranking
    from ranksieve.cli._output import console
    from ranksieve.cli._progress import progress_bars
    from ranksieve.data import k_folds

    if queries < 8:
        raise click.BadParameter("at least 8", param_hint="--queries")
    with progress_bars():
        data, truth = make_ranking(
            queries,
            40,
            n_relevant=_KEPT,
            n_redundant=12,
            n_irrelevant=16,
            n_constant=4,
            random_state=seed,
        )
        train, test = k_folds(data, 4, random_state=seed)[0]
        console().print(
            f"Generated {data.n_documents:,} documents of {data.n_queries} queries with "
            f"{data.n_features} features; training on {train.n_queries} queries.\n"
        )
        rows = [_row(name, selector, train, test, truth) for name, selector in _selectors()]
    _print(rows, train, test)


def _selectors() -> list[tuple[str, Any]]:
    from ranksieve import GAS, TopK

    return [
        ("all features", None),
        ("best by importance", TopK("ndcg@10", n_features_to_select=_KEPT)),
        ("important and unlike", GAS(_KEPT, importance="ndcg@10", balance=0.1)),
    ]


def _row(
    name: str, selector: Any, train: RankingData, test: RankingData, truth: Any
) -> dict[str, Any]:
    import time

    import numpy as np

    from ranksieve import MAP, NDCG, RankSVM

    started = time.perf_counter()
    kept = np.arange(train.n_features) if selector is None else selector.fit(train).order_[: selector.n_features_]
    model = RankSVM(C=1e-3).fit(train.features(kept))
    seconds = time.perf_counter() - started
    scores = model.predict(test.features(kept))
    return {
        "name": name,
        "method": "" if selector is None else repr(selector),
        "kept": kept,
        "ndcg": NDCG(10).per_query(test.y, scores, qid=test.qid),
        "map": MAP().per_query(test.y, scores, qid=test.qid),
        "found": _sources_found(kept, truth),
        "seconds": seconds,
    }


def _sources_found(kept: NDArray[np.int64], truth: Any) -> int:
    """Return how many planted features are there, themselves or as a copy."""
    chosen = {int(feature) for feature in kept}
    sources = {int(truth.copies_of.get(feature, feature)) for feature in chosen}
    return len(sources & {int(feature) for feature in truth.relevant})


def _print(rows: list[dict[str, Any]], train: RankingData, test: RankingData) -> None:
    from rich.table import Table

    from ranksieve.cli._output import console, number

    table = Table(box=None)
    for heading, justify in (("", "left"), ("features", "right"), ("planted found", "right"), ("NDCG@10", "right"), ("MAP", "right"), ("seconds", "right")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(
            row["name"],
            str(len(row["kept"])),
            f"{row['found']} of {_KEPT}",
            number(float(row["ndcg"].mean())),
            number(float(row["map"].mean())),
            f"{row['seconds']:.2f}",
        )
    console().print(f"RankSVM on {test.n_queries} held-out queries", style="bold")
    console().print(table)
    chosen = rows[-1]
    names = ", ".join(train.feature_names[feature] for feature in chosen["kept"])
    console().print(f"\nChosen by {chosen['method']}:\n  {names}")
    share = float(chosen["ndcg"].mean() / rows[0]["ndcg"].mean())
    console().print(
        f"With {len(chosen['kept'])} of {train.n_features} features the model keeps {share:.1%} of the "
        "NDCG@10 of all features.\n\nNext: ranksieve select YOUR_DATA -k 10"
    )

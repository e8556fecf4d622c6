"""ranksieve demo: the sieve on generated data with costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._demo_study import FOLDER

if TYPE_CHECKING:
    from ranksieve.data import RankingData
    from ranksieve.sieve import SieveResult

_N_PLANTED, _N_COPIES, _N_NOISE, _N_CONSTANT = 8, 12, 16, 4
_N_FEATURES = _N_PLANTED + _N_COPIES + _N_NOISE + _N_CONSTANT
# Queries that certify, for each that trains.
_CERTIFYING = 2
# Features cost from 1 to this many units, most of them little.
_DEAREST = 50


@click.command()
@click.option(
    "--queries",
    type=click.IntRange(min=30),
    default=400,
    show_default=True,
    help="Number of generated queries that train.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the generated data.",
)
@click.option(
    "-o",
    "--out",
    metavar="FOLDER",
    default=FOLDER,
    show_default=True,
    help="Where data, answer and report are written; what an earlier demo wrote is replaced.",
)
@click.option(
    "--methods",
    is_flag=True,
    help="Compare the published methods instead: GAS, RankFilter, FSMRank and the others.",
)
def command(queries: int, seed: int, out: str, methods: bool) -> None:
    """Make data with costs, and find the cheapest features with which a ranker is not worse.

    Eight of 40 features carry the grades, 12 are noisy copies of them, 16 are noise and 4 are
    constant. The sieve searches 400 queries; 800 that it has not seen certify its answer.
    """
    from ranksieve.cli._output import console

    if methods:
        from ranksieve.cli._demo_methods import show_methods

        show_methods(queries, seed, Path(out))
        return
    folder = Path(out)
    made = _make(queries, seed, folder)
    _print_data(made)
    result, files = _sieved(made, seed, folder)
    from ranksieve.cli.sieve import print_answer

    print_answer(result, files)
    _print_planted(result, made)
    console().print(
        "\nNext, on your data:\n"
        "  ranksieve sieve train.txt --certify unseen.txt --costs costs.csv -o sieved\n"
        "  ranksieve inspect train.txt\n"
        "  ranksieve export sieved --to elasticsearch --featureset featureset.json\n"
        "  ranksieve train train.txt --features sieved/features.json -o model.txt\n"
        "  ranksieve demo --methods        # the published methods, side by side\n"
    )
    report = folder / "sieved" / "report.html"
    console().print(f"The evidence for each feature, as a page: {report}")


class _Made:
    """Generated data, in files as a user has them."""

    def __init__(self, training: RankingData, unseen: RankingData, truth: Any, costs: Any) -> None:
        self.training, self.unseen, self.truth, self.costs = training, unseen, truth, costs


def _make(queries: int, seed: int, folder: Path) -> _Made:
    import numpy as np

    from ranksieve import load, make_ranking
    from ranksieve.cli._progress import progress_bars
    from ranksieve.data import write_text

    with progress_bars():
        data, truth = make_ranking(
            (1 + _CERTIFYING) * queries,
            20,
            n_relevant=_N_PLANTED,
            n_redundant=_N_COPIES,
            n_irrelevant=_N_NOISE,
            n_constant=_N_CONSTANT,
            random_state=seed,
        )
        first = np.arange(data.n_queries) < queries
        rng = np.random.default_rng(seed)
        costs = np.round(np.exp(rng.uniform(0, np.log(_DEAREST), size=data.n_features)))
        folder.mkdir(parents=True, exist_ok=True)
        write_text(data.queries(first), folder / "train.txt")
        write_text(data.queries(~first), folder / "unseen.txt")
        # As everyone would read them: the files name features by their number.
        training, unseen = load(folder / "train.txt"), load(folder / "unseen.txt")
        names = training.feature_names
        rows = [f"{name},{cost:g}" for name, cost in zip(names, costs, strict=True)]
        (folder / "costs.csv").write_text("\n".join(["feature,cost", *rows, ""]), encoding="utf-8")
    return _Made(training, unseen, truth, costs)


def _print_data(made: _Made) -> None:
    from ranksieve.cli._output import console

    console().print(
        f"Generated: {made.training.n_documents:,} documents of {made.training.n_queries} queries, "
        f"{_N_FEATURES} features that cost {made.costs.sum():g} together: {_N_PLANTED} carry the "
        f"grades, {_N_COPIES} are noisy copies of them, {_N_NOISE} are noise, {_N_CONSTANT} "
        f"constant. {made.unseen.n_queries} more queries certify.\n"
    )


def _sieved(made: _Made, seed: int, folder: Path) -> tuple[SieveResult, list[str]]:
    """Run the sieve as its command does, and write what it writes."""
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._progress import progress_bars
    from ranksieve.cli.sieve import write_answer
    from ranksieve.sieve import Sieve

    target = folder / "sieved"
    target.mkdir(parents=True, exist_ok=True)
    with plain_warnings(), progress_bars():
        # The same generated queries are opened by every demo: that is no second look.
        sieve = Sieve(costs=made.costs, certify=made.unseen, random_state=seed)
        sieve.fit(made.training)
        files = write_answer(sieve, made.training, str(folder / "train.txt"), target)
    return sieve.result_, files


def _print_planted(result: SieveResult, made: _Made) -> None:
    """Say of each planted feature whether it was kept, itself or as a copy."""
    from ranksieve.cli._output import console

    names = made.training.feature_names
    kept = {feature.name for feature in result.features if feature.kept}
    keepers: dict[int, list[str]] = {int(feature): [] for feature in made.truth.relevant}
    for feature, name in enumerate(names):
        source = int(made.truth.copies_of.get(feature, feature))
        if name in kept and source in keepers:
            keepers[source].append("itself" if source == feature else f"its copy {name}")
    n_noise = sum(
        1
        for feature, name in enumerate(names)
        if name in kept and int(made.truth.copies_of.get(feature, feature)) not in keepers
    )
    n_carried = sum(1 for representatives in keepers.values() if representatives)
    console().print(
        f"\nOf the {_N_PLANTED} planted features {n_carried} are kept, themselves or as a copy; of "
        f"the {_N_NOISE + _N_CONSTANT} others {n_noise}:"
    )
    for feature, representatives in keepers.items():
        cost = f"costs {made.costs[feature]:g}"
        console().print(
            f"  {names[feature]:4s} {cost:9s} {', '.join(representatives) or 'dropped'}"
        )

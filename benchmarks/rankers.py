"""How long every ranker of the catalog trains on MQ2008's fold 1, beside LightGBM."""

from __future__ import annotations

import warnings
from functools import partial

import lightgbm
import numpy as np

from benchmarks.datasets import described, generated_small, letor_train
from benchmarks.timing import best_of
from ranksieve import RankingData, catalog
from ranksieve.errors import ConvergenceWarning
from ranksieve.threads import n_threads

LIMIT_SECONDS, LIMIT_RATIO = 20, 10
# The kernel machine is measured, but has no limit.
WITHOUT_LIMIT = ("KernelRankSVM",)
# Variants beside the defaults.
VARIANTS = (
    "RankNet(n_hidden=10)",
    "ListNet(n_hidden=10)",
    "RankSVMStruct(C=0.01)",
    "SVMMAP(C=100.0)",
)


def light_gbm(data: RankingData) -> lightgbm.Booster:
    """LightGBM by itself: lambdarank, 100 trees of 31 leaves."""
    parameters = {"objective": "lambdarank", "num_threads": n_threads(), "verbose": -1}
    train = lightgbm.Dataset(
        np.ascontiguousarray(data.X), data.y, group=np.diff(data.query_ptr), params=parameters
    )
    return lightgbm.train(parameters, train, 100)


def main() -> None:
    data = letor_train("MQ2008")
    name = "MQ2008 fold 1"
    if data is None:
        data, name = generated_small(), "generated"
    print("Training of every ranker, defaults unless shown, beside LightGBM's own")
    print(f"  {described(name, data)}; limits {LIMIT_SECONDS} s and {LIMIT_RATIO} times LightGBM")
    peer, _ = best_of(3, partial(light_gbm, data))
    print(f"    {'LightGBM alone, lambdarank, 100 trees':44s} {peer:8.3f} s")
    defaults = [f"{entry.class_name}()" for entry in catalog.entries("rankers")]
    for text in sorted([*defaults, *VARIANTS]):
        ranker = catalog.parse(text, "rankers")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            seconds, model = best_of(2, partial(ranker.fit, data))
        rounds = getattr(model, "n_iter_", None)
        print(
            f"    {text:44s} {seconds:8.3f} s  {seconds / peer:6.2f} times LightGBM"
            + (f"  {rounds} rounds" if rounds is not None else "")
            + ("  (no limit)" if type(model).__name__ in WITHOUT_LIMIT else "")
        )


if __name__ == "__main__":
    main()

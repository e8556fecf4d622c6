"""RankSVM beside its published figures on OHSUMED and MQ2008.

    make reproduce

Five folds: train on the train part, choose C on the validation part by MAP, report the mean
over the test parts, in LETOR's convention. Writes docs/published.md.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np

import ranksieve
from ranksieve import MAP, NDCG, RankSVM
from ranksieve.data import letor_folds
from ranksieve.data.folds import Fold

GRID = [10.0**exponent for exponent in np.arange(-6.0, 2.01, 0.5)]
# MAP and NDCG@10 of "RankSVM-primal" in Table II of the FSMRank paper (Lai et al., 2013).
PUBLISHED = {"OHSUMED": (0.4446, 0.4504), "MQ2008": (0.4744, 0.2309)}
MEASURES = (MAP(convention="letor"), NDCG(10, convention="letor"))
ROOT = Path(__file__).parents[1]
PLACES = (os.environ.get("RANKSIEVE_DATA", ""), str(ROOT.parent / "shared" / "data"))


def data_folder() -> Path | None:
    return next(
        (Path(candidate) for candidate in PLACES if candidate and Path(candidate).is_dir()), None
    )


def measured(measure, model, data) -> float:
    return measure(data.y, model.predict(data), qid=data.qid)


@cache
def folds_of(folder: Path) -> tuple[Fold, ...]:
    """Return a data set's folds, whose parts are read once."""
    return tuple(letor_folds(folder))


def five_folds(folder: Path) -> list[dict[str, object]]:
    """One row per fold: the chosen C, the gap of its fit, and the test measures."""
    rows = []
    for fold in folds_of(folder):
        models = [RankSVM(C=C).fit(fold.train) for C in GRID]
        best = max(models, key=lambda model: measured(MEASURES[0], model, fold.vali))
        values = [measured(measure, best, fold.test) for measure in MEASURES]
        rows.append({"fold": fold.name, "C": best.C, "gap": best.gap_, "values": values})
    return rows


def page(results: dict[str, list[dict[str, object]]]) -> str:
    lines = [
        "# RankSVM beside its published figures",
        "",
        f"Written by `make reproduce` with ranksieve {ranksieve.__version__}. Five folds; C from "
        f"{GRID[0]:g} to {GRID[-1]:g} in half decades, chosen on the validation part by MAP; "
        "LETOR's convention; the mean over the test parts.",
        "",
        "| data | measure | published | ranksieve | difference |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for name, rows in results.items():
        means = np.mean([row["values"] for row in rows], axis=0)
        for measure, mean, published in zip(MEASURES, means, PUBLISHED[name], strict=True):
            lines.append(
                f"| {name} | {measure} | {published:.4f} | {mean:.4f} | {mean - published:+.4f} |"
            )
    lines += ["", "| data | fold | C | relative gap | MAP | NDCG@10 |"]
    lines += ["| --- | --- | ---: | ---: | ---: | ---: |"]
    for name, rows in results.items():
        for row in rows:
            values = " | ".join(f"{value:.4f}" for value in row["values"])
            chosen = f"{row['C']:.2g} | {row['gap']:.0e}"
            lines.append(f"| {name} | {row['fold']} | {chosen} | {values} |")
    return "\n".join([*lines, ""])


def main() -> None:
    folder = data_folder()
    if folder is None:
        sys.exit("OHSUMED and MQ2008 are absent: set RANKSIEVE_DATA to the folder with them.")
    text = page({name: five_folds(folder / name) for name in PUBLISHED})
    (ROOT / "docs" / "published.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

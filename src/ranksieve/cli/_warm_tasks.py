"""What `ranksieve warm` runs in processes of its own: small examples of the usual commands.

A process is given names of tasks, and prints the number of functions that it compiled after each.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ranksieve.packages import import_less

if TYPE_CHECKING:
    from ranksieve.data import RankingData

# Long enough for each way of the kernels: some choose by the number of documents of a query, and
# few documents in all are sorted by numpy.
_QUERIES, _DOCUMENTS = 110, 40


def _select(folder: Path) -> None:
    import numpy as np

    from ranksieve import GAS, TopK, load
    from ranksieve.kernels.importance.ranked import rank_columns_by_radix

    load(_text(folder, number="e"))
    data = load(_text(folder))
    # Only for more values than these: those of the example are ranked by numpy.
    order, group_end = np.empty((2, data.n_features, data.n_documents), dtype=np.int32)
    rank_columns_by_radix(data.X, data.query_ptr, order, group_end)
    for importance in ("ndcg@10", "map"):
        GAS(2, importance=importance).fit(data)
        TopK(importance, n_features_to_select=2).fit(data)
    _ = data.fingerprint


def _train(folder: Path) -> None:
    from ranksieve import MAP, NDCG, RankSVM

    data = _generated()
    RankSVM(C=1.0).fit(data)
    scores = RankSVM().fit(data).predict(data.X)
    for measure in (NDCG(10), MAP()):
        measure.per_query(data.y, scores, qid=data.qid)


def _sparse(folder: Path) -> None:
    from ranksieve import SparseRankSVM

    data = _generated()
    SparseRankSVM().fit(data)
    SparseRankSVM("mcp", n_features_to_select=2).fit(data)


def _fsmrank(folder: Path) -> None:
    from ranksieve import FSMRank

    FSMRank(n_features_to_select=2).fit(_generated())


def _sieve(folder: Path) -> None:
    from ranksieve import Sieve, load

    Sieve(cv=2, repeats=1).fit(load(_text(folder)))


def _compare(folder: Path) -> None:
    from ranksieve.cli import main

    options = ["--k", "2,all", "--tune", "ranker-first", "--workers", "1"]
    main(["compare", str(_text(folder)), *options, "--store", str(folder / "runs.db")])


# In the order in which they begin: those that share most kernels are not side by side.
TASKS: dict[str, Callable[[Path], None]] = {
    "select": _select,
    "train": _train,
    "fsmrank": _fsmrank,
    "sparse": _sparse,
    "sieve": _sieve,
    "compare": _compare,
}


def _generated() -> RankingData:
    from ranksieve import make_ranking

    return make_ranking(_QUERIES, _DOCUMENTS, n_relevant=2, n_redundant=1, n_irrelevant=3)[0]


def _text(folder: Path, number: str = "f") -> Path:
    """Write the data as text, without the kernels that write text: they are seldom needed.

    Numbers with an exponent (`number="e"`) are read by another kernel than others.
    """
    data, path = _generated(), folder / "train.txt"
    with path.open("w", encoding="ascii") as file:
        for row in range(data.n_documents):
            values = " ".join(
                f"{k}:{value:.6{number}}" for k, value in enumerate(data.X[row], start=1)
            )
            file.write(f"{data.y[row]:g} qid:{data.qid[row]} {values} # docid = {row}\n")
    return path


def main() -> None:
    """Run the tasks whose names come as lines on standard input, and answer with counts."""
    import_less()
    from ranksieve.cli._compiling import Compiling
    from ranksieve.kernels.columns import scans  # noqa: F401 - the first kernels ask for a folder

    compiling = Compiling()
    compiling.listen()
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        _check_kept()
        before = compiling.n_compiled
        with tempfile.TemporaryDirectory() as folder:
            try:
                TASKS[line.strip()](Path(folder))
            except SystemExit as error:
                if error.code:
                    raise
        _check_kept()
        print(compiling.n_compiled - before, file=answers, flush=True)


def _check_kept() -> None:
    from ranksieve.kernels.compile_cache import cannot_keep

    if cannot_keep():
        raise SystemExit("compiled code cannot be kept")


if __name__ == "__main__":
    main()

"""The last part of the demo: a comparison of methods, and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ranksieve.errors import MissingDependencyError

if TYPE_CHECKING:
    from ranksieve.data import RankingData

FOLDER = "ranksieve-demo"
_SELECTORS = {
    "TopK": 'TopK("ndcg@10")',
    "GAS": 'GAS(importance="ndcg@10", balance=[0, 0.1, 1])',
    "FS-SCPR": "FSSCPR",
    "RankFilter": "RankFilter",
    "FSMRank": "FSMRank(similarity_strength=0.01, importance_strength=[0.001, 0.01, 0.1])",
    "SparseRankSVM": 'SparseRankSVM("mcp", strength=[0.001, 0.01, 0.03, 0.1])',
}
_RANKERS = {"RankSVM": "RankSVM(C=[0.0001, 0.01])"}
_NUMBERS = (1, 2, 4, 8, 16, 24, "all")


def write_report(data: RankingData, folder: Path) -> Path | None:
    """Compare methods on the data and write a report; None where its packages are absent."""
    from ranksieve.data import write_text
    from ranksieve.data.atomic import replacing
    from ranksieve.experiment import Study, compare
    from ranksieve.sources.queryfolds import QueryFolds
    from ranksieve.threads import n_threads

    folder.mkdir(parents=True, exist_ok=True)
    # What an earlier demo left may be of other code.
    for name in ("runs.db", "runs.db-wal", "runs.db-shm", "runs.db-owners"):
        (folder / name).unlink(missing_ok=True)
    write_text(data, folder / "generated.txt")
    study = Study(
        [QueryFolds(str(folder / "generated.txt"), n_folds=4)],
        _SELECTORS,
        _RANKERS,
        numbers=_NUMBERS,
        title="Generated data: 8 features that matter, their copies, and noise",
    )
    results = compare(
        study, folder / "runs.db", workers=min(n_threads(), 2), command="ranksieve demo"
    )
    try:
        from ranksieve.report import study_page

        page = study_page(results)
    except MissingDependencyError:
        return None
    with replacing(folder / "report.html") as temporary:
        temporary.write_text(page, encoding="utf-8")
    return folder / "report.html"

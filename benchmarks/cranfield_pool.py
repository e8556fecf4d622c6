"""What judged documents behind the pool give away: NDCG@10 on Cranfield with and without them.

python -m benchmarks.cranfield_pool      the numbers of docs/text.md, in a minute
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.published import data_folder
from ranksieve import NDCG, LightGBMRanker, RankSVM
from ranksieve.data import k_folds
from ranksieve.extract import extract_features, read_collection

POOL = 100


def main() -> None:
    folder = data_folder()
    if folder is None or not (folder / "cranfield").is_dir():
        sys.exit("Cranfield is absent: set RANKSIEVE_DATA to the folder with cranfield/.")
    files = [folder / "cranfield" / name for name in ("cran.all.1400", "cran.qry", "cranqrel")]
    collection = read_collection(*files)
    for within in (False, True):
        extraction = extract_features(collection, pool=POOL, within_pool=within, scaling="minmax")
        data = extraction.data
        print(f"within_pool={within}: {data}. {extraction.notes[0]}")
        scores = data.X[:, data.feature_names.index("both.bm25")]
        print(f"  both.bm25           {NDCG(10)(data.y, scores, qid=data.qid):.4f}")
        for ranker in (LightGBMRanker(), RankSVM(C=0.001)):
            values = [
                NDCG(10)(test.y, ranker.fit(train).predict(test), qid=test.qid)
                for train, test in k_folds(data, 5)
            ]
            print(f"  {type(ranker).__name__:<19} {np.mean(values):.4f}")


if __name__ == "__main__":
    main()

"""Figure 8 and Table 1 of the RankWrapper paper on Cranfield's words: docs/figure-8.json and .svg.

For each query, one TF-IDF feature per word of its documents: the judged ones, and the first 100 by
BM25 (Cranfield judges few; OHSUMED, which the paper has, judges about 150 per query). A RankSVM
learns the grades, and its scores are the order to learn. In three folds of the documents, dealt
three times, a selector
drops the worse half of the words, weighs the others again, and so on to one word; after each round
RankSVM with a kernel is trained on two folds and measured on the third by Kendall's tau. As in the
paper the parameters of the kernel are those with the highest tau on the folds that are tested; the
second setting, fixed beforehand, is stored beside it. `random` drops words by lot.

    python -m benchmarks.figure_8            what is not stored yet (20 minutes on one core)
    python -m benchmarks.figure_8 --again    everything
    python -m benchmarks.figure_8 --page     only the figure and the tables of docs/text.md
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.published import data_folder
from ranksieve import KendallTau, KernelRankSVM, RankingData, RankSVM, RankWrapper, RReliefF, load
from ranksieve.data.atomic import replacing
from ranksieve.extract import extract_words, read_collection
from ranksieve.threads import threads

DOCS = Path(__file__).parents[1] / "docs"
STORE = DOCS / "figure-8.json"
# The first queries with enough judged documents to be learnt from, as many as in the paper.
N_QUERIES, FEWEST_GRADED, POOL, N_FOLDS, N_DEALS = 10, 5, 100, 3, 3
ORDER = RankSVM(C=0.001)
SELECTORS = ("RankWrapper", "RReliefF", "random")
CS, DEGREES, WIDTHS = (0.001, 0.01, 0.1), (2, 3), (0.3, 3.0)
KERNELS = ("linear", "polynomial", "rbf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="run what is stored too")
    parser.add_argument("--page", action="store_true", help="only write the figure and the tables")
    options = parser.parse_args()
    if not options.page:
        run(again=options.again)
    from benchmarks.figure_8_page import write_page

    write_page(json.loads(STORE.read_text("utf-8")))


def run(*, again: bool = False) -> None:
    """Run the queries that are not stored, and store each when it is finished."""
    queries = [] if again or not STORE.exists() else json.loads(STORE.read_text("utf-8"))
    stored = {query["query"] for query in queries}
    for number, (query_id, data, n_graded) in enumerate(query_data(), start=1):
        if query_id in stored:
            continue
        print(f"query {query_id}, {number} of {N_QUERIES}: {data}", file=sys.stderr)
        with threads(1), threadpool_limits(1):
            rows = list(query_rows(data))
        queries.append(
            {
                "query": query_id,
                "documents": data.n_documents,
                "graded": n_graded,
                "words": data.n_features,
                "rows": rows,
            }
        )
        with replacing(STORE) as temporary:
            lines = ",\n".join(json.dumps(query) for query in queries)
            temporary.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def query_data() -> Iterator[tuple[int, RankingData, int]]:
    """Yield the queries: id, documents by words with learnt scores as grades, judged documents."""
    folder = data_folder()
    if folder is None or not (folder / "cranfield").is_dir():
        sys.exit("Cranfield is absent: set RANKSIEVE_DATA to the folder with cranfield/.")
    files = [folder / "cranfield" / name for name in ("cran.all.1400", "cran.qry", "cranqrel")]
    collection = read_collection(*files)
    graded = {
        int(query.id): sum(grade is not None for grade in query.grades.values())
        for query in collection.queries
    }
    n_yielded = 0
    for words in extract_words(collection, pool=POOL):
        if graded[words.query_id] < FEWEST_GRADED:
            continue
        data = words.data()
        with threads(1), threadpool_limits(1):
            scores = ORDER.fit(data).predict(data)
        yield (
            words.query_id,
            load((data.X, scores - scores.min(), np.zeros(len(scores), dtype=int))),
            graded[words.query_id],
        )
        n_yielded += 1
        if n_yielded == N_QUERIES:
            return


def query_rows(data: RankingData) -> Iterator[dict]:
    """Yield a row for each selector, kernel and number of words, with the tau of each setting."""
    for selector in SELECTORS:
        taus: dict[tuple[int, str], list[list[float]]] = {}
        for deal, fold in product(range(N_DEALS), range(N_FOLDS)):
            folds = np.random.default_rng(deal).permutation(data.n_documents) % N_FOLDS
            train, test = part(data, folds != fold), part(data, folds == fold)
            for words in rounds(train, selector, seed=N_FOLDS * deal + fold):
                trained, tested = train.features(words).gathered(), test.features(words).gathered()
                for kernel in KERNELS:
                    values = [tau(ranker, trained, tested) for ranker in rankers(kernel, trained)]
                    taus.setdefault((len(words), kernel), []).append(values)
        for (n_words, kernel), values in taus.items():
            means = [round(float(value), 5) for value in np.mean(values, axis=0)]
            yield {"selector": selector, "kernel": kernel, "words": n_words, "tau": means}


def part(data: RankingData, rows: np.ndarray) -> RankingData:
    return load((data.X[rows], data.y[rows], data.qid[rows]))


def rounds(train: RankingData, selector: str, *, seed: int) -> Iterator[np.ndarray]:
    """Yield the words that are left: all, half of them, and so on to one."""
    words = np.arange(train.n_features)
    if selector == "random":
        words = np.random.default_rng(seed).permutation(train.n_features)
    method = {"RankWrapper": RankWrapper, "RReliefF": RReliefF}.get(selector)
    while True:
        yield words
        if len(words) == 1:
            return
        if method is not None:
            order = method(ranker=None).fit(train.features(words).gathered()).order_
            words = words[order]
        words = words[: len(words) // 2]


def rankers(kernel: str, train: RankingData) -> list[KernelRankSVM]:
    """The settings that are tried; the second is the fixed one: C = 0.01."""
    if kernel == "linear":
        return [KernelRankSVM("linear", C=C) for C in CS]
    if kernel == "polynomial":
        return [KernelRankSVM(kernel, C=C, degree=degree) for degree in DEGREES for C in CS]
    scale = 1.0 / max(float(train.X.var(axis=0).sum()), 1e-12)
    return [KernelRankSVM(kernel, C=C, gamma=width * scale) for width in WIDTHS for C in CS]


def tau(ranker: KernelRankSVM, train: RankingData, test: RankingData) -> float:
    return float(KendallTau()(test.y, ranker.fit(train).predict(test), qid=test.qid))


if __name__ == "__main__":
    main()

"""Features from text: 100,000 generated documents and 1,000 queries, and BM25 beside bm25s."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from benchmarks.timing import best_of, in_own_process, timed

N_DOCUMENTS, N_QUERIES, POOL, N_WORDS = 100_000, 1_000, 100, 60_000
AIM_SECONDS = 180.0
_LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def main() -> None:
    print("Features from text (both by their own process)")
    for n_documents in (N_DOCUMENTS // 4, N_DOCUMENTS):
        in_own_process("benchmarks.extracting", str(n_documents))


def measure(n_documents: int) -> None:
    from ranksieve.extract import read_collection, write_features
    from ranksieve.threads import n_threads

    with tempfile.TemporaryDirectory() as folder:
        files, n_bytes = generate(Path(folder), n_documents, N_QUERIES)
        started, before = perf_counter(), process_time() + children()
        reading, collection = timed(lambda: read_collection(*files))
        read_cpu = process_time() + children() - before
        writing, written = timed(
            lambda: write_features(collection, Path(folder) / "features.parquet", pool=POOL)
        )
        seconds = perf_counter() - started
        cpu = process_time() + children() - before
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        words = len(collection.index.tokens)
        print(
            f"  {n_documents:,} documents ({n_bytes / 1e6:.0f} MB, {words:,} words), "
            f"{N_QUERIES:,} queries, {written.n_documents:,} rows, "
            f"{len(written.feature_names)} features, {n_threads()} cores"
        )
        aim = f"   (aim: {AIM_SECONDS:.0f} s)" if n_documents == N_DOCUMENTS else ""
        print(f"    all of it             {seconds:7.1f} s   {cpu:6.1f} s of processor{aim}")
        print(f"    reading and indexing  {reading:7.1f} s   {read_cpu:6.1f} s of processor")
        print(f"    features, 100 by BM25 {writing:7.1f} s   {cpu - read_cpu:6.1f} s of processor")
        print(f"    peak memory           {peak:7.0f} MB  {peak * 1e6 / n_bytes:6.1f} of the text")
        if n_documents == N_DOCUMENTS:
            beside_bm25s(collection)


def beside_bm25s(collection) -> None:
    """The first 100 documents of each query by BM25: our pool, and bm25s on the same terms."""
    import bm25s

    from ranksieve.extract.candidates import Pool

    index = collection.index
    names = list(index.terms)
    texts = [
        [names[token] for token in index.tokens[start:stop] if token >= 0]
        for start, stop in zip(index.starts[:-1], index.starts[1:], strict=True)
    ]
    queries = [[names[term] for term in query.terms if term >= 0] for query in collection.queries]

    def ours_index():
        pool = Pool(collection)
        pool.best(collection.queries[0], POOL)
        return pool

    def theirs_index():
        library = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        library.index(texts, show_progress=False)
        return library

    ours_build, pool = timed(ours_index)
    theirs_build, library = timed(theirs_index)
    ours, best = best_of(1, lambda: [pool.best(query, POOL) for query in collection.queries])
    theirs, (_, scores) = best_of(
        1, lambda: library.retrieve(queries, k=POOL, show_progress=False, n_threads=0)
    )
    difference = max(
        float(np.abs(np.sort(pool.scores(query)[documents])[::-1] - row[: len(documents)]).max())
        for query, documents, row in zip(collection.queries, best, scores, strict=True)
    )
    print(
        f"  BM25: the first {POOL} of {index.n_documents:,} documents for {len(queries):,} queries"
    )
    print(f"    ranksieve   {ours:7.2f} s, weights from the index  {ours_build:7.2f} s")
    print(f"    bm25s       {theirs:7.2f} s, weights from words      {theirs_build:7.2f} s")
    print(f"    ratio       {theirs / ours:7.2f}, of weights {theirs_build / ours_build:.1f}")
    print(f"    largest difference of a score {difference:.1e}")


def generate(folder: Path, n_documents: int, n_queries: int) -> tuple[list[Path], int]:
    """Write documents of 20 to 180 words by Zipf's law, and queries of 2 to 6 of their words."""
    draw = np.random.default_rng(0)
    lengths = draw.integers(3, 10, N_WORDS)
    vocabulary = np.array(["".join(draw.choice(_LETTERS, length)) for length in lengths])
    share = 1.0 / np.arange(1, N_WORDS + 1)
    limits = np.cumsum(share / share.sum())
    files = [folder / name for name in ("documents.jsonl", "queries.jsonl", "qrels.txt")]
    texts = []
    with files[0].open("w") as file:
        for number in range(n_documents):
            words = vocabulary[np.searchsorted(limits, draw.random(draw.integers(20, 181)))]
            title, text = " ".join(words[:8]), " ".join(words)
            file.write(json.dumps({"_id": f"d{number}", "title": title, "text": text}) + "\n")
            if number % (n_documents // n_queries) == 0:
                texts.append((f"d{number}", words))
    with files[1].open("w") as queries, files[2].open("w") as qrels:
        for number, (document, words) in enumerate(texts[:n_queries]):
            asked = " ".join(draw.choice(words, draw.integers(2, 7)))
            queries.write(json.dumps({"_id": str(number), "text": asked}) + "\n")
            qrels.write(f"{number} 0 {document} 1\n")
    return files, files[0].stat().st_size


def children() -> float:
    """Seconds of processor of the processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    measure(int(sys.argv[1]))

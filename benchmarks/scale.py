"""Data larger than memory, and a cluster, beside memory and threads: docs/scale-figures.md.

    python -m benchmarks.scale                    # everything, a quarter of an hour, 12 GB of disk
    python -m benchmarks.scale --only disk        # blocks on disk beside memory
    python -m benchmarks.scale --only cluster     # two workers beside two threads
    python -m benchmarks.scale --only growth      # exponents over rows and features
    python -m benchmarks.scale --only convert     # text to Parquet
    python -m benchmarks.scale --rows 1000000     # fewer documents on disk

Each side runs in a process of its own, so that its peak of memory is that of this work alone. The
figures are stored as soon as a part is finished; docs/scale.md shows them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale_page import page
from ranksieve import GAS, FSMRank, RankFilter, RankingData, SparseRankSVM, load, make_ranking
from ranksieve.data import Block, convert, write_parquet, write_text
from ranksieve.data.atomic import replacing
from ranksieve.importance import as_importance
from ranksieve.similarity import as_similarity

DOCS = Path(__file__).parents[1] / "docs"
STORE, PAGE = DOCS / "scale.json", DOCS / "scale-figures.md"
# Documents on disk and in memory; queries of about 120 documents, as in MSLR.
ON_DISK, IN_MEMORY, DOCUMENTS = 10_000_000, 2_270_000, 120
SHAPE = {"n_relevant": 30, "n_redundant": 30, "n_irrelevant": 66, "n_constant": 10}
MEMORY = "2GiB"
# Documents of one generated tile; the others are the same with noise of their own.
TILE = 200_000
PARTS = ("disk", "cluster", "growth", "convert")
# One strength each: a path would take as many solves on both sides.
METHODS: dict[str, Callable[[], Any]] = {
    "GAS": lambda: GAS(10, importance="ndcg@10"),
    "FSMRank": lambda: FSMRank(importance_strength=0.01),
    "l1 RankSVM": lambda: SparseRankSVM(strength=0.01),
}


def main() -> None:
    options = _arguments()
    if options.measure:
        print(json.dumps(MEASURES[options.measure[0]](*options.measure[1:])))
        return
    content = json.loads(STORE.read_text("utf-8")) if STORE.exists() else {}
    for part in options.only or PARTS:
        content[part] = RUNS[part](options.rows)
        content["made with"] = {"Python": platform.python_version(), "numpy": np.__version__}
        with replacing(STORE) as temporary:
            temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    with replacing(PAGE) as temporary:
        temporary.write_text("\n".join(page(content)), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, help="these parts alone")
    parser.add_argument("--rows", type=int, default=ON_DISK, help="documents on disk")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def in_process(*arguments: Any) -> dict[str, Any]:
    """What one side measures, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--measure", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    result: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    print(" ".join(map(str, arguments)), result, flush=True)
    return result


def tiles(n_documents: int) -> Iterator[Block]:
    """Blocks of generated data: a tile with a little noise of its own each time."""
    data, _ = make_ranking(TILE // DOCUMENTS, DOCUMENTS, **SHAPE, random_state=0)
    X, y, query_ptr = data.X, data.y, data.query_ptr
    rng = np.random.default_rng(1)
    n_queries = n_done = 0
    while n_done < n_documents:
        noise = rng.random(size=X.T.shape, dtype=np.float32).T
        noise -= 0.5
        noise *= 0.1
        noise += X
        noise[:, np.ptp(X, axis=0) == 0] = 0.0
        ids = np.arange(n_queries, n_queries + len(query_ptr) - 1)
        yield Block(np.asfortranarray(noise), y, query_ptr, ids, None, n_done)
        n_queries += len(ids)
        n_done += len(y)


def names() -> list[str]:
    return [str(number) for number in range(1, sum(SHAPE.values()) + 1)]


def in_memory(n_documents: int) -> RankingData:
    return RankingData(list(tiles(n_documents)), names())


def run_disk(rows: int) -> dict[str, Any]:
    """Each method on disk, with a limit of memory, and per document beside one in memory."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("RANKSIEVE_SPILL")) as folder:
        path = Path(folder) / "large.parquet"
        write_parquet(tiles(rows), path, feature_names=names())
        size = path.stat().st_size
        results = {
            name: {
                "disk": in_process("disk", path, name),
                "memory": in_process("memory", min(rows, IN_MEMORY), name),
            }
            for name in METHODS
        }
    return {"rows": rows, "bytes of Parquet": size, "methods": results}


def measure_disk(path: str, name: str) -> dict[str, Any]:
    started = time.perf_counter()
    data = load(path, memory=MEMORY)
    loading = time.perf_counter() - started
    assert data.on_disk or data.n_bytes < 2 << 30
    return {"documents": data.n_documents, "loading": loading, **_fitted(name, data)}


def measure_memory(rows: str, name: str) -> dict[str, Any]:
    data = in_memory(int(rows))
    return {"documents": data.n_documents, **_fitted(name, data)}


def _fitted(name: str, data: RankingData) -> dict[str, Any]:
    _compile(name)
    started, cpu = time.perf_counter(), time.process_time()
    selector = METHODS[name]().fit(data)
    return {
        "seconds": time.perf_counter() - started,
        "CPU seconds": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "first": [int(feature) for feature in selector.order_[:10]],
    }


def _compile(name: str) -> None:
    METHODS[name]().fit(make_ranking(400, DOCUMENTS, **SHAPE, random_state=1)[0])


def run_cluster(rows: int) -> dict[str, Any]:
    """Each method on two workers of one thread beside two threads, and what a pass costs."""
    n_documents = min(rows, IN_MEMORY)
    results = {
        name: {
            "threads": in_process("memory", n_documents, name),
            "workers": in_process("workers", n_documents, name),
        }
        for name in METHODS
    }
    return {"rows": n_documents, "methods": results, "pass": in_process("pass")}


def measure_workers(rows: str, name: str) -> dict[str, Any]:
    from ranksieve.passes.cluster import cluster, place

    with cluster("local:2"):
        # As much as both workers get some of: each has to load what is compiled.
        METHODS[name]().fit(place(make_ranking(1500, DOCUMENTS, **SHAPE, random_state=1)[0]))
        data = in_memory(int(rows))
        started = time.perf_counter()
        placed = place(data)
        placing = time.perf_counter() - started
        started = time.perf_counter()
        selector = METHODS[name]().fit(placed)
        seconds = time.perf_counter() - started
    first = [int(feature) for feature in selector.order_[:10]]
    return {"documents": data.n_documents, "placing": placing, "seconds": seconds, "first": first}


def measure_pass() -> dict[str, Any]:
    """The least time of a pass over little data, with nothing to do: what a pass adds."""
    from ranksieve.passes import run
    from ranksieve.passes.cluster import cluster, place
    from ranksieve.passes.units import _LargestPass

    with cluster("local:2"):
        placed = place(make_ranking(4000, 20, n_irrelevant=8)[0])
        times = []
        for _ in range(30):
            started = time.perf_counter()
            run(_LargestPass(), placed, label="")
            times.append(time.perf_counter() - started)
    return {"seconds": min(times), "median": sorted(times)[len(times) // 2]}


def run_growth(_: int) -> dict[str, Any]:
    """Exponents of time over a decade of documents, and one of features."""
    rows = {n: in_process("growing", n, 100) for n in (40_000, 126_000, 400_000)}
    features = {p: in_process("growing", 60_000, p) for p in (20, 63, 200)}
    return {"rows": _exponents(rows), "features": _exponents(features)}


def _exponents(results: dict[int, dict[str, Any]]) -> dict[str, Any]:
    sizes = np.log(list(results))
    names = next(iter(results.values()))
    seconds = {name: [result[name] for result in results.values()] for name in names}
    slopes = {name: float(np.polyfit(sizes, np.log(v), 1)[0]) for name, v in seconds.items()}
    return {"sizes": list(results), "seconds": seconds, "exponents": slopes}


def measure_growing(rows: str, features: str) -> dict[str, Any]:
    n_features = int(features)
    shape = {"n_relevant": 4, "n_redundant": 4, "n_irrelevant": n_features - 8}
    data, _ = make_ranking(int(rows) // 40, 40, **shape, random_state=0)
    small, _ = make_ranking(100, 40, n_relevant=4, n_redundant=4, n_irrelevant=8, random_state=1)
    calls: dict[str, Callable[[RankingData], Any]] = {
        "importance ndcg@10": lambda each: as_importance("ndcg@10").scores(each),
        "similarity kendall": lambda each: as_similarity("kendall").matrix(each),
        "similarity spearman": lambda each: as_similarity("spearman").matrix(each),
        "GAS": lambda each: GAS(10, importance="ndcg@10").fit(each),
        "RankFilter, 1,000 visited": lambda each: RankFilter(10, n_samples=1000).fit(each),
        "l1 RankSVM": lambda each: SparseRankSVM(strength=0.01).fit(each),
        "FSMRank": lambda each: FSMRank(importance_strength=0.01).fit(each),
    }
    return {name: _best(call, data, small) for name, call in calls.items()}


def _best(call: Callable[[RankingData], Any], data: RankingData, small: RankingData) -> float:
    """CPU seconds, the better of two, with everything compiled."""
    call(small)
    times = []
    for _ in range(2):
        started = time.process_time()
        call(data)
        times.append(time.process_time() - started)
    return min(times)


def run_convert(_: int) -> dict[str, Any]:
    """Text to Parquet: bytes of text a second, and the peak of memory, at two sizes."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("RANKSIEVE_SPILL")) as folder:
        results = []
        for n_tiles in (1, 3):
            path = Path(folder) / f"{n_tiles}.txt"
            write_text(tiles(n_tiles * TILE), path, feature_names=names())
            results.append(in_process("converting", path))
            path.unlink()
    return {"sizes": results}


def measure_converting(path: str) -> dict[str, Any]:
    source = Path(path)
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        small = Path(folder) / "small.txt"
        write_text(make_ranking(50)[0], small)
        convert(small, Path(folder) / "small.parquet")
        started, cpu = time.perf_counter(), time.process_time()
        convert(source, Path(folder) / "large.parquet")
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    size = source.stat().st_size
    return {
        "bytes": size,
        "seconds": seconds,
        "CPU seconds": cpu,
        "MB a second": size / seconds / 1e6,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


RUNS = {"disk": run_disk, "cluster": run_cluster, "growth": run_growth, "convert": run_convert}
MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "disk": measure_disk,
    "memory": measure_memory,
    "workers": measure_workers,
    "pass": measure_pass,
    "growing": measure_growing,
    "converting": measure_converting,
}

if __name__ == "__main__":
    main()

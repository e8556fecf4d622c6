"""docs/scale-figures.md: what data on disk and on a cluster costs, from docs/scale.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# What the model is asked for, and how many workers that have one thread each.
TARGET_ROWS, TARGET_FEATURES, TARGET_WORKERS = 100_000_000, 1_000, 64
# Passes of one fit of each method, counted on 400,000 documents of this data, and the power of the
# number of features with which its time is taken to grow.
PASSES = {"GAS": 4, "FSMRank": 16, "l1 RankSVM": 17}
POWERS = {"GAS": 2, "FSMRank": 1, "l1 RankSVM": 1}
N_FEATURES = 136
MOST_TIMES, MOST_MEMORY, MOST_CLUSTER, MOST_PASS = 1.5, 2 << 30, 1.3, 0.05
LEAST_SPEED, MOST_CONVERTING = 150, 1 << 30


def page(content: dict[str, Any]) -> Iterator[str]:
    """The lines of the page; parts that are not measured yet are left out."""
    yield "# What data on disk and on a cluster costs"
    yield ""
    yield (
        "Written by `make bench-scale` from [scale.json](scale.json), on two cores; both sides of "
        "each ratio in one run, each in a process of its own. How it works is in "
        "[scale.md](scale.md)."
    )
    for name, section in SECTIONS.items():
        if name in content:
            yield ""
            yield from section(content)
    yield ""


def _disk(content: dict[str, Any]) -> Iterator[str]:
    part = content["disk"]
    yield "## On disk beside in memory"
    yield ""
    yield (
        f"Generated data with {N_FEATURES} features, float32: {part['rows']:,} documents from a "
        f"Parquet file of {part['bytes of Parquet'] / 1e9:.1f} GB with `--memory 2GiB`, and fewer "
        "in memory. Seconds of the fit, loading apart; its peak is of the process, loading too."
    )
    yield ""
    yield (
        "| | documents on disk | seconds | in memory | seconds | times per document | aim | peak "
        "| aim | loading | same first 10 |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for name, sides in part["methods"].items():
        disk, memory = sides["disk"], sides["memory"]
        ratio = disk["seconds"] / disk["documents"] / (memory["seconds"] / memory["documents"])
        yield (
            f"| {name} | {disk['documents']:,} | {disk['seconds']:.1f} | {memory['documents']:,} | "
            f"{memory['seconds']:.1f} | {_marked(ratio, MOST_TIMES)} | {MOST_TIMES} | "
            f"{disk['peak'] / 2**30:.2f} GiB | {MOST_MEMORY / 2**30:.0f} GiB | "
            f"{disk['loading']:.1f} s | {_yes(set(disk['first']) == set(memory['first']))} |"
        )


def _cluster(content: dict[str, Any]) -> Iterator[str]:
    part = content["cluster"]
    yield "## Two workers beside two threads"
    yield ""
    yield f"{part['rows']:,} documents with {N_FEATURES} features, `local:2` beside two threads."
    yield ""
    yield "| | threads, s | workers, s | times | aim | sending the data, s | same features |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for name, sides in part["methods"].items():
        threads, workers = sides["threads"], sides["workers"]
        ratio = workers["seconds"] / threads["seconds"]
        yield (
            f"| {name} | {threads['seconds']:.1f} | {workers['seconds']:.1f} | "
            f"{_marked(ratio, MOST_CLUSTER)} | {MOST_CLUSTER} | {workers['placing']:.1f} | "
            f"{_yes(workers['first'] == threads['first'])} |"
        )
    least, median = part["pass"]["seconds"], part["pass"]["median"]
    yield ""
    yield (
        f"A pass over little data, with hardly anything to do: {1e3 * least:.0f} ms at the least, "
        f"{1e3 * median:.0f} ms in the middle of 30 (aim: {1e3 * MOST_PASS:.0f} ms)."
    )


def _growth(content: dict[str, Any]) -> Iterator[str]:
    part = content["growth"]
    yield "## Growth"
    yield ""
    yield (
        "Exponents of CPU seconds over a decade (1: twice the size takes twice the time): of "
        f"documents from {part['rows']['sizes'][0]:,} to {part['rows']['sizes'][-1]:,} with 100 "
        f"features, and of features from {part['features']['sizes'][0]} to "
        f"{part['features']['sizes'][-1]} with 60,000 documents."
    )
    yield ""
    yield "| | documents | s | features | s |"
    yield "| --- | ---: | --- | ---: | --- |"
    for name, by_rows in part["rows"]["exponents"].items():
        by_features = part["features"]["exponents"][name]
        seconds = [
            ", ".join(f"{value:.2g}" for value in part[kind]["seconds"][name])
            for kind in ("rows", "features")
        ]
        yield f"| {name} | {by_rows:.2f} | {seconds[0]} | {by_features:.2f} | {seconds[1]} |"


def _convert(content: dict[str, Any]) -> Iterator[str]:
    yield "## Text to Parquet"
    yield ""
    yield "| text, MB | seconds | MB a second | aim | peak | aim |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    for size in content["convert"]["sizes"]:
        speed = size["MB a second"]
        shown = f"{speed:.0f}" if speed >= LEAST_SPEED else f"**{speed:.0f}**"
        yield (
            f"| {size['bytes'] / 1e6:,.0f} | {size['seconds']:.1f} | {shown} | {LEAST_SPEED} | "
            f"{size['peak'] / 2**20:.0f} MiB | {MOST_CONVERTING / 2**20:.0f} MiB |"
        )


def _model(content: dict[str, Any]) -> Iterator[str]:
    """A model of the cost: its constant from two workers, checked on disk, and a prediction."""
    if "disk" not in content:
        return
    yield "## A model of the cost"
    yield ""
    yield (
        "    seconds = c * documents * features^e / workers + passes * overhead"
        "\n\nc is from two workers, as measured above; e is 1, and 2 for GAS, whose similarities "
        "are of all pairs of features (taken, not fitted: up to 200 features its measured exponent "
        "is lower, see below); passes are counted; the overhead is that of a pass, once for each "
        "worker. "
        "Checked: what it says of two threads over the documents on disk. Predicted: "
        f"{TARGET_ROWS:,} documents with {TARGET_FEATURES:,} features on {TARGET_WORKERS} workers "
        "of one thread, each as fast as a core here, with "
        f"{TARGET_ROWS * TARGET_FEATURES * 4 / TARGET_WORKERS / 2**30:.1f} GiB of features each, "
        "which nobody has tried here."
    )
    yield ""
    yield (
        "| | c, s per million documents and feature^e | passes | checked: predicted, s | "
        "measured, s | predicted for 64 workers, s |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    overhead = content["cluster"]["pass"]["median"] / 2
    for name, sides in content["cluster"]["methods"].items():
        power, passes = POWERS[name], PASSES[name]
        workers = sides["workers"]
        work = max(workers["seconds"] - passes * 2 * overhead, 0.0) * 2
        constant = work / workers["documents"] / N_FEATURES**power
        disk = content["disk"]["methods"][name]["disk"]
        checked = constant * disk["documents"] * N_FEATURES**power / 2
        target = constant * TARGET_ROWS * TARGET_FEATURES**power / TARGET_WORKERS
        target += passes * overhead * TARGET_WORKERS
        yield (
            f"| {name} | {1e6 * constant:.3g} | {passes} | {checked:.0f} | {disk['seconds']:.0f} | "
            f"{target:,.0f} |"
        )


def _marked(ratio: float, most: float) -> str:
    return f"{ratio:.2f}" if ratio <= most else f"**{ratio:.2f}**"


def _yes(holds: bool) -> str:
    return "yes" if holds else "**no**"


SECTIONS = {
    "disk": _disk,
    "cluster": lambda content: (*_cluster(content), "", *_model(content)),
    "growth": _growth,
    "convert": _convert,
}

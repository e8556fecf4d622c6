"""Cranfield end to end, by the commands of docs/text.md: extract, compare, report, sieve.

Results go into docs/: text-cranfield.json (what the commands print), text-cranfield.html (the page
of the comparison), text-sieve.html (the page of the sieve) and the tables of docs/text.md. A second
run does only what is missing in runs/cranfield; remove that folder to begin again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from benchmarks.cranfield_page import sieve_summary, summary, write_page
from benchmarks.published import data_folder
from ranksieve import load

ROOT = Path(__file__).parents[1]
WORK = ROOT / "runs" / "cranfield"
# What was extracted, once: costs are measured, and the sieve goes on with those that it began with.
EXTRACTED = WORK / "extract.json"
STORE = ROOT / "docs" / "text-cranfield.json"
EXTRACT = (
    "extract --documents cran.all.1400 --queries cran.qry --judgements cranqrel --pool 100 "
    "--within-pool --scale minmax -o cranfield.parquet --costs costs.csv --force"
)
COMPARE = (
    "compare cranfield.parquet --selectors all --rankers RankSVM,LightGBMRanker "
    "--tune ranker-first --store cranfield.db"
)
REPORT = "report cranfield.db -o cranfield.html"
SIEVE = "sieve cranfield.parquet --costs costs.csv -o sieved"
SIEVE_BY_NUMBER = "sieve cranfield.parquet -o sieved-number"
PAGES = {"cranfield.html": "text-cranfield.html", "sieved/report.html": "text-sieve.html"}


def main() -> None:
    if "--page" not in sys.argv:
        STORE.write_text(json.dumps(run(), indent=1) + "\n", encoding="utf-8")
    write_page(json.loads(STORE.read_text("utf-8")))


def run() -> dict:
    """Run the commands in order, each in a process of its own; return what they said."""
    folder = data_folder()
    if folder is None or not (folder / "cranfield").is_dir():
        sys.exit("Cranfield is absent: set RANKSIEVE_DATA to the folder with cranfield/.")
    WORK.mkdir(parents=True, exist_ok=True)
    for name in ("cran.all.1400", "cran.qry", "cranqrel"):
        (WORK / name).unlink(missing_ok=True)
        (WORK / name).symlink_to(folder / "cranfield" / name)
    if not EXTRACTED.exists():
        seconds, printed = call(EXTRACT)
        extract = {"seconds": round(seconds, 1), "said": printed.splitlines()}
        EXTRACTED.write_text(json.dumps(extract), encoding="utf-8")
    compared = json.loads(call(f"{COMPARE} --json")[1])
    call(f"{REPORT} --force")
    sieved = {
        title: sieve_summary(json.loads(call(f"{command} --json")[1]))
        for title, command in (("sieve", SIEVE), ("sieve by number", SIEVE_BY_NUMBER))
    }
    for source, target in PAGES.items():
        shutil.copyfile(WORK / source, ROOT / "docs" / target)
    names = list(load(WORK / "cranfield.parquet").feature_names)
    extract = json.loads(EXTRACTED.read_text("utf-8"))
    return {"extract": extract, "compare": summary(compared, names), **sieved}


def call(command: str) -> tuple[float, str]:
    """Run a command of ranksieve; return its seconds and its standard output."""
    print(f"$ ranksieve {command}", file=sys.stderr)
    started = perf_counter()
    program = str(Path(sys.executable).with_name("ranksieve"))
    output = subprocess.run(
        [program, *command.split()], cwd=WORK, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return perf_counter() - started, output


if __name__ == "__main__":
    main()

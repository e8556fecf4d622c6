"""Cranfield end to end, by the commands of docs/text.md: extract, compare, report, sieve.

Results go into docs/: text-cranfield.json (what the commands print), text-cranfield.html (the page
of the comparison), text-sieve.html (the page of the sieve) and the tables of docs/text.md. A second
run does only what is missing in runs/cranfield.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from benchmarks.cranfield_page import write_page
from benchmarks.published import data_folder

ROOT = Path(__file__).parents[1]
WORK = ROOT / "runs" / "cranfield"
STORE = ROOT / "docs" / "text-cranfield.json"
EXTRACT = (
    "extract --documents cran.all.1400 --queries cran.qry --judgements cranqrel --pool 100 "
    "--scale minmax -o cranfield.parquet --costs costs.csv --force"
)
COMPARE = (
    "compare cranfield.parquet --selectors all --rankers RankSVM,LightGBMRanker "
    "--tune ranker-first --store cranfield.db"
)
REPORT = "report cranfield.db -o cranfield.html"
SIEVE = "sieve cranfield.parquet --costs costs.csv -o sieved"
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
    seconds, extracted = call(EXTRACT)
    compared = call(f"{COMPARE} --json")[1]
    call(f"{REPORT} --force" if (WORK / "cranfield.html").exists() else REPORT)
    sieved = call(f"{SIEVE} --json")[1]
    for source, target in PAGES.items():
        shutil.copyfile(WORK / source, ROOT / "docs" / target)
    return {
        "extract": {"seconds": round(seconds, 1), "said": extracted.splitlines()},
        "compare": json.loads(compared),
        "sieve": json.loads(sieved),
    }


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

"""Seconds until the command line and the library answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.timing import best_of

AIMS = {"ranksieve --help": 0.2, "import ranksieve": 0.1, "interpreter alone": None}


def main() -> None:
    commands = {
        "ranksieve --help": [str(Path(sys.executable).parent / "ranksieve"), "--help"],
        "import ranksieve": [sys.executable, "-c", "import ranksieve"],
        "interpreter alone": [sys.executable, "-c", "pass"],
    }
    print("Start-up, best of 10")
    for name, command in commands.items():
        seconds, _ = best_of(10, lambda command=command: subprocess.check_output(command))
        aim = f"   (aim: {AIMS[name]} s)" if AIMS[name] else ""
        print(f"  {name:20s} {seconds:8.3f} s{aim}")


if __name__ == "__main__":
    main()

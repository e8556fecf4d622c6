"""`python -m ranksieve.testing my_package.penalties:HuberPenalty`: is it a penalty?"""

from __future__ import annotations

import subprocess
import sys
from itertools import takewhile


def main(arguments: list[str]) -> int:
    """Run pytest on the components, which come first; pytest's own options may follow."""
    components = list(takewhile(lambda text: not text.startswith("-"), arguments))
    options = arguments[len(components) :]
    if not components:
        sys.stderr.write("usage: python -m ranksieve.testing package.module:Class ... [options]\n")
        return 2
    chosen = [f"--component={text}" for text in components]
    module = ["--pyargs", "ranksieve.testing.components"]
    # A process of its own: pytest must be there before the suites to show why a law fails.
    # `-m` puts the folder that we are in on the path.
    command = [sys.executable, "-m", "pytest", "-p", "ranksieve.testing.plugin"]
    return subprocess.call([*command, *chosen, *module, *options])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

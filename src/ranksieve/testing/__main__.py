"""`python -m ranksieve.testing my_package.penalties:HuberPenalty`: is it a penalty?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def main(arguments: list[str]) -> int:
    """Run pytest on the components among the arguments; the others are pytest's own options."""
    components = [text for text in arguments if ":" in text and not text.startswith("-")]
    options = [text for text in arguments if text not in components]
    if not components:
        sys.stderr.write("usage: python -m ranksieve.testing package.module:Class ... [options]\n")
        return 2
    sys.path.insert(0, str(Path.cwd()))
    chosen = [f"--component={text}" for text in components]
    module = ["--pyargs", "ranksieve.testing.components"]
    return int(pytest.main(["-p", "ranksieve.testing.plugin", *chosen, *module, *options]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

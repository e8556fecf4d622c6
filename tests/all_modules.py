"""Import every module of the package: `coverage run -m tests.all_modules`.

What modules run when they are imported is measured here, so that parts of the tests need not be
traced while they import and collect.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import ranksieve


def main() -> None:
    """Import them, in the order of their names."""
    for module in walk_packages(ranksieve.__path__, "ranksieve."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


if __name__ == "__main__":
    main()

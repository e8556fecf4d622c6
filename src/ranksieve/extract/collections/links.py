"""Links between documents: a file with the ids of both ends in each line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy import sparse

from ranksieve.errors import DataError
from ranksieve.extract.collections.lines import read_lines
from ranksieve.extract.collections.records import Reading, Tally


def read_links(path: Path, positions: Mapping[str, int], tally: Tally) -> sparse.csr_array:
    """Return which document links to which: documents x documents, 1 where there is a link.

    Ids stand in two columns, with a tab or blanks between. A link that comes again counts once, and
    one from a document to itself does not count.
    """
    origins, targets = [], []
    for line in read_lines(path, Reading()):
        cells = line.text.split("\t") if "\t" in line.text else line.text.split()
        if not any(cells):
            continue
        if len(cells) != 2:
            raise DataError(
                f"{path}, line {line.number}: a link is two ids, from and to, but this line has "
                f"{len(cells)} columns: {line.text[:40]!r}."
            )
        origin, target = (positions.get(cell.strip()) for cell in cells)
        if origin is None or target is None:
            tally.add("link of an unknown document", f"{path}, line {line.number}")
        elif origin != target:
            origins.append(origin)
            targets.append(target)
    shape = (len(positions), len(positions))
    links = sparse.coo_array((np.ones(len(origins)), (origins, targets)), shape=shape).tocsr()
    links.data[:] = 1.0
    return links

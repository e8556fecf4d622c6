"""The weight of a weak ranker in a boosted sum."""

from __future__ import annotations

import numpy as np

# A weak ranker whose |r| is below says nothing, one above 1 - NOTHING leaves nothing to say.
NOTHING = 1e-10


def boosting_weight(r: float) -> tuple[float, bool]:
    """Return ln((1 + r) / (1 - r)) / 2, and whether it is kept from being infinite.

    Examples
    --------
    >>> alpha, kept = boosting_weight(0.5)
    >>> round(alpha, 6), kept
    (0.549306, False)
    >>> alpha, kept = boosting_weight(1.0)
    >>> round(alpha, 3), kept
    (11.859, True)
    """
    finite = float(np.clip(r, NOTHING - 1.0, 1.0 - NOTHING))
    return 0.5 * float(np.log1p(finite) - np.log1p(-finite)), finite != r

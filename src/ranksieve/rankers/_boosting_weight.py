"""The weight of a weak ranker in a boosted sum."""

from __future__ import annotations

import numpy as np

# A weak ranker whose |r| is below says nothing, one above 1 - NOTHING leaves nothing to say.
NOTHING = 1e-10


def boosting_weight(r: float) -> tuple[float, bool]:
    """Return ln((1 + r) / (1 - r)) / 2, and whether it is kept from being infinite.

    Examples
    --------
    >>> boosting_weight(0.5)
    (0.5493061443340549, False)
    >>> boosting_weight(1.0)
    (11.859499055224891, True)
    """
    kept = float(np.clip(r, NOTHING - 1.0, 1.0 - NOTHING))
    return 0.5 * float(np.log1p(kept) - np.log1p(-kept)), kept != r

"""Importances that fall with the loss of a feature as a ranking function (GAS-L)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.importance._ranked import DirectedImportance


@dataclass(frozen=True, repr=False)
class InvertedLoss(DirectedImportance):
    """1 / (1 + loss), or 1 / loss as the GAS paper's "inversely proportional" reads."""

    inverse: Literal["shifted", "printed"] = "shifted"

    def _inverse(self, loss: NDArray[np.float64], least: float) -> NDArray[np.float64]:
        """Return scores of losses; those below `least` count as `least` in 1 / loss."""
        check_choice("inverse", self.inverse, ("shifted", "printed"))
        if self.inverse == "shifted":
            return 1.0 / (1.0 + loss)
        return 1.0 / np.maximum(loss, least)

    def __repr__(self) -> str:
        changed = "" if self.inverse == "shifted" else f"inverse={self.inverse!r}"
        return f"{type(self).__name__}({changed})"

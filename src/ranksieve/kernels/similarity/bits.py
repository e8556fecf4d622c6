"""Population count: one instruction when compiled, plain Python when not."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from ranksieve.kernels.compile import INTERPRETED

if INTERPRETED:

    def popcount(word: Any) -> int:
        """Return the number of bits that are set in a 64-bit word."""
        return int(word).bit_count()

else:

    @intrinsic
    def popcount(typing_context: Any, word: Any) -> Any:
        """Return the number of bits that are set in a 64-bit word."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

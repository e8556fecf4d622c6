"""Which of 64 small numbers lie below or above one, as the bits of a word.

A few instructions when compiled: processors with vector units gather the results of 16 or 32
comparisons into a word at once, which compilers do not find in a loop over bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from ranksieve.kernels.compile import INTERPRETED

_LANES = 64

if INTERPRETED:

    def mask_below(values: Any, first: int, limit: Any) -> int:
        """Return a word whose bit b is set where values[first + b] < limit; values are int16."""
        return sum(1 << b for b in range(_LANES) if values[first + b] < limit)

    def mask_above(values: Any, first: int, limit: Any) -> int:
        """Return a word whose bit b is set where values[first + b] > limit; values are int16."""
        return sum(1 << b for b in range(_LANES) if values[first + b] > limit)

else:  # pragma: no cover - what generates code cannot run interpreted

    def _generate(comparison: str) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = context.make_array(signature.args[0])(context, builder, arguments[0])
            lanes = ir.VectorType(ir.IntType(16), _LANES)
            address = builder.gep(values.data, [arguments[1]])
            # Numbers need not start at a multiple of the vector's length.
            loaded = builder.load(builder.bitcast(address, lanes.as_pointer()), align=2)
            single = builder.insert_element(
                ir.Constant(lanes, ir.Undefined), arguments[2], ir.IntType(32)(0)
            )
            places = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
            limits = builder.shuffle_vector(single, ir.Constant(lanes, ir.Undefined), places)
            holds = builder.icmp_signed(comparison, loaded, limits)
            return builder.bitcast(holds, ir.IntType(64))

        return generate

    @intrinsic
    def mask_below(typing_context: Any, values: Any, first: Any, limit: Any) -> Any:
        """Return a word whose bit b is set where values[first + b] < limit; values are int16."""
        return types.uint64(values, types.int64, types.int16), _generate("<")

    @intrinsic
    def mask_above(typing_context: Any, values: Any, first: Any, limit: Any) -> Any:
        """Return a word whose bit b is set where values[first + b] > limit; values are int16."""
        return types.uint64(values, types.int64, types.int16), _generate(">")

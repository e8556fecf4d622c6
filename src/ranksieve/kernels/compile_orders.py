"""Features of one column, or of one row: kernels take them in column order like all others.

Such a matrix is in both orders, and numba takes it for one in row order: for data of a single
feature it would compile each kernel again.

This builds on a method of numba that it does not promise to keep; see `compile`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from ranksieve.kernels.compile_stages import is_tested

# What kernels call their features.
_FEATURES = "X"


def in_column_order(dispatcher: Any) -> None:
    """Let a kernel take features that are in both orders as features in column order.

    numba asks for a kernel where it has none for the types of a call, and so at each of these
    calls: a kernel that it kept for their types would be that of matrices in row order too.
    """
    code = dispatcher.py_func.__code__
    names = code.co_varnames[: code.co_argcount]
    if _FEATURES not in names or not is_tested():
        return
    position = names.index(_FEATURES)
    compile_for_arguments = dispatcher._compile_for_args

    def compile_for(*arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != len(names) or not _is_in_both_orders(arguments[position]):
            return compile_for_arguments(*arguments, **named)
        kinds = [dispatcher.typeof_pyval(argument) for argument in arguments]
        kinds[position] = kinds[position].copy(layout="F")
        return _kernel(dispatcher, tuple(kinds))

    dispatcher._compile_for_args = compile_for


def _is_in_both_orders(features: Any) -> bool:
    return (
        isinstance(features, np.ndarray)
        and features.ndim == 2
        and features.flags.c_contiguous
        and features.flags.f_contiguous
    )


def _kernel(dispatcher: Any, kinds: tuple[types.Type, ...]) -> Any:
    # Without numba's lock, which another thread may hold for seconds.
    overload = dispatcher.overloads.get(kinds)
    return dispatcher.compile(kinds) if overload is None else overload.entry_point

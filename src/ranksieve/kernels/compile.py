"""The decorators of all kernels, and the types that reach them.

House types: each type that reaches a kernel is compiled by itself, for seconds, so there are few.

- Features are a float32 or float64 matrix in column order ("F"), as `RankingData` holds them, and
  are called X: one of a single column counts as such, though numba sees it in row order.
- Grades, scores, weights, gradients and sums are float64, `query_ptr`, rows and counts int64,
  positions inside a query and levels of grades int32; all contiguous ("C") and writable.
- Scalars are int64, float64 or bool. Kernels that call others with a constant or with an element
  of an int32 array hand over an int64: `compile_once`.

What code costs to compile, in milliseconds of one core: an entry from Python 40, an inner function
25, an array of a new type or shape 30 (zeros 60), a loop 10, a slice 8, an element 2 to 4.
"""

from __future__ import annotations

from typing import Any

import numba

from ranksieve.kernels.compile_cache import keep_on_disk

EntryCompiler: Any
InnerCompiler: Any
compile_once: Any
in_column_order: Any
try:
    from ranksieve.kernels.compile_inner import (
        EntryCompiler,
        InnerCompiler,
        compile_once,
    )
    from ranksieve.kernels.compile_orders import in_column_order
except (ImportError, AttributeError):
    # Another numba, whose stages are not the ones that we know: it compiles more than is needed.
    EntryCompiler = InnerCompiler = compile_once = in_column_order = None

INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def compiled(kernel: Any = None, /, **options: Any) -> Any:
    """Compile a kernel on its first call, keep it on disk, and release the interpreter lock.

    Division by zero gives inf or nan as in numpy, and no loop pays for a check. A function
    whose name starts with an underscore is an `inner` one.
    """
    if kernel is None:
        return lambda function: compiled(function, **options)
    if kernel.__name__.startswith("_"):
        return inner(kernel, **options)
    if EntryCompiler is not None:
        options["pipeline_class"] = EntryCompiler
    dispatcher = _dispatcher(kernel, **options)
    if not INTERPRETED:
        keep_on_disk(dispatcher)
        if in_column_order is not None:
            in_column_order(dispatcher)
    return dispatcher


def inner(kernel: Any, /, **options: Any) -> Any:
    """Compile a function that kernels alone call, as a part of them.

    It has neither an entry from Python nor a place on disk, which saves about a quarter of the
    time of a first call. Its name has no underscore where kernels of other modules call it.
    """
    if InnerCompiler is not None:
        options["pipeline_class"] = InnerCompiler
    return _dispatcher(kernel, no_cpython_wrapper=True, **options)


def _dispatcher(kernel: Any, **options: Any) -> Any:
    # numba's type stubs do not know the options without an entry.
    options["no_cfunc_wrapper"] = True
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(kernel)
    if compile_once is not None and not INTERPRETED:
        compile_once(dispatcher)
    return dispatcher

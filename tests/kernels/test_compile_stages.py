"""The shorter way through numba gives the machine code of the long one."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

import numba
import pytest
from numba.core.compiler import Compiler

from ranksieve.kernels import compile as compile_module
from ranksieve.kernels import compile_inner
from ranksieve.kernels.linear.bfgs import update_by_bfgs
from ranksieve.kernels.linear.products import scores_of_rows
from ranksieve.kernels.pairs.sums import levels_in_order

pytestmark = pytest.mark.skipif(
    compile_module.INTERPRETED or compile_module.EntryCompiler is None,
    reason="nothing is compiled, or by a numba with other stages",
)

FLOATS, MATRIX = numba.float64[::1], numba.float64[:, ::1]
KERNELS = {
    update_by_bfgs: (MATRIX, FLOATS, FLOATS),
    # Slices, which are written to.
    scores_of_rows: (numba.float32[::1, :], numba.int64, numba.int64, FLOATS, FLOATS),
    levels_in_order: (FLOATS, numba.int64[::1], numba.int32[::1], numba.int32[::1]),
}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_machine_code_is_that_of_numbas_own_stages(kernel: Any, monkeypatch: Any) -> None:
    shorter = _assembly(kernel)
    monkeypatch.setattr(compile_inner.KernelCompiler, "define_pipelines", Compiler.define_pipelines)
    monkeypatch.setattr(compile_inner, "nothing_twice", nullcontext)
    assert shorter == _assembly(kernel)


def test_numba_is_as_it_was_after_a_kernel(monkeypatch: Any) -> None:
    from ranksieve.kernels.compile_stages import _SHORTER

    before = [getattr(owner, name) for owner, name, _ in _SHORTER]
    _assembly(levels_in_order)
    assert [getattr(owner, name) for owner, name, _ in _SHORTER] == before


def test_another_numba_compiles_as_it_always_does(monkeypatch: Any) -> None:
    from ranksieve.kernels import compile_stages

    shorter = _assembly(update_by_bfgs)
    monkeypatch.setattr(numba, "__version__", "9.9.9")
    own = [getattr(owner, name) for owner, name, _ in compile_stages._SHORTER]
    with compile_stages.nothing_twice():
        assert [getattr(owner, name) for owner, name, _ in compile_stages._SHORTER] == own
    assert _assembly(update_by_bfgs) == shorter


def _assembly(kernel: Any) -> list[str]:
    """Return the instructions of a kernel that is compiled by itself; its symbols have numbers."""
    dispatcher = compile_module._dispatcher(
        kernel.py_func, pipeline_class=compile_module.EntryCompiler
    )
    dispatcher.compile(KERNELS[kernel])
    (text,) = dispatcher.inspect_asm().values()
    return [re.sub(r"_ZN\w+|\.const\.\S+", "symbol", line) for line in text.splitlines()]

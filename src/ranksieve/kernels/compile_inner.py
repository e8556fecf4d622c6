"""Kernels that only other kernels call: typed once, and without machine code of their own.

numba optimises and assembles each function by itself, and again as a part of each caller. What
only kernels call is never run by itself: it goes into its callers as it was lowered, and is
optimised and assembled there. That saves about a quarter of the time of a first run.

This builds on classes of numba that it does not promise to keep; see `compile`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary

from ranksieve.kernels.compile_stages import KernelCompiler, nothing_twice

_NARROW = (types.int8, types.int16, types.int32)


class InnerCompiler(KernelCompiler):
    """numba's own stages, which end in a library that is only linked into others."""

    def compile_extra(self, function: Any) -> Any:
        """Compile a function."""
        self.state.library = _InnerLibrary(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class EntryCompiler(KernelCompiler):
    """numba's own stages, for a kernel that Python calls: it becomes machine code.

    What it calls is a part of it, numba's own functions too. Meanwhile Python does not look for
    garbage, which would take up to a tenth of the time.
    """

    def compile_extra(self, function: Any) -> Any:
        """Compile a function; numba holds its lock meanwhile."""
        codegen = self.state.targetctx.codegen()
        self.state.library = JITCodeLibrary(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        with _libraries_are(_InnerLibrary, codegen), _not_collecting(), nothing_twice():
            return super().compile_extra(function)


class _InnerLibrary(JITCodeLibrary):
    """Code that is complete but not assembled, and optimised function by function only.

    Without even that, some callers became a third slower: what is inlined is decided by length.
    """

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        """Return what was on disk: an entry, though it is read while a kernel is compiled."""
        with _libraries_are(JITCodeLibrary, codegen):
            return JITCodeLibrary._unserialize(codegen, state)

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of no function."""
        self._ensure_finalized()
        return 0


class _WithoutEnvironments:
    """An environment holds what Python objects need, and kernels have none."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing."""


def compile_once(dispatcher: Any) -> None:
    """Compile for one type of whole numbers, whatever kernels call it with.

    numba would compile `f(rows, 0)`, `f(rows, n)` and `f(rows, order[n])` each: for the constant
    0, for int64 and for int32.
    """
    template = dispatcher.get_call_template

    def get_call_template(arguments: Any, named: dict[str, Any]) -> Any:
        return template(
            tuple(_house_type(argument) for argument in arguments),
            {name: _house_type(argument) for name, argument in named.items()},
        )

    dispatcher.get_call_template = get_call_template


def _house_type(argument: Any) -> Any:
    """Return int64 for a narrow whole number or a constant, another type as it is."""
    argument = types.unliteral(argument)
    return types.int64 if argument in _NARROW else argument


@contextmanager
def _libraries_are(library_class: type[JITCodeLibrary], codegen: Any) -> Iterator[None]:
    before = codegen._library_class
    codegen._library_class = library_class
    try:
        yield
    finally:
        codegen._library_class = before


@contextmanager
def _not_collecting() -> Iterator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()

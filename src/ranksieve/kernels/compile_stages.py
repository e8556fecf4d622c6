"""numba's stages without what changes nothing: the same machine code, a fifth sooner.

More than half of the time of a first call is numba's Python, and much of that is done again and
again: after each stage the lifetimes of all variables, for each `a + b` the search for its types,
for each variable the size of its type. Kernels need the first once, and one answer to the others.

This builds on classes of numba that it does not promise to keep. So it is done only with the
versions with which all kernels were tested; with others numba compiles as it always does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import ir, types
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, pass_timings
from numba.core.postproc import PostProcessor
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import DumpParforDiagnostics, InlineOverloads
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    WithLifting,
)

from ranksieve.kernels.compile_values import SHORTER_VALUES

# Versions with which all kernels were tested.
_TESTED = "0.68."
# For what no kernel has: closures, comprehensions, with, isinstance, inlining by numba.
_NOT_NEEDED = {
    DumpParforDiagnostics,
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    InlineOverloads,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    WithLifting,
}


def is_tested() -> bool:
    """Tell whether this numba is one with which the shorter ways were tested."""
    version: str = numba.__version__
    return version.startswith(_TESTED)


class KernelCompiler(Compiler):
    """numba's compiler with the stages that kernels need."""

    def define_pipelines(self) -> list[Any]:
        """Return the one list of stages."""
        if not is_tested():
            pipelines: list[Any] = super().define_pipelines()
            return pipelines
        stages = _Stages("kernel")
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        stages.passes = [(stage, text) for stage, text in passes if stage not in _NOT_NEEDED]
        stages.finalize()
        return [stages]


class _Stages(PassManager):
    """Stages one after the other, without checks and events between them."""

    def _runPass(self, index: int, stage: Any, state: Any) -> None:  # noqa: N802 - numba's name
        stage.analysis = self._analysis
        stage.run_initialization(state)
        stage.run_pass(state)
        stage.run_finalizer(state)
        self.exec_times[f"{index}_{stage.name()}"] = pass_timings(0.0, 0.0, 0.0)


@contextmanager
def nothing_twice() -> Iterator[None]:
    """Let numba compile with the shorter ways below; it holds its lock meanwhile."""
    if not is_tested():
        yield
        return
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in _SHORTER]
    for owner, name, shorter in _SHORTER:
        setattr(owner, name, shorter)
    try:
        yield
    finally:
        for owner, name, longer in before:
            setattr(owner, name, longer)


_process = PostProcessor.run


def _process_once(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Find lifetimes where they are written down, which the last stage does."""
    if emit_dels or self.func_ir.is_generator:
        _process(self, emit_dels, extend_lifetimes)
    else:
        self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
        self.func_ir.generator_info = None


_get_call_type: Any = types.BaseFunction.get_call_type
_call_types: dict[Any, tuple[Any, Any]] = {}


def _call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the types of a call, which are the same for the same arguments."""
    key = (self, args, tuple(kws.items()))
    if key not in _call_types:
        signature = _get_call_type(self, context, args, kws)
        _call_types[key] = signature, self._impl_keys[signature.args]
    signature, implementation = _call_types[key]
    self._impl_keys[signature.args] = implementation
    return signature


def _optimise_functions(self: Any, module: Any) -> None:
    """Run the passes over functions that have a body; most are declarations."""
    module.data_layout = self._codegen._data_layout
    for function in module.functions:
        if not function.is_declaration:
            manager, builder = self._codegen._function_pass_manager()
            manager.run(function, builder)


_get_abi_sizeof = BaseContext.get_abi_sizeof
_sizes: dict[str, int] = {}


def _size_of(self: Any, kind: Any) -> int:
    """Return the bytes of a type; numba has a module parsed for each question."""
    text = str(kind)
    if text not in _sizes:
        _sizes[text] = _get_abi_sizeof(self, kind)
    return _sizes[text]


_refresh_target, _refresh_typing = BaseContext.refresh, TypingContext.refresh
# How many registries a class of contexts has when all are loaded.
_n_registries: dict[type, int] = {}


def _refresh(self: Any) -> None:
    """Look for new rules in the registries; numba would import all of them again."""
    types_only = issubclass(type(self), TypingContext)
    if _n_registries.get(type(self)) != len(self._registries):
        (_refresh_typing if types_only else _refresh_target)(self)
        _n_registries[type(self)] = len(self._registries)
        return
    for registry in self._registries:
        self.install_registry(registry)
    if types_only:
        self._load_builtins()
    else:
        self.typing_context.refresh()


_WITHOUT_VARIABLES = {ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg, str, int, bool, type(None)}


def _variables(self: Any, value: Any) -> list[Any]:
    """Return the variables in an instruction; kinds are compared before classes are walked."""
    variables: list[Any] = []
    _gather(value, variables)
    return variables


def _gather(value: Any, variables: list[Any]) -> None:
    kind = type(value)
    if kind in _WITHOUT_VARIABLES:
        return
    if isinstance(value, ir.Var):
        variables.append(value)
    elif isinstance(value, ir.Inst):
        variables.extend(value.list_vars())
    elif isinstance(value, dict):
        for part in value.values():
            _gather(part, variables)
    elif isinstance(value, list | tuple):
        for part in value:
            _gather(part, variables)


_SHORTER: tuple[tuple[Any, str, Any], ...] = (
    (PostProcessor, "run", _process_once),
    (types.BaseFunction, "get_call_type", _call_type),
    (CPUCodeLibrary, "_optimize_functions", _optimise_functions),
    (BaseContext, "get_abi_sizeof", _size_of),
    (BaseContext, "refresh", _refresh),
    (TypingContext, "refresh", _refresh),
    (ir.Inst, "_rec_list_vars", _variables),
    *SHORTER_VALUES,
)

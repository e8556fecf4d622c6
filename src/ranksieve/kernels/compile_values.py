"""Arrays and ranges that kernels only read are read as values, without a copy on the stack.

For each `a[i]` numba copies the description of the array to the stack, clears it there twice, and
loads its parts one by one; LLVM then finds out that nothing was ever written there. Here a
description goes to the stack only if something writes to it. The machine code is the same, from
two thirds of the text.

This builds on classes of numba that it does not promise to keep; see `compile_stages`.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.cgutils import ValueStructProxy, _StructProxy, create_struct_proxy
from numba.np import arrayobj

_init: Any = _StructProxy.__init__
_get_item: Any = _StructProxy.__getitem__
_description: Any = create_struct_proxy
_make_array: Any = arrayobj.make_array


def _init_as_value(
    self: Any, context: Any, builder: Any, value: Any = None, ref: Any = None
) -> None:
    """Keep a value as it is, and note where numba would have copied it to the stack."""
    model = context.data_model_manager[self._fe_type]
    if (
        value is None
        or ref is not None
        or not isinstance(self, ValueStructProxy)
        or not _has_plain_references(type(self))
        or value.type != model.get_value_type()
    ):
        _init(self, context, builder, value, ref)
        return
    self._context, self._builder, self._datamodel = context, builder, model
    self._be_type = value.type
    self._read = value
    instructions = builder.block.instructions
    self._since = builder.block, instructions[-1] if instructions else None


def _has_plain_references(kind: type) -> bool:
    """Tell whether a class of descriptions keeps numba's own way to the stack."""
    bases = kind.__mro__[: kind.__mro__.index(_StructProxy)]
    return not any("_make_refs" in vars(base) for base in bases)


def _item_of_value(self: Any, index: int) -> Any:
    value = self.__dict__.get("_read")
    if value is None:
        return _get_item(self, index)
    return self._builder.extract_value(value, index)


def _whole_value(self: Any) -> Any:
    value = self.__dict__.get("_read")
    return self._builder.load(self._outer_ref) if value is None else value


def _attribute_of_value(self: Any, name: str) -> Any:
    """Return a part; where something asks for the address, the value goes to the stack."""
    if name in ("_value", "_outer_ref") and "_read" in self.__dict__:
        _copy_to_stack(self)
        return self._value
    if name.startswith("_"):
        raise AttributeError(name)
    return self[self._datamodel.get_field_position(name)]


def _copy_to_stack(self: Any) -> None:
    """Store the value where it was known first: the code up to here may be on a branch."""
    builder, (block, last) = self._builder, self._since
    here = builder.block
    after = here.terminator
    if block is not builder.function.entry_basic_block:
        with builder.goto_entry_block():
            slot = builder.alloca(self._be_type)
    if last is None:
        builder.position_at_start(block)
    else:
        builder.position_after(last)
    if block is builder.function.entry_basic_block:
        slot = builder.alloca(self._be_type)
    builder.store(self.__dict__.pop("_read"), slot)
    self._value = self._outer_ref = slot
    if after is None:
        builder.position_at_end(here)
    else:
        builder.position_before(after)


def _array(array_type: Any) -> Any:
    """Return the class of the description of an array; numba makes one for each `a[i]`."""
    if type(array_type) is types.Array:
        return _description(array_type)
    return _make_array(array_type)


SHORTER_VALUES: tuple[tuple[Any, str, Any], ...] = (
    (_StructProxy, "__init__", _init_as_value),
    (_StructProxy, "__getitem__", _item_of_value),
    (_StructProxy, "__getattr__", _attribute_of_value),
    (_StructProxy, "_getvalue", _whole_value),
    (arrayobj, "make_array", _array),
)

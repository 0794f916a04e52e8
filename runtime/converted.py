"""The facts about this library that autograph is told at once: that it is one, and how items of
eager tensors are assigned in converted code. `runtime.staging` tells the rest before the first
graph is traced.
"""

from __future__ import annotations

from typing import Any

from autograph.backend import register_item_setter
from autograph.frames import register_library
from runtime import ops
from runtime.state import state
from runtime.tensor import EagerTensor


def _set_item(value: Any, target: Any, key: Any) -> Any:
    if state.trace is not None:
        from runtime.staging import set_item

        return set_item(value, target, key)
    return ops.setitem(target, key, value)


register_library("runtime")
register_item_setter(EagerTensor, _set_item)

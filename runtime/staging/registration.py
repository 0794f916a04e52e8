"""The facts about this library that autograph is told at once: that it is one, and how items of
eager tensors are assigned in converted code. `runtime.staging.backend` tells the rest before the
first graph is traced.
"""

from __future__ import annotations

import sys
from typing import Any

from autograph import converted_code
from autograph.backend import register_item_setter
from autograph.frames import register_library
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor


def _set_item(value: Any, target: Any, key: Any) -> Any:
    if state.trace is not None:
        from runtime.staging.backend import set_item

        return set_item(value, target, key)
    from runtime.staging.aliasing import eager_assignments

    eager_assignments.set_item(target, key, value)
    return target


def _assigned(self: EagerTensor, key: Any, value: Any) -> None:
    frame = sys._getframe(1)
    if not converted_code(frame.f_code):
        Tensor.__setitem__(self, key, value)
    if state.trace is not None:
        _set_item(value, self, key)
        return
    from runtime.staging.aliasing import eager_assignments
    from runtime.staging.frames import container_at

    eager_assignments.set_item(self, key, value, lambda: container_at(frame))


EagerTensor.__setitem__ = _assigned  # type: ignore[assignment, method-assign]
register_library("runtime")
register_item_setter(EagerTensor, _set_item)

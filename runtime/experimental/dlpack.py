"""Tensors to and from other array libraries by DLPack capsules.

Specification: https://dmlc.github.io/dlpack/latest/python_spec.html. Newer libraries hand over the
array itself: `torch.from_dlpack(tensor)`, `rt.constant(array)`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runtime.core.convert import constant
from runtime.core.lazy import public as _public
from runtime.core.primitive import wrong_value
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor


class _Capsule(NamedTuple):
    """A capsule as an array that hands it over once, of the CPU."""

    content: Any

    def __dlpack__(self, **options: Any) -> Any:
        return self.content

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def to_dlpack(tf_tensor: Any) -> Any:
    """A capsule with a copy of an eager tensor, for one use.

    InvalidArgumentError for anything else; for a variable, pass `variable.value()`.

    >>> capsule = rt.experimental.dlpack.to_dlpack(rt.constant([1, 2]))
    >>> rt.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1, 2]
    """
    if not isinstance(tf_tensor, EagerTensor):
        if state.trace is not None:
            raise state.trace.refused(
                "to_dlpack() takes a tensor that has a value, and one of a graph has none yet",
                "return the tensor, and call it outside of the staged function",
            )
        raise wrong_value(f"to_dlpack() takes a tensor that has a value, not {tf_tensor!r}")
    return np.array(tf_tensor.raw).__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor with a copy of what a capsule of the CPU holds, or an array with `__dlpack__`.

    The capsule is used up. Raises TypeError for what is neither.

    >>> capsule = rt.experimental.dlpack.to_dlpack(rt.constant([1, 2]))
    >>> rt.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1, 2]
    """
    if hasattr(dlcapsule, "__dlpack__"):
        return constant(dlcapsule)
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack() takes a DLPack capsule or an array, not {dlcapsule!r}")
    return constant(np.from_dlpack(_Capsule(dlcapsule)))


__dir__ = _public(__name__)

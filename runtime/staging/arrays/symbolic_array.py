"""The NumPy array or scalar whose numbers only the run of the graph knows. `operators` gives it the
operators and methods of NumPy's.
"""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from autograph import converted_code
from runtime import dtypes, ops
from runtime.core.shapes import TensorShape
from runtime.staging.refusals import not_python, refuse
from runtime.staging.symbolic_tensor import SymbolicTensor

_CALLABLE = (
    "write a loop over its items, or use functions of NumPy's that a graph can call: np.where, "
    "np.sum and their like (docs/numpy.md)"
)


class SymbolicArray(SymbolicTensor):
    """A tensor that is an array or a scalar of NumPy's in the user's Python: beside other arrays
    and Python numbers it takes NumPy's dtypes, and no tape knows it. Beside a tensor it is one.
    """

    __slots__ = ()
    is_array = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            return super().__getattr__(name)
        raise _refuse_member(name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        known = self.static_value
        if known is None:
            raise not_python(self, "as a NumPy array", _CALLABLE)
        made = np.array(known, dtype)
        made.flags.writeable = False  # nobody would see what is written to it
        return made

    @property
    def kind(self) -> type:
        """NumPy's class of it."""
        return self.type.dtype.np_dtype.type if self.static_shape == () else np.ndarray

    # The runtime asks for these, too, and takes them as those of a tensor.

    @property
    def dtype(self) -> Any:
        """NumPy's dtype, for the user's code."""
        own = self.type.dtype
        return own.np_dtype if _is_users(sys._getframe(1)) else own

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        raise _refuse_to_assign("dtype", "x = x.astype(...)")

    @property
    def shape(self) -> Any:
        """The sizes in a tuple, for the user's code: staged ones where only the run knows them."""
        known = self.static_shape
        if known is None or not _is_users(sys._getframe(1)):
            return TensorShape(known)
        return shape_of(self)

    @shape.setter
    def shape(self, sizes: Any) -> None:
        raise _refuse_to_assign("shape", "x = x.reshape(...)")

    @property
    def size(self) -> Any:
        """The number of elements."""
        shape = self.static_shape
        if shape is None or None in shape:
            return ops.size(self, dtypes.int64)._as_number()
        return math.prod(shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.type.dtype.np_dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """The bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> Any:
        """NumPy's name for it, for the user's code."""
        return "cpu" if _is_users(sys._getframe(1)) else super().device

    @property
    def strides(self) -> NoReturn:
        """Refused: how numbers lie in memory is not what the graph says."""
        raise _refuse_member("strides")

    @strides.setter
    def strides(self, strides: Any) -> None:
        raise _refuse_to_assign("strides", "x = x.reshape(...)")

    def snapshot(self) -> SymbolicTensor:
        """A tensor of the numbers that it holds now."""
        return as_tensor(self)

    def _shown(self) -> str:
        return (
            f"<staged array {self.name!r} shape={self.static_shape} dtype={self.type.dtype.name}>"
        )


def _is_users(frame: FrameType) -> bool:
    """Whether the user's code, or a library's, asks: converted or, where nothing was, as it is."""
    is_ours = frame.f_globals.get("__name__", "").startswith(_OURS)
    return not is_ours or converted_code(frame.f_code)


_OURS = "runtime.", "autograph."


def _refuse_member(name: str) -> Exception:
    return refuse(
        f"an array of which only the run knows the items has no {name!r}",
        "use its items, a[i], a function of NumPy's, or an array that Python knows",
    )


def _refuse_to_assign(name: str, instead: str) -> Exception:
    return refuse(
        f"the {name} of an array is assigned of which only the run knows the items",
        f"make another one: {instead}",
    )


def as_array(symbol: Any) -> Any:
    """The symbol, of which it is known from now on that it is an array of NumPy's."""
    symbol.__class__ = SymbolicArray
    return symbol


def shape_of(tensor: SymbolicTensor) -> tuple[Any, ...]:
    """The sizes: staged ones where only the run knows them."""
    known = tensor.static_shape
    if known is None:
        raise refuse("only the run knows how many dimensions an array has", "give it a known rank")
    sizes: Any = ops.shape(tensor, dtypes.int64) if None in known else ()
    return tuple([sizes[at]._as_number() if n is None else n for at, n in enumerate(known)])


def as_tensor(array: SymbolicTensor) -> SymbolicTensor:
    """A tensor of the numbers that are in an array now."""
    array.settle()
    made = SymbolicTensor(array.graph_value, array.scope, array.origin)
    made.node = array.node
    return made

"""Functions of NumPy and `cmath` as nodes: a graph calls them by name, with values of the run."""

from __future__ import annotations

import builtins
import cmath
import math
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.primitive import structural
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType, Type
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.templates import filled

_REDUCTIONS = (
    "all allclose amax amin any argmax argmin array_equal average clip count_nonzero dot float32 "
    "float64 inner int32 int64 interp isclose max mean median min nan_to_num nanmax nanmean nanmin "
    "nansum percentile polyval prod ptp quantile round searchsorted sinc std sum trace var vdot "
    "linalg.cond linalg.det linalg.matrix_rank linalg.norm"
)


def _named(name: str) -> Callable[..., Any]:
    return reduce(getattr, name.split("."), np)  # type: ignore[return-value]


def _ufuncs() -> Iterator[str]:
    for name, value in vars(np).items():
        if isinstance(value, np.ufunc):
            yield name


_OF_NUMPY = (*_ufuncs(), *_REDUCTIONS.split())
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "complex": complex,
    **{f"math.{name}": getattr(math, name) for name in ("frexp", "fsum", "modf")},
    **{f"cmath.{name}": value for name, value in vars(cmath).items() if callable(value)},
    **{f"np.{name}": _named(name) for name in _OF_NUMPY},
}
"""Those whose result depends on the values of their arguments alone, and is a number for numbers,
or for whole arrays, by the names that files have for them."""


def as_numpy(item: Any) -> Any:
    """Tensors, also in lists and tuples, as the arrays and scalars that NumPy is given."""
    if isinstance(item, Tensor):
        return np.asarray(item) if item.ndim else item.numpy()
    if isinstance(item, tuple):
        return tuple(map(as_numpy, item))
    if isinstance(item, list):
        return list(map(as_numpy, item))
    return item


def called(function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function, without NumPy's warnings: tensors give none."""
    with np.errstate(all="ignore"):
        return FUNCTIONS[function](*args, **kwargs)


def _kernel(
    *values: Any, function: str, arguments: Any, type: Type, place: int | None = None
) -> Any:
    args, kwargs = filled(arguments, iter(values))
    made = called(function, as_numpy(args), dict(zip(*as_numpy(kwargs), strict=True)))
    result = made if place is None else made[place]
    if NUMBER_TYPES.get(builtins.type(result)) == type:
        return result
    array = np.asarray(result)
    if array.shape or not isinstance(type, TensorType) or array.dtype != type.dtype.np_dtype:
        raise errors.RefusedError(
            f"{function} gave {array.dtype}{list(array.shape)} where the graph was made for "
            f"{type}: its type depends on the values",
        )
    return array[()]


RAISED = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)
"""The exceptions of these functions."""

LIBRARY = structural(
    "library", _kernel, lambda *_, type, **__: type, op_type="LibraryFunction", fallible=True,
    raises=RAISED,
)  # fmt: skip
"""A call of one of `FUNCTIONS`: `arguments` is a template of the positional ones, and of the names
and values of the others. Of a tuple that it gives, the item at a `place`."""

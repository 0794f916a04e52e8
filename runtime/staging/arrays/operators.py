"""The operators and methods of staged arrays: NumPy's own."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from runtime import dtypes, ops
from runtime.core.convert import as_array as converted
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType, variable_of
from runtime.graph.nodes import WIDE_DTYPES
from runtime.staging.aliasing.item_assignments import set_item
from runtime.staging.aliasing.sharing import may_be_part
from runtime.staging.arrays.items import checked_key
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array, as_tensor
from runtime.staging.arrays.writing import check_cast
from runtime.staging.bytecode import changes_in_place
from runtime.staging.control.choices import Choice
from runtime.staging.control.iteration import Range
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.control.references import want_arrays
from runtime.staging.library_calls import STAGED
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.optional_bounds import known_key
from runtime.staging.lists.repetition import repeated
from runtime.staging.refusals import refuse
from runtime.staging.symbolic_number import SymbolicNumber, number_to_tensor

_ARITHMETIC: dict[Any, Any] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.true_divide: operator.truediv, np.floor_divide: operator.floordiv,
    np.remainder: operator.mod, np.power: operator.pow, np.matmul: operator.matmul,
    np.bitwise_and: operator.and_, np.bitwise_or: operator.or_, np.bitwise_xor: operator.xor,
    np.left_shift: operator.lshift, np.right_shift: operator.rshift,
}  # fmt: skip
_ORDER: dict[Any, Any] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt,
    np.greater_equal: operator.ge, np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip
_UNARY: dict[Any, Any] = {
    np.negative: operator.neg, np.positive: operator.pos, np.absolute: operator.abs,
    np.invert: operator.invert,
}  # fmt: skip
_OPERATIONS = _ARITHMETIC | _ORDER
_EQUALITY = (np.equal, np.not_equal)
_OF_NUMPY = (np.ndarray, np.generic)

_METHODS = (
    "all any argmax argmin argpartition argsort copy cumprod cumsum diagonal dot max mean min "
    "nonzero prod ravel repeat round searchsorted squeeze std sum take trace var"
)


_OPERANDS = (SymbolicNumber, np.ndarray, np.generic, bool, int, float, complex, list, tuple)
_PLAIN = (bool, int, float, complex, str, type(None))
"""The classes of Python's of which NumPy makes numbers."""
_UNLIKE = (type(None), str, bytes, dict, set, frozenset)
"""The classes of what no number is equal to."""


def _applied(ufunc: Any, operation: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    array, other = (a, b) if isinstance(a, SymbolicArray) else (b, a)
    if not isinstance(other, SymbolicArray):
        if isinstance(other, Tensor) or variable_of(other) is not None:
            made = _beside(array, other)
            return operation(made, b) if array is a else operation(a, made)
        if isinstance(other, _UNLIKE) and ufunc in _EQUALITY and array.static_shape != ():
            return STAGED[np.full_like](array, ufunc is np.not_equal, dtype=bool)
        if not isinstance(other, _OPERANDS):
            return NotImplemented
    if operation is operator.pow and array is a and array.dtype.is_bool:
        return _power_of_truths(array, b)
    return STAGED[ufunc](a, b)


def _power_of_truths(array: SymbolicArray, exponent: Any) -> Any:
    """`array ** exponent`: NumPy's operator, and not its function, computes squares otherwise."""
    if isinstance(exponent, SymbolicNumber) and exponent.type.kind == "int":
        raise refuse(
            "the dtype of powers of truth values depends on the exponent, which only the run knows",
            "convert the array: x.astype(int) ** n",
        )
    is_square = type(exponent) is int and exponent == 2
    return STAGED[np.square](array) if is_square else STAGED[np.power](array, exponent)


def _beside(array: SymbolicArray, tensor: Any) -> Tensor:
    """The array as a tensor of the dtype that one beside a tensor takes, if it can."""
    made = as_tensor(array)
    own, dtype = array.dtype, tensor.dtype
    if own is dtype or (own.is_integer and dtype.is_integer):
        return made
    try:
        converted(np.ones((), own.np_dtype), dtype)
    except TypeError:
        return made
    cast: Tensor = ops.cast(made, dtype)
    return cast


def _of_numpy(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """NumPy's function where one of its own arrays meets a staged array, or a staged number."""
    if options.get("out") is not None or (method == "__call__" and len(inputs) > ufunc.nin):
        want_arrays()
        raise refuse(
            "an array of Python's own would hold what only the run knows",
            f"make another one: x = np.{ufunc.__name__}(x, y)",
        )
    if method != "__call__":
        function = getattr(ufunc, method)
        if function not in STAGED:
            raise refuse(
                f"np.{ufunc.__name__}.{method} is called with staged values", "write a loop"
            )
        return STAGED[function](*inputs, **options)
    if not any(isinstance(item, SymbolicArray) for item in inputs):
        inputs = tuple(
            [
                as_array(ops.convert_to_tensor(item)) if isinstance(item, _OF_NUMPY) else item
                for item in inputs
            ]
        )
    operation = None if options else _OPERATIONS.get(ufunc)
    if ufunc not in STAGED:
        raise refuse(
            f"{ufunc.__name__!r} is called with staged values", "write a loop, or use an op"
        )
    if operation is None:
        return STAGED[ufunc](*inputs, **options)
    return _applied(ufunc, operation, *inputs)


def _item(self: Any, key: Any) -> Any:
    return as_array(Tensor.__getitem__(self, _checked(self, known_key(key))))


def _checked(self: Any, key: Any) -> Any:
    return checked_key(self, tuple(map(_place, key)) if type(key) is tuple else _place(key))


def _place(part: Any) -> Any:
    """A part of a key: an array in the place of a range, or of a list that only the run knows."""
    part = read(present(part))
    if isinstance(part, Range):
        return STAGED[np.array](part)
    if not isinstance(part, Growing) or part.staged is None:
        return part
    kind = getattr(part.staged.element, "type", None)
    if isinstance(kind, NumberType):
        return STAGED[np.array](part, WIDE_DTYPES[kind.kind].np_dtype)
    return STAGED[np.array](part)


def _as_item(self: Any, value: Any) -> Any:
    """The numbers that an assignment to an item puts there: of this dtype, known to no tape."""
    dtype, value = self.type.dtype, read(present(value))
    if isinstance(value, list | tuple) and getattr(value, "staged", None) is None:
        return [_as_item(self, each) for each in value]
    if isinstance(value, SymbolicNumber) and dtype.is_integer:
        is_safe = value.type.kind == "bool" or (value.type.kind == "int" and dtype is dtypes.int64)
        value = value if is_safe else STAGED[np.array](value, dtype.np_dtype)
    if isinstance(value, SymbolicNumber):
        value = number_to_tensor(value, WIDE_DTYPES[value.type.kind])
    if isinstance(value, SymbolicNumber | Tensor | np.ndarray | np.generic):
        return ops.stop_gradient(ops.cast(value, dtype))
    return np.array(value, dtype.np_dtype) if isinstance(value, _PLAIN) else value


def _attach() -> None:
    for kind in (SymbolicArray, SymbolicNumber):
        setattr(kind, "__array_ufunc__", _of_numpy)  # noqa: B010
    for ufunc, operation in _OPERATIONS.items():
        name = operation.__name__.strip("_")
        setattr(SymbolicArray, f"__{name}__", _forward(ufunc, operation))
        if ufunc in _ARITHMETIC:
            setattr(SymbolicArray, f"__r{name}__", _backward(ufunc, operation))
            setattr(SymbolicArray, f"__i{name}__", _in_place(ufunc, operation))
    for ufunc, operation in _UNARY.items():
        setattr(SymbolicArray, f"__{operation.__name__}__", _method(ufunc))
    for name in _METHODS.split():
        setattr(SymbolicArray, name, _method(getattr(np, name)))
    for name, method in _OWN:
        if isinstance(method, FunctionType):
            method.__name__ = method.__qualname__ = name  # as messages name it
        setattr(SymbolicArray, name, method)


def _forward(ufunc: Any, operation: Any) -> Any:
    def forward(self: Any, other: Any) -> Any:
        return _applied(ufunc, operation, self, other)

    return forward


def _backward(ufunc: Any, operation: Any) -> Any:
    def backward(self: Any, other: Any) -> Any:
        return _applied(ufunc, operation, other, self)

    return backward


def _in_place(ufunc: Any, operation: Any) -> Any:
    def in_place(self: Any, other: Any) -> Any:
        made = _applied(ufunc, operation, self, other)
        if not isinstance(made, SymbolicArray) or self.static_shape == ():
            return made
        own, given = self.dtype.np_dtype, made.dtype.np_dtype
        check_cast(ufunc, given, own)
        set_item(self, ..., made)
        return self

    return in_place


def _times(self: Any, other: Any) -> Any:
    made = repeated(other, self)
    return _applied(np.multiply, operator.mul, self, other) if made is NotImplemented else made


def _timed(self: Any, other: Any) -> Any:
    made = repeated(other, self, changes_in_place(sys._getframe(1)))
    return _applied(np.multiply, operator.mul, other, self) if made is NotImplemented else made


def _method(function: Any) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return STAGED[function](self, *args, **kwargs)

    return method


def _reshaped(self: Any, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    given = shape if len(shape) < 2 else (shape,)
    named = {} if copy is None else {"copy": copy}
    return STAGED[np.reshape](self, *given, **_ordered(order), **named)


def _transposed(self: Any, *axes: Any) -> Any:
    return STAGED[np.transpose](self, *(axes if len(axes) < 2 else (axes,)))


def _swapped(self: Any, axis1: Any, axis2: Any, /) -> Any:
    return STAGED[np.swapaxes](self, axis1, axis2)


def _of_rows(self: Any) -> Any:
    return STAGED[np.swapaxes](self, -1, -2)


def _cast(
    self: Any,
    dtype: Any,
    order: str = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    if type(dtype) is Choice:
        dtype = dtype.to_dtype()
    own, wanted = self.type.dtype.np_dtype, np.dtype(getattr(dtype, "np_dtype", dtype))
    if not np.can_cast(own, wanted, casting):
        raise TypeError(
            f"Cannot cast array data from {own!r} to {wanted!r} according to the rule {casting!r}"
        )
    return STAGED[np.astype](self, dtype, **({} if copy else {"copy": False}))


def _chosen(self: Any, *choices: Any, out: Any = None, mode: str = "raise") -> Any:
    given = choices[0] if len(choices) == 1 else choices
    return STAGED[np.choose](self, given, out=out, mode=mode)


def _bounded(self: Any, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Any:
    return STAGED[np.clip](self, min, max, out=out, **options)


def _compressed(self: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return STAGED[np.compress](condition, self, axis, out=out)


def _flattened(self: Any, order: str = "C") -> Any:
    return STAGED[np.copy](STAGED[np.ravel](self, **_ordered(order)))


def _ordered(order: str) -> dict[str, str]:
    return {} if order == "C" else {"order": order}


def _in_a_row(self: Any) -> Any:
    """The items in a row: who writes to them, or to the array, may write to both."""
    made = STAGED[np.ravel](self)
    may_be_part(made, self)
    return made


def _refuse_row(self: Any, value: Any) -> NoReturn:
    raise refuse("the items of an array are assigned in a row", "assign them: x[...] = y")


def _number(self: Any, *place: Any) -> Any:
    """Python's number at a place of an array, or of one with one element."""
    if len(place) == 1 and not isinstance(place[0], tuple):
        return _numbers(self.reshape(-1)[place[0]])
    at, shape = place[0] if len(place) == 1 else place, self.static_shape
    if not place and shape is not None and None not in shape and math.prod(shape) != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if place and shape is not None and len(at) != len(shape):
        raise ValueError("incorrect number of indices for array")
    return _numbers(self[at] if place else self.reshape(()))


def _numbers(self: Any) -> Any:
    """Python's numbers in lists in each other."""
    shape = self.static_shape
    if shape == ():
        return self._as_number() if self.type.dtype.np_dtype.kind in "biuf" else self
    if shape is None or shape[0] is None:
        raise refuse(
            "a list is made of an array of which only the run knows how many items it has",
            "write a loop that appends them: for x in a: items.append(float(x))",
        )
    return [_numbers(self[at]) for at in range(shape[0])]


def _tolist(self: Any) -> Any:
    return _numbers(self)


def _sorted(
    self: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> None:
    options = {"kind": kind, "order": order, "stable": stable}
    given = {key: value for key, value in options.items() if value is not None}
    set_item(self, ..., STAGED[np.sort](self, operator.index(axis), **given))


def _parted(
    self: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> None:
    named = {} if order is None else {"order": order}
    set_item(self, ..., STAGED[np.partition](self, kth, operator.index(axis), kind, **named))


def _put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
    STAGED[np.put](self, indices, values, mode)


def _filled(self: Any, value: Any, /) -> None:
    set_item(self, ..., value)


def _set_real(self: Any, value: Any) -> None:
    _check_writable(self, "real")
    if self.type.dtype.np_dtype.kind == "c":
        value = _complex(_part_with(np.real, self, value), STAGED[np.imag](self))
    set_item(self, ..., value)


def _set_imaginary(self: Any, value: Any) -> None:
    _check_writable(self, "imag")
    if self.type.dtype.np_dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    set_item(self, ..., _complex(STAGED[np.real](self), _part_with(np.imag, self, value)))


def _check_writable(array: Any, name: str) -> None:
    if array.static_shape == ():
        raise AttributeError(f"attribute {name!r} of 'numpy.generic' objects is not writable")


def _part_with(part: Any, array: Any, value: Any) -> Any:
    """The real or imaginary parts of an array, with these numbers in them."""
    return set_item(STAGED[np.copy](STAGED[part](array)), ..., value)


def _complex(real: Any, imaginary: Any) -> Any:
    return as_array(ops.complex(as_tensor(real), as_tensor(imaginary)))


_OWN: tuple[tuple[str, Any], ...] = (
    ("__getitem__", _item), ("as_item", _as_item), ("__mul__", _times), ("__rmul__", _timed),
    ("astype", _cast), ("checked_key", _checked), ("choose", _chosen), ("clip", _bounded),
    ("compress", _compressed), ("T", property(_method(np.transpose))), ("mT", property(_of_rows)),
    ("conj", _method(np.conjugate)), ("conjugate", _method(np.conjugate)), ("fill", _filled),
    ("flatten", _flattened), ("flat", property(_in_a_row, _refuse_row)),
    ("imag", property(_method(np.imag), _set_imaginary)), ("item", _number),
    ("partition", _parted), ("put", _put), ("real", property(_method(np.real), _set_real)),
    ("reshape", _reshaped), ("sort", _sorted), ("swapaxes", _swapped), ("tolist", _tolist),
    ("transpose", _transposed),
)  # fmt: skip


_attach()

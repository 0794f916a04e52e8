"""Variables: named tensors that can be assigned, read through primitives that keep their place in a
graph.
"""

from __future__ import annotations

import enum
import functools
import math
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, cast

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.convert import as_array, convert_to_tensor, register_conversion
from runtime.dtypes import DType, as_dtype
from runtime.naming import scoped
from runtime.primitive import Primitive, bind, row, state
from runtime.shapes import Shape, TensorShape, as_shape, compatible, format_shape
from runtime.tensor import CPU, EagerTensor, Reference, Tensor, _text
from runtime.types import TensorType


class VariableSynchronization(enum.Enum):
    """When copies of a variable are brought together. One process keeps one copy, so that this
    changes nothing.
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How copies of a variable are combined. One process keeps one copy, so that this changes
    nothing.
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


# Creation

Creator = Callable[..., Any]


class _Creators(threading.local):
    def __init__(self) -> None:
        self.active: tuple[Creator, ...] = ()


_creators = _Creators()


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Inside this block `variable_creator(next_creator, **kwargs)` makes the variables.

    It is given the arguments of `Variable` by name and usually calls `next_creator(**kwargs)`,
    changed or not. Of nested scopes the inner one is asked first.
    """
    before = _creators.active
    _creators.active = (*before, variable_creator)
    try:
        yield
    finally:
        _creators.active = before


class _Creation(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        creators = _creators.active
        if not creators:
            return super().__call__(*args, **kwargs)
        names = dict(zip(_PARAMETERS, args, strict=False))
        create: Creator = super().__call__
        for creator in creators:
            create = functools.partial(creator, create)
        return create(**names, **kwargs)


_PARAMETERS = (
    "initial_value", "trainable", "validate_shape", "caching_device", "name", "variable_def",
    "dtype", "import_scope", "constraint", "synchronization", "aggregation", "shape",
)  # fmt: skip


# Primitives. The variable is a parameter: a graph holds it by reference, and reads it where the
# node stands.


def _read_kernel(*, variable: Variable) -> Any:
    return variable.raw_value()


def _read_type(*, variable: Variable) -> TensorType:
    return variable.type


def _assign_kernel(value: Any, *, variable: Variable) -> tuple[()]:
    variable.check_shape(value.shape)
    variable.raw = value
    return ()


def _assign_type(value: TensorType, *, variable: Variable) -> tuple[()]:
    if value.dtype is not variable.dtype:
        raise TypeError(_wrong_dtype(variable, value.dtype))
    variable.check_shape(value.shape)
    return ()


def _updating(ufunc: Any) -> Callable[..., tuple[()]]:
    def kernel(value: Any, *, variable: Variable) -> tuple[()]:
        with variable.lock:
            variable.check_shape(value.shape, f"{ufunc.__name__} a value to")
            # A copy, because a graph that assigns runs in the context itself.
            variable.raw = state.context.copy().run(ufunc, variable.raw_value(), value)
        return ()

    return kernel


read_p = row(
    "read_variable", _read_kernel, _read_type, op_type="ReadVariableOp", effect=True,
    gradient=lambda op, g: (g,),
)  # fmt: skip
assign_p = row(
    "assign_variable",
    _assign_kernel,
    _assign_type,
    op_type="AssignVariableOp",
    effect=True,
    fallible=True,
)
assign_add_p = row(
    "assign_add_variable", _updating(np.add), _assign_type, op_type="AssignAddVariableOp",
    effect=True, fallible=True,
)  # fmt: skip
assign_sub_p = row(
    "assign_sub_variable", _updating(np.subtract), _assign_type, op_type="AssignSubVariableOp",
    effect=True, fallible=True,
)  # fmt: skip


def _wrong_dtype(variable: Variable, dtype: DType) -> str:
    return (
        f"Cannot assign value to variable '{variable.name}': the variable has dtype "
        f"{variable.dtype.name}, the value has dtype {dtype.name}; convert it with tf.cast"
    )


class IndexedSlices:
    """Slices of a tensor: `values[i]` stands at `indices[i]` along the first axis of a tensor of
    `dense_shape`.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(indices={self.indices!r}, values={self.values!r}, "
            f"dense_shape={self.dense_shape!r})"
        )


def _dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    if slices.dense_shape is None:
        raise ValueError("IndexedSlices without a dense_shape cannot be converted to a tensor")
    indices = ops.expand_dims(slices.indices, -1)
    shape = ops.cast(slices.dense_shape, slices.indices.dtype)
    return convert_to_tensor(ops.scatter_nd(indices, slices.values, shape), dtype)


register_conversion(IndexedSlices, _dense)


def _combined(function: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    def change(value: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        found = ops.gather_nd(value, indices)
        combined: Tensor = ops.tensor_scatter_nd_update(value, indices, function(found, updates))
        return combined

    return change


def _scattering(
    name: str, change: Callable[..., Tensor], doc: str
) -> Callable[..., Variable]:  # fmt: skip
    """A method that changes slices along the first axis."""

    def method(
        self: Variable, sparse_delta: IndexedSlices, use_locking: bool = False,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        return self._scatter(change, sparse_delta)

    method.__name__, method.__qualname__ = name, f"Variable.{name}"
    method.__doc__ = doc.format("those of `sparse_delta`") + " along the first axis."
    return method


class Variable(metaclass=_Creation):
    """A tensor that keeps its identity while its value changes.

    `initial_value` is a tensor, anything that converts to one, or a function without arguments that
    returns one; `shape` may leave dimensions open that later values are free in. Reading it is
    `v.value()`, or using it where a tensor is expected; `assign`, `assign_add` and `assign_sub`
    change it. Tapes watch it if it is `trainable`.
    """

    is_resource = True
    is_tensor_like = True
    __array_priority__ = 100
    raw: Any

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "initial_value must be given to tf.Variable: it decides on dtype and shape"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(f"constraint must be a function, got {constraint!r}")
        self.name = scoped(name or "Variable") + ":0"
        raw = _initial(initial_value, dtype, self.name)
        declared = raw.shape if shape is None else as_shape(shape)
        if not validate_shape and shape is None:
            declared = None
        self._set_up(raw.dtype, declared, trainable, synchronization, aggregation)
        self.constraint: Callable[[Any], Any] | None = constraint
        self.check_shape(raw.shape)
        self.raw = raw

    def _set_up(
        self,
        dtype: Any,
        shape: Shape,
        trainable: bool | None,
        synchronization: Any,
        aggregation: Any,
    ) -> None:
        from runtime.autodiff.records import new_key

        self.dtype = as_dtype(dtype)
        self.static_shape = shape
        self.type = TensorType(self.dtype, shape)
        on_read = synchronization is VariableSynchronization.ON_READ
        self.trainable = (not on_read) if trainable is None else bool(trainable)
        self.synchronization = synchronization
        self.aggregation = aggregation
        self.node = new_key()
        self.lock = threading.Lock()
        self.device = state.device or CPU
        self.raw = None

    # What it is

    @property
    def shape(self) -> TensorShape:
        """The shape that its values have; unknown dimensions are None."""
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        """The shape that its values have."""
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The rank, None where unknown."""
        return None if self.static_shape is None else len(self.static_shape)

    @property
    def handle(self) -> Variable:
        """What graphs refer to: the variable itself."""
        return self

    def ref(self) -> Reference:
        """A hashable reference to this object, for dicts and sets."""
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        if state.trace is not None:
            return head + ">"
        return f"{head}, numpy={'<uninitialized>' if self.raw is None else _text(self.raw, repr)}>"

    # Reading

    def raw_value(self) -> Any:
        """The array that it holds; FailedPreconditionError before it has been initialised."""
        raw = self.raw
        if raw is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"variable '{self.name}' is uninitialized: it is read before it was given a value",
            )
        return raw

    def value(self) -> Tensor:
        """The present value, as a tensor."""
        raw = self.raw
        if raw is not None:
            if state.run is not None:
                return EagerTensor(raw)
            if state.tape is not None:
                return cast(Tensor, state.tape.read(self, raw))
        return cast(Tensor, bind(read_p, variable=self))

    def read_value(self) -> Tensor:
        """The present value, as a tensor."""
        return self.value()

    def numpy(self) -> Any:
        """The value as an ndarray of the caller's own, or as a NumPy scalar or bytes where it is
        0-d.
        """
        if state.trace is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return EagerTensor(self.raw_value()).numpy()

    def initialized_value(self) -> Tensor:
        """The present value."""
        return self.value()

    def is_initialized(self, name: str | None = None) -> bool:
        """Has it got a value?"""
        return self.raw is not None

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The slices along the first axis that `indices` names."""
        return ops.gather(self.value(), indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements or slices that the vectors along the last axis of `indices` point to."""
        return ops.gather_nd(self.value(), indices)

    def eval(self, session: Any = None) -> Any:
        """The value, as `numpy()` gives it."""
        return self.numpy()

    def set_shape(self, shape: Any) -> None:
        """ValueError unless `shape` is compatible with the shape."""
        if not compatible(self.static_shape, as_shape(shape)):
            raise ValueError(f"{self!r} cannot have the shape {TensorShape(shape)}")

    # Assigning

    def check_shape(self, shape: Shape, what: str = "assign value to") -> None:
        """ValueError (eagerly InvalidArgumentError) if no value of this shape can be assigned."""
        if shape == self.static_shape or compatible(self.static_shape, shape):
            return
        message = (
            f"Cannot {what} variable '{self.name}': it has the shape "
            f"{format_shape(self.static_shape)}, the value has the shape {format_shape(shape)}, "
            "and these are not compatible"
        )
        if state.trace is not None:
            raise ValueError(message)
        raise errors.InvalidArgumentError(None, None, message)

    def _operand(self, value: Any) -> Tensor:
        if isinstance(value, Variable):
            value = value.value()
        if not isinstance(value, Tensor):
            return self._converted(value)
        if value.dtype is not self.dtype:
            message = _wrong_dtype(self, value.dtype)
            if state.trace is not None:
                raise TypeError(message)
            raise errors.InvalidArgumentError(None, None, message)
        return value

    def _converted(self, value: Any) -> Tensor:
        try:
            return convert_to_tensor(value, self.dtype)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Cannot assign value to variable '{self.name}': {error}") from None

    def _change(self, primitive: Primitive, value: Any) -> Variable:
        plain = state.run is not None and type(value) is EagerTensor
        if plain and value.raw.dtype is self.dtype.np_dtype:
            primitive.kernel(value.raw, variable=self)
            return self
        bind(primitive, self._operand(value), variable=self)
        return self

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Give it a new value, and return it. InvalidArgumentError for another dtype or shape."""
        return self._change(assign_p, value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Add `delta` to the value, and return the variable."""
        return self._change(assign_add_p, delta)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Subtract `delta` from the value, and return the variable."""
        return self._change(assign_sub_p, delta)

    def _scatter(self, change: Callable[..., Tensor], sparse_delta: IndexedSlices) -> Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"sparse_delta must be tf.IndexedSlices(values, indices), got {sparse_delta!r}"
            )
        indices = ops.expand_dims(sparse_delta.indices, -1)
        return self.assign(change(self.value(), indices, self._slices(sparse_delta)))

    def _slices(self, sparse_delta: IndexedSlices) -> Tensor:
        values, rank = self._operand(sparse_delta.values), sparse_delta.indices.ndim
        if values.ndim == 0 and self.static_shape is not None and rank is not None:
            shape = ops.concat([ops.shape(sparse_delta.indices), ops.shape(self.value())[1:]], 0)
            return ops.broadcast_to(values, shape)
        return values

    scatter_add = _scattering("scatter_add", ops.tensor_scatter_nd_add, "Add {} to slices")
    scatter_sub = _scattering("scatter_sub", ops.tensor_scatter_nd_sub, "Subtract {} from slices")
    scatter_max = _scattering(
        "scatter_max", ops.tensor_scatter_nd_max, "Replace slices by their maximum with {}"
    )
    scatter_min = _scattering(
        "scatter_min", ops.tensor_scatter_nd_min, "Replace slices by their minimum with {}"
    )
    scatter_update = _scattering(
        "scatter_update", ops.tensor_scatter_nd_update, "Replace slices by {}"
    )
    scatter_mul = _scattering(
        "scatter_mul", _combined(operator.mul), "Multiply slices by {}; indices differ;"
    )
    scatter_div = _scattering(
        "scatter_div", _combined(operator.truediv), "Divide slices by {}; indices differ;"
    )

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Add `updates` where the vectors along the last axis of `indices` point to."""
        return self.assign(ops.tensor_scatter_nd_add(self.value(), indices, self._operand(updates)))

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Subtract `updates` where the vectors along the last axis of `indices` point to."""
        return self.assign(ops.tensor_scatter_nd_sub(self.value(), indices, self._operand(updates)))

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Write `updates` where the vectors along the last axis of `indices` point to."""
        return self.assign(
            ops.tensor_scatter_nd_update(self.value(), indices, self._operand(updates))
        )

    # As a tensor

    def __getitem__(self, key: Any) -> Tensor:
        part = self.value()[key]
        part._owner = (self, key)  # type: ignore[attr-defined]
        return part

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise TypeError("'Variable' object does not support item assignment: write v[i].assign(x)")

    def __bool__(self) -> bool:
        return bool(self._tensor)

    def __int__(self) -> int:
        return int(self._tensor)

    def __float__(self) -> float:
        return float(self._tensor)

    def __complex__(self) -> complex:
        return complex(self._tensor)

    def __index__(self) -> int:
        return operator.index(self._tensor)

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._tensor, ndigits)

    def __len__(self) -> int:
        return len(self._tensor)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self._tensor)

    @property
    def _tensor(self) -> Any:
        # What Python asks of an eager tensor; a symbolic one refuses.
        return self.value()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype=dtype)

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        """A variable of its own with the same value."""
        made = _restore(*self.__reduce__()[1])
        memo[id(self)] = made
        return made

    def __reduce__(self) -> tuple[Callable[..., Variable], tuple[Any, ...]]:
        return _restore, (
            np.asarray(self.raw_value()), self.name, self.static_shape, self.trainable,
            self.synchronization, self.aggregation,
        )  # fmt: skip


def _restore(raw: Any, name: str, shape: Shape, trainable: bool, *how: Any) -> Variable:
    made = object.__new__(Variable)
    made.name = name
    made._set_up(raw.dtype, shape, trainable, *how)
    made.constraint = None
    made.raw = as_array(raw)
    return made


@contextmanager
def init_scope() -> Iterator[None]:
    """Inside this block ops are computed at once and recorded nowhere, whatever is being traced
    around it.
    """
    before = state.trace, state.tapes
    state.trace, state.tapes = None, ()
    try:
        yield
    finally:
        state.trace, state.tapes = before


def _initial(value: Any, dtype: Any, name: str) -> Any:
    with init_scope():
        if callable(value) and not isinstance(value, Tensor | Variable):
            value = value()
        if isinstance(value, Variable):
            value = value.value()
        if not isinstance(value, Tensor):
            wanted = None if dtype is None else as_dtype(dtype)
            value = convert_to_tensor(value, wanted)
        elif dtype is not None and value.dtype is not as_dtype(dtype):
            value = convert_to_tensor(value, dtype)
    raw = value.static_value
    if raw is None:
        raise ValueError(
            f"the initial value of variable '{name}' is a symbol of the function being traced: "
            "pass a function without arguments that computes it, tf.Variable(lambda: ...)"
        )
    return raw


def _to_tensor(variable: Variable, dtype: DType | None) -> Tensor:
    return convert_to_tensor(variable.value(), dtype)


register_conversion(Variable, _to_tensor)


# Operators

_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor"
_ORDER = "lt le gt ge eq ne"
_UNARY = "neg pos abs invert"


def _read(value: Any) -> Any:
    return value.value() if type(value) is Variable else value


def _forward(compute: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return compute(self.value(), _read(other))

    return method


def _backward(compute: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return compute(_read(other), self.value())

    return method


def _alone(compute: Callable[[Any], Any]) -> Callable[[Variable], Any]:
    def method(self: Variable) -> Any:
        return compute(self.value())

    return method


def _in_place(symbol: str) -> Callable[[Variable, Any], NoReturn]:
    def method(self: Variable, other: Any) -> NoReturn:
        raise RuntimeError(
            f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use "
            "`variable.assign_add(value)` (or assign, assign_sub) to modify the variable, or "
            f"`out = variable {symbol} value` for a new tensor."
        )

    return method


def _attach(name: str, function: Any) -> None:
    function.__name__ = name
    function.__qualname__ = f"Variable.{name}"
    setattr(Variable, name, function)


def _attach_operators() -> None:
    for name in _BINARY.split():
        compute = getattr(operator, f"__{name}__")
        _attach(f"__{name}__", _forward(compute))
        _attach(f"__r{name}__", _backward(compute))
    _attach("__divmod__", _forward(divmod))
    _attach("__rdivmod__", _backward(divmod))
    for name in _ORDER.split():
        _attach(f"__{name}__", _forward(getattr(operator, name)))
    for function in (math.trunc, math.floor, math.ceil):
        _attach(f"__{function.__name__}__", _alone(function))
    for name in _UNARY.split():
        _attach(f"__{name}__", _alone(getattr(operator, name)))
    for name, symbol in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**")):
        _attach(f"__i{name}__", _in_place(symbol))


_attach_operators()


# Slices of variables: v[1:].assign(x)


def _slice_method(name: str, combine: Callable[[Any, Any], Any]) -> property:
    def getter(self: Tensor) -> Callable[..., Variable]:
        owner = getattr(self, "_owner", None)
        if owner is None:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}': tensors are values; "
                "a tf.Variable and its slices v[...] can be assigned"
            )
        return functools.partial(_assign_slice, owner, combine)

    return property(getter)


def _assign_slice(
    owner: tuple[Variable, Any],
    combine: Callable[[Any, Any], Any],
    value: Any,
    use_locking: bool = False,
    name: str | None = None,
    read_value: bool = True,
) -> Variable:
    variable, key = owner
    before = variable.value()
    part = combine(before[key], variable._operand(value))
    return variable.assign(ops.setitem(before, key, part))


def _second(before: Any, value: Any) -> Any:
    return value


for _name, _combine in (
    ("assign", _second), ("assign_add", operator.add), ("assign_sub", operator.sub)
):  # fmt: skip
    setattr(Tensor, _name, _slice_method(_name, _combine))

__all__ = [
    "IndexedSlices",
    "Sequence",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "as_array",
    "dtypes",
    "init_scope",
    "variable_creator_scope",
]

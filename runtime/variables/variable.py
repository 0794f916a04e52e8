"""Variables: named tensors that can be assigned, read through primitives that keep their place in a
graph.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

import runtime.ops as ops
from runtime.core.convert import as_array, convert_to_tensor, register_conversion
from runtime.core.naming import scoped
from runtime.core.primitive import Primitive, bind, describe, in_name_of
from runtime.core.shapes import Shape, TensorShape, as_shape, compatible
from runtime.core.state import init_scope, state
from runtime.core.tensor import CPU, EagerTensor, Operators, Reference, Tensor, shown
from runtime.core.types import TensorType
from runtime.core.workspace import c_contiguous
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import static_int
from runtime.ops.indexed_slices import IndexedSlices
from runtime.variables.creation import Creation, VariableAggregation, VariableSynchronization
from runtime.variables.handle import VariableHandle
from runtime.variables.primitives import (
    assign_add_p,
    assign_p,
    assign_sub_p,
    count_up_to_p,
    dtype_mismatch,
    read_p,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    class Slice(Tensor):
        """A slice of a variable, which can be assigned."""

        def assign(self, value: Any, use_locking: bool = ..., name: Any = ...) -> Variable:
            """Write `value` there."""

        def assign_add(
            self, value: Any, use_locking: bool = ..., name: str | None = ...
        ) -> Variable:
            """Add `value` there."""

        def assign_sub(
            self, value: Any, use_locking: bool = ..., name: str | None = ...
        ) -> Variable:
            """Subtract `value` there."""


def _scaled(by: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Slices scaled by the product of all the updates that name them."""

    def change(value: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        rows, count = ops.squeeze(indices, -1), ops.shape(value, indices.dtype)[0]
        factors = ops.unsorted_segment_prod(updates, rows, count)
        found = ops.gather_nd(by(value, factors), indices)
        return ops.tensor_scatter_nd_update(value, indices, found)

    return change


def _divided(value: Tensor, factors: Tensor) -> Tensor:
    """Integers are cut off, as TensorFlow's are."""
    return ops.truncatediv(value, factors) if value.dtype.is_integer else value / factors


def _in_batches(value: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The value with other slices, where the last axis of the indices, before one of size 1, is
    counted in each batch.
    """
    shape = ops.shape(indices)[:-1]
    batches = range(len(indices.shape) - 2)
    counts = [ops.range(ops.cast(shape[axis], indices.dtype)) for axis in batches]
    grid = [
        ops.broadcast_to(ops.reshape(count, [-1] + [1] * (len(batches) - axis)), shape)
        for axis, count in enumerate(counts)
    ]
    places = ops.concat([*[ops.expand_dims(each, -1) for each in grid], indices], -1)
    return ops.tensor_scatter_nd_update(value, places, updates)


def _scattering(
    name: str, change: Callable[..., Tensor], doc: str, shown: float
) -> Callable[..., Variable]:  # fmt: skip
    """A method that changes slices along the first axis; `shown`: what it makes of 20 and 4."""

    def method(
        self: Variable, sparse_delta: IndexedSlices, use_locking: bool = False,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        return self._scatter(change, sparse_delta)

    method.__name__, method.__qualname__ = name, f"Variable.{name}"
    method.__doc__ = f"""{doc.format("those of `sparse_delta`")} along the first axis.

        >>> v = rt.Variable([10.0, 20.0])
        >>> v.{name}(rt.IndexedSlices(rt.constant([4.0]), rt.constant([1]))).numpy().tolist()
        [10.0, {shown}]
        """
    return method


class Variable(Operators, metaclass=Creation):
    """A tensor that keeps its identity while its value changes.

    `initial_value` is a tensor, anything that converts to one, or a function without arguments that
    returns one; `shape` may leave dimensions open that later values are free in. Reading it is
    `v.value()`, or using it where a tensor is expected; `assign`, `assign_add` and `assign_sub`
    change it. Tapes watch it if it is `trainable`.

    >>> v = rt.Variable([1., 2.])
    >>> v.assign_add([1., 1.]).numpy().tolist()
    [2.0, 3.0]
    >>> v[0].assign(9.).numpy().tolist()
    [9.0, 3.0]
    """

    is_resource = True
    is_tensor_like = True
    __array_priority__ = Tensor.__array_priority__
    __pandas_priority__ = Tensor.__pandas_priority__
    handle: VariableHandle
    """The handle that graphs and tapes refer to: it holds the value."""

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
        name = scoped(name or "Variable") + ":0"
        raw = _initial(initial_value, dtype, name)
        declared = raw.shape if shape is None else as_shape(shape)
        if not validate_shape and shape is None:
            declared = None
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        handle = VariableHandle(self, name, as_dtype(raw.dtype), declared, bool(trainable))
        handle.check_shape(raw.shape)
        handle.raw = c_contiguous(raw)
        self._set_up(handle, synchronization, aggregation, constraint)

    def _set_up(
        self,
        handle: VariableHandle,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        constraint: Callable[[Any], Any] | None = None,
    ) -> None:
        self.handle = handle
        self.synchronization = synchronization
        self.aggregation = aggregation
        self.constraint = constraint
        self.device = state.device or CPU

    # What it is

    @property
    def name(self) -> str:
        """The name given, in the scope it was made in, and `:0`."""
        return self.handle.name

    @property
    def dtype(self) -> DType:
        """The dtype of its values."""
        return self.handle.dtype

    @property
    def initializer(self) -> None:
        """None: a variable has its value from the start."""
        return None

    @property
    def static_shape(self) -> Shape:
        """The shape as a tuple, None where it is unknown."""
        return self.handle.static_shape

    @property
    def type(self) -> TensorType:
        """dtype and shape."""
        return self.handle.type

    @property
    def trainable(self) -> bool:
        """True if tapes watch it when it is read."""
        return self.handle.trainable

    @property
    def node(self) -> int:
        """The key that tapes know it by."""
        return self.handle.node

    @property
    def shape(self) -> TensorShape:
        """The shape that its values have; unknown dimensions are None."""
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        """The shape that its values have.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.get_shape()
        TensorShape([3])
        """
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The rank, None where unknown."""
        return None if self.static_shape is None else len(self.static_shape)

    def ref(self) -> Reference:
        """A hashable reference to this object, for dicts and sets.

        >>> v = rt.Variable([1, 2, 3])
        >>> {v.ref(): "mine"}[v.ref()]
        'mine'
        """
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        if state.trace is not None:
            return head + ">"
        raw = self.handle.present()
        return f"{head}, numpy={'<uninitialized>' if raw is None else shown(raw, repr)}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from runtime.core.displays import short_repr

        printer.text(short_repr(self, len(self.shape.dims or ())))

    def _repr_html_(self) -> str | None:
        from runtime.core.displays import tensor_html

        raw = None if state.trace is not None else self.handle.present()
        head = f"variable {self.name} {self.dtype.name} {self.shape}"
        return None if raw is None else tensor_html(np.asarray(raw), head)

    # Reading

    def value(self) -> Tensor:
        """The present value, as a tensor.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.value().numpy().tolist()
        [1, 2, 3]
        """
        handle = self.handle
        raw = handle.raw
        if raw is not None:
            if state.run is not None:
                return EagerTensor(raw)
            if state.tape is not None:
                return cast(Tensor, state.tape.read(handle, raw))
        return cast(Tensor, bind(read_p, variable=handle))

    def read_value(self) -> Tensor:
        """The present value, as a tensor.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.read_value().numpy().tolist()
        [1, 2, 3]
        """
        return self.value()

    def numpy(self) -> npt.NDArray[Any] | Any:
        """The value as an ndarray of the caller's own, or as a NumPy scalar or bytes where it is
        0-d.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.numpy().tolist()
        [1, 2, 3]
        """
        if state.trace is not None:
            raise state.trace.refused(
                f"the variable {self.name!r} is asked for its value by numpy(): what it is then, "
                "only the run knows",
                "compute with the variable itself, and call numpy() on what the function returns",
            )
        return EagerTensor(self.handle.raw_value()).numpy()

    def initialized_value(self) -> Tensor:
        """The present value.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.initialized_value().numpy().tolist()
        [1, 2, 3]
        """
        return self.value()

    def is_initialized(self, name: str | None = None) -> bool:
        """Returns True if it has a value.

        >>> v = rt.Variable([1, 2, 3])
        >>> bool(v.is_initialized())
        True
        """
        return self.handle.present() is not None

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The slices along the first axis that `indices` names.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.sparse_read([2, 0]).numpy().tolist()
        [3, 1]
        """
        return ops.gather(self.value(), indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements or slices that the vectors along the last axis of `indices` point to.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.gather_nd([[2], [0]]).numpy().tolist()
        [3, 1]
        """
        return ops.gather_nd(self.value(), indices)

    def eval(self, session: Any = None) -> npt.NDArray[Any] | Any:
        """The value, as `numpy()` gives it.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.eval().tolist()
        [1, 2, 3]
        """
        return self.numpy()

    def set_shape(self, shape: Any) -> None:
        """ValueError unless `shape` is compatible with the shape.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.set_shape([3])
        """
        if not compatible(self.static_shape, as_shape(shape)):
            raise ValueError(f"{self!r} cannot have the shape {TensorShape(shape)}")

    # Assigning

    def _operand(self, value: Any, primitive: Primitive = assign_p) -> Tensor:
        if isinstance(value, Variable):
            value = value.value()
        if not isinstance(value, Tensor):
            return self._converted(value, primitive)
        if value.dtype is not self.dtype:
            message, types = dtype_mismatch(self.handle, value.dtype), (self.type, value.type)
            raise in_name_of(primitive.op_type, TypeError(message), types)
        return value

    def _converted(self, value: Any, primitive: Primitive) -> Tensor:
        try:
            return convert_to_tensor(value, self.dtype)
        except (TypeError, ValueError) as error:
            made = type(error)(f"Cannot assign value to variable '{self.name}': {error}")
            if isinstance(made, TypeError):
                types = self.type, describe(value)
                raise in_name_of(primitive.op_type, made, types) from None
            raise made from None

    def _change(self, primitive: Primitive, value: Any, read_value: bool) -> Variable:
        handle = self.handle
        plain = state.run is not None and type(value) is EagerTensor
        if plain and value.raw.dtype is handle.dtype.np_dtype:
            primitive.kernel(value.raw, variable=handle)
        else:
            bind(primitive, self._operand(value, primitive), variable=handle)
        return self if read_value else None  # type: ignore[return-value]

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Give it a new value, and return it, or None unless `read_value`. WrongDtypeError for
        another dtype, InvalidArgumentError for another shape.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.assign([4, 5, 6]).numpy().tolist()
        [4, 5, 6]
        """
        return self._change(assign_p, value, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Add `delta` to the value, and return the variable, or None unless `read_value`.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.assign_add([1, 1, 1]).numpy().tolist()
        [2, 3, 4]
        """
        return self._change(assign_add_p, delta, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Subtract `delta` from the value, and return the variable, or None unless
        `read_value`.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.assign_sub([1, 1, 1]).numpy().tolist()
        [0, 1, 2]
        """
        return self._change(assign_sub_p, delta, read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """The value, of a scalar int32 or int64, to which 1 is added; OutOfRangeError at `limit`.

        >>> v = rt.Variable(3)
        >>> int(v.count_up_to(5)), int(v)
        (3, 4)
        """
        return bind(count_up_to_p, variable=self.handle, limit=static_int(limit, "limit"))  # type: ignore[no-any-return]

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

    scatter_add = _scattering("scatter_add", ops.tensor_scatter_nd_add, "Add {} to slices", 24.0)
    scatter_sub = _scattering(
        "scatter_sub", ops.tensor_scatter_nd_sub, "Subtract {} from slices", 16.0
    )
    scatter_max = _scattering(
        "scatter_max", ops.tensor_scatter_nd_max, "Replace slices by their maximum with {}", 20.0
    )
    scatter_min = _scattering(
        "scatter_min", ops.tensor_scatter_nd_min, "Replace slices by their minimum with {}", 4.0
    )
    scatter_update = _scattering(
        "scatter_update", ops.tensor_scatter_nd_update, "Replace slices by {}", 4.0
    )
    scatter_mul = _scattering("scatter_mul", _scaled(operator.mul), "Multiply slices by {}", 80.0)
    scatter_div = _scattering("scatter_div", _scaled(_divided), "Divide slices by {}", 5.0)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replace slices by those of `sparse_delta`, along the last axis of its indices: those
        before are of batches.

        >>> v = rt.Variable([[1, 2, 3], [4, 5, 6]])
        >>> delta = rt.IndexedSlices(rt.constant([[7], [8]]), rt.constant([[0], [2]]))
        >>> v.batch_scatter_update(delta).numpy().tolist()
        [[7, 2, 3], [4, 5, 8]]
        """
        return self._scatter(_in_batches, sparse_delta)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Add `updates` where the vectors along the last axis of `indices` point to.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.scatter_nd_add([[1]], [10]).numpy().tolist()
        [1, 12, 3]
        """
        return self.assign(ops.tensor_scatter_nd_add(self.value(), indices, self._operand(updates)))

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Subtract `updates` where the vectors along the last axis of `indices` point to.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.scatter_nd_sub([[1]], [10]).numpy().tolist()
        [1, -8, 3]
        """
        return self.assign(ops.tensor_scatter_nd_sub(self.value(), indices, self._operand(updates)))

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Write `updates` where the vectors along the last axis of `indices` point to.

        >>> v = rt.Variable([1, 2, 3])
        >>> v.scatter_nd_update([[1]], [10]).numpy().tolist()
        [1, 10, 3]
        """
        return self.assign(
            ops.tensor_scatter_nd_update(self.value(), indices, self._operand(updates))
        )

    # As a tensor

    def __getitem__(self, key: Any) -> Slice:
        part = cast("Slice", self.value()[key])
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
        return iter(self._tensor) if state.trace is not None else self._rows()

    def _rows(self) -> Iterator[Tensor]:
        for place, row in enumerate(self._tensor):
            row._owner = self, place
            yield row

    @property
    def _tensor(self) -> Any:
        # What Python asks of an eager tensor; a symbolic one refuses.
        return self.value()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        if options.get("copy") is False:
            raise BufferError("the array of a variable changes in place: it is given as a copy")
        return np.asarray(self.numpy()).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return np.asarray(self.numpy()).__dlpack_device__()

    def __copy__(self) -> Variable:
        return self  # a copy that shares the value

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        """A variable of its own with the same value."""
        made = _restore(*self.__reduce__()[1])
        memo[id(self)] = made
        return made

    def __reduce__(self) -> tuple[Callable[..., Variable], tuple[Any, ...]]:
        return _restore, (
            np.asarray(self.handle.raw_value()), self.name, self.static_shape, self.trainable,
            self.synchronization, self.aggregation,
        )  # fmt: skip


def _restore(raw: Any, name: str, shape: Shape, trainable: bool, *how: Any) -> Variable:
    made = object.__new__(Variable)
    handle = VariableHandle(made, name, as_dtype(raw.dtype), shape, trainable)
    handle.raw = c_contiguous(as_array(raw))
    made._set_up(handle, *how)
    return made


def restored(raw: Any, name: str, type: TensorType, trainable: bool) -> Variable:
    """A variable as it was saved: of this name, and without a value where `raw` is None."""
    made = object.__new__(Variable)
    handle = VariableHandle(made, name, type.dtype, type.shape, trainable)
    handle.raw = None if raw is None else c_contiguous(as_array(raw))
    made._set_up(handle)
    return made


def with_handle(handle: VariableHandle) -> Variable:
    """A variable for a handle whose own is no more."""
    made = object.__new__(Variable)
    made._set_up(handle)
    return made


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

"""Tensors: the public base class, and the eager tensor that wraps a NumPy array.

The operators are attached by `runtime.ops.operators`, once for all kinds of tensors.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from runtime import dtypes
from runtime.core.primitive import install_tensor
from runtime.core.shapes import Shape, TensorShape
from runtime.core.state import active_traces, state
from runtime.core.types import TensorType
from runtime.dtypes import BY_NUMPY, DType

lend: Callable[[EagerTensor, EagerTensor], None] | None = None
"""From the first item assignment on: notes what was read from a tensor, which is `viewed` there."""

COPIED = "copied"
"""Stands for the index by which a tensor was read that `copy.copy` has made."""

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
NO_ITEMS = "a scalar tensor has no items to look for one in with `in`: compare it by =="
_READ_ONLY = (
    "'{}' object does not support item assignment: tensors are values. Write "
    "`x = tf.tensor_scatter_nd_update(x, indices, updates)`, or `x[i] = v` inside a function "
    "converted by @autograph.convert or @tf.function"
)


class Reference:
    """Stands for a tensor or variable by identity: it can be hashed; `deref()` gives the object
    back.
    """

    __slots__ = ("__weakref__", "_object")

    def __init__(self, referent: Any) -> None:
        self._object = referent

    def deref(self) -> Any:
        """The object that this reference stands for."""
        return self._object

    def __eq__(self, other: object) -> builtins.bool:
        return isinstance(other, Reference) and self._object is other._object

    def __lt__(self, other: object) -> builtins.bool:
        # Some order, as TensorFlow's have: structures are gone through by their sorted keys.
        if not isinstance(other, Reference):
            return NotImplemented
        return id(self._object) < id(other._object)

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


if TYPE_CHECKING:
    import numpy.typing as npt

    class Operators:
        """The operators of tensors and variables."""

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __divmod__(self, other: Any) -> tuple[Tensor, Tensor]: ...
        def __rdivmod__(self, other: Any) -> tuple[Tensor, Tensor]: ...
        def __pow__(self, other: Any, modulo: Any = None) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lshift__(self, other: Any) -> Tensor: ...
        def __rlshift__(self, other: Any) -> Tensor: ...
        def __rshift__(self, other: Any) -> Tensor: ...
        def __rrshift__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]

else:
    Operators = object


class Tensor(Operators):
    """An immutable multi-dimensional array with one dtype.

    Eager tensors hold values, symbolic ones stand for them.

    Subclasses give `type` (a TensorType); everything else follows from it and from ops.

    >>> isinstance(rt.constant(1), rt.Tensor)
    True
    """

    __slots__ = ()
    # NumPy and pandas (whose own are 1000 to 4000) leave operators to operands that rank higher.
    __array_priority__ = 100
    __pandas_priority__ = 5000
    # What tapes know this tensor by: None until a tape watches it or records the op that makes it.
    node: Any = None

    @property
    def type(self) -> TensorType:
        """dtype and static shape."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self.type.dtype

    def _as_number(self) -> Any:
        """The Python int or float that a scalar of real numbers or truth values holds; a staged one
        while tracing.
        """
        raise NotImplementedError

    @property
    def static_shape(self) -> Shape:
        """The shape as far as it is known: a plain tuple, or None."""
        return self.type.shape

    @property
    def static_value(self) -> Any:
        """The array that this tensor is known to hold already now (constants), or None."""
        return None

    @property
    def static_sizes(self) -> Any:
        """Of a shape of which some sizes are known: the array of these, with -1 for others."""
        return None

    @property
    def shape(self) -> TensorShape:
        """The shape; unknown dimensions are None."""
        return TensorShape(self.static_shape)

    @property
    def ndim(self) -> int | None:
        """The rank, None where unknown."""
        shape = self.static_shape
        return None if shape is None else len(shape)

    def get_shape(self) -> TensorShape:
        """The shape; unknown dimensions are None.

        >>> rt.constant([1, 2]).get_shape()
        TensorShape([2])
        """
        return self.shape

    def ref(self) -> Reference:
        """A hashable reference to this object, for dicts and sets.

        >>> x = rt.constant([1, 2])
        >>> {x.ref(): "mine"}[x.ref()]
        'mine'
        """
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    # In converted code an item can be assigned: the type is not NoReturn.
    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(_READ_ONLY.format(type(self).__name__))

    def __delitem__(self, key: Any) -> NoReturn:
        raise TypeError(f"'{type(self).__name__}' object does not support item deletion")

    if TYPE_CHECKING:

        def __getitem__(self, key: Any) -> Tensor: ...

        # Eager tensors have these, and symbolic ones refuse them or leave them to autograph.
        def __iter__(self) -> Iterator[Tensor]: ...
        def __len__(self) -> int: ...
        def __contains__(self, value: object) -> builtins.bool: ...
        def __bool__(self) -> builtins.bool: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...
        def __round__(self, ndigits: int | None = None) -> Any: ...
        def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Any: ...
        def numpy(self) -> npt.NDArray[Any] | Any: ...
        def set_shape(self, shape: Any) -> None: ...
        @property
        def device(self) -> str: ...
        @property
        def name(self) -> str: ...


class EagerTensor(Tensor):
    """A tensor whose value is there: `raw` is a NumPy array, or a NumPy scalar for some 0-d
    tensors.

    `raw` is never written to, neither here nor through `numpy()`: an item assignment in converted
    code gives the tensor another one. Not there where nobody asked for them are `viewed`, the
    tensor and the index that it was read by; `lent`, what was read from it lately; and `links`,
    what shares its memory for Python.
    """

    __slots__ = ("__weakref__", "_device", "_owner", "lent", "links", "node", "raw", "viewed")
    raw: Any
    node: int | None
    viewed: tuple[EagerTensor, Any]
    links: Any
    lent: Any
    _device: str
    _owner: Any

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.node = None

    @property
    def type(self) -> TensorType:
        """dtype and shape."""
        raw = self.raw
        return TensorType(BY_NUMPY[raw.dtype], raw.shape)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return BY_NUMPY[self.raw.dtype]

    @property
    def static_shape(self) -> tuple[int, ...]:
        """The shape as a plain tuple."""
        return cast("tuple[int, ...]", self.raw.shape)

    @property
    def static_value(self) -> Any:
        """The array itself; not to be written to."""
        if active_traces and state._trace is not None:
            state._trace.takes_over(self)
        return self.raw

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        shape = _new_shape(TensorShape)
        shape.dims = self.raw.shape
        return shape

    @property
    def ndim(self) -> int:
        """The rank."""
        return cast(int, self.raw.ndim)

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        return getattr(self, "_device", CPU)

    @property
    def backing_device(self) -> str:
        """The name of the device that holds the value."""
        return self.device

    @property
    def is_packed(self) -> builtins.bool:
        """False: a tensor here is one array."""
        return False

    @property
    def name(self) -> NoReturn:
        """Only symbolic tensors have names."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        """Only symbolic tensors have an op that makes them."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Only symbolic tensors belong to a graph."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def numpy(self) -> npt.NDArray[Any] | Any:
        """The value as an ndarray of the caller's own (a copy), or as a NumPy scalar or bytes where
        it is 0-d.
        """
        raw = self.raw
        if type(raw) is not _ndarray:
            return raw
        if active_traces and state._trace is not None:
            state._trace.takes_over(self)
        return raw.copy() if raw.ndim else raw[()]

    def cpu(self) -> EagerTensor:
        """This tensor on the CPU."""
        return self

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """This tensor on a GPU; RuntimeError because there is none."""
        raise RuntimeError(
            f"Could not copy to GPU:{gpu_index}: this runtime computes on the CPU only"
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Refused: an eager tensor has its value already."""
        raise NotImplementedError(
            "an eager tensor has its value already: eval() is for graphs, .numpy() gives the value"
        )

    def set_shape(self, shape: Any) -> None:
        """ValueError unless `shape` is compatible with the shape."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"a tensor of shape {self.shape} cannot be given the shape {TensorShape(shape)}"
            )

    def _view(self) -> Any:
        if active_traces and state._trace is not None:
            state._trace.takes_over(self)
        # Through a memoryview, because what an array lends can be made writable again.
        raw: Any = self.raw if type(self.raw) is np.ndarray else np.asarray(self.raw)
        if raw.dtype.hasobject:
            view = raw.view()
            view.setflags(write=False)
            return view
        # bfloat16, of another package, has no place in a buffer: its bits have.
        lent = raw.view(np.uint16) if raw.dtype.kind == "V" else raw
        return np.asarray(memoryview(lent).toreadonly()).view(raw.dtype)

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Any:
        if copy or (dtype is not None and np.dtype(dtype) != self.raw.dtype):
            if copy is False:
                raise ValueError(
                    f"Cannot convert a tensor of dtype {self.dtype.name} without copying"
                )
            return np.array(self.raw, dtype=dtype)
        return self._view()

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(self._view())

    def __dlpack__(self, **options: Any) -> Any:
        # Always memory of the consumer's own: PyTorch writes even where the capsule forbids it.
        if options.pop("copy", None) is False:
            raise BufferError("a tensor is immutable: DLPack copies it (np.asarray(t) does not)")
        return np.array(self.raw).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return cast("tuple[int, int]", np.asarray(self.raw).__dlpack_device__())

    def __bool__(self) -> builtins.bool:
        raw = self.raw
        if raw.size != 1:
            raise ValueError(
                f"The truth value of a tensor with {raw.size} elements is ambiguous (shape "
                f"{raw.shape}): reduce it first with tf.reduce_any(t), tf.reduce_all(t) or "
                "tf.size(t) > 0"
            )
        return builtins.bool(raw.item())

    def _scalar(self, what: str) -> Any:
        raw = self.raw
        if raw.size != 1:
            raise TypeError(
                f"only tensors with one element can be converted to {what}, got shape {raw.shape}"
            )
        return raw.item()

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def _as_number(self) -> builtins.int | builtins.float:
        return +cast(int, self._scalar("a number"))

    def __index__(self) -> int:
        raw = self.raw
        if raw.ndim or raw.dtype.kind not in "iub":
            raise TypeError(
                f"only integer scalar tensors can be converted to an index, got {self.type}; "
                "int(x) of a scalar is one"
            )
        return int(raw.item())

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._scalar("a rounded number"), ndigits)

    def __trunc__(self) -> int:
        return cast(int, math.trunc(self._scalar("int")))

    def __floor__(self) -> int:
        return cast(int, math.floor(self._scalar("int")))

    def __ceil__(self) -> int:
        return cast(int, math.ceil(self._scalar("int")))

    def __len__(self) -> int:
        shape = self.raw.shape
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return cast(int, shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if not self.raw.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self.raw.shape[0]))

    def __contains__(self, value: object) -> builtins.bool:
        if not self.raw.shape:
            raise TypeError(NO_ITEMS)
        return builtins.bool(np.any(np.asarray((self == value).raw)))  # type: ignore[attr-defined]

    def snapshot(self) -> EagerTensor:
        """Another tensor with this value, for tapes the same one: no item assignment changes it."""
        made = EagerTensor(self.raw)
        made.node = self.node
        return made

    def __copy__(self) -> EagerTensor:
        raw = self.raw
        if not raw.ndim:
            return self
        made = self.snapshot()
        if raw.ndim > 1:
            made.viewed = self, COPIED
            if lend is not None:
                lend(self, made)
                return made if self.raw is raw else self.__copy__()  # as `indexing.fast_getitem`
        return made

    def __deepcopy__(self, memo: Any) -> EagerTensor:
        return self.snapshot() if self.raw.ndim else self

    def __reduce__(self) -> Any:
        return _restore, (np.asarray(self.raw), self.dtype.name)

    def __format__(self, spec: str) -> str:
        value = self.numpy()
        return format(str(value), spec) if isinstance(value, bytes) else format(value, spec)

    def __str__(self) -> str:
        return f"tf.Tensor({shown(self.raw, str)}, shape={self.raw.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        text = shown(self.raw, repr)
        return f"<tf.Tensor: shape={self.raw.shape}, dtype={self.dtype.name}, numpy={text}>"

    def _repr_pretty_(self, printer: Any, cycle: builtins.bool) -> None:
        from runtime.core.displays import short_repr

        printer.text(short_repr(self, self.raw.ndim))

    def _repr_html_(self) -> str:
        from runtime.core.displays import tensor_html

        return tensor_html(np.asarray(self.raw), f"tensor {self.dtype.name} {self.raw.shape}")


_ndarray = np.ndarray
_new_shape = object.__new__


def shown(raw: Any, form: Any) -> str:
    if raw.ndim == 0:
        value = raw.item() if raw.dtype.kind == "O" else raw[()]
        return repr(value) if isinstance(value, bytes) else str(value)
    text: str = form(raw)
    return "\n" + text if "\n" in text else text


def _restore(raw: Any, dtype: str) -> EagerTensor:
    # Dtypes are compared by identity: one that was pickled is another object.
    return EagerTensor(raw.astype(dtypes.as_dtype(dtype).np_dtype))


def wrap(raw: Any) -> EagerTensor:
    """The eager tensor of a kernel's result; what NumPy returns for 0-d object arrays becomes an
    array again.
    """
    if type(raw) is not _ndarray and not isinstance(raw, np.generic):
        raw = np.asarray(raw, dtype=object if isinstance(raw, bytes) else None)
    return EagerTensor(raw)


def tensor_of(raw: Any) -> Tensor:
    """The tensor of a result of a run, which is one already where a tape or a device asked."""
    return raw if isinstance(raw, Tensor) else wrap(raw)


install_tensor(wrap)


def executing_eagerly() -> builtins.bool:
    """Returns True if ops are computed at once (rather than added to a graph that is being traced).

    >>> rt.executing_eagerly()
    True
    """
    return state.trace is None


def inside_function() -> builtins.bool:
    """Returns True if a function is being traced.

    >>> rt.inside_function()
    False
    """
    return state.trace is not None


def is_tensor(x: Any) -> builtins.bool:
    """Returns True for a tensor (or what says that it behaves as one).

    >>> rt.is_tensor(rt.constant(1))
    True
    """
    return isinstance(x, Tensor) or getattr(type(x), "is_tensor_like", False)


__all__ = ["EagerTensor", "Reference", "Tensor", "dtypes", "executing_eagerly", "is_tensor", "wrap"]

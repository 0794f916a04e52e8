"""The helpers to define families of ops: rows with public functions, and what gradients share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

import runtime.ops as ops
from runtime import errors
from runtime.core.convert import check_beside, conversion_of, convert_to_tensor
from runtime.core.primitive import (
    TABLE,
    Kernel,
    Primitive,
    Sample,
    bind,
    broadcast_shapes,
    describe,
    in_name_of,
    row,
    same_shape,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.core.shapes import Shape, TensorShape, is_known
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import TensorType
from runtime.ops.arguments import static_int
from runtime.ops.batching import elementwise
from runtime.ops.blockwise import MANY

Op = Callable[..., Tensor]
Example = tuple[str, ...]  # a call of the public name, and what Python then shows
Function = TypeVar("Function", bound=Callable[..., Any])
Partial = Callable[[Any, Any, Any, Any], Any]
BinaryGradient = Callable[[Any, Any, Any, Any], tuple[Any, Any]] | tuple[Partial, Partial]
FLOATING = (sample("2,3"), sample(""))
POSITIVE = (sample("2,3:+"), sample(":+"))
UNIT = (sample("2,3:u"), sample(":u"))
PAIRS = (sample("2,3", "2,3"), sample("2,3", "3"), sample("2,1", "3"), sample("", "2"))


def copied(x: Any, out: Any) -> Any:
    """An array with the elements of `x`: `out` if there is one, which may be x."""
    if out is None:
        return np.array(x, order="C")
    if out is not x:
        np.copyto(out, x)
    return out


def converted(x: Any, dtype: Any, out: Any) -> Any:
    """An array with the elements of `x` in another dtype: `out` if there is one."""
    if out is None:
        return x.astype(dtype, copy=False)
    np.copyto(out, x, casting="unsafe")
    return out


def zeroed(shape: Any, dtype: Any, out: Any) -> Any:
    """An array of zeros, of empty strings for those: `out` if there is one."""
    if out is None:
        return np.full(shape, b"", dtype) if dtype.hasobject else np.zeros(shape, dtype)
    out.fill(0)
    return out


def unary(
    name: str,
    kernel: Kernel,
    signature: str = "F->F",
    *,
    gradient: Callable[[Any, Any, Any], Any] | None = None,
    reads: str = "x",
    op_type: str | None = None,
    doc: str,
    example: Example = (),
    samples: tuple[Sample, ...] = FLOATING,
    argument: str = "x",
    **facts: Any,
) -> Op:
    """The public function of an elementwise op of one tensor, and its row, with other facts.

    `gradient(x, y, g)` gives the gradient for x; `reads` tells which of x and y it uses.
    `argument` is what the function calls its tensor.
    """

    def rule(op: Any, g: Any) -> Any:
        assert gradient is not None
        return (gradient(op.inputs[0], op.outputs[0], g),)

    primitive = row(
        name,
        kernel,
        signature=signature,
        shape=same_shape,
        gradient=rule if gradient else None,
        partials=(gradient,) if gradient else None,
        keep_inputs=(0,) if "x" in reads else (),
        keep_outputs=(0,) if "y" in reads else (),
        op_type=op_type,
        samples=samples,
        **{"batching": elementwise} | _instruction(kernel) | facts,
    )
    primitive.function = named(_unary_function(primitive), name, doc, example, argument)
    return primitive.function


def _instruction(kernel: Kernel) -> dict[str, Any]:
    """The instruction of an op whose kernel is a ufunc, which has its name."""
    return {"instruction": kernel.__name__} if isinstance(kernel, np.ufunc) else {}


def _unary_function(primitive: Primitive) -> Op:
    kernel, accepted = primitive.kernel, primitive.accepted
    # Only C code may run in the shared context: it cannot be entered twice.
    direct = isinstance(kernel, np.ufunc)

    def function(x: Any, name: str | None = None) -> Tensor:
        run = state.run
        if direct and type(x) is EagerTensor:
            raw = x.raw
            if raw.dtype in accepted:
                if run is not None:
                    return EagerTensor(run(kernel, raw))
                if state.tape is not None:
                    return state.tape.single(primitive, x, state.quiet(kernel, raw))  # type: ignore[no-any-return]
        return bind(primitive, convert_to_tensor(x, dtype_hint=primitive.hint))  # type: ignore[no-any-return]

    return function


def named(
    function: Function, name: str, doc: str, example: Example = (), arguments: str = ""
) -> Function:
    """`function` with the name, the docstring and the `arguments`, its first ones, that users see.

    The docstring ends with `example`.
    """
    function.__name__ = function.__qualname__ = name
    # The names are those of the code itself: a function around it would cost a call of each op.
    code, names = function.__code__, tuple(arguments.split())
    function.__code__ = code.replace(co_varnames=names + code.co_varnames[len(names) :])
    shown = dict(zip(code.co_varnames, names, strict=False))
    function.__annotations__ = {
        shown.get(argument, argument): kind for argument, kind in function.__annotations__.items()
    }
    lines = "\n    ".join(example)
    function.__doc__ = f"{doc.rstrip()}\n\n    >>> {lines}\n    " if example else doc
    return function


def binary(
    name: str,
    kernel: Kernel,
    signature: str = "N,N->N",
    *,
    gradient: BinaryGradient | None = None,
    reads: str | tuple[str, str] = "ab",
    op_type: str | None = None,
    doc: str,
    example: Example = (),
    fallible: bool = False,
    direct: np.ufunc | None = None,
    samples: tuple[Sample, ...] = PAIRS,
    arguments: str = "x y",
    **facts: Any,
) -> Op:
    """The public function of an elementwise op of two tensors that broadcast, and its row, with
    other facts.

    `gradient(a, b, y, g)` gives both gradients at the broadcast shape, or is a pair of functions
    that give one each; `reads` tells which of a, b, y it uses, or which each of the pair uses.
    `direct` computes the same as a kernel that is no ufunc, for few elements as fast. `arguments`
    are what the function calls its tensors.
    """
    read = "".join(reads)
    primitive = row(
        name,
        kernel,
        signature=signature,
        shape=broadcast_shapes,
        gradient=_broadcast_gradient(gradient) if gradient else None,
        partials=gradient if isinstance(gradient, tuple) else None,
        keep_inputs=tuple(i for i, letter in enumerate("ab") if letter in read),
        keep_outputs=(0,) if "y" in read else (),
        reads=() if isinstance(reads, str) else reads,
        op_type=op_type,
        fallible=fallible,
        samples=samples,
        **{"batching": elementwise} | _instruction(direct or kernel) | facts,
    )
    function = _binary_function(primitive, direct or kernel)
    primitive.function = named(function, name, doc, example, arguments)
    return primitive.function


def _broadcast_gradient(gradient: BinaryGradient) -> Callable[[Any, Any], tuple[Any, Any]]:
    """The gradient of a row: both gradients, if they are needed, at the shapes of the operands."""

    def rule(op: Any, g: Any) -> Any:
        a, b = op.inputs
        y = op.outputs[0]
        if not isinstance(gradient, tuple):
            for_a, for_b = gradient(a, b, y, g)
        else:
            for_a, for_b = [
                partial(a, b, y, g) if needed else None
                for partial, needed in zip(gradient, op.needed, strict=True)
            ]
        return sum_to_shape_of(for_a, a), sum_to_shape_of(for_b, b)

    return rule


def _binary_function(primitive: Primitive, kernel: Kernel) -> Op:
    # ufuncs turn 0-d arrays of strings into bytes, which only bind makes arrays again.
    accepted = primitive.accepted - {np.dtype(object)}
    direct = isinstance(kernel, np.ufunc) and primitive.uniform
    shortcut = direct and (primitive.gradient is None or primitive.partials is not None)
    few = kernel is not primitive.kernel

    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        run = state.run
        if direct and type(x) is EagerTensor and type(y) is EagerTensor:
            a, b = x.raw, y.raw
            dtype = a.dtype
            if dtype is b.dtype and dtype in accepted and (not few or a.size < MANY):
                try:
                    if run is not None:
                        return EagerTensor(run(kernel, a, b))
                    if shortcut and state.tape is not None:
                        return state.tape.pair(primitive, x, y, state.quiet(kernel, a, b))  # type: ignore[no-any-return]
                except ValueError:
                    pass  # bind computes it again, and explains
        x, y = matched(x, y, primitive.op_type)
        return bind(primitive, x, y)  # type: ignore[no-any-return]

    return function


def matched(x: Any, y: Any, op_type: str = "") -> tuple[Tensor, Tensor]:
    """Both operands as tensors: what is none takes the other's dtype, where its kind allows it.

    WrongDtypeError, in the name of `op_type`, where it does not.
    """
    try:
        if isinstance(x, Tensor):
            return x, _operand(y, x)
        if isinstance(y, Tensor):
            return _operand(x, y), y
        return _agreed(x, y)
    except ValueError as error:
        if not op_type:
            raise
        raise _of_operands(op_type, error, x, y) from None


def _of_operands(op_type: str, error: ValueError, x: Any, y: Any) -> Exception:
    if isinstance(error, errors.OpError) and error.op:
        return error
    made = in_name_of(op_type, error, (describe(x), describe(y)))
    if isinstance(error, errors.OpError):
        return made
    return ValueError(str(made)) if type(error) is ValueError else error


def _agreed(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    first = convert_to_tensor(x)
    try:
        return first, _beside(y, first.dtype)
    except (TypeError, ValueError):
        second = convert_to_tensor(y)
        return _beside(x, second.dtype), second


def _beside(value: Any, dtype: Any) -> Tensor:
    check_beside(value, dtype)
    return convert_to_tensor(value, dtype)


def _operand(value: Any, beside: Tensor) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return convert_to_tensor(value, dtype_hint=beside.dtype)
    return _beside(value, beside.dtype)


def sum_to_shape_of(g: Any, x: Any) -> Any:
    """The gradient `g` of a broadcast result, summed to the shape of the operand `x`."""
    if g is None:
        return None
    shape = x.static_shape
    if is_known(shape):
        return g if g.static_shape == shape else bind(ops.sum_to_p, g, shape=shape)
    return bind(ops.sum_to_p, g, ops.shape(x), shape=shape)


def dims_of(shape: Any) -> tuple[Shape, tuple[Tensor, ...]]:
    """A shape argument as static dimensions, None where one is a tensor, and those tensors.

    A whole shape that is only known at run time gives None and the vector itself; one of which the
    rank or some sizes are known is taken apart.
    """
    if isinstance(shape, TensorShape):
        return _from_dims(shape.as_list())
    if isinstance(shape, int | np.integer):
        return (int(shape),), ()
    if isinstance(shape, list | tuple):
        return _from_dims(shape)
    vector = convert_to_tensor(shape, dtype_hint=None)
    value = vector.static_value
    (rank,) = vector.static_shape if vector.static_shape and vector.ndim == 1 else (None,)
    if value is None and rank is not None and vector.dtype.is_integer:
        sizes = [-1] * rank if vector.static_sizes is None else vector.static_sizes.tolist()
        return _from_dims([vector[i] if size < 0 else size for i, size in enumerate(sizes)])
    if value is None:
        return (None, (vector,)) if vector.ndim != 0 else ((None,), (vector,))
    integers = np.asarray(value)
    if integers.dtype.kind not in "iu" and integers.size:
        raise wrong_dtype(f"a shape is made of integers, not {vector.dtype.name}")
    if integers.ndim > 1:
        raise wrong_value(f"a shape is a vector of integers, not of rank {integers.ndim}")
    return tuple(integers.reshape(-1).tolist()), ()


def _from_dims(dims: Sequence[Any]) -> tuple[Shape, tuple[Tensor, ...]]:
    static: list[int | None] = []
    dynamic: list[Tensor] = []
    for dim in dims:
        known = _static_dim(dim)
        static.append(known)
        if known is None:
            dynamic.append(convert_to_tensor(dim))
    return tuple(static), tuple(dynamic)


def _static_dim(dim: Any) -> int | None:
    if type(dim) is int:
        return dim
    if dim is None:
        raise wrong_value("a dimension of this shape must not be None")
    if isinstance(dim, Tensor) or conversion_of(type(dim)) is not None:
        value = convert_to_tensor(dim).static_value
        return None if value is None else static_int(value, "a dimension")
    if isinstance(dim, list | tuple):
        raise wrong_value(f"a shape is a vector of integers, with none of them a list: {dim!r}")
    return static_int(dim, "a dimension")


def fill_dims(shape: Shape, dynamic: Sequence[Any]) -> tuple[int, ...]:
    """In a kernel: the dimensions of `dims_of` with the arrays of the run-time ones put in."""
    if shape is None:
        return tuple(dynamic[0].tolist())
    if not dynamic:
        return shape  # type: ignore[return-value]
    values = iter(dynamic)
    return tuple([int(next(values)) if dim is None else dim for dim in shape])


def axis_in(axis: int, rank: int, what: str = "axis") -> int:
    """`axis` counted from the front; ValueError where a tensor of this rank has no such axis."""
    if not -rank <= axis < rank:
        raise wrong_value(f"{what} {axis} is out of range for rank {rank}")
    return axis + rank if axis < 0 else axis


def axes_in(axes: Sequence[int], rank: int) -> set[int]:
    """`axes` counted from the front; ValueError for one that there is not, or is there twice."""
    found = {axis_in(axis, rank) for axis in axes}
    if len(found) < len(axes):
        raise wrong_value(f"duplicate axis in {tuple(axes)} for rank {rank}")
    return found


def type_of_dims(dtype: Any, shape: Shape, dynamic: Sequence[Any]) -> TensorType:
    """The type of a tensor with the dimensions of `dims_of`; a vector's length is the rank."""
    if shape is not None or not dynamic:
        return TensorType(dtype, shape)
    length = dynamic[0].shape
    rank = length[0] if length else None
    return TensorType(dtype, None if rank is None else (None,) * rank)


def _pickled(name: str) -> Any:
    """The function of an op by its name here, where pickle looks for what was made here."""
    if not name.startswith("_") and name not in TABLE:
        ops.load_all()
    found = TABLE.get(name)
    if found is None or found.function is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found.function


if not TYPE_CHECKING:
    __getattr__ = _pickled

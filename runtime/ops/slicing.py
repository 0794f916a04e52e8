"""Slices of tensors: strided ones, and boxes.

A spec of a strided slice is a tuple of: an int; "?" (an int that is the next input); "newaxis";
"..."; or (start, stop, step) of a slice, each an int, None or "?".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core import forms, intervals
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    Memory,
    Order,
    Primitive,
    Raises,
    bind,
    row,
    sample,
    wrong_value,
)  # fmt: skip
from runtime.core.shapes import Shape, broadcast, compatible, is_known
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.ops import batching, slice_notation
from runtime.ops.define import copied, dims_of, fill_dims, sum_to_shape_of, zeroed
from runtime.ops.reshaping import Dims

Spec = tuple[Any, ...]
DYNAMIC = "?"
# The places of the inputs that come behind the first, or the first two: run-time parts of a spec.
BEHIND = {first: tuple(range(first, 200)) for first in (1, 2)}
_indices: dict[Spec, Any] = {}


def index_of(spec: Spec, dynamic: Sequence[Any]) -> Any:
    """The NumPy index of a spec."""
    if not dynamic:
        found = _indices.get(spec)
        if found is not None:
            return found
    values = iter(dynamic)
    index = tuple([_index_entry(entry, values) for entry in spec])
    if not dynamic and len(_indices) < 4096:
        _indices[spec] = index
    return index


def _index_entry(entry: Any, values: Any) -> Any:
    if type(entry) is tuple:
        return slice(*[int(next(values)) if part == DYNAMIC else part for part in entry])
    if entry == DYNAMIC:
        return int(next(values))
    if entry == "newaxis":
        return None
    return Ellipsis if entry == "..." else entry


def _strided_kernel(x: Any, *dynamic: Any, spec: Spec) -> Any:
    try:
        # With an ellipsis NumPy returns arrays, never elements (which strings would lose their
        # dtype by).
        return np.asarray(x)[index_of(spec, dynamic)]
    except IndexError as error:
        raise out_of_bounds(np.shape(x), spec, dynamic, error) from None


def out_of_bounds(
    shape: tuple[int, ...], spec: Spec, dynamic: Sequence[Any], error: IndexError
) -> errors.InvalidArgumentError:
    values = iter(dynamic)
    known = tuple([_known_entry(entry, values) for entry in spec])
    try:
        slice_shape(shape, spec=known)
    except errors.InvalidArgumentError as refused:
        return type(refused)(refused.detail)
    except ValueError as refused:
        return errors.InvalidValueError(str(refused))
    return errors.InvalidValueError(f"slice {format_spec(known)}: {error}")


def _known_entry(entry: Any, values: Any) -> Any:
    if type(entry) is tuple:
        return tuple([int(next(values)) if part == DYNAMIC else part for part in entry])
    return int(next(values)) if entry == DYNAMIC else entry


def format_spec(spec: Spec) -> str:
    """The index as Python writes it."""
    return "[" + ", ".join(map(_format_entry, spec)) + "]"


def _format_entry(entry: Any) -> str:
    if type(entry) is not tuple:
        return "tf.newaxis" if entry == "newaxis" else str(entry)
    start, stop, step = ("" if part is None else str(part) for part in entry)
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _consumed(spec: Spec) -> int:
    return sum(entry not in ("newaxis", "...") for entry in spec)


def slice_shape(shape: Shape, *dynamic: Shape, spec: Spec) -> Shape:
    """Shape rule of slices."""
    if shape is None:
        return None
    missing = len(shape) - _consumed(spec)
    if missing < 0:
        raise wrong_value(f"too many indices: {format_spec(spec)} for shape {shape}")
    made: list[int | None] = []
    axis = 0
    for entry in spec if "..." in spec else (*spec, "..."):
        if entry == "newaxis":
            made.append(1)
        elif entry == "...":
            made.extend(shape[axis : axis + missing])
            axis += missing
        else:
            if type(entry) is tuple:
                made.append(_sliced_dim(shape[axis], entry))
            else:
                _check_index(entry, shape[axis], axis)
            axis += 1
    return tuple(made)


def _check_index(entry: Any, dim: int | None, axis: int) -> None:
    if entry != DYNAMIC and dim is not None and not -dim <= entry < dim:
        message = f"slice index {entry} of dimension {axis} out of bounds (size {dim})"
        raise errors.IndexError(message)


def _sliced_dim(dim: int | None, entry: tuple[Any, ...]) -> int | None:
    if entry[2] == 0:
        raise wrong_value("strides must be non-zero")
    if entry == (None, None, None):
        return dim
    if dim is None or DYNAMIC in entry:
        return None
    return len(range(*slice(*entry).indices(dim)))


def _failures(x: TensorType, *dynamic: TensorType, spec: Spec) -> Raises:
    """Returns what taking a part may raise, where not all of its places are known to be there."""
    if x.shape is None:
        return errors.IndexError, errors.InvalidValueError
    has_index = any(isinstance(entry, int) for entry in spec)
    may_miss = DYNAMIC in spec or (has_index and None in x.shape)
    may_stand = DYNAMIC in [entry[2] for entry in spec if type(entry) is tuple]
    return (errors.IndexError,) * may_miss + (errors.InvalidValueError,) * may_stand


def _strided_gradient(op: Any, g: Any) -> Any:
    x, dynamic = op.inputs[0], op.inputs[1:]
    return (unslice(g, x, dynamic, op.params["spec"]), *[None] * len(dynamic))


strided_slice_p: Primitive = row(
    "strided_slice", _strided_kernel, signature="A,i*->A", shape=slice_shape,
    op_type="StridedSlice", gradient=_strided_gradient, fallible=True, keep_inputs=BEHIND[1],
    raises=_failures,
    samples=(
        sample("3,4", spec=(1,)),
        sample("3,4", spec=((None, None, 2), -1)),
        sample("3,4", spec=("...", "newaxis", (2, None, -1))),
        sample("3,4", ":i3", spec=("?", (1, 3, None))),
    ), memory=Memory.VIEWS, scalar=forms.element, instruction="slice",
    interval=intervals.same, batching=batching.sliced, text=slice_notation.part,
)  # fmt: skip


def unslice(g: Any, x: Any, dynamic: Sequence[Any], spec: Spec) -> Any:
    """Zeros of the shape of `x`, with `g` where the slice was."""
    if is_known(x.static_shape):
        return bind(unslice_p, g, *dynamic, spec=spec, shape=x.static_shape)
    return bind(unslice_p, g, ops.shape(x), *dynamic, spec=spec, shape=x.static_shape)


def _unslice_kernel(g: Any, *rest: Any, spec: Spec, shape: Shape, out: Any = None) -> Any:
    if not is_known(shape):
        shape, rest = tuple(rest[0].tolist()), rest[1:]
    made = zeroed(shape, g.dtype, out)
    made[index_of(spec, rest)] = g
    return made


def _unslice_gradient(op: Any, g: Any) -> Any:
    known = is_known(op.params["shape"])
    dynamic = op.inputs[1:] if known else op.inputs[2:]
    back = bind(strided_slice_p, g, *dynamic, spec=op.params["spec"])
    return (back, *[None] * (len(op.inputs) - 1))


unslice_p: Primitive = row(
    "unslice", _unslice_kernel, signature="Q,i*->Q", op_type="StridedSliceGrad",
    shape=lambda g, *rest, spec, shape: shape, gradient=_unslice_gradient,
    keep_inputs=BEHIND[1],
    samples=(
        sample("4", spec=(1,), shape=(3, 4)),
        sample("2,1", spec=((None, None, 2), "newaxis", 0), shape=(3, 4)),
    ), order=Order.C, batching=batching.sliced,
    text=slice_notation.unslice,
    instruction="unslice",
)  # fmt: skip


def _set_slice_kernel(x: Any, value: Any, *dynamic: Any, spec: Spec, out: Any = None) -> Any:
    made = copied(x, out)
    index = index_of(spec, dynamic)
    try:
        # NumPy would drop leading dimensions of size 1.
        if value.ndim and value.ndim > np.ndim(made[index]):
            raise wrong_value(f"a value of shape {value.shape} has more dimensions than the slice")
        # An element of an array of strings would be the array itself.
        made[index] = value.item() if value.dtype.hasobject and not value.ndim else value
    except IndexError as error:
        raise out_of_bounds(np.shape(x), spec, dynamic, error) from None
    return made


def _set_slice_shape(x: Shape, value: Shape, *dynamic: Shape, spec: Spec) -> Shape:
    box = slice_shape(x, spec=spec)
    if box is not None and value is not None and not compatible(broadcast(box, value), box):
        raise wrong_value(f"a value of shape {value} does not fit a slice of shape {box}")
    return x


def _set_failures(x: TensorType, value: TensorType, *dynamic: TensorType, spec: Spec) -> Raises:
    found = _failures(x, *dynamic, spec=spec)
    box = slice_shape(x.shape, spec=spec)
    fits = value.shape == () or (is_known(box) and is_known(value.shape))
    return (
        found if fits or errors.InvalidValueError in found else (*found, errors.InvalidValueError)
    )


def _set_slice_rule(op: Any, g: Any) -> Any:
    value, dynamic = op.inputs[1], op.inputs[2:]
    spec = op.params["spec"]
    box = bind(strided_slice_p, g, *dynamic, spec=spec)
    rest = bind(set_slice_p, g, ops.zeros_like(box), *dynamic, spec=spec)
    return (rest, sum_to_shape_of(box, value), *[None] * len(dynamic))


set_slice_p: Primitive = row(
    "set_slice", _set_slice_kernel, signature="A,A,i*->A", shape=_set_slice_shape,
    op_type="TensorStridedSliceUpdate", gradient=_set_slice_rule, fallible=True,
    raises=_set_failures, keep_inputs=BEHIND[2],
    samples=(
        sample("3,4", "4", spec=(1,)),
        sample("3,4", "", spec=((None, None, 2), -1)),
        sample("3,4", "2", ":i3", spec=("?", (1, 3, None))),
    ), order=Order.C, memory=Memory.UPDATES,
    text=slice_notation.set_slice, instruction="set_slice",
)  # fmt: skip


# Boxes: a start and a size for each axis


def _boxed(dim: int | None, start: int | None, length: int | None, axis: int) -> int | None:
    """The size of a box along one axis; ValueError where it is known not to lie inside."""
    if start is not None and (start < 0 or (dim is not None and start > dim)):
        raise wrong_value(f"begin[{axis}] = {start} is not in [0, {dim}]")
    room = None if dim is None or start is None else dim - start
    if length is None or length == -1:
        return length if length is None else room
    if length < 0 or (room is not None and length > room):
        raise wrong_value(f"size[{axis}] = {length} is not in [0, {room}]")
    return length


def _box_shape(shape: Shape, *dims: Shape, box: Dims) -> Shape:
    rank = len(box) // 2
    given = (None,) * rank if shape is None else shape
    if len(given) != rank:
        raise wrong_value(f"begin and size have {rank} entries, but the shape is {shape}")
    return tuple(map(_boxed, given, box[:rank], box[rank:], range(rank)))


def _box_kernel(x: Any, *dims: Any, box: Dims) -> Any:
    known = fill_dims(box, dims)
    lengths = _box_shape(x.shape, box=known)
    places = zip(known, lengths, strict=False)  # type: ignore[arg-type]
    return x[(*[slice(start, start + length) for start, length in places], ...)]  # type: ignore[operator]


def _box_gradient(op: Any, g: Any) -> Any:
    x, rest = op.inputs[0], iter(op.inputs[1:])
    rank = len(op.params["box"]) // 2
    begin = [next(rest) if entry is None else entry for entry in op.params["box"][:rank]]
    if not rank:
        return (g, *[None] * (len(op.inputs) - 1))
    before = ops.stack([ops.cast(start, dtypes.int32) for start in begin])
    after = ops.shape(x) - before - ops.shape(g)
    padded = ops.reshape_like(ops.pad(g, ops.stack([before, after], 1)), x)
    return (padded, *[None] * (len(op.inputs) - 1))


slice_p: Primitive = row(
    "slice", _box_kernel, signature="A,i*->A", shape=_box_shape, op_type="Slice",
    gradient=_box_gradient, fallible=True,
    samples=(sample("3,4", box=(1, 0, 2, -1)), sample("3,4", ":i2", box=(None, 1, 1, 3))),
    memory=Memory.VIEWS,
    text=slice_notation.box, instruction="box",
)  # fmt: skip


def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The box of `input_` that starts at `begin` and has the given `size` (-1: up to the end).

    InvalidArgumentError for a box that does not lie inside.

    >>> rt.slice([1, 2, 3], [1], [2]).numpy().tolist()
    [2, 3]
    """
    x = convert_to_tensor(input_)
    count = x.ndim
    if count is None:
        count = next((n for n in map(_length, (begin, size)) if n is not None), None)
    if count is None:
        raise wrong_value(
            "slice: neither the rank of input nor a length is known: use ensure_shape"
        )
    starts, sizes = entries_of(begin, count), entries_of(size, count)
    if len(starts) != len(sizes):
        raise wrong_value(f"Slice: begin has {len(starts)} entries, but size has {len(sizes)}")
    box, dynamic = dims_of([*starts, *sizes])
    return bind(slice_p, x, *dynamic, box=box)  # type: ignore[no-any-return]


def _length(values: Any) -> int | None:
    if isinstance(values, list | tuple):
        return len(values)
    vector = convert_to_tensor(values)
    return vector.shape[0] if vector.ndim == 1 else None


def entries_of(values: Any, count: int | None = None) -> list[Any]:
    """Returns the entries of a vector: integers, and tensors for those that only the run knows."""
    static, dynamic = dims_of(values)
    if static is None:
        return ops.unstack(dynamic[0], count)
    rest = iter(dynamic)
    return [next(rest) if entry is None else entry for entry in static]

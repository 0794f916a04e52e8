"""Parts of arrays, and arrays of parts: slices, rows at places, joined and turned arrays.

What is one piece of memory stays where it is; all else is copied, by rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from runtime.core.dataclasses import dataclass
from runtime.core.forms import DYNAMIC
from runtime.core.types import TensorType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.loops import Axis, moved
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, Lower, OnArrays, Takes
from runtime.graph.executors.native.scalar_ops import wide
from runtime.graph.executors.native.updates import INSTRUCTION
from runtime.graph.executors.native.values import Array, Held, Scalar, int64, is_native

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter


def shapes_known(kernel: Kernel) -> bool:
    """True if all inputs and outputs are numbers, or arrays of numbers and of known rank."""
    node = kernel.node
    return all(
        isinstance(value.type, TensorType)
        and value.type.shape is not None
        and is_native(value.type.dtype)
        for value in (*node.inputs, *node.outputs)
    )


def shape_of(kernel: Kernel, at: int = 0) -> list[int | None]:
    """The shape of an output, as far as it is known."""
    type = kernel.node.outputs[at].type
    assert isinstance(type, TensorType)
    assert type.shape is not None
    return list(type.shape)


def array_of(emitter: Emitter, held: Any, target: Any = None) -> Array:
    """An array: of a number, one in memory."""
    if isinstance(held, Array):
        return held
    made = emitter.allocate(held.dtype, [], target)
    emitter.builder.store_element(held.value, made.pointer, held.dtype)
    return made


def handed_on(emitter: Emitter, kernel: Kernel, array: Array, at: int = 0) -> Held:
    """An array as the target of a kernel is held: of no dims, as a number."""
    type = kernel.targets[at].type if kernel.targets else kernel.node.outputs[at].type
    if getattr(type, "shape", None) == ():
        return Scalar(emitter.builder.load_element(array.pointer, array.dtype), type)
    return array


def target_of(kernel: Kernel, at: int = 0) -> Any:
    """The local that a result is for."""
    return kernel.targets[at] if kernel.targets else None


def number_at(emitter: Emitter, numbers: Array, at: ir.Value) -> ir.Value:
    """A number of an array, of 64 bits."""
    element = emitter.builder.load_at(numbers.pointer, at, numbers.dtype)
    return wide(emitter, Scalar(element, TensorType(numbers.dtype, ())))


# Slices


@dataclass(slots=True)
class AxisSlice:
    """The places taken along an axis: `count` places from `start` on, by a step."""

    start: ir.Value
    count: ir.Value
    step: int
    dim: ir.Value
    kept: bool = True


def _takes_slice(kernel: Kernel) -> bool:
    node = kernel.node
    type = node.inputs[0].type
    if not shapes_known(kernel) or not isinstance(type, TensorType) or not type.shape:
        return False
    return all(
        dim is not None or entry[2] in (None, 1)
        for entry, dim in _by_axis(node.params["spec"], type.shape)
        if isinstance(entry, tuple) and _takes_entry(entry)
    ) and all(map(_takes_entry, node.params["spec"]))


def _takes_entry(entry: Any) -> bool:
    """True for a place, or a slice whose step is known; that of ends which are not, is 1."""
    if not isinstance(entry, tuple):
        return True
    step = 1 if entry[2] is None else entry[2]
    return isinstance(step, int) and step != 0 and (step == 1 or DYNAMIC not in entry)


def _by_axis(spec: Sequence[Any], shape: Sequence[int | None]) -> Iterator[tuple[Any, int | None]]:
    """The places that a spec takes of each axis, and the size of that."""
    dims = list(shape)
    used = sum(entry not in ("newaxis", "...") for entry in spec)
    whole = (None, None, None)
    for entry in spec if "..." in spec else (*spec, "..."):
        if entry == "...":
            for _ in range(len(shape) - used):
                yield whole, dims.pop(0)
        elif entry != "newaxis":
            yield entry, dims.pop(0)


def parts(
    emitter: Emitter,
    dims: Sequence[ir.Value],
    spec: Sequence[Any],
    given: Sequence[Held],
    checked: bool = False,
) -> tuple[list[AxisSlice], list[ir.Value]]:
    """The places that a spec takes along each axis, and the dims of the result."""
    builder, values = emitter.builder, iter(given)

    def number(entry: Any) -> ir.Value:
        if entry == DYNAMIC:
            held = next(values)
            assert isinstance(held, Scalar)
            return wide(emitter, held)
        return int64(entry)

    used = sum(entry not in ("newaxis", "...") for entry in spec)
    rest = len(dims) - used
    found: list[AxisSlice] = []
    made: list[ir.Value] = []
    for entry in spec if "..." in spec else (*spec, "..."):
        if entry == "newaxis":
            made.append(int64(1))
        elif entry == "...":
            for dim in dims[len(found) : len(found) + rest]:
                found.append(AxisSlice(int64(0), dim, 1, dim))
                made.append(dim)
        elif isinstance(entry, tuple):
            dim = dims[len(found)]
            found.append(_range(builder, dim, entry, number))
            made.append(found[-1].count)
        else:
            dim = dims[len(found)]
            at = _place(emitter, number(entry), dim, checked)
            found.append(AxisSlice(at, int64(1), 1, dim, kept=False))
    return found, made


def _place(emitter: Emitter, at: ir.Value, dim: ir.Value, checked: bool) -> ir.Value:
    """A place from the start; gives up where there is none, unless that was checked."""
    builder = emitter.builder
    known, size = at.constant, dim.constant
    if known is not None and size is not None and -size <= known < size:
        return int64(known % size)
    moved = builder.select(builder.icmp_signed("<", at, int64(0)), builder.add(at, dim), at)
    if not checked:
        emitter.step_aside(builder.icmp_unsigned(">=", moved, dim))
    return moved


def _range(builder: Builder, dim: ir.Value, entry: Any, number: Any) -> AxisSlice:
    start, stop, step = entry
    size = dim.constant
    if size is not None and DYNAMIC not in entry:
        taken = range(size)[slice(start, stop, step)]
        return AxisSlice(int64(taken.start if taken else 0), int64(len(taken)), taken.step, dim)
    assert step in (None, 1)

    def bounded(part: Any, default: ir.Value) -> ir.Value:
        if part is None:
            return default
        at = number(part)
        moved = builder.select(builder.icmp_signed("<", at, int64(0)), builder.add(at, dim), at)
        low = builder.select(builder.icmp_signed("<", moved, int64(0)), int64(0), moved)
        return builder.select(builder.icmp_signed("<", low, dim), low, dim)

    first, last = bounded(start, int64(0)), bounded(stop, dim)
    count = builder.sub(last, first)
    count = builder.select(builder.icmp_signed("<", count, int64(0)), int64(0), count)
    return AxisSlice(first, count, 1, dim)


def _lower_slice(emitter: Emitter, kernel: Kernel, array: Array, *given: Scalar) -> Sequence[Held]:
    # Of expressions, which have no targets, a check has told that places are there.
    found, dims = parts(
        emitter, array.dims, kernel.node.params["spec"], given, checked=not kernel.targets
    )
    dims = [
        dim if known is None else int64(known)
        for dim, known in zip(dims, shape_of(kernel), strict=True)
    ]
    made = taken(emitter, kernel, array, found, 0, dims)
    if isinstance(made, Array):
        emitter.read(emitter.builder.size_of(made.dims))
    return [made]


def taken(
    emitter: Emitter,
    kernel: Kernel,
    array: Array,
    found: Sequence[AxisSlice],
    at: int = 0,
    dims: Sequence[ir.Value] | None = None,
) -> Held:
    """Parts of an array as a result of a kernel: one piece of memory stays where it is. `dims` are
    those of the result, where they are not those of the parts that are kept.
    """
    builder = emitter.builder
    if dims is None:
        dims = [part.count for part in found if part.kept]
    if _first_whole(found) is not None:
        offset = _offset(builder, found, [part.start for part in found])
        pointer = builder.place(array.pointer, offset, array.dtype)
        return handed_on(emitter, kernel, Array(pointer, dims, array.dtype), at)
    made = emitter.allocate(array.dtype, dims, target_of(kernel, at))
    _move(emitter, found, array, made, out=True)
    return handed_on(emitter, kernel, made, at)


def _first_whole(found: Sequence[AxisSlice]) -> int | None:
    """The axis behind which all is taken, where what is taken is one piece of memory; else None."""
    at = len(found)
    while at and _is_whole(found[at - 1]):
        at -= 1
    if at and found[at - 1].step == 1:
        at -= 1
    before = found[:at]
    return at if all(part.count.constant == 1 for part in before) else None


def _is_whole(part: AxisSlice) -> bool:
    return (part.kept and part.count is part.dim) or (
        part.count.constant is not None
        and part.count.constant == part.dim.constant
        and part.step == 1
    )


def _offset(builder: Builder, found: Sequence[AxisSlice], at: Sequence[ir.Value]) -> ir.Value:
    offset: ir.Value = int64(0)
    for part, index in zip(found, at, strict=True):
        offset = builder.add(builder.mul(offset, part.dim), index)
    return offset


def _move(
    emitter: Emitter, found: Sequence[AxisSlice], whole: Array, dense: Array, out: bool
) -> None:
    """Copy what is taken of an array to a dense one, or back."""
    builder = emitter.builder
    steps = builder.steps_of([part.dim for part in found])
    start = _offset(builder, found, [part.start for part in found])
    there, here = builder.place(whole.pointer, start, whole.dtype), dense.pointer
    of_whole = [
        builder.mul(step, int64(part.step)) for step, part in zip(steps, found, strict=True)
    ]
    of_dense = builder.steps_of([part.count for part in found])
    pairs = (of_whole, of_dense) if out else (of_dense, of_whole)
    axes = [Axis(part.count, *pair) for part, *pair in zip(found, *pairs, strict=True)]
    source, target = (there, here) if out else (here, there)
    moved(builder, whole.dtype, target, source, axes)


def _takes_unslice(kernel: Kernel) -> bool:
    spec, shape = kernel.node.params["spec"], shape_of(kernel) if shapes_known(kernel) else [None]
    if None in shape or not all(map(_takes_entry, spec)):
        return False
    taken: list[int] = []
    for entry, dim in _by_axis(spec, shape):
        if isinstance(entry, tuple):
            if DYNAMIC in entry:
                return False
            taken.append(len(range(dim or 0)[slice(*entry)]))
    given = kernel.node.inputs[0].type
    assert isinstance(given, TensorType)
    # All of it, and not repeated.
    return [dim for dim in given.shape or () if dim != 1] == [dim for dim in taken if dim != 1]


def _lower_unslice(emitter: Emitter, kernel: Kernel, grad: Array, *given: Scalar) -> Sequence[Held]:
    builder = emitter.builder
    dims = list(map(int64, (dim or 0 for dim in shape_of(kernel))))
    made = emitter.allocate(grad.dtype, dims, target_of(kernel))
    builder.clear(made.pointer, builder.bytes_of(builder.size_of(dims), grad.dtype))
    found, _ = parts(emitter, dims, kernel.node.params["spec"], given)
    source = array_of(emitter, grad)
    _move(emitter, found, made, source, out=False)
    return [made]


# Items that are assigned

SMALL = 1 << 14
"""Bytes of an array that takes no longer to copy than Python's program to assign its items."""


def is_small(kernel: Kernel) -> bool:
    """Whether the array of which a kernel assigns items may be copied each time."""
    type, shape = kernel.node.outputs[0].type, shape_of(kernel)
    assert isinstance(type, TensorType)
    return None not in shape and type.dtype.size * math.prod(map(int, filter(None, shape))) <= SMALL


def _takes_update(kernel: Kernel) -> bool:
    if not shapes_known(kernel) or not shape_of(kernel):
        return False
    spec, value = kernel.node.params["spec"], kernel.node.inputs[1].type
    if not all(map(_takes_entry, spec)):
        return False
    taken: list[int | None] = []
    for entry, dim in _by_axis(spec, shape_of(kernel)):
        if isinstance(entry, tuple):
            if dim is None and entry[2] not in (None, 1):
                return False
            is_open = dim is None or DYNAMIC in entry
            taken.append(None if is_open else len(range(dim or 0)[slice(*entry)]))
    assert isinstance(value, TensorType)
    given = [dim for dim in value.shape or () if dim != 1]
    # One number everywhere, or all of it, and not repeated.
    return value.shape == () or (None not in taken and given == [dim for dim in taken if dim != 1])


def _lower_update(
    emitter: Emitter, kernel: Kernel, array: Array, value: Array | Scalar, *given: Scalar
) -> Sequence[Held]:
    found, _ = parts(emitter, array.dims, kernel.node.params["spec"], given)
    # What is about to be computed reads the array as it is now.
    emitter.fuser.flush()
    is_in_place = kernel in emitter.updates.kernels
    made = array if is_in_place else _copied(emitter, array, target_of(kernel))
    if isinstance(value, Array):
        # It may be a part of the array.
        value = _copied(emitter, value) if is_in_place else value
        _move(emitter, found, made, value, out=False)
    else:
        _fill(emitter, found, made, value)
    return [made]


def _copied(emitter: Emitter, array: Array, target: Any = None) -> Array:
    emitter.read(emitter.builder.size_of(array.dims))
    made = emitter.allocate(array.dtype, array.dims, target)
    emitter.copy(made.pointer, array)
    return made


def _fill(emitter: Emitter, found: Sequence[AxisSlice], whole: Array, value: Scalar) -> None:
    """Set what is taken of an array to one number."""
    builder, dtype = emitter.builder, whole.dtype
    start = _offset(builder, found, [part.start for part in found])
    target = builder.place(whole.pointer, start, dtype)
    if all(part.count.constant == 1 for part in found):
        builder.store_element(value.value, target, dtype)
        return
    steps = builder.steps_of([part.dim for part in found])
    axes = [
        Axis(part.count, int64(0), builder.mul(step, int64(part.step)))
        for step, part in zip(steps, found, strict=True)
    ]
    moved(builder, dtype, target, array_of(emitter, value).pointer, axes)


# Joined arrays


def _takes_concat(kernel: Kernel) -> bool:
    return shapes_known(kernel) and len(shape_of(kernel)) > 0


def _lower_concat(emitter: Emitter, kernel: Kernel, *operands: Held) -> Sequence[Held]:
    builder = emitter.builder
    arrays = [array for array in operands if isinstance(array, Array)]
    axis = kernel.node.params["axis"] % len(arrays[0].dims)
    dims = list(arrays[0].dims)
    for other in arrays[1:]:
        for at, dim in enumerate(other.dims):
            if at != axis:
                dims[at] = equal_dim(emitter, dims[at], dim)
        dims[axis] = builder.add(dims[axis], other.dims[axis])
    return [_joined(emitter, kernel, arrays, dims, axis)]


def equal_dim(emitter: Emitter, a: ir.Value, b: ir.Value) -> ir.Value:
    """A dim that two arrays have: the one that is known, if one is."""
    if a is b or (a.constant is not None and a.constant == b.constant):
        return a
    emitter.step_aside(emitter.builder.icmp_signed("!=", a, b))
    return b if a.constant is None else a


def of_dims(emitter: Emitter, array: Array, dims: Sequence[ir.Value]) -> Array:
    """An array that must have these dims; the Python program answers where it has others."""
    pairs = zip(dims, array.dims, strict=True)
    return Array(array.pointer, [equal_dim(emitter, *pair) for pair in pairs], array.dtype)


def _joined(
    emitter: Emitter,
    kernel: Kernel,
    arrays: Sequence[Array],
    dims: Sequence[ir.Value],
    axis: int,
) -> Array:
    builder, dtype = emitter.builder, arrays[0].dtype
    made = emitter.allocate(dtype, dims, target_of(kernel))
    whole = builder.size_of(dims[axis:])
    with builder.counted(builder.size_of(dims[:axis])) as row:
        offset = builder.mul(row, whole)
        for array in arrays:
            # Stacked arrays have one axis less: what is behind it.
            length = builder.size_of(array.dims[axis:])
            source = builder.place(array.pointer, builder.mul(row, length), dtype)
            target = builder.place(made.pointer, offset, dtype)
            builder.copy(target, source, builder.bytes_of(length, dtype))
            offset = builder.add(offset, length)
    return made


def _lower_stack(emitter: Emitter, kernel: Kernel, *operands: Held) -> Sequence[Held]:
    arrays = [array_of(emitter, held) for held in operands]
    axis = kernel.node.params["axis"] % (len(arrays[0].dims) + 1)
    dims = list(arrays[0].dims)
    for other in arrays[1:]:
        dims = [equal_dim(emitter, *pair) for pair in zip(dims, other.dims, strict=True)]
    dims.insert(axis, int64(len(arrays)))
    return [_joined(emitter, kernel, arrays, dims, axis)]


# Other shapes of the same elements


def _takes_reshape(kernel: Kernel) -> bool:
    """True where the dims are known but for one, which is given as a number."""
    sizes = kernel.node.inputs[1:]
    return (
        shapes_known(kernel)
        and shape_of(kernel).count(None) <= 1
        and all(isinstance(size.type, TensorType) and size.type.shape == () for size in sizes)
    )


def _lower_reshape(emitter: Emitter, kernel: Kernel, held: Held, *sizes: Any) -> Sequence[Held]:
    builder = emitter.builder
    array = array_of(emitter, held)
    size = builder.size_of(array.dims)
    known = shape_of(kernel)
    others: ir.Value = int64(1)
    for dim in known:
        if dim is not None:
            others = builder.mul(others, int64(dim))
    dims: list[ir.Value] = []
    for dim in known:
        if dim is not None:
            dims.append(int64(dim))
        elif others.constant == 0:
            emitter.step_aside(ir.Constant(ir.BIT, 1))
            dims.append(int64(0))
        else:
            dims.append(builder.sdiv(size, others))
    found = builder.size_of(dims)
    if found.constant is None or found.constant != size.constant:
        emitter.step_aside(builder.icmp_signed("!=", found, size))
    for dim, given in zip((d for d in known if d is None), sizes, strict=False):
        # The dim that is not known was given, or is -1.
        assert dim is None
        assert isinstance(given, Scalar)
        made = next(made for made, is_known in zip(dims, known, strict=True) if is_known is None)
        asked = wide(emitter, given)
        wrong = builder.and_(
            builder.icmp_signed("!=", asked, made), builder.icmp_signed("!=", asked, int64(-1))
        )
        emitter.step_aside(wrong)
    return [handed_on(emitter, kernel, Array(array.pointer, dims, array.dtype))]


def _lower_expand_dims(emitter: Emitter, kernel: Kernel, held: Held, *_: Held) -> Sequence[Held]:
    array = array_of(emitter, held)
    dims = list(array.dims)
    dims.insert(kernel.node.params["axis"] % (len(dims) + 1), int64(1))
    return [Array(array.pointer, dims, array.dtype)]


def _lower_squeeze(emitter: Emitter, kernel: Kernel, held: Held) -> Sequence[Held]:
    array, axes = array_of(emitter, held), kernel.node.params["axis"]
    if axes is None:
        axes = [at for at, dim in enumerate(array.dims) if dim.constant == 1]
    dims: list[ir.Value | None] = list(array.dims)
    for at in axes:
        equal_dim(emitter, int64(1), array.dims[at])
        dims[at] = None
    left = [dim for dim in dims if dim is not None]
    return [handed_on(emitter, kernel, Array(array.pointer, left, array.dtype))]


def _lower_ensure_shape(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    if isinstance(array, Scalar):
        return [array]
    pairs = zip(shape_of(kernel), array.dims, strict=True)
    wanted = [dim if known is None else int64(known) for known, dim in pairs]
    return [of_dims(emitter, array, wanted)]


def _takes_checked(kernel: Kernel) -> bool:
    return shapes_known(kernel) and getattr(kernel.node.inputs[1].type, "shape", None) == ()


def _lower_checked(emitter: Emitter, kernel: Kernel, x: Held, fits: Scalar) -> Sequence[Held]:
    emitter.step_aside(emitter.builder.not_(fits.value))
    return [x]


def gives_known_sizes(kernel: Kernel) -> bool:
    """True if the sizes of the result are known, and the ranks of what it is made of."""
    return shapes_known(kernel) and None not in shape_of(kernel)


def _lower_broadcast(emitter: Emitter, kernel: Kernel, held: Held, *sizes: Any) -> Sequence[Held]:
    builder, array = emitter.builder, array_of(emitter, held)
    dims = [int64(dim or 0) for dim in shape_of(kernel)]
    # Of sizes that the run asks for, tracing knows some by what is broadcast.
    wanted = kernel.node.params["shape"]
    if wanted is not None:
        of_run = [dim for dim, size in zip(dims, wanted, strict=True) if size is None]
        for dim, size in zip(of_run, sizes, strict=True):
            equal_dim(emitter, dim, wide(emitter, size))
    else:
        (count,) = sizes[0].dims
        equal_dim(emitter, int64(len(dims)), count)
        for at, dim in enumerate(dims):
            equal_dim(emitter, dim, number_at(emitter, sizes[0], int64(at)))
    missing = len(dims) - len(array.dims)
    given = [int64(1)] * missing + list(array.dims)
    for at, (one, dim) in enumerate(zip(given, dims, strict=True)):
        if one.constant is None:
            given[at] = equal_dim(emitter, dim, one)
    made = emitter.allocate(array.dtype, dims, target_of(kernel))
    steps = [
        int64(0) if one.constant == 1 else step
        for one, step in zip(given, builder.steps_of(given), strict=True)
    ]
    axes = list(map(Axis, dims, steps, builder.steps_of(dims)))
    moved(builder, array.dtype, made.pointer, array.pointer, axes)
    return [made]


def _lower_transpose(emitter: Emitter, kernel: Kernel, array: Array) -> Sequence[Held]:
    if isinstance(array, Scalar):
        return [array]
    builder, dtype = emitter.builder, array.dtype
    perm = kernel.node.params["perm"]
    rank = len(array.dims)
    order = [at % rank for at in perm] if perm is not None else list(reversed(range(rank)))
    dims = [array.dims[at] for at in order]
    kept = [at for at in order if array.dims[at].constant != 1]
    if kept == sorted(kept):
        return [Array(array.pointer, dims, dtype)]
    made = emitter.allocate(dtype, dims, target_of(kernel))
    steps = builder.steps_of(array.dims)
    axes = list(map(Axis, dims, [steps[at] for at in order], builder.steps_of(dims)))
    moved(builder, dtype, made.pointer, array.pointer, axes)
    return [made]


def register_rule(
    instruction: str, takes: Takes, lower: Lower, heavy: bool = False, partial: bool = False
) -> None:
    """Enter a rule in the table of kernels on arrays."""
    ON_ARRAYS[instruction] = OnArrays(takes, lower, heavy, partial)


register_rule("slice", _takes_slice, _lower_slice, partial=True)
register_rule("unslice", _takes_unslice, _lower_unslice)
register_rule(INSTRUCTION, _takes_update, _lower_update, partial=True)
register_rule("concat", _takes_concat, _lower_concat)
register_rule("stack", _takes_concat, _lower_stack)
register_rule("reshape", _takes_reshape, _lower_reshape)
register_rule("expand_dims", shapes_known, _lower_expand_dims)
register_rule("squeeze", shapes_known, _lower_squeeze)
register_rule("ensure_shape", shapes_known, _lower_ensure_shape)
register_rule("checked", _takes_checked, _lower_checked)
register_rule("broadcast_to", gives_known_sizes, _lower_broadcast)
register_rule("transpose", shapes_known, _lower_transpose)


# Ranges


def _takes_range(kernel: Kernel) -> bool:
    type = kernel.node.outputs[0].type
    return shapes_known(kernel) and isinstance(type, TensorType) and type.dtype.is_integer


def _lower_range(emitter: Emitter, kernel: Kernel, *operands: Held) -> Sequence[Held]:
    builder = emitter.builder
    scalars = [held for held in operands if isinstance(held, Scalar)]
    start, limit, delta = (wide(emitter, held) for held in scalars)
    dtype = scalars[0].dtype
    zero, one = int64(0), int64(1)
    up = builder.icmp_signed(">", delta, zero)
    down = builder.icmp_signed("<", delta, zero)
    wrong = builder.or_(
        builder.and_(up, builder.icmp_signed(">", start, limit)),
        builder.and_(down, builder.icmp_signed("<", start, limit)),
    )
    emitter.step_aside(builder.or_(wrong, builder.icmp_signed("==", delta, zero)))
    known = kernel.node.params["length"]
    if known == 0:
        # Nobody reads an element of it.
        return [emitter.allocate(dtype, [zero], target_of(kernel))]
    step = builder.select(up, delta, builder.sub(zero, delta))
    span = builder.sub(builder.select(up, limit, start), builder.select(up, start, limit))
    # Numbers that are further apart than the largest one are left to the fallback.
    emitter.step_aside(builder.icmp_signed("<", span, zero))
    count = builder.udiv(builder.add(span, builder.sub(step, one)), step)
    emitter.step_aside(builder.icmp_unsigned(">", count, int64(1 << 40)))
    if known is not None:
        emitter.step_aside(builder.icmp_signed("!=", count, int64(known)))
        count = int64(known)
    made = emitter.allocate(dtype, [count], target_of(kernel))
    with builder.counted(count) as at:
        value = builder.add(start, builder.mul(at, delta))
        if dtype.size < 8:
            value = builder.trunc(value, ir.IntType(8 * dtype.size))
        builder.store_at(value, made.pointer, at, dtype)
    return [made]


register_rule("range", _takes_range, _lower_range)

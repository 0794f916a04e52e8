"""The axes of tensors and the order along them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.identities import transposed
from runtime.core.primitive import Memory, Order, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape, compatible
from runtime.core.tensor import Tensor
from runtime.ops import batching, run_time_axes
from runtime.ops.arguments import axes_or_tensor, static_ints
from runtime.ops.define import axes_in, axis_in


def _transpose_shape(shape: Shape, *, perm: tuple[int, ...] | None) -> Shape:
    if shape is None:
        return None if perm is None else (None,) * len(perm)
    if perm is None:
        return shape[::-1]
    if sorted(axis_in(i, len(shape), "perm") for i in perm) != list(range(len(shape))):
        raise wrong_value(f"perm {perm} is not a permutation of the axes of shape {shape}")
    return tuple(shape[i] for i in perm)


def _transpose_gradient(op: Any, g: Any) -> Any:
    perm = op.params["perm"]
    back = None if perm is None else tuple(np.argsort([i % len(perm) for i in perm]).tolist())
    return (bind(transpose_p, g, perm=back),)


transpose_p: Primitive = row(
    "transpose", lambda x, *, perm: np.transpose(x, perm), signature="A->A",
    shape=_transpose_shape, op_type="Transpose", gradient=_transpose_gradient, keep_inputs=(),
    samples=(sample("2,3", perm=None), sample("2,3,4", perm=(2, 0, 1))), memory=Memory.VIEWS,
    order=Order.PERMUTED, identities=(transposed,), batching=batching.transpose,
    instruction="transpose",
)  # fmt: skip


def _transpose_by_kernel(x: Any, perm: Any) -> Any:
    order = tuple(perm.tolist())
    _transpose_shape(x.shape, perm=order)
    return np.transpose(x, order)


def _transpose_by_shape(shape: Shape, perm: Shape) -> Shape:
    rank = None if shape is None else len(shape)
    if not compatible((rank,), perm):
        raise wrong_value(f"perm of shape {perm} is not a permutation of the axes of shape {shape}")
    if rank is None and perm is not None:
        rank = perm[0]
    return None if rank is None else (None,) * rank


transpose_by_p: Primitive = row(
    "transpose_by", _transpose_by_kernel, signature="A,I->A", shape=_transpose_by_shape,
    op_type="Transpose", fallible=True, keep_inputs=(1,),
    gradient=lambda op, g: (bind(transpose_by_p, g, _undone(op.inputs[1])), None),
    samples=(sample("2,3", "2:p"), sample("2,3,4", [2, 0, -2])), memory=Memory.VIEWS,
    order=Order.PERMUTED,
)  # fmt: skip


def _undone(perm: Any) -> Tensor:
    return ops.invert_permutation(ops.mod(perm, ops.cast(ops.size(perm), perm.dtype)))


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """`a` with its axes in the order `perm` (None: reversed), conjugated if asked.

    `perm` may be a vector that only the run knows. ValueError (at run time InvalidArgumentError)
    where it is no permutation of the axes.

    >>> rt.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    x = convert_to_tensor(a)
    if isinstance(perm, list | tuple) and any(isinstance(axis, Tensor) for axis in perm):
        perm = convert_to_tensor(perm)
    if isinstance(perm, Tensor) and perm.static_value is None:
        result: Tensor = bind(transpose_by_p, x, perm)
    else:
        order = None if perm is None else static_ints(perm, "perm")
        result = bind(transpose_p, x, perm=order)
    return ops.conj(result) if conjugate else result


def matrix_transpose(a: Any, name: str | None = None, conjugate: bool = False) -> Tensor:
    """`a` with its last two axes exchanged; ValueError for a rank below 2.

    >>> rt.linalg.matrix_transpose([[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    x = convert_to_tensor(a)
    rank = x.ndim
    if rank is None:
        last = ops.rank(x) - 1
        return transpose(x, ops.concat([ops.range(last - 1), [last, last - 1]], 0), conjugate)
    if rank < 2:
        raise wrong_value(f"matrix_transpose needs a rank of at least 2, got shape {x.shape}")
    return transpose(x, [*range(rank - 2), rank - 1, rank - 2], conjugate)


def _reverse_shape(shape: Shape, *, axis: tuple[int, ...]) -> Shape:
    if shape is not None:
        axes_in(axis, len(shape))
    return shape


reverse_p: Primitive = row(
    "reverse", lambda x, *, axis: np.flip(x, axis), signature="A->A", shape=_reverse_shape,
    op_type="ReverseV2", keep_inputs=(),
    gradient=lambda op, g: (bind(reverse_p, g, axis=op.params["axis"]),),
    samples=(sample("2,3", axis=(0,)), sample("2,3", axis=(0, -1))), memory=Memory.VIEWS,
    batching=batching.along_axes, instruction="reverse",
)  # fmt: skip


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements in reverse order along each axis in the list `axis`.

    >>> rt.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    if isinstance(axis, int) or getattr(axis, "ndim", 1) == 0:
        raise wrong_value(f"reverse: axis must be a list of axes, got {axis!r}")
    x, places = convert_to_tensor(tensor), axes_or_tensor(axis)
    if isinstance(places, Tensor):
        return run_time_axes.kept(reverse, x, places)
    return bind(reverse_p, x, axis=places)  # type: ignore[no-any-return]


def _roll_kernel(x: Any, shift: Any, *, axis: tuple[int, ...], out: Any = None) -> Any:
    _roll_shape(x.shape, np.shape(shift), axis=axis)
    shifts = [0] * x.ndim
    for place, by in zip(axis, np.ravel(shift), strict=True):
        shifts[place] += int(by)
    made = np.empty(x.shape, x.dtype) if out is None else out
    for parts in itertools.product(*map(_rolled_parts, x.shape, shifts)):
        to, start = zip(*parts, strict=True)
        made[to] = x[start]
    return made


def _roll_shape(shape: Shape, shift: Shape, *, axis: tuple[int, ...]) -> Shape:
    if shift is not None:
        count = math.prod(n for n in shift if n is not None)
        if len(shift) > 1 or (None not in shift and count != len(axis)):
            raise wrong_value(f"a shift of shape {shift} for {len(axis)} axes: one for each")
    if shape is not None:
        for each in axis:  # one that is there twice is rolled twice
            axis_in(each, len(shape))
    return shape


def _rolled_parts(dim: int, shift: int) -> list[tuple[slice, slice]]:
    """Returns the places to which the parts of an axis go, and those where they are."""
    cut = -shift % max(dim, 1)
    parts = [(slice(0, dim - cut), slice(cut, dim))]
    return [*parts, (slice(dim - cut, dim), slice(0, cut))] if cut else parts


roll_p: Primitive = row(
    "roll", _roll_kernel, signature="A,I->A", op_type="Roll",
    shape=_roll_shape,
    gradient=lambda op, g: (bind(roll_p, g, -op.inputs[1], axis=op.params["axis"]), None),
    keep_inputs=(1,),
    samples=(sample("2,3", ":i3", axis=(1,)), sample("2,3", "2:i3", axis=(0, 1))), order=Order.C,
    batching=batching.along_axes, instruction="roll",
)  # fmt: skip


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements moved by `shift` along `axis`; what leaves at one end comes in at the other.

    >>> rt.roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]
    """
    x, by, places = convert_to_tensor(input), convert_to_tensor(shift), axes_or_tensor(axis)
    if isinstance(places, Tensor):
        return _rolled(x, by, places)
    return bind(roll_p, x, by, axis=places)  # type: ignore[no-any-return]


def _rolled(x: Tensor, shift: Tensor, axis: Tensor) -> Tensor:
    """`roll` along axes that only the run knows, one after the other: they may be the same."""
    if not axis.ndim:
        return run_time_axes.kept(lambda y, front: roll(y, shift, front), x, axis)
    for by, place in zip(ops.unstack(shift), ops.unstack(axis), strict=True):
        x = _rolled(x, by, place)
    return x

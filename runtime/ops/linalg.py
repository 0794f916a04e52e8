"""Products of matrices and vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Order, Primitive, bind, row, sample, wrong_dtype, wrong_value
from runtime.core.shapes import Shape, broadcast
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.workspace import Workspace
from runtime.dtypes import DType, as_dtype
from runtime.ops import batching
from runtime.ops.arguments import listed, static_ints
from runtime.ops.define import converted, matched, sum_to_shape_of


def _turned(x: Any, flag: bool) -> Any:
    return x.swapaxes(-1, -2) if flag else x


def _matmul_kernel(
    a: Any, b: Any, *, transpose_a: bool, transpose_b: bool, out: Any = None,
    work: Workspace | None = None,
) -> Any:  # fmt: skip
    if a.ndim < 2 or b.ndim < 2:
        raise wrong_value("matrices must have rank 2 or more")
    if a.dtype not in BY_BLAS:
        wide = [x.astype(np.float32) for x in (a, b)]
        made = _matmul_kernel(*wide, transpose_a=transpose_a, transpose_b=transpose_b)
        return converted(made, a.dtype, out)
    if transpose_a or transpose_b:
        a, b = _turned(a, transpose_a), _turned(b, transpose_b)
    if a.ndim > 2 or b.ndim > 2:
        return np.matmul(a, b, out, order="C")
    if work is not None:
        work.clear()
        a, b = _packed(a, work), _packed(b, work)
    return np.dot(a, b, out)


def _packed(x: Any, work: Workspace) -> Any:
    """The matrix as BLAS takes it; NumPy would make an array for the copy."""
    return x if x.flags.forc else work.copied(x)


def _matmul_shape(a: Shape, b: Shape, *, transpose_a: bool, transpose_b: bool) -> Shape:
    for shape in (a, b):
        if shape is not None and len(shape) < 2:
            raise wrong_value(f"matrices must have rank 2 or more, got shape {shape}")
    if a is None or b is None:
        return None
    rows, inner = reversed(a[-2:]) if transpose_a else a[-2:]
    inner_b, columns = reversed(b[-2:]) if transpose_b else b[-2:]
    if None not in (inner, inner_b) and inner != inner_b:
        raise wrong_value(
            f"Matrix size-incompatible: {a} (transposed: {transpose_a}) and "
            f"{b} (transposed: {transpose_b})"
        )
    batch = broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, rows, columns)


def _matmul_gradient(op: Any, g: Any) -> Any:
    a, b = op.inputs
    ta, tb = op.params["transpose_a"], op.params["transpose_b"]
    for_a = for_b = None
    if op.needed[0]:
        cb = ops.conj(b)
        for_a = _product(cb, g, tb, True) if ta else _product(g, cb, False, not tb)
    if op.needed[1]:
        ca = ops.conj(a)
        for_b = _product(g, ca, True, ta) if tb else _product(ca, g, not ta, False)
    return _sum_batch(for_a, a), _sum_batch(for_b, b)


def _sum_batch(g: Any, x: Any) -> Any:
    return g if g is None or g.ndim == x.ndim == 2 else sum_to_shape_of(g, x)


def _product(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    return bind(matmul_p, a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def _matmul_flops(
    a: tuple[int, ...], _: Any, product: tuple[int, ...], *, transpose_a: bool, **__: Any
) -> int:
    return 2 * math.prod(product) * a[-2 if transpose_a else -1]


matmul_p: Primitive = row(
    "matmul", _matmul_kernel, signature="N,N->N", shape=_matmul_shape, op_type="MatMul",
    gradient=_matmul_gradient,
    samples=(
        sample("2,3", "3,4", transpose_a=False, transpose_b=False),
        sample("3,2", "4,3", transpose_a=True, transpose_b=True),
        sample("5,2,3", "3,4", transpose_a=False, transpose_b=False),
        sample("5,2,3", "1,4,3", transpose_a=False, transpose_b=True),
    ), order=Order.C, batching=batching.matmul, instruction="matmul", flops=_matmul_flops,
)  # fmt: skip
BY_BLAS = matmul_p.accepted - {np.dtype(np.float16)}
"""Of what NumPy's product is as fast as can be: BLAS knows no halves."""
# Twice as fast as np.dot and np.matmul for small matrices.
dot = np.ndarray.dot


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
    output_type: Any = None, grad_a: bool = False, grad_b: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The product of matrices, batched and broadcast over the leading axes.

    Each may be transposed or adjoint.

    With `output_type` products and sums are of that dtype, which must hold all numbers of both
    operands': int32 for int8 and uint8, in any combination. WrongDtypeError for another one.

    >>> rt.matmul([[1, 2]], [[3], [4]]).numpy().tolist()
    [[11]]
    """
    if output_type is not None:
        a, b = _widened(a, b, as_dtype(output_type))
    if (
        state.run is not None
        and type(a) is EagerTensor
        and type(b) is EagerTensor
        and not (transpose_a or transpose_b or adjoint_a or adjoint_b)
    ):
        x, y = a.raw, b.raw
        dtype = x.dtype
        if dtype is y.dtype and dtype in BY_BLAS and x.ndim == 2 and y.ndim == 2:
            try:
                return EagerTensor(state.run(dot, x, y))
            except ValueError:
                pass  # bind computes it again, and explains
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise wrong_value("Only one of transpose and adjoint can be True for an operand.")
    left, right = matched(a, b)
    left = ops.conj(left) if adjoint_a else left
    right = ops.conj(right) if adjoint_b else right
    return bind(  # type: ignore[no-any-return]
        matmul_p, left, right, transpose_a=bool(transpose_a or adjoint_a),
        transpose_b=bool(transpose_b or adjoint_b),
    )  # fmt: skip


def _widened(a: Any, b: Any, wanted: DType) -> tuple[Tensor, Tensor]:
    operands = convert_to_tensor(a), convert_to_tensor(b)
    for x in operands:
        if not np.can_cast(x.dtype.np_dtype, wanted.np_dtype):
            raise wrong_dtype(f"MatMul: {wanted.name} does not hold all numbers of {x.dtype.name}")
    return ops.cast(operands[0], wanted), ops.cast(operands[1], wanted)


def matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The product of a matrix and a vector, batched over the leading axes.

    >>> rt.linalg.matvec([[2., 0.], [0., 4.]], [1., 2.]).numpy().tolist()
    [2.0, 8.0]
    """
    left, right = matched(a, b)
    column = ops.expand_dims(right, -1)
    return ops.squeeze(matmul(left, column, transpose_a=transpose_a, adjoint_a=adjoint_a), [-1])


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over axes.

    `axes` is their number, for the last ones of a and the first ones of b, or two lists of them.

    >>> int(rt.tensordot([1, 2], [3, 4], 1))
    11
    """
    left, right = matched(a, b)
    if left.ndim is None or right.ndim is None or _at_run_time(axes):
        return _tensordot_at_run_time(left, right, axes)
    of_a, of_b = _contracted(axes, left.ndim)
    keep_a = [i for i in range(left.ndim) if i not in {i % left.ndim for i in of_a}]
    keep_b = [i for i in range(right.ndim) if i not in {i % right.ndim for i in of_b}]
    sizes_a, sizes_b = ops.shape(left), ops.shape(right)
    rows = ops.reshape(ops.transpose(left, [*keep_a, *of_a]), _merged(sizes_a, of_a, last=True))
    columns = ops.reshape(
        ops.transpose(right, [*of_b, *keep_b]), _merged(sizes_b, of_b, last=False)
    )
    outer = [sizes_a[i] for i in keep_a] + [sizes_b[i] for i in keep_b]
    return ops.reshape(matmul(rows, columns), outer)


def _at_run_time(axes: Any) -> bool:
    return any(
        isinstance(each, Tensor) and each.static_value is None
        for each in (axes if isinstance(axes, list | tuple) else [axes])
    )


def _tensordot_at_run_time(left: Tensor, right: Tensor, axes: Any) -> Tensor:
    """`tensordot` where only the run knows the axes or the ranks."""
    number = axes.static_value if isinstance(axes, Tensor) and not axes.ndim else axes
    if isinstance(number, int | np.integer | np.ndarray) and np.ndim(number) == 0:
        first, second = ops.rank(left) - int(number) + ops.range(number), ops.range(number)
    else:
        pair = ops.unstack(axes, 2) if isinstance(axes, Tensor) else listed(axes, "axes")
        first, second = (ops.reshape(ops.cast(each, dtypes.int32), [-1]) for each in pair)
    sizes: list[Tensor] = []
    matrices: list[Tensor] = []
    for x, taken, last in ((left, first, True), (right, second, False)):
        places = ops.range(ops.rank(x))
        taken = ops.where(taken < 0, taken + ops.rank(x), taken)
        free = ops.boolean_mask(places, ops.reduce_all(places[:, None] != taken, 1))
        shape = ops.shape(x)
        inner = ops.reduce_prod(ops.gather(shape, taken))
        order = ops.concat([free, taken] if last else [taken, free], 0)
        sizes.append(ops.gather(shape, free))
        outer = ops.reduce_prod(sizes[-1])
        turned = ops.transpose(x, order)
        matrices.append(ops.reshape(turned, [outer, inner] if last else [inner, outer]))
    made = ops.reshape(matmul(matrices[0], matrices[1]), ops.concat(sizes, 0))
    count = first.shape[0]
    if left.ndim is None or right.ndim is None or count is None:
        return made
    return ops.ensure_shape(made, (None,) * (left.ndim + right.ndim - 2 * count))


def _merged(sizes: Tensor, axes: Any, last: bool) -> list[Any]:
    inner: Any = 1
    for axis in axes:
        inner = sizes[axis] * inner
    return [-1, inner] if last else [inner, -1]


def _contracted(axes: Any, rank: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, Tensor):
        axes = axes.static_value
    if isinstance(axes, int | np.integer):
        if not 0 <= axes <= rank:
            raise wrong_value(f"axes {axes} is out of range for rank {rank}")
        return list(range(rank - int(axes), rank)), list(range(int(axes)))
    pair = listed(axes, "axes")
    if len(pair) != 2:
        raise wrong_value(f"axes must be a number or two lists of axes, got {axes!r}")
    first, second = (list(static_ints(axis, "axes")) for axis in pair)
    if len(first) != len(second):
        raise wrong_value(
            f"Different number of contraction axes `a` and `b`, {first} and {second}."
        )
    return first, second

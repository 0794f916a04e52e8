"""Diagonals and bands of matrices, and the adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.convert import convert_to_tensor
from runtime.ops.arguments import static_int
from runtime.ops.blockwise import PIECE, numbers
from runtime.ops.define import copied, matched, zeroed
from runtime.ops.matrices import check_matrix
from runtime.primitive import Memory, Primitive, bind, row, sample, wrong_value
from runtime.shapes import Shape, compatible
from runtime.tensor import Tensor
from runtime.workspace import Workspace, opened


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose."""
    return ops.matrix_transpose(matrix, conjugate=True)


def _band_kernel(
    x: Any, *, lower: int, upper: int, out: Any = None, work: Workspace | None = None
) -> Any:
    rows, columns = x.shape[-2:]
    work = None if work is None or rows * columns <= PIECE else opened(work)
    i, j = numbers(rows, work)[:, np.newaxis], numbers(columns, work)
    inside: Any = True
    if lower >= 0:
        j += lower
        inside = np.less_equal(i, j, out=_mask(rows, columns, work))
        j -= lower
    if upper >= 0:
        i += upper
        above = np.less_equal(j, i, out=_mask(rows, columns, work))
        inside = np.logical_and(inside, above, out=above)
    made = zeroed(x.shape, x.dtype, out)
    np.copyto(made, x, where=inside)
    return made


def _mask(rows: int, columns: int, work: Workspace | None) -> Any:
    """Memory for truth values; None: NumPy may make an array."""
    return None if work is None else work.array((rows, columns), np.bool_)


band_part_p: Primitive = row(
    "band_part", _band_kernel, signature="Q->Q", op_type="MatrixBandPart", keep_inputs=(),
    shape=lambda shape, *, lower, upper: check_matrix(shape),
    gradient=lambda op, g: (bind(band_part_p, g, **op.params),),
    samples=(sample("3,4", lower=-1, upper=0), sample("2,3,3", lower=1, upper=-1)),
)  # fmt: skip


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """The matrix with zeros beyond `num_lower` diagonals below and `num_upper` above the main one
    (-1: keep all).
    """
    lower, upper = static_int(num_lower, "num_lower"), static_int(num_upper, "num_upper")
    return bind(band_part_p, convert_to_tensor(input), lower=lower, upper=upper)  # type: ignore[no-any-return]


def _diagonal_length(rows: int | None, columns: int | None, k: int) -> int | None:
    if rows is None or columns is None:
        return None
    return max(0, min(rows + min(k, 0), columns - max(k, 0)))


def _diag_part_shape(shape: Shape, *, k: int) -> Shape:
    check_matrix(shape)
    return None if shape is None else (*shape[:-2], _diagonal_length(shape[-2], shape[-1], k))


def _diag_part_gradient(op: Any, g: Any) -> Any:
    """Zeros like x, with `g` on the diagonal."""
    return (bind(set_diag_p, ops.zeros_like(op.inputs[0]), g, k=op.params["k"]),)


diag_part_p: Primitive = row(
    "diag_part", lambda x, *, k: x.diagonal(k, -2, -1), signature="A->A", keep_inputs=(),
    shape=_diag_part_shape, op_type="MatrixDiagPartV3", gradient=_diag_part_gradient,
    samples=(sample("3,4", k=0), sample("2,3,3", k=-1)), memory=Memory.VIEWS,
)  # fmt: skip


def diag_part(
    input: Any, name: str | None = "diag_part", k: int = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """The diagonal `k` of matrices (0: the main one, positive: above it)."""
    return bind(diag_part_p, convert_to_tensor(input), k=static_int(k, "k"))  # type: ignore[no-any-return]


def _on_diagonal(made: Any, values: Any, k: int) -> Any:
    diagonal = made.diagonal(k, -2, -1)
    # NumPy lets only its owner write to an array by a diagonal.
    diagonal.flags.writeable = True
    diagonal[...] = values
    return made


def _set_diag_kernel(x: Any, values: Any, *, k: int, out: Any = None) -> Any:
    _set_diag_shape(x.shape, values.shape, k=k)
    return _on_diagonal(copied(x, out), values, k)


def _set_diag_shape(shape: Shape, values: Shape, *, k: int) -> Shape:
    wanted = _diag_part_shape(shape, k=k)
    if not compatible(wanted, values):
        raise wrong_value(f"a diagonal of shape {values} does not fit matrices of shape {shape}")
    return shape


def _set_diag_gradient(op: Any, g: Any) -> Any:
    k = op.params["k"]
    on = bind(diag_part_p, g, k=k)
    return bind(set_diag_p, g, ops.zeros_like(on), k=k), on


set_diag_p: Primitive = row(
    "set_diag", _set_diag_kernel, signature="A,A->A",
    shape=_set_diag_shape, keep_inputs=(), op_type="MatrixSetDiagV3", gradient=_set_diag_gradient,
    samples=(sample("3,4", "3", k=0), sample("2,3,3", "2,2", k=1)),
)  # fmt: skip


def set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: int = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with `diagonal` written on their diagonal `k`."""
    x, values = matched(input, diagonal)
    return bind(set_diag_p, x, values, k=static_int(k, "k"))  # type: ignore[no-any-return]


def _diag_kernel(
    values: Any, *, k: int, rows: int | None, columns: int | None, out: Any = None
) -> Any:
    shape: Any = _diag_shape(values.shape, k=k, rows=rows, columns=columns)
    made = zeroed(shape, values.dtype, out)
    return _on_diagonal(made, values, k)


def _diag_shape(shape: Shape, *, k: int, rows: int | None, columns: int | None) -> Shape:
    if shape is None:
        return None
    if not shape:
        raise wrong_value("diag needs a vector, got a scalar")
    n = shape[-1]
    if n is not None:
        rows, columns = _diag_sides(n, k, rows, columns)
    length = _diagonal_length(rows, columns, k)
    if None not in (length, n) and length != n:
        raise wrong_value(f"a diagonal of {n} elements does not fit {rows} x {columns} matrices")
    return (*shape[:-1], rows, columns)


def _diag_sides(n: int, k: int, rows: int | None, columns: int | None) -> tuple[int, int]:
    """The matrices are square where neither side is given, else as small as they can be."""
    if rows is None and columns is None:
        return n + abs(k), n + abs(k)
    return (
        n + max(-k, 0) if rows is None else rows,
        n + max(k, 0) if columns is None else columns,
    )


diag_p: Primitive = row(
    "diag", _diag_kernel, signature="Q->Q", shape=_diag_shape,
    op_type="MatrixDiagV3",
    gradient=lambda op, g: (bind(diag_part_p, g, k=op.params["k"]),), keep_inputs=(),
    samples=(
        sample("3", k=0, rows=None, columns=None), sample("2,3", k=1, rows=None, columns=None),
        sample("3", k=0, rows=3, columns=5),
    ),
)  # fmt: skip


def _count(value: Any, what: str) -> int | None:
    number = static_int(value, what)
    return None if number == -1 else number


def diag(
    diagonal: Any, name: str | None = "diag", k: int = 0, num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0, align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """Matrices with `diagonal` on their diagonal `k` and zeros elsewhere."""
    return bind(  # type: ignore[no-any-return]
        diag_p, convert_to_tensor(diagonal), k=static_int(k, "k"),
        rows=_count(num_rows, "num_rows"), columns=_count(num_cols, "num_cols"),
    )  # fmt: skip


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` where both halves of the index agree."""
    x = convert_to_tensor(diagonal)
    dims = ops.shape(x)
    return ops.reshape(diag(ops.reshape(x, (-1,))), ops.concat([dims, dims], 0))


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The elements where both halves of the index agree."""
    x = convert_to_tensor(input)
    if x.ndim is None or x.ndim % 2 or not x.ndim:
        raise wrong_value(f"tensor_diag_part needs an even rank, got shape {x.shape}")
    dims = ops.shape(x)[: x.ndim // 2]
    n = ops.reduce_prod(dims)
    return ops.reshape(diag_part(ops.reshape(x, [n, n])), dims)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of matrices."""
    return ops.reduce_sum(diag_part(x), -1)

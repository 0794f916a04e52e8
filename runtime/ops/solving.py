"""Inverses, determinants and linear systems.

The letters W: what LAPACK computes with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Primitive, bind, checked, row, sample, wrong_value
from runtime.core.shapes import Shape, broadcast
from runtime.core.tensor import Tensor
from runtime.ops import batching
from runtime.ops.define import matched, sum_to_shape_of
from runtime.ops.matrices import (
    NO_INVERSE,
    check_matrix,
    check_square,
    guarded,
    in_single,
)


def _inverse_gradient(op: Any, g: Any) -> Any:
    y = ops.adjoint(op.outputs[0])
    return (-ops.matmul(ops.matmul(y, g), y),)


_REGULAR = (sample("3,3:r"), sample("2,2,2:r"))
inverse_p: Primitive = row(
    "inverse", guarded(in_single(np.linalg.inv), NO_INVERSE), signature="F->F", shape=check_square,
    op_type="MatrixInverse", gradient=_inverse_gradient, keep_inputs=(), keep_outputs=(0,),
    fallible=True, samples=_REGULAR,
)  # fmt: skip


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices; InvalidArgumentError where there is none.

    >>> rt.linalg.inv([[2., 0.], [0., 4.]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    x = convert_to_tensor(input)
    return bind(inverse_p, ops.adjoint(x) if adjoint else x)  # type: ignore[no-any-return]


def _det_kernel(x: Any) -> Any:
    made = np.linalg.det(x)
    if np.isfinite(x.sum()):  # so are all elements
        return made
    unclear = ~np.isfinite(x).all((-2, -1)) & ((made == 0) | np.isnan(x).any((-2, -1)))
    return np.where(unclear, _nan_of(x), made) if np.any(unclear) else made


def _nan_of(x: Any) -> Any:
    return x.dtype.type(complex(np.nan, np.nan) if x.dtype.kind == "c" else np.nan)


det_p: Primitive = row(
    "det", _det_kernel, signature="W->W", op_type="MatrixDeterminant",
    shape=lambda shape: (check_square(shape) or ())[:-2] if shape is not None else None,
    gradient=lambda op, g: (_outer(g * op.outputs[0], ops.adjoint(inv(op.inputs[0]))),),
    keep_outputs=(0,), samples=_REGULAR,
)  # fmt: skip


def _outer(scale: Any, matrix: Any) -> Any:
    return ops.expand_dims(ops.expand_dims(scale, -1), -1) * matrix


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of square matrices.

    >>> float(rt.linalg.det([[2., 0.], [0., 4.]]))
    8.0
    """
    return bind(det_p, convert_to_tensor(input))  # type: ignore[no-any-return]


class LogDeterminant(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Tensor
    log_abs_determinant: Tensor


def _slogdet_shape(shape: Shape) -> tuple[Shape, Shape]:
    batch = None if shape is None else (check_square(shape) or ())[:-2]
    return batch, batch


def _slogdet_kernel(x: Any) -> Any:
    sign, size = np.linalg.slogdet(x)
    if np.isfinite(x.sum()):
        return sign.astype(x.dtype), size.astype(x.dtype)
    unclear = np.isnan(size) | (~np.isfinite(x).all((-2, -1)) & np.isneginf(size))
    unclear |= np.isnan(x).any((-2, -1))
    sign, size = np.where(unclear, _nan_of(x), sign), np.where(unclear, np.nan, size)
    return sign.astype(x.dtype), size.astype(x.dtype)


slogdet_p: Primitive = row(
    "slogdet", _slogdet_kernel,
    signature="W->W,W", shape=_slogdet_shape,
    op_type="LogMatrixDeterminant", samples=_REGULAR,
    gradient=lambda op, _, g: (
        None if g is None else _outer(g, ops.adjoint(inv(op.inputs[0]))),
    ),
)  # fmt: skip


def slogdet(input: Any, name: str | None = None) -> LogDeterminant:
    """The sign and the logarithm of the absolute value of the determinant.

    >>> sign, log = rt.linalg.slogdet([[2., 0.], [0., 4.]])
    >>> float(sign), round(float(log), 3)
    (1.0, 2.079)
    """
    return LogDeterminant(*bind(slogdet_p, convert_to_tensor(input)))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices.

    >>> round(float(rt.linalg.logdet([[2., 0.], [0., 4.]])), 3)
    2.079
    """
    return 2.0 * ops.reduce_sum(ops.log(ops.real(ops.diag_part(ops.cholesky(matrix)))), -1)


def _solve_kernel(a: Any, b: Any, *, adjoint: bool) -> Any:
    return np.linalg.solve(np.conj(a).swapaxes(-1, -2) if adjoint else a, b)


def _solve_shape(a: Shape, b: Shape, **params: Any) -> Shape:
    check_square(a)
    check_matrix(b, "the right-hand side")
    if a is None or b is None:
        return None
    if None not in (a[-1], b[-2]) and a[-1] != b[-2]:
        raise wrong_value(f"matrices of shape {a} do not fit right-hand sides of shape {b}")
    batch = broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, b[-2], b[-1])


def _solve_gradient(op: Any, g: Any) -> Any:
    a, b = op.inputs
    adjoint = op.params["adjoint"]
    for_b = bind(solve_p, a, g, adjoint=not adjoint)
    y = op.outputs[0]
    if adjoint:
        for_a = -ops.matmul(y, for_b, adjoint_b=True)
    else:
        for_a = -ops.matmul(for_b, y, adjoint_b=True)
    return sum_to_shape_of(for_a, a), sum_to_shape_of(for_b, b)


solve_p: Primitive = row(
    "solve", guarded(checked(_solve_kernel, _solve_shape), NO_INVERSE), signature="W,W->W",
    shape=_solve_shape,
    op_type="MatrixSolve", gradient=_solve_gradient, keep_inputs=(0,), keep_outputs=(0,),
    fallible=True,
    samples=(sample("3,3:r", "3,2", adjoint=False), sample("2,2,2:r", "2,2,1", adjoint=True)),
    batching=batching.solved,
)  # fmt: skip


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The x for which `matrix` times x is `rhs`; InvalidArgumentError for singular ones.

    >>> rt.linalg.solve([[2., 0.], [0., 4.]], [[1.], [2.]]).numpy().tolist()
    [[0.5], [0.5]]
    """
    a, b = matched(matrix, rhs)
    return bind(solve_p, a, b, adjoint=bool(adjoint))  # type: ignore[no-any-return]


def _triangle(a: Any, lower: bool) -> Any:
    return np.tril(a) if lower else np.triu(a)


def _triangular_kernel(a: Any, b: Any, *, lower: bool, adjoint: bool) -> Any:
    a = _triangle(a, lower)
    return np.linalg.solve(np.conj(a).swapaxes(-1, -2) if adjoint else a, b)


def _triangular_gradient(op: Any, g: Any) -> Any:
    a, b = op.inputs
    lower, adjoint = op.params["lower"], op.params["adjoint"]
    for_b = bind(triangular_p, a, g, lower=lower, adjoint=not adjoint)
    y = op.outputs[0]
    pair = (y, for_b) if adjoint else (for_b, y)
    for_a = -ops.matmul(*pair, adjoint_b=True)
    for_a = ops.band_part(for_a, -1, 0) if lower else ops.band_part(for_a, 0, -1)
    return sum_to_shape_of(for_a, a), sum_to_shape_of(for_b, b)


triangular_p: Primitive = row(
    "triangular_solve", guarded(checked(_triangular_kernel, _solve_shape), NO_INVERSE),
    signature="W,W->W",
    shape=_solve_shape, op_type="MatrixTriangularSolve", gradient=_triangular_gradient,
    keep_inputs=(0,), keep_outputs=(0,), fallible=True,
    samples=(
        sample("3,3:r", "3,2", lower=True, adjoint=False),
        sample("3,3:r", "3,2", lower=False, adjoint=True),
    ), batching=batching.solved,
)  # fmt: skip


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """As `solve`, reading only the lower (or upper) triangle of the matrix.

    >>> rt.linalg.triangular_solve([[2., 0.], [0., 4.]], [[1.], [2.]]).numpy().tolist()
    [[0.5], [0.5]]
    """
    a, b = matched(matrix, rhs)
    return bind(triangular_p, a, b, lower=bool(lower), adjoint=bool(adjoint))  # type: ignore[no-any-return]


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The x for which chol times its adjoint times x is `rhs`.

    >>> chol = rt.linalg.cholesky([[4., 0.], [0., 16.]])
    >>> rt.linalg.cholesky_solve(chol, [[2.], [8.]]).numpy().tolist()
    [[0.5], [0.5]]
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The x with the least squared error of `matrix` times x against `rhs`.

    InvalidArgumentError where the matrix is rank deficient.

    >>> rt.linalg.lstsq([[2., 0.], [0., 4.]], [[1.], [2.]]).numpy().round(3).tolist()
    [[0.5], [0.5]]
    """
    a, b = matched(matrix, rhs)
    rows, columns = (check_matrix(a.static_shape, "matrix") or (None, None))[-2:]
    if rows is None or columns is None:
        return _least_squares(a, b, l2_regularizer)
    if rows >= columns:
        gram = ops.matmul(a, a, adjoint_a=True) + _regular(columns, l2_regularizer, a.dtype)
        return cholesky_solve(_factor(gram), ops.matmul(a, b, adjoint_a=True))
    gram = ops.matmul(a, a, adjoint_b=True) + _regular(rows, l2_regularizer, a.dtype)
    return ops.matmul(a, cholesky_solve(_factor(gram), b), adjoint_a=True)


def _least_squares(a: Tensor, b: Tensor, l2_regularizer: float) -> Tensor:
    """`lstsq` of a matrix of which only the run knows whether it is wide: the pseudo-inverse of its
    adjoint is the adjoint of its own.
    """
    rank, sides = ops.rank(a), ops.shape(a)[-2:]
    is_wide = ops.cast(sides[0] < sides[1], dtypes.int32)
    axes = ops.concat([ops.range(rank - 2), [rank - 2 + is_wide, rank - 1 - is_wide]], 0)

    def tall(x: Tensor) -> Tensor:
        turned = ops.transpose(x, axes)
        return ops.where(is_wide > 0, ops.conj(turned), turned) if a.dtype.is_complex else turned

    matrix = tall(a)
    gram = ops.matmul(matrix, matrix, adjoint_a=True)
    gram += _regular(ops.reduce_min(sides), l2_regularizer, a.dtype)
    inverse = cholesky_solve(_factor(gram), ops.adjoint(matrix))
    return ops.matmul(tall(inverse), b)


def _check_definite(factor: Any, gram: Any) -> Any:
    if np.isnan(factor).any() and not np.isnan(gram).any():
        raise errors.InvalidValueError(
            "Input matrix was rank deficient or ill-conditioned; add an l2_regularizer"
        )
    return factor


definite_p: Primitive = row(
    "definite", _check_definite, signature="W,W->W", shape=lambda factor, gram: factor,
    op_type="CheckDefinite", fallible=True, gradient=lambda op, g: (g, None), keep_inputs=(),
    samples=(sample("2,2", "2,2"),),
)  # fmt: skip


def _factor(gram: Any) -> Tensor:
    return bind(definite_p, ops.cholesky(gram), gram)  # type: ignore[no-any-return]


def _regular(n: Any, amount: float, dtype: Any) -> Any:
    return ops.eye(n, dtype=dtype) * amount

"""Triangular factors by LAPACK, roots and logarithms of matrices, by SciPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.extras import extra
from runtime.core.primitive import Order, bind, row, sample, wrong_shape, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.matrices import check_square


def _scipy(what: str) -> Any:
    return extra("scipy.linalg", "scipy", what)


def _lu_shape(shape: Shape, *, dtype: Any) -> tuple[Shape, Shape]:
    check_square(shape)
    return (None, None) if shape is None else (shape, shape[:-1])


def _lu_kernel(x: Any, *, dtype: Any) -> Any:
    linalg = _scipy("linalg.lu")
    check_square(x.shape)
    if not x.size:
        return x.copy(), np.zeros(x.shape[:-1], dtype.np_dtype)
    flat = x.reshape(-1, *x.shape[-2:])
    factors, orders = np.empty_like(flat), np.empty(flat.shape[:-1], dtype.np_dtype)
    for at, matrix in enumerate(flat):
        rows, lower, upper = linalg.lu(matrix, p_indices=True)
        if not np.all(np.diagonal(upper)):
            raise wrong_value("the matrix is singular: it has no such factors")
        factors[at] = np.tril(lower, -1) + upper
        orders[at] = np.argsort(rows)
    return factors.reshape(x.shape), orders.reshape(x.shape[:-1])


def _unit_lower(factors: Any) -> Any:
    lower = ops.band_part(factors, -1, 0)
    return ops.set_diag(lower, ops.ones_like(ops.diag_part(factors)))


def _lu_gradient(op: Any, g: Any, _: Any) -> Any:
    """With A[p] = L U: the gradient of A[p], by the rule of products of triangular matrices
    (S. F. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2010).
    """
    factors, order = op.outputs
    if g is None:
        return (None,)
    lower, upper = _unit_lower(factors), ops.band_part(factors, 0, -1)
    strict = ops.band_part(g, -1, 0)
    strict = ops.set_diag(strict, ops.zeros_like(ops.diag_part(g)))
    first = ops.matmul(lower, strict, adjoint_a=True)
    first = ops.set_diag(ops.band_part(first, -1, 0), ops.zeros_like(ops.diag_part(first)))
    middle = first + ops.band_part(
        ops.matmul(ops.band_part(g, 0, -1), upper, adjoint_b=True), 0, -1
    )
    left = ops.triangular_solve(lower, middle, adjoint=True)
    # X U^H = left
    both = ops.adjoint(ops.triangular_solve(upper, ops.adjoint(left), lower=False))
    back = ops.argsort(order)
    return (ops.gather(both, back, axis=-2, batch_dims=len(order.shape) - 1),)


lu_p = row(
    "lu", _lu_kernel, signature="W->W,dtype", shape=_lu_shape, op_type="Lu",
    gradient=_lu_gradient, keep_inputs=(), keep_outputs=(0, 1), order=Order.PERMUTED, fallible=True,
    samples=(sample("3,3:r", dtype=dtypes.int32), sample("2,3,3:r", dtype=dtypes.int64)),
)  # fmt: skip


class Lu(NamedTuple):
    """Both triangles in one matrix, and the order of the rows."""

    lu: Tensor
    p: Tensor


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Lu:
    """Square matrices with rows in another order, as products of a lower and an upper triangle.

    Args:
        input: (..., n, n), of floats or complex numbers.
        output_idx_type: int32 or int64.

    Returns both triangles in one matrix, (..., n, n), without the ones on the diagonal of the
    first, and the order of the rows, (..., n). Needs the extra `scipy`. Raises InvalidArgumentError
    (ValueError while tracing) for other shapes, and for a matrix that is exactly singular.

    >>> factors, order = rt.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> factors.numpy().tolist(), order.numpy().tolist()
    ([[4.0, 4.0], [0.25, 1.0]], [1, 0])
    """
    kind = dtypes.as_dtype(output_idx_type)
    if kind not in (dtypes.int32, dtypes.int64):
        raise wrong_value(f"output_idx_type must be int32 or int64, not {kind.name}")
    return Lu(*bind(lu_p, convert_to_tensor(input), dtype=kind))


def _side(x: Any) -> Any:
    known = None if x.static_shape is None else x.static_shape[-1]
    return ops.shape(x)[-1] if known is None else known


def _moved(x: Any, order: Any) -> Tensor:
    """The rows of matrices in this order."""
    if order.ndim is None:
        raise wrong_shape("a permutation must have a known rank: use ensure_shape", order)
    return ops.gather(x, order, axis=-2, batch_dims=order.ndim - 1)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices whose factors by `lu` these are, of the shape of `lower_upper`.

    >>> rt.linalg.lu_reconstruct([[4.0, 4.0], [0.25, 1.0]], [1, 0]).numpy().tolist()
    [[1.0, 2.0], [4.0, 4.0]]
    """
    factors = convert_to_tensor(lower_upper)
    product = ops.matmul(_unit_lower(factors), ops.band_part(factors, 0, -1))
    return _moved(product, ops.argsort(convert_to_tensor(perm)))


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The solutions X of A X = `rhs`, (..., n, k), for the factors of A by `lu`.

    >>> rt.linalg.lu_solve([[4.0, 4.0], [0.25, 1.0]], [1, 0], [[3.0], [8.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    factors = convert_to_tensor(lower_upper)
    turned = _moved(convert_to_tensor(rhs, factors.dtype), convert_to_tensor(perm))
    inner = ops.triangular_solve(_unit_lower(factors), turned)
    return ops.triangular_solve(factors, inner, lower=False)


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of the matrices whose factors by `lu` these are.

    >>> rt.linalg.lu_matrix_inverse([[4.0, 0.0], [0.0, 1.0]], [0, 1]).numpy().tolist()
    [[0.25, 0.0], [0.0, 1.0]]
    """
    factors = convert_to_tensor(lower_upper)
    check_square(factors.static_shape)
    whole = ops.zeros_like(factors) + ops.eye(_side(factors), dtype=factors.dtype)
    return lu_solve(factors, perm, whole)


def _of_matrices(name: str) -> Any:
    def kernel(x: Any) -> Any:
        function = getattr(_scipy(f"linalg.{name}"), name)
        check_square(x.shape)
        if not x.size:
            return x.copy()
        flat = x.reshape(-1, *x.shape[-2:])
        made = np.empty_like(flat)
        for at, matrix in enumerate(flat):
            found = function(matrix)
            made[at] = found if x.dtype.kind == "c" or not np.iscomplexobj(found) else np.nan
        return made.reshape(x.shape)

    return kernel


def _square_shape(shape: Shape) -> Shape:
    check_square(shape)
    return shape


def _sqrtm_gradient(op: Any, g: Any) -> Any:
    """The solution X of S^H X + X S^H = G for the root S, by the product of Kronecker."""
    root = ops.adjoint(op.outputs[0])
    size = _side(root)
    identity = ops.eye(size, dtype=root.dtype)
    # Row by row: vec(S X) = (S x I) vec(X), vec(X S) = (I x S^T) vec(X).
    left = _kronecker(root, ops.zeros_like(root) + identity, size)
    right = _kronecker(ops.zeros_like(root) + identity, ops.matrix_transpose(root), size)
    shape = ops.shape(g)
    column = ops.reshape(g, ops.concat([shape[:-2], [size * size, 1]], 0))
    return (ops.reshape(ops.solve(left + right, column), shape),)


def _kronecker(a: Any, b: Any, size: int) -> Any:
    product = a[..., :, None, :, None] * b[..., None, :, None, :]
    return ops.reshape(product, ops.concat([ops.shape(a)[:-2], [size * size] * 2], 0))


sqrtm_p = row(
    "matrix_square_root", _of_matrices("sqrtm"), signature="W->W", shape=_square_shape,
    op_type="MatrixSquareRoot", gradient=_sqrtm_gradient, keep_inputs=(), keep_outputs=(0,),
    samples=(sample("3,3:pd"), sample("2,2,2:pd")),
)  # fmt: skip
logm_p = row(
    "matrix_logarithm", _of_matrices("logm"), signature="C->C", shape=_square_shape,
    op_type="MatrixLogarithm",
)  # fmt: skip


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The principal square root of square matrices, with gradients; NaN where a real one has none.

    `input` is (..., n, n), of floats or complex numbers, and so is the result. Needs the extra
    `scipy`. Raises InvalidArgumentError (ValueError while tracing) for other shapes.

    >>> rt.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return bind(sqrtm_p, convert_to_tensor(input))  # type: ignore[no-any-return]


def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithm of square matrices of complex numbers.

    `input` is (..., n, n), complex64 or complex128, and so is the result. Needs the extra `scipy`.
    Raises InvalidArgumentError (ValueError while tracing) for other shapes, WrongDtypeError for
    real numbers: convert them with cast. It has no gradient.

    >>> bool(rt.reduce_all(rt.linalg.logm(rt.eye(2, dtype=rt.complex64)) == 0))
    True
    """
    return bind(logm_p, convert_to_tensor(input))  # type: ignore[no-any-return]

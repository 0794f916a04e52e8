"""Decompositions of matrices, and what singular values tell."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Order, Primitive, bind, row, sample
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.ops.matrices import check_matrix, check_square, in_single


def _half(x: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    lower = ops.band_part(x, -1, 0)
    return ops.set_diag(lower, ops.diag_part(lower) * 0.5)


def _cholesky_gradient(op: Any, g: Any) -> Any:
    factor = op.outputs[0]
    middle = _half(ops.matmul(factor, g, adjoint_a=True))
    left = ops.triangular_solve(factor, middle, adjoint=True)
    both = ops.adjoint(ops.triangular_solve(factor, ops.adjoint(left), adjoint=True))
    return ((both + ops.adjoint(both)) * 0.5,)


def _cholesky_kernel(x: Any) -> Any:
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
            raise
    if x.ndim > 2:
        return np.stack([_cholesky_kernel(part) for part in x])
    return np.tril(np.full_like(x, np.nan))


cholesky_p: Primitive = row(
    "cholesky", _cholesky_kernel,
    signature="W->W", shape=check_square, op_type="Cholesky", gradient=_cholesky_gradient,
    keep_inputs=(), keep_outputs=(0,),
    samples=(sample("3,3:pd"), sample("2,2,2:pd")),
)  # fmt: skip


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular factor of positive definite matrices; that of others is NaN.

    >>> rt.linalg.cholesky([[4., 2.], [2., 5.]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return bind(cholesky_p, convert_to_tensor(input))  # type: ignore[no-any-return]


def _finite(x: Any) -> Any:
    # LAPACK may not come to an end with others.
    if not np.isfinite(x).all():
        raise errors.InvalidValueError("Input matrix has NaN or infinite elements.")
    return x


def _eigh_shape(shape: Shape) -> tuple[Shape, Shape]:
    square = check_square(shape)
    return (None, None) if square is None else (square[:-1], square)


def _eigh_gradient(op: Any, g_values: Any, g_vectors: Any) -> Any:
    values, vectors = op.outputs
    g_values = ops.zeros_like(values) if g_values is None else g_values
    inner = ops.diag(ops.cast(g_values, vectors.dtype))
    if g_vectors is not None:
        gaps = ops.expand_dims(values, -2) - ops.expand_dims(values, -1)
        inverse = ops.set_diag(ops.divide_no_nan(ops.ones_like(gaps), gaps), ops.zeros_like(values))
        turned = ops.matmul(vectors, g_vectors, adjoint_a=True)
        inner = inner + ops.cast(inverse, vectors.dtype) * turned
    full = ops.matmul(vectors, ops.matmul(inner, vectors, adjoint_b=True))
    return ((full + ops.adjoint(full)) * 0.5,)


eigh_p: Primitive = row(
    "eigh", lambda x: tuple(np.linalg.eigh(_finite(x))), signature="W->real W,W", shape=_eigh_shape,
    op_type="SelfAdjointEigV2", gradient=_eigh_gradient, keep_inputs=(), keep_outputs=(0, 1),
    fallible=True,
    samples=(sample("3,3:pd"),),
)  # fmt: skip


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues (ascending) and eigenvectors (columns) of self-adjoint matrices.

    >>> rt.linalg.eigh([[2., 0.], [0., 4.]])[0].numpy().tolist()
    [2.0, 4.0]
    """
    values, vectors = bind(eigh_p, convert_to_tensor(tensor))
    return values, vectors


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, ascending.

    >>> rt.linalg.eigvalsh([[2., 0.], [0., 4.]]).numpy().tolist()
    [2.0, 4.0]
    """
    return eigh(tensor)[0]


def _complex_of(x: Any) -> Any:
    return {"f": np.complex64, "F": np.complex64}.get(x.dtype.char, np.complex128)


def _eig_infer(x: Any) -> Any:
    eig_p.check_dtypes([x.dtype.np_dtype])
    values, vectors = _eigh_shape(x.shape)
    narrow = x.dtype in (dtypes.float32, dtypes.complex64)
    kind = dtypes.complex64 if narrow else dtypes.complex128
    return TensorType(kind, values), TensorType(kind, vectors)


def _eig_gradient(op: Any, g_values: Any, g_vectors: Any) -> Any:
    """Vectors stay of length 1: what would change their length alone is taken out (M. Giles, "An
    extended collection of matrix derivative results", 2008, and for any vectors C. Boeddeker and
    others, "On the computation of complex-valued gradients", 2017).
    """
    values, vectors = op.outputs
    inner = ops.diag(ops.zeros_like(values) if g_values is None else g_values)
    if g_vectors is not None:
        gaps = ops.conj(ops.expand_dims(values, -2) - ops.expand_dims(values, -1))
        inverse = ops.set_diag(ops.divide_no_nan(ops.ones_like(gaps), gaps), ops.zeros_like(values))
        turned = ops.matmul(vectors, g_vectors, adjoint_a=True)
        lengths = ops.diag(ops.cast(ops.real(ops.diag_part(turned)), turned.dtype))
        among = ops.matmul(vectors, vectors, adjoint_a=True)
        inner = inner + inverse * (turned - ops.matmul(among, lengths))
    full = ops.solve(ops.adjoint(vectors), ops.matmul(inner, vectors, adjoint_b=True))
    return (full if op.inputs[0].dtype.is_complex else ops.real(full),)


eig_p: Primitive = row(
    "eig", lambda x: tuple(part.astype(_complex_of(x)) for part in np.linalg.eig(_finite(x))),
    _eig_infer, signature="W->C", op_type="Eig", gradient=_eig_gradient, keep_inputs=(),
    keep_outputs=(0, 1), fallible=True,
    samples=(sample([[3.0, 1.0, 0.2], [0.5, -1.0, 0.3], [0.1, 0.4, 1.0]]),),  # real eigenvalues
)  # fmt: skip


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors (columns) of square matrices, as complex numbers.

    >>> rt.eig([[2., 0.], [0., 3.]])[0].numpy().tolist()
    [(2+0j), (3+0j)]
    """
    values, vectors = bind(eig_p, convert_to_tensor(tensor))
    return values, vectors


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of square matrices, as complex numbers.

    >>> rt.eigvals([[2., 0.], [0., 3.]]).numpy().tolist()
    [(2+0j), (3+0j)]
    """
    return eig(tensor)[0]


class QR(NamedTuple):
    """An orthogonal and an upper triangular factor."""

    q: Tensor
    r: Tensor


def _qr_shape(shape: Shape, *, full: bool) -> tuple[Shape, Shape]:
    check_matrix(shape)
    if shape is None:
        return None, None
    m, n = shape[-2:]
    inner = m if full else None if m is None or n is None else min(m, n)
    return (*shape[:-2], m, inner), (*shape[:-2], inner, n)


def _qr_gradient(op: Any, g_q: Any, g_r: Any) -> Any:
    q, r = op.outputs
    rows, columns = (q.static_shape or (None, None))[-2], (r.static_shape or (None,))[-1]
    if q.dtype.is_complex:
        raise NotImplementedError("the gradient of qr is for real matrices only")
    if (op.params["full"] and rows != columns) or rows is None or columns is None or rows < columns:
        raise NotImplementedError(
            "the gradient of qr needs matrices that are known to have at least as many rows as "
            "columns: use ensure_shape"
        )
    g_q = ops.zeros_like(q) if g_q is None else g_q
    g_r = ops.zeros_like(r) if g_r is None else g_r
    middle = ops.matmul(r, g_r, adjoint_b=True) - ops.matmul(g_q, q, adjoint_a=True)
    lower = ops.band_part(middle, -1, 0)
    symmetric = lower + ops.adjoint(ops.set_diag(lower, ops.zeros_like(ops.diag_part(lower))))
    right = g_q + ops.matmul(q, symmetric)
    return (ops.adjoint(ops.triangular_solve(r, ops.adjoint(right), lower=False)),)


qr_p: Primitive = row(
    "qr", in_single(lambda x, *, full: tuple(np.linalg.qr(x, "complete" if full else "reduced"))),
    signature="F->F,F", shape=_qr_shape, op_type="Qr", gradient=_qr_gradient, keep_inputs=(),
    keep_outputs=(0, 1), samples=(sample("4,3", full=False), sample("2,3,3", full=True)),
)  # fmt: skip


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> QR:
    """The QR decomposition of matrices.

    >>> rt.abs(rt.linalg.qr([[2., 0.], [0., 4.]])[1]).numpy().tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    return QR(*bind(qr_p, convert_to_tensor(input), full=bool(full_matrices)))


def _svd_kernel(x: Any, *, full: bool) -> Any:
    u, s, vh = np.linalg.svd(_finite(x), full_matrices=full)
    return s, u, np.conj(vh).swapaxes(-1, -2)


def _svd_shape(shape: Shape, *, full: bool) -> tuple[Shape, Shape, Shape]:
    check_matrix(shape)
    if shape is None:
        return None, None, None
    m, n = shape[-2:]
    inner = None if m is None or n is None else min(m, n)
    batch = shape[:-2]
    return (*batch, inner), (*batch, m, m if full else inner), (*batch, n, n if full else inner)


def _svd_gradient(op: Any, g_s: Any, g_u: Any, g_v: Any) -> Any:
    s, u, v = op.outputs
    vectors = g_u is not None or g_v is not None
    _check_svd_gradient(op, vectors)
    if op.params["full"]:
        k = s.static_shape[-1]
        u, v = u[..., :k], v[..., :k]
    inner = ops.diag(ops.cast(ops.zeros_like(s) if g_s is None else g_s, u.dtype))
    if not vectors:
        return (ops.matmul(u, ops.matmul(inner, v, adjoint_b=True)),)
    g_u = ops.zeros_like(u) if g_u is None else g_u
    g_v = ops.zeros_like(v) if g_v is None else g_v
    rows, columns = ops.expand_dims(s, -1), ops.expand_dims(s, -2)
    gaps = (columns - rows) * (columns + rows)
    inverse = ops.divide_no_nan(ops.ones_like(gaps), gaps)
    inner = inner + inverse * _turning(u, g_u) * columns + rows * inverse * _turning(v, g_v)
    made = ops.matmul(u, ops.matmul(inner, v, adjoint_b=True))
    made = made + ops.matmul(_outside(u, g_u) / columns, v, adjoint_b=True)
    return (made + ops.matmul(u, _outside(v, g_v) / columns, adjoint_b=True),)


def _check_svd_gradient(op: Any, vectors: bool) -> None:
    s, u, v = op.outputs
    if vectors and u.dtype.is_complex:
        raise NotImplementedError("the gradient of singular vectors is for real matrices only")
    sizes = [(part.static_shape or (None,))[-1] for part in (s, u, v)]
    if vectors and op.params["full"] and (None in sizes or len(set(sizes)) > 1):
        raise NotImplementedError(
            "the gradient of svd with full_matrices is for square matrices only"
        )


def _turning(vectors: Any, g: Any) -> Any:
    """Returns the antisymmetric part by which a gradient turns orthonormal
    vectors among themselves.
    """
    turned = ops.matmul(vectors, g, adjoint_a=True)
    return turned - ops.adjoint(turned)


def _outside(vectors: Any, g: Any) -> Any:
    """The part of a gradient that is orthogonal to the vectors."""
    return g - ops.matmul(vectors, ops.matmul(vectors, g, adjoint_a=True))


svd_p: Primitive = row(
    "svd", _svd_kernel, signature="W->real W,W,W", shape=_svd_shape, op_type="Svd",
    gradient=_svd_gradient, keep_inputs=(), keep_outputs=(0, 1, 2), fallible=True,
    samples=(
        sample("4,3", full=False), sample("2,3", full=True), sample("2,4", full=False),
        sample("2,3,3", full=True),
    ), order=Order.PERMUTED,
)  # fmt: skip


@overload
def svd(
    tensor: Any,
    full_matrices: bool = False,
    compute_uv: Literal[True] = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(
    tensor: Any, full_matrices: bool = False, *, compute_uv: Literal[False], name: str | None = None
) -> Tensor: ...
@overload
def svd(
    tensor: Any, full_matrices: bool, compute_uv: Literal[False], name: str | None = None
) -> Tensor: ...
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values, left and right singular vectors (s, u, v); or only s.

    >>> rt.linalg.svd([[2., 0.], [0., 4.]], compute_uv=False).numpy().tolist()
    [4.0, 2.0]
    """
    s, u, v = bind(svd_p, convert_to_tensor(tensor), full=bool(full_matrices))
    return (s, u, v) if compute_uv else s


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudo-inverse; singular values below `rcond` times the largest count as 0.

    >>> rt.linalg.pinv([[2., 0.], [0., 4.]]).numpy().round(3).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    x = convert_to_tensor(a)
    s, u, v = svd(x)
    if rcond is None:
        rcond = 10 * _least(x)
    cutoff = convert_to_tensor(rcond, s.dtype) * ops.reduce_max(s, -1, True)
    kept = ops.where(ops.greater(s, cutoff), s, ops.ones_like(s) * np.inf)
    return ops.matmul(v / ops.cast(ops.expand_dims(kept, -2), v.dtype), u, adjoint_b=True)


def _least(x: Tensor) -> Any:
    """The share of the largest singular value that rounding alone makes of the smallest."""
    real = x.dtype.real_dtype
    epsilon = float(np.finfo(real.np_dtype).eps)
    sides = (x.static_shape or (None,))[-2:]
    known = [side for side in sides if side is not None]
    if len(known) == len(sides):
        return max(known) * epsilon
    return ops.cast(ops.reduce_max(ops.shape(x)[-2:]), real) * epsilon


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Returns the number of singular values that are larger than `tol`.

    >>> int(rt.linalg.matrix_rank([[2., 0.], [0., 4.]]))
    2
    """
    x = convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        tol = ops.reduce_max(s, -1, True) * _least(x)
    return ops.reduce_sum(ops.cast(ops.greater(s, tol), dtypes.int32), -1)

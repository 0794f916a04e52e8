"""Matrices: diagonals, solving, decompositions, norms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.convert import convert_to_tensor
from runtime.ops.arguments import static_int, static_ints, static_number
from runtime.ops.define import axis_in, matched, sum_to_shape_of
from runtime.primitive import Primitive, bind, checked, row, sample, wrong_value
from runtime.shapes import Shape, broadcast, compatible
from runtime.tensor import Tensor


def _matrix(shape: Shape, what: str = "input") -> Shape:
    if shape is not None and len(shape) < 2:
        raise wrong_value(f"{what} must have rank 2 or more, got shape {shape}")
    return shape


def _square(shape: Shape, **params: Any) -> Shape:
    _matrix(shape)
    if shape is not None and None not in shape[-2:] and shape[-1] != shape[-2]:
        raise wrong_value(f"matrices must be square, got shape {shape}")
    return shape


def _adjoint(x: Any) -> Any:
    return ops.matrix_transpose(x, conjugate=True)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose."""
    return ops.matrix_transpose(matrix, conjugate=True)


# Diagonals and triangles


def _band_kernel(x: Any, *, lower: int, upper: int) -> Any:
    rows, columns = x.shape[-2:]
    i, j = np.arange(rows)[:, np.newaxis], np.arange(columns)
    inside = ((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper))
    return np.where(inside, x, x.dtype.type(0))


band_part_p: Primitive = row(
    "band_part", _band_kernel, signature="Q->Q", op_type="MatrixBandPart", keep_inputs=(),
    shape=lambda shape, *, lower, upper: _matrix(shape),
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
    _matrix(shape)
    return None if shape is None else (*shape[:-2], _diagonal_length(shape[-2], shape[-1], k))


def _diag_part_gradient(op: Any, g: Any) -> Any:
    """Zeros like x, with `g` on the diagonal."""
    return (bind(set_diag_p, ops.zeros_like(op.inputs[0]), g, k=op.params["k"]),)


diag_part_p: Primitive = row(
    "diag_part", lambda x, *, k: np.diagonal(x, k, -2, -1), signature="A->A", keep_inputs=(),
    shape=_diag_part_shape, op_type="MatrixDiagPart", gradient=_diag_part_gradient,
    samples=(sample("3,4", k=0), sample("2,3,3", k=-1)),
)  # fmt: skip


def diag_part(
    input: Any, name: str | None = "diag_part", k: int = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """The diagonal `k` of matrices (0: the main one, positive: above it)."""
    return bind(diag_part_p, convert_to_tensor(input), k=static_int(k, "k"))  # type: ignore[no-any-return]


def _on_diagonal(made: Any, values: Any, k: int) -> Any:
    n = values.shape[-1]
    i = np.arange(n)
    made[..., i + max(-k, 0), i + max(k, 0)] = values
    return made


def _set_diag_kernel(x: Any, values: Any, *, k: int) -> Any:
    return _on_diagonal(np.array(x), values, k)


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
    "set_diag", checked(_set_diag_kernel, _set_diag_shape), signature="A,A->A",
    shape=_set_diag_shape, keep_inputs=(), op_type="MatrixSetDiag", gradient=_set_diag_gradient,
    samples=(sample("3,4", "3", k=0), sample("2,3,3", "2,2", k=1)),
)  # fmt: skip


def set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: int = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with `diagonal` written on their diagonal `k`."""
    x, values = matched(input, diagonal)
    return bind(set_diag_p, x, values, k=static_int(k, "k"))  # type: ignore[no-any-return]


def _diag_kernel(values: Any, *, k: int, rows: int | None, columns: int | None) -> Any:
    n = values.shape[-1]
    rows = n + max(-k, 0) if rows is None else rows
    columns = n + max(k, 0) if columns is None else columns
    made = np.zeros((*values.shape[:-1], rows, columns), values.dtype)
    return _on_diagonal(made, values, k)


def _diag_shape(shape: Shape, *, k: int, rows: int | None, columns: int | None) -> Shape:
    if shape is None:
        return None
    if not shape:
        raise wrong_value("diag needs a vector, got a scalar")
    n = shape[-1]
    made = (
        rows if rows is not None else None if n is None else n + max(-k, 0),
        columns if columns is not None else None if n is None else n + max(k, 0),
    )
    length = _diagonal_length(*made, k)
    if None not in (length, n) and length != n:
        raise wrong_value(f"a diagonal of {n} elements does not fit {made[0]} x {made[1]} matrices")
    return (*shape[:-1], *made)


diag_p: Primitive = row(
    "diag", checked(_diag_kernel, _diag_shape), signature="Q->Q", shape=_diag_shape,
    op_type="MatrixDiag",
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


# Solving. The letters W: what LAPACK computes with.

_NO_INVERSE = "Input matrix is not invertible."


def _guarded(function: Any, message: str) -> Any:
    def kernel(*arrays: Any, **params: Any) -> Any:
        try:
            return function(*arrays, **params)
        except np.linalg.LinAlgError:
            shape = arrays[0].shape
            if len(shape) < 2 or shape[-1] != shape[-2]:
                raise
            raise errors.InvalidArgumentError(message) from None

    return kernel


def _inverse_gradient(op: Any, g: Any) -> Any:
    y = _adjoint(op.outputs[0])
    return (-ops.matmul(ops.matmul(y, g), y),)


_REGULAR = (sample("3,3:r"), sample("2,2,2:r"))
inverse_p: Primitive = row(
    "inverse", _guarded(np.linalg.inv, _NO_INVERSE), signature="W->W", shape=_square,
    op_type="MatrixInverse", gradient=_inverse_gradient, keep_inputs=(), keep_outputs=(0,),
    fallible=True, samples=_REGULAR,
)  # fmt: skip


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices; InvalidArgumentError where there is none."""
    x = convert_to_tensor(input)
    return bind(inverse_p, _adjoint(x) if adjoint else x)  # type: ignore[no-any-return]


det_p: Primitive = row(
    "det", np.linalg.det, signature="W->W", op_type="MatrixDeterminant",
    shape=lambda shape: (_square(shape) or ())[:-2] if shape is not None else None,
    gradient=lambda op, g: (_outer(g * op.outputs[0], _adjoint(inv(op.inputs[0]))),),
    keep_outputs=(0,), samples=_REGULAR,
)  # fmt: skip


def _outer(scale: Any, matrix: Any) -> Any:
    return ops.expand_dims(ops.expand_dims(scale, -1), -1) * matrix


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of square matrices."""
    return bind(det_p, convert_to_tensor(input))  # type: ignore[no-any-return]


class LogDeterminant(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Tensor
    log_abs_determinant: Tensor


def _slogdet_shape(shape: Shape) -> tuple[Shape, Shape]:
    batch = None if shape is None else (_square(shape) or ())[:-2]
    return batch, batch


slogdet_p: Primitive = row(
    "slogdet", lambda x: tuple(part.astype(x.dtype) for part in np.linalg.slogdet(x)),
    signature="W->W,W", shape=_slogdet_shape,
    op_type="LogMatrixDeterminant", samples=_REGULAR,
    gradient=lambda op, _, g: (None if g is None else _outer(g, _adjoint(inv(op.inputs[0]))),),
)  # fmt: skip


def slogdet(input: Any, name: str | None = None) -> LogDeterminant:
    """The sign and the logarithm of the absolute value of the determinant."""
    return LogDeterminant(*bind(slogdet_p, convert_to_tensor(input)))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices."""
    return 2.0 * ops.reduce_sum(ops.log(ops.real(diag_part(cholesky(matrix)))), -1)


def _solve_kernel(a: Any, b: Any, *, adjoint: bool) -> Any:
    return np.linalg.solve(np.conj(a).swapaxes(-1, -2) if adjoint else a, b)


def _solve_shape(a: Shape, b: Shape, **params: Any) -> Shape:
    _square(a)
    _matrix(b, "the right-hand side")
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
    "solve", _guarded(checked(_solve_kernel, _solve_shape), _NO_INVERSE), signature="W,W->W",
    shape=_solve_shape,
    op_type="MatrixSolve", gradient=_solve_gradient, keep_inputs=(0,), keep_outputs=(0,),
    fallible=True,
    samples=(sample("3,3:r", "3,2", adjoint=False), sample("2,2,2:r", "2,2,1", adjoint=True)),
)  # fmt: skip


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The x for which `matrix` times x is `rhs`; InvalidArgumentError for singular ones."""
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
    for_a = band_part(for_a, -1, 0) if lower else band_part(for_a, 0, -1)
    return sum_to_shape_of(for_a, a), sum_to_shape_of(for_b, b)


triangular_p: Primitive = row(
    "triangular_solve", _guarded(checked(_triangular_kernel, _solve_shape), _NO_INVERSE),
    signature="W,W->W",
    shape=_solve_shape, op_type="MatrixTriangularSolve", gradient=_triangular_gradient,
    keep_inputs=(0,), keep_outputs=(0,), fallible=True,
    samples=(
        sample("3,3:r", "3,2", lower=True, adjoint=False),
        sample("3,3:r", "3,2", lower=False, adjoint=True),
    ),
)  # fmt: skip


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """As `solve`, reading only the lower (or upper) triangle of the matrix."""
    a, b = matched(matrix, rhs)
    return bind(triangular_p, a, b, lower=bool(lower), adjoint=bool(adjoint))  # type: ignore[no-any-return]


# Decompositions


def _half(x: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    lower = band_part(x, -1, 0)
    return set_diag(lower, diag_part(lower) * 0.5)


def _cholesky_gradient(op: Any, g: Any) -> Any:
    factor = op.outputs[0]
    middle = _half(ops.matmul(factor, g, adjoint_a=True))
    left = triangular_solve(factor, middle, adjoint=True)
    both = _adjoint(triangular_solve(factor, _adjoint(left), adjoint=True))
    return ((both + _adjoint(both)) * 0.5,)


cholesky_p: Primitive = row(
    "cholesky", _guarded(np.linalg.cholesky, "Input matrix is not positive definite."),
    signature="W->W", shape=_square, op_type="Cholesky", gradient=_cholesky_gradient,
    keep_inputs=(), keep_outputs=(0,), fallible=True,
    samples=(sample("3,3:pd"), sample("2,2,2:pd")),
)  # fmt: skip


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular factor of positive definite matrices; others are refused."""
    return bind(cholesky_p, convert_to_tensor(input))  # type: ignore[no-any-return]


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The x for which chol times its adjoint times x is `rhs`."""
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def _finite(x: Any) -> Any:
    # LAPACK may not come to an end with others.
    if not np.isfinite(x).all():
        raise errors.InvalidArgumentError("Input matrix has NaN or infinite elements.")
    return x


def _eigh_shape(shape: Shape) -> tuple[Shape, Shape]:
    _square(shape)
    return (None, None) if shape is None else (shape[:-1], shape)


def _eigh_gradient(op: Any, g_values: Any, g_vectors: Any) -> Any:
    values, vectors = op.outputs
    g_values = ops.zeros_like(values) if g_values is None else g_values
    inner = diag(ops.cast(g_values, vectors.dtype))
    if g_vectors is not None:
        gaps = ops.expand_dims(values, -2) - ops.expand_dims(values, -1)
        inverse = set_diag(ops.divide_no_nan(ops.ones_like(gaps), gaps), ops.zeros_like(values))
        turned = ops.matmul(vectors, g_vectors, adjoint_a=True)
        inner = inner + ops.cast(inverse, vectors.dtype) * turned
    full = ops.matmul(vectors, ops.matmul(inner, vectors, adjoint_b=True))
    return ((full + _adjoint(full)) * 0.5,)


eigh_p: Primitive = row(
    "eigh", lambda x: tuple(np.linalg.eigh(_finite(x))), signature="W->real W,W", shape=_eigh_shape,
    op_type="SelfAdjointEigV2", gradient=_eigh_gradient, keep_inputs=(), keep_outputs=(0, 1),
    fallible=True,
    samples=(sample("3,3:pd"),),
)  # fmt: skip


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues (ascending) and eigenvectors (columns) of self-adjoint matrices."""
    values, vectors = bind(eigh_p, convert_to_tensor(tensor))
    return values, vectors


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, ascending."""
    return eigh(tensor)[0]


def _complex_of(x: Any) -> Any:
    return {"f": np.complex64, "F": np.complex64}.get(x.dtype.char, np.complex128)


def _eig_infer(x: Any) -> Any:
    from runtime.types import TensorType

    eig_p.check_dtypes([x.dtype.np_dtype])
    values, vectors = _eigh_shape(x.shape)
    narrow = x.dtype in (dtypes.float32, dtypes.complex64)
    kind = dtypes.complex64 if narrow else dtypes.complex128
    return TensorType(kind, values), TensorType(kind, vectors)


eig_p: Primitive = row(
    "eig", lambda x: tuple(part.astype(_complex_of(x)) for part in np.linalg.eig(_finite(x))),
    _eig_infer, signature="W->C", op_type="Eig", fallible=True, samples=(sample("3,3:r"),),
)  # fmt: skip


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors (columns) of square matrices, as complex numbers."""
    values, vectors = bind(eig_p, convert_to_tensor(tensor))
    return values, vectors


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of square matrices, as complex numbers."""
    return eig(tensor)[0]


class QR(NamedTuple):
    """An orthogonal and an upper triangular factor."""

    q: Tensor
    r: Tensor


def _qr_shape(shape: Shape, *, full: bool) -> tuple[Shape, Shape]:
    _matrix(shape)
    if shape is None:
        return None, None
    m, n = shape[-2:]
    inner = m if full else None if m is None or n is None else min(m, n)
    return (*shape[:-2], m, inner), (*shape[:-2], inner, n)


def _qr_gradient(op: Any, g_q: Any, g_r: Any) -> Any:
    q, r = op.outputs
    rows, columns = q.static_shape[-2], r.static_shape[-1]
    if q.dtype.is_complex:
        raise NotImplementedError("the gradient of qr is for real matrices only")
    if (op.params["full"] and rows != columns) or rows is None or columns is None or rows < columns:
        raise NotImplementedError(
            "the gradient of qr needs matrices with at least as many rows as columns"
        )
    g_q = ops.zeros_like(q) if g_q is None else g_q
    g_r = ops.zeros_like(r) if g_r is None else g_r
    middle = ops.matmul(r, g_r, adjoint_b=True) - ops.matmul(g_q, q, adjoint_a=True)
    lower = band_part(middle, -1, 0)
    symmetric = lower + _adjoint(set_diag(lower, ops.zeros_like(diag_part(lower))))
    right = g_q + ops.matmul(q, symmetric)
    return (_adjoint(triangular_solve(r, _adjoint(right), lower=False)),)


qr_p: Primitive = row(
    "qr", lambda x, *, full: tuple(np.linalg.qr(x, "complete" if full else "reduced")),
    signature="W->W,W", shape=_qr_shape, op_type="Qr", gradient=_qr_gradient, keep_inputs=(),
    keep_outputs=(0, 1), samples=(sample("4,3", full=False), sample("2,3,3", full=True)),
)  # fmt: skip


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> QR:
    """The QR decomposition of matrices."""
    return QR(*bind(qr_p, convert_to_tensor(input), full=bool(full_matrices)))


def _svd_kernel(x: Any, *, full: bool) -> Any:
    u, s, vh = np.linalg.svd(_finite(x), full_matrices=full)
    return s, u, np.conj(vh).swapaxes(-1, -2)


def _svd_shape(shape: Shape, *, full: bool) -> tuple[Shape, Shape, Shape]:
    _matrix(shape)
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
    inner = diag(ops.cast(ops.zeros_like(s) if g_s is None else g_s, u.dtype))
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
    sizes = (s.static_shape or (None,))[-1], u.static_shape[-1], v.static_shape[-1]
    if vectors and op.params["full"] and (None in sizes or len(set(sizes)) > 1):
        raise NotImplementedError(
            "the gradient of svd with full_matrices is for square matrices only"
        )


def _turning(vectors: Any, g: Any) -> Any:
    """How a gradient turns orthonormal vectors among themselves."""
    turned = ops.matmul(vectors, g, adjoint_a=True)
    return turned - _adjoint(turned)


def _outside(vectors: Any, g: Any) -> Any:
    """The part of a gradient that is orthogonal to the vectors."""
    return g - ops.matmul(vectors, ops.matmul(vectors, g, adjoint_a=True))


svd_p: Primitive = row(
    "svd", _svd_kernel, signature="W->real W,W,W", shape=_svd_shape, op_type="Svd",
    gradient=_svd_gradient, keep_inputs=(), keep_outputs=(0, 1, 2), fallible=True,
    samples=(
        sample("4,3", full=False), sample("2,3", full=True), sample("2,4", full=False),
        sample("2,3,3", full=True),
    ),
)  # fmt: skip


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values, left and right singular vectors (s, u, v); or only s."""
    s, u, v = bind(svd_p, convert_to_tensor(tensor), full=bool(full_matrices))
    return (s, u, v) if compute_uv else s


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudo-inverse; singular values below `rcond` times the largest count as 0."""
    x = convert_to_tensor(a)
    s, u, v = svd(x)
    if rcond is None:
        rcond = 10 * max(d or 0 for d in (x.static_shape or ())[-2:]) * _epsilon(x.dtype)
    cutoff = convert_to_tensor(rcond, s.dtype) * ops.reduce_max(s, -1, True)
    kept = ops.where(ops.greater(s, cutoff), s, ops.ones_like(s) * np.inf)
    return ops.matmul(v / ops.cast(ops.expand_dims(kept, -2), v.dtype), u, adjoint_b=True)


def _epsilon(dtype: Any) -> float:
    return float(np.finfo(dtype.real_dtype.np_dtype).eps)


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values are larger than `tol`."""
    x = convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        side = max(d or 0 for d in (x.static_shape or ())[-2:])
        tol = ops.reduce_max(s, -1, True) * (side * _epsilon(x.dtype))
    return ops.reduce_sum(ops.cast(ops.greater(s, tol), dtypes.int32), -1)


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The x with the least squared error of `matrix` times x against `rhs`."""
    a, b = matched(matrix, rhs)
    rows, columns = (_matrix(a.static_shape, "matrix") or (None, None))[-2:]
    if rows is None or columns is None:
        raise wrong_value(f"lstsq needs matrices of known size, got shape {a.shape}")
    if rows >= columns:
        gram = ops.matmul(a, a, adjoint_a=True) + _regular(columns, l2_regularizer, a.dtype)
        return cholesky_solve(cholesky(gram), ops.matmul(a, b, adjoint_a=True))
    gram = ops.matmul(a, a, adjoint_b=True) + _regular(rows, l2_regularizer, a.dtype)
    return ops.matmul(a, cholesky_solve(cholesky(gram), b), adjoint_a=True)


def _regular(n: int, amount: float, dtype: Any) -> Any:
    return ops.eye(n, dtype=dtype) * amount


# Norms and products


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The norm of all elements, of vectors (one axis) or of matrices (two axes).

    `ord`: 'euclidean' (or 'fro'), 1, 2, inf or another positive number. The Euclidean norm of
    complex numbers is of their dtype, other norms are real.
    """
    x = convert_to_tensor(tensor)
    places = None if axis is None else static_ints(axis, "axis")
    if places is not None and len(places) == 2:
        return _matrix_norm(x, ord, places, keepdims)
    ord = ord if isinstance(ord, str) else static_number(ord, "ord")
    if ord in ("euclidean", "fro", 2):
        return _euclidean(x, places, keepdims)
    if isinstance(ord, str) or ord <= 0:
        raise wrong_value(f"'ord' must be a supported vector norm, got {ord!r}")
    size = ops.abs(x)
    if ord == np.inf:
        return ops.reduce_max(size, places, keepdims)
    total = ops.reduce_sum(size if ord == 1 else ops.pow(size, float(ord)), places, keepdims)
    return total if ord == 1 else ops.pow(total, 1.0 / ord)


def _euclidean(x: Tensor, axes: tuple[int, ...] | None, keepdims: bool) -> Tensor:
    total = ops.reduce_sum(ops.real(x * ops.conj(x)), axes, keepdims)
    return ops.cast(ops.sqrt(total), x.dtype)


def _matrix_norm(x: Tensor, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    rank = x.ndim
    if rank is None:
        raise wrong_value("norm needs a tensor of known rank")
    rows, columns = (axis_in(axis, rank) for axis in axes)
    if ord in ("euclidean", "fro"):
        return _euclidean(x, (rows, columns), keepdims)
    if ord in (1, np.inf):
        inner, outer = (rows, columns) if ord == 1 else (columns, rows)
        sums = ops.reduce_sum(ops.abs(x), inner, True)
        return _kept(ops.reduce_max(sums, outer, True), (rows, columns), keepdims)
    if ord != 2:
        raise wrong_value(f"'ord' must be a supported matrix norm, got {ord!r}")
    others = [i for i in range(rank) if i not in (rows, columns)]
    largest = ops.reduce_max(svd(ops.transpose(x, [*others, rows, columns]), compute_uv=False), -1)
    for axis in sorted((rows, columns)) if keepdims else ():
        largest = ops.expand_dims(largest, axis)
    return largest


def _kept(x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    return x if keepdims else ops.squeeze(x, axes)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The tensor divided by its norm, and the norm."""
    x = convert_to_tensor(tensor)
    length = norm(x, ord, axis, True)
    return x / ops.cast(length, x.dtype), length


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """x divided by its Euclidean norm along `axis`, at least the root of `epsilon`."""
    value = convert_to_tensor(x)
    squares = ops.reduce_sum(ops.real(value * ops.conj(value)), axis, True)
    return value * ops.cast(ops.rsqrt(ops.maximum(squares, epsilon)), value.dtype)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements along the last axis."""
    x, y = matched(a, b)
    for shape in (x.static_shape, y.static_shape):
        if shape is not None and (not shape or shape[-1] not in (3, None)):
            raise wrong_value(f"cross products need vectors of 3 elements, got shape {shape}")
    ahead, behind = [1, 2, 0], [2, 0, 1]
    made: Tensor = _picked(x, ahead) * _picked(y, behind) - _picked(x, behind) * _picked(y, ahead)
    return made


def _picked(x: Any, order: list[int]) -> Any:
    return ops.gather(x, order, axis=-1)

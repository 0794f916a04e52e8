"""Linear algebra."""

# fmt: off
# ruff: noqa: I001
from runtime.matrix_functions import expm as expm
from runtime.ops.array import matrix_transpose as matrix_transpose
from runtime.ops.clip import global_norm as global_norm
from runtime.ops.creation import eye as eye
from runtime.ops.decompositions import (
    adjoint as adjoint, band_part as band_part, cholesky as cholesky,
    cholesky_solve as cholesky_solve, cross as cross, det as det, diag as diag,
    diag_part as diag_part, eig as eig, eigh as eigh, eigvals as eigvals, eigvalsh as eigvalsh,
    inv as inv, l2_normalize as l2_normalize, logdet as logdet, lstsq as lstsq,
    matrix_rank as matrix_rank, norm as norm, normalize as normalize, pinv as pinv, qr as qr,
    set_diag as set_diag, slogdet as slogdet, solve as solve, svd as svd,
    tensor_diag as tensor_diag, tensor_diag_part as tensor_diag_part, trace as trace,
    triangular_solve as triangular_solve,
)
from runtime.ops.einsum import einsum as einsum
from runtime.ops.linalg import matmul as matmul, matvec as matvec, tensordot as tensordot

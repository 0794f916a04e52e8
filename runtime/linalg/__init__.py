"""Linear algebra."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.linalg.matrix_functions import expm as expm
from runtime.ops.clip import global_norm as global_norm
from runtime.ops.creation import eye as eye
from runtime.ops.decompositions import (
    cholesky as cholesky, eig as eig, eigh as eigh, eigvals as eigvals, eigvalsh as eigvalsh,
    matrix_rank as matrix_rank, pinv as pinv, qr as qr, svd as svd,
)
from runtime.ops.diagonals import (
    adjoint as adjoint, band_part as band_part, diag as diag, diag_part as diag_part,
    set_diag as set_diag, tensor_diag as tensor_diag, tensor_diag_part as tensor_diag_part,
    trace as trace,
)
from runtime.ops.einsum import einsum as einsum
from runtime.ops.linalg import matmul as matmul, matvec as matvec, tensordot as tensordot
from runtime.ops.factors import (
    logm as logm, lu as lu, lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct, lu_solve as lu_solve, sqrtm as sqrtm,
)
from runtime.ops.norms import (
    cross as cross, l2_normalize as l2_normalize, norm as norm, normalize as normalize,
)
from runtime.ops.solving import (
    cholesky_solve as cholesky_solve, det as det, inv as inv, logdet as logdet, lstsq as lstsq,
    slogdet as slogdet, solve as solve, triangular_solve as triangular_solve,
)
from runtime.ops.transposition import matrix_transpose as matrix_transpose

__dir__ = _facade(__name__)

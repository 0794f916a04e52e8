"""Linear algebra."""

# fmt: off
from runtime.ops.array import (
    matrix_transpose as matrix_transpose,
)
from runtime.ops.clip import (
    global_norm as global_norm,
)
from runtime.ops.creation import (
    eye as eye,
)
from runtime.ops.decompositions import (
    adjoint as adjoint,
)
from runtime.ops.decompositions import (
    band_part as band_part,
)
from runtime.ops.decompositions import (
    cholesky as cholesky,
)
from runtime.ops.decompositions import (
    cholesky_solve as cholesky_solve,
)
from runtime.ops.decompositions import (
    cross as cross,
)
from runtime.ops.decompositions import (
    det as det,
)
from runtime.ops.decompositions import (
    diag as diag,
)
from runtime.ops.decompositions import (
    diag_part as diag_part,
)
from runtime.ops.decompositions import (
    eig as eig,
)
from runtime.ops.decompositions import (
    eigh as eigh,
)
from runtime.ops.decompositions import (
    eigvals as eigvals,
)
from runtime.ops.decompositions import (
    eigvalsh as eigvalsh,
)
from runtime.ops.decompositions import (
    expm as expm,
)
from runtime.ops.decompositions import (
    inv as inv,
)
from runtime.ops.decompositions import (
    l2_normalize as l2_normalize,
)
from runtime.ops.decompositions import (
    logdet as logdet,
)
from runtime.ops.decompositions import (
    lstsq as lstsq,
)
from runtime.ops.decompositions import (
    matrix_rank as matrix_rank,
)
from runtime.ops.decompositions import (
    norm as norm,
)
from runtime.ops.decompositions import (
    normalize as normalize,
)
from runtime.ops.decompositions import (
    pinv as pinv,
)
from runtime.ops.decompositions import (
    qr as qr,
)
from runtime.ops.decompositions import (
    set_diag as set_diag,
)
from runtime.ops.decompositions import (
    slogdet as slogdet,
)
from runtime.ops.decompositions import (
    solve as solve,
)
from runtime.ops.decompositions import (
    svd as svd,
)
from runtime.ops.decompositions import (
    tensor_diag as tensor_diag,
)
from runtime.ops.decompositions import (
    tensor_diag_part as tensor_diag_part,
)
from runtime.ops.decompositions import (
    trace as trace,
)
from runtime.ops.decompositions import (
    triangular_solve as triangular_solve,
)
from runtime.ops.einsum import (
    einsum as einsum,
)
from runtime.ops.linalg import (
    matmul as matmul,
)
from runtime.ops.linalg import (
    matvec as matvec,
)
from runtime.ops.linalg import (
    tensordot as tensordot,
)

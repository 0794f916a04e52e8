"""Diagonals and bands of matrices, and the adjoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Memory, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape, compatible
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.ops import batching
from runtime.ops.arguments import static_int, static_ints
from runtime.ops.blockwise import PIECE, numbers
from runtime.ops.define import copied, matched, zeroed
from runtime.ops.matrices import check_matrix


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose.

    >>> rt.linalg.adjoint([[1j, 2j]]).numpy().tolist()
    [[-1j], [-2j]]
    """
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
    batching=batching.on_last_axes,
)  # fmt: skip


def _band_part_at_kernel(x: Any, lower: Any, upper: Any, *, out: Any = None) -> Any:
    return _band_kernel(x, lower=int(lower), upper=int(upper), out=out)


band_part_at_p: Primitive = row(
    "band_part_at", _band_part_at_kernel, signature="Q,i,i->Q", op_type="MatrixBandPart",
    keep_inputs=(1, 2), shape=lambda shape, lower, upper: check_matrix(shape),
    gradient=lambda op, g: (bind(band_part_at_p, g, *op.inputs[1:]), None, None),
    samples=(sample("3,4", ":i2", ":i2"), sample("2,3,3", np.int32(-1), np.int32(1))),
)  # fmt: skip


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """The matrix with zeros outside of a band of diagonals.

    The band has `num_lower` diagonals below and `num_upper` above the main one (-1: all).

    >>> rt.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy().tolist()
    [[1, 2], [0, 4]]
    """
    x, given = convert_to_tensor(input), (num_lower, num_upper)
    if any(_only_in_the_run(number) is not None for number in given):
        return bind(band_part_at_p, x, *map(convert_to_tensor, given))  # type: ignore[no-any-return]
    lower, upper = static_int(num_lower, "num_lower"), static_int(num_upper, "num_upper")
    return bind(band_part_p, x, lower=lower, upper=upper)  # type: ignore[no-any-return]


def _only_in_the_run(value: Any) -> Tensor | None:
    """The tensor of an argument of integers that tracing does not know; None for others."""
    parts = value if isinstance(value, list | tuple) else (value,)
    if all(isinstance(part, int | np.integer) for part in parts):
        return None
    tensor = convert_to_tensor(value)
    return tensor if tensor.static_value is None else None


Band = tuple[int, int]


def _diagonal_length(rows: int | None, columns: int | None, k: Band) -> int | None:
    """Returns the length of the longest of the diagonals k[0] to k[1]."""
    if rows is None or columns is None:
        return None
    return max(0, min(rows + min(k[1], 0), columns - max(k[0], 0)))


def _lines(shape: Any, k: Band, align: str) -> Iterator[tuple[int, Any]]:
    """The diagonals from k[1] down to k[0] of matrices of this shape, each with its place among
    their values: all of these, or its part of a row of their matrix.
    """
    rows, columns = shape[-2:]
    low, high = k
    if low == high:
        yield low, ...
        return
    longest: Any = _diagonal_length(rows, columns, k)
    above, _, below = align.partition("_")
    for place, number in enumerate(range(high, low - 1, -1)):
        size: Any = _diagonal_length(rows, columns, (number, number))
        is_left = (number >= 0 and above == "LEFT") or (number <= 0 and below == "LEFT")
        start = 0 if is_left else longest - size
        yield number, (..., place, slice(start, start + size))


def _check_band(k: Band, rows: int | None, columns: int | None) -> None:
    for number in k:
        is_low = rows is not None and number <= -rows
        if number and (is_low or (columns is not None and number >= columns)):
            raise wrong_value(f"diagonal {number} is outside of {rows} x {columns} matrices")


def _diag_part_shape(shape: Shape, *, k: Band, align: str) -> Shape:
    check_matrix(shape)
    if shape is None:
        return None
    rows, columns = shape[-2:]
    _check_band(k, rows, columns)
    count = () if k[0] == k[1] else (k[1] - k[0] + 1,)
    return (*shape[:-2], *count, _diagonal_length(rows, columns, k))


def _diag_part_kernel(x: Any, *, k: Band, align: str) -> Any:
    shape: Any = _diag_part_shape(x.shape, k=k, align=align)
    if k[0] == k[1]:
        return x.diagonal(k[0], -2, -1)
    made = zeroed(shape, x.dtype, None)
    for number, place in _lines(x.shape, k, align):
        made[place] = x.diagonal(number, -2, -1)
    return made


def _diag_part_gradient(op: Any, g: Any) -> Any:
    """Zeros like x, with `g` on the diagonals."""
    return (bind(set_diag_p, ops.zeros_like(op.inputs[0]), g, **op.params),)


_MAIN: dict[str, Any] = {"k": (0, 0), "align": "RIGHT_LEFT"}
diag_part_p: Primitive = row(
    "diag_part", _diag_part_kernel, signature="A->A", keep_inputs=(),
    shape=_diag_part_shape, op_type="MatrixDiagPartV3", gradient=_diag_part_gradient,
    samples=(
        sample("3,4", **_MAIN), sample("2,3,3", k=(-1, -1), align="RIGHT_LEFT"),
        sample("2,3,4", k=(-1, 2), align="LEFT_RIGHT"),
    ), memory=Memory.VIEWS, batching=batching.on_last_axes,
)  # fmt: skip
_ALIGNED = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k: Any, align: Any) -> dict[str, Any]:
    """The parameters of a row for one diagonal, or for those from k[0] to k[1]."""
    return {"k": _ends(static_ints(k, "k"), k), "align": _alignment(align)}


def _ends(numbers: Sequence[int], k: Any) -> Band:
    if len(numbers) not in (1, 2) or numbers[0] > numbers[-1]:
        raise wrong_value(f"k must be an integer, or a pair of them in order, got {k!r}")
    return numbers[0], numbers[-1]


def _ends_in(k: Any) -> Band:
    """The same for the array of a run."""
    return _ends(k.reshape(-1).tolist(), k.tolist())


def _alignment(align: Any) -> str:
    if align not in _ALIGNED:
        raise wrong_value(f"align must be one of {', '.join(_ALIGNED)}, got {align!r}")
    return align  # type: ignore[no-any-return]


def _padded(primitive: Primitive, x: Tensor, padding: Any, *others: Any, **params: Any) -> Tensor:
    """Returns the result of `primitive`, with `padding` instead of zeros beside the diagonals."""
    made: Tensor = bind(primitive, x, *others, **params)
    if isinstance(padding, int | float) and padding == 0:
        return made
    value, ones = convert_to_tensor(padding, x.dtype), ops.ones_like(x, dtypes.bool)
    return ops.where(bind(primitive, ones, *others, **params), made, value)


def _is_one(k: Shape) -> bool:
    """Whether a tensor `k` of this shape can be one diagonal only."""
    return k in ((), (1,))


def _diag_part_at_shape(shape: Shape, k: Shape, *, align: str) -> Shape:
    check_matrix(shape)
    # Those of a pair of equal numbers have no rows of their own.
    return (*shape[:-2], None) if shape is not None and _is_one(k) else None


diag_part_at_p: Primitive = row(
    "diag_part_at", lambda x, k, *, align: _diag_part_kernel(x, k=_ends_in(k), align=align),
    signature="A,i->A", keep_inputs=(1,), shape=_diag_part_at_shape, op_type="MatrixDiagPartV3",
    gradient=lambda op, g: (
        bind(set_diag_at_p, ops.zeros_like(op.inputs[0]), g, op.inputs[1], **op.params), None,
    ),
    fallible=True, memory=Memory.VIEWS,
    samples=(
        sample("3,4", ":i3", align="RIGHT_LEFT"),
        sample("2,3,4", np.array([-1, 2], np.int32), align="LEFT_RIGHT"),
    ),
)  # fmt: skip


def diag_part(
    input: Any, name: str | None = "diag_part", k: Any = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """The diagonal `k` of matrices (0: the main one, positive: above it).

    For a pair `k`, the diagonals from k[0] to k[1] are the rows of a matrix, the uppermost first.

    `align` says at which end of its row a diagonal stands that is shorter than others: first those
    above the main diagonal, then those below. `padding_value` fills the rest. InvalidArgumentError
    for diagonals that the matrices do not have.

    >>> rt.linalg.diag_part([[2., 0.], [0., 4.]]).numpy().tolist()
    [2.0, 4.0]
    """
    x, band = convert_to_tensor(input), _only_in_the_run(k)
    if band is not None:
        return _padded(diag_part_at_p, x, padding_value, band, align=_alignment(align))
    return _padded(diag_part_p, x, padding_value, **_band(k, align))


def _on_diagonals(made: Any, values: Any, k: Band, align: str) -> Any:
    for number, place in _lines(made.shape, k, align):
        diagonal = made.diagonal(number, -2, -1)
        # NumPy lets only its owner write to an array by a diagonal.
        diagonal.flags.writeable = True
        diagonal[...] = values[place]
    return made


def _set_diag_kernel(x: Any, values: Any, *, k: Band, align: str, out: Any = None) -> Any:
    _set_diag_shape(x.shape, values.shape, k=k, align=align)
    return _on_diagonals(copied(x, out), values, k, align)


def _set_diag_shape(shape: Shape, values: Shape, *, k: Band, align: str) -> Shape:
    wanted = _diag_part_shape(shape, k=k, align=align)
    if not compatible(wanted, values):
        raise wrong_value(f"a diagonal of shape {values} does not fit matrices of shape {shape}")
    return shape


def _set_diag_gradient(op: Any, g: Any) -> Any:
    on = bind(diag_part_p, g, **op.params)
    return bind(set_diag_p, g, ops.zeros_like(on), **op.params), on


set_diag_p: Primitive = row(
    "set_diag", _set_diag_kernel, signature="A,A->A",
    shape=_set_diag_shape, keep_inputs=(), op_type="MatrixSetDiagV3", gradient=_set_diag_gradient,
    samples=(
        sample("3,4", "3", **_MAIN), sample("2,3,3", "2,2", k=(1, 1), align="RIGHT_LEFT"),
        sample("3,4", "2,3", k=(-1, 0), align="LEFT_LEFT"),
    ), batching=batching.on_last_axes,
)  # fmt: skip


def _set_diag_at_kernel(x: Any, values: Any, k: Any, *, align: str, out: Any = None) -> Any:
    return _set_diag_kernel(x, values, k=_ends_in(k), align=align, out=out)


def _set_diag_at_shape(shape: Shape, values: Shape, k: Shape, *, align: str) -> Shape:
    if not compatible(_diag_part_at_shape(shape, k, align=align), values):
        raise wrong_value(f"a diagonal of shape {values} does not fit matrices of shape {shape}")
    return shape


def _set_diag_at_gradient(op: Any, g: Any) -> Any:
    k = op.inputs[2]
    on = bind(diag_part_at_p, g, k, **op.params)
    return bind(set_diag_at_p, g, ops.zeros_like(on), k, **op.params), on, None


set_diag_at_p: Primitive = row(
    "set_diag_at", _set_diag_at_kernel, signature="A,A,i->A", shape=_set_diag_at_shape,
    keep_inputs=(2,), op_type="MatrixSetDiagV3", gradient=_set_diag_at_gradient, fallible=True,
    samples=(
        sample("3,4", "3", ":i2", align="RIGHT_LEFT"),
        sample("3,4", "2,3", np.array([-1, 0], np.int32), align="LEFT_LEFT"),
    ),
)  # fmt: skip


def set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with `diagonal` written on their diagonal `k`.

    For a pair `k`, its rows are written on the diagonals from k[1] down to k[0]; see `diag_part`.

    >>> rt.linalg.set_diag([[2., 0.], [0., 4.]], [7., 7.]).numpy().tolist()
    [[7.0, 0.0], [0.0, 7.0]]
    """
    x, values = matched(input, diagonal)
    band = _only_in_the_run(k)
    if band is not None:
        return bind(set_diag_at_p, x, values, band, align=_alignment(align))  # type: ignore[no-any-return]
    return bind(set_diag_p, x, values, **_band(k, align))  # type: ignore[no-any-return]


def _diag_kernel(
    values: Any, *, k: Band, align: str, rows: int | None, columns: int | None, out: Any = None
) -> Any:
    shape: Any = _diag_shape(values.shape, k=k, align=align, rows=rows, columns=columns)
    made = zeroed(shape, values.dtype, out)
    return _on_diagonals(made, values, k, align)


def _diag_shape(
    shape: Shape, *, k: Band, align: str, rows: int | None, columns: int | None
) -> Shape:
    if shape is None:
        return None
    is_band = k[0] != k[1]
    if len(shape) <= is_band:
        raise wrong_value(f"diag needs a {'matrix' if is_band else 'vector'}, got shape {shape}")
    if is_band and shape[-2] not in (None, k[1] - k[0] + 1):
        raise wrong_value(f"there are {k[1] - k[0] + 1} diagonals, but values of shape {shape}")
    n = shape[-1]
    if n is not None:
        rows, columns = _diag_sides(n, k, rows, columns)
    length = _diagonal_length(rows, columns, k)
    if None not in (length, n) and length != n:
        raise wrong_value(f"a diagonal of {n} elements does not fit {rows} x {columns} matrices")
    return (*shape[: -2 if is_band else -1], rows, columns)


def _diag_sides(n: int, k: Band, rows: int | None, columns: int | None) -> tuple[int, int]:
    """The matrices are square where neither side is given, else as small as they can be."""
    least = n - min(k[1], 0), n + max(k[0], 0)
    if rows is None and columns is None:
        return max(least), max(least)
    return (least[0] if rows is None else rows, least[1] if columns is None else columns)


def _diag_gradient(op: Any, g: Any) -> Any:
    x = op.inputs[0]
    # Diagonals without elements may stand outside of the matrices.
    if 0 in (x.static_shape or ()):
        return (ops.zeros_like(x),)
    return (bind(diag_part_p, g, k=op.params["k"], align=op.params["align"]),)


diag_p: Primitive = row(
    "diag", _diag_kernel, signature="Q->Q", shape=_diag_shape,
    op_type="MatrixDiagV3", keep_inputs=(),
    gradient=_diag_gradient,
    samples=(
        sample("3", **_MAIN, rows=None, columns=None),
        sample("2,3", k=(1, 1), align="RIGHT_LEFT", rows=None, columns=None),
        sample("3", **_MAIN, rows=3, columns=5),
        sample("2,3", k=(-1, 0), align="RIGHT_LEFT", rows=None, columns=5),
    ), batching=batching.on_last_axes,
)  # fmt: skip


def _diag_at_kernel(
    values: Any, k: Any, rows: Any, columns: Any, *, align: str, out: Any = None
) -> Any:
    sides = {"rows": int(rows), "columns": int(columns)}
    given = {name: None if number == -1 else number for name, number in sides.items()}
    return _diag_kernel(values, k=_ends_in(k), align=align, out=out, **given)


def _diag_at_shape(shape: Shape, k: Shape, *sides: Shape, align: str) -> Shape:
    return (*shape[:-1], None, None) if shape and _is_one(k) else None


diag_at_p: Primitive = row(
    "diag_at", _diag_at_kernel, signature="Q,i,i,i->Q", shape=_diag_at_shape, keep_inputs=(1,),
    op_type="MatrixDiagV3", fallible=True,
    gradient=lambda op, g: (
        bind(diag_part_at_p, g, op.inputs[1], align=op.params["align"]), None, None, None,
    ),
    samples=(
        sample("3", ":i3", np.int32(-1), np.int32(-1), align="RIGHT_LEFT"),
        sample("2,3", np.array([-1, 0], np.int32), np.int32(-1), np.int32(5), align="RIGHT_LEFT"),
    ),
)  # fmt: skip


def _count(value: Any, what: str) -> int | None:
    number = static_int(value, what)
    return None if number == -1 else number


def diag(
    diagonal: Any, name: str | None = "diag", k: Any = 0, num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0, align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """Matrices with `diagonal` on their diagonal `k`, and `padding_value` elsewhere.

    For a pair `k`, its rows are on the diagonals from k[1] down to k[0] (see `diag_part`).

    >>> rt.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x, given = convert_to_tensor(diagonal), (k, num_rows, num_cols)
    if any(_only_in_the_run(number) is not None for number in given):
        others = map(convert_to_tensor, given)
        return _padded(diag_at_p, x, padding_value, *others, align=_alignment(align))
    return _padded(
        diag_p, x, padding_value, **_band(k, align),
        rows=_count(num_rows, "num_rows"), columns=_count(num_cols, "num_cols"),
    )  # fmt: skip


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` where both halves of the index agree.

    >>> rt.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = convert_to_tensor(diagonal)
    if x.ndim == 0:
        raise wrong_value("tensor_diag needs a rank of at least 1, got a scalar")
    flat = diag(ops.reshape(x, (-1,)))
    if x.ndim is None:
        return ops.reshape(flat, ops.concat([ops.shape(x)] * 2, 0))
    return ops.reshape(flat, ops.dims(x) * 2)


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The elements where both halves of the index agree.

    >>> rt.linalg.tensor_diag_part([[2., 0.], [0., 4.]]).numpy().tolist()
    [2.0, 4.0]
    """
    x = convert_to_tensor(input)
    if x.ndim is None or x.ndim % 2 or not x.ndim:
        raise wrong_value(f"tensor_diag_part needs an even rank, got shape {x.shape}")
    dims = ops.shape(x)[: x.ndim // 2]
    n = ops.reduce_prod(dims)
    return ops.reshape(diag_part(ops.reshape(x, [n, n])), dims)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of matrices.

    >>> float(rt.linalg.trace([[2., 0.], [0., 4.]]))
    6.0
    """
    return ops.reduce_sum(diag_part(x), -1)

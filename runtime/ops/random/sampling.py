"""The common part of stateful and stateless ops: sizes, errors, dtypes, samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.shapes import Shape, broadcast
from runtime.core.tensor import Tensor
from runtime.core.workspace import opened
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import static_number
from runtime.ops.blockwise import numbers
from runtime.ops.define import fill_dims
from runtime.ops.random.distributions import (
    Size,
    Work,
    draw_classes,
    draw_gamma,
    draw_integers,
    draw_normal,
    draw_poisson,
    draw_truncated,
    draw_uniform,
)


def sizes_of(shape: Shape, dims: Sequence[Any]) -> Size:
    found = fill_dims(shape, dims)
    if any(n < 0 for n in found):
        raise errors.InvalidValueError(f"a shape has no negative dimensions: {found}")
    return found


def sampled(draw: Callable[..., Any], *args: Any, out: Any = None, work: Work = None) -> Any:
    """`draw(*args, out=out, work=work)`, with NumPy's refusals as documented errors."""
    try:
        with np.errstate(all="ignore"):
            return draw(*args, out=out, work=work)
    except (ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, errors.OpError):
            raise
        raise errors.InvalidValueError(str(error)) from None


def static_sizes(shape: Shape, dims: Sequence[Shape]) -> Shape:
    if any(n is not None and n < 0 for n in shape or ()):
        raise wrong_value(f"a shape has no negative dimensions: {shape}")
    if shape is not None or not dims:
        return shape
    length = dims[0][0] if dims[0] else None
    return None if length is None else (None,) * length


def broadcast_all(*shapes: Shape) -> Shape:
    first: Shape = ()
    for shape in shapes:
        first = broadcast(first, shape)
    return first


def classes_shape(logits: Shape, *dims: Shape, shape: Shape) -> Shape:
    if logits is not None and len(logits) != 2:
        raise wrong_value(f"logits should be a matrix, got shape {logits}")
    (samples,) = shape or (None,)
    if samples is not None and samples < 0:
        raise wrong_value(f"num_samples should be non-negative, got {samples}")
    if logits is not None and logits[1] == 0 and logits[0] != 0:
        raise wrong_value("num_classes should be positive, got 0")
    return (None if logits is None else logits[0], samples)


def sampled_classes(
    rng: Any, logits: Any, dims: Any, shape: Shape, dtype: DType, out: Any = None,
    work: Work = None,
) -> Any:  # fmt: skip
    samples = fill_dims(shape, dims)
    try:
        size: Any = classes_shape(logits.shape, shape=samples)
    except ValueError as error:
        raise errors.InvalidValueError(str(error)) from None
    if 0 in size:
        return np.zeros(size, dtype.np_dtype)
    return sampled(draw_classes, rng, size, dtype, logits, out=out, work=work)


def shuffled(rng: Any, x: Any, out: Any = None, work: Work = None) -> Any:
    if not np.ndim(x):
        return x
    order = numbers(len(x), None if work is None else opened(work))
    rng.shuffle(order)
    # Clipping, which no place needs, spares NumPy an array of its own.
    return np.take(x, order, 0, out=out, mode="clip")


FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
INTS = (dtypes.int32, dtypes.int64)


def accepted(dtype: Any, among: Sequence[DType]) -> DType:
    wanted = as_dtype(dtype)
    if among[: len(FLOATS)] == FLOATS and wanted.np_dtype in dtypes.WIDENED:
        return wanted
    if wanted not in among:
        raise wrong_value(
            f"Argument `dtype` got invalid value {wanted.name}. "
            f"Accepted dtypes are {dtypes.names(among)}."
        )
    return wanted


def affine(made: Tensor, scale: Any, shift: Any) -> Tensor:
    """made * scale + shift, less what changes nothing."""
    if type(scale) is not float or scale != 1.0:
        made = made * convert_to_tensor(scale, made.dtype)
    if type(shift) is not float or shift != 0.0:
        made = made + convert_to_tensor(shift, made.dtype)
    return made


def bounds(minval: Any, maxval: Any, dtype: DType) -> list[Tensor]:
    return [convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)]


def uniform_floats(drawn: Tensor, minval: Any, maxval: Any) -> Tensor:
    if maxval is None:
        maxval = 1
    if type(minval) in (int, float) and type(maxval) in (int, float):
        width = static_number(maxval - minval, "maxval - minval")
        return affine(drawn, float(width), float(minval))
    low, high = convert_to_tensor(minval, drawn.dtype), convert_to_tensor(maxval, drawn.dtype)
    return drawn * (high - low) + low


class Distribution(NamedTuple):
    """The distribution of an op: `draw` takes as many `parameters`. Signature and sample are those
    of the op without a seed.
    """

    draw: Callable[..., Any]
    parameters: int
    signature: str
    sample: tuple[tuple[Any, ...], dict[str, Any]]


_FLOATS_SAMPLE = (), {"shape": (2, 3), "dtype": dtypes.float32}
UNIFORM = Distribution(draw_uniform, 0, "i*->dtype", _FLOATS_SAMPLE)
NORMAL = Distribution(draw_normal, 0, "i*->dtype", _FLOATS_SAMPLE)
TRUNCATED = Distribution(draw_truncated, 0, "i*->dtype", _FLOATS_SAMPLE)
INTEGERS = Distribution(
    draw_integers, 2, "K,K,i*->K",
    ((np.int32(-3), np.int32(5)), {"shape": (4,), "dtype": dtypes.int32}),
)  # fmt: skip
GAMMA = Distribution(
    draw_gamma, 1, "G,i*->G", (("2:+",), {"shape": (3, 2), "dtype": dtypes.float64})
)
POISSON = Distribution(
    draw_poisson, 1, "R,i*->dtype", (("2:+",), {"shape": (3, 2), "dtype": dtypes.int32})
)

CATEGORICAL = {"shape": (5,), "dtype": dtypes.int64}

"""Cosine transforms by those of Fourier, after Makhoul, "A fast cosine transform in one and two
dimensions" (1980), and the lapped one (MDCT) of Princen and Bradley (1986).
"""

from __future__ import annotations

import math
from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_shape, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int
from runtime.ops.image.sizes import as_length, dimension
from runtime.ops.signal.frames import frame, overlap_and_add
from runtime.ops.signal.transforms import fitted, irfft, rfft
from runtime.ops.signal.windows import Window, vorbis_window


def _checked(type: Any, norm: Any, axis: Any) -> int:
    kind = static_int(type, "type")
    if kind not in (1, 2, 3, 4):
        raise wrong_value(f"type must be 1, 2, 3 or 4, got {kind}")
    if norm not in (None, "ortho"):
        raise wrong_value(f'norm must be None or "ortho", got {norm!r}')
    if axis != -1:
        raise NotImplementedError(f"axis must be -1, got {axis!r}: transpose it there and back")
    if kind == 1 and norm == "ortho":
        raise wrong_value("there is no orthonormal transform of type 1")
    return kind


def _signal(input: Any, what: str) -> Tensor:
    x = convert_to_tensor(input)
    if not x.dtype.is_floating:
        raise wrong_dtype(f"{what} takes floats, not {x.dtype.name}")
    if not x.ndim:
        raise wrong_shape(f"{what} needs a known rank of 1 or more, got shape {x.shape}", x)
    return x


def dct(
    input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The discrete cosine transform along the last axis, of type 1, 2, 3 or 4.

    Args:
        input: (..., samples), float32 or float64.
        n: the length to which the signal is cut or filled up with zeros.
        norm: "ortho" for the orthonormal one (not of type 1).

    Raises InvalidArgumentError (ValueError while tracing) for other arguments, WrongDtypeError for
    other dtypes.

    >>> rt.signal.dct([1., 1.]).numpy().round(3).tolist()
    [4.0, 0.0]
    """
    kind, x = _checked(type, norm, axis), _signal(input, "dct")
    if n is not None:
        wanted = as_length(n, "n")
        if isinstance(wanted, int) and wanted < 1:
            raise wrong_value(f"n must be 1 or more, got {wanted}")
        x = fitted(x, -1, wanted)
    length = dimension(x, -1)
    if kind == 1:
        if isinstance(length, int) and length < 2:
            raise wrong_value("the transform of type 1 needs 2 elements at least")
        mirrored = ops.concat([x, ops.reverse(x[..., 1:-1], [-1])], -1)
        return ops.real(rfft(mirrored))
    if kind == 2:
        return _second(x, length, norm)
    if kind == 3:
        return _third(x, length, norm)
    doubled = ops.concat([x, ops.zeros_like(x)], -1)
    made = _second(doubled, length * 2, None)[..., 1::2]
    return made * (math.sqrt(0.5) * _root(length, x, -0.5)) if norm else made


def _root(length: Any, like: Tensor, power: float) -> Any:
    return ops.cast(ops.pow(ops.cast(length, like.dtype), power), like.dtype)


def _turned(length: Any, like: Tensor, sign: float) -> Tensor:
    """The vector 2 exp(i sign pi k / 2n) of n = `length` elements."""
    steps = ops.cast(ops.range(length), like.dtype)
    angle = steps * (sign * math.pi / 2) / ops.cast(length, like.dtype)
    return 2.0 * ops.complex(ops.cos(angle), ops.sin(angle))


def _first_by(length: Any, first: Any, others: Any, like: Tensor) -> Tensor:
    """A vector of weights with another first element."""
    return ops.where(ops.equal(ops.range(length), 0), first, others) * ops.ones([], like.dtype)


def _second(x: Tensor, length: Any, norm: str | None) -> Tensor:
    spectrum = rfft(x, [length * 2])[..., :length]
    made = ops.real(spectrum * _turned(length, x, -1.0))
    if norm is None:
        return made
    root = _root(length, x, -0.5)
    return made * _first_by(length, root * 0.5, root * math.sqrt(0.5), x)


def _third(x: Tensor, length: Any, norm: str | None) -> Tensor:
    whole = ops.cast(length, x.dtype)
    if norm is None:
        x = x * whole
    else:
        root = _root(length, x, 0.5)
        x = x * _first_by(length, root, root * math.sqrt(0.5), x)
    spectrum = _turned(length, x, 1.0) * ops.complex(x, ops.zeros_like(x))
    return irfft(spectrum, [length * 2])[..., :length]


def idct(
    input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `dct`, but for a factor where `norm` is None.

    Args:
        input: (..., samples), float32 or float64.
        norm: "ortho" for the orthonormal one, whose inverse it is.

    Raises what `dct` does.

    >>> rt.signal.idct([4., 0.]).numpy().round(3).tolist()
    [4.0, 4.0]
    """
    kind = _checked(type, norm, axis)
    return dct(input, {2: 3, 3: 2}.get(kind, kind), n, axis, norm)


def mdct(
    signals: Any, frame_length: Any, window_fn: Window | None = vorbis_window,
    pad_end: bool = False, norm: str | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The modified discrete cosine transform of frames that overlap by half.

    Args:
        signals: (..., samples), float32 or float64.
        frame_length: an integer that tracing knows, divisible by 4.
        window_fn: a window of that length and dtype, or None for none.

    Returns (..., frames, frame_length / 2). Raises InvalidArgumentError (ValueError while tracing)
    for other lengths.

    >>> rt.signal.mdct(rt.ones([8]), 4).shape
    TensorShape([3, 2])
    """
    x, length = _signal(signals, "mdct"), _divisible(frame_length)
    frames = frame(x, length, length // 2, pad_end)
    frames = frames * _weights(window_fn, length, x)
    a, b, c, d = ops.split(frames, 4, -1)
    folded = ops.concat([-ops.reverse(c, [-1]) - d, a - ops.reverse(b, [-1])], -1)
    return dct(folded, 4, norm=norm)


def _weights(window_fn: Window | None, length: Any, like: Tensor) -> Any:
    """The window, or weights that leave the signal as it is when they are applied twice."""
    return math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=like.dtype)


def _divisible(frame_length: Any) -> int:
    length = static_int(frame_length, "frame_length")
    if length < 4 or length % 4:
        raise wrong_value(f"frame_length must be a multiple of 4, got {length}")
    return length


def inverse_mdct(
    mdcts: Any, window_fn: Window | None = vorbis_window, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal of a modified discrete cosine transform; its first and last half frame are lost.

    Args:
        mdcts: (..., frames, frame_length / 2), float32 or float64.
        window_fn: that of `mdct`.

    Returns (..., samples). Raises what `dct` does.

    >>> rt.signal.inverse_mdct(rt.signal.mdct(rt.ones([8]), 4)).numpy().round(3).tolist()[2:6]
    [1.0, 1.0, 1.0, 1.0]
    """
    x = _signal(mdcts, "inverse_mdct")
    half = dimension(x, -1)
    folded = idct(x, 4, norm=norm)
    if norm is None:
        folded = folded * (0.5 / ops.cast(half, x.dtype))
    first, second = ops.split(folded, 2, -1)
    back = ops.reverse(second, [-1])
    frames = ops.concat([second, -back, -ops.reverse(first, [-1]), -first], -1)
    frames = frames * _weights(window_fn, half * 2, x)
    return overlap_and_add(frames, half)

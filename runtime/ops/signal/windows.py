"""Windows: weights for the elements of a frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int, static_number
from runtime.ops.define import Op, named
from runtime.ops.image.sizes import as_length


def _float(dtype: Any) -> dtypes.DType:
    found = dtypes.as_dtype(dtype)
    if not found.is_floating:
        raise wrong_dtype(f"the dtype of a window must be a float, not {found.name}")
    return found


def _raised_cosine(name: str, a: float, b: float, example: tuple[str, str]) -> Op:
    def function(
        window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        kind, length = _float(dtype), as_length(window_length, "window_length")
        even = 1 - length % 2
        whole = length + ops.cast(periodic, dtypes.int32) * even - 1
        turns = ops.cast(ops.range(length), dtypes.float64) / ops.cast(
            ops.maximum(whole, 1), dtypes.float64
        )
        window = a - b * ops.cos(2 * math.pi * turns)
        one = ops.equal(length, 1)
        return ops.cast(ops.where(one, ops.ones_like(window), window), kind)

    return named(
        function, name,
        f"The window of {name.removesuffix('_window').title()}: {a} - {b} * cos(2 pi k / n).\n\n"
        "    `window_length` is an integer scalar; n is it where it is even and `periodic`, else\n"
        "    one less. The result is a vector of `dtype`, a float.",
        example,
    )  # fmt: skip


hann_window: Op = _raised_cosine(
    "hann_window", 0.5, 0.5,
    ("rt.signal.hann_window(4).numpy().round(3).tolist()", "[0.0, 0.5, 1.0, 0.5]"),
)  # fmt: skip
hamming_window: Op = _raised_cosine(
    "hamming_window", 0.54, 0.46,
    ("rt.signal.hamming_window(3).numpy().round(2).tolist()[1]", "1.0"),
)  # fmt: skip


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of Kaiser, by `numpy.kaiser`.

    `window_length` and `beta` are numbers that tracing knows. The result is a vector of `dtype`, a
    float.

    >>> rt.signal.kaiser_window(3, 5.).numpy().round(3).tolist()
    [0.03700000047683716, 1.0, 0.03700000047683716]
    """
    kind = _float(dtype)
    length = static_int(window_length, "window_length")
    window = np.kaiser(length, static_number(beta, "beta"))
    return convert_to_tensor(window.astype(kind.np_dtype))


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window derived from that of Kaiser, for `mdct`: the squares of its halves add up to 1.

    `window_length` (even) and `beta` are numbers that tracing knows. The result is a vector of
    `dtype`, a float.

    >>> rt.signal.kaiser_bessel_derived_window(2, dtype=rt.float64).numpy().round(3).tolist()
    [0.707, 0.707]
    """
    kind, half = _float(dtype), static_int(window_length, "window_length") // 2
    total = np.cumsum(np.kaiser(half + 1, static_number(beta, "beta")))
    rising = np.sqrt(total[:-1] / total[-1])
    return convert_to_tensor(np.concatenate([rising, rising[::-1]]).astype(kind.np_dtype))


def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The power-complementary window of Vorbis: sin(pi / 2 * sin(pi * (k + 1/2) / n) ** 2).

    `window_length` is an integer scalar n. The result is a vector of `dtype`, a float.

    >>> rt.signal.vorbis_window(2, dtype=rt.float64).numpy().round(3).tolist()
    [0.707, 0.707]
    """
    kind, length = _float(dtype), as_length(window_length, "window_length")
    places = (ops.cast(ops.range(length), dtypes.float64) + 0.5) / ops.cast(length, dtypes.float64)
    return ops.cast(ops.sin(math.pi / 2 * ops.square(ops.sin(math.pi * places))), kind)


Window = Callable[..., Tensor]

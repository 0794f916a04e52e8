"""Discrete Fourier and cosine transforms, by NumPy's FFT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    Order,
    Primitive,
    bind,
    row,
    sample,
    wrong_dtype,
    wrong_shape,
    wrong_value,
)
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.ops.arguments import static_ints
from runtime.ops.define import Op, dims_of, fill_dims, named


def _check_rank(shape: Shape, axes: Sequence[int]) -> None:
    if shape is not None and len(shape) < len(axes):
        raise wrong_value(f"the input must have rank {len(axes)} at least, got shape {shape}")


def _transform(name: str, op_type: str, forward: bool) -> Primitive:
    """One direction of the transform of complex numbers along some of the last axes.

    `scaled` ones divide by the number of elements. The gradient of each is the other direction,
    scaled alike: transform and inverse are each other's conjugate transposes but for that number.
    """
    function = np.fft.fftn if forward else np.fft.ifftn

    def kernel(x: Any, *, axes: tuple[int, ...], scaled: bool) -> Any:
        _check_rank(x.shape, axes)
        norm: Literal["forward", "backward"] = "forward" if forward is scaled else "backward"
        if not x.size:
            return x.copy()
        return function(x, axes=axes, norm=norm).astype(x.dtype, copy=False)

    def shape(x: Shape, *, axes: tuple[int, ...], scaled: bool) -> Shape:
        _check_rank(x, axes)
        return x

    def gradient(op: Any, g: Any) -> Any:
        return (bind(ifft_p if forward else fft_p, g, **op.params),)

    return row(
        name,
        kernel,
        signature="C->C",
        shape=shape,
        op_type=op_type,
        gradient=gradient,
        keep_inputs=(),
        order=Order.PERMUTED,
        samples=(
            sample("3:c", axes=(-1,), scaled=False),
            sample("2,3,4:c", axes=(-2, -1), scaled=True),
        ),
    )


fft_p = _transform("fft", "FFT", True)
ifft_p = _transform("ifft", "IFFT", False)


def _complex_of(dtype: Any) -> Any:
    return dtypes.complex64 if dtype is dtypes.float32 else dtypes.complex128


def _rfft_infer(x: Any) -> TensorType:
    rfft_p.check_dtypes([x.dtype.np_dtype])
    _check_rank(x.shape, (-1,))
    kind = _complex_of(x.dtype)
    if x.shape is None:
        return TensorType(kind, None)
    return TensorType(kind, (*x.shape[:-1], _frequencies(x.shape[-1])))


def _frequencies(length: int | None) -> int | None:
    """As many as a real signal has; one without elements has none."""
    return length // 2 + 1 if length else length


def _rfft_kernel(x: Any) -> Any:
    _check_rank(x.shape, (-1,))
    if not x.size:
        return np.zeros((*x.shape[:-1], _frequencies(x.shape[-1])), np.result_type(x, np.complex64))
    return np.fft.rfft(x)


def _rfft_gradient(op: Any, g: Any) -> Any:
    length = _length(op.inputs[0], -1)
    whole = fitted(g, -1, length)
    return (ops.real(bind(ifft_p, whole, axes=(-1,), scaled=False)),)


rfft_p: Primitive = row(
    "rfft",
    _rfft_kernel,
    _rfft_infer,
    signature="H->C",
    op_type="RFFT",
    gradient=_rfft_gradient,
    keep_inputs=(),
    samples=(sample("2,4"), sample("5")),
    order=Order.PERMUTED,
)


def _irfft_shape(x: Shape, *dims: Shape, n: Shape) -> Shape:
    _check_rank(x, (-1,))
    if n and n[0] is not None and n[0] < 1:
        raise wrong_value(f"fft_length must be positive, got {n[0]}")
    last = n[0] if n else None
    return None if x is None else (*x[:-1], last)


def _irfft_kernel(x: Any, *dims: Any, n: Shape) -> Any:
    (length,) = fill_dims(n, dims)
    _irfft_shape(x.shape, n=(length,))
    if not x.size:
        return np.zeros((*x.shape[:-1], length), x.real.dtype)
    return np.fft.irfft(x, length)


def _irfft_gradient(op: Any, g: Any) -> Any:
    """Every frequency but the first and the middle one of an even length counts twice."""
    (z,), length = op.inputs[:1], _length(g, -1)
    spectrum = bind(rfft_p, g)
    count = ops.range(length // 2 + 1)
    once = ops.logical_or(ops.equal(count, 0), ops.equal(count * 2, length))
    weights = ops.where(once, 1.0, 2.0) / ops.cast(length, dtypes.float32)
    spectrum = spectrum * ops.cast(weights, spectrum.dtype)
    return fitted(spectrum, -1, _length(z, -1)), *[None] * (len(op.inputs) - 1)


irfft_p: Primitive = row(
    "irfft",
    _irfft_kernel,
    signature="C,i*->real C",
    shape=_irfft_shape,
    op_type="IRFFT",
    gradient=_irfft_gradient,
    keep_inputs=(),
    order=Order.PERMUTED,
    samples=(sample("2,3:c", n=(4,)), sample("3:c", n=(5,))),
)


def _length(x: Any, axis: int) -> Any:
    shape = x.static_shape
    if shape is not None and not -len(shape) <= axis < len(shape):
        raise wrong_value(f"axis {axis} is out of range for shape {shape}")
    known = None if shape is None else shape[axis]
    return ops.shape(x)[axis] if known is None else known


def fitted(x: Any, axis: int, length: Any) -> Any:
    """`x` cut, or followed by zeros, to this length along an axis counted from the end."""
    have = _length(x, axis)
    both = isinstance(have, int) and isinstance(length, int)
    if not both or length < have:
        x = x[(..., slice(None, length), *[slice(None)] * (-axis - 1))]
    if both and length <= have:
        return x
    missing = length - have if both else ops.maximum(ops.cast(length, dtypes.int32) - have, 0)
    rank = x.ndim
    if rank is None:
        raise wrong_shape("the input must have a known rank where the length is changed", x)
    pads: list[Any] = [[0, 0] for _ in range(rank)]
    pads[axis] = [0, missing]
    return ops.pad(x, pads)


def _numbers_as(dtype: dtypes.DType, values: Any) -> Tensor:
    """A tensor: Python's numbers and arrays that can have this dtype do, but that float64 stays of
    64 bits.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        wide = values.dtype == np.float64
        return convert_to_tensor(values.astype(np.result_type(dtype.np_dtype, *["d"] * wide)))
    return convert_to_tensor(values, dtype_hint=dtype if type(values) in (list, tuple) else None)


def _complex_tensor(input: Any, name: str) -> Tensor:
    x = _numbers_as(dtypes.complex64, input)
    if not x.dtype.is_complex:
        raise wrong_dtype(f"{name} takes complex numbers, not {x.dtype.name}; convert with cast")
    return x


def _lengths(fft_length: Any, count: int) -> list[Any] | None:
    if fft_length is None:
        return None
    static, dynamic = dims_of(fft_length)
    if static is None:
        return ops.unstack(dynamic[0], count)
    if len(static) != count:
        raise wrong_value(f"fft_length must have {count} elements, got {list(static)}")
    if static is not None and any(n is not None and n < 0 for n in static):
        raise wrong_value(f"fft_length must not be negative, got {list(static)}")
    rest = iter(dynamic)
    return [next(rest) if n is None else n for n in static]


def _full(primitive: Primitive, rank: int, doc: str) -> Op:
    """The public function of a transform of complex numbers along the last `rank` axes."""
    axes, public = tuple(range(-rank, 0)), f"{primitive.name}{_SUFFIX[rank]}"

    def function(input: Any, name: str | None = None) -> Tensor:
        x = _complex_tensor(input, public)
        return bind(primitive, x, axes=axes, scaled=primitive is ifft_p)  # type: ignore[no-any-return]

    shown = "[" * rank + "1j" + "]" * rank
    return named(
        function,
        public,
        f"{doc} along {_INNER[rank]}.\n\n"
        f"    `input` is complex64 or complex128, of rank {rank} or more; the result is like it.\n"
        "    WrongDtypeError for real numbers: use `cast`, or `rfft`.",
        (f"rt.signal.{public}({shown}).numpy().ravel().tolist()", "[1j]"),
    )


_SUFFIX = {1: "", 2: "2d", 3: "3d"}
_INNER = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}
_FFT, _IFFT = "The discrete Fourier transform", "The inverse Fourier transform"
fft: Op = _full(fft_p, 1, _FFT)
fft2d: Op = _full(fft_p, 2, _FFT)
fft3d: Op = _full(fft_p, 3, _FFT)
ifft: Op = _full(ifft_p, 1, _IFFT)
ifft2d: Op = _full(ifft_p, 2, _IFFT)
ifft3d: Op = _full(ifft_p, 3, _IFFT)


def _of_real(rank: int) -> Op:
    public = f"rfft{_SUFFIX[rank]}"

    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = _numbers_as(dtypes.float32, input_tensor)
        if not x.dtype.is_floating:
            raise wrong_dtype(f"{public} takes floats, not {x.dtype.name}; see fft")
        for axis, length in enumerate(_lengths(fft_length, rank) or (), -rank):
            x = fitted(x, axis, length)
        z = bind(rfft_p, x)
        return bind(fft_p, z, axes=tuple(range(-rank, -1)), scaled=False) if rank > 1 else z  # type: ignore[no-any-return]

    shown = "[" * rank + "1., 2." + "]" * rank
    return named(
        function,
        public,
        f"The discrete Fourier transform of real numbers along {_INNER[rank]}.\n\n"
        f"    `input_tensor` is float32 or float64, of rank {rank} or more; `fft_length` cuts these"
        "\n    axes, or fills them up with zeros, first. The result is complex, without the second"
        "\n    half of the last axis, which mirrors the first: it has length // 2 + 1 elements."
        "\n    WrongDtypeError for other dtypes.",
        (f"rt.signal.{public}({shown}).numpy().ravel().tolist()", "[(3+0j), (-1+0j)]"),
    )


def _to_real(rank: int) -> Op:
    public = f"irfft{_SUFFIX[rank]}"

    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        z = _complex_tensor(input_tensor, public)
        lengths = _lengths(fft_length, rank)
        if lengths is None:
            if z.static_shape and z.static_shape[-1] == 0:
                return ops.real(z)  # nothing is the inverse of nothing
            lengths = [*(_length(z, axis) for axis in range(-rank, -1)), (_length(z, -1) - 1) * 2]
        for axis, length in enumerate([*lengths[:-1], lengths[-1] // 2 + 1], -rank):
            z = fitted(z, axis, length)
        if rank > 1:
            z = bind(ifft_p, z, axes=tuple(range(-rank, -1)), scaled=True)
        n, dims = dims_of([lengths[-1]])
        return bind(irfft_p, z, *dims, n=n)  # type: ignore[no-any-return]

    shown = "[" * rank + "3 + 0j, -1 + 0j" + "]" * rank
    return named(
        function,
        public,
        f"The inverse of `rfft{_SUFFIX[rank]}`, real numbers, along {_INNER[rank]}.\n\n"
        f"    `input_tensor` is complex, of rank {rank} or more, without the second half of the\n"
        "    last axis. `fft_length`: the lengths of the result, whose last is else 2 * (n - 1)."
        "\n    WrongDtypeError for real numbers, InvalidArgumentError for lengths below 1.",
        (f"rt.signal.{public}({shown}).numpy().ravel().tolist()", "[1.0, 2.0]"),
    )


rfft: Op = _of_real(1)
rfft2d: Op = _of_real(2)
rfft3d: Op = _of_real(3)
irfft: Op = _to_real(1)
irfft2d: Op = _to_real(2)
irfft3d: Op = _to_real(3)


def _shifted(x: Any, axes: Any, forward: bool) -> Tensor:
    x = convert_to_tensor(x)
    if axes is None:
        if x.ndim is None:
            raise wrong_shape("fftshift needs a known rank, or `axes`", x)
        axes = range(x.ndim)
    chosen = static_ints(axes, "axes")
    lengths = [_length(x, axis) for axis in chosen]
    return ops.roll(x, [n // 2 if forward else -(n // 2) for n in lengths], list(chosen))


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The zero frequency moved to the middle of `axes`, by default of all.

    >>> rt.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
    [-2, -1, 0, 1, 2]
    """
    return _shifted(x, axes, True)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`.

    >>> rt.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
    [0, 1, 2, -2, -1]
    """
    return _shifted(x, axes, False)

"""Other dtypes: of values that are clipped to their range, and of the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Memory, Primitive, bind, row, sample, wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.dtypes import DType, as_dtype


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` with another dtype; what that cannot hold becomes its smallest or largest number.

    The infinite does, too, where `value` is real: the nearest number of both dtypes.
    Of complex numbers both parts do, or the real part alone where `dtype` is not complex.

    >>> rt.saturate_cast([300, -1], rt.uint8).numpy().tolist()
    [255, 0]
    """
    x, wanted = convert_to_tensor(value), as_dtype(dtype)
    if x.dtype.is_complex and wanted.is_complex:
        if wanted.size >= x.dtype.size:
            return ops.cast(x, wanted)
        part = wanted.real_dtype
        return ops.complex(saturate_cast(ops.real(x), part), saturate_cast(ops.imag(x), part))
    if x.dtype.is_complex and wanted is not dtypes.bool:
        x = ops.real(x)
    if wanted.is_complex:
        return ops.cast(saturate_cast(x, wanted.real_dtype), wanted)
    if dtypes.bool in (x.dtype, wanted):
        return ops.cast(x, wanted)
    if x.dtype.is_integer and wanted.min <= x.dtype.min and x.dtype.max <= wanted.max:
        return ops.cast(x, wanted)
    low = max(x.dtype.min, wanted.min)
    high = min(x.dtype.max, wanted.max)
    low, high = _inside(low, wanted, x.dtype), _inside(high, wanted, x.dtype)
    return ops.cast(ops.clip_by_value(x, low, high), wanted)


def _inside(bound: Any, wanted: DType, source: DType) -> Any:
    """`bound` in the dtype of the values, moved inwards where rounding took it out of the range."""
    value = np.asarray(bound).astype(source.np_dtype)
    number = int(value) if wanted.is_integer else float(value)
    if source.is_floating and not wanted.min <= number <= wanted.max:
        return np.nextafter(value, np.zeros_like(value))
    return value


def _bitcast_kernel(x: Any, *, dtype: DType) -> Any:
    x = np.ascontiguousarray(x).reshape(np.shape(x))
    old, new = x.dtype.itemsize, dtype.np_dtype.itemsize
    if old < new and (not x.shape or x.shape[-1] != new // old):
        raise wrong_value(f"the last dimension of shape {x.shape} must be {new // old}")
    if old > new:
        return x[..., np.newaxis].view(dtype.np_dtype)
    return x.view(dtype.np_dtype) if old == new else x.view(dtype.np_dtype)[..., 0]


def _bitcast_infer(x: TensorType, *, dtype: DType) -> TensorType:
    old, new = x.dtype.np_dtype.itemsize, dtype.np_dtype.itemsize
    if dtypes.string in (x.dtype, dtype):
        raise wrong_dtype("Bitcast: strings have no fixed bits")
    if x.shape is None or old == new:
        return TensorType(dtype, x.shape)
    if old > new:
        return TensorType(dtype, (*x.shape, old // new))
    if not x.shape or x.shape[-1] not in (None, new // old):
        raise wrong_value(f"Bitcast: the last dimension of {x} must be {new // old}")
    return TensorType(dtype, x.shape[:-1])


bitcast_p: Primitive = row(
    "bitcast", _bitcast_kernel, _bitcast_infer, op_type="Bitcast", keep_inputs=(),
    gradient=lambda op, g: (None,), samples=(sample("2,3:f4", dtype=dtypes.int32),),
    memory=Memory.VIEWS,
)  # fmt: skip


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bits read as another dtype.

    >>> int(rt.bitcast(1., rt.int32))
    1065353216
    """
    return bind(bitcast_p, convert_to_tensor(input), dtype=as_dtype(type))  # type: ignore[no-any-return]

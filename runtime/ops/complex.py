"""Complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.identities import undone
from runtime.core.primitive import (
    CLASSES,
    Memory,
    Primitive,
    bind,
    broadcast_shapes,
    row,
    same_shape,
    sample,
    wrong_dtype,
)
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.dtypes import BY_NUMPY
from runtime.ops import batching
from runtime.ops.define import matched, sum_to_shape_of

_WITH_PARTS: dict[Any, Any] = {np.dtype("f"): np.dtype("F"), np.dtype("d"): np.dtype("D")}


def _complex_kernel(real: Any, imag: Any, out: Any = None) -> Any:
    made = out
    if out is None:
        made = np.empty(np.broadcast(real, imag).shape, _WITH_PARTS[real.dtype])
    made.real, made.imag = real, imag
    return made


def _complex_infer(real: TensorType, imag: TensorType) -> TensorType:
    complex_p.check_dtypes([real.dtype.np_dtype, imag.dtype.np_dtype])
    return TensorType(
        BY_NUMPY[_WITH_PARTS[real.dtype.np_dtype]], broadcast_shapes(real.shape, imag.shape)
    )


def _complex_gradient(op: Any, g: Any) -> Any:
    a, b = op.inputs
    return sum_to_shape_of(real(g), a), sum_to_shape_of(imag(g), b)


complex_p: Primitive = row(
    "complex", _complex_kernel, _complex_infer, signature="H,H->H", op_type="Complex",
    gradient=_complex_gradient, keep_inputs=(), samples=(sample("2,3", "3"),),
    batching=batching.elementwise,
)  # fmt: skip


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """The complex numbers with these real and imaginary parts.

    >>> complex(rt.complex(1., 2.))
    (1+2j)
    """
    a, b = matched(real, imag)
    return bind(complex_p, a, b)  # type: ignore[no-any-return]


def _part(name: str, op_type: str, kernel: Any, gradient: Any, **fields: Any) -> Any:
    return row(
        name, kernel, signature="C->real C", shape=same_shape, op_type=op_type, gradient=gradient,
        samples=(sample("2,3:c"),), **fields,
    )  # fmt: skip


real_p: Primitive = _part(
    "real", "Real", np.real, lambda op, g: (complex(g, ops.zeros_like(g)),), keep_inputs=(),
    memory=Memory.VIEWS, batching=batching.elementwise,
)  # fmt: skip
imag_p: Primitive = _part(
    "imag", "Imag", np.imag, lambda op, g: (complex(ops.zeros_like(g), g),), keep_inputs=(),
    memory=Memory.VIEWS, batching=batching.elementwise,
)  # fmt: skip
angle_p: Primitive = _part(
    "angle", "Angle", lambda z, out=None: np.arctan2(z.imag, z.real, out),
    lambda op, g: (-complex(g, ops.zeros_like(g)) / _turn(op.inputs[0]),),
)  # fmt: skip
conj_p: Primitive = row(
    "conj", np.conj, signature="C->C", shape=same_shape, op_type="Conj",
    gradient=lambda op, g: (conj(g),), keep_inputs=(), samples=(sample("2,3:c"),),
    identities=(undone,), batching=batching.elementwise,
)  # fmt: skip


def _turn(z: Any) -> Any:
    """The denominator of the gradient of the angle: y' + i x' of z = x + i y, as TensorFlow writes
    it.
    """
    return complex(imag(z), real(z))


def real(input: Any, name: str | None = None) -> Tensor:
    """The real parts; what is real stays as it is.

    >>> rt.math.real([1 + 2j]).numpy().tolist()
    [1.0]
    """
    x = _number(convert_to_tensor(input))
    return bind(real_p, x) if x.dtype.is_complex else x


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary parts; zeros for what is real.

    >>> rt.math.imag([1 + 2j]).numpy().tolist()
    [2.0]
    """
    x = _number(convert_to_tensor(input))
    return bind(imag_p, x) if x.dtype.is_complex else ops.zeros_like(x)


def angle(input: Any, name: str | None = None) -> Tensor:
    """The angles of complex numbers; 0 or pi for real ones.

    >>> rt.math.angle([1j]).numpy().round(3)
    array([1.571])
    """
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return bind(angle_p, x)  # type: ignore[no-any-return]
    return ops.where(ops.less(x, 0), ops.ones_like(x) * np.pi, ops.zeros_like(x))


def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugates; what is real stays as it is.

    >>> rt.math.conj([1 + 2j]).numpy().tolist()
    [(1-2j)]
    """
    z = convert_to_tensor(x)
    if z.dtype.is_complex:
        return bind(conj_p, z)  # type: ignore[no-any-return]
    return _number(z)


def _number(x: Tensor) -> Tensor:
    if x.dtype.np_dtype not in CLASSES["N"] and not x.dtype.is_floating:
        raise wrong_dtype(f"numbers are needed, not {x.dtype.name}")
    return x

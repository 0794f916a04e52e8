"""Numbers and tensors as strings, and strings as numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, row, same_shape, sample, wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import one_of, static_int
from runtime.ops.print_op import encoded, summary
from runtime.ops.strings.elements import array_of, as_strings, elements_of

_FLOAT = re.compile(
    rb"[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE
)
_HEX = re.compile(rb"[+-]?0x[0-9a-f]+\.?[0-9a-f]*(p[+-]?\d+)?", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_PARSED = (
    dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64,
)  # fmt: skip


def _number(s: bytes, dtype: DType) -> Any:
    text = s.strip()
    if dtype.is_floating:
        if _FLOAT.fullmatch(text):
            return float(text)
        if _HEX.fullmatch(text):
            return float.fromhex(text.decode())
    elif _INTEGER.fullmatch(text) and dtype.min <= int(text) <= dtype.max:
        return int(text)
    raise errors.InvalidValueError(f"cannot convert the string {s!r} to {dtype.name}")


def _to_number_kernel(x: Any, *, dtype: DType) -> Any:
    values = [_number(s, dtype) for s in elements_of(x)]
    return np.array(values, dtype.np_dtype).reshape(np.shape(x))


to_number_p = row(
    "string_to_number", _to_number_kernel, signature="S->dtype",
    shape=lambda shape, *, dtype: shape, op_type="StringToNumber", fallible=True,
    samples=(sample("3:n", dtype=dtypes.float32), sample(":n", dtype=dtypes.int64)),
)  # fmt: skip


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that strings spell.

    InvalidArgumentError for a string that spells none, or none that `out_type` holds; ValueError
    unless `out_type` is float32, float64, int32, int64, uint32 or uint64.

    >>> float(rt.strings.to_number("1.5"))
    1.5
    """
    wanted = as_dtype(out_type)
    if wanted not in _PARSED:
        raise wrong_value(f"out_type must be one of {dtypes.names(_PARSED)}, not {wanted.name}")
    return bind(to_number_p, as_strings(input), dtype=wanted)  # type: ignore[no-any-return]


def _as_string_kernel(x: Any, *, spec: str) -> Any:
    if x.dtype in dtypes.WIDENED:
        x = x.astype(dtypes.WIDENED[x.dtype].np_dtype)
    kind = x.dtype.kind
    values = elements_of(x)
    if kind == "b":
        return array_of([b"true" if value else b"false" for value in values], x.shape)
    if kind == "c":
        texts = [f"({spec % value.real},{spec % value.imag})" for value in values]
    else:
        texts = [spec % value for value in values]
    return array_of([text.encode() for text in texts], x.shape)


as_string_p = row(
    "as_string", _as_string_kernel, signature="Q->string", shape=same_shape, op_type="AsString",
    samples=(sample("2,3", spec="%f"), sample("3:i9", spec="%d"), sample("2:b", spec="")),
)  # fmt: skip


def _format_spec(
    dtype: DType, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> str:
    inexact = dtype.is_floating or dtype.is_complex
    if scientific and shortest:
        raise wrong_value("Cannot select both scientific and shortest notation")
    width, precision = static_int(width, "width"), static_int(precision, "precision")
    if not inexact and (scientific or shortest or precision > -1):
        raise wrong_value(f"precision, scientific and shortest are not for dtype {dtype.name}")
    fill = one_of(fill, "fill", ("", " ", "+", "-", "0", "#"))
    size = "" if width < 0 else str(width)
    digits = "" if precision < 0 else f".{precision}"
    letter = ("e" if scientific else "g" if shortest else "f") if inexact else "d"
    return f"%{fill}{size}{digits}{letter}"


def as_string(
    input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False,
    width: int = -1, fill: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers and truth values as text, as C's printf writes them.

    The format is "%f", "%e" if `scientific`, "%g" if `shortest`, "%d" for integers.

    Strings stay as they are. ValueError for a notation that the dtype does not have.

    >>> rt.as_string([1, 2]).numpy().tolist()
    [b'1', b'2']
    """
    x = convert_to_tensor(input)
    if x.dtype is dtypes.string:
        return x
    spec = _format_spec(x.dtype, precision, scientific, shortest, width, fill)
    return bind(as_string_p, x, spec=spec)  # type: ignore[no-any-return]


def _format_kernel(*arrays: Any, template: str, placeholder: str, summarize: int) -> Any:
    first, *rest = template.encode().split(placeholder.encode())
    texts = [encoded(summary(array, summarize)) for array in arrays]
    text = first + b"".join(shown + part for shown, part in zip(texts, rest, strict=True))
    return np.array(text, object)


format_p = row(
    "string_format", _format_kernel, lambda *types, **params: TensorType(dtypes.string, ()),
    op_type="StringFormat",
    samples=(sample("2,3", ":s", template="{} and {}", placeholder="{}", summarize=3),),
)  # fmt: skip


def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """`template` with the text of a tensor in the place of `placeholder`.

    Of a list of tensors each has a place of its own.

    ValueError unless there are as many places as tensors.

    >>> rt.strings.format("{} of {}", (1, 2)).numpy()
    b'1 of 2'
    """
    if not isinstance(template, str) or not isinstance(placeholder, str):
        raise wrong_dtype(f"template and placeholder must be Python strings, got {template!r}")
    given = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    places = template.count(placeholder) if placeholder else 0
    if places != len(given):
        raise wrong_value(f"{len(given)} tensors do not fit the {places} places in {template!r}")
    return bind(  # type: ignore[no-any-return]
        format_p, *map(convert_to_tensor, given), template=template, placeholder=placeholder,
        summarize=static_int(summarize, "summarize"),
    )  # fmt: skip

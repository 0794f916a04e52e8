"""Lengths and parts of strings, in bytes or characters."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, broadcast_shapes, row, same_shape, sample, wrong_value
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of
from runtime.ops.strings.elements import array_of, as_strings, elements_of

_UNITS = ("BYTE", "UTF8_CHAR")
# A character is a byte that starts one and the bytes that go on with it; nothing is decoded,
# nothing can be invalid.
_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*|[\x80-\xbf]+", re.DOTALL)


def _length(s: bytes, unit: str) -> int:
    if unit == "BYTE":
        return len(s)
    return sum(byte & 0xC0 != 0x80 for byte in s)


def _length_kernel(x: Any, *, unit: str) -> Any:
    return np.array([_length(s, unit) for s in elements_of(x)], np.int32).reshape(np.shape(x))


length_p = row(
    "string_length", _length_kernel, signature="S->int32", shape=same_shape, op_type="StringLength",
    samples=(sample("2,3:s", unit="BYTE"), sample(":s", unit="UTF8_CHAR")),
)  # fmt: skip


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes, or of characters with the unit "UTF8_CHAR". ValueError for other
    units.

    >>> int(rt.strings.length("abc"))
    3
    """
    return bind(length_p, as_strings(input), unit=one_of(unit, "unit", _UNITS))  # type: ignore[no-any-return]


def _part(s: bytes, start: int, count: int, unit: str) -> bytes:
    parts = s if unit == "BYTE" else _CHARACTER.findall(s)
    size = len(parts)
    if not -size <= start <= size:
        raise errors.InvalidValueError(f"pos {start} out of range for string {s!r}")
    if count < 0:
        raise errors.InvalidValueError(f"len must not be negative, got {count}")
    start = start + size if start < 0 else start
    found = parts[start : start + count]
    return found if isinstance(found, bytes) else b"".join(found)


def _substr_kernel(x: Any, pos: Any, count: Any, *, unit: str) -> Any:
    _same_places(np.shape(pos), np.shape(count))
    x, pos, count = np.broadcast_arrays(x, pos, count)
    triples = zip(elements_of(x), elements_of(pos), elements_of(count), strict=True)
    return array_of([_part(s, i, n, unit) for s, i, n in triples], x.shape)


def _same_places(pos: Shape, count: Shape) -> None:
    try:
        merge_shapes(pos, count)
    except ValueError:
        raise wrong_value(
            f"pos and len should have the same shape, got: {pos} and {count}"
        ) from None


def _substr_shape(x: Shape, pos: Shape, count: Shape, *, unit: str) -> Shape:
    _same_places(pos, count)
    return broadcast_shapes(x, pos, count)


substr_p = row(
    "substr", _substr_kernel, signature="S,I,I->S", shape=_substr_shape, op_type="Substr",
    fallible=True,
    samples=(sample("2:s", [0, 1], [1, 1], unit="BYTE"), sample("2,3:s", 0, 1, unit="UTF8_CHAR")),
)  # fmt: skip


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """At most `len` bytes from `pos` on.

    With the unit "UTF8_CHAR" these are characters; negative positions count from the end.

    `pos` and `len` have one shape, which broadcasts with that of `input`. InvalidArgumentError
    where `pos` is outside of a string or `len` is negative.

    >>> rt.strings.substr("abc", 1, 2).numpy()
    b'bc'
    """
    start = convert_to_tensor(pos)
    count = convert_to_tensor(len, dtype_hint=start.dtype)
    return bind(substr_p, as_strings(input), start, count, unit=one_of(unit, "unit", _UNITS))  # type: ignore[no-any-return]

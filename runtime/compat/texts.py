"""Texts and their bytes, kinds of numbers and dimensions, as older programs ask for them."""

from __future__ import annotations

import codecs
import numbers
import os
from typing import Any

import numpy as np

from runtime.core.shapes import TensorShape

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """A text as bytes; bytes as they are, a bytearray as bytes.

    TypeError for anything else.

    >>> rt.compat.as_bytes("é")
    b'\\xc3\\xa9'
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"as_bytes takes a text or bytes, not {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as a text; a text as it is.

    TypeError for anything else.

    >>> rt.compat.as_text(b"\\xc3\\xa9")
    'é'
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"as_text takes a text or bytes, not {bytes_or_text!r}")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as a text, as `as_text`.

    >>> rt.compat.as_str(b"a")
    'a'
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as a text, and `str` of anything else.

    >>> rt.compat.as_str_any(b"a"), rt.compat.as_str_any(1.5)
    ('a', '1.5')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """The text of a path; what is no path stays as it is.

    >>> import pathlib
    >>> rt.compat.path_to_str(pathlib.PurePosixPath("a", "b"))
    'a/b'
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: Any) -> int | None:
    """A dimension of a shape as a number, None where it is unknown: what it is already.

    >>> rt.compat.dimension_value(rt.TensorShape([2, None])[0])
    2
    """
    value: int | None = dimension
    return value


def dimension_at_index(shape: Any, index: int) -> int | None:
    """The dimension at a place, None where the rank is unknown.

    >>> rt.compat.dimension_at_index(rt.TensorShape(None), 1)
    """
    known = TensorShape(shape)
    return None if known.rank is None else known[index]

"""Bytes as text of 64 letters."""

from __future__ import annotations

import base64
import re
from typing import Any

from runtime.core.primitive import bind, row, same_shape, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.strings.elements import as_strings, elementwise

_LETTERS = re.compile(rb"[A-Za-z0-9_-]*")


def _encoded(s: bytes, *, pad: bool) -> bytes:
    code = base64.urlsafe_b64encode(s)
    return code if pad else code.rstrip(b"=")


def _decoded(s: bytes) -> bytes:
    code = s.rstrip(b"=")
    if len(code) % 4 == 1:
        raise wrong_value(f"no code of base64 has a length of 1 modulo 4: {s!r}")
    padding = -len(code) % 4
    if not _LETTERS.fullmatch(code) or len(s) - len(code) not in (0, padding):
        raise wrong_value(f"this is no code of base64 for URLs: {s!r}")
    return base64.urlsafe_b64decode(code + b"=" * padding)


encode_base64_p = row(
    "encode_base64", elementwise(_encoded), signature="S->S", shape=same_shape,
    op_type="EncodeBase64",
)  # fmt: skip
decode_base64_p = row(
    "decode_base64", elementwise(_decoded), signature="S->S", shape=same_shape,
    op_type="DecodeBase64", fallible=True,
)  # fmt: skip


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64 with `-` and `_`, that fit into URLs; with `=` at their ends by `pad`.

    >>> rt.io.encode_base64(["ab", ""], pad=True).numpy().tolist()
    [b'YWI=', b'']
    """
    return bind(encode_base64_p, as_strings(input), pad=bool(pad))  # type: ignore[no-any-return]


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """The strings that base64 with `-` and `_` stands for; `=` at their ends may be left out.

    InvalidArgumentError for other letters and lengths.

    >>> rt.io.decode_base64("YWI").numpy()
    b'ab'
    """
    return bind(decode_base64_p, as_strings(input))  # type: ignore[no-any-return]

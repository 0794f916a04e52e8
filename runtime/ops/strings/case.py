"""Upper and lower case, and white space at the ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.primitive import bind, row, same_shape, sample
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of
from runtime.ops.strings.elements import as_strings, elementwise

WORDS = (sample("2,3:s"), sample(":s"))


def _cased(change: Callable[[Any], Any]) -> Callable[..., Any]:
    def function(s: bytes, *, encoding: str) -> bytes:
        if encoding:
            return bytes(change(s.decode("utf-8", "replace")).encode())
        return bytes(change(s))

    return elementwise(function)


lower_p = row(
    "string_lower", _cased(lambda s: s.lower()), signature="S->S", shape=same_shape,
    op_type="StringLower", samples=(sample("2,3:s", encoding=""), sample(":s", encoding="utf-8")),
)  # fmt: skip
upper_p = row(
    "string_upper", _cased(lambda s: s.upper()), signature="S->S", shape=same_shape,
    op_type="StringUpper", samples=(sample("2,3:s", encoding=""), sample(":s", encoding="utf-8")),
)  # fmt: skip


def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """In lower case: ASCII letters only, or all with the encoding "utf-8". ValueError for other
    encodings.

    >>> rt.strings.lower("AbC").numpy()
    b'abc'
    """
    return bind(lower_p, as_strings(input), encoding=one_of(encoding, "encoding", ("", "utf-8")))  # type: ignore[no-any-return]


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """In upper case: ASCII letters only, or all with the encoding "utf-8". ValueError for other
    encodings.

    >>> rt.strings.upper("AbC").numpy()
    b'ABC'
    """
    return bind(upper_p, as_strings(input), encoding=one_of(encoding, "encoding", ("", "utf-8")))  # type: ignore[no-any-return]


strip_p = row(
    "string_strip", elementwise(lambda s: s.strip()), signature="S->S", shape=same_shape,
    op_type="StringStrip", samples=WORDS,
)  # fmt: skip


def strip(input: Any, name: str | None = None) -> Tensor:
    """Without white space at both ends.

    >>> rt.strings.strip(" a ").numpy()
    b'a'
    """
    return bind(strip_p, as_strings(input))  # type: ignore[no-any-return]

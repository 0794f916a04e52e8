"""`tf.print`: text of tensors when they are computed, in graphs too, and the same text eagerly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import nest
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, row
from runtime.core.state import call_back, state
from runtime.core.tensor import Tensor
from runtime.dtypes import WIDENED, float64, int64
from runtime.graph.data import Opaque
from runtime.variables.variable import Variable


def print(
    *inputs: Any,
    output_stream: Any = "stderr",
    summarize: int | None = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> Any:
    """Write the inputs, separated by `sep` and followed by `end`, when they are computed.

    Of each dimension of a tensor the first and last `summarize` elements are shown (-1: all).
    Strings stand as they are, other Python objects and structures as `pprint` shows them; a truth
    value that a graph computes is 1 or 0, Python's too.
    `output_stream`: sys.stdout, sys.stderr, "file://" and a path (text is added at its end), a
    function that takes the text (of the logging module, for example), or anything with a method
    `write`. Raises ValueError for another one. Returns None; in version 1's graphs the operation.

    >>> import sys
    >>> rt.print("loss", rt.constant(1.5), output_stream=sys.stdout)
    loss 1.5
    """
    ends = -1 if summarize is None else summarize
    parts: list[str | bool | None] = []
    tensors: list[Tensor] = []
    for place, item in enumerate(inputs):
        if place:
            parts.append(sep)
        _add(item, parts, tensors)
    if len(inputs) == 1 and parts == [None]:
        parts = [True]
    stream = _stream(output_stream)
    params = {"parts": (*parts, end), "summarize": ends, "stream": stream}
    return bind(print_p, *tensors, **params) or None


class _Placeholder:
    def __repr__(self) -> str:
        return "\0"


_HERE = _Placeholder()


def _add(item: Any, parts: list[str | bool | None], tensors: list[Tensor]) -> None:
    """Take an input apart: its text in `parts`, None where a tensor stands, True where it is
    printed as it is if it is a single text; the tensors in `tensors`.
    """
    if _is_computed(item):
        parts.append(_is_text(item) or None)
        tensors.append(_tensor(item))
        return
    if isinstance(item, str):
        parts.append(item)
        return
    from pprint import pformat  # a first trace need not wait for it

    leaves = nest.flatten(item)
    for leaf in leaves:
        _check_shown(leaf)
    found = [leaf for leaf in leaves if _is_computed(leaf)]
    if not found:
        parts.append(pformat(item))
        return
    shown = [_HERE if _is_computed(leaf) else leaf for leaf in leaves]
    first, *rest = pformat(nest.pack_sequence_as(item, shown)).split("\0")
    parts.append(first)
    for leaf, text in zip(found, rest, strict=True):
        parts.extend((_is_text(leaf) or None, text))
    tensors.extend(map(_tensor, found))


def _check_shown(item: Any) -> None:
    """StagingError for what has no text while a graph is traced, as a staged range."""
    kind = type(item)
    if kind.__module__.startswith("runtime.") and hasattr(kind, "check_shown"):
        kind.check_shown(item)


def _is_computed(item: Any) -> bool:
    """True for tensors, variables, and Python's numbers and texts that a graph computes."""
    kind = type(item)
    return issubclass(kind, Tensor | Variable) or hasattr(kind, "graph_value") or _is_text(item)


def _is_text(item: Any) -> bool:
    return hasattr(type(item), "_is_text_of_run")


def _tensor(item: Any) -> Tensor:
    kind = getattr(getattr(item, "type", None), "kind", None)
    return convert_to_tensor(item, None if kind is None else _WIDEST.get(kind))


# Numbers of Python's are printed with all of their digits.
_WIDEST = {"int": int64, "float": float64}


def _stream(given: Any) -> str | Opaque:
    """Returns the stream as data: "stdout", "stderr", or "file://" and a path; what is none of them
    is held.
    """
    if given is sys.stdout or given is sys.stderr:
        given = "stdout" if given is sys.stdout else "stderr"
    if isinstance(given, str) and given in _STANDARD:
        if state._trace is not None:
            state._trace.check_stream(given)
        return given
    if isinstance(given, str) and given.startswith(_FILE):
        return given
    if hasattr(given, "write") or callable(given):
        return Opaque(given)
    raise ValueError(
        "output_stream must be sys.stdout, sys.stderr, a logging function, an object with a "
        f"method `write`, or 'file://' and a path, got {given!r}"
    )


_STANDARD = ("stdout", "stderr")
_FILE = "file://"


def _write(stream: str | Opaque, text: str) -> None:
    if isinstance(stream, Opaque):
        # Loggers end their lines themselves.
        write = getattr(stream.item, "write", None)
        stream.item(text.removesuffix("\n")) if write is None else write(text)
    elif stream in _STANDARD:
        # They are looked up when the text is written: they may have been redirected.
        standard = getattr(sys, stream)
        standard.write(text)
        standard.flush()
    else:
        with open(stream.removeprefix(_FILE), "a", encoding="utf-8") as file:
            file.write(text)


def _print_kernel(
    *arrays: Any, parts: Sequence[str | bool | None], summarize: int, stream: str | Opaque
) -> tuple[()]:
    values = iter(arrays)
    texts = [
        part if isinstance(part, str) else _shown(next(values), part is not None, summarize)
        for part in parts
    ]
    call_back(_write, stream, "".join(texts))
    return ()


def _shown(array: Any, as_it_is: bool, summarize: int) -> str:
    if as_it_is and array.dtype.kind == "O" and not array.shape:
        return _utf8(array.item())
    return _utf8(encoded(summary(array, summarize)))


def _print_type(*types: Any, **params: Any) -> tuple[()]:
    return ()


print_p = row(
    "print_v2", _print_kernel, _print_type, op_type="PrintV2", effect=True, calls_back=True
)


# Text of arrays


def summary(array: Any, summarize: int = 3) -> str:
    """The elements of an array in brackets, the first and last `summarize` of each dimension (-1:
    all); `encoded` gives its bytes.
    """
    array = np.asarray(array)
    if array.dtype in WIDENED:
        array = array.astype(WIDENED[array.dtype].np_dtype)
    return _rows(array, summarize if summarize >= 0 else max(array.shape, default=0), 0)


def _rows(array: Any, ends: int, depth: int) -> str:
    if array.ndim == 0:
        return element(array.item() if array.dtype.kind == "O" else array[()])
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    size = len(array)
    tail = range(max(ends, size - ends), size)
    shown = [_rows(array[i, ...], ends, depth + 1) for i in range(min(ends, size))]
    if size > 2 * ends:
        shown.append("...")
    shown += [_rows(array[i, ...], ends, depth + 1) for i in tail]
    return "[" + gap.join(shown) + "]"


_ESCAPED = {code: f"\\{code:03o}" for code in (*range(32), 127)} | {
    ord(letter): f"\\{shown}" for letter, shown in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)
}
"""Characters that the text of an element shows by their codes: controls, quotes, backslashes."""


def element(value: Any) -> str:
    """One element: floats in their shortest form that is told apart, truth values as 1 and 0."""
    if isinstance(value, bytes):
        return f'"{value.decode("utf-8", "surrogateescape").translate(_ESCAPED)}"'
    if isinstance(value, np.complexfloating):
        return f"({element(value.real)},{element(value.imag)})"
    if isinstance(value, np.floating):
        return _float(value)
    return str(int(value))


def encoded(text: str) -> bytes:
    """The bytes of the text of an array, in which those of texts are as they were."""
    return text.encode("utf-8", "surrogateescape")


def _utf8(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _float(value: Any) -> str:
    kind = np.float64 if value.dtype.itemsize == 8 else np.float32
    short, long = (15, 17) if kind is np.float64 else (6, 9)
    text = f"{float(value):.{short}g}"
    return text if kind(text) == kind(value) or value != value else f"{float(value):.{long}g}"

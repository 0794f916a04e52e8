"""Splitting strings into words, bytes and n-grams."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.core.primitive import bind, row, sample, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int, static_ints
from runtime.ops.ragged import RaggedTensor
from runtime.ops.strings.elements import (
    Strings,
    array_of,
    as_bytes,
    as_strings,
    elements_of,
    static_bytes,
)


def split_kernel(x: Any, *, separate: Callable[..., Strings], **params: Any) -> Any:
    split_shape(np.shape(x))
    rows = [separate(s, **params) for s in elements_of(x)]
    splits = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    values = [part for parts in rows for part in parts]
    return array_of(values, (len(values),)), splits


def split_shape(shape: Shape, **params: Any) -> tuple[Shape, Shape]:
    if shape is None:
        return (None,), (None,)
    if len(shape) > 1:
        raise wrong_value(f"only scalars and vectors of strings can be split, got shape {shape}")
    count = shape[0] if shape else 1
    return (None,), (None if count is None else count + 1,)


def _words(s: bytes, separator: bytes, limit: int) -> Strings:
    if separator:
        return s.split(separator, limit)
    return s.split(None, limit)


def _single_bytes(s: bytes) -> Strings:
    return [s[i : i + 1] for i in range(len(s))]


split_p = row(
    "string_split", lambda x, **params: split_kernel(x, separate=_words, **params),
    signature="S->S,int64", shape=split_shape, op_type="StringSplitV2",
    samples=(sample("3:s", separator=b"", limit=-1), sample(":s", separator=b"a", limit=1)),
)  # fmt: skip
bytes_split_p = row(
    "bytes_split", lambda x: split_kernel(x, separate=_single_bytes), signature="S->S,int64",
    shape=split_shape, op_type="StringBytesSplit", samples=(sample("3:s"), sample(":s")),
)  # fmt: skip


def ragged_rows(x: Tensor, parts: tuple[Tensor, Tensor]) -> Any:
    if x.ndim is None:
        raise wrong_value(
            "strings of unknown rank: give them a shape with ensure_shape or set_shape"
        )
    return parts[0] if x.ndim == 0 else RaggedTensor(*parts)


def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Tensor | RaggedTensor:
    """The words of a string, as a vector.

    Of a vector of strings it is a RaggedTensor with a row for each.

    They are separated by `sep`, or by runs of white space; `maxsplit` limits the number of cuts.
    InvalidArgumentError for strings of rank 2 or more.

    >>> rt.strings.split("a b").numpy().tolist()
    [b'a', b'b']
    """
    x = as_strings(input)
    separator = b"" if sep is None else static_bytes(sep, "sep")
    limit = static_int(maxsplit, "maxsplit")
    return ragged_rows(x, bind(split_p, x, separator=separator, limit=limit))  # type: ignore[no-any-return]


def bytes_split(input: Any, name: str | None = None) -> Tensor | RaggedTensor:
    """The bytes of a string, as a vector of strings; of a vector of strings, a RaggedTensor.

    >>> rt.strings.bytes_split("ab").numpy().tolist()
    [b'a', b'b']
    """
    x = as_strings(input)
    return ragged_rows(x, bind(bytes_split_p, x))  # type: ignore[no-any-return]


def _runs(words: Strings, widths: tuple[int, ...], separator: bytes) -> Strings:
    return [
        separator.join(words[i : i + n]) for n in widths for i in range(max(0, len(words) - n + 1))
    ]


def _ngrams_kernel(x: Any, *, widths: tuple[int, ...], separator: bytes) -> Any:
    shape = _ngrams_shape(x.shape, widths=widths, separator=separator)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1]).tolist()
    return array_of([run for words in rows for run in _runs(words, widths, separator)], shape)


def _ngrams_shape(shape: Shape, *, widths: tuple[int, ...], separator: bytes) -> Any:
    if shape is None:
        return None
    if not shape:
        raise wrong_value(f"n-grams are made of vectors of strings, got shape {shape}")
    words = shape[-1]
    count = None if words is None else sum(max(0, words - n + 1) for n in widths)
    return (*shape[:-1], count)


ngrams_p = row(
    "string_ngrams", _ngrams_kernel, signature="S->S", shape=_ngrams_shape, op_type="StringNGrams",
    samples=(
        sample("4:s", widths=(1, 2), separator=b" "), sample("2,3:s", widths=(2,), separator=b"-"),
    ),
)  # fmt: skip


def _ragged_ngrams_kernel(
    x: Any, splits: Any, *, widths: tuple[int, ...], separator: bytes
) -> Any:  # fmt: skip
    words, ends = x.tolist(), splits.tolist()
    rows = [
        _runs(words[start:end], widths, separator) for start, end in itertools.pairwise(ends)
    ]  # fmt: skip
    made = [run for found in rows for run in found]
    return array_of(made, (len(made),)), np.cumsum([0, *map(len, rows)], dtype=splits.dtype)


ragged_ngrams_p = row(
    "ragged_ngrams", _ragged_ngrams_kernel, signature="S,I->S,I", op_type="StringNGrams",
    shape=lambda values, splits, **params: ((None,), (None,)),
    samples=(sample("4:s", [0, 1, 1, 4], widths=(1, 2), separator=b" "),),
)  # fmt: skip


def ngrams(
    data: Any, ngram_width: Any, separator: str | bytes = " ", name: str | None = None
) -> Tensor | RaggedTensor:
    """The runs of `ngram_width` words of a vector, each joined; of more vectors, those of each.

    `ngram_width` is one number, or several one after the other. Of rows it is a RaggedTensor.

    >>> rt.strings.ngrams(["a", "b", "c"], 2).numpy().tolist()
    [b'a b', b'b c']
    """
    widths = static_ints(ngram_width, "ngram_width")
    if not widths or min(widths) < 1:
        raise wrong_value(f"ngram_width must be positive, got {ngram_width!r}")
    params = {"widths": widths, "separator": as_bytes(separator)}
    if isinstance(data, RaggedTensor):
        return RaggedTensor(*bind(ragged_ngrams_p, data.values, data.row_splits, **params))
    return bind(ngrams_p, as_strings(data), **params)  # type: ignore[no-any-return]

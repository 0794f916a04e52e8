"""Splitting strings into words, bytes and n-grams."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.core.primitive import bind, row, sample, wrong_dtype, wrong_shape, wrong_value
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
        raise wrong_shape(
            "strings of unknown rank: give them a shape with ensure_shape or set_shape", x
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


def _runs(
    words: Strings, *, widths: tuple[int, ...], separator: bytes, pads: tuple[bytes, bytes],
    room: int | None, whole: bool,
) -> Strings:  # fmt: skip
    """The runs of words, with as much of both `pads` around them as `room` allows."""
    made = []
    for n in widths:
        beside = n - 1 if room is None else min(room, n - 1)
        padded = [*[pads[0]] * beside, *words, *[pads[1]] * beside]
        made += [separator.join(padded[i : i + n]) for i in range(max(0, len(padded) - n + 1))]
    if whole and words and not made:
        around = room or 0
        made = [separator.join([*[pads[0]] * around, *words, *[pads[1]] * around])]
    return made


def _ngrams_kernel(x: Any, **params: Any) -> Any:
    shape = _ngrams_shape(x.shape, **params)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1]).tolist()
    return array_of([run for words in rows if words for run in _runs(words, **params)], shape)


def _ngrams_shape(shape: Shape, **params: Any) -> Any:
    if shape is None:
        return None
    if not shape:
        raise wrong_value(f"n-grams are made of vectors of strings, got shape {shape}")
    words = shape[-1]
    return (*shape[:-1], len(_runs([b""] * words, **params)) if words else words)


def _ngram_sample(*inputs: Any, separator: bytes, widths: tuple[int, ...], **more: Any) -> Any:
    params = {"pads": (b"", b""), "room": 0, "whole": False} | more
    return sample(*inputs, widths=widths, separator=separator, **params)


ngrams_p = row(
    "string_ngrams", _ngrams_kernel, signature="S->S", shape=_ngrams_shape, op_type="StringNGrams",
    samples=(
        _ngram_sample("4:s", widths=(1, 2), separator=b" "),
        _ngram_sample("2,3:s", widths=(2, 5), separator=b"-", pads=(b"<", b">"), room=None),
        _ngram_sample("2:s", widths=(5,), separator=b"-", pads=(b"<", b">"), room=1, whole=True),
    ),
)  # fmt: skip


def _ragged_ngrams_kernel(x: Any, splits: Any, **params: Any) -> Any:
    words, ends = x.tolist(), splits.tolist()
    pairs = itertools.pairwise(ends)
    # Rows without a word have the runs of their padding, beside others that have words.
    rows = [_runs(words[start:end], **params) if words else [] for start, end in pairs]
    made = [run for found in rows for run in found]
    return array_of(made, (len(made),)), np.cumsum([0, *map(len, rows)], dtype=splits.dtype)


ragged_ngrams_p = row(
    "ragged_ngrams", _ragged_ngrams_kernel, signature="S,I->S,I", op_type="StringNGrams",
    shape=lambda values, splits, **params: ((None,), (None,)),
    samples=(_ngram_sample("4:s", [0, 1, 1, 4], widths=(1, 2), separator=b" "),),
)  # fmt: skip


def ngrams(
    data: Any, ngram_width: Any, separator: str | bytes = " ", pad_values: Any = None,
    padding_width: int | None = None, preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:  # fmt: skip
    """The runs of `ngram_width` words of a vector, each joined; of more vectors, those of each.

    `ngram_width` is one number, or several one after the other. Of rows it is a RaggedTensor.
    `pad_values`, one text or those of the left and the right, is put around the words, at most
    `padding_width` times on a side, so that each word is first and last in a run; a row without
    words has the runs of its padding, unless no row has words. Words of which there are too few for
    any run are one with `preserve_short_sequences`.

    >>> rt.strings.ngrams(["a", "b", "c"], 2).numpy().tolist()
    [b'a b', b'b c']
    """
    widths = static_ints(ngram_width, "ngram_width")
    if not widths or min(widths) < 1:
        raise wrong_value(f"ngram_width must be positive, got {ngram_width!r}")
    params = {
        "widths": widths, "separator": as_bytes(separator),
        "whole": bool(preserve_short_sequences), **_padding(pad_values, padding_width),
    }  # fmt: skip
    if isinstance(data, RaggedTensor):
        return RaggedTensor(*bind(ragged_ngrams_p, data.values, data.row_splits, **params))
    return bind(ngrams_p, as_strings(data), **params)  # type: ignore[no-any-return]


def _padding(values: Any, width: Any) -> dict[str, Any]:
    if values is None:
        if width is not None:
            raise wrong_value("ngrams: padding_width needs pad_values")
        return {"pads": (b"", b""), "room": 0}
    both = (values, values) if isinstance(values, str | bytes) else values
    if not isinstance(both, tuple) or [isinstance(v, str | bytes) for v in both] != [True, True]:
        raise wrong_dtype(f"ngrams: pad_values are a text, or a tuple of two, not {values!r}")
    room = None if width is None else static_int(width, "padding_width")
    if room is not None and room < 1:
        raise wrong_value(f"ngrams: padding_width must be positive, got {room}")
    return {"pads": tuple(map(as_bytes, both)), "room": room}

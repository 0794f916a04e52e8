"""Strings: tensors whose elements are byte strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.convert import convert_to_tensor
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import one_of, static_int, static_ints
from runtime.ops.define import axis_in, dims_of, fill_dims
from runtime.ops.fingerprints import fingerprint
from runtime.ops.hashes import murmur, siphash
from runtime.ops.ragged import RaggedTensor
from runtime.primitive import (
    Primitive,
    bind,
    broadcast_shapes,
    row,
    same_shape,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.printing import summary
from runtime.shapes import Shape, merge_shapes
from runtime.tensor import Tensor
from runtime.types import TensorType

Strings = Sequence[bytes]
WORDS = (sample("2,3:s"), sample(":s"))


def _strings(input: Any) -> Tensor:
    return convert_to_tensor(input, dtypes.string)


def _array(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    made = np.empty(len(values), object)
    made[:] = values
    return made.reshape(shape)


def _elements(x: Any) -> list[Any]:
    return np.asarray(x).reshape(-1).tolist()


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that applies a function of one byte string to each element."""

    def kernel(x: Any, **params: Any) -> Any:
        return _array([function(s, **params) for s in _elements(x)], np.shape(x))

    return kernel


# Letters


def _cased(change: Callable[[Any], Any]) -> Callable[..., Any]:
    def function(s: bytes, *, encoding: str) -> bytes:
        if encoding:
            return bytes(change(s.decode("utf-8", "replace")).encode())
        return bytes(change(s))

    return _each(function)


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
    """
    return bind(lower_p, _strings(input), encoding=one_of(encoding, "encoding", ("", "utf-8")))  # type: ignore[no-any-return]


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """In upper case: ASCII letters only, or all with the encoding "utf-8". ValueError for other
    encodings.
    """
    return bind(upper_p, _strings(input), encoding=one_of(encoding, "encoding", ("", "utf-8")))  # type: ignore[no-any-return]


strip_p = row(
    "string_strip", _each(lambda s: s.strip()), signature="S->S", shape=same_shape,
    op_type="StringStrip", samples=WORDS,
)  # fmt: skip


def strip(input: Any, name: str | None = None) -> Tensor:
    """Without white space at both ends."""
    return bind(strip_p, _strings(input))  # type: ignore[no-any-return]


# Lengths and parts

_UNITS = ("BYTE", "UTF8_CHAR")
# A character is a byte that starts one and the bytes that go on with it; nothing is decoded,
# nothing can be invalid.
_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*|[\x80-\xbf]+", re.DOTALL)


def _length(s: bytes, unit: str) -> int:
    if unit == "BYTE":
        return len(s)
    return sum(byte & 0xC0 != 0x80 for byte in s)


def _length_kernel(x: Any, *, unit: str) -> Any:
    return np.array([_length(s, unit) for s in _elements(x)], np.int32).reshape(np.shape(x))


length_p = row(
    "string_length", _length_kernel, signature="S->int32", shape=same_shape, op_type="StringLength",
    samples=(sample("2,3:s", unit="BYTE"), sample(":s", unit="UTF8_CHAR")),
)  # fmt: skip


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes, or of characters with the unit "UTF8_CHAR". ValueError for other
    units.
    """
    return bind(length_p, _strings(input), unit=one_of(unit, "unit", _UNITS))  # type: ignore[no-any-return]


def _part(s: bytes, start: int, count: int, unit: str) -> bytes:
    parts = s if unit == "BYTE" else _CHARACTER.findall(s)
    size = len(parts)
    if not -size <= start <= size:
        raise errors.InvalidArgumentError(f"pos {start} out of range for string {s!r}")
    if count < 0:
        raise errors.InvalidArgumentError(f"len must not be negative, got {count}")
    start = start + size if start < 0 else start
    found = parts[start : start + count]
    return found if isinstance(found, bytes) else b"".join(found)


def _substr_kernel(x: Any, pos: Any, count: Any, *, unit: str) -> Any:
    _same_places(np.shape(pos), np.shape(count))
    x, pos, count = np.broadcast_arrays(x, pos, count)
    triples = zip(_elements(x), _elements(pos), _elements(count), strict=True)
    return _array([_part(s, i, n, unit) for s, i, n in triples], x.shape)


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
    """At most `len` bytes (or characters, with the unit "UTF8_CHAR") from `pos` on; negative ones
    count from the end.

    `pos` and `len` have one shape, which broadcasts with that of `input`. InvalidArgumentError
    where `pos` is outside of a string or `len` is negative.
    """
    start = convert_to_tensor(pos)
    count = convert_to_tensor(len, dtype_hint=start.dtype)
    return bind(substr_p, _strings(input), start, count, unit=one_of(unit, "unit", _UNITS))  # type: ignore[no-any-return]


# Joining


def _join_kernel(*parts: Any, separator: bytes) -> Any:
    shape: Any = _join_shape(*map(np.shape, parts))
    columns = [_elements(np.broadcast_to(part, shape)) for part in parts]
    return _array([separator.join(words) for words in zip(*columns, strict=True)], shape)


def _join_shape(*shapes: Shape, **params: Any) -> Shape:
    made: Shape = ()
    for shape in shapes:
        if shape is None or made == ():
            made = shape if made == () else made
        elif shape != ():
            try:
                made = merge_shapes(made, shape)
            except ValueError:
                raise wrong_value(
                    f"shapes of strings to join do not match: {made} and {shape}"
                ) from None
    return made


join_p = row(
    "string_join", _join_kernel, signature="S*->S", shape=_join_shape, op_type="StringJoin",
    samples=(sample("2,3:s", "2,3:s", separator=b""), sample(":s", "2:s", separator=b"-")),
)  # fmt: skip


def join(inputs: Any, separator: str | bytes = "", name: str | None = None) -> Tensor:
    """The elements of several tensors of one shape (or scalars) joined, with `separator` between
    them.

    `inputs` is a list; joining nothing gives the empty string. TypeError for anything but a list of
    strings.
    """
    if not isinstance(inputs, list | tuple):
        raise wrong_dtype(f"inputs must be a list of tensors, not {type(inputs).__name__}")
    if not inputs:
        return convert_to_tensor("")
    return bind(join_p, *map(_strings, inputs), separator=_bytes(separator))  # type: ignore[no-any-return]


def _bytes(text: str | bytes) -> bytes:
    if not isinstance(text, str | bytes):
        raise wrong_dtype(f"a separator must be a string, not {type(text).__name__}")
    return text.encode() if isinstance(text, str) else text


def _reduce_join_shape(
    shape: Shape, *, axis: tuple[int, ...] | None, keepdims: bool, separator: bytes
) -> Shape:
    if shape is None:
        return () if axis is None and not keepdims else None
    gone = range(len(shape)) if axis is None else [axis_in(i, len(shape)) for i in axis]
    if len(set(gone)) < len(gone):
        raise wrong_value(f"duplicate reduction dimension in {axis}")
    if keepdims:
        return tuple(1 if i in gone else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in gone)


def _reduce_join_kernel(
    x: Any, *, axis: tuple[int, ...] | None, keepdims: bool, separator: bytes
) -> Any:
    shape = _reduce_join_shape(x.shape, axis=axis, keepdims=keepdims, separator=separator)
    # Joined along the first axis first: it varies fastest.
    gone = list(range(x.ndim)) if axis is None else [i % x.ndim for i in axis][::-1]
    kept = [i for i in range(x.ndim) if i not in gone]
    places = int(np.prod([x.shape[i] for i in kept], dtype=np.int64))
    count = int(np.prod([x.shape[i] for i in gone], dtype=np.int64))
    rows = np.transpose(x, kept + gone).reshape(places, count)
    return _array([separator.join(words) for words in rows.tolist()], shape)  # type: ignore[arg-type]


reduce_join_p = row(
    "reduce_join", _reduce_join_kernel, signature="S->S", shape=_reduce_join_shape,
    op_type="ReduceJoin",
    samples=(
        sample("2,3:s", axis=None, keepdims=False, separator=b""),
        sample("2,3:s", axis=(1,), keepdims=True, separator=b","),
    ),
)  # fmt: skip


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str | bytes = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """All elements along `axis` (several: one after the other; None: all) joined, with `separator`
    between them.
    """
    x = _strings(inputs)
    chosen = None if axis is None else static_ints(axis, "axis")
    return bind(  # type: ignore[no-any-return]
        reduce_join_p, x, axis=chosen, keepdims=bool(keepdims), separator=_bytes(separator)
    )


def _segment_join_kernel(x: Any, ids: Any, *dims: Any, shape: Shape, separator: bytes) -> Any:
    (count,) = fill_dims(shape, dims)
    made_shape: Any = _segment_join_shape(x.shape, ids.shape, shape=(count,), separator=separator)
    rows = x.reshape(ids.size, -1)
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, segment in enumerate(_elements(ids)):
        if segment >= count:
            raise errors.InvalidArgumentError(
                f"segment id {segment} is not below num_segments = {count}"
            )
        if segment >= 0:
            groups[segment].append(place)
    joined = [separator.join(column) for group in groups for column in rows[group].T.tolist()]
    return _array(joined, made_shape)


def _segment_join_shape(
    x: Shape, ids: Shape, *dims: Shape, shape: Shape, separator: bytes
) -> Shape:
    (count,) = shape or (None,)
    if count is not None and count < 0:
        raise wrong_value(f"num_segments must not be negative, got {count}")
    if x is None or ids is None:
        return None
    try:
        merge_shapes(x[: len(ids)], ids)
    except ValueError:
        raise wrong_value(f"segment ids of shape {ids} do not fit strings of shape {x}") from None
    return (count, *x[len(ids) :])


segment_join_p = row(
    "unsorted_segment_join", _segment_join_kernel, signature="S,I,i*->S", shape=_segment_join_shape,
    op_type="UnsortedSegmentJoin", fallible=True,
    samples=(sample("3:s", [0, 1, 0], shape=(2,), separator=b":"),),
)  # fmt: skip


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str | bytes = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """For each of `num_segments` segments the strings with its number in `segment_ids`, joined."""
    static, dynamic = dims_of([num_segments])
    return bind(  # type: ignore[no-any-return]
        segment_join_p, _strings(inputs), convert_to_tensor(segment_ids), *dynamic, shape=static,
        separator=_bytes(separator),
    )  # fmt: skip


# Splitting


def _split_kernel(x: Any, *, separate: Callable[..., Strings], **params: Any) -> Any:
    _split_shape(np.shape(x))
    rows = [separate(s, **params) for s in _elements(x)]
    splits = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    values = [part for parts in rows for part in parts]
    return _array(values, (len(values),)), splits


def _split_shape(shape: Shape, **params: Any) -> tuple[Shape, Shape]:
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
    "string_split", lambda x, **params: _split_kernel(x, separate=_words, **params),
    signature="S->S,int64", shape=_split_shape, op_type="StringSplitV2",
    samples=(sample("3:s", separator=b"", limit=-1), sample(":s", separator=b"a", limit=1)),
)  # fmt: skip
bytes_split_p = row(
    "bytes_split", lambda x: _split_kernel(x, separate=_single_bytes), signature="S->S,int64",
    shape=_split_shape, op_type="StringBytesSplit", samples=(sample("3:s"), sample(":s")),
)  # fmt: skip


def _rows(x: Tensor, parts: tuple[Tensor, Tensor]) -> Any:
    return parts[0] if x.ndim == 0 else RaggedTensor(*parts)


def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Tensor | RaggedTensor:
    """The words of a string, as a vector; of a vector of strings, a RaggedTensor with a row for
    each.

    They are separated by `sep`, or by runs of white space; `maxsplit` limits the number of cuts.
    InvalidArgumentError for strings of rank 2 or more.
    """
    x = _strings(input)
    separator = b"" if sep is None else _static_bytes(sep, "sep")
    return _rows(x, bind(split_p, x, separator=separator, limit=static_int(maxsplit, "maxsplit")))  # type: ignore[no-any-return]


def _static_bytes(value: Any, what: str) -> bytes:
    if isinstance(value, str | bytes):
        return _bytes(value)
    static = convert_to_tensor(value).static_value
    if static is None or np.ndim(static) or not isinstance(static.item(), bytes):
        raise wrong_dtype(f"{what} must be a string that is known while tracing, got {value!r}")
    return bytes(static.item())


def bytes_split(input: Any, name: str | None = None) -> Tensor | RaggedTensor:
    """The bytes of a string, as a vector of strings; of a vector of strings, a RaggedTensor."""
    x = _strings(input)
    return _rows(x, bind(bytes_split_p, x))  # type: ignore[no-any-return]


def _ngrams_kernel(x: Any, *, widths: tuple[int, ...], separator: bytes) -> Any:
    if x.ndim != 1:
        _ngrams_shape(x.shape, widths=widths, separator=separator)
    words = x.tolist()
    made = [
        separator.join(words[i : i + n]) for n in widths for i in range(max(0, len(words) - n + 1))
    ]
    return _array(made, (len(made),))


def _ngrams_shape(shape: Shape, *, widths: tuple[int, ...], separator: bytes) -> Shape:
    if shape is None:
        return (None,)
    if len(shape) != 1:
        raise wrong_value(f"n-grams are made of a vector of strings, got shape {shape}")
    (size,) = shape
    return (None if size is None else sum(max(0, size - n + 1) for n in widths),)


ngrams_p = row(
    "string_ngrams", _ngrams_kernel, signature="S->S", shape=_ngrams_shape, op_type="StringNGrams",
    samples=(sample("4:s", widths=(1, 2), separator=b" "),),
)  # fmt: skip


def ngrams(
    data: Any, ngram_width: Any, separator: str | bytes = " ", name: str | None = None
) -> Tensor:
    """The runs of `ngram_width` (one number, or several one after the other) words of a vector,
    each joined.
    """
    widths = static_ints(ngram_width, "ngram_width")
    if not widths or min(widths) < 1:
        raise wrong_value(f"ngram_width must be positive, got {ngram_width!r}")
    return bind(ngrams_p, _strings(data), widths=widths, separator=_bytes(separator))  # type: ignore[no-any-return]


# Patterns


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise errors.InvalidArgumentError(f"invalid pattern {text!r}: {error}") from None


@lru_cache(maxsize=256)
def _rewriting(rewrite: str, groups: int) -> Callable[[re.Match[str]], str]:
    r"""The replacement for a match: \0 stands for all of it, \1 for its first group, \\ for a
    backslash.
    """
    parts = re.split(r"\\(.?)", rewrite, flags=re.DOTALL)
    for escape in parts[1::2]:
        if escape != "\\" and not (escape in set("0123456789") and int(escape) <= groups):
            raise errors.InvalidArgumentError(
                f"invalid rewrite {rewrite!r}: \\{escape} names no group of the pattern"
            )

    def replacement(match: re.Match[str]) -> str:
        made = list(parts)
        made[1::2] = [e if e == "\\" else match.group(int(e)) or "" for e in parts[1::2]]
        return "".join(made)

    return replacement


def _text(s: bytes) -> str:
    """The characters of a string; bytes that are no UTF-8 stay single characters, which `_raw`
    turns back.
    """
    return s.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _scalar_text(x: Any, what: str) -> str:
    if np.ndim(x):
        raise wrong_value(f"the {what} must be a scalar, got shape {np.shape(x)}")
    return _text(x.item())


def _replace_kernel(x: Any, pattern: Any, rewrite: Any, *, replace_global: bool) -> Any:
    compiled = _pattern(_scalar_text(pattern, "pattern"))
    replacement = _rewriting(_scalar_text(rewrite, "rewrite"), compiled.groups)
    count = 0 if replace_global else 1
    made = [_raw(compiled.sub(replacement, _text(s), count=count)) for s in _elements(x)]
    return _array(made, x.shape)


def _check_scalars(*shapes: Shape) -> None:
    for shape in shapes:
        if shape not in ((), None):
            raise wrong_value(f"patterns and rewrites must be scalars, got shape {shape}")


def _replace_shape(x: Shape, pattern: Shape, rewrite: Shape, *, replace_global: bool) -> Shape:
    _check_scalars(pattern, rewrite)
    return x


def _match_kernel(x: Any, pattern: Any) -> Any:
    compiled = _pattern(_scalar_text(pattern, "pattern"))
    found = [compiled.fullmatch(_text(s)) is not None for s in _elements(x)]
    return np.array(found, bool).reshape(x.shape)


def _match_shape(x: Shape, pattern: Shape) -> Shape:
    _check_scalars(pattern)
    return x


replace_p = row(
    "regex_replace", _replace_kernel, signature="S,S,S->S", shape=_replace_shape,
    op_type="RegexReplace", fallible=True,
    samples=(sample("2,3:s", ":s", ":s", replace_global=True),),
)  # fmt: skip
match_p = row(
    "regex_full_match", _match_kernel, signature="S,S->bool", shape=_match_shape,
    op_type="RegexFullMatch", fallible=True, samples=(sample("2,3:s", ":s"),),
)  # fmt: skip


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""What matches `pattern` (each match, or only the first) replaced by `rewrite`.

    Patterns are those of Python's `re` with ASCII classes; in `rewrite` \1 stands for the first
    group, \0 for the whole match. InvalidArgumentError for patterns that are invalid and groups
    that do not exist.
    """
    return bind(  # type: ignore[no-any-return]
        replace_p, _strings(input), _strings(pattern), _strings(rewrite),
        replace_global=bool(replace_global),
    )  # fmt: skip


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Does the whole string match `pattern` (one of Python's `re`, with ASCII classes)?"""
    return bind(match_p, _strings(input), _strings(pattern))  # type: ignore[no-any-return]


# Numbers

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
    raise errors.InvalidArgumentError(f"cannot convert the string {s!r} to {dtype.name}")


def _to_number_kernel(x: Any, *, dtype: DType) -> Any:
    values = [_number(s, dtype) for s in _elements(x)]
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
    """
    wanted = as_dtype(out_type)
    if wanted not in _PARSED:
        raise wrong_value(f"out_type must be one of {dtypes.names(_PARSED)}, not {wanted.name}")
    return bind(to_number_p, _strings(input), dtype=wanted)  # type: ignore[no-any-return]


def _as_string_kernel(x: Any, *, spec: str) -> Any:
    kind = x.dtype.kind
    values = _elements(x)
    if kind == "b":
        return _array([b"true" if value else b"false" for value in values], x.shape)
    if kind == "c":
        texts = [f"({spec % value.real},{spec % value.imag})" for value in values]
    else:
        texts = [spec % value for value in values]
    return _array([text.encode() for text in texts], x.shape)


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
    """Numbers and truth values as C's printf writes them ("%f", "%e" if `scientific`, "%g" if
    `shortest`, "%d").

    Strings stay as they are. ValueError for a notation that the dtype does not have.
    """
    x = convert_to_tensor(input)
    if x.dtype is dtypes.string:
        return x
    spec = _format_spec(x.dtype, precision, scientific, shortest, width, fill)
    return bind(as_string_p, x, spec=spec)  # type: ignore[no-any-return]


# Hashes


def _bucket_row(name: str, op_type: str, hashed: Callable[..., int], **key: Any) -> Primitive:
    def kernel(x: Any, *, buckets: int, **key: Any) -> Any:
        values = [hashed(s, **key) % buckets for s in _elements(x)]
        return np.array(values, np.int64).reshape(np.shape(x))

    return row(
        name, kernel, signature="S->int64", shape=same_shape, op_type=op_type,
        samples=(sample("2,3:s", buckets=7, **key),),
    )  # fmt: skip


bucket_fast_p = _bucket_row("string_to_hash_bucket_fast", "StringToHashBucketFast", fingerprint)
bucket_p = _bucket_row("string_to_hash_bucket", "StringToHashBucket", murmur)
bucket_strong_p = _bucket_row(
    "string_to_hash_bucket_strong", "StringToHashBucketStrong", siphash, key=(1, 2)
)


def _bucket(primitive: Primitive, input: Any, num_buckets: Any, **key: Any) -> Tensor:
    buckets = static_int(num_buckets, "num_buckets")
    if buckets < 1:
        raise wrong_value(f"num_buckets must be positive, got {num_buckets}")
    return bind(primitive, _strings(input), buckets=buckets, **key)  # type: ignore[no-any-return]


def to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """FarmHash's 64-bit fingerprint of each string, modulo `num_buckets`: the same in every run and
    on every machine. ValueError unless `num_buckets` is positive.
    """
    return _bucket(bucket_fast_p, input, num_buckets)


def to_hash_bucket(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """The MurmurHash64A of each string, modulo `num_buckets`; `to_hash_bucket_fast` spreads
    strings better.
    """
    return _bucket(bucket_p, input, num_buckets)


def to_hash_bucket_strong(
    input: Any, num_buckets: Any, key: Any, name: str | None = None
) -> Tensor:
    """The SipHash-2-4 of each string under a secret `key` of two integers, modulo `num_buckets`:
    without the key nobody can find strings that collide.
    """
    numbers = static_ints(key, "key")
    if len(numbers) != 2:
        raise wrong_value(f"key must be two integers, got {key!r}")
    words = tuple([number % (1 << 64) for number in numbers])
    return _bucket(bucket_strong_p, input, num_buckets, key=words)


# Text of tensors


def _format_kernel(*arrays: Any, template: str, placeholder: str, summarize: int) -> Any:
    first, *rest = template.split(placeholder)
    texts = [summary(array, summarize) for array in arrays]
    text = first + "".join(shown + part for shown, part in zip(texts, rest, strict=True))
    return np.array(text.encode(), object)


format_p = row(
    "string_format", _format_kernel, lambda *types, **params: TensorType(dtypes.string, ()),
    op_type="StringFormat",
    samples=(sample("2,3", ":s", template="{} and {}", placeholder="{}", summarize=3),),
)  # fmt: skip


def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """`template` with the text of a tensor, or of each of a list of tensors, in the places of
    `placeholder`.

    ValueError unless there are as many places as tensors.
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


# Unicode

_ENCODINGS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
_REACTIONS = ("strict", "replace", "ignore")


def _decoded(s: bytes, encoding: str, reaction: str, replacement: int) -> str:
    codec = _ENCODINGS.get(encoding, encoding)
    try:
        return s.decode(codec)
    except UnicodeDecodeError as error:
        if reaction == "strict":
            raise errors.InvalidArgumentError(
                f"invalid {encoding} in {s!r}: {error.reason}"
            ) from None
    except LookupError:
        raise errors.InvalidArgumentError(f"unknown encoding {encoding!r}") from None
    if reaction == "ignore":
        return s.decode(codec, "ignore")
    return s.decode(codec, "replace").replace("�", chr(replacement))


def _unicode_params(encoding: str, reaction: str, replacement: int) -> dict[str, Any]:
    if not isinstance(encoding, str):
        raise wrong_dtype(f"the encoding must be a Python string, got {encoding!r}")
    replacement = static_int(replacement, "replacement_char")
    if not 0 <= replacement < 0x110000 or 0xD800 <= replacement < 0xE000:
        raise wrong_value(f"replacement_char must be a Unicode code point, got {replacement}")
    return {
        "encoding": encoding.upper(),
        "reaction": one_of(reaction, "errors", _REACTIONS),
        "replacement": replacement,
    }


def _characters(s: bytes, **how: Any) -> Strings:
    return [character.encode() for character in _decoded(s, **how)]


def _points(s: bytes, **how: Any) -> Any:
    return [ord(character) for character in _decoded(s, **how)]


def _points_kernel(x: Any, **how: Any) -> Any:
    values, splits = _split_kernel(x, separate=_points, **how)
    return values.astype(np.int32), splits


_UTF8 = {"encoding": "UTF-8", "reaction": "replace", "replacement": 0xFFFD}
unicode_split_p = row(
    "unicode_split", lambda x, **how: _split_kernel(x, separate=_characters, **how),
    signature="S->S,int64", shape=_split_shape, op_type="UnicodeSplit", fallible=True,
    samples=(sample("3:s", **_UTF8),),
)  # fmt: skip
unicode_decode_p = row(
    "unicode_decode", _points_kernel, signature="S->int32,int64", shape=_split_shape,
    op_type="UnicodeDecode", fallible=True, samples=(sample("3:s", **_UTF8),),
)  # fmt: skip


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor | RaggedTensor:  # fmt: skip
    """The characters of a string, each a UTF-8 string, as a vector; of a vector of strings, a
    RaggedTensor.

    `errors` tells what becomes of invalid bytes: "replace" (by `replacement_char`), "ignore" or
    "strict" (InvalidArgumentError).
    """
    x = _strings(input)
    how = _unicode_params(input_encoding, errors, replacement_char)
    return _rows(x, bind(unicode_split_p, x, **how))  # type: ignore[no-any-return]


def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> Tensor | RaggedTensor:  # fmt: skip
    """The code points of a string, as a vector of int32; of a vector of strings, a RaggedTensor.
    See `unicode_split`.
    """
    x = _strings(input)
    how = _unicode_params(input_encoding, errors, replacement_char)
    return _rows(x, bind(unicode_decode_p, x, **how))  # type: ignore[no-any-return]


def _encode_kernel(x: Any, *, encoding: str, reaction: str, replacement: int) -> Any:
    _encode_shape(x.shape)
    rows = (
        np.asarray(x).reshape(-1, x.shape[-1])
        if x.size
        else np.zeros((x.shape[0] if x.ndim > 1 else 1, 0), int)
    )
    made = [_encoded(points, encoding, reaction, replacement) for points in rows.tolist()]
    return _array(made, x.shape[:-1])


def _encoded(points: list[int], encoding: str, reaction: str, replacement: int) -> bytes:
    valid = [0 <= p < 0x110000 and not 0xD800 <= p < 0xE000 for p in points]
    if reaction == "strict" and not all(valid):
        raise errors.InvalidArgumentError(f"invalid code point {points[valid.index(False)]}")
    text = "".join(
        chr(p) if good else chr(replacement) if reaction == "replace" else ""
        for p, good in zip(points, valid, strict=True)
    )
    return text.encode(_ENCODINGS[encoding])


def _encode_shape(shape: Shape, **params: Any) -> Shape:
    if shape is None:
        return None
    if len(shape) not in (1, 2):
        raise wrong_value(f"code points must be a vector or a matrix, got shape {shape}")
    return shape[:-1]


unicode_encode_p = row(
    "unicode_encode", _encode_kernel, signature="I->string", shape=_encode_shape,
    op_type="UnicodeEncode", fallible=True, samples=(sample("2,3:i9", **_UTF8),),
)  # fmt: skip


def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The string with the given code points (a vector), or one for each row of a matrix. See
    `unicode_split`.
    """
    one_of(output_encoding, "output_encoding", tuple(_ENCODINGS))
    how = _unicode_params(output_encoding, errors, replacement_char)
    return bind(unicode_encode_p, convert_to_tensor(input), **how)  # type: ignore[no-any-return]


def _transcode(s: bytes, *, output: str, **how: Any) -> bytes:
    return _decoded(s, **how).encode(_ENCODINGS[output])


transcode_p = row(
    "unicode_transcode", _each(_transcode), signature="S->S", shape=same_shape,
    op_type="UnicodeTranscode", fallible=True,
    samples=(sample("2,3:s", output="UTF-16-BE", **_UTF8),),
)  # fmt: skip


def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace",
    replacement_char: int = 0xFFFD, replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Strings in another encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE". See `unicode_split`."""
    one_of(output_encoding, "output_encoding", tuple(_ENCODINGS))
    how = _unicode_params(input_encoding, errors, replacement_char)
    return bind(transcode_p, _strings(input), output=output_encoding, **how)  # type: ignore[no-any-return]


__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_encode",
    "unicode_split",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]

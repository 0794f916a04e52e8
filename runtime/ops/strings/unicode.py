"""Characters, code points and encodings."""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, row, same_shape, sample, wrong_dtype, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of, static_int
from runtime.ops.ragged import RaggedTensor
from runtime.ops.strings.elements import Strings, array_of, as_strings, elementwise
from runtime.ops.strings.splitting import ragged_rows, split_kernel, split_shape

_ENCODINGS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
_REACTIONS = ("strict", "replace", "ignore")
_CONTROLS = range(0x20)


# Encodings whose order of bytes a mark tells; without one it is the big-endian one.
_MARKS = {
    "utf-16": (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE),
    "utf-32": (codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE),
}


@lru_cache(maxsize=64)
def _codec_named(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise errors.InvalidValueError(f"unknown encoding {encoding!r}") from None


def _codec_for(s: bytes, encoding: str) -> str:
    codec = _codec_named(encoding)
    return codec if codec not in _MARKS or s.startswith(_MARKS[codec]) else codec + "-be"


def _decoded(s: bytes, encoding: str, reaction: str, replacement: int, controls: bool) -> str:
    """The text, in which `controls` tells whether control characters are replaced as well."""
    codec = _codec_for(s, encoding)
    try:
        text = s.decode(codec)
    except UnicodeDecodeError as error:
        if reaction == "strict":
            raise errors.InvalidValueError(f"invalid {encoding} in {s!r}: {error.reason}") from None
        text = s.decode(codec, reaction)
        if reaction == "replace":
            text = text.replace("�", chr(replacement))
    if not controls:
        return text
    return text.translate(
        dict.fromkeys(_CONTROLS, None if reaction == "ignore" else chr(replacement))
    )


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
    return [character.encode() for character in _decoded(s, controls=False, **how)]


def _points(s: bytes, **how: Any) -> Any:
    return [ord(character) for character in _decoded(s, **how)]


def _starts(s: bytes, encoding: str, reaction: str, replacement: int, controls: bool) -> Any:
    """The places in the bytes at which characters begin."""
    text = _decoded(s, encoding, reaction, replacement, controls)
    codec = _codec_for(s, encoding)
    decoder = codecs.getincrementaldecoder(codec)(reaction)
    found: list[tuple[str, int]] = []
    begin = 0
    for at in range(len(s) + 1):
        made = decoder.decode(s[at : at + 1], at == len(s))
        if made and reaction == "ignore":
            begin = at + 1 - len(made.encode(codec.removesuffix("-sig")))
        # Of several at once the first ones are what could not be read.
        rest = range(at - len(made) + 2, at + 1)
        found += zip(made, [begin, *rest][: len(made)], strict=True)
        begin = at + 1 - len(decoder.getstate()[0])
    if controls and reaction == "ignore":
        found = [pair for pair in found if ord(pair[0]) not in _CONTROLS]
    assert len(found) == len(text)
    return [start for _, start in found]


def _starts_kernel(x: Any, **how: Any) -> Any:
    values, splits = split_kernel(x, separate=_starts, **how)
    return values.astype(np.int64), splits


def _points_kernel(x: Any, **how: Any) -> Any:
    values, splits = split_kernel(x, separate=_points, **how)
    return values.astype(np.int32), splits


_UTF8 = {"encoding": "UTF-8", "reaction": "replace", "replacement": 0xFFFD}
unicode_split_p = row(
    "unicode_split", lambda x, **how: split_kernel(x, separate=_characters, **how),
    signature="S->S,int64", shape=split_shape, op_type="UnicodeSplit", fallible=True,
    samples=(sample("3:s", **_UTF8),),
)  # fmt: skip
unicode_decode_p = row(
    "unicode_decode", _points_kernel, signature="S->int32,int64", shape=split_shape,
    op_type="UnicodeDecode", fallible=True, samples=(sample("3:s", **_UTF8, controls=False),),
)  # fmt: skip
unicode_offsets_p = row(
    "unicode_offsets", _starts_kernel, signature="S->int64,int64", shape=split_shape,
    op_type="UnicodeOffsets", fallible=True, samples=(sample("3:s", **_UTF8, controls=False),),
)  # fmt: skip


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor | RaggedTensor:  # fmt: skip
    """The characters of a string, each a UTF-8 string, as a vector.

    Of a vector of strings it is a RaggedTensor.

    `errors` tells what becomes of invalid bytes: "replace" (by `replacement_char`), "ignore" or
    "strict" (InvalidArgumentError). UTF-16 and UTF-32 without a byte-order mark are big-endian.

    >>> rt.strings.unicode_split("hi", "UTF-8").numpy().tolist()
    [b'h', b'i']
    """
    x = as_strings(input)
    how = _unicode_params(input_encoding, errors, replacement_char)
    return ragged_rows(x, bind(unicode_split_p, x, **how))  # type: ignore[no-any-return]


def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> Tensor | RaggedTensor:  # fmt: skip
    """The code points of a string, as a vector of int32; of a vector of strings, a RaggedTensor.
    With `replace_control_characters` those below 32 are replaced, or ignored, as well. See
    `unicode_split`.

    >>> rt.strings.unicode_decode("é", "UTF-8").numpy().tolist()
    [233]
    """
    x = as_strings(input)
    how = _unicode_params(input_encoding, errors, replacement_char)
    how["controls"] = bool(replace_control_characters)
    return ragged_rows(x, bind(unicode_decode_p, x, **how))  # type: ignore[no-any-return]


def _offsets(x: Tensor, **how: Any) -> Tensor | RaggedTensor:
    return ragged_rows(x, bind(unicode_offsets_p, x, **how))  # type: ignore[no-any-return]


def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:  # fmt: skip
    """`unicode_split`, and at which byte of the string each character begins, as int64.

    >>> parts, offsets = rt.strings.unicode_split_with_offsets("né!", "UTF-8")
    >>> offsets.numpy().tolist()
    [0, 1, 3]
    """
    x = as_strings(input)
    how = _unicode_params(input_encoding, errors, replacement_char)
    return unicode_split(x, input_encoding, errors, replacement_char), _offsets(
        x, **how, controls=False
    )


def unicode_decode_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:  # fmt: skip
    """`unicode_decode`, and at which byte of the string each character begins, as int64.

    >>> points, offsets = rt.strings.unicode_decode_with_offsets("né!", "UTF-8")
    >>> points.numpy().tolist(), offsets.numpy().tolist()
    ([110, 233, 33], [0, 1, 3])
    """
    x = as_strings(input)
    how = _unicode_params(input_encoding, errors, replacement_char)
    controls = bool(replace_control_characters)
    points = unicode_decode(x, input_encoding, errors, replacement_char, controls)
    return points, _offsets(x, **how, controls=controls)


def _encode_kernel(x: Any, *, encoding: str, reaction: str, replacement: int) -> Any:
    _encode_shape(x.shape)
    rows = (
        np.asarray(x).reshape(-1, x.shape[-1])
        if x.size
        else np.zeros((x.shape[0] if x.ndim > 1 else 1, 0), int)
    )
    made = [_encoded(points, encoding, reaction, replacement) for points in rows.tolist()]
    return array_of(made, x.shape[:-1])


def _encoded(points: list[int], encoding: str, reaction: str, replacement: int) -> bytes:
    valid = [0 <= p < 0x110000 and not 0xD800 <= p < 0xE000 for p in points]
    if reaction == "strict" and not all(valid):
        raise errors.InvalidValueError(f"invalid code point {points[valid.index(False)]}")
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

    >>> rt.strings.unicode_encode([104, 105], "UTF-8").numpy()
    b'hi'
    """
    one_of(output_encoding, "output_encoding", tuple(_ENCODINGS))
    how = _unicode_params(output_encoding, errors, replacement_char)
    return bind(unicode_encode_p, convert_to_tensor(input), **how)  # type: ignore[no-any-return]


def _transcode(s: bytes, *, output: str, **how: Any) -> bytes:
    if how["controls"] and how["reaction"] == "strict":
        plain = _decoded(s, **how | {"controls": False})
        if any(ord(character) in _CONTROLS for character in plain):
            raise errors.InvalidValueError(f"control characters in {s!r}")
    return _decoded(s, **how).encode(_ENCODINGS[output])


transcode_p = row(
    "unicode_transcode", elementwise(_transcode), signature="S->S", shape=same_shape,
    op_type="UnicodeTranscode", fallible=True,
    samples=(sample("2,3:s", output="UTF-16-BE", controls=True, **_UTF8),),
)  # fmt: skip


def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace",
    replacement_char: int = 0xFFFD, replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Strings in another encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE". With
    `replace_control_characters` those below 32 count as invalid. See `unicode_split`.

    >>> wide = rt.strings.unicode_transcode("hi", "UTF-8", "UTF-16-BE")
    >>> int(rt.strings.length(wide))
    4
    """
    one_of(output_encoding, "output_encoding", tuple(_ENCODINGS))
    how = _unicode_params(input_encoding, errors, replacement_char)
    how["controls"] = bool(replace_control_characters)
    return bind(transcode_p, as_strings(input), output=output_encoding, **how)  # type: ignore[no-any-return]

"""Files as tensors of bytes, and numbers in bytes."""

from __future__ import annotations

import os
import typing as _typing
from pathlib import Path
from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.files import RAISED, explained, text_scalar
from runtime.core.lazy import attributes as _attributes
from runtime.core.lazy import public as _public
from runtime.core.primitive import bind, flat, row, wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.io import gfile as gfile
from runtime.io.records import TFRecordOptions as TFRecordOptions
from runtime.io.records import TFRecordWriter as TFRecordWriter
from runtime.ops.strings.codes import decode_base64 as decode_base64
from runtime.ops.strings.codes import encode_base64 as encode_base64
from runtime.ops.strings.csv_fields import decode_csv as decode_csv

if _typing.TYPE_CHECKING:
    from runtime.data.examples import FixedLenFeature as FixedLenFeature
    from runtime.data.examples import FixedLenSequenceFeature as FixedLenSequenceFeature
    from runtime.data.examples import parse_example as parse_example
    from runtime.data.examples import parse_single_example as parse_single_example
    from runtime.data.examples import parse_tensor as parse_tensor
    from runtime.data.examples import serialize_tensor as serialize_tensor


def _only(text: Any, what: str) -> Any:
    if np.ndim(text):
        raise wrong_value(f"`{what}` must be a string scalar, got shape {np.shape(text)}")
    return text.item() if hasattr(text, "item") else text


def _path(name: Any) -> Path:
    return Path(os.fsdecode(_only(name, "filename")))


def _read_kernel(name: Any) -> Any:
    path = _path(name)
    try:
        return np.array(path.read_bytes(), object)
    except FileNotFoundError:
        raise errors.NotFoundError(f"{path}: no such file") from None
    except OSError as error:
        raise errors.UnknownError(str(error)) from None


_read_p = row(
    "read_file", _read_kernel, signature="S->S", shape=lambda name: (), op_type="ReadFile",
    gradient=flat, effect=True, repeatable=True, fallible=True,
    raises=(errors.InvalidValueError, *RAISED),
)  # fmt: skip


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The bytes of a file, as a string scalar; in a graph, at each run.

    Raises NotFoundError where there is no such file, InvalidArgumentError for several names.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     rt.io.write_file(file.name, "text")
    ...     rt.io.read_file(file.name).numpy()
    b'text'
    """
    return bind(_read_p, text_scalar(filename, "filename"))  # type: ignore[no-any-return]


def _write_kernel(name: Any, contents: Any) -> Any:
    path = _path(name)
    with explained():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_only(contents, "contents"))
    return ()


_write_p = row(
    "write_file", _write_kernel, signature="S,S->", infer=lambda *_: (), op_type="WriteFile",
    gradient=flat, effect=True, fallible=True, raises=(errors.InvalidValueError, *RAISED),
)  # fmt: skip


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Write a string scalar to a file, and make the folders that it is in; in a graph, at each run.

    Raises PermissionDeniedError, UnknownError where that is not possible, InvalidArgumentError for
    several names or texts.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.write_file(folder + "/a/b.txt", b"1")
    ...     rt.io.gfile.listdir(folder)
    ['a']
    """
    bind(_write_p, text_scalar(filename, "filename"), text_scalar(contents, "contents"))


def _decode_kernel(x: Any, *, dtype: Any, little: bool) -> Any:
    texts = [item for item in np.asarray(x, object).ravel()]
    lengths = {len(text) for text in texts}
    if len(lengths) > 1:
        raise wrong_value(f"the texts have different lengths, {sorted(lengths)}")
    size = dtype.np_dtype.itemsize
    length = lengths.pop() if lengths else 0
    if length % size:
        raise wrong_value(f"{length} bytes are no whole number of {dtype.name}, of {size} each")
    wide = dtype.np_dtype.newbyteorder("<" if little else ">")
    made = np.frombuffer(b"".join(texts), wide).astype(dtype.np_dtype)
    return made.reshape(*np.shape(x), length // size)


_decode_p = row(
    "decode_raw", _decode_kernel, signature="S->dtype", op_type="DecodeRaw", gradient=flat,
    fallible=True, shape=lambda x, *, dtype, little: None if x is None else (*x, None),
)  # fmt: skip


def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The numbers whose bytes a string holds, along a new last axis.

    Args:
        input_bytes: strings of one length.
        out_type: a dtype of numbers.

    Raises InvalidArgumentError where the strings are of different lengths, or of no whole number of
    elements, and UnimplementedError for `fixed_length`.

    >>> rt.io.decode_raw(b"\\x01\\x00\\x02\\x00", rt.int16).numpy().tolist()
    [1, 2]
    """
    kind = dtypes.as_dtype(out_type)
    if not (kind.is_numeric or kind.is_bool):
        raise wrong_dtype(f"out_type must be a type of numbers, not {kind.name}")
    if fixed_length is not None:
        raise errors.UnimplementedError("decode_raw() takes no fixed_length: cut by substr")
    x = convert_to_tensor(input_bytes, dtypes.string)
    return bind(_decode_p, x, dtype=kind, little=bool(little_endian))  # type: ignore[no-any-return]


_EXAMPLES = (
    "FixedLenFeature FixedLenSequenceFeature parse_example parse_single_example parse_tensor "
    "serialize_tensor"
)
if not _typing.TYPE_CHECKING:
    __getattr__, _ = _attributes(__name__, {"runtime.data.examples": _EXAMPLES})
__dir__ = _public(
    __name__,
    f"TFRecordOptions TFRecordWriter decode_base64 decode_csv encode_base64 gfile {_EXAMPLES}",
)

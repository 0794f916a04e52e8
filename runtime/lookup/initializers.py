"""Initializers of tables: tensors, or lines of a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.files import text_scalar
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.state import init_scope
from runtime.core.tensor import EagerTensor, Tensor


def _held(given: Any, dtype: Any) -> Tensor:
    """The tensor that a table is filled with: a constant, unless a graph computes it."""
    if isinstance(given, Tensor) and not isinstance(given, EagerTensor):
        return convert_to_tensor(given, dtype)
    with init_scope():
        return convert_to_tensor(given, dtype)


class KeyValueTensorInitializer:
    """Keys and values of a table, as vectors of one length.

    Raises InvalidArgumentError for other shapes, TypeError for dtypes that they cannot have.

    >>> filled = rt.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> filled.key_dtype, filled.value_dtype
    (tf.string, tf.int32)
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self._keys, self._values = _held(keys, key_dtype), _held(values, value_dtype)
        if self._keys.ndim != 1 or self._keys.shape != self._values.shape:
            raise wrong_value(
                "keys and values of a table are vectors of one length, not of shapes "
                f"{self._keys.shape} and {self._values.shape}"
            )

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._keys.dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._values.dtype

    def _is_known(self) -> bool:
        """False for what a graph computes."""
        return all(isinstance(each, EagerTensor) for each in (self._keys, self._values))

    def arrays(self) -> tuple[Any, Any]:
        """The keys and the values.

        >>> rt.lookup.KeyValueTensorInitializer([1, 2], [3.0, 4.0]).arrays()[1].tolist()
        [3.0, 4.0]
        """
        return self._keys.numpy(), self._values.numpy()


class TextFileIndex:
    """The part of a line that is a key or a value: all of it, its number, or else a column.

    >>> rt.lookup.TextFileIndex.WHOLE_LINE, rt.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    r"""Keys and values of a table, from the lines of a file.

    Args:
        filename: the path of a file of UTF-8.
        key_index, value_index: a column from 0 on, or one of `TextFileIndex`.
        key_dtype, value_dtype: int64 for numbers of lines, string or an integer type for whole
            lines.
        vocab_size: how many lines to read, by default all.
        delimiter: what stands between columns.
        value_index_offset: is added to numbers of lines.

    Raises NotFoundError where there is no file, InvalidArgumentError for an empty name or several
    names, for lines without a column, for columns that are no numbers, and where there are fewer
    lines than `vocab_size`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("emerson\nlake\n")
    ...     file.flush()
    ...     lines = rt.lookup.TextFileInitializer(
    ...         file.name, rt.string, rt.lookup.TextFileIndex.WHOLE_LINE, rt.int64,
    ...         rt.lookup.TextFileIndex.LINE_NUMBER)
    >>> lines.arrays()[1].tolist()
    [0, 1]
    """

    def __init__(
        self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int,
        vocab_size: int | None = None, delimiter: str = "\t", name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for index, dtype in ((key_index, self.key_dtype), (value_index, self.value_dtype)):
            wanted = {-2: dtypes.string, -1: dtypes.int64}.get(index, dtype)
            of_line = index == TextFileIndex.WHOLE_LINE and dtype.is_integer
            if (dtype is not wanted and not of_line) or index < -2:
                raise wrong_dtype(
                    f"index {index} of a line has dtype {wanted.name}, not {dtype.name}"
                )
        lines = _lines(filename, vocab_size)
        self._parts = tuple(
            _column(lines, index, dtype, delimiter, value_index_offset)
            for index, dtype in ((key_index, self.key_dtype), (value_index, self.value_dtype))
        )

    def arrays(self) -> tuple[Any, Any]:
        """The keys and the values.

        >>> rt.lookup.KeyValueTensorInitializer([1, 2], [3.0, 4.0]).arrays()[0].tolist()
        [1, 2]
        """
        return self._parts


def _lines(filename: Any, count: int | None) -> list[bytes]:
    with init_scope():
        name: Any = text_scalar(filename, "filename").numpy()
    path = os.fsdecode(name)
    if not path:
        raise wrong_value("`filename` is empty")
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        raise errors.NotFoundError(f"{path}: no such file") from None
    if count is not None and len(lines) < count:
        raise wrong_value(f"{path} has {len(lines)} lines, less than a vocab_size of {count}")
    return lines[:count]


def _column(
    lines: list[bytes], index: int, dtype: dtypes.DType, delimiter: str, offset: int
) -> Any:
    if index == TextFileIndex.LINE_NUMBER:
        return np.arange(offset, len(lines) + offset)
    made = np.empty(len(lines), object)
    whole = index == TextFileIndex.WHOLE_LINE
    for at, line in enumerate(lines):
        parts = line.split(delimiter.encode())
        if index >= len(parts):
            raise wrong_value(f"line {at + 1} has no column {index}: {line!r}")
        made[at] = line if whole else parts[index]
    if dtype is dtypes.string:
        return made
    try:
        return np.array([(float if dtype.is_floating else int)(part) for part in made]).astype(
            dtype.np_dtype
        )
    except ValueError as error:
        part = "a line" if whole else f"column {index}"
        raise wrong_value(f"{part} is no {dtype.name}: {error}") from None

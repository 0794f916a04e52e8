"""Records of comma-separated values, as RFC 4180 has them: their fields as tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, flat, row, wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType

_TYPES = dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string
_QUOTED = re.compile(rb'"((?:[^"]|"")*)"')
_INTEGER = re.compile(rb"\s*[+-]?[0-9]+\s*")


def split_record(text: bytes, delimiter: bytes, quoted: bool) -> list[bytes]:
    """The fields of a record; InvalidArgumentError where they are not as RFC 4180 has them."""
    return list(_fields(text, delimiter, quoted)) if text.strip(b"\r\n") else []


def _fields(text: bytes, delimiter: bytes, quoted: bool) -> Iterator[bytes]:
    at, end = 0, len(text)
    while at <= end:
        while text[at : at + 1] in (b"\r", b"\n"):
            at += 1
        found = _QUOTED.match(text, at) if quoted else None
        if found is not None:
            yield found[1].replace(b'""', b'"')
            at = found.end()
            if at < end and text[at : at + 1] != delimiter:
                raise wrong_value("Quoted field has to end with quote followed by delim or end")
        else:
            stop = text.find(delimiter, at)
            field = text[at : stop if stop >= 0 else end]
            if b"\n" in field or b"\r" in field or (quoted and b'"' in field):
                raise wrong_value("Unquoted fields cannot have quotes/CRLFs inside")
            yield field
            at += len(field)
        at += 1


def _kernel(
    records: Any,
    *defaults: Any,
    delimiter: bytes,
    quoted: bool,
    missing: bytes,
    columns: tuple[int, ...] | None,
) -> tuple[Any, ...]:
    texts = np.asarray(records, object)
    kinds = [_kind(np.asarray(default)) for default in defaults]
    made = [np.empty(texts.shape, kind.np_dtype) for kind in kinds]
    flat_columns = [column.reshape(-1) for column in made]
    for at, text in enumerate(texts.ravel()):
        fields = split_record(text, delimiter, quoted)
        if columns is not None:
            if fields and columns[-1] >= len(fields):
                raise wrong_value(
                    f"record {at} has {len(fields)} fields, of which column {columns[-1]} is asked"
                )
            fields = [fields[place] for place in columns] if fields else []
        if len(fields) != len(defaults):
            raise wrong_value(
                f"Expect {len(defaults)} fields but have {len(fields)} in record {at}"
            )
        for place, (field, kind, default) in enumerate(zip(fields, kinds, defaults, strict=True)):
            is_missing = not field or field == missing
            if is_missing and not np.size(default):
                raise wrong_value(f"Field {place} is required but missing in record {at}!")
            value = np.ravel(default)[0] if is_missing else _value(field, kind)
            if value is None:
                shown = field.decode(errors="replace")
                raise wrong_value(
                    f"Field {place} in record {at} is not a valid {kind.name}: {shown}"
                )
            flat_columns[place][at] = value
    return tuple([column[()] for column in made])


def _kind(default: Any) -> Any:
    return next(kind for kind in _TYPES if kind.np_dtype == default.dtype)


def _value(field: bytes, kind: Any) -> Any:
    """The value of a field; None where it is none of this dtype."""
    if kind is dtypes.string:
        return field
    if kind.is_integer:
        value = int(field) if _INTEGER.fullmatch(field) else None
        return value if value is not None and kind.min <= value <= kind.max else None
    try:
        return None if b"_" in field else float(field)
    except ValueError:
        return None


def _types(records: Any, *defaults: Any, **params: Any) -> tuple[TensorType, ...]:
    return tuple([TensorType(default.dtype, records.shape) for default in defaults])


_decode_csv_p = row(
    "decode_csv", _kernel, _types, op_type="DecodeCSV", gradient=flat, fallible=True,
    gives_tuple=True,
)  # fmt: skip


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    name: str | None = None,
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """The columns of records of comma-separated values, of the shape of the records each.

    Args:
        records: strings of any shape, a record each, as RFC 4180 has them.
        record_defaults: for each column its default as a scalar or a vector of one element, of
            float32, float64, int32, int64 or string; of no elements where the column is required.
        field_delim: the one character between fields.
        use_quote_delim: whether double quotes around a field are not part of it.
        na_value: what stands for a missing field, beside the empty one.
        select_cols: the places of the columns that are wanted, in rising order; None: all.

    Raises InvalidArgumentError for another number of fields, for a required one that is missing,
    for one that is no number of its column's dtype, and for quotes that do not match.

    >>> name, size = rt.io.decode_csv(["a,1", '"b, c",'], [[""], [7]])
    >>> name.numpy().tolist(), size.numpy().tolist()
    ([b'a', b'b, c'], [1, 7])
    """
    texts = convert_to_tensor(records, dtypes.string)
    delimiter = field_delim.encode()
    if len(delimiter) != 1:
        raise wrong_value(f"field_delim should be only 1 char, not {field_delim!r}")
    defaults = [convert_to_tensor(default) for default in record_defaults]
    for place, default in enumerate(defaults):
        if default.dtype not in _TYPES:
            raise wrong_dtype(
                f"record_defaults[{place}] is {default.dtype.name}, which no column is"
            )
        if default.shape.rank not in (0, 1) or (default.shape.num_elements() or 0) > 1:
            raise wrong_value(
                f"record_defaults[{place}] must be a scalar, or a vector of one or none"
            )
    columns = None if select_cols is None else tuple(map(int, select_cols))
    if columns is not None and (
        len(columns) != len(defaults)
        or any(column < 0 for column in columns)
        or any(one >= other for one, other in pairwise(columns))
    ):
        raise wrong_value("select_cols must be rising places, as many as there are record_defaults")
    made = bind(
        _decode_csv_p, texts, *defaults, delimiter=delimiter, quoted=bool(use_quote_delim),
        missing=na_value.encode(), columns=columns,
    )  # fmt: skip
    return list(cast("tuple[Tensor, ...]", made))

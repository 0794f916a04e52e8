"""Datasets of files of comma-separated values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import IO, Any

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.data.arguments import AUTOTUNE
from runtime.data.dataset import HANDLER, Dataset
from runtime.data.files import names_of, open_file, read
from runtime.data.pipelines import invalid
from runtime.errors import InvalidArgumentError
from runtime.graph.structures import add_handler
from runtime.ops.strings.csv_fields import decode_csv, split_record

_INFERRED = dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string


class CsvDataset(Dataset):
    """The records of files of comma-separated values: tuples of scalars, one for each column.

    Args:
        filenames: a name, several, or a dataset of names.
        record_defaults: for each column its default, as for `io.decode_csv`, or its dtype where it
            is required.
        compression_type: "GZIP", "ZLIB", or None.
        header: whether the first record of each file is left out.
        field_delim, use_quote_delim, na_value: as for `io.decode_csv`.
        select_cols: the places of the columns that are wanted, in rising order; None: all.
        exclude_cols: the places of those that are not, where `select_cols` is None.

    A field in quotes may have ends of lines. Raises, in the iteration, InvalidArgumentError for a
    record that does not fit, and NotFoundError for a file that is missing.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("name,size\\na,1\\nb,2\\n")
    ...     file.flush()
    ...     data = rt.data.experimental.CsvDataset(file.name, [rt.string, rt.int32], header=True)
    ...     [(name.numpy(), int(size)) for name, size in data]
    [(b'a', 1), (b'b', 2)]
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        what = "CsvDataset"
        if select_cols is not None and exclude_cols is not None:
            raise invalid(what, "takes select_cols or exclude_cols, not both")
        defaults = [_default(item) for item in record_defaults]
        if exclude_cols is not None:
            excluded = set(map(int, exclude_cols))
            count = len(defaults) + len(excluded)
            select_cols = [place for place in range(count) if place not in excluded]
        parts = partial(_records, header=header, quoted=use_quote_delim)
        read(self, what, filenames, compression_type, parts, None)
        fields = self.map(
            lambda record: tuple(
                decode_csv(
                    record, defaults, field_delim, use_quote_delim, na_value,
                    select_cols=select_cols,
                )
            )
        )  # fmt: skip
        Dataset.__init__(self, fields._layout, fields._handle, fields._options)


add_handler(CsvDataset, HANDLER)


def _default(item: Any) -> Tensor:
    is_dtype = isinstance(item, dtypes.DType | type)
    return convert_to_tensor([], dtypes.as_dtype(item)) if is_dtype else convert_to_tensor(item)


def _records(file: IO[bytes], header: bool, quoted: bool) -> Iterator[bytes]:
    """The records, of which those with an open quote at the end of a line go on."""
    left: list[bytes] = []
    quotes = records = 0
    for line in file:
        left.append(line)
        quotes += line.count(b'"')
        if quoted and quotes % 2:
            continue
        record, left = b"".join(left).rstrip(b"\r\n"), []
        records += 1
        if not (header and records == 1):
            yield record
    if left:
        yield b"".join(left)


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10_000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
) -> Dataset:
    """Batches of the records of files of comma-separated values: dicts of columns by their names.

    With `label_name`, pairs of such dicts without that column, and that column.

    Args:
        file_pattern: a name or pattern, or several.
        column_names: the names of all columns; None: those of the first record.
        column_defaults: for each wanted column its default or dtype, as for `CsvDataset`; None: 0,
            or "", of the first of int32, int64, float32, float64 and string that all fields of the
            first `num_rows_for_inference` records have (None: of all records).
        select_columns: the names, or places, of the columns that are wanted; None: all.
        header: whether the first record of each file has the names.
        num_epochs: how often the records come; None: without end, and all batches are whole.
        shuffle: whether files and records come in random order, `shuffle_buffer_size` of these at
            a time.
        num_parallel_reads: files whose records come in turn; None: one after another.
        ignore_errors: whether records that do not fit are left out.

    Raises ValueError where no file matches, and for names that are not there, that come twice, or
    that no record tells.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("size,kind\\n1,a\\n2,b\\n")
    ...     file.flush()
    ...     for features, label in rt.data.experimental.make_csv_dataset(
    ...         file.name, 2, label_name="kind", num_epochs=1, shuffle=False
    ...     ):
    ...         print(features["size"].numpy(), label.numpy())
    [1 2] [b'a' b'b']
    """
    what = "make_csv_dataset"
    try:
        files = names_of(convert_to_tensor(file_pattern).numpy())
    except InvalidArgumentError:
        raise ValueError(f"{what}: no files match {file_pattern!r}") from None
    head = partial(_head, files, compression_type, field_delim, use_quote_delim)
    if column_names is None:
        if not header:
            raise ValueError(f"{what}: without a header it needs column_names")
        column_names = next(head(header=False), None)
        if column_names is None:
            raise ValueError(f"{what}: {files[0]} is empty, so that it names no columns")
    names = [str(name) for name in column_names]
    if len(set(names)) < len(names):
        raise ValueError(f"{what}: column names come twice: {names}")
    places = _places(what, names, select_columns)
    names = [names[place] for place in places]
    if label_name is not None and label_name not in names:
        raise ValueError(f"{what}: `label_name` provided must be one of the columns: {names}")
    if column_defaults is None:
        rows = islice(head(header=header), num_rows_for_inference)
        column_defaults = _inferred(rows, places, na_value)
    if len(column_defaults) != len(places):
        raise ValueError(f"{what}: {len(column_defaults)} column_defaults for columns {names}")

    def records(name: Any) -> Dataset:
        made: Dataset = CsvDataset(
            name, column_defaults, compression_type, None, header, field_delim, use_quote_delim,
            na_value, places,
        )  # fmt: skip
        return made.ignore_errors() if ignore_errors else made

    def columns(*found: Any) -> Any:
        features = OrderedDict(zip(names, found, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    data = Dataset.from_tensor_slices(files)
    if shuffle:
        data = data.shuffle(len(files), shuffle_seed)
    reads = 1 if num_parallel_reads is None else num_parallel_reads
    data = data.interleave(records, max(int(reads), 1), num_parallel_calls=num_parallel_reads)
    if shuffle:
        data = data.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        data = data.repeat(num_epochs)
    data = data.batch(batch_size, drop_remainder=num_epochs is None).map(columns)
    return data.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _head(
    files: Sequence[str], compression: Any, delimiter: str, quoted: bool, *, header: bool
) -> Iterator[list[str]]:
    """The fields of the records of the files, without their headers if they have any."""
    for name in files:
        with open_file(name, compression or "", "make_csv_dataset") as file:
            for record in _records(file, header, quoted):
                fields = split_record(record, delimiter.encode(), quoted)
                yield [field.decode() for field in fields]


def _places(what: str, names: Sequence[str], wanted: Sequence[Any] | None) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    missing = [name for name in wanted if isinstance(name, str) and name not in names]
    if missing:
        raise ValueError(f"{what}: there are no columns {missing} among {list(names)}")
    places = sorted(names.index(x) if isinstance(x, str) else int(x) for x in wanted)
    if len(set(places)) < len(places):
        raise ValueError(f"{what}: columns are selected twice: {list(wanted)}")
    if places and not 0 <= places[0] <= places[-1] < len(names):
        raise ValueError(f"{what}: select_columns has places outside of 0 to {len(names) - 1}")
    return places


def _inferred(rows: Iterator[list[str]], places: Sequence[int], missing: str) -> list[Any]:
    """The default for each column, of the narrowest dtype that all its fields have."""
    kinds = [0] * len(places)
    found = [False] * len(places)
    for fields in rows:
        if len(fields) <= places[-1]:
            raise ValueError("make_csv_dataset: a record has fewer fields than there are columns")
        for at, place in enumerate(places):
            field = fields[place]
            while field not in ("", missing) and not _HOLDS[kinds[at]](field):
                kinds[at] += 1
            found[at] |= field not in ("", missing)
    made = [
        _INFERRED[kind] if is_known else dtypes.string
        for kind, is_known in zip(kinds, found, strict=True)
    ]
    return [convert_to_tensor(["" if kind is dtypes.string else 0], kind) for kind in made]


def _holds(kind: Any) -> Callable[[str], bool]:
    """The test whether a field is a number of a dtype."""

    def holds(field: str) -> bool:
        try:
            number = float(field) if kind.is_floating else int(field)
        except ValueError:
            return False
        return bool(number < kind.max if kind.is_floating else kind.min <= number <= kind.max)

    return holds


_HOLDS: list[Callable[[str], bool]] = [
    *map(_holds, (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)),
    lambda field: True,
]

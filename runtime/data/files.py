"""Datasets of the lines and records of files."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from glob import glob
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.shapes import TensorSpec
from runtime.core.tensor import Tensor
from runtime.core.tfrecords import DamagedRecord, records
from runtime.data import layouts
from runtime.data.arguments import AUTOTUNE
from runtime.data.dataset import HANDLER, Dataset
from runtime.data.pipelines import UNKNOWN, Element, Pipeline, invalid, scalar_of_text
from runtime.data.sources import slices
from runtime.data.transformations import in_turn
from runtime.graph.structures import add_handler

_TEXT = TensorSpec([], dtypes.string)
Parts = Callable[[IO[bytes]], Iterator[bytes]]


class TextLineDataset(Dataset):
    """The lines of text files, one file after another, without the ends of lines.

    Args:
        filenames: a name, several, or a dataset of names.
        compression_type: "GZIP", "ZLIB", or None.
        num_parallel_reads: files whose elements come in turn; one with None and AUTOTUNE.

    A file that is missing is a NotFoundError of the iteration; the next element is that of the next
    file.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("to be\\nor not\\n")
    ...     file.flush()
    ...     [line.numpy() for line in rt.data.TextLineDataset(file.name)]
    [b'to be', b'or not']
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read(self, "TextLineDataset", filenames, compression_type, _lines, num_parallel_reads)


class FixedLengthRecordDataset(Dataset):
    """The records of one length of files, one file after another, as strings of bytes.

    Args:
        filenames: a name, several, or a dataset of names.
        record_bytes: the length of a record.
        header_bytes, footer_bytes: bytes that are left out at the beginning and the end.
        compression_type: "GZIP", "ZLIB", or None.
        num_parallel_reads: files whose elements come in turn; one with None and AUTOTUNE.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("wb") as file:
    ...     _ = file.write(b"headABCD")
    ...     file.flush()
    ...     data = rt.data.FixedLengthRecordDataset(file.name, 2, header_bytes=4)
    ...     [record.numpy() for record in data]
    [b'AB', b'CD']
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        what = "FixedLengthRecordDataset"
        size, header, footer = int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0)
        if size <= 0 or header < 0 or footer < 0:
            raise invalid(what, "record_bytes must be positive, header and footer not negative")
        parts = partial(_records, size=size, header=header, footer=footer)
        read(self, what, filenames, compression_type, parts, num_parallel_reads)


class TFRecordDataset(Dataset):
    """The records of TFRecord files, one file after another, as strings of bytes.

    Args:
        filenames: a name, several, or a dataset of names.
        compression_type: "GZIP", "ZLIB", or None.
        num_parallel_reads: files whose elements come in turn; one with None and AUTOTUNE.

    A record whose check fails, or that is cut off, is a DataLossError of the iteration, which goes
    on with the next file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with rt.io.TFRecordWriter(folder + "/a.tfrecord") as writer:
    ...         writer.write(b"one")
    ...     [x.numpy() for x in rt.data.TFRecordDataset(folder + "/a.tfrecord")]
    [b'one']
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read(self, "TFRecordDataset", filenames, compression_type, records, num_parallel_reads)


# In graphs they are datasets as any other.
add_handler(TextLineDataset, HANDLER)
add_handler(TFRecordDataset, HANDLER)
add_handler(FixedLengthRecordDataset, HANDLER)


def read(
    data: Any, what: str, filenames: Any, compression: Any, parts: Parts, parallel_reads: Any
) -> None:
    """Make `data` the dataset of the parts of these files."""
    known = {None: "", "": "", "GZIP": "GZIP", "ZLIB": "ZLIB"}
    if compression not in known:
        raise invalid(what, f"compression_type must be GZIP, ZLIB or None, got {compression!r}")
    reads = 1 if parallel_reads is None else int(parallel_reads)
    if reads <= 0 and reads != AUTOTUNE:
        raise invalid(what, f"num_parallel_reads must be positive or AUTOTUNE, got {reads}")
    reads = max(reads, 1)
    if not layouts.is_dataset(filenames):
        if isinstance(filenames, Path):
            filenames = str(filenames)
        elif isinstance(filenames, list | tuple):
            filenames = [str(x) if isinstance(x, Path) else x for x in filenames]
        names = layouts.normalized(filenames, what)
        if not isinstance(names, Tensor):
            raise TypeError(f"{what}: filenames must be strings, not {filenames!r}")
        if names.shape.rank != 1:
            names = ops.reshape(names, [-1])
        filenames = Dataset.from_tensor_slices(names)
    if filenames.element_spec != _TEXT:
        raise TypeError(
            f"{what}: filenames must be strings, or a dataset of them, not {filenames.element_spec}"
        )
    build = partial(_contents, what=what, compression=known[compression], parts=parts, reads=reads)
    made = filenames._to(_TEXT, build)
    Dataset.__init__(data, made._layout, made._handle, made._options)


def _contents(
    names: Pipeline, *, what: str, compression: str, parts: Parts, reads: int
) -> Pipeline:
    def contents(found: Element) -> Iterator[Element]:
        path = found[0].item().decode()
        with open_file(path, compression, what) as file:
            try:
                for part in parts(file):
                    yield (scalar_of_text(part),)
            except _Cut as error:
                raise invalid(what, f"{path} cannot be read: {error}") from None
            except (OSError, EOFError, zlib.error, DamagedRecord) as error:
                raise errors.DataLossError(f"{what}: {path} cannot be read: {error}") from None

    block = 1 if reads > 1 else sys.maxsize
    return Pipeline(lambda: in_turn(names.elements(), contents, reads, block), UNKNOWN)


def open_file(path: str, compression: str, what: str) -> IO[bytes]:
    """The file, unpacked; an error of this library where it cannot be opened."""
    try:
        file: Any = gzip.open(path) if compression == "GZIP" else open(path, "rb")  # noqa: SIM115
    except FileNotFoundError:
        raise errors.NotFoundError(f"{what}: there is no file {path}") from None
    except PermissionError:
        raise errors.PermissionDeniedError(f"{what}: {path} may not be read") from None
    except OSError as error:
        raise errors.UnknownError(f"{what}: {path}: {error.strerror}") from None
    if compression != "ZLIB":
        return file  # type: ignore[no-any-return]
    with file:
        try:
            return BytesIO(zlib.decompress(file.read()))
        except zlib.error as error:
            raise errors.DataLossError(f"{what}: {path} is no ZLIB: {error}") from None


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    for line in file:
        yield line.rstrip(b"\n").rstrip(b"\r") if line.endswith(b"\n") else line


class _Cut(Exception):
    """A file whose length fits no number of records."""


def _records(file: IO[bytes], size: int, header: int, footer: int) -> Iterator[bytes]:
    contents = file.read()
    body = contents[header : len(contents) - footer]
    if len(contents) < header + footer or len(body) % size:
        raise _Cut(
            f"it has {len(contents)} bytes, which are no records of {size} between a header of "
            f"{header} and a footer of {footer}"
        )
    for at in range(0, len(body), size):
        yield body[at : at + size]


def names_of(patterns: Any) -> list[str]:
    """The names of the files that patterns stand for, sorted; InvalidArgumentError for none."""
    texts = [x.decode() for x in np.ravel(np.array(patterns, object)).tolist()]
    found = sorted(name for text in texts for name in glob(text))
    if not found:
        raise invalid("Dataset.list_files", f"No files matched pattern: {', '.join(texts)}")
    return found


def listed(patterns: Any) -> Pipeline:
    """The names of the files that patterns stand for."""
    return slices(np.array([name.encode() for name in names_of(patterns)], object))

"""`TFRecordWriter`: files of records, which `data.TFRecordDataset` reads."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any

from runtime import errors
from runtime.core.files import explained
from runtime.core.lazy import public as _public
from runtime.core.settings import changes_files
from runtime.core.tfrecords import packed


class TFRecordOptions:
    """The compression of a file of records: "GZIP", "ZLIB" or none, and its level.

    Raises ValueError for another one.

    >>> rt.io.TFRecordOptions("GZIP").compression_type
    'GZIP'
    """

    def __init__(
        self,
        compression_type: str | None = None,
        flush_mode: Any = None,
        input_buffer_size: Any = None,
        output_buffer_size: Any = None,
        window_bits: Any = None,
        compression_level: int | None = None,
        compression_method: Any = None,
        mem_level: Any = None,
        compression_strategy: Any = None,
    ) -> None:
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            raise ValueError(
                f"compression_type must be GZIP, ZLIB or None, got {compression_type!r}"
            )
        self.compression_type = compression_type or ""
        self.compression_level = compression_level


@changes_files
class TFRecordWriter:
    """Writes records, strings of bytes, to a new file.

    Args:
        path: the file; one that is there is replaced.
        options: a TFRecordOptions, or the name of a compression.

    Raises NotFoundError where there is no such folder, PermissionDeniedError where it may not be
    written, ResourceExhaustedError where the disk is full.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with rt.io.TFRecordWriter(folder + "/a.tfrecord") as writer:
    ...         writer.write(b"one")
    ...         writer.write(b"two")
    ...     [x.numpy() for x in rt.data.TFRecordDataset(folder + "/a.tfrecord")]
    [b'one', b'two']
    """

    def __init__(self, path: Any, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._path = os.fsdecode(path.numpy() if hasattr(path, "numpy") else path)
        level = options.compression_level
        level = -1 if level is None else int(level)
        self._packer = None
        self._file: Any = None
        with explained():
            if options.compression_type == "GZIP":
                self._file = gzip.open(self._path, "wb", 9 if level < 0 else level)  # noqa: SIM115
            else:
                self._file = open(self._path, "wb")  # noqa: SIM115
        if options.compression_type == "ZLIB":
            self._packer = zlib.compressobj(level)

    @changes_files
    def write(self, record: Any) -> None:
        """Write one record, a string of bytes; TypeError for anything else.

        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
        >>> with rt.io.TFRecordWriter(path) as writer:
        ...     writer.write(b"first")
        ...     writer.write(b"second")
        >>> [record.numpy() for record in rt.data.TFRecordDataset(path)]
        [b'first', b'second']
        """
        record = record.numpy() if hasattr(record, "numpy") else record
        if not isinstance(record, bytes | bytearray | memoryview | str):
            raise TypeError(f"a record is a string of bytes, not {type(record).__name__}")
        data = packed(record.encode() if isinstance(record, str) else bytes(record))
        with explained():
            self._opened().write(data if self._packer is None else self._packer.compress(data))

    def flush(self) -> None:
        """Write what is held back to the file.

        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
        >>> with rt.io.TFRecordWriter(path) as writer:
        ...     writer.write(b"first")
        ...     writer.flush()
        >>> os.path.getsize(path)
        21
        """
        with explained():
            if self._packer is not None:
                self._opened().write(self._packer.flush(zlib.Z_SYNC_FLUSH))
            self._opened().flush()

    @changes_files
    def close(self) -> None:
        """Write what is held back, and close the file.

        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
        >>> with rt.io.TFRecordWriter(path) as writer:
        ...     writer.write(b"first")
        ...     writer.close()
        >>> os.path.getsize(path)
        21
        """
        file, self._file = self._file, None
        if file is None:
            return
        with explained(), file:
            if self._packer is not None:
                file.write(self._packer.flush())

    def _opened(self) -> Any:
        if self._file is None:
            raise errors.FailedPreconditionError(f"{self._path}: the writer is closed")
        return self._file

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


__dir__ = _public(__name__)

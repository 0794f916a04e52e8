"""Files of graphs: an .npz archive, so a zip of `graph.json` and arrays, none of them pickled."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.files import Path, replacing
from runtime.dtypes import BY_NUMPY

FORMAT = "runtime.graph"
VERSION = 2
"""The version of the format. Since the second one, all ops on lists are named `list_...`."""
STRUCTURE = "graph.json"

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of all members: the same graphs make the same file."""


def write(path: Path, document: dict[str, Any], arrays: Sequence[Any]) -> None:
    """Write the file, or leave what is there as it is."""
    head = {"format": FORMAT, "version": VERSION}
    text = json.dumps(head | document, allow_nan=False, separators=(",", ":"))
    with replacing(path) as name, zipfile.ZipFile(name, "w") as archive:
        _add(archive, STRUCTURE, text.encode("ascii"), zipfile.ZIP_DEFLATED)
        for at, array in enumerate(arrays):
            _add(archive, f"arrays/{at}.npy", _npy(array), zipfile.ZIP_STORED)


def _add(archive: zipfile.ZipFile, name: str, data: bytes, how: int) -> None:
    archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, how)


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def read(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """The document of a file, and its arrays.

    Raises errors.InvalidArgumentError for a file of something else, errors.UnimplementedError for
    one of another version, errors.DataLossError for a damaged one, OSError where there is none.
    """
    with open(path, "rb") as file:
        if file.read(2) != b"PK":
            raise _foreign(path, "it is no archive")
        try:
            with zipfile.ZipFile(file) as archive:
                if not {part.compress_type for part in archive.infolist()} <= _COMPRESSIONS:
                    raise zipfile.BadZipFile("it is compressed in another way")
                document = _document(path, archive)
                names = {name for name in archive.namelist() if name.startswith("arrays/")}
                arrays = [_array(archive, f"arrays/{at}.npy") for at in range(len(names))]
        except errors.OpError:
            raise
        except _BROKEN as error:
            raise damaged(path, error) from None
    return document, arrays


_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError),
    *(NotImplementedError, RuntimeError),
)
"""The exceptions of reading a damaged archive."""


def _document(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if STRUCTURE not in archive.namelist():
        raise _foreign(path, f"it has no {STRUCTURE}")
    document = json.loads(archive.read(STRUCTURE))
    if type(document) is not dict or document.get("format") != FORMAT:
        raise _foreign(path, f"its {STRUCTURE} is of another format")
    version = document.get("version")
    if version != VERSION:
        raise errors.UnimplementedError(
            f"{os.fspath(path)} has version {version} of the format, this library reads version "
            f"{VERSION}",
            hint="save the graph with this version of the library, or load it with the one that "
            "saved it",
        )
    return document


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    file = io.BytesIO(archive.read(name))
    version = np.lib.format.read_magic(file)
    header = np.lib.format.read_array_header_1_0(file)
    if version != (1, 0) or header[2].newbyteorder("=") not in BY_NUMPY or header[2].hasobject:
        raise ValueError(f"{name} is no array of a dtype that tensors have")
    # Before memory is made for it.
    left = len(file.getbuffer()) - file.tell()
    if left != int(np.prod(header[0], dtype=object)) * header[2].itemsize:
        raise ValueError(f"{name} does not have the size of its shape")
    file.seek(0)
    made = np.lib.format.read_array(file, allow_pickle=False)
    return made.astype(made.dtype.newbyteorder("="), copy=False)


def _foreign(path: Path, why: str) -> errors.InvalidValueError:
    return errors.InvalidValueError(
        f"{os.fspath(path)} is no file of graphs: {why}",
        hint="name a file that Graph.save or saved_model.save has written",
    )


def damaged(path: Path, error: Exception) -> errors.DataLossError:
    """The error for a file that breaks the format."""
    return errors.DataLossError(
        f"{os.fspath(path)} is damaged: {type(error).__name__}: {error}",
        hint="save the graph again",
    )

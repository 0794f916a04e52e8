"""Files of checkpoints: safetensors, with the graph of objects as JSON in the head.

docs/checkpoints.md describes the format. Nothing in a file is unpickled or executed.
"""

from __future__ import annotations

import base64
import json
import math
import os
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from runtime import errors
from runtime.core.files import Path, replacing
from runtime.dtypes import DType, as_dtype

SUFFIX = ".safetensors"
FORMAT, VERSION = "runtime.checkpoint", 1
_GRAPH, _SUM = "checkpoint", "checkpoint_crc32"

_AS_BYTES = frozenset(["complex128"])
"""The dtypes that safetensors has no name for, stored as bytes."""

_BLOCK = 1 << 24
"""Bytes that are read at once where a file is checked."""

Json = Any


def _library() -> Any:
    try:
        import safetensors
    except ImportError:
        raise ImportError(
            "checkpoints need safetensors: pip install 'autograph-runtime[checkpoints]'"
        ) from None
    return safetensors


def file_of(path: Path) -> str:
    """The file of a checkpoint that is named by its prefix, or by the file."""
    path = os.fspath(path)
    return path if path.endswith(SUFFIX) else path + SUFFIX


def write(path: Path, objects: Sequence[Json], arrays: Mapping[str, Any]) -> None:
    """Write a checkpoint, or leave what is there as it is.

    Args:
        objects: the graph of objects, each with its `children`, the first is the root; the entry of
            a variable names its array.
        arrays: the arrays by their names; they must not change meanwhile.
    """
    library = _library()
    entries: dict[str, Json] = {}
    specs, kept = {}, []
    for name, array in arrays.items():
        dtype = as_dtype(array.dtype)
        entry = entries[name] = {"dtype": dtype.name, "shape": list(array.shape)}
        if array.dtype.kind == "O":
            entry["base64"] = [base64.b64encode(item).decode("ascii") for item in array.flat]
            continue
        stored = _as_stored(np.ascontiguousarray(array).reshape(array.shape), dtype)
        kept.append(stored)
        entry["crc32"] = zlib.crc32(_bytes(stored))
        specs[name] = library.TensorSpec(
            dtype=stored.dtype.name,
            shape=stored.shape,
            data_ptr=stored.ctypes.data,
            data_len=stored.nbytes,
        )
    document = {"format": FORMAT, "version": VERSION, "objects": objects, "arrays": entries}
    text = json.dumps(document, separators=(",", ":"))
    metadata = {_GRAPH: text, _SUM: str(zlib.crc32(text.encode("ascii")))}
    with replacing(file_of(path)) as written:
        try:
            library.serialize_file(specs, written, metadata=metadata)
        except library.SafetensorError as error:
            raise OSError(f"{os.fspath(path)} cannot be written: {error}") from None


def _as_stored(array: Any, dtype: DType) -> Any:
    if dtype.name not in _AS_BYTES:
        return array
    return array.reshape(*array.shape, 1).view(np.uint8)


def _bytes(array: Any) -> Any:
    return array.reshape(-1).view(np.uint8).data


class CheckpointFile:
    """A checkpoint that is read: its objects, and its arrays one by one.

    Raises errors.NotFoundError where there is none, errors.InvalidArgumentError for a file of
    something else, errors.UnimplementedError for one of a newer version, errors.DataLossError for a
    damaged one.
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self._library = _library()
        self._file = self._opened()
        metadata = self._file.metadata() or {}
        if _GRAPH not in metadata:
            raise self._foreign("its head holds no graph of objects")
        text = metadata[_GRAPH]
        if metadata.get(_SUM) != str(zlib.crc32(text.encode())):
            raise self._damaged("its graph of objects is not the one that was written")
        document = self._document(text)
        self.objects: list[Json] = document["objects"]
        self._entries: dict[str, Json] = document["arrays"]
        for name in self._entries:
            self._check_head(name)

    def _document(self, text: str) -> Json:
        document = json.loads(text)
        match document:
            case {"format": str(found), "version": int(version)} if found == FORMAT:
                if version > VERSION:
                    raise errors.UnimplementedError(
                        f"{self.path} has version {version} of the format, this library reads "
                        f"versions up to {VERSION}",
                        hint="install a newer version of the library",
                    )
            case _:
                raise self._foreign(f"its graph of objects is not of the format {FORMAT!r}")
        match document:
            case {"objects": [{"children": dict()}, *_] as objects, "arrays": dict(arrays)}:
                if all(map(_is_array, arrays.values())) and all(
                    _is_object(each, len(objects), arrays) for each in objects
                ):
                    return document
        raise self._damaged("its graph of objects was changed behind its writing")

    def _opened(self) -> Any:
        file = file_of(self.path)
        if not os.path.isfile(file):
            hint = (
                "give the prefix that save() has returned, such as 'folder/ckpt-1', or "
                "train.latest_checkpoint(folder)"
            )
            if os.path.isfile(f"{self.path}.index"):
                hint = (
                    f"{self.path}.index is of TensorFlow's format, which is not read: where "
                    "TensorFlow is installed, write its arrays to a file that NumPy reads"
                )
            raise errors.NotFoundError(
                f"there is no checkpoint {self.path}: no file {file}", hint=hint
            )
        try:
            return self._library.safe_open(file, framework="np", backend="pread")
        except self._library.SafetensorError as error:
            with open(file, "rb") as opened:
                head = opened.read(9)
            if head[8:] not in (b"{", b""):
                raise self._foreign("it is no file of safetensors") from None
            raise self._damaged(error) from None

    def _foreign(self, why: str) -> errors.InvalidValueError:
        return errors.InvalidValueError(
            f"{file_of(self.path)} is no checkpoint: {why}",
            hint="name one that train.Checkpoint has written",
        )

    def _damaged(self, why: object) -> errors.DataLossError:
        return errors.DataLossError(
            f"the checkpoint {file_of(self.path)} is damaged: {why}",
            hint="restore an earlier one",
        )

    def names(self) -> list[str]:
        """The names of the arrays, sorted."""
        return sorted(self._entries)

    def dtype(self, name: str) -> DType:
        """The dtype of an array."""
        return as_dtype(self._entry(name)["dtype"])

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array."""
        return tuple(self._entry(name)["shape"])

    def _entry(self, name: str) -> Json:
        if name not in self._entries:
            raise errors.NotFoundError(
                f"the checkpoint {self.path} has no {name!r}",
                hint=f"it has {', '.join(self.names()) or 'no arrays'}",
            )
        return self._entries[name]

    def array(self, name: str) -> Any:
        """An array, the caller's own; `verify` says whether it is as it was written."""
        entry, dtype, shape = self._entry(name), self.dtype(name), self.shape(name)
        if "base64" in entry:
            made = np.empty(len(entry["base64"]), object)
            made[:] = [base64.b64decode(text, validate=True) for text in entry["base64"]]
            return made.reshape(shape)
        stored = np.asarray(self._file.get_tensor(name))
        return stored if dtype.name not in _AS_BYTES else stored.view(dtype.np_dtype).reshape(shape)

    def verify(self) -> None:
        """Raise errors.DataLossError unless every array is as it was written.

        The file is read once, in blocks: an array may be larger than the memory that is left.
        """
        with open(file_of(self.path), "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            head = json.loads(file.read(size))
            for name, entry in self._entries.items():
                if "base64" not in entry:
                    start, end = head[name]["data_offsets"]
                    file.seek(8 + size + start)
                    if _sum_of(file, end - start) != entry["crc32"]:
                        raise self._damaged(f"{name!r} is not as it was written")

    def _check_head(self, name: str) -> None:
        entry = self._entries[name]
        if "base64" in entry:
            return
        dtype = self.dtype(name)
        shape = self.shape(name)
        if dtype.name in _AS_BYTES:
            shape = (*shape, dtype.size)
        held = set(self._file.keys())
        if name not in held or tuple(self._file.get_slice(name).get_shape()) != shape:
            raise self._damaged(f"its head does not hold {name!r} as it was written")


def _is_object(entry: Json, count: int, arrays: dict[str, Json]) -> bool:
    match entry:
        case {"array": str(name)}:
            return name in arrays and type(entry.get("name", "")) is str
        case {"children": dict(children)}:
            return all(type(at) is int and 0 <= at < count for at in children.values())
    return False


def _is_array(entry: Json) -> bool:
    match entry:
        case {"dtype": str(dtype), "shape": [*dims]}:
            if not all(type(n) is int and n >= 0 for n in dims):
                return False
        case _:
            return False
    try:
        as_dtype(dtype)
        texts = [base64.b64decode(text, validate=True) for text in entry.get("base64", ())]
    except (TypeError, ValueError):
        return False
    return len(texts) == math.prod(dims) if "base64" in entry else type(entry.get("crc32")) is int


def _sum_of(file: BinaryIO, size: int) -> int:
    found, block = 0, memoryview(bytearray(min(size, _BLOCK)))
    while size > 0:
        read = file.readinto(block[: min(size, _BLOCK)])  # type: ignore[attr-defined]
        if not read:
            break
        found = zlib.crc32(block[:read], found)
        size -= read
    return found

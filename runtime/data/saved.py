"""Datasets in folders: `dataset.json` names the files of records that hold the elements.

docs/data.md describes the format. Nothing in it is unpickled or executed.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import struct
import uuid
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.files import explained, replacing
from runtime.core.shapes import TensorSpec, compatible
from runtime.core.tfrecords import DamagedRecord, packed, records
from runtime.data.functions import Traced
from runtime.data.layouts import Layout
from runtime.data.pipelines import Element, Pipeline, invalid
from runtime.dtypes import as_dtype

FORMAT, VERSION = "runtime.dataset", 1
_SAVE, _LOAD = "Dataset.save", "Dataset.load"
_OPEN: dict[str, Callable[..., Any]] = {"": open, "GZIP": gzip.open}


def compression_of(given: Any, what: str) -> str:
    """The name of a compression; InvalidArgumentError for one that is not known."""
    name = "" if given in (None, "NONE") else given
    if name not in _OPEN:
        raise invalid(what, f"compression must be GZIP or None, got {given!r}")
    return str(name)


# Specs


def described(spec: Any) -> Any:
    """A spec as JSON; TypeError for a structure that a file has no words for."""
    if spec is None:
        return None
    if type(spec) is TensorSpec:
        return {"dtype": spec.dtype.name, "shape": spec.shape.dims}
    if type(spec) is tuple:
        return [described(part) for part in spec]
    if type(spec) is dict and all(isinstance(key, str) for key in spec):
        return {"dict": {key: described(part) for key, part in spec.items()}}
    raise TypeError(
        f"{_SAVE}: elements are saved as tensors, tuples and dicts of them, not as {spec!r}: make "
        "them such with map"
    )


def _spec(text: Any) -> Any:
    if text is None:
        return None
    if isinstance(text, list):
        return tuple(map(_spec, text))
    if "dict" in text:
        return {key: _spec(part) for key, part in text["dict"].items()}
    return TensorSpec(text["shape"], as_dtype(text["dtype"]))


# Elements


def _record(element: Element) -> bytes:
    return b"".join(part for component in element for part in _parts(component))


def _parts(component: Any) -> Iterator[bytes]:
    array = np.asarray(component)
    yield struct.pack(f"<B{array.ndim}Q", array.ndim, *array.shape)
    if not array.dtype.hasobject:
        yield array.tobytes()
        return
    for text in array.ravel().tolist():
        yield struct.pack("<Q", len(text))
        yield text


class _Reader:
    def __init__(self, record: bytes) -> None:
        self._record = record
        self._at = 0

    def take(self, size: int) -> bytes:
        found = self._record[self._at : self._at + size]
        if len(found) < size:
            raise DamagedRecord("a record is too short for an element")
        self._at += size
        return found

    def numbers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}Q", self.take(8 * count))

    def component(self, type: Any) -> Any:
        shape = self.numbers(self.take(1)[0])
        if not compatible(type.shape, shape):
            raise DamagedRecord(f"a tensor has the shape {list(shape)}, not {type}")
        size = int(np.prod(shape, dtype=object))
        dtype = type.dtype.np_dtype
        if not dtype.hasobject:
            data = self.take(size * dtype.itemsize)
            return np.frombuffer(data, dtype).reshape(shape)
        made = np.empty(size, object)
        for at in range(size):
            (length,) = self.numbers(1)
            made[at] = self.take(length)
        return made.reshape(shape)


# Folders


def write(
    source: Pipeline,
    *outer: Any,
    path: str,
    spec: Any,
    compression: str,
    shard: Traced | None,
) -> tuple[Any, ...]:
    """Write the elements beside what the folder holds, then let its `dataset.json` name them."""
    folder, run = Path(path), f"run-{uuid.uuid4().hex}"
    with explained():
        (folder / run).mkdir(parents=True)
        try:
            counts = _write_shards(source, outer, folder / run, compression, shard)
            files = [{"file": f"{run}/{at}.records", "elements": n} for at, n in counts]
            document = {
                "format": FORMAT, "version": VERSION, "element_spec": described(spec),
                "compression": compression, "files": files,
            }  # fmt: skip
            with replacing(folder / "dataset.json") as written:
                Path(written).write_text(json.dumps(document))
        except BaseException:
            shutil.rmtree(folder / run, ignore_errors=True)
            raise
    for other in folder.glob("run-*"):
        if other.name != run:
            shutil.rmtree(other, ignore_errors=True)
    return ()


def _write_shards(
    source: Pipeline, outer: Any, folder: Path, compression: str, shard: Traced | None
) -> list[tuple[int, int]]:
    shard_of = None if shard is None else shard.runner(outer)
    open_: dict[int, Any] = {}
    counts: dict[int, int] = {}
    try:
        for element in source.elements():
            at = 0 if shard_of is None else int(shard_of(*element)[0])
            if at < 0:
                raise invalid(_SAVE, f"shard_func must give numbers >= 0, got {at}")
            if at not in open_:
                open_[at] = _OPEN[compression](folder / f"{at}.records", "wb")
            open_[at].write(packed(_record(element)))
            counts[at] = counts.get(at, 0) + 1
    finally:
        for file in open_.values():
            file.close()
    for at in counts:
        _flush(folder / f"{at}.records")
    return sorted(counts.items())


def _flush(path: Path) -> None:
    number = os.open(path, os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class Saved:
    """The folder of a saved dataset: its `spec`, and its files.

    Raises errors.NotFoundError where there is none, errors.DataLossError for a damaged one,
    errors.UnimplementedError for one of a newer version.
    """

    def __init__(self, path: str, compression: str) -> None:
        self._folder = Path(path)
        try:
            text = (self._folder / "dataset.json").read_bytes()
        except FileNotFoundError:
            raise errors.NotFoundError(f"{_LOAD}: there is no dataset in {path}") from None
        try:
            self._take(json.loads(text))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(
                f"{path}/dataset.json is damaged, or of something else: {error}"
            ) from None
        if self._compression != compression:
            raise invalid(
                _LOAD,
                f"the dataset in {path} has the compression {self._compression or None!r}, not "
                f"{compression or None!r}",
            )

    def _take(self, document: Any) -> None:
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}")
        if document["version"] > VERSION:
            raise errors.UnimplementedError(
                f"{_LOAD}: {self._folder} has version {document['version']}"
            )
        self.spec = _spec(document["element_spec"])
        self._compression = document["compression"]
        self._files = [(file["file"], int(file["elements"])) for file in document["files"]]
        for name, _ in self._files:
            if not re.fullmatch(r"run-\w+/\d+\.records", name):
                raise ValueError(f"{name!r} is no file of it")
        self.size = sum(count for _, count in self._files)

    def shards(self, spec: Any) -> Pipeline:
        """The files as datasets of elements of a spec."""
        types = Layout(spec).types
        made = [
            (Pipeline(partial(self._elements, name, count, types), count),)
            for name, count in self._files
        ]
        return Pipeline(lambda: iter(made), len(made))

    def _elements(self, name: str, count: int, types: Any) -> Iterator[Element]:
        path, found = self._folder / name, 0
        try:
            with _OPEN[self._compression](path, "rb") as file:
                for record in records(file):
                    reader = _Reader(record)
                    found += 1
                    yield tuple([reader.component(type) for type in types])
        except (OSError, EOFError, zlib.error, DamagedRecord) as error:
            raise _damaged(f"{path} cannot be read: {error}") from None
        if found != count:
            raise _damaged(f"{path} has {found} elements, not {count}")


def _damaged(reason: str) -> errors.DataLossError:
    return errors.DataLossError(f"{_LOAD}: {reason}")

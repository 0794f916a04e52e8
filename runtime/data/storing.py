"""Elements that are kept once they are computed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any
from zipfile import BadZipFile

import numpy as np

from runtime import errors
from runtime.core.files import explained, replacing
from runtime.core.shapes import compatible
from runtime.core.types import TensorType, Type
from runtime.data.pipelines import Element, Pipeline, Resumed, invalid
from runtime.data.positions import Record, current, recording


def path_of(filename: Any) -> str:
    """The path of a cache; empty for one in memory."""
    if hasattr(filename, "numpy"):
        filename = filename.numpy()
    if isinstance(filename, bytes):
        filename = filename.decode()
    return str(os.fspath(filename))


def cached(source: Pipeline, *, path: str, types: tuple[Type, ...]) -> Pipeline:
    """The elements, kept in memory or in a file when all of them were computed."""
    if path:
        _check_types(types)
    lock = threading.Lock()
    kept: list[list[Element]] = []
    origin = Record()

    def elements() -> Iterator[Element]:
        if not kept and path and os.path.exists(_file(path)):
            found = _read(path, types)
            with lock:
                kept.append(found)
        if kept:
            report(origin)
            return iter(kept[0])
        record = Record()
        with recording(record):
            inputs = source.elements()
        report(record)
        return Resumed(partial(computed, inputs, [], record))

    def report(record: Record) -> None:
        # Another iteration draws what this one has kept, or the other way round.
        if (outer := current()) is not None:
            outer.hand_on(record)

    def following(inputs: Iterator[Element], record: Record) -> Element | None:
        with recording(record):
            found = next(inputs, None)
        report(record)
        return found

    def computed(
        inputs: Iterator[Element], made: list[Element], record: Record
    ) -> Iterator[Element]:
        while (element := following(inputs, record)) is not None:
            made.append(element)
            if len(made) == source.cardinality:
                keep(made, record)
            yield element
        if not made or len(made) != source.cardinality:
            keep(made, record)

    def keep(made: list[Element], record: Record) -> None:
        origin.hand_on(record)
        if path:
            _write(path, made)
        with lock:
            kept[:] = [made]

    return Pipeline(elements, source.cardinality)


def _check_types(types: tuple[Type, ...]) -> None:
    for type in types:
        if isinstance(type, TensorType) and type.dtype.np_dtype.kind in "OV":
            raise TypeError(
                f"Dataset.cache: {type.dtype.name}s cannot be kept in a file: cache them in "
                "memory, or encode them"
            )


def _file(path: str) -> str:
    return f"{path}.npz"


def _write(path: str, elements: list[Element]) -> None:
    arrays = {
        f"{at}.{place}": component
        for at, element in enumerate(elements)
        for place, component in enumerate(element)
    }
    with explained(), replacing(_file(path)) as written:
        np.savez(written, size=np.int64(len(elements)), **arrays)


def _read(path: str, types: tuple[Type, ...]) -> list[Element]:
    try:
        with (
            explained(),
            open(_file(path), "rb") as file,
            np.load(file, allow_pickle=False) as archive,
        ):
            size = int(archive["size"])
            arrays = {name: archive[name] for name in archive.files}
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError):
        raise errors.DataLossError(
            f"Dataset.cache: the file {_file(path)} is damaged, or none of a cache",
            hint="delete it, and it is written anew",
        ) from None
    found: list[Element] = []
    if len(arrays) == 1 + size * len(types):
        named = [[f"{at}.{place}" for place in range(len(types))] for at in range(size)]
        found = [tuple([arrays[name] for name in names if name in arrays]) for names in named]
    if len(found) != size or not all(_fits(each, types) for each in found):
        raise invalid(
            "Dataset.cache",
            f"the file {_file(path)} has elements of another dataset: delete it, or give another "
            "filename",
        )
    return found


def _fits(element: Element, types: tuple[Type, ...]) -> bool:
    pairs = zip(element, types, strict=False)
    return len(element) == len(types) and all(
        isinstance(type, TensorType)
        and component.dtype == type.dtype.np_dtype
        and compatible(type.shape, component.shape)
        for component, type in pairs
    )

"""Elements that are kept once they are computed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.core.types import TensorType, Type
from runtime.data.pipelines import Element, Pipeline


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

    def elements() -> Iterator[Element]:
        if not kept and path and os.path.exists(_file(path)):
            found = _read(path)
            with lock:
                kept.append(found)
        if kept:
            yield from kept[0]
            return
        made = []
        for element in source.elements():
            made.append(element)
            yield element
        if path:
            _write(path, made)
        with lock:
            kept[:] = [made]

    return Pipeline(elements, source.cardinality)


def _check_types(types: tuple[Type, ...]) -> None:
    if any(isinstance(type, TensorType) and type.dtype.np_dtype.hasobject for type in types):
        raise TypeError(
            "Dataset.cache: strings cannot be kept in a file: cache them in memory, or encode them"
        )


def _file(path: str) -> str:
    return f"{path}.npz"


def _write(path: str, elements: list[Element]) -> None:
    arrays = {
        f"{at}.{place}": component
        for at, element in enumerate(elements)
        for place, component in enumerate(element)
    }
    # Under another name first: a cache is complete, or not there.
    partial = f"{path}.{os.getpid()}.partial.npz"
    np.savez(partial, size=np.int64(len(elements)), **arrays)
    os.replace(partial, _file(path))


def _read(path: str) -> list[Element]:
    with np.load(_file(path), allow_pickle=False) as archive:
        found: list[list[Any]] = [[] for _ in range(int(archive["size"]))]
        for name in archive.files:
            at = name.partition(".")[0]
            if at.isdecimal():
                found[int(at)].append(archive[name])
    return list(map(tuple, found))

"""Graphs in files: `save` writes one, `load` reads it, without the user's code and the tracer.

docs/graph-format.md describes the files. Nothing in them is unpickled or executed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from runtime import errors
from runtime.core.files import Path
from runtime.graph.ir import Graph
from runtime.graph.storage import archive
from runtime.graph.storage.decoding import MALFORMED, Decoder, Unknown
from runtime.graph.storage.encoding import Encoder


def save(graph: Graph, path: Path) -> None:
    """Write a graph, those that it calls, and the values of the variables that it uses.

    Raises errors.UnimplementedError for an object of Python's that it holds, with the place in the
    user's code, and OSError where the file cannot be written.
    """
    encoder = Encoder()
    encoder.graph(graph)
    archive.write(path, encoder.document(), encoder.arrays)


def load(path: Path) -> Graph:
    """The graph that `save` has written, with variables of its own.

    Raises errors.DataLossError for a damaged file, errors.InvalidArgumentError for one of something
    else, errors.UnimplementedError for one that another version has written, or that needs a class
    of a module that is not imported, and OSError where there is none.
    """
    document, arrays = archive.read(path)
    found: Graph = decoded(path, document, arrays)
    return found


def _graphs(decoder: Decoder, document: dict[str, Any]) -> Graph:
    if not decoder.graphs:
        raise ValueError("it has no graph")
    return decoder.graphs[0]


def decoded(
    path: Path, document: dict[str, Any], arrays: list[Any], read: Callable[..., Any] = _graphs
) -> Any:
    """Returns what `read(decoder, document)` makes of a document; errors as those of `load`."""
    try:
        return read(Decoder(document, arrays), document)
    except Unknown as error:
        raise errors.UnimplementedError(
            f"{os.fspath(path)} cannot be loaded: {error}",
            hint="import the module that defines it first, or install a newer version",
        ) from None
    except MALFORMED as error:
        raise archive.damaged(path, error) from None

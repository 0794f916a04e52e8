"""The strings that may be other bytes than those of a text in UTF-8."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.core.forms import is_string
from runtime.graph.dataflow import Forward
from runtime.graph.executors.kernels import unboxed
from runtime.graph.ir import Node, Region, Value
from runtime.graph.nodes import CONSTANT, UNDEFINED
from runtime.graph.text_ops import TEXT


class Undecoded(Forward):
    """The single strings of a body, in `values`, that are not certainly texts: arguments, and what
    kernels give. What graphs write are texts.
    """

    def __init__(self, body: Region, given: Iterable[Value]) -> None:
        self.values = set(filter(_is_string, given))
        self.region(body)

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """A value may be other bytes if one of its sources may."""
        before = len(self.values)
        pairs = zip(sources, targets, strict=True)
        self.values.update(target for source, target in pairs if source in self.values)
        return len(self.values) > before

    def op(self, node: Node) -> None:
        """Note the strings of a node that are not known to be texts."""
        if not _gives_texts(node):
            self.values.update(filter(_is_string, node.outputs))


def _gives_texts(node: Node) -> bool:
    if node.primitive is CONSTANT:
        return not _is_string(node.outputs[0]) or isinstance(unboxed(node.params["value"]), str)
    return node.primitive in (TEXT, UNDEFINED)


def _is_string(value: Value) -> bool:
    return is_string(value.type)

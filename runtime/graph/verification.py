"""The rules that every graph keeps."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.graph.data import is_data
from runtime.graph.ir import Graph, Node, Region, Value, covers, diverges, is_test, types_text
from runtime.graph.nodes import CALL, COND, RAISE, WHILE


class InvalidGraph(AssertionError):
    """A graph breaks a rule of the IR: a bug of whoever built it, never of the user."""


def verify(graph: Graph, types: bool = False) -> None:
    """Raise InvalidGraph unless values are defined once and before their use and regions fit their
    nodes.

    With `types`, every node's outputs are also compared with what its primitive infers.
    """
    checker = _Checker(types)
    for value, _ in graph.closure:
        checker.define(value)
    checker.region(graph.body)


class _Checker:
    """The values that are visible at a place, and those that were defined anywhere."""

    def __init__(self, types: bool) -> None:
        self.types = types
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()

    def define(self, value: Value) -> None:
        if value in self.defined:
            raise InvalidGraph(f"{value!r} is defined twice")
        self.defined.add(value)
        self.visible.add(value)

    def region(self, region: Region) -> None:
        for value in region.parameters:
            self.define(value)
        for position, node in enumerate(region.nodes):
            self.node(node)
            if node.primitive is RAISE and position + 1 != len(region.nodes):
                raise InvalidGraph("a raise node is not the last of its region")
            for value in node.outputs:
                self.define(value)
        for value in region.results:
            if value not in self.visible:
                raise InvalidGraph(f"the result {value!r} is not defined here")
        self.visible.difference_update(region.parameters)
        for node in region.nodes:
            self.visible.difference_update(node.outputs)

    def node(self, node: Node) -> None:
        for value in node.inputs:
            if value not in self.visible:
                raise InvalidGraph(f"{node!r} uses {value!r}, which is not defined before it")
        for name, item in node.params.items():
            if not is_data(item):
                raise InvalidGraph(f"the parameter {name!r} of {node!r} is no data: {item!r}")
        for region in node.regions:
            self.region(region)
        rule = _STRUCTURE_RULES.get(node.primitive)
        if rule is not None:
            rule(node)
        elif node.regions:
            raise InvalidGraph(f"{node!r} takes no regions")
        elif self.types:
            _verify_types(node)


def _verify_types(node: Node) -> None:
    inferred = node.primitive.infer(*(value.type for value in node.inputs), **node.params)
    expected = inferred if isinstance(inferred, tuple) else (inferred,)
    actual = tuple(value.type for value in node.outputs)
    # A pass may know better than the trace what a node reads.
    if len(expected) != len(actual) or not all(map(covers, actual, expected)):
        raise InvalidGraph(
            f"{node!r} declares {types_text(actual)}, its rule says {types_text(expected)}"
        )


def _fit(node: Node, wide: Iterable[Value], narrow: Iterable[Value], what: str) -> None:
    wide, narrow = tuple(wide), tuple(narrow)
    if len(wide) != len(narrow):
        raise InvalidGraph(f"{node!r}: {len(narrow)} {what} where {len(wide)} are declared")
    for w, n in zip(wide, narrow, strict=True):
        if not covers(w.type, n.type):
            raise InvalidGraph(f"{node!r}: {what}: {n!r} does not fit {w!r}")


def _expect(node: Node, inputs: int, regions: int) -> None:
    if len(node.inputs) < inputs or len(node.regions) != regions:
        raise InvalidGraph(f"{node!r} has {len(node.inputs)} inputs, {len(node.regions)} regions")


def _verify_cond(node: Node) -> None:
    _expect(node, 1, 2)
    if len(node.inputs) != 1 or not is_test(node.inputs[0].type):
        raise InvalidGraph(f"{node!r} needs one test, has {node.inputs}")
    for region in node.regions:
        _fit(node, (), region.parameters, "parameters of a branch")
        if not diverges(region):
            _fit(node, node.outputs, region.results, "results of a branch")


def _verify_while(node: Node) -> None:
    _expect(node, 1, 1)
    (body,) = node.regions
    if not is_test(node.inputs[0].type) or not body.results or not is_test(body.results[0].type):
        raise InvalidGraph(f"{node!r} has no test")
    _fit(node, node.outputs, body.parameters, "parameters")
    _fit(node, node.outputs, node.inputs[1:], "initial values")
    _fit(node, node.outputs, body.results[1:], "results of the body")


def _verify_call(node: Node) -> None:
    _expect(node, 0, 0)
    graph = node.params["callee"].graph
    if graph is None:
        return
    _fit(node, graph.parameters, node.inputs, "arguments")
    _fit(node, node.outputs, graph.results, "results")


_STRUCTURE_RULES = {
    COND: _verify_cond,
    WHILE: _verify_while,
    CALL: _verify_call,
}

"""The operations of a graph, and its pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

import runtime as rt
from runtime.graph.ir import Graph

WEIGHT = rt.constant([[1.0, 2.0], [3.0, 4.0]])


def layer(x, limit):
    y = rt.nn.relu(rt.matmul(x, WEIGHT)) + 1.0
    if limit > 0:
        y = y * rt.constant([1.0, 2.0])
    while rt.reduce_sum(y) < 100.0:
        y = y * 2.0
    return y, limit


def graph() -> Graph:
    specs = rt.TensorSpec([None, 2]), rt.TensorSpec([], rt.int32)
    found: Graph = rt.function(layer).get_concrete_function(*specs).graph
    return found


def test_operations() -> None:
    operations = graph().get_operations()
    assert [(operation.name, operation.type) for operation in operations] == [
        ("x", "Placeholder"), ("limit", "Placeholder"), ("captured", "Placeholder"),
        ("matmul", "MatMul"), ("relu", "Relu"), ("constant", "Const"), ("add", "AddV2"),
        ("constant_1", "Const"), ("greater", "Greater"), ("y", "If"),
        ("sum", "Sum"), ("constant_3", "Const"), ("less", "Less"), ("y_2", "While"),
    ]  # fmt: skip
    by_name = {operation.name: operation for operation in operations}
    assert by_name["matmul"].inputs == (*by_name["x"].outputs, *by_name["captured"].outputs)
    assert [inner.type for inner in by_name["y"].regions[0]] == ["Const", "Mul"]
    assert repr(by_name["add"]) == "<Operation 'add' type=AddV2>"


def test_one_operation() -> None:
    found = graph().get_operation_by_name("matmul")
    assert found.get_attr("transpose_a") is False
    with pytest.raises(ValueError, match="has no attr named 'nothing'"):
        found.get_attr("nothing")
    with pytest.raises(KeyError, match="nothing"):
        graph().get_operation_by_name("nothing")


def test_inner_operations_are_found_by_name() -> None:
    assert graph().get_operation_by_name("mul").type == "Mul"


def test_inputs_outputs_and_signature() -> None:
    made = graph()
    assert [value.name for value in made.inputs] == ["x", "limit", "captured"]
    assert [str(value.type) for value in made.outputs] == ["float32[?,2]", "int32[]"]
    text = "layer(x: float32[?,2], limit: int32[]) -> (float32[?,2], int32[])"
    assert (made.signature, repr(made)) == (text, f"<Graph {text}>")


def count(region: Any) -> int:
    nodes = sum(1 + sum(map(count, node.regions)) for node in region.nodes)
    return nodes + len(region.parameters) + bool(region.results)


def test_dot() -> None:
    text = graph().to_dot()
    assert text.startswith('digraph "layer" {')
    assert text.count("[label=") == count(graph().body) + len(graph().captures)
    assert text.count("subgraph") == 3
    assert text.count("{") == text.count("}")
    assert '[label="AddV2: float32[?,2]"]' in text


def test_dot_escapes_names() -> None:
    whole = graph()
    made = Graph('a"b', whole.body, whole.captures)
    assert made.to_dot().startswith('digraph "a\\"b" {')


def test_svg() -> None:
    """Every box lies inside of the picture, and each edge leads downwards."""
    root = ElementTree.fromstring(graph()._repr_svg_())
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    boxes = [element for element in root if element.tag.endswith("rect")]
    assert len(boxes) == count(graph().body) + len(graph().captures)
    for box in boxes:
        x, y, w, h = (int(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
    lines = [element for element in root if element.tag.endswith("line")]
    assert len(lines) > 10
    assert all(int(line.attrib["y1"]) < int(line.attrib["y2"]) for line in lines)

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
    assert [tensor.name for tensor in made.inputs] == ["x:0", "limit:0", "captured:0"]
    assert [str(tensor.type) for tensor in made.outputs] == ["float32[?,2]", "int32[]"]
    text = "layer(x: float32[?,2], limit: int32[]) -> (float32[?,2], int32[])"
    assert (made.signature, repr(made)) == (text, f"<Graph {text}>")


def test_tensors() -> None:
    made = graph()
    tensor = made.get_tensor_by_name("matmul:0")
    operation = made.get_operation_by_name("matmul")
    assert operation.values() == (tensor,)
    assert (tensor.op.name, tensor.dtype, tensor.shape.as_list()) == (
        "matmul", rt.float32, [None, 2],
    )  # fmt: skip
    assert repr(tensor) == "<GraphTensor 'matmul:0': float32[?,2]>"
    assert operation.inputs == (made.inputs[0], made.inputs[2])
    assert (operation.device, operation.control_inputs) == ("", [])
    for name in ("matmul:1", "nothing:0", "matmul"):
        with pytest.raises(KeyError, match=name.removesuffix(":0")):
            made.get_tensor_by_name(name)


def test_a_loop_has_placeholders_for_its_state() -> None:
    loop = graph().get_operation_by_name("y_2")
    (body,) = loop.regions
    assert [operation.type for operation in body] == [
        "Placeholder", "Const", "Mul", "Sum", "Const", "Less",
    ]  # fmt: skip
    assert body[2].inputs[0].op is body[0]


def test_a_number_has_no_dtype() -> None:
    concrete = rt.function(counting).get_concrete_function(rt.TensorSpec([], rt.int32))
    number = next(op for op in concrete.graph.get_operations() if op.type == "While").outputs[0]
    with pytest.raises(TypeError, match=r"is a py\.int, not a tensor"):
        _ = number.dtype


def counting(n):
    steps = 0
    while steps < n:
        steps = steps + 1
    return steps


# Names


def named(x):
    y = rt.matmul(x, x, name="product")
    y = rt.matmul(y, y, name="product")
    y = rt.add(y, 1.0, name="plus") + rt.constant(2.0, name="two")
    with rt.name_scope("outer"), rt.name_scope("inner"):
        y = rt.nn.relu(y) * y
        y = rt.reduce_sum(y, axis=0, name="total")
    return y / 2.0


def test_names_are_those_that_the_user_gives() -> None:
    spec = rt.TensorSpec([2, 2], rt.float32)
    with rt.name_scope("around"):
        made = rt.function(named).get_concrete_function(spec).graph
    assert [operation.name for operation in made.get_operations()] == [
        "x", "product", "product_1", "plus/constant", "plus", "two", "add", "outer/inner/relu",
        "outer/inner/mul", "outer/inner/total", "constant", "div",
    ]  # fmt: skip
    assert "outer/inner/mul: float32[2,2] = mul(outer/inner/relu, add)" in str(made)
    x = rt.constant([[1.0, 2.0], [3.0, 4.0]])
    assert rt.function(named)(x).numpy().tolist() == named(x).numpy().tolist()


def test_what_makes_a_symbol() -> None:
    seen = []

    def looked_at(x):
        y = x * 2.0
        seen.extend([x.op.type, y.op.type, [tensor.name for tensor in y.op.inputs]])
        found = rt.cond(x > 0.0, lambda: rt.exp(y, name="grown"), lambda: y)
        seen.extend([found.op.type, str(y), repr(y), y.name])
        return rt.cond(x > 1.0, lambda: rt.cos(y), lambda: checked(rt.sin(y)))

    def checked(symbol):
        assert (symbol.op.type, symbol.op.inputs[0].op.type) == ("Sin", "Mul")
        return symbol

    rt.function(looked_at, autograph=False)(rt.constant(1.0))
    assert seen == [
        "Placeholder", "Mul", ["x:0", "constant:0"], "If",
        'Tensor("mul:0", shape=(), dtype=float32)',
        "<tf.Tensor 'mul:0' shape=() dtype=float32>", "mul:0",
    ]  # fmt: skip


# Devices


def spread(x):
    with rt.device("CPU:1"):
        y = x + 1.0
        with rt.device("/cpu:0"):
            z = y * 2.0
        with rt.device(None):
            w = y - 1.0
        y = y / 2.0
    with rt.device("GPU:3"):
        v = rt.exp(y)
    return y, z, w, v, -y


def test_nodes_know_their_device_and_results_say_it() -> None:
    (cpu,) = rt.config.list_physical_devices("CPU")
    two = [rt.config.LogicalDeviceConfiguration()] * 2
    rt.config.set_logical_device_configuration(cpu, two)
    try:
        staged = rt.function(spread)
        x = rt.constant(1.0)
        for _ in range(15):
            found = [tensor.device[-5:] for tensor in staged(x)]
        assert found == ["CPU:1", "CPU:0", "CPU:0", "CPU:0", "CPU:0"]
        assert [tensor.device[-5:] for tensor in spread(x)] == found
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = staged(x)[0]
        assert (y.device[-5:], tape.gradient(y, x).numpy()) == ("CPU:1", 0.5)
        operations = staged.get_concrete_function(x).graph.get_operations()
    finally:
        rt.config.set_logical_device_configuration(cpu, [])
    assert {operation.type: operation.device for operation in operations} == {
        "Placeholder": "", "Const": "/device:CPU:1", "AddV2": "/device:CPU:1",
        "Mul": "/device:CPU:0", "Sub": "", "RealDiv": "/device:CPU:1", "Exp": "/device:GPU:3",
        "Neg": "",
    }  # fmt: skip


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

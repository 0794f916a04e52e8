"""The operations of a graph, and the graph as TensorFlow writes it down."""

from __future__ import annotations

from typing import Any

import pytest

import runtime as rt
from runtime.graph.format.views import op_type
from runtime.graph.ir import Graph, walk

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
        ("constant_1", "Const"), ("greater", "Greater"), ("y", "StatelessIf"),
        ("sum", "Sum"), ("constant_3", "Const"), ("less", "Less"), ("y_2", "StatelessWhile"),
    ]  # fmt: skip
    by_name = {operation.name: operation for operation in operations}
    assert by_name["matmul"].inputs == (*by_name["x"].outputs, *by_name["captured"].outputs)
    assert [inner.type for inner in by_name["y"].regions[0]] == ["Const", "Mul"]
    assert repr(by_name["add"]) == "<tf.Operation 'add' type=AddV2>"


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


BIAS = rt.Variable([1.0, 1.0], name="bias")
FROZEN = rt.Variable(2.0, trainable=False, name="frozen")


def test_captures_are_pairs_of_what_is_outside_and_what_is_inside() -> None:
    @rt.function
    def shifted(x):
        return x * FROZEN + BIAS

    def captures(x):
        return shifted(x @ WEIGHT)

    concrete = rt.function(captures).get_concrete_function(rt.TensorSpec([None, 2]))
    made = concrete.graph
    ((external, internal),) = made.captures
    assert external is WEIGHT
    assert (internal.name, internal.op.type) == ("captured:0", "Placeholder")
    assert (made.external_captures, made.internal_captures) == ([external], [internal])
    assert [item is external for item in concrete.captured_inputs] == [True]
    assert made.inputs[1:] == made.internal_captures
    for holder in (made, concrete):
        assert [item.name for item in holder.variables] == ["frozen:0", "bias:0"]
        assert [item is BIAS for item in holder.trainable_variables] == [True]


def test_tensors() -> None:
    made = graph()
    tensor = made.get_tensor_by_name("matmul:0")
    operation = made.get_operation_by_name("matmul")
    assert operation.values() == (tensor,)
    assert (tensor.op.name, tensor.dtype, tensor.shape.as_list()) == (
        "matmul", rt.float32, [None, 2],
    )  # fmt: skip
    assert repr(tensor) == "<tf.Tensor 'matmul:0' shape=(None, 2) dtype=float32>"
    assert operation.inputs == (made.inputs[0], made.inputs[2])
    assert (operation.device, operation.control_inputs) == ("", [])
    assert (tensor.device, tensor.graph, operation.graph) == ("", made, made)
    for name in ("matmul:1", "nothing:0"):
        with pytest.raises(KeyError, match=name.removesuffix(":0")):
            made.get_tensor_by_name(name)
    with pytest.raises(ValueError, match="write 'matmul:0'"):
        made.get_tensor_by_name("matmul")
    with pytest.raises(ValueError, match="is that of a Tensor"):
        made.get_operation_by_name("matmul:0")


def test_attributes_and_the_definition_of_an_operation() -> None:
    made = graph()
    operation = made.get_operation_by_name("matmul")
    assert operation.get_attr("T") is rt.float32
    definition = operation.node_def
    assert (definition.name, definition.op, definition.input) == (
        "matmul", "MatMul", ["x", "captured"],
    )  # fmt: skip
    assert definition.attr["transpose_a"] is False
    given = made.get_operation_by_name("x")
    assert (given.get_attr("dtype"), given.get_attr("shape").as_list()) == (rt.float32, [None, 2])


def test_a_loop_has_placeholders_for_its_state() -> None:
    loop = graph().get_operation_by_name("y_2")
    (body,) = loop.regions
    assert [operation.type for operation in body] == [
        "Placeholder", "Const", "Mul", "Sum", "Const", "Less",
    ]  # fmt: skip
    assert body[2].inputs[0].op is body[0]


def test_a_number_has_no_dtype() -> None:
    concrete = rt.function(counting).get_concrete_function(rt.TensorSpec([], rt.int32))
    number = next(
        op for op in concrete.graph.get_operations() if op.type == "StatelessWhile"
    ).outputs[0]
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
        assert (x.device, y.device, y.graph is y.op.graph) == ("", "", True)
        seen.extend([x.op.type, y.op.type, [tensor.name for tensor in y.op.inputs]])
        found = rt.cond(x > 0.0, lambda: rt.exp(y, name="grown"), lambda: y)
        seen.extend([found.op.type, str(y), repr(y), y.name])
        return rt.cond(x > 1.0, lambda: rt.cos(y), lambda: checked(rt.sin(y)))

    def checked(symbol):
        assert (symbol.op.type, symbol.op.inputs[0].op.type) == ("Sin", "Mul")
        return symbol

    rt.function(looked_at, autograph=False)(rt.constant(1.0))
    assert seen == [
        "Placeholder", "Mul", ["x:0", "constant:0"], "StatelessIf",
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


# The graph as TensorFlow writes it down


def rounds(x, n):
    i = 0
    while i < n:
        x = x * WEIGHT if x[0, 0] > 0.0 else x - 1.0
        i += 1
    return x


def fall(n):
    if n < 1:
        return n
    return fall(n - 1)


@rt.function
def doubled(x):
    return x @ WEIGHT


def calls(x):
    with rt.device("CPU:1"):
        y = rt.add(x, x, name="outer/sum")
    return doubled(y) + doubled(x)


SPECS = rt.TensorSpec([2, 2], rt.float32), rt.TensorSpec([], rt.int32)


def _defined_before_use(given: list[str], nodes: list[Any]) -> set[str]:
    """The names of a graph's or function's nodes; each input is an output of one before it."""
    known = set(given)
    for node in nodes:
        assert {name.partition(":")[0] for name in node.input} <= known, node
        assert node.name not in known
        known.add(node.name)
    return known


@pytest.mark.parametrize(
    ("function", "specs"),
    [(layer, SPECS), (rounds, SPECS), (fall, SPECS[1:]), (calls, SPECS[:1])],
)
@pytest.mark.parametrize("stage", ["graph", "optimized"])
def test_a_graph_def_holds_each_node_once(function: Any, specs: Any, stage: str) -> None:
    made = getattr(rt.function(function).get_concrete_function(*specs), stage)
    found = made.as_graph_def()
    functions = {item.signature.name: item for item in found.library.function}
    assert len(functions) == len(found.library.function)
    _defined_before_use([], found.node)
    for item in functions.values():
        known = _defined_before_use([arg.name for arg in item.signature.input_arg], item.node_def)
        assert {name.partition(":")[0] for name in item.ret.values()} <= known
    nodes = [*found.node, *(node for item in functions.values() for node in item.node_def)]
    for node in nodes:
        for role in {"f", "body", "then_branch", "else_branch"} & set(node.attr):
            taken = len(functions[node.attr[role]].signature.input_arg)
            # The test of a branch or loop steers it, and is no argument of its functions.
            assert taken == len(node.input) - (node.op in ("StatelessIf", "StatelessWhile"))
    counted = {node.op for node in nodes} - {"Placeholder"}
    graphs = [made, *{graph for graph in _called(made)}]
    assert counted == {op_type(node) for graph in graphs for node in walk(graph.body)}


def _called(graph: Graph, seen: set[Graph] | None = None) -> set[Graph]:
    found = seen if seen is not None else set()
    for node in walk(graph.body):
        callee = node.params.get("callee")
        if callee is not None and callee.graph not in found:
            found.add(callee.graph)
            _called(callee.graph, found)
    return found


def test_a_graph_def_of_a_loop() -> None:
    found = rt.function(rounds).get_concrete_function(*SPECS).graph.as_graph_def()
    assert [node.op for node in found.node].count("StatelessWhile") == 1
    names = [item.signature.name for item in found.library.function]
    (loop,) = [node for node in found.node if node.op == "StatelessWhile"]
    assert loop.attr["body"] in names
    (body,) = [x for x in found.library.function if x.signature.name == loop.attr["body"]]
    assert [node.op for node in body.node_def].count("StatelessIf") == 1
    assert sum(node.op == "Mul" for x in found.library.function for node in x.node_def) == 1
    assert (loop.name, loop.attr["body"]) == ("x_2", "x_2_body")


def test_functions_that_are_called_are_in_the_library_once() -> None:
    found = rt.function(calls).get_concrete_function(SPECS[0]).graph.as_graph_def()
    assert [item.signature.name for item in found.library.function] == ["doubled"]
    used = [node for node in found.node if node.op == "PartitionedCall"]
    assert [node.attr["f"] for node in used] == ["doubled", "doubled"]
    (total,) = [node for node in found.node if node.name == "outer/sum"]
    assert (total.op, total.input, total.device) == ("AddV2", ["x", "x"], "/device:CPU:1")
    assert found.node[0].attr == {"dtype": rt.float32, "shape": (2, 2)}


def test_a_graph_def_as_text() -> None:
    def halved(x):
        return x * 0.5 if x > 0.0 else x

    found = rt.function(halved).get_concrete_function(rt.TensorSpec([], rt.float32))
    lines = str(found.graph.as_graph_def()).splitlines()
    assert lines[:5] == [
        "node {", '  name: "x"', '  op: "Placeholder"', "  attr dtype: float32", "  attr shape: ()",
    ]  # fmt: skip
    assert "  function result_then_branch(x: float32[]) -> (float32[]) {" in lines
    assert lines.count("library {") == 1


# What TensorFlow's graphs have beside


def test_elements_of_a_graph_by_name() -> None:
    made = graph()
    tensor, operation = made.get_tensor_by_name("mul:0"), made.get_operation_by_name("mul")
    for asked in ("mul:0", tensor):
        assert made.as_graph_element(asked) == tensor
    for asked in ("mul", operation):
        found = made.as_graph_element(asked)
        assert (found.name, found.type) == ("mul", "Mul")
    with pytest.raises(TypeError, match="Can not convert a int into a Tensor or Operation"):
        made.as_graph_element(3)
    with pytest.raises(ValueError, match="is that of a Tensor"):
        made.as_graph_element("mul:0", allow_tensor=False)
    with pytest.raises(TypeError, match="Operation names are strings, not int"):
        made.get_operation_by_name(3)
    with pytest.raises(TypeError, match="Tensor names are strings, not int"):
        made.get_tensor_by_name(3)


def test_who_takes_a_tensor() -> None:
    made = graph()
    tensor = made.get_tensor_by_name("add:0")
    names = [operation.name for operation in tensor.consumers()]
    assert (names, tensor.value_index) == (["y", "mul"], 0)
    assert str(tensor) == 'Tensor("add:0", shape=(None, 2), dtype=float32)'


def test_who_takes_a_symbol_so_far() -> None:
    def asked(x):
        y = x * 2.0
        z = rt.exp(y) + y
        found = y.op.outputs[0].consumers()
        assert [operation.name for operation in found] == ["exp", "add"]
        assert [operation.name for operation in z.graph.get_operations()][-2:] == ["exp", "add"]
        return z

    assert rt.function(asked, autograph=False)(rt.constant(0.0)).numpy() == 1.0


def test_a_branch_takes_what_it_reads() -> None:
    made = graph()
    branch = made.get_operation_by_name("y")
    assert [tensor.name for tensor in branch.inputs] == ["greater:0", "add:0"]
    assert branch.node_def.input == made.as_graph_def().node[9].input == ["greater", "add"]
    assert str(branch).splitlines()[:5] == [
        "node {", '  name: "y"', '  op: "StatelessIf"', '  input: "greater"', '  input: "add"',
    ]  # fmt: skip

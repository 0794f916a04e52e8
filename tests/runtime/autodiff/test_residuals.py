"""What a staged loop keeps for its gradient: what rules read, for each round, and nothing else."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.autodiff.activity import called_in
from runtime.autodiff.residuals import substituted
from runtime.core.primitive import TABLE
from runtime.core.types import TensorType
from runtime.graph.ir import Graph, Node, Region, Value, walk
from runtime.staging.tracing import Trace

Function = Callable[..., Any]

# What a round computes of its state; how many values its gradient reads.
ROUNDS: dict[str, tuple[Function, int]] = {
    "add": (lambda y, x: y + x, 0),
    "linear in the state": (lambda y, x: y * 2.0 + 1.0, 0),
    "by a value from outside": (lambda y, x: y * x, 1),
    "input": (lambda y, x: tf.sin(y), 1),
    "output": (lambda y, x: tf.exp(y), 1),
    "both operands": (lambda y, x: (y + 1.0) * (y + 2.0), 2),
    "twice the same": (lambda y, x: tf.sin(y) + tf.cos(y), 1),
    "dead": (lambda y, x: (y + 1.0, tf.exp(tf.sin(y)))[0], 0),
    "no gradient": (lambda y, x: y + tf.floor(tf.sin(y)), 0),
    "stopped": (lambda y, x: y + tf.stop_gradient(tf.sin(tf.exp(y))), 0),
    "shapes only": (lambda y, x: tf.reduce_sum(tf.stack([y, x])), 0),
}


def slope(function: Function) -> Function:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return gradient


def looped(step: Function) -> Function:
    def function(x: Any) -> Any:
        y = x
        for _ in tf.range(5):
            y = step(y, x)
        return y

    return function


def count(graph: Graph, name: str) -> int:
    graphs = {graph, *called_in(graph.nodes)}
    return sum(node.primitive.name == name for g in graphs for node in walk(g.body))


@pytest.mark.parametrize("name", ROUNDS)
def test_what_a_loop_keeps(name: str) -> None:
    step, kept = ROUNDS[name]
    function = looped(step)
    concrete = tf.function(slope(function)).get_concrete_function(tf.TensorSpec([]))
    assert count(concrete.optimized, "list_push") == kept
    x = tf.constant(0.3)
    np.testing.assert_allclose(concrete(x).numpy(), slope(function)(x).numpy(), rtol=1e-5)


def test_a_loop_that_no_gradient_leads_through_keeps_nothing() -> None:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, z = x, x
            for _ in tf.range(3):
                y = tf.sin(y) * x
            for _ in tf.range(3):
                z = tf.exp(z) * x
        return tape.gradient(z, x), y

    graph = tf.function(function).get_concrete_function(tf.TensorSpec([])).graph
    loops = [node for node in graph.nodes if node.primitive.name == "while"]
    pushes = [sum(n.primitive.name == "list_push" for n in walk(x.regions[0])) for x in loops]
    assert pushes == [0, 1, 0]


def scan(x: Any, rounds: Any) -> Any:
    """Each round reads and writes an array, and computes more than its gradient needs."""
    given = tf.TensorArray(tf.float64, 4).unstack(x)
    made = tf.TensorArray(tf.float64, rounds)
    y = x[0]
    for i in tf.range(rounds):
        z = y * 2.0 + 1.0
        y = tf.tanh(z + given.read(i % 4))
        made = made.write(i, tf.reduce_sum(tf.stop_gradient(tf.exp(z) * y)) + tf.reduce_sum(y))
    return tf.reduce_sum(made.stack())


@pytest.mark.parametrize("inside", [True, False])
def test_memory_of_a_long_scan(inside: bool) -> None:
    """One row of 8,000 bytes a round."""
    staged = tf.function(scan, executor="numpy")

    def gradient(x: Any, rounds: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = staged(x, rounds)
        return tape.gradient(y, x)

    function = tf.function(gradient, executor="numpy") if inside else gradient
    x = tf.constant(np.linspace(-0.1, 0.1, 4000).reshape(4, 1000))
    function(x, tf.constant(3))
    peaks = [peak_of(lambda n=n: function(x, tf.constant(n))) for n in (100, 300)]
    a_round = (peaks[1] - peaks[0]) / 200
    assert 8_000 < a_round < 9_500


def peak_of(call: Function) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Nests: neither ops that are staged nor nodes that are made may double with each level


HEADS = {
    "cond": ["if y > 0.1:"],
    "while": ["i{n} = tf.constant(0)", "while i{n} < 2:", "    i{n} += 1"],
    "for": ["for row in tf.stack([x, y]):", "    if y > 3.0:", "        break"],
}
NESTS = {"cond": ["cond"], "while": ["while"], "for": ["for"], "mixed": ["cond", "while", "for"]}


def nested(depth: int, kinds: list[str], folder: Path) -> Function:
    """A function of statements in each other."""
    lines, margin = ["def function(x):", "    y = x"], "    "
    for level in range(depth):
        lines += [margin + line.format(n=level) for line in HEADS[kinds[level % len(kinds)]]]
        margin += "    "
    for level in range(depth, -1, -1):
        lines.append(f"{margin}y = tf.sin(y) * x")
        margin = margin[:-4]
        if level and kinds[(level - 1) % len(kinds)] == "cond":
            lines += [f"{margin}else:", f"{margin}    y = tf.cos(y) * x"]
    path = folder / f"nest_{depth}.py"
    path.write_text("\n".join([*lines, "    return y", ""]))
    found: dict[str, Any] = {"tf": tf}
    exec(compile(path.read_text(), path, "exec"), found)
    return found["function"]  # type: ignore[no-any-return]


@pytest.fixture
def staged_ops(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []
    apply = Trace.apply

    def counting(trace: Trace, *args: Any) -> Any:
        seen.append(args[0])
        return apply(trace, *args)

    monkeypatch.setattr(Trace, "apply", counting)
    return seen


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("name", NESTS)
def test_nests_eight_deep(name: str, order: int, staged_ops: list[Any], tmp_path: Path) -> None:
    sizes, traced = [], []
    for depth in (4, 8):
        function = nested(depth, NESTS[name], tmp_path)
        for _ in range(order):
            function = slope(function)
        staged_ops.clear()
        concrete = tf.function(function).get_concrete_function(tf.TensorSpec([]))
        traced.append(len(staged_ops))
        graphs = {concrete.graph, *called_in(concrete.graph.nodes)}
        sizes.append(sum(1 for graph in graphs for _ in walk(graph.body)))
    # Twice as deep: each level may add as much as there are levels, so at most four times as much.
    assert sizes[1] < 4 * sizes[0]
    assert traced[1] < 4 * traced[0]


def test_renaming_changes_only_what_a_node_reads() -> None:
    before, after, made = (Value(TensorType(tf.float32, ()), name) for name in ("x", "y", "made"))
    node = Node(TABLE["neg"], (before,), (made,), {"k": 1}, device="/device:CPU:1")
    (found,) = substituted(Region((), (node,), (made,)), {before: after}).nodes
    assert found.inputs == (after,)
    for field in ("primitive", "outputs", "params", "regions", "origin", "device"):
        assert getattr(found, field) == getattr(node, field)


def _of_unknown_rank(x: Any) -> Any:
    y = x
    for _ in tf.range(3):
        y = y * tf.reduce_sum(y) if tf.reduce_sum(y) > 0.5 else tf.sin(y) * y
    return y


def _of_two_ranks(x: Any) -> Any:
    total = tf.reduce_sum(x)
    for _ in tf.range(3):
        scale = tf.sin(x) * total if total > 0.5 else tf.tanh(total) * tf.ones([2, 1])
        total = total + tf.reduce_mean(scale * scale)
    return total


def _of_an_array(x: Any) -> Any:
    items = tf.TensorArray(tf.float32, 2, infer_shape=False, clear_after_read=False)
    items = items.write(0, x).write(1, tf.reduce_sum(x))
    total = tf.reduce_sum(x)
    for _ in tf.range(3):
        if total > 0.5:
            total = total + tf.reduce_sum(items.read(0) * items.read(1))
        else:
            total = tf.sin(total) * total + tf.exp(items.read(1))
    return total


@pytest.mark.parametrize("function", [_of_unknown_rank, _of_two_ranks, _of_an_array])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_branches_in_loops_that_keep_values_of_other_ranks(function: Function, rank: int) -> None:
    spec = [tf.TensorSpec(None, tf.float32)]
    for number in (0.3, -0.4, 1.2):
        x = tf.fill([2] * rank, number)
        expected = slope(function)(x)
        for made in (
            tf.function(slope(function), input_signature=spec),
            slope(tf.function(function, input_signature=spec)),
        ):
            np.testing.assert_allclose(made(x), expected, rtol=1e-5)

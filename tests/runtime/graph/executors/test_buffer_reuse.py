"""Buffers that a program keeps between rounds and calls: nobody sees them, and nothing else is
allocated.
"""

# The programs are written as users write them.
# ruff: noqa: B007

from __future__ import annotations

import contextlib
import io
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime as rt
from autograph.calls import ag
from runtime.core.primitive import TABLE, Memory
from runtime.core.workspace import Workspace
from runtime.functions.function import function
from runtime.graph import list_rows, lists
from runtime.graph.executors.kernels import takes_out, takes_work
from runtime.ops import define
from runtime.ops.random.seeds import BY_OP, Stream
from tests.runtime.ops.samples import arrays

ROOT = Path(__file__).parents[4]
SIDE = 4


def stateless(kind: str) -> Any:
    draw = getattr(rt.random, f"stateless_{kind}")
    return draw([SIDE, SIDE], [1, 2], dtype=rt.float64)


def image(a: Any) -> Any:
    return rt.reshape(a, [1, SIDE, SIDE, 1])


def kernel(a: Any) -> Any:
    return rt.reshape(a[:3, 1:], [3, 3, 1, 1])


def from_image(a: Any) -> Any:
    return rt.reshape(a, [SIDE, SIDE])


def of_filter(a: Any, b: Any) -> Any:
    with rt.GradientTape() as tape:
        # Eagerly both may be one tensor, which is watched then.
        b = rt.identity(b)
        tape.watch(b)
        loss = rt.reduce_sum(rt.nn.conv2d(image(a), kernel(b), 1, "SAME") * image(a))
    return rt.tanh(tape.gradient(loss, b))


def of_pools(a: Any, b: Any) -> Any:
    with rt.GradientTape() as tape:
        a = rt.identity(a)
        tape.watch(a)
        loss = rt.reduce_sum(rt.nn.max_pool2d(image(a), 2, 2, "SAME"))
        loss += rt.reduce_sum(rt.nn.avg_pool2d(image(a * b), 3, 2, "SAME"))
    return tape.gradient(loss, a)


VARIABLES = [rt.Variable(rt.zeros([SIDE, SIDE], rt.float64)) for _ in range(2)]


def reset() -> None:
    for at, variable in enumerate(VARIABLES):
        variable.assign(np.full((SIDE, SIDE), 0.5 - at))


def updated(method: str, at: int, value: Any, result: Any) -> Any:
    """The result, behind an update of a variable."""
    getattr(VARIABLES[at], method)(value)
    return result


def between(a: Any, b: Any) -> Any:
    """What was read before, and after, an update."""
    before = VARIABLES[0].value()
    turned = rt.reshape(VARIABLES[0], [SIDE * SIDE])[::-1]
    VARIABLES[0].assign_sub(a * 0.5)
    return (before - VARIABLES[0]) * b + rt.reshape(turned, [SIDE, SIDE])


def summed(a: Any, b: Any) -> Any:
    """Gradients of what was broadcast, summed to the shapes that it had."""
    row, column = b[0], rt.identity(b[:, 1:2])
    with rt.GradientTape() as tape:
        tape.watch((row, column))
        loss = rt.reduce_sum((a * row + column) * a)
    one, other = tape.gradient(loss, (row, column))
    return rt.tanh(one) + other * 0.1


def of_rounds(a: Any, b: Any) -> Any:
    a = rt.identity(a)

    def step(i: Any, x: Any, y: Any) -> Any:
        turned = rt.reshape(x, [SIDE, SIDE])[::-1]
        return i + 1, rt.tanh(turned * b), y * x

    with rt.GradientTape() as tape:
        tape.watch(a)
        _, x, y = ag.while_loop(lambda i, x, y: i < 3, step, (rt.constant(0), a, b))
        loss = rt.reduce_sum(x * y)
    return tape.gradient(loss, a)


OPS: dict[str, Any] = {
    "rounds": of_rounds,
    "broadcast": lambda a, b: summed(a, b),
    "read": lambda a, b: VARIABLES[0] * a - VARIABLES[1],
    "own": lambda a, b: VARIABLES[0].value(),
    "lines of it": lambda a, b: rt.concat([VARIABLES[1][1:], b[:1]], 0),
    "assign": lambda a, b: updated("assign", 0, a, b),
    "assign product": lambda a, b: updated("assign", 1, a * b, a),
    "assign other": lambda a, b: updated("assign", 1, VARIABLES[0], b),
    "assign sum": lambda a, b: updated("assign_add", 0, a, b),
    "subtract": lambda a, b: updated("assign_sub", 1, a * 0.1, b),
    "decay": lambda a, b: updated("assign", 0, VARIABLES[0] * 0.9 + a * 0.1, b),
    "double": lambda a, b: updated("assign_add", 1, VARIABLES[1], b),
    "between": between,
    "add": lambda a, b: (a + b) * 0.5,
    "mul": lambda a, b: a * b,
    "tanh": lambda a, b: rt.tanh(a - b),
    "matmul": lambda a, b: rt.tanh(a @ b),
    "max": lambda a, b: rt.maximum(a, b),
    "move": lambda a, b: a,
    "turn": lambda a, b: a[::-1],
    "sum": lambda a, b: b + rt.reduce_mean(a),
    "transpose": lambda a, b: rt.transpose(a),
    "lines": lambda a, b: rt.reduce_sum(a * 0.7, 0) + b,
    "rows": lambda a, b: rt.concat([a[1:], b[:1]], 0),
    "stack": lambda a, b: rt.reduce_max(rt.stack([a, b]), 0),
    "flat": lambda a, b: rt.reshape(rt.reshape(a, [-1]) * 2.0, [SIDE, SIDE]),
    "reshape": lambda a, b: rt.reshape(rt.expand_dims(b, 0), [SIDE, SIDE]),
    "reverse": lambda a, b: rt.reverse(a, [0]) - a,
    "row": lambda a, b: rt.tensor_scatter_nd_update(a, [[1]], b[:1] + 1.0),
    "own row": lambda a, b: rt.tensor_scatter_nd_add(a, [[0], [2]], a[1:3]),
    # Of a copy: eagerly, other names of a tensor do not see what is assigned to its items.
    "item": lambda a, b: ag.setitem(b[0, 1], to=rt.identity(a), at=(2, 3)),
    "part": lambda a, b: ag.setitem(a[:2], to=rt.identity(a), at=slice(1, 3)),
    "where": lambda a, b: rt.where(a > b, a, 0.5),
    "gather": lambda a, b: rt.gather(a, [3, 0, 0, 2]) + b,
    "number": lambda a, b: rt.squeeze(a[:1, 1:2] * 0.3) * 0.5 * b,
    "chosen": lambda a, b: rt.where(a[0, 0] > b[1, 1], rt.reshape(a[:1, :1] + 1.0, []), 0.5) * a,
    "softmax": lambda a, b: rt.nn.softmax(a + b),
    "relu": lambda a, b: rt.nn.relu(a) - b,
    "gather nd": lambda a, b: rt.gather_nd(a, [[3], [0], [0], [2]]) + b,
    "segments": lambda a, b: rt.math.unsorted_segment_sum(a, [0, 2, 2, -1], SIDE) - b,
    "conv": lambda a, b: from_image(rt.nn.conv2d(image(a), kernel(b), 1, "SAME")),
    "depthwise": lambda a, b: from_image(
        rt.nn.depthwise_conv2d(image(a), kernel(b), [1, 1, 1, 1], "SAME") * 0.3
    ),
    "strides": lambda a, b: (
        a
        + from_image(
            rt.nn.conv2d_transpose(image(b)[:, ::2, ::2], kernel(a), [1, SIDE, SIDE, 1], 2, "SAME")
        )
    ),
    "filter": lambda a, b: of_filter(a, b),
    "max pool": lambda a, b: from_image(rt.nn.max_pool2d(image(a * b), 3, 1, "SAME")),
    "mean pool": lambda a, b: from_image(rt.nn.avg_pool2d(image(a), 2, 1, "SAME")) - b,
    "pooled": lambda a, b: of_pools(a, b),
    "band": lambda a, b: rt.linalg.band_part(a, 1, 0) + rt.linalg.band_part(b * 0.5, 0, -1),
    "diagonal": lambda a, b: rt.linalg.set_diag(a, rt.linalg.diag_part(b)),
    "own diagonal": lambda a, b: rt.linalg.diag(rt.linalg.diag_part(a)) - b,
    "parts": lambda a, b: rt.math.real(rt.complex(a, b * 0.5)),
    "turns": lambda a, b: rt.math.imag(rt.complex(a, b)) * rt.math.angle(rt.complex(b, a)),
    "bits": lambda a, b: rt.bitcast(rt.bitcast(a * 0.5, rt.int64), rt.float64),
    "own bits": lambda a, b: rt.bitcast(rt.bitcast(b, rt.int64), rt.float64),
    "sequences": lambda a, b: rt.reverse_sequence(a, [1, 3, 0, SIDE]) + b,
    "logarithms": lambda a, b: rt.math.xlogy(a, rt.abs(b) + 0.1) - rt.round(b * 3.0),
    "gammas": lambda a, b: rt.math.lgamma(rt.abs(a) + 0.1) * 0.1,
    "order": lambda a, b: (
        rt.cast(rt.argsort(a * b, 0), rt.float64) * 0.1 + rt.sort(b, 1, "DESCENDING")
    ),
    "largest": lambda a, b: rt.math.top_k(a, SIDE)[0] - rt.math.top_k(b * 0.5, 1).values,
    "places": lambda a, b: a + 0.1 * rt.cast(rt.math.top_k(b, SIDE).indices, rt.float64),
    "largest of columns": lambda a, b: a - rt.cast(rt.argmax(b * a, 0), rt.float64) * 0.1,
    "resized": lambda a, b: (
        b
        + rt.cast(from_image(rt.image.resize(image(a)[:, 1:], [SIDE, SIDE], "bicubic")), rt.float64)
    ),
    "noise": lambda a, b: a + stateless("uniform") - stateless("truncated_normal") * b,
    "shuffle": lambda a, b: rt.random.experimental.stateless_shuffle(a * 2.0, [1, 2]) - b,
}

PLACES = st.integers(0, 2)
ops = st.tuples(st.sampled_from(sorted(OPS)), PLACES, PLACES, PLACES)
programs = st.recursive(
    st.lists(ops, min_size=1, max_size=5),
    lambda inner: st.lists(
        ops
        | st.tuples(st.just("loop"), st.integers(0, 3), inner)
        | st.tuples(st.just("cond"), PLACES, inner, inner),
        min_size=1,
        max_size=5,
    ),
    max_leaves=12,
)


def execute(program: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    for kind, *rest in program:
        if kind == "loop":
            state = looped(*rest, state)
        elif kind == "cond":
            state = chosen(*rest, state)
        else:
            first, second, target = rest
            made = OPS[kind](state[first], state[second])
            state = (*state[:target], made, *state[target + 1 :])
    return state


def looped(count: int, body: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    limit = rt.constant(count)

    def test(i: Any, a: Any, b: Any, c: Any) -> Any:
        return i < limit

    def step(i: Any, a: Any, b: Any, c: Any) -> Any:
        return (i + 1, *execute(body, (a, b, c)))

    return tuple(ag.while_loop(test, step, (rt.constant(0), *state))[1:])


def chosen(at: int, body: Any, orelse: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    test = rt.reduce_sum(state[at]) > 0.0
    return tuple(
        ag.cond(
            test,
            lambda a, b, c: execute(body, (a, b, c)),
            lambda a, b, c: execute(orelse, (a, b, c)),
            state,
        )
    )


def inputs(seed: int, turned: tuple[int, ...] = ()) -> list[Any]:
    random = np.random.default_rng(seed)
    made = [rt.constant(random.uniform(-1, 1, (SIDE, SIDE))) for _ in range(3)]
    return [rt.transpose(each) if at in turned else each for at, each in enumerate(made)]


def read() -> list[Any]:
    return [variable.value() for variable in VARIABLES]


def bits(results: Any) -> list[bytes]:
    return [result.numpy().tobytes() for result in results]


@settings(max_examples=40, deadline=None)
@given(program=programs, turned=st.sampled_from([(), (0,), (1, 2), (0, 1, 2)]))
def test_nobody_sees_a_buffer(program: Any, turned: tuple[int, ...]) -> None:
    staged = function(lambda a, b, c: execute(program, (a, b, c)), autograph=False)
    cases = [(1, ()), (2, turned), (1, ()), (3, turned)]
    given = [inputs(*case) for case in cases]
    reset()
    results = [(staged(*arguments), read()) for arguments in given]
    reset()
    for arguments, made, case in zip(given, results, cases, strict=True):
        assert bits(arguments) == bits(inputs(*case))
        expected = execute(program, tuple(inputs(*case)))
        assert bits(made[0]) == bits(expected)
        assert bits(made[1]) == bits(read())


# What is allocated

SIZE = 300


def straight(x, y):
    a = rt.tanh(x * y) @ y
    b = rt.nn.softmax(a - x) * 2.0
    return rt.reduce_sum(a + b) + x


def carried(x, y):
    for i in rt.range(5):
        x = rt.tanh(x @ y) * 0.5 + x
    return x


def swapped(x, y):
    for i in rt.range(5):
        x, y = rt.tanh(y @ x), x * y
    return x + y


def nested(x, y):
    for i in rt.range(3):
        for j in rt.range(3):
            x = rt.tanh(x @ y)
        y = x * y
    return y


def read_behind_a_loop(x, y):
    for i in rt.range(3):
        x = rt.tanh(x @ y)
    return rt.reduce_sum(x * y)


def reduced_in_a_loop(x, y):
    total = rt.constant(0.0, rt.float64)
    for i in rt.range(5):
        total = total + rt.reduce_sum(rt.tanh(x @ y) * x)
    return total


def chosen_by_a_branch(x, y):
    a = x * y
    if rt.reduce_sum(x) > 0.0:
        b = a + 1.0
    elif rt.reduce_sum(y) > 0.0:
        b = rt.tanh(a)
    else:
        b = a
    return rt.reduce_sum(b * a)


def kept_by_a_branch(x, y):
    for i in rt.range(6):
        if i % 2 == 0:
            x = rt.tanh(x * y)
        elif i == 3:
            x, y = y, x
    return rt.reduce_sum(x * y)


def read_beside_a_branch(x, y):
    z = y
    for i in rt.range(5):
        z = x
        if i % 2 == 0:
            x = rt.tanh(x * y)
        z = z * x
    return rt.reduce_sum(x * z)


def left_early(x, y):
    for i in rt.range(5):
        x = rt.tanh(x @ y)
        if rt.reduce_sum(x) < -1.0:
            break
        y = y * 0.9
        if rt.reduce_sum(x) > 1e9:
            return rt.reduce_sum(x)
    return rt.reduce_sum(x * y)


def viewed(x, y):
    a = rt.reshape(x * y, [-1])
    b = rt.reshape(a + 1.0, [SIZE, SIZE])
    return rt.reduce_sum(rt.transpose(b) @ b) + rt.reduce_sum(b[1:] * b[:-1])


def layers(x, y):
    h = rt.nn.relu(rt.matmul(x, y, transpose_b=True)) + rt.sigmoid(x)
    p = rt.nn.log_softmax(h @ y) - rt.reduce_max(h, 1, keepdims=True)
    return rt.reduce_mean(p, 0) + rt.cast(rt.cast(p, rt.float32), rt.float64)[0]


def joined(x, y):
    z = rt.concat([x * 2.0, y], 0) + rt.reshape(rt.stack([y, x]), [2 * SIZE, SIZE])
    z = rt.where(z > 1.0, z, rt.gather(z, rt.range(2 * SIZE)))
    return rt.reduce_sum(z, 1)


def filled(x, y):
    for i in rt.range(SIZE):
        x[i, 0] = y[0, i]
        if x[i, 1] > 0.5:
            x[i] = y[i] * 2.0
    return rt.reduce_sum(x)


def tabled(x, y):
    table = rt.zeros([SIZE, SIZE], rt.float64)
    for i in rt.range(1, 20):
        for j in rt.range(1, 20):
            table[i, j] = rt.maximum(table[i - 1, j], table[i, j - 1]) + x[i, j]
    return rt.reduce_sum(table)


def gradient(x, y):
    with rt.GradientTape() as tape:
        tape.watch(x)
        loss = rt.reduce_mean(rt.nn.softmax(rt.tanh(x @ y)) * y)
    return rt.reduce_sum(tape.gradient(loss, x), 0)


def moved(x, y):
    for i in rt.range(5):
        x, y = y, x * 0.5 + y
    return rt.reduce_sum(x * y)


def drawn(x, y):
    shape = [SIZE, SIZE]
    x = rt.nn.dropout(x, 0.4) * rt.random.uniform(shape, -1.0, 2.0, rt.float64)
    y = rt.random.shuffle(y * 2.0) + rt.random.normal(shape, dtype=rt.float64)
    for i in rt.range(3):
        x = x * rt.random.stateless_normal(shape, [i, 1], dtype=rt.float64)
        y = y + rt.random.truncated_normal(shape, dtype=rt.float64)
    return rt.reduce_sum(x * y, 0)


def network(x, y):
    images = rt.reshape(x, [100, 30, 30, 1])
    filters = rt.reshape(y[0, : 9 * 4], [3, 3, 1, 4]), rt.reshape(y[:9, : 4 * 4], [3, 3, 4, 4])
    each = rt.reshape(y[1, : 9 * 4], [3, 3, 4, 1])
    with rt.GradientTape() as tape:
        tape.watch((filters, each))
        hidden = rt.nn.relu(rt.nn.conv2d(images, filters[0], 1, "SAME"))
        hidden = rt.nn.max_pool2d(hidden, 2, 2, "VALID")
        hidden = rt.nn.relu(rt.nn.conv2d(hidden, filters[1], 2, "SAME"))
        hidden = rt.nn.depthwise_conv2d(hidden, each, [1, 1, 1, 1], "SAME")
        loss = rt.reduce_mean(rt.nn.avg_pool2d(hidden, 3, 2, "SAME") ** 2.0)
    one, other = tape.gradient(loss, (filters, each))
    return loss, rt.reduce_sum(one[0] * 0.5) + rt.reduce_sum(one[1] + rt.reduce_sum(other))


def heads(x, y):
    """Attention with several heads, and its gradient."""

    def head(a):
        return rt.transpose(rt.reshape(a, [10, SIZE // 10, 6, SIZE // 6]), [0, 2, 1, 3])

    with rt.GradientTape() as tape:
        tape.watch(y)
        weights = rt.nn.softmax(rt.matmul(head(x @ y), head(x), transpose_b=True) / 10.0)
        joined = rt.reshape(rt.transpose(weights @ head(y), [0, 2, 1, 3]), [SIZE, SIZE])
        loss = rt.reduce_sum(rt.tanh(joined @ y))
    return rt.reduce_sum(tape.gradient(loss, y), 0)


def contracted(x, y):
    """Products over labels, and of views."""
    parts = rt.reshape(x, [10, 30, 15, 20])
    pairs = rt.einsum("bqhd,bkhd->bhqk", parts, parts * 0.5)
    several = rt.einsum("ij,jk,lk->li", x, y, x)
    return rt.reduce_sum(pairs, [2, 3]) + rt.reduce_sum(several @ y[:, ::2] + x[:, :150])


def normalized(x, y):
    """Normalization of rows, with its gradient."""
    with rt.GradientTape() as tape:
        tape.watch(x)
        mean, variance = rt.nn.moments(x, [-1], keepdims=True)
        scaled = rt.nn.batch_normalization(x, mean, variance, None, y[0], 1e-5)
        loss = rt.reduce_sum(scaled**3.0)
    return loss, tape.gradient(loss, x)


def masked(x, y):
    """Arrays of which only the run knows the length."""
    chosen = rt.boolean_mask(x * y, y[:, 0] > 0.0)
    filled = rt.fill([rt.shape(chosen)[0], SIZE], x[0, 0])
    scaled = rt.tanh(chosen * 2.0 + filled)
    return rt.reduce_sum(rt.concat([scaled, chosen], 0), 0)


def stacked(x, y):
    rows = []
    for _ in rt.range(rt.cast(y[0, 0] * 20.0, rt.int32)):
        rows.append(x * y)
    return rt.reduce_sum(rt.stack(rows) * 0.5, 0)


def transposed(x, y):
    turned = rt.tanh(rt.transpose(x) * 2.0 + rt.transpose(y))
    return rt.reduce_sum(rt.reshape(turned + y, [-1, 10]) * 0.5)


def picked(x, y):
    x = rt.gather_nd(x, rt.reshape(rt.range(SIZE), [SIZE, 1])) * y
    for i in rt.range(2):
        x = rt.math.unsorted_segment_max(x, rt.range(SIZE) // 2, SIZE)
    return rt.reduce_sum(rt.math.unsorted_segment_sum(x * y, rt.range(SIZE), SIZE), 0)


WEIGHTS, MOMENTS = [rt.Variable(rt.zeros([SIZE, SIZE], rt.float64)) for _ in range(2)]


def trained(x, y):
    loss = rt.constant(0.0, rt.float64)
    for i in rt.range(3):
        with rt.GradientTape() as tape:
            loss = rt.reduce_mean(rt.tanh(x @ WEIGHTS) * y)
        MOMENTS.assign(MOMENTS * 0.9 + tape.gradient(loss, WEIGHTS))
        if i % 2 == 0:
            WEIGHTS.assign_sub(MOMENTS * 0.1)
    WEIGHTS.assign_add(rt.reshape(WEIGHTS * 0.5, [SIZE, SIZE]))
    return loss


def through_time(x, y):
    with rt.GradientTape() as tape:
        tape.watch(y)
        for i in rt.range(5):
            x = rt.tanh(x @ y) * 0.5 + x
            if rt.reduce_sum(x) > 1e9:
                x = x * 0.5
        loss = rt.reduce_mean(x * x)
    return loss, rt.reduce_sum(tape.gradient(loss, y), 0)


def in_an_array(x, y):
    made = rt.TensorArray(rt.float64, 4, clear_after_read=False)
    for i in rt.range(4):
        x = rt.tanh(x @ y)
        made = made.write(i, x + 1.0)
    total = rt.reduce_sum(x)
    for i in rt.range(4):
        total = total + rt.reduce_sum(made.read(i) * y)
    return total


def chosen_elements(x, y):
    z = rt.where(x > 0.1, rt.where(x > y, x, 0.5), y[0])
    z = rt.maximum(z, 0.15) - rt.clip_by_value(rt.minimum(z, y), 0.0, 0.1)
    return rt.reduce_sum(rt.where(x > z, z * 2.0, z[:, :1]), 0)


def activated(x, y):
    with rt.GradientTape() as tape:
        tape.watch((x, y))
        z = rt.nn.leaky_relu(x @ y * 0.1) + rt.nn.elu(x) * rt.nn.softplus(y) - rt.nn.selu(x * y)
        z = rt.nn.gelu(z) * rt.nn.gelu(z, approximate=True) + rt.nn.silu(z)
        z = rt.math.erf(z * 0.01) * rt.math.erfc(z * 0.01)
        loss = rt.reduce_mean(rt.clip_by_value(rt.maximum(z, x), -9.0, rt.minimum(y, 0.5)))
    one, other = tape.gradient(loss, (x, y))
    return rt.reduce_sum(one * other, 0)


def divided(x, y):
    singles = rt.cast(x * 0.7, rt.float32), rt.cast(y * 0.3, rt.float32)
    rest = singles[0] // singles[1] + singles[0] % singles[1] + singles[0] % 0.3
    return rt.reduce_sum((x // y + x % (y * 0.3) + y % 0.07) * rt.cast(rest, rt.float64), 0)


def of_short_rows(x, y):
    x, y = rt.reshape(x, [-1, 10]), rt.reshape(y, [-1, 2])
    with rt.GradientTape() as tape:
        tape.watch((x, y))
        loss = rt.reduce_mean(rt.nn.softmax(x) ** 2.0) + rt.reduce_mean(rt.nn.log_softmax(y))
    one, other = tape.gradient(loss, (x, y))
    return rt.reduce_sum(one, 0), rt.reduce_sum(other, 0)


def special_functions(x, y):
    z = rt.math.lgamma(x * 50.0 - 7.3) + rt.math.digamma(y - x * 7.7) + rt.math.erfinv(x * y)
    z += rt.math.polygamma(rt.zeros_like(x) + 1.0, y) + rt.math.zeta(x + 1.5, y)
    z += rt.math.erf(x * 60.0) - rt.math.erfc(y * 30.0) + rt.nn.gelu(x * -60.0)
    return rt.reduce_sum(z + (x - y) ** 3.0 + (x - y) ** 5.0, 0)


def guarded(x, y):
    zeros = x - x[0]
    z = rt.math.xlogy(zeros, y[0]) + rt.math.xlog1py(x, y) + rt.math.xdivy(zeros, zeros)
    z += rt.math.divide_no_nan(x, zeros) + rt.math.multiply_no_nan(y, zeros)
    return rt.reduce_sum(z + rt.math.reciprocal_no_nan(x), 0)


def divided_with_overflow(x, y):
    z = (x * 1e300) // (y * 1e-300) + (x - 0.1) % (0.1 - y) + (x * 1e9) // y
    whole = rt.cast(x * 90.0, rt.int32), rt.cast(y * 20.0, rt.int32)
    rest = rt.truncatediv(*whole) + rt.truncatemod(*whole) + whole[0] // whole[1]
    z += rt.truncatediv(x, y) + rt.truncatemod(x, y)
    return rt.reduce_sum(z, 0), rt.reduce_sum(rest, 0)


def parts_of_matrices(x, y):
    with rt.GradientTape() as tape:
        tape.watch(x)
        z = rt.linalg.band_part(x, 3, -1) + rt.linalg.band_part(y * x, -1, 2)
        z = rt.linalg.set_diag(z, rt.linalg.diag_part(y * 2.0))
        z = z @ rt.linalg.diag(rt.linalg.diag_part(x * y, k=1), k=1)
        loss = rt.reduce_sum(z * rt.eye(SIZE, dtype=rt.float64)) + rt.linalg.trace(z)
    return rt.reduce_sum(tape.gradient(loss, x), 0)


def complex_numbers(x, y):
    z = rt.complex(x, y[0]) * rt.complex(y, x)
    return rt.reduce_sum(rt.math.real(z) * rt.math.imag(z) + rt.math.angle(z) + rt.abs(z), 0)


def bits_of_numbers(x, y):
    one, other = rt.bitcast(x * 3.0, rt.int64), rt.cast(y * 50.0, rt.int64)
    one = rt.bitwise.left_shift(one, other) ^ rt.bitwise.right_shift(one, other[0])
    return rt.reduce_max(one, 0)


def spaced(x, y):
    z = rt.linspace(x[0, 0], y[0, 0] * 3.0, SIZE * SIZE) * rt.reshape(x, [-1])
    return rt.reduce_sum(rt.cast(rt.reshape(z, [SIZE, SIZE]), rt.float32), 0)


def sequences(x, y):
    lengths = rt.cast(rt.abs(x[0]) * 70.0, rt.int32)
    z = rt.reverse_sequence(x * y, lengths, 1, 0) + rt.reverse_sequence(y * 2.0, lengths, 0, 1)
    short = rt.reverse_sequence(
        rt.reshape(z * y, [-1, 10]), rt.cast(rt.reshape(x, [-1])[:9000] * 50.0, rt.int32)
    )
    hot = rt.one_hot(lengths, SIZE, dtype=rt.float64) * z
    return rt.reduce_sum(hot, 0) + rt.reduce_sum(rt.reshape(short, [SIZE, SIZE]), 0)


def drawn_otherwise(x, y):
    shape, seed = [SIZE, SIZE], [3, 4]
    z = rt.random.uniform(shape, 0, 9, rt.int32) + rt.random.stateless_poisson(shape, seed, x[0])
    z += rt.random.stateless_binomial(shape, seed, 20, y)
    z += rt.cast(rt.random.stateless_uniform(shape, seed, -5, 5, rt.int64), rt.int32)
    z += rt.random.stateless_uniform(shape, seed, None, None, rt.int32)
    z += rt.random.categorical(y, SIZE, rt.int32)
    z += rt.random.stateless_poisson(shape, seed, rt.cast(y, rt.float32))
    z += rt.random.stateless_binomial(shape, seed, rt.round(y * 50.0), x)
    x = x + rt.random.stateless_gamma(shape, seed, y, dtype=rt.float64)
    half = rt.random.uniform(shape, dtype=rt.float16) + rt.random.normal(shape, dtype=rt.float16)
    half += rt.random.truncated_normal(shape, dtype=rt.float16)
    half *= rt.random.gamma([SIZE], rt.cast(x[0], rt.float16), dtype=rt.float16)
    total = rt.cast(rt.cast(half, rt.float32), rt.float64) + rt.cast(z, rt.float64)
    total += rt.random.truncated_normal(shape, dtype=rt.float64)
    return rt.reduce_sum(total * rt.random.gamma([SIZE], y[0], dtype=rt.float64), 0)


NOISE = np.random.default_rng(0).normal(size=(SIZE, SIZE))


def ordered(x, y):
    noise = x * NOISE
    single, whole = rt.cast(noise, rt.float32), rt.cast(noise * 1e4, rt.int32)
    places = rt.argsort(noise, axis=0) + rt.argsort(single, direction="DESCENDING")
    places += rt.argsort(rt.reshape(single, [-1]))[:SIZE] + rt.argsort(whole)
    z = rt.sort(noise, direction="DESCENDING") + rt.sort(y * noise, axis=0)
    z += rt.cast(rt.sort(rt.cast(single, rt.float16), axis=0), rt.float64)
    return rt.reduce_sum(places, 0), rt.reduce_sum(z, 0)


def largest(x, y):
    noise = x * NOISE
    half, rows = rt.cast(noise, rt.float16), rt.reshape(noise, [-1, 10])
    values, places = rt.math.top_k(rt.reshape(noise, [60, -1]), 5)
    best, place = rt.math.top_k(rt.reshape(noise, [-1]), 9)
    first, at = rt.math.top_k(rt.cast(rows, rt.float32), 3)
    found = (
        rt.argmax(noise, 0, rt.int32) + rt.argmin(noise, 1, rt.int32) + rt.argmax(half, 0, rt.int32)
    )
    classes = rt.argmax(rows, 1) - rt.argmin(rt.cast(rows * 9.0, rt.int32), 1)
    total = rt.reduce_sum(values) + rt.reduce_sum(best) + rt.cast(rt.reduce_sum(first), rt.float64)
    return found, total, rt.reduce_sum(places), place, rt.reduce_sum(at), rt.reduce_sum(classes)


def resized(x, y):
    image = rt.cast(rt.reshape(x * NOISE, [2, 150, 100, 3]), rt.float32)
    with rt.GradientTape() as tape:
        tape.watch(image)
        loss = rt.reduce_sum(rt.image.resize(image, [60, 70], "nearest"))
        for method in ("bilinear", "bicubic", "area"):
            loss += rt.reduce_sum(rt.image.resize(image, [70, 130], method) ** 2.0)
        loss += rt.reduce_sum(rt.image.resize(image, [30, 40], "lanczos3", antialias=True))
    slope = tape.gradient(loss, image)
    values, places = rt.nn.max_pool_with_argmax(image, 2, 2, "SAME")
    return loss, rt.reduce_sum(slope, [0, 1]), rt.reduce_sum(values), rt.reduce_sum(places)


ALLOCATING = [
    ordered,
    largest,
    resized,
    contracted,
    heads,
    masked,
    normalized,
    stacked,
    transposed,
    straight,
    carried,
    swapped,
    nested,
    read_behind_a_loop,
    reduced_in_a_loop,
    chosen_by_a_branch,
    kept_by_a_branch,
    read_beside_a_branch,
    left_early,
    viewed,
    layers,
    joined,
    filled,
    tabled,
    gradient,
    moved,
    drawn,
    network,
    picked,
    trained,
    through_time,
    in_an_array,
    chosen_elements,
    activated,
    divided,
    of_short_rows,
    special_functions,
    guarded,
    divided_with_overflow,
    parts_of_matrices,
    complex_numbers,
    bits_of_numbers,
    spaced,
    sequences,
    drawn_otherwise,
]


def start() -> None:
    rt.random.set_seed(1)
    for variable in (WEIGHTS, MOMENTS):
        variable.assign(np.full((SIZE, SIZE), 0.3))


def test_what_a_gradient_is_to_read_is_kept_for_it() -> None:
    @function
    def staged(x):
        for i in rt.range(4):
            x = rt.tanh(x * 1.5)
        return rt.reduce_sum(x * x)

    def slopes(tapes: Any) -> Any:
        return [bits([tape.gradient(loss, x)]) for tape, loss, x in tapes]

    def run(compute: Any) -> Any:
        tapes = []
        for seed in range(3):
            x = rt.constant(np.random.default_rng(seed).uniform(size=(100, 100)))
            with rt.GradientTape() as tape:
                tape.watch(x)
                loss = compute(x)
            tapes.append((tape, loss, x))
        return tapes

    for _ in range(2):
        assert slopes(run(staged)) == slopes(run(staged.python_function))


@pytest.mark.parametrize("program", ALLOCATING, ids=lambda program: program.__name__)
def test_a_call_allocates_only_its_results(program: Any) -> None:
    x, y = (rt.constant(np.full((SIZE, SIZE), value)) for value in (0.1, 0.2))
    staged = function(program)
    start()
    expected = bits(rt.nest.flatten(staged(x, y)))
    tracemalloc.start()
    try:
        staged(x, y)
        start()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        results = rt.nest.flatten(staged(x, y))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # NumPy reads operands that it converts, or that lie apart, through 64 KB each, two at once.
    size = sum(result.numpy().nbytes for result in results)
    assert peak - before - size <= 150_000 < x.numpy().nbytes
    assert bits(results) == expected


# Calls at once, and inside of each other


def test_threads_have_buffers_of_their_own() -> None:
    staged = function(carried)
    arguments = [tuple(inputs(seed)[:2]) for seed in range(4)]
    expected = [bits([carried(*each)]) for each in arguments]
    wrong: list[int] = []

    def work(at: int) -> None:
        for _ in range(200):
            if bits([staged(*arguments[at])]) != expected[at]:
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class CallsBack(io.StringIO):
    """A stream that calls a function when it is first written to."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.pending = [function]

    def write(self, text: str) -> int:
        while self.pending:
            self.pending.pop()()
        return super().write(text)


def test_a_call_inside_of_a_call() -> None:
    @function
    def staged(x):
        a = rt.tanh(x * 2.0) + 1.0
        total = rt.reduce_sum(a)
        rt.print(total)
        return a * total

    x, other = inputs(5)[:2]
    with contextlib.redirect_stderr(io.StringIO()):
        expected = bits([staged(x)])
    stream = CallsBack(lambda: staged(other))
    with contextlib.redirect_stderr(stream):
        first = staged(x)
    assert not stream.pending
    assert bits([first]) == expected


def test_recursion() -> None:
    @function
    def power(x, n):
        if n <= 0:
            return x
        a = rt.tanh(x * 0.5)
        b = power(x + a, n - 1)
        return b * a

    def expected(x: Any, n: int) -> Any:
        a = rt.tanh(x * 0.5)
        return x if n <= 0 else expected(x + a, n - 1) * a

    x = inputs(3)[0]
    for _ in range(2):
        assert bits([power(x, rt.constant(4))]) == bits([expected(x, 4)])


def test_a_call_that_raises_loses_its_buffers() -> None:
    @function
    def f(x, at):
        a = rt.tanh(x * 2.0) + 1.0
        return a * a[at, 0]

    x = inputs(4)[0]
    expected = bits([f(x, rt.constant(1))])
    with pytest.raises(rt.errors.InvalidArgumentError):
        f(x, rt.constant(SIDE))
    assert bits([f(x, rt.constant(1))]) == expected


# What other kernels left is in it.
WORKSPACE = Workspace()
WRITERS = sorted(name for name, each in TABLE.items() if takes_out(each.kernel))


def afresh(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters, with random numbers from the start."""
    return params | ({"stream": Stream((0, 7), BY_OP)} if "stream" in params else {})


@pytest.mark.parametrize("name", WRITERS)
def test_kernels_write_what_they_return(name: str) -> None:
    primitive = TABLE[name]
    for sample in primitive.samples:
        given = arrays(primitive, sample)
        made = primitive.kernel(*given, **afresh(sample[1]))
        several = isinstance(made, tuple)
        made = [np.asarray(each) for each in (made if several else (made,))]
        outs = [np.full_like(each, 7) if each.shape else None for each in made]
        if not any(out is not None for out in outs):
            continue
        work = {"work": WORKSPACE} if takes_work(primitive.kernel) else {}
        target = tuple(outs) if several else outs[0]
        again = primitive.kernel(*given, **afresh(sample[1]), out=target, **work)
        WORKSPACE.grow()
        for one, other, out in zip(made, again if several else (again,), outs, strict=True):
            assert other.tobytes() == one.tobytes()
            if out is not None:
                assert not np.shares_memory(other, out) or out.tobytes() == one.tobytes()


def with_memory(*kinds: Memory) -> list[str]:
    """Names of the ops that do one of these with their inputs' memory."""
    return sorted(name for name, primitive in TABLE.items() if primitive.memory in kinds)


@pytest.mark.parametrize("name", with_memory(Memory.READS, Memory.UPDATES))
def test_readers_return_new_arrays(name: str) -> None:
    primitive = TABLE[name]
    for sample in primitive.samples:
        given = arrays(primitive, sample)
        with np.errstate(all="ignore"):
            made = primitive.kernel(*given, **sample[1])
        for each in made if isinstance(made, tuple) else (made,):
            assert not any(np.shares_memory(each, array) for array in given)


@pytest.mark.parametrize("name", with_memory(Memory.ALIASES, Memory.VIEWS))
def test_views_are_of_the_first_input(name: str) -> None:
    primitive = TABLE[name]
    for sample in primitive.samples:
        given = arrays(primitive, sample)
        made = primitive.kernel(*given, **sample[1])
        for each in made if isinstance(made, tuple | list) else (made,):
            assert not any(np.shares_memory(each, array) for array in given[1:])


def place_behind_place(a, b, d):
    for j in rt.range(3):
        a, b = b, d * 0.5
    e, f, g = rt.tanh(d), rt.sin(d), rt.cos(d)
    return rt.reduce_sum(e * f + f * g + g * e), a * 0.5


def first_value_moves(a, b, d):
    b, a = d * 3.0, d * 2.0
    c = b[1:]
    for j in rt.range(rt.cast(a[0, 0] * 0.0, rt.int32) + 1):
        a, b = b, rt.tanh(a)
    s = rt.reduce_sum(rt.tan(d)[1:] * c)
    e, f, g, h = rt.tanh(d), rt.sin(d), rt.cos(d), rt.exp(d)
    i = rt.sinh(d)
    return rt.reduce_sum(((e * f + g * h) * i + e * g) * h + (f * i)), a * 0.5, s


def moves_in_an_outer_loop(x, p, q):
    for i in rt.range(3):
        step = rt.tanh(x)
        for j in rt.range(2):
            p, q = q, step * 0.5
        u, v, w = rt.sin(x), rt.cos(x), rt.exp(-x)
        x = x * 0.9 + (u * v + v * w + w * u) * p
    return x


def numbers(a, b, d):
    decrease = rt.squeeze(rt.matmul(a[:, :1], a[:, :1], transpose_a=True))
    slope = decrease * 0.5
    curvature = rt.squeeze(rt.matmul(b[:, :1], b[:, :1], transpose_a=True))
    return slope / curvature, rt.where(d[0, 0] > -9.0, decrease, 0.5)


def truths(a, b, d):
    one = rt.logical_and(d[0, 0] > -9.0, rt.squeeze(a[:1, :1] > -2.0))
    return one, rt.reduce_any(a > 9.0)


def broadcast(a, b, d):
    row = rt.broadcast_to(rt.reduce_sum(a, 0), [217, SIDE])
    changed = rt.tensor_scatter_nd_update(row, [[3]], row[:1] * 2.0)
    return rt.reduce_sum(changed), rt.reduce_sum(rt.cast(row, rt.float32), 0)


def handed_on_in_a_branch(a, b, d):
    m, w, u = d * 0.5, d * 1.0, d * 0.3
    for _ in rt.range(2):
        if rt.reduce_sum(a * 0.0) < 1.0:
            w, u = u, m
    n = rt.tanh(m * rt.reduce_sum(u))
    return w * n, n


MOVES = [
    handed_on_in_a_branch, place_behind_place, first_value_moves, moves_in_an_outer_loop, numbers,
    truths, broadcast,
]  # fmt: skip


@pytest.mark.parametrize("program", MOVES, ids=lambda program: program.__name__)
def test_programs_that_move_arrays(program: Any) -> None:
    given, others = inputs(1), inputs(2)
    expected, staged = rt.nest.flatten(program(*given)), function(program)
    first = staged(*given)
    staged(*others)
    assert bits(rt.nest.flatten(first)) == bits(expected)
    assert bits(rt.nest.flatten(staged(*given))) == bits(expected)


@pytest.mark.parametrize("how", ["made", "assigned", "added to"])
def test_variables_keep_rows(how: str) -> None:
    turned = np.random.default_rng(0).uniform(size=(100, 100)).T
    variable = rt.Variable(turned if how == "made" else np.zeros_like(turned, order="C"))
    if how == "assigned":
        variable.assign(rt.transpose(rt.constant(turned.T)))
    elif how == "added to":
        variable.assign_add(rt.transpose(rt.constant(turned.T)))

    def program(x):
        a = rt.tanh(variable)
        return rt.math.erf(x), x @ x, rt.reduce_max(a)

    x = rt.constant(turned)
    assert bits(function(program)(x)) == bits(program(x))


def filled_array(x, n):
    made = rt.TensorArray(rt.float64, n)
    for i in rt.range(n):
        if i % 2 == 0:
            made = made.write(i, x[i] * 2.0)
        elif i == 3:
            continue
        else:
            made = made.write(i, x[i - 1])
    return made.stack()


def swapped_arrays(x, n):
    one, other = rt.TensorArray(rt.float64, n), rt.TensorArray(rt.float64, n)
    for i in rt.range(n):
        one, other = other.write(i, x[i]), one.write(i, x[i] + 1.0)
    return one.stack(), other.stack()


def array_read_back(x, n):
    made = rt.TensorArray(rt.float64, n, clear_after_read=False).unstack(x[:n])
    total = x[0]
    for i in rt.range(n):
        total = total + made.read(i)
        made = made.write(n - 1 - i, total)
    return made.stack(), total


def arrays_of_rounds(x, n):
    kept = rt.TensorArray(rt.float64, n)
    for i in rt.range(n):
        inner = rt.TensorArray(rt.float64, n)
        for j in rt.range(n):
            inner = inner.write(j, x[j] * x[i])
        kept = kept.write(i, inner.stack())
    return kept.stack()


ARRAYS = [filled_array, swapped_arrays, array_read_back, arrays_of_rounds]


@pytest.mark.parametrize("program", ARRAYS, ids=lambda program: program.__name__)
def test_arrays_are_written_in_place(program: Any) -> None:
    staged, n = function(program), rt.constant(SIDE)
    given = [rt.constant(np.random.default_rng(at).uniform(size=(6, 2))) for at in range(3)]
    expected = [bits(rt.nest.flatten(program(x, n))) for x in given]
    made = [staged(x, n) for x in given]
    assert [bits(rt.nest.flatten(each)) for each in made] == expected
    source = staged.python_source(given[0], n)
    assert source.count("k_list_set(") == source.count(", out=")


def test_what_an_op_hands_on_is_not_written_to() -> None:
    @function
    def staged(x):
        return rt.round(x) + 1, rt.round(x[1:]) * 2

    x = rt.constant([1, 2, 3])
    for _ in range(2):
        one, two = staged(x)
        assert (one.numpy().tolist(), two.numpy().tolist()) == ([2, 3, 4], [4, 6])
        assert x.numpy().tolist() == [1, 2, 3]


def test_a_returned_array_is_not_written_to_again() -> None:
    @function
    def made(x):
        array = rt.TensorArray(rt.float32, 3)
        for i in rt.range(3):
            array = array.write(i, x)
        return array

    first = made(rt.constant(1.0))
    made(rt.constant(2.0))
    assert first.stack().numpy().tolist() == [1.0, 1.0, 1.0]


def test_the_op_of_the_contributors_guide_runs_in_memory_of_the_program() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (source,) = [text for text in guide.split("```")[1::2] if "logit: Op = unary(" in text]
    names = {name: getattr(define, name) for name in ("Any", "Op", "np", "sample", "unary")}
    try:
        exec(source, names)
        logit = names["logit"]
        staged = function(lambda x: rt.reduce_sum(logit(x) * x))
        x = rt.constant(np.linspace(0.1, 0.9, 50_000))
        expected = np.sum(np.log(x.numpy() / (1 - x.numpy())) * x.numpy())
        staged(x)
        tracemalloc.start()
        result = staged(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        TABLE.pop("logit", None)
    np.testing.assert_allclose(result, expected)
    assert peak < x.numpy().nbytes // 2


def row_held(n: Any) -> Any:
    rows = [[i, i] for i in range(n)]
    before = list(rows[1])
    rows[1][0] = 7
    rows[1][1] = 8
    return before, rows


def rows_of_two_rounds(n: Any) -> Any:
    rows = [[0, 1] for _ in range(n)]
    kept = [[5, 5]]
    for i in range(n):
        kept.append(list(rows[i]))
        rows[i][1] = rows[i - 1][1] + i
        kept[0][0] = i
    return rows, kept


def rows_on_paths(n: Any) -> Any:
    rows = [[i] * 3 for i in range(n)]
    other = [list(row) for row in rows]
    for i in range(n):
        if i % 2 == 0:
            other[i][i % 3] = 9
        else:
            rows[i][i % 3] = other[i - 1][0]
    return rows, other


ROWS = [row_held, rows_of_two_rounds, rows_on_paths]


@pytest.mark.parametrize("program", ROWS, ids=lambda program: program.__name__)
def test_items_of_rows_are_set_in_place_where_nobody_sees_it(program: Any) -> None:
    staged = function(program)
    made = [(n, staged(rt.constant(n))) for n in (2, 5, 2, 5)]
    for n, results in made:
        assert rt.nest.map_structure(int, results) == program(n)
    assert "k_list_set_row_item(" in staged.python_source(rt.constant(2))


def test_an_item_is_set_in_a_row_that_nobody_else_has() -> None:
    put, rows = list_rows.SET_ROW_ITEM.kernel, [np.zeros(3), np.zeros(3)]
    first = id(rows[0])
    assert put(rows, 0, 1, 5.0, 3, out=rows) is rows
    assert id(rows[0]) == first
    view, held = rows[0][1:], rows[1]
    put(rows, 0, 2, 3.0, 3, out=rows)
    put(rows, 1, 0, 2.0, 3, out=rows)
    other = put(rows, 1, 2, 9.0, 3)
    assert [view.tolist(), held.tolist()] == [[5.0, 0.0], [0.0, 0.0, 0.0]]
    assert [row.tolist() for row in rows] == [[0.0, 5.0, 3.0], [2.0, 0.0, 0.0]]
    assert [row.tolist() for row in other] == [[0.0, 5.0, 3.0], [2.0, 0.0, 9.0]]


def test_a_row_that_is_a_view_is_copied_before_it_changes() -> None:
    table = np.zeros((2, 2))
    rows = list_rows.SET_ROW_ITEM.kernel(lists.UNSTACK.kernel(table), 1, 0, 4.0, 2)
    assert [row.tolist() for row in rows] == [[0.0, 0.0], [4.0, 0.0]]
    assert not table.any()

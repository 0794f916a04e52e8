"""Arrays that do not lie row by row: results have the bits of eager ones."""

# The programs are written as users write them.
# ruff: noqa: B007

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.primitive import TABLE, Order, Primitive
from runtime.core.workspace import Workspace
from runtime.functions.function import function
from runtime.graph.executors.kernels import takes_out, takes_work
from runtime.graph.executors.layouts import axes_of, axes_of_ufunc
from tests.runtime.ops.samples import arrays


def order(primitive: Primitive, sample: Any) -> Order:
    fact = primitive.order
    return fact if isinstance(fact, Order) else fact(sample[1])


def with_order(wanted: Order) -> list[str]:
    """Names of the ops that have this order for a sample."""
    return sorted(
        name
        for name, primitive in TABLE.items()
        if any(order(primitive, sample) is wanted for sample in primitive.samples)
    )


ROWS = [
    (primitive, sample)
    for name, primitive in sorted(TABLE.items())
    if not primitive.effect and name != "constant"
    for sample in primitive.samples
    if order(primitive, sample) is not Order.PERMUTED
]


def results(primitive: Primitive, sample: Any) -> list[Any]:
    given = [np.ascontiguousarray(x) if np.ndim(x) else x for x in arrays(primitive, sample)]
    with np.errstate(all="ignore"):
        made = primitive.kernel(*given, **sample[1])
    return list(made) if isinstance(made, tuple | list) else [made]


@pytest.mark.parametrize(("primitive", "sample"), ROWS, ids=lambda x: getattr(x, "name", ""))
def test_what_ops_make_of_rows_is_in_rows_for_the_next(primitive: Primitive, sample: Any) -> None:
    for made in results(primitive, sample):
        if isinstance(made, np.ndarray) and made.dtype.kind in "biufc" and made.size:
            assert (made == made).flags.c_contiguous


def layouts(array: Any) -> Iterator[Any]:
    """The array with its axes in memory in each order."""
    if np.ndim(array) < 2:
        yield array
        return
    for axes in itertools.permutations(range(array.ndim)):
        yield np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))


@pytest.mark.parametrize("name", with_order(Order.C))
def test_what_ops_make_is_in_rows_whatever_they_are_given(name: str) -> None:
    primitive = TABLE[name]
    for sample in primitive.samples:
        if order(primitive, sample) is not Order.C:
            continue
        given = [layouts(x) for x in arrays(primitive, sample)]
        for inputs in itertools.islice(itertools.product(*given), 100):
            with np.errstate(all="ignore"):
                made = primitive.kernel(*inputs, **sample[1])
            for each in made if isinstance(made, tuple | list) else (made,):
                if isinstance(each, np.ndarray) and each.dtype.kind in "biufc" and each.size:
                    assert each.flags.c_contiguous


LIKE_UFUNCS = [name for name in with_order(Order.KEEP) if takes_out(TABLE[name].kernel)]


@pytest.mark.parametrize("shape", [(3, 4, 5), (40, 50, 60)])
@pytest.mark.parametrize("name", LIKE_UFUNCS)
def test_what_some_kernels_make_lies_as_what_a_ufunc_makes(name: str, shape: Any) -> None:
    primitive = TABLE[name]
    sample = primitive.samples[0]
    large = [np.resize(x, shape) for x in arrays(primitive, sample)]
    work = {"work": Workspace()} if takes_work(primitive.kernel) else {}
    for inputs in itertools.product(*map(layouts, large)):
        made = primitive.kernel(*inputs, **sample[1])
        assert axes_of(made) == axes_of_ufunc(inputs)
        out = np.empty_like(made)
        assert axes_of(out) == axes_of(made)
        assert primitive.kernel(*inputs, **sample[1], out=out, **work) is out
        assert out.tobytes() == made.tobytes()


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_products_of_batches_are_in_rows(order: tuple[int, ...]) -> None:
    back = np.argsort(order)
    a, b = np.ones([3, 4, 5, 6]), np.ones([3, 4, 6, 5])
    a, b = (np.ascontiguousarray(x.transpose(order)).transpose(back) for x in (a, b))
    assert TABLE["matmul"].kernel(a, b, transpose_a=False, transpose_b=False).flags.c_contiguous


def straight(x, y):
    return rt.reduce_sum(rt.tanh(x * y) * x + y)


def inside(x, y):
    return straight(rt.transpose(x), y) + straight(rt.transpose(x), rt.transpose(y))


def looped(x, y):
    for i in rt.range(3):
        x = rt.tanh(rt.transpose(x) * y)
    return rt.reduce_sum(x * y)


def turned_once(x, y):
    total = rt.transpose(x)
    for i in rt.range(3):
        total = total * y + total
    return rt.reduce_sum(total), total


def chosen(x, y):
    if y[0, 0] > 0.0:
        x = rt.transpose(x)
    return rt.reduce_sum(rt.tanh(x * 2.0) + 1.0)


def in_a_list(x, y):
    made = rt.TensorArray(rt.float32, size=3)
    for i in rt.range(3):
        x = rt.transpose(x) * 0.3
        made = made.write(i, x)
    return rt.reduce_sum(made.stack() * 1.1 + 0.1)


def recursive(x, n):
    if n <= 0:
        return rt.reduce_sum(rt.tanh(x * 1.3) + 0.1)
    return recursive(rt.transpose(x) * 0.9, n - 1) + 1.0


def called(x, y):
    return recursive(x, rt.constant(3)) + recursive(x, rt.constant(2))


def gradient(x, y):
    with rt.GradientTape() as tape:
        tape.watch(x)
        result = looped(x, y)
    return rt.reduce_sum(tape.gradient(result, x) * 1.7)


def heads(x, y):
    """Attention with several heads, and its gradient."""
    side, depth = x.shape[0], 4

    def head(a):
        return rt.transpose(rt.reshape(a, [2, side // 2, depth, side // depth]), [0, 2, 1, 3])

    with rt.GradientTape() as tape:
        tape.watch((x, y))
        queries, keys = head(x @ y), head(x * 0.5)
        weights = rt.nn.softmax(rt.matmul(queries, keys, transpose_b=True))
        joined = rt.reshape(rt.transpose(weights @ head(y), [0, 2, 1, 3]), [side, side])
        loss = rt.reduce_sum(rt.tanh(joined @ y))
    return loss, tape.gradient(loss, (x, y))


def of_several_axes(x, y):
    deep = rt.reshape(x, [2, -1, 4, 5])
    turned = rt.transpose(deep, [2, 0, 3, 1]) * 0.5
    other = rt.transpose(rt.reshape(y, [4, 2, 5, -1]), [0, 1, 2, 3]) + turned
    back = rt.transpose(rt.tanh(turned + other), [1, 3, 0, 2])
    flat = rt.reshape(back * turned[0, 0, 0, 0], [-1, 10])
    return rt.reduce_sum(flat + 1.0, 0), rt.reduce_sum(rt.sqrt(turned * turned) + 0.1)


def turned_items(x, y):
    """Items of lists that lie otherwise, joined."""
    deep = rt.transpose(rt.reshape(x, [-1, 4, 10]), [2, 0, 1])
    rows, made = [deep], rt.TensorArray(rt.float32, size=3)
    for i in rt.range(3):
        rows.append(deep * 0.5)
        made = made.write(i, deep + 1.0)
    joined = rt.stack(rows), made.stack(), made.concat(), made.gather([2, 0])
    return [rt.reduce_sum(rt.tanh(each), -1) for each in joined], joined


def activated(x, y):
    turned = rt.transpose(x)
    z = rt.nn.relu(turned) + rt.nn.elu(turned * y) - rt.sigmoid(turned)
    with rt.GradientTape() as tape:
        tape.watch(turned)
        loss = rt.reduce_sum(rt.math.squared_difference(rt.nn.relu(turned * 2.0), y))
    return rt.reduce_sum(z), rt.reduce_sum(tape.gradient(loss, turned) * 0.7), z


def repeated(x, y):
    """Views that repeat elements say nothing about how a result lies."""
    side = x.shape[0]
    rows, columns = rt.broadcast_to(x[0], [side, side]), rt.broadcast_to(y[:, :1], [side, side])
    mixed = rt.transpose(x) + rows, rt.transpose(rows) + y, rt.transpose(columns) * rt.transpose(y)
    return [rt.reduce_sum(rt.tanh(each) + 1.0) for each in mixed]


def of_one_row(x, y):
    row = rt.transpose(x[:1] * 2.0)
    return rt.reduce_sum(rt.transpose(row + 1.0) @ y + rt.reshape(row, [1, -1]) * 0.1)


def carried_turned(x, y):
    x = rt.transpose(x) + 1.0
    for i in rt.range(3):
        y = rt.tanh(rt.transpose(x) * y) + 0.1 * x
        x = rt.transpose(rt.transpose(x) * 0.9)
    return rt.reduce_sum(x * y), x, y


CASES = [
    straight,
    inside,
    looped,
    turned_once,
    chosen,
    in_a_list,
    called,
    gradient,
    heads,
    of_several_axes,
    activated,
    turned_items,
    repeated,
    of_one_row,
    carried_turned,
]
FORMS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "transposed": lambda x: rt.transpose(x),
    "slices": lambda x: rt.reshape(rt.tile(x, [1, 2]), [*x.shape, 2])[..., 1],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("side", [40, 400])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_results_are_those_of_eager_ops(case: Any, side: int, form: str) -> None:
    random = np.random.default_rng(1)
    x, y = (rt.constant(random.uniform(-1, 1, (side, side)).astype("f4")) for _ in range(2))
    staged = function(case)
    for first, second in ((x, y), (FORMS[form](x), y), (FORMS[form](x), FORMS[form](y))):
        expected, got = case(first, second), staged(first, second)
        for ours, theirs in zip(rt.nest.flatten(got), rt.nest.flatten(expected), strict=True):
            assert ours.numpy().tobytes() == theirs.numpy().tobytes()


def test_arrays_of_arguments_keep_their_layout() -> None:
    staged = function(lambda x: rt.reduce_sum(x * 1.1, [0, 1]))
    rows = np.random.default_rng(0).uniform(-1, 1, (30, 40, 50)).astype("f2")
    for array in (np.asfortranarray(rows), rows.transpose(1, 2, 0)):
        expected = rt.reduce_sum(rt.constant(array) * 1.1, [0, 1]).numpy().tobytes()
        assert [staged(array).numpy().tobytes() for _ in range(8)] == [expected] * 8


def test_an_error_names_the_line_with_either_layout() -> None:
    @function
    def f(x, at):
        a = rt.tanh(x * 2.0) + 1.0
        return a * a[at, 0]

    x = rt.ones([4, 5])
    f(x, rt.constant(1))
    messages = []
    for given in (x, rt.transpose(rt.ones([5, 4]))):
        with pytest.raises(rt.errors.InvalidArgumentError) as caught:
            f(given, rt.constant(9))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]

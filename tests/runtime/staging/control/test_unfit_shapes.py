"""Shapes that do not fit, in a `try` that catches it: as eager ops fail there, whoever finds it."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors
from tests.support import staging


def added(a, b):
    try:
        return a + b
    except ValueError:
        return -a


def multiplied(a, b):
    try:
        c = rt.matmul(a[None, :], b[:, None])
    except errors.InvalidArgumentError:
        c = a * 10.0
    return c


def as_a_square(a, b):
    n = rt.size(b)
    try:
        return rt.reshape(a, [n, n])
    except ValueError:
        return -a


def in_rows_of_three(a, b):
    try:
        return rt.reshape(a, [-1, 3])
    except ValueError:
        return -a


def joined(a, b):
    try:
        return rt.concat([a[None], b[None]], 0)
    except Exception:
        return -a


def stacked(a, b):
    try:
        return rt.stack([a, b])
    except ValueError:
        return -a


def broadcast(a, b):
    try:
        return rt.broadcast_to(a, rt.shape(b))
    except ValueError:
        return -a


def chosen(a, b):
    try:
        return rt.where(a > 1.0, a, b)
    except ValueError:
        return -a


def zeros_of_a_size(a, b):
    try:
        return rt.zeros([rt.size(a) - rt.size(b)])
    except ValueError:
        return -a


def of_slices(a, b):
    m = a[:3, None] * b[:3]
    try:
        return rt.matmul(m, m)
    except ValueError:
        return m


def of_a_slice(a, b):
    try:
        return a[:1] + b
    except ValueError:
        return -a


def beside_a_slice(a, b):
    try:
        return a * b[:1]
    except ValueError:
        return -a


def indexed_by_a_mask(a, b):
    try:
        return a[b > 1.0]
    except errors.InvalidArgumentError:
        return -a


def masked(a, b):
    try:
        rows = rt.boolean_mask(a[:, None] * b, b[:, None] > a)
        return rt.boolean_mask(a, b > 1.0) + rt.reduce_sum(rows)
    except errors.InvalidArgumentError:
        return -a


def read_by_nobody(a, b):
    try:
        a - b
        return a
    except ValueError:
        return -a


def floor_divided(a, b):
    try:
        return rt.cast(a, rt.int32) // rt.cast(b, rt.int32)
    except ZeroDivisionError:
        return rt.cast(a, rt.int32) * 10
    except ValueError:
        return rt.cast(-a, rt.int32)


def in_a_helper(a, b):
    def product(x, y):
        return x * y

    try:
        c = product(a, b)
    except ValueError:
        c = a
    finally:
        a = a + 1.0
    return rt.reduce_sum(c) + rt.reduce_sum(a)


def counted(a, b):
    found = 0
    for i in range(3):
        try:
            a = a + b[: i + 2]
            found += 1
        except ValueError:
            found += 10
    return a, found


@rt.function
def product_in_a_graph(a, b):
    return a * b


def called(a, b):
    try:
        return product_in_a_graph(a, b)
    except ValueError:
        return -a


def gradient_of_it(a, b):
    try:
        with rt.GradientTape() as tape:
            tape.watch(a)
            y = rt.reduce_sum(a * b)
        return tape.gradient(y, a)
    except ValueError:
        return -a


def gradient_of_rounds(a, b):
    try:
        with rt.GradientTape() as tape:
            tape.watch(b)
            h = rt.zeros_like(a)
            for _ in range(30):  # so many that they are a loop of the graph
                h = rt.tanh(a * 0.5 + h * b)
            y = rt.reduce_sum(h)
        return tape.gradient(y, b)
    except ValueError:
        return -a


def jacobian_of_it(a, b):
    try:
        with rt.GradientTape() as tape:
            tape.watch(a)
            y = a * b
        return tape.jacobian(y, a)
    except ValueError:
        return rt.linalg.diag(a)


def weighted_gradient(a, b):
    try:
        with rt.GradientTape() as tape:
            tape.watch(a)
            y = a * a
        return tape.gradient(y, a, output_gradients=b)
    except ValueError:
        return -a


def in_parts(a, b):
    try:
        return rt.split(a, 2)[0] + rt.squeeze(b)
    except ValueError:
        return -a


def broadcast_and_stacked(a, b):
    """What fits one op need not fit the next one."""
    try:
        c = a * b
        c = rt.stack([a, b])
    except ValueError:
        c = a[:1]
    return c


def tried_again(a, b):
    """What has worked in one try is tried in the next one, and in a handler."""
    try:
        c = a + b
    except ValueError:
        try:
            c = a - b
        except ValueError:
            c = -a
    try:
        return c * b
    except ValueError:
        return c


def of_rows_that_fit(a, b):
    m, n = a[None, :] * a[:, None], b[None, :]
    try:
        m = m + n
        return rt.matmul(m, n, transpose_b=True)
    except ValueError:
        return m


def words_of_it(a, b):
    try:
        a + b
    except ValueError as error:
        return isinstance(error, errors.InvalidValueError)
    return False


FAILING: Sequence[Callable[..., Any]] = (
    added, multiplied, as_a_square, in_rows_of_three, joined, stacked, broadcast, chosen,
    zeros_of_a_size, of_slices, of_a_slice, beside_a_slice, read_by_nobody, floor_divided,
    indexed_by_a_mask, masked, in_a_helper, counted, called, gradient_of_it, jacobian_of_it,
    gradient_of_rounds, weighted_gradient, in_parts, words_of_it,
)  # fmt: skip
WITHOUT_A_RANK = (added, as_a_square, in_rows_of_three, stacked, broadcast, chosen, zeros_of_a_size,
                  read_by_nobody, floor_divided, words_of_it)  # fmt: skip
LENGTHS = [(2, 3), (2, 2), (3, 2), (4, 2), (1, 3), (3, 1), (6, 6), (0, 2), (2, 0)]
VECTOR, ANYTHING = rt.TensorSpec([None], rt.float32), rt.TensorSpec(None, rt.float32)
PROGRAMS = [
    *[(p, VECTOR) for p in FAILING], *[(p, ANYTHING) for p in WITHOUT_A_RANK],
    *[(p, None) for p in FAILING],
]  # fmt: skip


@pytest.mark.parametrize(("program", "spec"), PROGRAMS)
def test_what_does_not_fit_is_caught(
    program: Callable[..., Any], spec: rt.TensorSpec | None
) -> None:
    function = rt.function(program, input_signature=None if spec is None else (spec, spec))
    for first, second in LENGTHS:
        a, b = (rt.range(1.0, n + 1.0) for n in (first, second))
        expected = staging.as_python(program(a, b))
        assert staging.same_outcome(expected, staging.attempt(lambda a=a, b=b: function(a, b)))


def assigned(x):
    row = rt.identity(x[:, :1])
    row[1] = rt.ones([4])
    return row


NEVER_RIGHT: Sequence[Callable[[Any], Any]] = (
    lambda x: rt.reduce_sum(x, [1, -1]),
    lambda x: rt.reduce_any(x > 1.0, [0, 0], keepdims=True),
    lambda x: rt.strings.reduce_join(rt.as_string(x), [1, -1]),
    lambda x: rt.squeeze(x[:1, :1], [0, -2]),
    lambda x: rt.reverse(x, [1, -1]),
    lambda x: rt.tile(x, [-1, 2]),
    lambda x: rt.unstack(x, -2),
    lambda x: rt.scatter_nd([[0]], x[:1], [-5, 3]),
    assigned,
)


@pytest.mark.parametrize("spec", [None, rt.TensorSpec([None, None]), rt.TensorSpec(None)])
@pytest.mark.parametrize("computed", NEVER_RIGHT)
def test_what_never_fits_is_caught_though_nobody_reads_it(
    computed: Callable[[Any], Any], spec: rt.TensorSpec | None
) -> None:
    def caught(x):
        try:
            computed(x)
        except ValueError:
            return True
        return False

    x = rt.ones([2, 3])
    function = rt.function(caught, input_signature=None if spec is None else (spec,))
    assert autograph.convert(caught)(x)
    assert function(x)


def softmax(a, b):
    return rt.nn.softmax(a)


def of_one_length(a, b):
    c = a * 2.0
    return (a + c) * rt.exp(a - c) / 3.0


def centred(a, b):
    return a - rt.reduce_mean(a, keepdims=True)


def dense(a, b):
    return rt.nn.relu(a[:, None] @ rt.ones([1, 4]) + rt.ones([4]))


def items(a, b):
    return a[2] + a[rt.size(b) - 1]


@pytest.mark.parametrize("computed", [softmax, of_one_length, centred, dense, items])
def test_what_fits_whatever_the_sizes_are_costs_nothing(computed: Callable[..., Any]) -> None:
    @rt.function(input_signature=(VECTOR, VECTOR))
    def guarded(a, b):
        try:
            return computed(a, b)
        except ValueError:
            return a

    graph = guarded.get_concrete_function().graph
    assert "Probe" not in {each.type for each in graph.get_operations()}
    a = rt.constant([1.0, 2.0, 4.0])
    np.testing.assert_allclose(guarded(a, a), computed(a, a), rtol=1e-6)


def test_what_has_worked_is_not_tried_again() -> None:
    @rt.function(input_signature=(VECTOR, VECTOR))
    def summed(a, b):
        try:
            a = rt.tanh(a) + b
            a = rt.tanh(a) + b
            return a * b - a
        except ValueError:
            return a

    text = str(summed.get_concrete_function().graph)
    assert text.count("probe(") == 1
    for first, second in LENGTHS:
        a, b = rt.ones([first]), rt.ones([second])
        expected = staging.as_python(summed.python_function(a, b))
        assert staging.same_outcome(expected, staging.as_python(summed(a, b)))


def test_a_variable_takes_what_has_its_shape_in_a_try() -> None:
    total = rt.Variable([0.0, 0.0])

    @rt.function(input_signature=(rt.TensorSpec([None, 2], rt.float32),))
    def step(rows):
        try:
            total.assign_add(rt.reduce_sum(rows, 0))
        except ValueError:
            return rt.constant(-1.0)
        return rt.reduce_sum(total)

    assert step(rt.ones([3, 2])).numpy() == 6.0
    assert step(rt.ones([1, 2])).numpy() == 8.0


def left_once(a, b):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.nullcontext())
        return product_in_a_graph(a, b)


def left_once_and_at_last(a, b):
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.nullcontext())
            c = a + b
    finally:
        a = a + 1.0
    return c, a


@pytest.mark.parametrize("program", [left_once, left_once_and_at_last])
def test_what_nobody_catches_is_not_tried(program: Callable[..., Any]) -> None:
    """A `with` that is left while tracing was refused, though no `except` is there."""
    function = rt.function(program, input_signature=(VECTOR, VECTOR))
    two = rt.ones([2])
    assert staging.equal(
        staging.as_python(program(two, two)), staging.as_python(function(two, two))
    )
    with pytest.raises(errors.InvalidValueError, match="do not broadcast"):
        function(two, rt.ones([3]))


def summed(n, a, b):
    return a + b if n <= 0 else summed(n - 1, a, b)


def of_a_recursion(a, b):
    try:
        return summed(rt.size(a), a, b)
    except ValueError:
        return a


def of_a_loop_of_functions(a, b):
    try:
        return rt.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x + b), (0, a))[1]
    except ValueError:
        return a


@pytest.mark.parametrize("program", [of_a_recursion, of_a_loop_of_functions])
def test_what_cannot_be_left_is_refused(program: Callable[..., Any]) -> None:
    function = rt.function(program, input_signature=(VECTOR, VECTOR))
    with pytest.raises(autograph.StagingError, match="past the `try` around that could act on it"):
        function(rt.ones([2]), rt.ones([3]))


@pytest.mark.parametrize("compared", [lambda a, b: a == b, lambda a, b: a != b])
def test_tensors_that_are_compared_raise_nothing_to_catch(compared: Callable[..., Any]) -> None:
    """Eagerly those of shapes that do not broadcast are unequal; a graph has no type for that."""

    @rt.function(input_signature=(VECTOR, VECTOR))
    def caught(a, b):
        try:
            return compared(a, b)
        except ValueError:
            return a > 0.0

    two, three = rt.ones([2]), rt.ones([3])
    assert caught(two, two).numpy().tolist() == compared(two, two).numpy().tolist()
    assert compared(two, three).shape == []
    with pytest.raises(errors.InvalidValueError, match="Incompatible shapes"):
        caught(two, three)


@pytest.mark.parametrize("is_read", [True, False])
def test_what_does_not_fit_is_raised_again(is_read: bool) -> None:
    @rt.function(input_signature=(VECTOR, VECTOR))
    def checked(a, b):
        try:
            c = a - b
        except ValueError:
            raise
        return c if is_read else a

    assert checked(rt.ones([2]), rt.ones([2])).shape == [2]
    with pytest.raises(errors.InvalidValueError, match=r"Sub: .*\(3,\) do not broadcast"):
        checked(rt.ones([2]), rt.ones([3]))


def item_of_a_row(a, b):
    m = rt.stack([a, a * 2.0])
    try:
        row = m[0]
        row[rt.size(b) - 2] = 7.0
    except IndexError:
        return m * 10.0
    return m


def row_of_what_fits(a, b):
    m = rt.stack([a, a * 2.0])
    try:
        row = m[1]
        row[0] = rt.reduce_sum(a * b)
    except ValueError:
        row = b
    return m, row


@pytest.mark.parametrize("program", [item_of_a_row, row_of_what_fits])
def test_an_item_of_a_view_is_assigned_in_a_try(program: Callable[..., Any]) -> None:
    """What is written back to the base cannot fail."""
    function = rt.function(program, input_signature=(VECTOR, VECTOR))
    for first, second in LENGTHS:
        a, b = (rt.range(1.0, n + 1.0) for n in (first, second))
        expected = staging.as_python(autograph.convert(program)(a, b))
        assert staging.same_outcome(expected, staging.attempt(lambda a=a, b=b: function(a, b)))


NEEDS_A_SHAPE: Sequence[Callable[[Any], Any]] = (
    lambda x: rt.boolean_mask(x, x > 1.0),
    lambda x: x[x > 1.0],
    lambda x: rt.unstack(x)[0],
    lambda x: rt.math.top_k(x, rt.size(x)).values,
    lambda x: rt.signal.dct(x),
    lambda x: rt.reverse(x, [rt.size(x) - 1]),
    lambda x: rt.signal.linear_to_mel_weight_matrix(rt.size(x), 3),
    lambda x: rt.image.total_variation(x[:, None, None]),
)


@pytest.mark.parametrize("computed", NEEDS_A_SHAPE)
def test_the_need_of_a_shape_is_not_caught(computed: Callable[[Any], Any]) -> None:
    @rt.function(input_signature=(ANYTHING,))
    def caught(x):
        try:
            return computed(x)
        except ValueError:
            return -x

    with pytest.raises(autograph.StagingError, match="must be known here that only the run knows"):
        caught(rt.ones([3]))


def test_shapes_that_are_wrong_whatever_the_run_has_are_caught() -> None:
    @rt.function(input_signature=(ANYTHING,))
    def caught(x):
        try:
            return rt.signal.dct(rt.reduce_sum(x))
        except ValueError:
            return -x

    assert caught(rt.ones([2])).numpy().tolist() == [-1.0, -1.0]

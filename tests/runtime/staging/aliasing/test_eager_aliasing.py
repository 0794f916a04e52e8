"""Item assignments in converted code that runs eagerly are seen by every name, or refused."""

import copy
import gc
import linecache
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime.core.tensor import EagerTensor
from runtime.ops import indexing
from tests.runtime.staging.aliasing import test_aliasing as staged
from tests.runtime.staging.aliasing.cases import CASES, put
from tests.runtime.staging.aliasing.random_programs import ARGUMENTS, Writer
from tests.runtime.staging.aliasing.views import SHAPE, Views
from tests.support.programs import batches


def plain(value: Any) -> Any:
    """Tensors and arrays as lists and numbers."""
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    value = value.numpy() if isinstance(value, rt.Tensor) else value
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def tensors(inputs: Any) -> list[Any]:
    return [rt.constant(x) if isinstance(x, list) else x for x in inputs]


def loaded(text: str, name: str, **names: Any) -> dict[str, Any]:
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), names)
    return names


# As Python on lists and arrays


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_tensors_do_as_lists_do(function: Any, inputs: tuple[Any, ...]) -> None:
    wanted = function(*copy.deepcopy(inputs))
    found = plain(autograph.convert(function)(*tensors(inputs)))
    if "." in str(found):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    else:
        assert found == wanted


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    text = Writer(seed).program()
    program = loaded(text, f"<eager aliases {seed}>")["program"]
    converted = autograph.convert(program)
    for arguments in ARGUMENTS:
        wanted = _attempt(lambda a=arguments: program(*copy.deepcopy(a)))
        try:
            found = _attempt(lambda a=arguments: plain(converted(*tensors(a))))
        except autograph.StagingError:
            continue
        assert found == wanted, text


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except NameError:
        return NameError


def _filled(shape: tuple[int, ...], value: int) -> Any:
    return [_filled(shape[1:], value) for _ in range(shape[0])] if shape else value


@pytest.mark.parametrize("seeds", batches(), ids=str)
@pytest.mark.parametrize("tuples", [False, True], ids=["lists", "arrays"])
@pytest.mark.parametrize("convert", [autograph.convert, rt.function])
def test_many_random_views(seeds: range, tuples: bool, convert: Any) -> None:
    for seed in seeds:
        check_views(seed, tuples, convert)


def check_views(seed: int, tuples: bool, convert: Any) -> None:
    """Tensors do as lists and arrays do where both agree, or only arrays can, or are refused."""
    text = Views(seed, tuples).program()
    cells = np.arange(27, dtype=np.int32).reshape(SHAPE)

    def run(start: Any, convert: Any, **names: Any) -> Any:
        program = loaded(text, f"<views {seed}>", **names)["program"]
        return plain(convert(program)(start))

    wanted = [run(cells.copy(), lambda f: f, copied=np.copy, filled=np.full)]
    if not tuples:
        wanted.append(run(cells.tolist(), lambda f: f, copied=copy.deepcopy, filled=_filled))
    try:
        found = run(rt.constant(cells), convert, copied=rt.identity, filled=rt.fill)
    except autograph.StagingError:
        return
    assert all(found == each for each in wanted), text


# What is refused, and what needs not be


REFUSED = {
    "copied_matrix": "is read after items of 'n' were assigned",
    "replaced": "a row is read by an older name after it was replaced",
    "stored": "is read after items of 'v' were assigned",
    "watched": "the gradient with respect to 'x' is asked for",
}
ALONE = ["captured", "passed", "twice", "once"]  # calls of graphs


@pytest.mark.parametrize("row", staged.PAIRS, ids=[row[0].__name__ for row in staged.PAIRS])
def test_refusals_are_those_that_eager_code_needs(row: Any) -> None:
    refused, written, arguments, _ = row
    arguments = list(map(rt.identity, arguments))
    if refused.__name__ in ALONE:
        return
    if refused.__name__ in REFUSED:
        with pytest.raises(autograph.StagingError, match=REFUSED[refused.__name__]):
            plain(autograph.convert(refused)(*map(rt.identity, arguments)))
    else:
        lists = [plain(each) for each in arguments]
        if refused.__name__ not in ("outside", "listed"):
            wanted = refused(*copy.deepcopy(lists))
            assert plain(autograph.convert(refused)(*tensors(lists))) == wanted
    plain(autograph.convert(written)(*map(rt.identity, arguments)))


def replaced_in_a_slice(m):
    p = m[0:2]
    p[0] = [7, 8]
    return m


def replaced_under_a_slice(m):
    p = m[0:1]
    m[0] = [7, 8]
    return p


def replaced_two_below(t):
    r = t[1][0]
    t[1] = t[0] + 1
    return r


def replaced_from_the_end(m):
    r = m[1]
    m[-1] = [7, 8]
    return r


def replaced_above_a_slice(t):
    row = t[1]
    p = row[0:1]
    t[1] = t[0] + 1
    return p


def replaced_above_a_row_of_a_slice(t):
    r = t[1][0:1][0]
    t[1] = t[0] + 1
    return r


def replaced_by_another_name(t):
    a = t[1]
    r = a[0]
    b = t[-1]
    b[0] = b[1] + 1
    return r


def replaced_by_a_changed_name(t):
    a, b = t[1], t[1]
    r = a[0]
    b[0][0] = 5
    b[0] = b[1] + 1
    return r


def part_of_a_variable(m):
    r = rt.Variable(m)[0]
    r[0] = 9
    return r


def rows_of_a_variable(m):
    v = rt.Variable(m)
    for r in v:
        r[0] = 9
    return v


M = rt.constant([[1, 2], [3, 4]])


def test_a_tensor_without_a_name_is_called_x() -> None:
    held = [rt.identity(M)]

    def put_into(value: Any) -> Any:
        held[0][0] = value
        return held[0]

    with pytest.raises(autograph.StagingError, match=r"of a tensor .*\n.*x = tf.identity\(x\)"):
        rt.function(put_into)(M[0])


REPLACED = [
    (replaced_under_a_slice, M),
    (replaced_from_the_end, M),
    (replaced_two_below, rt.stack([M, M])),
    (replaced_above_a_slice, rt.stack([M, M])),
    (replaced_above_a_row_of_a_slice, rt.stack([M, M])),
    (replaced_by_another_name, rt.stack([M, M])),
    (replaced_by_a_changed_name, rt.stack([M, M])),
]


@pytest.mark.parametrize(("function", "start"), [(replaced_in_a_slice, M), *REPLACED])
def test_graphs_refuse_it_too(function: Any, start: Any) -> None:
    with pytest.raises(autograph.StagingError, match="is read"):
        rt.function(function)(start)


@pytest.mark.parametrize(("function", "start"), REPLACED)
def test_the_older_name_of_a_row_that_was_replaced_is_refused(function: Any, start: Any) -> None:
    with pytest.raises(autograph.StagingError, match="a row is read by an older name"):
        plain(autograph.convert(function)(rt.identity(start)))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (replaced_in_a_slice, "is read after items of 'p' were assigned"),
        (part_of_a_variable, "an item of 'r' is assigned.*a part of a variable"),
        (rows_of_a_variable, "an item of 'r' is assigned.*a part of a variable"),
    ],
)
def test_what_lists_and_arrays_disagree_about_is_refused(function: Any, message: str) -> None:
    with pytest.raises(autograph.StagingError, match=message):
        plain(autograph.convert(function)(rt.identity(M)))


def test_code_that_is_not_converted_cannot_assign() -> None:
    x = rt.constant([1, 2])
    convert = autograph.convert(put)
    convert(x, 0, 9)
    for name in (x, x[:], rt.constant([[1, 2]])[0]):
        with pytest.raises(TypeError, match="does not support item assignment"):
            put(name, 0, 5)
    assert x.numpy().tolist() == [9, 2]


# What keeps the old value

change = autograph.convert(put)


def test_what_the_value_was_lent_to_keeps_it() -> None:
    x = rt.constant([1, 2, 3])
    array, view = x.numpy(), np.asarray(x)
    same, piece, variable = rt.identity(x), x[1:], rt.Variable(x)
    reshaped = rt.reshape(x, [3, 1])
    items = rt.TensorArray(rt.int32, 1).write(0, x)
    change(x, 1, 9)
    for kept in (array, view, same.numpy(), variable.numpy(), items.read(0).numpy()):
        assert kept.tolist() == [1, 2, 3]
    assert piece.numpy().tolist() == [2, 3]
    assert reshaped.numpy().tolist() == [[1], [2], [3]]
    change(items.read(0), 0, 7)
    assert items.read(0).numpy().tolist() == [1, 2, 3]
    assert x.numpy().tolist() == [1, 9, 3]


def test_tensors_whose_value_is_in_a_graph_are_refused() -> None:
    table, shape = rt.constant([1, 2, 3]), rt.constant([3, 1])
    array = rt.constant([5, 6])
    uses = rt.function(lambda x: rt.reshape(x + table, shape) + int(array.numpy()[0]))
    uses(rt.constant([1, 1, 1]))
    for each in (table, shape, array):
        with pytest.raises(autograph.StagingError, match="part of the graph of"):
            change(each, 0, 9)
    change(rt.identity(table), 0, 9)


def test_a_tensor_that_another_name_has_changed_is_a_tensor() -> None:
    def stale() -> Any:
        m = rt.constant([[1.0, 2.0], [3.0, 4.0]])
        change(m[0], 0, 9.0)
        return m

    wanted = [[9.0, 2.0], [3.0, 4.0]]
    total = rt.function(lambda x: rt.reduce_sum(x))
    for use in (
        lambda m: rt.identity(m),
        lambda m: m + 0.0,
        lambda m: 0.0 + m,
        lambda m: rt.stack([m])[0],
        lambda m: rt.convert_to_tensor(m),
        lambda m: rt.Variable(m),
        lambda m: rt.nest.flatten([m])[0],
        lambda m: pickle.loads(pickle.dumps(m)),
        lambda m: copy.copy(m),
        lambda m: copy.deepcopy(m),
        lambda m: rt.stack(list(m)),
        lambda m: rt.function(lambda x: x)(m),
        lambda m: rt.function(lambda x: x)([m])[0],
    ):
        assert use(stale()).numpy().tolist() == wanted
    assert np.asarray(stale()).tolist() == wanted
    assert float(total(stale())) == 18.0
    assert stale().shape == (2, 2)
    assert "9." in str(stale())
    with rt.GradientTape() as tape:
        x = stale()
        tape.watch(x)
        y = rt.reduce_sum(x * x)
    assert tape.gradient(y, x).numpy().tolist() == [[18.0, 4.0], [6.0, 8.0]]


FIRST = """
import autograph, runtime as rt
from tests.runtime.staging.aliasing.cases import put
m = rt.constant([[1, 2], [3, 4]])
rows, piece = list(m), m[0:1]
change = autograph.convert(put)
change(rows[0], 0, 9)
change(piece[0], 1, 8)
print(m.numpy().tolist(), rows[0].numpy().tolist())
"""


def test_views_from_before_the_first_assignment_are_known() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[[9, 8], [3, 4]] [9, 8]\n", "")


def test_a_view_is_of_the_place_that_it_was_read_from() -> None:
    m, first, last = rt.constant([[1, 2], [3, 4], [5, 6]]), rt.constant(0), rt.constant(2)
    change(m, (2, 0), 5)
    row, rows, items = m[first], m[first:last], m[first:last, 1]
    change(first, ..., 1)
    change(m, (0, 1), 9)
    assert row.numpy().tolist() == [1, 9]
    assert rows.numpy().tolist() == [[1, 9], [3, 4]]
    assert items.numpy().tolist() == [9, 4]


def the_whole_as_a_view(m):
    w, same = m[()], m
    w[0, 1] = 9
    same[1, 0] = 8
    return w, same


@pytest.mark.parametrize("convert", [autograph.convert, rt.function])
def test_an_empty_index_gives_a_view(convert: Any) -> None:
    start = np.array([[1, 2], [3, 4]])
    wanted = plain(the_whole_as_a_view(start.copy()))
    copied = rt.function(lambda m: convert(the_whole_as_a_view)(rt.identity(m)))
    call = copied if convert is rt.function else convert(the_whole_as_a_view)
    assert plain(call(rt.constant(start))) == wanted


def test_only_views_of_the_rows_are_read_anew() -> None:
    m = rt.constant([[1, 2], [3, 4], [5, 6]])
    change(m, (0, 0), 7)
    rows, column = list(m), m[:, 1]
    change(m, (1, 1), 9)
    change(m, (-1, 1), 8)
    assert [type(each) is EagerTensor for each in [*rows, column]] == [True, False, False, False]
    assert plain([*rows, column]) == [[7, 2], [3, 9], [5, 8], [2, 9, 8]]


def calls_of(function: Callable[[], Any]) -> int:
    """The number of calls of Python functions that a call makes."""
    calls = 0

    def count(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    gc.disable()  # what others have left is finalised by calls of their own
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
        gc.enable()
    return calls


@pytest.mark.parametrize("key", [0, -1, (0, 0), (slice(0, 1), 0)], ids=str)
@pytest.mark.parametrize("by_row", [False, True])
def test_an_assignment_does_not_look_at_all_rows_that_others_hold(key: Any, by_row: bool) -> None:
    m = rt.zeros([1000, 2, 2])
    first = m[0]
    target = first if by_row else m
    change(m, (0, 0, 0), 1.0)
    change(first, (0, 0), 1.0)
    found = []
    for held in (3, 300):
        rows = [m[i] for i in range(5, 5 + held)]
        change(target, key, 2.0)
        found.append(calls_of(lambda: change(target, key, 3.0)))
        assert rows[0].numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert found[0] == found[1]


def test_views_that_are_gone_are_not_kept() -> None:
    m = rt.zeros([2, 3])
    change(m, (0, 0), 1.0)
    kept = [m[0] for _ in range(1000)]
    for _ in range(1000):
        m[0:1]
    assert len(m.lent) < 500
    change(kept[0], 1, 2.0)
    for each in (m[0], kept[-1]):
        assert each.numpy().tolist() == [1.0, 2.0, 0.0]


def test_views_below_a_row_that_is_replaced_are_refused() -> None:
    m = rt.constant([[1, 2], [3, 4]])
    change(m, (0, 0), 5)
    part = m[0:1]
    inner = part[0:1]
    row = inner[0]
    change(m, 0, [7, 8])
    for each in (part, inner, row):
        with pytest.raises(autograph.StagingError, match="a row is read by an older name"):
            each.numpy()


# Gradients


def value_when_it_was_used(x, m):
    y = rt.reduce_sum(x * x)
    put(x, 0, 9.0)
    return y + rt.reduce_sum(x * x * x)


def item_by_item(x, m):
    for i in range(2):
        x[i] = x[i] * x[i + 1]
    return rt.reduce_sum(x * x)


def through_a_row(x, m):
    r = m[0]
    s = rt.reduce_sum(r * m[1])
    r[0] = r[1] * m[1][0]
    return s + rt.reduce_sum(m * m) + rt.reduce_sum(r)


def through_rows(x, m):
    for r in m:
        for j in range(1, 2):
            r[j] += r[j - 1] * 2.0
    return rt.reduce_sum(m * m * m)


def both(x, m):
    r = m[1]
    m[1][0] = x[0] * x[1]
    x[1] = r[0] * r[1]
    s = rt.reduce_sum(rt.exp(x))
    x[0] = 0.5
    return s + rt.reduce_sum(m) * rt.reduce_sum(x)


def a_row_that_is_stored(x, m):
    m[0] = x[:2] * x[:2]
    b = m
    b[1][1] = m[0][0] * 3.0
    return rt.reduce_sum(m * m) + rt.reduce_sum(x)


def results_that_are_kept(x, m):
    y = rt.exp(x)
    z = x * y
    x[1] = z[0]
    y[0] = x[1] * x[1]
    w = x * y
    x[0] = 1.0
    return rt.reduce_sum(w * z) + rt.reduce_sum(x)


def rows_swapped(x, m):
    m[0], m[1] = m[1], m[0]
    m[0][0] = m[1][1] * m[0][1]
    return rt.reduce_sum(m * m * m)


GRADIENTS = [
    value_when_it_was_used, item_by_item, through_a_row, through_rows, both, a_row_that_is_stored,
    results_that_are_kept, rows_swapped,
]  # fmt: skip


@pytest.mark.parametrize("function", GRADIENTS, ids=[f.__name__ for f in GRADIENTS])
def test_gradients(function: Any) -> None:
    points = [np.array([1.5, 2.0, 0.7]), np.array([[1.0, 2.0], [3.0, 0.5]])]
    converted = autograph.convert(function)

    def slopes(call: Any) -> list[Any]:
        sources = [rt.constant(each) for each in points]
        with rt.GradientTape() as tape:
            tape.watch(sources)
            y = call(*[each * 1.0 for each in sources])
        found = tape.gradient(y, sources, unconnected_gradients=rt.UnconnectedGradients.ZERO)
        return [each.numpy() for each in found]

    def value(place: int, at: Any, step: float) -> float:
        moved = [each.copy() for each in points]
        moved[place][at] += step
        return float(converted(*map(rt.constant, moved)))

    for place, (found, graph) in enumerate(
        zip(slopes(converted), slopes(rt.function(function)), strict=True)
    ):
        np.testing.assert_allclose(found, graph)
        for at in np.ndindex(found.shape):
            slope = (value(place, at, 1e-6) - value(place, at, -1e-6)) / 2e-6
            assert abs(found[at] - slope) < 1e-4


def test_a_tape_that_has_ended_goes_back_through_the_value_it_saw() -> None:
    x = rt.constant([1.0, 2.0])
    with rt.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = x * 1.0
        y = rt.reduce_sum(z * z * z)
    change(z, 0, 100.0)
    for _ in range(2):
        assert tape.gradient(y, x).numpy().tolist() == [3.0, 12.0]


def of_target(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    y[0] = 1.0
    return tape.gradient(y, x)


def of_source(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = rt.reduce_sum(y)
    y[0] = 1.0
    return tape.gradient(z, y)


def of_a_row(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        m = rt.stack([x, x])
        y = m[0]
    m[0, 0] = 1.0
    return tape.gradient(y, x)


def in_a_pause(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            y[0] = 1.0
    return tape.gradient(y, x)


@pytest.mark.parametrize("convert", [autograph.convert, rt.function])
@pytest.mark.parametrize("function", [of_target, of_source, of_a_row, in_a_pause])
def test_what_a_tape_did_not_record_is_refused(function: Any, convert: Any) -> None:
    with pytest.raises(autograph.StagingError, match=r"'y', or with respect.* does not record"):
        convert(function)(rt.constant([1.0, 2.0]))


def test_gradients_of_gradients() -> None:
    def both_orders(x):
        with rt.GradientTape() as outer:
            outer.watch(x)
            with rt.GradientTape() as tape:
                tape.watch(x)
                z = x * x
                z[0] = z[1] * x[0]
                y = rt.reduce_sum(z * z)
            g = tape.gradient(y, x)
            h = g * 1.0
            h[0] = 5.0 * g[1]
        return g, outer.jacobian(h, x)

    x = rt.constant([1.0, 2.0])
    assert plain(autograph.convert(both_orders)(x)) == plain(rt.function(both_orders)(x))


def test_rows_changed_before_a_tape_began() -> None:
    def late(x):
        m = rt.zeros([2, 2])
        r = m[0]
        r[0] = 1.0
        with rt.GradientTape() as tape:
            tape.watch(x)
            r[1] = x * x
            y = rt.reduce_sum(m) + m[0][1]
        return tape.gradient(y, x)

    assert float(autograph.convert(late)(rt.constant(3.0))) == 12.0


def gradients_are_apart(a, b):
    with rt.GradientTape() as tape:
        tape.watch([a, b])
        y = a + b
    first, second = tape.gradient(y, [a, b])
    first[0] = 5.0
    return first, second


def weights_stay(a, b):
    with rt.GradientTape() as tape:
        tape.watch(a)
        y = a + 1.0
    weights = b * 1.0
    found = tape.gradient(y, a, output_gradients=weights)
    found[0] = 9.0
    return found, weights


def rules_get_values(a, b):
    @rt.custom_gradient
    def masked(x):
        def grad(dy):
            dy[0] = 0.0
            return dy

        return rt.identity(x), grad

    with rt.GradientTape() as tape:
        tape.watch([a, b])
        y = masked(a) + b
    return tape.gradient(y, [a, b])


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (gradients_are_apart, [[5.0, 1.0], [1.0, 1.0]]),
        (weights_stay, [[9.0, 4.0], [3.0, 4.0]]),
        (rules_get_values, [[0.0, 1.0], [1.0, 1.0]]),
    ],
)
@pytest.mark.parametrize("convert", [autograph.convert, rt.function], ids=["eager", "graph"])
def test_gradients_share_no_memory(function: Any, wanted: Any, convert: Any) -> None:
    found = convert(function)(rt.constant([1.0, 2.0]), rt.constant([3.0, 4.0]))
    assert list(plain(found)) == wanted


# Threads


def run_at_once(*work: Callable[[], None]) -> None:
    """Run these on threads that take turns often; AssertionError if one of them fails."""
    with ThreadPoolExecutor(len(work)) as pool:
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for each in [pool.submit(one) for one in work]:
                assert each.result() is None
        finally:
            sys.setswitchinterval(before)


def fill(target: Any, at: range) -> None:
    for i in at:
        autograph.convert(put)(target, i, 1.0)


@pytest.mark.parametrize("several", [False, True])
def test_threads_lose_no_assignment(several: bool) -> None:
    count = 100
    table = rt.zeros([4, count])
    whole = table if several else rt.zeros([4 * count])
    targets = [table[row] for row in range(4)] if several else [whole] * 4
    starts = [0] * 4 if several else [k * count for k in range(4)]
    run_at_once(
        *[
            partial(fill, target, range(start, start + count))
            for target, start in zip(targets, starts, strict=True)
        ]
    )
    assert float(rt.reduce_sum(whole)) == 4 * count


def test_threads_may_read_rows_meanwhile() -> None:
    table = rt.zeros([2, 2])
    assign = autograph.convert(put)

    def both() -> None:
        for i in range(300):
            rows = [table[1], table[0], table[1]]
            assign(rows[2], 0, float(i))
            assign(table, (0, 1), float(i))

    run_at_once(both, both, both, both)
    assert table.numpy().tolist() == [[0.0, 299.0], [299.0, 0.0]]


@pytest.mark.parametrize("key", [0, slice(0, 1)], ids=str)
def test_a_row_is_read_while_another_thread_assigns(key: Any, monkeypatch: Any) -> None:
    table = rt.constant([[1, 2], [3, 4]])
    change(table, (1, 1), 5)
    lend = indexing.lend

    def late(x: EagerTensor, made: EagerTensor) -> None:
        monkeypatch.undo()
        change(table, (0, 0), 9)
        lend(x, made)

    monkeypatch.setattr(indexing, "lend", late)
    assert np.ravel(table[key].numpy()).tolist() == [9, 2]

"""The way from a call to machine code: what does not fit takes another way, to the same result."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.errors import OpError
from runtime.graph.executors.native import objects
from tests.support.native import forced


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with forced():
        yield


def combined(x: Any, y: Any) -> Any:
    return x * 2 + y


ARRAYS = [np.arange(4, dtype=np.float32).reshape(2, 2), np.ones((2, 2), np.float32)]


def straight(*given: Any) -> Any:
    """A function whose calls with arguments like these take the shortest way."""
    function = rt.function(combined)
    for _ in range(4):
        function(*given)
    assert function._traces.direct is not None
    return function


CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "the same": (lambda f, x, y: f(x, y), combined),
    "by name": (lambda f, x, y: f(x, y=y), combined),
    "swapped names": (lambda f, x, y: f(y=x, x=y), lambda x, y: combined(y, x)),
    "another shape": (lambda f, x, y: f(x[0], y[0]), lambda x, y: combined(x[0], y[0])),
    "another rank": (lambda f, x, y: f(x[0, 0], y), lambda x, y: combined(x[0, 0], y)),
    "another dtype": (
        lambda f, x, y: f(rt.cast(x, rt.int64), rt.cast(y, rt.int64)),
        lambda x, y: combined(x.astype(np.int64), y.astype(np.int64)),
    ),
    "transposed": (
        lambda f, x, y: f(rt.constant(np.arange(4, dtype=np.float32).reshape(2, 2).T), y),
        lambda x, y: combined(x.T, y),
    ),
    "arrays": (lambda f, x, y: f(x.numpy(), y.numpy()), combined),
    "Python's number": (lambda f, x, y: f(x, 3), lambda x, y: combined(x, 3)),
    "a variable": (lambda f, x, y: f(rt.Variable(x), y), combined),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_calls_take_another_way(name: str) -> None:
    tensors = [rt.constant(array) for array in ARRAYS]
    function = straight(*tensors)
    staged, plain = CALLS[name]
    wanted = plain(*ARRAYS)
    for _ in range(4):
        got = staged(function, *tensors)
        assert type(got) is type(tensors[0])
        assert got.numpy().dtype == wanted.dtype
        np.testing.assert_array_equal(got.numpy(), wanted)
        np.testing.assert_array_equal(function(*tensors).numpy(), combined(*ARRAYS))


@pytest.mark.parametrize("count", [0, 1, 3, 3_000_000])
def test_other_numbers_of_arguments_are_refused(count: int) -> None:
    tensors = [rt.constant(array) for array in ARRAYS]
    function = straight(*tensors)
    with pytest.raises(TypeError, match="argument"):
        function(*[tensors[0]] * count)


def test_arguments_in_a_list_are_others() -> None:
    function = rt.function(lambda x, *y: x[0] if isinstance(x, list) else x + y[0])
    x, y = [rt.constant(array) for array in ARRAYS]
    for _ in range(3):
        np.testing.assert_array_equal(function([x, y]).numpy(), ARRAYS[0])
    for _ in range(3):
        np.testing.assert_array_equal(function(x, y).numpy(), ARRAYS[0] + ARRAYS[1])
    assert function._traces.direct is not None
    np.testing.assert_array_equal(function([y, x]).numpy(), ARRAYS[1])


def test_tapes_record_what_took_the_shortest_way() -> None:
    tensors = [rt.constant(array) for array in ARRAYS]
    function = straight(*tensors)
    with rt.GradientTape() as tape:
        tape.watch(tensors[0])
        made = function(*tensors)
    np.testing.assert_array_equal(tape.gradient(made, tensors[0]).numpy(), np.full((2, 2), 2.0))


def test_a_function_called_while_another_is_traced_is_part_of_it() -> None:
    tensors = [rt.constant(array) for array in ARRAYS]
    function = straight(*tensors)
    outer = rt.function(lambda x, y: function(x, y) - y)
    for _ in range(3):
        np.testing.assert_array_equal(outer(*tensors).numpy(), 2 * ARRAYS[0])


def test_a_new_value_of_a_global_name_is_seen() -> None:
    scale = {"by": 2.0}
    function = rt.function(lambda x: x * scale["by"])
    x = rt.constant(ARRAYS[0])
    for _ in range(4):
        np.testing.assert_array_equal(function(x).numpy(), 2 * ARRAYS[0])
    scale["by"] = 3.0
    np.testing.assert_array_equal(function(x).numpy(), 3 * ARRAYS[0])


def divided(n: Any, k: Any) -> Any:
    return n // k


def test_what_steps_aside_raises_at_the_users_line() -> None:
    function = rt.function(divided)
    seven, two, zero = [rt.constant(each) for each in (7, 2, 0)]
    for _ in range(4):
        assert int(function(seven, two)) == 3
    assert function._traces.direct is not None
    with pytest.raises(OpError, match="zero") as caught:
        function(seven, zero)
    assert any(entry.frame.code.name == "divided" for entry in caught.traceback)
    assert int(function(seven, two)) == 3


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x,
        lambda x, y: y,
        lambda x, y: (x, y, x),
        lambda x, y: (x + y,) * 3,
        lambda x, y: rt.constant(2.5),
        lambda x, y: (rt.constant(2.5) + y, rt.constant([2.5]), rt.constant([2.5])),
        lambda x, y: rt.reduce_sum(x),
        lambda x, y: (x[0, 0], rt.zeros([0, 2]), rt.constant([1, 2])),
    ],
)
def test_results_are_of_the_same_types_on_both_executors(function: Any) -> None:
    single = np.array(1.5, np.float32)
    for arrays in (ARRAYS, [ARRAYS[0], single], [ARRAYS[0], single[()]]):
        concrete = rt.function(function).get_concrete_function(*map(rt.constant, arrays))
        raws = [rt.constant(array).raw for array in arrays]
        expected, got = concrete.program.run(*raws), concrete.programs.runner(raws)(*raws)
        assert list(map(type, got)) == list(map(type, expected))
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
            for raw in raws:
                assert (one is raw) == (other is raw)
        assert [[one is other for other in got] for one in got] == [
            [one is other for other in expected] for one in expected
        ]


@pytest.mark.parametrize("name", ["done", "refused", "aside", "single"])
def test_nothing_is_kept_alive(name: str) -> None:
    """Of arguments and results, each reference is given back."""
    function = rt.function(combined if name != "aside" else divided)
    arrays = ARRAYS if name in ("done", "refused") else [np.int32(7), np.int32(2)]
    tensors = [rt.constant(array) for array in arrays]
    for _ in range(4):
        function(*tensors)
    assert function._traces.direct is not None
    zeros = [tensors[0], rt.zeros_like(tensors[1])]

    def call() -> Any:
        if name == "refused":
            return function._traces.direct(tensors[0], tensors[0][0])
        if name == "aside":
            with pytest.raises(OpError):
                function(*zeros)
            return None
        return function(*tensors)

    for _ in range(3):
        call()
    objects = [*tensors, *zeros, *[each.raw for each in tensors], type(tensors[0])]
    gc.collect()
    before = list(map(sys.getrefcount, objects))
    for _ in range(50):
        call()
    gc.collect()
    assert list(map(sys.getrefcount, objects)) == before


def test_results_and_functions_go_when_nobody_has_them() -> None:
    tensors = [rt.constant(array) for array in ARRAYS]
    function = straight(*tensors)
    made = weakref.ref(function(*tensors))
    assert made() is None
    gone = weakref.ref(function._traces)
    del function
    gc.collect()
    assert gone() is None


def test_a_result_that_no_memory_holds_is_an_error_of_its_op() -> None:
    @rt.function(jit_compile=True)
    def filled(size):
        return rt.fill([size, size, size], 1.0)

    assert filled(rt.constant(2)).shape == (2, 2, 2)
    with pytest.raises(rt.errors.ResourceExhaustedError, match=rf"^Fill: .*at {__file__}:"):
        filled(rt.constant(400_000))
    assert filled(rt.constant(1)).numpy().tolist() == [[[1.0]]]


@pytest.mark.parametrize("field", ["ITEM", "NUMBER", "TYPE", "DATA", "RANK", "DIMS", "DESCRIPTOR"])
def test_machine_code_does_not_guess_where_fields_are(
    field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects.check_fields()
    monkeypatch.setattr(objects, field, getattr(objects, field) + 8)
    with pytest.raises(RuntimeError, match="does not know the objects of this Python"):
        objects.check_fields()

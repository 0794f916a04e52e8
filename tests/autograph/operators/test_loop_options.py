"""`set_loop_options`: checked, without effect on plain loops, and read by backends."""

from typing import Any

import pytest

from autograph import Backend, convert, loop_options, register_backend, set_loop_options
from tests.autograph.staged_values import Staged, plain


class Counter:
    def __init__(self, value: int) -> None:
        self.value = value

    def __add__(self, other: int) -> "Counter":
        return Counter(self.value + other)

    def __lt__(self, other: int) -> "Truth":
        return Truth(self.value < other)


class Truth(Staged):
    pass


class Reading(Backend):
    """Notes the options of each loop that it runs."""

    def __init__(self) -> None:
        self.options: list[Any] = []

    def while_loop(self, test: Any, body: Any, state: Any, names: Any, first: Any) -> Any:
        while plain(first):
            with loop_options(body) as options:
                result = body(*state)
            state = (result,) if len(names) == 1 else result
            first = test(*state)
            self.options.append(
                (options.maximum_iterations, options.shape_invariants, options.parallel_iterations)
            )
        return state[0] if len(names) == 1 else state


READING = Reading()
register_backend(Truth, READING)


def count(x: Any, limit: int) -> Any:
    while x < limit:
        set_loop_options(maximum_iterations=7, shape_invariants=[(x, (None,))])
        x = x + 1
    return x


def nested(x: Any, limit: int) -> Any:
    while x < limit:
        set_loop_options(parallel_iterations=3, swap_memory=True)
        for _ in range(2):
            set_loop_options(maximum_iterations=9)
        y = x + 1
        while y < limit + 1:
            set_loop_options(maximum_iterations=5)
            y = y + 1
        x = y
    return x


def test_plain_loops_ignore_them() -> None:
    assert convert(count)(0, 20) == 20
    assert convert(nested)(0, 3) == nested(0, 3) == 4


def test_a_staged_loop_gets_its_own() -> None:
    READING.options.clear()
    x = Counter(0)
    assert convert(count)(x, 1).value == 1
    assert READING.options == [(7, [(x, (None,))], None)]


def test_loops_inside_keep_theirs() -> None:
    READING.options.clear()
    assert convert(nested)(Counter(0), 1).value == 2
    assert READING.options == [(5, None, None), (None, None, 3)]


def test_outside_of_loops_it_does_nothing() -> None:
    assert set_loop_options(maximum_iterations=3) is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"maximum_iterations": -1}, ValueError),
        ({"maximum_iterations": 2.5}, TypeError),
        ({"maximum_iterations": True}, TypeError),
        ({"parallel_iterations": 0}, ValueError),
        ({"shape_invariants": 3}, TypeError),
        ({"shape_invariants": [3]}, TypeError),
        ({"shape_invariants": {"x": None}}, TypeError),
        ({"iterations": 3}, TypeError),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        set_loop_options(**options)


def test_a_staged_bound_is_fine() -> None:
    set_loop_options(maximum_iterations=Staged(3))

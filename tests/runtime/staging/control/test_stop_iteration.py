"""StopIteration of the run is refused where Python would make something else of it in between."""

from typing import Any

import pytest

import runtime as rt
from autograph import StagingError


class Count:
    def __init__(self, end):
        self.i, self.end = 0, end

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.end:
            raise StopIteration
        self.i += 1
        return self.i


def of_a_callback(n):
    numbers = Count(n)
    try:
        return list(map(lambda v: next(numbers) + v, [1, 2, 3]))
    except StopIteration:
        return "stop"


def of_a_filter(n):
    numbers = Count(n)
    return [x for x in filter(lambda v: next(numbers) > v, [0, 1, 2])]


def forever(items):
    while True:
        yield next(items)


def of_a_generator(n):
    total = 0
    try:
        for x in forever(Count(n)):
            total += x
    except RuntimeError:
        return -total
    return total


def of_a_generator_that_python_runs(n):
    numbers = forever(Count(n))
    return next(numbers) + next(numbers)


def of_a_generator_expression(n):
    return sum(next(Count(n)) for _ in range(2))


@pytest.mark.parametrize(
    "program",
    [
        of_a_callback,
        of_a_filter,
        of_a_generator,
        of_a_generator_that_python_runs,
        of_a_generator_expression,
    ],
    ids=lambda program: program.__name__,
)
def test_what_python_makes_another_exception_of_is_refused(program: Any) -> None:
    with pytest.raises(StagingError, match=r"StopIteration under a staged test.*waits") as caught:
        rt.function(program)(rt.constant(2))
    assert f"{__file__}:" in str(caught.value)


def of_a_key(n):
    numbers = iter([5])
    return max([n, 3], key=lambda v: v + next(numbers))


def test_the_key_of_max_raises_it_as_in_python() -> None:
    for call in of_a_key, rt.function(of_a_key):
        with pytest.raises(StopIteration):
            call(rt.constant(2))

"""Python's `random` in staged functions: the draws are those of Python for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.support.staging import as_python, assert_as_in_python, attempt

OWN = random.Random(1)
Program = Callable[[Any], Any]


def numbers(n):
    return random.random(), random.randint(1, n), random.uniform(n, 9), random.gauss(n, 2)


def of_an_own_generator(n):
    total = 0
    for _ in range(n):
        total += OWN.randrange(0, 100, 7)
    return total, OWN.getrandbits(5)


def beside_other_effects(n):
    if n > 3:
        return random.triangular(0, 10, n), random.betavariate(1, n)
    return random.expovariate(n), random.normalvariate()


def items(n):
    cards = [(rank, suit) for suit in "SH" for rank in range(3)]
    random.shuffle(cards)
    drawn = random.sample(range(1, 50), 3)
    return cards[:2], drawn, random.choices("abc", weights=[n, 1, 2], k=4), random.choice(range(n))


def as_many_as_the_run_says(n):
    return random.sample([5, 6, 7, 8, 9], n), random.choices([1, 2], k=n)


def of_a_new_generator(n):
    generator = random.Random(n)
    return generator.random(), generator.choice([4, 5, 6])


def in_a_try(n):
    try:
        return random.choice(range(n - 3))
    except IndexError:
        return -1


def of_an_empty_range(n):
    return random.randint(n, 3)


def by_the_defaults(n):
    return n + random.expovariate()  # Python 3.11 has no default


def as_a_key(n):
    return sorted([n, 2, 3], key=lambda _: random.random())


@pytest.mark.parametrize(
    "program",
    [
        numbers,
        of_an_own_generator,
        beside_other_effects,
        items,
        as_many_as_the_run_says,
        of_a_new_generator,
        in_a_try,
        of_an_empty_range,
        by_the_defaults,
        as_a_key,
    ],
)
def test_the_draws_are_those_of_python(program: Program) -> None:
    staged = rt.function(program)
    assert drawn(program, int) == drawn(staged, lambda n: rt.constant(n, rt.int64))


def drawn(program: Program, given: Callable[[int], Any]) -> list[str]:
    random.seed(5)
    OWN.seed(6)
    found = []
    for n in (4, 3, 4, 5, 4):
        got = attempt(lambda n=n: as_python(program(given(n))))
        found.append(repr(type(got) if isinstance(got, Exception) else got))
    return [*found, repr(random.random()), repr(OWN.random())]


def test_a_generator_is_the_one_that_is_given_or_held() -> None:
    @rt.function
    def roll(n: Any, generator: random.Random) -> Any:
        return n + generator.randint(1, 6) + holder["generator"].randint(1, 6)

    holder = {"generator": random.Random(1)}
    assert int(roll(rt.constant(0), random.Random(2))) == rolled(1) + rolled(2)
    assert int(roll(rt.constant(0), random.Random(3))) == rolled(3, 1) + rolled(1, 2)
    holder["generator"] = random.Random(4)
    assert int(roll(rt.constant(0), random.Random(3))) == rolled(3) + rolled(4)


def rolled(seed: int, times: int = 1) -> int:
    generator = random.Random(seed)
    return [generator.randint(1, 6) for _ in range(times)][-1]


def test_tracing_draws_nothing() -> None:
    random.seed(1)
    before = random.getstate()
    rt.function(lambda n: n + random.randint(1, 6)).get_concrete_function(rt.constant(1))
    assert random.getstate() == before


def test_where_nothing_is_traced_python_draws() -> None:
    @rt.function
    def f(n: Any) -> Any:
        with rt.init_scope():
            made = random.random()
        return n + made

    random.seed(2)
    assert float(f(rt.constant(1.0, rt.float64))) == 1 + random.Random(2).random()


def test_a_text_of_a_graph_names_no_address() -> None:
    graph = rt.function(lambda n: n + OWN.randint(1, 6)).get_concrete_function(rt.constant(1))
    assert "py.draw(generator=Random, function='randint'" in str(graph.graph)


@pytest.mark.parametrize("name", ["getstate", "randbytes"])
def test_what_acts_on_a_generator_at_once_is_refused(name: str) -> None:
    def f(n: Any) -> Any:
        getattr(random, name)(*[2] * (name == "randbytes"))
        return n

    with pytest.raises(StagingError, match=rf"{name}\(\) of a generator of `random` acts once"):
        rt.function(f)(rt.constant(1))


def test_a_number_that_no_int64_holds_is_an_error() -> None:
    large = rt.function(lambda n: n + random.getrandbits(80) * 0)
    random.seed(0)
    with pytest.raises(rt.errors.RefusedError, match="getrandbits gave"):
        large(rt.constant(1))


def item_of_a_range(n):
    numbers = range(n, 20, 3)
    return numbers[1], numbers[-1], range(n)[n - 5]


def test_an_item_of_a_staged_range() -> None:
    assert_as_in_python(item_of_a_range, 1, 5, 6, 9, 17, 0, dtype=rt.int64)

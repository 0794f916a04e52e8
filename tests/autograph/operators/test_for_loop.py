"""`for`: how far iterators advance, stop conditions, staged items, staged exits."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograph import StagingError
from autograph.operators import for_loop, not_
from autograph.operators.unrolling import ROUNDS
from tests.autograph.staged_values import Staged, plain

ITERABLES: dict[str, Callable[[], Any]] = {
    "list": lambda: [1, 2, 3, 4],
    "tuple": lambda: (1, 2, 3, 4),
    "empty": lambda: [],
    "range": lambda: range(5),
    "dict": lambda: {"a": 1, "b": 2},
    "generator": lambda: (i * i for i in range(4)),
    "str": lambda: "abc",
    "zip": lambda: zip([1, 2], "ab", strict=True),
}


@pytest.mark.parametrize("make", ITERABLES.values(), ids=ITERABLES)
def test_visits_what_python_visits(make: Callable[[], Any]) -> None:
    result = for_loop(make(), lambda item, seen: [*seen, item], ([],))
    assert result == list(make())


def test_several_names() -> None:
    assert for_loop([1, 2, 3], lambda x, n, s: (n + 1, s + x), (0, 0)) == (3, 6)


def test_no_names() -> None:
    seen: list[int] = []
    assert for_loop([1, 2], lambda x: seen.append(x)) is None
    assert seen == [1, 2]


def test_a_sequence_that_grows_meanwhile() -> None:
    xs = [1]
    for_loop(xs, lambda x: xs.append(x + 1) if x < 5 else None)
    assert xs == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("stop", range(1, 5))
def test_advances_exactly_as_far(stop: int) -> None:
    items = iter(range(5))

    def body(x: int, stopped: bool) -> bool:
        return x == stop

    for_loop(items, body, (False,), test=not_)
    assert next(items, None) == (stop + 1 if stop < 4 else None)


def test_the_test_is_not_asked_before_the_first_item() -> None:
    asked: list[int] = []

    def test(n: int) -> bool:
        asked.append(n)
        return True

    assert for_loop([5, 5], lambda x, n: n + 1, (0,), test=test) == 2
    assert asked == [1, 2]


def test_an_empty_iterable_asks_nothing() -> None:
    assert for_loop([], lambda x, n: n + 1, (0,), test=lambda n: 1 / 0) == 0


@pytest.mark.parametrize("items", [3, None, object()], ids=["int", "None", "object"])
def test_not_iterable(items: Any) -> None:
    with pytest.raises(TypeError) as expected:
        iter(items)
    with pytest.raises(TypeError, match="not iterable") as got:
        for_loop(items, lambda x: None)
    assert str(got.value) == str(expected.value)


def test_staged_items(log: list[Any]) -> None:
    assert plain(for_loop(Staged([1, 2, 3]), lambda x, total: total + x, (0,))) == 6
    assert log == [("for", ("total",))]


def first_above(items: Any, limit: Any) -> Any:
    """As `for x in items: if x > limit: found = x; break` becomes, with a staged limit."""

    def body(x: int, found: Any, stopped: Any) -> tuple[Any, Any]:
        return (Staged(x), Staged(True)) if x > plain(limit) else (found, stopped + False)

    start = (Staged(None), Staged(False))
    return for_loop(items, body, start, test=lambda found, stopped: not_(stopped))


@pytest.mark.parametrize("limit", [0, 2, 3, 9])
def test_a_staged_exit_from_plain_items(limit: int, log: list[Any]) -> None:
    xs = [1, 2, 3, 4, 5]
    found, stopped = plain(first_above(xs, Staged(limit)))
    assert found == next((x for x in xs if x > limit), None)
    assert bool(stopped) == any(x > limit for x in xs)
    assert log.count(("cond", ("found", "stopped"))) == len(xs) - 1


def test_rounds_that_are_left_out_change_nothing() -> None:
    visited = []

    def body(x: int, stopped: Any) -> Any:
        visited.append(x)
        return Staged(x == 2)

    for_loop([1, 2, 3, 4], body, (Staged(False),), test=not_)
    assert visited == [1, 2]


def squares() -> Iterator[int]:
    return (i * i for i in range(4))


@pytest.mark.parametrize(
    "make",
    [
        squares,
        lambda: iter([1, 2, 3]),
        lambda: zip([1], [2], strict=True),
        lambda: enumerate(squares()),
        lambda: map(str, squares()),
    ],
    ids=["generator", "iterator", "zip", "enumerate", "map"],
)
def test_iterators_that_nobody_else_holds_are_unrolled(make: Callable[[], Any]) -> None:
    count = for_loop(make(), lambda x, n, go: (n + 1, Staged(True)), (0, True), test=_second)
    assert plain(count)[0] == len(list(make()))


def _second(n: Any, going: Any) -> Any:
    return going


HELD = iter(range(9))


@pytest.mark.parametrize(
    "make",
    [
        lambda held: held,
        lambda held: zip(held, range(3), strict=False),
        lambda held: enumerate(held),
        lambda held: enumerate(zip(held, strict=True)),
        lambda held: map(str, held),
        lambda held: (x for x in held),
    ],
    ids=["itself", "zip", "enumerate", "nested", "map", "generator"],
)
def test_an_iterator_used_elsewhere_is_refused(make: Callable[[Any], Any]) -> None:
    held = iter(range(9))
    with pytest.raises(StagingError, match="used elsewhere") as refused:
        for_loop(make(held), lambda x, go: Staged(True), (True,), test=lambda go: go)
    assert refused.value.filename == __file__
    assert next(held) is not None


@pytest.mark.parametrize("items", [itertools.count(), itertools.cycle([1])], ids=["count", "cycle"])
def test_items_that_never_end_are_refused(items: Any) -> None:
    with pytest.raises(StagingError, match="never end"):
        for_loop(items, lambda x, go: Staged(True), (True,), test=lambda go: go)


def test_a_generator_that_does_not_end_is_refused() -> None:
    def forever() -> Iterator[int]:
        while True:
            yield 0

    with pytest.raises(StagingError, match=f"did not end after {ROUNDS}"):
        for_loop(forever(), lambda x, go: Staged(True), (True,), test=lambda go: go)


def test_an_exit_that_is_plain_again_ends_the_loop() -> None:
    tests = iter([Staged(True), True, False])
    assert plain(for_loop(range(9), lambda x, n: n + 1, (0,), test=lambda n: next(tests))) == 3

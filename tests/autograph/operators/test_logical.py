"""`and`, `or`, `not` and comparisons: values, order of evaluation, where staging starts."""

import operator
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest

from autograph.operators import all_, and_, any_, compare, not_, or_
from tests.autograph.staged_values import Staged, plain

VALUES: list[Any] = [True, False, 0, 2, "", "a", [], [1], None]
SYMBOLS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


def thunks(values: Iterable[Any], log: list[Any]) -> list[Callable[[], Any]]:
    """Functions that give the values and note that they were asked."""
    return [lambda value=value: log.append(value) or value for value in values]


@pytest.mark.parametrize("values", list(product(VALUES, VALUES)), ids=repr)
def test_two_operands(values: tuple[Any, Any]) -> None:
    a, b = values
    assert and_(a, lambda: b) is (a and b)
    assert or_(a, lambda: b) is (a or b)


@pytest.mark.parametrize("values", list(product([0, 1], [0, "", 2], [[], 3])), ids=repr)
def test_stops_where_python_stops(values: tuple[Any, ...]) -> None:
    asked: list[Any] = []
    expected: list[Any] = []
    a, b, c = thunks(values, expected)
    first, second, third = thunks(values, asked)
    assert and_(first(), second, third) is (a() and b() and c())
    assert or_(first(), second, third) is (a() or b() or c())
    assert asked == expected


@pytest.mark.parametrize("values", list(product(VALUES, VALUES)), ids=repr)
def test_a_test_of_two_operands(values: tuple[Any, Any]) -> None:
    a, b = values
    assert bool(all_(a, lambda: b)) is bool(a and b)
    assert bool(any_(a, lambda: b)) is bool(a or b)


@pytest.mark.parametrize("values", list(product([True, False], repeat=3)), ids=repr)
def test_a_test_asks_each_operand_once(values: tuple[bool, ...]) -> None:
    class Answer:
        def __init__(self, value: bool) -> None:
            self.value = value

        def __bool__(self) -> bool:
            asked.append(self)
            return self.value

    asked: list[Answer] = []
    a, b, c = map(Answer, values)
    holds = 1 if (a and (b or c)) else 0
    expected = asked[:]
    asked.clear()
    assert (1 if all_(a, lambda: any_(b, lambda: c)) else 0) == holds
    assert asked == expected


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_not(value: Any) -> None:
    assert not_(value) is (not value)


def test_a_plain_true_gives_the_staged_operand(log: list[Any]) -> None:
    t = Staged(True)
    assert and_(True, lambda: t) is t
    assert or_(False, lambda: t) is t
    assert log == []


@pytest.mark.parametrize(
    ("op", "first", "calls"),
    [
        (and_, True, [("and", 1)]),
        (and_, False, []),
        (or_, True, []),
        (or_, False, [("or", 1)]),
    ],
)
def test_staged_from_the_first_staged_operand(
    op: Any, first: bool, calls: list[Any], log: list[Any]
) -> None:
    result = op(first, lambda: Staged(1), lambda: 2)
    assert plain(result) == plain(op(first, lambda: 1, lambda: 2))
    assert log == calls


def test_not_of_staged(log: list[Any]) -> None:
    assert plain(not_(Staged(0))) is True
    assert log == ["not"]


OPERANDS: dict[str, list[tuple[Any, Any]]] = {
    "in": [(1, [1, 2]), (3, [1, 2]), ("a", "abc")],
    "not in": [(1, [1, 2]), (3, [1, 2]), ("a", "abc")],
}


@pytest.mark.parametrize(
    ("symbol", "a", "b"),
    [
        (symbol, a, b)
        for symbol in SYMBOLS
        for a, b in OPERANDS.get(symbol, [(1, 2), (2, 1), (2, 2), (1.5, 1)])
    ],
)
def test_one_comparison(symbol: str, a: Any, b: Any) -> None:
    assert compare(a, symbol, b) is SYMBOLS[symbol](a, b)


def test_a_comparison_gives_what_its_operands_give() -> None:
    class Odd:
        def __lt__(self, other: object) -> str:
            return "odd"

    assert compare(Odd(), "<", 1) == "odd"


@pytest.mark.parametrize("values", list(product(range(3), repeat=3)))
@pytest.mark.parametrize("symbols", list(product(["<", "==", ">="], repeat=2)), ids="".join)
def test_chains(values: tuple[int, int, int], symbols: tuple[str, str]) -> None:
    a, b, c = values
    first, second = symbols
    expected = SYMBOLS[first](a, b) and SYMBOLS[second](b, c)
    assert compare(a, first, b, second, lambda: c) is expected


def test_a_chain_stops_early() -> None:
    assert compare(2, "<", 1, "<", lambda: 1 / 0) is False


def test_a_staged_chain(log: list[Any]) -> None:
    asked: list[Any] = []
    result = compare(Staged(1), "<", 2, "<", thunks([3], asked)[0])
    assert (plain(result), log, asked) == (True, [("and", 1)], [3])
    result = compare(Staged(1), ">", 2, "<", thunks([3], asked)[0], "<", lambda: 4)
    assert (plain(result), asked) == (False, [3])


@pytest.mark.parametrize(
    ("symbol", "a", "b", "expected", "calls"),
    [
        ("in", Staged(1), [1, 2], True, [("contains", 2)]),
        ("not in", Staged(1), [1, 2], False, [("contains", 2), "not"]),
        ("in", 3, Staged([1, 2]), False, [("contains", 2)]),
        ("is", Staged(None), None, True, [("is_", 2)]),
        ("is not", Staged(None), None, False, [("is_", 2), "not"]),
        ("is", None, Staged(3), False, [("is_", 2)]),
    ],
)
def test_what_python_makes_a_bool_of_is_left_to_the_backend(
    symbol: str, a: Any, b: Any, expected: bool, calls: list[Any], log: list[Any]
) -> None:
    assert plain(compare(a, symbol, b)) is expected
    assert log == calls


def test_errors_are_pythons() -> None:
    with pytest.raises(TypeError, match="'<' not supported between instances of 'int' and 'str'"):
        compare(1, "<", "a")
    with pytest.raises(TypeError, match=r"argument of type 'int' is not .*iterable"):
        compare(1, "in", 2)

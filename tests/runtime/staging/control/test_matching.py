"""`match` on what is staged: what Python does, or refused."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import assert_as_in_python


def _counted(n: Any) -> Any:
    k = 0
    for _ in range(n):
        k += 1
    return k


def number(n: Any) -> Any:
    match _counted(n):
        case float() | str():
            return 1
        case bool():
            return 2
        case int(k):
            return k + 1
        case _:
            return 4


def real(n: Any) -> Any:
    match _counted(n) + 0.5:
        case int():
            return 1.0
        case float(k):
            return k + 1.0


def truth(n: Any) -> Any:
    flag = True
    for _ in range(n):
        flag = not flag
    match flag:
        case float():
            return 1
        case int(found):
            return 2 if found else 3


def in_structures(n: Any) -> Any:
    match {"k": (_counted(n), 1)}:
        case {"k": (int(k), 1)}:
            return k + 1
        case _:
            return 0


def of_range(n: Any) -> Any:
    match range(n):
        case list() | tuple():
            return 1
        case range():
            return 2


def class_of_range(n: Any) -> Any:
    return isinstance(range(n), range)


def parts_of_other_kinds(n: Any) -> Any:
    total = 0
    for at in range(3):
        match [n - at, {"a": n, "b": at + 2}]:
            case [4, {"a": a, **rest}]:
                total += a + rest["b"]
            case [a, {"b": 3 | 4 as b}] if b > a:
                total += 7
            case [*_, {"a": 0 | 5 as a}] if n < 9:
                total += 50 + a
            case found:
                total += found[0] - 1
    return total


@pytest.mark.parametrize("n", [0, 3, 4, 5, 9])
def test_what_ways_to_match_find_need_not_be_of_one_kind(n: int) -> None:
    assert rt.function(parts_of_other_kinds)(rt.constant(n)).numpy() == parts_of_other_kinds(n)


@pytest.mark.parametrize("function", [number, real, truth, in_structures, of_range, class_of_range])
@pytest.mark.parametrize("n", [0, 3])
def test_a_class_pattern_takes_numbers_of_the_graph(function: Callable[..., Any], n: int) -> None:
    assert rt.function(function)(rt.constant(n)).numpy() == function(n)


def _optional(n: Any) -> Any:
    y = None
    if n > 0:
        y = 3
    return y


def is_none(n: Any) -> Any:
    match _optional(n):
        case None:
            return 1
        case _:
            return 2


def class_of_optional(n: Any) -> Any:
    match _optional(n):
        case int():
            return 1
        case _:
            return 2


def optional_part(n: Any) -> Any:
    match [(_optional(n), 1)]:
        case [(None, 1)]:
            return 1
        case _:
            return 2


def is_true(n: Any) -> Any:
    flag = True
    for _ in range(n):
        flag = not flag
    match flag:
        case True:
            return 1
        case _:
            return 2


def is_true_tensor(n: Any) -> Any:
    match n > 2:
        case True:
            return 1
        case _:
            return 2


@pytest.mark.parametrize("function", [is_none, class_of_optional, optional_part, is_true])
@pytest.mark.parametrize("n", [0, 3])
def test_the_run_decides_what_is_none_or_true(function: Callable[..., Any], n: int) -> None:
    assert rt.function(function)(rt.constant(n)).numpy() == function(n)


def test_a_tensor_is_not_true_itself() -> None:
    with pytest.raises(autograph.errors.StagingError, match="a tensor and True are one") as caught:
        rt.function(is_true_tensor)(rt.constant(3))
    assert caught.value.filename == __file__
    assert caught.value.hint
    assert autograph.convert(is_true_tensor)(3) == is_true_tensor(3)


def test_isinstance_and_match_agree_on_tensors() -> None:
    def both(x: Any) -> Any:
        match x:
            case int():
                matched = True
            case _:
                matched = False
        return matched, isinstance(x, int)

    for convert in (autograph.convert, rt.function):
        a, b = convert(both)(rt.constant(3))
        assert bool(a) == bool(b)


class Shape:
    pass


@dataclass
class Circle(Shape):
    radius: Any
    name: Any = "c"


@dataclass
class Square(Shape):
    side: Any
    name: Any = 3


def by_class(n: Any) -> Any:
    match Circle(n) if n > 3 else Square(n):
        case Circle(radius):
            return radius * 2
        case Square(side=side):
            return side * 3


def by_attribute(n: Any) -> Any:
    match Circle(n) if n > 3 else Square(n):
        case Shape(radius=radius):
            return radius * 2
        case Shape(side=side):
            return side * 3


def by_guard(n: Any) -> Any:
    match Circle(n) if n > 3 else Square(n):
        case Circle(radius=radius, name="c") if radius > 4:
            return radius
        case Circle():
            return 5
        case Square(name=3, side=side) if side > 0:
            return side * 3
    return -1


def by_place(n: Any) -> Any:
    shapes, total = [Circle(n), Square(n + 1), Circle(7)], 0
    for k in range(3):
        match shapes[(k + n) % 3]:
            case Circle(radius=radius):
                total += radius * (k + 1)
            case Square(side=side):
                total += side * 100
    return total


def inside(n: Any) -> Any:
    match {"k": (Circle(n), 1) if n > 3 else (Square(n), 2)}:
        case {"k": (Circle(radius), times)}:
            return radius * times
        case {"k": (Square(side), times)}:
            return side * times * 100


def or_a_number(n: Any) -> Any:
    match Circle(n) if n > 3 else (n if n > 0 else None):
        case Circle(radius=radius):
            return radius
        case None:
            return -1
        case other:
            return other * 2


def by_keys(n: Any) -> Any:
    item = {"is": "p", "data": {"v": n}, "z": 1} if n > 3 else {"is": "q", "rows": [n, 5]}
    match item:
        case {"is": "p", "data": {"v": 4}, **rest}:
            return len(rest)
        case {"is": "p", "data": {"v": found}}:
            return found
        case {"is": "q", "rows": [first, *rest]}:
            return first * 10 + len(rest)


def keys_or_none(n: Any) -> Any:
    match {"k": n} if n > 3 else None:
        case {"k": found}:
            return found
        case None:
            return -1


def of_three_kinds(n: Any) -> Any:
    match {"k": n} if n > 3 else [n, 5] if n > 0 else None:
        case {"k": found}:
            return found
        case [first, second]:
            return first * second
        case None:
            return -1


def of_lengths(n: Any) -> Any:
    match (n, "t") if n > 3 else [n, 5, 3] if n > 0 else n:
        case (first, "t"):
            return first
        case [first, *rest]:
            return first + len(rest) * 1000
        case _:
            return -1


def rest_of_a_tuple(n: Any) -> Any:
    match tuple(range(n)):
        case (first, *rest):
            rest.append(first + 7)
            return len(rest), rest[-1]
    return 0, 0


CHOSEN = (
    *(by_class, by_attribute, by_guard, by_place, inside, or_a_number, by_keys, keys_or_none),
    *(of_three_kinds, of_lengths, rest_of_a_tuple),
)


@pytest.mark.parametrize("n", [0, 2, 4, 9])
@pytest.mark.parametrize("function", CHOSEN)
def test_patterns_take_what_the_run_chooses(function: Callable[..., Any], n: int) -> None:
    assert_as_in_python(function, n)


def key_that_may_be_there(n: Any) -> Any:
    found = {"n": 1}
    if n > 2:
        found["k"] = n
    match found:
        case {"k": 9}:
            return 5
        case {"k": value, **rest} if value > 3:
            return value + len(rest)
        case {"n": value}:
            return value * 10


def keys_of_the_run(n: Any) -> Any:
    found = {}
    for i in range(n):
        found[i % 5] = i * i
    match found:
        case {3: first, 4: second, **rest}:
            rest[9] = 1
            return first + second, len(rest), len(found)
        case {1: value} | {0: value}:
            return value, 0, 0
        case {}:
            return -1, 0, 0


def lists_under_keys(n: Any) -> Any:
    groups: dict[Any, list[Any]] = {}
    for i in range(n):
        groups.setdefault(i % 2, []).append(i)
    match groups:
        case {1: items}:
            items.append(7)
            return len(items), len(groups[1])
    return -1, 0


def counted(n: Any) -> Any:
    found: defaultdict[Any, int] = defaultdict(int)
    for i in range(n):
        found[i % 3] += i
    total = 0
    for i in range(3):
        match found:
            case {2: value} if value > i:
                total += value
            case {0: value}:
                total += 10
    return total, len(found)


OF_THE_RUN = key_that_may_be_there, keys_of_the_run, lists_under_keys, counted


@pytest.mark.parametrize("n", [0, 2, 4, 9])
@pytest.mark.parametrize("function", OF_THE_RUN)
def test_patterns_take_dicts_whose_keys_only_the_run_knows(
    function: Callable[..., Any], n: int
) -> None:
    assert_as_in_python(function, n)

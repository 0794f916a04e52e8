"""`and` and `or` of values that do not join: tests of them, and any other use, which is refused
but for a truth value beside a number or a text.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as tf
from autograph.errors import StagingError
from tests.support.staging import as_python

# Tests: a and b are numbers, staged or not, and the result is Python's


def of_an_if(a, b):
    if a and b > 2:
        return 1
    return 0


def of_a_while(a, b):
    rounds = 0
    while b and rounds < 3:
        b -= 1
        rounds += 1
    return rounds + a


def of_a_ternary(a, b):
    return 1 if a > 1 or (b and a == 0) else 0


def of_a_not(a, b):
    return not (a and b > 2), not (b or a > 1)


def of_an_assert(a, b):
    assert a < 9 and (b or a)  # noqa: PT018
    return a


def of_bool(a, b):
    return bool(a and b > 2), bool(b == 2 or a)


def of_any_and_all(a, b):
    return any((a and b > 2, a > 4)), all([b or a > 1, a < 9])


def of_a_comprehension(a, b):
    return [x for x in [0, 1, 2, 3] if (x and a > x) or b == x]


def of_a_name(a, b):
    both = a and b > 2
    either = both or b > 4
    return (1 if both else 2) + (10 if either and a < 9 else 20)


def of_a_name_in_a_loop(a, b):
    found = 0
    for i in range(b):
        even = i and i % 2 == 0
        if even:
            found += i + a
    return found


def of_a_callee(a, b):
    def fits(x):
        return x and b > 2

    return 1 if fits(a) else 0


def of_a_text(a, b):
    name = "abc" if isinstance(a, object) else ""
    if a > 1 and name:
        return 1
    return 2 if b > 2 or not name else 3


def of_containers(a, b):
    options, nothing = {"a": 1}, []
    if a > 1 and options:
        return 1
    if a > 0 and nothing:
        return 2
    return 3 if b and (nothing or a == 0) else 4


def of_floats_and_ints(a, b):
    return 1 if a and tf.cast(b, tf.float32) > 1 and a * 1.0 else 0


def of_an_object_that_a_branch_made(a, b):
    class Counter:
        def __init__(self, n):
            self.n = n
            if a and b > 2:
                self.n = n + 4

        def step(self):
            self.n = self.n + 1
            return self

    if a < 3:
        a = Counter(b).step().step().n
    return a


def of_three_kinds(a, b):
    return [1 if a and b > 2 and "x" else 2, 1 if a == 0 or b or None else 2]


TESTS = [
    of_an_if, of_a_while, of_a_ternary, of_a_not, of_an_assert, of_bool, of_any_and_all,
    of_a_comprehension, of_a_name, of_a_name_in_a_loop, of_a_callee, of_a_text, of_containers,
    of_an_object_that_a_branch_made, of_three_kinds,
]  # fmt: skip
ARGUMENTS = [(0, 5), (1, 2), (2, 0), (3, 3), (0, 2), (5, 4)]


def plain(value: Any) -> Any:
    return tf.nest.map_structure(lambda x: x.numpy().item() if tf.is_tensor(x) else x, value)


@pytest.mark.parametrize("function", TESTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kinds", ["both", "first", "second"])
def test_a_test_of_operands_that_do_not_join_is_pythons(
    function: Callable[..., Any], kinds: str
) -> None:
    staged = tf.function(function)
    for a, b in ARGUMENTS:
        given = (
            a if kinds == "second" else tf.constant(a),
            b if kinds == "first" else tf.constant(b),
        )
        assert plain(staged(*given)) == plain(function(a, b)), (a, b)
        assert autograph.convert(function)(a, b) == function(a, b)


# Any other use

USES = {
    "returned": "return both",
    "returned in a list": "return [both]",
    "returned by a callee": "return tf.function(lambda: a and wide(b))()",
    "added": "return both + 1",
    "added to": "return 1 + both",
    "negated": "return -both",
    "compared": "return both == 1",
    "unequal": "return 1 != both",
    "ordered": "return both < 1",
    "chained": "return 0 <= both < 3",
    "identical": "return both is None",
    "of a class": "return isinstance(both, bool)",
    "its class": "return type(both) is bool",
    "a number": "return int(both)",
    "the largest": "return max(both, 2)",
    "of an op": "return tf.abs(both)",
    "of a tensor": "return tf.constant(1) + both",
    "in a list": "return both in [1, 2]",
    "an index": "return [1, 2][both]",
    "indexed": "return both[0]",
    "its length": "return len(both)",
    "a loop": "for _ in both: pass",
    "a range": "return sum(range(both))",
    "an attribute": "return both.numpy()",
    "printed": "print(both)",
    "printed in a list": "print([both])",
    "a text": "print(f'{both}')",
    "raised": "raise ValueError(both)",
    "a key": "return {1: 2}[both]",
    "a subject": "match both:\n        case 1: return 1\n        case _: return 2",
    "asked by code that is not converted": "return len(list(filter(None, [both])))",
    "joined": "both = 1 if b > 3 else both\n    return both",
    "carried": "ok = False\n    while not ok:\n        ok = a and wide(b)\n    return 1",
}


@pytest.mark.parametrize("use", USES, ids=str)
def test_any_other_use_is_refused_by_place(use: str, tmp_path: Any) -> None:
    path = tmp_path / "used.py"
    wide = "def wide(b): return tf.cast(b, tf.float32)\n"
    path.write_text(
        f"import runtime as tf\n{wide}def f(a, b):\n    both = a and wide(b)\n    {USES[use]}\n"
    )
    names: dict[str, Any] = {"__name__": "used"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(StagingError, match=re.escape(str(path)) + r":\d+:\d+: ") as caught:
        tf.function(names["f"])(tf.constant(3), tf.constant(4))
    assert "bool(...)" in str(caught.value)
    assert "its dtype is int32 on one path and float32 on the other" in str(caught.value)


# A truth value beside a number or a text


def given_back(a, b):
    return a and b > 2, b > 2 and a, b > 2 or "none"


def compared(a, b):
    both = a and b > 2
    return both == 1, both != 0, both < 1, 0 <= both < 3, both in [1, 2], both is None


def computed(a, b):
    large = b > 2 and a
    large += 1
    return large, (b > 2 and a) * 2, 3 - (b > 2 and a), (b > 2 and a) // 2, max(b > 2 and a, 2)


def told(a, b):
    return f"{b > 2 and a}", str(a or b > 2), int(b > 2 and a), isinstance(b > 2 and a, str)


def carried(a, b):
    found = False
    for i in range(b):
        found = found or (i > a and i)
    return found, [i > a and i for i in range(4)]


def chosen(a, b):
    both = b > 2 and a
    one = both if a > 1 else b
    return one, both


UNITED = [given_back, compared, computed, told, carried, chosen]


@pytest.mark.parametrize("function", UNITED, ids=lambda f: f.__name__)
def test_a_truth_value_beside_a_number_is_the_operand(function: Callable[..., Any]) -> None:
    staged = tf.function(function)
    for a, b in ARGUMENTS:
        given = tf.constant(a, tf.int64), tf.constant(b, tf.int64)
        expected = function(a, b)
        assert repr(as_python(staged(*given))) == repr(expected), (a, b)


# Objects, which may do something where they are asked


class Answer:
    """Counts how often it is asked."""

    def __init__(self, value):
        self.value = value
        self.asked = 0

    def __bool__(self):
        self.asked += 1
        return self.value


def by_a_test(one, other):
    return 1 if (one and other) or other else 2


def by_a_statement(one, other):
    n = 0
    while n < 3 and (one or other):
        n += 1
    if not (one and other):
        n += 10
    assert n or one
    return n


def by_a_binding_test(one, other):
    if one and (n := 4) and not (other or one):
        return n
    return 0


def by_a_comprehension(one, other):
    return [n for n in (1, 2) if one if other or n]


ASKING = [by_a_test, by_a_statement, by_a_binding_test, by_a_comprehension]


@pytest.mark.parametrize("function", ASKING, ids=lambda f: f.__name__)
def test_an_object_is_asked_as_often_as_in_python(function: Callable[..., Any]) -> None:
    def asking(a, b):
        one, other = Answer(a > 1), Answer(b > 2)
        return function(one, other), one.asked, other.asked

    staged, converted = tf.function(asking), autograph.convert(asking)
    for a, b in ARGUMENTS:
        expected = asking(a, b)
        assert as_python(staged(tf.constant(a), tf.constant(b))) == expected, (a, b)
        assert as_python(staged(a, b)) == expected, (a, b)
        assert converted(a, b) == expected, (a, b)


@pytest.mark.parametrize("a", [1, 2])
def test_the_value_of_an_object_asks_it_once(a: int) -> None:
    def asking(a):
        one = Answer(a > 1)
        n = 1 if one and 4 else 2
        both = one or n
        return one.asked, bool(both)

    one = asking(a)
    assert as_python(tf.function(asking)(tf.constant(a))) == one


@pytest.mark.parametrize("a", [0, 1])
def test_an_answer_that_is_no_bool_is_pythons_error(a: int) -> None:
    class Nonsense:
        def __bool__(self):
            return 3

    def asking(a):
        return 1 if a > 0 and Nonsense() else 2

    if a == 0:
        assert as_python(tf.function(asking)(tf.constant(a))) == asking(a)
        return
    with pytest.raises(TypeError, match="__bool__ should return bool, returned int"):
        tf.function(asking)(tf.constant(a))


def next_in_any(xs: list[Any]) -> Any:
    above = any(v > next((w for w in xs if w > 4), -9) for v in xs)
    return above, all(next((w for w in xs if w > v), None) is None for v in range(6))


@pytest.mark.parametrize("items", [[1, 5, 2], [3], [6, 7]], ids=str)
def test_a_generator_in_any_may_ask_for_the_next_of_another(items: list[int]) -> None:
    found = tf.function(next_in_any)(list(map(tf.constant, items)))
    assert [bool(each) for each in found] == list(next_in_any(items))

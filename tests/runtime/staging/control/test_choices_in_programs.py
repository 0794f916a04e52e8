"""Texts and such that a staged value chooses: None on a path, by patterns of `match`, by places."""

import enum
import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import assert_as_in_python


class Color(enum.Enum):
    RED = 1
    GREEN = 2


def word(n):
    found = None
    if n > 2:
        found = "b"
    elif n > 1:
        found = "bc"
    return found


USES: dict[str, Callable[[Any], Any]] = {
    "length": lambda w: 0 if w is None else len(w),
    "a letter": lambda w: False if w is None else w[0] == "b",
    "a letter at a staged place": lambda w: False if w is None else w[len(w) - 1] == "c",
    "its code": lambda w: 0 if w is None else ord(w[0]),
    "a method": lambda w: False if w is None else w.upper() == "BC",
    "a count": lambda w: 0 if w is None else w.count("b"),
    "a sum": lambda w: False if w is None else w + "x" == "bx",
    "letters of it": lambda w: False if w is None else "c" in w,
    "a part": lambda w: False if w is None else w in "abc",
    "an order": lambda w: False if w is None else w < "bb",
    "a loop": lambda w: 0 if w is None else sum(ord(letter) for letter in w),
    "its truth": lambda w: 1 if w else 2,
    "a key": lambda w: {None: 1, "b": 2, "bc": 3}[w],
    "get": lambda w: {"b": 2}.get(w, 5),
    "get of None": lambda w: {None: 3, "bc": 1}.get(w, 5),
    "in a dict": lambda w: w in {"b": 1},
    "None in a dict": lambda w: w in {None: 1, "b": 2},
    "in a set": lambda w: w in {"bc", "c"},
    "in a tuple": lambda w: w in ("bc", None),
    "equality": lambda w: w == "b",
}


def alternatives(n):
    match "even" if n % 2 == 0 else "odd":
        case "odd" | "prime":
            return 1
        case "even":
            return 2


def guards_and_captures(n):
    match ["a", "b", "c"][n % 3]:
        case "a" if n > 2:
            return 10
        case str(s) if s == "b":
            return 20
        case other:
            return 30 if other == "c" else 40


def texts_in_tuples(n):
    a = "a" if n > 2 else "b"
    b = "c" if n % 2 else "d"
    match (a, b):
        case ("a", "c"):
            return 1
        case ("a", _) | (_, "c"):
            return 2
    return 3


def texts_in_dicts(n):
    match {"kind": "even" if n % 2 == 0 else "odd", "n": n}:
        case {"kind": "even", "n": k}:
            return k
        case {"kind": "odd", **rest}:
            return rest["n"] + 100


def texts_are_no_sequences(n):
    match "ab" if n > 2 else "cd":
        case [_, _]:
            return 1
        case str():
            return 2


def optional_texts(n):
    match word(n):
        case [_, _]:
            return 1
        case None:
            return 2
        case "b":
            return 3
        case str(text):
            return len(text)


def texts_are_no_numbers(n):
    match "1" if n > 2 else "2":
        case 1 | True | None | b"1":
            return 1
        case int():
            return 2
        case "1":
            return 3
    return 4


def members(n):
    match Color.RED if n > 2 else Color.GREEN:
        case Color.RED:
            return 1
        case Color(value=v):
            return v + 10


def a_machine(n):
    state, steps = "start", 0
    while state != "end":
        match state:
            case "start":
                state = "middle"
            case "middle" if steps > n:
                state = "end"
            case _:
                steps += 100
        steps += 1
    return steps


def one_option(n):
    return ["b", "b"][n % 2] == "b", [abs][n % 1](n)


def a_letter_at_a_staged_place(n):
    text = "hello" if n > 2 else "bonjour"
    return text[n % 5] == "o"


def beyond_the_text(n):
    text = "ab" if n > 2 else "abcd"
    return text[n] == "d"


def letters_beside_others(n):
    word = "cacao"[n:] if n > 2 else "ab"
    places = {letter: at for at, letter in enumerate(word, start=1)}
    changes = sum(a != b for a, b in zip(word, word[::-1], strict=True))
    pairs = [a + b for a, b in itertools.product(word, "xy")]
    back, kept = "".join(reversed(word)), [*filter(lambda letter: letter != "a", word)]
    queue = deque(word)
    return places, changes, pairs, back, kept, list(map(ord, word)), [*word, "z"], len(queue)


def letters_that_change_places(n):
    letters = list("hello" if n > 2 else "hi")
    left, right = 0, len(letters) - 1
    while left < right:
        letters[left], letters[right] = letters[right], letters[left]
        left, right = left + 1, right - 1
    return "".join(letters), letters


def fibonacci_words(n):
    a, b = "a", "b"
    for _ in range(n):
        a, b = b, a + b
    return a, b, a < b, a == b


def joined_by_a_choice(n):
    comma = "," if n > 2 else ";"
    return comma.join(["a", str(n)]), comma.split("-")[0]


def raised_by_name(n):
    kind = KeyError if n > 3 else ValueError
    try:
        if n > 1:
            raise kind
    except KeyError:
        return 1
    except Exception:
        return 2
    raise kind from None


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def a_member_as_result(n):
    return Color.RED if n > 2 else Color.GREEN


def members_in_results(n):
    level = Level.LOW
    for _ in range(n):
        level = Level.HIGH if level is Level.LOW else Level.LOW
    return [a_member_as_result(n), Color.RED], level, {"k": Level.HIGH}


def a_member_or_none(n):
    return a_member_as_result(n) if n % 2 else None


def as_many_members(n):
    found = []
    for i in range(n):
        found.append(a_member_as_result(i))
    return found


chosen_by_a_graph = rt.function(a_member_as_result)


def a_member_of_another_graph(n):
    color = chosen_by_a_graph(n)
    return color, color is Color.RED, color.value


def a_member_of_a_recursion(n):
    if n <= 0:
        return Color.RED
    return Color.GREEN if a_member_of_a_recursion(n - 1) is Color.RED else Color.RED


PROGRAMS = [
    a_member_as_result,
    members_in_results,
    a_member_or_none,
    as_many_members,
    a_member_of_another_graph,
    a_member_of_a_recursion,
    fibonacci_words,
    joined_by_a_choice,
    raised_by_name,
    alternatives,
    guards_and_captures,
    texts_in_tuples,
    texts_in_dicts,
    texts_are_no_sequences,
    optional_texts,
    texts_are_no_numbers,
    members,
    a_machine,
    one_option,
    a_letter_at_a_staged_place,
    letters_beside_others,
    letters_that_change_places,
    beyond_the_text,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_what_python_computes(program: Callable[[Any], Any]) -> None:
    assert_as_in_python(program, *range(6))


@pytest.mark.parametrize("executor", ["numpy", "native"])
def test_a_member_that_a_function_may_give_is_shown(executor: str) -> None:
    staged = rt.function(a_member_as_result, executor=executor)
    concrete = staged.get_concrete_function(rt.TensorSpec([], rt.int32))
    assert [concrete(rt.constant(n)) for n in (2, 3)] == [Color.GREEN, Color.RED]
    assert str(concrete.structured_outputs) == "<one of <Color.RED: 1>, <Color.GREEN: 2>>"


@pytest.mark.parametrize("use", USES)
def test_texts_that_may_be_missing_are_used_as_in_python(use: str) -> None:
    def program(n: Any) -> Any:
        return USES[use](word(n))

    assert_as_in_python(program, *range(4))


def test_one_text_that_may_be_missing_has_a_length() -> None:
    staged = rt.function(lambda n: 0 if (w := "b" if n > 2 else None) is None else len(w + w))
    assert [int(staged(rt.constant(n))) for n in (2, 3)] == [0, 2]


def methods_of_texts(n):
    word = "abc"[n % 3]
    return "abracadabra".count(word), "xyzabc".find(word), "a-b".replace("-", word) == "abb"


def parts_of_texts(n):
    return len("hello"[:n]), "hello"[n:] == "lo", "hello"[1:n].count("l")


def list_of_texts(n):
    words = []
    for i in range(n):
        words.append("even" if i % 2 == 0 else "odd")
    return words


@pytest.mark.parametrize("program", [methods_of_texts, parts_of_texts, list_of_texts])
def test_texts_at_places_of_the_run(program: Any) -> None:
    assert_as_in_python(program, -2, 0, 1, 3, 7)

"""Texts, functions, classes and members of enums that a staged value chooses."""

import contextlib
import copy
import enum
import functools
import io
import itertools
import math
import operator
import re
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support.staging import attempt, same_outcome

# The programs are written as strangers write them.
# ruff: noqa: B007, E731, UP031


def sq(v):
    return v * v if v > -100 else v


def neg(v):
    if v > 2:
        return v
    return -v


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Acc:
    def __init__(self):
        self.v = 0

    def up(self, k):
        self.v += k

    def dn(self, k):
        self.v -= k


def compared(x):
    op = "+" if x > 0 else "-"
    if op == "+":
        return x + 1
    return x - 1


def key_of_a_dict(x):
    kind = "a" if x > 0 else "b"
    return {"a": 10, "b": 20}[kind]


def state_of_a_loop(x):
    state = "start"
    n = 0
    while state != "end":
        if state == "start":
            state = "middle"
        elif state == "middle":
            n += 1
            if n > x:
                state = "end"
        else:
            raise ValueError(state)
    return n


def builtin_chosen(x):
    op = max if x > 0 else min
    return op(x, 3)


def in_an_error(x):
    kind = "neg" if x < 0 else "pos"
    if kind == "neg":
        raise ValueError(f"got {kind}: " + kind)
    return kind.upper() == "POS"


def member_of_an_enum(x):
    c = Color.RED if x > 0 else Color.GREEN
    return c.value if c is Color.RED else -c.value


def called_in_a_loop(x):
    f = (lambda v: v + 1) if x > 0 else (lambda v: v - 1)
    t = 0
    for i in range(x):
        t = f(t) + i
    return f(t)


def indexed(x):
    return ["a", "bc", "def"][x % 3]


def dict_of_functions(x):
    return {0: sq, 1: neg}[x % 2](x)


def asked_for_much(x):
    s = "ab" if x > 0 else "xyz"
    return (
        "a" in s,
        s in ("ab", "q"),
        s in {"ab": 1},
        s[0] == "a",
        s + "!" == "ab!",
        "<" + s,
        isinstance(s, str),
    )


def grown_in_branches(x):
    s = ""
    if x > 0:
        s = s + "pos"
    if x > 2:
        s += " big"
    return s


def function_or_none(x):
    f = None
    if x > 0:
        f = sq
    if f is None:
        return -1
    return f(x)


def in_a_plain_loop(x):
    turn = "L"
    c = 0
    for i in range(x):
        if turn == "L":
            turn = "R"
        else:
            turn = "L"
            c += i
    return c, turn


def entry_changed(x):
    d = {"L": 0, "R": 0}
    for i in range(x):
        k = "L" if i % 2 == 0 else "R"
        d[k] += 1
    return d["L"] - d["R"]


def beside_a_number(x):
    a, op = (1, "+") if x > 0 else (2, "-")
    return a if op == "+" else -a


def looped_over(x):
    s = "abc" if x > 0 else "de"
    n = 0
    for ch in s:
        n += ord(ch)
    return n


def made_a_number(x):
    s = "12" if x > 0 else "7"
    return int(s) + x


def closures(x):
    def inner(k):
        return k + x

    def other(k):
        return k - x

    h = inner if x > 1 else other
    return h(h(2))


def ordered(x):
    w = "b" if x > 0 else "c"
    return w < "bb"


def asked_for_numbers(x):
    d = {1: "one", 3: "three"}
    return d.get(x, "none"), 3 in d, x in d


def text_indexed(x):
    seq = "ACGT"
    c = seq[x % 4]
    return {"A": "T", "C": "G", "G": "C", "T": "A"}[c] == "G"


def in_a_recursion(x):
    def go(n, s):
        return s if n <= 0 else go(n - 1, "odd" if s == "even" else "even")

    return go(x, "even")


def attribute_of_an_object(x):
    class A:
        def __init__(self):
            self.mode = "idle"
            self.n = 0

        def step(self, k):
            if self.mode == "idle":
                self.mode = "run"
            elif k > 2:
                self.mode = "stop"
            else:
                self.n += k

    a = A()
    for i in range(x):
        a.step(i)
    return a.mode, a.n


def changes_a_list(x):
    log = []
    a = lambda v: log.append(v)

    def b(v):
        log.append(v + 1)
        log.append(0)

    f = a if x > 0 else b
    f(x)
    return len(log)


def changes_what_is_around(x):
    s = [0]

    def a():
        s[0] += 1

    def b():
        s[0] -= 1

    f = a if x > 0 else b
    for i in range(4):
        f()
    return s[0]


def bound_methods(x):
    o = Acc()
    m = o.up if x > 0 else o.dn
    m(2)
    name = "up" if x > 2 else "dn"
    getattr(o, name)(5)
    return o.v


def changes_a_nonlocal(x):
    n = 0

    def a():
        nonlocal n
        n += 2

    def b():
        nonlocal n
        n += 3

    f = a if x > 0 else b
    f()
    return n


def methods_of_a_list(x):
    xs = [3, 1, 2]
    op = xs.append if x > 0 else xs.remove
    op(1)
    return len(xs)


def given_to_functions(x):
    k = "a" if x > 0 else "b"

    def g(name, v):
        return v if name == "a" else -v

    return g(k, x) + g(name=k, v=1)


def applied_to_items(x):
    f = sq if x > 0 else neg
    return [f(v) for v in (1, 2)], list(map(f, [1, 2])), sum(f(v) for v in (1, 2))


def as_a_key(x):
    f = sq if x > 0 else neg
    return max([1, -2], key=f)


def two_of_them(x):
    a = "x" if x > 0 else "y"
    b = "x" if x > 2 else "y"
    return a == b, a != b, a < b, a + b == "xy"


def effects_in_order(x):
    log = []

    def a():
        log.append(1)
        return "A"

    def b():
        log.append(2)
        log.append(3)
        return "B"

    f = a if x > 0 else b
    r = f()
    r2 = f() + f()
    return len(log), r == "A", r2


def letters_of_a_text(x):
    s = "abc"
    i = 0
    while i < 3:
        c = s[(i + x) % 3]
        if c != "b":
            i += 1
        else:
            i += 2
    return i, c


def parts_of_a_text(x):
    line = ["a b c", "", "d,e", "x y"][x % 4]
    words = line.split()
    words.reverse()
    kept = [word + "." for word in words if word != "b"]
    if words:
        kept.append(words.pop(x % 4 // 2))
    first, *others = line.split(",")
    return kept, len(words), words[-1:], first.split("b"), others


def methods_given_what_the_run_knows(x):
    line = ["a b c", "", "dbe", "x y"][x % 4]
    other = ["b", " ", "xx"][x % 3]
    replaced = line.replace(other, "-", x % 2), line.replace(str(x), other)
    return replaced, line.split(other, x % 2), line.split(maxsplit=x % 3), line.find(other, x % 2)


def none_as_a_key(x):
    m = "x" if x > 0 else None
    return {"x": 5, None: 7}[m]


def in_a_tuple(x):
    e = "a" if x > 1 else "b"
    a, b = (e, "z") if x > 0 else ("q", e)
    return a + b


def steps_through_a_dict(x):
    k = "n"
    for i in range(x):
        k = {"n": "e", "e": "s", "s": "w", "w": "n"}[k]
    return k


def moves(x):
    pos = [0, 0]
    moves = {"U": (0, 1), "D": (0, -1), "R": (1, 0)}
    for i in range(x):
        dx, dy = moves["URD"[i % 3]]
        pos[0] += dx
        pos[1] += dy
    return pos


def math_functions(x):
    f = math.sin if x > 0 else math.cos
    g = abs if x > 2 else (lambda v: -v)
    return f(0.5) + g(-2)


twice = rt.function(lambda v: v * 2)
down = rt.function(neg)


class Scaled:
    def __init__(self, k):
        self.k = k

    @rt.function
    def of(self, v):
        return v * self.k

    @rt.function
    def beyond(self, v):
        return v + self.k


SCALED = Scaled(3), Scaled(5)


def decorated(x):
    f = twice if x > 0 else down
    g = down if x > 2 else sq
    return f(x) + g(x), f == twice, twice != f, f is down


def decorated_by_rounds(x):
    f = twice
    for i in range(x):
        if i == 2:
            f = down
        x = f(x)
    return x


def decorated_methods(x):
    f = SCALED[0].of if x > 0 else SCALED[1].of
    g = SCALED[0].of if x > 2 else SCALED[0].beyond
    return f(x) + g(x), f == SCALED[0].of


def dtypes(x):
    kind = rt.float32 if x > 0 else rt.int64
    return kind.size, kind == rt.int64, rt.int64 == kind, rt.int64 != kind, kind in (rt.int64,)


def one_dtype_by_two_names(x):
    kind = "float64" if x > 0 else rt.float64
    return float(rt.cast(x, kind)) + 0.5


def getters(x):
    pick = operator.itemgetter(0) if x > 0 else operator.itemgetter(1)
    return pick([x, 7])


def printed(x):
    s = "pos" if x > 0 else "neg"
    print("s =", s, s + "!", f"<{s:>5}>", "%s" % s, f"{s}", s.upper())
    return 1


FUNCTIONS = [
    compared,
    key_of_a_dict,
    state_of_a_loop,
    builtin_chosen,
    in_an_error,
    member_of_an_enum,
    called_in_a_loop,
    indexed,
    dict_of_functions,
    asked_for_much,
    grown_in_branches,
    function_or_none,
    in_a_plain_loop,
    entry_changed,
    beside_a_number,
    looped_over,
    made_a_number,
    closures,
    ordered,
    asked_for_numbers,
    text_indexed,
    in_a_recursion,
    attribute_of_an_object,
    changes_a_list,
    changes_what_is_around,
    bound_methods,
    changes_a_nonlocal,
    methods_of_a_list,
    given_to_functions,
    applied_to_items,
    as_a_key,
    two_of_them,
    effects_in_order,
    letters_of_a_text,
    parts_of_a_text,
    methods_given_what_the_run_knows,
    none_as_a_key,
    in_a_tuple,
    steps_through_a_dict,
    moves,
    math_functions,
    decorated,
    decorated_by_rounds,
    decorated_methods,
    dtypes,
    one_dtype_by_two_names,
    getters,
    printed,
]


def outcome(run: Callable[[], Any]) -> tuple[Any, str]:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        result = attempt(run)
    return result, shown.getvalue()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_what_python_computes(function: Callable[[Any], Any]) -> None:
    staged = rt.function(function)
    for x in (3, -4, 0, 1, 6):
        expected, text = outcome(lambda x=x: function(copy.deepcopy(x)))
        got, printed = outcome(lambda x=x: staged(rt.constant(x)))
        assert same_outcome(expected, got), (x, expected, got)
        assert printed == text


def shown_function(x):
    f = sq if x > 0 else neg
    print(f"{f} of {x}")


def returned_function(x):
    return sq if x > 0 else neg


def hashed(x):
    return hash("a" if x > 0 else "b")


def attribute_set(x):
    f = sq if x > 0 else neg
    f.calls = 1
    return x


class Word(enum.StrEnum):
    HOT = "hot"
    COLD = "cold"


def test_a_chosen_member_that_is_a_text_is_a_tensor_as_others_are() -> None:
    @rt.function
    def chosen(x):
        word = Word.HOT if x > 0 else Word.COLD
        return word, [Word.COLD, word], word.upper()

    for x, text in ((2, b"hot"), (-2, b"cold")):
        word, words, upper = chosen(rt.constant(x))
        assert word.numpy() == text
        assert [each.numpy() for each in words] == [b"cold", text]
        assert upper.numpy() == text.upper()


EMPTY = object()


def first_above(xs, limit):
    found = EMPTY
    for x in xs:
        if x > limit:
            found = x
            break
    return found


def test_an_object_in_place_of_a_result_is_refused_where_the_run_finds_it() -> None:
    staged = rt.function(first_above)
    assert staged(rt.constant([1, 5, 7]), rt.constant(3)).numpy() == 5
    message = "the result of first_above is <object object.*a function returns tensors"
    with pytest.raises(rt.errors.RefusedError, match=message) as caught:
        staged(rt.constant([1, 5, 7]), rt.constant(9))
    assert str(caught.value).startswith(f"{__file__}:")


def objects_of_rounds(n):
    last = EMPTY
    while n > 0:
        made = object()
        if last is made:
            return -1
        last = made
        n = n - 1
    return n


def list_of_objects(n):
    made = []
    for _ in range(n):
        made.append(object())
    return made[0] is made[1]


def object_of_a_call(n):
    made = object()
    if n == 0:
        return made
    below = object_of_a_call(n - 1)
    return 1 if below is made else 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (objects_of_rounds, "there are two Python values <object object>"),
        (list_of_objects, "its items are Python values"),
        (object_of_a_call, "takes another shape at each depth"),
    ],
)
def test_objects_that_each_round_makes_are_refused(
    function: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises(autograph.StagingError, match=message) as caught:
        rt.function(function)(rt.constant(3))
    assert str(caught.value).startswith(f"{__file__}:")


def kept_groups(x):
    return len([group for _, group in itertools.groupby([x, x + 1, 2])])


def chosen_iterator(x):
    return sum(iter([1, 2]) if x > 1 else reversed([3, 4]))


@pytest.mark.parametrize("function", [kept_groups, chosen_iterator])
def test_an_iterator_is_no_choice_and_a_list_of_it_is(function: Callable[[Any], Any]) -> None:
    with pytest.raises(autograph.StagingError) as caught:
        rt.function(function)(rt.constant(3))
    assert caught.value.hint.startswith("keep a list of the items")


def cast_to_one(x):
    kind = rt.float32 if x > 0 else rt.int32
    return rt.cast(rt.cast(x, kind), rt.float32)


def made_of_one(x):
    kinds = [rt.float32 if x > 0 else rt.int32]
    return rt.cast(rt.zeros(3, kinds[0]), rt.float32)


def of_a_name_that_is_none(x):
    kind = "float32" if x > 0 else "nothing"
    try:
        return rt.cast(x, kind)
    except TypeError:
        return rt.constant(1.0)


def array_of_one(x):
    kind = np.float32 if x > 0 else np.float64
    try:
        return np.arange(3).astype(kind)[x % 2] + 0.5
    except ValueError:
        return 0


def chosen_caller(x):
    f = functools.lru_cache(sq) if x > 0 else twice
    return f(x)


def test_other_callables_are_called_by_functions() -> None:
    with pytest.raises(autograph.StagingError) as caught:
        rt.function(chosen_caller)(rt.constant(3))
    assert caught.value.hint.startswith("choose between functions that call them")


class Strategy:
    def of(self, x):
        return x


FIRST, SECOND = Strategy(), Strategy()


def attribute_of_an_object(x):
    chosen = FIRST if x > 0 else SECOND
    chosen.n = 1


def separated(x):
    return rt.strings.join(["a", "b"], [",", ";"][x % 2])


def test_a_chosen_function_is_no_result() -> None:
    with pytest.raises(TypeError, match="the result of returned_function is <one of") as caught:
        rt.function(returned_function)(rt.constant(3))
    assert str(caught.value).startswith(f"{__file__}:")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (shown_function, "is shown, or part of a text"),
        (hashed, "is used as a key or in a set"),
        (attribute_set, "is changed"),
        (attribute_of_an_object, "the structures differ: the attributes n and no attributes"),
        (cast_to_one, "'kind' is one of tf.float32, tf.int32, which the run chooses"),
        (made_of_one, "the dtype is one of tf.float32, tf.int32, which the run chooses"),
        (of_a_name_that_is_none, "'kind' is one of 'float32', 'nothing', which the run chooses"),
        (array_of_one, r"is given to astype\(\) of an array"),
        (separated, "is the separator of StringJoin, which Python has to know"),
    ],
)
def test_what_the_graph_has_no_place_for_is_refused(
    function: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises(autograph.StagingError, match=message) as caught:
        rt.function(function)(rt.constant(3))
    assert caught.value.filename == __file__
    assert caught.value.hint


def added_up_in_a_dict(x):
    found = defaultdict(Fraction)
    for place in range(70):
        found[x + place % 2] += Fraction(1, 70 + place)
        found[x * 2] += 1
    return max(found)


def test_too_many_options_are_told_by_a_few() -> None:
    with pytest.raises(autograph.StagingError, match="among up to 64 values") as caught:
        rt.function(added_up_in_a_dict)(rt.constant(3))
    assert re.search(
        r"one of (Fraction\(\d+, \d+\), ){7}Fraction\S+ \d+\) and \d+ more", str(caught.value)
    )
    assert caught.value.hint.startswith("compute with numbers")


def compared_with_a_number(x):
    part = Fraction(1, 3) if x > 0 else Fraction(1, 2)
    return part > x


def times_a_number(x):
    part = Fraction(1, 3) if x > 0 else Fraction(1, 2)
    return part * x


def text_and_a_number(x):
    text = "u" if x > 0 else "v"
    return text + x


@pytest.mark.parametrize("function", [compared_with_a_number, times_a_number, text_and_a_number])
def test_an_error_of_each_option_says_where(function: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        rt.function(function)(rt.constant(4))
    assert f"{__file__}:{function.__code__.co_firstlineno + 2}:12" in str(caught.value)

"""How often, and for what, builtins and loops call a function of the user's over a tensor: as Python.

Each call is counted in a variable, so that the order and the number of calls are seen.
"""

# The programs are written as users write them.
# ruff: noqa: B007, B905, E501, F841, RUF059

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt

PROGRAMS: list[Callable[..., Any]] = []
REFUSED: list[Callable[..., Any]] = []


def works(program):
    PROGRAMS.append(program)
    return program


def refused(program):
    REFUSED.append(program)
    return program


def listed(x):
    return [x[0], x[1], x[2], x[3]]


@works
def any_map(x, f):
    return any(map(f, x))


@works
def all_map(x, f):
    return all(map(f, x))


@works
def in_map(x, f):
    return True in map(f, x)


@works
def in_map_t(x, f):
    return rt.constant(True) in map(f, x)


@works
def notin_map(x, f):
    return False not in map(f, x)


@works
def zip_maps(x, f):
    s = 0
    for a, b in zip(map(f, x), map(f, x[:2])):
        s += 1
    return s


@works
def zip_maps2(x, f):
    s = 0
    for a, b in zip(map(f, x[:2]), map(f, x)):
        s += 1
    return s


@works
def zip_plain(x, f):
    s = 0
    for a, b in zip(map(f, x), [1, 2]):
        s += b
    return s


@works
def zip_plain2(x, f):
    s = 0
    for a, b in zip([1, 2], map(f, x)):
        s += a
    return s


@works
def zip_list(x, f):
    return len(list(zip(map(f, x), [1, 2])))


@works
def zip_list2(x, f):
    return len(list(zip([1], map(f, x))))


@works
def zip_empty(x, f):
    for a in zip(map(f, x), []):
        pass
    return 0


@works
def for_break(x, f):
    s = 0
    for a in map(f, x):
        s += 1
        if a:
            break
    return s


@works
def enum_break(x, f):
    s = 0
    for i, a in enumerate(map(f, x)):
        s += i
        if a:
            break
    return s


@refused
def first_next(x, f):
    return next(map(f, x))


@refused
def next_two(x, f):
    m = map(f, x)
    a = next(m)
    b = next(m)
    return b


@works
def filter_any(x, f):
    return any(filter(f, x))


@works
def filter_for(x, f):
    s = 0
    for a in filter(f, x):
        s += a
    return s


@works
def filter_break(x, f):
    s = 0
    for a in filter(f, x):
        s += a
        break
    return s


@works
def gen_any(x, f):
    return any(f(a) for a in x)


@works
def gen_all(x, f):
    return all(f(a) for a in x)


@works
def gen_in(x, f):
    return True in (f(a) for a in x)


@works
def gen_for(x, f):
    s = 0
    for a in (f(b) for b in x):
        s += 1
        if a:
            break
    return s


@works
def lst_any(x, f):
    return any([f(a) for a in x])


@works
def max_map(x, f):
    return max(map(lambda a: noted(f, a), x))


@works
def min_map(x, f):
    return min(map(lambda a: noted(f, a), x))


@works
def sum_map(x, f):
    return sum(map(lambda a: noted(f, a), x))


@works
def sorted_key(x, f):
    return max(x, key=lambda a: noted(f, a))


@works
def list_map(x, f):
    return len(list(map(f, x)))


@works
def tuple_map(x, f):
    return len(tuple(map(f, x)))


@works
def unused_map(x, f):
    map(f, x)
    return 0


@works
def nested_map(x, f):
    return any(map(lambda b: b, map(f, x)))


@works
def rev_map(x, f):
    return any(map(f, reversed(x)))


@works
def any_zip(x, f):
    return any(a for a, b in zip(map(f, x), x))


@works
def any_enum(x, f):
    return any(f(a) for i, a in enumerate(x))


@works
def gen_tested(x, f):
    return all(f(a) for a in x if a > 1)


@works
def lst_tested(x, f):
    return len([f(a) for a in x if f(a)])


@works
def gen_sum(x, f):
    return sum(a for a in x if f(a))


@works
def gen_max(x, f):
    return max((a for a in x if f(a)), default=-1)


@works
def gen_nested_tested(x, f):
    return any(f(b) for a in x if f(a) for b in (a, 4) if b > 1)


@works
def any_map2(x, f):
    return any(map(lambda a, b: f(a), x, x))


@works
def all_filter(x, f):
    return all(filter(f, x))


@refused
def star_map(x, f):
    return max(*map(lambda a: noted(f, a), x))


@works
def unpack(x, f):
    a, b, c, d = map(f, x)
    return b


@refused
def unpack_star(x, f):
    a, *b = map(f, x)
    return a


@refused
def two_uses(x, f):
    m = map(f, x)
    p = any(m)
    q = any(m)
    return q


@refused
def any_list(x, f):
    m = map(f, x)
    p = any(m)
    return len(list(m))


@works
def dict_map(x, f):
    return len(dict(zip("abc", map(f, x))))


@refused
def reduce_map(x, f):
    return functools.reduce(lambda a, b: a, map(f, x))


@refused
def join_map(x, f):
    return len(list(itertools.islice(map(f, x), 2)))


@refused
def chain_any(x, f):
    return any(itertools.chain(map(f, x), map(f, x)))


@works
def takewhile(x, f):
    return len(list(itertools.takewhile(lambda a: a < 3, x)))


@works
def for_else(x, f):
    for a in map(f, x):
        if a:
            break
    else:
        return -1
    return 1


@works
def for_ret(x, f):
    for a in map(f, x):
        if a:
            return 5
    return 6


@works
def while_any(x, f):
    k = 0
    while any(map(f, x)) and k < 2:
        k += 1
    return k


@works
def if_any(x, f):
    if any(map(f, x)):
        return 1
    return 2


@works
def any_assert(x, f):
    def g(a):
        assert a < 4
        return f(a)

    return any(map(g, x))


@works
def zip_strict(x, f):
    s = 0
    for a, b in zip(map(f, x), x, strict=True):
        s += 1
    return s


@works
def zip3(x, f):
    s = 0
    for a, b, c in zip(x, map(f, x), [1]):
        s += 1
    return s


@works
def map_two_unequal(x, f):
    s = 0
    for a in map(lambda p, q: f(p), x, [1, 2]):
        s += 1
    return s


@works
def map_two_maps(x, f):
    s = 0
    for a in map(lambda p, q: p, map(f, x), map(f, x[:1])):
        s += 1
    return s


@works
def in_zip(x, f):
    return any(a == 3 for a in map(lambda a: noted(f, a), x))


@works
def set_map(x, f):
    return len([*map(f, x)])


@works
def in_gen_nested(x, f):
    return any(all(f(b) for b in x) for a in x)


@works
def enum_map_list(x, f):
    return len(list(enumerate(map(f, x))))


@works
def any_range(x, f):
    return any(map(lambda i: f(x[i]), range(len(x))))


@works
def any_trange(x, f):
    return any(map(lambda i: f(x[i]), rt.range(4)))


@works
def any_listt(x, f):
    return any(map(f, [x[0], x[1], x[2], x[3]]))


@refused
def in_listt(x, f):
    return True in map(f, [x[0], x[1], x[2], x[3]])


@works
def zip_list_maps(x, f):
    s = 0
    for a, b in zip(map(f, [x[0], x[1], x[2]]), [1]):
        s += 1
    return s


@works
def in_x(x, f):
    return 3 in x


@works
def in_mapeq(x, f):
    return 3 in map(lambda a: noted(f, a), x)


@works
def lm_break(x, f):
    s = 0
    for a in map(f, listed(x)):
        s += 1
        if a:
            break
    return s


@works
def lm_gen(x, f):
    s = 0
    for a in (f(b) for b in listed(x)):
        s += 1
        if a:
            break
    return s


@works
def lm_genf(x, f):
    def g():
        for b in listed(x):
            yield f(b)

    s = 0
    for a in g():
        s += 1
        if a:
            break
    return s


@works
def lm_ret(x, f):
    for a in map(f, listed(x)):
        if a:
            return 1
    return 2


@works
def lm_enum(x, f):
    s = 0
    for i, a in enumerate(map(f, listed(x))):
        s += i
        if a:
            break
    return s


@works
def lm_zip(x, f):
    s = 0
    for i, a in zip(listed(x), map(f, listed(x))):
        s += i
        if a:
            break
    return s


@works
def lm_zipt(x, f):
    s = 0
    for i, a in zip([1, 2, 3], map(f, x)):
        s += i
        if a:
            break
    return s


@works
def lm_mapt(x, f):
    s = 0
    for a in map(lambda i, b: f(b), [1, 2, 3, 5], x):
        s += 1
        if a:
            break
    return s


@works
def lm_filter(x, f):
    s = 0
    for a in filter(lambda i: i > 2, [1, 2, 3, 5]):
        if f(x[0] + a):
            break
        s += a
    return s


@works
def lm_range(x, f):
    s = 0
    for a in map(lambda i: f(x[i]), range(4)):
        s += 1
        if a:
            break
    return s


@works
def lm_assert(x, f):
    def g(a):
        assert a < 4, "big"
        return f(a)

    s = 0
    for a in map(g, listed(x)):
        s += 1
        if a:
            break
    return s


@works
def lm_py(x, f):
    seen = []

    def g(a):
        seen.append(1)
        return f(a)

    for a in map(g, listed(x)):
        if a:
            break
    return len(seen)


@works
def lm_py2(x, f):
    seen = [0]

    def g():
        for b in listed(x):
            seen[0] += 1
            yield b

    for a in g():
        if f(a):
            break
    return seen[0]


@works
def plain_items(x, f):
    s = 0
    for a in listed(x):
        s += 1
        if f(a):
            break
    return s


def noted(f, a):
    f(a)
    return a


def ran(program: Callable[..., Any], data: list[int], spec: Any) -> Any:
    """The result, and the calls: how many, and for what."""
    count, calls = rt.Variable(0), rt.Variable(0)

    def f(a):
        count.assign_add(1)
        calls.assign(calls * 10 + rt.cast(a, rt.int32))
        return a > 2

    def run(x):
        return program(x, f)

    if spec is not None:
        run = rt.function(run, input_signature=[rt.TensorSpec(spec, rt.int32)])
    try:
        result = np.asarray(run(rt.constant(data))).tolist()
    except AssertionError:
        return "raised"
    return result, int(count), int(calls)


@pytest.mark.parametrize("data", [[1, 2, 3, 4], [3, 1, 1, 1], [1, 1, 1, 1], [4, 4, 4, 4]], ids=str)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_calls_are_pythons(program: Callable[..., Any], data: list[int]) -> None:
    expected = ran(program, data, None)
    assert ran(program, data, [4]) == expected
    if program.__name__ in ANY_LENGTH:
        assert ran(program, data, [None]) == expected


ANY_LENGTH = (
    *("any_map", "all_map", "in_map", "notin_map", "zip_maps", "zip_maps2", "for_break"),
    *("enum_break", "filter_any", "filter_for", "filter_break", "nested_map", "rev_map"),
    *("any_map2", "all_filter", "for_else", "for_ret", "while_any", "if_any", "any_assert"),
    *("zip_strict", "map_two_maps", "any_trange", "in_mapeq"),
    *("gen_any", "gen_all", "gen_for", "lst_any", "any_zip", "any_enum", "in_gen_nested"),
    *("gen_tested", "lst_tested", "gen_sum", "gen_max", "gen_nested_tested"),
)


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_the_others_are_refused_with_their_place(program: Callable[..., Any]) -> None:
    with pytest.raises((rt.errors.OperatorNotAllowedInGraphError, ValueError)) as caught:
        ran(program, [1, 2, 3, 4], [4])
    assert __file__ in str(caught.value)

"""Programs that assign to items of tensors which other names see: Python runs them on lists, the
graph on tensors, and both must agree.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def case(*inputs: Any) -> Callable[[Any], Any]:
    """Run the function on these inputs; lists, and numbers in them, are tensors in the graph."""

    def add(function: Any) -> Any:
        CASES.append((function, inputs))
        return function

    return add


def check(function: Any, inputs: tuple[Any, ...]) -> None:
    """The graph gives what Python gives on lists."""
    wanted = function(*copy.deepcopy(inputs))
    found = rt.function(function)(*[rt.constant(x) for x in inputs])
    if "float" in str(found):
        np.testing.assert_allclose(plain(found), wanted, rtol=1e-5)
    else:
        assert plain(found) == wanted


def plain(value: Any) -> Any:
    """Tensors as lists and numbers."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.numpy().tolist()


# Helpers


def put(a, i, v):
    a[i] = v


def put_and_get(a, i, v):
    a[i] = v
    return a[i]


def put_and_return(a, i, v):
    a[i] = v
    return a


def add(a, i, v):
    a[i] += v


def swap(a, i, j):
    a[i], a[j] = a[j], a[i]


def swap_if(a, i, j):
    if a[i] > a[j]:
        swap(a, i, j)


def fill(a, v, n):
    for i in range(n):
        a[i] = v


def deep(a, i, v):
    put(a, i, v)
    add(a, i, 1)


def early(a, i, v):
    if v > 3:
        a[i] = 0
        return 1
    a[i] = v
    return 2


@case([1, 2], 9)
def returns_the_item(a, v):
    x = put_and_get(a, 0, v)
    return a[0] + x


@case([1, 2, 3])
def no_result(a):
    put(a, 1, 7)
    return a


@case([1, 2, 3])
def augmented(a):
    add(a, 1, 7)
    add(a, 1, 7)
    return a


@case([1, 2, 3])
def two_deep(a):
    deep(a, 2, 5)
    return a


@case([1, 2, 3])
def same_object_returned(a):
    b = put_and_return(a, 0, 5)
    b[1] = 6
    return a


@case([1, 2, 3])
def result_ignored(a):
    put_and_return(a, 0, 5)
    return a


@case([1, 2, 3], True)
def under_if(a, t):
    if t:
        put(a, 0, 9)
    return a


@case([1, 2, 3], False)
def under_else(a, t):
    if t:
        put(a, 0, 9)
    else:
        put(a, 1, 8)
    return a


@case([1, 2, 3], True)
def in_both(a, t):
    x = put_and_get(a, 0, 9) if t else put_and_get(a, 1, 8)
    return x, a


@case([1, 2, 3], 3)
def in_a_while(a, n):
    i = 0
    while i < n:
        add(a, i, i)
        i += 1
    return a


@case([1, 2, 3], 3)
def in_a_for(a, n):
    for i in range(n):
        put(a, i, i * i)
    return a


@case([3, 1, 2], 2)
def under_if_in_loops(a, n):
    for _ in range(n):
        for j in range(n):
            swap_if(a, j, j + 1)
    return a


@case([1, 2, 3], 3)
def a_loop_in_the_helper(a, n):
    fill(a, 4, n)
    return a


@case([1, 2, 3, 4], 2, True)
def a_loop_in_a_helper_under_if(a, n, t):
    if t:
        fill(a, 4, n)
    return a


@case([1, 2, 3], 5)
def exits(a, v):
    x = early(a, 0, v)
    return x, a


@case([1, 2, 3], 2)
def exits_otherwise(a, v):
    x = early(a, 0, v)
    return x, a


@case([0, 0, 0, 0], 4)
def exits_in_a_loop(a, n):
    total = 0
    for i in range(n):
        total += early(a, i, i + 2)
    return total, a


@case([1, 5, 3], 3)
def stops(a, n):
    for i in range(n):
        if a[i] > 4:
            put(a, i, 0)
            break
        put(a, i, 7)
    return a


@case([1, 5, 3], 3)
def goes_on(a, n):
    for i in range(n):
        if a[i] > 4:
            continue
        put(a, i, 7)
    return a


@case([1, 2, 3], 3)
def test_of_a_loop(a, n):
    i = 0
    while a[0] < n * 3:
        add(a, 0, 2)
        i += 1
    return i, a


@case([1, 2, 3])
def reads_between(a):
    x = a[0]
    put(a, 0, 10)
    y = a[0]
    put(a, 0, 20)
    return x, y, a[0]


@case([1, 2, 3], True)
def only_the_sum(a, t):
    if t:
        put(a, 0, 10)
    return sum(a)


# Names


@case([1, 2, 3])
def by_name(a):
    b = a
    a[0] = 9
    return b[0]


@case([1, 2, 3])
def by_name_both_ways(a):
    b = a
    a[0] = 9
    b[1] = 8
    return a, b


@case([1, 2, 3], True)
def by_name_in_a_branch(a, t):
    b = a
    if t:
        b[0] = 9
    return a


@case([1, 2, 3], 3)
def by_name_in_a_loop(a, n):
    b = a
    for i in range(n):
        b[i] = a[i] + i
    return a, b


@case([1, 2, 3], 3)
def read_by_name_in_a_loop(a, n):
    b = a
    s = 0
    for _i in range(n):
        a[0] = a[0] + 1
        s += b[0]
    return s, a


@case([1, 2, 3], True)
def named_in_a_branch(a, t):
    b = a
    if t:
        c = b
        c[0] = 5
    return a


@case([1, 2, 3])
def rebound_is_another(a):
    b = a
    a = a + 1 if isinstance(a, rt.Tensor) else [x + 1 for x in a]
    a[0] = 50
    return b, a


@case([1, 2, 3], [4, 5, 6], True)
def may_be_either(a, b, t):
    z = a if t else b
    z[0] = 1
    return z


@case([1, 2, 3], [4, 5, 6], True)
def may_be_either_read_before(a, b, t):
    z = a if t else b
    s = a[0] + b[0] + z[0]
    z[0] = 100
    return s, z


@case([1, 2, 3], True)
def the_same_on_both(a, t):
    z = a if t else a  # noqa: RUF034
    z[0] = 7
    return a


@case([1, 2, 3], [4, 5, 6], 3)
def turns(a, b, n):
    for i in range(n):
        b[0] = a[0] + i
        b[1] = a[1] * 2
        a, b = b, a
    return a


@case([1, 2, 3], [4, 5, 6])
def exchanged(a, b):
    a, b = b, a
    a[0] = 50
    b[0] = 60
    return a, b


@case([1, 2, 3], [4, 5, 6], 3)
def exchanged_in_a_loop(a, b, n):
    for _ in range(n):
        a, b = b, a
    a[0] = 50
    b[0] = 60
    return a, b


@case([1, 2, 3], [4, 5, 6], 3)
def exchanged_in_one_loop_after_the_other(a, b, n):
    for _ in range(n):
        a[0] = b[1] + 1
        a, b = b, a
    for _ in range(2):
        for _ in range(n):
            a[1] = b[0] + 1
            a, b = b, a
    return a, b


# Containers, attributes, closures


@case([1, 2, 3])
def in_a_list(a):
    items = [a, a]
    items[0][1] = 7
    return items[1], a


@case([1, 2, 3])
def in_a_tuple(a):
    pair = (a, 5)
    pair[0][1] = 7
    return a


@case([1, 2, 3])
def in_a_dict(a):
    d = {"x": a, "y": [a]}
    d["y"][0][1] = 7
    return d["x"], a


@case([1, 2, 3], 3)
def in_a_dict_in_a_loop(a, n):
    d = {"x": a, "y": (a, [a])}
    for i in range(n):
        d["y"][1][0][i] = d["x"][i] * 2
    return a


@case([1, 2, 3], [4, 5, 6], 3)
def by_items(a, b, n):
    items = [a, b]
    for i in range(n):
        put(items[0], i, items[1][i])
        put(items[1], i, 0)
    return a, b


@case([1, 2], [3, 4], True)
def by_a_loop_over_a_list(a, b, t):
    for x in [a, b]:
        if t:
            x[0] = 9
    return a, b


class Box:
    def __init__(self, a):
        self.a = a

    def put(self, i, v):
        self.a[i] = v

    def swap(self, i, j):
        self.a[i], self.a[j] = self.a[j], self.a[i]


@case([1, 2, 3], True)
def by_a_method(a, t):
    box = Box(a)
    if t:
        box.put(0, 7)
    box.a[1] = 8
    return a


@case([1, 2, 3], 2)
def by_a_method_in_a_loop(a, n):
    box = Box(a)
    for i in range(n):
        box.swap(i, i + 1)
    return box.a, a


@case([1, 2, 3], 2)
def by_an_attribute(a, n):
    box = Box(a)
    for i in range(n):
        box.a[i] = a[i + 1]
    return a


@case([1, 2, 3], True)
def by_a_closure(a, t):
    def change(v):
        a[0] = v

    if t:
        change(5)
    change(a[0] + 1)
    return a


@case([1, 2, 3], 3)
def by_a_closure_in_a_loop(a, n):
    def change(i):
        a[i] = a[i] * 2
        return a[i]

    s = 0
    for i in range(n):
        s += change(i)
    return s, a


@case([1, 2, 3], 3)
def read_by_a_closure(a, n):
    def total():
        return a[0] + a[1]

    s = 0
    for _ in range(n):
        a[0] += 1
        s += total()
    return s


@case([1, 2, 3])
def by_a_lambda(a):
    first = lambda: a[0]  # noqa: E731
    put(a, 0, 8)
    return first()


@case([1, 2, 3], 2)
def by_a_default(a, n):
    def change(i, x=a):
        x[i] = 0

    for i in range(n):
        change(i)
    return a


@case([1, 2, 3], 2)
def by_nonlocal(a, n):
    def change(i):
        nonlocal a
        a[i] = i + 10

    for i in range(n):
        change(i)
    return a


@case([1, 2, 3], [7, 8, 9], 2)
def two_parameters(a, b, n):
    def move(x, y, i):
        x[i], y[i] = y[i], x[i]

    for i in range(n):
        move(a, b, i)
    return a, b


@case([1, 2, 3], 2)
def one_for_two_parameters(a, n):
    def move(x, y, i):
        x[i] = y[i + 1] + 1
        y[i + 1] = x[i] * 2

    for i in range(n):
        move(a, a, i)
    return a


@case([1, 2, 3], 2)
def by_star(a, n):
    args = (a, n)
    put(*args, 5)
    return a


@case([1, 2, 3, 4])
def slices_of_lists_are_copies(a):
    b = a[1:3]
    b[0] = 50
    a[2] = 60
    return a, b


@case([1, 2, 3], 2)
def slices_in_loops(a, n):
    s = 0
    for i in range(n):
        b = a[0:2]
        b[0] = i
        s += b[0] + a[0]
        a[0] = a[0] + 1
    return s, a

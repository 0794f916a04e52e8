"""Variables where a tensor could stand: joined with tensors, as tests, and as what loops run over.

What is read for a variable at a join must not be used after the variable was assigned: refused.
"""

# The programs are written as users write them.
# ruff: noqa: B007, SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError

X = rt.constant


def loop_begins_with_it(x, v):
    y = v
    while y < 20.0:
        y = y * x
    return y


def branch_leaves_it(x, v):
    if x > 0.0:
        y = v
    else:
        y = x
    return y * 2.0


def ternary(x, v):
    y = v if x > 0.0 else x
    return y * 2.0


def counted_loop(x, v):
    y = v
    for i in rt.range(3):
        y = y + x
    return y


def added_to_in_a_branch(x, v):
    y = v
    if x > 0.0:
        y = y + 1.0
    return y


def number_on_one_path(x, v):
    y = v
    if x > 0.0:
        y = 3.0
    return y * x


def in_dicts(x, v):
    y = {"a": v, "b": x}
    if x > 0.0:
        y = {"a": x, "b": v}
    return y["a"] * 2.0 + y["b"]


def assigned_in_the_branch(x, v):
    if x > 0.0:
        y = v
        v.assign(7.0)
    else:
        y = x
    return y + 0.0


def cond_by_hand(x, v):
    return rt.cond(x > 0.0, lambda: v, lambda: x) * 2.0


def loop_by_hand(x, v):
    return rt.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (v,))[0]


def switch_by_hand(x, v):
    return rt.switch_case(rt.constant(1), [lambda: x, lambda: v, lambda: x * 3.0]) * 2.0


def left_by_a_round(x, v):
    y = x
    for i in rt.range(3):
        y = v
    return y * 2.0


def left_by_a_round_and_assigned(x, v):
    y = x
    while y < 20.0:
        y = v
        v.assign(y * 2.0)
    return y + 0.0


def swapped_in_rounds(x, v):
    y, w = v, x
    for i in rt.range(3):
        y, w = w, y
    return y * 2.0 + w


def early_return(x, v):
    def pick(a):
        if a > 0.0:
            return v
        return a

    return pick(x) * 3.0


def after_none(x, v):
    best = None
    for i in rt.range(3):
        if best is None:
            best = v
        else:
            best = best + x
    return best


def larger_of_both(x, v):
    m = max(v, x)
    return m * 2.0


def either(x, v):
    return (v or x) * 1.0


def in_a_list(x, v):
    xs = [v, x]
    if x > 0.0:
        xs[0] = x
    return xs[0] + xs[1]


def in_a_tuple(x, v):
    y = (v, 1.0)
    for i in rt.range(2):
        y = (y[0] * x, 2.0)
    return y[0] + y[1]


def gradient_of_a_loop(x, v):
    with rt.GradientTape() as t:
        y = v
        while y < 20.0:
            y = y * x
    return t.gradient(y, v)


def captured_name(x, v):
    a = v

    def set_():
        nonlocal a
        if x > 0.0:
            a = x * 5.0

    set_()
    return a + 1.0


def plain_loop_with_a_break(x, v):
    total = 0.0
    for item in [v, x]:
        if total > 100.0:
            break
        total = total + item
    return total


def assigned_and_left(x, v):
    # order: read relative to assign in both branches
    y = v
    if x > 0.0:
        v.assign(5.0)
        y = x
    return y + v


def read_before(x, v):
    if x > 0.0:
        y = v.value() if False else v.read_value()
    else:
        y = x
    v.assign(9.0)
    return y + 0.0


def assigned_in_the_loop(x, v):
    y = x
    k = v
    while k > 0.0:
        k = k - 1.0
        v.assign(0.0)
        y = y + v
    return y + k


def flag(x, v):
    while v:
        v.assign(tf_zero(v))
        x = x * 2.0
    return x if v else -x


def tf_zero(v):
    return v * 0.0


def asked(x, v):
    if not v:
        x = x + 1.0
    return x * 2.0 if v != 0.0 and x > 0.0 else (v or x)


def counted(x, v):
    for _ in range(int(v)):
        x = x + 1.0
    return x + abs(v) + max(v, x) + pow(v, 2.0)


def member(x, v):
    return x if v in [v] and v is v else -x


def replaced_by_itself(x, v):
    y = v
    while y < 20.0:
        y = y * 1.5
    v.assign(y)
    return y


PROGRAMS = [
    loop_begins_with_it,
    branch_leaves_it,
    ternary,
    counted_loop,
    added_to_in_a_branch,
    number_on_one_path,
    in_dicts,
    assigned_in_the_branch,
    cond_by_hand,
    loop_by_hand,
    switch_by_hand,
    left_by_a_round,
    left_by_a_round_and_assigned,
    swapped_in_rounds,
    early_return,
    after_none,
    larger_of_both,
    either,
    in_a_list,
    in_a_tuple,
    gradient_of_a_loop,
    captured_name,
    plain_loop_with_a_break,
    assigned_and_left,
    read_before,
    assigned_in_the_loop,
    flag,
    asked,
    counted,
    member,
    replaced_by_itself,
]


def assigned_behind(x, v):
    if x > 0.0:
        y = v
    else:
        y = x
    v.assign(10.0)
    return y + 0.0


def assigned_in_each_round(x, v):
    y = v
    while y < 20.0:
        v.assign_add(1.0)
        y = y * x + v
    return y


def seen_in_the_next_round(x, v):
    y = v
    for i in rt.range(3):
        v.assign_add(1.0)
        if i > 0:
            y = y + x
    return y


def passed_through(x, v):
    y = v
    if x > 0.0:
        pass
    else:
        y = y * 2.0
    v.assign(50.0)
    return y + 0.0


def assigned_behind_a_loop(x, v):
    y = v
    while y < 20.0:
        y = y * x
    v.assign(50.0)
    return y + 0.0


def loop_of_no_rounds(x, v):
    y = v
    while y < 1.0:
        y = y * x
    v.assign(50.0)
    return y + 0.0


def assigned_in_a_branch(x, v):
    y = v
    if x < 0.0:
        v.assign(5.0)
        y = x
    v.assign_add(1.0)
    return y + v


def seen_by_the_next_round_from_outside(x, v):
    y = v if x > 0.0 else x
    total = 0.0
    for _ in rt.range(3):
        total = total + y
        v.assign_add(1.0)
    return total


def assigned_by_a_function(x, v):
    @rt.function
    def change():
        v.assign(9.0)

    y = v if x > 0.0 else x
    change()
    return y + 1.0


def given_to_a_function_that_assigns(x, v):
    @rt.function
    def change(y):
        v.assign(9.0)
        return y + 1.0

    y = v if x > 0.0 else x
    return change(y)


def returned(x, v):
    y = v if x > 0.0 else x
    v.assign(9.0)
    return y


def identity(x, v):
    y = v if x > 0.0 else x
    return x if y is v else -x


def instance(x, v):
    y = v if x > 0.0 else x
    return x if isinstance(y, rt.Variable) else -x


def source_of_a_gradient(x, v):
    with rt.GradientTape() as tape:
        y = v if x > 0.0 else x
        z = y * v
    return tape.gradient(z, y)


def assigned_by_another_name(x, v):
    y = v if x > 0.0 else rt.Variable(1.0)
    y.assign_add(x)
    return v + 0.0


def tried_for_an_attribute(x, v):
    y = v if x > 0.0 else x
    try:
        y.assign_add(x)
    except AttributeError:
        return -x
    return x


def asked_for_an_attribute(x, v):
    y = v if x > 0.0 else x
    return x if hasattr(y, "assign") else -x


def got_an_attribute(x, v):
    y = v
    for _ in rt.range(rt.cast(x, rt.int32)):
        y = x
    return x if getattr(y, "trainable", False) else -x


def asked_for_its_name(x, v):
    y = v if x > 0.0 else x
    return y.name


def asked_for_its_class(x, v):
    y = v if x > 0.0 else x
    return type(y).__name__


def shown(x, v):
    y = v if x > 0.0 else x
    return f"{y}"


def printed(x, v):
    y = v if x > 0.0 else x
    print(y)
    return x


def among_those_of_a_module(x, v):
    module = rt.Module()
    module.y = x
    if x > 0.0:
        module.y = v
    return len(module.variables)


REFUSED = [
    assigned_by_another_name,
    tried_for_an_attribute,
    asked_for_an_attribute,
    got_an_attribute,
    asked_for_its_name,
    asked_for_its_class,
    shown,
    printed,
    among_those_of_a_module,
    assigned_behind,
    assigned_in_each_round,
    seen_in_the_next_round,
    passed_through,
    assigned_behind_a_loop,
    loop_of_no_rounds,
    assigned_in_a_branch,
    seen_by_the_next_round_from_outside,
    assigned_by_a_function,
    given_to_a_function_that_assigns,
    returned,
    identity,
    instance,
    source_of_a_gradient,
]


def left(program: Callable[..., Any], value: float) -> Any:
    v = rt.Variable(2.0)
    return np.asarray(program(X(value), v)).tolist(), v.numpy()


@pytest.mark.parametrize("value", [1.5, -1.5])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_like_python(program: Callable[..., Any], value: float) -> None:
    if value < 0.0 and program in (loop_begins_with_it, loop_by_hand, gradient_of_a_loop):
        pytest.skip("the loop does not end")
    v = rt.Variable(2.0)
    staged = rt.function(lambda x: program(x, v))
    found = np.asarray(staged(X(value))).tolist()
    assert (found, v.numpy()) == left(program, value)


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_what_only_the_run_knows_is_refused(program: Callable[..., Any]) -> None:
    v = rt.Variable(2.0)
    with pytest.raises(StagingError) as caught:
        rt.function(lambda x: program(x, v))(X(1.5))
    assert caught.value.filename == __file__
    first = program.__code__.co_firstlineno
    assert caught.value.lineno is not None
    assert first < caught.value.lineno <= first + 12
    assert caught.value.hint


def test_the_gradient_through_a_ternary() -> None:
    v = rt.Variable(3.0)

    @rt.function
    def gradient(x):
        with rt.GradientTape() as tape:
            y = v if x > 0.0 else x
            z = y * y * v
        return tape.gradient(z, v)

    assert gradient(X(1.0)).numpy() == 27.0
    assert gradient(X(-2.0)).numpy() == 4.0


def test_printed_for_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    v = rt.Variable(2.0)

    @rt.function
    def show():
        print("v is", v)

    show()
    v.assign(5.0)
    show()
    assert [line.rpartition("numpy=")[2] for line in capsys.readouterr().out.splitlines()] == [
        "2.0>",
        "5.0>",
    ]


SLOW, FAST = rt.Variable(1.0), rt.Variable(2.0)
SLOTS = [rt.Variable(0.0) for _ in range(2)]
TABLE = {"w": SLOW, "b": rt.Variable(3.0)}


class Networks:
    def __init__(self) -> None:
        self.online, self.target = rt.Variable(1.0), rt.Variable(2.0)


NETWORKS = Networks()


def of_globals(x, pair, net):
    v = SLOW if x > 0.0 else FAST
    v.assign(x)


def of_a_list(x, pair, net):
    v = SLOTS[rt.cast(x, rt.int32)]
    v.assign_add(x)


def of_a_dict(x, pair, net):
    v = TABLE["b"] if x > 0.0 else FAST
    v.assign(x)


def of_an_object(x, pair, net):
    a, b = NETWORKS.online, NETWORKS.target
    if x > 0.0:
        a = b
    a.assign(x)


def of_an_argument(x, pair, net):
    v = net.online if x > 0.0 else net.target
    v.assign(x)


def of_a_structure(x, pair, net):
    v = pair[0] if x > 0.0 else pair[1]["k"]
    v.assign(x)


def used_behind(x, pair, net):
    v = SLOW if x > 0.0 else x
    SLOW.assign(x)
    return v + 1.0


def asked_which(x, pair, net):
    v = SLOW if x > 0.0 else FAST
    return v is FAST


def asked_what(x, pair, net):
    v = SLOW if x > 0.0 else x
    return isinstance(v, rt.Variable)


def source(x, pair, net):
    v = SLOW if x > 0.0 else x
    with rt.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v)


def made_in_it(x, pair, net):
    first, second = rt.Variable(1.0), rt.Variable(1.0)
    v = first if x > 0.0 else second
    v.assign(x)


def with_names(x, pair, net):
    held = {"w": [rt.Variable(1.0, name="first"), rt.Variable(1.0, name="second")]}
    v = held["w"][0] if x > 0.0 else held["w"][1]
    v.assign(x)


# program, what its refusal says
CALLED: list[tuple[Any, str]] = [
    (of_globals, "this may be the variable FAST or SLOW: "),
    (of_a_list, r"this may be the variable SLOTS\[0\] or SLOTS\[1\]: "),
    (of_a_dict, r"this may be the variable FAST or TABLE\['b'\]: "),
    (of_an_object, r"this may be the variable NETWORKS\.online or NETWORKS\.target: "),
    (of_an_argument, r"this may be the variable net\.online or net\.target: "),
    (of_a_structure, r"this may be the variable pair\[0\] or pair\[1\]\['k'\]: "),
    (used_behind, "'result' is used after SLOW was assigned"),
    (asked_which, "whether this is the variable FAST is known only at run time"),
    (asked_what, "whether it is the variable SLOW or a tensor"),
    (source, "a value that is the variable SLOW on one path"),
    (made_in_it, "this may be the variable first or second: "),
    (with_names, "this may be the variable 'first:0' or 'second:0': "),
]


@pytest.mark.parametrize(("program", "message"), CALLED, ids=[each.__name__ for each, _ in CALLED])
def test_variables_are_called_as_in_the_code(program: Callable[..., Any], message: str) -> None:
    pair = [rt.Variable(1.0), {"k": rt.Variable(2.0)}]
    with pytest.raises(StagingError, match=message):
        rt.function(program)(X(1.0), pair, Networks())


def test_the_way_out_for_a_list() -> None:
    slots = [rt.Variable(0.0) for _ in range(3)]

    @rt.function
    def add(i, x):
        for k, v in enumerate(slots):
            if k == i:
                v.assign_add(x)

    for i in (1, 2, 1):
        add(X(i), X(2.0))
    assert [float(v) for v in slots] == [0.0, 4.0, 2.0]

"""What staging cannot repeat at run time is refused by name and place; Python's state is kept."""

# The programs are written as users write them.
# ruff: noqa: B007, RUF059

from __future__ import annotations

import copy
import datetime
import itertools
import os
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph import StagingError
from runtime import errors

ITERATORS: dict[str, Any] = {}
IT: Any = None
CALLS = [0]
COUNT = rt.Variable(1, name="count")


class Items(list):
    pass


class Table(dict):
    pass


def numbered():
    yield 1
    yield 2


def stepped():
    for i in range(9):
        yield 7


def counted():
    CALLS[0] += 1
    return True


# Hidden changes in operands, tests and messages


# Iterators


def loop_takes_from(x):
    if x > 0:
        for q in IT:
            break
    return x


def sum_takes_from(x):
    y = 0
    if x > 0:
        y = sum(IT)
    return y


def list_takes_from(x):
    y = 0
    if x > 0:
        y = len(list(IT))
    return y


def unpacking_takes_from(x):
    if x > 0:
        a, *b = IT
    return x


def staged_loop_takes_from(x):
    y = 0
    for i in range(x):
        for k, q in enumerate(IT):
            y += q
            break
    return y


ITERATING = (
    loop_takes_from, sum_takes_from, list_takes_from, unpacking_takes_from, staged_loop_takes_from,
)  # fmt: skip
MAKERS = {
    "list": lambda: iter([1, 2, 3]),
    "range": lambda: iter(range(3)),
    "dict": lambda: iter({1: 2, 3: 4}),
    "enumerate": lambda: enumerate([1, 2]),
    "zip": lambda: zip([1, 2], [3, 4], strict=True),
    "map": lambda: map(abs, [1, 2]),
    "filter": lambda: filter(None, [1, 2]),
    "reversed": lambda: reversed([1, 2]),
    "cycle": lambda: itertools.cycle([1, 2]),
    "chain": lambda: itertools.chain([1, 2], [3]),
    "count": lambda: itertools.count(),
    "product": lambda: itertools.product([1, 2], [3]),
    "tee": lambda: itertools.tee([1, 2, 3])[0],
    "generator": numbered,
    "generator that stands still": lambda: next(iter([stepped()])),
}


@pytest.mark.parametrize("name", MAKERS)
def test_an_iterator_that_a_branch_advances(name: str, monkeypatch: Any) -> None:
    iterator = MAKERS[name]()
    next(iterator)
    monkeypatch.setitem(globals(), "IT", iterator)
    with pytest.raises(StagingError, match=r"IT.* is changed .* existed before"):
        rt.function(loop_takes_from)(rt.constant(-1))


@pytest.mark.parametrize("program", ITERATING, ids=lambda program: program.__name__)
def test_ways_to_advance_an_iterator(program: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(globals(), "IT", iter(range(5)))
    with pytest.raises(StagingError, match="IT is changed while the function is staged"):
        rt.function(program)(rt.constant(-1))


def local_generator(x):
    it = numbered()
    if x > 0:
        for a in it:
            break
    return next(it)


# Objects and the world outside


def item_of_a_list_subclass(x):
    items = Items([1, 2])
    if x > 0:
        items[0] = 4
    return items[0]


def item_of_a_dict_subclass(x):
    items = Table(a=1)
    if x > 0:
        items["a"] = 4
    return items["a"]


def item_of_a_memoryview(x):
    view = memoryview(bytearray(b"ab"))
    if x > 0:
        view[0] = 4
    return view[0]


def makes_folders(x):
    if x > 0:
        os.makedirs("never/made")
    return x


def removes(x):
    if x > 0:
        os.remove("never-there")
    return x


def sets_environment(x):
    if x > 0:
        os.environ["NEVER_SET"] = "1"
    return x


def warns(x):
    if x > 0:
        warnings.warn("never", stacklevel=1)
    return x


def touches(x):
    if x > 0:
        pathlib.Path("never-there").touch()
    return x


# Text


def text_of_a_variable(x):
    print(f"{x} {COUNT}")
    return x


def text_beside_an_object(x):
    print(str([x, Items([1])]))
    return x


def in_an_object(x):
    return str(Items([x]))


# Handlers around what fails at run time


def staged(x):
    n = 0
    while n < x:
        n += 1
    return n


def generator_used_again(x):
    items = (v < x for v in [1, 2])
    return all(items), list(items)


def iterator_of_generator_used_again(x):
    items = iter([1, 2, 3])
    return any(v > x for v in items), next(items, 0)


def generator_over_staged_used_again(x):
    items = (v for v in range(x))
    return sum(items), list(items)


def generator_in_each_round(x):
    items = (v for v in [1, 2] if v < 2)
    total = 0
    for _ in range(x):
        total += sum(items)
    return total


def generator_used_in_a_branch(x):
    items = (v for v in range(x))
    total = 0
    if x > 0:
        total = sum(items)
    return total + sum(items)


def generator_over_staged_by_python(x):
    return len(bytes(v for v in range(x)))


# What has no place in a graph


def numpy_of(x):
    return np.vectorize(abs)(x)


def negative_in_a_branch(x):
    y = -1
    if x > 0:
        y = rt.cast(x, rt.uint8)
    return y


def too_large_in_a_branch(x):
    y = rt.constant(1.0)
    if x > 0:
        y = 1e300
    return y


NOT_ALLOWED = errors.OperatorNotAllowedInGraphError


NUMBERS = itertools.count()


def counter_in_a_branch(x):
    if x > 0:
        x = next(NUMBERS)
    return x


def counted_to(x):
    items = []
    for i in range(x):
        items.append(i)
    return items


def date_of_a_number(x):
    return datetime.date(x + 2000, 1, 1)


def bytes_of_a_number(x):
    return bytes(int(x))


def permutations_of_a_number(x):
    return len(list(itertools.permutations([1, 2, 3], x)))


def int_or_float(x):
    return 2.5 if x > 9 else 1


def index_that_may_be_an_int(x):
    try:
        return [1, 2, 3][int_or_float(x)]
    except TypeError:
        return 0


def bound_that_may_be_an_int(x):
    return sum([1, 2, 3][: int_or_float(x)])


def shift_that_may_be_an_int(x):
    return int_or_float(x) << 1


def place_that_may_be_an_int(x):
    return [1, 2, 3][x if x > 0 else 2.5]


def list_of_the_run_printed(x):
    rt.print("items:", counted_to(x))


def dict_of_the_run_printed(x):
    sizes = {1: 2}
    sizes[x] = 3
    rt.print(sizes)


REFUSED = [
    (date_of_a_number, NOT_ALLOWED, r"datetime.date\(\) takes a number of.*\s+return the number"),
    (bytes_of_a_number, NOT_ALLOWED, r"bytes\(\) takes a number of Python's"),
    (permutations_of_a_number, NOT_ALLOWED, r"permutations\(\) takes a number of Python's"),
    (index_that_may_be_an_int, StagingError, r"it may be an int.*\s+have an int there on each"),
    (bound_that_may_be_an_int, StagingError, r"it may be an int.*\s+have an int there on each"),
    (shift_that_may_be_an_int, StagingError, r"it may be an int.*\s+have an int there on each"),
    (place_that_may_be_an_int, StagingError, r"it may be an int.*\s+have an int there on each"),
    (list_of_the_run_printed, StagingError, r"rt.print\(\) needs a list of which Python knows"),
    (dict_of_the_run_printed, StagingError, r"rt.print\(\) needs a dict of which Python knows"),
    (counter_in_a_branch, StagingError, r"count in a variable: number \+= 1"),
    (local_generator, StagingError, "it is changed .* a generator cannot be carried"),
    (
        item_of_a_list_subclass,
        StagingError,
        r"items\[0\] .* an? Items cannot.*\s+use a list, dict or set",
    ),
    (
        item_of_a_dict_subclass,
        StagingError,
        r"items\['a'\] .* a Table cannot.*\s+use a list, dict or set",
    ),
    (item_of_a_memoryview, StagingError, "view .* a memoryview cannot be carried"),
    (makes_folders, StagingError, "makedirs inside a staged block acts on the system"),
    (removes, StagingError, "remove inside a staged block acts on the system"),
    (sets_environment, StagingError, "os.environ is changed"),
    (warns, StagingError, "warn inside a staged block warns once"),
    (touches, StagingError, "touch inside a staged block reads or writes files"),
    (text_of_a_variable, StagingError, "the text of a variable, 'count:0'"),
    (text_beside_an_object, StagingError, "an Items is in a text beside staged values"),
    (generator_used_again, StagingError, r"how far all\(\) advances its argument"),
    (iterator_of_generator_used_again, StagingError, r"how far any\(\) advances its argument"),
    (generator_over_staged_used_again, StagingError, "a generator over staged values is used a"),
    (generator_in_each_round, StagingError, "a generator cannot be carried"),
    (generator_used_in_a_branch, StagingError, "a generator cannot be carried"),
    (generator_over_staged_by_python, StagingError, "staged range is iterated over"),
    (numpy_of, NOT_ALLOWED, "as a NumPy array is not allowed while tracing"),
    (negative_in_a_branch, StagingError, "-1 does not fit into uint8"),
    (too_large_in_a_branch, StagingError, r"1e\+300 does not fit into float32"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0].__name__)
def test_refused(case: Any) -> None:
    program, kind, text = case
    before = list(CALLS), dict(os.environ)
    with pytest.raises(kind, match=text) as caught:
        rt.function(program)(rt.constant(-1))
    error: Any = caught.value
    assert error.filename == __file__
    assert error.lineno >= program.__code__.co_firstlineno
    assert error.hint
    assert "a `yield`" not in str(error)
    assert (list(CALLS), dict(os.environ)) == before


def test_the_text_of_an_object_that_holds_a_symbol() -> None:
    with pytest.raises(NOT_ALLOWED, match="as text"):
        rt.function(in_an_object)(rt.constant(-1))


# What is not refused


def other_handler(x):
    try:
        y = 1 // x
    except (KeyError, ZeroDivisionError):  # a tensor's is an InvalidArgumentError
        y = -1
    return y


def only_cleans_up(x):
    try:
        y = 1 // x
    finally:
        pass
    return y


def behind_a_handler(x):
    try:
        y = 0
    except ZeroDivisionError:
        y = 2
    else:
        y = 1 // x
    return y + 1 // x


def iterators_of_its_own(x):
    s = 0
    if x > 0:
        for a, b in zip([1, 2], [3, 4], strict=True):
            s += a * b
        s += sum(v for v in [1, 2])
    for a in iter([1, 2, 3]):
        if x > a:
            s += a
    return s


def infinity_in_a_branch(x):
    y = 1.0
    if x > 0:
        y = float("inf")
    return y


def a_copy(x):
    return copy.deepcopy([x, {"k": x + 1}])[1]["k"]


def first_items_in_a_loop(x):
    sizes, grown, table = {4: 2, 5: 3}, {7: x}, [x]
    total = 0
    for i in range(x):
        grown[7] += i
        table.append(i)
        total += next(iter(sizes)) * next(iter(sizes.values())) + next(iter(grown))
        total += (
            next(iter(table)) + next(iter((i, 8))) + next(itertools.count(i)) + next(iter({}), 3)
        )
    return total


def an_iterator_of_a_round(x):
    total = 0
    for _ in range(x):
        items = iter([5, 6, 7])
        total += next(items) * next(items)
        for item in items:
            total += item
    return total


ACCEPTED = (
    first_items_in_a_loop, an_iterator_of_a_round, other_handler, only_cleans_up, behind_a_handler,
    iterators_of_its_own, infinity_in_a_branch, a_copy,
)  # fmt: skip


@pytest.mark.parametrize("program", ACCEPTED, ids=lambda program: program.__name__)
def test_accepted(program: Any) -> None:
    assert rt.function(program)(rt.constant(3)).numpy() == program(3)


def test_libraries_may_show_symbols() -> None:
    shown: list[str] = []

    @autograph.do_not_convert
    def show(x: Any) -> None:
        shown.append(repr(x))

    def program(x):
        show(x)
        return x

    rt.function(program)(rt.constant(1))
    assert "shape=()" in shown[0]


# A mistake of the library's own


def _of_the_library(name: str, text: str) -> Any:
    """A function that stands in a file of the library's."""
    scope: dict[str, Any] = {"__name__": "runtime.a_module"}
    exec(compile(text, os.path.join(os.path.dirname(rt.__file__), "a_module.py"), "exec"), scope)
    return scope[name]


mistaken = _of_the_library("mistaken", "def mistaken(x):\n    assert x is None, 'no tensor'")
failing = _of_the_library("failing", "def failing(x):\n    raise AssertionError('told')")


def mistaken_in_a_branch(x):
    if x > 5:
        mistaken(x)
    return x


def mistaken_in_a_try(x):
    try:
        if x > 0:
            mistaken(x)
    except AssertionError:
        x = x + 4
    return x


def mistaken_where_python_handles(x):
    try:
        mistaken(x)
    except AssertionError:
        x = x + 4
    return x


@pytest.mark.parametrize(
    "program",
    [mistaken_in_a_branch, mistaken_in_a_try, mistaken_where_python_handles],
    ids=lambda program: program.__name__,
)
def test_an_assertion_of_ours_is_none_of_the_program(program: Any) -> None:
    with pytest.raises(AssertionError, match="no tensor") as caught:
        rt.function(program)(rt.constant(3))
    [note] = caught.value.__notes__
    assert "mistake in it" in note
    assert "a_module.py:2" in note


def asserts_in_a_try(x):
    try:
        if x > 0:
            assert x < 2, x
    except AssertionError:
        x = x + 4
    return x


def told_by_the_library(x):
    try:
        if x > 0:
            failing(x)
    except AssertionError:
        x = x + 4
    return x


@pytest.mark.parametrize("program", [asserts_in_a_try, told_by_the_library])
def test_assertions_of_the_program_are_handled(program: Any) -> None:
    assert rt.function(program)(rt.constant(3)).numpy() == program(3) == 7


def too_large_at_the_end(x):
    y = 1.0
    if x > 0:
        y = 1e300
    return y


def test_a_number_that_does_not_fit_is_no_infinity() -> None:
    staged_program = rt.function(too_large_at_the_end)
    assert staged_program(rt.constant(-1)).numpy() == 1
    with pytest.raises(errors.InvalidArgumentError, match="does not fit into float32"):
        staged_program(rt.constant(1))

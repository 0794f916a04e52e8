"""Names that may be None or unbound, given to ops: checked at run time, where the op is."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from tests.support.staging import assert_as_in_python


def largest(x):
    best = None
    for v in x:
        best = v if best is None else rt.maximum(best, v)
    return best


def largest_reversed(x):
    best = None
    for v in x:
        best = v if best is None else rt.maximum(v, best)
    return best


def stacked(x):
    best = None
    for v in x:
        if best is None:  # noqa: SIM108
            best = v
        else:
            best = rt.reduce_max(rt.stack([best, v]))
    return best


def converted(x):
    best = None
    for v in x:
        if v > 3:
            best = v
    return rt.sqrt(rt.convert_to_tensor(best))  # the line


def counted(x):
    n = None
    for v in x:
        if v > 3:
            n = 1 if n is None else n + 1
    return rt.cast(rt.maximum(n, 0), rt.float32)  # the line


def in_a_pair(x):
    pair = (x[0], None)
    if x[0] > 3:
        pair = (x[0], x[-1])
    return rt.add(*pair)  # the line


ALWAYS_THERE = [largest, largest_reversed, stacked]
AT_TIMES = [converted, counted, in_a_pair]


@pytest.mark.parametrize("function", ALWAYS_THERE + AT_TIMES)
def test_ops_take_optional_values(function: Callable[..., Any]) -> None:
    x = rt.constant([4.0, 5.0, 2.0])
    np.testing.assert_array_equal(rt.function(function)(x), function(x))


@pytest.mark.parametrize(
    ("function", "name"),
    list(zip(AT_TIMES, ("best", "n", "pair_1"), strict=True)),
    ids=["best", "n", "pair_1"],
)
def test_an_op_on_none_says_which_variable_and_where(
    function: Callable[..., Any], name: str
) -> None:
    with pytest.raises(TypeError, match=f"'{name}' is None here") as found:
        rt.function(function)(rt.constant([1.0, 2.0]))
    last = traceback.extract_tb(found.value.__traceback__)[-1]
    assert (Path(last.filename).name, last.line and last.line.endswith("# the line")) == (
        "test_optional_values.py",
        True,
    )


USES_OF_AN_INDEX: dict[str, Callable[[list[Any], Any], Any]] = {
    "read": lambda rows, at: rows[at],
    "insert": lambda rows, at: rows.insert(at, 7),
    "pop": lambda rows, at: rows.pop(at),
    "assign": lambda rows, at: rows.__setitem__(at, 7),
    "delete": lambda rows, at: rows.__delitem__(at),
}


@pytest.mark.parametrize("use", USES_OF_AN_INDEX)
def test_an_index_of_a_list_that_grows_may_be_optional(use: str) -> None:
    act = USES_OF_AN_INDEX[use]

    def at_the_last(xs):
        rows = [1, 2, 3]
        at = None
        for x in xs:
            if x > 0:
                at = x
        if xs[0] > 9:
            rows.append(4)
        act(rows, at)
        return rows

    for given in ([1, -1], [1, 2]):
        got = rt.function(at_the_last)(rt.constant(given))
        assert [int(row) for row in got] == at_the_last(given)
    with pytest.raises(TypeError, match="'at' is None here"):
        rt.function(at_the_last)(rt.constant([-1, 0]))


def _values(n: Any) -> dict[str, Any]:
    """A value of each kind that `==` may meet; of which some are None from 3 on."""
    text = "a" * n
    return {
        "number": n, "text": text, "plain": "aa", "none": None, "pair": (n, text),
        "chosen": "a" if n > 1 else "aa", "number or none": None if n > 2 else n,
        "text or none": None if n > 2 else text, "pair or none": None if n > 2 else (n, text),
        "chosen or none": None if n > 2 else "aa" if n > 1 else "b",
        "number or text": n if n > 2 else text,
    }  # fmt: skip


@pytest.mark.parametrize("other", _values(1))
@pytest.mark.parametrize("one", _values(1))
def test_what_may_be_none_equals_what_python_says(one: str, other: str) -> None:
    def equal(n):
        values = _values(n)
        return values[one] == values[other], values[one] != values[other]

    staged = rt.function(equal)
    for n in (1, 2, 3):
        assert tuple(map(bool, staged(rt.constant(n)))) == equal(n)


def _list(x):
    return [x] if x > 0 else None


def default_of_or(x):
    one = _list(x)
    two = one or [7]
    two.append(3)
    return one, two, one is two


def longer_default(x):
    one = _list(x)
    two = one or [7, 8]
    two.append(3)
    return one, two, one is two


def default_of_an_expression(x):
    one = _list(x)
    two = one if one else [7, 8]
    two.append(3)
    return one, two


def default_of_a_statement(x):
    one = _list(x)
    if one is None:
        one = [7, 8]
    one.append(3)
    return len(one), one


def default_where_it_is_not_none(x):
    one = _list(x)
    two = [7, 8, 9]
    if one is not None:
        two = one
    two.append(3)
    return one, two


def default_of_a_list_that_may_be_empty(x):
    one = [x] if x > 0 else []
    two = one or [7, 8]
    two.append(3)
    return one, two


def default_as_a_key(x):
    counts, groups = {}, {}
    if x > 99:
        counts[x] = x
        groups[x] = 1
    key = counts.get(2) or len(counts)
    groups[key] = groups.get(key, 0) + 5
    return sum(groups.values())


def one_of_two_lengths(x):
    one = None
    if x > 3:
        one = [x]
    elif x > 0:
        one = [x, x]
    one.append(3)
    return one


def length(x):
    one = _list(x)
    return 0 if one is None else len(one)


def attribute_of_a_dict(x):
    one = {"p": x} if x > 0 else None
    return one.get("q", 3), one.get("p")


def list_made_longer(x):
    one = _list(x)
    two = one
    if one is not None:
        one += [3]
        one += (4,)
    return one, two, one is two


def list_repeated(x):
    if x > 0:
        one = [x]
    two = one
    one *= 2
    return one, two


def list_behind_itself(x):
    one = _list(x)
    two = one
    if one is not None:
        one.extend(two)
    return two


def list_made_longer_by_it(x):
    one = _list(x)
    times = 2 if x > 0 else None
    two = three = [8]
    six = seven = {4}
    if one is not None:
        two += one
        two *= times
        six |= set(one)
    return two, three, two is three, len(seven)


def set_united(x):
    one = {x} if x > 0 else None
    two = one
    if one is not None:
        one |= {3}
        return len(two)
    return 0


def dict_united(x):
    one = {"a": x} if x > 0 else None
    two = one
    if one is not None:
        one |= {"a": 4}
        return two["a"]
    return 0


class Scale:
    def __init__(self, weight):
        self.weight = weight

    def __iadd__(self, other):
        self.weight += other
        return self

    def __add__(self, other):
        return Scale(self.weight + other)


def object_made_larger(x):
    scale = Scale(x)
    one = scale if x > 0 else None
    two = one
    if two is None:
        return 0, 0, False
    two += 3
    return scale.weight, two.weight, two is one


def object_without_items(x):
    one = Scale(x) if x > 0 else None
    try:
        return one[0] is NotImplemented
    except TypeError:
        return 7


def object_without_a_sign(x):
    one = Scale(x) if x > 0 else None
    try:
        return (-one) is NotImplemented
    except TypeError:
        return 7


def object_without_members(x):
    one = Scale(x) if x > 0 else None
    try:
        return 1 in one
    except TypeError:
        return 7


def attribute_deleted(x):
    one = Scale(x) if x > 3 else None
    if x > 3:
        return 1
    del one.held
    return 2


def copied(x):
    scale = Scale(x)
    one = scale if x > 0 else None
    two = copy.copy(one)
    if two is None:
        return 0, 0
    two.weight = 9
    return scale.weight, two.weight


class Log:
    def __init__(self, weight):
        self.weight, self.left = weight, 0

    def __enter__(self):
        self.weight += 1
        return self

    def __exit__(self, kind, error, traceback):
        self.left += 1
        return kind is ValueError


def entered_where_it_is(x):
    log = Log(x) if x > 0 else None
    if log is None:
        return 0, 0
    with log as other:
        other.weight += 5
        if x > 3:
            raise ValueError
        other.weight += 5
    return log.weight, log.left


def entered(x):
    log = Log(x) if x > 0 else None
    try:
        with log:
            x += 1
    except TypeError:
        return -5
    return x, log.left


class Anything:
    """Equals all there is, also None."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        self.number += 1
        return True

    __hash__ = None


class Alike:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    __hash__ = None


class NeverUnequal:
    def __ne__(self, other):
        return False


def an_object_with_an_own_equality(x):
    found = Anything(x) if x > 0 else None
    sign = -1 if x > 2 else None
    return (
        (found == None, None == found, found != None, None != found),  # noqa: E711, SIM300
        (found in [None], [found].count(None), found == sign, found == 3, 3 == found),  # noqa: SIM300
        0 if found is None else found.number,
    )


def an_object_that_reads_the_other_one(x):
    found = Alike(x) if x > 0 else None
    return found == None  # noqa: E711


def an_object_with_an_own_inequality(x):
    found = NeverUnequal() if x > 0 else None
    return found != None, None != found, found == None  # noqa: E711, SIM300


def the_left_one_is_asked_first(x):
    found = Anything(x) if x > 0 else None
    other = Alike(x + 1)
    return found == other, found != other


def mapping_of(x, take):
    found = {"n": x} if x > 0 else None
    try:
        return len(take(found))
    except TypeError:
        return -1
    except AttributeError:
        return -2


def mapping_unpacked(x):
    return mapping_of(x, lambda found: {**found})


def mapping_copied(x):
    return mapping_of(x, lambda found: dict(found))


def mapping_merged(x):
    def merged(found):
        made = {"b": 1}
        made.update(found)
        return made

    return mapping_of(x, merged)


def mapping_as_arguments(x):
    return mapping_of(x, lambda found: dict(**found))


def keys_of_a_mapping(x):
    return mapping_of(x, lambda found: found.keys())


EQUALITIES = (
    an_object_with_an_own_equality,
    an_object_that_reads_the_other_one,
    an_object_with_an_own_inequality,
    the_left_one_is_asked_first,
)
DEFAULTS = (
    *(default_of_or, longer_default, default_of_an_expression, default_of_a_statement),
    *(default_where_it_is_not_none, default_of_a_list_that_may_be_empty, default_as_a_key),
    *(one_of_two_lengths, length, attribute_of_a_dict),
)
CHANGES = (
    *(
        list_made_longer,
        list_repeated,
        list_behind_itself,
        set_united,
        dict_united,
        object_made_larger,
    ),
    *(object_without_items, object_without_a_sign, object_without_members),
    *(attribute_deleted, copied, entered_where_it_is, entered),
    *(mapping_unpacked, mapping_copied, mapping_merged, mapping_as_arguments, keys_of_a_mapping),
)


@pytest.mark.parametrize("x", [-1, 1, 5])
@pytest.mark.parametrize("function", EQUALITIES + DEFAULTS + CHANGES, ids=lambda f: f.__name__)
def test_uses_of_what_may_be_none(function: Callable[..., Any], x: int) -> None:
    assert_as_in_python(function, x)

"""Messages are in the user's words: no name that is generated, or internal, is in one."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import autograph
import runtime as rt
from autograph.users_words import in_users_words, is_generated


def two_values(xs: Any) -> Any:
    best = rt.constant(0.5)
    for x in xs:
        if x > 3:
            best = x
    return best


def other_keys(xs: Any) -> Any:
    found = {"a": xs[0]}
    if xs[0] > 7:
        found = {"a": rt.ones([2])}
    return found


def endless(xs: Any) -> Any:
    z, n = rt.zeros([1]), 0
    while n < xs[0]:
        z = rt.concat([z, z], 0)
        if z.shape[0] is None:
            raise ValueError("unknown size")
        if n > 5:
            return z
        if n > 4:
            break
        n += 1
    return z


def rows_of_a_slice(xs: Any) -> Any:
    m = rt.stack([xs, xs])
    for row in m[1:]:
        row[0] = 4
    return m


def value(xs: Any) -> Any:
    return xs.value


def value_of_number(xs: Any) -> Any:
    return xs[0].value + 1


def shifted(xs: Any) -> Any:
    return rt.cast(xs, rt.float32) << 1


def returned_range(xs: Any) -> Any:
    return {"r": range(xs[0])}


def returned_map(xs: Any) -> Any:
    return map(abs, xs)


def returned_generator(xs: Any) -> Any:
    return (x for x in range(xs[0]))


def truth_of_range(xs: Any) -> Any:
    r = range(xs[0])
    return 1 if r else 2


def equal_ranges(xs: Any) -> Any:
    return range(xs[0]) == range(1)


def printed_reversed(xs: Any) -> Any:
    print(reversed(range(xs[0])))
    return xs


def printed_by_the_graph(xs: Any) -> Any:
    rt.print("range:", [range(xs[0])])
    return xs


def item_of_range(xs: Any) -> Any:
    return range(xs[0])[:2]


def counted_in_range(xs: Any) -> Any:
    return range(xs[0]).count(1)


def key_range(xs: Any) -> Any:
    return {range(xs[0]): 1}


def other_attribute(xs: Any) -> Any:
    both = SimpleNamespace(a=0, b=1)
    for x in xs:
        both.a += x
        both.b = "y"
    return both.a


def other_item(xs: Any) -> Any:
    table = {"k": {"a": 1, "b.c": 1}}
    if xs[0] > 0:
        table["k"]["a"] = 2
        table["k"]["b.c"] = "y"
    return table["k"]["a"]


def other_attribute_of_self(xs: Any) -> Any:
    class Counter:
        def __init__(self) -> None:
            self.inner = SimpleNamespace(n=0, name=1)

        def step(self) -> None:
            self.inner.n += 1
            self.inner.name = "y"

    counter = Counter()
    for _ in xs:
        counter.step()
    return counter.inner.n


def captured(xs: Any) -> Any:
    name: Any = 1

    def change() -> None:
        nonlocal name
        name = "y"

    if xs[0] > 0:
        change()
    return name


def item_of_a_number(xs: Any) -> Any:
    count = 5 if xs[0] > 0 else 7
    count[0] = 1  # type: ignore[index]
    return count


def item_of_a_text(xs: Any) -> Any:
    word: Any = "a" if xs[0] > 0 else "bb"
    word[xs[1]] = "c"
    return word


_INTERNAL = ("retval", "did_return", "did_break", "strided_slice", " object at ", "_elements")


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (two_values, "'best' cannot be"),
        (other_keys, "\"found['a']\" cannot be joined"),
        (other_attribute, "'both.b' cannot be joined"),
        (other_item, "\"table['k']['b.c']\" cannot be joined"),
        (other_attribute_of_self, "'counter.inner.name' cannot be joined"),
        (captured, "'name' cannot be joined"),
        (endless, "the loop over z, n raises ValueError('unknown size')"),
        (rows_of_a_slice, "'m' is read after items of a tensor were assigned"),
        (value, "a tensor of the graph has no attribute 'value'\n  compute with the tensor"),
        (value_of_number, "has no attribute 'value'\n  compute with the tensor"),
        (shifted, "which it does not take; it takes int8"),
        (returned_range, "the result of returned_range['r'] is a staged range: a function"),
        (returned_map, "is a staged map: a function returns tensors"),
        (truth_of_range, "whether a staged range has elements is known at run time only"),
        (equal_ranges, "a staged range is compared"),
        (printed_reversed, "a staged reversed is shown as text"),
        (printed_by_the_graph, "a staged range is shown as text"),
        (item_of_range, "a slice of a staged range is asked for"),
        (counted_in_range, "a staged range has no attribute 'count'\n  make a list of it"),
        (key_range, "a staged range is a key"),
        (item_of_a_number, "'int' object does not support item assignment"),
        (item_of_a_text, "'str' object does not support item assignment"),
    ],
)
def test_a_message_names_what_the_user_wrote(function: Callable[..., Any], says: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        rt.function(function)(rt.constant([1, 2, 3]))
    message = str(caught.value)
    assert says in message
    assert f"{__file__}:" in message
    assert not [name for name in _INTERNAL if name in message]


def test_a_generator_has_pythons_name() -> None:
    found = autograph.convert(returned_generator)([3])
    assert found.__name__, found.__qualname__ == (
        "<genexpr>",
        "returned_generator.<locals>.<genexpr>",
    )


def test_a_symbol_has_no_attribute_that_tensors_do_not_have() -> None:
    def asked(x: Any) -> Any:
        return x.value if hasattr(x, "value") else x

    assert int(rt.function(asked)(rt.constant(3))) == 3


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("'retval' is", "the returned value is"),
        ("'retval_2' is", "the returned value is"),
        ("\"retval['a'][0]\" is", "['a'][0] of the returned value is"),
        ("'retval.x' is", ".x of the returned value is"),
        ("'retvalue' and 'x'", "'retvalue' and 'x'"),
        ("over 'did_return', 'n'", "over whether it has returned, 'n'"),
    ],
)
def test_words_for_generated_names(message: str, shown: str) -> None:
    assert in_users_words(message) == shown
    assert is_generated("did_break_inner")
    assert not is_generated("value")


@pytest.mark.parametrize("index", [99, (99,), -4, (0, 99)])
def test_an_assignment_out_of_bounds_is_the_same_error_everywhere(index: Any) -> None:
    def assign(a: Any) -> Any:
        a = rt.identity(a)
        a[index] = 1
        return a

    start = rt.constant([[1, 2], [3, 4], [5, 6]])
    for convert in (autograph.convert, rt.function):
        with pytest.raises(rt.errors.InvalidArgumentError, match="out of bounds") as caught:
            convert(assign)(start)
    assert f"at {__file__}:" in str(caught.value)


def test_a_profiler_that_is_none() -> None:
    with pytest.raises(TypeError, match=r"takes a line_profiler.LineProfiler and a function, not"):
        autograph.profile_lines(None, value)

"""Dicts that are arguments: what a call returns and leaves in them, and which of them are one."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python, of_tensors


def sold(stock: Any, n: Any) -> Any:
    stock["pen"] -= n
    if n > 2:
        stock["ink"] = n
    return stock


def counted(counts: Any, n: Any) -> None:
    for i in range(n):
        counts[i % 2] = counts.get(i % 2, 0) + 1


def taken(stock: Any, n: Any) -> Any:
    if n > 2:
        del stock["pen"]
    return stock.pop("cup")


def in_a_list(people: Any, n: Any) -> Any:
    for each in people:
        if each["age"] < n:
            each["age"] = n
    return people[0]["age"]


def new_containers(groups: Any, n: Any) -> None:
    groups["rows"].append(n)
    groups["pair"] = [n, n]
    groups["inner"] = {"k": [n]}


def swapped(pair: Any, n: Any) -> None:
    pair["a"], pair["b"] = pair["b"], pair["a"]


def in_two_entries(groups: Any, n: Any) -> None:
    groups["also"] = groups["rows"]
    groups["rows"].append(n)


def inner_dict(table: Any, n: Any) -> None:
    table["inner"]["x"] += n
    if n > 2:
        table["inner"]["y"] = n


def started_again(stock: Any, n: Any) -> None:
    stock.clear()
    stock["new"] = n


def by_its_class(counts: Any, n: Any) -> None:
    counts["old"] += n
    counts["new"] += n


CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (sold, lambda: {"pen": 9, "cup": 4}),
    (counted, lambda: {}),
    (counted, lambda: {0: 5, 7: 1}),
    (taken, lambda: {"pen": 1, "cup": 2}),
    (in_a_list, lambda: [{"age": 1, "name": "a"}, {"age": 5, "name": "b"}]),
    (new_containers, lambda: {"rows": [1]}),
    (swapped, lambda: {"a": [1], "b": {"x": 1}}),
    (swapped, lambda: {"a": 1, "b": "text"}),
    (in_two_entries, lambda: {"rows": [1]}),
    (inner_dict, lambda: {"inner": {"x": 1}}),
    (started_again, lambda: {"pen": 1}),
    (by_its_class, lambda: defaultdict(int, old=1)),
    (by_its_class, lambda: Counter(old=1)),
    (sold, lambda: OrderedDict(pen=9, cup=1)),
]


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize(("function", "make"), CASES)
def test_a_call_changes_them_as_python_does(
    function: Callable[..., Any], make: Callable[[], Any], n: int
) -> None:
    expected, given = make(), of_tensors(make())
    result = function(expected, n)
    assert as_python(rt.function(function)(given, rt.constant(n, rt.int64))) == result
    assert type(given) is type(expected)
    assert list(given) == list(expected)
    assert as_python(given) == expected


def test_what_is_as_it_was_stays_the_same_object() -> None:
    a, b, ink = [rt.constant(1)], {"x": rt.constant(1)}, object()
    pair: dict[str, Any] = {"a": a, "b": b, "ink": ink}
    rt.function(swapped)(pair, 1)
    assert pair["a"] is b
    assert pair["b"] is a
    assert pair["ink"] is ink
    groups = {"rows": a}
    rt.function(in_two_entries)(groups, rt.constant(2))
    assert groups["also"] is groups["rows"] is a


def another_one(e: Any, p: Any, n: Any) -> None:
    if n > 0:
        e["b"] = p


def the_other_one(e: Any, p: Any, n: Any) -> None:
    if n > 0:
        e["b"] = e["a"]


def a_new_one(e: Any, p: Any, n: Any) -> None:
    if n > 0:
        e["b"] = [n]


def a_new_one_in_rounds(e: Any, p: Any, n: Any) -> None:
    for i in range(n):
        e["b"] = [i]


def another_one_in_rounds(e: Any, p: Any, n: Any) -> None:
    for _ in range(n):
        e["b"] = p


def exchanged(e: Any, p: Any, n: Any) -> None:
    if n > 0:
        e["a"], e["b"] = e["b"], e["a"]


def none(e: Any, p: Any, n: Any) -> None:
    if n > 0:
        e["b"] = None


def of_another_class(e: Any, p: Any, n: Any) -> None:
    if n > 0:
        e["b"] = {"n": n}


def a_chosen_one(e: Any, p: Any, n: Any) -> None:
    e["b"] = p if n > 0 else e["a"]


def a_chosen_one_or_a_new_one(e: Any, p: Any, n: Any) -> None:
    e["b"] = p if n > 0 else [1]


class Row(NamedTuple):
    key: int
    items: Any


def in_a_named_tuple(e: Any, p: Any, n: Any) -> None:
    e["b"] = Row(n, p)


def in_a_named_tuple_on_a_path(e: Any, p: Any, n: Any) -> None:
    e["c"] = Row(1, e["a"])
    if n > 0:
        e["c"] = Row(3, p)


PUT = [
    *(
        in_a_named_tuple,
        in_a_named_tuple_on_a_path,
        another_one,
        the_other_one,
        a_new_one,
        a_new_one_in_rounds,
        another_one_in_rounds,
    ),
    *(exchanged, none, of_another_class, a_chosen_one, a_chosen_one_or_a_new_one),
]


def _told(*values: Any) -> Any:
    """What is in them, with a number for each object, by which it is told where it is again."""
    known: dict[int, int] = {}

    def told(value: Any) -> Any:
        if isinstance(value, tuple):
            return type(value), list(map(told, value))
        if not isinstance(value, list | dict):
            return as_python(value)
        if id(value) in known:
            return known[id(value)]
        known[id(value)] = len(known)
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return type(value), [(key, told(item)) for key, item in items]

    return list(map(told, values))


@pytest.mark.parametrize("make", [lambda n: [n], lambda n: {"n": n}], ids=["lists", "dicts"])
@pytest.mark.parametrize("put", PUT)
def test_what_a_path_leaves_is_the_very_object_or_refused(
    put: Callable[..., None], make: Callable[[int], Any]
) -> None:
    for n in (1, -1, 3):
        a, b, p = make(1), make(2), make(5)
        wanted, given = {"a": a, "b": b}, {"a": a, "b": b}
        put(wanted, p, n)
        try:
            rt.function(put)(given, p, rt.constant(n))
        except autograph.StagingError as refusal:
            assert type(a) is dict, refusal  # noqa: PT017
            assert "put a copy there on every path" in str(refusal)  # noqa: PT017
            return
        assert _told(a, b, p, given) == _told(a, b, p, wanted)


def test_one_that_is_a_default_value_is_changed() -> None:
    @rt.function
    def numbered(x, seen={}):  # noqa: B006
        seen[len(seen)] = x
        return len(seen)

    assert [int(numbered(rt.constant(5))) for _ in range(3)] == [1, 2, 3]


def test_one_that_is_given_twice() -> None:
    @rt.function
    def both(a, b):
        a["x"] += 1
        return b["x"]

    one = {"x": rt.constant(1)}
    assert int(both(one, one)) == 2
    assert int(both({"x": rt.constant(1)}, {"x": rt.constant(1)})) == 1
    assert int(one["x"]) == 2


def test_one_that_an_inner_function_changes() -> None:
    inner = rt.function(sold)

    @rt.function
    def outer(given, n):
        made = {}
        made["pen"] = n
        inner(made, n)
        inner(given, n)
        return made["pen"], given["ink"]

    given = {"pen": rt.constant(9)}
    made, ink = outer(given, rt.constant(4))
    assert (int(made), int(ink)) == (0, 4)
    assert as_python(given) == {"pen": 5, "ink": 4}


def test_one_that_the_function_reads_elsewhere_is_refused() -> None:
    stock = {"pen": rt.constant(1)}

    @rt.function
    def changed(given, n):
        given["pen"] += n
        return given["pen"] + stock["pen"]

    changed({"pen": rt.constant(1)}, rt.constant(2))
    with pytest.raises(autograph.StagingError, match=r"(?s)changes the dict given.*dict\(\.\.\.\)"):
        changed(stock, rt.constant(2))


def test_elements_of_a_dataset_may_be_taken_apart() -> None:
    def labelled(element):
        label = element.pop("label")
        element["twice"] = element["x"] * 2
        return element, label

    data = rt.data.Dataset.from_tensor_slices({"x": [1, 2], "label": [3, 4]}).map(labelled)
    assert as_python(list(data)) == [({"x": 1, "twice": 2}, 3), ({"x": 2, "twice": 4}, 4)]

"""The IR: what `verify` refuses, what is printed, what a region uses."""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import copy
import dataclasses
import operator
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.types import ListType, TensorType
from runtime.functions.function import function
from runtime.graph.format.notation import describe
from runtime.graph.format.printing import format_graph
from runtime.graph.ir import (
    Graph,
    Node,
    Region,
    Value,
    covers,
    diverges,
    free_values,
    has_effects,
    walk,
)
from runtime.graph.nodes import BOOL, COND, CONSTANT, INT, RAISE, WHILE
from runtime.graph.numbers import BINARY
from runtime.graph.templates import Raised
from runtime.graph.verification import InvalidGraph, verify


def tensor(*shape: int | None) -> TensorType:
    return TensorType(rt.float32, shape)


def number(name: str = "n") -> Value:
    return Value(INT, name)


def add(a: Value, b: Value, out: Value) -> Node:
    return Node(BINARY["add"], (a, b), (out,), {})


def graph(parameters: Any, nodes: Any, results: Any) -> Graph:
    return Graph("f", Region(tuple(parameters), tuple(nodes), tuple(results)))


def traced(f: Any, *specs: Any) -> Graph:
    arguments = [rt.TensorSpec(shape, dtype) for dtype, shape in specs]
    made: Graph = function(f).get_concrete_function(*arguments).graph
    verify(made, types=True)
    return made


A, B, C, FLAG = number("a"), number("b"), number("c"), Value(BOOL, "flag")
FAILS = Node(RAISE, (), (), {"exception": Raised(ValueError, ("x",), {})})
EMPTY = Region((), (), ())

INVALID = {
    "undefined input": graph([A], [add(A, B, C)], [C]),
    "undefined result": graph([A], [], [B]),
    "defined twice": graph([A, B], [add(A, B, C), add(A, B, C)], [C]),
    "parameter defined twice": graph([A, A], [], [A]),
    "used before its definition": graph([A], [add(A, C, B), add(A, A, C)], [B]),
    "raise in the middle": graph([A], [FAILS, add(A, A, B)], [B]),
    "a branch's value used outside": graph(
        [A, FLAG],
        [Node(COND, (FLAG,), (), {}, (Region((), (add(A, A, B),), ()), EMPTY))],
        [B],
    ),
    "cond with a number as test": graph([A], [Node(COND, (A,), (), {}, (EMPTY, EMPTY))], []),
    "cond with one region": graph([FLAG], [Node(COND, (FLAG,), (), {}, (EMPTY,))], []),
    "branches with too few results": graph(
        [A, FLAG],
        [Node(COND, (FLAG,), (B,), {}, (Region((), (), (A,)), EMPTY))],
        [B],
    ),
    "branch of another type": graph(
        [FLAG],
        [Node(COND, (FLAG,), (B,), {}, (Region((), (), (FLAG,)), Region((), (), (FLAG,))))],
        [B],
    ),
    "while without a test": graph(
        [A, FLAG], [Node(WHILE, (FLAG, A), (B,), {}, (Region((C,), (), (C,)),))], [B]
    ),
    "while with unequal state": graph(
        [A, FLAG], [Node(WHILE, (FLAG, A), (B,), {}, (Region((C,), (), (FLAG,)),))], [B]
    ),
    "a function as a parameter": graph([A], [Node(RAISE, (), (), {"exception": print})], []),
    "an exception as a parameter": graph([A], [Node(RAISE, (), (), {"e": [ValueError()]})], []),
    "an object in a template": graph(
        [A], [Node(RAISE, (), (), {"exception": Raised(ValueError, (object(),), {})})], []
    ),
    "regions of an op": graph([A], [Node(BINARY["add"], (A, A), (B,), {}, (EMPTY,))], [B]),
}


@pytest.mark.parametrize("name", INVALID)
def test_verify_refuses(name: str) -> None:
    with pytest.raises(InvalidGraph):
        verify(INVALID[name])


def test_verify_compares_types_with_the_rules() -> None:
    wrong = graph([A], [add(A, A, FLAG)], [])
    verify(wrong)
    with pytest.raises(InvalidGraph, match=r"declares \(py.bool\), its rule says \(py.int\)"):
        verify(wrong, types=True)


def test_verify_accepts_a_raising_branch_without_results() -> None:
    raising = Region((), (FAILS,), ())
    node = Node(COND, (FLAG,), (B,), {}, (raising, Region((), (), (A,))))
    verify(graph([A, FLAG], [node], [B]))


@pytest.mark.parametrize("item", [A, add(A, A, B), EMPTY, graph([A], [], [A])])
def test_everything_is_frozen(item: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(item, dataclasses.fields(item)[0].name, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda params: operator.setitem(params, "axis", 1),
        lambda params: operator.delitem(params, "axis"),
        lambda params: operator.ior(params, {"axis": 1}),
        lambda params: params.update(axis=1),
        lambda params: params.setdefault("keepdims", True),
        lambda params: params.pop("axis"),
        lambda params: params.popitem(),
        lambda params: params.clear(),
    ],
)
def test_parameters_of_nodes_are_frozen(change: Any) -> None:
    @function
    def total(x):
        return rt.reduce_sum(x, 0)

    (node,) = total.get_concrete_function(rt.ones([2, 3])).graph.nodes
    before = dict(node.params)
    with pytest.raises(TypeError, match="graphs are frozen"):
        change(node.params)
    for same in (node.params, copy.deepcopy(node.params), copy.copy(node.params)):
        assert same == before
        with pytest.raises(TypeError):
            change(same)
    assert change({**node.params}) is not NotImplemented


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        (tensor(2), tensor(2), True),
        (tensor(None), tensor(2), True),
        (tensor(2), tensor(None), False),
        (tensor(None), tensor(2, 3), False),
        (TensorType(rt.float32, None), tensor(2, 3), True),
        (tensor(2), TensorType(rt.float32, None), False),
        (tensor(2), TensorType(rt.int32, (2,)), False),
        (INT, INT, True),
        (INT, BOOL, False),
        (ListType(tensor(None)), ListType(tensor(2)), True),
        (ListType(INT), INT, False),
    ],
)
def test_covers(wide: Any, narrow: Any, expected: bool) -> None:
    assert covers(wide, narrow) is expected


def test_free_values_and_effects() -> None:
    inner = Region((C,), (add(A, C, B),), (B,))
    assert free_values(inner) == (A,)
    assert not has_effects(inner.nodes)
    assert has_effects([Node(COND, (FLAG,), (), {}, (Region((), (FAILS,), ()), EMPTY))])


def test_diverges() -> None:
    raising = Region((), (FAILS,), ())
    assert diverges(raising)
    assert not diverges(EMPTY)
    assert diverges(Region((), (Node(COND, (FLAG,), (), {}, (raising, raising)),), ()))
    assert not diverges(Region((), (Node(COND, (FLAG,), (), {}, (raising, EMPTY)),), ()))


def clip(x, limit):
    if x > limit:
        y = limit
    else:
        y = x
    return y


def count(x, limit):
    n = 0
    while x > 1:
        x = x / 2
        if n >= limit:
            break
        n = n + 1
    return n


def checked(x):
    if x < 0:
        raise ValueError("negative")
    return x + 1


FLOAT = ("float32", ())
PRINTED = [
    (
        clip,
        (FLOAT, FLOAT),
        """\
graph clip(x: float32[], limit: float32[]) -> (float32[]):
  greater: bool[] = greater(x, limit)
  y: float32[] = cond greater:
    yield limit
  else:
    yield x
  return y""",
    ),
    (
        count,
        (FLOAT, ("int32", ())),
        """\
graph count(x: float32[], limit: int32[]) -> (int32[]):
  greater: bool[] = greater(x, float32(1.0))
  x_2: float32[], n_2: py.int, did_break_2: py.bool = while greater with \
(x_1: float32[] = x, n: py.int = 0, did_break: py.bool = False):
    div: float32[] = div(x_1, float32(2.0))
    to_tensor: int32[] = to_tensor(n)
    less_equal: bool[] = less_equal(limit, to_tensor)
    n_1: py.int, did_break_1: py.bool = cond less_equal:
      yield n, True
    else:
      add: py.int = py.add(n, 1)
      yield add, did_break
    not: py.bool = py.not(did_break_1)
    result: bool[] = cond not:
      greater_1: bool[] = greater(div, float32(1.0))
      yield greater_1
    else:
      to_tensor_1: bool[] = to_tensor(not)
      yield to_tensor_1
    yield result, div, n_1, did_break_1
  to_tensor_2: int32[] = to_tensor(n_2)
  return to_tensor_2""",
    ),
    (
        checked,
        (FLOAT,),
        """\
graph checked(x: float32[]) -> (float32[]):
  less: bool[] = less(x, float32(0.0))
  cond less:
    raise ValueError('negative')
  add: float32[] = add(x, float32(1.0))
  return add""",
    ),
]


@pytest.mark.parametrize(("f", "specs", "text"), PRINTED, ids=lambda v: getattr(v, "__name__", ""))
def test_printed_graph(f: Any, specs: Any, text: str) -> None:
    assert format_graph(traced(f, *specs)) == text


def test_printed_lines_are_the_users() -> None:
    text = format_graph(traced(clip, FLOAT, FLOAT), lines=True)
    first = clip.__code__.co_firstlineno
    assert f"greater(x, limit)  # {__file__}:{first + 1}" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (rt.ones([50, 10]), "[[1.0, 1.0, ...], [1.0, 1.0, ...], ...]"),
        (rt.fill([3, 4], 1 / 3), "[[0.33333334, ...], ...]"),
        (rt.range(12), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"),
        (rt.zeros([2, 2, 2, 2]), "[[[[0.0, ...], ...], ...], ...]"),
        (rt.zeros([2, 0, 30]), "[[], []]"),
        (rt.constant([1.5, 2.0]), "[1.5, 2.0]"),
        (rt.constant(["a", "b"]), "[b'a', b'b']"),
        (rt.constant("a"), "b'a'"),
        (rt.constant(2), "2"),
    ],
)
def test_a_captured_tensor_is_printed_by_its_first_elements(value: rt.Tensor, text: str) -> None:
    made = function(lambda: rt.identity(value)).get_concrete_function().graph
    dims = ",".join(map(str, value.shape))
    assert f"  captured: {value.dtype.name}[{dims}] = capture {text}\n" in format_graph(made)


def test_only_what_is_shown_of_an_array_is_made_text() -> None:
    made = []

    class Counting(np.ndarray):
        def __getitem__(self, index: Any) -> Any:
            made.append(index)
            return super().__getitem__(index)

    assert describe(np.zeros([1000, 1000]).view(Counting)).endswith("...], ...]")
    assert len(made) < 400


def test_printing_names_are_unique() -> None:
    made = traced(count, FLOAT, ("int32", ()))
    text = format_graph(made)
    binders = [node for node in walk(made.body) if node.primitive is not CONSTANT]
    for node in binders:
        for output in node.outputs:
            assert f": {output.type}" in text
    assert text == format_graph(made)


def test_locations_are_the_users() -> None:
    found = {node.primitive.name: node.location for node in traced(checked, FLOAT).nodes}
    first = checked.__code__.co_firstlineno
    assert found["less"] == (__file__, first + 1, 8)
    assert found["add"] == (__file__, first + 3, 12)

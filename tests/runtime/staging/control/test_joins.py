"""Joins: what covers two values, what does not join, and that lowering and lifting are inverse."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph
import runtime as rt
import runtime.staging.backend
from runtime.core.types import ListType, TensorType
from runtime.graph.nodes import BOOL, FLOAT, INT
from runtime.staging.control import graph_values
from runtime.staging.control.joins import abstract, abstract_pair, join
from runtime.staging.control.sameness import same
from runtime.staging.control.specs import Leaf, Maybe, Mismatch, Optional, Same, Tree, types_of
from runtime.staging.tracing import Trace


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Pair:
    first: Any
    second: Any


def tensor(shape: Any = (), dtype: Any = rt.float32) -> TensorType:
    return TensorType(dtype, shape)


F = Leaf(tensor())
UNBOUND = Same(autograph.Undefined("y"))
NONE = Same(None)

JOINED = [
    (Same(1), Same(1), Same(1)),
    (Same(1), Same(2), Leaf(INT)),
    (Same(1), Same(1.0), Leaf(FLOAT)),
    (Same(True), Same(False), Leaf(BOOL)),
    (Same(0.0), Same(-0.0), Leaf(FLOAT)),
    (Same("a"), Same("a"), Same("a")),
    (Leaf(INT), Leaf(FLOAT), Leaf(FLOAT)),
    (Leaf(INT), Same(0.5), Leaf(FLOAT)),
    (Same(0), F, F),
    (Leaf(FLOAT), F, F),
    (Same(True), Leaf(tensor((), rt.bool)), Leaf(tensor((), rt.bool))),
    (Leaf(tensor((1,))), Leaf(tensor((2,))), Leaf(tensor((None,)))),
    (Leaf(tensor((1,))), Leaf(tensor((2, 3))), Leaf(tensor(None))),
    (Same(0), Leaf(tensor((2,))), Leaf(tensor(None))),
    (Leaf(tensor((), rt.int64)), Same(1.5), Leaf(tensor((), rt.float64))),
    (Leaf(tensor((), rt.int32)), Leaf(FLOAT), Leaf(tensor((), rt.float64))),
    (Leaf(tensor((), rt.int64)), Leaf(tensor((), rt.float64)), Leaf(tensor((), rt.float64))),
    (NONE, F, Optional(F)),
    (Optional(F), Same(0), Optional(F)),
    (NONE, NONE, NONE),
    (UNBOUND, F, Maybe(F, "y")),
    (Maybe(F, "y"), Same(1), Maybe(F, "y")),
    (UNBOUND, NONE, Maybe(NONE, "y")),
    (Maybe(NONE, "y"), F, Maybe(Optional(F), "y")),
    (UNBOUND, Same("a"), Maybe(Same("a"), "y")),
    (Leaf(ListType(tensor((1,)))), Leaf(ListType(tensor((2,)))), Leaf(ListType(tensor((None,))))),
]


@pytest.mark.parametrize("case", JOINED, ids=str)
def test_join(case: Any) -> None:
    a, b, expected = case
    assert join(a, b) == expected
    assert join(b, a) == expected
    assert join(expected, a) == expected


def test_texts_and_functions_that_differ_are_a_choice() -> None:
    joined = join(join(Same("a"), Same("b")), Same(len))
    assert isinstance(joined, Tree)
    assert joined.structure.keys == ("a", "b", len)
    assert joined.children == (Leaf(INT),)
    assert join(joined, Same("b")) == joined


def test_join_of_structures_goes_by_path() -> None:
    joined = join(abstract({"k": (1, 2.0)}), abstract({"k": (1, 3)}))
    assert isinstance(joined, Tree)
    (inner,) = joined.children
    assert isinstance(inner, Tree)
    assert inner.children == (Same(1), Leaf(FLOAT))


A, B = frozenset("a"), frozenset("b")

MISMATCHES = [
    (Same(A), Same(B), "", "differ"),
    (F, Leaf(tensor((), rt.int32)), "", "float32 on one path and int32"),
    (Same(1.5), Leaf(tensor((3,), rt.int32)), "", "Python float on one path and int32"),
    (Same(True), F, "", "Python bool"),
    (Same(True), Same(2), "", "Python bool on one path and a Python int"),
    (Leaf(BOOL), Same(1.5), "", "Python bool on one path and a Python float"),
    (Same("a"), F, "", "cannot be joined"),
    (abstract((1, 2)), abstract([1, 2]), "", "tuple of 2 and list of 2"),
    (abstract((1, 2)), abstract((1, 2, 3)), "", "tuple of 2 and tuple of 3"),
    (abstract({"a": 1}), abstract({"b": 1}), "", "structures differ"),
    (abstract({"a": 1, "b": 2}), abstract({"b": 2, "a": 1}), "", "structures differ"),
    (abstract(("x", {"k": A})), abstract(("x", {"k": B})), "[1]['k']", "differ"),
    (abstract(Pair(1, A)), abstract(Pair(1, B)), ".second", "differ"),
    (abstract(Point(A, 1)), abstract(Point(B, 1)), ".x", "differ"),
    (abstract((1,)), F, "", "cannot be joined"),
]


@pytest.mark.parametrize("case", MISMATCHES, ids=lambda case: case[3])
def test_mismatch(case: Any) -> None:
    a, b, path, reason = case
    with pytest.raises(Mismatch, match=reason.replace("[", r"\[")) as caught:
        join(a, b)
    assert caught.value.path == path
    assert caught.value.hint


SAME = [
    (1, 1, True), (1, 1.0, False), (1, True, False), (0.0, -0.0, False),
    (float("nan"), float("nan"), True), ("a", "a", True), (b"a", "a", False),
    ((1, "a"), (1, "a"), True), ((1,), (1.0,), False), ([1], [1], False), (None, None, True),
    (slice(1, 2), slice(1, 2), True), (range(3), range(3), True), (1j, 1j, True),
    (np.float32, np.float32, True), (len, len, True), (rt.float32, rt.float32, True),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "expected"), SAME)
def test_same(a: Any, b: Any, expected: bool) -> None:
    assert same(a, b) is expected


def test_functions_made_by_one_def_are_the_same_unless_they_capture_different_things() -> None:
    def make(captured: Any) -> Any:
        def inner() -> Any:
            return captured

        return inner

    value = object()
    assert same(make(value), make(value))
    assert not same(make(value), make(object()))


def test_identical_objects_stay_themselves() -> None:
    shared = [1, 2]
    assert abstract_pair(shared, shared) == (Same(shared), Same(shared))
    first, second = abstract_pair((shared, 1), (shared, 2))
    assert join(first, second) == Tree(first.structure, (Same(shared), Leaf(INT)))  # type: ignore[union-attr]


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: Any


VALUES = [
    3, 2.5, True, "a", None, (1, [2.0, {"k": True}]), Point(1, 2), Pair(1, (2,)), Frozen(1),
    collections.OrderedDict(a=1), collections.defaultdict(list, a=1),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_lift_undoes_lower(value: Any) -> None:
    trace = Trace("f")
    with trace:
        spec = abstract(value, staged=True)
        values = list(graph_values.lower(value, spec, trace))
        assert [v.type for v in values] == list(types_of(spec))
        assert len(list(graph_values.names_of(spec, "x"))) == len(values)
        lifted = graph_values.lift(spec, iter([trace.symbol(v) for v in values]))
    assert abstract(lifted, staged=True) == spec
    assert type(lifted) is (type(value) if not values or spec.__class__ is Tree else type(lifted))


def test_flags_tell_what_is_there() -> None:
    trace = Trace("f")
    with trace:
        spec = Maybe(Optional(Leaf(INT)), "y")
        for value, flags in [
            (autograph.Undefined("y"), [False]),
            (None, [True, False]),
            (3, [True, True]),
        ]:
            lowered = list(graph_values.lower(value, spec, trace))
            constants = {n.outputs[0]: n.params.get("value") for n in trace.scope.nodes}
            assert [constants[v] for v in lowered][: len(flags)] == flags
            assert [v.type for v in lowered] == [BOOL, BOOL, INT]


@pytest.mark.parametrize("other", [(1, 2, "a"), (1, 2, 3.5), (1, (2, 3), 4)], ids=repr)
def test_tuples_of_two_lengths_join_if_their_items_are_alike(other: tuple[Any, ...]) -> None:
    joined = join(abstract((1, 2)), abstract((1, 2, 3)), unites=True)
    assert isinstance(joined, Tree)
    assert joined.structure.kind().__class__ is tuple
    with pytest.raises(Mismatch, match="tuple of 2 and tuple of 3"):
        join(abstract((1, 2)), abstract(other), unites=True)

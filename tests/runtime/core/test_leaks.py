"""Functions keep none of their arguments alive: no variables, no arrays of theirs, no objects."""

from __future__ import annotations

import dataclasses
import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function
from tests.support.staging import traces

X = rt.constant(3.0)


def variable() -> Any:
    return rt.Variable(np.arange(4.0, dtype=np.float32))


def called(staged: Any, *args: Any, **kwargs: Any) -> None:
    """Often enough that calls take the short way."""
    for _ in range(12):
        staged(*args, **kwargs)


def summed(v: Any, x: Any) -> Any:
    return rt.reduce_sum(v * x)


def is_gone(*items: weakref.ref[Any]) -> bool:
    # First what was passed, then the traces for it, of which parts refer to each other.
    gc.collect()
    gc.collect()
    return all(item() is None for item in items)


def weakly(v: Any) -> tuple[weakref.ref[Any], weakref.ref[Any]]:
    return weakref.ref(v), weakref.ref(v.handle.raw)


# How a variable is passed


@dataclasses.dataclass
class Holder:
    held: Any


class Owner(rt.Module):
    def __init__(self, v: Any) -> None:
        super().__init__()
        self.held = v

    @property
    def first(self) -> Any:
        return self.held


def multiplied(v: Any) -> Callable[[Any], Any]:
    def again(x, n=2):
        return v * x if n == 0 else again(x, n - 1)

    return again


PASSED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "itself": (lambda v: v, lambda v: v),
    "list": (lambda v: [v, 1], lambda held: held[0]),
    "nested": (lambda v: {"k": (v, [v])}, lambda held: held["k"][0] + held["k"][1][0]),
    "dataclass": (Holder, lambda held: held.held),
    "module": (Owner, lambda held: held.held),
    "property": (Owner, lambda held: held.first),
    "partial": (lambda v: functools.partial(summed, v), lambda held: held(X)),
    "closure": (multiplied, lambda held: held(X)),
}


@pytest.mark.parametrize("options", [{}, {"reduce_retracing": True}], ids=str)
@pytest.mark.parametrize(("wrap", "read"), PASSED.values(), ids=PASSED)
def test_a_variable_that_is_passed_goes(wrap: Any, read: Any, options: dict[str, Any]) -> None:
    @function(**options)
    def staged(held, x):
        return read(held) * x

    v = variable()
    references = weakly(v)
    for x in (X, rt.ones([4]), rt.ones([1])):
        called(staged, wrap(v), x)
        called(staged, held=wrap(v), x=x)
    del v
    assert is_gone(*references)
    assert not any((staged._traces.by_key, staged._traces.generic))


# What is done with it


def looped(v: Any, x: Any) -> Any:
    for _ in rt.range(3):
        if rt.reduce_sum(v) < 100.0:
            v.assign_add(v * x)
    return v


def assigned(v: Any, x: Any) -> Any:
    v[1:].assign(v[1:] * x)
    v.scatter_update(rt.IndexedSlices([x], [0]))
    return v


def descended(v: Any, x: Any) -> Any:
    with rt.GradientTape() as tape:
        loss = summed(v, x) ** 2
    return v.assign_sub(0.001 * tape.gradient(loss, v))


inner = function(summed)


@function
def recursive(v, n):
    return v.value() if n <= 0.0 else recursive(v, n - 1.0) * v


@rt.custom_gradient
def squared(x):
    return x * x, lambda g: 2.0 * x * g


def failing(v: Any, x: Any) -> Any:
    v.assign_add(v)
    raise LookupError("always")


def differentiated(staged: Any, order: int) -> Callable[[Any, Any], Any]:
    def run(v: Any, x: Any) -> Any:
        with rt.GradientTape(persistent=True) as outer:
            with rt.GradientTape() as tape:
                y = staged(v, x)
            y = tape.gradient(y, v)
        return outer.gradient(y, v) if order == 2 else outer.jacobian(y, v)

    return run


DONE = {
    "loops": looped,
    "slices": assigned,
    "tape inside": descended,
    "calls": lambda v, x: inner(v, x),
    "recursion": recursive,
    "gradient rules": lambda v, x: squared(v * 1.0) * x,
}


@pytest.mark.parametrize("python_function", DONE.values(), ids=DONE)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_variable_that_was_used_goes(python_function: Any, order: int) -> None:
    staged = function(python_function)
    v = variable()
    references = weakly(v)
    called(differentiated(staged, order) if order else staged, v, X)
    del v
    assert is_gone(*references)
    assert not inner._traces.by_key
    assert not recursive._traces.by_key


def test_a_variable_goes_whose_function_raised() -> None:
    staged = function(failing)
    v = variable()
    references = weakly(v)
    for _ in range(3):
        with pytest.raises(LookupError):
            staged(v, X)
    del v
    assert is_gone(*references)


# What may outlive it


def test_a_concrete_function_outlives_its_variable() -> None:
    staged = function(lambda v, x: summed(v.assign_add(v), x))
    v = variable()
    concrete = staged.get_concrete_function(v, X)
    assert concrete.variables == concrete.trainable_variables == (v,)
    assert concrete.variables[0] is v
    references = weakly(v)
    assert float(concrete(X)) == 36.0
    del v
    gc.collect()
    assert references[0]() is None
    assert not staged._traces.by_key
    assert float(concrete(X)) == 72.0
    with rt.GradientTape() as tape:
        y = concrete(X)
    (again,) = concrete.variables
    assert tape.watched_variables()[0] is again is concrete.graph.variables[0]
    assert (float(y), tape.gradient(y, again).numpy().tolist()) == (144.0, [3.0] * 4)
    again.assign(rt.ones([4]))
    assert float(concrete(X)) == 24.0
    assert (again.name, again.dtype, again.shape.as_list()) == ("Variable:0", "float32", [4])


def test_a_tape_outlives_the_variables_that_it_watched() -> None:
    v = variable()
    with rt.GradientTape() as tape:
        y = v * v
    del v
    gc.collect()
    (watched,) = tape.watched_variables()
    assert tape.gradient(y, watched).numpy().tolist() == [0.0, 2.0, 4.0, 6.0]


def test_only_the_traces_of_what_is_gone_go() -> None:
    staged = function(lambda v, x: v * x)
    kept, gone = variable(), variable()
    called(staged, kept, X)
    called(staged, gone, X)
    called(staged, kept, X)
    known = list(staged._traces.by_key)
    del gone
    gc.collect()
    assert 0 < len(staged._traces.by_key) < len(known)
    assert traces(staged) == 2
    called(staged, kept, X)
    assert traces(staged) == 2


def test_a_variable_that_another_has_replaced_goes_with_the_next_trace() -> None:
    owner = Owner(variable())
    staged = function(lambda owner, x: owner.held * x)
    for _ in range(3):
        references = weakly(owner.held)
        called(staged, owner, X)
        owner.held = rt.Variable([1.0])
    assert staged(owner, X).numpy().tolist() == [3.0]
    assert is_gone(*references)


def test_what_a_captured_variable_held_before_goes_with_the_next_trace() -> None:
    owner, v = Owner(variable()), variable()
    staged = function(lambda x: owner.held * v * x)
    for _ in range(3):
        called(staged, X)
        references = weakref.ref(owner), weakref.ref(v)
        owner, v = Owner(variable()), variable()
        assert is_gone(*references)
    assert staged(X).numpy().tolist() == [0.0, 3.0, 12.0, 27.0]
    gc.collect()
    assert len(next(iter(staged._traces.by_key.values()))) == 1
    assert traces(staged) == 4


# Objects that what they hold leads back to


class Part:
    def __init__(self, whole: Any) -> None:
        self.whole = whole
        self.k = 2.0


class Whole(rt.Module):
    """`parts` are in a container that leads back to it."""

    def __init__(self, contain: Callable[[Any], Any]) -> None:
        super().__init__()
        self.v = variable()
        self.parts = contain(self)

    @function
    def __call__(self, x, read):
        return self.v * x * read(self.parts)

    def two(self) -> float:
        return 2.0


LEADING_BACK: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "list": (lambda w: [Part(w), 1], lambda held: held[0].k),
    "loop": (lambda w: [Part(w), Part(w)], lambda held: sum(part.k for part in held) / 2.0),
    "dict": (lambda w: {"a": Part(w)}, lambda held: held["a"].k),
    "values": (lambda w: {"a": Part(w)}, lambda held: next(iter(held.values())).k),
    "tuple": (lambda w: (Part(w),), lambda held: held[0].k),
    "nested": (lambda w: {"a": [(Part(w),)]}, lambda held: held["a"][0][0].k),
    "method": (lambda w: {"a": w.two}, lambda held: held["a"]()),
    "closure": (lambda w: [lambda: w.two()], lambda held: held[0]()),
    "itself": (lambda w: [w], lambda held: held[0].two()),
}


@pytest.mark.parametrize(("contain", "read"), LEADING_BACK.values(), ids=LEADING_BACK)
@pytest.mark.parametrize("is_method", [True, False])
def test_an_object_goes_that_its_parts_lead_back_to(
    contain: Any, read: Any, is_method: bool
) -> None:
    whole = Whole(contain)
    staged = Whole.__call__ if is_method else function(lambda w, x: w.v * x * read(w.parts))
    given = (X, read) if is_method else (whole, X)
    references = (weakref.ref(whole), *weakly(whole.v))
    for _ in range(12):
        result = whole(*given) if is_method else staged(*given)
        assert result.numpy().tolist() == [0.0, 6.0, 12.0, 18.0]
    assert (traces(whole.__call__) if is_method else traces(staged)) == 1
    del whole, given, result
    assert is_gone(*references)
    assert not staged._traces.by_key
    assert not Whole.__call__._bound


CHANGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "list item": ("list", lambda w: w.parts.__setitem__(0, changed(w))),
    "list attribute": ("list", lambda w: setattr(w.parts[0], "k", 5.0)),
    "list replaced": ("list", lambda w: setattr(w, "parts", [changed(w), 1])),
    "list grown": ("loop", lambda w: w.parts.extend([Part(w), Part(w), Part(w)])),
    "dict item": ("dict", lambda w: w.parts.__setitem__("a", changed(w))),
    "dict replaced": ("dict", lambda w: setattr(w, "parts", {"a": changed(w)})),
    "dict values": ("values", lambda w: w.parts.__setitem__("a", changed(w))),
    "tuple replaced": ("tuple", lambda w: setattr(w, "parts", (changed(w),))),
    "inner list": ("nested", lambda w: w.parts["a"].__setitem__(0, (changed(w),))),
    "inner dict": ("nested", lambda w: w.parts.__setitem__("a", [(changed(w),)])),
    "method": ("method", lambda w: w.parts.__setitem__("a", lambda: 5.0)),
}


def changed(whole: Any) -> Part:
    part = Part(whole)
    part.k = 5.0
    return part


@pytest.mark.parametrize(("name", "change"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_an_object_holds_traces_again(name: str, change: Any) -> None:
    contain, read = LEADING_BACK[name]
    whole, x = Whole(contain), rt.constant(1.0)
    outer = function(lambda x: whole(x, read) + 0.0)
    called(whole, x, read)
    called(outer, x)
    change(whole)
    # In place of what is gone, at the same addresses.
    gc.collect()
    for _ in range(12):
        wanted = whole.v.numpy() * read(whole.parts)
        assert wanted[1] == 5.0
        assert whole(x, read).numpy().tolist() == outer(x).numpy().tolist() == wanted.tolist()
    assert traces(whole.__call__) == traces(outer) == 2
    assert "parts" in whole.__call__.why_retraced().splitlines()[1]

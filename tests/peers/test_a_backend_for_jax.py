"""A backend for JAX, written from docs/backends.md alone, and plain functions that run on it."""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograph

pytestmark = pytest.mark.peers
jax = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax


class Jax(autograph.Backend):
    def cond(self, test: Any, body: Any, orelse: Any, inputs: Any, names: Any) -> Any:
        carried = _Values(inputs)
        results: list[_Values] = []

        def traced(block: Any) -> Callable[..., Any]:
            def run(*arrays: Any) -> Any:
                given = block(*carried.put(arrays))
                results.append(_Values(given if len(names) > 1 else (given,)))
                return results[-1].arrays

            return run

        def fitted(block: Any, layout: _Values) -> Callable[..., Any]:
            def run(*arrays: Any) -> Any:
                given = block(*carried.put(arrays))
                return layout.fit(given if len(names) > 1 else (given,))

            return run

        jax.eval_shape(traced(body), *carried.arrays)
        jax.eval_shape(traced(orelse), *carried.arrays)
        layout = _joined(*results)
        blocks = fitted(body, layout), fitted(orelse, layout)
        left = layout.put(lax.cond(_truth(test), *blocks, *carried.arrays))
        return tuple(left) if len(names) > 1 else left[0]

    def while_loop(self, test: Any, body: Any, state: Any, names: Any, first: Any) -> Any:
        layout = _Values(state)
        for _ in range(2):  # what a round leaves may be wider than what it began with
            after: list[_Values] = []

            def run(*arrays: Any, layout: Any = layout, after: Any = after) -> Any:
                given = body(*layout.put(arrays))
                after.append(_Values(given if len(names) > 1 else (given,)))
                return after[-1].arrays

            jax.eval_shape(run, *layout.fit(state))
            layout = _joined(layout, after[-1])

        def one_round(arrays: Any) -> Any:
            given = body(*layout.put(arrays))
            return layout.fit(given if len(names) > 1 else (given,))

        def proceed(arrays: Any) -> Any:
            return _truth(test(*layout.put(arrays)))

        left = layout.put(lax.while_loop(proceed, one_round, layout.fit(state)))
        return tuple(left) if len(names) > 1 else left[0]

    def for_loop(self, items: Any, body: Any, state: Any, names: Any, test: Any = None) -> Any:
        def proceed(at: Any, *state: Any) -> Any:
            there = at < items.shape[0]
            return there if test is None else jnp.logical_and(there, _truth(test(*state)))

        def one_round(at: Any, *state: Any) -> Any:
            left = body(items[at], *state)
            return at + 1, *(left if len(names) > 1 else (left,)[: len(names)])

        # `test` is not asked before the first item.
        if test is not None and items.shape[0]:
            left = body(items[0], *state)
            state = left if len(names) > 1 else (left,)[: len(names)]
        begin = jnp.asarray(0 if test is None else 1)
        loop = (begin, *state)
        found = self.while_loop(proceed, one_round, loop, ("at", *names), None)
        found = found[1:] if names else ()
        return found if len(names) > 1 else (found[0] if names else None)

    def not_(self, a: Any) -> Any:
        return jnp.logical_not(_truth(a))

    def and_(self, a: Any, *rest: Any) -> Any:
        for further in rest:
            a = self.cond(a, lambda further=further: _truth(further()), lambda: False, (), ())
        return a

    def or_(self, a: Any, *rest: Any) -> Any:
        for further in rest:
            a = self.cond(a, lambda: True, lambda further=further: _truth(further()), (), ())
        return a

    def stages(self, value: Any) -> bool:
        return isinstance(value, jax.core.Tracer)


def _truth(value: Any) -> Any:
    return jnp.asarray(value).astype(bool)


class _Values:
    """State as arrays: what is no number is remembered, and `Undefined` and None take any."""

    def __init__(self, items: Any) -> None:
        self.items = list(items)
        self.places = [at for at, item in enumerate(self.items) if _is_number(item)]

    @property
    def arrays(self) -> list[Any]:
        return [jnp.asarray(self.items[at]) for at in self.places]

    def put(self, arrays: Any) -> list[Any]:
        found = dict(zip(self.places, arrays, strict=True))
        return [found.get(at, item) for at, item in enumerate(self.items)]

    def fit(self, items: Any) -> list[Any]:
        pairs = [(items[at], self.items[at]) for at in self.places]
        return [
            jnp.asarray(item if _is_number(item) else 0, jnp.asarray(like).dtype)
            for item, like in pairs
        ]


def _is_number(item: Any) -> bool:
    return isinstance(item, bool | int | float | jax.Array)


def _joined(first: _Values, second: _Values) -> _Values:
    joined = []
    for a, b in zip(first.items, second.items, strict=True):
        if _is_number(a) and _is_number(b):
            joined.append(jnp.zeros(jnp.shape(a), jnp.result_type(a, b)))
        else:
            joined.append(b if _is_number(b) else a)
    return _Values(joined)


autograph.register_backend(jax.core.Tracer, Jax())


def collatz(n):
    steps = 0
    while n != 1:
        if steps >= 200:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps = steps + 1
    return steps


def early(x):
    if x > 2.0:
        return x * 2.0
    if x < -2.0:
        return -x
    y = x + 1.0
    return y * y


def newton(x):
    y = x
    for _ in range(3):
        y = 0.5 * (y + x / y)
    while abs(y * y - x) > 1e-3 * x:
        y = 0.5 * (y + x / y)
    return y


def ternary(x):
    return x * 3.0 if x > 0.0 else (-x if x < -1.0 else x * x)


def logic(x):
    if (x > 0.0 and x < 2.0) or not x > -2.0:
        return x + 1.0
    return x - 1.0


def first_defined_inside(x):
    if x > 0.0:
        found = x * 2.0
    else:
        found = x - 2.0
    return found


def summed(x):
    total = 0.0
    for item in x * ITEMS:
        if item > 4.0:
            break
        total = total + item
    return total


def searched(x):
    for item in x * ITEMS:
        if item > 2.0:
            return item
    return x


ITEMS = jnp.asarray([1.0, 2.0, 3.0, 4.0])
SMOOTH = [early, newton, ternary, logic, first_defined_inside, summed, searched]
POINTS = [0.6, 1.5, 3.0]


@pytest.mark.parametrize("n", [1, 6, 27])
def test_collatz(n: int) -> None:
    assert int(jax.jit(autograph.convert(collatz))(n)) == collatz(n)


@pytest.mark.parametrize("function", SMOOTH, ids=lambda function: function.__name__)
@pytest.mark.parametrize("x", POINTS)
def test_compiled_differentiated_and_mapped(function: Callable[..., Any], x: float) -> None:
    converted = autograph.convert(function)
    expected = float(function(jnp.asarray(x)))
    assert float(jax.jit(converted)(x)) == pytest.approx(expected, rel=1e-6)
    mapped = jax.vmap(converted)(jnp.asarray(POINTS))
    assert float(mapped[POINTS.index(x)]) == pytest.approx(expected, rel=1e-6)
    step = 1e-3
    slope = (float(function(jnp.asarray(x + step))) - float(function(jnp.asarray(x - step)))) / (
        2 * step
    )
    _, gradient = jax.jvp(jax.jit(converted), (x,), (1.0,))
    assert float(gradient) == pytest.approx(slope, rel=2e-2, abs=2e-2)
    if function not in (newton, summed, searched):  # JAX has no reverse mode through `while`
        assert float(jax.grad(converted)(x)) == pytest.approx(float(gradient), rel=1e-5)

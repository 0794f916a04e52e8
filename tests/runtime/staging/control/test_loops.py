"""Staged loops: what they carry widens until it holds, and each is traced a few times only."""

from __future__ import annotations

import linecache
import runpy
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime.functions.function import function
from runtime.staging.control import loops

X = rt.constant(3)


@pytest.mark.parametrize("depth", [2, 4, 8])
def test_nests_are_traced_once_for_each_loop(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 0
    trace_round = loops._trace_round

    def counting(*args: Any) -> Any:
        nonlocal rounds
        rounds += 1
        return trace_round(*args)

    monkeypatch.setattr(loops, "_trace_round", counting)

    def nest(n: Any, total: Any, left: int) -> Any:
        if left == 0:
            return total + 0.5

        def test(i: Any, total: Any) -> Any:
            return i < n

        def body(i: Any, total: Any) -> Any:
            return i + 1, nest(n, total, left - 1)

        return autograph.calls.ag.while_loop(test, body, (0, total))[1]  # type: ignore[attr-defined]

    staged = function(lambda n: nest(n, 0, depth), autograph=False)
    assert float(staged(rt.constant(1))) == 0.5
    # The sum widens from int to float: each loop is traced twice, and from then on starts wide.
    assert rounds <= depth * (depth + 1)


def test_a_chain_of_widenings_ends() -> None:
    def chain(n):
        a, b, c, d, e = 0, 0, 0, 0, 0.5
        while n > 0:
            a, b, c, d = b, c, d, e
            n = n - 1
        return a, b, c, d

    assert [float(t) for t in function(chain)(X)] == [0.0, 0.5, 0.5, 0.5]


def test_shapes_relax() -> None:
    def grow(x, n):
        while n > 0:
            x = rt.concat([x, x], 0)
            n = n - 1
        return x

    concrete = function(grow).get_concrete_function(
        rt.TensorSpec([1], rt.float32), rt.TensorSpec([], rt.int32)
    )
    assert concrete.structured_outputs.shape.as_list() == [None]
    assert concrete(rt.constant([1.0]), X).shape == [8]


def test_loop_options() -> None:
    def limited(n):
        x = rt.constant([1.0])
        i = 0
        while i < n:
            autograph.set_loop_options(maximum_iterations=2, shape_invariants=[(x, [None])])
            x = rt.concat([x, x], 0)
            i += 1
        return x, i

    x, i = function(limited)(rt.constant(5))
    assert x.shape == [4]
    assert int(i) == 2


@pytest.mark.parametrize(
    ("limit", "rounds"),
    [
        (lambda xs, i: rt.shape(xs)[0] - 1, 2),
        (lambda xs, i: rt.maximum(len(xs) // 2, 0) + 3, 4),
        (lambda xs, i: len(xs) + i, 5),
    ],
)
def test_the_most_rounds_are_computed_before_the_loop(limit: Any, rounds: int) -> None:
    def program(xs):
        counts = []
        for i in range(3):
            count = rt.constant(0)
            while count < 9:
                autograph.set_loop_options(maximum_iterations=limit(xs, i))
                count = count + 1
            counts.append(count)
        return counts

    counts = function(program, input_signature=[rt.TensorSpec([None])])(rt.zeros([3]))
    assert int(counts[0 if rounds < 5 else 2]) == rounds


def nest(depth: int, body: str) -> Any:
    """Loops in each other that change objects from outside of them, and lists of their own."""
    lines = ["def f(x):", "    items, d = [], {'k': x}"]
    for at in range(1, depth + 1):
        own = f"own{at}"
        lines += ["    " * at + f"{own} = []"] if OWN in body else []
        lines += ["    " * at + "for _ in tf.range(2):"]
        lines += ["    " * (at + 1) + f"{own}.append(x)"] if OWN in body else []
    lines += ["    " * (depth + 1) + body, "    return d['k'], len(items)"]
    return "\n".join(lines)


OWN = "len(own1)"
BODIES = [
    "items.append(x)",
    "d['k'] = d['k'] + x",
    "items.append(d['k']); d['k'] = d['k'] * 0.5",
    f"d['k'] = d['k'] + {OWN}",
]


@pytest.mark.parametrize("body", BODIES)
def test_nests_take_no_exponential_number_of_traces(
    body: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "nests.py"
    rounds: list[int] = []
    traced = loops._trace_round

    def counting(*args: Any) -> Any:
        rounds[-1] += 1
        return traced(*args)

    monkeypatch.setattr(loops, "_trace_round", counting)
    for depth in (4, 8):
        path.write_text("import runtime as tf\n" + nest(depth, body) + "\n")
        namespace = runpy.run_path(str(path))
        rounds.append(0)
        staged = function(namespace["f"])
        linecache.checkcache(str(path))
        value, count = staged(rt.constant(1.0))
        expected = namespace["f"](rt.constant(1.0))
        assert float(value) == float(expected[0])
        assert int(count) == expected[1]
    assert rounds[1] <= 4.5 * rounds[0]


class Walk:
    def __init__(self) -> None:
        self.is_long = True
        self.stride = 2
        self.at = 0
        self.last: Any = None


@autograph.do_not_convert
def stride(walk: Walk) -> int:
    return 10 * walk.stride if walk.is_long else 1


def walked(n: Any, times: Any) -> Any:
    walk = Walk()
    for at in range(times):
        for i in range(n):
            walk.at += stride(walk) + i
        walk.last = at
    return walk.at, walk.last


def slowed(n: Any, times: Any) -> Any:
    walk = Walk()
    for _ in range(times):
        for i in range(n):
            walk.at += stride(walk) + i
            if walk.at > 30:
                walk.is_long = False
    return walk.at, walk.is_long


def test_numbers_of_an_object_that_no_round_changes_are_pythons() -> None:
    found = rt.function(walked)(rt.constant(3), rt.constant(2))
    assert [int(each) for each in found] == [*walked(3, 2)]
    with pytest.raises(rt.errors.OperatorNotAllowedInGraphError, match="walk_is_long"):
        rt.function(slowed)(rt.constant(3), rt.constant(2))

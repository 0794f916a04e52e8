"""Containers in containers that paths and rounds change with what is around them: as in Python."""

import linecache
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.runtime.staging.lists.random_containers import CALLS, INNER, PLACES, Writer
from tests.support.staging import as_python

REFUSALS = (
    autograph.AutographError,
    rt.errors.OperatorNotAllowedInGraphError,  # where Python itself is asked, by a set of its own
    rt.errors.RefusedError,  # of the run
)
SEEDS = (*range(20), 260701031, 370701006, 450705147)
LEAVING = [(place, seed) for place in PLACES if place != "local" for seed in range(6)]
LEAVING += [("object", 50051), ("outside", 400792), ("defaults", 701688)]


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return repr(as_python(call())).replace("b'", "'")
    except REFUSALS:
        raise
    except Exception as error:
        return type(error)


def _loaded(text: str, name: str) -> dict[str, Any]:
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {"__name__": name}
    exec(compile(text, name, "exec"), names)
    return names


@pytest.mark.parametrize("executor", ["numpy", "native"])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int, executor: str) -> None:
    text = Writer(seed).program()
    name = f"<containers {seed}>"
    program = _loaded(text, name)["program"]
    staged = rt.function(program, executor=executor)
    for x, n, xs in CALLS:
        wanted = _attempt(lambda x=x, n=n, xs=xs: program(x, n, xs))
        try:
            args = [rt.constant(each, rt.int64) for each in (x, n, xs)]
            found = _attempt(lambda args=args: staged(*args))
        except REFUSALS as refusal:
            assert name in str(refusal), refusal  # noqa: PT017
            return
        assert found == wanted, text


def _told(value: Any, known: dict[int, int]) -> Any:
    """What is in a value, with a number for each object, by which it is told where it is again."""
    if isinstance(value, tuple):
        return type(value).__name__, [_told(each, known) for each in value]
    if not isinstance(value, list | dict | set | deque) and not hasattr(value, "a"):
        return as_python(value)
    if id(value) in known:
        return known[id(value)]
    at = known[id(value)] = len(known)
    if isinstance(value, set):
        return at, sorted(map(as_python, value))
    if isinstance(value, dict):
        items = [(as_python(key), _told(each, known)) for key, each in value.items()]
    else:
        held = value if isinstance(value, list | deque) else (value.a, value.b)
        items = [_told(each, known) for each in held]
    return at, type(value).__name__, items


@pytest.mark.parametrize(("place", "seed"), LEAVING)
def test_random_programs_that_leave_something(place: str, seed: int) -> None:
    writer = Writer(seed, place)
    text = writer.program()
    name = f"<containers {place} {seed}>"
    numbers = seed % 2 or writer.inner in (INNER["set"], INNER["counts"])
    start = [x if numbers else rt.constant(x, rt.int64) for x in (2, 1)]
    program, args, kept = _loaded(text, name)["begin"](2, 1)
    other, own_args, own_kept = _loaded(text, name)["begin"](*start)
    staged = rt.function(other, executor="native" if seed % 3 == 0 else "numpy")
    for x, n, xs in CALLS:
        wanted = _attempt(lambda x=x, n=n, xs=xs: program(x, n, xs, *args))
        try:
            given = [rt.constant(each, rt.int64) for each in (x, n, xs)]
            found = _attempt(lambda given=given: staged(*given, *own_args))
        except REFUSALS as refusal:
            assert name in str(refusal), refusal  # noqa: PT017
            return
        assert found == wanted, text
        if isinstance(wanted, type):
            return
        assert _told(own_kept(), {}) == _told(kept(), {}), text


class Box:
    a: Any = None


BOXES = {"a": Box()}


def in_a_list(x: Any, n: Any) -> Any:
    e = [[x]]
    for _ in range(n):
        e[0] = [n, 3]
        e[0].append(x)
        e[0][0] += 1
    return e[0]


def in_a_dict(x: Any, n: Any) -> Any:
    e = {"a": {"n": 1}}
    for _ in range(n):
        e["a"] = {"n": x}
        e["a"].update(n=n + 1)
    return e["a"]["n"]


def in_an_object(x: Any, n: Any) -> Any:
    e = Box()
    e.a = [x]
    for _ in range(n):
        e.a = [[n], 3]
        e.a[0].extend([x, 4])
        e.a[0].pop()
        e.a.reverse()
    return e.a


def in_two(x: Any, n: Any) -> Any:
    e, k = [[x]], [[0]]
    for _ in range(n):
        e[0] = [n, 3]
        k[0] = e[0]
        e[0].append(x)
        k[0].append(2)
    return e[0], k[0], e[0] is k[0]


def in_a_new_object(x: Any, n: Any) -> Any:
    e = {"a": Box()}
    e["a"].a = [[x]]
    for _ in range(n):
        e["a"] = Box()
        e["a"].a = [[n]]
        e["a"].a.append([1])
        e["a"].a[0].extend(e["a"].a[1])
    return e["a"].a


def in_a_variable(x: Any, n: Any) -> Any:
    kept = [1]

    def put() -> None:
        nonlocal kept
        kept = [x]
        kept.append(n)

    for _ in range(n):
        put()
    return kept


def in_one_from_outside(x: Any, n: Any) -> Any:
    BOXES["a"].a = [1, 1]
    for _ in range(n):
        put_outside(x)
    return list(BOXES["a"].a)


def put_outside(x: Any) -> None:
    BOXES["a"].a = [x, 2]
    BOXES["a"].a.append(4)
    BOXES["a"].a.pop(0)


def and_one_from_before(x: Any, n: Any) -> Any:
    e = [[x]]
    old = e[0]
    for y in range(n):
        old.append(y)
        e[0] = [n, 3]
        e[0].append(old.pop(0))
    return old, e[0]


PUT_IN = [
    *(in_a_list, in_a_dict, in_an_object, in_two, in_a_new_object, in_a_variable),
    *(in_one_from_outside, and_one_from_before),
]


@pytest.mark.parametrize("program", PUT_IN, ids=lambda program: program.__name__)
def test_new_ones_that_are_put_into_others_and_changed(program: Callable[..., Any]) -> None:
    staged = rt.function(program)
    for x, n in ((3, 2), (5, 0), (-1, 3)):
        found = staged(rt.constant(x, rt.int64), rt.constant(n, rt.int64))
        assert as_python(found) == program(x, n)

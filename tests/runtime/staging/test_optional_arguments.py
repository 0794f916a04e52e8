"""Arguments and bounds of slices that are None on one path, where None means a default."""

from __future__ import annotations

import bisect
import heapq
import itertools
import json
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support.staging import assert_as_in_python


def _two(x):
    return 2 if x > 3 else None


def _back(x):
    return -1 if x > 2 else None


def _down(x):
    return (lambda v: -v) if x > 3 else None


def _large(x):
    return (lambda v: v > 2) if x > 3 else None


def _sep(x):
    return "," if x > 3 else None


def slices_of_lists(x):
    n = _two(x)
    return [1, 2, x, 4][:n], [1, 2, 3, 4][n:], [[1], [x]][:n], ["a", "b"][n:]


def steps(x):
    a, b, c = _two(x), 3 if x > 5 else None, _back(x)
    return list(range(9))[::a], [1, 2, 3, x][b::c], (1, 2, 3, x)[:a:c], "abcdef"[b:a:c]


def slices_of_texts(x, text="hello"):
    n, made = _two(x), f"abc{x}"
    return "abcd"[:n], text[n:], text.upper()[:n], made[:n], made[n:], made[::n]


def slices_that_are_assigned(x):
    n = _two(x)
    a, b, c = [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]
    a[:n] = [x]
    b[n:] += [9]
    del c[:n]
    return a, b, c


def slices_of_tensors(x):
    n = _two(x)
    t = rt.reshape(rt.range(12), (3, 4)) + rt.cast(x, rt.int32)
    return (
        rt.reduce_sum(t[:n]),
        rt.reduce_sum(t[:, n:]),
        rt.reduce_sum(t[0, :: _back(x)] * [1, 2, 3, 4]),
    )


def slices_of_arrays(x):
    n = _two(x)
    made = np.arange(4) + x
    made[:n] = 0
    return rt.reduce_sum(made[n:]), rt.reduce_sum(made[:n])


def a_limit_that_a_loop_finds(x):
    limit = None
    for i in range(x):
        if i == 2:
            limit = i
    return [1, 2, 3, 4][:limit]


def a_slice_that_is_made(x):
    part = slice(_two(x))
    return [1, 2, 3, 4][part]


def keys(x):
    key = _down(x)
    return max([3, x, 2], key=key), min(3, x, 2, key=key), sorted([3, x, 2], key=key)


def keys_of_plain_items(x):
    key = _down(x)
    return (
        max([3, 1, 2], key=key),
        sorted([3, 1, 2], key=key, reverse=True),
        heapq.nlargest(1, [3, 1], key),
    )


def keys_of_generators(x):
    key = _down(x)
    return max((v for v in [3, x, 2]), key=key), sorted((v for v in [3, x, 2]), key=key)


def lists_that_are_sorted(x):
    a, b = [3, x, 2], [3, 1, 2]
    c = a
    a.sort(key=_down(x))
    b.sort(key=_down(x), reverse=True)
    return c, b


def filters(x):
    f = _large(x)
    return list(filter(f, [3, x, 0, 2])), sum(filter(f, range(5)))


def parts_of_texts(x):
    sep = _sep(x)
    return "a,b c d".split(sep), "a,b c,d".rsplit(sep, 1), " ,a,".strip(sep), f",{x} a".split(sep)


def rounded(x):
    n = 1 if x > 3 else None
    return round(2.567 * x, n), round(2.567, n), pow(3, 4, 7 if x > 3 else None)


def of_the_library(x):
    n = _two(x)
    found = (
        list(itertools.islice([1, 2, 3, x], n)),
        list(itertools.accumulate([1, 2, x], initial=n)),
    )
    return found, bisect.bisect([1, 2, 3, 4], 9, 0, n), Counter("aabbbc").most_common(n)


def bounded_deque(x):
    return list(deque([1, 2, x], _two(x)))


def texts_of_json(x):
    return json.dumps({"a": [1]}, indent=_two(x))


def places_in_texts(x):
    n = _two(x)
    return "abcab".find("a", n), "abcab".count("a", None, n), "abcab".startswith("c", n)


def reduced(x):
    axis = 0 if x > 3 else None
    return rt.reduce_sum(rt.ones((2, 3)), axis=axis), rt.reduce_max(
        np.sum(np.ones((2, 3)), axis=axis)
    )


def methods_of_arrays(x):
    axis = 0 if x > 3 else None
    made = np.arange(6.0).reshape(2, 3) * np.float64(x)
    return (
        (
            rt.reduce_sum(made.sum(axis=axis)),
            rt.reduce_sum(made.max(axis)),
            rt.reduce_sum(made.std(axis=axis)),
        ),
        (
            rt.reduce_sum(made.take([1], axis)),
            rt.reduce_sum(made.cumsum(axis)),
            rt.reduce_sum(made.prod(axis=axis)),
        ),
    )


def functions_of_arrays(x):
    axis = 0 if x > 3 else None
    made = np.arange(6.0).reshape(2, 3) * np.float64(x)
    return (
        (rt.reduce_sum(np.sort(-made, axis=axis) * 2), rt.reduce_sum(np.argsort(made, axis))),
        (
            rt.reduce_sum(np.concatenate([made, made], axis=axis)),
            rt.reduce_sum(np.clip(made, axis, 3)),
        ),
    )


def a_number_that_is_rounded(x):
    n = _two(x)
    return round(n) if n is not None else -1


def arrays_under_a_try(x):
    made = np.arange(6.0).reshape(2, 3) * np.float64(x)
    try:
        return rt.reduce_sum(made.sum(axis=0 if x > 3 else None))
    except TypeError:
        return -1.0


def no_operand(x):
    try:
        return np.sum(np.add(np.arange(3.0) * np.float64(x), _two(x)))
    except TypeError:
        return -1.0


def handed_on(x):
    n = _two(x)
    found = {"k": 1}
    return found.get("a", n), max([], default=n), dict.fromkeys("ab", n), found.setdefault("b", n)


def of_next(x):
    n = _two(x)
    return next(iter([]), n), next(iter([7]), n), next((i for i in (1, 2) if i > x), n)


def of_the_users(x):
    class Pair:
        def __init__(self, a=None, b=None):
            self.a, self.b = a, b

    def either(a, b=None):
        return a if b is None else b

    made = Pair(_two(x), b=_two(x))
    return made.a is None, made.b, either(x, _two(x)), either(x, b=_two(x))


def under_a_try(x):
    try:
        return (
            sum([1, 2, 3, 4][: _two(x)]),
            len("a,b c d".split(_sep(x))),
            max([3, x], key=_down(x)),
        )
    except TypeError:
        return -1, -1, -1


def of_another_kind(x):
    n = "a" if x > 3 else None
    try:
        return round(2.567 * x, n)
    except TypeError:
        return -1


DEFAULTS = (
    slices_of_lists, steps, slices_of_texts, slices_that_are_assigned, slices_of_tensors,
    slices_of_arrays, a_limit_that_a_loop_finds, a_slice_that_is_made, keys, keys_of_plain_items,
    keys_of_generators, lists_that_are_sorted, filters, parts_of_texts, rounded, of_the_library,
    bounded_deque, texts_of_json, places_in_texts, reduced, methods_of_arrays, functions_of_arrays,
    arrays_under_a_try, no_operand, handed_on, of_next, of_the_users, under_a_try, of_another_kind,
    a_number_that_is_rounded,
)  # fmt: skip


@pytest.mark.parametrize("function", DEFAULTS, ids=lambda f: f.__name__)
def test_none_means_a_default_where_the_run_chooses_it(function: Callable[..., Any]) -> None:
    assert_as_in_python(function, 1, 5, 3, 7)


@pytest.mark.parametrize("kind", [rt.identity, np.asarray])
def test_an_index_of_a_tensor_that_is_none_is_a_new_axis(kind: Callable[..., Any]) -> None:
    @rt.function
    def item(t, x):
        n = _two(x)
        try:
            return kind(t)[n]
        except TypeError:
            return -1

    t = rt.range(4)
    assert int(item(t, rt.constant(5))) == 2
    with pytest.raises(rt.errors.RefusedError, match="an index of a tensor is None here"):
        item(t, rt.constant(1))


def part_of_bytes(x):
    return b"abcd"[: _two(x)]


def groups(x):
    return [key for key, _ in itertools.groupby([1, 3, x], _down(x))]


def permuted(x):
    return list(itertools.permutations([1, 2, 3], _two(x)))


def iterator_that_may_be_none(x):
    items = None
    if x > 3:
        items = iter([1, 2])
    try:
        return next(items)
    except TypeError:
        return -1


REFUSED = (
    (iterator_that_may_be_none, "an iterator that is None on some path", "make it on every path"),
    (permuted, "a call with a value and one with None", "in place of an iterator"),
    (part_of_bytes, "used as a Python index", "decide by an `if`"),
    (groups, "a call with a value and one with None", "in place of an iterator"),
)


@pytest.mark.parametrize(("function", "reason", "way_out"), REFUSED, ids=lambda x: str(x)[:20])
def test_what_has_no_branch_for_none(function: Any, reason: str, way_out: str) -> None:
    for x in (1, 5):
        with pytest.raises(
            (autograph.errors.StagingError, rt.errors.OperatorNotAllowedInGraphError),
            match=reason,
        ) as refusal:
            rt.function(function)(rt.constant(x))
        assert way_out in str(refusal.value)
        assert "test_optional_arguments.py" in str(refusal.value)

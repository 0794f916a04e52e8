"""Each change of a collection, and each question, in each statement that may stop or leave: what
the graph makes of them is Python's.
"""

from __future__ import annotations

import linecache
from collections import Counter, defaultdict, deque
from contextlib import suppress
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import attempt, same_outcome

BEGIN = {
    "d": "d = {0: a, 2: 5}",
    "k": "d = {'k': a * 2}",
    "g": "g = {}; g[a] = [a, 5]",
    "h": "h = defaultdict(list)",
    "s": "s = {a, 2}",
    "q": "q = deque([a, 2, 3])",
    "c": "c = Counter([a, 2, 2])",
    "w": "w = [a, 2, 7]",
    "t": "t = [[a, 0], [1, 2]]",
}
CHANGES = {
    "d": (
        *("d[b] = a", "d[b] = d.get(b, 0) + 1", "d[0] += b", "d.update({b: 1, 1: b})"),
        *("d.pop(b, 0)", "d.setdefault(b, a)", "del d[2]", "d |= {b: 3}"),
        *("b = max(d.values(), default=b)", "b = max(d, default=b)", "b = sum(d.values())"),
        *("b = d[b] if b in d else a", "b = sorted(d.items())[0][1]", "b = min(d, key=d.get)"),
    ),
    "k": ("d['k'] = b * 3", "d['j'] = b", "b = max(d.values(), default=b)"),
    "g": ("g.setdefault(b, []).append(a)", "g[a].append(b)", "b = len(g)"),
    "h": ("h[b].append(a)", "h[b % 2] += [a, b]", "b = len(h[b])"),
    "s": ("s.add(b)", "s.discard(b)", "s |= {b, 1}", "s -= {b}", "b = max(s, default=b)"),
    "q": ("q.append(b)", "q.appendleft(b)", "b = q.popleft()", "q.rotate(b)", "b = q[-1]"),
    "c": ("c[b] += 1", "c.update([b, b])", "b = c[b]", "b = c.most_common(1)[0][1]"),
    "w": ("w.append(b)", "w[b % 3] = a", "b = w.pop()", "w.insert(1, b)", "w.sort()", "b = max(w)"),
    "t": ("t[b % 2][a % 2] = b", "r = t[1]; r[0] = b"),
}
STATEMENTS = {
    "then_a_try": """\
    if a == b:
        return -1
    {begin}
    if b >= a:
        {change}
    if a > -5:
        try:
            b = a + 1
        finally:
            b = b + 5""",
    "in_a_try": """\
    {begin}
    try:
        if b > 1:
            {change}
    except ValueError:
        b = 7
    finally:
        b = b + 1""",
    "in_a_failing_try": """\
    {begin}
    try:
        {change}
        b = 6 // a
    except ZeroDivisionError:
        b = 2""",
    "in_a_finally": """\
    {begin}
    try:
        b = 6 // a
    except ZeroDivisionError:
        b = 1
    finally:
        {change}""",
    "in_a_try_in_a_loop": """\
    {begin}
    k = 0
    while k < b:
        k += 1
        try:
            {change}
        finally:
            b = b % 4""",
    "in_a_with": """\
    if a > 3:
        return b
    {begin}
    with suppress(ValueError):
        if a > b:
            raise ValueError
        {change}""",
    "behind_a_return_in_a_loop": """\
    {begin}
    for i in range(b):
        if i > a:
            return i
        {change}
        b = b % 5""",
    "behind_a_break": """\
    {begin}
    n = 0
    while True:
        {change}
        n = n + 1
        if b > 2 or n > 4:
            break""",
}
DIGESTS = {
    **dict.fromkeys("dc", "sum([k * 7 + v for k, v in {}.items()])"),
    **dict.fromkeys("gh", "sum([k + 7 * sum(v) for k, v in {}.items()])"),
    **dict.fromkeys("sqw", "sum([i * v for i, v in enumerate(sorted({}))])"),
    "t": "sum([sum(row) for row in {}])",
}


def program(kind: str, change: str, statement: str) -> str:
    """A function of `a` and `b` with the change of a collection in a statement."""
    begin = BEGIN[kind]
    name = begin[0]
    body = STATEMENTS[statement].format(begin=begin, change=change)
    digest = "d['k']" if kind == "k" else DIGESTS[name].format(name)
    return f"def f(a, b):\n{body}\n    return b * 100 + {digest}\n"


def loaded(text: str, name: str) -> Any:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"deque": deque, "Counter": Counter, "defaultdict": defaultdict, "suppress": suppress}
    exec(compile(text, name, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("kind", CHANGES)
def test_as_in_python(kind: str, statement: str) -> None:
    for change in CHANGES[kind]:
        text = program(kind, change, statement)
        function = loaded(text, f"<{change} {statement}>")
        staged = rt.function(loaded(text, f"<{change} {statement}>"))
        for a, b in ((0, 4), (2, 1), (4, 4), (3, 2), (-6, 0)):
            expected = attempt(lambda: function(a, b))  # noqa: B023
            got = attempt(lambda: staged(rt.constant(a), rt.constant(b)))  # noqa: B023
            assert same_outcome(expected, got), (text, a, b, expected, got)

"""What each converter must leave alone; its docstring and the fixtures show what it changes."""

import re
import textwrap

import gast
import pytest

from autograph import pipeline
from autograph.printing import to_source

GENERATOR = """
def f(xs):
    for x in xs:
        if x:
            continue
        if x > 1:
            break
        yield x
    return xs
"""
COROUTINE = """
async def f(xs):
    async for x in xs:
        if x:
            break
    return xs
"""
NESTED_ONLY = """
def f(x):
    class C:
        y = x if x else [x and 1]
        z = y(1)

        def g(self, a=y or z, b=z(1) if y < z < 3 else z[0]):
            return a
    return C
"""
PATTERNS = """
def f(x):
    match x:
        case -1 | 'a' | C.a if (yield):
            return 1
"""
ANNOTATIONS = """
def f(x: g(1) if h else 2, *y: a and b) -> (k(1), not c):
    z: m(1) = x
    return z
"""
SIMPLE = """
def f(x, y):
    x.a = y
    x.b[0].c = y + 1
    x, y = y, x
    z = [i + x for i in y]
    del z
    return (x < y, x >= y, -x, x == None)
"""
LEAVES_NOTHING = """
def f(x, y):
    if x:
        y = 1
    else:
        raise ValueError
    return y
"""

UNCHANGED = {
    "match_statements": [PATTERNS, GENERATOR, SIMPLE],
    "raising_guards": [
        SIMPLE,
        PATTERNS,
        "def f(x):\n    if isinstance(x, int):\n        raise TypeError\n    return x",
        "def f(x):\n    assert not isinstance(x, int)\n    return isinstance(x, int)",
        "def f(x):\n    if not isinstance(x, int):\n        return None\n    return x",
        "def f(x):\n    if type(x) == int:\n        raise TypeError\n    return type(x) != int",
        "def f(x):\n    assert type(x) is not int and type(x) < int < y and x.type(x) is int",
        "def f(x, *y):\n    assert isinstance(*y) and isinstance(x, int) == 1",
        "def f(x):\n    try:\n        assert isinstance(x, int)\n    except E:\n        return x",
        "def f(x):\n    with g():\n        assert isinstance(x, int)\n    return x",
    ],
    "with_statements": [SIMPLE, GENERATOR, LEAVES_NOTHING],
    "raise_statements": [SIMPLE, LEAVES_NOTHING, PATTERNS],
    "growing_lists": [
        "def f(x):\n    items = []\n    items.append(x)\n    return items",
        "def f(x):\n    for i in x:\n        items = []\n        items.append(i)\n    return items",
        "def f(x, items):\n    if x:\n        items.append(x)\n    return items",
        "def f(x):\n    items = g(x)\n    if x:\n        items.append(x)\n    return items",
        "def f(x):\n    items = []\n    for i in x:\n        others.append(items[0])",
        SIMPLE,
    ],
    "hoisting": [
        "def f(x):\n    y = (z := x) + 1\n    return sum(w for v in x if v and (w := v))",
        "def f(x):\n    if (y := x) > 1:\n        pass\n    return y and x",
        "def f(x):\n    while x and (yield (y := x)):\n        pass",
        SIMPLE,
    ],
    "definite_exits": [
        GENERATOR,
        LEAVES_NOTHING,
        "def f(x):\n    if x:\n        raise ValueError\n    return x",
        "def f(x):\n    with x:\n        return 1\n    return 2",
        "def f(x):\n    while x:\n        return 1\n    return 2",
    ],
    "continue_statements": [GENERATOR, COROUTINE, LEAVES_NOTHING, SIMPLE],
    "break_statements": [GENERATOR, COROUTINE, LEAVES_NOTHING, SIMPLE],
    "return_statements": [
        GENERATOR,
        LEAVES_NOTHING,
        "def f(x):\n    if x:\n        return 1\n    else:\n        return 2",
        "def f(x):\n    with x:\n        return 1\n    return 2",
        "def f(x):\n    try:\n        return 1\n    except E:\n        return 2",
        "def f(x):\n    try:\n        y = 1\n    except E:\n        return 2\n    return y",
        "def f(x):\n    match x:\n        case 1 if (yield):\n            return 2",
    ],
    "super_calls": [
        SIMPLE,
        "def f(self, x):\n    return super().f(x), lambda: super().f(x)",
        "def f(x):\n    return super(A, x).f() if x else super",
    ],
    "item_assignments": [
        SIMPLE,
        "def f(x):\n    x[0], y = x.z[1], x.z = 1, 2\n    return y",
        "def f(x):\n    del x[0]\n    x[0].a = 1\n    return x",
        "def f(x):\n    for x[0] in x:\n        pass",
        "def f(x):\n    x[0] = 1",
        "def f(x):\n    x.y[0] = x[1][2] = 1\n    x[1][2] += 1\n    return x",
        "def f():\n    x[0] = 1\n    return x",
    ],
    "undefined_names": [
        LEAVES_NOTHING,
        "def f(x):\n    try:\n        y = x\n    except E:\n        pass\n    return y",
        "def f(x):\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y",
        "def f(x):\n    y = 1\n    del y\n    return y",
    ],
    "while_statements": ["def f(x):\n    while x:\n        yield x", SIMPLE],
    "for_statements": ["def f(x):\n    for y in x:\n        yield y", COROUTINE, SIMPLE],
    "try_statements": [
        SIMPLE,
        "def f(x):\n    try:\n        return g(x)\n    except E:\n        return x",
    ],
    "if_statements": ["def f(x):\n    if x:\n        yield x", SIMPLE],
    "frame_calls": ["def f(self, x):\n    return super().f(x), vars(self), eval('x')"],
    "assert_statements": [SIMPLE],
    "comparisons": [SIMPLE, PATTERNS, "def f(x):\n    return x < 1, x == y, x != y"],
    "boolean_operators": [
        SIMPLE,
        PATTERNS,
        ANNOTATIONS,
        NESTED_ONLY,
        "def f(x):\n    return ~x & -x",
    ],
    "ternaries": [SIMPLE, PATTERNS, ANNOTATIONS, NESTED_ONLY],
    "texts": [
        SIMPLE,
        PATTERNS,
        ANNOTATIONS,
        "def f(x, y):\n    return x % y, 'a' + 'b', f'{{}}', 'a' * 2, T % 2, (x + y) % x, x.y % x",
        "def f(x, y):\n    x %= y\n    x.y %= y\n    return x",
    ],
    "comprehensions": [
        SIMPLE.replace("in y", "in (1, 2)"),
        PATTERNS,
        ANNOTATIONS,
        NESTED_ONLY,
        "def f(x):\n    return {i for i in (1, 2)}, {i: (lambda: i, y := i) for i in x}, y",
        "def f(x):\n    return list((y := i) for i in x), y",
        "def f(x):\n    return [vars for i in x], [eval('i') for i in x]",
        "def f(x):\n    return list(lambda: i for i in x), [lambda: i for i in x for j in i]",
        "async def f(x):\n    return [i async for i in x], [await i for i in x]",
        "def f(x):\n    return [i for i in [x, 1] for j in 'ab'], sum(i for i in {1: x})",
    ],
    "item_reads": [
        SIMPLE.replace("in y", "in (1, 2)"),
        ANNOTATIONS,
        "def f(x, i):\n    y = x\n    return x[i], y[i + 1], x[i][i], x[i:], x[i, 0]",
        "def f(x, i):\n    y = 1, 2\n    return y[0], T[-1], T[1:], T[0][1], T[i, 0], x.shape[i]",
        "def f(x, i):\n    del T[i]\n    T[i] = x.y[i] = x",
    ],
    "starred_targets": [
        SIMPLE.replace("in y", "in (1, 2)"),
        "def f(x):\n    a, (c, *b) = (1, (2, x))\n    [a, *b] = d = x\n    return a, b, c, d",
        "def f(x):\n    for a, *b in x:\n        yield a, b",
    ],
    "displays": [
        SIMPLE.replace("[i + x for i in y]", "[x, [y], (x, y), {**{'a': x}}]"),
        SIMPLE.replace("in y", "in (1, 2)"),
        ANNOTATIONS,
        "def f(x):\n    [a, *b] = d = x\n    return [*x, (y := x)], [x, *[(yield)]], y",
        "def f(x, y):\n    return {1: x, 'a': y, **{'b': y}}, {1, 'a'}, {}",
        "def f(x, y):\n    return {**x, y: (yield)}, {x: 1 for x in (1, 2)}",
        "def f(x):\n    return {*x, *[(yield)]}, (*x, *[(yield)])",
    ],
    "calls": [
        PATTERNS,
        ANNOTATIONS,
        NESTED_ONLY,
        "def f(self):\n    return super().f",
        "def f(x):\n    exec('x')\n    return eval('x + 1')",
        "@g(1)\ndef f(x=g(2)):\n    def h():\n        return x\n    return h",
    ],
}  # fmt: skip


def test_every_converter_is_listed() -> None:
    assert [step.name for step in pipeline.CONVERTERS] == list(UNCHANGED)


@pytest.mark.parametrize(
    ("stage", "source"),
    [(stage, source) for stage, sources in UNCHANGED.items() for source in sources],
)
def test_unchanged(stage: str, source: str) -> None:
    text = textwrap.dedent(source).strip()
    before = re.sub(r"\n+", "\n", to_source(gast.parse(text).body[0]).strip())
    assert pipeline.show(stage, text) == before


def test_one_walk_gives_what_separate_stages_give() -> None:
    test = "g(not x) and 0 < x < g(1) if x else g(2)"
    source = f"def f(x, g):\n    assert {test}, g(3)\n    return g(g)(x)"
    whole = pipeline.convert(gast.parse(source).body[0])
    *_, (_, staged) = pipeline.stages(gast.parse(source).body[0])
    assert to_source(whole.tree) == to_source(staged.tree)

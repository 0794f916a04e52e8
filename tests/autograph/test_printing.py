"""Printed text parses back to the tree it was printed from, and looks as people write."""

import ast
import itertools
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import gast
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograph import printing, trees
from autograph.printing import to_source
from tests.support.versions import needs


def check_reads_back(tree: ast.AST) -> str:
    text = to_source(tree)
    assert ast.dump(ast.parse(text)) == ast.dump(tree), text
    return text


# Each prints as it is written here.
AS_WRITTEN = """
x = 1
x = y = a, b
(x) = 1
a, *b = c
*a, = b
x += 1
x @= y
x: int = 1
x: int
(x): int = 1
x.y: int = 1, 2
x: list[int] | None = None
del x, y.z, a[0]
pass
return_ = 1
import a.b as c, d
from . import x
from ..a.b import x as y, z
from a import *
raise
raise x
raise x from None
assert x
assert x, 'message'
assert (x, 'y')
global_ = lambda: x
f = lambda x, /, y, *z, k=1, **kw: (x, y)
f = lambda *, k: k
f = lambda: (yield)
f()
f(x)
f(x, *y, k=1, **z)
f(*(a or b), **c or d)
f((x, y))
f((yield), x)
f(x for x in y)
f((x for x in y), z)
f(lambda: x, lambda y: y)
f(x if y else z)
f((x := 1), y)
f(k=(x := 1))
[]
()
(x,)
x, y
[x, *y]
{x, *y}
{}
{x: y, **z}
{**(a or b)}
{'a': lambda: 1, 'b': (yield)}
[x for x in y]
[x for x, y in z if x if y]
[(x, y) for x in y for z in x]
[(yield) for x in y]
{x for x in y}
{x: y for x in z}
{**x}
(x for x in y)
[x async for x in y]
[lambda: x for x in y if (lambda: x)]
[x if y else z for x in (a if b else c) if (d if e else f)]
x if y else z
x if y else z if a else b
(x if y else z) if a else b
x if (y if z else a) else b
(lambda: x) if y else lambda: z
lambda: x if y else z
x or y and not z
(x or y) and not (z or w)
not x in y
(not x) in y
x < y <= z != w is v is not u in t not in s
(x < y) < z
x < (y < z)
not (not x) == y
x | y ^ z & a << b + c * -d ** e
(x | y) ^ z
x - (y - z)
x - y - z
x ** y ** z
(x ** y) ** z
-x ** 2
(-x) ** 2
2 ** -x
-1 ** 2
~-+x
not x
x @ y % z // w / v
await_ = 1
x.y.z
(1).real
1.5.real
1j.imag
(-1).real
'a'.b
(x + y).z
(await_).y
x[1]
x[1:2]
x[:]
x[::2]
x[a:b:c, 1, :]
x[()]
x[a, b]
x[(a, b), c]
x[lambda: 1]
x[*a, b]
x[a if b else c:d]
(lambda: x)()
(x or y)()
(yield_)[0]
'text'
"it's"
'say "hi"'
b'bytes'
u'text'
...
None
True
1000000000000000000000
1.5
1e+100
1e-05
0.1
1j
f'{x}'
f'{x!r:>{width}.{precision}}'
f'{x:%H:%M}'
f"{x['a']}"
f'{ {1: 2}[1]} {{}}'
f'{(lambda: 1)} {(x := 1)} {(x, y)} {x if y else z}'
x = yield
x = yield y, z
x = yield from y
yield
yield x
(x := 1)
print((x := 1), (y := 2))
"""


@pytest.mark.parametrize("statement", AS_WRITTEN.strip().splitlines())
def test_simple_statements(statement: str) -> None:
    text = check_reads_back(ast.parse(statement)).rstrip("\n")
    assert text == NORMALISED.get(statement, statement)


NORMALISED = {
    "(x) = 1": "x = 1",
    "(await_).y": "await_.y",
    "(yield_)[0]": "yield_[0]",
    "x.y: int = 1, 2": "x.y: int = (1, 2)",
    "(x,)": "x,",
    "'text'": '"""text"""',  # a docstring, of the module
    '"it\'s"': '"""it\'s"""',
    "'say \"hi\"'": '"""say "hi\\""""',
    "u'text'": 'u"""text"""',
}

BLOCKS = [
    """
    def f(a, b: int, /, c=1, d: int = 2, *args: int, e, f: int = 3, **kw: str) -> int | None:
        \"\"\"The docstring.

        More "quoted" text.
        \"\"\"
        global x, y

        def inner(*, k):
            nonlocal a
            return a

        @decorated
        @also.decorated(1)
        def other():
            return
        return inner, other
    """,
    """
    async def f():
        async with a as b, c as (d, e), f():
            await g(await h)
        async for x, y in z:
            yield x
        else:
            await x ** await y
        return [x async for x in y if await x]
    """,
    """
    class A:
        x: int


        class B(C, D.e, metaclass=F, **kw):
            \"\"\"Docstring.\"\"\"

            def f(self):
                return super().f()
    """,
    """
    if (n := f()):
        x
    elif y:
        z
    elif not (m := g()):
        pass
    else:
        if a:
            b
        c
    """,
    """
    while x:
        break
    else:
        continue_
    while (n := f()):
        continue
    """,
    """
    for x in a, *b:
        for (y, z), *w in [1]:
            pass
    for x.y in lambda: 1, 2:
        pass
    else:
        pass
    """,
    """
    with a, b as c:
        pass
    with (a, b):
        pass
    with ((a, b)):
        pass
    with (a, b) as c:
        pass
    with (yield):
        pass
    with (a := b):
        pass
    with a + b as c[0], (d if e else f):
        pass
    """,
    """
    try:
        x
    except A:
        y
    except (B, C) as e:
        raise e from None
    except:
        z
    else:
        a
    finally:
        b
    """,
    """
    try:
        x
    except* A as e:
        y
    except* (B, C):
        z
    """,
    """
    match x:
        case 1 | -1 | 1.5 | 1 + 2j | -1 - 2j | 'a' | b'c' | 'd' 'e' | None | True:
            pass
        case a.b.c:
            pass
        case [] | [a] | [a, *_] | [*rest]:
            pass
        case (a, b) if a:
            pass
        case {}:
            pass
        case {'a': 1, b.c: [d], **rest}:
            pass
        case A() | A(b, C(d), e=1, f=[g]):
            pass
        case ((1 | 2) as x) | [3 as x]:
            pass
        case [(1 | 2) as a, (b, c) as d]:
            pass
        case _ if (y := x):
            pass
    match x, *y:
        case a:
            pass
    match (yield):
        case _:
            pass
    """,
    """
    '''Module docstring'''
    x = '''a long text with
    some lines, "quotes", '\\\\', \\x00 and ends with "'''
    y = "short\\n"
    z = f'''a long {text} with more than forty characters
    and {lines!r:>10}, "quotes", {{}} '\\\\'"'''
    """,
    '''
    def f():
        """ends with a quote\\""""
    def g():
        """""\\""""
    def h():
        'tab\\t, return\\r, \\u2028 line \\ud800, nul \\0, \\\\n, \\\\"'
    ''',
    """
    def f(x=lambda: 1, *, y=(yield_), z: (1, 2) = (3, 4)) -> (1, 2):
        pass
    @(a or b)
    @lambda f: f
    @a[1].b
    def g():
        pass
    """,
    """
    def f(*args: *Ts):
        return *a, b
        return (yield)
        yield (yield)
        return lambda: (yield), (yield)
    """,
    "x = -0.0, 1e400, -1e400, 1e400j, 1e16, 0x10, 0b1, 1_000, 123456789.123456789",
    "x = (1.0).real, 1e400.real, 1j ** 2, -1j, (1).real ** 2, 1 .real, 1..real, (~1).real",
    r"f'\'{x}\"\n\N{BULLET}\\{{}}{y:{{z}}}'" if sys.version_info < (3, 12) else "f''",
    "f'{x}' f\"{y['a']}\" f'''{z[\"b\"]}'''",
    "f'' + f'{x}' + f'{x=}' + f'{x = !r:^20}'",
    "f'''{'a' + \"b\"} {f'{x}'}'''",
    "f'''{x:{'a'}} {x!s:a{y!a}b}'''",
    "f'{x:{y}{z}}' 'not' f'{1}'",
]


@pytest.mark.parametrize("text", BLOCKS)
def test_blocks(text: str) -> None:
    check_reads_back(ast.parse(textwrap.dedent(text)))


@needs(3, 12)
@pytest.mark.parametrize(
    "text",
    [
        "def f[T: int, U: (int, str), *Ts, **P](x: T) -> U:\n    pass\n",
        "async def f[T]():\n    pass\n",
        "class A[T](B[T]):\n    pass\n",
        "type X[T] = list[T]",
        "type Y = int | str",
        "f'{x['a']!r:{y[\"b\"]}}' f'{'\\n'.join(x)}' f'{f'{f'{1}'}'}'",
        "f'{x:{f'{y}'}}'",
    ],
)
def test_syntax_of_3_12(text: str) -> None:
    check_reads_back(ast.parse(text))


@needs(3, 13)
def test_defaults_of_type_parameters() -> None:
    check_reads_back(ast.parse("def f[T: int = str, *Ts = *a, **P = [int]](): pass"))


def stdlib_files() -> list[Path]:
    return sorted(Path(os.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", random.Random(0).sample(stdlib_files(), 12), ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_standard_library(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    check_reads_back(tree)
    assert to_source(tree) == to_source(trees.to_gast(tree))


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("path", stdlib_files(), ids=lambda p: p.stem)
def test_whole_standard_library(path: Path) -> None:
    check_reads_back(ast.parse(path.read_text(encoding="utf-8")))


@given(st.text(st.characters(exclude_categories=[])))
def test_strings(text: str) -> None:
    string = ast.Expr(ast.Constant(text))
    for body in ([string, ast.Pass()], [ast.Pass(), string]):  # a docstring; an ordinary string
        tree: Any = ast.parse("def f():\n    pass")
        tree.body[0].body = body
        check_reads_back(tree)


@given(st.lists(st.sampled_from(["a", "\n", '"', "'", "\\", "{", "}", "\t", "é", "x" * 41])))
def test_f_strings(pieces: list[str]) -> None:
    values: list[ast.expr] = []
    field = ast.FormattedValue(ast.Name("x", ast.Load()), -1, None)
    for literal, new_field in itertools.zip_longest(pieces[::2], pieces[1::2]):
        joined = (literal or "") + (new_field or "")
        values += [ast.Constant(joined), field]
    check_reads_back(ast.Module([ast.Expr(ast.JoinedStr(values))], []))


NUMBERS = (
    st.integers(0)
    | st.floats(0, allow_nan=False)
    | st.floats(0, allow_nan=False).map(lambda imaginary: complex(0, imaginary))
)
OPERATORS = st.sampled_from(
    [ast.Add(), ast.Sub(), ast.Mult(), ast.Pow(), ast.BitOr(), ast.MatMult()]
)
LOAD = ast.Load()


def expressions() -> st.SearchStrategy[Any]:
    leaves = (
        st.sampled_from("xyz").map(lambda name: ast.Name(name, LOAD))
        | NUMBERS.map(ast.Constant)
        | st.sampled_from(["a", 'b"', "c'", True, None, ...]).map(ast.Constant)
    )
    return st.recursive(leaves, compound, max_leaves=12)


def compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    two = st.lists(inner, min_size=2, max_size=3)
    no_args = ast.arguments([], [], None, [], [], None, [])
    name = ast.Name("n", LOAD)
    loop = st.builds(
        ast.comprehension, st.just(ast.Name("n", ast.Store())), inner, several, st.just(0)
    )
    loops = st.lists(loop, min_size=1, max_size=2)
    return st.one_of(
        st.builds(ast.BinOp, inner, OPERATORS, inner),
        st.builds(ast.UnaryOp, st.sampled_from([ast.Not(), ast.USub(), ast.Invert()]), inner),
        st.builds(ast.BoolOp, st.sampled_from([ast.And(), ast.Or()]), two),
        st.builds(lambda a, b: ast.Compare(a, [ast.Lt()] * len(b), b), inner, several.filter(bool)),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(ast.Lambda, st.just(no_args), inner),
        st.builds(lambda body: ast.Tuple(body, LOAD), several),
        st.builds(lambda a, b: ast.List([*a, ast.Starred(b, LOAD)], LOAD), several, inner),
        st.builds(lambda a, b: ast.Dict([a, None], [b, b]), inner, inner),
        st.builds(lambda a: ast.Attribute(a, "attr", LOAD), inner),
        st.builds(lambda a, b: ast.Subscript(a, b, LOAD), inner, inner),
        st.builds(
            lambda a, b, c: ast.Subscript(a, ast.Tuple([ast.Slice(b, c), b], LOAD), LOAD),
            inner,
            inner,
            inner,
        ),
        st.builds(ast.Call, inner, several, st.just([])),
        st.builds(
            lambda f, a: ast.Call(f, [a], [ast.keyword("k", a), ast.keyword(None, a)]), inner, inner
        ),
        st.builds(lambda a: ast.Call(name, [ast.Starred(a, LOAD)], []), inner),
        st.builds(ast.ListComp, inner, loops),
        st.builds(lambda a, b: ast.Call(name, [ast.GeneratorExp(a, b)], []), inner, loops),
        st.builds(ast.DictComp, inner, inner, loops),
        st.builds(lambda a: ast.NamedExpr(ast.Name("w", ast.Store()), a), inner),
        st.builds(ast.Yield, inner),
        st.builds(ast.Await, inner),
    )


CONTEXTS = [
    "0",
    "x = 0",
    "return 0",
    "if 0:\n    pass",
    "assert 0, 0",
    "raise 0 from 0",
    "del x[0]",
]
CONTEXTS += ["for x in 0:\n    pass", "with 0 as x, 0:\n    pass", "x: 0 = 0", "x += 0", "yield 0"]
CONTEXTS += [
    "@0\ndef f(x: 0=0) -> 0:\n    pass",
    "class A(0, k=0):\n    pass",
    "while 0:\n    pass",
]
CONTEXTS += ["match 0:\n    case _ if 0:\n        pass", "try:\n    pass\nexcept 0:\n    pass"]


class _Replace(ast.NodeTransformer):
    def __init__(self, expression: ast.expr) -> None:
        self.expression = expression

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.expression


@given(expressions(), st.sampled_from(CONTEXTS))
def test_expressions(expression: ast.expr, context: str) -> None:
    tree = _Replace(expression).visit(ast.parse(context))
    check_reads_back(tree)


# Looks


def test_functions_look_as_written() -> None:
    text = textwrap.dedent(
        '''\
        def count(x, limit):
            """Doc."""
            n = 0

            def while_test(x, n):
                return ag.and_(x > 1, lambda: n < limit)

            def while_body(x, n):
                x = x / 2
                return x, n
            x, n = ag.while_loop(while_test, while_body, (x, n))
            return n if n else -1
        '''
    )
    assert to_source(gast.parse(text).body[0]) == text
    assert to_source(gast.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lambda: x", "lambda: x\n"),
        ("a, b", "(a, b)\n"),
        ("(x := 1)", "(x := 1)\n"),
        ("x + 1", "x + 1\n"),
    ],
)
def test_expressions_alone(text: str, expected: str) -> None:
    assert to_source(gast.parse(text, mode="eval").body) == expected


LONG = "a_rather_long_name"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"a, b = ag.cond({LONG} > 0, if_body, else_body, ({LONG}, {LONG}), argument)",
            f"""\
            a, b = ag.cond(
                {LONG} > 0, if_body, else_body, ({LONG}, {LONG}), argument
            )
            """,
        ),
        (
            f"x = ag.cond({', '.join([LONG] * 6)}, defines='x')",
            f"""\
            x = ag.cond(
                {LONG},
                {LONG},
                {LONG},
                {LONG},
                {LONG},
                {LONG},
                defines='x'
            )
            """,
        ),
        (
            f"if {LONG}.f({', '.join([LONG] * 4)}, x)[0]:\n    pass",
            f"""\
            if {LONG}.f(
                {", ".join([LONG] * 4)}, x
            )[0]:
                pass
            """,
        ),
        (
            f"x = '{'long ' * 30}', f'{{x}}{'(long, ' * 20}'",
            f"""\
            x = (
                '{"long " * 30}',
                f'{{x}}{"(long, " * 20}'
            )
            """,
        ),
        (
            f"x = dict(kind='{'long, ' * 30}', size=1)",
            f"""\
            x = dict(
                kind='{"long, " * 30}',
                size=1
            )
            """,
        ),
        (
            f"def f({LONG}_1, {LONG}_2, {LONG}_3, {LONG}_4, x=(1, 2)):\n    pass",
            f"""\
            def f(
                {LONG}_1, {LONG}_2, {LONG}_3, {LONG}_4, x=(1, 2)
            ):
                pass
            """,
        ),
    ],
)
def test_long_lines(text: str, expected: str) -> None:
    printed = check_reads_back(ast.parse(text))
    assert printed == textwrap.dedent(expected)


def test_nothing_is_cached_on_the_tree() -> None:
    tree = gast.parse("def f():\n    'doc'\n    return (x + y) * z\n")
    before = gast.dump(tree, include_attributes=True)
    assert to_source(tree) == to_source(tree)
    assert gast.dump(tree, include_attributes=True) == before
    assert {key for node in gast.walk(tree) for key in vars(node)} <= {
        *(field for node in gast.walk(tree) for field in node._fields),
        *("lineno", "col_offset", "end_lineno", "end_col_offset"),
    }


@pytest.mark.parametrize("flags", [["-W", "error"], ["-W", "error", "-O"]])
def test_no_warnings_and_no_early_import(flags: list[str]) -> None:
    program = (
        "import sys, warnings, gast, autograph.printing as p\n"
        "before = list(warnings.filters)\n"
        "assert 'astor' not in sys.modules\n"
        'text = \'x = f"{a}", "b", 1.5, x[1:2], None, ...\\n\'\n'
        "assert p.to_source(gast.parse(text)) == text.replace('\"', chr(39))\n"
        "assert warnings.filters == before\n"
    )
    root = str(Path(printing.__file__).parent.parent)
    subprocess.run(
        [sys.executable, *flags, "-c", program],
        env={**os.environ, "PYTHONPATH": root},
        check=True,
    )

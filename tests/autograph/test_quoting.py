"""Templates give the statements they show; nodes are positioned, and never shared."""

import ast
import textwrap
from collections.abc import Iterable
from typing import Any

import gast
import pytest

from autograph import trees
from autograph.quoting import builders, nodes
from autograph.quoting.templates import quote, quote_expr

SAMPLE = """
def f(x, limit):
    if x > limit:
        y = x
    else:
        y = limit
    return y
"""


@pytest.fixture
def function() -> Any:
    return gast.parse(SAMPLE).body[0]


@pytest.fixture
def at(function: Any) -> Any:
    return function.body[0]


def text(nodes: Any) -> str:
    body = nodes if isinstance(nodes, list) else [nodes]
    return "\n".join(ast.unparse(trees.to_ast(node)) for node in body)


def expr(source: str) -> Any:
    return gast.parse(source, mode="eval").body


def stmts(source: str) -> list[Any]:
    return list(gast.parse(textwrap.dedent(source)).body)


def every(nodes: Iterable[Any]) -> list[Any]:
    return [inner for node in nodes for inner in gast.walk(node)]


def check_compiles(nodes: list[Any]) -> None:
    module = ast.Module([trees.to_ast(node) for node in nodes], [])
    compile(module, "generated", "exec")


IDENTIFIERS = [
    ("hole = 1", {"hole": "x"}, "x = 1"),
    ("x = hole", {"hole": "y"}, "x = y"),
    ("x.hole = 1", {"hole": "y"}, "x.y = 1"),
    ("f(hole=1)", {"hole": "y"}, "f(y=1)"),
    ("def hole(): pass", {"hole": "y"}, "def y():\n    pass"),
    ("def f(hole): pass", {"hole": "y"}, "def f(y):\n    pass"),
    ("def f(*hole, **other): pass", {"hole": "y", "other": "z"}, "def f(*y, **z):\n    pass"),
    ("class hole: pass", {"hole": "y"}, "class y:\n    pass"),
    ("def f():\n  global hole", {"hole": "y"}, "def f():\n    global y"),
    ("def f():\n  global hole, a", {"hole": ["x", "y"]}, "def f():\n    global x, y, a"),
    (
        "try: pass\nexcept E as hole: pass",
        {"hole": "y"},
        "try:\n    pass\nexcept E as y:\n    pass",
    ),
    ("for hole in hole: hole", {"hole": "y"}, "for y in y:\n    y"),
    ("'hole' + hole", {"hole": "y"}, "'hole' + y"),
]

EXPRESSIONS = [
    ("x = hole", {"hole": expr("a + b")}, "x = a + b"),
    ("hole = 1", {"hole": expr("a[i].b")}, "a[i].b = 1"),
    ("hole = 1", {"hole": expr("(a, [b, *c])")}, "a, [b, *c] = 1"),
    ("hole", {"hole": expr("f()")}, "f()"),
    ("f(hole, *hole)", {"hole": expr("x")}, "f(x, *x)"),
    ("f(*hole)", {"hole": expr("x")}, "f(*x)"),
    ("f(k=hole)", {"hole": expr("x.y")}, "f(k=x.y)"),
    ("return hole", {"hole": expr("x")}, "return x"),
    ("if hole: pass", {"hole": expr("x")}, "if x:\n    pass"),
    ("x = lambda: hole", {"hole": expr("x < 1")}, "x = lambda: x < 1"),
]

LISTS = [
    ("hole", {"hole": []}, ""),
    ("hole\nx = 1", {"hole": stmts("y = 1; z = 2")}, "y = 1\nz = 2\nx = 1"),
    ("hole", {"hole": [expr("f()"), "x"]}, "f()\nx"),
    ("if x: hole", {"hole": []}, "if x:\n    pass"),
    ("if x: hole\nelse: other", {"hole": stmts("y"), "other": []}, "if x:\n    y"),
    ("def f(): hole", {"hole": []}, "def f():\n    pass"),
    ("f(*hole)", {"hole": ["x", expr("y.z")]}, "f(x, y.z)"),
    ("f(a, *hole, b)", {"hole": []}, "f(a, b)"),
    ("f(hole)", {"hole": ["x"]}, "f(x)"),
    ("f(hole)", {"hole": ["x", "y"]}, "f((x, y))"),
    ("f((*hole,))", {"hole": ["x"]}, "f((x,))"),
    ("x = (*hole,)", {"hole": []}, "x = ()"),
    ("*hole, = x", {"hole": ["a", "b"]}, "a, b = x"),
    ("[*hole] = x", {"hole": ["a"]}, "[a] = x"),
    ("def f(hole): pass", {"hole": ["a", "b"]}, "def f(a, b):\n    pass"),
    ("def f(x, hole): pass", {"hole": []}, "def f(x):\n    pass"),
    ("def f(x, *hole): pass", {"hole": ["a", "b"]}, "def f(x, a, b):\n    pass"),
    ("x = lambda *hole: 1", {"hole": ["a"]}, "x = lambda a: 1"),
    ("hole = f()", {"hole": ["a"]}, "a = f()"),
    ("hole = f()", {"hole": ("a", "b")}, "a, b = f()"),
    ("hole = f()", {"hole": []}, "f()"),
    ("return hole", {"hole": ["a"]}, "return a"),
    ("return hole", {"hole": ("a", "b")}, "return (a, b)"),
    ("x\nreturn hole", {"hole": []}, "x"),
]

ABSENT = [
    ("f(hole)", "f()"),
    ("f(a, hole, k=hole)", "f(a)"),
    ("return hole", "return"),
    ("hole\nx = 1", "x = 1"),
    ("hole = f()", "f()"),
]


@pytest.mark.parametrize(("template", "holes", "expected"), IDENTIFIERS + EXPRESSIONS + LISTS)
def test_holes(template: str, holes: dict[str, Any], expected: str, at: Any) -> None:
    made = quote(template, at=at, **holes)
    assert text(made) == expected
    if "return" not in template:
        check_compiles(made)


@pytest.mark.parametrize(("template", "expected"), ABSENT)
def test_absent_holes(template: str, expected: str, at: Any) -> None:
    assert text(quote(template, at=at, hole=None)) == expected


def test_the_whole_of_an_if(at: Any) -> None:
    test, body, orelse = at.test, at.body, at.orelse
    made = quote(
        """
        def if_body(params):
            body
            return outputs

        def else_body(params):
            orelse
            return outputs
        outputs = ag.cond(test, if_body, else_body, inputs, defines=defines)
        """,
        at=at,
        params=[],
        body=body,
        orelse=orelse,
        outputs=["y"],
        test=test,
        inputs=None,
        defines=builders.constant("y", at),
    )
    assert text(made) == textwrap.dedent(
        """\
        def if_body():
            y = x
            return y
        def else_body():
            y = limit
            return y
        y = ag.cond(x > limit, if_body, else_body, defines='y')"""
    )
    # Given nodes are used, not copied.
    assert made[2].value.args[0] is test
    assert made[0].body[0] is body[0]


def test_positions(at: Any) -> None:
    header = {"lineno": 3, "col_offset": 4, "end_lineno": 3, "end_col_offset": 16}
    given = expr("g(z)")
    made = quote("x = [f(hole) for _ in y]\ndef h(a): pass", at=at, hole=given)
    kept = {id(node) for node in gast.walk(given)}
    for node in every(made):
        if id(node) not in kept and "lineno" in node._attributes:
            assert {key: getattr(node, key) for key in header} == header
    assert (given.lineno, given.col_offset, given.end_col_offset) == (1, 0, 4)


@pytest.mark.parametrize(
    ("statement", "end"),
    [
        ("while a:\n  pass", 7),
        ("for a in bc:\n  pass", 11),
        ("with a as b, c:\n  pass", 14),
        ("with a as bcd:\n  pass", 13),
        ("match ab:\n  case 1: pass", 8),
        ("x = 1", 5),
        ("def f():\n  pass", 3),
        ("try:\n  pass\nfinally:\n  pass", 3),
    ],
)
def test_position_of_a_header(statement: str, end: int) -> None:
    position = nodes.position_of(stmts(statement)[0])
    assert position == {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": end}


def test_calls_of_ag_are_on_the_first_line() -> None:
    at = stmts("if (a and\n  b):\n  pass")[0]
    made = [builders.call_ag("not_", [], at), quote_expr("ag.not_()", at=at)]
    module = ast.Module([ast.Expr(trees.to_ast(node)) for node in made], [])
    code = compile(ast.fix_missing_locations(module), "generated", "exec")
    assert {line for *_, line in code.co_lines()} <= {0, 1, None}
    assert [(node.lineno, node.end_lineno) for node in made] == [(1, 2), (1, 2)]


def test_results_share_nothing(at: Any) -> None:
    template = "def f(a, *hole):\n    hole\n    return hole, hole, [x.y for x in hole]"
    results = [quote(template, at=at, hole=["b"]) for _ in range(2)]
    nodes = [id(node) for result in results for node in every(result)]
    assert len(nodes) == len(set(nodes))


def test_a_node_that_stands_twice_is_copied(at: Any) -> None:
    given = expr("a[i]")
    made = quote("x = hole\ny = hole\nhole = 1", at=at, hole=given)
    assert text(made) == "x = a[i]\ny = a[i]\na[i] = 1"
    assert made[0].value is given
    nodes = [id(node) for node in every(made)]
    assert len(nodes) == len(set(nodes))
    assert isinstance(made[2].targets[0].ctx, gast.Store)
    assert isinstance(given.ctx, gast.Load)
    check_compiles(made)


def test_a_target_is_not_changed_by_being_read(at: Any) -> None:
    given = stmts("a, *b = c")[0].targets[0]
    made = quote_expr("f(hole)", at=at, hole=given)
    assert text(made) == "f((a, *b))"
    assert isinstance(given.ctx, gast.Store)
    check_compiles([builders.expression_statement(made, at)])


@pytest.mark.parametrize(
    ("template", "holes", "error", "message"),
    [
        ("x = 1", {"hole": "y"}, ValueError, "no hole hole in template"),
        ("def hole(): pass", {"hole": expr("x")}, TypeError, "expected a str"),
        ("x = hole", {"hole": 1}, TypeError, "expected a name or an expression, got 1"),
        ("x = hole", {"hole": None}, TypeError, "expected a name or an expression, got None"),
        ("hole = 1", {"hole": expr("f()")}, TypeError, "Call cannot be a target"),
        ("f(*hole)", {"hole": [1]}, TypeError, "expected a name or an expression, got 1"),
        ("x = = hole", {"hole": "y"}, SyntaxError, "invalid syntax"),
    ],
)
def test_refused(
    template: str, holes: dict[str, Any], error: type[Exception], message: str, at: Any
) -> None:
    with pytest.raises(error, match=message):
        quote(template, at=at, **holes)


def test_spelling_of_ag(at: Any) -> None:
    with nodes.ag_spelled("ag_2"):
        inside = quote("x = ag.not_(hole)", at=at, hole="ag")
        call = builders.call_ag("not_", ["ag"], at)
    after = quote("x = ag.not_(hole)", at=at, hole="y")
    assert [text(inside), text(call)] == ["x = ag_2.not_(ag)", "ag_2.not_(ag)"]
    assert text(after) == "x = ag.not_(y)"


def test_builders(at: Any) -> None:
    made = [
        builders.name_load("x", at),
        builders.constant("a, b", at),
        builders.tuple_of([], at),
        builders.tuple_of(["x"], at),
        builders.tuple_of(["x", expr("y.z")], at),
        builders.bare_or_tuple(["x"], at),
        builders.bare_or_tuple(["x", "y"], at),
        builders.returns([], at),
        builders.returns(["x"], at),
        builders.returns(["x", "y"], at),
        builders.assign("x", expr("1"), at),
        builders.assign(builders.tuple_of(["x", "y"], at, gast.Store), expr("z"), at),
        builders.call_ag("cond", ["x", expr("y")], at, {"defines": expr("'z'")}),
        builders.lambda_of(expr("x"), at),
        builders.lambda_of(expr("x"), at, ["x", "y"]),
        builders.block("f", ["x"], [], at),
    ]
    assert [text(node) for node in made] == [
        "x",
        "'a, b'",
        "()",
        "(x,)",
        "(x, y.z)",
        "x",
        "(x, y)",
        "return",
        "return x",
        "return (x, y)",
        "x = 1",
        "x, y = z",
        "ag.cond(x, y, defines='z')",
        "lambda: x",
        "lambda x, y: x",
        "def f(x):\n    pass",
    ]
    statements = [builders.expression_statement(node, at) for node in made[:7]]
    definition = builders.block("g", [], [*statements, *made[7:12]], at)
    check_compiles([definition])
    assert isinstance(builders.name_store("x", at).ctx, gast.Store)


def test_complete_fields(at: Any) -> None:
    made = quote("def f(a): return lambda: a", at=at)
    made += [builders.block("f", ["x"], [], at), builders.returns(["x"], at)]
    for node in every(made):
        assert [field for field in node._fields if not hasattr(node, field)] == []


def test_scaffolding_is_known(function: Any, at: Any) -> None:
    made = [
        *quote("def f(): pass", at=at),
        quote_expr("lambda: x", at=at),
        builders.block("f", [], [], at),
        builders.lambda_of(expr("x"), at),
    ]
    assert all(nodes.is_scaffold(node) for node in made)
    assert not nodes.is_scaffold(function)
    assert all(nodes.is_scaffold(trees.copy_tree(node)) for node in made)

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


HOLES = [
    ("hole = 1", {"hole": "x"}, "x = 1"),
    ("x = hole", {"hole": "y"}, "x = y"),
    ("def f(hole): pass", {"hole": "y"}, "def f(y):\n    pass"),
    ("def f(*hole, **other): pass", {"hole": "y", "other": "z"}, "def f(*y, **z):\n    pass"),
    (
        "try: pass\nexcept E as hole: pass",
        {"hole": "y"},
        "try:\n    pass\nexcept E as y:\n    pass",
    ),
    ("'hole' + hole", {"hole": "y"}, "'hole' + y"),
    ("x = hole", {"hole": expr("a + b")}, "x = a + b"),
    ("hole = 1", {"hole": expr("a[i].b")}, "a[i].b = 1"),
    ("hole = 1", {"hole": expr("(a, [b, *c])")}, "a, [b, *c] = 1"),
    ("f(other, *hole)", {"hole": expr("x"), "other": "y"}, "f(y, *x)"),
    ("f(k=hole)", {"hole": expr("x.y")}, "f(k=x.y)"),
    ("return hole", {"hole": expr("x")}, "return x"),
    ("if hole: pass", {"hole": expr("x")}, "if x:\n    pass"),
    ("x = lambda: hole", {"hole": expr("x < 1")}, "x = lambda: x < 1"),
    ("hole", {"hole": []}, ""),
    ("hole\nx = 1", {"hole": stmts("y = 1; z = 2")}, "y = 1\nz = 2\nx = 1"),
    ("if x: hole", {"hole": []}, "if x:\n    pass"),
    ("if x: hole\nelse: other", {"hole": stmts("y"), "other": []}, "if x:\n    y"),
    ("def f(): hole", {"hole": []}, "def f():\n    pass"),
]


@pytest.mark.parametrize(("template", "holes", "expected"), HOLES)
def test_holes(template: str, holes: dict[str, Any], expected: str, at: Any) -> None:
    made = quote(template, at=at, **holes)
    assert text(made) == expected
    if "return" not in template:
        check_compiles(made)


def test_given_nodes_are_used_as_they_are(at: Any) -> None:
    made: Any = quote("if not test: body", at=at, test=at.test, body=at.body)
    assert made[0].test.operand is at.test
    assert made[0].body == at.body


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
    made = [builders.call_ag("not_", [], at), quote_expr("a.b()", at=at)]
    module = ast.Module([ast.Expr(trees.to_ast(node)) for node in made], [])
    code = compile(ast.fix_missing_locations(module), "generated", "exec")
    assert {line for *_, line in code.co_lines()} <= {0, 1, None}
    assert [(node.lineno, node.end_lineno) for node in made] == [(1, 2), (1, 2)]


def test_results_share_nothing(at: Any) -> None:
    template = "def f(a, *hole):\n    return hole, [x.y for x in a if x < -a and not a]"
    results = [quote(template.replace("hole,", "a,"), at=at, hole="b") for _ in range(2)]
    nodes = [id(node) for result in results for node in every(result)]
    assert len(nodes) == len(set(nodes))


def test_a_target_is_not_changed_by_being_read(at: Any) -> None:
    given = stmts("a, *b = c")[0].targets[0]
    made = quote_expr("f(hole)", at=at, hole=given)
    assert text(made) == "f((a, *b))"
    assert isinstance(given.ctx, gast.Store)
    check_compiles([builders.expression_statement(made, at)])


@pytest.mark.parametrize(
    ("template", "holes", "error", "message"),
    [
        ("x = 1", {"hole": "y"}, ValueError, "hole hole must stand once in template"),
        ("hole = hole", {"hole": "y"}, ValueError, "hole hole must stand once in template"),
        ("x = hole", {"hole": 1}, TypeError, "expected a name or an expression, got 1"),
        ("x = hole", {"hole": None}, TypeError, "expected a name or an expression, got None"),
        ("hole = 1", {"hole": expr("f()")}, TypeError, "Call cannot be a target"),
        ("f(hole)", {"hole": [expr("x")]}, TypeError, "expected a name or an expression, got"),
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
        inside = builders.call_ag("not_", ["ag"], at)
    after = builders.call_ag("not_", ["y"], at)
    assert [text(inside), text(after)] == ["ag_2.not_(ag)", "ag.not_(y)"]


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

"""From a tree to text: the only file that imports astor, and only once something is printed.

astor's generator stands for Python 3.8. The class below adds the statements and patterns that came
later, drops parentheses that nobody would write, and prints strings so that they read back equal.
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import gast

from autograph.line_wrapping import wrapped
from autograph.locks import process_lock
from autograph.string_literals import Part, f_string, string_literal, triple_quoted
from autograph.trees import to_ast

_import_lock = process_lock()


def to_source(node: gast.AST | ast.AST) -> str:
    """The text of a tree of gast or of ast; it parses back to the same tree.

    Args:
        node: a module, a statement, or an expression.
    """
    tree = to_ast(node)
    generator = _generator_class()(" " * 4)
    if isinstance(tree, ast.expr):
        generator.inside("Comma", tree)
    generator.visit(tree)
    generator.result.append("\n")
    text = "".join(wrapped(generator.result))
    return text.lstrip("\n")


@functools.cache
def _generator_class() -> Any:
    with _import_lock, warnings.catch_warnings():
        # Importing astor looks up names that ast is about to lose.
        warnings.simplefilter("ignore", DeprecationWarning)
        from astor import code_gen, op_util
    namespace = {
        "levels": op_util.Precedence,
        "set_precedence": staticmethod(code_gen.set_precedence),
    }
    return type("Generator", (_Generator, code_gen.SourceGenerator), namespace)


class _Generator:
    """The methods that astor's `SourceGenerator` lacks."""

    levels: Any
    set_precedence: Callable[..., None]
    write: Callable[..., None]
    visit: Callable[[ast.AST], None]
    newline: Callable[..., None]
    statement: Callable[..., None]
    decorators: Callable[..., None]
    body: Callable[..., None]
    body_or_else: Callable[..., None]
    else_body: Callable[..., None]
    conditional_write: Callable[..., None]
    delimit: Callable[..., Any]
    get__pp: Callable[[ast.AST], int]
    indentation: int
    result: list[str]
    in_f_string = False

    def inside(self, level: str, *nodes: Any) -> None:
        """Let nodes print as operands of something that binds as `level` does."""
        self.set_precedence(getattr(self.levels, level), *nodes)

    def listed(self, items: Iterable[Any]) -> None:
        """Write items with commas between; an item is a node, text, or a callable that writes."""
        for index, item in enumerate(items):
            self.write(", " if index else "", item)

    # Definitions

    def visit_FunctionDef(self, node: Any, prefix: str = "def ") -> None:
        self.inside("Comma", node.returns)
        self.decorators(node, 1 if self.indentation else 2)
        self.statement(node, prefix, node.name)
        self.type_params(node)
        self.write("(")
        self.visit_arguments(node.args)
        self.write(")")
        self.conditional_write(" -> ", node.returns)
        self.write(":")
        self.definition_body(node.body)

    def visit_AsyncFunctionDef(self, node: Any) -> None:
        self.visit_FunctionDef(node, "async def ")

    def visit_ClassDef(self, node: Any) -> None:
        self.decorators(node, 1 if self.indentation else 2)
        self.statement(node, "class ", node.name)
        self.type_params(node)
        if node.bases or node.keywords:
            self.inside("Comma", *node.bases)
            self.write("(")
            self.listed([*node.bases, *node.keywords])
            self.write(")")
        self.write(":")
        self.definition_body(node.body)

    def definition_body(self, body: Sequence[ast.stmt]) -> None:
        _mark_docstring(body)
        self.body(body)
        if not self.indentation:
            self.newline(extra=2)

    def visit_Module(self, node: Any) -> None:
        _mark_docstring(node.body)
        self.write(*node.body)

    def visit_keyword(self, node: Any) -> None:
        self.inside("Comma", node.value)
        self.write(f"{node.arg}=" if node.arg else "**", node.value)

    def visit_arguments(self, node: Any) -> None:
        self.listed(_parameters(node))

    def visit_arg(self, node: Any) -> None:
        self.inside("Comma", node.annotation)
        self.write(node.arg)
        self.conditional_write(": ", node.annotation)

    def visit_Lambda(self, node: Any) -> None:
        with self.delimit(node) as delimiters:
            self.set_precedence(delimiters.p, node.body)
            self.write("lambda")
            for index, parameter in enumerate(_parameters(node.args)):
                self.write(", " if index else " ", parameter)
            self.write(": ", node.body)

    def visit__Parameter(self, node: _Parameter) -> None:
        self.write(node.prefix)
        self.conditional_write(node.arg)
        if node.default is None:
            return
        self.inside("Comma", node.default)
        annotated = node.arg is not None and node.arg.annotation is not None
        self.write(" = " if annotated else "=", node.default)

    # Type parameters

    def type_params(self, node: Any) -> None:
        params = getattr(node, "type_params", None)
        if not params:
            return
        self.write("[")
        self.listed(params)
        self.write("]")

    def visit_TypeVar(self, node: Any, prefix: str = "") -> None:
        bound = getattr(node, "bound", None)
        default = getattr(node, "default_value", None)
        self.inside("Comma", bound, default)
        self.write(prefix, node.name)
        self.conditional_write(": ", bound)
        self.conditional_write(" = ", default)

    def visit_TypeVarTuple(self, node: Any) -> None:
        self.visit_TypeVar(node, "*")

    def visit_ParamSpec(self, node: Any) -> None:
        self.visit_TypeVar(node, "**")

    def visit_TypeAlias(self, node: Any) -> None:
        self.inside("Comma", node.value)
        self.statement(node, "type ", node.name)
        self.type_params(node)
        self.write(" = ", node.value)

    # Statements

    def visit_Expr(self, node: Any) -> None:
        self.set_precedence(node, node.value)
        self.statement(node, node.value)

    def visit_AnnAssign(self, node: Any) -> None:
        self.inside("Comma", node.target, node.annotation, node.value)
        in_parentheses = isinstance(node.target, ast.Name) and not node.simple
        self.statement(node, "(" if in_parentheses else "", node.target)
        self.write(")" if in_parentheses else "", ": ", node.annotation)
        self.conditional_write(" = ", node.value)

    def visit_For(self, node: Any, prefix: str = "for ") -> None:
        self.inside("Assign", node.target)
        self.inside("Comma", node.iter)
        self.statement(node, prefix, node.target, " in ", node.iter, ":")
        self.body_or_else(node)

    def visit_AsyncFor(self, node: Any) -> None:
        self.visit_For(node, "async for ")

    def visit_withitem(self, node: Any) -> None:
        self.inside("Comma", node.context_expr)
        # Without `as`, the parentheses of a tuple would be those of the statement.
        if node.optional_vars is None and isinstance(node.context_expr, ast.Tuple):
            self.write("(", node.context_expr, ")")
            return
        self.inside("Comma", node.optional_vars)
        self.write(node.context_expr)
        self.conditional_write(" as ", node.optional_vars)

    def visit_Raise(self, node: Any) -> None:
        self.inside("Comma", node.exc, node.cause)
        self.statement(node, "raise")
        self.conditional_write(" ", node.exc)
        self.conditional_write(" from ", node.cause)

    def visit_ImportFrom(self, node: Any) -> None:
        self.statement(node, "from ", "." * (node.level or 0), node.module or "", " import ")
        self.listed(node.names)

    def visit_Try(self, node: Any, keyword: str = "except") -> None:
        self.statement(node, "try:")
        self.body(node.body)
        for handler in node.handlers:
            self.handler(handler, keyword)
        self.else_body(node.orelse)
        if node.finalbody:
            self.statement(node, "finally:")
            self.body(node.finalbody)

    def visit_TryStar(self, node: Any) -> None:
        self.visit_Try(node, "except*")

    def handler(self, node: Any, keyword: str) -> None:
        self.inside("Comma", node.type)
        self.statement(node, keyword)
        self.conditional_write(" ", node.type)
        self.conditional_write(" as ", node.name)
        self.write(":")
        self.body(node.body)

    def visit_Match(self, node: Any) -> None:
        self.inside("Comma", node.subject)
        self.statement(node, "match ", node.subject, ":")
        self.body(node.cases)

    def visit_match_case(self, node: Any) -> None:
        self.inside("Comma", node.guard)
        self.statement(node, "case ", node.pattern)
        self.conditional_write(" if ", node.guard)
        self.write(":")
        self.body(node.body)

    # Patterns

    def visit_MatchValue(self, node: Any) -> None:
        self.inside("Comma", node.value)
        self.write(node.value)

    def visit_MatchSingleton(self, node: Any) -> None:
        self.write(repr(node.value))

    def visit_MatchSequence(self, node: Any) -> None:
        self.write("[")
        self.listed(node.patterns)
        self.write("]")

    def visit_MatchStar(self, node: Any) -> None:
        self.write("*", node.name or "_")

    def visit_MatchMapping(self, node: Any) -> None:
        self.inside("Comma", *node.keys)
        pairs = zip(node.keys, node.patterns, strict=True)
        items = [functools.partial(self.write, key, ": ", pattern) for key, pattern in pairs]
        self.write("{")
        self.listed([*items, f"**{node.rest}"] if node.rest else items)
        self.write("}")

    def visit_MatchClass(self, node: Any) -> None:
        pairs = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
        keywords = [functools.partial(self.write, name, "=", pattern) for name, pattern in pairs]
        self.write(node.cls, "(")
        self.listed([*node.patterns, *keywords])
        self.write(")")

    def visit_MatchAs(self, node: Any) -> None:
        if node.pattern is None:
            self.write(node.name or "_")
            return
        self.nested_pattern(node.pattern, ast.MatchAs)
        self.write(" as ", node.name)

    def visit_MatchOr(self, node: Any) -> None:
        for index, pattern in enumerate(node.patterns):
            self.write(" | " if index else "")
            self.nested_pattern(pattern, (ast.MatchAs, ast.MatchOr))

    def nested_pattern(self, pattern: Any, looser: Any) -> None:
        binds = not isinstance(pattern, ast.MatchAs) or pattern.pattern is not None
        if binds and isinstance(pattern, looser):
            self.write("(", pattern, ")")
        else:
            self.write(pattern)

    # Expressions

    def visit_Call(self, node: Any) -> None:
        alone = len(node.args) == 1 and not node.keywords
        self.inside("call_one_arg" if alone else "Comma", *node.args)
        self.write(node.func, "(")
        self.listed([*node.args, *node.keywords])
        self.write(")")

    def visit_Tuple(self, node: Any) -> None:
        self.inside("Comma", *node.elts)
        with self.delimit(node) as delimiters:
            is_test = self.get__pp(node) == self.levels.If  # also of `while`
            delimiters.discard = delimiters.discard and node.elts and not is_test
            self.listed(node.elts)
            self.write("," if len(node.elts) == 1 else "")

    def visit_Slice(self, node: Any) -> None:
        self.inside("Comma", node.lower, node.upper, node.step)
        self.conditional_write(node.lower)
        self.write(":")
        self.conditional_write(node.upper)
        self.conditional_write(":", node.step)

    def visit_NamedExpr(self, node: Any) -> None:
        self.inside("Comma", node.value)
        with self.delimit(node) as delimiters:
            delimiters.discard = self.get__pp(node) == self.levels.If  # also of `while`
            self.write(node.target, " := ", node.value)

    def visit_Starred(self, node: Any) -> None:
        self.inside("BitOr", node.value)
        self.write("*", node.value)

    def visit_Dict(self, node: Any) -> None:
        pairs = zip(node.keys, node.values, strict=True)
        self.write("{")
        self.listed(functools.partial(self.dict_item, key, value) for key, value in pairs)
        self.write("}")

    def dict_item(self, key: Any, value: Any) -> None:
        self.inside("BitOr" if key is None else "Comma", value)
        self.inside("Comma", key)
        self.write("**" if key is None else key, "" if key is None else ": ", value)

    def visit_ListComp(self, node: Any) -> None:
        self.inside("Comma", node.elt)
        self.write("[", node.elt, *node.generators, "]")

    def visit_SetComp(self, node: Any) -> None:
        self.inside("Comma", node.elt)
        self.write("{", node.elt, *node.generators, "}")

    def visit_DictComp(self, node: Any) -> None:
        self.inside("Comma", node.key, node.value)
        self.write("{", node.key, ": ", node.value, *node.generators, "}")

    def visit_YieldFrom(self, node: Any) -> None:
        with self.delimit(node):
            self.inside("Comma", node.value)
            self.write("yield from ", node.value)

    # Literals

    def visit_Constant(self, node: Any) -> None:
        value = node.value
        if isinstance(value, str):
            self.write((node.kind or "") + self.string(node))
        elif value is Ellipsis:
            self.write("...")
        elif isinstance(value, int | float | complex) and not isinstance(value, bool):
            self.number(node)
        else:
            self.write(repr(value))

    def string(self, node: Any) -> str:
        if getattr(node, "is_docstring", False):
            return triple_quoted(node.value)
        text = string_literal(node.value)
        # Up to Python 3.11, an expression in an f-string must do without backslashes.
        return triple_quoted(node.value) if self.in_f_string and "\\" in text else text

    def number(self, node: Any) -> None:
        text = repr(node.value).replace("inf", "1e1000")
        level = self.get__pp(node)
        # `1.real` is not Python, and `-1 ** 2` is not the square of a literal -1.
        ends_early = text.isdecimal() and level == self.levels.highest
        is_signed = text.startswith("-") and level > self.levels.PowRHS
        self.write(f"({text})" if ends_early or is_signed else text)

    def visit_JoinedStr(self, node: Any) -> None:
        self.write(f_string([list(self.f_string_parts(value)) for value in node.values]))

    def visit_TemplateStr(self, node: Any) -> None:
        parts = [list(self.f_string_parts(value)) for value in node.values]
        self.write(f_string(parts, prefix="t"))

    def f_string_parts(self, node: Any) -> Iterator[Part]:
        """Yields the text of one value of an f-string, or of a format in it."""
        if isinstance(node, ast.Constant):
            yield str(node.value), ""
            return
        text = self.alone(node.value)
        conversion = "" if node.conversion == -1 else f"!{chr(node.conversion)}"
        yield "", f"{{{' ' if text.startswith('{') else ''}{text}{conversion}"
        if node.format_spec is not None:
            yield "", ":"
            for value in node.format_spec.values:
                yield from self.f_string_parts(value)
        yield "", "}"

    def alone(self, node: Any) -> str:
        """The text of an expression in braces, where a colon or a comma would end it."""
        generator = type(self)(" " * 4)  # type: ignore[call-arg]
        generator.in_f_string = True
        generator.inside("IfExp", node)
        if isinstance(node, ast.Lambda | ast.NamedExpr | ast.Yield | ast.YieldFrom):
            generator.inside("highest", node)
        generator.visit(node)
        return "".join(generator.result)


class _Parameter(ast.AST):
    """A parameter as it is written: a prefix (`*`, `**`, `/`), a name, a default."""

    def __init__(self, prefix: str, arg: ast.arg | None, default: ast.expr | None) -> None:
        super().__init__()
        self.prefix = prefix
        self.arg = arg
        self.default = default


def _parameters(node: ast.arguments) -> Iterator[_Parameter]:
    positional = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(positional) - len(node.defaults)) + list(node.defaults)
    for index, (arg, default) in enumerate(zip(positional, defaults, strict=True), start=1):
        yield _Parameter("", arg, default)
        if index == len(node.posonlyargs):
            yield _Parameter("/", None, None)
    if node.vararg or node.kwonlyargs:
        yield _Parameter("*", node.vararg, None)
    for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        yield _Parameter("", arg, default)
    if node.kwarg:
        yield _Parameter("**", node.kwarg, None)


# Strings


def _mark_docstring(body: Sequence[Any]) -> None:
    match body:
        case [ast.Expr(value=ast.Constant(value=str()) as docstring), *_]:
            vars(docstring)["is_docstring"] = True


# Long lines

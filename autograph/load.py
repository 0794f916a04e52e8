"""From a definition to a function: compiled as a tree, under the user's file name and lines."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

import gast

from autograph.attributes import looking_alike
from autograph.cells import cell_of
from autograph.codes import UNREACHED, beginning_on, with_sets_of
from autograph.compiler import compile_quietly
from autograph.quoting.nodes import is_scaffold
from autograph.trees import to_ast, walk

Box = tuple[tuple[int, int], tuple[int, int]]  # (line, column) of the start and of the end


def load(
    node: gast.FunctionDef | gast.AsyncFunctionDef,
    function: FunctionType,
    bindings: Mapping[str, object],
    *,
    owner: str | None = None,
) -> FunctionType:
    """The function that `node` defines, as a twin of `function`.

    Nothing is run. The twin has the globals, cells, defaults, attributes (shared, not copied),
    names and signature of `function`. Functions that were made while converting bear the name of
    the user's function around them, so that tracebacks and profiles read as the user wrote.

    Args:
        node: the definition; its decorators, defaults and annotations play no part.
        function: the function that `node` was made from.
        bindings: what other free names stand for, such as `{"ag": operators}`.
        owner: the innermost class around the definition, for private names and `super()`.
    """
    code = code_for(node, function, bindings, owner=owner)
    return twin_of(function, code, {name: CellType(value) for name, value in bindings.items()})


def code_for(
    node: gast.FunctionDef | gast.AsyncFunctionDef,
    function: FunctionType,
    names: Iterable[str],
    *,
    owner: str | None = None,
) -> CodeType:
    """The code object of the twin that `load` makes; `names` are those that it binds."""
    original = function.__code__
    code = compile_definition(
        to_ast(node),
        free=dict.fromkeys((*original.co_freevars, *names)),
        owner=owner,
        like=original,
    )
    renaming = _Renaming(node, in_cell=cell_of(original.co_filename) is not None)
    named = renaming.rename(code, original.co_name, original.co_qualname, ())
    return with_sets_of(original, named)


def twin_of(function: FunctionType, code: CodeType, cells: Mapping[str, CellType]) -> FunctionType:
    """`function` with another code object, whose further free variables are `cells`."""
    known = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    known |= cells
    closure = tuple(known[name] for name in code.co_freevars)
    twin = FunctionType(code, function.__globals__, None, None, closure)
    return looking_alike(twin, function)


def compile_definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    *,
    free: Collection[str],
    owner: str | None,
    like: CodeType,
    special: Collection[str] = (),
) -> CodeType:
    """The code object of a definition, without running what is around it.

    Args:
        node: the definition; its decorators, defaults and annotations play no part.
        free: the names that it may take from functions around it.
        owner: the innermost class around it.
        like: a code object whose file, first line and `from __future__` imports it takes over.
        special: names that the module imports; what is called on them compiles differently.
    """
    statement = _bare(node, like.co_firstlineno)
    if owner is not None:
        statement = _class(owner, statement)
    module = ast.Module([_factory(free, statement)], [])
    if special:
        aliases = [ast.copy_location(ast.alias(name), node) for name in special]
        module.body.append(_stmt(ast.Import, node, names=aliases))
    code: CodeType = compile_quietly(module, like.co_filename, like.co_flags)
    for _ in range(2 if owner is None else 3):
        code = next(const for const in code.co_consts if isinstance(const, CodeType))
    return code


def as_function_def(node: gast.Lambda) -> gast.FunctionDef:
    """`lambda params: expr` as `def lambda_(params): return expr`; positions are kept."""
    value = node.body
    returned = gast.copy_location(gast.Return(value), value)
    definition = gast.FunctionDef("lambda_", node.args, [returned], [], None, None, [])
    return gast.copy_location(definition, node)


# Scaffolding around a definition


def _bare(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, first_line: int) -> Any:
    """The definition without what is evaluated around it."""
    args = _bare_arguments(node.args)
    if isinstance(node, ast.Lambda):
        return _stmt(ast.Expr, node, value=_stmt(ast.Lambda, node, args=args, body=node.body))
    bare = _function(type(node), node.name, args, node.body, node)
    if first_line != node.lineno:  # a code object begins with the decorators
        bare.decorator_list = [
            ast.Constant(None, lineno=first_line, end_lineno=first_line, col_offset=0)
        ]
    return bare


def _bare_arguments(args: ast.arguments) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[_arg(arg.arg, arg) for arg in args.posonlyargs],
        args=[_arg(arg.arg, arg) for arg in args.args],
        vararg=args.vararg and _arg(args.vararg.arg, args.vararg),
        kwonlyargs=[_arg(arg.arg, arg) for arg in args.kwonlyargs],
        kw_defaults=[None] * len(args.kwonlyargs),
        kwarg=args.kwarg and _arg(args.kwarg.arg, args.kwarg),
        defaults=[],
    )


def _factory(free: Collection[str], statement: Any) -> Any:
    args = ast.arguments(
        posonlyargs=[],
        args=[_arg(name, statement) for name in free],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    name = getattr(statement, "name", None)
    body = [statement]
    if name is not None and name not in free:
        # What the definition calls itself by is global, unless it is a variable around it.
        body.insert(0, _stmt(ast.Global, statement, names=[name]))
    return _function(ast.FunctionDef, "factory", args, body, statement)


def _class(name: str, statement: ast.stmt) -> Any:
    return _stmt(
        ast.ClassDef,
        statement,
        name=name,
        bases=[],
        keywords=[],
        body=[statement],
        decorator_list=[],
        type_params=[],
    )


def _function(
    cls: type[ast.AST], name: str, args: ast.arguments, body: list[ast.stmt], at: ast.AST
) -> Any:
    return _stmt(cls, at, name=name, args=args, body=body, decorator_list=[], type_params=[])


def _arg(name: str, at: ast.AST) -> ast.arg:
    return ast.copy_location(ast.arg(name, None, None), at)


def _stmt(cls: Any, at: ast.AST, **fields: Any) -> Any:
    node = cls.__new__(cls)
    vars(node).update(fields)
    return ast.copy_location(node, at)


# Names of code objects


class _Renaming:
    """Gives the code objects of a converted definition the names that the user wrote."""

    def __init__(self, node: gast.AST, in_cell: bool) -> None:
        self.in_cell = in_cell
        self.blocks: set[str] = set()
        self.thunks: set[Box] = set()
        users: set[Box] = set()
        for inner in walk(node):
            if isinstance(inner, gast.Lambda):
                (self.thunks if is_scaffold(inner) else users).add(_node_box(inner.body))
            elif is_scaffold(inner):
                self.blocks.add(inner.name)
        self.thunks -= users

    def rename(
        self,
        code: CodeType,
        name: str,
        qualname: str,
        outer: Sequence[tuple[str, str]],
        first: int | None = None,
    ) -> CodeType:
        """`code` under that name; `outer` pairs old with new qualified names, innermost first. A
        block is in a function that begins on the line `first`.
        """
        known = ((code.co_qualname, qualname), *outer)
        begin = first or code.co_firstlineno
        consts = [
            self.rename(
                const,
                *self.name_of(const, name, known),
                known,
                begin if self.is_scaffold(const) else None,
            )
            if isinstance(const, CodeType)
            else const
            for const in code.co_consts
        ]
        if not code.co_flags & inspect.CO_OPTIMIZED:  # a class body sets its own __qualname__
            consts = [qualname if const == code.co_qualname else const for const in consts]
        made = code.replace(
            co_name=name,
            co_qualname=qualname,
            co_consts=tuple(consts),
            co_code=code.co_code + UNREACHED * ("line_profiler" in sys.modules),
        )
        # IPython takes a frame's lines from there on, as no file of a cell tells it others.
        if self.in_cell:
            return beginning_on(made, begin)
        # Python 3.14 has wrong numbers for lines before the first, where it tells of those that
        # run. (Their own would be the function's, and to coverage what leaves a block leave that.)
        lowest = min(line for _, _, line in code.co_lines() if line is not None)
        return made if lowest >= code.co_firstlineno else beginning_on(made, lowest - 1)

    def name_of(
        self, code: CodeType, parent: str, known: Sequence[tuple[str, str]]
    ) -> tuple[str, str]:
        if self.is_scaffold(code):
            return parent, known[0][1]
        for old, new in known:
            if code.co_qualname.startswith(old + "."):
                return code.co_name, new + code.co_qualname.removeprefix(old)
        return code.co_name, code.co_qualname

    def is_scaffold(self, code: CodeType) -> bool:
        if code.co_name != "<lambda>":
            return code.co_name in self.blocks
        return bool(self.thunks) and _code_box(code) in self.thunks


def _node_box(node: gast.AST) -> Box:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _code_box(code: CodeType) -> Box | None:
    """The box that the instructions of a lambda, its body, span; None without columns."""
    starts, ends = [], []
    for lineno, end_lineno, col, end_col in code.co_positions():
        if lineno is None or end_lineno is None or col is None or end_col is None:
            continue
        if (lineno, col) != (end_lineno, end_col):
            starts.append((lineno, col))
            ends.append((end_lineno, end_col))
    return (min(starts), max(ends)) if starts else None

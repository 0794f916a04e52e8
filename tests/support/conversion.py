"""What tests ask of a conversion: its stages as trees and as functions, its text."""

import ast
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import gast

from autograph import calls, load, pipeline, printing, source
from autograph.trees import copy_tree, to_ast, to_gast

# What no tree holds any more once a stage is done.
GONE: dict[str, tuple[type[gast.AST], ...]] = {
    "continue_statements": (gast.Continue,),
    "break_statements": (gast.Break,),
    "while_statements": (gast.While,),
    "for_statements": (gast.For,),
    "if_statements": (gast.If,),
    "assert_statements": (gast.Assert,),
    "boolean_operators": (gast.BoolOp, gast.Not),
    "ternaries": (gast.IfExp,),
}


class Stage(NamedTuple):
    """A function definition after one converter, which calls the operators by the name `ag`."""

    name: str
    tree: Any
    ag: str
    owner: str | None


def located(function: types.FunctionType) -> tuple[Any, str | None]:
    """The definition of a function (a lambda as a `def`) and the class around it."""
    found = source.locate(function)
    tree = found.node
    return load.as_function_def(tree) if isinstance(tree, gast.Lambda) else tree, found.owner


def stages(function: types.FunctionType) -> list[Stage]:
    """The tree after each converter, the unconverted one first."""
    tree, owner = located(function)
    source_tree = copy_tree(tree)
    made = [
        Stage(name, copy_tree(converted.tree), converted.ag, owner)
        for name, converted in pipeline.stages(tree, function.__code__.co_filename)
    ]
    return [made[-1]._replace(name="source", tree=source_tree), *made]


def function_of(stage: Stage, function: types.FunctionType) -> types.FunctionType:
    """The function that a stage's tree defines, in place of `function`."""
    return load.load(stage.tree, function, {stage.ag: calls.ag}, owner=stage.owner)


def text_of(stage: Stage) -> str:
    return printing.to_source(stage.tree)


def from_text(text: str, like: Stage) -> Stage:
    """The stage that printed source stands for."""
    return like._replace(tree=to_gast(ast.parse(text).body[0]))


def same_program(stage: Stage, text: str) -> None:
    """Assert that text parses back to the tree of a stage, positions aside."""
    parsed = ast.parse(text).body[0]
    assert ast.dump(parsed, indent=1) == ast.dump(to_ast(stage.tree), indent=1)


NO_PLACE = gast.expr_context | gast.operator | gast.unaryop | gast.cmpop | gast.boolop


def nodes(tree: Any) -> Iterator[Any]:
    return (node for node in gast.walk(tree) if not isinstance(node, NO_PLACE))


def shared_nodes(tree: Any) -> list[str]:
    """Nodes that stand at more than one place of a tree."""
    met: set[int] = set()
    return [gast.dump(node) for node in nodes(tree) if id(node) in met or met.add(id(node))]


def misplaced_nodes(tree: Any, inside: Any) -> list[str]:
    """Nodes without a position, or with one outside the lines of `inside`."""
    first = min([inside.lineno, *(decorator.lineno for decorator in inside.decorator_list)])
    return [
        f"{gast.dump(node)} at {getattr(node, 'lineno', None)}"
        for node in nodes(tree)
        if "lineno" in node._attributes
        and not first
        <= getattr(node, "lineno", 0)
        <= (getattr(node, "end_lineno", 0) or 0)
        <= inside.end_lineno
    ]


def remaining(stage: Stage) -> list[str]:
    """What a stage, or one before it, promised to remove and did not."""
    names = [name for name, _ in _order()]
    done = names[: names.index(stage.name) + 1] if stage.name in names else []
    kinds = tuple(kind for name in done for kind in GONE.get(name, ()))
    if exits_in_finally(stage.tree):
        kinds = ()
    return [
        gast.dump(node)[:200] for node in converted_nodes(stage.tree) if isinstance(node, kinds)
    ]


def exits_in_finally(tree: Any) -> bool:
    """Whether exits stay, and their loops with them: in a `finally`, one discards the exception."""
    return any(
        isinstance(exit_, gast.Break | gast.Continue | gast.Return)
        for node in gast.walk(tree)
        if isinstance(node, gast.Try)
        for statement in node.finalbody
        for exit_ in gast.walk(statement)
    )


def converted_nodes(tree: Any) -> Iterator[Any]:
    """The nodes that converters change.

    Left alone: generators, coroutines, the bodies of classes with the defaults of methods, loops
    that a `finally` leaves, and what raises again in an `except*`.
    """
    if isinstance(tree, gast.For | gast.While) and leaves_in_finally(tree):
        return
    if isinstance(tree, gast.TryStar) and any(map(raises_again, gast.walk(tree))):
        return
    yield tree
    if isinstance(tree, gast.AsyncFunctionDef):
        return
    if isinstance(tree, gast.FunctionDef) and any(map(suspends, tree.body)):
        return
    inside = tree.body if isinstance(tree, gast.ClassDef) else gast.iter_child_nodes(tree)
    for node in inside:
        if not isinstance(tree, gast.ClassDef):
            yield from converted_nodes(node)
        elif isinstance(node, gast.FunctionDef) and not any(map(suspends, node.body)):
            for part in node.body:
                yield from converted_nodes(part)


def raises_again(node: Any) -> bool:
    """Whether it is a bare `raise`."""
    return isinstance(node, gast.Raise) and node.exc is None


def leaves_in_finally(tree: Any) -> bool:
    """Whether a `finally` in a tree holds an exit, which discards an exception under way."""
    tries = [node for node in gast.walk(tree) if isinstance(node, gast.Try)]
    inside = [inner for node in tries for last in node.finalbody for inner in gast.walk(last)]
    return any(isinstance(node, gast.Break | gast.Continue | gast.Return) for node in inside)


def suspends(node: Any) -> bool:
    """Whether a node holds a `yield`, not counting functions inside."""
    if isinstance(node, gast.Yield | gast.YieldFrom):
        return True
    if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda):
        return False
    return any(map(suspends, gast.iter_child_nodes(node)))


def _order() -> list[tuple[str, Any]]:
    return [(converter.name, converter) for converter in pipeline.CONVERTERS]

"""The translators agree with gast's own, on whole modules, and lose nothing on the way back."""

import ast
import inspect
import textwrap
import tokenize
from types import ModuleType
from typing import Any

import gast
import pytest

from autograph import trees

MODULES = [ast, inspect, textwrap, tokenize, trees]


def parsed(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


@pytest.mark.parametrize("module", MODULES)
def test_to_gast(module: ModuleType) -> None:
    tree = parsed(module)
    assert gast.dump(trees.to_gast(tree)) == gast.dump(gast.ast_to_gast(tree))


@pytest.mark.parametrize("module", MODULES)
def test_to_ast_and_back(module: ModuleType) -> None:
    tree = parsed(module)
    back = trees.to_ast(trees.to_gast(tree))
    assert ast.dump(back, include_attributes=True) == ast.dump(tree, include_attributes=True)
    compile(back, "file", "exec")


def test_fields_are_complete() -> None:
    text = "class A:\n  async def f(a, *b: c, **d): return\n  x: int\ntry: y\nexcept E as e: z"
    tree = trees.to_gast(ast.parse(text))
    for node in gast.walk(tree):
        assert [field for field in node._fields if not hasattr(node, field)] == []
    handler = tree.body[1].handlers[0]
    assert (handler.name.id, handler.name.lineno) == ("e", 5)


def test_nothing_is_shared() -> None:
    tree = trees.to_gast(ast.parse("x = [y + z, y + z]\ndef f(a, b): global c"))
    for made in (trees.copy_tree(tree), trees.to_gast(trees.to_ast(tree))):
        assert gast.dump(made, include_attributes=True) == gast.dump(tree, include_attributes=True)
        nodes = [id(node) for node in [*gast.walk(tree), *gast.walk(made)]]
        assert len(nodes) == len(set(nodes))
        assert made.body[1].body[0].names is not tree.body[1].body[0].names


def test_ast_trees_pass_through_unchanged() -> None:
    tree = ast.parse("try: x\nexcept E as e: y\ndef f(a: b): lambda c: d")
    assert ast.dump(trees.to_ast(trees.to_gast(tree))) == ast.dump(tree)
    again: Any = trees.to_gast(ast.parse("x"))
    assert isinstance(again, gast.Module)


@pytest.mark.parametrize("module", MODULES)
def test_walk(module: ModuleType) -> None:
    tree = trees.to_gast(parsed(module))
    assert sorted(map(id, trees.walk(tree))) == large_nodes(tree)


def large_nodes(tree: ast.AST) -> list[int]:
    """The addresses of all nodes but contexts and operators."""
    small = ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop
    return sorted(id(node) for node in ast.walk(tree) if not isinstance(node, small))


def set_parents(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]


def set_circles(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        node.itself, node.all, node.lineno_ = node, [node, [tree]], 1  # type: ignore[attr-defined]


def set_places_of_contexts(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.expr_context | ast.operator):
            node.lineno = node.name = node.id = 7  # type: ignore[attr-defined]


def set_objects_that_are_not_copied(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        node.token = Uncopied()  # type: ignore[attr-defined]


class Uncopied:
    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError

    __copy__ = __reduce__ = __deepcopy__  # type: ignore[assignment]


ANNOTATIONS = [
    set_parents,
    set_circles,
    set_places_of_contexts,
    set_objects_that_are_not_copied,
]
ANNOTATED = "def f(a, *, b=1):\n  if a < b: a += [c, -a][0]\n  return lambda: (a and b)\n"


@pytest.mark.parametrize("annotate", ANNOTATIONS)
def test_attributes_that_tools_set_on_nodes_play_no_part(annotate: Any) -> None:
    expected = gast.dump(trees.to_gast(ast.parse(ANNOTATED)), include_attributes=True)
    annotated = ast.parse(ANNOTATED)
    shared = [node for node in ast.walk(annotated) if not node._fields]
    annotate(annotated)
    try:
        # A tree that nobody has touched shares its contexts and operators with the other.
        for tree in (annotated, ast.parse(ANNOTATED)):
            made = trees.to_gast(tree)
            assert gast.dump(made, include_attributes=True) == expected
            assert sorted(map(id, trees.walk(tree))) == large_nodes(tree)
            names = {name for node in gast.walk(made) for name in vars(node)}
            assert names.isdisjoint({"parent", "itself", "all", "lineno_", "token"})
            compile(trees.to_ast(trees.copy_tree(made)), "file", "exec")
    finally:
        for node in shared:
            vars(node).clear()

"""What is known of an op stands on its definition: outside of `runtime/ops` nothing is keyed by the
names of ops, and no node is compared by one.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import runtime
from runtime.core.primitive import TABLE, Primitive, structural

ROOT = Path(__file__).parents[3]
RUNTIME = ROOT / "runtime"

OTHER_NAMES = {
    "runtime/staging/lists/chosen_lists.py": "the methods of Python's lists",
    "runtime/compat/v1/moved.py": "public names of version 1",
    "runtime/compat/v1/namespaces.py": "public names of version 1",
    "runtime/compat/v1/ops.py": "public names of version 1",
    "runtime/staging/symbolic_tensor.py": "the attributes of Python's complex numbers",
    "runtime/staging/control/truths.py": "the operators of Python",
    "runtime/staging/lists/growing_set.py": "the methods of Python's lists",
    "runtime/graph/executors/native/control.py": "the instructions of machine code",
    "runtime/graph/executors/native/ir.py": "the instructions of machine code",
    "runtime/graph/executors/native/math/__init__.py": "the instructions of machine code",
    "runtime/graph/executors/native/numbers.py": "the instructions of machine code",
    "runtime/graph/executors/native/scalar_ops.py": "the instructions of machine code",
    "runtime/graph/executors/native/scalars.py": "the instructions of machine code",
    "runtime/graph/executors/native/scattering.py": "the instructions of machine code",
    "runtime/graph/executors/native/widening.py": "the instructions of machine code",
    "runtime/graph/numbers.py": "the operators of Python",
    "runtime/graph/passes/run_time_dims.py": "the parameters of a node",
    "runtime/graph/storage/decoding.py": "the kinds of values in a file",
    "runtime/staging/symbolic_number.py": "the functions of `math`",
    "runtime/staging/builtin_functions.py": "the built-in functions of Python",
}
"""Files in which the words that are names of ops are names of other things."""


def load_all() -> None:
    for module in pkgutil.walk_packages(runtime.__path__, "runtime."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def words(elements: Iterable[ast.AST | None]) -> Iterator[str]:
    """The names of ops among these elements of a literal, also as `TABLE["name"]`."""
    for element in elements:
        if isinstance(element, ast.Subscript) and ast.unparse(element.value) == "TABLE":
            element = element.slice
        if isinstance(element, ast.Constant) and element.value in TABLE:
            yield element.value


def elements_of(node: ast.AST) -> Iterable[ast.AST | None]:
    if isinstance(node, ast.Dict):
        return node.keys
    return node.elts if isinstance(node, ast.Set | ast.Tuple | ast.List) else ()


NAMES = ("primitive.name", "primitive.op_type", "primitive.instruction")
ASKING = ("startswith", "endswith", "removeprefix", "removesuffix")


def is_of_primitive(node: ast.AST, names: tuple[str, ...] = NAMES) -> bool:
    return ast.unparse(node).endswith(names)


def asks_name(node: ast.AST) -> bool:
    """Whether a part of a name is asked for, or a function is found by it."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in ASKING:
            return is_of_primitive(value)
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.JoinedStr() as text, *_]):
            parts = [each.value for each in text.values if isinstance(each, ast.FormattedValue)]
            return any(map(is_of_primitive, parts))
    return False


def found_in(text: str, names: tuple[str, ...] = NAMES) -> Iterator[tuple[int, list[str]]]:
    """The line and the names of ops of each table and comparison."""
    done: set[ast.AST] = set()
    for node in ast.walk(ast.parse(text)):
        if asks_name(node):
            yield node.lineno, ["?"]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            inner = [each for side in sides for each in (side, *elements_of(side))]
            named = list(words(inner))
            written = any(isinstance(each, ast.Constant) for each in inner)
            within = any(isinstance(each, ast.In | ast.NotIn) for each in node.ops)
            of_primitive = any(is_of_primitive(side, names) for side in sides)
            plain = any(ast.unparse(side) == "name" for side in sides)
            if (of_primitive and (written or within)) or (plain and named):
                done.update(inner)
                yield node.lineno, named or ["?"]
        elif node not in done:
            named = list(words(elements_of(node)))
            if len(named) > 1:
                yield node.lineno, named


def test_no_table_is_keyed_by_names_of_ops() -> None:
    load_all()
    found: dict[str, list[tuple[int, list[str]]]] = {}
    for path in sorted(RUNTIME.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("runtime/ops/") and name not in OTHER_NAMES:
            # What native code is written in has names of its own.
            names = NAMES[:2] if name.startswith("runtime/graph/executors/native/") else NAMES
            here = list(found_in(path.read_text(encoding="utf-8"), names))
            found |= {name: here} if here else {}
    assert found == {}


def test_no_table_is_keyed_by_ops() -> None:
    load_all()
    found = [
        f"{module.__name__}.{name}"
        for module in list(sys.modules.values())
        if module.__name__.startswith("runtime.") and not module.__name__.startswith("runtime.ops")
        for name, held in vars(module).items()
        if isinstance(held, dict | tuple | list | set | frozenset) and held is not TABLE
        if sum(isinstance(each, Primitive) and each.is_op for each in held) > 1
    ]
    assert found == []


def test_each_file_of_other_names_has_some() -> None:
    load_all()
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in OTHER_NAMES}
    assert [name for name, text in texts.items() if not any(found_in(text))] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("_RULES = {'add': 1, 'sub': 2, **OTHERS}", 2),
        ("_NAMES = frozenset(('add', 'sub'))", 2),
        ("_RULES = {TABLE['add']: 1, TABLE['sub']: 2}", 2),
        ("node.primitive.name == 'add'", 1),
        ("name in ('add', 'sub')", 2),
        ("node.primitive.name in _NAMES", 1),
        ("node.primitive.op_type == 'Assert'", 1),
        ("primitive.instruction == 'shape'", 1),
        ("primitive.name.startswith('py.')", 1),
        ("getattr(self, f'node_{node.primitive.name}')", 1),
        ("primitive.name.rpartition('.')", 0),
        ("x == 'add'", 0),
        ("operation.name != node.primitive.name", 0),
        ("f('add', 1)", 0),
        ("{ADD: 1, SUB: 2}", 0),
    ],
)
def test_what_is_counted(text: str, count: int) -> None:
    assert sum(len(named) for _, named in found_in(text)) == count


def test_a_name_finds_its_primitive() -> None:
    load_all()
    assert [name for name, primitive in TABLE.items() if primitive.name != name] == []
    assert TABLE["while"].op_type == "While"
    assert not TABLE["while"].is_op
    assert TABLE["add"].is_op
    with pytest.raises(ValueError, match="two primitives named 'while'"):
        structural("while", lambda: ())


def test_every_primitive_is_in_the_table() -> None:
    made = re.compile(r"(?<!\w)Primitive\(")
    texts = {path.name: path.read_text(encoding="utf-8") for path in RUNTIME.rglob("*.py")}
    assert [name for name, text in texts.items() if made.search(text)] == ["primitive.py"]

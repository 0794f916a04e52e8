"""The Python expressions for ops on scalars: what needs no kernel, because Python computes the
same.

A 0-d integer tensor is a Python int in generated code, wrapped around where it leaves its dtype's
range; a 0-d bool may be a Python bool; 0-d float32 and float64 are NumPy scalars, whose operators
are the ufuncs of the kernels. An expression that raises where the kernel has an error of its own is
followed by asking the kernel (`failures.explain`).
"""

from __future__ import annotations

import ast
import itertools
from functools import cache
from typing import NamedTuple

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.ir import Node, Value
from runtime.types import NumberType, TensorType, Type


class Form(NamedTuple):
    """A template over the operands' names; `wraps`: the result may leave the integer's range;
    `refuses`: what leaves it is an error, which the kernel raises.
    """

    text: str
    wraps: bool = False
    refuses: bool = False


COMPARISONS = {
    "equal": Form("{} == {}"),
    "not_equal": Form("{} != {}"),
    "less": Form("{} < {}"),
    "less_equal": Form("{} <= {}"),
    "greater": Form("{} > {}"),
    "greater_equal": Form("{} >= {}"),
}
MOVES = {
    "identity": Form("{}"),
    "stop_gradient": Form("{}"),
    "where": Form("{1} if {0} else {2}"),
}
ARITHMETIC = {
    "add": Form("{} + {}", wraps=True),
    "sub": Form("{} - {}", wraps=True),
    "mul": Form("{} * {}", wraps=True),
    "neg": Form("-{}", wraps=True),
}
INTEGERS = {
    **COMPARISONS,
    **MOVES,
    **ARITHMETIC,
    "square": Form("{0} * {0}", wraps=True),
    "abs": Form("abs({})", wraps=True),
    # Only the smallest number by -1 leaves the range.
    "floordiv": Form("{} // {}", wraps=True),
    "mod": Form("{} % {}"),
    "bitwise_and": Form("{} & {}"),
    "bitwise_or": Form("{} | {}"),
    "bitwise_xor": Form("{} ^ {}"),
    "maximum": Form("{0} if {0} >= {1} else {1}"),
    "minimum": Form("{0} if {0} <= {1} else {1}"),
}
FLOATS = {**COMPARISONS, **MOVES, **ARITHMETIC, "div": Form("{} / {}")}
BOOLS = {
    **MOVES,
    "equal": Form("{} == {}"),
    "not_equal": Form("{} != {}"),
    "logical_and": Form("{} and {}"),
    "logical_or": Form("{} or {}"),
    "logical_not": Form("not {}"),
    "logical_xor": Form("{} != {}"),
}


_TABLES = {dtype.name: INTEGERS for dtype in dtypes.ALL if dtype.is_integer} | {
    "bool": BOOLS,
    "float32": FLOATS,
    "float64": FLOATS,
}


def _table(type: Type) -> dict[str, Form] | None:
    """Returns the forms for a 0-d tensor of this type; None for other tensors and other types."""
    if not isinstance(type, TensorType) or type.shape != ():
        return None
    return _TABLES.get(type.dtype.name)


def is_integer(type: Type) -> bool:
    """True for a 0-d integer tensor: a Python int in generated code."""
    return _table(type) is INTEGERS


def is_bool(type: Type) -> bool:
    """True for a 0-d bool tensor, which may be a Python bool in generated code."""
    return _table(type) is BOOLS


def is_float(type: Type) -> bool:
    """True for a 0-d float32 or float64 tensor."""
    return _table(type) is FLOATS


def form_of(node: Node) -> Form | None:
    """Returns the Python form of the node; None where its kernel is called."""
    name = node.primitive.name
    special = _SPECIAL.get(name)
    if special is not None:
        return special(node)
    table = _table(node.inputs[-1].type) if node.inputs else None
    form = None if table is None else table.get(name)
    if form is None or not all(_is_scalar(value.type) for value in (*node.inputs, *node.outputs)):
        return None
    return form


def is_weak_cast(node: Node) -> bool:
    """True if it makes a float of an integer that NumPy's arithmetic rounds in the same way."""
    if node.primitive.name != "cast" or not is_float(node.outputs[0].type):
        return False
    form = form_of(node)
    return form is not None and form.text.startswith("one_")


def takes_weak(node: Node) -> bool:
    """True for arithmetic of two floats, the last of which may be a Python int."""
    binary = node.primitive.name in ("add", "sub", "mul", "div") and len(node.inputs) == 2
    return binary and all(is_float(value.type) for value in node.inputs)


def _is_scalar(type: Type) -> bool:
    return _table(type) is not None


def _cast(node: Node) -> Form | None:
    source, target = node.inputs[0].type, node.outputs[0].type
    if not (_is_scalar(source) and _is_scalar(target)):
        return None
    assert isinstance(source, TensorType)
    assert isinstance(target, TensorType)
    if is_integer(source):
        return _cast_integer(source.dtype, target.dtype)
    if is_bool(source):
        return Form("int({})") if is_integer(target) else None
    return Form(f"{target.dtype.name}({{}})") if is_float(target) else None


def _cast_integer(source: DType, target: DType) -> Form | None:
    if target.is_bool:
        return Form("{} != 0")
    if target.is_integer:
        fits = target.min <= source.min and source.max <= target.max
        return Form("{}", wraps=not fits)
    # The product with a Python int rounds it as a conversion does, in less time. A float64 on the
    # way rounds once more, which only integers of 64 bits would show.
    return Form(f"one_{target.name} * {{}}") if source.size < 8 else None


def _to_tensor(node: Node) -> Form | None:
    source, target = node.inputs[0].type, node.outputs[0].type
    assert isinstance(source, NumberType)
    assert isinstance(target, TensorType)
    if is_float(target):
        # The kernel refuses what does not fit.
        text = f"{target.dtype.name}({{}})"
        return None if source.kind == "float" else Form(text, refuses=source.kind == "int")
    if is_integer(target) and source.kind != "float":
        return Form("int({})") if source.kind == "bool" else Form("{}", refuses=True)
    return Form("{}") if is_bool(target) and source.kind == "bool" else None


def _truth(node: Node) -> Form | None:
    source = node.inputs[0].type
    if is_integer(source):
        return Form("{} != 0")
    return Form("bool({})") if _is_scalar(source) else None


def _item_int(node: Node) -> Form | None:
    return Form("{}") if is_integer(node.inputs[0].type) else None


def _item_float(node: Node) -> Form | None:
    return Form("float({})") if _is_scalar(node.inputs[0].type) else None


def _element(node: Node) -> Form | None:
    spec = (DYNAMIC,) if node.primitive.name == "element" else node.params["spec"]
    array, type = node.inputs[0].type, node.outputs[0].type
    if not isinstance(array, TensorType) or len(array.shape or ()) < len(spec) or not spec:
        return None
    if array.dtype.np_dtype.kind not in "biufc" or not all(map(_is_index, node.inputs[1:])):
        return None
    if not all(isinstance(entry, int) or entry == DYNAMIC for entry in spec):
        return None
    places = itertools.count(1)
    index = ", ".join([f"{{{next(places)}}}" if part == DYNAMIC else str(part) for part in spec])
    return Form(f"{{0}}.item({index})" if is_integer(type) else f"{{0}}[{index}]")


def _is_index(value: Value) -> bool:
    return is_integer(value.type) or value.type == NumberType("int")


DYNAMIC = "?"
"""What stands in the spec of a slice for an input."""

_SPECIAL = {
    "cast": _cast,
    "strided_slice": _element,
    "element": _element,
    "to_tensor": _to_tensor,
    "truth": _truth,
    "py.item_int": _item_int,
    "py.item_float": _item_float,
}

# How Python writes rows of numbers; what is not here is a call of the kernel.
NUMBERS = {
    "array_length": "len({})",
    "py.add": "{} + {}",
    "py.sub": "{} - {}",
    "py.mul": "{} * {}",
    "py.truediv": "{} / {}",
    "py.floordiv": "{} // {}",
    "py.mod": "{} % {}",
    "py.lshift": "{} << {}",
    "py.rshift": "{} >> {}",
    "py.and": "{} & {}",
    "py.or": "{} | {}",
    "py.xor": "{} ^ {}",
    "py.lt": "{} < {}",
    "py.le": "{} <= {}",
    "py.gt": "{} > {}",
    "py.ge": "{} >= {}",
    "py.eq": "{} == {}",
    "py.ne": "{} != {}",
    "py.neg": "-{}",
    "py.pos": "+{}",
    "py.invert": "~{}",
    "py.not": "not {}",
}


def slices_of(node: Node) -> str | None:
    """The index of a node that takes known slices of an array, which never fails."""
    if node.primitive.name != "strided_slice" or len(node.inputs) != 1:
        return None
    spec, type = node.params["spec"], node.inputs[0].type
    if not spec or not isinstance(type, TensorType) or len(type.shape or ()) < len(spec):
        return None
    if not all(isinstance(entry, tuple) and entry[2] != 0 for entry in spec):
        return None
    if not all(part is None or isinstance(part, int) for entry in spec for part in entry):
        return None
    return ", ".join(map(_slice, spec))


def _slice(entry: tuple[int | None, int | None, int | None]) -> str:
    start, stop, step = ("" if part is None else str(part) for part in entry)
    return f"{start}:{stop}" + (f":{step}" if step else "")


def wrapper(dtype: DType) -> object:
    """The function that wraps a Python int around to the range of a dtype."""
    low, count = int(dtype.min), 1 << (8 * dtype.size)

    def wrap(number: int) -> int:
        return (number - low) % count + low

    return wrap


@cache
def level_of(template: str) -> int:
    """Returns the precedence of the expression that a template writes."""
    return _level(_tree(template))


@cache
def operand_levels(template: str) -> tuple[int, ...]:
    """For each operand of a template: what binds as tightly as this, or less, is put in brackets
    there. What stands in the brackets of a call needs none of its own.
    """
    levels = dict.fromkeys(_PLACES, -1)
    for parent in ast.walk(_tree(template)):
        level = -1 if isinstance(parent, ast.Call | ast.Subscript | ast.Tuple) else _level(parent)
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Name) and child.id in levels:
                levels[child.id] = max(levels[child.id], level)
    return tuple(levels.values())


def _tree(template: str) -> ast.expr:
    return ast.parse(template.format(*_PLACES), mode="eval").body


def _level(tree: ast.AST) -> int:
    if isinstance(tree, ast.Compare):
        return _LEVELS[ast.Compare]
    operator = tree.op if isinstance(tree, ast.BinOp | ast.UnaryOp | ast.BoolOp) else tree
    return _LEVELS.get(type(operator), ATOM)


# An array of 64 dimensions, and its indices.
_PLACES = tuple([f"p{at}" for at in range(65)])
ATOM = 20
_LEVELS: dict[type[ast.AST], int] = {
    ast.IfExp: 0, ast.Or: 1, ast.And: 2, ast.Not: 3, ast.Compare: 4, ast.BitOr: 5, ast.BitXor: 6,
    ast.BitAnd: 7, ast.LShift: 8, ast.RShift: 8, ast.Add: 9, ast.Sub: 9, ast.Mult: 10, ast.Div: 10,
    ast.FloorDiv: 10, ast.Mod: 10, ast.USub: 11, ast.UAdd: 11, ast.Invert: 11,
}  # fmt: skip

"""Writes `docs/ops.md` from the table of ops: `python -m docs.make_ops`.

A test compares the file with what this makes, so that it is always up to date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

import runtime
from runtime import ops
from runtime.dtypes import ALL
from runtime.primitive import (
    ANY,
    CLASSES,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    TABLE,
    Primitive,
    flat,
)

PATH = Path(__file__).parent / "ops.md"
MODULES = ("", "math", "linalg", "nn", "random", "strings", "image", "bitwise", "debugging")
# Rows of these stand outside of `runtime.ops`.
OTHERS = "runtime.variable runtime.debugging runtime.printing runtime.autodiff runtime.control_flow"

INTRODUCTION = """\
# Ops

One row of this table is one op: what a graph has as a node, and what eager code computes by one call of
a kernel. It is written from the table in the source (`runtime/ops/`) by

    .venv/bin/python -m docs.make_ops

and a test fails where it is out of date. Ask any name for its docstring: `help(runtime.nn.gelu)`.

- **Op type** is the name that TensorFlow gives the op; errors begin with it.
- **Names** are the public functions that apply the row themselves. A row without one serves others: a gradient, an
  operator, indexing.
- **Takes** lists the dtypes of the inputs, those of different kinds separated by a semicolon. Inputs of one kind
  have one dtype: two tensors of different dtypes never mix. Where it says *by rule*, the shape rule decides.
- **Gives** is the dtype of the result, *same* for that of the inputs.
- **Gradient**: *yes*; *stops* where the result is constant as far as gradients are concerned (a gradient through it
  is None); *no* where asking for one is a `LookupError`.
"""

SECOND = """\
## Functions without a row

These are written in terms of the rows above, and so have their dtypes, shapes, errors and gradients from them.
"""


def document() -> str:
    """The text of `docs/ops.md`."""
    ops.load_all()
    for name in OTHERS.split():
        import_module(name)
    direct, composed = _names()
    lines = [INTRODUCTION, _line("row", "op type", "names", "takes", "gives", "gradient")]
    lines.append("|---|---|---|---|---|---|")
    lines += [_row(TABLE[name], direct.get(name, [])) for name in sorted(TABLE)]
    lines += ["", SECOND]
    lines += [f"- `{module}`: {', '.join(names)}" for module, names in composed.items()]
    return "\n".join(lines) + "\n"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _row(primitive: Primitive, names: list[str]) -> str:
    takes, gives = _dtypes(primitive)
    named = ", ".join(f"`{name}`" for name in names)
    cells = f"`{primitive.name}`", primitive.op_type, named, takes, gives, _gradient(primitive)
    return _line(*cells)


def _gradient(primitive: Primitive) -> str:
    if primitive.gradient is None:
        return "no"
    return "stops" if primitive.gradient is flat else "yes"


# Dtypes


def _dtypes(primitive: Primitive) -> tuple[str, str]:
    if primitive.shape is None:
        return "by rule", "by rule"
    letters = list(dict.fromkeys(primitive.letters))
    takes = "; ".join(_class(CLASSES[letter]) for letter in letters) or "nothing"
    gives = "; ".join(_result(letter, letters) for letter in primitive.result)
    return takes, gives


def _result(letter: str, letters: list[str]) -> str:
    if letter in letters:
        return "same" if letter == letters[0] else f"same as {_class(CLASSES[letter])}"
    if letter.startswith("real "):
        return "same, or its real part's"
    return letter if letter in [dtype.name for dtype in ALL] else f"the argument `{letter}`"


def _class(dtypes: frozenset[np.dtype[Any]]) -> str:
    if dtypes == ANY:
        return "any"
    return ", ".join(_groups(dtypes))


def _groups(left: frozenset[np.dtype[Any]]) -> Iterator[str]:
    groups = ("numbers", NUMBERS), ("integers", INTEGERS), ("floats", FLOATS), ("complex", COMPLEX)
    for name, group in groups:
        if group <= left:
            left -= group
            yield name
    yield from (dtype.name for dtype in ALL if dtype.np_dtype in left)


# Names


def _names() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The public names that apply each row, and the other functions of each module."""
    direct: dict[str, list[str]] = {}
    composed: dict[str, list[str]] = {}
    for module in MODULES:
        for name, function in _public(module):
            rows = sorted({primitive.name for primitive in _applied(function, set())})
            for row in rows:
                direct.setdefault(row, []).append(name)
            if not rows and not _is_method(name):
                composed.setdefault(f"runtime.{module}".rstrip("."), []).append(f"`{name}`")
    return direct, composed


def _public(module: str) -> Iterator[tuple[str, Any]]:
    """The functions of a public module, and the methods of its classes, with their names in it."""
    holder: Any = getattr(runtime, module) if module else runtime
    for name in sorted(dir(holder)):
        item = getattr(holder, name)
        if name.startswith("_") or isinstance(item, ModuleType):
            continue
        here = f"{module}.{name}".lstrip(".")
        if isinstance(item, type):
            methods = sorted(vars(item).items())
            yield from ((f"{here}.{m}", f) for m, f in methods if _is_public(m, f))
        elif isinstance(item, FunctionType):
            yield here, item


def _is_public(name: str, item: Any) -> bool:
    return not name.startswith("_") and isinstance(item, FunctionType)


def _is_method(name: str) -> bool:
    return any(part[:1].isupper() for part in name.split(".")[:-1])


def _applied(function: Any, seen: set[Any]) -> Iterator[Primitive]:
    """The rows that a function mentions, itself or in a private helper of its module."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    named = [_lookup(function, name) for name in _mentioned(function.__code__)]
    for item in [*cells, *named]:
        if isinstance(item, Primitive):
            yield item
        elif _is_helper(item, function):
            yield from _applied(item, seen)


def _lookup(function: FunctionType, name: str) -> Any:
    found = function.__globals__.get(name)
    return getattr(ops, name, None) if found is None and name.endswith("_p") else found


def _mentioned(code: CodeType) -> Iterable[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [*code.co_names, *[name for part in inner for name in _mentioned(part)]]


def _is_helper(item: Any, function: FunctionType) -> bool:
    private = isinstance(item, FunctionType) and item.__name__.startswith("_")
    return private and item.__module__ == function.__module__


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")

"""Writes `docs/ops.md` from the table of ops: `python -m docs.make_ops`.

A test compares the file with what this makes, so that it is always up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import runtime
from runtime import GradientTape, ops
from runtime.core.primitive import (
    ANY,
    CLASSES,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    TABLE,
    Primitive,
    Sample,
    bind,
    flat,
)
from runtime.core.tensor import EagerTensor
from runtime.dtypes import ALL
from tests.runtime.ops.samples import arrays

PATH = Path(__file__).parent / "ops.md"
MODULES = (
    "",
    "math",
    "linalg",
    "nn",
    "random",
    "strings",
    "image",
    "bitwise",
    "debugging",
    "signal",
    "io",
)
# Rows of these stand outside of `runtime.ops`.
OTHERS = (
    "runtime.variables.variable runtime.debugging runtime.autodiff "
    "runtime.staging.explicit_control_flow runtime.autodiff.python_calls runtime.io"
)

INTRODUCTION = """\
# Ops

One row of this table is one op: what a graph has as a node, and what eager code computes by one
call of a kernel. It is written from the table in the source (`runtime/ops/`) by

    .venv/bin/python -m docs.make_ops

and a test fails where it is out of date. `help(runtime.nn.gelu)` says what a name does, with an
example.

- **Op type** is the name that TensorFlow gives the op; errors begin with it.
- **Names** are public functions that apply the row themselves; other names of the same function are
  left out. A row without one serves others: a gradient, an operator, indexing.
- **Takes** lists the dtypes of the inputs, those of different kinds separated by a semicolon.
  Inputs of one kind have one dtype: two tensors of different dtypes never mix. Where it says
  *by rule*, the row's own rule decides.
- **Gives** is the dtype of each result, *same* for that of the inputs.
- **Gradient**: *yes*; *none*, so that the gradient for an input that only this leads to is None;
  *refused*, an error that says so; *in part*, where some results have one and others are refused.
  It is found out by running the samples of the row.
"""

SECOND = """\
## Functions without a row

These use the functions above, which give them their dtypes, errors and gradients.
"""


def document() -> str:
    """The text of `docs/ops.md`."""
    ops.load_all()
    for name in OTHERS.split():
        import_module(name)
    direct, composed = _names()
    lines = [INTRODUCTION, _line("row", "op type", "names", "takes", "gives", "gradient")]
    lines.append("|---|---|---|---|---|---|")
    lines += [
        _row(TABLE[name], direct.get(name, [])) for name in sorted(TABLE) if TABLE[name].is_op
    ]
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
    if not primitive.samples:
        return "none" if primitive.gradient in (None, flat) else "yes"
    found = {answer for sample in primitive.samples for answer in _flows(primitive, sample)}
    if {"yes", "refused"} <= found:
        return "in part"
    return next((answer for answer in ("yes", "refused") if answer in found), "none")


def _flows(primitive: Primitive, sample: Sample) -> list[str]:
    """Returns what becomes of the gradient of each output of a sample: found out, not read off."""
    inputs = [EagerTensor(array) for array in arrays(primitive, sample)]
    watched = [x for x in inputs if _is_differentiable(x)]
    if not watched:
        return []
    with GradientTape(persistent=True) as tape:
        tape.watch(watched)
        outputs = bind(primitive, *inputs, **sample[1])
    targets = outputs if isinstance(outputs, tuple) else (outputs,)
    return [_flow(tape, target, watched) for target in targets if _is_differentiable(target)]


def _flow(tape: GradientTape, target: Any, sources: list[Any]) -> str:
    try:
        grads = tape.gradient(target, sources)
    except (LookupError, NotImplementedError):
        return "refused"
    return "yes" if any(grad is not None for grad in grads) else "none"


def _is_differentiable(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


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
    public = {name: item for module in MODULES for name, item in _public(module)}
    seen: dict[Any, str] = {}
    direct: dict[str, list[str]] = {}
    composed: dict[str, list[str]] = {}
    for name, item in public.items():
        if seen.setdefault(item, name) != name:
            continue  # another name of the same function
        mentioned = set(_mentioned(item, set(public.values()), set()))
        for primitive in sorted({p.name for p in mentioned if isinstance(p, Primitive)}):
            direct.setdefault(primitive, []).append(name)
        if mentioned and not any(isinstance(p, Primitive) for p in mentioned):
            composed.setdefault(_heading(name, item), []).append(f"`{name}`")
    composed.pop("", None)
    return direct, composed


def _heading(name: str, item: Any) -> str:
    if not item.__module__.startswith("runtime.ops."):
        return ""
    return f"runtime.{name.rpartition('.')[0]}".rstrip(".")


def _public(module: str) -> Iterator[tuple[str, Any]]:
    """The functions of a public module, and the methods of `Variable`, by their names."""
    holder: Any = getattr(runtime, module) if module else runtime
    for name in sorted(dir(holder)):
        item = getattr(holder, name)
        here = f"{module}.{name}".lstrip(".")
        if name.startswith("_") or _is_borrowed(item, holder):
            continue
        if item is runtime.Variable:
            methods = [(m, f) for m, f in sorted(vars(item).items()) if not m.startswith("_")]
            yield from ((f"{here}.{m}", f) for m, f in methods if isinstance(f, FunctionType))
        elif isinstance(item, FunctionType):
            yield here, item


def _is_borrowed(item: Any, holder: Any) -> bool:
    """True if it is imported for the module's own use. Only `debugging` is no list
    of public names.
    """
    own = holder is runtime.debugging
    return own and getattr(item, "__module__", None) != holder.__name__


def _mentioned(item: Any, public: set[Any], seen: set[int]) -> Iterator[Any]:
    """The rows and public functions that a function mentions, itself or in what it uses that is
    not public: helpers, and tables of rows.
    """
    if id(item) in seen:
        return
    seen.add(id(item))
    for part in _parts(item):
        if isinstance(part, Primitive) or (isinstance(part, FunctionType) and part in public):
            yield part
        elif _is_ours(part):
            yield from _mentioned(part, public, seen)


def _parts(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(item.values())
    if isinstance(item, tuple | list):
        return list(item)
    cells = [cell.cell_contents for cell in item.__closure__ or ()]
    return [*cells, *[_lookup(item, name) for name in _names_in(item.__code__)]]


def _is_ours(item: Any) -> bool:
    if isinstance(item, FunctionType):
        return item.__module__.startswith("runtime.")
    return isinstance(item, dict | tuple | list)


def _lookup(function: FunctionType, name: str) -> Any:
    found = function.__globals__.get(name)
    return vars(ops).get(name) if found is None else found


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names_in(const)


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")

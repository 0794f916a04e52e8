"""Functions that are called later, for a gradient, but must read what was there at the call that
they belong to.

Such a function gets copies of the cells of enclosing functions, with their present contents, so
that neither `k = k * 2.0` nor `k[0] = 9.0` changes what it reads. Globals, attributes and items
cannot be copied like that: they are compared, and a call is refused if one has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from autograph.codes import remembering
from runtime.autodiff.records import another
from runtime.core.tensor import EagerTensor
from runtime.staging.guarding.code_paths import StaticPath, paths_in, stores_in
from runtime.staging.guarding.lookup import is_users_code
from runtime.staging.guarding.weak_paths import MISSING, attribute_now
from runtime.staging.refusals import refuse

Read = dict[tuple[FunctionType, StaticPath], tuple[Any, ...]]
"""The values that functions read by static paths, and that are compared."""

_NUMBERS = (bool, int, float, complex, str, bytes)
_ITEMS = 100
"""The number of items of a list or dict that are compared."""


def at_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes what `function` would compute now.

    A call raises StagingError if a value has changed that could not be copied.
    """
    if _function_of(function) is None:
        return function
    kept = _with_own_cells(function, _cells_written(function), {})
    before = _read_by(kept)

    def run(*args: Any, **kwargs: Any) -> Any:
        _check(before, _read_by(kept))
        return kept(*args, **kwargs)

    return run


def _function_of(item: Any) -> FunctionType | None:
    """The user's Python function that a call of `item` runs."""
    found: Any = item.__func__ if type(item) is MethodType else item
    if type(found) is not FunctionType and hasattr(type(found), "python_function"):
        found = found.python_function
    return found if type(found) is FunctionType and is_users_code(found) else None


# Cells


def _cells_of(function: FunctionType) -> Iterator[tuple[str, CellType]]:
    return zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _cells_written(function: Any) -> set[int]:
    """The identities of the cells that the function, or one in its cells, assigns."""
    written, seen, pending = set(), set(), [function]
    while pending:
        found = _function_of(pending.pop())
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        stores = stores_in(found.__code__)
        for name, cell in _cells_of(found):
            if ("DEREF", name) in stores:
                written.add(id(cell))
            pending.append(_content(cell))
    return written


def _with_own_cells(item: Any, shared: set[int], known: dict[int, Any]) -> Any:
    """A copy of a value: tensors with their present value, functions with cells of their own."""
    if isinstance(item, EagerTensor):
        return another(item)
    if type(item) is MethodType:
        return MethodType(_with_own_cells(item.__func__, shared, known), item.__self__)
    if type(item) is not FunctionType or _function_of(item) is None or not item.__closure__:
        return item
    if id(item) in known:
        return known[id(item)]
    cells = [cell if id(cell) in shared else CellType() for cell in item.__closure__]
    made = FunctionType(
        item.__code__, item.__globals__, item.__name__, item.__defaults__, tuple(cells)
    )
    made.__kwdefaults__, made.__qualname__ = item.__kwdefaults__, item.__qualname__
    made.__dict__.update(item.__dict__)
    known[id(item)] = made
    for own, (_, cell) in zip(cells, _cells_of(item), strict=True):
        content = _content(cell)
        if own is not cell and content is not MISSING:
            own.cell_contents = _with_own_cells(content, shared, known)
    return made


# What is elsewhere


def _read_by(function: Any) -> Read:
    """Returns what a function, and those that it calls by a static path, read by such paths."""
    found: Read = {}
    seen, pending = set(), [function]
    while pending:
        item = pending.pop()
        python = _function_of(item)
        if python is None or (id(python), id(getattr(item, "__self__", None))) in seen:
            continue
        seen.add((id(python), id(getattr(item, "__self__", None))))
        roots = {name: _content(cell) for name, cell in _cells_of(python)}
        if type(item) is MethodType and python.__code__.co_argcount:
            roots[python.__code__.co_varnames[0]] = item.__self__
        for path in _paths(python.__code__):
            value = _value_at(path, python, roots)
            if value is not MISSING and not _is_stored(path, python.__code__):
                found[python, path] = tuple(_compared(value))
            if _function_of(value) is not None:
                pending.append(value)
    return found


@remembering
def _paths(code: CodeType) -> tuple[StaticPath, ...]:
    """The paths that begin outside of the function, or at the object of a method."""
    known = {*code.co_freevars, *code.co_varnames[: min(1, code.co_argcount)]}
    return tuple([path for path in paths_in(code) if path.is_global or path.root in known])


def _value_at(path: StaticPath, function: FunctionType, roots: dict[str, Any]) -> Any:
    value = (function.__globals__ if path.is_global else roots).get(path.root, MISSING)
    for kind, name in path.steps:
        if value is MISSING:
            break
        value = _method_or_attribute(value, name) if kind == "." else _item(value, name)
    return value


def _method_or_attribute(holder: Any, name: str) -> Any:
    found = attribute_now(holder, name)
    if found is MISSING and type(getattr(type(holder), name, None)) is FunctionType:
        return getattr(holder, name)
    return found


def _item(holder: Any, key: Any) -> Any:
    if type(holder) not in (list, tuple, dict):
        return MISSING
    try:
        return holder[key]
    except LookupError:
        return MISSING


def _is_stored(path: StaticPath, code: CodeType) -> bool:
    """True for what the function itself may change."""
    stores = stores_in(code)
    kind, name = path.steps[-1] if path.steps else ("", path.root)
    if kind == "[]":
        return any(stored == "SUBSCR" for stored, _ in stores)
    return ("ATTR" if kind else "GLOBAL", name) in stores or ("DEREF", name) in stores


def _compared(value: Any) -> Iterator[Any]:
    """Yields what is compared of a value: a list may grow, and objects change."""
    if type(value) is EagerTensor:
        yield value.raw
    elif type(value) is MethodType:
        yield from (value.__self__, value.__func__)
    elif type(value) in (list, tuple, dict):
        items = list(value.values() if type(value) is dict else value)
        yield from (item.raw for item in items[:_ITEMS] if type(item) is EagerTensor)
    else:
        yield value


def _check(before: Read, now: Read) -> None:
    for place, values in before.items():
        others = now.get(place, ())
        if len(others) < len(values) or not all(map(_is_same, values, others)):
            function, name = place[0].__name__, _text(place[1])
            raise refuse(
                f"the gradient of a call of {function!r} is asked for, which would read {name!r}, "
                "and that has changed since the call",
                f"let {name!r} be as it was, or give the function its value as an argument",
                name,
            )


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and type(a) in _NUMBERS and a == b)


def _text(path: StaticPath) -> str:
    steps = [f".{name}" if kind == "." else f"[{name!r}]" for kind, name in path.steps]
    return path.root + "".join(steps)

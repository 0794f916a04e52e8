"""Functions: what they capture, name and hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, pairwise
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from autograph.backend import GlobalVariable, stand_ins
from autograph.codes import CodeTable, has_instruction
from autograph.frames import is_library
from autograph.instructions import instructions, operations, variable_of
from autograph.mutation.kinds import KeyedKind, Kind
from autograph.mutation.paths import ATOMS, Part, as_attribute, as_itself, named
from autograph.mutation.users_code import is_users_class, is_users_function
from autograph.mutation.variables import Named, value_of


class Unconverted(NamedTuple):
    """A function that Python calls by itself, so that the calls in it are not intercepted."""

    function: FunctionType


class UnconvertedKind(Kind):
    def key(self, value: Unconverted) -> Any:
        return id(value[0]), self

    def parts(self, value: Unconverted, state: Any) -> Iterable[Part]:
        (function,) = value
        for style, key, child in captured_by(function):
            yield style, key, child
            held = value_of(child)
            if isinstance(held, FunctionType) and is_users_function(held):
                yield style, key, Unconverted(held)


class FunctionKind(KeyedKind):
    """The state of a function: what it captures and names, and what can be put in its place."""

    style = as_attribute

    def take(self, value: FunctionType) -> dict[str, Any]:
        return {name: getattr(value, name) for name in _OF_CALLS}

    def parts(self, value: FunctionType, state: Any) -> Iterable[Part]:
        return captured_by(value)

    def put(self, value: FunctionType, state: dict[str, Any]) -> None:
        for name, part in state.items():
            setattr(value, name, part)

    def holder(self, value: FunctionType) -> Any:
        return value.__code__

    def is_fixed(self, key: Any) -> bool:
        return True


class NamedFunctionKind(KeyedKind):
    """The state of a function that something names: what can be put in its place, or there."""

    style = as_attribute

    def key(self, value: Named) -> Any:
        return id(value.function), self

    def take(self, value: Named) -> dict[str, Any]:
        function = value.function
        return {name: getattr(function, name) for name in _OF_CALLS} | vars(function)

    def parts(self, value: Named, state: Any) -> Iterable[Part]:
        return ()

    def put(self, value: Named, state: dict[str, Any]) -> None:
        for name in vars(value.function).keys() - state.keys():
            delattr(value.function, name)
        for name, part in state.items():
            setattr(value.function, name, part)

    def holder(self, value: Named) -> Any:
        return value.function

    def is_fixed(self, key: Any) -> bool:
        return key in _OF_CALLS


_OF_CALLS = (
    "__code__", "__defaults__", "__kwdefaults__", "__name__", "__qualname__", "__doc__",
    "__module__",
)  # fmt: skip
"""The attributes of a function that say what a call of it does, and what it is."""


def wrapped_by(function: Any) -> list[Part]:
    return [(as_itself, None, getattr(function, "__wrapped__", None))]


memories: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The memory that a backend has in place of that of a function under `functools.cache`."""


def remembered_by(cached: Any) -> list[Part]:
    memory = memories.get(cached)
    return [*wrapped_by(cached), *([] if memory is None else [(as_attribute, "cache", memory)])]


class MethodKind(Kind):
    """A bound method: each reading of `item.method` makes another object."""

    def key(self, value: MethodType) -> Any:
        return id(value.__func__), id(value.__self__), self

    def parts(self, value: MethodType, state: Any) -> Iterable[Part]:
        function = value.__func__
        parameters = function.__code__.co_varnames if isinstance(function, FunctionType) else ()
        receiver = parameters[0] if parameters else "self"
        name = getattr(function, "__name__", "__func__")
        return [(named, receiver, value.__self__), (named, name, function)]


class BuiltinMethodKind(Kind):
    """A method of a builtin class, which leads to its object; a function of a module to nothing."""

    def key(self, value: BuiltinFunctionType) -> Any:
        return value.__name__, id(value.__self__), self

    def parts(self, value: BuiltinFunctionType, state: Any) -> Iterable[Part]:
        own = value.__self__  # of a function, its module
        if own is None or isinstance(own, ModuleType):
            return []
        return [(named, f"the {type(own).__qualname__} of {value.__name__}()", own)]


def applied_by(function: partial[Any]) -> list[Part]:
    # Its arguments one by one: it may call them, and a function in a tuple is not looked into.
    return [
        (as_attribute, "func", function.func),
        (as_attribute, "keywords", function.keywords),
        *((as_attribute, f"args[{at}]", value) for at, value in enumerate(function.args)),
        *((as_attribute, f"keywords[{name!r}]", v) for name, v in function.keywords.items()),
    ]


_CALLED = (BuiltinFunctionType, FunctionType, MethodType)


def captured_by(function: FunctionType) -> Iterator[Part]:
    cells, is_users = function.__closure__ or (), is_users_function(function)
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        held = value_of(cell)
        if is_users or _is_followed(held):
            yield named, name, cell
        if type(held) is ModuleType:
            yield from _parts_of_module(held, name, function.__code__, set())
    if "__wrapped__" in function.__dict__:
        yield from wrapped_by(function)
    yield from _defaults(function)
    yield from _globals_of(function)


def _is_followed(held: Any) -> bool:
    """Whether what a function of a library holds is looked at: it may call the user's code."""
    kind = type(held)
    if kind is partial:
        return _is_followed(held.func)
    if kind is tuple:
        return any(map(_is_followed, held))
    return kind in _CALLED or kind in stand_ins or is_users_class(kind)


def _defaults(function: FunctionType) -> Iterator[Part]:
    code, defaults = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    keyword_only = function.__kwdefaults__ or {}
    for name, value in chain(zip(positional, defaults, strict=True), keyword_only.items()):
        if type(value) not in ATOMS:
            yield named, name, value


def _globals_of(function: FunctionType) -> Iterator[Part]:
    """Yields what the code of a function reaches by global names."""
    if not is_users_function(function):
        return
    namespace, names = function.__globals__, names_in(function.__code__)
    stored = stored_in(function.__code__)
    seen: set[int] = set()
    for name in names:
        # A name that is none of a global may be that of a module that the function imports.
        value = namespace[name] if name in namespace else sys.modules.get(name)
        if type(value) is ModuleType:
            yield from _parts_of_module(value, name, function.__code__, seen)
        elif name in namespace or name in stored:
            yield named, name, GlobalVariable(namespace, name)


def _parts_of_module(
    module: ModuleType, name: str, code: CodeType, seen: set[int]
) -> Iterator[Part]:
    """Yields what code reaches of a module by its name; the module, where it hands it on."""
    if name in _handed_on_in(code):
        yield named, name, module
    yield from _members_of_module(module, name, code, seen)


def _members_of_module(
    module: ModuleType, name: str, code: CodeType, seen: set[int]
) -> Iterator[Part]:
    if id(module) in seen:
        return
    seen.add(id(module))
    own = vars(module)
    names = () if is_library(module.__name__) else names_in(code)
    if module is os and "environ" in names:
        yield named, f"{name}.environ", os.environ
    for member in (own.keys() & set(names)) | stored_in(code):
        path, held = f"{name}.{member}", own.get(member)
        yield named, path, GlobalVariable(own, member)
        if type(held) is ModuleType:
            yield from _members_of_module(held, path, code, seen)


_handed_on: CodeTable[frozenset[str]] = CodeTable()


def _handed_on_in(code: CodeType) -> frozenset[str]:
    """The names of what a function, and those in it, read for more than one of its attributes."""
    found = _handed_on.get(code)
    if found is None:
        inner = [_handed_on_in(const) for const in code.co_consts if isinstance(const, CodeType)]
        own = {
            variable_of(code, one)
            for one, following in pairwise(operations(code))
            if one.name in _READS and following.name not in _OF_ATTRIBUTES
        }
        found = _handed_on[code] = frozenset(own).union(*inner)
    return found


_READS = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FROM_DICT_OR_DEREF"))
_OF_ATTRIBUTES = frozenset(("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR"))

_names: CodeTable[tuple[str, ...]] = CodeTable()


def names_in(code: CodeType) -> tuple[str, ...]:
    """The names of globals and attributes in a function and in the functions inside it, also those
    given as text to `setattr`, `globals()[...]` and the like.
    """
    names = _names.get(code)
    if names is None:
        inner = (names_in(const) for const in code.co_consts if isinstance(const, CodeType))
        texts = (text for text in code.co_consts if isinstance(text, str) and text.isidentifier())
        names = _names[code] = tuple(dict.fromkeys(chain(code.co_names, texts, *inner)))
    return names


_stored: CodeTable[frozenset[str]] = CodeTable()


def stored_in(code: CodeType) -> frozenset[str]:
    """The names of globals and attributes that a function, and those in it, may set or delete."""
    stored = _stored.get(code)
    if stored is None:
        inner = [stored_in(const) for const in code.co_consts if isinstance(const, CodeType)]
        listed = instructions(code) if has_instruction(code, *_STORES) else ()
        own = {each.argval for each in listed if each.opname in _STORES}
        if not _SETTERS.isdisjoint(code.co_names):
            own.update(names_in(code))
        stored = _stored[code] = frozenset(own).union(*inner)
    return stored


_STORES = frozenset(("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL"))
_SETTERS = frozenset((
    "setattr", "delattr", "__setattr__", "__delattr__", "vars", "__dict__", "globals",
))  # fmt: skip
"""The names of what sets globals and attributes of which the names are given as texts."""

"""Kinds of mutable objects: how to remember, compare and bring back what each holds.

Nothing here runs code of the user's: state is read and written below overridden methods.
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
import warnings
import weakref
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import cached_property, lru_cache, partial, partialmethod
from itertools import chain, count
from operator import is_, itemgetter, methodcaller
from threading import local
from types import (
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from autograph.codes import CodeTable
from autograph.frames import is_library


class _Missing:
    def __repr__(self) -> str:
        return "<missing>"


MISSING: Final = _Missing()
"""What stands where there is nothing."""


# Paths, written out only where they are shown

Style: TypeAlias = Callable[[Callable[[], str], Any], str]
Path: TypeAlias = "tuple[Path | None, Style, Any]"
Part: TypeAlias = tuple[Style, Any, Any]
Difference: TypeAlias = tuple[Style, Any, Any, Any]


def render(path: Path) -> str:
    """A path as the user would write it."""
    parent, style, key = path
    return style(lambda: "" if parent is None else render(parent), key)


def named(parent: Callable[[], str], key: Any) -> str:
    """`key`, wherever it was found."""
    return str(key)


def _item(parent: Callable[[], str], key: Any) -> str:
    # The `repr` of an object of the user's would run code.
    shown = repr(key) if type(key) in _ATOMS else f"<{type(key).__qualname__}>"
    return f"{parent()}[{shown}]"


def _attribute(parent: Callable[[], str], key: Any) -> str:
    return f"{parent()}.{key}"


def _itself(parent: Callable[[], str], key: Any) -> str:
    return parent()


def _length(parent: Callable[[], str], key: Any) -> str:
    return f"len({parent()})"


# Kinds


class Kind:
    """One kind of state that objects have. This base looks through what cannot change itself."""

    def __init__(self, held: Callable[[Any], Iterable[Part]] = lambda value: ()) -> None:
        self._held = held

    def key(self, value: Any) -> Any:
        """What tells this state of this object from all others."""
        return id(value), self

    def size(self, value: Any) -> int:
        """How many elements are remembered."""
        return 1

    def bytes(self, value: Any) -> int:
        """How large a copy is, where one is made."""
        return 0

    def take(self, value: Any) -> Any:
        """What is needed to compare and to bring back."""
        return None

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        """The objects held, with their paths from here."""
        return self._held(value)

    def same(self, value: Any, state: Any) -> bool:
        """Whether nothing has changed."""
        return True

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        """What has changed: style and key of the path from here, what was there, and what is."""
        yield from ()

    def put(self, value: Any, state: Any) -> None:
        """Bring `state` back."""

    def holder(self, value: Any) -> Any:
        """The object that is different where this state is."""
        return value


class _Single(Kind):
    """State that is one value."""

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield _itself, None, state, self.take(value)


class _Sequence(Kind):
    def __init__(self, base: type) -> None:
        self._base: Any = base

    def size(self, value: Any) -> int:
        return int(self._base.__len__(value))

    def take(self, value: Any) -> tuple[Any, ...]:
        return tuple(self._base.__iter__(value))

    def parts(self, value: Any, state: tuple[Any, ...]) -> Iterable[Part]:
        return () if _NO_PARTS.issuperset(map(type, state)) else _elements(state)

    def same(self, value: Any, state: tuple[Any, ...]) -> bool:
        base = self._base
        return base.__len__(value) == len(state) and all(map(is_, state, base.__iter__(value)))

    def differences(self, value: Any, state: tuple[Any, ...]) -> Iterator[Difference]:
        now = self.take(value)
        for position, (before, after) in enumerate(zip(state, now, strict=False)):
            if before is not after:
                yield _item, position, before, after
        if len(now) != len(state):
            yield _length, None, len(state), len(now)

    def put(self, value: Any, state: tuple[Any, ...]) -> None:
        self._base.clear(value)
        self._base.extend(value, state)


class _Mapping(Kind):
    """State that is a dict of names or keys."""

    style = _item

    def parts(self, value: Any, state: dict[Any, Any]) -> Iterable[Part]:
        if _NO_PARTS.issuperset(map(type, state.values())):
            return ()
        style = type(self).style
        return [(style, key, child) for key, child in state.items() if type(child) not in _NO_PARTS]

    def same(self, value: Any, state: dict[Any, Any]) -> bool:
        now = self.take(value)
        return (
            len(now) == len(state)
            and all(map(is_, state, now))
            and all(map(is_, state.values(), now.values()))
        )

    def differences(self, value: Any, state: dict[Any, Any]) -> Iterator[Difference]:
        now = self.take(value)
        for key in {**state, **now}:
            before, after = state.get(key, MISSING), now.get(key, MISSING)
            if before is not after:
                yield type(self).style, key, before, after
        if now.keys() == state.keys() and not all(map(is_, state, now)):
            yield _itself, None, list(state), list(now)  # the same keys in another order


class _Dict(_Mapping):
    def __init__(self, base: type[dict[Any, Any]]) -> None:
        self._base = base

    def size(self, value: dict[Any, Any]) -> int:
        return dict.__len__(value)

    def take(self, value: dict[Any, Any]) -> dict[Any, Any]:
        return dict(self._base.items(value))

    def parts(self, value: dict[Any, Any], state: dict[Any, Any]) -> Iterable[Part]:
        parts = super().parts(value, state)
        if not isinstance(value, defaultdict):
            return parts
        return (*parts, (_attribute, "default_factory", value.default_factory))

    def put(self, value: dict[Any, Any], state: dict[Any, Any]) -> None:
        self._base.clear(value)
        for key, child in state.items():
            self._base.__setitem__(value, key, child)


class _Instance(_Mapping):
    """Attributes, in slots and elsewhere. What the class has is the instance's too."""

    style = _attribute

    def take(self, value: Any) -> dict[str, Any]:
        state = {name: _slot(value, name) for name in _slots_of(type(value))}
        state |= _attributes_of(value) or {}
        return {name: child for name, child in state.items() if child is not MISSING}

    def parts(self, value: Any, state: dict[str, Any]) -> Iterable[Part]:
        if isinstance(value, FunctionType) and not _is_users_function(value):
            return ()  # what a library keeps with a function is its own
        parts = super().parts(value, state)
        cls = type(value)
        return (*parts, (_itself, None, cls)) if _is_users_class(cls) else parts

    def put(self, value: Any, state: dict[str, Any]) -> None:
        slots = _slots_of(type(value))
        for name in slots:
            if name in state:
                object.__setattr__(value, name, state[name])
            elif _slot(value, name) is not MISSING:
                object.__delattr__(value, name)
        attributes = _attributes_of(value)
        if attributes is not None:
            attributes.clear()
            attributes |= {name: state[name] for name in state if name not in slots}


class _Class(_Mapping):
    """Attributes of a class of the user's, its bases, and what Python calls of it by itself."""

    style = _attribute

    def take(self, value: type) -> dict[str, Any]:
        return dict(type.__getattribute__(value, "__dict__")) if _is_users_class(value) else {}

    def parts(self, value: type, state: dict[str, Any]) -> Iterable[Part]:
        if not state:
            return
        for part in super().parts(value, state):
            if not isinstance(part[2], FunctionType):  # the generated code calls the methods
                yield part
        for cls in (*value.__bases__, type(value)):
            if _is_users_class(cls):
                yield _itself, None, cls
        for name, function in _called_by_python(value):
            yield _attribute, name, Unconverted(function)

    def put(self, value: type, state: dict[str, Any]) -> None:
        now = self.take(value)  # a class cannot be cleared: only what differs is written
        for name in now.keys() - state.keys():
            type.__delattr__(value, name)
        for name, child in state.items():
            if now.get(name, MISSING) is not child:
                type.__setattr__(value, name, child)


class _Set(Kind):
    def size(self, value: set[Any]) -> int:
        return set.__len__(value)

    def take(self, value: set[Any]) -> tuple[Any, ...]:
        return tuple(set.__iter__(value))

    def parts(self, value: set[Any], state: tuple[Any, ...]) -> Iterable[Part]:
        return [(_item, child, child) for child in state if type(child) not in _ATOMS]

    def same(self, value: set[Any], state: tuple[Any, ...]) -> bool:
        now = self.take(value)
        return len(state) == len(now) and {*map(id, state)} == {*map(id, now)}

    def differences(self, value: set[Any], state: tuple[Any, ...]) -> Iterator[Difference]:
        yield _itself, None, frozenset(state), frozenset(self.take(value))

    def put(self, value: set[Any], state: tuple[Any, ...]) -> None:
        set.clear(value)
        set.update(value, state)


class _Bytes(_Single):
    """Bytearrays, and the standard library's arrays."""

    def bytes(self, value: Any) -> int:
        return len(value) * getattr(value, "itemsize", 1)

    def take(self, value: Any) -> Any:
        return value[:]

    def same(self, value: Any, state: Any) -> bool:
        return bytes(value) == bytes(state)

    def put(self, value: Any, state: Any) -> None:
        value[:] = state


class _Array(_Single):
    """Arrays with NumPy's interface."""

    def bytes(self, value: Any) -> int:
        return int(value.nbytes)

    def take(self, value: Any) -> Any:
        return value.copy()

    def same(self, value: Any, state: Any) -> bool:
        alike = value.dtype == state.dtype and value.shape == state.shape
        return bool(alike and value.tobytes() == state.tobytes())

    def put(self, value: Any, state: Any) -> None:
        value[...] = state


class _Cell(_Single):
    """A captured variable."""

    def take(self, value: CellType) -> Any:
        try:
            return value.cell_contents
        except ValueError:
            return MISSING

    def parts(self, value: CellType, state: Any) -> Iterable[Part]:
        return [(_itself, None, state)]

    def same(self, value: CellType, state: Any) -> bool:
        return self.take(value) is state

    def put(self, value: CellType, state: Any) -> None:
        if state is MISSING:
            del value.cell_contents
        else:
            value.cell_contents = state


class Variable(NamedTuple):
    """A global variable, or an attribute of a module."""

    namespace: dict[str, Any]
    name: str


class Unconverted(NamedTuple):
    """A function that Python calls, not the generated code: nobody sees what it calls itself."""

    function: FunctionType


class _Unconverted(Kind):
    def key(self, value: Unconverted) -> Any:
        return id(value[0]), self

    def parts(self, value: Unconverted, state: Any) -> Iterable[Part]:
        (function,) = value
        for style, key, child in _captured(function):
            yield style, key, child
            held = _variable(child)
            if isinstance(held, FunctionType) and _is_users_function(held):
                yield style, key, Unconverted(held)


class _Function(_Mapping):
    """What a function captures and names, and what can be put in its place."""

    style = _attribute

    def take(self, value: FunctionType) -> dict[str, Any]:
        return {
            "__code__": value.__code__,
            "__defaults__": value.__defaults__,
            "__kwdefaults__": value.__kwdefaults__,
        }

    def parts(self, value: FunctionType, state: Any) -> Iterable[Part]:
        return _captured(value)

    def put(self, value: FunctionType, state: dict[str, Any]) -> None:
        for name, part in state.items():
            setattr(value, name, part)

    def holder(self, value: FunctionType) -> Any:
        return value.__code__


class _Arguments(_Single):
    """The arguments of an exception."""

    def take(self, value: BaseException) -> Any:
        return value.args

    def parts(self, value: BaseException, state: Any) -> Iterable[Part]:
        return _elements(state)

    def same(self, value: BaseException, state: Any) -> bool:
        return value.args is state

    def put(self, value: BaseException, state: Any) -> None:
        value.args = state

    def holder(self, value: BaseException) -> Any:
        return value.args


class _Context(_Single):
    """What a context variable is. It cannot be unset."""

    def take(self, value: ContextVar[Any]) -> Any:
        return value.get(MISSING)

    def parts(self, value: ContextVar[Any], state: Any) -> Iterable[Part]:
        return () if type(state) in _ATOMS else [(_itself, None, state)]

    def same(self, value: ContextVar[Any], state: Any) -> bool:
        return self.take(value) is state

    def put(self, value: ContextVar[Any], state: Any) -> None:
        if state is not MISSING:
            value.set(state)


class _Global(_Single):
    def key(self, value: Variable) -> Any:
        return id(value.namespace), value.name

    def take(self, value: Variable) -> Any:
        return value.namespace.get(value.name, MISSING)

    def parts(self, value: Variable, state: Any) -> Iterable[Part]:
        return () if type(state) in _ATOMS else [(_itself, None, state)]

    def same(self, value: Variable, state: Any) -> bool:
        return self.take(value) is state

    def put(self, value: Variable, state: Any) -> None:
        if state is MISSING:
            del value.namespace[value.name]
        else:
            value.namespace[value.name] = state

    def holder(self, value: Variable) -> Any:
        return value.namespace


class _Iterator(Kind):
    """How far an iterator written in C has come, and what it holds. It cannot be put back."""

    def take(self, value: Any) -> Any:
        return _position(value), tuple(map(id, gc.get_referents(value)))

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        return _referents(value)

    def same(self, value: Any, state: Any) -> bool:
        return bool(self.take(value) == state)

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield _itself, None, MISSING, MISSING


class _Generator(_Iterator):
    """Where a generator stands, and its variables. One that runs now is looked at by its frame."""

    def take(self, value: GeneratorType[Any, Any, Any]) -> Any:
        frame = value.gi_frame
        if frame is None or value.gi_running:
            return None if frame is None else ()
        return frame.f_lasti, tuple(map(id, gc.get_referents(value)))

    def same(self, value: GeneratorType[Any, Any, Any], state: Any) -> bool:
        return value.gi_running or super().same(value, state)


def _position(iterator: Any) -> Any:
    if isinstance(iterator, count):
        return repr(iterator)  # its reduced form is deprecated
    if hasattr(type(iterator), "__length_hint__"):
        try:
            return type(iterator).__length_hint__(iterator)
        except TypeError:
            return None  # a `repeat` without end stands still
    return _counters(iterator) if type(iterator) in _COUNTING else None


def _counters(iterator: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        reduced = iterator.__reduce__()
    return [part for part in reduced[2:] if not isinstance(part, list | dict)]


class _Memory(_Single):
    """What a memoryview or an object of ctypes shows."""

    def bytes(self, value: Any) -> int:
        return memoryview(value).nbytes

    def take(self, value: Any) -> Any:
        return memoryview(value).tobytes()

    def same(self, value: Any, state: Any) -> bool:
        return bool(self.take(value) == state)

    def put(self, value: Any, state: Any) -> None:
        view = memoryview(value)
        if view.contiguous:
            view.cast("B")[:] = state

    def holder(self, value: Any) -> Any:
        return memoryview(value)


class _Environment(_Single):
    """The variables of the process, `os.environ`."""

    def take(self, value: Any) -> dict[str, str]:
        return dict(value)

    def same(self, value: Any, state: dict[str, str]) -> bool:
        return bool(value == state)

    def put(self, value: Any, state: dict[str, str]) -> None:
        value.clear()
        value.update(state)


# What is held by what cannot change


def _elements(value: Iterable[Any]) -> list[Part]:
    return [(_item, i, child) for i, child in enumerate(value) if type(child) not in _NO_PARTS]


def _members(value: frozenset[Any]) -> list[Part]:
    return [(_item, child, child) for child in value if type(child) not in _ATOMS]


def _referents(value: Any) -> list[Part]:
    return [
        (_itself, None, held)
        for held in gc.get_referents(value)
        if type(held) not in _ATOMS or isinstance(held, FunctionType)
    ]


def _referent(reference: Any) -> list[Part]:
    return [(_itself, None, weakref.ref.__call__(reference))]


def _wrapped(function: Any) -> list[Part]:
    return [(_itself, None, getattr(function, "__wrapped__", None))]


def _bound(method: MethodType) -> list[Part]:
    function = method.__func__
    parameters = function.__code__.co_varnames if isinstance(function, FunctionType) else ()
    receiver = parameters[0] if parameters else "self"
    return [(named, receiver, method.__self__), (named, method.__name__, function)]


def _applied(function: partial[Any]) -> list[Part]:
    # Its arguments one by one: it may call them, and a function in a tuple is not looked into.
    return [
        (_attribute, "func", function.func),
        *((_attribute, f"args[{at}]", value) for at, value in enumerate(function.args)),
        *((_attribute, f"keywords[{name!r}]", v) for name, v in function.keywords.items()),
    ]


def _captured(function: FunctionType) -> Iterator[Part]:
    cells, is_users = function.__closure__ or (), _is_users_function(function)
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        held = _variable(cell)
        if is_users or isinstance(held, FunctionType):
            yield named, name, cell
        if type(held) is ModuleType:
            yield from _members_of_module(held, name, _names_in(function.__code__))
    if "__wrapped__" in function.__dict__:
        yield from _wrapped(function)
    yield from _defaults(function)
    yield from _globals_of(function)


def _variable(place: Any) -> Any:
    """What a captured or a global variable is."""
    kind = _VARIABLES.get(type(place))
    return MISSING if kind is None else kind.take(place)


def _defaults(function: FunctionType) -> Iterator[Part]:
    code, defaults = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    keyword_only = function.__kwdefaults__ or {}
    for name, value in chain(zip(positional, defaults, strict=True), keyword_only.items()):
        if type(value) not in _ATOMS:
            yield named, name, value


def _globals_of(function: FunctionType) -> Iterator[Part]:
    """What the code of a function reaches by global names."""
    if not _is_users_function(function):
        return
    namespace, names = function.__globals__, _names_in(function.__code__)
    for name in names:
        value = namespace.get(name, MISSING)
        if type(value) is ModuleType:
            yield from _members_of_module(value, name, names)
        elif value is not MISSING:
            yield named, name, Variable(namespace, name)


def _members_of_module(module: ModuleType, name: str, names: Iterable[str]) -> Iterator[Part]:
    if module is os and "environ" in names:
        yield named, f"{name}.environ", os.environ
    if _is_users(module.__name__):
        for member in vars(module).keys() & set(names):
            yield named, f"{name}.{member}", Variable(vars(module), member)


_names: CodeTable[tuple[str, ...]] = CodeTable()


def _names_in(code: CodeType) -> tuple[str, ...]:
    """The names of globals and attributes in a function and in the functions inside it, also those
    given as text to `setattr`, `globals()[...]` and the like.
    """
    names = _names.get(code)
    if names is None:
        inner = (_names_in(const) for const in code.co_consts if isinstance(const, CodeType))
        texts = (text for text in code.co_consts if isinstance(text, str) and text.isidentifier())
        names = _names[code] = tuple(dict.fromkeys(chain(code.co_names, texts, *inner)))
    return names


# What Python calls by itself


def _called_by_python(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """Operators, properties and the like of a class, and the methods that these name."""
    classes = [base for base in reversed(cls.__mro__) if _is_users_class(base)]
    members = {name: member for base in classes for name, member in vars(base).items()}
    pending = [name for name, member in members.items() if _is_implicit(name, member)]
    seen = set(pending)
    while pending:
        name = pending.pop()
        for function in _functions_in(members[name]):
            yield name, function
            further = members.keys() & set(_names_in(function.__code__)) - seen
            seen |= further
            pending += further


def _is_implicit(name: str, member: Any) -> bool:
    special = name.startswith("__") and name.endswith("__") and name not in _CONVERTED
    return special or isinstance(member, property | cached_property | partialmethod)


def _functions_in(member: Any) -> list[FunctionType]:
    found: tuple[Any, ...] = (member,)
    if isinstance(member, property):
        found = member.fget, member.fset, member.fdel
    elif isinstance(member, classmethod | staticmethod):
        found = (member.__func__,)
    elif isinstance(member, cached_property | partialmethod):
        found = (member.func,)
    return [each for each in found if isinstance(each, FunctionType) and _is_users_function(each)]


def _is_users_function(function: FunctionType) -> bool:
    return _is_users(str(function.__globals__.get("__name__", "")))


# Methods that the generated code calls itself.
_CONVERTED = frozenset(("__init__", "__new__", "__call__"))


# Which kinds a type has


def kinds_of(kind: type) -> tuple[Kind, ...]:
    """The kinds of state that the objects of a type have; none for what cannot change."""
    known = _KINDS.get(kind)
    if known is not None:
        return known
    found = _found.get(kind)
    if found is None:
        found = _found[kind] = tuple(_find_kinds(kind))
    return found


def _find_kinds(kind: type) -> Iterator[Kind]:
    if issubclass(kind, type):
        yield _CLASS
        return
    if hasattr(kind, "__array_interface__") and hasattr(kind, "__setitem__"):
        yield _ARRAY
        return
    yield from (found for base, found in _CONTAINERS if issubclass(kind, base))
    if hasattr(kind, "__next__") and kind.__module__ in ("builtins", "itertools", "collections"):
        yield _GENERATOR if issubclass(kind, GeneratorType) else _ITERATOR
    if issubclass(kind, BaseException):
        yield _ARGUMENTS
        yield _INSTANCE
    elif any(base.__module__ == "_ctypes" for base in kind.__mro__):
        yield _MEMORY
    elif _is_users_class(kind) or kind.__module__ in _OPEN:
        yield _INSTANCE


def _is_users_class(cls: type) -> bool:
    known = _users.get(cls)
    if known is None:
        known = _users[cls] = _is_users(cls.__module__) or _is_made_at_run_time(cls)
    return known


def _is_made_at_run_time(cls: type) -> bool:
    # `type(...)` and `make_dataclass(...)` name the module that called them, not the user's.
    if not cls.__flags__ & _HEAP_TYPE or "." in cls.__qualname__:
        return False
    module = sys.modules.get(cls.__module__)
    return module is not None and not hasattr(module, cls.__qualname__)


@lru_cache(1024)
def _is_users(module: str) -> bool:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or is_library(module):
        return False
    filename = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" not in filename and "dist-packages" not in filename


def _slot(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def _slots_of(cls: type) -> tuple[str, ...]:
    known = _slots.get(cls)
    if known is None:
        members = (pair for base in cls.__mro__ if _has_slots(base) for pair in vars(base).items())
        known = _slots[cls] = tuple(name for name, value in members if type(value) is _MEMBER)
    return known


def _attributes_of(value: Any) -> dict[str, Any] | None:
    cls = type(value)
    if cls.__dictoffset__:
        found: dict[str, Any] = object.__getattribute__(value, "__dict__")
        return found
    return value.__dict__ if isinstance(value, local) else None


def _has_slots(cls: type) -> bool:
    return "__slots__" in vars(cls)


class _Slotted:
    __slots__ = ("slot",)


_MEMBER = type(vars(_Slotted)["slot"])
_slots: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()
_found: WeakKeyDictionary[type, tuple[Kind, ...]] = WeakKeyDictionary()
_users: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
_HEAP_TYPE = 1 << 9
_OPEN = frozenset((
    "_thread", "_threading_local", "_weakrefset", "argparse", "collections", "queue", "types",
    "weakref",
))  # fmt: skip
"""Modules of the standard library whose classes written in Python are looked into."""

_ATOMS = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, type(...),
    type(NotImplemented), CodeType, FunctionType, ModuleType, _Missing,
    type(len), type(str.join), type(str.__add__), property, classmethod, staticmethod,
})  # fmt: skip

_NO_PARTS = _ATOMS - {FunctionType}
"""What containers and objects hold without leading further."""

_ARRAY = _Array()
_CLASS = _Class()
_INSTANCE = _Instance()
_ARGUMENTS = _Arguments()
_MEMORY = _Memory()
_ITERATOR = _Iterator()
_GENERATOR = _Generator()
_COUNTING = frozenset((
    itertools.cycle, itertools.islice, itertools.product, itertools.permutations,
    itertools.combinations, itertools.combinations_with_replacement, type(itertools.tee(())[0]),
))  # fmt: skip
_VIEWS: tuple[type, ...] = (
    slice, MappingProxyType, type({}.keys()), type({}.values()), type({}.items()),
    methodcaller, itemgetter,
)  # fmt: skip
_CONTAINERS: tuple[tuple[type, Kind], ...] = (
    (list, _Sequence(list)),
    (deque, _Sequence(deque)),
    (OrderedDict, _Dict(OrderedDict)),
    (dict, _Dict(dict)),
    (set, _Set()),
    (bytearray, _Bytes()),
    (array, _Bytes()),
    (memoryview, _MEMORY),
    (type(os.environ), _Environment()),
    (tuple, Kind(_elements)),
    (frozenset, Kind(_members)),
    (MethodType, Kind(_bound)),
    (partial, Kind(_applied)),
    (local, _INSTANCE),
    (ContextVar, _Context()),
    (weakref.ref, Kind(_referent)),
    (type(lru_cache(_itself)), Kind(_wrapped)),
    *((kind, Kind(_referents)) for kind in _VIEWS),
)
_VARIABLES: dict[type, Kind] = {CellType: _Cell(), Variable: _Global()}
_KINDS: dict[type, tuple[Kind, ...]] = {
    **{kind: () for kind in _ATOMS},
    **{kind: (found,) for kind, found in _CONTAINERS},
    **{kind: (found,) for kind, found in _VARIABLES.items()},
    Unconverted: (_Unconverted(),),
    # An atom where a global variable is it: the generated code tells of its calls.
    FunctionType: (_Function(), _INSTANCE),
}

"""The values that a trace reads from outside, by which it is guarded; they are found while
it is made.

Guarded, by identity, is what the traced functions read by static paths: global variables, captured
variables, and from there, from `self` and from arguments, attributes and items with constant keys
(`config.rate`, `table['k']`). Of containers that a path goes through or ends in, the elements
are guarded too, of arrays what is in them, and of the objects among them the attributes for
which the code has the names, and what the methods read that Python calls by itself. What the trace
itself changes is a side effect of tracing, and no guard; what the signature of a call tells is none
either. Library code is not looked at, nor all of large arrays; too many values are refused.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from operator import attrgetter, methodcaller
from types import CellType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, NamedTuple
from weakref import ReferenceType

import numpy as np

from autograph.objects import MISSING, contents, functions_in, is_a, is_implicit, of_classes, own_of
from runtime.core.reloading import reloads
from runtime.core.tensor import Tensor
from runtime.graph.ir import Location
from runtime.graph.structures import structure_of
from runtime.staging.frames import is_ours
from runtime.staging.guarding.code_paths import (
    CLASS,
    LISTING,
    Path,
    asks_in,
    imports_of,
    names_in,
    paths_in,
)
from runtime.staging.guarding.containers import elements_of
from runtime.staging.guarding.findings import Findings
from runtime.staging.guarding.guards import (
    CODE,
    OF_FUNCTIONS,
    ElementsKey,
    Guards,
    index_of,
)
from runtime.staging.guarding.kinds import Kind
from runtime.staging.guarding.lookup import (
    COMPARING,
    classes_of,
    comes_first,
    defaults_of,
    fields_of,
    has,
    is_descriptor,
    is_installed,
    is_library,
    is_method,
    is_standard,
    is_the_users,
)
from runtime.staging.guarding.weak_paths import ATOMIC, NOTHING, Attribute, attribute_now
from runtime.staging.scopes import Symbol

_OF_THE_RUN = frozenset(("logging", "threading"))
"""Modules whose state is that of the process, such as its threads, and no value of a program."""

_FUNCTIONS = FunctionType, MethodType
_GETTERS = attrgetter, methodcaller

_OF_CLASSES = "__init_subclass__", "__class_getitem__"
"""The methods that Python calls for a class itself, and not for its objects."""


class _Variables(NamedTuple):
    """The variables that code finds: global and captured ones, and those that are known
    of its own.
    """

    namespace: dict[str, Any]
    cells: Mapping[str, CellType]
    known: Mapping[str, Any]


class Watcher:
    """Finds what is read from outside while a function is traced; `settle()` gives the guards."""

    __slots__ = (
        *("_classes", "_findings", "_is_implicit", "_kinds", "_late", "_names"),
        *("_pending", "_place", "_visited", "_where"),
    )

    def __init__(self) -> None:
        self._findings = Findings()
        self._place = ""
        self._where: Location | None = None
        self._visited: set[Any] = set()
        self._names: dict[str, bool] = {}
        self._late: list[FunctionType] = []
        self._classes: set[type] = set()
        # By the addresses of classes: a metaclass may say what is equal.
        self._kinds: dict[int, Kind] = {}
        self._pending: list[Any] = []
        # Is the code looked at such as Python runs by itself, of which no call is seen?
        self._is_implicit = False

    def watch(
        self,
        function: Any,
        arguments: Mapping[str, Any] | None = None,
        place: str | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        """Remember what a function can read, before it runs; `arguments` by their names, for the
        one that is traced; `place` is the user's expression for what it is a method of; `given` is
        what else Python passes to a descriptor.
        """
        with self._walk():
            self._watch(function, arguments, place, given)

    @contextmanager
    def _walk(self) -> Iterator[None]:
        # Between two walks the user's code runs, which may change classes.
        try:
            yield
        finally:
            self._kinds.clear()

    def _watch(
        self,
        function: Any,
        arguments: Mapping[str, Any] | None = None,
        place: str | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        if isinstance(function, partial):
            self._applied(function, place or "a partial")
        elif isinstance(function, _GETTERS):
            self._learn(_names_of_getter(function))
        elif isinstance(function, type):
            self._constructor(function)
        elif isinstance(function, _FUNCTIONS):
            receiver = getattr(function, "__self__", None)
            function = getattr(function, "__func__", function)
            if isinstance(function, FunctionType):
                self._wrapped(function)
                if self._is_new(function, (receiver, *given)):
                    self._enter(function, (receiver, *given), arguments, place)
        elif callable(function) and isinstance(type(function).__call__, FunctionType):
            self._see_method(function, "__call__", place or type(function).__name__)
            self._watch(MethodType(type(function).__call__, function), arguments, place, given)

    def _wrapped(self, function: FunctionType) -> None:
        """Look at what a function of the standard library calls, such as a `contextmanager`."""
        wrapped = getattr(function, "__wrapped__", None)
        if isinstance(wrapped, FunctionType) and is_standard(function.__globals__.get("__name__")):
            self._run(wrapped)

    def _run(self, function: Any, place: str | None = None, given: tuple[Any, ...] = ()) -> None:
        """Remember what code reads that Python runs by itself, and what the code calls."""
        before, self._is_implicit = self._is_implicit, True
        self._watch(function, place=place, given=given)
        self._is_implicit = before
        self._look_at_called()

    def _called(self, value: Any) -> None:
        """Remember what code may call that Python runs by itself."""
        is_function = is_a(value, _FUNCTIONS)
        if is_a(value, type) or (is_function and not is_installed(value.__module__)):
            self._pending.append(value)
            self._look_at_called()

    def _look_at_called(self) -> None:
        # One after the other: what calls what may be nested deeper than Python's stack.
        if self._is_implicit:
            return
        self._is_implicit = True
        while self._pending:
            value = self._pending.pop()
            self._class(value) if is_a(value, type) else self._watch(value)
        self._is_implicit = False

    def _class(self, kind: type) -> None:
        """Guard what Python runs of the objects of a class, which are made while tracing; the class
        stands for them.
        """
        if kind in self._classes or is_installed(kind.__module__):
            return
        self._classes.add(kind)
        place, self._place = self._place, kind.__name__
        self._object(kind)
        for base in classes_of(kind):
            members = () if is_installed(base.__module__) else list(vars(base).items())
            for name, member in members:
                if is_implicit(name, member, COMPARING) or is_descriptor(member):
                    self._member(kind, name, member)
        self._place = place

    def _member(self, kind: type, name: str, member: Any) -> None:
        self._place = f"{kind.__name__}.{name}"
        functions = functions_in(member)
        if functions or is_descriptor(member):
            self._first_of(classes_of(kind), name)
        for function in functions:
            self._run(MethodType(function, kind), place=kind.__name__)
        for method in ("__get__", "__set__") if is_descriptor(member) else ():
            self._method(member, method, self._place, (kind,))

    def _is_new(self, function: FunctionType, given: tuple[Any, ...]) -> bool:
        """True for code of the user's that was not looked at yet with these values."""
        if is_ours(function.__code__.co_filename) or function.__module__ in _OF_THE_RUN:
            return False
        defaults = function.__defaults__, function.__kwdefaults__
        key = tuple(map(id, (function.__code__, function.__closure__, *defaults, *given)))
        is_known = key in self._visited
        self._visited.add(key)
        return not is_known

    def _enter(
        self,
        function: FunctionType,
        given: tuple[Any, ...],
        arguments: Mapping[str, Any] | None,
        place: str | None,
    ) -> None:
        before = self._place, self._where
        self._where = function.__code__.co_filename, function.__code__.co_firstlineno, 1
        if arguments is None or reloads():
            self._function(function)
        self._read_by(function, given, arguments or {}, place)
        self._place, self._where = before

    def _read_by(
        self,
        function: FunctionType,
        given: tuple[Any, ...],
        arguments: Mapping[str, Any],
        place: str | None,
    ) -> None:
        for at, cell in enumerate(function.__closure__ or ()):
            self._findings.cells.setdefault(id(cell), (function, at))
        code, places = function.__code__, {}
        known = defaults_of(function) | self._imported(function) | dict(arguments)
        self._learn(names_in(code))
        for name, value in zip(code.co_varnames[: code.co_argcount], given, strict=False):
            if value is not None:
                known[name], places[name] = value, place or name
            place = place.rpartition(".")[0] if place else None
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        variables = _Variables(function.__globals__, cells, known)
        paths = list(paths_in(code))
        if "globals" in code.co_names:
            texts = [name for name in names_in(code) if name in function.__globals__]
            paths += [Path(True, name, ()) for name in texts]
        for path in paths:
            self._place = places.get(path.root, path.root)
            self._follow(path, variables, arguments)
        if "super" in code.co_names:
            of_class = contents(cells["__class__"]) if "__class__" in cells else None
            receiver = of_class if given[0] is None else given[0]
            if receiver is not None and receiver is not MISSING:
                self._inherited(receiver, names_in(code))
        for name, argument in arguments.items():
            self._place = name
            self._argument(argument)

    def _applied(self, function: partial[Any], place: str) -> None:
        for name, value in (("args", function.args), ("keywords", function.keywords)):
            self._place = f"{place}.{name}"
            self._see(function, Attribute(name), value)
            self._elements(value)
        self._watch(function.func)

    def _function(self, function: FunctionType) -> None:
        """Guard what a call of it does, which tools that load changed code set anew."""
        is_known = (id(function), CODE) in self._findings.seen
        if is_known or is_standard(function.__module__):
            return
        for name in OF_FUNCTIONS:
            value = attribute_now(function, name)
            if value is not None:
                self._place = f"{function.__name__}.{name}"
                self._see(function, name, value)
        self._elements(function.__kwdefaults__)

    def _imported(self, function: FunctionType) -> dict[str, Any]:
        """The values of what it imports; once it has run where a module is not there before."""
        found: dict[str, Any] = {}
        for variable, module, level, name in imports_of(function.__code__):
            package = function.__globals__.get("__package__") or ""
            near = package.rsplit(".", level - 1)[0] if level else ""
            path = ".".join(filter(None, (near, module)))
            held = sys.modules.get(path)
            if held is None:
                self._late.append(function)
            elif name is not None:
                self._place = f"{path}.{name}"
                found[variable] = self._attribute(held, name)
            else:
                found[variable] = held
        return found

    def _inherited(self, receiver: Any, names: Iterable[str]) -> None:
        """Guard what `super()` may find: of each class, not of the first that has it."""
        classes = (receiver if isinstance(receiver, type) else type(receiver)).__mro__
        names = [name for name in names if of_classes(classes, name) is not MISSING]
        for base in classes:
            for name in names if not is_standard(base.__module__) else ():
                value = vars(base).get(name, MISSING)
                self._place = f"{base.__name__}.{name}"
                self._see(base, Attribute(name), value)
                self._computed(value, receiver, self._place)

    def _constructor(self, kind: type) -> None:
        self._class(kind)
        for name in ("__new__", "__init__"):
            if isinstance(getattr(kind, name), FunctionType):
                self._place = f"{kind.__name__}.{name}"
                self._first_of(kind.__mro__, name)

    def getattr(self, item: Any, name: Any, *default: Any) -> Any:
        """Python's `getattr`, which code may call with a name that it computes."""
        self.asked(item, name)
        return getattr(item, name, *default)

    def asked(self, item: Any, name: Any) -> None:
        """Guard an attribute of which code computes the name."""
        if type(name) is not str or isinstance(item, Tensor | Symbol):
            return
        known = self._findings.objects.get(id(item))
        self._place = f"{known[1] if known else type(item).__name__}.{name}"
        with self._walk():
            self._value(self._attribute(item, name))

    def _learn(self, names: Mapping[str, bool]) -> None:
        """Look at the objects that were met for the attributes that more code reads."""
        fresh = [name for name in names if names[name] > self._names.get(name, -1)]
        self._names.update((name, names[name]) for name in fresh)
        for item, place in list(self._findings.objects.values()) if fresh else ():
            self._attributes(item, place, fresh)

    def _argument(self, value: Any) -> None:
        """Guard what is in the parts of an argument that the signature knows by identity only."""
        self._findings.given.add(id(value))
        if not _is_told(value):
            self._value(value)
            return
        self._class(type(value))
        found = structure_of(value)
        for part in found[1] if found else ():
            self._argument(part)

    def _follow(self, path: Path, variables: _Variables, told_by: Container[str]) -> None:
        value = self._root(path, variables)
        # What the signature tells of an argument needs no guard.
        told = path.root in told_by
        for kind, key in path.steps:
            told = told and _is_told(value)
            if value is MISSING:
                return
            self._place += f".{key}" if kind == "." else f"[{key!r}]"
            if told:
                value = _part(value, kind, key)
            else:
                value = self._attribute(value, key) if kind == "." else self._item(value, key)
        if not told:
            self._value(value)
            if self._is_implicit:
                self._called(value)

    def _root(self, path: Path, variables: _Variables) -> Any:
        namespace, cells, known = variables
        if path.is_global:
            value = namespace.get(path.root, MISSING)
            if not _is_standard_module(value) and not _is_builtin(path.root, value):
                self._see(namespace, path.root, value)
            return value
        if path.root not in cells:
            return known.get(path.root, MISSING)
        value = contents(cells[path.root])
        self._see(cells[path.root], None, value)
        return value

    def _attribute(self, holder: Any, name: str) -> Any:
        kind = self._kind(type(holder))
        if kind.is_compared:
            self._elements(holder)  # a method of a container reads them
        if not kind.is_plain:
            if is_a(holder, ModuleType):
                return self._of_module(holder, name)
            if is_a(holder, _FUNCTIONS):
                return self._of_function(getattr(holder, "__func__", holder), name)
            if is_library((holder if is_a(holder, type) else type(holder)).__module__):
                return MISSING
        if name == "__dict__" and not isinstance(holder, type):
            return self._whole(holder)
        if kind.reads_itself:
            self._method(holder, "__getattribute__", self._place.removesuffix(f".{name}"))
        value = attribute_now(holder, name)
        if value is not MISSING or own_of(holder) is not None:
            self._see(holder, Attribute(name), value)
        if value is MISSING or comes_first(kind.members[name][0]):
            return self._class_attribute(holder, name)
        return self._got(value, holder, name) if isinstance(holder, type) else value

    def _of_module(self, module: ModuleType, name: str) -> Any:
        if is_library(module.__name__):
            return MISSING
        value = self._entry(vars(module), name)
        if value is MISSING:
            self._called(vars(module).get("__getattr__"))
        return value

    def _of_function(self, function: FunctionType, name: str) -> Any:
        if is_standard(function.__module__):
            return MISSING
        if name == "__func__":
            return function
        value = attribute_now(function, name)
        self._see(function, Attribute(name), value)
        return value

    def _whole(self, holder: Any) -> Any:
        """All attributes of an object's own."""
        own = getattr(holder, "__dict__", MISSING)
        if own is not MISSING:
            self._see(holder, Attribute("__dict__"), own)
        return own

    def _class_attribute(self, holder: Any, name: str) -> Any:
        if name == "__class__":
            return type(holder)
        value = self._first_of_kind(holder, name)
        if value is MISSING:
            self._method(holder, "__getattr__", self._place.removesuffix(f".{name}"))
            return MISSING
        return self._got(value, holder, name)

    def _got(self, value: Any, holder: Any, name: str) -> Any:
        """Returns the value that Python makes of an attribute of a class, where that is known
        without running it.
        """
        self._computed(value, holder, self._place.removesuffix(f".{name}"))
        is_plain = isinstance(value, FunctionType) or not hasattr(type(value), "__get__")
        return value if is_plain else MISSING

    def _first_of_kind(self, holder: Any, name: str) -> Any:
        kind = self._kind(type(holder))
        if not is_a(holder, type) and name in kind.guarded:
            return kind.members[name][0]
        kind.guarded.add(name)
        return self._first_of(classes_of(holder), name)

    def _first_of(self, classes: Iterable[type], name: str) -> Any:
        """Guard which class is the first that has an attribute, and what it is."""
        for base in classes:
            value = vars(base).get(name, MISSING)
            if value is not MISSING or not is_library(base.__module__):
                self._see(base, Attribute(name), value)
            if value is not MISSING:
                return value
        return MISSING

    def _computed(self, found: Any, holder: Any, place: str) -> None:
        """Look at what Python calls for an attribute of a class."""
        if is_descriptor(found):
            self._described(found, holder, place)
        elif not is_method(found):
            for function in functions_in(found):
                self._run(MethodType(function, holder), place=place)
        elif self._is_implicit:
            is_of_class = is_a(found, classmethod) and not isinstance(holder, type)
            for function in functions_in(found):
                self._called(MethodType(function, type(holder) if is_of_class else holder))

    def _described(self, descriptor: Any, holder: Any, place: str) -> None:
        """Look at what a descriptor reads of its holder, also by names that it keeps."""
        kept = getattr(descriptor, "__dict__", NOTHING).values()
        asks = asks_in(type(descriptor).__get__.__code__)
        self._learn({text: asks for text in kept if type(text) is str})
        before, self._place = self._place, place
        self._object(holder)
        self._place = before
        given = (None, holder) if isinstance(holder, type) else (holder, type(holder))
        self._method(descriptor, "__get__", before, given)

    def _item(self, holder: Any, key: Any) -> Any:
        if type(holder) in (dict, MappingProxyType):
            return self._entry(holder, key)
        before, place = self._place, self._place.removesuffix(f"[{key!r}]")
        self._place = place
        self._elements(holder)
        self._place = before
        self._method(holder, "__getitem__", place)
        self._method(holder, "__missing__", place)
        if isinstance(holder, type):
            self._object(holder)
        return _part(holder, "[]", key)

    def _method(self, item: Any, name: str, place: str, given: tuple[Any, ...] = ()) -> None:
        """Look at what a method reads that Python calls by itself."""
        method = of_classes(type(item).__mro__, name)
        if isinstance(method, FunctionType):
            self._see_method(item, name, place)
            self._run(MethodType(method, item), place=place, given=given)

    def _see_method(self, item: Any, name: str, place: str) -> None:
        before, self._place = self._place, f"{place}.{name}"
        for base in type(item).__mro__:
            if not is_standard(base.__module__):
                self._see(base, Attribute(name), vars(base).get(name, MISSING))
            if name in vars(base):
                break
        self._place = before

    def _entry(self, mapping: Mapping[Any, Any], key: Any) -> Any:
        value = mapping.get(key, MISSING)
        self._see(mapping, key, value)
        return value

    def _value(self, value: Any) -> None:
        """Guard what a value that was read holds."""
        if type(value) not in ATOMIC:
            self._elements(value)
            self._object(value)

    def _elements(self, value: Any) -> None:
        if (
            not self._kind(type(value)).is_compared
            or (id(value), ElementsKey) in self._findings.seen
        ):
            return
        elements = elements_of(value)
        # What holds a tuple of these guards it.
        if type(value) is tuple and ATOMIC.issuperset(map(type, value)):
            return
        self._see(value, ElementsKey, elements)
        if type(elements) is bytes or ATOMIC.issuperset(map(type, elements)):
            return
        place = self._place
        for at, element in enumerate(elements):
            if type(element) not in ATOMIC:
                self._place = f"{place}{index_of(value, elements, at)}"
                self._value(element)
        self._place = place

    def _object(self, item: Any) -> None:
        """Guard the attributes of an object for which traced code has the names."""
        if is_a(item, MethodType):
            item = item.__func__
        if is_a(item, ReferenceType):
            item = item()
        if not is_the_users(item) or id(item) in self._findings.objects:
            return
        place = self._place
        self._findings.objects[id(item)] = item, place
        self._attributes(item, place, self._names)
        # A comparison may read more than decides it.
        for name in self._kind(type(item)).called:
            self._method(item, name, place)
        if is_a(item, type):
            for name in _OF_CLASSES:
                self._member(item, name, of_classes(item.__mro__, name))
        elif is_a(item, ModuleType):
            self._called(vars(item).get("__getattr__"))
        elif not is_standard(type(type(item)).__module__):
            self._place = f"type({place})"
            self._object(type(item))
        self._place = place

    def _attributes(self, item: Any, place: str, names: Iterable[str]) -> None:
        names = tuple(names)
        if CLASS in names and not isinstance(item, type):
            self._place = f"type({place})"
            self._object(type(item))
        if not LISTING.isdisjoint(names) and not isinstance(item, type):
            self._place = f"{place}.__dict__"
            self._elements(self._whole(item))
        for name in self._readable(item, dict.fromkeys((*names, *fields_of(item, names)))):
            self._place = f"{place}.{name}"
            self._value(self._attribute(item, name))

    def _readable(self, item: Any, names: Iterable[str]) -> list[str]:
        """Those of these attributes that an object has, or for which code may ask."""
        asked = self._names
        if is_a(item, type):
            return [name for name in names if asked.get(name) or has(item, name)]
        own, members = own_of(item) or NOTHING, self._kind(type(item)).members
        found = {name: name in own or asked.get(name) or members[name][1] for name in names}
        return [name for name in found if found[name] or (found[name] is None and has(item, name))]

    def _kind(self, kind: type) -> Kind:
        found = self._kinds.get(id(kind))
        if found is None:
            found = self._kinds[id(kind)] = Kind(kind)
        return found

    def see_elements(self, elements: Any) -> None:
        """Guard that what an array of tensors outside of the graph holds is still the present."""
        self._place = "a TensorArray"
        self._see(elements, Attribute("is_current"), True)

    def adopt(self, others: Guards) -> None:
        """Guard what another trace guards, for it is called in this one."""
        self._findings.adopt(others, self._where)

    def _see(self, holder: Any, key: Any, value: Any) -> None:
        self._findings.see(holder, key, value, self._place, self._where)

    def notes(self) -> Iterable[Any]:
        """The holders of what was seen: all that holds objects while the trace is made."""
        return self._findings.notes()

    def settle(self) -> Guards:
        """The guards on all that the trace itself has not changed."""
        late, self._late = self._late, []
        with self._walk():
            for function in late:
                self._read_by(function, (None,), {}, None)
        self._late = []
        return self._findings.guards()


def _names_of_getter(function: Any) -> dict[str, bool]:
    """The names of the attributes that an attrgetter or methodcaller reads."""
    texts = function.__reduce__()[1]
    if isinstance(function, methodcaller):
        texts = texts[:1]
    return {name: False for text in texts for name in text.split(".")}


def _is_standard_module(value: Any) -> bool:
    return is_a(value, ModuleType) and is_standard(value.__name__)


def _is_builtin(name: str, value: Any) -> bool:
    return value is MISSING and hasattr(builtins, name)


def _is_told(argument: Any) -> bool:
    return is_a(argument, np.ndarray) or structure_of(argument) is not None


def _part(argument: Any, kind: str, key: Any) -> Any:
    if kind == ".":
        return attribute_now(argument, key)
    if type(argument) is dict:
        return argument.get(key, MISSING)
    if type(argument) not in (list, tuple) or not isinstance(key, int):
        return MISSING
    return argument[key] if -len(argument) <= key < len(argument) else MISSING

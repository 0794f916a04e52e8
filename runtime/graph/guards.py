"""Guards: Python values that a trace read from outside. Where one changes, the trace does not hold.

Guarded, by identity, is what the traced functions read by static paths: global variables, captured
variables, and from there, from `self` and from arguments, attributes and items with constant keys
(`config.rate`, `table['k']`). Of containers that a path goes through or ends in, the elements
are guarded too, of arrays what is in them, and of the objects among them the attributes for
which the code has the names, and what the methods read that Python calls by itself. What the trace
itself changes is a side effect of tracing, and no guard; what the signature of a call tells is none
either. Library code is not looked at, nor what is in large arrays; too many values are refused.
"""

from __future__ import annotations

import builtins
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property, partial
from types import (
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from runtime.graph.code_paths import WHOLE, Path, names_in, paths_in
from runtime.graph.containers import (
    Elements,
    Inside,
    elements_of,
    identities,
    is_compared,
    is_large,
    is_mapping,
    same_elements,
)
from runtime.graph.frames import is_ours
from runtime.graph.ir import Location
from runtime.graph.missing import OPERATORS
from runtime.graph.refusals import refuse
from runtime.graph.structures import structure_of
from runtime.graph.ways import (
    ATOMIC,
    MISSING,
    NOTHING,
    Attribute,
    Read,
    Route,
    Ways,
    Weak,
    attribute_now,
    contents,
    is_referable,
    is_weak,
    strong,
    weakly,
)

MOST_GUARDS = 10_000
"""Values that one trace guards; more are refused."""


Attributes = tuple[tuple[str, Any, Any], ...]
Owner = tuple[Read, type, Attributes]


_OF_THE_RUN = frozenset(("logging", "threading"))
"""Modules whose state is that of the process, such as its threads, and no value of a program."""


class Guards:
    """What was read, and what it was; `hold()` says whether it still is."""

    __slots__ = (
        *("_large", "_names", "_objects", "_owners", "_place", "_slots", "_seen", "_small"),
        *("_cells", "_further", "_given", "_known", "_visited", "_where", "distant"),
        *("cells", "contents", "entries", "instances", "paths"),
    )

    def __init__(self) -> None:
        self.entries: tuple[tuple[Mapping[Any, Any], Any, Any], ...] = ()
        self.cells: tuple[tuple[CellType, Any], ...] = ()
        self.contents: tuple[tuple[Any, Elements], ...] = ()
        self.instances: tuple[tuple[Read, Any, Any], ...] = ()
        self.distant: tuple[tuple[Read, Any, Any], ...] = ()
        self._further: tuple[tuple[Read, Any, Any], ...] = ()
        self._small: tuple[tuple[Any, Elements], ...] = ()
        self._large: tuple[tuple[Any, bytes], ...] = ()
        self._owners: tuple[Owner, ...] = ()
        self._slots: tuple[tuple[Read, str, Any], ...] = ()
        self.paths: dict[Any, str] = {}
        self._place = ""
        self._where: Location | None = None
        self._seen: dict[Any, tuple[Any, Any, Any]] = {}
        self._visited: set[Any] = set()
        self._names: dict[str, bool] = {}
        self._objects: dict[int, tuple[Any, str]] = {}
        self._given: set[int] = set()
        self._cells: dict[int, tuple[FunctionType, int]] = {}
        self._known: dict[int, Read] = {}

    def __bool__(self) -> bool:
        rooted = self.entries or self.cells or self.contents
        return bool(rooted or self.instances or self.distant)

    def hold(self) -> bool:
        """Is everything still as it was?"""
        for mapping, key, value in self.entries:
            now = mapping.get(key, MISSING)
            if now is not value and (type(value) is not Weak or now is None or now is not value()):
                return False
        for cell, value in self.cells:
            now = contents(cell)
            if now is not value and (type(value) is not Weak or now is None or now is not value()):
                return False
        # An object that is gone is one that nobody reads any more.
        for read, kind, attributes in self._owners:
            item = read()
            if item is None:
                continue
            if type(item) is not kind:
                return False
            own = getattr(item, "__dict__", NOTHING)
            for key, value, kind in attributes:
                now = own.get(key, MISSING)
                if kind is Inside:
                    if not value.holds(now):
                        return False
                elif now is not (strong(value) if kind else value):
                    return False
        for read, key, value in self._slots:
            item = read()
            if item is not None and attribute_now(item, key) is not strong(value):
                return False
        for read, key, value in self._further:
            if not _is_there(read(), key, value):
                return False
        for container, elements in self._small:
            if not same_elements(container, elements):
                return False
        return all(identities(container) == known for container, known in self._large)

    def is_over(self) -> bool:
        """Is something gone that they compare with, so that they cannot hold again?"""
        values = [value for *_, value in (*self.entries, *self.cells)]
        values += [value for read, _, value in self.instances if read() is not None]
        return any(type(value) is Weak and value() is None for value in values)

    # Looking, while the function is traced

    def watch(
        self,
        function: Any,
        arguments: Mapping[str, Any] | None = None,
        place: str | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        """Remember what a function can read, before it runs; `arguments` by their names; `place` is
        the user's expression for what it is a method of; `given` is what else Python passes to a
        descriptor.
        """
        if isinstance(function, partial):
            self._applied(function)
            return
        call = type(function).__call__ if callable(function) else None
        if not isinstance(function, FunctionType | MethodType) and isinstance(call, FunctionType):
            function = MethodType(call, function)
        receiver = getattr(function, "__self__", None)
        function = getattr(function, "__func__", function)
        if not isinstance(function, FunctionType) or is_ours(function.__code__.co_filename):
            return
        if function.__module__ in _OF_THE_RUN:
            return
        own = function.__code__, function.__closure__, receiver
        key = tuple(map(id, (*own, *given)))
        if key in self._visited:
            return
        self._visited.add(key)
        before = self._place, self._where
        self._where = function.__code__.co_filename, function.__code__.co_firstlineno, 1
        self._read_by(function, (receiver, *given), arguments or {}, place)
        self._place, self._where = before

    def _read_by(
        self,
        function: FunctionType,
        given: tuple[Any, ...],
        arguments: Mapping[str, Any],
        place: str | None,
    ) -> None:
        for at, cell in enumerate(function.__closure__ or ()):
            self._cells.setdefault(id(cell), (function, at))
        code, places = function.__code__, {}
        known = _defaults_of(function) | dict(arguments)
        self._learn(names_in(code))
        for name, value in zip(code.co_varnames[: code.co_argcount], given, strict=False):
            if value is not None:
                known[name], places[name] = value, place or name
            place = place.rpartition(".")[0] if place else None
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for path in paths_in(code):
            self._place = places.get(path.root, path.root)
            self._follow(path, function.__globals__, cells, known, arguments)
        for name in names_in(code) if "globals" in code.co_names else ():
            if name in function.__globals__:
                self._follow(Path(True, name, ()), function.__globals__, cells, known, ())
        for name, argument in arguments.items():
            self._place = name
            self._argument(argument)

    def _applied(self, function: partial[Any]) -> None:
        for value in (*function.args, *function.keywords.values()):
            self._elements(value)
            self._object(value)
        self.watch(function.func)

    def _learn(self, names: Mapping[str, bool]) -> None:
        """Look at the objects that were met for the attributes that more code reads."""
        fresh = [name for name in names if names[name] > self._names.get(name, -1)]
        self._names.update((name, names[name]) for name in fresh)
        for item, place in list(self._objects.values()) if fresh else ():
            self._attributes(item, place, fresh)

    def _argument(self, value: Any) -> None:
        """Guard what is in the parts of an argument that the signature knows by identity only."""
        self._given.add(id(value))
        if not _is_told(value):
            self._elements(value)
            self._object(value)
            return
        found = structure_of(value)
        for part in found[1] if found else ():
            self._argument(part)

    def _follow(
        self,
        path: Path,
        namespace: dict[str, Any],
        cells: Mapping[str, CellType],
        known: Mapping[str, Any],
        told_by: Container[str],
    ) -> None:
        if path.is_global:
            value = namespace.get(path.root, MISSING)
            if not isinstance(value, ModuleType) and not _is_builtin(path.root, value):
                self._see(namespace, path.root, value)
        elif path.root in cells:
            value = contents(cells[path.root])
            self._see(cells[path.root], None, value)
        else:
            value = known.get(path.root, MISSING)
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
            self._elements(value)
            self._object(value)

    def _attribute(self, holder: Any, name: str) -> Any:
        if isinstance(holder, ModuleType):
            return MISSING if _is_library(holder.__name__) else self._entry(vars(holder), name)
        self._elements(holder)  # a method of a container reads them
        if _is_library((holder if isinstance(holder, type) else type(holder)).__module__):
            return MISSING
        if name == "__dict__" and not isinstance(holder, type):
            return getattr(holder, "__dict__", MISSING)
        self._method(holder, "__getattribute__", self._place.removesuffix(f".{name}"))
        value = attribute_now(holder, name)
        if value is not MISSING or hasattr(holder, "__dict__"):
            self._see(holder, Attribute(name), value)
        if value is MISSING or _comes_first(_of_classes(type(holder), name)):
            return self._class_attribute(holder, name)
        return value

    def _class_attribute(self, holder: Any, name: str) -> Any:
        place = self._place.removesuffix(f".{name}")
        if name == "__class__":
            return type(holder)
        for base in (holder if isinstance(holder, type) else type(holder)).__mro__:
            value = vars(base).get(name, MISSING)
            if value is not MISSING or not _is_library(base.__module__):
                self._see(base, Attribute(name), value)
            if value is MISSING:
                continue
            if isinstance(value, property) and isinstance(value.fget, FunctionType):
                self.watch(value.fget.__get__(holder), place=place)
            elif isinstance(value, cached_property):
                self._method(value, "__get__", self._place)
            elif _is_descriptor(value):
                self._described(value, holder, place)
            return MISSING if hasattr(type(value), "__get__") else value
        self._method(holder, "__getattr__", place)
        return MISSING

    def _described(self, descriptor: Any, holder: Any, place: str) -> None:
        """Look at what a descriptor reads of its holder, also by names that it keeps."""
        kept = getattr(descriptor, "__dict__", NOTHING).values()
        self._learn({text: False for text in kept if type(text) is str})
        before = self._place
        if not isinstance(holder, type):
            self._place = place
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
        return _part(holder, "[]", key)

    def _method(self, item: Any, name: str, place: str, given: tuple[Any, ...] = ()) -> None:
        """Look at what a method reads that Python calls by itself."""
        method = getattr(type(item), name, None)
        if isinstance(method, FunctionType):
            self.watch(MethodType(method, item), place=place, given=given)

    def _entry(self, mapping: Mapping[Any, Any], key: Any) -> Any:
        value = mapping.get(key, MISSING)
        self._see(mapping, key, value)
        return value

    def _elements(self, value: Any) -> None:
        if not is_compared(value) or (id(value), _Elements) in self._seen:
            return
        elements = elements_of(value)
        # What holds a tuple of these guards it.
        if type(value) is tuple and ATOMIC.issuperset(map(type, value)):
            return
        self._see(value, _Elements, elements)
        if type(elements) is bytes or ATOMIC.issuperset(map(type, elements)):
            return
        place = self._place
        for at, element in enumerate(elements):
            self._place = f"{place}{_index(value, elements, at)}"
            self._elements(element)
            self._object(element)
        self._place = place

    def _object(self, item: Any) -> None:
        """Guard the attributes of an object for which traced code has the names."""
        if not _is_the_users(item) or id(item) in self._objects:
            return
        place = self._place
        self._objects[id(item)] = item, place
        self._attributes(item, place, self._names)
        # A comparison may read more than decides it.
        for name in (*OPERATORS, "__getitem__", "__getattr__", "__enter__", "__exit__"):
            self._method(item, name, place)
        self._place = place

    def _attributes(self, item: Any, place: str, names: Iterable[str]) -> None:
        names = tuple(names)
        own = () if WHOLE.isdisjoint(names) else _fields_of(item)
        for name in dict.fromkeys((*names, *own)):
            if self._names.get(name) or _has(item, name):
                self._place = f"{place}.{name}"
                value = self._attribute(item, name)
                self._elements(value)
                self._object(value)

    def see_elements(self, elements: Any) -> None:
        """Guard that what an array of tensors outside of the graph holds is still the present."""
        self._place = "a TensorArray"
        self._see(elements, Attribute("is_current"), True)

    def adopt(self, others: Guards) -> None:
        """Guard what another trace guards, for it is called in this one."""
        held: list[tuple[Any, Any, Any]] = []
        held += [(mapping, key, strong(value)) for mapping, key, value in others.entries]
        held += [(cell, None, strong(value)) for cell, value in others.cells]
        held += [(container, _Elements, known) for container, known in others.contents]
        held += [(read(), key, strong(value)) for read, key, value in others.instances]
        for read, key, value in others.distant:
            holder = read()
            self._known.setdefault(id(holder), read)
            held.append((holder, key, value() if type(value) is Inside else strong(value)))
        for holder, key, value in held:
            if holder is not None and type(holder) is not Route:
                self._place = others.paths[id(holder), key]
                self._see(holder, key, value)

    def _see(self, holder: Any, key: Any, value: Any) -> None:
        if len(self._seen) >= MOST_GUARDS:
            raise self._too_many()
        self._seen.setdefault((id(holder), key), (holder, key, value))
        self.paths.setdefault((id(holder), key), self._place)

    def _too_many(self) -> Exception:
        return refuse(
            f"what is read from outside has more than {MOST_GUARDS} values that may change, which "
            f"each call would have to compare; the last one is {self._place}",
            "pass what is used as an argument, or keep it in a tensor",
            variable=self._place.partition(".")[0].partition("[")[0],
            location=self._where,
        )

    def notes(self) -> Iterable[Any]:
        """Where what was seen is remembered: all that holds objects while the trace is made."""
        return [*self._seen.values(), *self._objects.values(), *self._cells.values()]

    def settle(self) -> None:
        """Keep those that the trace itself has not changed."""
        ways = self._ways()
        entries, cells, elements, instances, distant = [], [], [], [], []
        for holder, key, value in self._seen.values():
            read = None if isinstance(key, Attribute) else ways.to(holder)
            if not _is_as_seen(holder, key, value):
                continue
            if isinstance(key, Attribute):
                instances.append((weakly(holder), key, ways.weak(attribute_now(holder, key))))
            elif read is not None:
                distant.append((read, key, _distantly(holder, key, value, ways)))
            elif key is _Elements:
                elements.append((holder, value))
            elif type(holder) is CellType:
                cells.append((holder, _collectable(value)))
            else:
                entries.append((holder, key, _collectable(value)))
        self.entries, self.cells, self.distant = tuple(entries), tuple(cells), tuple(distant)
        # A tuple has the same ones always.
        elements = [pair for pair in elements if type(pair[0]) is not tuple]
        self.contents, self.instances = tuple(elements), tuple(instances)
        self._arrange()
        self._seen, self._visited, self._names, self._objects = {}, set(), {}, {}
        self._given, self._cells, self._known = set(), {}, {}

    def _ways(self) -> Ways:
        seen = self._seen.values()
        single = [item for item in seen if item[1] is not _Elements]
        # Those from objects first: no way leads around in a circle.
        single.sort(key=lambda item: not isinstance(item[1], Attribute))
        ways = Ways(single, self._cells, self._known, self._given)
        for holder, key, value in seen:
            if key is _Elements:
                ways.add_elements(holder, value)
        return ways

    def _arrange(self) -> None:
        """Put together the attributes of one object, which is looked up once, and what is compared
        in one way.
        """
        owners: dict[int, tuple[Read, list[tuple[str, Any, Any]]]] = {}
        inside = {value.address: value for *_, value in self.distant if type(value) is Inside}
        slots = []
        for read, key, value in self.instances:
            item = read()
            if value is not MISSING and key not in getattr(item, "__dict__", NOTHING):
                slots.append((read, key, value))
                continue
            attributes = owners.setdefault(id(item), (read, []))[1]
            held = inside.pop(value.address, None) if type(value) is Route else None
            attributes.append((key, held or value, Inside if held else is_weak(value)))
        self._owners = tuple([(read, type(read()), tuple(held)) for read, held in owners.values()])
        kept = set(map(id, inside.values()))
        self._further = tuple(
            [item for item in self.distant if type(item[2]) is not Inside or id(item[2]) in kept]
        )
        self._slots = tuple(slots)
        large = [pair for pair in self.contents if is_large(pair[1])]
        self._large = tuple([(item, identities(item)) for item, _ in large])
        self._small = tuple([pair for pair in self.contents if not is_large(pair[1])])

    def changed(self) -> Iterator[str]:
        """What is different now, as the user would write it."""
        for mapping, key, value in self.entries:
            now = mapping.get(key, MISSING)
            if now is not strong(value):
                yield _difference(self.paths[id(mapping), key], strong(value), now)
        for cell, value in self.cells:
            if contents(cell) is not strong(value):
                yield _difference(self.paths[id(cell), None], strong(value), contents(cell))
        for read, kind, _ in self._owners:
            if type(read()) is not kind and read() is not None:
                yield f"an object of class {kind.__name__} is now a {type(read()).__name__}"
        for read, key, value in self.instances:
            item = read()
            now = attribute_now(item, key)
            if item is not None and now is not strong(value):
                yield _difference(self.paths[id(item), key], strong(value), now)
        for container, known in self.contents:
            if not same_elements(container, known):
                yield _different_elements(self.paths[id(container), _Elements], container, known)
        for read, key, value in self.distant:
            holder = read()
            if not _is_there(holder, key, value):
                yield _difference_there(self.paths[id(holder), key], holder, key, value)


def _is_as_seen(holder: Any, key: Any, value: Any) -> bool:
    """Has the trace left it as it was?"""
    if key is _Elements:
        return same_elements(holder, value)
    if not isinstance(key, Attribute):
        return _under(holder, key) is value
    now = attribute_now(holder, key)
    return now is value or (value is MISSING and _is_computed_once(holder, key))


def _under(holder: Any, key: Any) -> Any:
    """What a cell holds, or a mapping under a key."""
    return contents(holder) if type(holder) is CellType else holder.get(key, MISSING)


def _collectable(value: Any) -> Any:
    """A value of a global or captured variable: objects are not kept alive once it has another."""
    if getattr(type(value), "is_resource", False) is True:
        return Weak(value)
    is_object = _is_the_users(value) and not isinstance(value, type)
    return weakly(value) if is_object and is_referable(value) else value


def _distantly(holder: Any, key: Any, value: Any, ways: Ways) -> Any:
    return Inside(holder, value, ways) if key is _Elements else ways.weak(value)


def _is_there(holder: Any, key: Any, value: Any) -> bool:
    """Is what an object leads to as it was? What does not lead there any more is seen elsewhere."""
    if holder is None or type(holder) is Route:
        return True
    if type(value) is Inside:
        return value.holds(holder)
    return _under(holder, key) is strong(value)


def _difference_there(path: str, holder: Any, key: Any, value: Any) -> str:
    if type(value) is Inside:
        return _different_elements(path, holder, value())
    return _difference(path, strong(value), _under(holder, key))


def _different_elements(path: str, container: Any, known: Elements) -> str:
    if type(known) is bytes:
        return f"what is in {path} changed"
    now = elements_of(container)
    if len(now) != len(known):
        size = len(known) // 2 if is_mapping(container) else len(known)
        return f"{path} had {size} elements, has {len(container)}"
    at = next(at for at, pair in enumerate(zip(known, now, strict=True)) if pair[0] is not pair[1])
    return _difference(f"{path}{_index(container, known, at)}", known[at], now[at])


def _difference(path: str, before: Any, now: Any) -> str:
    if before is MISSING:
        return f"{path} was not there, is {_short(now)}"
    if now is MISSING:
        return f"{path} was {_short(before)}, is not there any more"
    if type(before) in ATOMIC or type(now) in ATOMIC:
        return f"{path} was {_short(before)}, is {_short(now)}"
    return f"{path} is another {type(now).__name__}"


def _short(value: Any) -> str:
    return f"{value!r:.40}" if type(value) in ATOMIC else f"an object of {type(value).__name__}"


def _index(container: Any, elements: Elements, at: int) -> str:
    """How the user would write the way to an element."""
    if is_mapping(container):
        return f"[{elements[at % (len(elements) // 2)]!r:.40}]"
    return "" if isinstance(container, set | frozenset) else f"[{at}]"


def _is_builtin(name: str, value: Any) -> bool:
    return value is MISSING and hasattr(builtins, name)


def _fields_of(item: Any) -> Iterable[str]:
    """The attributes that code can read of an object without their names."""
    fields = getattr(type(item), "__dataclass_fields__", NOTHING)
    return () if isinstance(item, type) else (*fields, *getattr(item, "__dict__", NOTHING))


def _is_told(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) or structure_of(argument) is not None


def _part(argument: Any, kind: str, key: Any) -> Any:
    if kind == ".":
        return attribute_now(argument, key)
    if type(argument) is dict:
        return argument.get(key, MISSING)
    if type(argument) not in (list, tuple) or not isinstance(key, int):
        return MISSING
    return argument[key] if -len(argument) <= key < len(argument) else MISSING


class _Elements:
    """The key of guards on the elements of a container."""


def _is_computed_once(instance: Any, name: str) -> bool:
    """Is it an attribute that Python puts there when it is asked?"""
    return isinstance(getattr(type(instance), name, None), cached_property)


def _is_the_users(item: Any) -> bool:
    kind = item if isinstance(item, type) else type(item)
    if _is_library(kind.__module__) or isinstance(item, ModuleType | FunctionType):
        return False
    return hasattr(item, "__dict__") or hasattr(kind, "__slots__")


def _has(item: Any, name: str) -> bool:
    if not isinstance(item, type) and attribute_now(item, name) is not MISSING:
        return True
    found = _of_classes(item if isinstance(item, type) else type(item), name)
    if isinstance(found, cached_property | property | staticmethod | FunctionType):
        return True
    return _is_descriptor(found) or (found is not MISSING and not hasattr(type(found), "__get__"))


def _is_descriptor(found: Any) -> bool:
    """Does Python call code of the user's to get this attribute of a class?"""
    kind = type(found)
    return isinstance(getattr(kind, "__get__", None), FunctionType) and not _is_library(
        kind.__module__
    )


def _of_classes(kind: type, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)


def _comes_first(found: Any) -> bool:
    """Does Python ask this attribute of a class rather than one of the same name of the object?"""
    return hasattr(type(found), "__set__") and type(found) is not MemberDescriptorType


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in ("runtime", "autograph", "numpy", "builtins")


def _defaults_of(function: FunctionType) -> dict[str, Any]:
    """The default values of parameters, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(names, values, strict=True)) | (function.__kwdefaults__ or {})

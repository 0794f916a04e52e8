"""The reading of objects as code does it: what attributes, items and elements it finds there, and
what Python itself runs for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any
from weakref import ReferenceType

from autograph.mutation.users_code import is_installed
from autograph.objects import (
    MISSING,
    functions_in,
    is_a,
    is_implicit,
    is_namespace,
    members_of,
    module_of,
    of_classes,
    own_of,
)
from runtime.graph.ir import Location
from runtime.staging.guarding.class_facts import ClassFacts
from runtime.staging.guarding.code_paths import CLASS, LISTING, asks_in
from runtime.staging.guarding.containers import elements_of
from runtime.staging.guarding.findings import Findings
from runtime.staging.guarding.guards import ElementsKey, index_of
from runtime.staging.guarding.lookup import (
    COMPARING,
    can_have,
    classes_of,
    comes_first,
    fields_of,
    has,
    is_descriptor,
    is_library,
    is_method,
    is_standard,
    is_the_users,
    reads_whole,
)
from runtime.staging.guarding.settings import name_of, reader_of
from runtime.staging.guarding.weak_paths import ATOMIC, NOTHING, Attribute, attribute_now

FUNCTIONS = FunctionType, MethodType

_OF_CLASSES = "__init_subclass__", "__class_getitem__"
"""The methods that Python calls for a class itself, and not for its objects."""


class Reader:
    """Notes what is read of objects. `_place` is the user's expression for the present one,
    `_names` are the attributes that code reads, and whether it may ask if they are there.
    """

    __slots__ = (
        "_classes",
        "_findings",
        "_is_implicit",
        "_kinds",
        "_names",
        "_pending",
        "_place",
        "_where",
        "found",
    )

    def __init__(self) -> None:
        self._findings = Findings()
        self._place = ""
        self._where: Location | None = None
        self._names: dict[str, bool] = {}
        self._classes: set[type] = set()
        # By the addresses of classes: a metaclass may say what is equal.
        self._kinds: dict[int, ClassFacts] = {}
        self._pending: list[Any] = []
        self.found: list[type] = []  # classes of objects, for who traces to take from here
        # Is the code looked at such as Python runs by itself, of which no call is seen?
        self._is_implicit = False

    def _watch(
        self,
        function: Any,
        arguments: Mapping[str, Any] | None = None,
        place: str | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        """Remember what a function can read."""
        raise NotImplementedError

    def _learn(self, names: Mapping[str, bool]) -> None:
        """Look at the objects that were met for the attributes that more code reads."""
        fresh = [name for name in names if names[name] > self._names.get(name, -1)]
        self._names.update((name, names[name]) for name in fresh)
        for item, place in list(self._findings.objects.values()) if fresh else ():
            self._attributes(item, place, fresh)

    def _run(self, function: Any, place: str | None = None, given: tuple[Any, ...] = ()) -> None:
        """Remember what code reads that Python runs by itself, and what the code calls."""
        before, self._is_implicit = self._is_implicit, True
        self._watch(function, place=place, given=given)
        self._is_implicit = before
        self._look_at_called()

    def _called(self, value: Any) -> None:
        """Remember what code may call that Python runs by itself."""
        is_function = is_a(value, FUNCTIONS)
        if is_a(value, type) or (is_function and not is_installed(str(value.__module__))):
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
        if kind in self._classes or is_installed(module_of(kind)):
            return
        self._classes.add(kind)
        place, self._place = self._place, kind.__name__
        self._object(kind)
        for base in classes_of(kind):
            members = {} if is_installed(module_of(base)) else members_of(base)
            for name, member in members.items():
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

    def _attribute(self, holder: Any, name: str) -> Any:
        kind = self._kind(type(holder))
        if kind.is_compared:
            self._elements(holder)  # a method of a container reads them
        if not kind.is_plain:
            if is_a(holder, ModuleType):
                return self._of_module(holder, name)
            if is_a(holder, FUNCTIONS):
                return self._of_function(getattr(holder, "__func__", holder), name)
            owner = holder if is_a(holder, type) else type(holder)
            if is_library(module_of(owner)) and not is_namespace(type(holder)):
                return MISSING
        if name == "__dict__" and not isinstance(holder, type):
            return self._whole(holder)
        if kind.reads_itself:
            self._method(holder, "__getattribute__", self._place.removesuffix(f".{name}"))
        value = attribute_now(holder, name)
        if value is not MISSING or can_have(holder, name):
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
            value = of_classes((base,), name)
            if value is not MISSING or not is_library(module_of(base)):
                self._see(base, Attribute(name), value)
            if value is not MISSING:
                return value
        return MISSING

    def _computed(self, found: Any, holder: Any, place: str) -> None:
        """Look at what Python calls for an attribute of a class."""
        self._settings(holder, place)
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
        return part(holder, "[]", key)

    def _method(self, item: Any, name: str, place: str, given: tuple[Any, ...] = ()) -> None:
        """Look at what a method reads that Python calls by itself."""
        method = of_classes(type(item).__mro__, name)
        if isinstance(method, FunctionType):
            self._see_method(item, name, place)
            self._run(MethodType(method, item), place=place, given=given)

    def _see_method(self, item: Any, name: str, place: str) -> None:
        before, self._place = self._place, f"{place}.{name}"
        for base in type(item).__mro__:
            if not is_standard(module_of(base)):
                self._see(base, Attribute(name), of_classes((base,), name))
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
        self.found.append(type(item))
        self._attributes(item, place, self._names)
        self._settings(item, place)
        # A comparison may read more than decides it.
        for name in self._kind(type(item)).called:
            self._method(item, name, place)
        if is_a(item, type):
            for name in _OF_CLASSES:
                self._member(item, name, of_classes(item.__mro__, name))
        elif is_a(item, ModuleType):
            self._called(vars(item).get("__getattr__"))
        elif not is_standard(module_of(type(type(item)))):
            self._place = f"type({place})"
            self._object(type(item))
        self._place = place

    def _settings(self, item: Any, place: str, in_list: bool = False) -> None:
        """Guard the settings of an object, and of those among them; one that is in a list of
        `place` goes by its name.
        """
        settings_of = reader_of(type(item))
        if settings_of is None or id(item) in self._findings.settings:
            return
        place = f"{place}.{name_of(item)}" if in_list else place
        settings = settings_of(item)
        self._findings.see_settings(item, settings, place)
        for name, value in settings.items():
            if type(value) is tuple:
                for each in value:
                    self._settings(each, place, in_list=True)
            elif type(value) not in ATOMIC:
                self._settings(value, f"{place}.{name.lstrip('_')}")

    def _attributes(self, item: Any, place: str, names: Iterable[str]) -> None:
        names = tuple(names)
        if CLASS in names and not isinstance(item, type):
            self._place = f"type({place})"
            self._object(type(item))
        if not isinstance(item, type) and reads_whole(item, names, LISTING):
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

    def _kind(self, kind: type) -> ClassFacts:
        found = self._kinds.get(id(kind))
        if found is None:
            found = self._kinds[id(kind)] = ClassFacts(kind)
        return found

    def _see(self, holder: Any, key: Any, value: Any) -> None:
        self._findings.see(holder, key, value, self._place, self._where)


def part(argument: Any, kind: str, key: Any) -> Any:
    if kind == ".":
        return attribute_now(argument, key)
    if type(argument) is dict:
        return argument.get(key, MISSING)
    if type(argument) not in (list, tuple) or not isinstance(key, int):
        return MISSING
    return argument[key] if -len(argument) <= key < len(argument) else MISSING

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
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from operator import attrgetter, methodcaller
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograph.objects import MISSING, contents, is_a, module_of, of_classes
from runtime.core.reloading import reloads
from runtime.core.tensor import Tensor
from runtime.graph.structures import structure_of
from runtime.staging.control.stand_ins import member_of
from runtime.staging.frames import is_ours
from runtime.staging.guarding.code_paths import (
    StaticPath,
    imports_of,
    names_in,
    names_in_library,
    paths_in,
)
from runtime.staging.guarding.file_questions import FILES, asks_of_files, question_of
from runtime.staging.guarding.guards import CODE, OF_FUNCTIONS, Guards
from runtime.staging.guarding.lookup import defaults_of, is_standard, is_users_code
from runtime.staging.guarding.numpy_state import ERROR_STATES, SettingsAround
from runtime.staging.guarding.reading import FUNCTIONS, Reader, part
from runtime.staging.guarding.settings import name_of
from runtime.staging.guarding.weak_paths import Attribute, attribute_now
from runtime.staging.scopes import Symbol

_OF_THE_RUN = frozenset(("logging", "threading"))
"""Modules whose state is that of the process, such as its threads, and no value of a program."""

_GETTERS = attrgetter, methodcaller


class _Variables(NamedTuple):
    """The variables that code finds: global and captured ones, and those that are known
    of its own.
    """

    namespace: dict[str, Any]
    cells: Mapping[str, CellType]
    known: Mapping[str, Any]


class Watcher(Reader):
    """Finds what is read from outside while a function is traced; `settle()` gives the guards."""

    __slots__ = ("_late", "_visited", "around", "tells")

    def __init__(self) -> None:
        super().__init__()
        # Who else is told of attributes of which code computes the names.
        self.tells: list[Callable[[Any, str], None]] = []
        self.around = SettingsAround()
        self._visited: set[Any] = set()
        self._late: list[FunctionType] = []

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
        elif isinstance(function, FUNCTIONS):
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
        self._learn((names_in if is_users_code(function) else names_in_library)(code))
        for name, value in zip(code.co_varnames[: code.co_argcount], given, strict=False):
            if value is not None:
                known[name], places[name] = value, place or name
            place = place.rpartition(".")[0] if place else None
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        variables = _Variables(function.__globals__, cells, known)
        paths = list(paths_in(code))
        if "globals" in code.co_names:
            texts = [name for name in names_in(code) if name in function.__globals__]
            paths += [StaticPath(True, name, ()) for name in texts]
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
                continue
            if not _is_standard_module(held):
                self._place = path
                self._see(sys.modules, path, held)
            if name is not None:
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
            for name in names if not is_standard(module_of(base)) else ():
                value = of_classes((base,), name)
                self._place = f"{base.__name__}.{name}"
                self._see(base, Attribute(name), value)
                self._computed(value, receiver, self._place)

    def _constructor(self, kind: type) -> None:
        self._class(kind)
        for name in ("__new__", "__init__"):
            if isinstance(getattr(kind, name), FunctionType):
                self._place = f"{kind.__name__}.{name}"
                self._first_of(kind.__mro__, name)

    def file_function(self, function: Any) -> Callable[..., Any] | None:
        """Returns what to call for a function that tells of files; None for any other."""
        return partial(self._answered, function) if asks_of_files(function) else None

    def _answered(self, function: Any, *args: Any, **options: Any) -> Any:
        question = question_of(function, args, options)
        if question is None:
            return function(*args, **options)
        answer = FILES.get(question)
        given = [*question[1], *options.values()]
        self._place = f"{function.__name__}({', '.join([repr(str(each)) for each in given])})"
        self._see(FILES, question, answer)
        return answer

    def getattr(self, item: Any, name: Any, *default: Any) -> Any:
        """Python's `getattr`, which code may call with a name that it computes."""
        self.asked(item, name)
        return member_of(item, name, *default)

    def asked(self, item: Any, name: Any) -> None:
        """Guard an attribute of which code computes the name."""
        if type(name) is not str or isinstance(item, Tensor | Symbol):
            return
        for tell in self.tells:
            tell(item, name)
        known = self._findings.objects.get(id(item))
        self._place = f"{known[1] if known else type(item).__name__}.{name}"
        with self._walk():
            self._value(self._attribute(item, name))

    def _argument(self, value: Any) -> None:
        """Guard what is in the parts of an argument that the signature knows by identity only."""
        place = self._findings.given.setdefault(id(value), self._place)
        if not _is_told(value):
            self._value(value)
            return
        self._class(type(value))
        found = structure_of(value)
        if found is not None:
            structure, children = found
            for at, child in enumerate(children):
                self._place = f"{place}{structure.path(at)}"
                self._argument(child)
        self._place = place

    def _follow(self, path: StaticPath, variables: _Variables, told_by: Container[str]) -> None:
        value = self._root(path, variables)
        # What the signature tells of an argument needs no guard.
        told = path.root in told_by
        for kind, key in path.steps:
            told = told and _is_told(value)
            if value is MISSING:
                return
            if value is sys.modules and is_standard(variables.namespace.get("__name__")):
                return  # what a library asks of it is not what the program does
            self._place += f".{key}" if kind == "." else f"[{key!r}]"
            if told:
                value = part(value, kind, key)
            else:
                value = self._attribute(value, key) if kind == "." else self._item(value, key)
        if not told:
            self._value(value)
            if self._is_implicit:
                self._called(value)

    def _root(self, path: StaticPath, variables: _Variables) -> Any:
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

    def see_elements(self, elements: Any) -> None:
        """Guard that what an array of tensors outside of the graph holds is still the present."""
        self._place = "a TensorArray"
        self._see(elements, Attribute("is_current"), True)

    def see_item(self, mapping: Any, key: Any, value: Any, place: str) -> None:
        """Guard that `mapping.get(key)` is what it is, which the user calls `place`."""
        self._place = place
        self._see(mapping, key, value)

    def see_settings(self, item: Any) -> None:
        """Guard the settings of an object that is used."""
        known = self._findings.objects.get(id(item))
        self._settings(item, known[1] if known else name_of(item))

    def renew_settings(self, item: Any) -> None:
        """Guard the settings that an object has now, and none from before, if it is used."""
        if self._findings.settings.pop(id(item), None) is not None:
            self.see_settings(item)

    def see_error_state(self) -> None:
        """Guard that NumPy's error state around the trace is what it is."""
        self.see_item(ERROR_STATES, self.around.errors, True, "np.geterr()")

    def place_of(self, item: Any) -> str | None:
        """The user's expression for an object from outside; None for one that nothing led to."""
        return self._findings.place_of(item)

    def adopt(self, others: Guards) -> None:
        """Guard what another trace guards, for it is called in this one."""
        self._findings.adopt(others, self._where)

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

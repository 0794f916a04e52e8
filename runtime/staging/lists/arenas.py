"""All objects of a class that a trace makes, where the run chooses among them: a list of the graph
for each attribute, and an object is its place in these lists.

What is one object to the user is one place here, whatever names, lists and attributes it is in; and
links between objects are numbers, of which the run may make as many as it likes.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import (
    BuiltinFunctionType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any, NoReturn, cast

from autograph.backend import KEY_BACKEND
from autograph.objects import attributes_of, of_classes, put_attributes, slots_of
from runtime.graph.structures import HANDLER, Handler, structure_of
from runtime.staging.backend import BACKEND
from runtime.staging.block_recorder import forget, note_found
from runtime.staging.control import joins
from runtime.staging.control.carried_objects import KEPT_KIND
from runtime.staging.control.logic import not_
from runtime.staging.control.references import (
    ARENA,
    References,
    equal_by_place,
    is_frozen,
    is_reference,
    want_asked,
)
from runtime.staging.control.stand_ins import StandIn, refused
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing_deque import stand_in
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.list_places import PlacedList
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import is_symbol

_PLACE = "<place>"
_ALONE = "<alone>"
"""The attribute of objects that have none: its column counts them."""

_PLAIN = (list, dict, set, deque)
_WITHOUT_DECORATOR = "leave out the decorator of the inner function, or give it the attributes"


class Arena:
    """The objects of one class, `users`. `kind` is the class of what refers to them."""

    def __init__(self, users: type, references: References) -> None:
        self.users = users
        self.references = references
        self.columns: dict[str, GrowingList] = {}
        self.leaving: list[Any] = []
        slots = slots_of(users)
        self.key = _PLACE if users.__dictoffset__ or not slots else slots[0]
        self.kind = _reference_class(self)

    def made(self, item: Any) -> Any:
        """Refer to an object that was just made, by all of its names."""
        state = attributes_of(item) or {_ALONE: True}
        if not self.columns:
            # Older than any block: each of them finds it empty.
            self.columns = {name: list.__new__(GrowingList) for name in state}
        if self.columns.keys() != state.keys():
            other = sorted((self.columns.keys() ^ state.keys()) - {_ALONE})[0]
            raise self.refusal(f"has the attribute {other!r}, and another one has not")
        columns = {name: self.column(name) for name in state}
        counts = _counts(state)
        forget(item)
        # Before its attributes are kept, for it may be one of them.
        object.__setattr__(item, "__class__", self.kind)
        put_attributes(item, {self.key: next(iter(columns.values())).length()})
        for name, value in state.items():
            is_own = type(value) in _PLAIN and counts[name] <= _OF_OWN
            # A list of Python's that only the object has: the default value of a field.
            given = stand_in(value) if is_own else value
            self._check_exact(columns[name], given)
            columns[name].append(given)
        return item

    def at(self, place: Any) -> Any:
        """Returns what refers to the object at a place."""
        made: Any = object.__new__(self.kind)
        put_attributes(made, {self.key: place})
        return made

    def place_of(self, item: Any) -> Any:
        """The place of the object that is referred to."""
        return (attributes_of(item) or {})[self.key]

    def column(self, name: str) -> GrowingList:
        """The values of an attribute, which the blocks that are being traced watch."""
        if active().references is not self.references:
            raise self.refusal(
                "is used in another function, which is a graph of its own", _WITHOUT_DECORATOR
            )
        column = self.columns[name]
        note_found(f"{self.users.__name__}.{name}", column)
        return column

    def watch(self) -> None:
        """Have the blocks that are being traced watch the values of all attributes."""
        for name, column in self.columns.items():
            note_found(f"{self.users.__name__}.{name}", column)

    def check_watched(self) -> None:
        """StagingError where a tensor that a tape watches may be an attribute already."""
        for column in self.columns.values():
            for spec in column.specs():
                staged_items.check_watched(spec)

    def read(self, name: str, place: Any) -> Any:
        """The value of an attribute."""
        column = self._column_at(name, place)
        if is_symbol(place):
            self._check_exact(column)
        return column.at(place)

    def write(self, name: str, place: Any, value: Any) -> None:
        """Assign an attribute."""
        column = self._column_at(name, place)
        if column.staged is not None or is_symbol(place):
            self._check_exact(column, value)
        column.put_at(place, value)

    def _column_at(self, name: str, place: Any) -> GrowingList:
        column = self.column(name)
        if column.staged is None and is_symbol(place) and len(column) == 0:
            raise AttributeError(name)  # of no object: a branch that is never taken
        return column

    def _check_exact(self, column: GrowingList, *values: Any) -> None:
        specs = [*column.specs(), *map(joins.abstract, values)]
        if specs and (column.staged is not None or len(specs) > 1):
            staged_items.check_exact(specs)

    def assign(self, item: Any, name: str, value: Any) -> None:
        """`item.name = value`, also of a frozen object."""
        if name in self.columns:
            self.write(name, self.place_of(item), value)
        elif name == "__class__":
            raise self.refusal("gets another class", KEPT_KIND)
        elif _is_set_by_property(of_classes(self.users.__mro__, name)):
            object.__setattr__(item, name, value)
        else:
            raise self.refusal(f"gets an attribute {name!r} later on")

    def refusal(self, what: str, hint: str | None = None) -> Exception:
        """StagingError for a use that its lists cannot answer."""
        name = self.users.__name__
        return refuse(
            f"an object of the class {name}, of which the run chooses one, {what}",
            hint or "set the same attributes in `__init__` for each object of the class",
            name,
        )


def _counts(state: dict[str, Any]) -> dict[str, int]:
    """Returns the number of references that Python counts to each of these."""
    return {name: sys.getrefcount(state[name]) for name in state}


def _of_own() -> int:
    made: dict[str, Any] = {"": []}
    return _counts(dict(made))[""]


_OF_OWN = _of_own()
"""The count of what nothing has but an object, and a copy of its attributes."""


def _is_set_by_property(member: Any) -> bool:
    return hasattr(type(member), "__set__") and not isinstance(member, MemberDescriptorType)


def referring(references: References, construct: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what to call for a class: `construct`, of which the results are referred to."""

    def made(*args: Any, **kwargs: Any) -> Any:
        return refer(references, construct(*args, **kwargs))

    return made


def refer(references: References, item: Any) -> Any:
    """Refer to an object, if those of its class are to be."""
    kind = type(item)
    if not references.has(kind) or not (attributes_of(item) or kind.__dictoffset__):
        return item
    arena = references.arenas.get(kind)
    if arena is None:
        arena = references.arenas[kind] = Arena(kind, references)
    return arena.made(item)


def arena_of(item: Any) -> Arena:
    """The arena of what refers to an object."""
    arena: Any = item.arena if isinstance(item, PlacedList) else type(item).__dict__[ARENA]
    return arena  # type: ignore[no-any-return]


def class_of(item: Any) -> type:
    """The user's class of the object that is referred to."""
    return arena_of(item).users


def method_of_class(function: Any) -> MethodType | None:
    """The class method of the user's class, for that of what refers to its objects; None for any
    other function.
    """
    owner = getattr(function, "__self__", None)
    is_one = type(function) is MethodType and isinstance(owner, type)
    if not is_one or ARENA not in owner.__dict__:
        return None
    return MethodType(function.__func__, owner.__dict__[ARENA].users)


def function_of(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a method of `object`, where objects are referred to; None for any
    other function. StagingError for one that tells of the classes that they are of here.
    """
    name = str(getattr(function, "__name__", ""))
    if name == "__subclasses__" and isinstance(getattr(function, "__self__", None), type):
        raise refuse(
            "`__subclasses__()` is asked in a function in which the run chooses objects: there are "
            "more of them meanwhile",
            "name the classes in a tuple",
        )
    if type(function) in _WRAPPERS and name in _OF_OBJECTS:
        return partial(_asked, function)
    if _module_of(function) in _LOOKING and name == "__setitem__":
        raise refuse(
            f"an item of a {type(function.__self__).__name__} is assigned where the run, and not "
            "Python, keeps the objects",
            "use a dict",
        )
    return None


def looking_function(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Returns what to call for a function that takes objects as Python has them, which those are
    not that the run chooses; None for any other.
    """
    if function is dir or function is vars:  # they look at the frame of their caller
        return partial(_given, function) if args else None
    is_one = type(function) is BuiltinFunctionType and function in _ASKING
    return partial(_given, function) if is_one or _module_of(function) in _LOOKING else None


def _module_of(function: Any) -> str:
    return str(getattr(function, "__module__", None)).lstrip("_").partition(".")[0]


_WRAPPERS = (WrapperDescriptorType, MethodWrapperType)
_OF_OBJECTS = {
    "__setattr__": setattr, "__delattr__": delattr, "__getattribute__": getattr,
    "__eq__": equal_by_place, "__hash__": hash,
}  # fmt: skip
"""The methods of `object` that are asked for what is in the lists."""
_ASKING = frozenset((id, sys.getsizeof, sys.getrefcount))
_LOOKING = frozenset(("copyreg", "ctypes", "gc", "inspect", "pickle", "weakref", "weakrefset"))


def _asked(function: Any, *args: Any) -> Any:
    owner = getattr(function, "__self__", None)
    given = args if owner is None else (owner, *args)
    if not given or not is_reference(given[0]):
        return function(*args)
    if function.__name__ == "__setattr__":
        return arena_of(given[0]).assign(*given)
    return cast(Callable[..., Any], _OF_OBJECTS[function.__name__])(*given)


def _given(function: Any, *args: Any, **kwargs: Any) -> Any:
    for item in (*args, *kwargs.values()):
        use = f"given to {function.__name__}(), which takes Python's own objects"
        if is_reference(item):
            raise arena_of(item).refusal(f"is {use}", _LOOKED_AT)
        if isinstance(item, StandIn):
            raise refused(item, use)
        if isinstance(item, SymbolicTensor):
            item.check_named()
    return function(*args, **kwargs)


_LOOKED_AT = "compare objects by `is`, name their attributes, and keep them in a list"


def refuse_given(items: Iterable[Any]) -> None:
    """StagingError for such an object that is given to a function with a graph of its own."""
    for item in items:
        if is_reference(item):
            raise refuse(
                f"an object of the class {class_of(item).__name__}, of which the run chooses one, "
                "is given to a function that is a graph of its own",
                _WITHOUT_DECORATOR,
            )
        found = None if item is None else structure_of(item)
        if found is not None:
            refuse_given(found[1])


@contextmanager
def exporting(item: Any) -> Iterator[Any]:
    """An object of the user's with what is in the one that is referred to, while it leaves the
    graph: of a class with fields. StagingError where it may be in itself.
    """
    arena = arena_of(item)
    place = arena.place_of(item)
    known = [each for each in arena.leaving if is_symbol(each) or is_symbol(place) or each == place]
    if known:
        raise arena.refusal(
            "may be in itself, as a result of the function", "return lists of what is in them"
        )
    made: Any = object.__new__(arena.users)
    put_attributes(made, {name: getattr(item, name) for name in arena.columns})
    arena.leaving.append(place)
    try:
        yield made
    finally:
        arena.leaving.pop()


_GUARDING = "runtime.staging.guarding."


def _reference_class(arena: Arena) -> type:
    users = arena.users

    def get(self: Any, name: str) -> Any:
        if name in arena.columns:
            return arena.read(name, arena.place_of(self))
        if name == "__class__":
            return users
        if name == "__dict__":
            if sys._getframe(1).f_globals["__name__"].startswith(_GUARDING):
                raise AttributeError(name)  # guards are of what existed before the trace
            raise arena.refusal("is asked for its `__dict__`", "name its attributes")
        return object.__getattribute__(self, name)

    def put(self: Any, name: str, value: Any) -> None:
        arena.assign(self, name, value)

    def take(self: Any, name: str) -> NoReturn:
        raise arena.refusal(f"loses its attribute {name!r}")

    def copied(self: Any) -> Any:
        made: Any = object.__new__(users)
        put_attributes(made, {name: getattr(self, name) for name in arena.columns})
        return arena.made(made)

    def copied_deep(self: Any, memo: Any) -> NoReturn:
        raise arena.refusal("is copied with all that is in it", "copy what is in it yourself")

    def reduced(self: Any, protocol: int = 0) -> NoReturn:
        raise arena.refusal("is pickled", "pickle what is in it, behind the function")

    def unequal(self: Any, other: Any) -> Any:
        same = equal_by_place(self, other)
        return same if same is NotImplemented else not_(same)

    def hashed(self: Any) -> int:
        place = arena.place_of(self)
        if is_symbol(place):
            want_asked(arena.references)
            raise arena.refusal(
                "is a key of a dict, or in a set, that was made with others",
                "use a number that it has as an attribute as the key",
            )
        return hash((id(arena), place))

    handler = Handler(
        lambda item: ((), (arena.place_of(item),)),
        lambda kind, keys, children: arena.at(*children),
        ".{}",
        lambda keys: ("place",),
        describe=lambda keys: users.__qualname__,
        is_tuple=True,
    )
    members: dict[str, Any] = {
        "__slots__": (), "__module__": users.__module__, "__qualname__": users.__qualname__,
        ARENA: arena, HANDLER: handler, KEY_BACKEND: BACKEND,
        "__getattribute__": get, "__delattr__": take, "__reduce_ex__": reduced,
        "__getstate__": reduced, "__doc__": users.__doc__,
    }  # fmt: skip
    copying = {"__copy__": copied, "__deepcopy__": copied_deep}
    members |= {name: member for name, member in copying.items() if not hasattr(users, name)}
    if not is_frozen(users):
        members["__setattr__"] = put
    if of_classes(users.__mro__, "__eq__") is vars(object)["__eq__"]:
        members |= {"__eq__": equal_by_place, "__ne__": unequal, "__hash__": hashed}
    made: type = _quiet(type(users))(users.__name__, (users,), members)
    return made


@functools.cache
def _quiet(kind: Any) -> Any:
    """The metaclass whose classes no `__init_subclass__` of the user's is told of."""

    class Quiet(kind):
        def mro(cls) -> list[type]:
            own, *others = super().mro()
            return [own, _Untold, *others]

    return Quiet


class _Untold:
    __slots__ = ()

    def __init_subclass__(cls) -> None:
        pass

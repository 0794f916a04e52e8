"""The Python objects for a value that some path leaves unbound, or None."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from autograph.operator_methods import BINARY, IN_PLACE, OF_THE_RIGHT, REFLECTED, UNARY
from autograph.undefined import Undefined
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.core.tensor import Tensor
from runtime.dtypes import DType
from runtime.graph.nodes import CHECK_ATTRIBUTE, CHECK_DEFINED, CHECK_PRESENT
from runtime.staging.bytecode import changes_in_place, indexes
from runtime.staging.control.stand_ins import StandIn, bound_to, member_of
from runtime.staging.frames import user_frames
from runtime.staging.refusals import WAY_OUT, not_allowed, placed
from runtime.staging.scopes import active

IS_THERE = "_is_there"
"""The end of the name of a flag, behind that of the variable."""

UNNAMED = "result"
"""The name in graphs of what no variable of the user's holds."""


class Missing(StandIn):
    """A carried value that may be missing; using it checks, at run time, that it is there.

    `flag` is the staged truth of that; `held` the Python value that stands for it when it is.
    """

    __slots__ = ("flag", "held")
    __array_ufunc__ = None
    may_be_missing = True
    decides_operators = True

    def __init__(self, held: Any, flag: Any) -> None:
        object.__setattr__(self, "held", held)
        object.__setattr__(self, "flag", flag)

    __class__ = property(type)

    def get(self) -> Any:
        """The value, after a check that it is there."""
        raise NotImplementedError

    def owner(self, use: Callable[..., Any], *args: Any) -> Any:
        """The value, after a check that it is there, of which an attribute is read or changed."""
        return self.get()

    def member(self, name: str) -> Any:
        """The attribute of the value, after a check that it is there."""
        return member_of(self.owner(getattr, name), name)

    def __setitem__(self, key: Any, value: Any) -> None:
        present(self)[key] = value

    def __delitem__(self, key: Any) -> None:
        del present(self)[key]

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(present(self.owner(setattr, name, value)), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(present(self.owner(delattr, name)), name)

    def __hash__(self) -> int:
        raise placed(
            f"unhashable type: {self!r} is a key of what Python itself asks",
            "ask under an `if` where it is there, or a dict that is made for a name of it",
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return active(self.flag).called(self.get())(*map(present, args), **kwargs)


class MaybeUndefined(Missing):
    """A name that some path leaves unbound: reading it raises UnboundLocalError at run time."""

    __slots__ = ("name",)

    def __init__(self, held: Any, flag: Any, name: str) -> None:
        super().__init__(held, flag)
        object.__setattr__(self, "name", name)

    def get(self) -> Any:
        """The value, after a check that the name is bound."""
        trace = active(self.flag)
        trace.apply(CHECK_DEFINED, (trace.value_of(self.flag),), {"name": self.name})
        return self.held

    def shown(self) -> str:
        return f"<possibly unbound {self.name!r}: {self.held!r}>"


class MaybeNone(Missing):
    """None on some path: `is None` is staged, any other use raises TypeError at run time where it
    is None.
    """

    __slots__ = ()

    def get(self) -> Any:
        """The value, after a check that it is not None."""
        trace = active(self.flag)
        flag = trace.value_of(self.flag)
        # Joins name the flag after the variable; one that is computed has no variable.
        label = flag.name.rpartition(IS_THERE)[0] or UNNAMED
        is_users = label != UNNAMED or any(
            UNNAMED in (*frame.f_code.co_varnames, *frame.f_code.co_cellvars)
            for frame in user_frames(trace.root)
        )
        name = label if is_users else None
        trace.apply(CHECK_PRESENT, (flag,), {"name": name})
        return self.held

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The value of an attribute of a class for an instance: of a function, its bound method."""
        found = bound_to(instance, owner, self.held)
        return self if found is self.held else MaybeNone(found, self.flag)

    def member(self, name: str) -> Any:
        """The attribute of the value; of None, where it has it, too."""
        if not hasattr(None, name):
            return super().member(name)
        from runtime.staging.type_tests import of_each

        return of_each(lambda item: member_of(item, name), self)

    def keys_asked(self) -> Any:
        """The `keys` of the value; TypeError where it is None, which is no mapping."""
        return member_of(self.get(), "keys")

    def owner(self, use: Callable[..., Any], *args: Any) -> Any:
        """The value, after a check that it is not None, which has no such attribute."""
        trace = active(self.flag)
        try:
            use(None, *args)
        except AttributeError as error:
            message = {"message": str(error)}
            trace.apply(CHECK_ATTRIBUTE, (trace.value_of(self.flag),), message)
        return self.held

    def __bool__(self) -> NoReturn:
        raise not_allowed("a value that is None on some path is used as a Python bool", WAY_OUT)

    def __index__(self) -> Any:
        if indexes(sys._getframe(1)):
            raise not_allowed(
                "a value that is None on some path is used as a Python index",
                "decide by an `if`: items if n is None else items[:n]",
                staged_if_converted=False,
            )
        return operator.index(self.get())

    def shown(self) -> str:
        return f"<None or {self.held!r}>"


def bound(value: Any) -> Any:
    """The value of a name, checked where the name may be unbound.

    Raises UnboundLocalError where it is.
    """
    while isinstance(value, MaybeUndefined):
        value = value.get()
    if type(value) is Undefined:
        bool(value)  # as any use does, it raises
    return value


def present(value: Any) -> Any:
    """The value itself, checked where it may be missing."""
    while isinstance(value, Missing):
        value = value.get()
    return value


def _to_tensor(value: Missing, dtype: DType | None) -> Tensor:
    return convert_to_tensor(present(value), dtype)


register_conversion(Missing, _to_tensor)


def _forward(name: str) -> Callable[..., Any]:
    def method(self: Missing, *args: Any) -> Any:
        held = self.get()
        function = getattr(type(held), name, None)
        if name in _ORDER and isinstance(held, tuple | list):
            from runtime.staging.control.item_comparisons import compared

            # Python would make bools of the comparisons of their items.
            function = partial(compared, getattr(operator, name))
        others = tuple(map(present, args))
        if name in _OF_CHANGES and changes_in_place(sys._getframe(1)):
            return _OF_CHANGES[name](*others, held)  # Python asks here before a list changes
        if function is None and name in _ASKING:
            return _ASKING[name](held, *others)  # what Python does without, or its error
        made = NotImplemented if function is None else function(held, *others)
        if made is held and name in IN_PLACE:
            return self  # as what it is known by elsewhere
        if name == "__iter__" and isinstance(held, list):
            return iter([*made])  # for Python puts what it does not know as a list behind itself
        if made is NotImplemented and name in _OPPOSITE:
            # Python would ask the other operand, about an operand that it does not know.
            function = getattr(type(others[0]), _OPPOSITE[name], None)
            made = made if function is None else function(others[0], held)
        return made

    method.__name__ = name
    return method


_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
_OPPOSITE = REFLECTED | OF_THE_RIGHT
OPERATORS = (
    *(*BINARY, *OF_THE_RIGHT, *UNARY),
    *("__bool__", "__int__", "__float__", "__index__", "__len__", "__iter__", "__contains__"),
)
"""The methods by which Python's operators read an operand, but for comparisons."""

_OTHERS = ("eq", "ne", "lt", "gt", "le", "ge", "round", "getitem", "format")
_OF_CHANGES = {name.replace("__i", "__r", 1): function for name, function in IN_PLACE.items()}
_ASKING: dict[str, Callable[..., Any]] = {
    **UNARY, "__bool__": bool, "__int__": int, "__float__": float,
    "__index__": operator.index, "__len__": len, "__iter__": iter,
    "__contains__": operator.contains, "__round__": round, "__getitem__": operator.getitem,
}  # fmt: skip
"""The functions that call the methods which give the value of an operation."""

for _name in (*OPERATORS, *IN_PLACE, *[f"__{name}__" for name in _OTHERS]):
    setattr(Missing, _name, _forward(_name))


def is_undefined(value: Any) -> bool:
    """True for what stands for an unbound name."""
    return type(value) is Undefined

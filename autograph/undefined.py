"""The value in place of a local name that Python has not bound."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.operator_methods import IN_PLACE, OF_THE_RIGHT, REFLECTED, UNARY


class Undefined:
    """The value of a name that is not bound: `is` works on it, every other use raises.

    Raises:
        UnboundLocalError: on any use, with Python's own message.

    >>> autograph.Undefined("x")
    <undefined name 'x'>
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __repr__(self) -> str:
        return f"<undefined name {name_of(self)!r}>"

    def __getattribute__(self, name: str) -> Any:
        # isinstance() asks for it, and an undefined value may travel through code that dispatches.
        if name == "__class__":
            return Undefined
        try:
            raise unbound(name_of(self))
        except UnboundLocalError as error:
            error.__traceback__ = None
            raise


def name_of(value: Undefined) -> str:
    """The user's name that is not bound."""
    name: str = object.__getattribute__(value, "_name")
    return name


def unbound(name: str) -> UnboundLocalError:
    """The error that Python raises where an unbound local `name` is read."""
    return UnboundLocalError(
        f"cannot access local variable {name!r} where it is not associated with a value"
    )


def unbound_free(name: str) -> NameError:
    """The error that Python raises where a captured `name` is read that has no value."""
    return NameError(
        f"cannot access free variable {name!r} where it is not associated with a value in "
        "enclosing scope"
    )


def _refuse(self: Undefined, *args: object) -> NoReturn:
    # The traceback must end at the user's line, as it does for an unbound name.
    try:
        raise unbound(name_of(self))
    except UnboundLocalError as error:
        error.__traceback__ = None
        raise


_USES = (
    "bool,int,float,complex,index,round,trunc,floor,ceil,hash,str,format,bytes,fspath,"
    "len,iter,next,reversed,contains,getitem,setitem,delitem,length_hint,"
    "call,setattr,delattr,enter,exit,aenter,aexit,await,aiter,anext"
)

for _name in (
    *(*REFLECTED, *OF_THE_RIGHT, *UNARY, *IN_PLACE),
    *[f"__{name}__" for name in _USES.split(",")],
):
    setattr(Undefined, _name, _refuse)

"""The value in place of a local name that Python has not bound."""

from __future__ import annotations

from typing import Any, NoReturn


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


_BINARY = "add,sub,mul,truediv,floordiv,mod,pow,lshift,rshift,and,or,xor,matmul"
_USES = (
    "neg,pos,abs,invert,divmod,rdivmod,eq,ne,lt,le,gt,ge,"
    "bool,int,float,complex,index,round,trunc,floor,ceil,hash,str,format,bytes,fspath,"
    "len,iter,next,reversed,contains,getitem,setitem,delitem,length_hint,"
    "call,setattr,delattr,enter,exit,aenter,aexit,await,aiter,anext"
)

for _name in _BINARY.split(","):
    for _prefix in ("", "r", "i"):
        setattr(Undefined, f"__{_prefix}{_name}__", _refuse)
for _name in _USES.split(","):
    setattr(Undefined, f"__{_name}__", _refuse)

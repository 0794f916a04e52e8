"""The base of what stands for a value of the user's."""

from __future__ import annotations

import copy
import sys
from types import FrameType
from typing import Any, NoReturn

from autograph.operator_methods import BINARY, OF_THE_RIGHT
from runtime.staging.bytecode import reads_attribute
from runtime.staging.frames import is_library, is_ours
from runtime.staging.refusals import asked_by_converted_code, refuse


class StandIn:
    """The library reads the attributes of what stands for a value, code of the user's those of the
    value itself: these may have the same names. So do functions in C that the library calls for the
    user, such as an `attrgetter`: it reads only `x.name`, and `getattr(x, "name")`.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        frame = sys._getframe(1)
        is_read, is_pythons = reads_attribute(frame), name.startswith("__")
        if is_ours(frame.f_code.co_filename):
            is_own = is_read or is_pythons or name in frame.f_code.co_consts
        else:
            is_own = is_pythons and not is_read
        if is_own:
            found = object.__getattribute__(self, name)
            if name == "__class__" and found is type(self) and _is_unconverted(frame):
                raise refused(self, "asked for its class by code that is not converted")
            return found
        if name == "__class__":
            from runtime.staging.type_tests import type_of

            return type_of(self)
        if name == "keys" and not is_read:  # Python asks here what it takes for a mapping
            return object.__getattribute__(self, "keys_asked")()
        return object.__getattribute__(self, "member")(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.member(name)

    def keys_asked(self) -> Any:
        """The `keys` of what is given to `dict`, `update` or `**`."""
        return self.member("keys")

    def member(self, name: str) -> Any:
        """The attribute of the value for which this stands."""
        raise NotImplementedError

    def __copy__(self) -> Any:
        from runtime.staging.type_tests import of_each

        return of_each(copy.copy, self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        from runtime.staging.type_tests import of_each

        return of_each(lambda item: copy.deepcopy(item, memo), self)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise refused(self, "pickled")

    def __repr__(self) -> str:
        if asked_by_converted_code(sys._getframe(1)):
            raise refused(self, "shown by code that is not converted")
        return self.shown()

    def shown(self) -> str:
        """Its text for messages and debuggers."""
        raise NotImplementedError


def refused(item: StandIn, use: str) -> Exception:
    """StagingError for a use of what the run chooses, in words such as "changed"."""
    return refuse(
        f"{item.shown()}, which the run chooses, is {use}",
        "do it in the branches that choose, or choose numbers",
    )


def _is_unconverted(frame: FrameType | None) -> bool:
    """Whether code of the user's, or of a library, asks in this frame that is not converted. An
    operator of Python's own leaves to the other operand what it does not know.
    """
    while frame is not None and is_library(frame.f_code):
        name = frame.f_code.co_name
        if name in BINARY or name in OF_THE_RIGHT:
            return False
        frame = frame.f_back  # as the classes of `abc` ask, for another
    return frame is not None and not is_ours(frame.f_code.co_filename)


def bound_to(instance: Any, owner: type | None, item: Any) -> Any:
    """The value of an attribute of a class for an instance: of a function, its bound method."""
    bind = getattr(type(item), "__get__", None)
    return item if bind is None else bind(item, instance, owner)


def member_of(item: Any, name: str, *default: Any) -> Any:
    """Returns `getattr(item, name, *default)` as code of the user's reads it."""
    if not isinstance(item, StandIn):
        return getattr(item, name, *default)
    try:
        return item.member(name)
    except AttributeError:
        if not default:
            raise
        return default[0]

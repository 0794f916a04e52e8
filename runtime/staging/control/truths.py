"""Values of which only the truth is known: those of `and` and `or` whose operands do not join."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.graph.ir import Location
from runtime.staging.control.optional_values import OPERATORS
from runtime.staging.control.stand_ins import StandIn, member_of
from runtime.staging.frames import user_location
from runtime.staging.refusals import refuse, refuse_dtypes

if TYPE_CHECKING:
    from runtime.staging.control.specs import Mismatch


class Truth(StandIn):
    """The value of `and` or `or` where operands do not fit together, such as a number and a list.

    A test may be it. For any other use it is `held`, the operands as kinds of one value; without
    that it is refused, for the reason that `mismatch` gives.
    """

    __slots__ = ("held", "location", "mismatch", "name", "value")
    held: Any
    location: Location | None
    mismatch: Mismatch
    name: str
    value: Any
    __array_ufunc__ = None
    decides_operators = True

    def __init__(self, value: Any, held: Any, name: str, mismatch: Mismatch) -> None:
        of_own = zip(self.__slots__, (held, user_location(), mismatch, name, value), strict=True)
        for slot, item in of_own:
            object.__setattr__(self, slot, item)

    def shown(self) -> str:
        return f"<the value of `{self.name}`>"

    def member(self, name: str) -> Any:
        """The attribute of the operand that is the value."""
        return member_of(self.opened(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.opened(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.opened(), name)

    def opened(self, location: Location | None = None) -> Any:
        """The value for any use but as a test; its refusal where there is none."""
        if self.held is None:
            raise self.refusal(location)
        return self.held

    def __str__(self) -> NoReturn:
        # An exception with it as an argument is shown when the user's code is left.
        raise self.refusal(self.location)

    def refusal(self, location: Location | None = None) -> Exception:
        """StagingError for any use of it but as a test; a TypeError too where dtypes differ."""
        message = (
            f"the value of `{self.name}` is used, but only its truth is known, for its operands "
            f"do not join: {self.mismatch.reason}"
        )
        hint = (
            f"{self.mismatch.hint}; for the truth alone write bool(...) around the `{self.name}`; "
            "or write the choice as an `if`"
        )
        return (refuse_dtypes if self.mismatch.dtypes_differ else refuse)(
            message, hint, location=location
        )


def opened(value: Any) -> Any:
    """The value for any use but as a test: of a Truth, its operand."""
    return value.opened() if type(value) is Truth else value


def _method(name: str) -> Any:
    """The method of this name: that of the operands."""

    def method(self: Truth, *others: Any) -> Any:
        held = self.opened()
        function = getattr(type(held), name, None)
        if function is None:
            raise self.refusal()
        return function(held, *map(opened, others))

    return method


_OTHERS = (
    "eq", "ne", "lt", "gt", "le", "ge", "round", "getitem", "setitem", "delitem", "call", "format",
    "hash", "array", "enter", "exit", "next", "reversed",
)  # fmt: skip

USES = (*OPERATORS, *[f"__{name}__" for name in _OTHERS])
"""The methods by which Python uses a value."""

for _name in USES:
    setattr(Truth, _name, _method(_name))

register_conversion(Truth, lambda truth, dtype: convert_to_tensor(truth.opened(), dtype))

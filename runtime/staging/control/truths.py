"""Values of which only the truth is known: those of `and` and `or` whose operands do not join."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from runtime.core.convert import register_conversion
from runtime.graph.ir import Location
from runtime.staging.control.optional_values import OPERATORS
from runtime.staging.frames import user_location
from runtime.staging.refusals import refuse, refuse_dtypes

if TYPE_CHECKING:
    from runtime.staging.control.joins import Mismatch


class Truth:
    """The value of `and` or `or` where operands do not fit together, such as a number and a list.

    A test may be it; any other use is refused, for the reason that `mismatch` gives.
    """

    __slots__ = ("location", "mismatch", "name", "value")
    __array_ufunc__ = None

    def __init__(self, value: Any, name: str, mismatch: Mismatch) -> None:
        self.value = value
        self.name = name
        self.location = user_location()
        self.mismatch = mismatch

    def __repr__(self) -> str:
        return f"<the value of `{self.name}`>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.refusal()

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


def _refused(self: Truth, *_: Any) -> NoReturn:
    raise self.refusal()


_OTHERS = (
    "eq", "ne", "lt", "gt", "le", "ge", "round", "getitem", "setitem", "delitem", "call", "format",
    "hash", "array", "enter", "exit", "next", "reversed",
)  # fmt: skip

USES = (*OPERATORS, *[f"__{name}__" for name in _OTHERS])
"""The methods by which Python uses a value."""

for _name in USES:
    setattr(Truth, _name, _refused)

register_conversion(Truth, _refused)

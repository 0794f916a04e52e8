"""The Python object for a result that is of another kind on each path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from runtime.core.convert import register_conversion
from runtime.graph.ir import Location
from runtime.staging.control.truths import USES
from runtime.staging.refusals import refuse

if TYPE_CHECKING:
    from runtime.staging.control.joins import Mismatch


class TaggedUnion:
    """A result that is a number on one path and a text on another, for example.

    `tag` says which of `values` it is; None in the signature of a function. It may be returned,
    compared by `==` and `!=`, tested, and asked for its class; any other use is refused, for the
    reason that `mismatch` gives.
    """

    __slots__ = ("mismatch", "tag", "values")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tag: Any, values: Sequence[Any], mismatch: Mismatch) -> None:
        self.tag = tag
        self.values = values
        self.mismatch = mismatch

    def __repr__(self) -> str:
        return f"<one of {', '.join(map(repr, self.values))}>"

    def __str__(self) -> str:
        if self.tag is not None:
            raise self.refusal()
        return repr(self)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.refusal()

    def refusal(self, location: Location | None = None) -> Exception:
        """StagingError for any other use of it."""
        return refuse(
            "a result is used that is of another kind on each path, as only the run knows: "
            f"{self.mismatch.reason}",
            f"return it, or ask for its class first; or {self.mismatch.hint}",
            location=location,
        )


def _refused(self: TaggedUnion, *_: Any) -> NoReturn:
    raise self.refusal()


for _name in USES:
    setattr(TaggedUnion, _name, _refused)

register_conversion(TaggedUnion, _refused)


def install_equality(equal: Callable[..., Any], unequal: Callable[..., Any]) -> None:
    """Compare them by these: they take control flow, which is above this layer."""
    TaggedUnion.__eq__ = equal  # type: ignore[method-assign]
    TaggedUnion.__ne__ = unequal  # type: ignore[method-assign]

"""The Python object for a value that is of another kind on each path."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.operator_methods import COMPARISONS, IN_PLACE, REFLECTED, UNARY
from autograph.operators.logical import compare
from autograph.operators.texts import imod
from runtime import dtypes
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.dtypes import DType
from runtime.graph.ir import Location
from runtime.staging.bytecode import rows_unpacked
from runtime.staging.control.choices import (
    OPERATORS,
    Choice,
    comparison_method,
    is_token,
    operator_method,
)
from runtime.staging.control.references import has_member, is_reference, want
from runtime.staging.control.stand_ins import member_of
from runtime.staging.lists.growing import want_lists
from runtime.staging.refusals import refusal_of_run, refuse

if TYPE_CHECKING:
    from runtime.staging.control.specs import Mismatch


class TaggedUnion(Choice):
    """A value that is a number on one path and a text on another, for example.

    Unlike those of other choices, its options are values of the graph. `place` is None in the
    signature of a function; `mismatch` says why the options are no one kind.
    """

    __slots__ = ("mismatch",)
    decides_operators = True

    def __init__(self, options: Sequence[Any], place: Any, mismatch: Mismatch) -> None:
        super().__init__(tuple(options), place)
        object.__setattr__(self, "mismatch", mismatch)

    __class__ = property(type)

    def __getattr__(self, name: str) -> Any:
        # The library asks what it is given: that is no read of the user's, done with each option.
        raise AttributeError(name)

    def member(self, name: str) -> Any:
        """The attribute of the option that the run chooses."""
        return self.apply(lambda option: member_of(option, name))

    def __setattr__(self, name: str, value: Any) -> None:
        if not any(_keeps(option, name) for option in self.options):
            raise self.refusal()

        def put(option: Any, *, _reached: Any = value) -> None:
            if not _keeps(option, name):
                raise refusal_of_run(
                    f"{name!r} is assigned, which what is there in the run has not had before",
                    "set it in the `__init__` of each class",
                )
            setattr(option, name, value)

        self.apply(put)

    def __delattr__(self, name: str) -> None:
        raise self.refusal()

    def __str__(self) -> str:
        if self.place is not None:
            raise self.refusal()
        return repr(self)

    def refusal(self, location: Location | None = None) -> Exception:
        """StagingError for a use that is not done with each option."""
        want(*map(type, self.options))
        want_lists(*self.options)
        return refuse(
            "a value is used that is of another kind on each path, as only the run knows: "
            f"{self.mismatch}",
            f"return it, or ask for its class first; or {self.mismatch.hint}",
            location=location,
        )


def _keeps(option: Any, name: str) -> bool:
    """Whether an option is the user's object, and not what is in it, and has the attribute."""
    return (is_reference(option) or is_token(option)) and has_member(option, name)


def _of_pairs(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator of an option and a value, done with each option of that."""

    def of_options(option: Any, other: Any) -> Any:
        if type(other) is not TaggedUnion:
            return function(option, other)

        def of_other(kind: Any, *, _reached: Any = option) -> Any:
            return function(option, kind)

        return other.apply(of_other)

    return of_options


def _method(function: Callable[[Any, Any], Any]) -> Any:
    """The method for an operator, done with each pair of options."""
    return operator_method(_of_pairs(function))


def _comparison(sign: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(a, sign, b)


def _reflected(method: Any) -> Any:
    def reflected(self: TaggedUnion, other: Any) -> Any:
        # Python asks here for `other += self` too, which changes a list; a text would format.
        if isinstance(other, list | str | bytes):
            raise self.refusal()
        return method(self, other)

    return reflected


def _refused(self: TaggedUnion, *_: Any) -> NoReturn:
    raise self.refusal()


def _iterated(self: TaggedUnion) -> Iterator[Any]:
    count = rows_unpacked(sys._getframe(1), None)
    if count is None:
        raise self.refusal()
    from runtime.staging.chosen_values import unpacked

    return iter(unpacked(self, count))


TaggedUnion.__iter__ = _iterated  # type: ignore[attr-defined]
for _name in (
    *("hash", "bool", "len", "contains", "index", "int", "float", "format", "enter", "exit"),
    *("setitem", "delitem"),
):
    setattr(TaggedUnion, f"__{_name}__", _refused)
for _name, _function in {**OPERATORS, **IN_PLACE, "__imod__": imod}.items():
    setattr(TaggedUnion, _name, _method(_function))
for _name, _function in OPERATORS.items():
    setattr(TaggedUnion, REFLECTED[_name], _reflected(operator_method(_function, True)))
for _name, _function in UNARY.items():
    setattr(TaggedUnion, _name, lambda self, of=_function: self.apply(of))

_COMPARING = {
    name: _of_pairs(_comparison(sign))
    for name, sign in zip(COMPARISONS, ("<", "<=", ">", ">=", "==", "!="), strict=True)
}
for _name in COMPARISONS:
    setattr(TaggedUnion, _name, comparison_method(_name, _COMPARING))


def _to_tensor(value: TaggedUnion, dtype: DType | None) -> Any:
    """The tensor of what is a text on one path and a tensor of texts on another."""
    if not all(map(_holds_text, value.options)):
        raise value.refusal()
    return convert_to_tensor(value.apply(convert_to_tensor), dtype)


def _holds_text(option: Any) -> bool:
    return isinstance(option, str | bytes) or getattr(option, "dtype", None) is dtypes.string


register_conversion(TaggedUnion, _to_tensor)

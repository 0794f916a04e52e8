"""Type tests of staged values: `isinstance`, `type`, `hasattr`, `callable`.

A tensor is no Python number, but a test that only guards a `raise` takes it for one. Another test
of the same tensor would have to agree, and cannot: a trace with tests of both kinds is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph.backend import instance_of
from autograph.class_members import with_other
from autograph.operators import matching
from autograph.operators.class_checks import class_stood_for, stands_for
from runtime.core.tensor import Tensor, is_tensor
from runtime.graph.ir import format_location
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches, iteration
from runtime.staging.control.choices import Choice
from runtime.staging.control.deferred_exceptions import may_be_handled
from runtime.staging.control.joined_variables import called, check_asked, may_be
from runtime.staging.control.optional_values import MaybeNone, MaybeUndefined
from runtime.staging.control.references import is_reference
from runtime.staging.frames import user_location
from runtime.staging.lists.growing import Growing
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import CLASSES, SymbolicNumber
from runtime.staging.symbolic_tensor import AS_NUMBER


def of_each(test: Callable[[Any], Any], value: Any) -> Any:
    """`test(value)`, staged where the value may be None, or is one of several, and that makes a
    difference.
    """
    if isinstance(value, MaybeUndefined):
        return of_each(test, value.get())
    if isinstance(value, Choice):
        return value.apply(partial(of_each, test))
    if not isinstance(value, MaybeNone):
        return test(value)

    def held(*, _reached: Any = (value.held, test)) -> Any:
        return of_each(test, value.held)

    label = "a test of an optional value"
    return branches.cond(value.flag, held, lambda: test(None), (), (label,), BlockRecorder)


def _isinstance(value: Any, classes: Any) -> Any:
    def is_one(given: Any) -> bool:
        answer = _is_instance(given, classes)
        if not answer and _stands_for_one(given, classes):
            _note(_AS_TENSOR, AS_NUMBER)
        return answer

    return of_each(is_one, value)


def _is_instance(value: Any, classes: Any) -> bool:
    if isinstance(value, iteration.Range):
        value = range(0)
    if isinstance(value, iteration.PythonIterator):
        return issubclass(value.kind, classes)
    if isinstance(value, SymbolicNumber):
        return issubclass(CLASSES[value.type.kind], classes)
    if isinstance(value, SymbolicArray):
        return issubclass(value.kind, classes)
    answer = instance_of(value, classes)
    for handle in may_be(value):
        if isinstance(handle.variable, classes) is not answer:
            raise refuse(
                f"whether it is the variable {called([handle])} or a tensor, only the run knows",
                "keep in a bool of your own which of them it is",
            )
    return answer


def type_of(value: Any, *others: Any) -> Any:
    if others:
        return NotImplemented
    return of_each(_class_of, value)


def _class_of(value: Any) -> Any:
    if isinstance(value, iteration.Range):
        return range
    if is_reference(value):
        return value.__class__
    if isinstance(value, iteration.PythonIterator):
        return value.kind
    if isinstance(value, SymbolicNumber):
        return CLASSES[value.type.kind]
    if isinstance(value, SymbolicArray):
        return value.kind
    if _number_in(value) is not None:
        _note(_AS_TENSOR, AS_NUMBER)
    check_asked(value, "its class")
    return type(value)


def has_attribute(value: Any, name: str) -> Any:
    """`hasattr` of a value of the run, or what stands for one."""

    def has_it(given: Any) -> bool:
        asked = given.plain() if isinstance(given, Growing) else given
        answer, number = hasattr(asked, name), _number_in(given)
        if not answer and number is not None and hasattr(number, name):
            _note(_AS_TENSOR, AS_NUMBER)
        return answer

    return of_each(has_it, value)


def _callable(value: Any) -> Any:
    return of_each(callable, value)


def _is_tensor(value: Any) -> Any:
    return of_each(lambda each: is_tensor(each) and not isinstance(each, SymbolicArray), value)


def _is_scalar(value: Any) -> Any:
    def is_one(given: Any) -> bool:
        if isinstance(given, SymbolicArray):
            return given.kind is not np.ndarray
        return isinstance(given, SymbolicNumber) or np.isscalar(given)

    return of_each(is_one, value)


# Tensors in place of Python's numbers


def _number_in(value: Any) -> type | None:
    """Python's class of the number that a tensor holds; None if it holds no such."""
    if not isinstance(value, Tensor) or value.shape.rank != 0:
        return None
    dtype = value.dtype
    if dtype.is_bool:
        return bool
    return int if dtype.is_integer else float if dtype.is_floating else None


def _stands_for_one(value: Any, classes: Any) -> bool:
    number = _number_in(value)
    try:
        return number is not None and issubclass(number, classes)
    except TypeError:  # protocols with attributes are asked for values alone
        return False


def _stands_for(value: Any, classes: Any) -> Any:
    def passes(given: Any) -> bool:
        if _is_instance(given, classes):
            return True
        # Who handles what the guard raises goes on in another way than a number would.
        if not _stands_for_one(given, classes) or may_be_handled(active()):
            return False
        _note(AS_NUMBER, _AS_TENSOR)
        return True

    return of_each(passes, value)


def _class_stood_for(value: Any) -> Any:
    number = _number_in(value)
    if number is None or may_be_handled(active()):
        return type_of(value)
    _note(AS_NUMBER, _AS_TENSOR)
    return number


_AS_TENSOR = object()


def _note(way: object, other: object) -> None:
    """Remember that a tensor was asked in one way, and where; StagingError if the trace has asked
    in the other one, too.
    """
    asked = active().memo
    asked.setdefault(way, user_location())
    if other in asked:
        raise refuse(
            "a guard lets a tensor pass as a Python number "
            f"({format_location(asked[AS_NUMBER])}), which to another test is none "
            f"({format_location(asked[_AS_TENSOR])})",
            "test the dtype there, x.dtype.is_floating, or have the guard name tensors, too: "
            "isinstance(x, (int, rt.Tensor))",
        )


def _pattern(function: Callable[..., Any]) -> Callable[..., Any]:
    """The answer to a pattern of a value that may be None: of each of both, where that is known."""

    def asked(value: Any, *args: Any) -> Any:
        if not isinstance(value, MaybeNone):
            return NotImplemented
        return of_each(partial(_given, function, args), value)

    return asked


def _given(function: Callable[..., Any], args: tuple[Any, ...], value: Any) -> Any:
    return function(value, *args)


def _with_other(other: Any, operation: Callable[[Any, Any], Any], item: Any) -> Any:
    return of_each(partial(operation, item), other)


_PATTERNS = matching.is_sequence, matching.values_at, matching.parts

TYPE_TESTS: dict[Callable[..., Any], Callable[..., Any]] = {
    callable: _callable, class_stood_for: _class_stood_for, hasattr: has_attribute,
    is_tensor: _is_tensor, isinstance: _isinstance, np.isscalar: _is_scalar,
    stands_for: _stands_for, type: type_of, with_other: _with_other,
    **{function: _pattern(function) for function in _PATTERNS},
}  # fmt: skip
"""The functions that are called for those that ask, if a value is staged."""

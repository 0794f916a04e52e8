"""The results of functions, as their callers get them: tensors, and structures of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import CoroutineType
from typing import Any

import numpy as np

from autograph.mutation.users_code import is_users_class
from autograph.users_words import with_article
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype
from runtime.core.shapes import TensorShape
from runtime.core.tensor import Tensor
from runtime.core.types import ObjectHandle, is_variable
from runtime.dtypes import DType
from runtime.graph.lists import Elements
from runtime.graph.nodes import NUMBER_TYPES, fits
from runtime.graph.structures import children_of, structure_of
from runtime.staging import texts
from runtime.staging.control import branches, joins
from runtime.staging.control.choices import Choice, are_texts, is_member, is_option, is_token
from runtime.staging.control.iteration import Range
from runtime.staging.control.logic import not_, or_
from runtime.staging.control.optional_values import MaybeNone, MaybeUndefined, bound
from runtime.staging.control.references import (
    is_reference,
    is_reference_class,
    may_be_referred_to,
    want,
)
from runtime.staging.control.specs import classes_in
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth
from runtime.staging.lists.arenas import exporting
from runtime.staging.lists.chosen_lists import Row
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.growing_deque import GrowingDeque
from runtime.staging.lists.growing_dict import GrowingDict
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.growing_set import GrowingSet
from runtime.staging.lists.list_builtins import MAKING
from runtime.staging.lists.list_places import PlacedList, apart_where, exported_list
from runtime.staging.refusals import refusal_of_run, refuse
from runtime.staging.scopes import Symbol
from runtime.staging.symbolic_number import DEFAULT_DTYPES, SymbolicNumber, number_to_tensor
from runtime.staging.texts import Text, as_tensor

_RETURNED = (
    "a function returns tensors, numbers, None, and lists, tuples, dicts, sets and dataclasses of "
    "them; make it outside, of what the function returns"
)


def exported(
    value: Any,
    numbers: Mapping[str, DType] | None,
    what: Callable[[], str] = lambda: "result",
    path: str = "",
) -> Any:
    """Returns the result of a function as tensors, None, and structures of them. Python numbers of
    the graph get the dtypes of `numbers`, by kind; without it, numbers stay what they are.

    Raises TypeError for any other Python object, which is at `path` in what messages call `what()`.
    """
    export = partial(exported, numbers=numbers, what=what, path=path)
    value = bound(value)
    if type(value) is Text:
        return as_tensor(value) if numbers else value
    if type(value) is Truth:
        value = value.opened(value.location)
    if is_member(value) or (numbers is None and is_token(value)):
        return value
    if type(value) is Choice:
        if numbers and not are_texts(value.options):
            raise _no_result(f"{what()}{path} is {value!r}, which the run chooses")
        return convert_to_tensor(value) if numbers else value
    if isinstance(value, MaybeNone):
        held = value.held if numbers is None else apart_where(value.flag, value.held)
        return MaybeNone(_where(value.flag, held, export), value.flag)
    if type(value) is TaggedUnion and numbers and any(map(_is_none, value.options)):
        return export(value.apply(partial(_result, what=what, path=path)))
    if type(value) is TaggedUnion:
        taken = [value.place == at for at in range(len(value.options))]
        options = map(_asked_where, taken, value.options)
        made = [_where(*each, export) for each in zip(taken, options, strict=True)]
        return joins.fewer_kinds(TaggedUnion(made, value.place, value.mismatch))
    if value is None or isinstance(value, Tensor | Symbol | Elements | ObjectHandle):
        return value
    if isinstance(value, TensorShape):
        return _converted(value, what, path)
    if is_variable(value):
        return value.value()
    is_number = isinstance(value, SymbolicNumber) or type(value) in NUMBER_TYPES
    if numbers is None:
        if is_number:
            return value
        if isinstance(value, str):
            return texts.of_any(value)
    elif isinstance(value, SymbolicNumber):
        return number_to_tensor(value, numbers[value.type.kind])
    elif type(value) is int and not fits(value, DEFAULT_DTYPES["int"]):
        return _converted(value, what, path, numbers["int"])
    if is_number or isinstance(value, np.ndarray | np.generic | complex | str | bytes):
        return _converted(value, what, path)
    if type(value) is PlacedList and numbers is not None:
        return exported(exported_list(value), numbers, what, path)
    if is_reference(value) and numbers is None:
        return value
    if is_reference(value):
        with exporting(value) as held:
            return exported(held, numbers, what, path)
    if isinstance(value, Row):
        value = value.copy()
    if isinstance(value, GrowingDeque):
        raise _no_result(f"{what()}{path} is {with_article(type(value).__name__)}")
    if type(value) in (set, frozenset):
        value = MAKING[type(value)](value)
    if isinstance(value, GrowingSet):
        return value.exported(numbers) if numbers else value
    if isinstance(value, GrowingList):
        if value.staged is not None:
            if not numbers:
                return value
            kinds = list(classes_in(value.staged.element))
            if PlacedList in kinds:
                return exported(exported_list(value), numbers, what, path)
            if any(map(is_reference_class, kinds)):
                raise _no_result(f"{what()}{path} has objects, and only the run knows how many")
            return value.exported(numbers)
        value = value.own()
    if isinstance(value, GrowingDict):
        if value.staged is not None:
            return value.apart().exported(numbers) if numbers else value
        value = value.own()
    found = structure_of(value)
    if found is None and hasattr(type(value), "__array__"):
        return _converted(value, what, path)
    if isinstance(value, CoroutineType):
        value.close()  # or Python warns that it was never awaited
        raise TypeError(
            f"{what()}{path} is a coroutine, which only Python can await: call the staged function "
            "in an `async def`, and await nothing in it"
        )
    if found is None or type(value) is Range:
        # Not by a `__repr__` of the user's, which may make a text of the run.
        text = object.__repr__(value) if is_users_class(type(value)) else repr(value)
        if numbers is None and may_be_referred_to(type(value)):
            want(type(value))
            raise refuse(
                f"{what()}{path} is {text}, and it calls itself, as often as the run decides",
                "return what is in it, as a tuple",
            )
        raise _no_result(f"{what()}{path} is {text}")
    structure, children = found
    parts = enumerate(children)
    return structure.build(
        [exported(x, numbers, what, path + structure.path(at)) for at, x in parts]
    )


def _is_none(option: Any) -> bool:
    """Whether an option of a union is no result."""
    options = option.options if type(option) is Choice else (option,)
    return not are_texts(options) and not is_member(option) and any(map(is_option, options))


def _result(option: Any, what: Callable[[], str], path: str) -> Any:
    if _is_none(option):
        raise refusal_of_run(f"{what()}{path} is {option!r}", _RETURNED)
    return option


def _where(taken: Any, value: Any, export: Callable[[Any], Any]) -> Any:
    """Returns what `export` gives for a value that is there where it is `taken`: else there may be
    no object or list at all.
    """
    if not _is_kept_in_lists(value):
        return export(value)
    return branches.cond(taken, lambda: export(value), lambda: joins.BLANK, (), ("the result",))


def _is_kept_in_lists(value: Any) -> bool:
    """Whether an object or list is, or is in, a value, of which the run has the place alone."""
    is_at_place = isinstance(value, Growing) and value.is_at_place
    if is_at_place or is_reference(value) or type(value) is PlacedList:
        return True
    return isinstance(value, tuple) and any(map(_is_kept_in_lists, children_of(value)))


def _asked_where(taken: Any, value: Any) -> Any:
    """The value, of which names that may be unbound are asked for only where it is `taken`."""
    if isinstance(value, MaybeUndefined):
        flag = or_(not_(taken), (lambda: value.flag,))
        return MaybeUndefined(_asked_where(taken, value.held), flag, value.name)
    if isinstance(value, tuple) and (found := structure_of(value)) is not None:
        return found[0].build([_asked_where(taken, each) for each in found[1]])
    return value


def _no_result(what: str) -> TypeError:
    return TypeError(f"{what}: {_RETURNED}")


def _converted(
    value: Any, what: Callable[[], str], path: str, dtype: DType | None = None
) -> Tensor:
    try:
        return convert_to_tensor(value, dtype)
    except TypeError as error:
        raise wrong_dtype(f"{what()}{path}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{what()}{path}: {error}") from None

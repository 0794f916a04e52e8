"""Dicts of numbers, asked by a key that only the run knows: their keys are known, so that the run
looks for the one that it is.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from runtime import dtypes, errors, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.graph.nodes import NUMBER_TYPES
from runtime.staging.backend import SETTERS
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.control import branches
from runtime.staging.control.choices import Choice
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.lists.dict_reads import at_optional
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.keys import is_real, number
from runtime.staging.lists.sequences import check, chosen
from runtime.staging.outside import DICTS
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.texts import Text
from runtime.staging.tracing import is_symbol


class _Found:
    """The entry of a dict that a staged key means: its place among those whose keys are numbers, or
    texts, as it is; -1 where there is none.
    """

    def __init__(self, entries: dict[Any, Any], key: Any) -> None:
        kinds = (str,) if type(key) is Text else NUMBER_TYPES
        self.keys = [each for each in entries if type(each) in kinds]
        self.entries = entries
        self.key = key
        self.place = _place(self.keys, key)

    @property
    def is_there(self) -> Any:
        """Whether there is one."""
        return self.place >= 0

    def value(self) -> Any:
        """The value under the key, which is there."""
        return chosen([self.entries[key] for key in self.keys], ops.maximum(self._int64(), 0))

    def or_fail(self, message: Any, error: Callable[[Any], Exception]) -> None:
        """Raise this, at run time, where there is none."""
        check(self.place < 0, message, error)

    def _int64(self) -> Any:
        return convert_to_tensor(self.place, dtypes.int64)


def _place(keys: list[Any], key: Any) -> Any:
    if not keys:
        return -1
    if type(key) is Text:
        return _first_of([convert_to_tensor(key == each) for each in keys])
    key = number(key)
    is_wide = key.dtype.is_floating or any(isinstance(each, float) for each in keys)
    dtype = dtypes.float64 if is_wide else dtypes.int64
    table = convert_to_tensor(list(map(float if is_wide else int, keys)), dtype)
    return _first_of(ops.equal(table, ops.cast(key, dtype)))


def _first_of(matches: Any) -> Any:
    place = ops.cast(ops.argmax(ops.cast(matches, dtypes.int32)), dtypes.int64)
    return ops.where(ops.reduce_any(matches), place, ops.constant(-1, dtypes.int64))


_UNKNOWN = (
    "a key that only the run knows is not in the dict, and a graph cannot add it",
    errors.InvalidArgumentError,
)
_EXACT = 1 << 53
"""Integers up to here are float64, too."""


def _is_asked(entries: Any, key: Any) -> bool:
    """True for a dict, and one number or text of the run that may be a key of it."""
    if type(entries) not in DICTS or not (type(key) is Text or is_symbol(key)):
        return False
    if type(key) is Text:
        return True
    is_number = isinstance(key, SymbolicNumber) or (
        isinstance(key, Tensor) and key.static_shape == () and is_real(key.dtype)
    )
    numbers = [each for each in entries if type(each) in NUMBER_TYPES]
    return is_number and all(abs(each) < _EXACT for each in numbers)


def _getitem(own: Callable[[Any, Any], Any], entries: Any, key: Any) -> Any:
    if not _is_asked(entries, key):
        if type(key) is Text and not isinstance(entries, Growing):
            raise key.refusal("given to getitem()")
        return own(entries, key)
    found = _Found(entries, key)
    if isinstance(entries, defaultdict) and entries.default_factory is not None:
        found.or_fail(*_UNKNOWN)
    elif hasattr(type(entries), "__missing__"):  # a Counter
        return branches.cond(found.is_there, found.value, lambda: 0, (), ("the entry",))
    else:
        found.or_fail(key, KeyError)
    return found.value()


def _setitem(value: Any, entries: dict[Any, Any], key: Any) -> Any:
    found = _Found(entries, key)
    found.or_fail(*_UNKNOWN)
    for at, known in enumerate(found.keys):
        before = entries[known]
        entries[known] = branches.cond(
            found.place == at, lambda: value, lambda before=before: before, (), ("the entry",)
        )
    return entries


def _contains(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    return _Found(container, item).is_there if _is_asked(container, item) else own(container, item)


def key_function(function: Any) -> Callable[..., Any] | None:
    """The function for `d.get`, which may be given a staged key; None for others."""
    entries: Any = getattr(function, "__self__", None)
    if type(entries) not in DICTS or getattr(function, "__name__", "") != "get":
        return None

    # It calls another one again, not itself: a cycle would keep the dict.
    def get(*args: Any) -> Any:
        return _got(function, entries, args)

    return get


def _got(function: Any, entries: Any, args: tuple[Any, ...]) -> Any:
    def of_key(key: Any) -> Any:
        return _got(function, entries, (key, *args[1:]))

    if args and type(args[0]) is Choice:
        return args[0].apply(of_key)  # which changes nothing
    if args and type(args[0]) is MaybeNone:
        return at_optional(lambda _, key: of_key(key), entries, args[0])
    is_asked = len(args) in (1, 2) and _is_asked(entries, args[0])
    return _get(entries, *args) if is_asked else function(*args)


def _get(entries: dict[Any, Any], key: Any, default: Any = None) -> Any:
    found = _Found(entries, key)
    return branches.cond(found.is_there, found.value, lambda: default, (), ("the entry",))


def _set_entry(value: Any, entries: Any, key: Any) -> Any:
    kinds = {str} if type(key) is Text else NUMBER_TYPES.keys()
    if _is_asked(entries, key) and not kinds.isdisjoint(map(type, entries)):
        return _setitem(value, entries, key)
    entries[key] = value  # raises what tells the way out
    return entries


BUILTINS[operator.getitem] = functools.partial(_getitem, BUILTINS[operator.getitem])
BUILTINS[operator.contains] = functools.partial(_contains, BUILTINS[operator.contains])
for _kind in DICTS:
    SETTERS[_kind] = _set_entry

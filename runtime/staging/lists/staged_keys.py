"""Dicts of numbers, asked by a key that only the run knows: their keys are known, so that the run
looks for the one that it is.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from runtime.core.tensor import Tensor
from runtime.graph.nodes import NUMBER_TYPES
from runtime.staging.backend import SETTERS
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.chosen_values import holds_containers
from runtime.staging.control import branches, choices
from runtime.staging.control.choices import Choice
from runtime.staging.control.logic import compares_itself
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import is_by_place
from runtime.staging.lists.dict_reads import at_optional
from runtime.staging.lists.found_entries import Found
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.keys import are_exact, is_real, is_staged, leaves, plain
from runtime.staging.lists.sequences import refuse_if
from runtime.staging.outside import DICTS
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.texts import Text, text_refused
from runtime.staging.tracing import is_symbol


def _check_known(place: Any) -> None:
    refuse_if(
        place < 0,
        "a key that only the run knows is not in the dict, and a graph cannot add it",
        "make the dict for a name of the function: found = {}",
    )


def _is_asked(entries: Any, key: Any) -> bool:
    """True for a dict, and one number or text of the run, or a tuple with such parts, that may be a
    key of it.
    """
    if type(entries) not in DICTS or not is_staged(key):
        return False
    parts = [*leaves(key)]
    if not all(map(_may_be_part, parts)):
        return False
    known = [part for name in entries for part in leaves(plain(name))]
    if any(map(choices.options_of, parts)) and any(map(compares_itself, known)):
        return False
    has_numbers = any(type(part) is not Text and is_symbol(part) for part in parts)
    return not has_numbers or are_exact(each for each in known if type(each) in NUMBER_TYPES)


def _may_be_part(part: Any) -> bool:
    if isinstance(part, Tensor):
        return is_symbol(part) and part.static_shape == () and is_real(part.dtype)
    if type(part) in (Text, *NUMBER_TYPES) or isinstance(part, SymbolicNumber):
        return True
    if is_by_place(part):
        return True
    options = choices.options_of(part) or ()
    kinds = set(map(type, options))
    return bool(kinds) and all(kind.__eq__ in _PYTHONS for kind in kinds)


_PYTHONS = frozenset(vars(kind)["__eq__"] for kind in (object, str, int))


def _getitem(own: Callable[[Any, Any], Any], entries: Any, key: Any) -> Any:
    if not _is_asked(entries, key):
        if type(key) is Text and not isinstance(entries, Growing):
            raise text_refused("given to getitem()")
        return own(entries, key)
    found = Found(entries, key)
    if isinstance(entries, defaultdict) and entries.default_factory is not None:
        _check_known(found.place)
    elif hasattr(type(entries), "__missing__"):  # a Counter
        return found.value_or(lambda: 0)
    else:
        found.check(key)
    return found.value()


def _setitem(value: Any, entries: dict[Any, Any], key: Any) -> Any:
    found = Found(entries, key)
    _check_known(found.place)
    for at, known in enumerate(found.names):
        before = entries[known]
        entries[known] = branches.cond(
            found.place == at, lambda: value, lambda before=before: before, (), ("the entry",)
        )
    return entries


def _contains(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    return Found(container, item).is_there if _is_asked(container, item) else own(container, item)


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

    if args and type(args[0]) is Choice and not holds_containers(entries):
        return args[0].apply(of_key)  # which changes nothing
    if args and type(args[0]) is MaybeNone:
        return at_optional(lambda _, key: of_key(key), entries, args[0])
    is_asked = len(args) in (1, 2) and _is_asked(entries, args[0])
    return _get(entries, *args) if is_asked else function(*args)


def _get(entries: dict[Any, Any], key: Any, default: Any = None) -> Any:
    found = Found(entries, key)
    if isinstance(default, dict | set) and found.values and holds_containers(entries):
        return found.among(found.values, default)
    return found.value_or(lambda: default)


def _set_entry(value: Any, entries: Any, key: Any) -> Any:
    kinds = {str} if type(key) is Text else {tuple} if type(key) is tuple else NUMBER_TYPES.keys()
    if _is_asked(entries, key) and not kinds.isdisjoint(type(plain(x)) for x in entries):
        return _setitem(value, entries, key)
    entries[key] = value  # raises what tells the way out
    return entries


BUILTINS[operator.getitem] = functools.partial(_getitem, BUILTINS[operator.getitem])
BUILTINS[operator.contains] = functools.partial(_contains, BUILTINS[operator.contains])
for _kind in DICTS:
    SETTERS[_kind] = _set_entry

"""The reasons for which a function was traced again, and the warning where that happens often."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from types import FunctionType, MethodType
from typing import Any
from weakref import ReferenceType, ref

from autograph.users_words import with_article
from runtime.core.locks import process_lock
from runtime.core.log import get_logger
from runtime.core.types import ListType, NumberType, ObjectType, TensorType, is_variable
from runtime.dtypes import BY_NUMPY
from runtime.functions.signatures import Reference, is_tensor_key, parts_of
from runtime.graph.structures import Structure, structure_for

WINDOW = 10
"""The last traces that the warning looks at."""

MOST_RETRACED = 5
"""Those among them without a second call that are reason to warn."""

MOST_WARNINGS = 2
MOST_DETECTORS = 100
MOST_COMPARED = 20
LONGEST = 60


# Reasons


def reason(
    key: Any,
    labels: Sequence[str],
    known: Mapping[Any, Any],
    changed: Callable[[Any], str],
    again: bool,
) -> str:
    """One line: what is different from the trace that fits best.

    Args:
        key: the key of the call.
        labels: the names of its positional arguments.
        known: the keys of traces, made or in the making.
        changed: tells which guards of a trace do not hold.
        again: whether it was traced before.
    """
    if not known:
        first = "the objects that it was traced for are gone" if again else "first trace"
        return f"{first} ({', '.join(_arguments(key, labels))})"
    if key in known:
        return changed(known[key])
    latest = list(known)[: -MOST_COMPARED - 1 : -1]
    nearest = min((list(_between(other, key, labels)) for other in latest), key=_distance)
    text = "; ".join(text for text, _ in nearest)
    return text.replace(_WAY_OUT, "") + _WAY_OUT if _WAY_OUT in text else text


def _arguments(key: Any, labels: Sequence[str]) -> Iterator[str]:
    for label, _, part in _pairs(key, key, labels):
        yield f"{label}: {describe(part)}"


_WAY_OUT = " (each variable has a trace of its own: pass value() where it is only read)"

Difference = tuple[str, bool]
"""The text, and whether it is one of kind: of class, structure or dtype."""


def _distance(differences: Sequence[Difference]) -> tuple[int, int]:
    return len(differences), sum(of_kind for _, of_kind in differences)


def _between(before: Any, after: Any, labels: Sequence[str]) -> Iterator[Difference]:
    for label, old, new in _pairs(before, after, labels):
        if old != new:
            yield from _differences(old, new, label)


def _pairs(before: Any, after: Any, labels: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
    (args, old), (new_args, new) = parts_of(before), parts_of(after)
    for place in range(max(len(args), len(new_args))):
        label = labels[place] if place < len(labels) else f"argument {place}"
        yield label, _at(args, place), _at(new_args, place)
    for name in dict.fromkeys([*old, *new]):
        yield name, old.get(name), new.get(name)


def _at(parts: Sequence[Any], place: int) -> Any:
    return parts[place] if place < len(parts) else None


def _differences(old: Any, new: Any, path: str) -> Iterator[Difference]:
    structure = _structure_of(old)
    if structure is not None and structure == _structure_of(new):
        for place, (a, b) in enumerate(zip(old[2], new[2], strict=True)):
            if a != b:
                yield from _differences(a, b, path + structure.path(place))
        return
    before, now = describe(old), describe(new)
    text = "another one" if before == now else f"{now}, it was {before}"
    if _is_variable(old) and _is_variable(new):
        text += _WAY_OUT
    yield f"argument {path} is {text}", _kind(old) != _kind(new)


def _kind(key: Any) -> Any:
    if isinstance(key, ListType):
        return ListType, _kind(key.element)
    if isinstance(key, TensorType):
        return key.dtype
    return _structure_of(key) or key[0] if type(key) is tuple else key


def _is_variable(key: Any) -> bool:
    item = key.ref() if isinstance(key, Reference) else None
    return is_variable(item)


def _structure_of(key: Any) -> Structure | None:
    return structure_for(key[0], key[1]) if type(key) is tuple and len(key) == 3 else None


def describe(key: Any) -> str:
    """A part of a key as text: a type, a Python value with its class, a structure."""
    if key is None:
        return "not given"
    if isinstance(key, NumberType | ListType | ObjectType):
        return str(key)
    if isinstance(key, Reference):
        item = key.ref()
        if item is None:
            return "an object that is gone"
        if isinstance(item, FunctionType | MethodType | type):
            return f"{type(item).__name__} {item.__qualname__}"
        if _is_variable(key):
            return f"variable '{item.name}' {item.type}"
        return f"an object of class {type(item).__name__}"
    structure = _structure_of(key)
    if structure is not None:
        return with_article(str(structure))
    kind, value = key
    if is_tensor_key(key):
        return str(TensorType(BY_NUMPY[kind], value))
    if kind is slice or kind is frozenset:
        parts = list(map(describe, value))
        return f"{kind.__name__} of {', '.join(parts if kind is slice else sorted(parts))}"
    text = value if issubclass(kind, Number) and type(value) is str else shortened(repr(value))
    return "None" if value is None else f"{kind.__name__} {text}"


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


# The warning


class Use:
    """Tells whether a trace has served another call than the one that it was made for."""

    __slots__ = ("again",)

    def __init__(self) -> None:
        self.again = False


class Detector:
    """The latest traces of one function, or of a method of one instance."""

    __slots__ = ("latest", "warnings")

    def __init__(self) -> None:
        self.latest: deque[Use] = deque(maxlen=WINDOW)
        self.warnings = 0

    def traced(self, use: Use) -> bool:
        """Note a trace, and return True if it is time to warn."""
        with _counting:
            self.latest.append(use)
            due = self.alone() >= MOST_RETRACED and self.warnings < MOST_WARNINGS
            self.warnings += due
            return due

    def alone(self) -> int:
        """The number of the latest traces that have served one call each."""
        return sum(not use.again for use in self.latest)

    def warn(self, function: Any, last: str | None) -> None:
        """Tell the log; `last`: why it was traced the last time, or None if for the first time."""
        get_logger().warning(
            "%s of the last %s traces of %r have served one call each, and tracing is slow. It "
            "happens where "
            "(1) the function is decorated anew in a loop: decorate it once, outside of the loop; "
            "(2) tensors have different shapes: pass reduce_retracing=True to the decorator, or "
            "an input_signature with None for what varies; "
            "(3) arguments are Python values that change: pass tensors; "
            "(4) Python values that it reads from outside change: pass them as tensors, or keep "
            "them in a Variable; "
            "(5) arguments are other variables or objects each time, which have traces of their "
            "own: pass value() of a variable that is only read, or all variables in one call; "
            "(6) each call makes a list or a dict from outside longer: return the value, and "
            "append it behind the call. %s",
            self.alone(),
            len(self.latest),
            function,
            "Here it is (1): each trace was the first one of a new function."
            if last is None
            else f"The last time: {last}. Its method why_retraced() tells more.",
        )


_detectors: dict[Any, tuple[ReferenceType[Any], Detector]] = {}
_counting = process_lock()


def detector_of(function: Any, owner: Any) -> Detector:
    """The detector of a Python function, or of a method of one instance.

    If the owner of the last detector for the same code was collected, that detector is used again:
    functions that are decorated anew in a loop count as one.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        return Detector()
    key = code.co_filename, code.co_firstlineno, code.co_qualname, hash(code)
    with _counting:
        last, found = _detectors.pop(key, (None, Detector()))
        if last is not None and last() is not None:
            found = Detector()
        _detectors[key] = ref(owner), found
        if len(_detectors) > MOST_DETECTORS:
            del _detectors[next(iter(_detectors))]
    return found

"""The reasons for which a function was traced again, and the warning where that happens often."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from types import FunctionType, MethodType
from typing import Any
from weakref import ReferenceType, ref

from runtime.core.log import get_logger
from runtime.core.types import ListType, NumberType, ObjectType, TensorType, is_variable
from runtime.functions.signatures import Reference
from runtime.graph.structures import Structure

WINDOW = 10
"""The last calls that the warning looks at."""

MOST_RETRACED = 5
"""Traces in the window that are reason to warn."""

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
    (args, kwargs), (new_args, new_kwargs) = before, after
    for place in range(max(len(args), len(new_args))):
        label = labels[place] if place < len(labels) else f"argument {place}"
        yield label, _at(args, place), _at(new_args, place)
    old, new = dict(kwargs), dict(new_kwargs)
    for name in dict.fromkeys([*old, *new]):
        yield name, old.get(name), new.get(name)


def _at(parts: Sequence[Any], place: int) -> Any:
    return parts[place] if place < len(parts) else None


def _differences(old: Any, new: Any, path: str) -> Iterator[Difference]:
    if _is_tree(old) and _is_tree(new) and old[0] == new[0]:
        structure = old[0]
        for place, (a, b) in enumerate(zip(old[1], new[1], strict=True)):
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
    return key[0] if type(key) is tuple else key


def _is_variable(key: Any) -> bool:
    item = key.ref() if isinstance(key, Reference) else None
    return is_variable(item)


def _is_tree(key: Any) -> bool:
    return type(key) is tuple and isinstance(key[0], Structure)


def describe(key: Any) -> str:
    """A part of a key as text: a type, a Python value with its class, a structure."""
    if key is None:
        return "not given"
    if isinstance(key, TensorType | NumberType | ListType | ObjectType):
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
    if _is_tree(key):
        return f"a {key[0]}"
    kind, value = key
    if kind is slice or kind is frozenset:
        parts = list(map(describe, value))
        return f"{kind.__name__} of {', '.join(parts if kind is slice else sorted(parts))}"
    text = value if issubclass(kind, Number) and type(value) is str else shortened(repr(value))
    return "None" if value is None else f"{kind.__name__} {text}"


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


# The warning


class Detector:
    """Counts the calls of one function, or of a method of one instance, since each of its last
    traces.
    """

    __slots__ = ("rounds", "warnings")

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.warnings = 0

    @property
    def quiet(self) -> bool:
        """True if no call in the window was traced. Then further ones need no counting."""
        return not self.rounds or self.rounds[-1] >= WINDOW

    def called(self, traced: bool) -> bool:
        """Note a call, and return True if it is time to warn."""
        with _counting:
            return self._called(traced)

    def _called(self, traced: bool) -> bool:
        if not traced:
            if self.rounds:
                self.rounds[-1] += 1
            return False
        self.rounds.append(1)
        while sum(self.rounds) > WINDOW:
            del self.rounds[0]
        if len(self.rounds) < MOST_RETRACED or self.warnings == MOST_WARNINGS:
            return False
        self.warnings += 1
        return True

    def warn(self, function: Any, last: str | None) -> None:
        """Tell the log; `last`: why it was traced the last time, or None if for the first time."""
        get_logger().warning(
            "%s of the last %s calls of %r traced it, and tracing is slow. It happens where "
            "(1) the function is decorated anew in a loop: decorate it once, outside of the loop; "
            "(2) tensors have different shapes: pass reduce_retracing=True to the decorator, or "
            "an input_signature with None for what varies; "
            "(3) arguments are Python values that change: pass tensors; "
            "(4) Python values that it reads from outside change: pass them as tensors, or keep "
            "them in a Variable; "
            "(5) arguments are other variables or objects each time, which have traces of their "
            "own: pass value() of a variable that is only read, or all variables in one call. %s",
            len(self.rounds),
            sum(self.rounds),
            function,
            "Here it is (1): each trace was the first one of a new function."
            if last is None
            else f"The last time: {last}. Its method why_retraced() tells more.",
        )


class Counted:
    """The runner of a trace in the short way, which counts its calls until they need no counting.

    Args:
        detector: counts the calls.
        run: runs the trace.
        settle: lets `run` stand in the place of this.
    """

    __slots__ = ("_detector", "_run", "_settle")

    def __init__(
        self, detector: Detector, run: Callable[..., Any], settle: Callable[[], None]
    ) -> None:
        self._detector = detector
        self._run = run
        self._settle = settle

    def __call__(self, /, *raws: Any) -> Any:
        self._detector.called(traced=False)
        if self._detector.quiet:
            self._settle()
        return self._run(*raws)


_detectors: dict[Any, tuple[ReferenceType[Any], Detector]] = {}
_counting = threading.Lock()


def detector_of(function: Any, owner: Any) -> Detector:
    """Returns the counter of a Python function, or of a method of one instance.

    Where the owner of the last one for the same code is gone, its count goes on: functions that are
    decorated anew in a loop are many, but live one at a time.
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

"""The traces of a function, and the keys that its calls find them by."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

from runtime.core.shapes import TensorSpec, is_known
from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.functions.concrete_function import ConcreteFunction, now
from runtime.functions.parameters import Parameters
from runtime.functions.retracing import Counted, detector_of
from runtime.functions.signatures import key_of, leaf_names, leaf_types, references, without_shapes
from runtime.graph.executors.specialization import Run
from runtime.staging.guarding.guards import Guards

MOST_TRACES = 1000
"""Signatures that one function keeps traces for, and reasons; the one that was used least recently
is dropped for a new one.
"""

MOST_VARIANTS = 4
"""Traces for one signature, which differ in what they found in global variables."""

_counting = threading.Lock()

Fast = tuple[Guards | None, list[int] | None, Run, ConcreteFunction]


class Traces:
    """The traces of one function, or of one method on one instance."""

    __slots__ = (
        *("__weakref__", "by_key", "count", "detector", "fast", "finished", "generic", "reasons"),
    )

    def __init__(self, python_function: Any) -> None:
        self.detector = detector_of(python_function, self)
        self.by_key: dict[Any, list[ConcreteFunction]] = {}
        self.generic: dict[Any, list[ConcreteFunction]] = {}
        self.fast: dict[tuple[Any, ...], Fast] = {}
        self.count = 0
        self.finished = 0
        self.reasons: deque[str] = deque(maxlen=MOST_TRACES)

    def find(self, key: Any) -> ConcreteFunction | None:
        """The trace for a key whose guards hold."""
        for made in self.by_key.get(key, ()):
            if made.guards.hold():
                made.used = now()
                return made
        return None

    def begin(self, text: str) -> None:
        """Count a trace, and why it is made."""
        with _counting:
            self.count += 1
            self.reasons.append(text)

    def forget(self, text: str) -> None:
        """Do not count a trace, begun for this reason, in which Python raised."""
        with _counting:
            self.count -= 1
            if text in self.reasons:
                self.reasons.remove(text)

    def keep(self, key: Any, concrete: ConcreteFunction) -> None:
        """Add a trace; those that were used least recently give way."""
        for *_, used in list(self.fast.values()):
            used.used = now()
        # The next calls are counted, for the warning about retracing.
        self.fast.clear()
        if key not in self.by_key:
            if len(self.by_key) >= MOST_TRACES:
                self.by_key.pop(min(list(self.by_key), key=self._last_use), None)
            gone = partial(_drop, weakref.ref(self), key, without_shapes(key))
            for reference in references(key):
                reference.when_gone(gone)
        _add(self.by_key.setdefault(key, []), concrete)

    def keep_generic(self, family: Any, concrete: ConcreteFunction) -> None:
        """Add a trace that may serve other shapes too."""
        if len(self.generic) >= MOST_TRACES and family not in self.generic:
            self.generic.pop(next(iter(list(self.generic))), None)
        _add(self.generic.setdefault(family, []), concrete)

    def remember(self, key: tuple[Any, ...], short: Fast) -> None:
        """Take a short way with calls of this key."""
        if len(self.fast) >= MOST_TRACES:
            self.fast.clear()
        self.fast[key] = short

    def remember_counting(self, key: tuple[Any, ...], short: Fast) -> None:
        """Take a short way that counts its calls as long as they need counting."""
        guards, order, run, concrete = short
        traces = weakref.ref(self)  # the short way must not keep alive what it belongs to

        def settle() -> None:
            known = traces()
            if known is not None and known.fast.get(key) is counting:
                known.remember(key, short)

        counting = guards, order, Counted(self.detector, run, settle), concrete
        self.remember(key, counting)

    def _last_use(self, key: Any) -> int:
        # The objects of a key may go at any time, and its traces with them.
        return max((made.used for made in self.by_key.get(key, ())), default=-1)


def _add(variants: list[ConcreteFunction], concrete: ConcreteFunction) -> None:
    """Make a trace the first of those for one signature."""
    others = [made for made in variants if not made.guards.is_over()]
    variants[:] = [concrete, *others[: MOST_VARIANTS - 1]]


def _drop(traces: weakref.ref[Traces], key: Any, family: Any, gone: Any) -> None:
    """Forget the traces for an object that is no more: no call can have this key again.

    Objects may go when Python exits, and has emptied modules: no global name is used here.
    """
    known = traces()
    if known is not None:
        made = [*known.by_key.pop(key, ()), *known.generic.pop(family, ())]
        # A copy, for other threads may call the function now.
        for short, (*_, concrete) in list(known.fast.items()):
            if concrete in made:
                known.fast.pop(short, None)


def are_those(leaves: Sequence[Any], raws: Sequence[Any]) -> bool:
    """True if these are the arrays of the leaves, as far as dtypes and shapes tell."""
    return len(leaves) == len(raws) and all(
        type(leaf) is EagerTensor and leaf.raw.dtype == raw.dtype and leaf.raw.shape == raw.shape
        for leaf, raw in zip(leaves, raws, strict=True)
    )


def guards_changed(variants: Sequence[ConcreteFunction]) -> str:
    """Returns why the latest of the traces for one signature does not hold."""
    return ", ".join(dict.fromkeys(variants[0].guards.changed()))


class Call:
    """One call: its arguments, their tensors, and the key that they are cached under. `first` is a
    trace that holds for this call alone: it created variables, or could not. `plain` says that the
    Python function is called, whose results may be Python's numbers.
    """

    __slots__ = ("args", "first", "key", "kwargs", "leaves", "names", "plain", "traced", "types")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        self.leaves: list[Any] = []
        self.traced = self.plain = False
        self.first: ConcreteFunction | None = None
        self.key: Any = (
            tuple([key_of(item, self.leaves) for item in args]),
            tuple([(name, key_of(item, self.leaves)) for name, item in kwargs.items()]),
        )
        self.describe(self.leaves)

    def describe(self, leaves: Sequence[Any]) -> None:
        """Take the types, and what names there are, from these leaves."""
        self.types: list[Any] = leaf_types(leaves)
        self.names = [leaf.name if type(leaf) is TensorSpec else None for leaf in leaves]

    def leaf_names(self, parameters: Parameters) -> list[str]:
        """A name for each leaf: that of its TensorSpec, or the parameter's, and the way into it."""
        names: list[str] = []
        for place, item in enumerate(self.args):
            leaf_names(item, parameters.label(place), names)
        for name, item in self.kwargs.items():
            leaf_names(item, name, names)
        return [own or name for own, name in zip(self.names, names, strict=True)]


def has_open_shapes(call: Call) -> bool:
    """True if there are tensors of which some dimension is unknown."""
    return any(isinstance(known, TensorType) and not is_known(known.shape) for known in call.types)

"""The traces of a function, and the keys that its calls find them by."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from runtime.core.locks import process_lock
from runtime.core.shapes import TensorSpec, is_known
from runtime.core.types import TensorType
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.parameters import Defaults, Parameters
from runtime.functions.retracing import Use, detector_of
from runtime.functions.signatures import (
    call_key,
    leaf_names,
    leaf_types,
    leaves_of,
    references,
    without_shapes,
)
from runtime.graph.executors.specialization import Run
from runtime.staging.guarding.guards import Guards

MOST_TRACES = 1000
"""Signatures that one function keeps traces for, and reasons; one that was not used of late
is dropped for a new one.
"""

MOST_VARIANTS = 4
"""Traces for one signature, which differ in what they found in global variables."""

MOST_TOLD = 8
"""Values that a reason names; there may be one for each weight of a model."""

_counting = process_lock()

Order = list[int] | None
Entry = tuple[Guards | None, Order, Run | None, Use, ConcreteFunction]
"""A trace: its guards, the order in which it takes the tensors of the call (None: as they come),
its program for calls that need no further look, and whether it served another call.
"""


class Traces:
    """The traces of one function, or of one method on one instance.

    `by_key` has the traces by the keys of calls; those with the same key differ in what they found
    outside. The arguments of a call may be written in several ways: `_aliases` are the keys of
    those that no trace was made for. `generic` are traces for several shapes, by the rest of
    their keys. `direct` answers the calls of one key, with tensors alone, by machine code alone,
    and returns NotImplemented for others. Shortcuts of calls that leave default values out hold as
    long as these are `left_out`.
    """

    __slots__ = (
        *("__weakref__", "_aliases", "_direct_key", "_watched", "by_key", "count", "detector"),
        *("direct", "finished", "generic", "left_out", "reasons"),
    )

    def __init__(self, python_function: Any) -> None:
        self.detector = detector_of(python_function, self)
        self.by_key: dict[Any, list[Entry]] = {}
        self.generic: dict[Any, list[ConcreteFunction]] = {}
        self.direct: Callable[..., Any] | None = None
        self._direct_key: Any = None
        self.left_out: Defaults | None = None
        self.count = 0
        self.finished = 0
        self.reasons: deque[str] = deque(maxlen=MOST_TRACES)
        self._aliases: set[Any] = set()
        self._watched: dict[Any, list[weakref.ref[Any]]] = {}

    def made(self) -> list[ConcreteFunction]:
        """All traces."""
        entries = [entry for known in list(self.by_key.values()) for entry in known]
        return list(dict.fromkeys([concrete for *_, concrete in entries]))

    def traced(self) -> dict[Any, list[Entry]]:
        """The traces by the keys that they were made for."""
        return {key: known for key, known in self.by_key.items() if key not in self._aliases}

    def find(self, key: Any) -> ConcreteFunction | None:
        """The trace for a key whose guards hold."""
        for *_, use, made in self.by_key.get(key, ()):
            if made.guards.hold():
                use.again = True
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
        """Add a trace; if there are too many, drop one that was not used recently."""
        if key not in self.by_key:
            while len(self.by_key) - len(self._aliases) >= MOST_TRACES:
                self._drop_unused()
        self._put_first(key, concrete, None, None)

    def add_shortcut(self, key: Any, concrete: ConcreteFunction, run: Run, order: Order) -> None:
        """Let further calls with this key, an alias of the key of a trace, run that directly."""
        if key not in self.by_key:
            if len(self._aliases) >= MOST_TRACES:
                self._forget_aliases()
            self._aliases.add(key)
        self._put_first(key, concrete, run, order)

    def answer_directly(self, key: Any, direct: Callable[..., Any]) -> None:
        """Have further calls of this key answered by machine code alone."""
        self._direct_key, self.direct = key, direct

    def end_shortcuts(self) -> None:
        """End all shortcuts, since the default values of parameters have changed."""
        self.left_out = self.direct = self._direct_key = None
        for entries in list(self.by_key.values()):
            entries[:] = [(guards, None, None, use, made) for guards, _, _, use, made in entries]

    def _end_direct(self, key: Any) -> None:
        if self.direct is not None and self._direct_key == key:
            self.direct = self._direct_key = None

    def _put_first(
        self, key: Any, concrete: ConcreteFunction, run: Run | None, order: Order
    ) -> None:
        self._end_direct(key)
        known = self.by_key.setdefault(key, [])
        weak = [each.ref for each in references(key) if isinstance(each.ref, weakref.ref)]
        if weak and key not in self._watched:
            gone = partial(_drop, weakref.ref(self), key, without_shapes(key))
            self._watched[key] = [type(ref)(ref(), gone) for ref in weak]
        guards = concrete.guards if concrete.guards else None
        others = [each for each in known if each[-1] is not concrete]
        kept = [each for each in others if not each[-1].guards.is_over()][: MOST_VARIANTS - 1]
        known[:] = [(guards, order, run, concrete.use, concrete), *kept]
        if len(kept) < len(others):
            self._forget_aliases()

    def forgetting(self, key: Any, run: Run) -> Callable[[], None]:
        """A function that ends the shortcut from a key to `run`; the next call adds another."""
        traces = weakref.ref(self)

        def forget() -> None:
            known = traces()
            if known is None:
                return
            known._end_direct(key)
            entries = known.by_key.get(key, [])
            for at, (guards, _, current, use, concrete) in enumerate(entries):
                if current is run:
                    entries[at] = guards, None, None, use, concrete

        return forget

    def _drop_unused(self) -> None:
        keys = [key for key in list(self.by_key) if key not in self._aliases]
        for key in keys:
            uses = [use for *_, use, _ in self.by_key.get(key, ())]
            if not any(use.again for use in uses):
                break
            for use in uses:
                use.again = False
            self.by_key[key] = self.by_key.pop(key, [])
        else:
            key = keys[0]
        self._forget_aliases()
        self._forget(key)

    def _forget_aliases(self) -> None:
        for key in list(self._aliases):
            self._forget(key)

    def _forget(self, key: Any) -> None:
        self._end_direct(key)
        self.by_key.pop(key, None)
        self._watched.pop(key, None)
        self._aliases.discard(key)

    def keep_generic(self, family: Any, concrete: ConcreteFunction) -> None:
        """Add a trace that may serve other shapes too."""
        if len(self.generic) >= MOST_TRACES and family not in self.generic:
            self.generic.pop(next(iter(list(self.generic))), None)
        variants = self.generic.setdefault(family, [])
        others = [made for made in variants if not made.guards.is_over()]
        variants[:] = [concrete, *others[: MOST_VARIANTS - 1]]


def _drop(traces: weakref.ref[Traces], key: Any, family: Any, gone: Any) -> None:
    """Forget the traces for an object that is no more: no call can have this key again.

    Objects may go when Python exits, and has emptied modules: no global name is used here.
    """
    known = traces()
    if known is not None:
        known._forget(key)
        known.generic.pop(family, None)


def guards_changed(entries: Sequence[Entry]) -> str:
    """Returns why the latest of the traces for one signature does not hold."""
    told = list(dict.fromkeys(entries[0][-1].guards.changed()))
    more = [f"and {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
    return ", ".join([*told[:MOST_TOLD], *more])


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
        self.key: Any = call_key(args, kwargs)
        leaves_of((args, tuple(kwargs.values())), self.leaves)
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

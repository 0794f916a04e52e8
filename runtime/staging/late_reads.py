"""The values that gradient functions read. Python calls one when the gradient is asked for, and so
it reads what its variables, attributes and items are then. A graph has it as it was staged at the
call, which is the same where nothing has changed what it read there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import autograph
from runtime.core.tensor import EagerTensor
from runtime.graph.ir import Node, Value
from runtime.graph.nodes import COND, CONSTANT, TO_TENSOR, WHILE
from runtime.staging.control.optional_values import Missing
from runtime.staging.frames import user_location
from runtime.staging.guarding.containers import elements_of
from runtime.staging.guarding.guards import ElementsKey, Guards, now_of
from runtime.staging.guarding.watching import Watcher
from runtime.staging.guarding.weak_paths import ATOMIC
from runtime.staging.refusals import refusal
from runtime.staging.scopes import InScope, outermost

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace

Way = list[tuple[Node, int]]
"""The nodes around another one, outermost first, each with the place of the region it is in."""


class LateReads:
    """The values that a gradient function of `name` reads where it is staged.

    `error` is the refusal for who asks for the gradient, once what they are then is another.
    """

    __slots__ = (
        *("_asked", "_functions", "_guards", "_location", "_look", "_name", "_rule", "_trace"),
        "error",
    )

    def __init__(self, function: Any, name: str) -> None:
        self._name = name
        self._location = user_location()
        self._functions = [function]
        self._asked: list[tuple[Any, str]] = []
        self._trace: Trace | None = None
        self._rule: Any = None
        self._look: _Look | None = None
        self._guards: Guards | None = None
        self.error: Exception | None = None

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Within it the function is staged: note what it calls, and for which attributes it asks by
        names that it computes.
        """
        watcher = outermost().watcher
        tells = [] if watcher is None else watcher.tells
        tells.append(self._note_asked)
        try:
            with autograph.observe_calls(self._note_called):
                yield
        finally:
            tells.remove(self._note_asked)

    def _note_called(self, function: Any, args: tuple[Any, ...]) -> None:
        if function is not object.__new__:
            self._functions.append(function)

    def _note_asked(self, item: Any, name: str) -> None:
        self._asked.append((item, name))

    def begin(self, trace: Trace, rule: Any) -> None:
        """Remember what there is to read now; `rule` is the parameter of the node of the trace that
        has the function.
        """
        self._look = _Look()
        for function in self._functions:
            # Of code that is not converted no call is told.
            self._look.watch(function) if trace.converter else self._look.follow(function)
        for item, name in self._asked:
            self._look.asked(item, name)
        self._trace, self._rule = trace, rule
        trace.late.append(self)

    def notes(self) -> Iterable[Any]:
        """The containers of what is remembered."""
        known = () if self._look is None else (*self._look.now.values(), *self._look.notes())
        return [self._functions, self._asked, *self._asked, *known]

    def changed(self) -> Exception | None:
        """The refusal where what was read has changed since."""
        self.look()
        if self.error is not None or self._guards is None or self._guards.hold():
            return self.error
        place = next(iter(self._guards.changed()), self._name).partition(" ")[0]
        return self._refusal(place)

    def look(self) -> None:
        """Note an error where what was read is another by now."""
        if self._look is None or self._trace is None or self.error is not None:
            return
        for place, holder, key, before in self._look.now.values():
            now = _now(holder, key)
            if not _is_same(before, now):
                known = _Known(self._trace, self._rule)
                if not _is_same(known.first(before), known.first(now)):
                    self.error = self._refusal(place)
                    return

    def settle(self) -> None:
        """The trace is over: no object is kept alive any more."""
        look, self._look, self._trace, self._rule = self._look, None, None, None
        self._functions, self._asked = [], []
        self._guards = None if look is None or self.error is not None else look.settle()

    def _refusal(self, place: str) -> Exception:
        return refusal(
            f"the gradient function of {self._name} reads {place!r} when the gradient is asked "
            f"for, but {place!r} has changed since the call, and the graph has what it was then",
            f"give {self._name} what its gradient function reads as one more argument, which stays "
            f"what it is at the call, or change {place!r} before the call",
            place.partition(".")[0].partition("[")[0],
            self._location,
        )


def look(trace: Trace) -> None:
    """The function that is traced has returned, and what it did to objects is not undone yet: note
    for who asks from outside what has changed.
    """
    for each in trace.late:
        each.look()


def notes(trace: Trace) -> Iterable[Any]:
    """The containers in which a trace remembers objects for this."""
    return [container for each in trace.late for container in each.notes()]


class _Look(Watcher):
    """Finds what functions can read now: `now` has it by holder and key, with its place."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        super().__init__()
        self.now: dict[Any, tuple[str, Any, Any, Any]] = {}

    def follow(self, function: Any) -> None:
        """Remember what a function can read, and what those can that it calls."""
        with self._walk():
            self._run(function)

    def _see(self, holder: Any, key: Any, value: Any) -> None:
        if key is ElementsKey and isinstance(holder, type):
            return  # which classes count as abstract ones: any import may add some
        super()._see(holder, key, value)
        self.now.setdefault((id(holder), key), (self._place, holder, key, _told(value)))


def _now(holder: Any, key: Any) -> Any:
    return _told(elements_of(holder) if key is ElementsKey else now_of(holder, key))


def _told(value: Any) -> Any:
    """Returns what tells whether a value is the same later on: a tensor of which items have been
    assigned is another.
    """
    kind = type(value)
    if issubclass(kind, Missing):  # where there was a call, it was there
        return _told(value.held)
    if issubclass(kind, InScope):
        return value.node
    if issubclass(kind, EagerTensor):
        return value.raw
    return tuple(map(_told, value)) if kind is tuple else value


def _is_same(before: Any, now: Any) -> bool:
    if before is now:
        return True
    if type(before) is not type(now):
        return False
    if type(before) is tuple:
        return len(before) == len(now) and all(map(_is_same, before, now))
    return type(before) in ATOMIC and before == now


class _Known:
    """Tells of the values of a trace, where a rule is staged, what they are made of: of what a
    branch leaves, what its path has left that the rule is in, or all paths; of what all rounds of a
    loop leave as it is, what the loop begins with.
    """

    def __init__(self, trace: Trace, rule: Any) -> None:
        nodes = [node for scope in trace.scope.around() for node in scope.nodes]
        self._captured = {value: _told(item) for value, item in trace.captures.values()}
        self._made: dict[Value, Any] = {}
        way = _way_to(nodes, rule)
        taken = {id(node): at for node, at in way}
        nodes += [inner for node, at in way for inner in node.regions[at].nodes]
        for node in nodes:
            if node.primitive is CONSTANT:
                self._made[node.outputs[0]] = node.params["value"]
            elif node.primitive is TO_TENSOR:
                self._made[node.outputs[0]] = node.inputs[0]
            elif node.primitive is WHILE:
                self._add_loop(node)
            elif node.primitive is COND:
                self._add_branch(node, taken.get(id(node)))

    def _add_loop(self, node: Node) -> None:
        (region,) = node.regions
        states = zip(
            node.inputs[1:], region.parameters, region.results[1:], node.outputs, strict=False
        )
        for first, given, left, output in states:
            if left is given:
                self._made |= {given: first, output: first}

    def _add_branch(self, node: Node, taken: int | None) -> None:
        paths = [node.regions[taken]] if taken is not None else node.regions
        left = [region.results for region in paths if region.results]
        for output, *values in zip(node.outputs, *left, strict=False):
            if all(value is values[0] for value in values):
                self._made[output] = values[0]

    def first(self, told: Any) -> Any:
        """The value, constant or object from outside that one is made of."""
        if type(told) is tuple:
            return tuple(map(self.first, told))
        while type(told) is Value:
            known = self._made.get(told, self._captured.get(told, told))
            if known is told:
                break
            told = known
        return told


def _way_to(nodes: Iterable[Node], rule: Any) -> Way:
    """The way to the node of a rule; none where it is among these nodes, or nowhere in them."""
    pending: list[tuple[Iterator[tuple[Node, int]], Way]] = [(_regions(nodes), [])]
    while pending:
        regions, way = pending[-1]
        found = next(regions, None)
        if found is None:
            pending.pop()
            continue
        inner = found[0].regions[found[1]].nodes
        if any(node.params.get("rule") is rule for node in inner):
            return [*way, found]
        pending.append((_regions(inner), [*way, found]))
    return []


def _regions(nodes: Iterable[Node]) -> Iterator[tuple[Node, int]]:
    return ((node, at) for node in nodes for at in range(len(node.regions)))

"""The places where tapes are used while a graph is traced. A tape is a Python object: what a staged
branch or loop does to one that was made around it would happen once, while tracing, whatever the
run does. It is refused; tapes that are made where they are used are as free as in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from runtime.autodiff.activity import (
    ITEMS,
    STRIDED_SLICE,
    Activity,
    Passing,
    connections,
    passes_on,
    up_to,
)
from runtime.autodiff.recorder import Recorder
from runtime.autodiff.staged import CONTROL
from runtime.graph.ir import Node, Value, walk
from runtime.graph.nodes import WHILE
from runtime.staging.frames import path_to, variable_holding
from runtime.staging.refusals import refuse
from runtime.staging.scopes import LOOP, Handle, Scope, Symbol
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace, symbol

_UNNAMED = "the tape"

Way = tuple[tuple[Scope, Any], ...]
"""The scopes around a use, innermost last, each with what the last node of the one around it made:
that stays, where a gradient replaces the node.
"""


def checked(trace: Trace, home: Scope | None, tape: Any, what: str) -> Scope:
    """Returns the scope in which a tape is at home; StagingError for `what` a staged block does to
    one that was made around it.
    """
    here = trace.scope
    is_free = not tape.is_recording and (home is None or not home.trace.scope.open)
    if here is home or (is_free and here.outer is None):
        return here
    name = path_to(tape) or _UNNAMED
    where, way_out = _place(trace, home)
    statement = f"{name}.{what}" if what else f"`with {name}:`"
    if home is not None and any(_rests(trace)):
        raise _refuse_behind(f"{statement} stands", name)
    raise refuse(
        f"{statement} stands in {where}, but the tape was made outside of it: what the tape "
        "records would not depend on the run",
        f"call it {way_out}, or make the tape where it is used: with tf.GradientTape() as tape:",
        name,
    )


def _place(trace: Trace, home: Scope | None) -> tuple[str, str]:
    if home is None or home.trace is not trace:
        return f"the traced function {trace.name}", "outside of the function"
    kind = "loop" if trace.scope.kind == LOOP else "branch"
    return f"a staged {kind}", f"before the {kind}"


def way_to(trace: Trace, home: Scope | None, tape: Any) -> Way:
    """The scopes from where a tape was made inwards to where it is used. StagingError for a tape
    that was made in a staged block, behind the block.
    """
    if home is not None and home.trace is trace and not home.open:
        kind = "loop" if home.kind == LOOP else "branch"
        name = path_to(tape) or _UNNAMED
        raise refuse(
            f"{name}.gradient stands behind a staged {kind} that made the tape",
            f"ask the tape inside of the {kind}, or make it before the {kind}",
            name,
        )
    found = []
    scope: Scope | None = trace.scope
    while scope is not None and scope is not home and scope.outer is not None:
        found.append((scope, _last_of(scope.outer)))
        scope = scope.outer
    return tuple(found[::-1])


def check_use(tape: Any, way: Way, uses: list[Way]) -> bool:
    """Whether a tape that gives one set of gradients was used before, on the way to here.

    Raises StagingError where only the run knows.
    """
    if any(scope.kind == LOOP for scope, _ in way):
        raise _refuse_use(tape, "stands in a staged loop, and the tape was made outside of it")
    here = {scope for scope, _ in way}
    if any({scope for scope, _ in use} <= here for use in uses):
        return True
    if not all(_exclude(way, use) for use in uses):
        raise _refuse_use(tape, "was called before, in a staged branch")
    return False


def _exclude(way: Way, other: Way) -> bool:
    """Whether two uses stand in the two branches of one statement."""
    for (first, last), (second, before) in zip(way, other, strict=False):
        if first is not second:
            return first.outer is second.outer and last is before
    return False


def _last_of(scope: Scope) -> Value | Node | None:
    """The first output of the last node; the node, if it has none."""
    last = scope.nodes[-1] if scope.nodes else None
    return last.outputs[0] if last is not None and last.outputs else last


def _refuse_use(tape: Any, why: str) -> Exception:
    name = path_to(tape) or _UNNAMED
    return refuse(
        f"{name}.gradient {why}: only the run knows whether the tape was used up",
        f"make it persistent ({name} = tf.GradientTape(persistent=True)), or ask it once, outside "
        "of the statement",
        name,
    )


# Blocks that end in the rest of a block that may have failed


def see_rest(trace: Trace, tape: Any, home: Scope, behind: set[Value] | None = None) -> None:
    """Show a tape, which ends here and began in `home`, the branches for what follows something
    that may have failed since, once they are made: what the tape has seen is in them. `behind` are
    the first outputs of nodes in these that are behind its end.
    """
    for guard in _rests(trace):
        guard.recorders.append(_OfRest(trace, tape, home, set() if behind is None else behind))


def _rests(trace: Trace) -> Iterator[Any]:
    """The branch for what follows something that may have failed, if the open scope is one."""
    guards = trace.levels[-1].guards if trace.levels else ()
    return (guard for guard in guards if guard.scope is trace.scope)


class _OfRest(Recorder):
    """Shows a tape a branch in which its block has ended: what was computed before the end."""

    __slots__ = ("_before", "_behind", "_home", "_scope", "_tape")

    def __init__(self, trace: Trace, tape: Any, home: Scope, behind: set[Value]) -> None:
        self._tape, self._home, self._scope = tape, home, trace.scope
        self._before = _first_outputs(trace.scope.nodes)
        self._behind = behind

    def close(self) -> None:
        """The branch is at its end: further nodes in it hand on what is there."""
        nodes = [n for n in self._scope.nodes if _first_outputs([n]).isdisjoint(self._before)]
        inner = [walk(region) for node in nodes for region in node.regions]
        self._behind |= _first_outputs(chain(nodes, *inner))

    def made(self, trace: Trace) -> None:
        """The branch is made."""
        if trace.scope is not self._home:
            see_rest(trace, self._tape, self._home, self._behind)

    def record(self, *op: Any) -> None:
        self._tape.record(*op)

    def control(self, handle: Any, outputs: Sequence[Any], behind: Any = ()) -> None:
        activity = up_to(self._behind)(source for _, source in connections(handle, self._behind))
        activity.follow((handle.node,))
        known = [output for output in outputs if output.graph_value in activity.known]
        self._tape.control(handle, known, self._behind)


def _first_outputs(nodes: Iterable[Node]) -> set[Value]:
    return {node.outputs[0] for node in nodes if node.outputs}


def refuse_paused(tape: Any) -> Exception:
    """The refusal of a pause of a tape in which something may fail, in a `try`."""
    name = path_to(tape) or _UNNAMED
    return _refuse_behind(f"{name}.stop_recording() ends", name)


def _refuse_behind(what: str, name: str) -> Exception:
    return refuse(
        f"{what} behind something that may fail in the `try` around it: what the tape records "
        "would not depend on the run",
        "put the `try` into its block, or what may fail behind it",
        name,
    )


# Tensors that are passed on behind the block


def find_items(trace: Trace, tape: Any, targets: Sequence[Any], sources: Sequence[Any]) -> None:
    """Let a tape know targets that are read from lists of the graph, or chosen by branches and
    loops, behind its block: in Python they are the very tensors that the tape knows. StagingError
    for such a source.
    """
    finder = _Finder(trace, tape)
    for target in targets:
        if isinstance(target, SymbolicTensor):
            finder.find(target)
    for source in sources:
        if (
            isinstance(source, SymbolicTensor)
            and not tape.knows(source)
            and finder.may_know(source)
        ):
            raise refuse(
                "a source of the gradient is read from a list of the graph or chosen by a branch "
                "or loop, and the tape knows only what was put or chosen there",
                "give the item a name before the tape watches it, and use that name",
            )
        if isinstance(source, SymbolicTensor):
            _check_beside(trace, tape, targets, source)


def _check_beside(trace: Trace, tape: Any, targets: Sequence[Any], source: Any) -> None:
    """StagingError for a source that a branch or loop leaves, where targets depend on what it is
    inside of that.
    """
    value = source.graph_value
    maker = source.scope.maker(value)
    if maker is None or not maker[0].regions or not tape.has_made(source):
        return
    node = maker[0]
    at = node.outputs.index(value) - len(node.outputs)
    activity = Activity(region.results[at] for region in node.regions if region.results)
    for around in reversed([*trace.scope.around()]):
        for each in around.nodes:
            activity.follow((each,))
            if each is node:
                activity.known.discard(value)
    if any(getattr(item, "graph_value", None) in activity.known for item in targets):
        name = variable_holding(source) or "a tensor"
        kind = "loop" if node.primitive is WHILE else "branch"
        raise refuse(
            f"the gradient with respect to {name!r} is asked for, and a staged {kind} that leaves "
            "it has also computed with it: how, is not known behind it",
            f"ask the tape inside of the {kind}, or compute with it behind the {kind}",
            name,
        )


class _Finder:
    """Finds the nodes that pass on what a tape knows, and has the tape record them."""

    def __init__(self, trace: Trace, tape: Any) -> None:
        self.trace = trace
        self.tape = tape
        self.asked: dict[Value, bool] = {}

    def find(self, item: Any) -> bool:
        """Whether a tape knows an item, or what it is passed on from: then it learns of the item.

        StagingError where that is not certain.
        """
        if self.tape.knows(item):
            return True
        if type(item) not in (SymbolicTensor, Symbol):
            return False
        value = item.graph_value
        if value not in self.asked:
            maker = item.scope.maker(value)
            self.asked[value] = maker is not None and self._follow(item, *maker)
        return self.asked[value]

    def may_know(self, item: Any) -> bool:
        """Whether an item that the tape does not know may stand for one that it knows."""
        maker = item.scope.maker(item.graph_value)
        return (maker is not None and maker[0].primitive in ITEMS) or self.find(item)

    def _follow(self, item: Any, node: Node, scope: Scope) -> bool:
        reads_item = node.primitive is STRIDED_SLICE and self._is_item(node.inputs[0], scope)
        if not (passes_on(node) or reads_item):
            return False
        handle = Handle(node, scope)
        pairs = [(x, source) for x, source in connections(handle) if isinstance(source, Value)]
        activity = Passing(source for x, source in pairs if self.find(x))
        activity.items.update(node.inputs[:1] if reads_item else ())
        activity.follow((node,))
        if activity.may_repack(node, item.graph_value):
            raise _refuse_repacked()
        if item.graph_value not in activity.known:
            return False
        passed = [value for value in node.outputs if value in activity.known]
        outputs = [item if v is item.graph_value else symbol(v, scope, None) for v in passed]
        self._record(handle, pairs, outputs)
        return True

    def _is_item(self, value: Value, scope: Scope) -> bool:
        maker = scope.maker(value)
        return maker is not None and maker[0].primitive in ITEMS

    def _record(self, handle: Handle, pairs: Sequence[Any], outputs: Sequence[Any]) -> None:
        node = handle.node
        if node.regions:
            items, sources = [x for x, _ in pairs], [source for _, source in pairs]
            params = {"handle": handle, "sources": sources, "activity": Passing}
            self.tape.record(CONTROL, items, outputs, params)
            return
        held = {source: x for x, source in pairs}
        others = {v: symbol(v, handle.scope, None) for v in node.inputs if v not in held}
        inputs = [(held | others)[v] for v in node.inputs]
        self.tape.record(node.primitive, inputs, outputs, dict(node.params))


def _refuse_repacked() -> Exception:
    return refuse(
        "a target of the gradient is read from a list of lists, or made of a list, behind the "
        "block of the tape, which does not record it",
        "read or make it inside of the block: with tf.GradientTape(...) as tape: ...; "
        "y = table[i][j]",
    )

"""Graphs that are run while tapes record: one record for the call, with a compiled gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import runtime.ops as ops
from runtime.autodiff.activity import (
    Activity,
    Source,
    captures_in,
    differentiable,
    is_recursive,
    variables_in,
)
from runtime.autodiff.custom import check_rules, rules_in, staged_p
from runtime.autodiff.derived import Derived, Given, Place, calling, derive
from runtime.autodiff.records import UNSENT
from runtime.core.cached import cached
from runtime.core.primitive import structural
from runtime.core.state import run_calling_back, state
from runtime.core.tensor import Tensor, wrap
from runtime.core.types import TensorType, Type
from runtime.graph.executors.reference import interpret
from runtime.graph.executors.specialization import Programs
from runtime.graph.ir import Graph, Node, Region, Value, walk
from runtime.graph.lists import Elements
from runtime.graph.nodes import CONSTANT, LIST_ADD, LIST_ZEROS
from runtime.graph.passes import optimize, simplify_control_flow
from runtime.graph.passes.rewriting import substituted
from runtime.ops.indexed_slices import with_places
from runtime.staging.refusals import is_refusal

Key = tuple[tuple[Source, ...], int]


class Held:
    """A list or a Python number that a gradient reads, as tapes know it."""

    __slots__ = ("node", "raw", "type")

    def __init__(self, raw: Any, type: Type) -> None:
        self.raw = raw
        self.type = type
        self.node: Any = None

    def __add__(self, other: Held) -> Held:
        return Held(LIST_ADD.kernel(self.raw, other.raw), self.type)


class GraphCall:
    """Runs a graph; under tapes it also keeps what the gradient reads."""

    def __init__(self, graph: Graph, executor: str | None = None) -> None:
        self.graph = calling(graph) if is_recursive(graph) else graph
        self.executor = executor
        self._derived: dict[Key, _Levels | None] = {}

    @cached
    def programs(self) -> Programs:
        """The programs that run it."""
        return Programs(optimize(self.graph), self.executor)

    @cached
    def _variables(self) -> dict[int, Any]:
        return variables_in(self.graph.nodes)

    @cached
    def _captures(self) -> dict[Value, Any]:
        return dict(self.graph.closure) | captures_in(self.graph.nodes)

    def __call__(self, leaves: Sequence[Any]) -> list[Any]:
        """The results for tensors and held values."""
        items = self._connected(leaves) if state.tapes else {}
        if not items:
            return _held(self.graph, _run(self.programs, leaves))
        levels = self._levels(tuple(items), _levels_of(state.tapes))
        if levels is None:
            return interpret(self.graph, [x.raw if isinstance(x, Held) else x for x in leaves])
        outputs = _held(levels.graph, _run(levels.programs, leaves))
        # What only the last gradient reads is nothing that a gradient is asked for.
        end = levels.sizes[-2]
        params = {"levels": levels, "rest": outputs[end:]}
        for tape in state.tapes:
            tape.record(CALLED, list(items.values()), outputs[:end], params)
        return outputs[: levels.sizes[0]]

    def _levels(self, sources: tuple[Source, ...], count: int) -> _Levels | None:
        key = sources, count
        if key not in self._derived:
            self._derived[key] = _derived(self.graph, *key, self.executor)
        return self._derived[key]

    def _connected(self, leaves: Sequence[Any]) -> dict[Source, Any]:
        """Returns what tapes know of what it uses."""
        for variable in self._variables.values():
            for tape in state.tapes:
                tape.access(variable)
        pairs: list[tuple[Source, Any]] = list(zip(self.graph.parameters, leaves, strict=True))
        pairs += self._captures.items()
        pairs += self._variables.items()
        return {s: item for s, item in pairs if any(tape.knows(item) for tape in state.tapes)}


def _derived(
    graph: Graph, sources: tuple[Source, ...], count: int, executor: str | None
) -> _Levels | None:
    # A rule that is missing may never be asked: op by op, only who asks is told.
    try:
        return _Levels(graph, sources, count, executor)
    except (LookupError, NotImplementedError):
        return None
    except ValueError as error:
        if is_refusal(error):
            return None
        raise


def _levels_of(tapes: Sequence[Any]) -> int:
    """Returns how often a gradient may be differentiated: a tape inside a tape, or
    a persistent one.
    """
    return len(tapes) + any(tape.is_persistent for tape in tapes)


def _run(programs: Programs, leaves: Sequence[Any]) -> Sequence[Any]:
    raws = [leaf.raw for leaf in leaves]
    try:
        return run_calling_back(programs.runner(raws), *raws)
    except BaseException as error:
        programs.generic.fail(error)


def _held(graph: Graph, raws: Sequence[Any]) -> list[Any]:
    return [
        wrap(raw) if isinstance(value.type, TensorType) else Held(raw, value.type)
        for raw, value in zip(raws, graph.results, strict=True)
    ]


class _Levels:
    """A graph that returns what its gradient reads, what the gradient of that reads, and so on.

    `sizes` are the numbers of results of each of them, the graph itself first.
    """

    def __init__(
        self, graph: Graph, sources: Sequence[Source], count: int, executor: str | None
    ) -> None:
        self.graph = graph
        self.sources = tuple(sources)
        self.sizes = [len(graph.results)]
        self.steps: list[Derived] = []
        # What each of them differentiates, with the gradients of the user's in it.
        self.rules: list[tuple[Graph, list[Node]]] = []
        self.executor = executor
        self._calls: dict[tuple[int, tuple[bool, ...]], tuple[GraphCall, list[bool]]] = {}
        for _ in range(count):
            self._derive()

    @cached
    def programs(self) -> Programs:
        """The programs that run the last of them."""
        return Programs(optimize(self.graph), self.executor)

    def _derive(self) -> None:
        known = set(self.sources)
        parameters = set(self.graph.parameters)
        active = [value in known for value in self.graph.parameters]
        captures = [s for s in self.sources if isinstance(s, Value) and s not in parameters]
        variables = [source for source in self.sources if isinstance(source, int)]
        active_results = [differentiable(value.type) for value in self.graph.results]
        # Of several, only who asks says which: where there is but one, it is that one.
        kind = Given.SENT if sum(active_results) == 1 else Given.DOUBTED
        given = [kind if is_active else Given.ABSENT for is_active in active_results]
        self.rules.append((self.graph, rules_in(self.graph)))
        derived = derive(self.graph, active, captures, variables, given)
        self.graph = derived.forward
        self.sizes.append(len(self.graph.results))
        self.steps.append(derived)

    def _call(self, level: int, asked: tuple[bool, ...]) -> tuple[GraphCall, list[bool]]:
        """Returns the call that computes the gradients where those of these results are given, and
        which of them depend on these.
        """
        known = self._calls.get((level, asked))
        if known is None:
            graph = _asked(self.steps[level], asked)
            found = GraphCall(graph, self.executor), self._connected(level, graph, asked)
            known = self._calls.setdefault((level, asked), found)
        return known

    def backward(self, outputs: Sequence[Any], given: Sequence[Any]) -> list[Any]:
        """The gradients for the sources."""
        last = max(at for at, grad in enumerate(given) if grad is not None)
        level = next(at for at, size in enumerate(self.sizes) if last < size)
        derived = self.steps[level]
        graph, rules = self.rules[level]
        check_rules(graph, rules, self.sources, given)
        first, end = self.sizes[level : level + 2]
        places = [at for at, x in enumerate(outputs[:first]) if differentiable(x.type)]
        asked = tuple([given[at] is not None for at in places])
        call, connected = self._call(level, asked)
        upstream = [_zeros(outputs[at]) if given[at] is None else given[at] for at in places]
        found = call([*upstream, *outputs[first:end]])
        count = len(derived.sources)
        flags = iter(found[count:])
        sent = [not is_doubted or next(flags).raw for is_doubted in derived.doubted]
        parameters = self.graph.parameters
        found = with_places(found[:count], derived.sliced, self._types(derived), flags)
        by_source = {
            parameters[source] if isinstance(source, Place) else source: grad if is_sent else UNSENT
            for source, grad, is_sent, is_connected in zip(
                derived.sources, found, sent, connected, strict=False
            )
            if is_connected
        }
        return [by_source.get(source) for source in self.sources]

    def _types(self, derived: Derived) -> list[Any]:
        """The types of the sources."""
        variables = variables_in(self.graph.nodes)
        items: list[Any] = [
            self.graph.parameters[source] if isinstance(source, Place) else source
            for source in derived.sources
        ]
        return [variables.get(item, item).type for item in items]

    def _connected(self, level: int, backward: Graph, asked: tuple[bool, ...]) -> list[bool]:
        if level == 0 and any(node.primitive is staged_p for node in walk(self.graph.body)):
            # The user's rules are asked also where all that they are given is zeros.
            asked = (True,) * len(asked)
        given = zip(backward.parameters, asked, strict=False)
        activity = Activity(parameter for parameter, is_asked in given if is_asked)
        activity.follow(backward.nodes)
        derived = self.steps[level]
        flags = iter(backward.results[len(derived.sources) :])
        sent = [_known(backward, next(flags)) if each else None for each in derived.doubted]
        return [
            value in activity.known if is_sent is None else is_sent
            for value, is_sent in zip(backward.results, sent, strict=False)
        ]


def _known(graph: Graph, value: Value) -> bool | None:
    """A truth value of a graph, if it is a constant."""
    constants = [node for node in graph.nodes if node.primitive is CONSTANT]
    return next((node.params["value"] for node in constants if node.outputs[0] is value), None)


def _asked(derived: Derived, asked: Sequence[bool]) -> Graph:
    """The graph of the gradient where only those of these results are given."""
    graph, size = derived.backward, derived.upstream
    if size == len(asked):
        return graph
    parameters = graph.parameters
    flags = parameters[len(asked) : size]
    nodes = [
        Node(CONSTANT, (), (Value(flag.type, flag.name),), {"value": is_asked})
        for flag, is_asked in zip(flags, asked, strict=True)
    ]
    known = {flag: node.outputs[0] for flag, node in zip(flags, nodes, strict=True)}
    body = substituted(graph.body, known)
    body = Region(
        (*parameters[: len(asked)], *parameters[size:]), (*nodes, *body.nodes), body.results
    )
    return simplify_control_flow(replace(graph, body=body))


def _zeros(item: Any) -> Any:
    if isinstance(item, Tensor):
        return ops.zeros_like(item)
    return Held(LIST_ZEROS.kernel(item.raw), item.type)


def _gradient(op: Any, *given: Any) -> list[Any]:
    levels: _Levels = op.params["levels"]
    return levels.backward([*op.outputs, *op.params["rest"]], given)


CALLED = structural("called", lambda *_: (), lambda *_: (), gradient=_gradient, keep_outputs=None)


# Arrays of tensors: tapes know the list that a graph takes or gives, and its tensors


def _packed(items: Sequence[Any], type: Type) -> Held:
    """The list of some eager tensors (None: not written)."""
    made = Held([None if item is None else item.raw for item in items], type)
    places = tuple([at for at, item in enumerate(items) if item is not None])
    for tape in state.tapes:
        tape.record(PACKED, [items[at] for at in places], [made], {"places": places})
    return made


def _unpacked(held: Held) -> list[Any]:
    """The eager tensors of a list (None: not written)."""
    items = [None if raw is None else wrap(raw) for raw in held.raw]
    tensors = [item for item in items if item is not None]
    for tape in state.tapes:
        tape.record(UNPACKED, [held], tensors, {})
    return items


def _of_packed(op: Any, grad: Held) -> list[Any]:
    items = _unpacked(grad)
    return [items[at] if at < len(items) else None for at in op.params["places"]]


def _of_unpacked(op: Any, *grads: Any) -> list[Any]:
    (held,) = op.inputs
    given = iter(grads)
    return [_packed([None if raw is None else next(given) for raw in held.raw], held.type)]


PACKED = structural(
    "packed",
    lambda *_: (),
    lambda *_: (),
    gradient=_of_packed,
    keep_inputs=(),
    keep_outputs=None,
)
UNPACKED = structural("unpacked", lambda *_: (), lambda *_: (), gradient=_of_unpacked)


def call_recorded(call: GraphCall, leaves: Sequence[Any]) -> list[Any]:
    """The results of a graph for eager tensors and elements of arrays: tensors, lists of tensors,
    and Python numbers as they are.
    """
    given = [_packed(x.items, x.type) if isinstance(x, Elements) else x for x in leaves]
    return [_plain(item) for item in call(given)]


def _plain(item: Any) -> Any:
    if not isinstance(item, Held):
        return item
    return _unpacked(item) if isinstance(item.raw, list) else item.raw

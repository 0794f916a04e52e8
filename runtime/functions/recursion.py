"""Recursion: a call of a function that is being traced, with the signature that it is traced for.

Such a call becomes a call node of a graph that is not there yet. What it returns is assumed: at
first nothing (the call ends its path, like a `raise`), then what the trace found, until a trace
returns what was assumed. So recursion needs a path that ends without it, and Python runs again for
each assumption.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from autograph.operators.comprehensions import takes_elements
from runtime.core.inspection import signature_of
from runtime.core.types import NumberType
from runtime.functions.recursion_state import NO_STATE, RecursionState
from runtime.functions.returned_arguments import NOT_RETURNED, Returned
from runtime.functions.shared_arguments import NOTHING, Shared
from runtime.graph.ir import Callee, Value
from runtime.graph.nodes import CALL, RAISE
from runtime.graph.structures import Handler, add_handler
from runtime.staging.arrays.items import held, is_of_numbers
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array
from runtime.staging.control import graph_values, joins
from runtime.staging.control.blocks import Unreachable
from runtime.staging.control.carried_objects import Contents, Place
from runtime.staging.control.optional_values import IS_THERE, MaybeNone
from runtime.staging.control.specs import Mismatch, Spec, types_of
from runtime.staging.images import image_of
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace

if TYPE_CHECKING:
    from runtime.functions.concrete_function import ConcreteFunction
    from runtime.functions.trace_cache import Call

Converted = Callable[[CodeType], bool]

MOST_BOUND = 24
"""Combinations of lists that are parts of one function: of four that change places, there are as
many. With ever more, each call is given others.
"""

MOST_NEW = 4
"""Combinations with a list that none before had: `merge(a[1:], b)` and `merge(a, b[1:])` after each
other pass on ever new ones.
"""

MOST_ASSUMPTIONS = 20
"""Types of results that are tried before recursion is refused."""

MOST_PARTS = 64
"""Values in a result that had fewer with the type before: one that grows further is refused."""


class Assumption:
    """A function that is being traced, and what calls of it from inside may suppose.

    `traces` and `key` say which function, and for which arguments.
    `spec` is what it returns (None: it does not), `returned` which of its arguments that may be,
    `shared` what it does to its arguments, `state` what it changes besides, `outer` are the symbols
    of graphs around it that it uses, `used` tells whether it was called. `needs` has others whose
    traces had begun before its own and that it called, each with the callee of what was supposed
    then. `changed` gives the objects that its trace has changed till now, `met` those that it had
    changed where it called itself, also if it puts them back later.
    """

    def __init__(self, name: str, traces: Any, key: Any) -> None:
        self.name = name
        self.traces = traces
        self.key = key
        self.restart()

    def restart(self) -> None:
        """Suppose nothing, as at first."""
        self.callee = Callee(self.name)
        self.spec: Spec | None = None
        self.shared = NOTHING
        self.returned = NOT_RETURNED
        self.state = self.wider = NO_STATE
        self.outer: tuple[Any, ...] = ()
        self.used = False
        self.needs: dict[Assumption, Callee] = {}
        self.changed: Callable[[], Sequence[Place]] = tuple
        self.met: list[Place] = []

    def begin(self, changed: Callable[[], Sequence[Place]]) -> None:
        """A trace of it begins, which tells by `changed` what it has changed."""
        self.used, self.changed, self.met = False, changed, []

    def _meet(self) -> None:
        """Note what is changed now, and not given to the calls of the graph."""
        known = {*self.state.keys(), *[place.key for place in self.met]}
        self.met += [place for place in self.changed() if place.key not in known]

    def _use(self) -> list[Contents]:
        """Note a call of it, and return what is now in the objects that it changes."""
        self.used = True
        running = _thread.running
        for inner in running[running.index(self) + 1 :]:
            inner.needs[self] = self.callee
        self._meet()
        held = self.state.read()
        self.wider = self.wider.covering(held)
        return held

    def call(self, call: Call) -> Any:
        """Add a call to the graph that is being traced; the result may be an argument of it."""
        return settled_result(self.returned, call, self.call_leaves(call.leaves))

    def call_leaves(self, leaves: Sequence[Any]) -> Any:
        """Add a call to the graph that is being traced."""
        trace = active()
        held = self._use()
        if self.spec is None or self.met or self.wider != self.state:
            values = [trace.value_of(item) for item in (*leaves, *self.outer)]
            raise never_back(trace, self.callee, values)
        kept = self.state.lowered(trace, held)
        given = [*map(trace.value_of, leaves), *kept, *map(trace.value_of, self.outer)]
        self.shared.check(trace, self.name, leaves, self.outer)
        own = list(types_of(self.spec))
        types = [*own, *self.state.types()]
        taken = [leaves[at].type for at in self.shared.written]
        outputs = [Value(type, trace.unique(self.name)) for type in (*types, *taken)]
        made = list(trace.append(CALL, given, outputs, {"callee": self.callee}))
        results, finals = made[: len(types)], made[len(types) :]
        left = iter(self.shared.settle(trace, leaves, results, finals))
        result = graph_values.lift(self.spec, left)
        self.state.write(left)
        return result

    def covering(self, spec: Spec | None) -> Spec | None:
        """Returns the spec of the result, where a trace returns `spec`: it covers what was assumed.

        Raises StagingError where nothing covers both.
        """
        if spec is None or self.spec is None:
            return spec or self.spec
        try:
            return joins.join(self.spec, spec)
        except Mismatch as error:
            message = f"what {self.name} returns depends on the depth of its recursion: {error}"
            raise refuse(message) from None

    def grows(self, before: Spec | None) -> bool:
        """True if the result has many parts, and more than with the type before: a tree of tuples
        has ever more.
        """
        size, known = (0 if it is None else len([*types_of(it)]) for it in (self.spec, before))
        return size > MOST_PARTS and size > known > 0

    def assume(
        self,
        spec: Spec | None,
        outer: Sequence[Any],
        shared: Shared,
        state: RecursionState = NO_STATE,
        returned: Returned = NOT_RETURNED,
    ) -> bool:
        """Suppose this from now on; False if it was supposed already."""
        known = list(map(id, self.outer))
        shared = shared.covering(self.shared)
        is_same = spec == self.spec and list(map(id, outer)) == known and shared == self.shared
        is_same = is_same and returned == self.returned
        if is_same and state == self.state:
            return False
        # What is carried from now on may be all that it used of graphs around it.
        self.outer = tuple(outer) if state == self.state else ()
        self.shared, self.returned = shared, returned
        self.state = self.wider = state
        self.spec, self.callee = spec, Callee(self.name)
        return True


class _Provisional(NamedTuple):
    """A trace that holds as long as others are supposed to return what they then were, and nothing
    that it reads is `changed`.
    """

    concrete: ConcreteFunction
    needs: dict[Assumption, Callee]
    changed: Callable[[], Sequence[Place]]

    def holds(self) -> bool:
        """True if it is what another trace would find now."""
        running, state = _thread.running, self.concrete.state
        if not self.concrete.guards.hold():
            return False
        if not all(symbol.scope.open for symbol in self.concrete.outer):
            return False
        if not all(each in running and each.callee is it for each, it in self.needs.items()):
            return False
        return all(state.owns(place.object) for place in self.changed()) and state.covers()


def keep_provisionally(assumption: Assumption, concrete: ConcreteFunction) -> None:
    """Let other calls have a trace that is for this moment alone, for it waits for what others
    return, changes objects, or uses symbols around it: the paths through functions that call each
    other are many.
    """
    key = assumption.traces, assumption.key
    kept = _Provisional(concrete, dict(assumption.needs), assumption.changed)
    _thread.provisional[key] = kept


def provisional(traces: Any, key: Any) -> ConcreteFunction | None:
    """Returns the trace of a function for this signature that was kept so, if it holds."""
    found = _thread.provisional.get((traces, key))
    if found is None or not found.holds():
        return None
    for each in found.needs:
        each._use()
    return found.concrete


def _settle(assumption: Assumption) -> None:
    """Let what waited for a trace that has ended wait for what that needed."""
    for key, kept in list(_thread.provisional.items()):
        if assumption in kept.needs:
            if kept.needs.pop(assumption) is not assumption.callee:
                del _thread.provisional[key]
            kept.needs.update(assumption.needs)


def never_back(trace: Trace, callee: Callee, values: Sequence[Value]) -> Unreachable:
    """Add a call that does not return, for each path in the function raises, and give what ends
    the block: its region ends in a `raise`, which the run does not reach.
    """
    trace.append(CALL, values, (), {"callee": callee})
    never = RecursionError(f"{callee.name} calls itself without end")
    trace.append(RAISE, (), (), {"exception": image_of(never)[0]})
    return Unreachable()


class _Thread(threading.local):
    def __init__(self) -> None:
        self.running: list[Assumption] = []
        self.implicit: dict[tuple[int, int], Any] = {}
        self.descents: dict[Any, Any] = {}
        self.bound: dict[Any, Any] = {}
        self.provisional: dict[Any, _Provisional] = {}


_thread = _Thread()


@contextmanager
def running(assumption: Assumption) -> Iterator[None]:
    """While it is traced, on this thread."""
    _thread.running.append(assumption)
    try:
        yield
        _settle(assumption)
    finally:
        _thread.running.pop()
        assumption.changed = tuple  # it would keep alive what the trace has met


def running_of(traces: Any) -> dict[Any, Assumption]:
    """Returns the traces of one function that this thread makes, by the keys of the arguments."""
    return {known.key: known for known in _thread.running if known.traces is traces}


@contextmanager
def implicit(function: Any) -> Iterator[None]:
    """While a `@function` is traced, calls of its Python function mean itself."""
    if function.input_signature is None:
        _thread.implicit.setdefault(_identity(function.python_function), function)
    try:
        yield
    finally:
        if len(_thread.running) == 1:  # no other function that is traced calls it
            _thread.implicit.clear()
            _thread.descents.clear()
            _thread.bound.clear()
            _thread.provisional.clear()


def implicit_function(function: Any, make: Callable[[Any], Any]) -> Any:
    """Returns what `make` made of a Python function, the same while a trace is made."""
    key = _identity(function)
    found = _thread.implicit.get(key)
    if found is None:
        found = _thread.implicit[key] = make(function)
    return found


def descent_of(traces: Any, make: Callable[[], Any]) -> Any:
    """Returns what `make` made for the calls of one function, the same while a trace is made."""
    return _thread.descents.setdefault(traces, make())


def _identity(function: Any) -> tuple[int, int]:
    plain, receiver = getattr(function, "__func__", function), getattr(function, "__self__", None)
    return id(plain), id(receiver)


def active_calls(code: CodeType, root: FrameType | None, is_converted: Converted) -> int:
    """Returns the number of frames between the caller and `root` that run the function of this
    code, converted. A generator is not running while what takes its elements is.
    """
    frame: FrameType | None = sys._getframe(1)
    found = takers = 0
    while frame is not None and frame is not root:
        if takers == 0:
            found += _is_of(frame.f_code, code) and is_converted(frame.f_code)
        step = takes_elements(frame)
        if step:
            takers = max(0, takers + step)
        frame = frame.f_back
    return found


class OwnKind:
    """An argument of a recursive call that is None on some path, or an array of NumPy's, taken
    apart: its trace has one of that kind in its place, and no tensor.
    """

    __slots__ = ("given",)

    def __init__(self, given: Any) -> None:
        self.given = given


def _flatten(item: OwnKind) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    given = item.given
    is_optional = isinstance(given, MaybeNone)
    return (("", IS_THERE), (given.held, given.flag)) if is_optional else (("",), (given,))


def _build(kind: type, names: Sequence[str], children: Sequence[Any]) -> Any:
    if IS_THERE in names:
        return MaybeNone(*children)
    (made,) = children
    return as_array(made) if isinstance(made, SymbolicTensor) else OwnKind(made)


add_handler(OwnKind, Handler(_flatten, _build, "{}"))


def with_kinds(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a recursive call; those that may be None, and arrays, go on as such."""
    return tuple(map(_of_kind, args)), {name: _of_kind(x) for name, x in kwargs.items()}


def _of_kind(item: Any) -> Any:
    if isinstance(item, MaybeNone | SymbolicArray):
        return OwnKind(item)
    return OwnKind(held(item)) if is_of_numbers(item) else item


def settled_result(returned: Returned, call: Call, result: Any) -> Any:
    """The result of a recursive call, which may be, or have in it, one of the arguments."""
    given = dict(enumerate(call.args)) | call.kwargs
    arguments = {
        name: item.given if isinstance(item, OwnKind) else item for name, item in given.items()
    }
    return returned.settle(active(), arguments, result)


def with_lists_bound(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], is_converted: Converted
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A recursive call whose lists, dicts and sets are parts of the function where it only passes
    them on, or they are default values: each of the calls means the same object.
    """
    plain, receiver = getattr(function, "__func__", function), getattr(function, "__self__", None)
    defaults = *(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values()
    if not any(isinstance(item, _CONTAINERS) for item in (*args, *kwargs.values(), *defaults)):
        return function, args, kwargs
    signature = signature_of(function)
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if not kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:
        return function, args, kwargs
    given = signature.bind(*args, **kwargs).arguments
    names = _passed_on(function, given, active().root, is_converted)
    for name, parameter in signature.parameters.items():
        if name not in given and isinstance(parameter.default, _CONTAINERS):
            given[name] = parameter.default
            names.append(name)
    if not names:
        return function, args, kwargs
    key = id(plain), id(receiver), *[(name, id(given[name])) for name in names]
    if key not in _thread.bound:
        if _are_too_many(key, [known for known in _thread.bound if known[:2] == key[:2]]):
            return function, args, kwargs
        made: Any = functools.partial(function, **{name: given[name] for name in names})
        made.__name__ = plain.__name__
        # Without what is bound, which a call of it would be given as default values.
        made.__signature__ = signature.replace(
            parameters=[
                each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
                for name, each in signature.parameters.items()
                if name not in names
            ]
        )
        _thread.bound[key] = made
    return _thread.bound[key], (), {name: x for name, x in given.items() if name not in names}


_CONTAINERS = list, dict, set


def _are_too_many(key: Sequence[Any], known: Sequence[Sequence[Any]]) -> bool:
    """Whether a function has been called with so many combinations of lists, or of ever new ones,
    that those of another call are no parts of it.
    """
    met: set[int] = set()
    new = 0
    for each in known:
        found = {item for _, item in each[2:]}
        new += not found <= met
        met |= found
    is_new = not {item for _, item in key[2:]} <= met
    return len(known) >= MOST_BOUND or (is_new and new >= MOST_NEW)


def bound_functions() -> dict[Any, Any]:
    """Returns what is called for functions with some of their arguments, while a trace is made."""
    return _thread.bound


def bound_containers(function: Any) -> dict[str, Any]:
    """Returns what `with_lists_bound` made parts of a function, by its names."""
    return function.keywords if isinstance(function, functools.partial) else {}


def _passed_on(
    function: Any, given: Mapping[str, Any], root: FrameType | None, is_converted: Converted
) -> list[str]:
    """The names of the containers that the last call of the function was given too."""
    code = getattr(function, "__func__", function).__code__
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame is not root:
        if _is_of(frame.f_code, code) and is_converted(frame.f_code):
            parameters = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            known = {id(frame.f_locals.get(name)) for name in (*parameters, *given)}
            held = {name: x for name, x in given.items() if isinstance(x, _CONTAINERS)}
            return [name for name, item in held.items() if id(item) in known]
        frame = frame.f_back
    return []


def _is_of(code: CodeType, original: CodeType) -> bool:
    # Blocks of a converted function have its name, but not its first line.
    return (
        code.co_firstlineno == original.co_firstlineno
        and code.co_name == original.co_name
        and code.co_filename == original.co_filename
    )


def unsettled() -> bool:
    """True if what is traced now contains calls that are supposed not to return."""
    return any(assumption.used and assumption.spec is None for assumption in _thread.running)


def has_numbers(spec: Spec | None) -> bool:
    """True if there are Python numbers among the values."""
    return spec is not None and any(isinstance(type, NumberType) for type in types_of(spec))

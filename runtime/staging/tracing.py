"""Tracing: while a `Trace` is active on a thread, ops add nodes to it and Python handles symbols.

A `SymbolicTensor` stands for a tensor, a `SymbolicNumber` for a Python number; both belong to the
scope (the region being built) in which they were made, and refuse to be used where that scope is
not open.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, cast

from autograph.calls import call_with_defaults
from runtime.core.naming import replace_scopes, scoped
from runtime.core.primitive import Primitive
from runtime.core.primitive import _record as record
from runtime.core.state import state
from runtime.core.tensor import EagerTensor
from runtime.core.types import NumberType, ObjectHandle, TensorType, Type
from runtime.core.widening import is_widened, widened
from runtime.dtypes import WIDENED, DType
from runtime.graph.ir import NO_PARAMS, Graph, Location, Node, Origin, Params, Region, Value
from runtime.graph.known_values import UNKNOWN, known_parts, known_values
from runtime.graph.lists import Elements
from runtime.graph.nodes import CONSTANT, NUMBER_TYPES, TRUTH
from runtime.graph.verification import verify
from runtime.staging import refusals, streams
from runtime.staging.aliasing.item_assignments import meaning, restore
from runtime.staging.aliasing.sharing import hold, view
from runtime.staging.bytecode import Ending
from runtime.staging.control import joined_variables
from runtime.staging.control.carried_objects import Watch, no_watch
from runtime.staging.control.deferred_exceptions import (
    check_silent_failure,
    check_unhandled,
    check_unhandled_failure,
)
from runtime.staging.control.references import NOTHING_WANTED, References
from runtime.staging.control.stand_ins import StandIn, refused
from runtime.staging.frames import caller_of, is_ours, name_given_to, origin_of, user_location
from runtime.staging.outside import outlives_calls, place_key
from runtime.staging.scopes import Handle, InScope, Scope, Site, Stale, Symbol, unfailing
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor

if TYPE_CHECKING:
    from runtime.graph.format.views import Operation
    from runtime.staging.guarding.watching import Watcher
    from runtime.staging.late_reads import LateReads


_OF_CONSTANTS = ("constant", "convert_to_tensor")
"""Functions whose `name` is that of a constant; elsewhere it is that of the op that takes it."""
_WITH_DEFAULTS = call_with_defaults.__code__


def _nothing_existed(item: Any) -> bool:
    return False


class Trace:
    """The graph being built on this thread: within it (`with trace:`), ops are added to it."""

    __slots__ = (
        "__weakref__",
        "_caller",
        "_caught",
        "_entered",
        "_frame",
        "_named_last",
        "_saved",
        "arguments",
        "attempts",
        "called_exact",
        "captures",
        "code",
        "constants",
        "converter",
        "counts",
        "derives",
        "device",
        "existed",
        "failures",
        "former",
        "given",
        "handled",
        "has_returned",
        "in_texts",
        "joined",
        "kept",
        "knows_kinds",
        "late",
        "levels",
        "meets_floats",
        "memo",
        "met",
        "name",
        "parts",
        "printed",
        "read_at_joins",
        "recurs",
        "references",
        "refined",
        "refusal",
        "root",
        "scope",
        "sites",
        "streams",
        "tentative",
        "watch",
        "watcher",
        "work",
        "written",
    )

    is_fed = False
    """True if its tensors are keys of the values that they are fed."""

    def __init__(self, name: str) -> None:
        self.name = name
        # In the gradient of a graph, of which only who calls that says what is asked for.
        self.derives = False
        self.code: CodeType | None = None
        # The nodes of all regions, and of what was undone; what is as much to trace as many nodes
        # counts as many.
        self.work = 0
        # In what is written out instead where Python's numbers would do more than staged ones.
        self.tentative = False
        # In such of which Python knows the kinds of numbers.
        self.knows_kinds = False
        self.has_returned = False
        self.root: FrameType | None = None
        # What the caller handles, which is another exception at each call, or none.
        self.handled: BaseException | None = None
        # What sys.stdout and sys.stderr were when the outermost trace began.
        self.streams: dict[str, Any] = {}
        # The files that this trace, and those around it, print to.
        self.printed: list[Any] = []
        self._frame: FrameType | None = None
        self._entered: FrameType | None = None
        # The last node to which a call gave its name, and the frame of the call.
        self._named_last: tuple[FrameType | None, Node | None] = (None, None)
        self._caller: Origin | None = None
        # What was caught, by its identity, with the place where it was raised.
        self._caught: dict[int, tuple[BaseException, Origin | None]] = {}
        self.scope = Scope(self, "the body", None)
        self.captures: dict[int, tuple[Value, Any]] = {}
        self.constants: dict[Value, Any] = {}
        # Shapes of which not all sizes are known, as `known_parts` has them.
        self.parts: dict[Value, Any] = {}
        self.counts: dict[str, int] = {}
        self.memo: dict[Any, Any] = {}
        self.joined: list[Any] = []
        # Python numbers that became integers of these dtypes where paths meet.
        self.met: list[tuple[Any, DType]] = []
        # Whether an int has become a float in it where it meets one.
        self.meets_floats = False
        # Whether it calls a graph whose arithmetic of integers is Python's.
        self.called_exact = False
        # The objects from before that staged blocks change, by their keys: what is in them is
        # written behind a call. None where a trace cannot have such.
        self.kept: dict[Any, Any] | None = None
        # True for a recursion: its calls are given all that it changes.
        self.recurs = False
        self.references = References(NOTHING_WANTED)
        # What gradient functions read that it has staged.
        self.late: list[LateReads] = []
        self.read_at_joins: dict[Value, Any] = {}
        self.converter: Callable[[Any], Any] | None = None
        self.refined: dict[Value, SymbolicTensor] = {}
        # Symbols that texts hold, which no item assignment changes: one for each value, so that a
        # function that is traced again reads what it read before.
        self.in_texts: dict[Value, SymbolicTensor] = {}
        self.refusal: Exception | None = None
        self.given: dict[Value, Any] = {}
        self.watch: Watch = no_watch
        self.watcher: Watcher | None = None
        # Of symbols whose items were assigned, the values since then, and where; and what tapes
        # knew them by before.
        self.written: dict[int, tuple[Any, list[tuple[Value, Location | None]]]] = {}
        self.former: dict[int, tuple[Any, list[Value]]] = {}
        self.device: str | None = None
        self.existed: Callable[[Any], bool] = _nothing_existed
        # The ids of what stands for the containers in the arguments.
        self.arguments: frozenset[int] = frozenset()
        self.failures = 0
        # The `try` statements that are being traced, the blocks in them, and how many places there
        # are that may fail.
        self.attempts: list[Any] = []
        self.levels: list[Any] = []
        self.sites = 0
        self._saved: list[tuple[Any, Any, str]] = []

    def __enter__(self) -> Trace:
        around = state.trace
        names = scoped("") if around is self else replace_scopes("")
        self._saved.append((around, state.tapes, names))
        self.streams = self.streams or (around.streams if around else streams.present())
        self.printed = around.printed if around else self.printed
        state.trace, state.tapes = self, ()
        if self.root is None:
            self.root, self.handled = sys._getframe(1), sys.exc_info()[1]
        return self

    def leave(self) -> None:
        """Let the thread go on with what it had before it entered the trace."""
        state.trace, state.tapes, names = self._saved.pop()
        replace_scopes(names)

    def __exit__(self, *exception: object) -> None:
        self.leave()
        if not self._saved:
            # Symbols that outlive the trace keep it alive: let go of the user's objects.
            self.root = self.handled = None
            self.forget_frames()
            self.streams, self.printed = {}, []
            self.existed = _nothing_existed
            self.given = {}
            self.written, self.former = {}, {}
            self.scope.open = False
            late, self.late = self.late, []
            for each in late:
                each.settle()

    @property
    def outer(self) -> Trace | None:
        """The trace that was active when this one began."""
        return self._saved[0][0] if self._saved else None

    # Building

    def emit(self, primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        """Add one op on tensors: what `bind` does while this trace is active."""
        values = tuple([self.value_of(x) for x in inputs])
        if WIDENED and is_widened(primitive, inputs):
            return widened(primitive, inputs, params)
        outputs = self.apply(primitive, values, params or NO_PARAMS)
        made = outputs if type(outputs) is tuple else (outputs,)
        if not values and primitive is CONSTANT:
            self.constants[outputs.graph_value] = params["value"]
        else:
            found = known_values(
                primitive, values, [x.graph_value for x in made], params, self.constants
            )
            self.constants.update(found)
            if not found:
                parts = known_parts(primitive, values, params, self.constants, self.parts)
                for sizes, each in zip(parts, made, strict=False):
                    self._keep_parts(sizes, each)
        if state._tapes or state._inspect is not None:
            record(primitive, tuple(inputs), made, params)
        return outputs

    def _keep_parts(self, sizes: Any, made: Any) -> None:
        known = self.parts if (sizes == UNKNOWN).any() else self.constants
        known[made.graph_value] = sizes

    surely = staticmethod(unfailing)

    def apply(
        self, primitive: Primitive, values: tuple[Value, ...], params: Params = NO_PARAMS
    ) -> Any:
        """Add a node whose types its primitive infers: the symbol of its output, or a tuple of
        them.
        """
        for name, item in params.items():
            if isinstance(item, StandIn):
                raise refused(item, f"the {name} of {primitive.op_type}, which Python has to know")
        inferred = primitive.infer(*[value.type for value in values], **params)
        if self.attempts:
            from runtime.staging.control.caught import probe

            probe(self, primitive, values, params)
        if primitive.fallible:
            self.check_handlers(primitive, values, params)
        if primitive.silent:
            check_silent_failure(self, primitive, values)
        origin = self.origin()
        self.work += 1
        name, frame = self._named(primitive)
        several = type(inferred) is tuple
        types = inferred if several else (inferred,)
        outputs = tuple([Value(type, name, index) for index, type in enumerate(types)])
        node = Node(primitive, values, outputs, params, (), origin, self.device, name)
        if frame is not None:
            self._named_last = frame, node
        self.scope.nodes.append(node)
        made = [symbol(output, self.scope, origin) for output in outputs]
        return tuple(made) if several else made[0]

    def check_handlers(self, primitive: Primitive, values: Sequence[Value], params: Params) -> None:
        """StagingError where a handler of the user's could catch what the op raises at run time."""
        check_unhandled_failure(self.root, primitive, values, params)

    def check_raised(
        self, what: str, kind: type[BaseException] = BaseException, root: FrameType | None = None
    ) -> None:
        """StagingError where a handler of the user's, in the frames as far as `root`, could catch
        an exception of class `kind` that the run raises; `root` is by default where it began.
        """
        check_unhandled(root or self.root, what, kind)

    def dependent(self, items: Iterable[Any] | None) -> AbstractContextManager[None]:
        """Inside this block nodes run after those of `items`: so they do, in program order."""
        return nullcontext()

    def grouped(self, items: Iterable[Any], default_name: str | None = None) -> Any:
        """None: what has an effect runs anyway."""

    @property
    def graph(self) -> Any:
        """The graph of its tensors, as they name it."""
        return self

    def operation_of(self, item: SymbolicTensor) -> Operation:
        """The operation that makes a tensor, as the graph lists it."""
        from runtime.graph.format import views

        return views.tensors(views.traced(self, item.scope), [item.graph_value])[0].op

    def evaluate(self, item: SymbolicTensor, feed_dict: Any, session: Any) -> Any:
        """Refused: the graph of a function is run by calling the function."""
        return item.__getattr__("eval")

    def refine(self, item: SymbolicTensor, known: SymbolicTensor) -> None:
        """Let a symbol stand for a value of which more is known, until the open scope ends."""
        if item.graph_value in self.constants:
            self.constants[known.graph_value] = self.constants[item.graph_value]
        if self.scope is not item.scope:
            self.scope.changes.append((item, meaning(item)))
        item.graph_value = known.graph_value
        self.refined[item.graph_value] = item

    def append(
        self,
        primitive: Primitive,
        values: Sequence[Value],
        outputs: Sequence[Value] = (),
        params: Params = NO_PARAMS,
        regions: Sequence[Region] = (),
        origin: Origin | None = None,
    ) -> tuple[Symbol, ...]:
        """Add a node with given outputs: control flow, calls, raises."""
        if "callee" in params:
            streams.check_call(self.streams, params["callee"])
            if self.attempts:
                from runtime.staging.control.caught import check_call

                check_call(self, params["callee"])
        origin = origin or self.origin()
        self.work += 1
        node = Node(
            primitive,
            tuple(values),
            tuple(outputs),
            params,
            tuple(regions),
            origin,
            self.device,
        )
        if regions and self._entered is not None and name_given_to(self._entered):
            name, frame = self._named(primitive)
            node.rename(name)
            self._named_last = frame, node
        self.scope.nodes.append(node)
        symbols = tuple([symbol(output, self.scope, origin) for output in outputs])
        if state._tapes and (regions or "callee" in params):
            handle = Handle(node, self.scope)
            for tape in state._tapes:
                tape.control(handle, symbols)
        return symbols

    def keep(self, item: Any) -> bool:
        """Note that a staged block changes an object from before; False where it must not."""
        if self.recurs:
            return True
        if self.kept is None or not outlives_calls(item):
            return False
        self.kept.setdefault(place_key(item), (item, user_location()))
        return True

    def writes(self, item: Any, value: Value) -> None:
        """Items of a symbol are assigned: it will stand for this value."""
        self.renews(item)
        self.written.setdefault(id(item), (item, []))[1].append((value, user_location()))

    def renews(self, item: Any) -> None:
        """A symbol will stand for another value: let tapes know what it was."""
        self.former.setdefault(id(item), (item, []))[1].append(item.node)

    def viewed(self, base: Any, made: Any, key: Any) -> None:
        """`made = base[key]` was computed by a slice."""
        view(self, base, made, key)

    def check_stream(self, name: str) -> None:
        """StagingError where the trace has replaced `sys.stdout` or `sys.stderr`."""
        streams.check(self.streams, name)

    def refused(self, message: str, hint: str) -> Exception:
        """The StagingError for what cannot be part of a graph, where the user's code stands: no
        exception of the run.
        """
        return refusals.refuse(message, hint)

    def called(self, function: Any) -> Any:
        """Returns what to call for a function of the user's: converted, if this trace converts."""
        return function if self.converter is None else self.converter(function)

    def branch(self, function: Any) -> Any:
        """Returns what to call for a function that the user gave to `cond` or `case`."""
        return self.called(function)

    def origin(self) -> Origin | None:
        """Returns the place of the user's code, and where that was called; before the traced
        function, its `def`, and behind it, its `return`.
        """
        frame: FrameType | None = sys._getframe(2)
        inside = True
        while frame is not None and is_ours(frame.f_code.co_filename):
            inside = inside and frame is not self.root
            if frame.f_code is not _WITH_DEFAULTS:
                self._entered = frame
            frame = frame.f_back
        if not inside and self.code is not None:
            return Ending(self.code, 0) if self.has_returned else Origin(self.code, 0)
        if frame is None:
            return None
        if frame is not self._frame:
            # While it runs, what called it stands still.
            self._frame = frame
            self._caller = caller_of(frame, self.root) if inside else None
        return Origin(frame.f_code, frame.f_lasti, self._caller)

    def raised_at(self, error: BaseException) -> Origin | None:
        """The place where an exception was raised: for one that a `try` had caught, and that is
        raised again, the first, as in Python's tracebacks.
        """
        _, origin = self._caught.get(id(error), (None, None))
        return origin or origin_of(error, self.root)

    def note_caught(self, error: BaseException, origin: Origin | None) -> None:
        """Let an exception, which nobody else holds, be the one that was raised at this place."""
        self._caught[id(error)] = error, origin

    def forget_frames(self) -> None:
        """Let go of the frames of a block that has ended, and so of what they alone hold."""
        self._frame = self._entered = None
        self._named_last = None, None

    def _named(self, primitive: Primitive) -> tuple[str, FrameType | None]:
        """The name for a node, unique, in the open name scopes: the one that the user's call gave,
        beside the frame of this call.

        Of the nodes of one call the last has it; those before are under it.
        """
        kind = primitive.name.rpartition(".")[2]
        entered: FrameType = self._entered  # type: ignore[assignment]
        given = name_given_to(entered)
        if not given:
            return self.unique(scoped(kind)), None
        is_given = primitive is CONSTANT and entered.f_code.co_name not in _OF_CONSTANTS
        if is_given or primitive is TRUTH:
            return self.unique(scoped(f"{given}/{kind}")), None
        frame, node = self._named_last
        if frame is not entered or node is None:
            return self.unique(scoped(given)), entered
        name = node.name
        node.rename(self.unique(f"{name}/{node.primitive.name.rpartition('.')[2]}"))
        return name, entered

    def unique(self, name: str) -> str:
        """`name`, with a number if this trace has used it already."""
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        return f"{name}_{count}" if count else name

    def parameter(self, type: Type, name: str) -> Any:
        """A new parameter of the open scope."""
        value = Value(type, self.unique(name))
        self.scope.parameters.append(value)
        return self.symbol(value)

    def symbol(self, value: Value) -> Any:
        """Returns the Python object for a value of the open scope."""
        return symbol(value, self.scope, self.origin())

    @contextmanager
    def nested(self, kind: str, site: Site) -> Iterator[Scope]:
        """Build a region inside: nodes go to it until the block ends; then its symbols are out of
        reach.
        """
        scope = self.scope = Scope(self, kind, self.scope, site)
        try:
            yield scope
        finally:
            scope.open = False
            self.scope = cast(Scope, scope.outer)
            scope.left = [(item, meaning(item)) for item in scope.touched.values()]
            restore(reversed(scope.changes))

    @contextmanager
    def reopened(self, scope: Scope) -> Iterator[None]:
        """Add further nodes at the end of a region that was left."""
        before, self.scope, scope.open = self.scope, scope, True
        # What converts values where paths join is no op of the user's.
        attempts, self.attempts = self.attempts, []
        around = [(item, meaning(item)) for item, _ in scope.left]
        count = len(scope.changes)
        restore(scope.left)
        try:
            yield
        finally:
            restore(reversed(scope.changes[count:]))
            restore(around)
            self.scope, scope.open, self.attempts = before, False, attempts

    # Values

    def value_of(self, item: Any) -> Value:
        """The graph's value for a symbol, an eager tensor or a Python number.

        Raises errors.InaccessibleTensorError for a symbol whose scope is not open.
        """
        kind = type(item)
        if issubclass(kind, InScope):
            scope = item.scope
            if scope.open and scope.trace is self:
                return cast(Value, item.graph_value)
            return self.foreign(item)
        if kind in NUMBER_TYPES:
            return cast(Value, self.number(item).graph_value)
        if kind is Elements:
            return cast(Value, item.staged().graph_value)
        if kind is ObjectHandle:
            return self.capture(item, item.type)
        return self.capture(item, TensorType(item.dtype, item.static_shape))

    def foreign(self, item: Any) -> Value:
        """A symbol of a graph around this one is captured, the value of one that was changed by
        another name is looked up; any other is a leak.
        """
        if type(item.scope) is Stale and item.scope.home.open:
            around = item.scope.home.trace
            value: Value = item.scope.renew(around, item)
            if around is self:
                return value
        if not item.scope.open or item.scope.trace is self:
            raise refusals.leaked(item)
        return self.capture(item, item.graph_value.type)

    def capture(self, item: Any, type: Type) -> Value:
        """The value that stands for an object from outside, which is held by reference."""
        known = self.captures.get(id(item))
        if known is None:
            if isinstance(item, EagerTensor):
                self.takes_over(item)
            known = Value(type, self.unique("captured")), item
            self.captures[id(item)] = known
        return known[0]

    def takes_over(self, item: EagerTensor) -> None:
        """The value of an eager tensor becomes a part of the graph."""
        hold(item, f"a tensor whose value is part of the graph of {self.name}")

    def number(self, value: float) -> Any:
        """A constant Python number."""
        origin = self.origin()
        made = Value(NUMBER_TYPES[type(value)], "number")
        self.scope.nodes.append(Node(CONSTANT, (), (made,), {"value": value}, (), origin))
        return SymbolicNumber(made, self.scope, origin)

    def get_operations(self) -> list[Operation]:
        """Returns what has been traced so far, as the graph will list it."""
        from runtime.graph.format import views

        return views.traced(self, self.scope)

    def finish(self, results: Sequence[Value], checked: bool = True) -> Graph:
        """The graph with these results, verified if `checked`. Symbols from around it become
        parameters behind its own.
        """
        for joined in self.joined:
            joined.check(self)
        self.joined = []
        captures = tuple([(v, x) for v, x in self.captures.values() if not is_symbol(x)])
        self.scope.parameters += [v for v, x in self.captures.values() if is_symbol(x)]
        graph = Graph(self.name, self.scope.region(results), captures)
        joined_variables.check(graph, self)
        if checked:
            verify(graph)
        return graph

    def outer_symbols(self) -> list[Any]:
        """The symbols of graphs around it that it uses, in the order of its last parameters."""
        return [x for _, x in self.captures.values() if is_symbol(x)]


def is_symbol(item: object) -> bool:
    """True if it stands for a value of the graph."""
    return isinstance(item, SymbolicTensor) or type(item) is SymbolicNumber or type(item) is Symbol


def symbol(value: Value, scope: Scope, origin: Origin | None) -> Any:
    """The Python object for a value: a tensor or a number by its type."""
    kind = type(value.type)
    if kind is TensorType:
        return SymbolicTensor(value, scope, origin)
    if kind is NumberType:
        return SymbolicNumber(value, scope, origin)
    return Symbol(value, scope, origin)

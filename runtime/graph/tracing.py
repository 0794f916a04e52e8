"""Tracing: while a `Trace` is active on a thread, ops add nodes to it and Python handles symbols.

A `SymbolicTensor` stands for a tensor, a `SymbolicNumber` for a Python number; both belong to the
scope (the region being built) in which they were made, and refuse to be used where that scope is
not open.
"""

from __future__ import annotations

import dis
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from runtime import dtypes, errors
from runtime.convert import as_array, register_conversion
from runtime.dtypes import DType
from runtime.graph import nodes, numbers, refusals
from runtime.graph.arrays import Elements
from runtime.graph.frames import caller_of, container_at, is_ours, name_given_to, user_location
from runtime.graph.handlers import check_unhandled_failure
from runtime.graph.ir import NO_PARAMS, Graph, Node, Origin, Params, Region, Value, format_location
from runtime.graph.nodes import CHECK_LENGTH, CONSTANT, NUMBER_TYPES, TO_TENSOR
from runtime.graph.verification import verify
from runtime.naming import scoped
from runtime.primitive import Primitive
from runtime.primitive import _record as record
from runtime.shapes import Shape
from runtime.state import state
from runtime.tensor import Tensor
from runtime.types import ListType, NumberType, TensorType, Type

if TYPE_CHECKING:
    from runtime.graph.guards import Guards
    from runtime.graph.views import Operation

Site = tuple[int, ...]

_OF_CONSTANTS = ("constant", "convert_to_tensor")
"""Functions whose `name` is that of a constant; elsewhere it is that of the op that takes it."""


LOOP = "the body of a loop"
"""The kind of the scopes that may run several times."""


class Scope:
    """A region being built: its nodes so far, and whether symbols made in it may be used now."""

    __slots__ = ("inner", "kind", "nodes", "open", "outer", "parameters", "site", "trace")

    def __init__(self, trace: Trace, kind: str, outer: Scope | None, site: Site = ()) -> None:
        self.trace = trace
        self.site = site
        self.inner = 0
        self.kind = kind
        self.outer = outer
        self.open = True
        self.parameters: list[Value] = []
        self.nodes: list[Node] = []

    def next_site(self) -> Site:
        """A place in this scope, the same in each trace of the same code."""
        self.inner += 1
        return (*self.site, self.inner)

    def region(self, results: Sequence[Value]) -> Region:
        """The finished region."""
        return Region(tuple(self.parameters), tuple(self.nodes), tuple(results))


class Symbol:
    """What Python holds for a value of a graph being traced."""

    __slots__ = ("origin", "scope", "value")
    value: Value
    scope: Scope
    origin: Origin | None

    def __init__(self, value: Value, scope: Scope, origin: Origin | None) -> None:
        self.value = value
        self.scope = scope
        self.origin = origin

    @property
    def type(self) -> ListType:
        """What list it is."""
        return cast(ListType, self.value.type)

    @property
    def node(self) -> Value:
        """What tapes know it by."""
        return self.value

    def __add__(self, other: Symbol) -> Any:
        return nodes.apply(nodes.LIST_ADD, self, other)


class Handle:
    """A node of control flow that tapes have recorded: where it is, and what stands there now.

    A gradient replaces the node by one that also returns what the gradient reads.
    """

    __slots__ = ("node", "scope")

    def __init__(self, node: Node, scope: Scope) -> None:
        self.node = node
        self.scope = scope


def _nothing_existed(item: Any) -> bool:
    return False


class Trace:
    """The graph being built on this thread: within it (`with trace:`), ops are added to it."""

    __slots__ = (
        "__weakref__",
        "_caller",
        "_entered",
        "_frame",
        "_prefix",
        "_saved",
        "captures",
        "code",
        "constants",
        "converter",
        "counts",
        "device",
        "existed",
        "given",
        "guards",
        "joined",
        "memo",
        "name",
        "refusal",
        "root",
        "scope",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.code: CodeType | None = None
        self.root: FrameType | None = None
        self._frame: FrameType | None = None
        self._entered: FrameType | None = None
        self._caller: Origin | None = None
        self.scope = Scope(self, "the body", None)
        self.captures: dict[int, tuple[Value, Any]] = {}
        self.constants: dict[Value, Any] = {}
        self.counts: dict[str, int] = {}
        self.memo: dict[Any, Any] = {}
        self.joined: list[Any] = []
        self.converter: Callable[[Any], Any] | None = None
        self.refusal: Exception | None = None
        self.given: dict[Value, Any] = {}
        self.guards: Guards | None = None
        self.device: str | None = None
        self._prefix = scoped("")
        self.existed: Callable[[Any], bool] = _nothing_existed
        self._saved: list[tuple[Any, Any]] = []

    def __enter__(self) -> Trace:
        self._saved.append((state.trace, state.tapes))
        state.trace, state.tapes = self, ()
        self.root = self.root or sys._getframe(1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        state.trace, state.tapes = self._saved.pop()
        if not self._saved:
            # Symbols that outlive the trace keep it alive: let go of the user's objects.
            self.root = self._frame = self._entered = None
            self.existed = _nothing_existed
            self.given = {}
            self.scope.open = False

    # Building

    def emit(self, primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        """Add one op on tensors: what `bind` does while this trace is active."""
        values = tuple([self.value_of(x) for x in inputs])
        outputs = self.apply(primitive, values, params or NO_PARAMS)
        if not values and primitive.name == "constant":
            self.constants[outputs.value] = params["value"]
        if state._tapes or state._inspect is not None:
            made = outputs if type(outputs) is tuple else (outputs,)
            record(primitive, tuple(inputs), made, params)
        return outputs

    def apply(
        self, primitive: Primitive, values: tuple[Value, ...], params: Params = NO_PARAMS
    ) -> Any:
        """Add a node whose types its primitive infers: the symbol of its output, or a tuple of
        them.
        """
        inferred = primitive.infer(*[value.type for value in values], **params)
        if primitive.fallible:
            check_unhandled_failure(self.root, primitive)
        origin = self.origin()
        name = self.unique(self._named(primitive))
        if type(inferred) is not tuple:
            output = Value(inferred, name)
            node = Node(primitive, values, (output,), params, (), origin, self.device)
            self.scope.nodes.append(node)
            return symbol(output, self.scope, origin)
        outputs = tuple([Value(type, name, index) for index, type in enumerate(inferred)])
        node = Node(primitive, values, outputs, params, (), origin, self.device)
        self.scope.nodes.append(node)
        return tuple([symbol(output, self.scope, origin) for output in outputs])

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
        origin = origin or self.origin()
        node = Node(
            primitive,
            tuple(values),
            tuple(outputs),
            params,
            tuple(regions),
            origin,
            self.device,
        )
        self.scope.nodes.append(node)
        symbols = tuple([symbol(output, self.scope, origin) for output in outputs])
        if state._tapes and (regions or "callee" in params):
            handle = Handle(node, self.scope)
            for tape in state._tapes:
                tape.control(handle, symbols)
        return symbols

    def called(self, function: Any) -> Any:
        """What to call for a function of the user's: converted, if this trace converts."""
        return function if self.converter is None else self.converter(function)

    def origin(self) -> Origin | None:
        """Where the user's code stands, and where that was called; before and behind the traced
        function, its `def`.
        """
        frame: FrameType | None = sys._getframe(2)
        inside = True
        while frame is not None and is_ours(frame.f_code.co_filename):
            inside = inside and frame is not self.root
            self._entered = frame
            frame = frame.f_back
        if not inside and self.code is not None:
            return Origin(self.code, 0)
        if frame is None:
            return None
        if frame is not self._frame:
            # While it runs, what called it stands still.
            self._frame = frame
            self._caller = caller_of(frame, self.root) if inside else None
        return Origin(frame.f_code, frame.f_lasti, self._caller)

    def forget_frames(self) -> None:
        """Let go of the frames of a block that has ended, and so of what they alone hold."""
        self._frame = self._entered = None

    def _named(self, primitive: Primitive) -> str:
        """The name for a node: the one that the user's call gave, in the open name scopes."""
        name = primitive.name.rpartition(".")[2]
        entered: FrameType = self._entered  # type: ignore[assignment]
        given = name_given_to(entered)
        if given:
            converted = name == "constant" and entered.f_code.co_name not in _OF_CONSTANTS
            name = f"{given}/{name}" if converted else given
        return scoped(name).removeprefix(self._prefix)

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
        """What Python holds for a value of the open scope."""
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

    @contextmanager
    def reopened(self, scope: Scope) -> Iterator[None]:
        """Add further nodes at the end of a region that was left."""
        before, self.scope, scope.open = self.scope, scope, True
        try:
            yield
        finally:
            self.scope, scope.open = before, False

    # Values

    def value_of(self, item: Any) -> Value:
        """The graph's value for a symbol, an eager tensor or a Python number.

        Raises errors.InaccessibleTensorError for a symbol whose scope is not open.
        """
        kind = type(item)
        if kind is SymbolicTensor or kind is SymbolicNumber or kind is Symbol:
            scope = item.scope
            if scope.open and scope.trace is self:
                return cast(Value, item.value)
            return self.foreign(item)
        if kind in NUMBER_TYPES:
            return cast(Value, self.number(item).value)
        if kind is Elements:
            return cast(Value, item.staged().value)
        return self.capture(item, TensorType(item.dtype, item.static_shape))

    def foreign(self, item: Any) -> Value:
        """A symbol of a graph around this one is captured; any other is a leak."""
        if not item.scope.open or item.scope.trace is self:
            raise leaked(item)
        return self.capture(item, item.value.type)

    def capture(self, item: Any, type: Type) -> Value:
        """The value that stands for an object from outside, which is held by reference."""
        known = self.captures.get(id(item))
        if known is None:
            known = Value(type, self.unique("captured")), item
            self.captures[id(item)] = known
        return known[0]

    def number(self, value: float) -> Any:
        """A constant Python number."""
        origin = self.origin()
        made = Value(NUMBER_TYPES[type(value)], "number")
        self.scope.nodes.append(Node(CONSTANT, (), (made,), {"value": value}, (), origin))
        return SymbolicNumber(made, self.scope, origin)

    def finish(self, results: Sequence[Value], checked: bool = True) -> Graph:
        """The graph with these results, verified if `checked`. Symbols from around it become
        parameters behind its own.
        """
        for joined in self.joined:
            joined.check()
        self.joined = []
        captures = tuple([(v, x) for v, x in self.captures.values() if not is_symbol(x)])
        self.scope.parameters += [v for v, x in self.captures.values() if is_symbol(x)]
        graph = Graph(self.name, self.scope.region(results), captures)
        if checked:
            verify(graph)
        return graph

    def outer_symbols(self) -> list[Any]:
        """The symbols of graphs around it that it uses, in the order of its last parameters."""
        return [x for _, x in self.captures.values() if is_symbol(x)]


def is_symbol(item: object) -> bool:
    """Does it stand for a value of the graph?"""
    return type(item) is SymbolicTensor or type(item) is SymbolicNumber or type(item) is Symbol


def symbol(value: Value, scope: Scope, origin: Origin | None) -> Any:
    """The Python object for a value: a tensor or a number by its type."""
    kind = type(value.type)
    if kind is TensorType:
        return SymbolicTensor(value, scope, origin)
    if kind is NumberType:
        return SymbolicNumber(value, scope, origin)
    return Symbol(value, scope, origin)


def active() -> Trace:
    """The trace that is active on this thread.

    Raises errors.InaccessibleTensorError where there is none.
    """
    trace = state.trace
    if trace is None:
        raise errors.InaccessibleTensorError("a symbol is used while no graph is being traced")
    return cast(Trace, trace)


def leaked(item: Any) -> errors.InaccessibleTensorError:
    """The error for a symbol that is used where its scope is not open."""
    made = item.origin.location if item.origin else None
    scope: Scope = item.scope
    return refusals.noted(
        errors.InaccessibleTensorError(
            f"{item!r} was made at {format_location(made)} inside {scope.kind} of graph "
            f"{scope.trace.name!r} and is used outside of it: return it, or pass it on as a "
            "variable that the block assigns; what is stored elsewhere while tracing is only a "
            "symbol"
        )
    )


# Tensors

_WAY_OUT = (
    "decorate the function with @function(autograph=True), or write it with cond and while_loop"
)


class SymbolicTensor(Tensor):
    """A tensor whose value only the run of the graph knows."""

    __slots__ = ("__weakref__", "_owner", "origin", "scope", "value")
    value: Value
    scope: Scope
    origin: Origin | None

    def __init__(self, value: Value, scope: Scope, origin: Origin | None) -> None:
        self.value = value
        self.scope = scope
        self.origin = origin

    @property
    def type(self) -> TensorType:
        """dtype and static shape."""
        return cast(TensorType, self.value.type)

    @property
    def node(self) -> Value:
        """What tapes know this tensor by."""
        return self.value

    @property
    def name(self) -> str:
        """Name of the op that makes it, and which of its outputs it is."""
        return f"{self.value.name}:{self.value.index}"

    @property
    def graph(self) -> Any:
        """The graph being traced that it belongs to."""
        return self.scope.trace

    @property
    def op(self) -> Operation:
        """The operation that makes it, as the graph lists it."""
        from runtime.graph import views

        scope: Scope | None = self.scope
        given = [value for value, _ in self.scope.trace.captures.values()]
        made: list[Node] = []
        while scope is not None:
            given, made = scope.parameters + given, scope.nodes + made
            scope = scope.outer
        found = views.tensors(views.listed(given, made), [self.value])
        return found[0].op

    @property
    def static_value(self) -> Any:
        """The array of a constant, else None."""
        return self.scope.trace.constants.get(self.value)

    def set_shape(self, shape: Any) -> None:
        """Refuse a shape that contradicts the static one; the static shape of a symbol stays as
        traced.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"{self!r} cannot have the shape {shape}")

    @property
    def raw(self) -> NoReturn:
        """Asked for where ops compute at once: outside of any trace, and so outside of its own."""
        raise leaked(self)

    def __repr__(self) -> str:
        refuse_text(self)
        return self._shown()

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: Any) -> SymbolicTensor:
        return self

    def _shown(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        refuse_text(self)
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'

    def __hash__(self) -> int:
        hint = "use x.ref() as the key, or a tensor for the table"
        raise refusals.placed("Tensor is unhashable: a set or a dict cannot hold it as a key", hint)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        name = container_at(sys._getframe(1)) or self.value.name
        raise refusals.refuse(
            f"an item of {name!r} is assigned where the new tensor would be lost: tensors are "
            "values, and no name that is read afterwards can be made to stand for the new one",
            "assign to an item of a local name, and use or return that name afterwards",
            variable=name,
        )

    def __bool__(self) -> NoReturn:
        raise not_python(self, "as a Python bool", _WAY_OUT)

    def __iter__(self) -> Iterator[Any]:
        count = _unpacked_into(sys._getframe(1), self.static_shape)
        if count is None:
            raise not_python(self, "as a Python iterable", _WAY_OUT)
        if len(self.static_shape or (None,)) == 0 or (self.static_shape or (None,))[0] is None:
            active().apply(CHECK_LENGTH, (active().value_of(self),), {"expected": count})
        return iter([self[place] for place in range(count)])

    def __len__(self) -> int:
        shape = self.static_shape
        if shape is None or (shape and shape[0] is None):
            raise not_python(self, "as the argument of len", "use tf.shape(x)[0] for its size")
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return cast(int, shape[0])

    def __contains__(self, item: object) -> NoReturn:
        raise not_python(self, "with the operator `in`", "write tf.reduce_any(x == item)")

    def __int__(self) -> NoReturn:
        raise not_python(self, "as a Python int", "use tf.cast(x, tf.int32)")

    def __float__(self) -> NoReturn:
        raise not_python(self, "as a Python float", "use tf.cast(x, tf.float32)")

    def __complex__(self) -> NoReturn:
        raise not_python(self, "as a Python complex", "use tf.cast(x, tf.complex64)")

    def __index__(self) -> NoReturn:
        raise not_python(
            self, "as a Python index", "index a tensor with it, for example by tf.gather"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise not_python(
            self, "as a NumPy array", "use the op of the same name instead of NumPy's function"
        )

    def __format__(self, spec: str) -> str:
        raise not_python(
            self, "in an f-string or format()", "print it with print(x) or tf.print(x)"
        )

    def numpy(self) -> NoReturn:
        """Refused: a symbol has no value yet."""
        raise not_python(
            self, "for its value by numpy()", "compute with tensors, and call numpy() on the result"
        )


def _unpacked_into(frame: FrameType, shape: Shape) -> int | None:
    """How many rows Python takes where it iterates in order to unpack: `a, b = t`, `[*t]`, `f(*t)`;
    None where it does not.
    """
    code = frame.f_code.co_code
    operation = dis.opname[code[frame.f_lasti]]
    size = shape[0] if shape else None
    if operation == "UNPACK_SEQUENCE":
        count = code[frame.f_lasti + 1]
        return count if size is None or size == count else size
    return size if operation in ("UNPACK_EX", "LIST_EXTEND", "CALL_FUNCTION_EX") else None


_CONVERTED_USES = (
    "as a Python bool", "as a Python iterable", "as the argument of len", "with the operator `in`",
    "as a Python int", "as a Python float",
)  # fmt: skip


def not_python(item: Any, use: str, hint: str) -> errors.OperatorNotAllowedInGraphError:
    """The error for a symbol that Python asks for what only the run knows."""
    what = "symbolic tensor" if isinstance(item, SymbolicTensor) else "staged number"
    message = f"Using a {what} {use} is not allowed while tracing: {item._shown()}"
    return refusals.not_allowed(message, hint, staged_if_converted=use in _CONVERTED_USES)


def refuse_text(item: Any) -> None:
    """Raise OperatorNotAllowedInGraphError where converted code makes a text of a symbol.

    The text would be that of the trace in every run. Libraries, debuggers and code that is not
    converted may show symbols.
    """
    if refusals.asked_by_converted_code(sys._getframe(2)):
        hint = "print it with tf.print(x), or show what is traced with tf.autograph.trace(x)"
        raise not_python(item, "as text, by str(), repr() or a format", hint)


# Numbers


class SymbolicNumber:
    """A Python int, float or bool that only the run of the graph knows; its operators are Python's
    own.

    Beside a tensor it takes the tensor's dtype, as a Python number does. Where a tensor is asked
    for without a partner it becomes int32, float32 or bool.
    """

    __slots__ = ("__weakref__", "origin", "scope", "value")
    __array_ufunc__ = None
    value: Value
    scope: Scope
    origin: Origin | None

    def __init__(self, value: Value, scope: Scope, origin: Origin | None) -> None:
        self.value = value
        self.scope = scope
        self.origin = origin

    @property
    def type(self) -> NumberType:
        """Its kind."""
        return cast(NumberType, self.value.type)

    def __repr__(self) -> str:
        refuse_text(self)
        return self._shown()

    def __copy__(self) -> SymbolicNumber:
        return self

    def __deepcopy__(self, memo: Any) -> SymbolicNumber:
        return self

    def _shown(self) -> str:
        return f"<staged {self.type.kind} {self.value.name!r}>"

    def __bool__(self) -> NoReturn:
        raise not_python(self, "as a Python bool", _WAY_OUT)

    def __int__(self) -> NoReturn:
        raise not_python(self, "as a Python int", "use it in arithmetic, or as a tensor")

    def __float__(self) -> NoReturn:
        raise not_python(self, "as a Python float", "use it in arithmetic, or as a tensor")

    def __index__(self) -> NoReturn:
        raise not_python(self, "as a Python index", "index a tensor with it, not a Python list")

    def __getattr__(self, name: str) -> NoReturn:
        # Asked for by classes' names too, to find out what an object is: no refusal to remember.
        what = f"a staged {self.type.kind} has no attribute {name!r}"
        raise AttributeError(f"{format_location(user_location())}: {what}", name=name, obj=self)

    def __hash__(self) -> int:
        raise not_python(self, "as a dictionary key or in a set", "use a tensor for the table")

    def __format__(self, spec: str) -> str:
        raise not_python(
            self, "in an f-string or format()", "print it with print(x) or tf.print(x)"
        )

    def __round__(self, ndigits: Any = None) -> Any:
        return (
            apply_number(numbers.ROUND, self)
            if ndigits is None
            else apply_number(numbers.ROUND_TO, self, ndigits)
        )

    def __divmod__(self, other: Any) -> Any:
        return _binary(numbers.BINARY["divmod"], self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _binary(numbers.BINARY["divmod"], other, self)

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if modulo is not None:
            return NotImplemented
        return _power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return _power(other, self)

    def __trunc__(self) -> Any:
        return self if self.type.kind == "int" else apply_number(numbers.TO_INT, self)


def is_number(item: object) -> bool:
    """Is it a Python number or a staged one? Those may meet in Python's arithmetic."""
    return type(item) is SymbolicNumber or isinstance(item, int | float)


def number_type(item: Any) -> NumberType:
    """The kind of a Python number or a staged one."""
    return item.type if type(item) is SymbolicNumber else NUMBER_TYPES[type(item)]


def apply_number(primitive: Primitive, *items: Any) -> Any:
    """Stage a row of numbers on Python numbers and staged ones."""
    trace = active()
    return trace.apply(primitive, tuple([trace.value_of(_plain(item)) for item in items]))


def _plain(item: Any) -> Any:
    # NumPy's float64 is a Python float by class; the graph knows Python's own kinds.
    if type(item) in NUMBER_TYPES or type(item) is SymbolicNumber:
        return item
    return float(item) if isinstance(item, float) else int(item)


def _binary(primitive: Primitive, a: Any, b: Any) -> Any:
    if not (is_number(a) and is_number(b)):
        return NotImplemented
    return apply_number(primitive, a, b)


def _power(base: Any, exponent: Any) -> Any:
    negative = isinstance(exponent, int) and exponent < 0
    return _binary(numbers.FLOAT_POWER if negative else numbers.BINARY["pow"], base, exponent)


def _operators() -> None:
    for name, primitive in numbers.BINARY.items():
        if name not in ("divmod", "pow"):
            _install_binary(name, primitive)
    for name, primitive in numbers.UNARY.items():
        setattr(SymbolicNumber, f"__{name}__", _unary_method(primitive))
    for name in ("floor", "ceil"):
        row = numbers.MATH[getattr(math, name)]
        setattr(SymbolicNumber, f"__{name}__", _unary_method(row))


def _install_binary(name: str, primitive: Primitive) -> None:
    def forward(self: SymbolicNumber, other: Any) -> Any:
        return _binary(primitive, self, other)

    def backward(self: SymbolicNumber, other: Any) -> Any:
        return _binary(primitive, other, self)

    setattr(SymbolicNumber, f"__{name}__", forward)
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(SymbolicNumber, f"__r{name}__", backward)


def _unary_method(primitive: Primitive) -> Any:
    def method(self: SymbolicNumber) -> Any:
        return apply_number(primitive, self)

    return method


_operators()

_SAMPLES: dict[str, float] = {"bool": True, "int": 1, "float": 1.0}
DEFAULT_DTYPES = {"bool": dtypes.bool, "int": dtypes.int32, "float": dtypes.float32}


@cache
def convertible(kind: str, dtype: DType) -> bool:
    """May a Python number of this kind become a tensor of this dtype? Asked of the eager
    conversion.
    """
    try:
        as_array(_SAMPLES[kind], dtype)
    except TypeError:
        return False
    return True


def number_to_tensor(number: SymbolicNumber, dtype: DType | None = None) -> Any:
    """The tensor of a staged number: with the dtype asked for, else int32, float32 or bool.

    A value that does not fit raises at run time. Raises TypeError for a dtype that such a number
    cannot have.
    """
    kind = number.type.kind
    dtype = dtype or DEFAULT_DTYPES[kind]
    if not convertible(kind, dtype):
        raise TypeError(
            f"Cannot convert a staged Python {kind} to a tensor of dtype {dtype.name}: "
            "cast one of the two operands"
        )
    trace = active()
    return trace.apply(TO_TENSOR, (trace.value_of(number),), {"dtype": dtype})


register_conversion(SymbolicNumber, number_to_tensor)

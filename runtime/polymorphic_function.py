"""What `@function` makes: a Python function traced once for each signature, optimised, compiled,
and called as a graph.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

import autograph
import runtime.staging  # noqa: F401  (tells autograph about symbols)
from autograph.frames import hide_libraries
from autograph.mutation import Snapshot
from runtime.autodiff.calls import GraphCall, call_recorded
from runtime.convert import convert_to_tensor
from runtime.graph import joins
from runtime.graph.control import Unreachable, add_raise
from runtime.graph.executors.interpreter import Program
from runtime.graph.executors.replay import replay
from runtime.graph.guards import Guards
from runtime.graph.handlers import check_unhandled
from runtime.graph.ir import (
    Callee,
    Graph,
    Value,
    covers,
    format_graph,
    has_effects,
    may_act,
    verify,
    walk,
)
from runtime.graph.joins import (
    Leaf,
    MaybeNone,
    MaybeUndefined,
    Same,
    Spec,
    Tree,
    present,
)
from runtime.graph.nodes import CALL, NUMBER_TYPES
from runtime.graph.passes import optimize
from runtime.graph.places import refuse_change
from runtime.graph.recursion import (
    MOST_ASSUMPTIONS,
    Assumption,
    active_calls,
    has_numbers,
    is_outermost,
    running,
    unsettled,
)
from runtime.graph.refusals import is_refusal, noted, refuse
from runtime.graph.signatures import (
    Parameters,
    changed_image,
    conform,
    images,
    key_of,
    leaf_names,
    leaf_types,
    rebuild,
    spec_structure,
    without_shapes,
)
from runtime.graph.structures import structure_of
from runtime.graph.tracing import SymbolicNumber, Trace, number_to_tensor
from runtime.primitive import state
from runtime.retracing import detector_of, reason
from runtime.shapes import TensorSpec
from runtime.tensor import EagerTensor, Tensor, wrap
from runtime.types import TensorType
from runtime.variable import variable_creator_scope

Run = Callable[..., tuple[Any, ...]]

MOST_TRACES = 1000
"""Signatures that one function keeps traces for, and reasons; the one that was used least recently
is dropped for a new one.
"""

MOST_VARIANTS = 4
"""Traces for one signature, which differ in what they found in global variables."""

_tracing = threading.RLock()
_clock = itertools.count()


# Running functions eagerly


class _Eagerly(threading.local):
    def __init__(self) -> None:
        self.on = False


_eagerly = _Eagerly()


class run_functions_eagerly(AbstractContextManager[None]):
    """Make every `function` run as plain Python (True) or as a graph (False), until told otherwise.

    As a context manager, `with run_functions_eagerly(True):`, it holds for the block.
    """

    def __init__(self, run_eagerly: bool) -> None:
        self._before = _eagerly.on
        _eagerly.on = bool(run_eagerly)

    def __exit__(self, *exception: object) -> None:
        _eagerly.on = self._before


def functions_run_eagerly() -> bool:
    """Are functions run as plain Python at present?"""
    return _eagerly.on


# Concrete functions


class ConcreteFunction:
    """One trace of a function: `graph` is as traced, `optimized` as it runs.

    Calling it takes the tensors of its signature, in the structure of the arguments that it was
    traced with.
    """

    def __init__(
        self,
        name: str,
        graph: Graph,
        outputs: Spec | None,
        signature: tuple[tuple[Any, ...], dict[str, Any]],
        outer: Sequence[Any],
        guards: Guards,
    ) -> None:
        self.name = name
        self.graph = graph
        self.outputs = outputs
        self.structured_input_signature = signature
        self.outer = tuple(outer)
        self.guards = guards
        self.callee = Callee(name, graph)
        self.single = isinstance(outputs, Leaf)
        self.used = next(_clock)

    @functools.cached_property
    def optimized(self) -> Graph:
        """The graph after the passes."""
        return optimize(self.graph)

    @functools.cached_property
    def program(self) -> Program:
        """What runs it."""
        return Program(self.optimized)

    @functools.cached_property
    def calls_back(self) -> bool:
        """May it run Python of the user's, which may run ops?"""
        return has_effects(self.optimized.body)

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The values of the graph that a call supplies."""
        return self.graph.parameters

    @property
    def captured_inputs(self) -> tuple[Any, ...]:
        """The tensors from outside that it uses, by reference."""
        return tuple([item for _, item in self.graph.captures])

    @property
    def structured_outputs(self) -> Any:
        """What it returns, with a TensorSpec in place of each tensor."""
        return None if self.outputs is None else _specs_of(self.outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it on arguments that fit its signature.

        Raises TypeError for arguments of another structure, dtype or shape.
        """
        try:
            return self.call_leaves(self._leaves(args, kwargs))
        except BaseException as error:
            hide_libraries(error)
            raise

    def _leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        leaves: list[Any] = []
        for item in (*args, *kwargs.values()):
            key_of(item, leaves)
        wanted = self.graph.parameters[: len(self.graph.parameters) - len(self.outer)]
        if len(leaves) != len(wanted):
            raise TypeError(f"{self.name} takes {len(wanted)} tensors, {len(leaves)} were given")
        for value, given in zip(wanted, leaf_types(leaves), strict=True):
            if not covers(value.type, given):
                raise TypeError(
                    f"{self.name}: argument {value.name} is {given}, expected {value.type}"
                )
        return leaves

    def call_leaves(self, leaves: Sequence[Any]) -> Any:
        """Run it on the tensors and staged numbers of its arguments, in their order."""
        if state.trace is not None:
            return self._call_in(state.trace, leaves)
        if state.run is None:
            return self.outputs_of(self._observed(leaves))
        run = self.program.run
        try:
            results = state.context.copy().run(run, *[leaf.raw for leaf in leaves])
        except Exception as error:
            self.fail(error)
        return self.outputs_of(results)

    def _observed(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The results of a run that tapes, or checks of each op, are shown."""
        if state.tapes and state.inspect is None and state.device is None:
            return call_recorded(self._recorded, leaves)
        return replay(self.optimized, leaves)

    @functools.cached_property
    def _recorded(self) -> GraphCall:
        return GraphCall(self.graph)

    def fail(self, error: Exception) -> NoReturn:
        """Raise the documented error, at the user's line, for one that left the program."""
        failure = self.program.failed(error)
        if failure is error:
            raise
        raise failure

    def outputs_of(self, results: Sequence[Any]) -> Any:
        """What a call returns, for the results of a run."""
        if self.single:
            raw = results[0]
            return EagerTensor(raw) if type(raw) is np.ndarray else self._tensor(raw)
        assert self.outputs is not None
        return _restore(self.outputs, iter(results))

    def _tensor(self, raw: Any) -> Tensor:
        return raw if isinstance(raw, Tensor) else wrap(raw)

    def _call_in(self, trace: Trace, leaves: Sequence[Any]) -> Any:
        """Add a call of this graph to the one that is being traced."""
        if any(node.primitive.name == "raise" for node in walk(self.graph.body)):
            check_unhandled(trace.root, f"what {self.name} raises")
        values = [trace.value_of(item) for item in (*leaves, *self.outer)]
        outputs = [Value(value.type, trace.unique(value.name)) for value in self.graph.results]
        symbols = iter(trace.append(CALL, values, outputs, {"callee": self.callee}))
        if self.outputs is None:
            raise Unreachable
        return joins.lift(self.outputs, symbols)

    def __repr__(self) -> str:
        parameters = ", ".join(f"{value.name}: {value.type}" for value in self.inputs)
        return f"<ConcreteFunction {self.name}({parameters})>"

    def __str__(self) -> str:
        return format_graph(self.graph)


def _specs_of(spec: Spec) -> Any:
    if isinstance(spec, Leaf):
        assert isinstance(spec.type, TensorType)
        return TensorSpec(spec.type.shape, spec.type.dtype)
    if isinstance(spec, Tree):
        return spec.structure.build([_specs_of(child) for child in spec.children])
    return spec.value if isinstance(spec, Same) else _specs_of(spec.inner)


def _restore(spec: Spec, results: Iterator[Any]) -> Any:
    """The Python value that a call returns, out of the results of a run."""
    if isinstance(spec, Leaf):
        raw = next(results)
        return raw if isinstance(raw, Tensor) else wrap(raw)
    if isinstance(spec, Tree):
        return spec.structure.build([_restore(child, results) for child in spec.children])
    if isinstance(spec, Same):
        return spec.value
    there = next(results)
    held = _restore_or_skip(spec.inner, results, there)
    return held if there else None


def _restore_or_skip(spec: Spec, results: Iterator[Any], there: Any) -> Any:
    if there:
        return _restore(spec, results)
    for _ in joins.types_of(spec):
        next(results)
    return None


# Tracing


def _exported(value: Any, numbers: bool = False) -> Any:
    """What a function returns, as tensors, None, and structures of them. With `numbers`, Python
    numbers stay what they are.

    Raises TypeError for any other Python object.
    """
    while isinstance(value, MaybeUndefined):
        value = value.get()
    if isinstance(value, MaybeNone):
        return MaybeNone(_exported(value.held, numbers), value.flag)
    if value is None or isinstance(value, Tensor):
        return value
    if getattr(value, "is_resource", False) is True:
        return value.value()
    is_number = isinstance(value, SymbolicNumber) or type(value) in NUMBER_TYPES
    if is_number and numbers:
        return value
    if isinstance(value, SymbolicNumber):
        return number_to_tensor(value)
    if is_number or isinstance(value, np.ndarray | np.generic | complex | str | bytes):
        return convert_to_tensor(value)
    found = structure_of(value)
    if found is None:
        raise TypeError(
            "a function must return tensors, numbers, None, or structures of them; "
            f"this one returns {value!r}"
        )
    structure, children = found
    return structure.build([_exported(child, numbers) for child in children])


@contextmanager
def _creating(name: str, created: list[None] | None) -> Iterator[None]:
    """Note in `created` that variables are made while a function is traced; None: refuse it."""

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        if state.trace is None:
            return next_creator(**kwargs)
        if created is None:
            raise refuse(
                f"{name} creates a variable on a call that is not its first: it would make "
                "another one for each call",
                "create it before, or once: `if self.v is None: self.v = Variable(...)`",
            )
        created.append(None)
        return next_creator(**kwargs)

    with variable_creator_scope(create):
        yield


class _Tracer:
    """One trace of a Python function.

    `assumption` is what calls of itself return; `inner`: the trace is for such calls.
    """

    def __init__(
        self,
        name: str,
        python_function: Any,
        converted: Any,
        labels: Sequence[str],
        assumption: Assumption,
        inner: bool = False,
    ) -> None:
        self.name = name
        self.labels = labels
        self.assumption = assumption
        self.inner = inner
        self.returned: Spec | None = None
        self.current: Trace | None = None
        self.keys: dict[int, list[Any]] = {}
        self.python_function = python_function
        self.converted = converted
        self.guards = Guards()
        self.given: list[tuple[str, Any, Any]] = []

    def trace(self, call: _Call, names: Sequence[str]) -> ConcreteFunction:
        """Run Python once on symbols of these types."""
        args, kwargs = call.args, call.kwargs
        signature = spec_structure(args), spec_structure(kwargs)
        trace = self.current = Trace(self.name)
        trace.converts = self.converted is not self.python_function
        trace.existed = Snapshot({"": self.python_function, "args": args, "kwargs": kwargs}).knows
        self.guards.watch(self.python_function, dict(zip(self.labels, args, strict=False)) | kwargs)
        try:
            with trace:
                symbols = map(trace.parameter, call.types, names)
                spec, results = self._run(trace, *self._given(call, symbols))
        finally:
            # Also where a handler of the user's made it go away, or raised something else.
            if trace.refusal is not None:
                raise noted(trace.refusal)
        graph = trace.finish(results, checked=not unsettled())
        self.guards.settle()
        return ConcreteFunction(
            self.name, graph, spec, signature, trace.outer_symbols(), self.guards
        )

    def _given(self, call: _Call, symbols: Iterator[Any]) -> tuple[Any, Any]:
        leaves = iter(list(symbols))
        args, kwargs = rebuild(call.args, leaves), rebuild(call.kwargs, leaves)
        for path, item in (*zip(self.labels, args, strict=False), *kwargs.items()):
            images(item, path, self.given)
        return args, kwargs

    def _run(
        self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Spec | None, list[Value]]:
        try:
            with autograph.observe_calls(self._observe):
                result = self.converted(*args, **kwargs)
            if self.assumption.used or self.inner:
                self.returned = joins.abstract(_exported(result, numbers=True), staged=True)
            result = _exported(result, numbers=self.inner)
        except Unreachable:
            return None, []
        except Exception as error:
            if is_refusal(error) or not may_act(trace.scope.nodes):
                raise
            # What was staged before it comes first: an error or an effect of its own.
            add_raise(trace, error)
            return None, []
        changed = changed_image(self.given)
        if changed is not None:
            raise refuse_change(
                changed, "it is an argument, which a traced function gets as a copy of the caller's"
            )
        spec: Spec | None = joins.abstract(result, staged=True)
        if self.inner:
            spec = self.assumption.covering(spec)
        assert spec is not None
        return spec, list(joins.lower(result, spec, trace))

    def _observe(self, function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        self.guards.watch(function)
        trace = self.current
        # Outside of a staged block Python itself decides where recursion ends.
        if trace is None or trace is not state.trace or trace.scope.outer is None:
            return None
        plain = getattr(function, "__func__", function)
        if not isinstance(plain, FunctionType):
            return None
        depth = active_calls(plain.__code__, trace.root, autograph.converted_code)
        return functools.partial(self._again, function, plain, depth) if depth else None

    def _again(self, function: Any, plain: Any, depth: int, *args: Any, **kwargs: Any) -> Any:
        """Call a function that `depth` calls of itself wait for: with arguments as those of one of
        them it becomes a graph that calls itself.
        """
        staged = _implicit_function(function)
        key = staged._call_of(args, kwargs).key
        waiting = self.keys.setdefault(id(plain), [])[: depth - 1]
        self.keys[id(plain)] = [*waiting, key]
        if key in waiting or key in staged._traces.running:
            return staged(*args, **kwargs)
        return autograph.convert(function)(*args, **kwargs)


def _settled(
    inner: ConcreteFunction, callee: Callee, call: _Call, names: Sequence[str]
) -> ConcreteFunction:
    """A recursive function, once it returns what its own calls suppose: as others see it, numbers
    are tensors.
    """
    callee.graph = inner.graph
    inner.callee = callee
    verify(inner.graph)
    if not has_numbers(inner.outputs):
        return inner
    trace = Trace(inner.name)
    with trace:
        symbols = list(map(trace.parameter, call.types, names))
        result = _exported(inner.call_leaves(symbols))
        spec = joins.abstract(result, staged=True)
        results = list(joins.lower(result, spec, trace))
    signature, outer = inner.structured_input_signature, trace.outer_symbols()
    return ConcreteFunction(inner.name, trace.finish(results), spec, signature, outer, inner.guards)


# Functions

Fast = tuple[Guards | None, Run, ConcreteFunction]


class _Traces:
    """The traces of one function, or of one method on one instance."""

    __slots__ = ("__weakref__", "by_key", "count", "fast", "generic", "reasons", "running")

    def __init__(self) -> None:
        self.by_key: dict[Any, list[ConcreteFunction]] = {}
        self.generic: dict[Any, ConcreteFunction] = {}
        self.fast: dict[tuple[Any, ...], Fast] = {}
        self.running: dict[Any, Assumption] = {}
        self.count = 0
        self.reasons: deque[str] = deque(maxlen=MOST_TRACES)

    def find(self, key: Any) -> ConcreteFunction | None:
        """The trace for a key whose guards hold."""
        for made in self.by_key.get(key, ()):
            if made.guards.hold():
                made.used = next(_clock)
                return made
        return None

    def keep(self, key: Any, concrete: ConcreteFunction) -> None:
        """Add a trace; those that were used least recently give way."""
        for _, _, used in self.fast.values():
            used.used = next(_clock)
        # The next calls are counted, for the warning about retracing.
        self.fast.clear()
        if len(self.by_key) >= MOST_TRACES and key not in self.by_key:
            del self.by_key[min(self.by_key, key=self._last_use)]
        known = self.by_key.setdefault(key, [])
        known.insert(0, concrete)
        del known[MOST_VARIANTS:]

    def keep_generic(self, family: Any, concrete: ConcreteFunction) -> None:
        """Add a trace whose shapes are to be generalised."""
        self.generic[family] = concrete
        if len(self.generic) > MOST_TRACES:
            del self.generic[next(iter(self.generic))]

    def _last_use(self, key: Any) -> int:
        return max(made.used for made in self.by_key[key])


def _guards_changed(variants: Sequence[ConcreteFunction]) -> str:
    changed = ", ".join(dict.fromkeys(variants[0].guards.changed()))
    return f"a guard does not hold: {changed}"


class _Call:
    """One call: its arguments, their tensors, and the key that they are cached under."""

    __slots__ = ("args", "key", "kwargs", "leaves", "names", "types")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        self.leaves: list[Any] = []
        self.key: Any = (
            tuple([key_of(item, self.leaves) for item in args]),
            tuple([(name, key_of(item, self.leaves)) for name, item in kwargs.items()]),
        )
        self.types: list[Any] = leaf_types(self.leaves)

    def leaf_names(self, parameters: Parameters) -> list[str]:
        """A name for each leaf: the parameter's, and the way into it."""
        names: list[str] = []
        for place, item in enumerate(self.args):
            leaf_names(item, parameters.label(place), names)
        for name, item in self.kwargs.items():
            leaf_names(item, name, names)
        return names


class Function:
    """What `@function` makes of a Python function: a call traces it once for each signature and
    runs the graph.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str | None = None,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"function() takes a callable, not {python_function!r}")
        functools.update_wrapper(self, python_function, updated=())
        self._python_function = python_function
        own_name = getattr(python_function, "__name__", type(python_function).__name__)
        self._name: str = name or own_name
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._parameters = Parameters(inspect.signature(python_function), self._name)
        self._traces = _Traces()
        self._fast = self._traces.fast
        self._bound: dict[int, tuple[Any, _Traces]] = {}
        self._detector = detector_of(python_function)

    # What it is

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function that it was made of."""
        return self._python_function

    @property
    def name(self) -> str:
        """Its name in graphs."""
        return self._name

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The declared signature, or None."""
        return self._input_signature

    def __repr__(self) -> str:
        return f"<Function {self._name} with {self._traces.count} traces>"

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._traces.count

    def why_retraced(self) -> str:
        """A line for each trace, the last ones if there are many: which argument or global value
        was different.
        """
        return "\n".join(self._traces.reasons)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures that there are traces for, a line each."""
        made = [concrete for known in self._traces.by_key.values() for concrete in known]
        return "\n".join(map(repr, made))

    def python_source(self, *args: Any, **kwargs: Any) -> str:
        """The Python source that a call with these arguments runs."""
        return self.get_concrete_function(*args, **kwargs).program.source

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, each a value, a tensor, or a TensorSpec in place of one.

        With an `input_signature`, no arguments are needed.
        """
        try:
            if self._input_signature is not None and not args and not kwargs:
                args = self._input_signature
            found = self._concrete(self._call_of(args, kwargs))
            if isinstance(found, Assumption):
                raise refuse(
                    f"the graph of {self._name} is asked for while it is traced",
                    "call the function",
                )
            return found
        except BaseException as error:
            hide_libraries(error)
            raise

    # Methods

    def __get__(self, instance: Any, owner: type | None = None) -> Function:
        """The function bound to an instance, which has traces of its own."""
        if instance is None:
            return self
        bound = object.__new__(Function)
        vars(bound).update(vars(self))
        bound._python_function = MethodType(self._python_function, instance)
        bound._parameters = self._method_parameters
        bound._traces = self._traces_for(instance)
        bound._fast = bound._traces.fast
        return bound

    @functools.cached_property
    def _method_parameters(self) -> Parameters:
        return self._parameters.without_first()

    def _traces_for(self, instance: Any) -> _Traces:
        key = id(instance)
        known = self._bound.get(key)
        if known is None:
            known = self._bound[key] = _weak_or_strong(instance, self._bound, key), _Traces()
        return known[1]

    # Calling it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph for these arguments; it is traced now if there is none yet."""
        try:
            # `run` is None while anything records or traces: one look tells that the short way is
            # open.
            run = state.run
            if run is not None and not kwargs:
                key: list[Any] = []
                for item in args:
                    if type(item) is not EagerTensor:
                        break
                    raw = item.raw
                    key += raw.dtype, raw.shape
                else:
                    found = self._fast.get(tuple(key))
                    if found is not None:
                        guards, compiled, concrete = found
                        if guards is None or guards.hold():
                            try:
                                results = run(compiled, *[item.raw for item in args])
                            except Exception as error:
                                concrete.fail(error)
                            return concrete.outputs_of(results)
            return self._call(args, kwargs)
        except BaseException as error:
            hide_libraries(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if _eagerly.on:
            return self._python_function(*args, **kwargs)
        call = self._call_of(args, kwargs)
        concrete = self._counted(call) if state.trace is None else self._concrete(call)
        if isinstance(concrete, Assumption):
            return concrete.call_leaves(call.leaves)
        if all(type(item) is EagerTensor for item in args) and not kwargs:
            self._remember(args, concrete)
        return concrete.call_leaves(call.leaves)

    def _counted(self, call: _Call) -> ConcreteFunction | Assumption:
        before = self._traces.count
        concrete = self._concrete(call)
        if self._detector.called(traced=self._traces.count != before):
            self._detector.warn(self._python_function, self._traces.reasons[-1])
        return concrete

    def _remember(self, args: tuple[Any, ...], concrete: ConcreteFunction) -> None:
        if state.run is None or concrete.outer or concrete.calls_back or _eagerly.on:
            return
        if not self._detector.quiet:
            return
        key = [part for item in args for part in (item.raw.dtype, item.raw.shape)]
        guards = concrete.guards if concrete.guards else None
        self._fast[tuple(key)] = guards, concrete.program.run, concrete

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        args = tuple(map(present, args))
        if self._input_signature is not None:
            args, kwargs = self._conformed(*self._parameters.bind_partially(args, kwargs)), {}
        else:
            args, kwargs = self._parameters.bind(args, kwargs)
        call = _Call(args, kwargs)
        if self._input_signature is not None:
            signature: list[Any] = []
            call.key = key_of(self._input_signature, signature)[1], ()
            call.types = leaf_types(signature)
        return call

    def _conformed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        assert self._input_signature is not None
        given = (*args, *[kwargs[n] for n in self._parameters.names[len(args) :] if n in kwargs])
        if len(given) != len(self._input_signature):
            raise TypeError(
                f"{self._name}(): its input_signature has {len(self._input_signature)} entries, "
                f"{len(given)} arguments were given"
            )
        pairs = zip(given, self._input_signature, strict=True)
        return tuple(
            [conform(x, spec, self._parameters.label(at)) for at, (x, spec) in enumerate(pairs)]
        )

    def _concrete(self, call: _Call) -> ConcreteFunction | Assumption:
        found: ConcreteFunction | Assumption | None = self._traces.find(call.key)
        if found is None:
            # One lock for all functions: two that call each other cannot wait for each other.
            with _tracing:
                found = self._traces.find(call.key) or self._relaxed(call) or self._trace(call)
        return found

    def _relaxed(self, call: _Call) -> ConcreteFunction | None:
        """With `reduce_retracing`: a trace whose shapes cover this call's, made if there is a
        similar one.
        """
        if not self._reduce_retracing or self._input_signature is not None:
            return None
        generic = self._traces.generic
        family = without_shapes(call.key)
        known = generic.get(family)
        if known is None:
            return None
        types = [value.type for value in known.graph.parameters[: len(call.types)]]
        if known.guards.hold() and all(map(covers, types, call.types)):
            return known
        call.types = [joins.join_types(a, b) for a, b in zip(types, call.types, strict=True)]
        return None

    def _trace(self, call: _Call) -> ConcreteFunction | Assumption:
        key, traces = call.key, self._traces
        if key in traces.running:
            return traces.running[key]
        created: list[None] = []
        text = self._reason(call)
        concrete, kept = self._noted(call, text, created if traces.count == 0 else None)
        if created:
            # Python runs again, as it will for other signatures: now the variables must be there.
            concrete, kept = self._noted(call, "the first trace created variables", None)
        if kept and not concrete.outer:
            traces.keep(key, concrete)
            if self._reduce_retracing:
                traces.keep_generic(without_shapes(key), concrete)
        return concrete

    def _noted(
        self, call: _Call, text: str, created: list[None] | None
    ) -> tuple[ConcreteFunction, bool]:
        """A trace, and whether it holds for calls from elsewhere too."""
        traces = self._traces
        assumption = traces.running[call.key] = Assumption(self._name)
        traces.count += 1
        traces.reasons.append(f"{traces.count}: {text}")
        try:
            with running(assumption), _implicit(self), _creating(self._name, created):
                return self._traced(call, assumption), not assumption.depends
        finally:
            del traces.running[call.key]

    def _reason(self, call: _Call) -> str:
        labels = [self._parameters.label(place) for place in range(len(call.args))]
        return reason(call.key, labels, self._traces.by_key, _guards_changed)

    def _traced(self, call: _Call, assumption: Assumption) -> ConcreteFunction:
        names = call.leaf_names(self._parameters)
        labels = [self._parameters.label(place) for place in range(len(call.args))]
        own = self._name, self._python_function, self._converted(), labels, assumption
        tracer = _Tracer(*own)
        concrete = tracer.trace(call, names)
        if not assumption.used:
            return concrete
        assumption.assume(tracer.returned, concrete.outer)
        for _ in range(MOST_ASSUMPTIONS):
            concrete = _Tracer(*own, inner=True).trace(call, names)
            callee = assumption.callee
            if not assumption.assume(concrete.outputs, concrete.outer):
                return _settled(concrete, callee, call, names)
        raise refuse(
            f"what {self._name} returns takes another shape at each depth of its recursion",
            "write the recursion as a loop",
        )

    def _converted(self) -> Callable[..., Any]:
        if not self._autograph:
            return self._python_function
        return autograph.convert(self._python_function)


# Functions that were not decorated, and call themselves inside a staged block

_implicit_functions: dict[tuple[int, int], Function] = {}


def _implicit_function(function: Any) -> Function:
    """What `@function` makes of it, the same one while a trace is made."""
    key = _identity(function)
    found = _implicit_functions.get(key)
    if found is None:
        found = _implicit_functions[key] = Function(function)
    return found


@contextmanager
def _implicit(function: Function) -> Iterator[None]:
    """While `function` is traced, calls of its Python function mean itself."""
    if function.input_signature is None:
        _implicit_functions.setdefault(_identity(function.python_function), function)
    try:
        yield
    finally:
        if is_outermost():
            _implicit_functions.clear()


def _identity(function: Any) -> tuple[int, int]:
    plain, receiver = getattr(function, "__func__", function), getattr(function, "__self__", None)
    return id(plain), id(receiver)


def _weak_or_strong(instance: Any, table: dict[int, Any], key: int) -> Any:
    try:
        return weakref.ref(instance, lambda _: table.pop(key, None))
    except TypeError:
        return instance

"""What `@function` makes: a Python function traced once for each signature, optimised, compiled,
and called as a graph.
"""

from __future__ import annotations

import functools
import inspect
import threading
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

import autograph
from autograph.frames import hide_libraries
from autograph.mutation import Snapshot
from autograph.ownership import taking_notes
from runtime.concrete_function import ConcreteFunction, now
from runtime.convert import convert_to_tensor
from runtime.eager_mode import Mode, functions_run_eagerly
from runtime.graph import joins
from runtime.graph.arrays import Elements, outside
from runtime.graph.control import Unreachable, add_raise
from runtime.graph.guards import Guards
from runtime.graph.ir import (
    Callee,
    Value,
    covers,
    format_location,
    may_act,
    position_of,
    verify,
)
from runtime.graph.joins import (
    MaybeNone,
    MaybeUndefined,
    Spec,
    present,
)
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.places import NoRecorder, Recorder, refuse_change
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
    has_plain_keys,
    images,
    key_of,
    leaf_names,
    leaf_types,
    may_change,
    quick_key,
    quick_keywords,
    rebuild,
    spec_structure,
    without_shapes,
)
from runtime.graph.structures import structure_of
from runtime.graph.tracing import Symbol, SymbolicNumber, Trace, number_to_tensor
from runtime.initial_values import initial_value
from runtime.primitive import state
from runtime.retracing import detector_of, reason
from runtime.staging import BlockRecorder
from runtime.tensor import EagerTensor, Tensor
from runtime.variable import variable_creator_scope

Run = Callable[..., tuple[Any, ...]]

MOST_TRACES = 1000
"""Signatures that one function keeps traces for, and reasons; the one that was used least recently
is dropped for a new one.
"""

MOST_VARIANTS = 4
"""Traces for one signature, which differ in what they found in global variables."""

_tracing = threading.RLock()


# Tracing


def _exported(value: Any, numbers: bool = False, path: str = "result") -> Any:
    """What a function returns, as tensors, None, and structures of them. With `numbers`, Python
    numbers stay what they are.

    Raises TypeError for any other Python object, which is at `path`.
    """
    while isinstance(value, MaybeUndefined):
        value = value.get()
    if isinstance(value, MaybeNone):
        return MaybeNone(_exported(value.held, numbers, path), value.flag)
    if value is None or isinstance(value, Tensor | Symbol):
        return value
    if isinstance(value, Elements):
        raise outside()
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
            f"a function must return tensors, numbers, None, or structures of them: {path} is "
            f"{value!r}"
        )
    structure, children = found
    parts = enumerate(children)
    return structure.build([_exported(x, numbers, path + structure.path(at)) for at, x in parts])


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
        value = initial_value(kwargs.get("initial_value"), kwargs.get("dtype"), state.trace)
        return next_creator(**kwargs | {"initial_value": value})

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
        types = iter(call.types)
        signature = spec_structure(args, types), spec_structure(kwargs, types)
        trace = self.current = Trace(self.name)
        if self.converted is not self.python_function or _is_converted(self.converted):
            trace.converter = autograph.call
        existing = Snapshot({"": self.python_function, "args": args, "kwargs": kwargs})
        trace.existed = existing.knows
        self.guards.watch(self.python_function, dict(zip(self.labels, args, strict=False)) | kwargs)
        try:
            with trace:
                symbols = list(map(trace.parameter, call.types, names))
                trace.given = {x.value: leaf for x, leaf in zip(symbols, call.leaves, strict=True)}
                spec, results = self._run(trace, *self._given(call, symbols))
        finally:
            # Also where a handler of the user's made it go away, or raised something else.
            if trace.refusal is not None:
                raise noted(trace.refusal)
        if self.assumption.used and not self.inner:
            existing.restore()  # Python runs again
        graph = trace.finish(results, checked=not unsettled())
        self.guards.settle()
        outer, labels = trace.outer_symbols(), self.labels
        return ConcreteFunction(self.name, graph, spec, signature, labels, outer, self.guards)

    def _given(self, call: _Call, symbols: Sequence[Any]) -> tuple[Any, Any]:
        leaves = iter(symbols)
        args, kwargs = rebuild(call.args, leaves), rebuild(call.kwargs, leaves)
        for path, item in (*zip(self.labels, args, strict=False), *kwargs.items()):
            images(item, path, self.given)
        return args, kwargs

    def _run(
        self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Spec | None, list[Value]]:
        recorder = self._recorder(args)
        try:
            with recorder, autograph.observe_calls(self._observe), taking_notes(self.guards.notes):
                result = self.converted(*args, **kwargs)
            self._refuse_changes(trace, recorder, result)
            if self.assumption.used or self.inner:
                self.returned = joins.abstract(self._exported(result, True), staged=True)
            result = self._exported(result, self.inner)
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

    def _recorder(self, args: tuple[Any, ...]) -> Recorder:
        # What Python runs once while tracing, calls of itself in the graph would not repeat.
        if not self.inner:
            return NoRecorder()
        return BlockRecorder(self.python_function, args, self.labels)

    def _refuse_changes(self, trace: Trace, recorder: Recorder, result: Any) -> None:
        trace.forget_frames()
        recorder.release((result,))
        for path, _ in recorder.changed():
            recorder.restore()
            raise refuse_change(path, f"{self.name} calls itself, as often as the run decides")

    def _exported(self, result: Any, numbers: bool) -> Any:
        code = getattr(self.python_function, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        return _exported(result, numbers, f"the result of {self.name}{place}")

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


def _is_converted(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and autograph.converted_code(code)


def _settled(
    inner: ConcreteFunction, callee: Callee, call: _Call, names: Sequence[str]
) -> ConcreteFunction:
    """A recursive function, once it returns what its own calls suppose: as others see it, numbers
    are tensors.
    """
    callee.graph = inner.graph
    inner.callee = callee
    verify(inner.graph)
    if not has_numbers(inner.spec):
        return inner
    trace = Trace(inner.name)
    with trace:
        symbols = list(map(trace.parameter, call.types, names))
        result = _exported(inner.call_leaves(symbols))
        spec = joins.abstract(result, staged=True)
        results = list(joins.lower(result, spec, trace))
    signature, outer = inner.structured_input_signature, trace.outer_symbols()
    graph = trace.finish(results)
    return ConcreteFunction(inner.name, graph, spec, signature, inner.labels, outer, inner.guards)


def _explain_depth(error: RecursionError, function: Any, name: str) -> None:
    location = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == getattr(function, "__code__", frame.f_code).co_filename:
            location = position_of(frame.f_code, frame.f_lasti)
    error.args = (
        f"{format_location(location)}: {name} calls itself with an argument of another dtype, "
        "shape or Python value at each depth, and each is traced: pass what changes as a tensor of "
        "one shape, or end the recursion earlier",
    )


# Functions

Fast = tuple[Guards | None, list[int] | None, Run, ConcreteFunction]


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
                made.used = now()
                return made
        return None

    def keep(self, key: Any, concrete: ConcreteFunction) -> None:
        """Add a trace; those that were used least recently give way."""
        for *_, used in self.fast.values():
            used.used = now()
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


def _are_those(leaves: Sequence[Any], raws: Sequence[Any]) -> bool:
    """Are these the arrays of the leaves, as far as dtypes and shapes tell?"""
    return len(leaves) == len(raws) and all(
        type(leaf) is EagerTensor and leaf.raw.dtype == raw.dtype and leaf.raw.shape == raw.shape
        for leaf, raw in zip(leaves, raws, strict=True)
    )


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

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is made of the same Python function, and traces anew.
        options = self._autograph, self._jit_compile, self._reduce_retracing
        return Function, (self._python_function, self._name, self._input_signature, *options)

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
            if run is not None:
                key: list[Any] = []
                raws: list[Any] = []
                if quick_key(args, key, raws) and (not kwargs or quick_keywords(kwargs, key, raws)):
                    found = self._fast.get(tuple(key))
                    if found is not None and not (Mode.eager or Mode.blocks):
                        guards, order, compiled, concrete = found
                        if guards is None or guards.hold():
                            if order is not None:
                                raws = [raws[at] for at in order]
                            if concrete.calls_back:
                                run = state.context.copy().run
                            try:
                                results = run(compiled, *raws)
                            except Exception as error:
                                concrete.fail(error)
                            return concrete.outputs_of(results)
            return self._call(args, kwargs)
        except BaseException as error:
            hide_libraries(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if functions_run_eagerly():
            return self._python_function(*args, **kwargs)
        call = self._call_of(args, kwargs)
        concrete = self._counted(call) if state.trace is None else self._concrete(call)
        if isinstance(concrete, Assumption):
            return concrete.call_leaves(call.leaves)
        self._remember(args, kwargs, call, concrete)
        return concrete.call_leaves(call.leaves)

    def _counted(self, call: _Call) -> ConcreteFunction | Assumption:
        before = self._traces.count
        concrete = self._concrete(call)
        if self._detector.called(traced=self._traces.count != before):
            self._detector.warn(self._python_function, self._traces.reasons[-1])
        return concrete

    def _remember(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], call: _Call, concrete: ConcreteFunction
    ) -> None:
        """Take the short way with further calls like this one, if it leads to the same."""
        if state.run is None or concrete.outer or not self._detector.quiet:
            return
        key: list[Any] = []
        raws: list[Any] = []
        if not quick_key(args, key, raws) or not quick_keywords(kwargs, key, raws):
            return
        given = set(map(id, (*args, *kwargs.values())))
        bound = (*call.args, *call.kwargs.values())
        if any(id(item) not in given and may_change(item) for item in bound):
            return
        order = self._order(args, kwargs)
        if order is None or not _are_those(call.leaves, [raws[at] for at in order]):
            return
        if not kwargs:
            del key[-2:]
        if len(self._fast) >= MOST_TRACES:
            self._fast.clear()
        is_same = order == list(range(len(order)))
        guards = concrete.guards if concrete.guards else None
        short = guards, None if is_same else order, concrete.program.run, concrete
        self._fast[tuple(key)] = short

    def _order(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int] | None:
        """Where the tensors of a call are among those that its trace takes; None where keys of
        dicts do not tell arguments from others.
        """
        given = *args, *kwargs.values()
        if not all(map(has_plain_keys, given)) or (kwargs and self._input_signature is not None):
            return None
        places: list[list[int]] = []
        count = 0
        for item in given:
            raws: list[Any] = []
            quick_key((item,), [], raws)
            places.append(list(range(count, count + len(raws))))
            count += len(raws)
        if not kwargs:
            return list(range(count))
        return [at for place in self._parameters.order(args, kwargs) for at in places[place]]

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
        count = traces.count
        try:
            with running(assumption), _implicit(self), _creating(self._name, created):
                return self._traced(call, assumption), not assumption.depends
        except RecursionError as error:
            if len(traces.running) == 1 and traces.count - count > MOST_VARIANTS:
                _explain_depth(error, self._python_function, self._name)
            raise
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
            if not assumption.assume(concrete.spec, concrete.outer):
                return _settled(concrete, callee, call, names)
        raise refuse(
            f"what {self._name} returns takes another shape at each depth of its recursion",
            "write the recursion as a loop",
        )

    def _converted(self) -> Callable[..., Any]:
        if not self._autograph:
            return self._python_function
        if isinstance(self._python_function, BuiltinFunctionType):
            return autograph.call(self._python_function)  # type: ignore[no-any-return]
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

"""The result of `@function`: a Python function traced once for each signature, optimised, compiled,
and called as a graph.
"""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import autograph
from autograph.frames import hide_libraries
from runtime.core.eager_mode import Mode, functions_run_eagerly
from runtime.core.pickling import has_name, refused
from runtime.core.reloading import follow_reloads, reloads
from runtime.core.shapes import TensorSpec
from runtime.core.state import run_calling_back, state
from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.errors import WrongDtypeError
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.counters import Descent
from runtime.functions.function_tracing import Tracer, creating, explain_variants, settled
from runtime.functions.initial_values import is_for_one_call
from runtime.functions.kept_objects import MOST_TRACES, Part
from runtime.functions.parameters import Arguments, Parameters
from runtime.functions.recursion import (
    MOST_ASSUMPTIONS,
    Assumption,
    is_outermost,
    running,
    running_of,
)
from runtime.functions.retracing import reason
from runtime.functions.signatures import (
    KEYWORDS,
    check_arguments,
    conform,
    key_of,
    keys_of,
    leaf_types,
    leaves_of,
    may_change,
    plain_key,
    rebuild,
    refuse_arrays,
    refuse_cycles,
    without_shapes,
)
from runtime.functions.trace_cache import (
    MOST_VARIANTS,
    Call,
    Traces,
    guards_changed,
    has_open_shapes,
)
from runtime.functions.turns import turn
from runtime.graph.ir import covers
from runtime.staging.control import joins
from runtime.staging.control.optional_values import present
from runtime.staging.refusals import refuse
from runtime.variables.creation import Creations

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)
Receiver = TypeVar("Receiver")


class Function(Generic[P, R]):
    """The result of `@function`: a call traces the Python function once for each signature and runs
    the graph.
    """

    __wrapped__: Callable[..., Any]
    __qualname__: str

    def __init__(
        self,
        python_function: Callable[P, R],
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
        self._parameters = Parameters(_signature(python_function), self._name)
        self._traces = Traces(python_function)
        self._known = self._traces.by_key
        self._bound: dict[int, tuple[Any, Traces]] = {}
        if reloads():
            follow_reloads(Function, _become)

    # What it is

    @property
    def python_function(self) -> Callable[P, R]:
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

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from runtime.core import displays

        printer.text(displays.traces_text(repr(self), self._explained()))

    def _repr_html_(self) -> str:
        from runtime.core import displays

        return displays.traces_html(repr(self), self._explained())

    def _explained(self) -> list[tuple[str, str]]:
        return [(made.signature_text, made.reason) for made in self._traces.made()]

    @property
    def saved_parameters(self) -> Parameters:
        """The parameters of a call, as a file has them."""
        return self._parameters

    def saved_traces(self) -> list[ConcreteFunction]:
        """The traces that calls from outside could run now; of an input_signature, the one for
        that.
        """
        if self._input_signature is not None:
            self.get_concrete_function()
        made = [made for made in self._traces.made() if made.guards.hold() and not made.outer]
        if any(each.kept is not None for each in made):
            raise refuse(
                f"{self._name} changes objects from before its calls, which no file has",
                "keep what changes in a Variable",
            )
        return made

    def __eq__(self, other: object) -> bool:
        # As Python's methods, which are bound anew wherever they are asked for.
        return isinstance(other, Function) and self._traces is other._traces

    def __hash__(self) -> int:
        return id(self._traces)

    def __copy__(self) -> Function[P, R]:
        """Of the same Python function; it traces anew."""
        return Function(self._python_function, *self._options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function[P, R]:
        """Of a copy of the Python function, as methods are copied with their objects."""
        return Function(copy.deepcopy(self._python_function, memo), *self._options)

    def __reduce__(self) -> str | tuple[Any, ...]:
        function = self._python_function
        if isinstance(function, MethodType):
            instance, name = function.__self__, function.__name__
            if getattr(instance, name, None) == self:
                return getattr, (instance, name)
        elif has_name(self):
            return self.__qualname__
        if isinstance(function, FunctionType) and not has_name(function):
            place = f"{function.__module__}.{function.__qualname__}"
            raise refused(f"the function {self._name}", f"it is not found as {place}; define it so")
        return Function, (function, *self._options)

    @property
    def _options(self) -> tuple[Any, ...]:
        return (
            self._name, self._input_signature, self._autograph, self._jit_compile,
            self._reduce_retracing,
        )  # fmt: skip

    def experimental_get_tracing_count(self) -> int:
        """Returns the number of traces of the Python function, without those where it raised.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> double(rt.constant(1)).numpy().item(), double.experimental_get_tracing_count()
        (2, 1)
        """
        return self._traces.count

    def why_retraced(self) -> str:
        """A line for each trace, the last ones if there are many: which argument or global value
        was different.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> double(rt.constant(1)).numpy().item(), double(rt.constant(1.5)).numpy().item()
        (2, 3.0)
        >>> len(double.why_retraced().splitlines())
        2
        """
        reasons = list(self._traces.reasons)
        first = self._traces.count - len(reasons) + 1
        return "\n".join([f"{at}: {text}" for at, text in enumerate(reasons, first)])

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures that there are traces for: the types of tensors, and the Python values
        that a trace is for; unless `verbose`, a line each.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> double(rt.constant(1)).numpy().item()
        2
        >>> "int32" in double.pretty_printed_concrete_signatures()
        True
        """
        texts = [concrete.pretty_printed_signature(verbose) for concrete in self._traces.made()]
        return ("\n\n" if verbose else "\n").join(texts)

    def python_source(self, *args: Any, **kwargs: Any) -> str:
        """The Python source that a call with these arguments runs.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> "2 * x" in double.python_source(rt.constant(1))
        True
        """
        return self.get_concrete_function(*args, **kwargs).program.source

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, each a value, a tensor, or a TensorSpec in place of one.

        With an `input_signature`, no arguments are needed.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> concrete = double.get_concrete_function(rt.TensorSpec([], rt.int32))
        >>> int(concrete(rt.constant(4)))
        8
        """
        if self._leaves_out_receiver(args):
            return self.__get__(args[0]).get_concrete_function(*args[1:], **kwargs)
        try:
            if self._input_signature is not None and not args and not kwargs:
                parameters = self._parameters
                args, kwargs = parameters.arranged(parameters.entries(self._input_signature))
            found = self._concrete(self._call_of(args, kwargs))
            if isinstance(found, Assumption):
                raise refuse(
                    f"the graph of {self._name} is asked for while it is traced",
                    "call the function",
                )
            return found
        except BaseException as error:
            self._refuse_arguments(error, args, kwargs)
            hide_libraries(error)
            raise

    # Methods

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Function[P, R]: ...
    @overload
    def __get__(
        self: Function[Concatenate[Receiver, Q], R], instance: Receiver, owner: type | None = None
    ) -> Function[Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Function[..., R]:
        """The function bound to an instance, which has traces of its own."""
        if instance is None or isinstance(self._python_function, staticmethod):
            return self
        bound = object.__new__(Function)
        vars(bound).update(vars(self))
        bound._python_function = MethodType(self._python_function, instance)
        bound.__wrapped__ = bound._python_function
        bound._parameters = self._method_parameters
        bound._traces = self._traces_for(instance)
        bound._known = bound._traces.by_key
        return bound

    @functools.cached_property
    def _method_parameters(self) -> Parameters:
        return self._parameters.without_first()

    def _traces_for(self, instance: Any) -> Traces:
        key = id(instance)
        known = self._bound.get(key)
        if known is None:
            made = _weak_or_strong(instance, self._bound, key), Traces(self._python_function)
            known = self._bound.setdefault(key, made)
        return known[1]

    # Calling it

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the graph for these arguments; it is traced now if there is none yet."""
        try:
            # `run` is None while anything records or traces: one look tells that the short way is
            # open.
            run = state.run
            key: Any = None
            if run is not None and not (Mode.eager or Mode.blocks):
                raws: list[Any] = []
                key = keys_of(args, raws)
                if kwargs:
                    key += KEYWORDS, tuple(kwargs), keys_of(kwargs.values(), raws)
                for guards, order, compiled, use, concrete in self._known.get(key, ()):
                    if guards is None or guards.hold():
                        if compiled is None:
                            break
                        use.again = True
                        if order is not None:
                            raws = [raws[at] for at in order]
                        if concrete.calls_back:
                            run = run_calling_back
                        try:
                            results = run(compiled, *raws)
                        except BaseException as error:
                            concrete.program.fail(error)
                        return concrete.outputs_of(results)  # type: ignore[no-any-return]
            return self._call(args, kwargs, key)  # type: ignore[no-any-return]
        except BaseException as error:
            self._refuse_arguments(error, args, kwargs)
            hide_libraries(error)
            raise

    def _refuse_arguments(
        self, error: BaseException, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        if isinstance(error, RecursionError):
            refuse_cycles(self._name, self._labelled(args, kwargs))
        if isinstance(error, WrongDtypeError):
            refuse_arrays(self._name, self._labelled(args, kwargs))

    def _labelled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        yield from ((self._parameters.label(at), item) for at, item in enumerate(args))
        yield from kwargs.items()

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], key: Any = None) -> Any:
        if self._leaves_out_receiver(args):
            return self.__get__(args[0])._call(args[1:], kwargs)
        if functions_run_eagerly():
            if self._input_signature is not None:
                args, kwargs = self._conformed(args, kwargs)
            return self._python_function(*args, **kwargs)
        call = self._call_of(args, kwargs)
        if any(type(leaf) is TensorSpec for leaf in call.leaves):
            check_arguments(self._name, self._labelled(args, kwargs))
        if state.trace is not None and (made := self._deeper(call)) is not NotImplemented:
            return made
        concrete = self._counted(call) if state.trace is None else self._concrete(call)
        if isinstance(concrete, Assumption):
            return concrete.call_leaves(call.leaves)
        chosen = call.first or concrete
        if Mode.graphs is not None and chosen.graph not in Mode.graphs:
            Mode.graphs.append(chosen.graph)
        if chosen.changes is not None:
            return self._call_changing(chosen, call)
        if concrete is not call.first and chosen.kept is None:
            self._shorten(key, args, kwargs, call, concrete)
        return chosen.call_leaves(call.leaves)

    def call_plain(self, call: Call) -> Any:
        """A call of the Python function: its numbers are no tensors."""
        running = running_of(self._traces)
        if call.key in running:
            return running[call.key].call_leaves(call.leaves)
        call.plain, call.key = True, plain_key(call.key)
        concrete = self._concrete(call)
        if isinstance(concrete, Assumption):
            return concrete.call_leaves(call.leaves)
        if concrete.changes is not None:
            return self._call_changing(concrete, call)
        return concrete.call_leaves(call.leaves)

    def _deeper(self, call: Call) -> Any:
        """Returns what a call gives that many calls of the same function wait for, which differ by
        numbers; NotImplemented for other calls.
        """
        waiting = running_of(self._traces)
        if not waiting or call.key in waiting:
            return NotImplemented
        descent = _thread.descents.setdefault(self._traces, Descent())
        descent.waiting = [*waiting, call.key]
        return descent.with_staged_counters(self, call)

    def _call_changing(self, concrete: ConcreteFunction, call: Call) -> Any:
        if self._input_signature is not None:
            raise refuse(
                f"{self._name} changes a list of its arguments, and has an input_signature",
                "return the list, or leave out the input_signature",
            )
        return concrete.call_changing(call.args, call.kwargs, call.leaves)

    def _leaves_out_receiver(self, args: tuple[Any, ...]) -> bool:
        """True for a call `Class.method(instance, ...)` whose signature has no entry for `self`."""
        if self._input_signature is None or not args:
            return False
        return any(item is self for kind in type(args[0]).__mro__ for item in vars(kind).values())

    def _counted(self, call: Call) -> ConcreteFunction | Assumption:
        concrete = self._concrete(call)
        traces = self._traces
        is_new = call.traced and isinstance(concrete, ConcreteFunction)
        if is_new and traces.detector.traced(concrete.use):
            last = traces.reasons[-1] if traces.count > 1 else None
            traces.detector.warn(self._python_function, last)
        return concrete

    def _shorten(
        self,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        call: Call,
        concrete: ConcreteFunction,
    ) -> None:
        """Take the short way with further calls of this key, if it leads to the same."""
        if state.run is None or concrete.outer or key is None:
            return
        if not all([type(leaf) is EagerTensor for leaf in call.leaves]):
            return
        order = None
        if key != call.key:
            given = set(map(id, (*args, *kwargs.values())))
            bound = (*call.args, *call.kwargs.values())
            fixed = self._input_signature is not None
            if not fixed and any(id(item) not in given and may_change(item) for item in bound):
                return
            order = self._order(args, kwargs, call)
            if None in order:
                return
            if order == list(range(len(order))):
                order = None
        run = concrete.programs.runner([leaf.raw for leaf in call.leaves])
        self._traces.shorten(key, concrete, run, order)

    def _order(self, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> list[Any]:
        """Returns the places of the tensors that a trace takes among those of a call: None for one
        that was made of something else.
        """
        leaves: list[Any] = []
        leaves_of((args, tuple(kwargs.values())), leaves)
        if Counter(leaf_types(leaves)) != Counter(leaf_types(call.leaves)):
            return [None]
        others = [EagerTensor(leaf.raw) for leaf in leaves]
        places = {id(leaf): at for at, leaf in enumerate(others)}
        given = iter(others)
        call = self._call_of(rebuild(args, given), rebuild(kwargs, given))
        return [places.get(id(leaf)) for leaf in call.leaves]

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        args = tuple(map(present, args))
        if self._input_signature is not None:
            args, kwargs = self._conformed(args, kwargs)
        else:
            args, kwargs = self._parameters.bind(args, kwargs)
        call = Call(args, kwargs)
        if self._input_signature is not None:
            signature: list[Any] = []
            call.key = key_of(self._input_signature)[2]
            leaves_of(self._input_signature, signature)
            call.describe(signature)
        return call

    def _conformed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments as the input_signature says, those that are left out by their defaults."""
        assert self._input_signature is not None
        parameters = self._parameters
        entries = parameters.entries(self._input_signature)
        args, kwargs = parameters.bind_partially(args, kwargs)
        given = {parameters.label(at): item for at, item in enumerate(args)} | kwargs
        for name in given:
            if name not in entries:
                raise TypeError(
                    f"{self._name}(): argument {name!r} has no entry in the input_signature: leave "
                    "it out, or add a TensorSpec for it"
                )
        fitted = {}
        for name, spec in entries.items():
            item = given[name] if name in given else parameters.default(name, spec)
            try:
                fitted[name] = conform(item, spec, name)
            except TypeError as error:
                raise TypeError(f"{self._name}(): {error}") from None
        return parameters.arranged(fitted)

    def _concrete(self, call: Call) -> ConcreteFunction | Assumption:
        found: ConcreteFunction | Assumption | None = self._traces.find(call.key)
        if found is None:
            with turn((self._traces, call.key)):
                found = self._traces.find(call.key) or self._relaxed(call) or self._trace(call)
        return found

    def _relaxed(self, call: Call) -> ConcreteFunction | None:
        """A trace whose shapes cover this call's; with `reduce_retracing`, the call's are made to
        cover those of a similar one.
        """
        generic = self._traces.generic.get(without_shapes(call.key), ())
        count = len(call.types)
        fitting = []
        for known in generic:
            types = [value.type for value in known.graph.parameters[:count]]
            if all(map(covers, types, call.types)) and known.guards.hold():
                fitting.append((_openness(types), known))
        if fitting:
            return min(fitting, key=itemgetter(0))[1]
        if generic and self._reduce_retracing:
            types = [value.type for value in generic[0].graph.parameters[:count]]
            call.types = [joins.join_types(a, b) for a, b in zip(types, call.types, strict=True)]
        return None

    def _trace(self, call: Call) -> ConcreteFunction | Assumption:
        key, traces = call.key, self._traces
        known = running_of(traces)
        if key in known:
            return known[key]
        call.traced = True
        creations = Creations(allowed=not traces.finished and not known)
        concrete, kept = self._noted(call, self._reason(call), creations)
        if creations.made and call.first is None:
            # Python runs again, as it will for other signatures: now the variables must be there.
            first = concrete
            again = Creations(allowed=False, streams=creations.streams)
            concrete, kept = self._noted(call, "the first trace created variables", again)
            if is_for_one_call(first.graph, concrete.graph, self._name):
                call.first = first
        if kept and not concrete.outer:
            traces.keep(key, concrete)
            if self._input_signature is None and (self._reduce_retracing or has_open_shapes(call)):
                traces.keep_generic(without_shapes(key), concrete)
        return concrete

    def _noted(self, call: Call, text: str, creations: Creations) -> tuple[ConcreteFunction, bool]:
        """A trace, and whether it holds for calls from elsewhere too."""
        traces = self._traces
        assumption = Assumption(self._name, traces, call.key)
        traces.begin(text)
        try:
            with running(assumption), _implicit(self), creating(self._name, creations):
                concrete = self._traced(call, assumption)
                concrete.reason = text
        except BaseException as error:
            traces.forget(text)
            if isinstance(error, RecursionError) and len(running_of(traces)) == MOST_VARIANTS:
                explain_variants(error, self._python_function, self._name)
            raise
        if creations.failed and concrete.spec is None:
            # The next call creates what this one could not.
            traces.forget(text)
            call.first = concrete
            return concrete, False
        traces.finished += 1
        return concrete, not assumption.depends

    def _reason(self, call: Call) -> str:
        labels = [self._parameters.label(place) for place in range(len(call.args))]
        traces = self._traces
        # Of a recursion, those that are made now are not among the traces yet.
        known = traces.traced() | running_of(traces)
        return reason(call.key, labels, known, guards_changed, again=traces.finished > 0)

    def _traced(self, call: Call, assumption: Assumption) -> ConcreteFunction:
        names = call.leaf_names(self._parameters)
        labels = [self._parameters.label(place) for place in range(len(call.args))]
        own = self._name, self._python_function, self._converted(), labels, assumption, _again
        tracer, concrete = self._kept_traced(lambda parts: Tracer(*own, parts=parts), call, names)
        if not assumption.used:
            return concrete
        assumption.assume(tracer.returned, concrete.outer, concrete.shared)
        for _ in range(MOST_ASSUMPTIONS):
            concrete = Tracer(*own, inner=True).trace(call, names)
            callee = assumption.callee
            if not assumption.assume(concrete.spec, concrete.outer, concrete.shared):
                return settled(concrete, callee, call, names)
        raise refuse(
            f"what {self._name} returns takes another shape at each depth of its recursion",
            "write the recursion as a loop",
        )

    def _kept_traced(
        self, tracer_for: Callable[[list[Part]], Tracer], call: Call, names: Sequence[str]
    ) -> tuple[Tracer, ConcreteFunction]:
        """A trace, once it is known which parts of objects from before it changes."""
        parts: list[Part] = []
        for _ in range(MOST_TRACES):
            tracer = tracer_for(parts)
            concrete = tracer.trace(call, names)
            if tracer.found is None:
                return tracer, concrete
            parts = tracer.found
        shown = ", ".join([part.path for part in parts[:3]])
        raise refuse(
            f"what {self._name} changes of objects from before it is another thing each time that "
            f"it is traced: {shown}",
            "change what is there before the call, not what the function makes",
        )

    def _converted(self) -> Callable[..., Any]:
        if not self._autograph:
            return self._python_function
        function: Any = self._python_function
        plain: Any = getattr(function, "__func__", function)
        if hasattr(plain, "cache_parameters"):  # a trace is kept for its arguments already
            plain = plain.__wrapped__
            is_method = isinstance(function, MethodType)
            function = MethodType(plain, function.__self__) if is_method else plain
        is_wrapper = isinstance(plain, FunctionType) and plain.__module__ in sys.stdlib_module_names
        is_staged = isinstance(type(plain).__call__, Function)
        if is_wrapper or is_staged or isinstance(plain, BuiltinFunctionType):
            return autograph.call(function)  # type: ignore[no-any-return]
        return autograph.convert(function)  # type: ignore[no-any-return]


def _become(old: Function[..., Any], new: Function[..., Any]) -> None:
    old.__dict__ = dict(vars(new))


def _openness(types: Sequence[Any]) -> tuple[int, int]:
    """Returns the number of unknown ranks, then of unknown dimensions."""
    shapes = [known.shape for known in types if isinstance(known, TensorType)]
    return shapes.count(None), sum([shape.count(None) for shape in shapes if shape is not None])


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except ValueError:
        raise TypeError(
            f"function() takes a callable with a signature, not {function!r}: call it in a "
            "function of your own"
        ) from None


# Functions that were not decorated, and call themselves inside a staged block


class _Thread(threading.local):
    def __init__(self) -> None:
        self.implicit: dict[tuple[int, int], Function[..., Any]] = {}
        self.descents: dict[Traces, Descent] = {}


_thread = _Thread()


def _implicit_function(function: Any) -> Function[..., Any]:
    """Returns the `@function` made of it, the same one while a trace is made."""
    key = _identity(function)
    found = _thread.implicit.get(key)
    if found is None:
        found = _thread.implicit[key] = Function(function)
    return found


def _again(
    descent: Descent, depth: int, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function that `depth` calls of itself wait for: with arguments as those of one of
    them, or of many of them but for numbers, it becomes a graph that calls itself.
    """
    staged = _implicit_function(function)
    call = staged._call_of(args, kwargs)
    known = descent.is_known(depth, call.key)
    if known or not running_of(staged._traces).keys().isdisjoint((call.key, plain_key(call.key))):
        return staged.call_plain(call)
    made = descent.with_staged_counters(
        lambda *args, **kwargs: staged.call_plain(staged._call_of(args, kwargs)), call
    )
    return autograph.convert(function)(*args, **kwargs) if made is NotImplemented else made


@contextmanager
def _implicit(function: Function[..., Any]) -> Iterator[None]:
    """While `function` is traced, calls of its Python function mean itself."""
    if function.input_signature is None:
        _thread.implicit.setdefault(_identity(function.python_function), function)
    try:
        yield
    finally:
        if is_outermost():
            _thread.implicit.clear()
            _thread.descents.clear()


def _identity(function: Any) -> tuple[int, int]:
    plain, receiver = getattr(function, "__func__", function), getattr(function, "__self__", None)
    return id(plain), id(receiver)


def _weak_or_strong(instance: Any, table: dict[int, Any], key: int) -> Any:
    try:
        return weakref.ref(instance, lambda _: table.pop(key, None))
    except TypeError:
        return instance

"""A Python function and its traces: the one that serves a call, made now where there is none."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import autograph
from autograph.frames import entries_of
from runtime.core.convert import held_now
from runtime.core.executor import COMPILED
from runtime.core.executor import check as check_executor
from runtime.core.inspection import signature_of, taker_of
from runtime.core.state import state
from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.errors import OperatorNotAllowedInGraphError
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.function_tracing import Tracer, creating, explain_variants, settled
from runtime.functions.kept_objects import KeptPart
from runtime.functions.lasting_effects import Prints
from runtime.functions.parameters import Arguments, Parameters
from runtime.functions.recursion import (
    MOST_ASSUMPTIONS,
    Assumption,
    implicit,
    keep_provisionally,
    provisional,
    running,
    running_of,
)
from runtime.functions.recursion_state import RecursionState
from runtime.functions.retracing import reason
from runtime.functions.signatures import (
    Rebuilding,
    conform,
    key_of,
    leaf_types,
    leaves_of,
    of_function,
    without_shapes,
)
from runtime.functions.trace_cache import (
    MOST_VARIANTS,
    Call,
    Traces,
    guards_changed,
    has_open_shapes,
)
from runtime.functions.tracing_lock import tracing_lock
from runtime.graph.ir import covers
from runtime.staging.control.joined_types import join_types
from runtime.staging.control.optional_values import present
from runtime.staging.control.references import NOTHING_WANTED, Wanted, want
from runtime.staging.control.specs import Spec, classes_in
from runtime.staging.lists.arenas import refuse_given
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.refusals import is_refusal, refuse
from runtime.variables.creation import Creations

MOST_REFERRING = 20
"""Traces of a function that refers to objects by numbers: each may find further ones."""

_DESCRIPTORS = frozenset((classmethod, property, functools.cached_property))


class Traced:
    """A Python function, and its traces by the keys of its calls."""

    __slots__ = (
        "_autograph",
        "_executor",
        "_input_signature",
        "_jit_compile",
        "_name",
        "_parameters",
        "_python_function",
        "_reduce_retracing",
        "_traces",
    )

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str | None = None,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        executor: str | None = None,
    ) -> None:
        if not callable(python_function):
            kind = type(python_function)
            above = f": put @{kind.__name__} above @function" if kind in _DESCRIPTORS else ""
            raise TypeError(f"function() takes a callable, not {python_function!r}{above}")
        self._python_function = python_function
        own_name = getattr(python_function, "__name__", type(python_function).__name__)
        self._name: str = name or own_name
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        check_executor(executor)
        if jit_compile:
            check_executor("native", "jit_compile=True")
            if executor == "numpy":
                raise ValueError("jit_compile=True asks for machine code, which NumPy has not")
        self._executor = executor
        plain = getattr(python_function, "__func__", python_function)
        taker = taker_of(plain)
        own = taker if type(taker) is FunctionType else None
        self._parameters = Parameters(_signature(python_function), self._name, own)
        self._traces = Traces(python_function)

    def _leaves_out_receiver(self, args: tuple[Any, ...]) -> bool:
        """True for a call `Class.method(instance, ...)` whose signature has no entry for `self`."""
        if self._input_signature is None or not args:
            return False
        return any(item is self for kind in type(args[0]).__mro__ for item in vars(kind).values())

    def _order(self, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> list[Any]:
        """Returns the places of the tensors that a trace takes among those of a call: None for one
        that was made of something else.
        """
        leaves: list[Any] = []
        leaves_of((args, tuple(kwargs.values())), leaves)
        places = {id(leaf): at for at, leaf in enumerate(leaves)}
        if len(places) == len(leaves) and list(places) == [id(leaf) for leaf in call.leaves]:
            return [*places.values()]  # each is itself, as most are
        if Counter(leaf_types(leaves)) != Counter(leaf_types(call.leaves)):
            return [None]
        others = [EagerTensor(leaf.raw) for leaf in leaves]
        places = {id(leaf): at for at, leaf in enumerate(others)}
        again = Rebuilding(iter(others))
        call = self._call_of(again.of(args), again.of(kwargs))
        return [places.get(id(leaf)) for leaf in call.leaves]

    def _call_of(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], recursive: bool = False
    ) -> Call:
        if state.trace is not None and not recursive:
            receiver = getattr(self._python_function, "__self__", None)
            refuse_given((receiver, *args, *kwargs.values()))
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
        if not recursive:  # an array of NumPy's is a tensor to the function
            call.leaves = list(map(held_now, call.leaves))
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
                raise of_function(error, self._name) from None
        return parameters.arranged(fitted)

    def _again(self, *given: Any) -> Any:
        """Make a call of this function that others of itself wait for."""
        raise NotImplementedError

    def _concrete(self, call: Call) -> ConcreteFunction | Assumption:
        found: ConcreteFunction | Assumption | None = self._traces.find(call.key)
        if found is None:
            with tracing_lock((self._traces, call.key)):
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
            call.types = [join_types(a, b) for a, b in zip(types, call.types, strict=True)]
        return None

    def _trace(self, call: Call) -> ConcreteFunction | Assumption:
        key, traces = call.key, self._traces
        known = running_of(traces)
        if key in known:
            return known[key]
        found = provisional(traces, key)
        if found is not None:
            return found
        call.traced = True
        creations = Creations(allowed=not traces.finished and not known)
        concrete, kept = self._noted(call, self._reason(call), creations)
        if creations.made and call.first is None:
            from runtime.functions.initial_values import is_for_one_call, place_of_creation

            # Python runs again, as it will for other signatures: now the variables must be there.
            first = concrete
            again = Creations(allowed=False, streams=creations.streams)
            concrete, kept = self._noted(call, "the first trace created variables", again)
            place = place_of_creation() or creations.place
            if is_for_one_call(first.graph, concrete.graph, self._name, place):
                call.first = first
        if kept and not concrete.outer and not concrete.state:
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
            with running(assumption), implicit(self), creating(self._name, creations):
                concrete = self._traced(call, assumption)
                concrete.reason = text
                concrete.executor = COMPILED if self._jit_compile else self._executor
                if call.plain:
                    keep_provisionally(assumption, concrete)
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
        return concrete, not assumption.needs

    def _reason(self, call: Call) -> str:
        labels = [self._parameters.label(place) for place in range(len(call.args))]
        traces = self._traces
        # Of a recursion, those that are made now are not among the traces yet.
        known = traces.traced() | running_of(traces)
        return reason(call.key, labels, known, guards_changed, again=traces.finished > 0)

    def _traced(self, call: Call, assumption: Assumption) -> ConcreteFunction:
        names = call.leaf_names(self._parameters)
        labels = [self._parameters.label(place) for place in range(len(call.args))]
        prints, tracers = Prints(), list[Tracer]()

        def tracer_for(referred: Wanted, **options: Any) -> Tracer:
            function = self._converted(asks=referred.asks)
            own = (
                self._name,
                self._python_function,
                function,
                labels,
                assumption,
                self._again,
                prints,
            )
            tracers.append(Tracer(*own, referred=referred, **options))
            return tracers[-1]

        try:
            return self._settled(tracer_for, tracers, call, names, assumption)
        finally:
            prints.show()

    def _settled(
        self,
        tracer_for: Callable[..., Tracer],
        tracers: Sequence[Tracer],
        call: Call,
        names: Sequence[str],
        assumption: Assumption,
    ) -> ConcreteFunction:
        """The trace with as much as it takes known to it."""
        if call.plain:
            return self._recursive(tracer_for, call, names, assumption, _referred_around())
        referred = NOTHING_WANTED
        while True:
            tracer, concrete = self._kept_traced(tracer_for, call, names, referred)
            if not assumption.used:
                return concrete
            assumption.assume(tracer.returned, concrete.outer, concrete.shared)
            known = tracer.references.known
            try:
                return self._recursive(tracer_for, call, names, assumption, known)
            except Exception as error:
                more = tracers[-1].references.more() if is_refusal(error) else None
                if more is None or tracers[-1].put_back() is not None:
                    raise
                referred = more
                _clear_frames(error)
            assumption.restart()

    def _recursive(
        self,
        tracer_for: Callable[..., Tracer],
        call: Call,
        names: Sequence[str],
        assumption: Assumption,
        referred: Wanted,
    ) -> ConcreteFunction:
        """The trace that returns what its calls of itself are supposed to."""
        for _ in range(MOST_ASSUMPTIONS):
            concrete = tracer_for(referred, inner=True).trace(call, names)
            callee = assumption.callee
            does = concrete.shared, concrete.state, concrete.returned
            found = concrete.spec, concrete.outer, *does
            before = assumption.spec, assumption.state
            is_other = assumption.assume(*found)
            if not is_other and assumption.used and concrete.spec is None and concrete.state:
                place = concrete.state.places[0].name
                raise refuse(
                    f"{self._name} changes {place!r} and calls itself, but no call of it returns",
                    "have a path of it return, or change nothing outside of it",
                    place,
                )
            if not is_other or not (assumption.used or concrete.state):
                return settled(concrete, callee, call, names)
            if assumption.grows(before[0]):
                break
        raise self._refuse_endless(assumption, *before)

    def _refuse_endless(
        self, assumption: Assumption, spec: Spec | None, state: RecursionState
    ) -> Exception:
        """The error for a recursion that never does what is supposed of it: its last trace found
        another result, or other changes, than `spec` and `state`.
        """
        name = self._name
        if assumption.spec != spec:
            want(*([] if assumption.spec is None else classes_in(assumption.spec)))
            message = f"what {name} returns takes another shape at each depth of its recursion"
            return refuse(message, "write the recursion as a loop")
        places = assumption.state.places
        place = places[-1].name if places else None
        if assumption.state.keys() != state.keys():
            item = places[-1].object if places else None
            if isinstance(item, GrowingList) and item.has_lists:
                message = (
                    f"{name} takes {place!r} apart, which is another list of lists at each depth"
                )
                hint = "pass the same list on, with the places that a call is to look at"
                return refuse(message, hint, place)
            message = f"{name} changes {place!r}, which is another object at each depth"
            return refuse(message, "pass the same object on, or return what a call adds", place)
        message = f"what {name} does to what is outside of it differs at each depth"
        return refuse(message, "write the recursion as a loop", place)

    def _kept_traced(
        self,
        tracer_for: Callable[..., Tracer],
        call: Call,
        names: Sequence[str],
        referred: Wanted,
    ) -> tuple[Tracer, ConcreteFunction]:
        """A trace, once it is known which parts of objects from before it changes, and of which
        classes the run chooses objects: of those that are `referred` already, and others.
        """
        parts: list[KeptPart] = []
        refusal: Exception | None = None
        around = state.trace
        remembered = None if around is None else around.refusal
        for _ in range(MOST_REFERRING):
            tracer = tracer_for(referred, parts=parts)
            try:
                concrete = tracer.trace(call, names)
            except Exception as error:
                if not is_refusal(error):
                    raise
                # What a trace says that asks more is not about the program as the user wrote it;
                # one of which arrays are values of the graph knows what they hold.
                known = tracer.references.known
                if refusal is None or not known.asks or known.arrays:
                    refusal = error
                more = tracer.references.more()
                acted = tracer.put_back() if more else None
                if not more or acted is not None:
                    further = _with_further(refusal, error, acted)
                    raise _with_hindrance(further, tracer.references.hindered) from None
                referred = more
                _clear_frames(error)
                if around is not None:  # which has remembered the error that is past
                    around.refusal = remembered
                continue
            # What raises always may do so for want of what Python knows of a loop.
            if concrete.spec is None and tracer.references.knows_less:
                more = tracer.references.more()
                if more and tracer.put_back() is None:
                    referred = more
                    continue
            if tracer.found is None:
                return tracer, concrete
            parts = tracer.found
        if refusal is not None:
            raise refusal
        shown = ", ".join([part.path for part in parts[:3]])
        raise refuse(
            f"what {self._name} changes of objects from before it is another thing each time that "
            f"it is traced: {shown}",
            "change what is there before the call, not what the function makes",
        )

    def _converted(self, asks: bool = False) -> Callable[..., Any]:
        if not self._autograph:
            return self._python_function
        function: Any = self._python_function
        plain: Any = getattr(function, "__func__", function)
        # A trace is kept for its arguments already.
        if isinstance(plain, functools._lru_cache_wrapper):
            plain = plain.__wrapped__
            is_method = isinstance(function, MethodType)
            function = MethodType(plain, function.__self__) if is_method else plain
        package = str(plain.__module__).partition(".")[0] if isinstance(plain, FunctionType) else ""
        is_library = package == "runtime" or package in sys.stdlib_module_names
        is_staged = isinstance(plain, Traced) or isinstance(type(plain).__call__, Traced)
        if is_library or is_staged or isinstance(plain, BuiltinFunctionType):
            return autograph.call(function)  # type: ignore[no-any-return]
        return autograph.convert_for_staging(function, asks)  # type: ignore[no-any-return]


def _referred_around() -> Wanted:
    """Returns the references of the trace that is being made; none where there is no trace."""
    return NOTHING_WANTED if state.trace is None else state.trace.references.known


def _with_further(refusal: Exception, last: Exception, acted: str | None) -> Exception:
    """The refusal, with what keeps the function from being traced once more, or what refuses it
    then.
    """
    if not isinstance(refusal, autograph.AutographError | OperatorNotAllowedInGraphError):
        return refusal
    if acted is not None:
        refusal.hint = f"{refusal.hint}; or do nothing in the function that Python cannot "
        refusal.hint += f"do again: {acted} while tracing"
    elif last is not refusal and getattr(last, "message", "") != refusal.message:
        place, said = getattr(last, "lineno", None), getattr(last, "message", last)
        at = f" at line {place}" if place and place != refusal.lineno else ""
        refusal.hint = f"{refusal.hint}; traced once more for that, it is refused{at}: {said}"
        further = getattr(last, "hint", None)
        if further is not None and further not in refusal.hint:
            refusal.hint += f": {further}"
    return refusal


def _with_hindrance(refusal: Exception, hindered: Mapping[str, str]) -> Exception:
    """The refusal, with what keeps a trace from referring to objects of the user's."""
    if isinstance(refusal, autograph.AutographError) and hindered:
        found = [f"{name}, which has {why}" for name, why in hindered.items()]
        refusal.hint = f"{refusal.hint}; the run can choose no objects of {'; or of '.join(found)}"
    return refusal


def _clear_frames(error: Exception) -> None:
    """Let go of what the trace has made."""
    for entry in entries_of(error.__traceback__):
        with suppress(RuntimeError):  # one that still runs
            entry.tb_frame.clear()


def _openness(types: Sequence[Any]) -> tuple[int, int]:
    """Returns the number of unknown ranks, then of unknown dimensions."""
    shapes = [known.shape for known in types if isinstance(known, TensorType)]
    return shapes.count(None), sum([shape.count(None) for shape in shapes if shape is not None])


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return signature_of(function)
    except ValueError:
        raise TypeError(
            f"function() takes a callable with a signature, not {function!r}: call it in a "
            "function of your own"
        ) from None

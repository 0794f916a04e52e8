"""The result of `@function`: a Python function traced once for each signature, optimised, compiled,
and called as a graph.
"""

from __future__ import annotations

import copy
import functools
import operator
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import autograph
from autograph.frames import hide_libraries
from runtime.core.eager_mode import Mode, functions_run_eagerly
from runtime.core.inspection import passes_on
from runtime.core.pickling import has_name, of_main, refused
from runtime.core.reloading import follow_reloads, reloads
from runtime.core.shapes import TensorSpec
from runtime.core.state import run_calling_back, run_quietly, state
from runtime.core.tensor import EagerTensor
from runtime.errors import WrongDtypeError
from runtime.functions.assigned_variables import with_tensors_given
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.function_spec import FunctionSpec
from runtime.functions.parameters import Parameters
from runtime.functions.recursion import (
    Assumption,
    bound_functions,
    descent_of,
    implicit_function,
    running_of,
    settled_result,
    with_kinds,
    with_lists_bound,
)
from runtime.functions.recursion_over_numbers import Descent
from runtime.functions.signatures import (
    KEYWORDS,
    check_arguments,
    keys_of,
    may_change,
    plain_key,
    refuse_arrays,
    refuse_cycles,
    with_sharing,
)
from runtime.functions.trace_cache import Call, Traces
from runtime.functions.traced import Traced
from runtime.staging.control.caught import caught_of
from runtime.staging.control.choices import Choice
from runtime.staging.control.sameness import Option
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.refusals import refuse
from runtime.staging.texts import Text, of_any
from runtime.staging.tracing import Trace

if TYPE_CHECKING:
    from runtime.graph.executors.profiling import Profile

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)
Receiver = TypeVar("Receiver")


@passes_on
class Function(Traced, Option, Generic[P, R]):
    """The result of `@function`: a call traces the Python function once for each signature and runs
    the graph.

    It has the attributes that the user gives it, as a Python function has.
    """

    __slots__ = ("__dict__", "__weakref__", "_bound", "_known", "_method_parameters", "_options")
    is_namespace = True
    __wrapped__: Callable[..., Any]
    __name__: str
    __qualname__: str

    def __init__(
        self,
        python_function: Callable[P, R],
        name: str | None = None,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        executor: str | None = None,
    ) -> None:
        options = name, input_signature, autograph, jit_compile, reduce_retracing, executor
        super().__init__(python_function, *options)
        self._options = self._name, self._input_signature, *options[2:]
        functools.update_wrapper(self, python_function, updated=())
        del self.__wrapped__  # which is no attribute that a user has given
        self._known = self._traces.by_key
        self._bound: dict[int, tuple[Any, Traces]] = {}
        self._method_parameters: Parameters | None = None
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

    @property
    def function_spec(self) -> FunctionSpec:
        """Its parameters, their default values, and what the decorator was given."""
        signature = self._parameters.signature
        return FunctionSpec(signature, self._input_signature, self._jit_compile)

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            return self._python_function
        raise AttributeError(f"'Function' object has no attribute {name!r}", name=name, obj=self)

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
        return [made for made in self._traces.made() if made.guards.hold() and not made.outer]

    def __eq__(self, other: object) -> bool:
        # As Python's methods, which are bound anew wherever they are asked for.
        return self._traces is other._traces if isinstance(other, Function) else NotImplemented

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
            name = self.__qualname__
            return (of_main, (name,)) if self.__module__ == "__main__" else name
        if isinstance(function, FunctionType) and not has_name(function):
            place = f"{function.__module__}.{function.__qualname__}"
            raise refused(f"the function {self._name}", f"it is not found as {place}; define it so")
        return Function, (function, *self._options)

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

    def native_ir(self, *args: Any, **kwargs: Any) -> str:
        """The LLVM IR of the machine code for calls with these arguments.

        They run it once they were about as much work as compiling it. ValueError where there is
        none.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> "mul i32" in double.native_ir(rt.constant(1))
        True
        """
        return self.get_concrete_function(*args, **kwargs).native_ir()

    def native_asm(self, *args: Any, **kwargs: Any) -> str:
        """The same machine code as assembly of this host.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> "ret" in double.native_asm(rt.constant(1))
        True
        """
        return self.get_concrete_function(*args, **kwargs).native_asm()

    def explain_native(self, *args: Any, **kwargs: Any) -> str:
        """The ops, with the user's lines, that keep such a call from being machine code as a whole.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> double.explain_native(rt.constant(1))
        'double is machine code as a whole'
        """
        return self.get_concrete_function(*args, **kwargs).explain_native()

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Run one call, and tell by line and op what took its time.

        It runs on the executor of the function, machine code from the first call on, and does what
        a call does; the result is not kept. Ops that machine code computes in one loop are one row,
        and so are the numbers of one of the user's loops.

        >>> @rt.function(executor="numpy")
        ... def double(x):
        ...     return 2 * x
        >>> print(double.profile(rt.ones([1000])))
        double: ... ms on the numpy executor...
        """
        if self._leaves_out_receiver(args):
            return self.__get__(args[0]).profile(*args[1:], **kwargs)
        call = self._call_of(args, kwargs)
        concrete = self._concrete(call)
        if isinstance(concrete, Assumption):
            raise refuse(
                f"a profile of {self._name} is asked for while it is traced", "call the function"
            )
        return (call.first or concrete).call_profiled(call.leaves, call.args, call.kwargs)

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
        if instance is None or not _is_bound(self._python_function):
            return self
        if self._method_parameters is None:
            self._method_parameters = self._parameters.without_first()
        bound = object.__new__(Function)
        # One by one, for each look at a method makes one.
        bound._autograph, bound._executor = self._autograph, self._executor
        bound._input_signature, bound._name = self._input_signature, self._name
        bound._jit_compile, bound._reduce_retracing = self._jit_compile, self._reduce_retracing
        bound._bound, bound._options = self._bound, self._options
        bound._method_parameters = self._method_parameters
        given = vars(bound)
        given.update(vars(self))
        given.pop("__wrapped__", None)
        bound._python_function = MethodType(self._python_function, instance)
        bound._parameters = self._method_parameters
        bound._traces = self._traces_for(instance)
        bound._known = bound._traces.by_key
        return bound

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
            # `state.run` is None while anything records or traces: one test tells whether shortcuts
            # may be taken.
            key: Any = None
            if state.run is not None and not (Mode.eager or Mode.blocks):
                traces = self._traces
                left_out = traces.left_out
                if left_out is not None and (
                    left_out.function.__defaults__ is not left_out.positional
                    or (left_out.keyword_only is not None and not left_out.hold())
                ):
                    traces.end_shortcuts()
                direct = traces.direct
                if direct is not None and not kwargs:
                    made = direct(*args)
                    if made is not NotImplemented:
                        return made  # type: ignore[no-any-return]
                raws: list[Any] = []
                held: list[Any] = []
                key = keys_of(args, raws, held)
                if kwargs:
                    key += KEYWORDS, tuple(kwargs), keys_of(kwargs.values(), raws, held)
                if len(held) > 1:
                    key = with_sharing(key, held)
                for guards, order, compiled, use, concrete in self._known.get(key, ()):
                    if guards is None or guards.hold():
                        if compiled is None:
                            break
                        use.again = True
                        if order is not None:
                            raws = [raws[at] for at in order]
                        run = run_calling_back if concrete.calls_back else run_quietly
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
        if state.trace is not None and state.trace.attempts:
            made = self._inlined(state.trace, call, chosen)
            if made is not NotImplemented:
                return made
        if Mode.graphs is not None and chosen.graph not in Mode.graphs:
            Mode.graphs.append(chosen.graph)
        if chosen.kept is not None:
            chosen.kept.check(call.args, call.kwargs)
        if chosen.changes is not None:
            return self._call_changing(chosen, call)
        is_later = concrete is not call.first and not chosen.is_interpreted
        if is_later and chosen.kept is None:
            self._add_shortcut(key, args, kwargs, call, concrete)
        return chosen.call_leaves(call.leaves)

    def _inlined(self, trace: Trace, call: Call, concrete: ConcreteFunction) -> Any:
        """A call in a `try` that acts on what it raises, as one of a function without a graph of
        its own; NotImplemented for others, and for one that calls itself.
        """
        inlined = trace.memo.setdefault(Function, [])
        if (
            any(each is self._traces for each in inlined)
            or caught_of(trace, concrete.callee) is None
        ):
            return NotImplemented
        if trace.watcher is not None:
            trace.watcher.adopt(concrete.guards)
        inlined.append(self._traces)
        try:
            return self._converted()(*call.args, **call.kwargs)
        finally:
            inlined.remove(self._traces)

    def call_plain(self, call: Call) -> Any:
        """A call of the Python function: its numbers are no tensors."""
        running = running_of(self._traces)
        if call.key in running:
            return running[call.key].call(call)
        call.plain, call.key = True, plain_key(call.key)
        concrete = self._concrete(call)
        if isinstance(concrete, Assumption):
            return concrete.call(call)
        if concrete.kept is not None:
            concrete.kept.check(call.args, call.kwargs)
        if concrete.changes is not None:
            return self._call_changing(concrete, call)
        return settled_result(concrete.returned, call, concrete.call_leaves(call.leaves))

    def _deeper(self, call: Call) -> Any:
        """Returns what a call gives that many calls of the same function wait for, which differ by
        numbers; NotImplemented for other calls.
        """
        waiting = running_of(self._traces)
        if not waiting or call.key in waiting:
            return NotImplemented
        descent: Descent = descent_of(self._traces, Descent)
        descent.waiting = [*waiting, call.key]
        return descent.with_staged_counters(self, call)

    def _call_changing(self, concrete: ConcreteFunction, call: Call) -> Any:
        if self._input_signature is not None:
            raise refuse(
                f"{self._name} changes a list of its arguments, and has an input_signature",
                "return the list, or leave out the input_signature",
            )
        return concrete.call_changing(call.args, call.kwargs, call.leaves)

    def _counted(self, call: Call) -> ConcreteFunction | Assumption:
        concrete = self._concrete(call)
        traces = self._traces
        if isinstance(concrete, Assumption) or not call.traced:
            return concrete
        if traces.detector.traced(concrete.use):
            last = traces.reasons[-1] if traces.count > 1 else None
            traces.detector.warn(self._python_function, last)
        return concrete

    def _again(self, *given: Any) -> Any:
        return _again(*given)

    def _add_shortcut(
        self,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        call: Call,
        concrete: ConcreteFunction,
    ) -> None:
        """Let further calls with this key run the program directly, if that does the same."""
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
        defaults = self._parameters.defaults
        if defaults is not None and len(args) + len(kwargs) < len(call.args) + len(call.kwargs):
            self._traces.left_out = defaults
        self._traces.add_shortcut(key, concrete, run, order)
        concrete.programs.when_settled(self._traces.forgetting(key, run))
        if order is None and not kwargs and all([type(item) is EagerTensor for item in args]):
            direct = concrete.on_tensors()
            if direct is not None:
                self._traces.answer_directly(key, direct)


def _is_bound(function: Any) -> bool:
    """Whether Python gives it the instance where it is an attribute of a class: no builtin, class,
    callable object or, before Python 3.14, partial.
    """
    return hasattr(type(function), "__get__") and not isinstance(function, _UNBOUND)


_UNBOUND = (staticmethod, MethodType, *((functools.partial,) if sys.version_info < (3, 14) else ()))
"""Classes of what is no method of a class; Python 3.13's partials warn where they are asked."""


def _become(old: Function[..., Any], new: Function[..., Any]) -> None:
    for name in _STATE:
        setattr(old, name, getattr(new, name))
    old.__dict__ = dict(vars(new))


_STATE = (*Traced.__slots__, "_bound", "_known", "_method_parameters", "_options")


# Functions that were not decorated, and call themselves inside a staged block


def _again(
    descent: Descent, depth: int, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function that `depth` calls of itself wait for: with arguments as those of one of
    them, or of many of them but for numbers, it becomes a graph that calls itself. With one that is
    of another kind on each path, it is called with each kind.
    """
    at = next((at for at, item in enumerate(args) if type(item) is TaggedUnion), None)
    if at is not None:

        def with_kind(item: Any, *, _reached: Any = (function, args, kwargs)) -> Any:
            return _again(descent, depth, function, (*args[:at], item, *args[at + 1 :]), kwargs)

        return args[at].apply(with_kind)
    if not descent.keeps_choices and any(map(_is_chosen, (*args, *kwargs.values()))):

        def with_texts(*args: Any, _reached: Any = function, **kwargs: Any) -> Any:
            return _again(descent, depth, function, args, kwargs)

        texts = tuple([of_any(item) if _is_chosen(item) else item for item in args])
        named = {key: of_any(x) if _is_chosen(x) else x for key, x in kwargs.items()}
        made = descent.with_texts_of_the_run(with_texts, texts, named)
        if made is not NotImplemented:
            return made
    function, args, kwargs = with_lists_bound(function, args, kwargs, autograph.converted_code)
    args, kwargs = _of_any(args), {name: _of_any(item) for name, item in kwargs.items()}
    plain, own = function, (args, kwargs)
    function, args, kwargs = with_tensors_given(function, args, kwargs, bound_functions())
    staged: Function[..., Any] = implicit_function(function, Function)
    call = staged._call_of(*with_kinds(args, kwargs), recursive=True)
    descent.counters = descent_of(staged._traces, Descent).counters
    # Without arguments it has those of the one that waits.
    known = descent.is_known(depth, plain, call) or not (args or kwargs)
    traced = running_of(staged._traces)
    is_traced = not traced.keys().isdisjoint((call.key, plain_key(call.key)))
    is_of_many = known and descent.is_of_many(call)
    if is_traced or (known and not is_of_many and not descent.stages_numbers(call)):
        descent.recurs = True
        return staged.call_plain(call)

    # The default value leads a recorder to what the function reaches.
    def with_numbers(*args: Any, _reached: Any = function, **kwargs: Any) -> Any:
        return staged.call_plain(staged._call_of(args, kwargs, recursive=True))

    made = descent.with_staged_counters(with_numbers, call, traced, at_once=is_of_many)
    if made is not NotImplemented:
        return made
    if known:
        return staged.call_plain(call)
    args, kwargs = own
    return autograph.convert_for_staging(plain)(*args, **kwargs)


def _is_chosen(item: Any) -> bool:
    """Whether an argument is one of several texts: each call may have others, as `text[1:]`."""
    return type(item) is Choice and item.is_text


def _of_any(item: Any) -> Any:
    """An argument in which texts of the run are such of any parts; also those in tuples."""
    if type(item) is Text:
        return of_any(item)
    if type(item) is not tuple:
        return item
    parts = tuple(map(_of_any, item))
    return parts if any(map(operator.is_not, parts, item)) else item


def _weak_or_strong(instance: Any, table: dict[int, Any], key: int) -> Any:
    try:
        return weakref.ref(instance, lambda _: table.pop(key, None))
    except TypeError:
        return instance

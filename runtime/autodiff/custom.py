"""Functions that bring their own gradients."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any, NoReturn, ParamSpec, TypeVar, overload

import runtime.ops as ops
from runtime import errors, nest
from runtime.autodiff.activity import Activity, Source
from runtime.autodiff.at_call import at_call
from runtime.autodiff.recorder import Recorder
from runtime.autodiff.records import another
from runtime.autodiff.tape import GradientTape
from runtime.core.convert import convert_to_tensor
from runtime.core.inspection import passes_on, signature_of
from runtime.core.primitive import Primitive, bind, row
from runtime.core.state import recorded_by, state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import is_variable
from runtime.graph.data import Record
from runtime.graph.ir import Callee, Graph, Node, Value, covers, walk_called
from runtime.graph.nodes import CALL
from runtime.staging.control.carried_objects import refuse_change
from runtime.staging.late_reads import LateReads
from runtime.staging.refusals import is_refusal, noted
from runtime.staging.scopes import called

P = ParamSpec("P")
R = TypeVar("R")


def _results(*values: Any, rule: Rule, count: int) -> Any:
    return values[0] if count == 1 else values[:count]


def _gradient(op: Any, *grads: Any) -> list[Any]:
    given = [
        ops.zeros_like(output) if grad is None else grad
        for grad, output in zip(grads, op.outputs, strict=True)
    ]
    return op.params["rule"].apply(op, given)  # type: ignore[no-any-return]


# Its inputs are the results of the function, which it passes on, the tensors that the rule gives
# gradients for, and in a graph those that the rule uses.
custom_p = row(
    "custom_gradient",
    _results,
    _results,
    op_type="IdentityN",
    gradient=_gradient,
    keep_inputs=(),
)
staged_p = row(
    "staged_custom_gradient", _results, _results, op_type="IdentityN", gradient=_gradient
)


class Rule:
    """The gradient of one call: a Python function of the gradients of the results."""

    __slots__ = ("count", "function")

    def __init__(self, function: Callable[..., Sequence[Any]], count: int) -> None:
        self.function = function
        self.count = count

    def apply(self, op: Any, grads: Sequence[Any]) -> list[Any]:
        """The gradients for the inputs of the op."""
        return [*[None] * self.count, *self.function(*grads)]

    def __repr__(self) -> str:
        return "python"


class StagedRule(Rule, Record):
    """A rule in a graph: a graph of its own, whose last parameters are what it uses from around it.

    It is made at the call. If the rule is `late`, the Python function still serves while the
    function around it is traced: it reads what is there when the gradient is asked for.
    """

    __slots__ = ("call", "error", "graph", "late", "outer", "present", "trace")
    is_rule = True

    def __init__(
        self,
        function: Callable[..., Sequence[Any]],
        results: Sequence[Tensor],
        arguments: int,
        late: LateReads | None = None,
    ) -> None:
        super().__init__(function, len(results))
        self.late = late
        self.trace: Callable[[], Any] = weakref.ref(state.trace) if late else _no_trace
        self.graph: Any = None
        self.call: Any = None
        self.outer: list[Any] = []
        self.present = [False] * arguments
        self.error: Exception | None = None
        try:
            self._stage(results)
        except Exception as error:
            # Nobody may ever ask for this gradient: who does is told.
            self.error = error

    @classmethod
    def restored(
        cls, count: int, present: list[bool], outer: int, error: str | None
    ) -> StagedRule:  # fmt: skip
        """A rule that was saved, whose graph is still to be filled in."""
        made = object.__new__(cls)
        made.function, made.count, made.present = _not_there, count, present
        made.trace, made.graph, made.call = _no_trace, None, None
        made.outer, made.late = [None] * outer, None
        made.error = None if error is None else errors.UnimplementedError(error)
        return made

    def _stage(self, results: Sequence[Tensor]) -> None:
        around = state.trace
        trace = type(around)("custom_gradient")
        trace.converter, trace.watch = around.converter, around.watch
        recorder = trace.watch(self.function, (), ())
        try:
            with trace:
                given = [trace.parameter(x.type, "upstream") for x in results]
                with recorder, nullcontext() if self.late is None else self.late.noting():
                    grads = self.function(*given)
                values = [trace.value_of(grad) for grad in grads if grad is not None]
                recorder.release((grads,))
                _check_unchanged(recorder)
        finally:
            recorder.restore()
        if self.late is not None:
            self.late.begin(around, self)
        self.graph = trace.finish(values)
        self.outer = trace.outer_symbols()
        self.present = [grad is not None for grad in grads]

    def apply(self, op: Any, grads: Sequence[Any]) -> list[Any]:
        """The gradients for the inputs of the op."""
        trace = state.trace
        if trace is not None and self.trace() is trace and not op.is_inner:
            found = list(self.function(*grads))
        elif trace is not None and trace.derives:
            found = [None] * len(self.present) if self.error else self._by_graph(op, grads)
        else:
            _raise(self.told())
            found = self._by_graph(op, grads)
        return [*[None] * self.count, *found, *[None] * len(self.outer)]

    def told(self) -> Exception | None:
        """The error for who asks for this gradient, if there is one: the function has raised it, or
        would read something else by now.
        """
        return self.error or (None if self.late is None else self.late.changed())

    def _by_graph(self, op: Any, grads: Sequence[Any]) -> list[Any]:
        used = op.inputs[self.count + len(self.present) :]
        run = self._run if state.trace is None else self._stage_call
        made = iter(run([*grads, *used]))
        return [next(made) if present else None for present in self.present]

    def _run(self, leaves: Sequence[Any]) -> Sequence[Any]:
        from runtime.autodiff.calls import GraphCall, call_recorded

        self.call = self.call or GraphCall(self.graph)
        return call_recorded(self.call, leaves)

    def _stage_call(self, leaves: Sequence[Any]) -> Sequence[Any]:
        trace, graph = state.trace, self.graph
        values = [
            trace.value_of(x if covers(p.type, x.type) else ops.ensure_shape(x, p.type.shape))
            for x, p in zip(leaves, graph.parameters, strict=True)
        ]
        outputs = [
            Value(v.type, trace.unique("gradient"), at) for at, v in enumerate(graph.results)
        ]
        params = {"callee": Callee(graph.name, graph)}
        return trace.append(CALL, values, outputs, params)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return "python" if self.graph is None else f"@{self.graph.name}"


def _not_there(*_: Any) -> NoReturn:
    raise errors.InternalError("the function of a saved gradient was asked for")


def _no_trace() -> None:
    return None


def check_rules(
    graph: Graph, rules: Iterable[Node], sources: Iterable[Source], given: Sequence[Any]
) -> None:
    """Raises what one of these `rules_in` a graph tells, where it is on the way back to the sources
    from the results of the graph of which a gradient is given, and not None.
    """
    for node in rules:
        error = node.params["rule"].told()
        if error is None:
            continue
        pairs = zip(graph.results, given, strict=False)
        asked = [result for result, grad in pairs if grad is not None]
        if _leads(graph, sources, node.outputs) and _leads(graph, node.outputs, asked):
            _raise(error)


def _leads(graph: Graph, sources: Iterable[Source], targets: Iterable[Value]) -> bool:
    activity = Activity(sources)
    activity.follow(graph.nodes)
    return any(target in activity.known for target in targets)


def _raise(error: Exception | None) -> None:
    if error is not None:
        raise noted(error) if is_refusal(error) else error


def rules_in(graph: Graph) -> list[Node]:
    """The nodes with gradients of the user's, also in regions and in the graphs that it calls."""
    return [node for node in walk_called(graph.nodes) if node.primitive is staged_p]


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return f"{name}()" if name.isidentifier() else "a custom_gradient"


def _check_unchanged(recorder: Any) -> None:
    for place in recorder.changed():
        why = "a gradient function of a custom_gradient is called as often as the run asks for it"
        hint = "keep it in a tf.Variable (count.assign_add(1)), or show it by tf.print"
        raise refuse_change(place.path, why, hint)


class _Accesses(Recorder):
    """Notes which trainable variables are read."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: dict[int, Any] = {}

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """Note a read."""
        if not inputs and outputs and "variable" in params:
            self._note(params["variable"])

    def access(self, variable: Any) -> None:
        """Note a read."""
        self._note(variable)

    def read(self, variable: Any, raw: Any, y: EagerTensor | None = None) -> EagerTensor:
        """Note a read."""
        self._note(variable)
        return super().read(variable, raw, y)

    def _note(self, variable: Any) -> None:
        if variable.trainable:
            self.found[variable.node] = variable.variable


@overload
def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[P, tuple[R, Callable[..., Any]]]], Callable[P, R]]: ...
def custom_gradient(f: Any = None) -> Any:
    """Decorator of a function that returns its result and a function that computes its gradient.

    The second is given the gradients of the results and returns one gradient (or None) for each
    argument. If the function reads variables that are not among its arguments, it must also take
    `variables=` and return a pair: the gradients for the arguments, and those for the variables.
    Gradients of gradients go through it. As any function it reads what its variables are when it is
    called, which is when the gradient is asked for. Raises ValueError where it returns the wrong
    number of gradients, TypeError where it does not take `variables`; in a graph, StagingError
    where what it reads has changed since the call.

    >>> @rt.custom_gradient
    ... def clipped_backwards(x):
    ...     return x * 5., lambda upstream: rt.clip_by_value(upstream, -1., 1.)
    >>> x = rt.constant(3.)
    >>> with rt.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = clipped_backwards(x) * 7.
    >>> float(y), float(tape.gradient(y, x))
    (105.0, 1.0)
    """
    if f is None:
        return custom_gradient
    return _decorated(f, late=True)


def _decorated(f: Callable[..., Any], late: bool) -> Any:
    call = _Call(f, late)

    @passes_on
    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if state.trace is None and not state.tapes:
            return nest.map_structure(convert_to_tensor, _pair(f(*args, **kwargs))[0])
        return call(args, kwargs)

    return decorated


def _pair(returned: Any) -> tuple[Any, Callable[..., Any]]:
    if isinstance(returned, tuple | list) and len(returned) == 2 and callable(returned[1]):
        return returned[0], returned[1]
    raise TypeError(
        "the function of a custom_gradient must return a pair: its result and a function that "
        f"computes the gradient, but returned {returned!r}"
    )


class _Call:
    def __init__(self, function: Callable[..., Any], late: bool) -> None:
        self.function = function
        self.late = late
        self.signature = signature_of(function)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        accesses = _Accesses()
        with recorded_by(*state.tapes, accesses):
            result, grad_fn = _pair(called(self.function)(*args, **kwargs))
        given = self._flat(args, kwargs)
        among = {id(item) for item in given}
        variables = [v for v in accesses.found.values() if id(v) not in among]
        if variables:
            _check_takes_variables(grad_fn, variables)
        tensors = [item for item in given if _is_differentiated(item)]
        inputs = [convert_to_tensor(item) for item in (*tensors, *variables)]
        function = _function(grad_fn, given, len(nest.flatten(args)), variables)
        flat = [convert_to_tensor(item) for item in nest.flatten(result)]
        if state.trace is None:
            rule = Rule(function, len(flat))
            outputs = bind(custom_p, *flat, *inputs, rule=rule, count=len(flat))
        else:
            late = LateReads(grad_fn, _name_of(self.function)) if self.late else None
            staged = StagedRule(function, flat, len(inputs), late)
            outputs = bind(staged_p, *flat, *inputs, *staged.outer, rule=staged, count=len(flat))
        return nest.pack_sequence_as(result, [outputs] if len(flat) == 1 else outputs)

    def _flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of all arguments, in the order of the parameters."""
        if not kwargs:
            return nest.flatten(args)
        bound = self.signature.bind(*args, **kwargs)
        return nest.flatten([*bound.args, *bound.kwargs.values()])


def _is_differentiated(item: Any) -> bool:
    return isinstance(item, Tensor) or is_variable(item)


def _check_takes_variables(grad_fn: Callable[..., Any], variables: Sequence[Any]) -> None:
    parameters = signature_of(grad_fn).parameters.values()
    if not any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters):
        names = ", ".join(variable.name for variable in variables)
        raise TypeError(
            "the gradient function of a custom_gradient must take the keyword argument "
            f"'variables', because the function reads variables: {names}"
        )


def _function(
    grad_fn: Callable[..., Any], given: list[Any], positional: int, variables: list[Any]
) -> Callable[..., list[Any]]:
    """The gradients for the tensors among `given`, then for the variables."""
    wanted = [place for place, item in enumerate(given) if _is_differentiated(item)]

    def rule(*grads: Any) -> list[Any]:
        grads = tuple(map(another, grads))
        if not variables:
            found, of_variables = called(grad_fn)(*grads), []
        else:
            found, of_variables = called(grad_fn)(*grads, variables=list(variables))
            if len(of_variables) != len(variables):
                raise ValueError(
                    "the gradient function of a custom_gradient must return one gradient for each "
                    f"variable: {len(variables)}, but returned {len(of_variables)}"
                )
        flat = nest.flatten(found)
        if len(flat) == len(wanted):
            chosen = flat
        elif len(flat) in (len(given), positional):
            chosen = [flat[place] if place < len(flat) else None for place in wanted]
        else:
            raise ValueError(
                "the gradient function of a custom_gradient must return one gradient for each "
                f"argument: {positional} gradients, but returned {len(flat)}"
            )
        return [
            None if grad is None else convert_to_tensor(grad) for grad in (*chosen, *of_variables)
        ]

    return rule


def _told_apart(item: Any) -> Any:
    """An argument, which as a tensor may stand in several places, each with its own gradient."""
    return ops.identity(item) if isinstance(item, Tensor) else item


def _now(item: Any) -> Any:
    """An argument, which as a tensor no item assignment changes any more."""
    return another(item) if isinstance(item, Tensor) else item


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """`f`, of which tapes keep the arguments only.

    What its gradient needs is computed again when it is asked for, with the values that `f` read at
    the call; variables are read anew, as in TensorFlow. Raises StagingError where an attribute, an
    item or a global that `f` reads has another value then.

    >>> x = rt.constant(3.)
    >>> with rt.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = rt.recompute_grad(lambda x: x * x)(x)
    >>> float(y), float(tape.gradient(y, x))
    (9.0, 6.0)
    """

    @passes_on
    @functools.wraps(f)
    def inner(*args: Any, **kwargs: Any) -> Any:
        kept, named = nest.map_structure(_now, [list(args), kwargs])
        # A graph is made of its gradient at once.
        again = at_call(f) if state.tapes and state.trace is None else f
        with recorded_by(*[tape for tape in state.tapes if isinstance(tape, _Accesses)]):
            result = called(f)(*args, **kwargs)

        def grad(*upstream: Any, variables: Sequence[Any] = ()) -> Any:
            given = nest.map_structure(_told_apart, kept)
            tensors = [item for item in nest.flatten(given) if _is_differentiated(item)]
            with GradientTape() as tape:
                tape.watch(tensors)
                results = called(again)(*given, **named)
            made = tape.gradient(results, [tensors, list(variables)], list(upstream))
            found = nest.map_structure(lambda x: None if x is None else convert_to_tensor(x), made)
            return found if variables else found[0]

        return result, grad

    decorated: Callable[P, R] = _decorated(inner, late=False)
    return decorated


def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """`f` with the gradient of the identity.

    The gradient of the result goes on to the arguments unchanged.

    >>> x = rt.constant(3.25)
    >>> with rt.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = rt.grad_pass_through(rt.round)(x)
    >>> float(y), float(tape.gradient(y, x))
    (3.0, 1.0)
    """

    @passes_on
    @functools.wraps(f)
    def inner(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Any] | None = None) -> Any:
            return upstream if variables is None else (upstream, [None] * len(variables))

        return called(f)(*args, **kwargs), grad

    return custom_gradient(inner)

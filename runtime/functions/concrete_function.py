"""One trace of a function: what `get_concrete_function` gives, and what a call runs."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.frames import hide_libraries
from runtime.core.cached import cached
from runtime.core.device import placed
from runtime.core.executor import COMPILED
from runtime.core.executor import check as check_executor
from runtime.core.pickling import refused
from runtime.core.shapes import TensorSpec
from runtime.core.stacks import on_fit_thread
from runtime.core.state import run_calling_back, run_quietly, state
from runtime.core.tensor import EagerTensor, tensor_of
from runtime.core.types import TensorType, Type
from runtime.functions.changed_arguments import Changes
from runtime.functions.kept_objects import Kept
from runtime.functions.parameters import Arguments
from runtime.functions.recursion import never_back
from runtime.functions.recursion_state import NO_STATE
from runtime.functions.retracing import Use
from runtime.functions.returned_arguments import NOT_RETURNED
from runtime.functions.shared_arguments import NOTHING, Shared
from runtime.functions.signature_text import signature_lines, signature_text
from runtime.functions.signatures import (
    check_arguments,
    keys_of,
    leaves_for,
    of_function,
    refuse_cycles,
)
from runtime.graph.executors.specialization import Programs, Run
from runtime.graph.executors.work import Patience
from runtime.graph.ir import Callee, Graph, Value, has_effects, walk
from runtime.graph.lists import Elements
from runtime.graph.nodes import CALL, NUMBER_TYPES, RAISE
from runtime.graph.passes import optimize
from runtime.graph.passes.shape_refinement import result_types
from runtime.ops.reshaping import ensure_shape
from runtime.staging.control import graph_values
from runtime.staging.control.choices import Choice
from runtime.staging.control.sameness import Option
from runtime.staging.control.specs import Leaf, Same, Spec, Tree, Union
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.error_notes import depth_explained
from runtime.staging.guarding.guards import Guards
from runtime.staging.lists.dict_entries import Entries
from runtime.staging.lists.growing import Kind
from runtime.staging.refusals import refuse
from runtime.staging.tracing import Trace

if TYPE_CHECKING:
    from runtime.autodiff.calls import GraphCall
    from runtime.graph.executors.profiling import Profile
    from runtime.graph.executors.program import Program
    from runtime.graph.format.views import GraphTensor

MOST_FITTING = 100
"""Kinds of arguments that one trace remembers to take as they are."""


class ConcreteFunction(Option):
    """One trace of a function: `graph` is as traced, `optimized` as it runs, `reason` is why it was
    made.

    Calling it takes the tensors of its signature, in the structure of the arguments that it was
    traced with.
    """

    def __init__(
        self,
        name: str,
        graph: Graph,
        outputs: Spec | None,
        signature: Arguments,
        labels: Sequence[str],
        outer: Sequence[Any],
        guards: Guards,
    ) -> None:
        self.name = name
        self.graph = graph
        self.spec = outputs
        self.structured_input_signature = signature
        self.labels = labels
        self.outer = tuple(outer)
        self.guards = guards
        self.callee = Callee(name, graph)
        self.shared = NOTHING
        self.twins: list[tuple[int, int]] = []
        self.lost: Callable[[], Exception] | None = None
        self.changes: Changes | None = None
        self.kept: Kept | None = None
        self.state = NO_STATE
        self.returned = NOT_RETURNED
        self.is_exact = False
        self.devices = _devices_of(graph)
        self.single = isinstance(outputs, Leaf) and not any(self.devices)
        self.use = Use()
        self.reason = ""
        self.executor: str | None = None
        self._fitting: dict[tuple[Any, ...], Run] = {}
        self._is_new = True

    def share(self, shared: Shared, called: Graph, lost: Callable[[], Exception] | None) -> None:
        """Take what it does to its arguments, as `called` computes it for calls from other traces.

        `lost` refuses a call from outside of any, which would not see it.
        """
        self.shared, self.twins, self.lost = shared, shared.twins(), lost
        if called is not self.graph:
            self.callee = Callee(self.name, called)

    def change(self, changes: Changes | None, kept: Kept | None) -> None:
        """Take which lists of its arguments it changes, and which objects from before its calls."""
        self.changes, self.kept = changes, kept
        self.single = self.single and changes is None and kept is None

    @cached
    def optimized(self) -> Graph:
        """The graph after the passes."""
        with depth_explained(self.graph):
            return optimize(self.graph)

    @cached
    def programs(self) -> Programs:
        """The programs that run it."""
        with depth_explained(self.optimized):
            return Programs(self.optimized, self.executor)

    @property
    def program(self) -> Program:
        """The program that runs it on arguments of any shapes."""
        return self.programs.generic

    @cached
    def calls_back(self) -> bool:
        """True if it may run Python of the user's, which may run ops."""
        return has_effects(self.optimized.nodes)

    @property
    def inputs(self) -> list[GraphTensor]:
        """The tensors of the graph that a call supplies, then those that stand for captures."""
        return self.graph.inputs

    @property
    def outputs(self) -> list[GraphTensor]:
        """The tensors of the graph that a call returns."""
        return self.graph.outputs

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that its graph, or one that it calls, reads or changes, in that order."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that tapes watch."""
        return self.graph.trainable_variables

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors from outside that it uses, by reference; its variables are not among them."""
        return self.graph.external_captures

    @property
    def structured_outputs(self) -> Any:
        """The structure of its result, with a TensorSpec in place of each tensor; one of which only
        the run knows how many items it has tells its class, and the TensorSpecs of an item.
        """
        return None if self.spec is None else _specs_of(self.spec)

    @property
    def output_dtypes(self) -> Any:
        """The structure of its result, with a dtype in place of each tensor."""
        return None if self.spec is None else _specs_of(self.spec, lambda spec: spec.dtype)

    @property
    def output_shapes(self) -> Any:
        """The structure of its result, with a TensorShape in place of each tensor."""
        return None if self.spec is None else _specs_of(self.spec, lambda spec: spec.shape)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run it on arguments that fit its signature, or on the tensors of that alone: in the order
        of `inputs`, or by their names.

        Raises TypeError for arguments of another structure, dtype or shape.
        """
        try:
            if state.run is not None and not kwargs:
                raws: list[Any] = []
                compiled = self._fitting.get(keys_of(args, raws, []))
                if compiled is not None:
                    return self._run(compiled, raws)
            leaves = self._leaves(args, kwargs)
            if len(leaves) == len(args) and all(map(_is_itself, args, leaves)):
                self._remember(args)
            if self.kept is not None:
                self.kept.check(args, kwargs)
            if self.changes is not None:
                given = dict(zip(self.labels, args, strict=False)) | kwargs
                ordered = [given.pop(label, None) for label in self.labels]
                return self.call_changing(ordered, given, leaves)
            return self.call_leaves(leaves)
        except BaseException as error:
            if isinstance(error, RecursionError):
                refuse_cycles(self.name, self._labelled(args, kwargs))
            hide_libraries(error)
            raise

    def _remember(self, args: Sequence[EagerTensor]) -> None:
        """Take arguments like these, which are just the tensors of a call, as they are."""
        if self.outer or self.kept is not None or self.is_interpreted:
            return
        if len(self._fitting) < MOST_FITTING:
            raws: list[Any] = []
            key = keys_of(args, raws, [])
            self._fitting[key] = self.programs.runner(raws)
            self.programs.when_settled(self._fitting.clear)

    def _leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        try:
            leaves = leaves_for(self.structured_input_signature, self.labels, args, kwargs)
        except TypeError as error:
            raise of_function(error, self.name) from None
        if any(type(leaf) is TensorSpec for leaf in leaves):
            check_arguments(self.name, self._labelled(args, kwargs))
        return leaves

    def _labelled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        yield from zip(self.labels, args, strict=False)
        yield from kwargs.items()

    def call_leaves(self, leaves: Sequence[Any], run: Run | None = None) -> Any:
        """Run it on the tensors and staged numbers of its arguments, in their order; by `run`, if
        that is given.

        Of a function that changes lists of its arguments the result, and what is in each of them.
        """
        if state.trace is not None:
            return self._call_in(state.trace, leaves)
        if self.lost is not None:
            raise self.lost()
        if self.kept is not None:
            leaves = [*leaves, *map(_as_leaf, self.kept.leaves())]
        if state.run is None:
            return self.outputs_of(self._observed(leaves))
        if run is None and self.is_interpreted:
            results = self._interpreted(leaves)
            if results is not None:
                return self.outputs_of(results)
        raws = [leaf.raw for leaf in leaves]
        return self._run(run or self.programs.runner(raws), raws)

    def on_tensors(self) -> Callable[..., Any] | None:
        """Returns what makes the result of calls from outside of traces by machine code alone, if
        that is all there is to do: from the tensors of a call, or NotImplemented for others.
        """
        if not self.single or self.guards or self.calls_back:
            return None
        return self.programs.on_tensors(self._on_arrays)

    def _on_arrays(self, *raws: Any) -> Any:
        return self._run(self.program.run, raws)

    def call_changing(
        self,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        leaves: Sequence[Any],
        run: Run | None = None,
    ) -> Any:
        """Run it, and put into the lists of these arguments what it leaves there."""
        assert self.changes is not None
        self.changes.check(args, kwargs, self.guards)
        result, contents = self.call_leaves(leaves, run)
        self.changes.write(args, kwargs, contents)
        return result

    def _run(self, compiled: Run, raws: Sequence[Any]) -> Any:
        run = run_calling_back if self.calls_back else run_quietly
        try:
            results = run(compiled, *raws)
        except BaseException as error:
            self.program.fail(error)
        return self.outputs_of(results)

    @property
    def is_interpreted(self) -> bool:
        """True if the reference interpreter runs the next call: the first one of a short graph,
        which takes less time so than writing a program does.
        """
        return self._is_new and state.run is not None and self._patience is not None

    @cached
    def _patience(self) -> int | None:
        """The nodes that the interpreter may run in loops and branches; None where it runs none."""
        if self.executor == COMPILED or not Patience.first:
            return None
        from runtime.graph.executors.reference import nodes_of_short

        nodes = nodes_of_short(self.optimized)
        return None if nodes is None else Patience.first * nodes

    def _interpreted(self, leaves: Sequence[Any]) -> Sequence[Any] | None:
        """The results of the interpreter; None where it gave up."""
        from runtime.graph.executors.reference import TooLong, interpret

        assert self._patience is not None
        self._is_new = False
        given = [leaf if isinstance(leaf, EagerTensor) else leaf.raw for leaf in leaves]
        try:
            results = interpret(self.optimized, given, self._patience)
        except TooLong:
            return None
        # Each result is a tensor of its own, also where some are one value, or an argument.
        return [item.raw if isinstance(item, EagerTensor) else item for item in results]

    def _observed(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The results of a run that tapes, or checks of each op, are shown."""
        from runtime.autodiff.calls import Held, call_recorded
        from runtime.graph.executors.reference import interpret

        if state.tapes and state.inspect is None and state.device is None:
            return call_recorded(self._recorded, leaves)
        return interpret(
            self.optimized,
            [leaf.raw if type(leaf) in (Elements, Held) else leaf for leaf in leaves],
        )

    @cached
    def _recorded(self) -> GraphCall:
        from runtime.autodiff.calls import GraphCall

        if self.executor != COMPILED:
            return GraphCall(self.graph, self.executor)
        if not self.programs.places:
            _native("executor").require(self.optimized)
        return GraphCall(self.graph, "native")

    def outputs_of(self, results: Sequence[Any]) -> Any:
        """Returns the result of a call, made of the results of a run."""
        if self.single:
            raw = results[0]
            return EagerTensor(raw) if type(raw) is np.ndarray else tensor_of(raw)
        assert self.spec is not None
        if any(self.devices):
            results = list(map(_on_device, results, self.devices))
        values = iter(results if not self.twins else _with_twins(results, self.twins))
        made = graph_values.restored(self.spec, values)
        if self.changes is not None:
            made = made, self.changes.contents(values, graph_values.restored)
        if self.kept is not None:
            self.kept.write(values)
        return made

    def _call_in(self, trace: Trace, leaves: Sequence[Any]) -> Any:
        """Add a call of this graph to the one that is being traced."""
        if any(node.primitive is RAISE for node in walk(self.graph.body)):
            trace.check_raised(f"what {self.name} raises")
        if trace.watcher is not None:
            trace.watcher.adopt(self.guards)
        trace.called_exact = trace.called_exact or self.is_exact
        kept = [] if self.kept is None else self.kept.leaves()
        values = list(map(trace.value_of, (*leaves, *kept)))
        values += self.state.lowered(trace, self.state.read())
        values += map(trace.value_of, self.outer)
        self.shared.check(trace, self.name, leaves, self.outer)
        if self.spec is None:
            raise never_back(trace, self.callee, values)
        graph = self.callee.graph
        assert graph is not None
        outputs = [Value(value.type, trace.unique(value.name)) for value in graph.results]
        made = list(trace.append(CALL, values, outputs, {"callee": self.callee}))
        end = len(made) - len(self.shared.written)
        types = result_types(self.graph, values, trace.constants)
        shaped = list(map(_of_type, made[:end], types))
        results = self.shared.settle(trace, leaves, shaped, made[end:])
        lifted = iter(results)
        result = graph_values.lift(_anew(self.spec), lifted)
        if self.changes is not None:
            result = result, self.changes.contents(lifted, graph_values.lift)
        if self.kept is not None:
            self.kept.write_in(trace, lifted)
        self.state.write(lifted)
        return result

    # As of Python's functions: there is nothing in it to change.

    def __copy__(self) -> ConcreteFunction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> ConcreteFunction:
        return self

    def __reduce__(self) -> NoReturn:
        raise refused(f"a trace of {self.name}", "pickle its function, which is traced anew there")

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Its parameters, result and captures, a line each; or all in one line.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> concrete = double.get_concrete_function(rt.TensorSpec([], rt.int32))
        >>> "int32" in concrete.pretty_printed_signature()
        True
        """
        if not verbose:
            return repr(self)
        captures = [
            (tensor.op.name, TensorSpec(tensor.shape, tensor.dtype))
            for tensor in self.graph.internal_captures
        ]
        return signature_lines(
            self.structured_input_signature, self.labels, self.structured_outputs, captures
        )

    def native_ir(self) -> str:
        """The LLVM IR of its machine code. ValueError where it has none.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> concrete = double.get_concrete_function(rt.TensorSpec([], rt.int32))
        >>> "mul i32" in concrete.native_ir()
        True
        """
        return _native("views").native_ir(self.optimized)  # type: ignore[no-any-return]

    def native_asm(self) -> str:
        """Its machine code as assembly of this host. ValueError where it has none.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> concrete = double.get_concrete_function(rt.TensorSpec([], rt.int32))
        >>> "ret" in concrete.native_asm()
        True
        """
        return _native("views").native_asm(self.optimized)  # type: ignore[no-any-return]

    def explain_native(self) -> str:
        """The ops, with the user's lines, that keep it from being machine code as a whole.

        >>> @rt.function
        ... def double(x):
        ...     return 2 * x
        >>> concrete = double.get_concrete_function(rt.TensorSpec([], rt.int32))
        >>> concrete.explain_native()
        'double is machine code as a whole'
        """
        return _native("views").explanation(self.optimized)  # type: ignore[no-any-return]

    def call_profiled(
        self, leaves: Sequence[Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Profile:
        """Run it as a call does, and tell what took the time."""
        from runtime.graph.executors.profiling import profiled

        if state.run is None:
            raise refuse(
                f"a profile of {self.name} is asked for where something traces or records calls",
                "ask for it outside of functions and tapes",
            )
        profiles: list[Profile] = []

        def run(*raws: Any) -> tuple[Any, ...]:
            results, made = profiled(self.optimized, self.program, self.executor, raws)
            profiles.append(made)
            return results

        if self.changes is None:
            self.call_leaves(leaves, run)
        else:
            self.call_changing(args, kwargs, leaves, run)
        return profiles[0]

    @property
    def signature_text(self) -> str:
        """Its name and the types or values of its parameters: `f(x: float32[2], n=3)`."""
        return f"{self.name}({signature_text(self.structured_input_signature, self.labels)})"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.signature_text}>"

    def __str__(self) -> str:
        return str(self.graph)

    def _repr_svg_(self) -> str:
        return self.graph._repr_svg_()


def _native(module: str) -> Any:
    """A module of the native executor. ImportError where it is not installed."""
    check_executor("native")
    name = f"runtime.graph.executors.native.{module}"
    return on_fit_thread(lambda: importlib.import_module(name))


def _of_type(symbol: Any, known: Type) -> Any:
    """The result of a call, with the static shape that it has in this call."""
    if isinstance(known, TensorType) and known != symbol.graph_value.type:
        return ensure_shape(symbol, known.shape)
    return symbol


def _as_leaf(item: Any) -> Any:
    """A tensor, or what a number is for tapes."""
    if type(item) not in NUMBER_TYPES:
        return item
    from runtime.autodiff.calls import Held

    return Held(item, NUMBER_TYPES[type(item)])


def _is_itself(argument: Any, leaf: Any) -> bool:
    return argument is leaf and type(leaf) is EagerTensor


def _anew(spec: Spec) -> Spec:
    """The Spec for what one more call returns."""
    if not isinstance(spec, Tree):
        return spec
    return Tree(spec.structure.anew(), tuple(map(_anew, spec.children)))


class Unsized:
    """A list, set or dict among results, of which only the run knows how many items it has: the
    name of its class, and the TensorSpecs of an item.
    """

    def __init__(self, kind: str, item: Any) -> None:
        self.kind = kind
        self.item = item

    def __repr__(self) -> str:
        return f"{self.kind} of {self.item!r}"


def _specs_of(spec: Spec, of: Callable[[TensorSpec], Any] = lambda spec: spec) -> Any:
    if isinstance(spec, Leaf):
        known = spec.type
        return of(TensorSpec(known.shape, known.dtype)) if isinstance(known, TensorType) else known
    if isinstance(spec, Tree) and spec.structure.kind is Choice:
        return Choice(spec.structure.keys, None)
    if isinstance(spec, Tree):
        keys = spec.structure.keys
        kind = keys.kind if isinstance(keys, Entries) and keys.known is None else keys
        if isinstance(kind, Kind):
            return Unsized(spec.structure.kind.__name__, _specs_of(kind.element, of))
        return spec.structure.build([_specs_of(child, of) for child in spec.children])
    if isinstance(spec, Union):
        return TaggedUnion([_specs_of(kind, of) for kind in spec.kinds], None, spec.mismatch)
    return spec.value if isinstance(spec, Same) else _specs_of(spec.inner, of)


def _devices_of(graph: Graph) -> list[str | None]:
    """The device that each result is asked to be computed on."""
    asked = {value: node.device for node in graph.nodes for value in node.outputs if node.device}
    return [asked.get(value) for value in graph.results]


def _on_device(result: Any, asked: str | None) -> Any:
    found = None if asked is None else placed(asked)
    if found is None or isinstance(result, list):
        return result
    tensor = result if isinstance(result, EagerTensor) else EagerTensor(result)
    tensor._device = found
    return tensor


def _with_twins(results: Sequence[Any], twins: Sequence[tuple[int, int]]) -> list[Any]:
    """The results, of which those that are one tensor are made once."""
    made = list(results)
    for at, earlier in twins:
        made[at] = made[earlier] = tensor_of(made[earlier])
    return made

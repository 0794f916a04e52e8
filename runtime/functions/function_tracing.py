"""One trace of a Python function: it runs on symbols, and what it did becomes a graph."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import autograph
import runtime.staging.backend  # noqa: F401  (gives autograph the backend of symbols)
from autograph.mutation.ownership import taking_notes
from autograph.mutation.snapshots import Snapshot
from autograph.objects import is_generator_function
from autograph.operators.work_of_rounds import TOO_MUCH
from autograph.policy import is_standard_file
from autograph.user_attributes import askable
from runtime.core.state import state
from runtime.dtypes import DType
from runtime.functions.changed_arguments import (
    ArenaChange,
    Changes,
    Given,
    Image,
    OwnChange,
    Way,
    changed_image,
    images_of,
    refuse_other_name,
    ways_of,
)
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.kept_objects import Kept, KeptPart, holds_staged, parts_of
from runtime.functions.lasting_effects import Acts, Prints, lasting_iterator_of
from runtime.functions.own_containers import put_own_containers
from runtime.functions.recursion import (
    Assumption,
    active_calls,
    bound_containers,
    has_numbers,
    unsettled,
)
from runtime.functions.recursion_over_numbers import CALLS, Descent
from runtime.functions.results import exported
from runtime.functions.returned_arguments import returned_of
from runtime.functions.shared_arguments import NOTHING, Shared, lost, shared_of
from runtime.functions.signatures import Rebuilding, spec_structure
from runtime.functions.trace_cache import Call
from runtime.graph.ir import (
    Callee,
    Graph,
    Location,
    Node,
    Region,
    Value,
    format_location,
    may_act,
    position_of,
    walk,
)
from runtime.graph.nodes import RAISE
from runtime.graph.passes.dead_code import used_values
from runtime.graph.structures import Children, Structure, structure_of
from runtime.graph.verification import verify
from runtime.ops.random.seeds import going_on
from runtime.staging import block_recorder, late_reads, texts
from runtime.staging.aliasing import aliases
from runtime.staging.block_recorder import BlockRecorder, Existed, note_called
from runtime.staging.bytecode import returns_of
from runtime.staging.control import graph_values, joins, loops
from runtime.staging.control.blocks import Unreachable, add_raise
from runtime.staging.control.carried_objects import (
    Contents,
    ObjectRecorder,
    Place,
    check_defaults,
    no_watch,
    refuse_change,
)
from runtime.staging.control.deferred_exceptions import is_of_program
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import (
    NOTHING_WANTED,
    References,
    Wanted,
    is_reference,
    want_arrays,
    want_generators,
)
from runtime.staging.control.specs import Leaf, Optional, Same, Spec, Tree, types_of
from runtime.staging.error_notes import explain, explain_depth, locate
from runtime.staging.exact_integers import exact, has_met_large
from runtime.staging.frames import beginning_of, frames_left, is_ours
from runtime.staging.guarding.watching import Watcher
from runtime.staging.intercepted_calls import instead_of
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.growing_deque import stand_in
from runtime.staging.lists.growing_dict import stand_in_for
from runtime.staging.lists.growing_list import GrowingList, known_list
from runtime.staging.lists.list_places import list_made
from runtime.staging.lists.remembered_calls import forget, set_aside
from runtime.staging.refusals import is_refusal, noted, refuse
from runtime.staging.staged_print import is_stream_write, print_in_graph, write
from runtime.staging.symbolic_number import result_dtypes
from runtime.staging.tracing import Trace
from runtime.variables.creation import Creations, active, variable_creator_scope

_MOST_RETURNS = 3
"""Places of `return` that a message names."""

_DEEP = 50
"""Calls that wait for each other outside of staged blocks before a `raise` of the run ends them."""

_DEEP_GENERATORS = 20
"""Calls of a generator function that wait for each other in staged blocks."""

_RECENT = 50
"""Nodes among which a `raise` is looked for that would end the recursion at hand."""


@contextmanager
def creating(name: str, creations: Creations) -> Iterator[None]:
    """Note which variables are made while a function is traced, or refuse it."""

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        from runtime.functions.initial_values import initial_value, place_of_creation

        if state.trace is None:
            return next_creator(**kwargs)
        if not creations.allowed:
            raise refuse(
                f"{name} creates a variable each time that it is traced: calls would not share it, "
                "and a loop would not make one for each round",
                "create it before, or once: `if self.v is None: self.v = Variable(...)`",
            )
        try:
            value = initial_value(kwargs.get("initial_value"), kwargs.get("dtype"), state.trace)
            made = next_creator(**kwargs | {"initial_value": value})
        except Exception:
            for item in active.creations:
                item.failed = True
            raise
        creations.made += 1
        creations.place = creations.place or place_of_creation()
        block_recorder.note_created(made)
        return made

    before = active.creations
    active.creations = (*before, creations)
    try:
        with variable_creator_scope(create), going_on(creations.streams):
            yield
    finally:
        active.creations = before


def _values_in(value: Any, spec: Spec) -> list[Any]:
    """Returns the part of a result for each of the values that carry it; None where nothing is
    known.
    """
    if isinstance(spec, Leaf):
        return [value]
    found = structure_of(value)
    if isinstance(spec, Tree) and found is not None and found[0] == spec.structure:
        pairs = zip(found[1], spec.children, strict=True)
        return [item for pair in pairs for item in _values_in(*pair)]
    if isinstance(spec, Optional) and isinstance(value, MaybeNone):
        return [None, *_values_in(value.held, spec.inner)]
    return [None for _ in types_of(spec)]


def _class_of(function: Any) -> type:
    """The class of which a call makes an object, or has one."""
    given = getattr(function, "__self__", function)
    return given if isinstance(given, type) else type(given)


class Tracer:
    """One trace of a Python function.

    `assumption` is what calls of itself return; `inner`: the trace is for such calls.
    `parts` are those of objects from before that are known to change; `found` are more of them, if
    there are any, for another trace. `referred` are the classes of which the run chooses objects.
    `call_again(descent, depth, function, args, kwargs)` makes a
    call that `depth` calls of the same function wait for. `prints` are those of all traces of the
    same call.
    """

    def __init__(
        self,
        name: str,
        python_function: Any,
        converted: Any,
        labels: Sequence[str],
        assumption: Assumption,
        call_again: Callable[..., Any],
        prints: Prints,
        inner: bool = False,
        parts: Sequence[KeptPart] = (),
        referred: Wanted = NOTHING_WANTED,
    ) -> None:
        self.name = name
        self.acts = Acts()
        self.references = References(referred, self.acts.found)
        self.prints = prints
        self.labels = labels
        self.assumption = assumption
        self.call_again = call_again
        self.inner = inner
        self.dtypes: Mapping[str, DType] = {}
        self.numbers: Mapping[str, DType] | None = None
        self.returned: Spec | None = None
        self.current: Trace | None = None
        self.descents: dict[int, Descent] = {}
        self._calls: Counter[CodeType] = Counter()
        self.python_function = python_function
        self.converted = converted
        self.watcher = Watcher()
        self.given = Given()
        self.placed: dict[int, tuple[Structure, Children]] = {}
        self.ways: dict[Way, list[Way]] = {}
        self.changes: list[OwnChange | ArenaChange] = []
        self.arguments: dict[int | str, Any] = {}
        self.tensors: list[Any] = []
        self.kept = Kept(name, parts)
        self.existing = Snapshot({})
        self.always_raises = False
        self.snapshots: list[Snapshot] = []
        self.found: list[KeptPart] | None = None
        self.state = assumption.state
        self.returned_arguments = assumption.returned

    def trace(self, call: Call, names: Sequence[str]) -> ConcreteFunction:
        """Run Python once on symbols of these types."""
        args, kwargs = call.args, call.kwargs
        self.dtypes = result_dtypes(call.types)
        self.numbers = None if self.inner or call.plain else self.dtypes
        leaves = zip(call.types, names, strict=True)
        signature = spec_structure(args, leaves), spec_structure(kwargs, leaves)
        self.prints.begin()
        trace = self.current = Trace(self.name)
        trace.code = getattr(self.python_function, "__code__", None)
        if self.converted is not self.python_function or _is_converted(self.converted):
            trace.converter = autograph.call
        around = {} if self.inner else set_aside()
        existing = Snapshot({"": self.python_function, "args": args, "kwargs": kwargs})
        trace.existed, trace.watcher, trace.watch = Existed(existing), self.watcher, BlockRecorder
        trace.kept = None if self.inner else {}
        outer = None if state.trace is None else state.trace.references
        if self.inner and outer is not None:
            self.references = outer
        trace.references = self.references
        trace.recurs = self.inner and call.plain
        given = dict(zip(self.labels, args, strict=False)) | kwargs
        held: list[Contents] = []
        try:
            with trace, self._putting_back(trace, existing):
                symbols = list(map(trace.parameter, call.types, names))
                trace.given = {
                    x.graph_value: leaf for x, leaf in zip(symbols, call.leaves, strict=True)
                }
                before = list(trace.scope.parameters)
                self.kept.check(args, kwargs)
                images = list(images_of(dict(enumerate(args)) | kwargs, self.labels))
                self.kept.begin(trace)
                held.extend(self.assumption.state.begin(trace) if self.inner else ())
                self.watcher.watch(self.python_function, given)
                spec, results = self._run(trace, *self._given(call, symbols))
                if self.references.changed_array():
                    want_arrays()
                    raise refuse(
                        "an array is changed that a path or a round has left under another name, "
                        "or of which a part was read at a place that only the run knows",
                        "change a copy: x = x.copy()",
                        None,
                        self._location(),
                    )
                if (changed := changed_image(images)) is not None:
                    raise refuse_other_name(self.name, changed)
                shared, lost = NOTHING, None
                if spec is not None and self.found is None:
                    shared = shared_of(trace.scope, symbols, before, self.tensors)
                    lost = self._lost(trace, symbols, before, results)
                if self.inner:
                    shared = shared.covering(self.assumption.shared)
                if spec is None:
                    shared = NOTHING
                finals, behind = self._finals(trace, symbols, shared)
        finally:
            if held:
                self.assumption.state.put_back(held)
            forget(trace, around)
            # Also where a handler of the user's made it go away, or raised something else.
            if trace.refusal is not None:
                raise noted(trace.refusal)
        if outer is not None and not self.inner and any(x.changes() for x in self.snapshots):
            outer.lasting = self.name  # which is not traced again where the outer function is
        if self.assumption.used and not self.inner:
            existing.restore()  # Python runs again
        graph = trace.finish(results, checked=not unsettled())
        guards = self.watcher.settle()
        outer, labels = trace.outer_symbols(), self.labels
        called = graph
        if shared.written:
            body = graph.body
            nodes = *body.nodes, *behind
            body = Region(body.parameters, nodes, (*body.results, *finals))
            called = replace(graph, body=body)
        whole = called is graph
        met_large = has_met_large(graph, trace)
        if met_large:
            graph = exact(graph, trace.unique)
            called = graph if whole else exact(called, trace.unique)
        if self.inner:
            graph = called
        made = ConcreteFunction(self.name, graph, spec, signature, labels, outer, guards)
        if self.kept:
            receiver = getattr(self.python_function, "__self__", None)
            self.kept.note_given(Snapshot({"": receiver, "args": args, "kwargs": kwargs}))
            guards.also(self.kept)
        changes = Changes(self.name, self.changes, self.ways) if self.changes else None
        made.change(changes, self.kept or None)
        made.share(shared, called, lost)
        made.state, made.is_exact = self.state, met_large
        made.returned = self.returned_arguments
        return made

    @contextmanager
    def _putting_back(self, trace: Trace, existing: Snapshot) -> Iterator[None]:
        """Put back what was in objects that calls change, once it is known what that is; all, where
        Python runs again, or has raised. No symbol stays in them where it has raised.
        """
        self.existing = existing
        self.snapshots = [existing]
        done = False
        try:
            yield
            done = self.found is None and not self.always_raises
        finally:
            self.snapshots = self._snapshots(trace)
            if not done:
                changes_calls = trace.kept or self.found or self.kept
                for snapshot in reversed(self.snapshots):
                    snapshot.restore(None if changes_calls else holds_staged)
            if trace.outer is None:
                put_own_containers(self._snapshots(trace))
            self.kept.forget()

    def put_back(self) -> str | None:
        """Put back what was in all objects before the trace, for another one: what keeps that from
        being so, if anything.
        """
        acted = self.references.acted()
        if acted is not None:
            return f"{acted}() was called"
        for snapshot in reversed(self.snapshots):
            snapshot.restore()
        changes = [change.path for snapshot in self.snapshots for change in snapshot.changes()]
        if changes:
            return f"{changes[0]!r} was changed"
        unknown = lasting_iterator_of(self.python_function)
        return None if unknown is None else f"{unknown!r} may have been advanced"

    def _snapshots(self, trace: Trace) -> list[Snapshot]:
        """Returns what existed before the trace as it was then, and further when it was met."""
        existed = trace.existed
        return list(existed.snapshots) if isinstance(existed, Existed) else [self.existing]

    def _kept(self, trace: Trace) -> list[Value]:
        """The values of what the trace leaves in objects from before; none where more of them are
        found, with which the function is traced anew.
        """
        if trace.kept is None or self.assumption.used:
            return []
        parts = parts_of(trace, self.kept.parts, self._snapshots(trace), self._location())
        if any(part not in self.kept.parts for part in parts):
            path = self._advanced(trace)
            if path is not None:
                raise refuse(
                    f"{path} is advanced while {self.name} is traced, which runs again for what it "
                    f"changes of objects from before ({parts[-1].path})",
                    "make a list or a tensor of its items before the call, or change nothing there",
                    location=self._location(),
                )
            self.found = parts
            return []
        return list(self.kept.lowered(trace, self.kept.end(trace, self._location())))

    def _advanced(self, trace: Trace) -> str | None:
        """The path of an iterator from before that the trace has advanced."""
        paths = (snapshot.advanced() for snapshot in self._snapshots(trace))
        return next(filter(None, paths), None)

    def _finals(
        self, trace: Trace, symbols: Sequence[Any], shared: Shared
    ) -> tuple[list[Value], list[Node]]:
        """Returns the values of the arguments at the end, for calls from other traces, and the
        nodes for it.
        """
        nodes = trace.scope.nodes
        count = len(nodes)
        finals = [trace.value_of(symbols[at]) for at in shared.written]
        behind = nodes[count:]
        del nodes[count:]
        return finals, behind

    def _lost(
        self,
        trace: Trace,
        symbols: Sequence[Any],
        before: Sequence[Value],
        results: Sequence[Value],
    ) -> Callable[[], Exception] | None:
        """The refusal of what the function does to its arguments, where no caller would see it."""
        if not trace.written:
            return None
        used = used_values(Graph(self.name, trace.scope.region(results)))
        found = lost(trace, symbols, before, used)
        if found is not None and trace.outer is None and not self.inner:
            raise found()
        return found

    def _given(self, call: Call, symbols: Sequence[Any]) -> tuple[Any, Any]:
        again = Rebuilding(iter(symbols), self._argument)
        args = tuple([again.of(x, self.labels[at]) for at, x in enumerate(call.args)])
        kwargs = {name: again.of(x, name) for name, x in call.kwargs.items()}
        given = images_of(dict(enumerate(args)) | kwargs, self.labels, self._parts)
        self.given = Given(given, self.inner)
        if self.current is not None:
            self.current.arguments = frozenset([id(image.item) for image in self.given.images])
        self.ways = ways_of(dict(enumerate(call.args)) | call.kwargs)
        self.arguments = dict(enumerate(args)) | kwargs
        return args, kwargs

    def _parts(self, item: Any) -> tuple[Structure, Children] | None:
        """The structure and parts of an argument, also of a list that is at a place."""
        return self.placed.get(id(item)) or structure_of(item)

    def _argument(self, made: Any, path: str) -> Any:
        """The stand-in for a list or dict that an argument is, or has in it."""
        if isinstance(made, dict):
            return stand_in_for(made)
        item = known_list(made)
        if type(item) is not GrowingList or self.inner:
            return item
        found = structure_of(item)
        placed = list_made(self.references, item, f"{self.name}({path})")
        if placed is not item and found is not None:
            self.placed[id(placed)] = found
        return placed

    def _run(
        self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Spec | None, list[Value]]:
        recorder = self._recorder(args, kwargs)
        # Not the tracer, which has the caller's arguments: what may change is asked later, too.
        self.assumption.begin(functools.partial(_changed_but, recorder, self.given.images))
        try:
            with (
                recorder,
                autograph.observe_calls(self._observe),
                autograph.members_converted(),
                autograph.lists_made_by(self._stand_in, self.references.known.asks),
                taking_notes(self.watcher.notes),
                taking_notes(lambda: _notes(trace)),
            ):
                self._meet_found()
                result = self.converted(*args, **kwargs)
            trace.has_returned = True
            trace.forget_frames()
            recorder.release((result,))
            late_reads.look(trace)
            check_defaults(trace)
            if trace.recurs:
                return self._with_state(trace, recorder, result)
            self._refuse_changes(recorder)
            if self.assumption.used or self.inner:
                self.returned = joins.abstract(self._exported(result, None), staged=True)
            result = self._exported(result, self.numbers)
        except Unreachable:
            recorder.restore()
            self.always_raises = True
            return None, []
        except BaseException as error:
            recorder.restore()
            if not is_of_program(error):
                raise
            self._explain(error, args, kwargs)
            if is_refusal(error) or not (may_act(trace.scope.nodes) or texts.is_in(error)):
                raise
            # What was staged before it comes first: an error or an effect of its own.
            add_raise(trace, error)
            self.always_raises = True
            return None, []
        finally:
            recorder.close()
        contents = self._changed(trace)
        spec: Spec | None = joins.abstract(result, staged=True)
        if self.inner:
            spec = self.assumption.covering(spec)
        assert spec is not None
        self.tensors = _values_in(result, spec)
        values = list(graph_values.lower(result, spec, trace))
        for change, items in zip(self.changes, contents, strict=True):
            values += graph_values.lower(items, change.spec, trace)
        return spec, values + self._kept(trace)

    def _with_state(
        self, trace: Trace, recorder: ObjectRecorder, result: Any
    ) -> tuple[Spec, list[Value]]:
        """The result of a recursive function, and the values of it and of what it changes."""
        known = self.assumption.wider
        self.state, left = known.with_changes(recorder, self.assumption.met)
        self._changed(trace)
        self.state.check_result(result)
        is_own = self.state.returns(result)
        if not is_own:
            returned = returned_of(trace, self.arguments, result)
            self.returned_arguments = returned.covering(self.assumption.returned)
            result = self._exported(result, self.numbers)
        spec = self.assumption.covering(
            Same(result) if is_own else joins.abstract(result, staged=True)
        )
        assert spec is not None
        self.tensors = _values_in(result, spec)
        values = list(graph_values.lower(result, spec, trace))
        if self.state == known == self.assumption.state:
            values += self.state.lowered(trace, left)
        return spec, values

    def _changed(self, trace: Trace) -> list[Any]:
        """The items that the function leaves in the lists among its arguments that it changed."""
        changed = self.given.changed()
        if changed is None:
            return []
        if self.inner:
            why = "it is an argument, which a traced function gets as a copy of the caller's"
            raise refuse_change(changed, why, location=self._location())

        def is_own(item: Any) -> bool:
            return not hasattr(item, "scope") or item.graph_value in trace.given

        export = functools.partial(self._exported, numbers=self.dtypes)
        self.changes, contents = self.given.changes(export, is_own, self._location())
        return contents

    def _explain(self, error: BaseException, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if isinstance(error, RecursionError):
            explain_depth(error)
            for descent in self.descents.values():
                if descent.refusal is not None:  # it says what keeps the graph from calling itself
                    raise noted(descent.refusal) from None
        elif not (is_refusal(error) or texts.is_in(error)):
            locate(error)
            explain(error, self.name, dict(zip(self.labels, args, strict=False)) | kwargs)

    def _recorder(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ObjectRecorder:
        # What Python runs once while tracing, calls of itself in the graph would not repeat.
        watch = BlockRecorder if self.inner else no_watch
        given = dict(zip(self.labels, args, strict=False)) | kwargs
        given |= bound_containers(self.python_function)
        return watch(self.python_function, tuple(given.values()), tuple(given))

    def _stand_in(self, made: Any) -> Any:
        """Returns the stand-in for a list, deque, set or dict that the user's code has made."""
        item = made if isinstance(made, Growing) else stand_in(made)
        # Where the library's own code is converted, nobody else sees its lists.
        if type(item) is not GrowingList or is_ours(sys._getframe(2).f_code.co_filename):
            return item
        return list_made(self.references, item)

    def _refuse_changes(self, recorder: ObjectRecorder) -> None:
        for place in (*recorder.changed(), *self.assumption.met):
            recorder.restore()
            why = f"{self.name} calls itself, as often as the run decides"
            raise refuse_change(place.path, why, location=self._location())

    def _location(self) -> Location | None:
        """The place where the function begins, for what is seen only when it is over."""
        code = getattr(self.python_function, "__code__", None)
        return None if code is None else beginning_of(code)

    def _exported(self, result: Any, numbers: Mapping[str, DType] | None) -> Any:
        try:
            return exported(result, numbers, self._name_of_result)
        except autograph.AutographError as error:  # the user's frame is that of the caller by now
            for place in self._places_of_result()[:1]:
                error.filename, error.lineno, error.col = place
            raise

    def _name_of_result(self) -> str:
        """The name of the result in messages: the places of `return`, and the function."""
        places = self._places_of_result()
        text = f"the result of {self.name}"
        return f"{' or '.join(map(format_location, places))}: {text}" if places else text

    def _places_of_result(self) -> Sequence[Location]:
        """The places of `return`; where there are many, the place where the function begins."""
        code = _code_of_user(self.python_function)
        if code is None:
            return ()
        places = returns_of(code)
        return places if 0 < len(places) <= _MOST_RETURNS else [beginning_of(code)]

    def _meet_found(self) -> None:
        """Let Python call the converted operators of the objects from outside that were found."""
        while self.watcher.found:
            autograph.meet_class(self.watcher.found.pop())

    def _observe(self, function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        if function is object.__new__:  # an object is new, and nothing is called
            return None
        self.watcher.watch(function)
        self._meet_found()
        function = askable(function)
        if (function is print or is_stream_write(function)) and self.current is state.trace:
            return self._printing(function, in_python=self.current.scope.outer is None)
        self.acts.note(function, args)
        if self.current is state.trace:
            note_called(function)
        if not isinstance(function, FunctionType | BuiltinFunctionType):
            autograph.meet_class(_class_of(function))
        if function is hasattr and len(args) == 2:
            self.watcher.asked(*args)
        instead = instead_of(function, args, self.references, self.watcher)
        if instead is not None:
            return instead
        trace = self.current
        if trace is None or trace is not state.trace:
            return None
        plain = getattr(function, "__func__", function)
        if not isinstance(plain, FunctionType):
            return None
        is_python, is_generator = trace.scope.outer is None, is_generator_function(plain)
        is_much = trace.work > TOO_MUCH
        # Outside of staged blocks Python ends recursion, unless a staged `raise` does; calls that
        # are very much to write out become a graph, as the rounds of loops do.
        may_end = is_much or not is_python or _may_raise(trace.scope.nodes[-_RECENT:])
        if is_python and (is_generator or not may_end):
            return None
        depth = active_calls(plain.__code__, trace.root, autograph.converted_code)
        if is_generator:
            _check_depth(plain, depth)
            return None
        if not depth or (is_python and depth < _DEEP and not (is_much and self._are_many(plain))):
            return None
        receiver = getattr(function, "__self__", None)
        if is_reference(receiver):  # an argument as others: the run may choose it
            return functools.partial(self._again, plain, plain, depth, receiver)
        return functools.partial(self._again, function, plain, depth)

    def _are_many(self, function: FunctionType) -> bool:
        """Whether a function has called itself often, in a trace that has become very large."""
        self._calls[function.__code__] += 1
        return self._calls[function.__code__] > CALLS

    def _printing(self, function: Any, in_python: bool) -> Callable[..., Any] | None:
        printing = functools.partial(self.prints.print, self.acts) if in_python else print_in_graph
        if function is print:
            return printing if in_python else None  # which the block's recorder replaces
        return functools.partial(write, function, printing)

    def _again(self, function: Any, plain: Any, depth: int, /, *args: Any, **kwargs: Any) -> Any:
        # A method: what watches objects looks into the arguments of a partial, not in here.
        descent = self.descents.setdefault(id(plain), Descent())
        return self.call_again(descent, depth, function, args, kwargs)


def _code_of_user(function: Any) -> CodeType | None:
    """The code of the user's that a function is: of what a decorator of the standard library made
    that of what it wraps, of a partial that of what it calls, and of a class its `__init__`; None
    where there is none.
    """
    while isinstance(function, functools.partial):
        function = function.func
    plain = getattr(function, "__init__") if isinstance(function, type) else function  # noqa: B009
    code: CodeType | None = getattr(plain, "__code__", None)
    while code is not None and is_standard_file(code.co_filename):
        plain = getattr(plain, "__wrapped__", None)
        code = getattr(plain, "__code__", None)
    return code


def _changed_but(recorder: ObjectRecorder, images: Sequence[Image]) -> list[Place]:
    """The objects that a recorder finds changed, but for what a call is given."""
    given = {id(image.item) for image in images}
    return [each for each in recorder.changed() if id(each.object) not in given]


def _notes(trace: Trace) -> list[Any]:
    """The containers in which a trace remembers objects."""
    found = *aliases.notes(trace), *loops.notes(trace), *block_recorder.notes(trace)
    return [*found, *late_reads.notes(trace)]


def _check_depth(generator_function: FunctionType, depth: int) -> None:
    """StagingError where so many calls of itself wait that only the run may end them: what takes
    the elements is another function in each of them, so that none is a call of a graph.
    """
    if depth > _DEEP_GENERATORS:
        want_generators()
        raise refuse(
            f"the generator {generator_function.__name__} calls itself in a staged block as often "
            f"as the run decides, or more than {_DEEP_GENERATORS} times",
            "append the elements to a list, in a function that calls itself",
        )


def _may_raise(nodes: Sequence[Node]) -> bool:
    """True if a branch or a loop among these nodes has a `raise`."""
    regions = [region for node in nodes for region in node.regions]
    return any(node.primitive is RAISE for region in regions for node in walk(region))


def _is_converted(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and autograph.converted_code(code)


def settled(
    inner: ConcreteFunction, callee: Callee, call: Call, names: Sequence[str]
) -> ConcreteFunction:
    """A recursive function, once it returns what its own calls suppose: as others see it, numbers
    are tensors.
    """
    callee.graph = inner.graph
    inner.callee = callee
    verify(inner.graph)
    if call.plain or not has_numbers(inner.spec):
        return inner
    trace = Trace(inner.name)
    with trace:
        symbols = list(map(trace.parameter, call.types, names))
        result = exported(inner.call_leaves(symbols), result_dtypes(call.types))
        spec = joins.abstract(result, staged=True)
        results = list(graph_values.lower(result, spec, trace))
    signature, outer = inner.structured_input_signature, trace.outer_symbols()
    graph = trace.finish(results)
    return ConcreteFunction(inner.name, graph, spec, signature, inner.labels, outer, inner.guards)


def explain_variants(error: RecursionError, function: Any, name: str) -> None:
    """Make the error of a function that is traced at each depth of its recursion say so."""
    location = None
    for frame in frames_left(error):
        if frame.f_code.co_filename == getattr(function, "__code__", frame.f_code).co_filename:
            location = position_of(frame.f_code, frame.f_lasti)
    error.args = (
        f"{format_location(location)}: {name} calls itself with an argument of another dtype, "
        "shape or Python value at each depth, and each is traced: pass what changes as a tensor of "
        "one shape, or end the recursion earlier",
    )

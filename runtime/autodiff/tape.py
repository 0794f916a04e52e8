"""`GradientTape`: records ops as they are computed, and goes back over them for gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, overload
from weakref import WeakSet

from runtime import nest
from runtime.autodiff import jacobians
from runtime.autodiff.recorder import Recorder
from runtime.autodiff.records import (
    UNSENT,
    Record,
    as_it_is,
    backward,
    distinct,
    kept,
    leading_to,
    replaced,
)
from runtime.autodiff.requests import (
    UnconnectedGradients,
    fills_with_zeros,
    itself,
    leaves,
    one_of,
    ones,
    settled,
    weights_for,
    zeros_for,
)
from runtime.core.locks import process_lock
from runtime.core.log import get_logger
from runtime.core.primitive import Primitive, flat
from runtime.core.state import init_scope, new_key, state
from runtime.core.tensor import EagerTensor, Operators, Tensor
from runtime.core.types import is_variable
from runtime.ops.indexed_slices import dense, public

_naming = process_lock()

living: list[WeakSet[GradientTape]] = []
"""From the first item assignment on, the set of all tapes: they hold tensors that may change."""


def _are_computed(*items: Any) -> bool:
    """True if these are, where a graph is traced, eager tensors (or None), which are no
    part of it.
    """
    if state._trace is None:
        return False
    return all(item is None or isinstance(item, EagerTensor) for item in items)


def _differentiable(value: Any) -> bool:
    if not isinstance(value, Tensor) and not is_variable(value):
        # A list of a graph
        from runtime.autodiff import activity

        return activity.differentiable(value.type)
    return value.dtype.kind in "fc"


class GradientTape(Recorder):
    """Records the ops inside its `with` block, and computes gradients of what they made.

    Trainable variables are watched when they are read (unless `watch_accessed_variables` is False),
    tensors when `watch` is called. A tape computes one set of gradients and then lets go of what it
    recorded; a `persistent` one computes any number and keeps its records until it is deleted.
    Tapes may be nested: an outer tape records the computation of the gradients inside it.

    >>> x = rt.constant(3.)
    >>> with rt.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    __slots__ = (
        "_append",
        "_changed",
        "_entered",
        "_home",
        "_known",
        "_persistent",
        "_recording",
        "_records",
        "_scope",
        "_settled",
        "_unrecorded",
        "_used",
        "_uses",
        "_watch_accessed",
        "_watched",
    )

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._recording = self._used = self._entered = False
        trace = state._trace
        self._home: Any = None if trace is None else trace.scope
        self._scope: Any = None
        self._uses: list[Any] = []
        self._begin()
        if living:
            living[0].add(self)

    def _begin(self) -> None:
        # How far records hold no former value of a tensor; watched tensors with another value now.
        self._settled: dict[int, int] = {}
        self._changed: dict[int, Any] = {}
        # Tensors that have a value now which another op has made, and nobody recorded.
        self._unrecorded: dict[int, Any] = {}
        self._records: list[Record] = []
        self._append = self._records.append
        self._known: set[Any] = set()
        self._watched: dict[Any, Any] = {}

    # Recording

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording: it cannot be entered twice.")
        self._check_place("")
        if self._used:
            self.reset()
        self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._recording:
            self._stop()
            if self._is_elsewhere():
                from runtime.autodiff import tape_scopes

                tape_scopes.see_rest(state.trace, self, self._scope)

    @property
    def is_recording(self) -> bool:
        """Whether its block is entered."""
        return self._recording

    def _check_place(self, what: str) -> None:
        trace = state._trace
        if trace is not None and trace.scope is not self._home:
            from runtime.autodiff import tape_scopes

            self._home = tape_scopes.checked(trace, self._home, self, what)

    def _is_elsewhere(self) -> bool:
        """Whether the scope that is open is another one than where the tape began to record."""
        trace = state._trace
        return trace is not None and trace.scope is not self._scope

    def _start(self) -> None:
        trace = state._trace
        self._scope = None if trace is None else trace.scope
        state.tapes = (*state._tapes, self)
        self._recording = self._entered = True

    def _stop(self) -> None:
        tapes = state._tapes
        last = bool(tapes) and tapes[-1] is self
        state.tapes = tapes[:-1] if last else tuple([tape for tape in tapes if tape is not self])
        self._recording = False

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """Keep an op, if it is connected to what is watched."""
        if not inputs:
            if outputs and "variable" in params:
                self._record_read(params["variable"], outputs[0])
            return
        known = self._known
        sources = tuple([x.node if x.node in known else None for x in inputs])
        if primitive.gradient is flat or not any(sources):
            return
        targets = tuple([self._connect(output) for output in outputs])
        if not any(targets):
            return
        if state._trace is None:
            inputs = kept(inputs, primitive.keep_inputs)
            outputs = kept(outputs, primitive.keep_outputs)
        else:
            # The user's symbols stand for other values once their items are assigned.
            inputs, outputs = list(map(as_it_is, inputs)), tuple(map(as_it_is, outputs))
        target = targets[0] if len(targets) == 1 else targets
        self._append((target, sources, primitive, inputs, outputs, params))

    @property
    def is_persistent(self) -> bool:  # type: ignore[override]
        """True if it can compute gradients several times, also of its own gradients."""
        return self._persistent

    def knows(self, item: Any) -> bool:
        """True if a tensor or variable is connected to what is watched."""
        return item.node in self._known

    def has_made(self, item: Any) -> bool:
        """True if a tensor is an output of what it has recorded."""
        key = item.node
        targets = [record[0] for record in self._records]
        return any(key in each if type(each) is tuple else key == each for each in targets)

    def access(self, variable: Any) -> None:
        """Watch a variable of which a graph reads the value, where it is to be watched."""
        self._accesses(variable)

    def control(self, handle: Any, outputs: Sequence[Any], behind: Any = ()) -> None:
        """Keep a staged branch, loop or call, if it is connected to what is watched."""
        from runtime.autodiff import activity, staged

        pairs = list(activity.connections(handle, behind))
        for item, _ in pairs:
            if is_variable(item):
                self._accesses(item)
        outputs = [output for output in outputs if activity.differentiable(output.type)]
        sources = [source for _, source in pairs]
        of_node = activity.up_to(behind)
        params = {"handle": handle, "sources": sources, "activity": of_node}
        self.record(staged.CONTROL, [item for item, _ in pairs], outputs, params)

    def _record_read(self, variable: Any, output: Any) -> None:
        if self._accesses(variable):
            self._append((self._connect(output), variable.node))

    def _connect(self, tensor: Any) -> Any:
        """The key of a tensor from now on connected; None for one that cannot have a gradient."""
        if not _differentiable(tensor):
            return None
        key = tensor.node
        if key is None:
            key = tensor.node = new_key()
        self._known.add(key)
        return key

    def single(
        self, primitive: Primitive, x: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """Keep an elementwise op of one tensor, if it is connected to what is watched."""
        y = EagerTensor(raw) if y is None else y
        key, partials = x.node, primitive.partials
        if key in self._known and partials is not None:
            keep_x, _, keep_y = primitive.keeps
            x = x if keep_x else None
            self._append((self._target(y), key, partials[0], x, y if keep_y else None))
        return y

    def pair(
        self, primitive: Primitive, a: Any, b: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """Keep an elementwise op of two tensors, if it is connected to what is watched."""
        y = EagerTensor(raw) if y is None else y
        known, partials = self._known, primitive.partials
        first, second, keeps = a.node, b.node, primitive.keeps
        if first not in known:
            if second not in known:
                return y
            first, keeps = None, primitive.keeps_second
        elif second not in known:
            second, keeps = None, primitive.keeps_first
        if partials is None:
            return y
        keep_a, keep_b, keep_y = keeps
        self._append((
            self._target(y), first, second, partials, a if keep_a else None, b if keep_b else None,
            y if keep_y else None, a.raw.shape, b.raw.shape,
        ))  # fmt: skip
        return y

    def number(
        self,
        primitive: Primitive,
        x: Any,
        number: Any,
        first: bool,
        raw: Any,
        y: EagerTensor | None = None,
    ) -> EagerTensor:
        """`pair` of a tensor and a Python number, the first operand or the second."""
        y = EagerTensor(raw) if y is None else y
        key, partials = x.node, primitive.partials
        if key not in self._known or partials is None:
            return y
        keep_a, keep_b, keep_y = primitive.keeps_second if first else primitive.keeps_first
        keep_x, keep_number = (keep_b, keep_a) if first else (keep_a, keep_b)
        tensor = x if keep_x else None
        other = EagerTensor(x.raw.dtype.type(number)) if keep_number else None
        a, b = (other, tensor) if first else (tensor, other)
        y_kept, shape = y if keep_y else None, x.raw.shape
        keys = (None, key) if first else (key, None)
        self._append((self._target(y), *keys, partials, a, b, y_kept, shape, shape))
        return y

    def read(self, variable: Any, raw: Any, y: EagerTensor | None = None) -> EagerTensor:
        """Connect the value of a variable to it; it is watched if it is trainable."""
        y = EagerTensor(raw) if y is None else y
        if self._accesses(variable):
            self._append((self._target(y), variable.node))
        return y

    def _target(self, y: EagerTensor) -> int:
        key = y.node
        if key is None:
            key = y.node = new_key()
        self._known.add(key)
        return key

    def _accesses(self, variable: Any) -> bool:
        """True if a variable that is read is connected. (It is watched now, where it should be.)"""
        if variable.node in self._known:
            return True
        if variable.trainable and self._watch_accessed:
            self._watch_variable(variable)
        return variable.node in self._known

    def keep(self, tensor: EagerTensor, former: EagerTensor) -> None:
        """Let records hold `former` in place of a tensor whose items are assigned."""
        if former.node is not None and former.node in self._watched:
            self._changed[id(tensor)] = tensor
        elif former.node is not None and former.node in self._known and self not in state._tapes:
            self._unrecorded[id(tensor)] = tensor
        records = self._records
        # Whatever has had this address since was made later.
        for at in range(self._settled.get(id(tensor), 0), len(records)):
            records[at] = replaced(records[at], tensor, former)
        self._settled[id(tensor)] = len(records)

    # Watching

    def _watch_variable(self, variable: Any) -> None:
        key = variable.node
        if key not in self._known and _differentiable(variable):
            self._known.add(key)
            self._watched[key] = variable

    def _watch_tensor(self, tensor: Tensor) -> None:
        if tensor.node in self._known:
            return
        # Threads that watch one tensor at the same time must agree on its key.
        with _naming:
            key = self._connect(tensor)
        if key is not None:
            self._watched[key] = None
        else:
            get_logger().warning(
                "a watched tensor has dtype %s: only floats have gradients", tensor.dtype
            )

    def watch(self, tensor: Any) -> None:
        """Compute gradients for these tensors and variables too (a structure of them).

        Raises ValueError for anything else. Tensors of integers can be watched, but have no
        gradients.

        >>> x = rt.constant(3.0)
        >>> with rt.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> float(tape.gradient(y, x))
        6.0
        """
        if type(tensor) is EagerTensor and state._trace is None:
            self._watch_tensor(tensor)
            return
        items: list[Any] = [tensor] if isinstance(tensor, Tensor) else nest.flatten(tensor)
        items = list(map(settled, items))
        if state.trace is not None and state.trace.references.arenas:
            state.trace.references.check_watched()
        if any(getattr(item, "node", None) not in self._known for item in items):
            self._check_place("watch()")
        for item in items:
            if is_variable(item):
                self._watch_variable(item.handle)
            elif isinstance(item, Tensor):
                self._watch_tensor(item)
            else:
                raise ValueError(
                    f"only tensors and variables can be watched, got {item!r} of type "
                    f"{type(item).__name__}"
                )

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that are watched, in the order in which they came to be.

        >>> v = rt.Variable(3.0)
        >>> with rt.GradientTape() as tape:
        ...     y = v * v
        >>> tape.watched_variables()[0] is v
        True
        """
        watched = [handle for handle in self._watched.values() if handle is not None]
        return tuple([handle.variable for handle in sorted(watched, key=lambda each: each.node)])

    def stop_recording(self) -> AbstractContextManager[None]:
        """Inside this block nothing is recorded. Raises ValueError unless the tape is recording.

        >>> v = rt.Variable(3.0)
        >>> with rt.GradientTape() as tape:
        ...     with tape.stop_recording():
        ...         y = v * v
        >>> tape.gradient(y, v) is None
        True
        """
        if not self._recording:
            raise ValueError("Tape is not recording: stop_recording belongs inside its block.")
        self._check_place("stop_recording()")
        return self._stopped()

    @contextmanager
    def _stopped(self) -> Iterator[None]:
        self._stop()
        try:
            yield
        finally:
            if self._is_elsewhere():
                from runtime.autodiff import tape_scopes

                raise tape_scopes.refuse_paused(self)
            self._start()

    def reset(self) -> None:
        """Forget everything recorded and watched, as if the tape were new.

        >>> v = rt.Variable(3.0)
        >>> with rt.GradientTape() as tape:
        ...     y = v * v
        ...     tape.reset()
        >>> tape.gradient(y, v) is None
        True
        """
        self._check_place("reset()")
        self._begin()
        self._used = False
        self._uses = []

    # Gradients

    @overload
    def gradient(
        self,
        target: Any,
        sources: Operators,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Tensor | Any: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: list[Any],
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> list[Tensor | Any]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Any, ...],
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> tuple[Tensor | Any, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (of the sum of several) with respect to each of `sources`, in
        their structure. A target has the gradient of ones by itself, whatever its dtype.

        `output_gradients` weighs the elements of the targets (default: ones); for a single target
        a list of numbers is one tensor. A source that the target does not depend on gives None, or
        zeros if `unconnected_gradients` says so. Raises RuntimeError on the second use of a tape
        that is not persistent.

        >>> v = rt.Variable(3.0)
        >>> with rt.GradientTape() as tape:
        ...     y = v * v
        >>> float(tape.gradient(y, v))
        6.0
        """
        if target is None:
            raise TypeError(
                "target must be a tensor, a variable or a structure of them, but it is None"
            )
        zeros = fills_with_zeros(unconnected_gradients)
        targets, flat = leaves(target, "target"), leaves(sources, "sources")
        weights = weights_for(output_gradients, targets, not nest.is_nested(target))
        self._find_items(targets, flat)
        found = self._gradient(self._leading(self._take(), flat), targets, flat, weights)
        grads = list(map(public, found))
        if zeros:
            pairs = zip(grads, flat, strict=True)
            grads = [zeros_for(source) if grad is None else grad for grad, source in pairs]
        return nest.pack_sequence_as(sources, grads) if nest.is_nested(sources) else grads[0]

    @overload
    def jacobian(
        self,
        target: Any,
        sources: Operators,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor | Any: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[Any],
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Tensor | Any]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[Any, ...],
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Tensor | Any, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any: ...
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of the tensor `target` with respect to each element of
        each of `sources`.

        Each has the shape of the target followed by that of the source. In a graph the rows are
        computed at once or, without `experimental_use_pfor`, in a loop, which takes less memory.
        Raises TypeError for several targets, RuntimeError on the second use of a tape that is not
        persistent.

        >>> v = rt.Variable([1.0, 2.0])
        >>> with rt.GradientTape() as tape:
        ...     y = v * v
        >>> tape.jacobian(y, v).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        zeros = fills_with_zeros(unconnected_gradients)
        y, flat = one_of(target, "target"), leaves(sources, "sources")
        way = self._differentiator(y, flat)
        with init_scope() if _are_computed(y) else nullcontext():
            found = jacobians.jacobian(y, flat, way, experimental_use_pfor)
        if zeros:
            pairs = zip(found, flat, strict=True)
            found = [jacobians.zeros(y, x) if made is None else made for made, x in pairs]
        return nest.pack_sequence_as(sources, found) if nest.is_nested(sources) else found[0]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor | Any:
        """For each example the jacobian of `target[i]` with respect to `source[i]`: shape (batch,
        target, source); zeros where the target does not depend on the source, whatever
        `unconnected_gradients` says, as in TensorFlow.

        Raises ValueError for ranks that are unknown or first axes that differ, and as `jacobian`.

        >>> v = rt.Variable([[1.0, 2.0]])
        >>> with rt.GradientTape() as tape:
        ...     y = v * v
        >>> tape.batch_jacobian(y, v).numpy().tolist()
        [[[2.0, 0.0], [0.0, 4.0]]]
        """
        fills_with_zeros(unconnected_gradients)
        y, x = one_of(target, "target"), one_of(source, "source")
        jacobians.check_batch(y, x)
        way = self._differentiator(y, [x])
        with init_scope() if _are_computed(y) else nullcontext():
            found = jacobians.batch_jacobian(y, x, way, experimental_use_pfor)
        return jacobians.zeros(y, x, batch=True) if found is None else found

    def _find_items(self, targets: Sequence[Any], sources: Sequence[Any]) -> None:
        if state._trace is not None and self._entered:
            from runtime.autodiff import tape_scopes

            tape_scopes.find_items(state._trace, self, targets, sources)

    def _differentiator(self, target: Any, sources: Sequence[Any]) -> jacobians.Differentiate:
        self._find_items([target], sources)
        records = self._leading(self._take(), sources)

        def differentiate(weight: Any) -> list[Any]:
            return list(map(dense, self._gradient(records[:], [target], sources, [weight])))

        return differentiate

    def _take(self) -> list[Record]:
        """The records, for the one time that they may be used unless the tape is persistent."""
        if not self._entered:
            raise RuntimeError(
                "the tape has recorded nothing, for its block was never entered: compute inside "
                "`with tape:`"
            )
        is_inner = state._trace is not None and self._use_in_branch()
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        records = self._records
        if is_inner:
            return records[:]
        if self._persistent:
            if self._recording:
                get_logger().warning(
                    "gradient of a persistent tape inside its block: the computation of the "
                    "gradient is recorded as well, which costs time and memory"
                )
            return records[:]
        if self._recording:
            self._stop()
        self._records = []
        self._used = True
        return records

    def _use_in_branch(self) -> bool:
        """Whether the tape is used in a branch of the graph; another branch may use it, too."""
        from runtime.autodiff import tape_scopes

        way = tape_scopes.way_to(state._trace, self._home, self)
        if self._persistent or self._used:
            return False
        self._used = tape_scopes.check_use(self, way, self._uses)
        self._uses.append(way)
        return bool(way) and not self._used

    def _leading(self, records: list[Record], sources: Sequence[Any]) -> list[Record]:
        """The records that lead to `sources`."""
        wanted = {source.node for source in sources}
        return records if wanted.issuperset(self._watched) else leading_to(records, wanted)

    def _gradient(
        self,
        records: list[Record],
        targets: Sequence[Any],
        sources: Sequence[Any],
        weights: Sequence[Any],
    ) -> list[Any]:
        """The gradients for `sources`, each target weighed (None: by ones); uses up the records."""
        known, step = self._known, None
        if state._trace is not None and self._entered:
            if _are_computed(*targets, *weights):
                with init_scope():
                    return self._gradient(records, targets, sources, weights)

            from runtime.autodiff import staged

            staged.check(state._trace, self._scope, known, targets)
            staged.check_sources(state._trace, self._watched, sources)
            staged.check_recorded(state._trace, known, (*targets, *sources))
            step = staged.step
        elif self._changed or self._unrecorded:
            self._check_changed(targets, sources)
        wanted = {source.node for source in sources}
        grads: dict[Any, Any] = {}
        for target, weight in zip(targets, weights, strict=True):
            key = target.node
            if key in known:
                seed = ones(target) if weight is None else weight
                grads[key] = grads[key] + seed if key in grads else seed
        found = backward(records, grads, wanted & known, step) if grads else {}

        def gradient(source: Any) -> Any:
            if source.node not in known:
                return itself(source, targets, weights)
            grad = found.get(source.node)
            return zeros_for(source) if grad is UNSENT else grad

        return distinct(list(map(gradient, sources)), (*targets, *sources, *weights))

    def _check_changed(self, targets: Sequence[Any], sources: Sequence[Any]) -> None:
        from runtime.autodiff import staged

        for source in sources:
            if id(source) in self._changed:
                raise staged.rewritten(source)
        for item in (*targets, *sources):
            if id(item) in self._unrecorded and item.node not in self._known:
                raise staged.unrecorded(item)

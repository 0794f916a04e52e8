"""`GradientTape`: records ops as they are computed, and computes gradients by going back over them.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from types import TracebackType
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import nest
from runtime.autodiff.records import Record, backward, kept, leading_to, new_key
from runtime.primitive import Primitive, state
from runtime.shapes import is_known
from runtime.tensor import EagerTensor, Tensor

_log = logging.getLogger("runtime")


class UnconnectedGradients(enum.Enum):
    """What the gradient of a source is that the target does not depend on: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


def is_variable(value: Any) -> bool:
    """Is it a variable (something that ops read through a resource)?"""
    return getattr(value, "is_resource", False) is True


def _differentiable(value: Any) -> bool:
    return value.dtype.np_dtype.kind in "fc"


class Recorder:
    """Something that ops are shown to while it is active; this one keeps nothing."""

    __slots__ = ("__weakref__",)

    def beside(self, recorders: tuple[Recorder, ...]) -> Recorder:
        """What stands for all these recorders, of which this is one."""
        return self if len(recorders) == 1 else _Several(recorders)

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """See an op that was computed or staged."""

    def single(
        self, primitive: Primitive, x: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """See an elementwise op of one eager tensor, and make the tensor `y` of its result."""
        return EagerTensor(raw) if y is None else y

    def pair(
        self, primitive: Primitive, a: Any, b: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """See an elementwise op of two eager tensors, and make the tensor `y` of its result."""
        return EagerTensor(raw) if y is None else y

    def number(
        self,
        primitive: Primitive,
        x: Any,
        number: Any,
        first: bool,
        raw: Any,
        y: EagerTensor | None = None,
    ) -> EagerTensor:
        """See an elementwise op of an eager tensor and a Python number, and make the tensor `y` of
        its result.
        """
        return EagerTensor(raw) if y is None else y


    def read(self, variable: Any, raw: Any, y: EagerTensor | None = None) -> EagerTensor:
        """See a variable being read, and make the tensor `y` of its value."""
        return EagerTensor(raw) if y is None else y


class _Several(Recorder):
    __slots__ = ("recorders",)

    def __init__(self, recorders: tuple[Recorder, ...]) -> None:
        self.recorders = recorders

    def single(
        self, primitive: Primitive, x: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        y = EagerTensor(raw)
        for recorder in self.recorders:
            recorder.single(primitive, x, raw, y)
        return y

    def pair(
        self, primitive: Primitive, a: Any, b: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        y = EagerTensor(raw)
        for recorder in self.recorders:
            recorder.pair(primitive, a, b, raw, y)
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
        y = EagerTensor(raw)
        for recorder in self.recorders:
            recorder.number(primitive, x, number, first, raw, y)
        return y

    def read(self, variable: Any, raw: Any, y: EagerTensor | None = None) -> EagerTensor:
        y = EagerTensor(raw)
        for recorder in self.recorders:
            recorder.read(variable, raw, y)
        return y


class GradientTape(Recorder):
    """Records the ops inside its `with` block, and computes gradients of what they made.

    Trainable variables are watched when they are read (unless `watch_accessed_variables` is False),
    tensors when `watch` is called. A tape computes one set of gradients and then lets go of what it
    recorded; a `persistent` one computes any number and keeps its records until it is deleted.
    Tapes may be nested: an outer tape records the computation of the gradients inside it.
    """

    __slots__ = (
        "_append", "_known", "_persistent", "_recording", "_records", "_scope", "_used",
        "_watch_accessed", "_watched",
    )  # fmt: skip

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._recording = self._used = False
        self._scope: Any = None
        self._begin()

    def _begin(self) -> None:
        self._records: list[Record] = []
        self._append = self._records.append
        self._known: set[Any] = set()
        self._watched: dict[Any, Any] = {}

    # Recording

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording: it cannot be entered twice.")
        if self._used:
            self.reset()
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        trace = state._trace
        self._scope = None if trace is None else trace.scope
        state.tapes = (*state._tapes, self)
        self._recording = True

    def _stop(self) -> None:
        tapes = state._tapes
        state.tapes = (
            tapes[:-1] if tapes[-1] is self else tuple([t for t in tapes if t is not self])
        )
        self._recording = False

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """Keep an op that was computed or staged, if one of its inputs is connected to what is
        watched.
        """
        if not inputs:
            if "variable" in params:
                self._record_read(params["variable"], outputs)
            return
        known = self._known
        connected = False
        sources = []
        for x in inputs:
            key = x.node
            if key in known:
                connected = True
                sources.append(key)
            else:
                sources.append(None)
        if not connected:
            return
        targets = [self._connect(output) for output in outputs]
        if not any(targets):
            return
        if state._trace is None:
            inputs = kept(inputs, primitive.keep_inputs)
            outputs = kept(outputs, primitive.keep_outputs)
        target = targets[0] if len(targets) == 1 else tuple(targets)
        self._append((primitive, tuple(sources), target, inputs, outputs, params))

    def single(
        self, primitive: Primitive, x: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """The tensor of an elementwise op of one eager tensor, computed already; the op is kept if
        it matters.
        """
        y = EagerTensor(raw) if y is None else y
        source = x.node
        if source in self._known and primitive.partials is not None:
            target = self._target(y)
            keep_x, _, keep_y = primitive.keeps
            self._append((primitive, source, target, x if keep_x else None, y if keep_y else None))
        return y

    def pair(
        self, primitive: Primitive, a: Any, b: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """The tensor of an elementwise op of two eager tensors, computed already; the op is kept if
        it matters.
        """
        y = EagerTensor(raw) if y is None else y
        known = self._known
        first, second = a.node, b.node
        if first in known:
            if second not in known:
                second = None
        elif second in known:
            first = None
        else:
            return y
        if primitive.partials is not None:
            target = self._target(y)
            keep_a, keep_b, keep_y = primitive.keeps
            self._append((
                primitive, first, second, target,
                a if keep_a else None, b if keep_b else None, y if keep_y else None,
                a.raw.shape, b.raw.shape,
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
        """`pair` of a tensor and a Python number, which is the first operand or the second."""
        y = EagerTensor(raw) if y is None else y
        source = x.node
        if source not in self._known or primitive.partials is None:
            return y
        target = self._target(y)
        keep_a, keep_b, keep_y = primitive.keeps
        dtype, shape = x.raw.dtype, x.raw.shape
        out = y if keep_y else None
        if first:
            a = EagerTensor(dtype.type(number)) if keep_a else None
            self._append(
                (primitive, None, source, target, a, x if keep_b else None, out, (), shape)
            )
        else:
            b = EagerTensor(dtype.type(number)) if keep_b else None
            self._append(
                (primitive, source, None, target, x if keep_a else None, b, out, shape, ())
            )
        return y

    def _record_read(self, variable: Any, outputs: Sequence[Any]) -> None:
        if outputs and self._accesses(variable):
            self._append((variable.node, self._connect(outputs[0])))

    def _target(self, y: EagerTensor) -> int:
        key = y.node
        if key is None:
            key = y.node = new_key()
        self._known.add(key)
        return key

    def _connect(self, output: Any) -> Any:
        """The key of an output; None for one that cannot have a gradient."""
        if not _differentiable(output):
            return None
        key = output.node
        if key is None:
            key = output.node = new_key()
        self._known.add(key)
        return key

    def read(self, variable: Any, raw: Any, y: EagerTensor | None = None) -> EagerTensor:
        """The tensor of a variable's value, connected to it; the variable is watched if it is
        trainable.
        """
        y = EagerTensor(raw) if y is None else y
        if self._accesses(variable):
            self._append((variable.node, self._target(y)))
        return y

    def _accesses(self, variable: Any) -> bool:
        """Is a variable that is read connected? (It is now watched, where it should be.)"""
        if variable.node in self._known:
            return True
        if variable.trainable and self._watch_accessed:
            self._watch_variable(variable)
        return variable.node in self._known

    def _watch_variable(self, variable: Any) -> None:
        key = variable.node
        if key not in self._known and _differentiable(variable):
            self._known.add(key)
            self._watched[key] = variable

    def watch(self, tensor: Any) -> None:
        """Compute gradients for these tensors and variables too (a structure of them).

        Raises ValueError for anything else. Tensors of integers can be watched, but have no
        gradients.
        """
        if isinstance(tensor, Tensor):
            self._watch_tensor(tensor)
            return
        for item in nest.flatten(tensor):
            if is_variable(item):
                self._watch_variable(item)
            elif isinstance(item, Tensor):
                self._watch_tensor(item)
            else:
                raise ValueError(
                    f"Passed in object {item!r} of type '{type(item).__name__}', not tf.Tensor or tf.Variable."
                )

    def _watch_tensor(self, tensor: Tensor) -> None:
        if tensor.node in self._known:
            return
        key = self._connect(tensor)
        if key is not None:
            self._watched[key] = None
        else:
            _log.warning(
                "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                tensor.dtype,
            )

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that are watched, in the order in which they came to be."""
        return tuple([variable for variable in self._watched.values() if variable is not None])

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Inside this block nothing is recorded. Raises ValueError unless the tape is recording."""
        if not self._recording:
            raise ValueError(
                "Tape is not recording, so it cannot stop: use it inside the tape's block."
            )
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget everything recorded and watched, as if the tape were new."""
        self._begin()
        self._used = False

    # Gradients

    def _take(self) -> list[Record]:
        """The records, for the one time that they may be used unless the tape is persistent."""
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        records = self._records
        if self._persistent:
            if self._recording:
                _log.warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
                    "efficient than calling it outside the context: the computation of gradients is recorded too"
                )
            return records[:]
        if self._recording:
            self._stop()
        self._records = []
        self._used = True
        return records

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (of the sum of several) with respect to each of `sources`, in
        their structure.

        `output_gradients` weighs the elements of the targets (default: ones). A source that the
        target does not depend on gives None, or zeros if `unconnected_gradients` says so. Raises
        RuntimeError on the second use of a tape that is not persistent.
        """
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors or Variables to be "
                "differentiated, but received None."
            )
        zeros = _fills_with_zeros(unconnected_gradients)
        targets, flat_sources = _leaves(target, "target"), _leaves(sources, "sources")
        weights = [None] if output_gradients is None else _weights(output_gradients, targets)
        grads = self._gradient(self._take(), targets, flat_sources, weights)
        if zeros:
            grads = [
                _zeros(x) if grad is None else grad
                for grad, x in zip(grads, flat_sources, strict=True)
            ]
        return nest.pack_sequence_as(sources, grads) if nest.is_nested(sources) else grads[0]

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

        Each has the shape of the target followed by that of the source. Raises ValueError for a
        target of unknown shape, RuntimeError on the second use of a tape that is not persistent.
        """
        zeros = _fills_with_zeros(unconnected_gradients)
        flat_sources = _leaves(sources, "sources")
        shape = _known_shape(target, "target")
        flat = [(place,) for place in np.ndindex(*shape)]
        rows = self._rows(target, flat_sources, shape, flat)
        found = [
            _stacked([row[i] for row in rows], shape, source, zeros)
            for i, source in enumerate(flat_sources)
        ]
        return nest.pack_sequence_as(sources, found) if nest.is_nested(sources) else found[0]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """For each example the jacobian of `target[i]` with respect to `source[i]`: shape (batch,
        target, source).

        Raises ValueError for shapes that are unknown, without a first axis, or with different ones.
        """
        zeros = _fills_with_zeros(unconnected_gradients)
        shape, of_source = _known_shape(target, "target"), _known_shape(source, "source")
        if not shape or not of_source or shape[0] != of_source[0]:
            raise ValueError(
                f"Need first dimension of target shape {shape} and source shape {of_source} to match."
            )
        batch = range(shape[0])
        across = [[(i, *place) for i in batch] for place in np.ndindex(*shape[1:])]
        rows = self._rows(target, [source], shape, across)
        if not rows or rows[0][0] is None:
            unconnected = rows and not zeros
            return None if unconnected else ops.zeros((*shape, *of_source[1:]), source.dtype)
        return ops.reshape(ops.stack([row[0] for row in rows], 1), (*shape, *of_source[1:]))

    def _rows(
        self, target: Any, sources: Sequence[Any], shape: tuple[int, ...], chosen: Sequence[Any]
    ) -> list[list[Any]]:
        """For each choice of elements of the target, the gradients of their sum."""
        records = self._take()
        rows = []
        for places in chosen:
            weight = np.zeros(shape, target.dtype.np_dtype)
            for place in places:
                weight[place] = 1
            rows.append(self._gradient(records, [target], sources, [ops.constant(weight)]))
        return rows

    def _gradient(
        self,
        records: list[Record],
        targets: Sequence[Any],
        sources: Sequence[Any],
        weights: Sequence[Any],
    ) -> list[Any]:
        """The gradients for `sources`, weighing each target by its weight (None: ones; too few: the
        last again).
        """
        known = self._known
        if state._trace is not None:
            from runtime.autodiff import staged

            staged.check(state._trace, self._scope, known, targets)
        wanted = {source.node for source in sources}
        if not wanted.issuperset(self._watched):
            records = leading_to(records, wanted)
        grads: dict[Any, Any] = {}
        for target, weight in zip_longest(targets, weights, fillvalue=weights[-1]):
            key = target.node
            if key in known:
                seed = _ones(target) if weight is None else weight
                grads[key] = grads[key] + seed if key in grads else seed
        if not grads:
            return [None] * len(sources)
        found = backward(reversed(records), grads, wanted & known)
        return [found.get(source.node) for source in sources]


def _ones(target: Any) -> Any:
    if type(target) is EagerTensor and state._trace is None:
        raw = target.raw
        return EagerTensor(np.ones(raw.shape, raw.dtype) if raw.shape else raw.dtype.type(1))
    return ops.ones_like(target.value() if is_variable(target) else target)


def _zeros(source: Any) -> Any:
    return ops.zeros_like(source.value() if is_variable(source) else source)


def _known_shape(value: Any, what: str) -> tuple[int, ...]:
    (leaf,) = _leaves(value, what)[:1]
    shape = leaf.static_shape
    if not is_known(shape):
        raise ValueError(f"the shape of the {what} must be known for a jacobian, got {leaf.shape}")
    return shape  # type: ignore[no-any-return]


def _stacked(rows: list[Any], shape: tuple[int, ...], source: Any, zeros: bool) -> Any:
    """The gradients of the single elements put together to one tensor; None (or zeros) if there are
    none.
    """
    if not rows or rows[0] is None:
        unconnected = rows and not zeros
        return (
            None
            if unconnected
            else ops.zeros((*shape, *_known_shape(source, "source")), source.dtype)
        )
    stacked = ops.stack(rows)
    return ops.reshape(stacked, ops.concat([list(shape), ops.shape(stacked)[1:]], 0))


def _fills_with_zeros(unconnected: Any) -> bool:
    if unconnected is UnconnectedGradients.NONE:
        return False
    try:
        return UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected!r}; it must be one of "
            "tf.UnconnectedGradients.NONE and ZERO"
        ) from None


def _leaves(structure: Any, what: str) -> list[Any]:
    if isinstance(structure, Tensor) or is_variable(structure):
        return [structure]
    found = nest.flatten(structure)
    for item in found:
        if not isinstance(item, Tensor) and not is_variable(item):
            raise TypeError(
                f"{what} must be tensors or variables, or structures of them, got {item!r} of type "
                f"{type(item).__name__}"
            )
    return found


def _weights(output_gradients: Any, targets: Sequence[Any]) -> list[Any]:
    given = nest.flatten(output_gradients)
    if len(given) != len(targets):
        raise ValueError(f"{len(given)} output_gradients are given for {len(targets)} targets")
    return [
        None if weight is None else ops.convert_to_tensor(weight, target.dtype)
        for weight, target in zip(given, targets, strict=True)
    ]

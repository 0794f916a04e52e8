"""`GradientTape`: records ops as they are computed, and computes gradients by going back over them."""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import runtime.ops as ops
from runtime import nest
from runtime.autodiff.records import Record, backward, kept, leading_to, new_key
from runtime.primitive import Primitive, state
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
    dtype = value.dtype
    return bool(dtype.is_floating or dtype.is_complex)


class GradientTape:
    """Records the ops inside its `with` block, and computes gradients of what they made.

    Trainable variables are watched when they are read (unless `watch_accessed_variables` is False), tensors when
    `watch` is called. A tape computes one set of gradients and then lets go of what it recorded; a `persistent`
    one computes any number and keeps its records until it is deleted. Tapes may be nested: an outer tape
    records the computation of the gradients inside it.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._records: list[Record] | None = None
        self._begin()
        self._recording = False
        self._scope: Any = None
        self._used = False

    def _begin(self) -> None:
        self._records = []
        self._append = self._records.append
        self._known: set[Any] = set()
        self._watched: dict[Any, Any] = {}

    # Recording

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording: it cannot be entered twice.")
        if self._records is None:
            self._begin()
        self._used = False
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
        trace = state.trace
        self._scope = None if trace is None else trace.scope
        state.tapes = (*state.tapes, self)
        self._recording = True

    def _stop(self) -> None:
        state.tapes = tuple([tape for tape in state.tapes if tape is not self])
        self._recording = False

    def beside(self, tapes: tuple[Any, ...]) -> Any:
        """What records for all these tapes, the last of which is this one."""
        return self if len(tapes) == 1 else None

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """Keep an op that was computed or staged, if one of its inputs is connected to what is watched."""
        trace = state._trace
        if trace is not None and trace.scope is not self._scope:
            return
        if not inputs:
            if "variable" in params:
                self._record_read(primitive, outputs, params["variable"])
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
        if not connected or primitive.gradient is None:
            return
        targets = [self._connect(output) for output in outputs]
        if trace is None:
            inputs = kept(inputs, primitive.keep_inputs)
            outputs = kept(outputs, primitive.keep_outputs)
        target = targets[0] if len(targets) == 1 else tuple(targets)
        self._records.append((primitive, tuple(sources), target, inputs, outputs, params))  # type: ignore[union-attr]

    def single(self, primitive: Primitive, x: Any, raw: Any) -> EagerTensor:
        """The tensor of an elementwise op of one eager tensor, computed already; the op is kept if it matters."""
        y = EagerTensor(raw)
        key = x.node
        if key in self._known and primitive.partials is not None:
            self._keep_single(primitive, key, x, y)
        return y

    def _keep_single(self, primitive: Primitive, key: Any, x: Any, y: EagerTensor) -> None:
        y.node = target = y.node or new_key()
        self._known.add(target)
        keep_x, _, keep_y = primitive.keeps
        self._append((primitive, key, target, x if keep_x else None, y if keep_y else None))

    def pair(self, primitive: Primitive, a: Any, b: Any, raw: Any) -> EagerTensor:
        """The tensor of an elementwise op of two eager tensors, computed already; the op is kept if it matters."""
        y = EagerTensor(raw)
        known = self._known
        first, second = a.node, b.node
        if first in known:
            if second not in known:
                second = None
        elif second in known:
            first = None
        else:
            return y
        if primitive.partials is None:
            return y
        y.node = target = new_key()
        known.add(target)
        keep_a, keep_b, keep_y = primitive.keeps
        self._append((
            primitive, first, second, target,
            a if keep_a else None, b if keep_b else None, y if keep_y else None,
            a.raw.shape, b.raw.shape,
        ))  # fmt: skip
        return y

    def before_number(self, primitive: Primitive, a: Any, number: Any, raw: Any) -> EagerTensor:
        """`pair` where the second operand is a Python number."""
        y = EagerTensor(raw)
        key = a.node
        if key in self._known and primitive.partials is not None:
            y.node = target = new_key()
            self._known.add(target)
            keep_a, keep_b, keep_y = primitive.keeps
            dtype = a.raw.dtype
            self._append((
                primitive, key, None, target,
                a if keep_a else None, EagerTensor(dtype.type(number)) if keep_b else None,
                y if keep_y else None, a.raw.shape, (),
            ))  # fmt: skip
        return y

    def after_number(self, primitive: Primitive, number: Any, b: Any, raw: Any) -> EagerTensor:
        """`pair` where the first operand is a Python number."""
        y = EagerTensor(raw)
        key = b.node
        if key in self._known and primitive.partials is not None:
            y.node = target = new_key()
            self._known.add(target)
            keep_a, keep_b, keep_y = primitive.keeps
            dtype = b.raw.dtype
            self._append((
                primitive, None, key, target,
                EagerTensor(dtype.type(number)) if keep_a else None, b if keep_b else None,
                y if keep_y else None, (), b.raw.shape,
            ))  # fmt: skip
        return y

    def _connect(self, output: Any) -> Any:
        """The key of an output; None for one that cannot have a gradient."""
        if not _differentiable(output):
            return None
        key = output.node
        if key is None:
            key = output.node = new_key()
        self._known.add(key)
        return key

    def _record_read(self, primitive: Primitive, outputs: Sequence[Any], variable: Any) -> None:
        """Keep that an output is the value of a variable, which is watched if it is trainable."""
        if variable.trainable and self._watch_accessed:
            self._watch_variable(variable)
        if variable.node in self._known:
            key = self._connect(outputs[0])
            self._records.append((primitive, (variable.node,), key, (), (), {}))  # type: ignore[union-attr]

    def _watch_variable(self, variable: Any) -> None:
        key = variable.node
        if key not in self._known and _differentiable(variable):
            self._known.add(key)
            self._watched[key] = variable

    def watch(self, tensor: Any) -> None:
        """Compute gradients for these tensors and variables too (a structure of them).

        Raises ValueError for anything else. Tensors of integers can be watched, but have no gradients.
        """
        for item in nest.flatten(tensor):
            if is_variable(item):
                self._watch_variable(item)
                continue
            if not isinstance(item, Tensor):
                raise ValueError(
                    f"Passed in object {item!r} of type '{type(item).__name__}', not tf.Tensor or tf.Variable."
                )
            if not _differentiable(item):
                _log.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", item.dtype
                )
            elif item.node not in self._known:
                self._watched[self._connect(item)] = None

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that are watched, in the order in which they came to be."""
        return tuple([variable for variable in self._watched.values() if variable is not None])

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Inside this block nothing is recorded. Raises ValueError unless the tape is recording."""
        if not self._recording:
            raise ValueError("Tape is not recording, so it cannot stop: use it inside the tape's block.")
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
        if self._persistent:
            if self._recording:
                _log.warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
                    "efficient than calling it outside the context: the computation of gradients is recorded too"
                )
            return list(self._records or ())
        if self._recording:
            self._stop()
        records, self._records = self._records or [], None
        self._used = True
        return records

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (of the sum of several) with respect to each of `sources`, in their structure.

        `output_gradients` weighs the elements of the targets (default: ones). A source that the target does not
        depend on gives None, or zeros if `unconnected_gradients` says so. Raises RuntimeError on the second use of a
        tape that is not persistent.
        """
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors or Variables to be "
                "differentiated, but received None."
            )
        unconnected = _unconnected(unconnected_gradients)
        flat_sources = _checked(nest.flatten(sources), "sources")
        targets = _checked(nest.flatten(target), "target")
        weights = _weights(output_gradients, targets)
        grads = self._gradient(self._take(), targets, flat_sources, weights)
        if unconnected is UnconnectedGradients.ZERO:
            grads = [
                ops.zeros_like(source) if grad is None else grad
                for grad, source in zip(grads, flat_sources, strict=True)
            ]
        return nest.pack_sequence_as(sources, grads)

    def _gradient(
        self, records: list[Record], targets: Sequence[Any], sources: Sequence[Any], weights: Sequence[Any]
    ) -> list[Any]:
        wanted = {source.node for source in sources}
        if not wanted.issuperset(self._watched):
            records = leading_to(records, wanted)
        grads: dict[Any, Any] = {}
        for target, weight in zip(targets, weights, strict=True):
            key = target.node
            if key in self._known and _differentiable(target):
                seed = ops.ones_like(target) if weight is None else weight
                grads[key] = grads[key] + seed if key in grads else seed
        if not grads:
            return [None] * len(sources)
        found = backward(reversed(records), grads, wanted & self._known)
        return [found.get(source.node) for source in sources]


def _unconnected(value: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {value!r}; it must be one of "
            "tf.UnconnectedGradients.NONE and ZERO"
        ) from None


def _checked(items: list[Any], what: str) -> list[Any]:
    for item in items:
        if not isinstance(item, Tensor) and not is_variable(item):
            raise TypeError(
                f"{what} must be tensors or variables, or structures of them, got {item!r} of type "
                f"{type(item).__name__}"
            )
    return items


def _weights(output_gradients: Any, targets: Sequence[Any]) -> list[Any]:
    if output_gradients is None:
        return [None] * len(targets)
    given = nest.flatten(output_gradients)
    if len(given) != len(targets):
        raise ValueError(f"{len(given)} output_gradients are given for {len(targets)} targets")
    return [
        None if weight is None else ops.convert_to_tensor(weight, target.dtype)
        for weight, target in zip(given, targets, strict=True)
    ]

"""`ForwardAccumulator`: products of a jacobian and a vector, by going back twice.

The product of a vector u and a jacobian J, which a tape gives, is linear in u. Its own gradient
with respect to u, weighted by v, is the product of J and v (J. Townsend, "A new trick for
calculating Jacobian vector products", 2017). So no op needs a rule of its own.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import runtime.ops as ops
from runtime import nest
from runtime.autodiff.requests import UnconnectedGradients, fills_with_zeros
from runtime.autodiff.tape import GradientTape
from runtime.core.convert import convert_to_tensor
from runtime.core.state import state


class ForwardAccumulator:
    """Computes how the results of its `with` block change along a direction.

    Args:
        primals: tensors or variables, or a structure of them: where it is computed.
        tangents: the direction, of the same structure, shapes and dtypes.

    Raises ValueError where the structures, shapes or dtypes differ.

    >>> x = rt.constant([1.0, 2.0])
    >>> with rt.autodiff.ForwardAccumulator(x, rt.constant([1.0, 0.0])) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y).numpy().tolist()
    [2.0, 0.0]
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals = nest.flatten(primals)
        self._tangents = [
            _tangent(primal, tangent)
            for primal, tangent in zip(self._primals, nest.flatten(tangents), strict=True)
        ]
        self._tape = GradientTape(persistent=True)
        self._around: list[GradientTape] = []

    def __enter__(self) -> ForwardAccumulator:
        self._around = [tape for tape in state.tapes if isinstance(tape, GradientTape)]
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *exception: object) -> None:
        self._tape.__exit__(*exception)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The change of each of these results, in their structure; None where there is none.

        Zeros for None where `unconnected_gradients` says so. LookupError for results through ops
        without a gradient.

        >>> x = rt.constant(3.0)
        >>> with rt.autodiff.ForwardAccumulator(x, rt.constant(1.0)) as accumulator:
        ...     y = rt.sin(x) * x
        >>> round(float(accumulator.jvp(y)), 4)
        -2.8289
        """
        zeros = fills_with_zeros(unconnected_gradients)
        made = []
        for result in nest.flatten(primals):
            change = self._change(result)
            made.append(ops.zeros_like(result) if change is None and zeros else change)
        return nest.pack_sequence_as(primals, made) if nest.is_nested(primals) else made[0]

    def _change(self, result: Any) -> Any:
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if result is primal:
                return tangent
        recording = self._tape.is_recording
        if recording:
            self._tape.__exit__(None, None, None)
        try:
            with ExitStack() as stack:
                # The change is one of the block, which tapes around it record.
                for tape in self._around:
                    if not tape.is_recording and not tape._used:
                        stack.enter_context(tape)
                return self._twice(convert_to_tensor(result))
        finally:
            if recording:
                self._tape._start()

    def _twice(self, result: Any) -> Any:
        weights = ops.zeros_like(result)
        with GradientTape() as outer:
            outer.watch(weights)
            back = self._tape.gradient(result, self._primals, weights)
            connected = [at for at, grad in enumerate(back) if grad is not None]
            targets = [convert_to_tensor(back[at]) for at in connected]
        if not connected:
            return None
        return outer.gradient(targets, weights, [self._tangents[at] for at in connected])


def _tangent(primal: Any, tangent: Any) -> Any:
    made = convert_to_tensor(tangent, primal.dtype)
    if made.static_shape != primal.static_shape:
        raise ValueError(f"a tangent has shape {made.shape} where its primal has {primal.shape}")
    return made

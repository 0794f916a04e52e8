"""The request for a gradient: targets and their weights, sources, and what stands for none."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, nest
from runtime.core.primitive import wrong_value
from runtime.core.shapes import Shape, broadcast, compatible, is_known
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import is_variable, variable_of
from runtime.ops.indexed_slices import IndexedSlices


class UnconnectedGradients(enum.Enum):
    """The gradient of a source that the target does not depend on: None, or zeros.

    >>> x = rt.constant(3.)
    >>> with rt.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = rt.constant(1.)
    >>> float(tape.gradient(y, x, unconnected_gradients=rt.UnconnectedGradients.ZERO))
    0.0
    """

    NONE = "none"
    ZERO = "zero"


def ones(target: Any) -> Any:
    """Ones with the dtype and shape of a tensor or variable: the weight of a target."""
    if type(target) is EagerTensor and state._trace is None:
        raw = target.raw
        return EagerTensor(np.ones(raw.shape, raw.dtype) if raw.shape else raw.dtype.type(1))
    target = target.value() if is_variable(target) else target
    if is_known(target.static_shape):
        return ops.ones(target.static_shape, target.dtype)
    return ops.ones_like(target)


def zeros_for(source: Any) -> Any:
    """Zeros with the dtype and shape of a tensor or variable."""
    return ops.zeros_like(source.value() if is_variable(source) else source)


def itself(source: Any, targets: Sequence[Any], weights: Sequence[Any]) -> Any:
    """The gradient of targets by a source that the tape does not follow: the weights of those that
    are the source itself, None where there are none.
    """
    seeds = [
        ones(target) if weight is None else weight
        for target, weight in zip(targets, weights, strict=True)
        if target is source and target.dtype is not dtypes.string
    ]
    return ops.add_n(seeds) if len(seeds) > 1 else seeds[0] if seeds else None


def fills_with_zeros(unconnected: Any) -> bool:
    """True if gradients of unconnected sources are zeros. ValueError for what says neither."""
    if unconnected is UnconnectedGradients.NONE:
        return False
    try:
        return UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"unconnected_gradients must be tf.UnconnectedGradients.NONE or ZERO, got "
            f"{unconnected!r}"
        ) from None


def settled(item: Any) -> Any:
    """The item, or the variable that it holds; a symbol that another name has changed stands for
    what it is now. What may be missing is checked to be there, when the graph runs.
    """
    if getattr(item, "may_be_missing", False):
        from runtime.staging.control.optional_values import present

        item = present(item)
    variable = variable_of(item)
    if variable is not None:
        return variable
    settle = getattr(item, "settle", None)
    if settle is not None:
        settle()
    return item


def leaves(structure: Any, what: str) -> list[Any]:
    """The tensors and variables of a structure, `what` in messages; TypeError for anything else,
    StagingError for a source that only the run knows to be a variable.
    """
    if type(structure) is EagerTensor:
        return [structure]
    found = _leaves(structure, what)
    if what == "sources" and state._trace is not None:
        from runtime.staging.control.joined_variables import check_source

        for item in found:
            check_source(item)
    return found


def _leaves(structure: Any, what: str) -> list[Any]:
    if isinstance(structure, Tensor) or is_variable(structure):
        return [settled(structure)]
    found = [settled(item) for item in nest.flatten(structure)]
    for item in found:
        if not isinstance(item, Tensor) and not is_variable(item):
            _refuse_slices(item, what)
            if hasattr(type(item), "refusal"):  # a value of another kind on each path
                raise item.refusal()
            raise TypeError(
                f"{what} must be tensors or variables, or structures of them, got {item!r} of type "
                f"{type(item).__name__}"
            )
    return found


def _refuse_slices(item: Any, what: str) -> None:
    if type(item) is IndexedSlices:
        raise TypeError(
            f"{what}: these IndexedSlices, the gradient of rows that were gathered, are no tensor: "
            "make one of them inside the tape, by tf.convert_to_tensor"
        )


def one_of(given: Any, what: str) -> Any:
    """The one tensor or variable that is given; TypeError for anything else."""
    given = settled(given)
    if isinstance(given, Tensor) or is_variable(given):
        return given
    _refuse_slices(given, what)
    raise TypeError(
        f"the {what} must be one tensor or variable, but it is a {type(given).__name__}: join "
        "tensors to one, or use a persistent tape and one call for each"
    )


def weights_for(output_gradients: Any, targets: Sequence[Any], is_one: bool) -> Sequence[Any]:
    """A weight for each target, with its dtype and shape, or None: a list of numbers is one tensor.
    `is_one`: there is but one target, in no list.

    Raises ValueError for another number of them, and for shapes that do not broadcast to the
    target's.
    """
    if output_gradients is None:
        return [None] * len(targets)
    given = nest.flatten(output_gradients)
    if len(given) > len(targets) and not any(isinstance(item, Tensor) for item in given):
        if is_one:
            given = [output_gradients]
        elif isinstance(output_gradients, list | tuple):
            given = list(output_gradients)
    if len(given) != len(targets):
        raise ValueError(f"{len(given)} output_gradients are given for {len(targets)} targets")
    return [_weight(weight, target) for weight, target in zip(given, targets, strict=True)]


def _weight(given: Any, target: Any) -> Any:
    if given is None:
        return None
    weight = ops.convert_to_tensor(given, target.dtype)
    if weight.static_shape == target.static_shape and is_known(weight.static_shape):
        return weight
    if not _broadcasts_to(weight.static_shape, target.static_shape):
        raise wrong_value(
            f"output_gradients of shape {weight.shape} do not fit a target of shape {target.shape}"
        )
    return ops.broadcast_like(weight, target)


def _broadcasts_to(shape: Shape, wanted: Shape) -> bool:
    try:
        return compatible(broadcast(shape, wanted), wanted)
    except ValueError:
        return False

"""`rejection_resample`: elements are left out, so that classes come as often as they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.functions.polymorphic_function import Function
from runtime.ops.random.stateful import uniform

_BEFORE = 10.0
"""Elements of each class that an estimate begins with."""


def resampled(
    data: Any, class_func: Callable[..., Any], target: Any, initial: Any, seed: int | None
) -> Any:
    """Pairs of a class and an element, the classes distributed as `target` says.

    It mixes the dataset with one in which elements are left out: as much of the dataset as the
    classes allow, for the least to be left out.
    """
    wanted = _distribution(target, "target_dist")
    pairs = _with_classes(data, class_func)
    kind = pairs.element_spec[0]
    if kind.dtype.is_floating or kind.shape.rank:
        raise TypeError(
            f"Dataset.rejection_resample: class_func must return a scalar integer, not {kind}"
        )
    if initial is None:
        known = pairs.scan(ops.fill([wanted.shape[0]], _like(_BEFORE, wanted)), _counting(wanted))
    else:
        given = ops.cast(_distribution(initial, "initial_dist"), wanted.dtype)
        if given.shape != wanted.shape:
            raise ValueError(
                "Dataset.rejection_resample: initial_dist and target_dist have the shapes "
                f"{given.shape} and {wanted.shape}"
            )
        share, accepted = _mixed(wanted, given)
        known = pairs.map(lambda kind, element: ((share, accepted), (kind, element)))

    def is_kept(mixture: Any, pair: Any) -> Tensor:
        return uniform([], dtype=wanted.dtype, seed=seed) < ops.gather(mixture[1], pair[0])

    weights = known.map(lambda mixture, pair: ops.stack([mixture[0], 1.0 - mixture[0]]))
    kept = known.filter(is_kept).map(lambda mixture, pair: pair)
    return type(data).sample_from_datasets(
        [pairs, kept], weights.repeat(), seed, stop_on_empty_dataset=True
    )


def _with_classes(data: Any, class_func: Any) -> Any:
    """Pairs of a class and the element that it is of: the dataset is iterated over once."""
    class_of = class_func if isinstance(class_func, Function) else Function(class_func)
    is_tuple = type(data.element_spec) is tuple

    def paired(*element: Any) -> Any:
        return class_of(*element), element if is_tuple else element[0]

    return data.map(paired)


def _distribution(given: Any, name: str) -> Tensor:
    found = convert_to_tensor(given)
    if found.shape.rank != 1 or not found.dtype.is_floating:
        raise TypeError(
            f"Dataset.rejection_resample: {name} must be a vector of floats, got {given!r}"
        )
    return found


def _like(number: float, tensor: Tensor) -> Tensor:
    return convert_to_tensor(number, tensor.dtype)


def _mixed(wanted: Tensor, given: Tensor) -> tuple[Tensor, Tensor]:
    """The share of elements that are taken as they come, and how often one of each class is kept
    among the others.
    """
    ratio = wanted / (given + _like(float(np.finfo(given.dtype.as_numpy_dtype).tiny), given))
    least, most = ops.reduce_min(ratio), ops.reduce_max(ratio)
    # It is at most 1, but for rounding.
    return ops.minimum(least, _like(1.0, least)), ops.divide_no_nan(ratio - least, most - least)


def _counting(wanted: Tensor) -> Callable[[Any, Any], Any]:
    def count(counts: Tensor, pair: Any) -> Any:
        one = ops.one_hot(pair[0], wanted.shape[0], dtype=wanted.dtype)
        counts = counts + one
        return counts, (_mixed(wanted, counts / ops.reduce_sum(counts)), pair)

    return count

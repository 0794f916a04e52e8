"""Arguments of transformations: sizes, shapes, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import dtypes, nest
from runtime.core.convert import convert_to_tensor
from runtime.core.shapes import TensorSpec, as_shape, compatible
from runtime.core.tensor import Tensor
from runtime.data.layouts import DatasetSpec, Layout, is_dataset
from runtime.data.pipelines import INFINITE, UNKNOWN
from runtime.ops import cast
from runtime.ops.random.seeds import seed_of, signed

AUTOTUNE = -1
"""In place of a number: it is chosen for you."""
INFINITE_CARDINALITY = INFINITE
"""The cardinality of a dataset without end."""
UNKNOWN_CARDINALITY = UNKNOWN
"""The cardinality of a dataset whose elements must be counted."""


def integer(value: Any, what: str, name: str) -> Tensor:
    """A scalar of int64; TypeError, naming the argument, for anything else."""
    tensor = _integers_of(value)
    if tensor is None or tensor.shape.rank not in (0, None):
        raise TypeError(f"{what}: {name} must be a scalar integer, got {value!r}")
    return tensor


def integers(value: Any, what: str, name: str) -> Tensor:
    """A scalar or a vector of int64; TypeError, naming the argument, for anything else."""
    tensor = _integers_of(value)
    if tensor is None or tensor.shape.rank not in (0, 1, None):
        raise TypeError(f"{what}: {name} must be an integer or a vector of them, got {value!r}")
    return tensor


def _integers_of(value: Any) -> Tensor | None:
    dtype = dtypes.int64 if type(value) is int else None
    try:
        tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype)
    except (TypeError, ValueError):
        return None
    if not tensor.dtype.is_integer:
        return None
    return tensor if tensor.dtype is dtypes.int64 else cast(tensor, dtypes.int64)


def known_all(tensor: Tensor) -> list[int] | None:
    """The numbers that a tensor has; None where only the run knows."""
    found = tensor.static_value
    return None if found is None else [int(item) for item in np.ravel(found)]


def known(tensor: Tensor) -> int | None:
    """The number that a scalar is; None where only the run knows."""
    found = tensor.static_value
    return None if found is None else int(found)


def seed(value: Any, what: str) -> int | None:
    """A seed of the transformation's own."""
    found = seed_of(value, f"{what}: seed")
    return None if found is None else signed(found)


def check_dataset(value: Any, what: str) -> None:
    """TypeError for what is no dataset."""
    if not is_dataset(value):
        raise TypeError(f"{what}: expected a Dataset, got {type(value).__name__}: {value!r}")


def check_tensors(layout: Layout, what: str) -> None:
    """TypeError for elements that hold datasets."""
    if any(isinstance(leaf, DatasetSpec) for leaf in layout.leaves):
        raise TypeError(
            f"{what}: elements hold datasets, as those of window do: take them out with flat_map "
            "before"
        )


def check_no_nones(spec: Any, what: str) -> None:
    """TypeError for elements with None in them."""
    if None in nest.flatten(spec):
        raise TypeError(f"{what}: elements hold None, which has no shape: take it out with map")


def with_first(spec: Any, size: int | None) -> Any:
    """The spec of stacked elements."""
    return nest.map_structure(
        lambda leaf: (
            leaf and TensorSpec(leaf.shape.__class__([size]).concatenate(leaf.shape), leaf.dtype)
        ),
        spec,
    )


def without_first(spec: Any, what: str) -> Any:
    """The spec of the rows of elements; ValueError for a scalar."""

    def row(leaf: Any) -> Any:
        if leaf is None:
            return None
        if leaf.shape.rank == 0:
            raise ValueError(f"{what}: a scalar has no rows: components must have rank >= 1")
        return TensorSpec(leaf.shape[1:], leaf.dtype)

    return nest.map_structure(row, spec)


def common_spec(specs: list[Any], what: str, among: str = "the datasets") -> Any:
    """The narrowest spec that covers all; TypeError where structures or dtypes differ."""
    first, *rest = specs
    for other in rest:
        try:
            nest.assert_same_structure(first, other)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what}: {among} have different structures: {error}") from None

    def common(leaf: Any, *others: Any) -> Any:
        if not isinstance(leaf, TensorSpec):
            made = leaf if all(leaf == other for other in others) else None
            found = made is not None or leaf is None
        else:
            made = leaf.most_specific_common_supertype(list(others))
            found = made is not None
        if not found:
            raise TypeError(f"{what}: {among} have different types: {[leaf, *others]}")
        return made

    return nest.map_structure(common, *specs)


def padded_shapes(given: Any, layout: Layout, what: str) -> list[Any]:
    """For each component the shape to pad to, with None where the longest one decides."""
    if given is None:
        for at, leaf in enumerate(layout.leaves):
            if leaf.shape.rank is None:
                raise ValueError(f"{what}: component {at} has unknown rank: give padded_shapes")
        return [leaf.shape.dims for leaf in layout.leaves]
    try:
        found = nest.flatten_up_to(layout.spec, given)
        asked = [None if s is None else [_dim(dim) for dim in _dims(s)] for s in found]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{what}: padded_shapes must hold a shape for each component of {layout.spec}, got "
            f"{given!r} ({error})"
        ) from None
    for shape in found:
        if isinstance(shape, Tensor) and not shape.dtype.is_integer:
            raise TypeError(f"{what}: a padded shape has integers, not {shape.dtype.name}s")
    made = []
    for leaf, shape in zip(layout.leaves, asked, strict=True):
        dims = as_shape(shape)
        rank = leaf.shape.rank
        if dims is not None and rank is not None and not _may_pad(leaf.shape.dims, dims):
            raise ValueError(
                f"{what}: the padded shape {list(dims)} is not compatible with the shape "
                f"{leaf.shape} of the corresponding component"
            )
        made.append(dims)
    return made


def _dims(shape: Any) -> Any:
    if isinstance(shape, Tensor):
        return shape.numpy().tolist()
    return [shape] if isinstance(shape, int) else shape


def _dim(dim: Any) -> int | None:
    return None if dim is None or int(dim) < 0 else int(dim)


def _may_pad(shape: Any, wanted: Any) -> bool:
    return len(shape) == len(wanted) and all(
        have is None or want is None or have <= want
        for have, want in zip(shape, wanted, strict=True)
    )


def padding_values(given: Any, layout: Layout, what: str) -> list[Tensor]:
    """For each component the value to pad with, a scalar of its dtype."""
    if given is None or not nest.is_nested(given):
        found = [given] * len(layout.leaves)
    else:
        try:
            each = nest.map_structure_up_to(given, _spread, given, layout.spec)
            found = nest.flatten_up_to(layout.spec, each)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{what}: padding_values has another structure: {error}") from None
    return [_padding(leaf, value, what) for leaf, value in zip(layout.leaves, found, strict=True)]


def _spread(value: Any, part: Any) -> Any:
    """The padding of a part of an element: None stands for all that is in it."""
    return nest.map_structure(lambda leaf: None, part) if value is None else value


def _padding(leaf: Any, value: Any, what: str) -> Tensor:
    if value is None:
        value = b"" if leaf.dtype.np_dtype.hasobject else leaf.dtype.np_dtype.type(0)
    try:
        made = convert_to_tensor(value, leaf.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: padding_values: {error}") from None
    if not compatible(made.static_shape, ()):
        raise ValueError(f"{what}: a padding value must be a scalar, got {value!r}")
    return made


def signature(types: Any, shapes: Any, given: Any) -> Any:
    """The element spec that `from_generator` is given, in one form or the other."""
    what = "Dataset.from_generator"
    if given is not None and (types is not None or shapes is not None):
        raise TypeError(f"{what}: give output_signature, or output_types and output_shapes")
    if given is None and types is None:
        raise TypeError(f"{what}: output_signature (or output_types) must be given")
    if given is None:
        types = nest.map_structure(dtypes.as_dtype, types)
        if shapes is None:
            return nest.map_structure(lambda dtype: TensorSpec(None, dtype), types)
        found = nest.flatten_up_to(types, shapes)
        leaves = [TensorSpec(s, t) for s, t in zip(found, nest.flatten(types), strict=True)]
        return nest.pack_sequence_as(types, leaves)
    for leaf in nest.flatten(given):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(f"{what}: output_signature must hold TensorSpecs, not {leaf!r}")
    return given

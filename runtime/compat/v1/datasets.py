"""Older questions about datasets and iterators, whose answer is the `element_spec`."""

from __future__ import annotations

from typing import Any

from runtime import nest
from runtime.core.shapes import TensorSpec
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.staging.refusals import refuse

BEFORE_THE_GRAPH = (
    "make the dataset and iter(dataset) before the graph; its get_next() in the graph gives the "
    "next element at each run"
)


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator over a dataset, which needs no initialization: `iter(dataset)`.

    StagingError in a graph: it is made before, and its `get_next()` called there.

    >>> int(rt.compat.v1.data.make_one_shot_iterator(rt.data.Dataset.range(3, 5)).get_next())
    3
    """
    if state.trace is not None:
        raise refuse("an iterator over a dataset is made in a graph", BEFORE_THE_GRAPH)
    return iter(dataset)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of an element, in its structure.

    >>> rt.compat.v1.data.get_output_types(rt.data.Dataset.from_tensors({"x": 1.0}))
    {'x': tf.float32}
    """
    return _each("get_output_types", dataset_or_iterator, lambda leaf: leaf.dtype)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of an element, in its structure.

    >>> rt.compat.v1.data.get_output_shapes(rt.data.Dataset.range(4).batch(2))
    TensorShape([None])
    """
    return _each("get_output_shapes", dataset_or_iterator, lambda leaf: leaf.shape)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of an element's values, in its structure.

    >>> rt.compat.v1.data.get_output_classes(rt.data.Dataset.range(4)) is rt.Tensor
    True
    """
    return _each("get_output_classes", dataset_or_iterator, lambda leaf: Tensor)


def _each(what: str, owner: Any, answer: Any) -> Any:
    def of_leaf(leaf: Any) -> Any:
        if not isinstance(leaf, TensorSpec):
            raise TypeError(f"{what}: {leaf!r} is no tensor: ask element_spec")
        return answer(leaf)

    return nest.map_structure(of_leaf, owner.element_spec)

"""Elements that may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime import errors
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.data.layouts import Layout, normalized, spec_of
from runtime.graph.structures import Handler, add_handler
from runtime.staging.control.identity import identical
from runtime.staging.control.logic import not_
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.lists.sequences import check


class Optional:
    """An element of a dataset, or none: `get_next_as_optional` of an iterator gives one.

    >>> known = rt.experimental.Optional.from_value(rt.constant(3))
    >>> bool(known.has_value()), int(known.get_value())
    (True, 3)
    """

    __slots__ = ("_element", "_spec")

    def __init__(self, spec: Any, element: Any) -> None:
        self._spec = spec
        self._element = element

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """One without a value, of this type.

        >>> nothing = rt.experimental.Optional.empty(rt.TensorSpec([], rt.int32))
        >>> bool(nothing.has_value())
        False
        """
        return Optional(element_spec, None)

    @staticmethod
    def from_value(value: Any) -> Optional:
        """One with this value: a tensor, or a structure of tensors.

        >>> rt.experimental.Optional.from_value([1, 2]).element_spec
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        element = normalized(value, "Optional.from_value")
        return Optional(spec_of(element), element)

    @property
    def element_spec(self) -> Any:
        """The specs of its value, in its structure."""
        return self._spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is one, as a tensor.

        >>> iter(rt.data.Dataset.range(0)).get_next_as_optional().has_value().numpy()
        np.False_
        """
        return convert_to_tensor(not_(identical(self._element, None)))

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError where there is none.

        >>> int(iter(rt.data.Dataset.range(1)).get_next_as_optional().get_value())
        0
        """
        element = self._element
        check(identical(element, None), _EMPTY, errors.InvalidValueError)
        return element.held if isinstance(element, MaybeNone) else element

    def __repr__(self) -> str:
        return f"<Optional element_spec={self._spec!r}>"


_EMPTY = "The given optional does not have a value."


def _built(kind: type, layout: Layout, children: Sequence[Any]) -> Optional:
    return Optional(layout.spec, children[0])


add_handler(
    Optional,
    Handler(
        lambda item: (Layout(item._spec), [item._element]),
        _built,
        ".{}",
        lambda layout: ("value",),
        is_tuple=True,
        describe=lambda layout: f"Optional of {layout.spec!r}",
    ),
)

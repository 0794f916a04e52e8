"""The elements of a generator of the user's, as components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime import errors, nest
from runtime.core.convert import convert_to_tensor
from runtime.core.shapes import TensorSpec, compatible
from runtime.core.tensor import EagerTensor
from runtime.data.layouts import Layout
from runtime.data.pipelines import Component, Element, invalid

Take = Callable[[Any], Element]


def taker(layout: Layout, what: str) -> Take:
    """Returns what takes the components out of an element.

    That raises InvalidArgumentError for an element of another structure, dtype or shape.
    """
    spec = layout.spec
    if isinstance(spec, TensorSpec):
        return lambda item: (_component(item, spec, what),)

    def take(item: Any) -> Element:
        try:
            parts = nest.flatten_up_to(spec, item)
        except (TypeError, ValueError) as error:
            raise invalid(
                what,
                f"the generator yielded an element that did not match the expected structure "
                f"{spec}: {item!r} ({error})",
            ) from None
        pairs = zip(parts, layout.leaves, strict=True)
        return tuple([_component(part, leaf, what) for part, leaf in pairs])

    return take


def _component(value: Any, spec: TensorSpec, what: str) -> Component:
    try:
        made = convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        reason = error.detail if isinstance(error, errors.OpError) else error
        raise invalid(
            what, f"the generator yielded {value!r}, which is no {spec.dtype.name}: {reason}"
        ) from None
    assert isinstance(made, EagerTensor)
    raw = made.raw
    if not compatible(spec.shape.dims, raw.shape):
        raise invalid(
            what,
            f"the generator yielded an element of shape {raw.shape} where an element of shape "
            f"{spec.shape} was expected",
        )
    return raw

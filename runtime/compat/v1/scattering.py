"""Version 1's functions that change slices of variables; version 2's are methods of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype
from runtime.ops.indexed_slices import IndexedSlices
from runtime.variables.variable import Variable

Change = Callable[..., Any]


def _variable(ref: Any, name: str) -> Variable:
    if isinstance(ref, Variable):
        return ref
    raise wrong_dtype(
        f"{name} changes variables, not {ref!r}; tensor_scatter_nd_* make new tensors"
    )


def _function(name: str, change: Change, doc: str, shown: tuple[str, str]) -> Change:
    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return change(_variable(ref, public), indices, updates)

    public = f"compat.v1.{name}"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}. In a graph the new value, as a tensor: who fetches it changes.

    >>> v = rt.Variable([10.0, 20.0])
    >>> rt.compat.v1.{name}(v, {shown[0]}, [4.0]).numpy().tolist()
    {shown[1]}
    """
    return function


def _of_slices(name: str, doc: str, shown: str) -> Change:
    """The function that changes the slices along the first axis that `indices` name."""

    def change(ref: Variable, indices: Any, updates: Any) -> Any:
        values = convert_to_tensor(updates, ref.dtype)
        return getattr(ref, name)(IndexedSlices(values, convert_to_tensor(indices)))

    return _function(
        name, change, f"{doc} the slices of `ref` along the first axis", ("[1]", shown)
    )


def _of_points(name: str, doc: str, shown: str) -> Change:
    """The function that changes where the vectors along the last axis of `indices` point to."""

    def change(ref: Variable, indices: Any, updates: Any) -> Any:
        return getattr(ref, name)(indices, updates)

    doc = f"{doc} where the vectors along the last axis of `indices` point to"
    return _function(name, change, doc, ("[[1]]", shown))


scatter_add = _of_slices("scatter_add", "Add `updates` to", "[10.0, 24.0]")
scatter_sub = _of_slices("scatter_sub", "Subtract `updates` from", "[10.0, 16.0]")
scatter_mul = _of_slices("scatter_mul", "Multiply by `updates`", "[10.0, 80.0]")
scatter_div = _of_slices("scatter_div", "Divide by `updates`", "[10.0, 5.0]")
scatter_max = _of_slices("scatter_max", "Raise to `updates` at least", "[10.0, 20.0]")
scatter_min = _of_slices("scatter_min", "Lower to `updates` at most", "[10.0, 4.0]")
scatter_update = _of_slices("scatter_update", "Write `updates` as", "[10.0, 4.0]")
scatter_nd_add = _of_points("scatter_nd_add", "Add `updates`", "[10.0, 24.0]")
scatter_nd_sub = _of_points("scatter_nd_sub", "Subtract `updates`", "[10.0, 16.0]")
scatter_nd_update = _of_points("scatter_nd_update", "Write `updates`", "[10.0, 4.0]")

"""Arrays that NumPy's functions write to, by `out` or in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np

from runtime.staging.aliasing.item_assignments import set_item
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.control.references import want_arrays
from runtime.staging.refusals import refuse


def without_out(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The `out` of a call, or None, and its other arguments."""
    named = {key: value for key, value in kwargs.items() if key != "out"}
    out = kwargs.get("out")
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        out, args = args[function.nin :], args[: function.nin]
    elif "out" in (names := names_of(function)[: len(args)]):
        place = names.index("out")
        out, rest = args[place], zip(names[place + 1 :], args[place + 1 :], strict=True)
        args, named = args[:place], named | dict(rest)
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    return out, args, named


@functools.cache
def names_of(function: Any) -> list[str]:
    """The names of what a function takes by its place, if it tells them: empty ones of what has
    none for a call.
    """
    try:
        parameters = signature(function).parameters.values()
    except ValueError:
        return []
    placed = [each for each in parameters if each.kind in (_UNNAMED, _NAMED)]
    return ["" if each.kind is _UNNAMED else each.name for each in placed]


_UNNAMED, _NAMED = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD


def own(name: str, array: Any, reason: str = "it writes to an array") -> Any:
    """The array that a function writes to: of the run, as what it writes is."""
    if isinstance(array, SymbolicArray):
        return array
    want_arrays()
    raise refuse(
        f"{name} of staged values is not possible here: {reason} of Python's own",
        "assign its result, or items of a copy",
    )


def written(name: str, function: Any, out: Any, made: Any) -> Any:
    """The array that is given as `out`, with the result of a function in it."""
    array = own(name, out, "it is given an `out`")
    dtype, given = array.type.dtype.np_dtype, made.type.dtype.np_dtype
    if isinstance(function, np.ufunc):
        check_cast(function, given, dtype)
    elif dtype != given or array.static_shape != made.static_shape:
        raise refuse(
            f"{name} has a result of another dtype or shape than its `out`",
            "assign its result to items: out[...] = y",
        )
    return set_item(array, ..., made)


def check_cast(ufunc: Any, given: Any, own: Any) -> None:
    """TypeError where an array of the one dtype does not take results of the other."""
    if not np.can_cast(given, own, "same_kind"):
        raise TypeError(
            f"Cannot cast ufunc {ufunc.__name__!r} output from {given!r} to {own!r} with casting "
            "rule 'same_kind'"
        )


def changing(changed: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The stand-in for a function that writes to its first argument; `changed` gives what that is
    then.
    """

    def change(array: Any, /, *args: Any, **kwargs: Any) -> None:
        target = own(name, array)
        set_item(target, ..., changed(name, target, *args, **kwargs))

    return change

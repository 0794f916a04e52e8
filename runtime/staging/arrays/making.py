"""The arrays that NumPy's functions make in a function that is traced.

A trace begins with the arrays that NumPy's functions make as they are: Python knows what is in
them. Where it is refused because one would have to hold what only the run knows, the function is
traced anew, and they are values of the graph from the start. An array from outside of the function
is none: others see it, and would have to see what is assigned to its items.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from autograph.operators.builtin_calls import within
from runtime.ops import convert_to_tensor
from runtime.staging.arrays.items import held, is_of_numbers
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array
from runtime.staging.control.choices import Choice
from runtime.staging.control.stand_ins import refused
from runtime.staging.library_calls import STAGED
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active


def entered(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the values that a loop begins with: symbols in the place of arrays."""
    return tuple([held(value) if _is_of_numbers(value) else value for value in values])


def _is_of_numbers(value: Any) -> bool:
    return type(value) is np.ndarray and is_of_numbers(value)


def _draws(owner: Any) -> bool:
    """True for a random generator of NumPy's, whose module takes a while to import."""
    random = sys.modules.get("numpy.random")
    return random is not None and isinstance(owner, random.RandomState | random.Generator)


def _drawn(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a method of NumPy's random generators: it draws while tracing, and would move
    the items of a staged array by Python.
    """
    if any(isinstance(arg, SymbolicArray) for arg in args):
        raise refuse(
            f"{type(function.__self__).__name__}.{function.__name__}() of NumPy is given an array "
            "that only the run knows",
            "use tf.random, such as tf.random.shuffle(xs)",
        )
    return function(*args, **kwargs)


_KINDS = (np.ufunc, type(np.sum), BuiltinFunctionType, FunctionType)
"""The classes of NumPy's functions."""


def making_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function of NumPy's, or a method of an array; None for others."""
    if _draws(getattr(function, "__self__", None)):
        return partial(_drawn, function)
    if not isinstance(function, _KINDS):
        return None
    if type(getattr(function, "__self__", None)) is np.ndarray:
        return partial(_of_array, function)
    return partial(_made, within(function)) if function in STAGED else None


def _of_array(method: Any, *args: Any, **kwargs: Any) -> Any:
    for arg in (*args, *kwargs.values()):
        if type(arg) is Choice:
            raise refused(arg, f"given to {method.__name__}() of an array")
    return _made(method, *args, **kwargs)


def _made(function: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    if not _is_of_numbers(made):
        return made
    references = active().references
    references.makes_arrays = True
    if not references.known.arrays or not made.flags.writeable:
        return made
    given = (getattr(function, "__self__", None), *args, *kwargs.values())
    others = [arg for arg in given if isinstance(arg, np.ndarray)]
    is_new = not any(np.may_share_memory(made, other) for other in others)
    return as_array(convert_to_tensor(made)) if is_new else made

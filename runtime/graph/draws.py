"""Draws of the generators of Python's `random`, as nodes: each run draws, in program order."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import dtypes, errors
from runtime.core.primitive import structural
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType, Type
from runtime.graph.data import Opaque
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.templates import filled

if TYPE_CHECKING:
    from random import Random

Draw = Callable[..., Any]


def _of(name: str) -> Draw:
    """The method of this name."""

    def draw(generator: Random, *args: Any, **kwargs: Any) -> Any:
        return getattr(generator, name)(*args, **kwargs)

    return draw


def _below(generator: Random, size: int) -> int:
    """A place in a sequence of this length, as `choice` draws it."""
    return generator.choice(range(size))


def _shuffled(generator: Random, size: int) -> list[int]:
    """The places that `shuffle` takes the items of a list from."""
    order = list(range(size))
    generator.shuffle(order)
    return order


def _sampled(generator: Random, size: int, count: int) -> list[int]:
    """The places of a sample of a sequence of this length."""
    return generator.sample(range(size), count)


def _chosen(generator: Random, size: int, *args: Any, **kwargs: Any) -> list[int]:
    """The places of items that `choices` draws from a sequence of this length."""
    return generator.choices(range(size), *args, **kwargs)


FLOATS = (
    "betavariate", "expovariate", "gammavariate", "gauss", "lognormvariate", "normalvariate",
    "paretovariate", "random", "triangular", "vonmisesvariate", "weibullvariate",
)  # fmt: skip
INTS = ["binomialvariate", "getrandbits", "randint", "randrange"]
DRAWS: dict[str, Draw] = {
    **{name: _of(name) for name in (*FLOATS, *INTS, "seed")},
    "below": _below, "shuffled": _shuffled, "sampled": _sampled, "chosen": _chosen,
}  # fmt: skip
"""The functions that draw, by the names that files have for them."""


def module_generator() -> Random:
    """The generator that the functions of the module `random` are methods of."""
    import random  # who draws has it, and nobody else waits for it

    return random.seed.__self__  # type: ignore[attr-defined, no-any-return]


def _kernel(
    *values: Any, generator: Opaque | None, function: str, arguments: Any, type: Type | None
) -> Any:
    args, names, named = filled(arguments, iter(values))
    kwargs = dict(zip(names, map(_plain, named), strict=True))
    owner = module_generator() if generator is None else generator.item
    drawn = DRAWS[function](owner, *map(_plain, args), **kwargs)
    if type is None:
        return ()
    if isinstance(type, TensorType):
        return np.array(drawn, type.dtype.np_dtype)
    if NUMBER_TYPES.get(builtins.type(drawn)) == type and not _is_large(drawn):
        return drawn
    raise errors.RefusedError(
        f"random.{function} gave {drawn!r} where the graph was made for {type}"
    )


def _is_large(number: float) -> bool:
    return isinstance(number, int) and not dtypes.int64.min <= number <= dtypes.int64.max


def _plain(item: Any) -> Any:
    if isinstance(item, Tensor):
        return item.numpy().tolist()
    return list(map(_plain, item)) if isinstance(item, list | tuple) else item


RAISED = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)
"""The exceptions of these functions."""

DRAW = structural(
    "py.draw", _kernel, lambda *_, type, **__: () if type is None else type, op_type="PyDraw",
    effect=True, fallible=True, python=True, raises=RAISED,
)  # fmt: skip
"""A call of one of `DRAWS`, of a generator, None for that of the module: `arguments` is a template
of the positional ones, and of the names and the values of the others. It gives a number, or places
as a tensor; without a `type`, nothing.
"""

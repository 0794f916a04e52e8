"""Python's `random` in a function that is being traced: the graph draws, each time that it runs, in
the order of the program. So the numbers are those of Python for the same seed.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import autograph
from autograph.library_code import converted
from autograph.operators import getitem
from runtime import dtypes
from runtime.core.inspection import signature_of
from runtime.core.state import state
from runtime.core.types import TensorType, Type
from runtime.graph.data import Opaque
from runtime.graph.draws import DRAW, FLOATS, INTS, module_generator
from runtime.graph.nodes import FLOAT, INT
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.images import Images
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, unfailing
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor

Function = Callable[..., Any]


def draw_function(function: Any) -> Function | None:
    """Returns what to call for a function of `random`, or a method of a generator of its classes;
    None for any other.
    """
    if not is_draw(function):
        is_class = function is getattr(sys.modules.get("random"), "Random", _MISSING)
        return _made if is_class and state.trace is not None else None
    name = function.__name__
    of_generator = _OF_GENERATORS.get(name)
    if of_generator is None:
        return functools.partial(_refused, name)
    return functools.partial(_as_given, of_generator, function)


def is_draw(function: Any) -> bool:
    """Whether this is a method of a generator of `random`, as the functions of the module are, and
    is called where a graph is traced.
    """
    if state.trace is None:
        return False
    kind = type(getattr(function, "__self__", None))
    return kind.__module__ == "random" and kind.__name__ in _CLASSES


def _as_given(of_generator: Function, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls one of the functions below for a method, whose defaults are those of this Python."""
    with suppress(ValueError):  # not every builtin has a signature
        signature_of(function).bind(*args, **kwargs)
    return of_generator(function.__self__, *args, **kwargs)


_CLASSES = frozenset(("Random", "SystemRandom"))
_MISSING = object()


def _refused(name: str, *_: Any, **__: Any) -> Any:
    raise refuse(
        f"{name}() of a generator of `random` acts once, while tracing, and the run draws",
        "call it outside of the staged function",
    )


def _made(*args: Any, **kwargs: Any) -> Any:
    """A generator, which the graph seeds whenever it comes here."""
    generator = sys.modules["random"].Random()
    _drawn(generator, "seed", None, *args, **kwargs)
    return generator


def _drawn(generator: Any, name: str, type: Type | None, *args: Any, **kwargs: Any) -> Any:
    """A node that draws. It may fail, so that a `try` around it is refused."""
    images, trace = Images(), active()
    given = tuple(map(_given, args))
    template = images.of((given, tuple(kwargs), tuple(map(_given, kwargs.values()))))
    values = tuple([trace.value_of(symbol) for symbol in images.symbols])
    owner = None if generator is module_generator() else Opaque(generator)
    params = {"generator": owner, "function": name, "arguments": template, "type": type}
    made = trace.apply(DRAW, values, params)
    return None if type is None else made


_sure = unfailing(_drawn)
"""The same for arguments that are known to be such that it does not fail."""


def _given(item: Any) -> Any:
    return read(present(item))


# Numbers


def _number(name: str, type: Type) -> Function:
    def draw(generator: Any, *args: Any, **kwargs: Any) -> Any:
        for item in map(_given, (*args, *kwargs.values())):
            if isinstance(item, SymbolicTensor) and (
                item.static_shape != () or item.dtype not in _WIDE
            ):
                raise refuse(
                    f"random.{name}() is given a tensor {item.type}",
                    "give it numbers, or scalars of type int64 or float64",
                )
        return _drawn(generator, name, type, *args, **kwargs)

    return draw


def _random(generator: Any) -> Any:
    return _sure(generator, "random", FLOAT)


def _randint(generator: Any, a: Any, b: Any) -> Any:
    draw = _sure if type(a) is type(b) is int and a <= b else _drawn
    return draw(generator, "randint", INT, a, b)


_WIDE = (dtypes.int64, dtypes.float64)


def _uniform(generator: Any, a: Any, b: Any) -> Any:
    a, b = _given(a), _given(b)
    return a + (b - a) * _sure(generator, "random", FLOAT)


def _normal(name: str) -> Function:
    def draw(generator: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        mu, sigma = _given(mu), _given(sigma)
        return mu + _sure(generator, name, FLOAT, 0.0, 1.0) * sigma

    return draw


def _exponential(generator: Any, lambd: Any = 1.0) -> Any:
    return _sure(generator, "expovariate", FLOAT, 1.0) / _given(lambd)


def _seed(generator: Any, *args: Any, **kwargs: Any) -> None:
    _drawn(generator, "seed", None, *args, **kwargs)


# Items


@converted
def _algorithms() -> tuple[Function, ...]:
    def choice(draw: Function, items: Any) -> Any:
        size = len(items)
        if size == 0:
            raise IndexError("Cannot choose from an empty sequence")
        return getitem(items, draw(size))

    def shuffle(draw: Function, items: Any) -> None:
        places = draw(len(items))
        items[:] = [getitem(items, place) for place in places]

    def several(draw: Function, items: Any) -> Any:
        places = draw(len(items))
        return [getitem(items, place) for place in places]

    return choice, shuffle, several


def _choice(generator: Any, seq: Any) -> Any:
    choice, _, _ = _algorithms()
    return autograph.call(choice)(lambda size: _sure(generator, "below", INT, size), seq)


def _shuffle(generator: Any, x: Any) -> None:
    if not isinstance(x, list):
        raise refuse("random.shuffle() of what is no list", "shuffle a list, or rt.random.shuffle")
    _, shuffle, _ = _algorithms()
    autograph.call(shuffle)(lambda size: _places(generator, "shuffled", size, size), x)


def _sample(generator: Any, population: Any, k: Any, *, counts: Any = None) -> Any:
    if not isinstance(population, Sequence):
        raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
    if counts is not None:
        raise refuse("random.sample() is given `counts`", "repeat the items")
    _, _, several = _algorithms()
    return autograph.call(several)(
        lambda size: _places(generator, "sampled", k, size, k), population
    )


def _choices(
    generator: Any, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1
) -> Any:
    def draw(size: Any) -> Any:
        given = {"weights": weights, "cum_weights": cum_weights, "k": k}
        return _places(generator, "chosen", k, size, **given)

    _, _, several = _algorithms()
    return autograph.call(several)(draw, population)


def _places(generator: Any, name: str, count: Any, *args: Any, **kwargs: Any) -> Any:
    count = _given(count)
    is_known = not isinstance(count, SymbolicNumber | SymbolicTensor)
    type = TensorType(dtypes.int64, (max(count, 0) if is_known else None,))
    return _drawn(generator, name, type, *args, **kwargs)


_OF_GENERATORS: dict[str, Function] = {
    **{name: _number(name, FLOAT) for name in FLOATS},
    **{name: _number(name, INT) for name in INTS},
    "random": _random, "randint": _randint, "uniform": _uniform, "expovariate": _exponential,
    "gauss": _normal("gauss"), "normalvariate": _normal("normalvariate"), "seed": _seed,
    "choice": _choice, "shuffle": _shuffle, "sample": _sample, "choices": _choices,
}  # fmt: skip

"""`set_loop_options`: what a loop tells its backend."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any

from autograph.backend import Block
from autograph.operators.blocks import user_code


class LoopOptions:
    """The options that the body of one loop asked for; all None where it asked for nothing.

    Attributes:
        maximum_iterations: the number of rounds after which the loop ends.
        shape_invariants: pairs of a value, as the body's parameter has it, and its shape.
        parallel_iterations: how many rounds may overlap.
    """

    __slots__ = ("maximum_iterations", "parallel_iterations", "shape_invariants")

    def __init__(self) -> None:
        self.maximum_iterations: Any = None
        self.shape_invariants: Sequence[tuple[Any, Any]] | None = None
        self.parallel_iterations: int | None = None


class _Tracing(threading.local):
    def __init__(self) -> None:
        self.loops: list[tuple[CodeType, LoopOptions]] = []


_tracing = _Tracing()


class _Noted:
    """`loop_options`: for each block that is staged, so not by `contextmanager`."""

    __slots__ = ("_body",)

    def __init__(self, body: Block) -> None:
        self._body = body

    def __enter__(self) -> LoopOptions:
        options = LoopOptions()
        _tracing.loops.append((user_code(self._body), options))
        return options

    def __exit__(self, *exception: object) -> None:
        _tracing.loops.pop()


def loop_options(body: Block) -> AbstractContextManager[LoopOptions]:
    """Within it, calls of `set_loop_options` directly in `body` are noted in the result.

    For backends, around the tracing of a loop's body. Options of loops inside are their own.

    >>> def body(n):
    ...     autograph.set_loop_options(maximum_iterations=3)
    ...     return n + 1
    >>> with autograph.loop_options(body) as options:
    ...     body(0)
    1
    >>> options.maximum_iterations
    3
    """
    return _Noted(body)


def set_loop_options(
    *,
    maximum_iterations: Any = None,
    shape_invariants: Sequence[tuple[Any, Any]] | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
) -> None:
    """Options of the loop whose body starts with this call; without effect on a plain loop.

    Args:
        maximum_iterations: the number of rounds after which a staged loop ends.
        shape_invariants: pairs `(value, shape)`: the shape that a loop variable keeps.
        parallel_iterations: how many rounds of a staged loop may overlap.
        swap_memory: accepted, and without effect: there is one memory.

    Raises:
        TypeError: an option of the wrong type.
        ValueError: a negative number of rounds.

    >>> def powers(n):
    ...     x = 1
    ...     while x < n:
    ...         autograph.set_loop_options(maximum_iterations=9)
    ...         x *= 2
    ...     return x
    >>> autograph.convert(powers)(100)
    128
    """
    _check_count("maximum_iterations", maximum_iterations, least=0)
    _check_count("parallel_iterations", parallel_iterations, least=1)
    _check_invariants(shape_invariants)
    options = _options_for(sys._getframe(1).f_code)
    if options is not None:
        options.maximum_iterations = maximum_iterations
        options.shape_invariants = shape_invariants
        options.parallel_iterations = parallel_iterations


def _options_for(code: CodeType) -> LoopOptions | None:
    return next((options for body, options in reversed(_tracing.loops) if body is code), None)


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool | float | str):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    if isinstance(value, int) and value < least:
        raise ValueError(f"{name} is at least {least}, not {value}")


def _check_invariants(invariants: Any) -> None:
    if invariants is None:
        return
    pairs = isinstance(invariants, list | tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in invariants
    )
    if not pairs:
        raise TypeError(
            "shape_invariants is a list of pairs (loop variable, shape), "
            f"such as [(x, TensorShape([None]))], not {invariants!r}"
        )

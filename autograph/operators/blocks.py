"""The facts that operators know about block functions: the names of their results."""

from __future__ import annotations

from types import CodeType
from typing import Any, TypeVar

from autograph.backend import Backend, Block, Names

T = TypeVar("T")


def output_names(body: Block, defines: str | None, skip: int = 0) -> Names:
    """The user's names of what a block returns: `defines`, or else the block's parameters.

    Args:
        skip: leading parameters that are not state (a loop's item).
    """
    if defines is not None:
        return tuple(defines.split(", ")) if defines else ()
    code = body.__code__
    return code.co_varnames[skip : code.co_argcount]


def user_code(body: Block) -> CodeType:
    """The code of the block in the generated code, also where an operator has wrapped the block."""
    wrapped: Block = getattr(body, "__wrapped__", body)
    return wrapped.__code__ if wrapped is body else user_code(wrapped)


def went_on(backend: Backend, result: Any, size: int, certain: bool = False) -> Any:
    """A state of `size` values without the last one, whether the block has failed: what follows is
    done where it has not. It is `certain` where what follows is never reached.
    """
    *values, failure = (result,) if size == 1 else result
    backend.go_on(failure, certain)
    return unpacked(tuple(values))


def unpacked(state: tuple[T, ...]) -> T | tuple[T, ...] | None:
    """State as a block returns it: nothing, the bare value, or a tuple."""
    if len(state) == 1:
        return state[0]
    return state or None

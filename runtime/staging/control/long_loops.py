"""The rest of a `for` over a plain `range` whose exit has become staged, or of which the rounds are
much to trace: one loop of the graph.

Where its rounds need their Python numbers, the trace goes back to where it was.
"""

from __future__ import annotations

from inspect import unwrap
from typing import Any

from autograph.operators.comprehensions import LONG
from runtime.core.log import get_logger
from runtime.core.tensor import Tensor
from runtime.graph.ir import format_location
from runtime.staging.control.blocks import Block, Names, as_state, bare
from runtime.staging.control.carried_objects import Watch
from runtime.staging.control.iteration import Range, blocks_of
from runtime.staging.control.loops import while_loop
from runtime.staging.control.undoing import Refused, undone_if_refused
from runtime.staging.frames import user_location
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active

WRITTEN_OUT = 10_000
"""Rounds that may be written out where they cannot be one loop."""


def for_rest(
    items: range,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    test: Block,
    first: Any,
    watch: Watch,
) -> Any:
    """The state after `for item in items`, of which `first`, the value of `test(*state)`, is known;
    NotImplemented where its rounds have to be written out. Where these are many, though no staged
    value ends the loop, the log has a warning.

    Raises StagingError for what can be neither.
    """
    trace, written_out = active(), (for_rest, unwrap(body).__code__)
    if written_out in trace.memo:
        return NotImplemented

    is_tentative = first is True or len(items) <= LONG

    def run() -> Any:
        source = Range(items.start, items.stop, items.step)
        proceed, one_round = blocks_of(source, len(items), body, test, watch)
        index = active().number(0)
        given = index, *state
        left = while_loop(proceed, one_round, given, ("index", *names), first, watch, key=body)
        if is_tentative:
            _check_shapes(state, as_state(left, len(given))[1:], names)
        return left

    if len(items) > WRITTEN_OUT and first is not True:
        return _state_in(run(), len(state))
    tentative, trace.tentative = trace.tentative, trace.tentative or is_tentative
    try:
        done = undone_if_refused(trace, watch(body, state, names), run, tentative=is_tentative)
    finally:
        trace.tentative = tentative
    if type(done) is not Refused:
        return _state_in(done, len(state))
    if is_tentative:
        trace.memo[written_out] = True
    if first is True and len(items) > LONG:
        get_logger().warning(
            "%s: the %d rounds that are left of this `for` are written out into the graph, which "
            "makes its first call slow: they cannot be one loop of the graph, since %s",
            format_location(user_location()),
            len(items),
            done.error,
        )
    return NotImplemented


def _state_in(left: Any, size: int) -> Any:
    return bare(as_state(left, size + 1)[1:])


def _check_shapes(before: tuple[Any, ...], left: tuple[Any, ...], names: Names) -> None:
    """StagingError where a shape is less known than it is where the rounds are written out."""
    for name, given, made in zip(names, before, left, strict=True):
        if isinstance(given, Tensor) and isinstance(made, Tensor) and given.shape != made.shape:
            raise refuse(
                f"{name} has the shape {given.shape} first, and {made.shape} after any round",
                "keep one shape in all rounds",
                name,
            )

"""The rest of a loop that Python runs, as one loop of the graph: of a `for` over places whose exit
has become staged, or of rounds that are much to trace.

Where its rounds need what Python knows, the trace goes back to where it was.
"""

from __future__ import annotations

from collections.abc import Callable
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
    knows_kinds: bool,
) -> Any:
    """The state after `for item in items`, of which `first`, the value of `test(*state)`, is known;
    NotImplemented where its rounds have to be written out. Where these are many, though no staged
    value ends the loop, the log has a warning.

    Raises StagingError for what can be neither.
    """
    is_tentative = first is True or len(items) <= LONG

    def run() -> Any:
        source = Range(items.start, items.stop, items.step)
        proceed, one_round = blocks_of(source, len(items), body, test, watch)
        index = active().number(0)
        given = index, *state
        left = while_loop(proceed, one_round, given, ("index", *names), first, watch, key=body)
        left = as_state(left, len(given))[1:]
        if is_tentative:
            _check_shapes(state, left, names)
        return bare(left)

    if len(items) > WRITTEN_OUT and first is not True:
        return run()
    done = _done(run, body, state, names, watch, is_tentative, knows_kinds)
    if type(done) is not Refused:
        return done
    if first is True and len(items) > LONG:
        _log(f"the {len(items)} rounds that are left of this `for`", done.error)
    return NotImplemented


def while_rest(
    test: Block,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    watch: Watch,
    knows_kinds: bool,
) -> Any:
    """The state after `while test`, of which Python knows that it holds; NotImplemented where its
    rounds have to be written out, of which the log has a warning.
    """

    def run() -> Any:
        left = while_loop(test, body, state, names, True, watch, key=body)
        _check_shapes(state, as_state(left, len(state)), names)
        return left

    done = _done(run, body, state, names, watch, True, knows_kinds)
    if type(done) is not Refused:
        return done
    _log("the rounds that are left of this `while`", done.error)
    return NotImplemented


def _done(
    run: Callable[[], Any],
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    watch: Watch,
    is_tentative: bool,
    knows_kinds: bool,
) -> Any:
    """The state that `run` gives; a `Refused` where it is refused, and NotImplemented where it was
    before.
    """
    trace, written_out = active(), (for_rest, unwrap(body).__code__)
    if written_out in trace.memo:
        return NotImplemented
    before = trace.tentative, trace.knows_kinds
    trace.tentative, trace.knows_kinds = before[0] or is_tentative, before[1] or knows_kinds
    try:
        done = undone_if_refused(trace, watch(body, state, names), run, tentative=is_tentative)
    finally:
        trace.tentative, trace.knows_kinds = before
    if type(done) is Refused and is_tentative:
        trace.memo[written_out] = True
    return done


def _log(rounds: str, reason: Exception) -> None:
    get_logger().warning(
        "%s: %s are written out into the graph, which makes its first call slow: they cannot be "
        "one loop of the graph, since %s",
        format_location(user_location()),
        rounds,
        reason,
    )


def _check_shapes(before: tuple[Any, ...], left: tuple[Any, ...], names: Names) -> None:
    """StagingError where a shape is less known than it is where the rounds are written out."""
    for name, given, made in zip(names, before, left, strict=True):
        if isinstance(given, Tensor) and isinstance(made, Tensor) and given.shape != made.shape:
            raise refuse(
                f"{name} has the shape {given.shape} first, and {made.shape} after any round",
                "keep one shape in all rounds",
                name,
            )

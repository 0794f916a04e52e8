"""The Backend for symbols: how converted code stages its control flow into the graph that is being
traced.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Mapping
from types import CellType
from typing import Any

import numpy as np

from autograph import (
    Backend,
    call,
    register_backend,
    register_functions,
    register_hashing,
    register_identity,
    register_stand_in,
)
from autograph.backend import GlobalVariable, backend_of
from autograph.frames import register_locating
from autograph.mutation.snapshots import Snapshot
from autograph.operators.texts import shows_itself
from autograph.operators.work_of_rounds import VERY_MUCH
from autograph.users_words import with_article
from runtime import errors
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor, is_tensor
from runtime.core.types import is_variable
from runtime.graph import numbers
from runtime.staging import (
    chosen_values,
)
from runtime.staging.aliasing import item_assignments, sharing
from runtime.staging.arrays import making, operators  # noqa: F401  # gives arrays their operators
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.builtin_functions import (
    BUILTINS,
    OF_ANYTHING,
    OF_OBJECTS,
    TAKES_MISSING,
    TAKES_TEXT,
    known_elements,
    staged_math,
)
from runtime.staging.control import branches, caught, failures, iteration, logic, long_loops, loops
from runtime.staging.control.blocks import Block, Names
from runtime.staging.control.choices import Choice
from runtime.staging.control.identity import check_hash, check_identity
from runtime.staging.control.iteration import Staged, Streamed
from runtime.staging.control.joined_variables import read
from runtime.staging.control.logic import compares_itself
from runtime.staging.control.optional_values import MaybeNone, Missing, bound, present
from runtime.staging.control.references import may_know_less, want_sites
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth, opened
from runtime.staging.error_notes import as_caught, locate_hidden
from runtime.staging.frames import user_location
from runtime.staging.library_calls import STAGED
from runtime.staging.lists import dict_reads
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.optional_bounds import known_bounds, known_key
from runtime.staging.lists.sequences import are_alike
from runtime.staging.optional_arguments import of_library, with_defaults
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.texts import Text, text_refused
from runtime.variables.variable import Variable

register_locating(locate_hidden)


class StagingBackend(Backend):
    """Stages control flow into the active trace."""

    def cond(
        self, test: Any, body: Block, orelse: Block, inputs: tuple[Any, ...], names: Names
    ) -> Any:
        """A cond node; what the branches leave is joined."""
        return branches.cond(
            test, body, orelse, inputs, names, BlockRecorder, is_caught=self.catches()
        )

    def while_loop(
        self, test: Block, body: Block, state: tuple[Any, ...], names: Names, first: Any
    ) -> Any:
        """A while node; the types of the state are found by fixed point."""
        entered = making.entered(state)
        return loops.while_loop(test, body, entered, names, first, BlockRecorder)

    def failures(self) -> int:
        """The number of branches that raise which were traced."""
        return 0 if state.trace is None else state.trace.failures

    def for_loop(
        self,
        items: Any,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        test: Block | None = None,
    ) -> Any:
        """A while node over the rows of a tensor or the elements of a staged range."""
        if isinstance(items, Choice | Missing):
            return chosen_values.for_loop(items, body, state, names, test)
        _refuse_truths(items)
        entered = making.entered(state)
        return iteration.for_loop(read(items), body, entered, names, test, BlockRecorder)

    def for_rest(
        self,
        items: range,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        test: Block,
        first: Any,
        knows_kinds: bool = False,
    ) -> Any:
        """A while node over the numbers of a plain range, where the body takes staged ones."""
        entered = making.entered(state)
        return long_loops.for_rest(
            items, body, entered, names, test, first, BlockRecorder, knows_kinds
        )

    def while_rest(
        self,
        test: Block,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        knows_kinds: bool = False,
    ) -> Any:
        """A while node for the rest of a loop of which Python knows the test."""
        entered = making.entered(state)
        return long_loops.while_rest(test, body, entered, names, BlockRecorder, knows_kinds)

    def work(self) -> int:
        """The nodes that were traced, or as much work."""
        return 0 if state.trace is None else state.trace.work

    def is_very_much(self, work: int) -> bool:
        """True for more than a few thousand nodes, unless the function was refused for it."""
        return work > VERY_MUCH and may_know_less(active().references)

    def watched(self, body: Block, state: tuple[Any, ...]) -> Callable[[], Any]:
        """The changes in what is reachable now."""
        seen = Snapshot({"the body": body, "the state": state})
        return lambda: [(change.before, change.after) for change in seen.changes()]

    def are_alike(self, items: Any) -> bool:
        """True for scalars of one type, and lists and tuples of as many such."""
        return are_alike(items)

    def elements(self, items: Any) -> Any:
        """The elements of something short and of known length, each computed as it is asked for."""
        return known_elements(read(present(items)))

    def not_(self, a: Any) -> Any:
        """`not a`, a staged bool."""
        return logic.not_(a)

    def truth(self, a: Any) -> Any:
        """A staged bool, or a plain one where it is known."""
        return branches.truth(a)

    def and_(self, a: Any, *rest: Callable[[], Any], truth: Any = None) -> Any:
        """`a and ...`: the further operands are computed only where they are needed."""
        return logic.and_(a, rest, BlockRecorder, truth)

    def or_(self, a: Any, *rest: Callable[[], Any], truth: Any = None) -> Any:
        """`a or ...`: the further operands are computed only where they are needed."""
        return logic.or_(a, rest, BlockRecorder, truth)

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        """A branch that raises AssertionError, which is an InvalidArgumentError too."""
        logic.staged_assert(test, message, BlockRecorder)

    def subject(self, value: Any, asks_truth: bool) -> None:
        check_subject(value, asks_truth)

    def setitem(self, value: Any, target: Any, key: Any) -> Any:
        """The tensor `target` with `value` at `key`."""
        return set_item(value, present(target), key)

    def defined(self, value: Any) -> Any:
        """A name that may be unbound: checked at run time."""
        return bound(value)

    def compares(self, value: object) -> bool:
        """True for a tensor from outside: it is a constant of the graph, and so is the answer. And
        for an object whose own `==` may give a staged answer.
        """
        return isinstance(value, EagerTensor) or compares_itself(value)

    def is_staging(self) -> bool:
        """True while a function is being traced."""
        return state.trace is not None

    def passes_on(self) -> bool:
        """True where the trace was refused for a generator that calls itself."""
        return state.trace is not None and state.trace.references.known.generators

    def catches(self) -> bool:
        """True in the body of a `try` that is being traced."""
        return state.trace is not None and bool(state.trace.attempts)

    def caught(self, block: Block, shared: Any, size: int, reads: bool = False) -> Block:
        """The block, and behind its results whether it has failed."""
        return caught.block_of(block, size, reads, shared)

    def go_on(self, failure: Any, certain: bool = False) -> None:
        """Begin a branch for the rest, up to the end of the block."""
        if certain:
            failure = failures.Failure(failure.code, failure.sites, certain=True)
        caught.go_on(active(), failure)

    def caught_loop(
        self, test: Block, body: Block, shared: Any, size: int
    ) -> tuple[Block, Block, Any]:
        """The test and the body of a loop that ends where it fails, and what it begins with."""
        one_round = self.caught(body, shared, size)

        def going(*state: Any) -> Any:
            *values, failure = state
            return self.and_(failure.test, lambda: test(*values))

        def caught_round(*state: Any) -> Any:
            *values, _ = state
            return one_round(*values)

        for block, wrapper in ((test, going), (body, caught_round)):
            wrapper.__wrapped__ = block  # type: ignore[attr-defined]
        return going, caught_round, failures.NONE

    def attempt(
        self,
        block: Block,
        kinds: tuple[tuple[Any, bool], ...],
        shared: Any,
        lost: frozenset[str] = frozenset(),
        drops: bool = False,
    ) -> Any:
        """The body of a `try`, traced where it stands, until something in it may fail."""
        trace = active()
        attempt = failures.Attempt(kinds, sys._getframe(1), drops=drops)
        with attempt.open(trace):
            level = caught.Level(trace, block, (), 1, shared, BlockRecorder, lost, reads=True)
            (result,), failure = level.run(is_body=True)
        if not failure.sites:
            return None, result
        return failure.of(attempt), result

    def left_once(self, block: Block) -> Any:
        """The body of a `with` that is left while tracing: what only the run raises is refused."""
        with failures.Attempt((), sys._getframe(1), user_location()).open(active()):
            return block()

    def as_caught(self, error: BaseException, is_seen: bool) -> None:
        """Take from an exception what its text says of where it was raised, and how to do else."""
        as_caught(error, is_seen)

    def cases(self, failure: Any) -> list[tuple[Any, int | None, Any]]:
        """The ways in which an attempt may have failed."""
        return failures.cases(failure)

    def handled(self, failure: Any) -> BaseException:
        """A stand-in for the exception of a failure, if there is one."""
        return failures.OneOf()

    def stages(self, value: Any) -> bool:
        """A variable is read where it stands, and a dataset iterated over in the graph, as long as
        a function is being traced.
        """
        return state.trace is not None or not (is_variable(value) or isinstance(value, Streamed))

    def owns(self, cell: CellType | GlobalVariable) -> bool:
        """True if the variable was made while the function is traced, or is written behind it."""
        trace = state.trace
        is_own = type(cell) is CellType and (trace is None or not trace.existed(cell))
        return is_own or (trace is not None and trace.keep(cell))

    def shown(self, function: Callable[..., Any], value: Any) -> Callable[[], Any] | None:
        """A branch for a value that may be None, in which code of the user's gives its text."""
        from runtime.staging.lists.shown_items import text_of_optional

        held = value.held if isinstance(value, MaybeNone) else None
        inner = None if held is None else backend_of(held)
        is_shown = inner is not None and inner.shown(function, held) is not None
        if held is None or not (is_shown or shows_itself(type(held), function)):
            return None
        return functools.partial(text_of_optional, function, value)

    def with_defaults(
        self, function: Callable[..., Any], places: Any, args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        """A call in which an argument may be None, for a default: both are in branches."""
        return with_defaults(function, places, args, kwargs)

    def builtin(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """A builtin, or a function of a library, with a staged argument."""
        if function is operator.getitem and type(args[1]) is slice:
            args = args[0], known_bounds(args[1])
        if dict_reads.takes_optional(function, args):
            return dict_reads.at_optional(function, *args)
        if function is operator.contains or function not in TAKES_MISSING:
            given, args = args, chosen_values.opened(function, args)
            if args is not given and not any(map(backend_of, args)):
                return function(*args, **kwargs)
        if function is not bool:
            args = tuple([opened(item) for item in args])
        if any(isinstance(item, Choice) for item in args):
            made = chosen_values.of_builtin(function, args, kwargs)
            if made is not NotImplemented:
                return made
        staged = BUILTINS.get(function) or STAGED.get(function)
        if function in STAGED:
            at = next((name for name, item in kwargs.items() if type(item) is Choice), None)
            if at is not None:
                return kwargs[at].apply(functools.partial(_with_option, function, args, kwargs, at))
            made = of_library(function, args, kwargs)
            if made is not NotImplemented:
                return made
        if function is not bool:
            given = (*args, *kwargs.values())
            _refuse_truths(*given)
        if staged is not None:
            if function not in TAKES_MISSING:
                for item in args:
                    if type(item) is Text and function not in TAKES_TEXT:
                        raise text_refused(f"given to {function.__name__}()")
                args = tuple([read(present(item)) for item in args])
            return staged(*args, **kwargs)
        row = numbers.MATH.get(function)
        return NotImplemented if row is None or kwargs else staged_math(row, args)


def _with_option(
    function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], at: str, option: Any
) -> Any:
    return call(function)(*args, **{**kwargs, at: option})


BACKEND = StagingBackend()
for _kind in (
    SymbolicTensor,
    SymbolicNumber,
    Missing,
    Staged,
    Streamed,
    Text,
    Truth,
    TaggedUnion,
    Choice,
    Variable,
    failures.OneOf,
):
    register_backend(_kind, BACKEND)
register_stand_in(Text, of=str)
register_stand_in(errors.StagedAssertionError, of=AssertionError)
register_identity(check_identity)
register_hashing(check_hash)
register_functions((
    *STAGED, *OF_OBJECTS, *OF_ANYTHING, is_tensor, np.isscalar, operator.concat, operator.iconcat,
    operator.index,
))  # fmt: skip


def _refuse_truths(*values: Any) -> None:
    for value in values:
        if type(value) is Truth or type(value) is TaggedUnion:
            raise value.refusal()
        if type(value) is failures.OneOf:
            value.refuse()


def check_subject(value: Any, asks_truth: bool) -> None:
    """StagingError for a subject of `match` of which only the run knows which case fits."""
    value = bound(value)
    _refuse_truths(value)
    if isinstance(value, MaybeNone):
        raise refuse(
            "the subject of a `match` is None on one path: which case fits, only the run knows",
            "decide by an `if`, for example if x is None",
        )
    is_number = isinstance(value, SymbolicNumber) and value.type.kind == "bool"
    if asks_truth and (is_number or (isinstance(value, SymbolicTensor) and value.dtype.is_bool)):
        raise refuse(
            "the subject of a `match` is true or false, which only the run knows",
            "decide by an `if`",
        )


SETTERS: dict[type, Callable[[Any, Any, Any], Any]] = {}
"""`setter(value, target, key)` of Python containers that have one for staged keys."""


def set_item(value: Any, target: Any, key: Any) -> Any:
    """`target[key] = value` for a tensor: the new tensor.

    Raises StagingError for a Python container, which a staged key cannot index.
    """
    if isinstance(target, Growing):
        target[key] = value
        return target
    if type(target) is TaggedUnion:
        raise target.refusal()
    if isinstance(key, Choice):
        chosen_values.set_item(target, key, value)
        return target
    setter = SETTERS.get(type(target))
    if setter is not None:
        return setter(value, target, key)
    if isinstance(target, SymbolicNumber | str):
        kind = target.type.kind if isinstance(target, SymbolicNumber) else "str"
        raise TypeError(f"'{kind}' object does not support item assignment")
    key = known_key(key)
    if not isinstance(target, Tensor):
        if type(target) is list:
            want_sites(frozenset())
        raise refuse(
            f"an item of {with_article(type(target).__qualname__)} is assigned at a staged place",
            "use a tensor, or a list that is made for a name of the function: table = [0] * n",
        )
    if isinstance(target, SymbolicTensor):
        return item_assignments.set_item(target, key, value)
    name = sharing.variable_of(target)
    raise item_assignments.outside(name, "a tensor from outside of the function")

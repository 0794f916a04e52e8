"""`try`, in a function that is being staged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

from autograph.backend import Backend, Block, Thunk, backend_of, staging
from autograph.errors import AutographError
from autograph.frames import hide
from autograph.observers import this_thread
from autograph.operators.branches import staged_cond
from autograph.operators.managers import Entered
from autograph.operators.shared import Shared

Handler: TypeAlias = tuple[Thunk | None, Block]


def try_(
    body: Block,
    *handlers: Handler,
    orelse: Block | None = None,
    final: Block | None = None,
    shared: str | None = None,
    lost: str | None = None,
    discards: Thunk | None = None,
    manager: Entered | None = None,
) -> Any:
    """`try: body()` with its handlers; returns the result of the block that ran last.

    Args:
        handlers: for each `except` a thunk of its classes (None for all), and its block, which is
            given the exception if it has a name for it, or raises it again.
        orelse: runs if the body raises nothing.
        final: runs at the end in any case.
        shared: names that the blocks assign where they live.
        lost: those of them that are not read after the body has failed.
        discards: called after `final`: whether that has left by an exit of its own.
        manager: of a `with`; it handles what the body raises, and its end.
    """
    try:
        backend = staging()
        parts = [body, *[block for _, block in handlers], orelse, final]
        statement = _Try(backend, [part for part in parts if part is not None], shared, lost)
        if manager is not None:
            statement.reached = partial(_nothing, body, manager.manager)
            return statement.managed(body, manager)
        if final is None:
            return statement.handled(body, handlers, orelse)

        def inner(*, _reached: Any = statement.reached) -> Any:
            return statement.handled(body, handlers, orelse)

        return statement.ended(inner, final, discards)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


class _Try:
    """One `try` statement.

    Args:
        backend: stages it; None where nothing is being staged.
        blocks: its blocks.
        shared: the names that they assign where they live, as generated code writes them.
        lost: those that are not read after the body has failed.
    """

    def __init__(
        self, backend: Backend | None, blocks: list[Block], shared: str | None, lost: str | None
    ) -> None:
        self.backend = backend
        self.lost = frozenset(lost.split(", ") if lost else ())
        self.blocks = blocks
        # As a default value it leads who watches objects to all that the blocks reach.
        self.reached = partial(_nothing, *blocks)
        self.shared = shared
        self._carried: Shared | None = None

    def carried(self) -> Shared:
        """The names that the blocks assign: looked for where something may fail at run time."""
        if self._carried is None:
            assert self.backend is not None
            self._carried = Shared(self.shared, self.blocks, self.backend)
        return self._carried

    def handled(self, body: Block, handlers: Sequence[Handler], orelse: Block | None) -> Any:
        """The body, the handler of what it raises, and the `else`."""
        failure = None
        try:
            if self.backend is None or not handlers:
                result = body()
            else:
                looked_at = tuple([(kinds, _takes_error(block)) for kinds, block in handlers])
                failure, result = self.backend.attempt(body, looked_at, self.carried, self.lost)
        except BaseException as error:  # as the user's own `except` does
            _tell_of_missing(error)
            for kinds, handler in handlers:
                if kinds is None or matches(error, kinds()):
                    if self.backend is not None:
                        self.backend.as_caught(error, _takes_error(handler))
                    return _run(handler, error)
            raise
        if failure is None:
            return result if orelse is None else orelse()
        return self.dispatched(failure, result, handlers, orelse)

    def dispatched(
        self, failure: Any, result: Any, handlers: Sequence[Handler], orelse: Block | None
    ) -> Any:
        """The rest behind the body, where only the run knows whether that has failed."""
        assert self.backend is not None

        def succeeded(*, _reached: Any = self.reached) -> Any:
            return result if orelse is None else orelse()

        # From the last to the first: a function that calls itself would hold all that it reaches.
        failed: Thunk | None = None
        for case in reversed(self.backend.cases(failure)):
            failed = self.case(case, handlers, failed)
        assert failed is not None
        return self.chosen(failure.test, succeeded, failed)

    def case(
        self, case: tuple[Any, int | None, Any], handlers: Sequence[Handler], rest: Thunk | None
    ) -> Thunk:
        """One way in which the body may have failed; `rest` are the ways behind it."""
        test, place, error = case

        def this(*, _reached: Any = self.reached) -> Any:
            if place is None:
                assert self.backend is not None
                return self.backend.go_on(error)
            return _handling(handlers[place][1], error)

        def chosen(*, _reached: Any = self.reached) -> Any:
            return this() if rest is None else self.chosen(test, this, rest)

        return chosen

    def chosen(self, test: Any, body: Block, orelse: Block) -> Any:
        """`body()` where `test` is true, else `orelse()`."""
        if test is True or test is False:
            return body() if test else orelse()
        assert self.backend is not None
        return staged_cond(self.backend, test, (body, orelse), (), (), self.carried())

    def raised_unless(self, test: Any, error: BaseException) -> None:
        """Raise an error again where a test, which the run may decide, is false."""
        traceback = error.__traceback__

        def fail(*, _reached: Any = self.reached) -> None:
            raise error

        try:
            self.chosen(test, _nothing, fail)
        finally:
            error.__traceback__ = traceback  # that of `fail` holds the error, and all in it

    def managed(self, body: Block, manager: Entered) -> None:
        """The body, and the manager's exit: one of code that is not the user's is left once, while
        tracing.
        """

        if self.backend is not None and manager.around is not None:
            manager.around(self.called_at_yield(self.backend, body, manager))
            return

        def swallowed(error: BaseException) -> None:
            said = manager.leave(error)
            self.raised_unless(bool(said) if backend_of(said) is None else said, error)

        def done() -> None:
            manager.leave(None)

        def inner(*, _reached: Any = self.reached) -> Any:
            return body()

        backend = self.backend
        if backend is not None and manager.is_known:
            self.handled(inner, ((None, swallowed),), done)
            return
        self.backend = None
        passes = backend is None or manager.lets_pass
        once = body if passes else partial(backend.left_once, body)  # type: ignore[union-attr]
        self.handled(once, ((None, swallowed),), done)

    def called_at_yield(self, backend: Backend, body: Block, manager: Entered) -> Block:
        """The function that the generator of a manager calls where it has its `yield`."""

        def block(value: Any, *, _reached: Any = self.reached) -> None:
            manager.value = value
            reached = partial(_nothing, body, value)

            def inner(*, _reached: Any = reached) -> Any:
                return body()

            if backend.catches():
                backend.go_on(backend.caught(inner, self.carried(), 0)())
            else:
                body()

        return block

    def ended(self, inner: Thunk, final: Block, discards: Thunk | None) -> Any:
        """The result of `inner`, with the `finally` behind it."""
        failure = None
        try:
            if self.backend is None:
                result = inner()
            else:
                drops = discards is not None
                failure, result = self.backend.attempt(inner, (), self.carried, self.lost, drops)
        except BaseException as error:  # as the user's own `finally` does
            _tell_of_missing(error)
            try:
                final()
            finally:
                if isinstance(error, AutographError):  # what it did was no part of a program
                    raise error
            dropped = False if discards is None else discards()
            if dropped is False:
                raise
            return self.raised_unless(dropped, error)
        if failure is None:
            final()
            return result
        assert self.backend is not None
        backend = self.backend
        _handling(final, backend.handled(failure))
        dropped = False if discards is None else discards()
        self.chosen(dropped, lambda: None, lambda: backend.go_on(failure))
        return result


def _nothing(*blocks: Block) -> None:
    pass


def _tell_of_missing(error: BaseException) -> None:
    """Note a missing attribute: a handler of the AttributeError asks for it as `hasattr` does."""
    if isinstance(error, AttributeError) and error.name is not None:
        for observer in this_thread.observers:
            observer(hasattr, (error.obj, error.name))


def _takes_error(block: Block) -> bool:
    return bool(block.__code__.co_argcount)


def _handling(block: Block, error: BaseException) -> Any:
    """A block that runs while an exception of the run is handled, as Python sees it."""
    context, traceback = error.__context__, error.__traceback__
    try:
        raise error
    except type(error):
        error.__context__ = context  # that of where the user's code raised it
        result = _run(block, error)
        error.__traceback__ = traceback  # that of here holds what the blocks around have made
        return result


def _run(block: Block, error: BaseException) -> Any:
    return block(error) if _takes_error(block) else block()


def matches(error: BaseException, kinds: Any) -> bool:
    """Whether `except kinds` catches an error. TypeError for what cannot stand there."""
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise TypeError(
                "catching classes that do not inherit from BaseException is not allowed"
            )
    return issubclass(type(error), kinds)
